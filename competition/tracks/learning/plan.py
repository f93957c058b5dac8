"""The plan of a competition of learners: plain data that a store keeps."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self

import vgdl
from vgdl import games as bundled_games
from vgdl.competition import typed
from vgdl.competition.addresses import is_http_address
from vgdl.competition.agents.isolation import Restrictions
from vgdl.competition.chat.fields import Endpoint
from vgdl.competition.chat.model import Sampling
from vgdl.competition.errors import using
from vgdl.competition.tracks.learning.learners import LEARNERS
from vgdl.competition.tracks.learning.rows import RunKey
from vgdl.competition.tracks.learning.rules import LearningError, LearningRules
from vgdl.competition.tracks.learning.views import Course
from vgdl.language import suggestion
from vgdl.registry import Entry

MOST_RUNS = 100_000
"""Maximum number of runs of a competition."""

CHAT = "chat:"
"""What the names of language models begin with."""


@dataclass(frozen=True, slots=True)
class ChatSettings:
    """How language models are asked."""

    endpoints: Mapping[str, Endpoint] = field(default_factory=dict)  #: by the name of the agent
    sampling: Sampling = field(default_factory=Sampling)
    form: str = "text"  #: mode of the observations: ``text`` or ``json``


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that results depend on, except the texts of games and agents."""

    entries: tuple[Entry, ...]  #: language models have the location `CHAT`, and URL#MODEL as the name of the class
    games: tuple[Path, ...]
    repeats: int
    rules: LearningRules
    planner: str  #: a controller that plays the validation levels for comparison; empty: none
    planner_plays: int  #: of each level
    chat: ChatSettings
    restrictions: Restrictions
    secret: int

    def __post_init__(self) -> None:
        if len(self.entries) * len(self.games) * self.repeats > MOST_RUNS:
            raise LearningError(f"a competition has at most {MOST_RUNS:,} runs")

    @property
    def names(self) -> tuple[str, ...]:
        """The agents, as they are called in rankings."""
        return tuple(entry.ranking_name for entry in self.entries)

    def entry(self, name: str) -> Entry:
        """The agent with a name."""
        return next(entry for entry in self.entries if entry.ranking_name == name)

    def runs(self) -> list[RunKey]:
        """All runs, in the order in which they start: game by game."""
        return [
            RunKey(name, path.stem, repeat)
            for path in self.games
            for repeat in range(self.repeats)
            for name in self.names
        ]

    def facts(self) -> dict[str, Any]:
        """The plan as JSON-compatible values."""
        facts = asdict(self)
        return facts | {"games": [str(path) for path in self.games], "secret": str(self.secret)}

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any]) -> Self:
        """Restore the plan that ``facts`` describe.

        Raises:
            ValueError, LookupError, TypeError: they do not describe a plan.
        """
        return cls(
            entries=typed.read(tuple[Entry, ...], facts["entries"], "entries"),
            games=typed.read(tuple[Path, ...], facts["games"], "games"),
            repeats=typed.read(int, facts["repeats"], "repeats"),
            rules=typed.read(LearningRules, facts["rules"], "rules"),
            planner=typed.read(str, facts["planner"], "planner"),
            planner_plays=typed.read(int, facts["planner_plays"], "planner_plays"),
            chat=typed.read(ChatSettings, facts["chat"], "chat"),
            restrictions=typed.read(Restrictions, facts["restrictions"], "restrictions"),
            secret=int(typed.read(str, facts["secret"], "secret")),
        )

    def courses(self) -> dict[str, Course]:
        """The games with their levels, by name.

        Raises:
            LearningError: a game is not for one player, or two games have the same name.
            vgdl.VGDLError: a game or level cannot be loaded.
        """
        courses: dict[str, Course] = {}
        for path in self.games:
            with using():
                course = Course.of(vgdl.load(path), self.rules)
            if course.game.name in courses:
                raise LearningError(f"two of the games are called {course.game.name}")
            courses[course.game.name] = course
        return courses


def find_agents(names: Sequence[str], models: Mapping[str, Any] = MappingProxyType({})) -> tuple[Entry, ...]:
    """Find agents: learners by name or FILE.py:CLASS, and language models as ``chat:URL#MODEL`` or ``chat:NAME``.

    Args:
        names: the agents.
        models: the models of a models file, by name.

    Raises:
        LearningError: the text of a language model is incomplete.
        EntryNotFound: there is no such learner, or two have the same name.
    """
    return LEARNERS.find_all([chat_entry(name, models) if str(name).startswith(CHAT) else name for name in names])


def chat_entry(name: str, models: Mapping[str, Any] = MappingProxyType({})) -> Entry:
    """The entry of a language model.

    Raises:
        LearningError: the text does not have the form ``chat:URL#MODEL``, nor ``chat:NAME`` with a known name.
    """
    known = name.removeprefix(CHAT)
    if known in models:
        return Entry(name, known, CHAT, f"{models[known]['endpoint']}#{models[known]['model']}")
    url, _, model = name.removeprefix(CHAT).partition("#")
    if not model or not is_http_address(url):
        raise LearningError(
            f"{name!r} is not a language model: write chat:URL#MODEL, as in chat:https://host/v1#my-model"
        )
    return Entry(name, re.sub(r"[^\w.:+-]", "-", model)[:60], CHAT, f"{url}#{model}")


def find_games(names: Sequence[str]) -> tuple[Path, ...]:
    """Find games by name in all bundled sets, or by file.

    Raises:
        LearningError: there is no such game; the message suggests the nearest name.
    """
    found = []
    for name in names:
        if bundled_games.is_bundled(name):
            found.append(bundled_games.path(name))
        elif name.endswith(".txt") and Path(name).is_file():
            found.append(Path(name).resolve())
        elif name.endswith(".txt"):
            raise LearningError(f"there is no game file {name}")
        else:
            raise LearningError(
                f"there is no game {name!r}{suggestion(name, bundled_games.names())}; a file ends in .txt"
            )
    return tuple(found)
