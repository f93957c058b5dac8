"""The rows of a run in a results store."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from vgdl.competition.chat.usage import usage_table
from vgdl.competition.table import Packed, Table


@dataclass(frozen=True, slots=True)
class Generated:
    """A level, a set of rules, or a game, and how it was judged."""

    generator: str
    subject: str
    number: int
    cause: str  #: why there is nothing to judge; empty if there is something
    details: str
    used: float  #: of the budget, in its unit
    feasible: bool
    constraints: dict[str, float]  #: the share to which each is met; the least of all levels
    verdict: str
    verified: bool  #: another process has replayed the wins
    depth: float  #: mean over levels
    value: float  #: what generators are ranked by
    reference_value: float
    decisions: float
    novelty: float
    win_rate: float  #: of the judge of difficulty
    win_ticks: int  #: of the shortest win; 0 if there is none
    fired: float  #: share of rules that fired; of rules only
    judges: list[dict[str, Any]] = field(default_factory=list)  #: the profile of the first level
    seconds: float = 0.0
    waited_ms: float = 0.0
    texts: Packed[dict[str, Any]] = field(default_factory=dict)  #: ``game``, ``levels``, ``wins``, ``extra``


TABLES = (Table("generated", Generated, "generator", "subject", "number"), usage_table("generation_usage"))
"""The tables of the track."""
