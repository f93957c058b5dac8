"""The plan of a run: which generators make what, and how it is judged."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from vgdl.competition.agents.isolation import Restrictions
from vgdl.competition.budget import Budget
from vgdl.competition.chat.fields import Endpoint
from vgdl.competition.seeds import derive
from vgdl.competition.tracks.planning.plan import check_number
from vgdl.generation.interface import Size
from vgdl.judging.plays import Effort
from vgdl.registry import Entry

FOR_NOTHING = "-"
"""The subject of generated games that no sentence describes."""


CHAT = "chat:"
"""How names of language models begin; entries for them have an address as location and this as class."""


class Kind(enum.StrEnum):
    """What is generated."""

    LEVELS = "levels"
    RULES = "rules"
    GAMES = "games"


DEFAULT_BUDGET = {Kind.LEVELS: Budget.seconds(60), Kind.RULES: Budget.seconds(120), Kind.GAMES: Budget.seconds(300)}
"""Budgets of one level, set of rules, or game (generation, 1)."""


@dataclass(frozen=True, slots=True)
class Task:
    """One thing to generate."""

    generator: str
    subject: str  #: the game, or the sentence
    number: int


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that results depend on, except the code of the generators."""

    kind: Kind
    entries: tuple[Entry, ...]
    subjects: tuple[str, ...]  #: paths of game files, or sentences
    number: int  #: of levels, sets of rules or games for each subject
    construct: Budget
    budget: Budget
    size: str  #: of levels; empty: that of the game's own
    difficulty: str | None
    effort: Effort
    restrictions: Restrictions
    rounds: int  #: of dialogues with language models
    secret: int
    endpoints: Mapping[str, Endpoint] = field(default_factory=dict)  #: language models, by generator

    def __post_init__(self) -> None:
        """Check the size.

        Raises:
            PlanError: there is too much to generate.
        """
        check_number(len(self.subjects) * len(self.entries) * self.number, str(self.kind))

    @property
    def programs(self) -> tuple[Entry, ...]:
        """The generators that are classes, unlike language models."""
        return tuple(entry for entry in self.entries if entry.class_name != CHAT)

    @property
    def names(self) -> tuple[str, ...]:
        """The generators."""
        return tuple(entry.ranking_name for entry in self.entries)

    def entry(self, name: str) -> Entry:
        """The generator with a name."""
        return next(entry for entry in self.entries if entry.ranking_name == name)

    def title(self, subject: str) -> str:
        """A subject in words: the name of the game, or the sentence."""
        return subject if self.kind is Kind.GAMES else Path(subject).stem

    def tasks(self) -> list[Task]:
        """All that is generated, in order."""
        return [
            Task(name, subject, number)
            for subject in self.subjects
            for name in self.names
            for number in range(self.number)
        ]

    def seed(self, purpose: str, *labels: str | int) -> int:
        """The seed for a purpose."""
        return derive(self.secret, f"generate {purpose}", *labels)

    def size_for(self, levels: list[str]) -> Size:
        """The size of levels to ask for, given the game's own."""
        if self.size:
            return Size.parse(self.size)
        columns = [len(text.split("\n")[0]) for text in levels] or [12]
        rows = [len(text.removesuffix("\n").split("\n")) for text in levels] or [10]
        return Size((max(3, min(columns)), min(100, max(columns))), (max(3, min(rows)), min(100, max(rows))))

    def facts(self) -> dict[str, Any]:
        """The plan as JSON-compatible values."""
        return {
            **asdict(self),
            "construct": str(self.construct),
            "budget": str(self.budget),
            "secret": str(self.secret),
        }

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any]) -> Plan:
        """The plan that `facts` describes."""
        rest = {name: value for name, value in facts.items() if name != "track"}
        return cls(
            **{
                **rest,
                "kind": Kind(facts["kind"]),
                "entries": tuple(Entry(**entry) for entry in facts["entries"]),
                "subjects": tuple(map(str, facts["subjects"])),
                "construct": Budget.parse(facts["construct"]),
                "budget": Budget.parse(facts["budget"]),
                "effort": Effort(**facts["effort"]),
                "restrictions": Restrictions(**facts["restrictions"]),
                "secret": int(facts["secret"]),
                "endpoints": {name: Endpoint.from_facts(each) for name, each in facts.get("endpoints", {}).items()},
            }
        )
