"""The rows of runs of the world-models track in a results store."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from vgdl.competition.chat.usage import usage_table
from vgdl.competition.table import Packed, Table


@dataclass(frozen=True, slots=True)
class SynthesisRow:
    """A finished synthesis of a program."""

    number: int  #: in the plan
    game: str
    deck: str  #: open or closed; empty for VGDL games
    position: int  #: among those of its game and deck
    program: str  #: the best one; empty if there is none
    facts: dict[str, Any]  #: see `runs.synthesis_facts`


@dataclass(frozen=True, slots=True)
class TextRow(SynthesisRow):
    """A finished synthesis of a VGDL game."""


@dataclass(frozen=True, slots=True)
class TestPlaysRow:
    """The test plays of a game, which are slow to record."""

    game: str
    plays: Packed[tuple[Any, ...]] = ()


@dataclass(frozen=True, slots=True)
class ValueRow:
    """The value function of a synthesis."""

    number: int  #: of the synthesis
    program: str  #: the one that won the tournament; empty for none
    facts: dict[str, Any]  #: the candidates with their faults, and the tournament


@dataclass(frozen=True, slots=True)
class ChoiceRow:
    """The programs that play the matches of a game."""

    game: str
    deck: str
    facts: dict[str, Any]  #: numbers of the programs that play, mean payoffs


@dataclass(frozen=True, slots=True)
class MatchRow:
    """A finished match."""

    number: int  #: in the plan
    game: str
    deck: str
    opponent: str
    seat: int  #: of the learnt model
    synthesis: int  #: the program that played
    value: float  #: return of the learnt model
    other: float  #: return of the opponent
    forfeited: int | None  #: the seat that forfeited
    seconds: float  #: wall time
    record: Packed[dict[str, Any] | None] = None  #: play, notes, reason, online


@dataclass(frozen=True, slots=True)
class EvaluationRow:
    """The evaluation of a program on its tests."""

    key: str  #: of the program and its tests
    facts: Packed[Any] = None  #: the verdicts


@dataclass(frozen=True, slots=True)
class LearntRow:
    """A game that was learnt by search."""

    game: str
    facts: dict[str, Any]  #: the measures, and the learnt text


TABLES: tuple[Table[Any], ...] = (
    Table("worldmodels_syntheses", SynthesisRow, "number", optional=True),
    Table("worldmodels_texts", TextRow, "number", optional=True),
    Table("worldmodels_test_games", TestPlaysRow, "game", optional=True),
    Table("worldmodels_values", ValueRow, "number", optional=True),
    Table("worldmodels_survivors", ChoiceRow, "game", "deck", optional=True),
    Table("worldmodels_matches", MatchRow, "number", optional=True),
    Table("worldmodels_evaluations", EvaluationRow, "key", optional=True),
    Table("worldmodels_search", LearntRow, "game", optional=True),
    usage_table("worldmodels_usage"),
)
"""The tables of the track."""
