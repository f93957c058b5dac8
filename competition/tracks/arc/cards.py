"""A server's scorecards: their plays, live or recomputed from stored commands (arc, 3 and 4)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

from vgdl.competition.tracks.arc.frame import RESET, Frame, State
from vgdl.competition.tracks.arc.protocol import Command, Opening
from vgdl.competition.tracks.arc.session import Run


@dataclass(frozen=True, slots=True)
class Step:
    """An executed command, with its result."""

    time: str  #: UTC, ISO 8601
    action: int
    x: int | None
    y: int | None
    state: str
    levels_completed: int
    full_reset: bool
    layers: int  #: number of frames in the answer
    reasoning: Any = None  #: any JSON

    @classmethod
    def of(cls, time: str, command: Command, frame: Frame) -> Step:
        """The record of a command and its answer."""
        answer = (str(frame.state), frame.levels_completed, frame.full_reset, len(frame.layers))
        return cls(time, command.action, command.x, command.y, *answer, command.reasoning)


@dataclass(slots=True)
class Play:
    """A play, in progress or finished, under one guid."""

    guid: str
    game_id: str
    levels: int
    runs: list[Run] = field(default_factory=list)  #: runs of the session, or recomputed ones

    @classmethod
    def replayed(cls, guid: str, game_id: str, levels: int, steps: Iterable[Step]) -> Play:
        """A finished play, recomputed from its commands."""
        play = cls(guid, game_id, levels)
        for step in steps:
            if step.full_reset or not play.runs:
                play.runs.append(Run())
            else:
                run = play.runs[-1]
                run.actions += 1
                run.resets += step.action == RESET
                if run.levels_completed < step.levels_completed:
                    run.level_actions.append(run.actions - sum(run.level_actions))
            play.runs[-1].state = State(step.state)
        return play


@dataclass(slots=True)
class Card:
    """A scorecard."""

    card_id: str
    opening: Opening
    opened: str  #: times as the store has them
    updated: str
    closed: str | None = None
    plays: list[Play] = field(default_factory=list)

    def runs(self) -> dict[str, list[tuple[str, Run]]]:
        """The runs on each game with their guids, in order; games in the order of their first plays."""
        found: dict[str, list[tuple[str, Run]]] = {}
        for play in self.plays:
            found.setdefault(play.game_id, []).extend((play.guid, run) for run in play.runs)
        return found


def legacy(card: Card, game_id: str) -> dict[str, Any]:
    """The format of older clients: the counts of a game, with an entry per run in each list (arc, 4.3)."""
    by_game = card.runs()
    asked = by_game.get(game_id, [])
    runs = [run for _, run in asked]
    levels = [run.levels_completed for run in runs]
    shown = {
        "game_id": game_id,
        "total_plays": len(runs),
        "guids": [guid for guid, _ in asked],
        "levels_completed": levels,
        "scores": levels,
        "states": [run.state.value for run in runs],
        "actions": [run.actions for run in runs],
        "actions_by_level": [[list(pair) for pair in enumerate(accumulate(run.level_actions), 1)] for run in runs],
        "resets": [run.resets for run in runs],
        "total_actions": sum(run.actions for run in runs),
    }
    every = [[run for _, run in found] for found in by_game.values()]
    return {
        "won": sum(any(run.state is State.WIN for run in runs) for runs in every),
        "played": len(by_game),
        "total_actions": sum(run.actions for runs in every for run in runs),
        "levels_completed": sum(max(run.levels_completed for run in runs) for runs in every),
        "cards": {game_id: shown} if asked else {},
    }
