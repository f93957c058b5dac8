"""What several test files of this track share."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from vgdl.competition.agents.isolation import Sandbox
from vgdl.competition.chat.model import Message, Reply, Sampling
from vgdl.competition.tracks.worldmodels.program import working_isolation
from vgdl.competition.tracks.worldmodels.scripted import Script, ScriptedAuthor
from vgdl.competition.tracks.worldmodels.trajectories import Play, record
from vgdl.competition.tracks.worldmodels.worlds import WORLDS


@cache
def sandbox() -> Sandbox:
    """The best isolation that works here."""
    return working_isolation()


@cache
def plays(game: str, count: int = 2) -> tuple[Play, ...]:
    """Random plays of a game."""
    return tuple(record(WORLDS[game], seed) for seed in range(count))


class Answers:
    """A scripted author as the loop sees one; counts its calls and keeps its prompts."""

    def __init__(self, script: Script, *, at_end: str = "repeat", game: str = "tic_tac_toe") -> None:
        self._author = ScriptedAuthor({game: script}, at_end=at_end)
        self._game = game
        self.prompts: list[list[Message]] = []

    def answer(self, messages: Sequence[Message], call: int) -> Reply:
        self.prompts.append([dict(message) for message in messages])  # type: ignore[misc]
        return self._author.complete(messages, Sampling(), ("program", self._game, "open", 0, call))
