"""The plan of a tournament: plain data, kept in a store (specification 11)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from itertools import permutations
from typing import Any

from vgdl.competition.agents.isolation import Restrictions
from vgdl.competition.agents.service import Clock
from vgdl.competition.seeds import derive
from vgdl.competition.tracks.othello.entries import OPPONENTS
from vgdl.competition.tracks.othello.generator import Kind, generate
from vgdl.competition.tracks.othello.metrics import ADAPTATION_SHARES, Definition, Weights
from vgdl.competition.tracks.othello.stages import PUBLIC_IDS, PublicStage, from_json, shown, to_json
from vgdl.competition.tracks.planning.plan import check_number
from vgdl.registry import Entry
from vgdl.tabletop.othello_stages import PUBLIC, Stage


class ApiLevel(StrEnum):
    """The scope of the API (specification 6.2)."""

    PAPER = "paper"  #: moves and evaluations only
    OBSERVABLE = "observable"  #: turn order and result as well


class ApiHost(StrEnum):
    """The process that holds the rules (specification 6.3)."""

    LOCAL = "local"  #: the system's, in a compiled object
    REFEREE = "referee"  #: the referee's, queried over the connection


class Memory(StrEnum):
    """The memory of a strategy across games (specification 8)."""

    FORK = "fork"  #: none of its own: every game starts from the snapshot after the analysis
    KEEP = "keep"  #: full: one process plays all games of a stage in a fixed order
    FRESH = "fresh"  #: none at all: every game starts a process in a sandbox of its own, with an analysis of its own


class Failed(StrEnum):
    """The treatment of a system without a strategy."""

    ABSENT = "absent"  #: it is not entered on the stage
    RANDOM = "random"  #: a random strategy plays in its name


@dataclass(frozen=True, slots=True)
class Fixture:
    """A game to be played."""

    number: int  #: number in the tournament, from 0
    stage: int  #: number of the stage in the plan
    budget: int  #: number of the analysis budget; 0 is the full one
    black: str
    white: str
    repeat: int

    @property
    def names(self) -> tuple[str, str]:
        """Black's system and white's."""
        return self.black, self.white


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that results depend on, except the code of the systems."""

    entries: tuple[Entry, ...]
    stages: tuple[Stage, ...]
    repeats: int
    analysis_ms: float
    game_ms: float
    clock: Clock
    api: ApiLevel
    api_host: ApiHost
    memory: Memory
    failed: Failed
    adaptation: bool  #: whether analyses are repeated with smaller budgets
    weights: Weights
    restrictions: Restrictions
    secret: int  #: the number from which all seeds derive, 128 bits
    metrics: Definition = Definition.STRENGTH

    def __post_init__(self) -> None:
        check_number(self.repeats * sum(1 for _ in self._games(1)), "games")

    @property
    def names(self) -> tuple[str, ...]:
        """The systems."""
        return tuple(entry.ranking_name for entry in self.entries)

    @property
    def budgets_ms(self) -> tuple[float, ...]:
        """Analysis budgets, the full one first."""
        shares = ADAPTATION_SHARES if self.adaptation else ADAPTATION_SHARES[:1]
        return tuple(self.analysis_ms * share for share in shares)

    def entry(self, name: str) -> Entry:
        """The system with a name."""
        return next(entry for entry in self.entries if entry.ranking_name == name)

    def is_public(self, stage: int) -> bool:
        """Whether the rules of a stage are public."""
        return self.stages[stage].id in PUBLIC_IDS

    def shown(self, stage: int) -> PublicStage:
        """A stage's data for systems."""
        return shown(self.stages[stage], len(PUBLIC) + stage)

    def fixtures(self) -> list[Fixture]:
        """All games, in the order in which they start, assuming that every analysis succeeds."""
        return [Fixture(number, *place) for number, place in enumerate(self._games(self.repeats))]

    def seed(self, purpose: str, *labels: str | int) -> int:
        """The seed for one purpose in the tournament."""
        return derive(self.secret, f"othello {purpose}", *labels)

    def facts(self) -> dict[str, Any]:
        """The plan as JSON-compatible values."""
        facts = asdict(self)
        return {
            **facts,
            "stages": [to_json(stage) for stage in self.stages],
            "secret": str(self.secret),  # 128 bits: many JSON readers would not keep such a number exact
        }

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any]) -> Plan:
        """The plan that ``facts`` describes."""
        rest = {name: value for name, value in facts.items() if name != "track"}
        return cls(
            **{
                **rest,
                "entries": tuple(Entry(**entry) for entry in facts["entries"]),
                "stages": tuple(map(from_json, facts["stages"])),
                "clock": Clock(facts["clock"]),
                "api": ApiLevel(facts["api"]),
                "api_host": ApiHost(facts["api_host"]),
                "memory": Memory(facts["memory"]),
                "failed": Failed(facts["failed"]),
                "weights": Weights(**facts["weights"]),
                "restrictions": Restrictions(**facts["restrictions"]),
                "secret": int(facts["secret"]),
                "metrics": Definition(facts.get("metrics", Definition.PAPER)),  # those of version 0.2
            }
        )

    def _games(self, repeats: int) -> Iterator[tuple[int, int, str, str, int]]:
        """Stage by stage: the round robin, then the games that measure adaptation."""
        for stage in range(len(self.stages)):
            for budget in range(len(self.budgets_ms)):
                for repeat in range(repeats):
                    for black, white in permutations(self.names, 2):
                        if budget == 0 or (black in OPPONENTS) != (white in OPPONENTS):
                            yield stage, budget, black, white, repeat


def generated(secret: int, count: int, kind: Kind | None = None) -> list[Stage]:
    """New stages: their seeds, which their names contain, derive from the tournament's secret.

    A seed has 124 bits, so that a system cannot find it by generating stages until one looks like its own.
    """
    labels: Sequence[str | int] = ("stage", str(kind))
    return [generate(_wide(secret, *labels, number), kind) for number in range(count)]


def _wide(secret: int, *labels: str | int) -> int:
    parts = (derive(secret, "othello seed", *labels, part) for part in range(4))
    return sum(part << (31 * place) for place, part in enumerate(parts))
