"""Results of plays: plain records that are stored, ranked and written to files, and the rows of a store."""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from vgdl import Action
from vgdl.cli import counted
from vgdl.competition.store import OLDEST_TRACK, Reader, Store
from vgdl.competition.table import Packed, Sealed, Table


class Outcome(enum.StrEnum):
    """How a play ended for a player."""

    WON = "won"
    LOST = "lost"
    NO_WINNER = "no winner"
    DISQUALIFIED = "disqualified"


@dataclass(frozen=True, slots=True)
class PlayerResult:
    """The result of one player in a play.

    The budgets used are in the unit of the rules: milliseconds, or calls of the forward model.
    """

    controller: str  #: its name in rankings
    outcome: Outcome
    score: float
    cause: str = ""  #: why it was disqualified
    details: str = ""  #: the traceback, other details of the cause, or the first invalid answer
    late_answers: int = 0  #: late answers, which were replaced by NIL
    construction_used: float = 0.0
    action_used_mean: float = 0.0
    action_used_max: float = 0.0
    invalid_answers: int = 0  #: answers that were no actions of the game, which counted as NIL
    output: str = ""  #: the end of what it printed, at most ``agents.output.MAX_OUTPUT`` characters
    output_dropped: int = 0  #: number of bytes printed before that

    @property
    def printed(self) -> str:
        """What it printed, after a line that says what is missing; empty if it printed nothing."""
        dropped = f"[{counted(self.output_dropped, 'byte')} before this left out]\n" if self.output_dropped else ""
        return f"{dropped}{self.output.rstrip()}"


@dataclass(frozen=True, slots=True)
class PlayResult:
    """One play: a game and level with everything needed to repeat it, and the result of each player."""

    game: str
    level: int
    repeat: int
    seed: int  #: of the real game's generator
    stirring: str  #: key that the generator is stirred with, see ``vgdl.replay.stir``; empty for a plain generator
    ticks: int  #: tick of the last cycle
    players: tuple[PlayerResult, ...]
    game_error: str = ""  #: the fatal error of the game that ended the play, if any


@dataclass(frozen=True, slots=True)
class PlayRow:
    """A play in a store, without its players."""

    fixture: int  #: its number in the plan
    game: str
    level: int
    repeat: int
    seed: Sealed[int]
    stirring: Sealed[str]
    ticks: int
    game_error: str
    isolation: dict[str, Any]  #: level, source of CPU times, core, and how often the play was void before
    seconds: float  #: wall time
    waited_ms: float  #: how long controllers were ready to answer and had no core
    actions: Packed[tuple[tuple[str | None, ...], ...]] = ()  #: names by tick and player


@dataclass(frozen=True, slots=True)
class PlayerRow:
    """A player of a play in a store."""

    fixture: int
    player: int
    controller: str
    outcome: Outcome
    score: float
    cause: str
    details: str
    late_answers: int
    construction_used: float
    action_used_mean: float
    action_used_max: float
    invalid_answers: int = 0
    output: str = ""
    output_dropped: int = 0
    used: Packed[tuple[float, ...]] = ()  #: budget used by each answer, in the unit of the rules


TABLES = (Table("plays", PlayRow, "fixture"), Table("players", PlayerRow, "fixture", "player"))
"""The tables of the track."""

_PLAYER_FIELDS = [field.name for field in fields(PlayerResult)]


def rows_of(
    fixture: int,
    result: PlayResult,
    *,
    actions: Sequence[Sequence[str | None]],
    used: Sequence[Sequence[float]],
    isolation: Mapping[str, Any],
    seconds: float,
    waited_ms: float,
) -> tuple[PlayRow | PlayerRow, ...]:
    """The rows of a finished play.

    Args:
        fixture: its number in the plan.
        result: the result.
        actions: names by tick and player; None for a player who was not asked.
        used: by player, the budget used by each answer, in the unit of the rules.
        isolation: level, source of CPU times, core, and how often the play was void before.
        seconds: wall time.
        waited_ms: how long controllers were ready to run but had no core.
    """
    play = PlayRow(
        fixture, result.game, result.level, result.repeat, result.seed, result.stirring, result.ticks,
        result.game_error, dict(isolation), seconds, waited_ms, tuple(map(tuple, actions)),
    )  # fmt: skip
    players = [
        PlayerRow(
            fixture,
            number,
            used=tuple(round(each, 4) for each in used[number]),
            **{name: getattr(player, name) for name in _PLAYER_FIELDS},
        )
        for number, player in enumerate(result.players)
    ]
    return play, *players


def opened(path: Path, *, read_only: bool = True) -> Store:
    """Open a store of the planning track.

    Raises:
        StoreError: it cannot be used, or belongs to another track.
    """
    return Store.open_of(OLDEST_TRACK, TABLES, path, read_only=read_only)


def numbered_plays(store: Reader) -> list[tuple[int, PlayResult]]:
    """The finished plays in a store with the numbers of their fixtures, in the order of the plan.

    Raises:
        StoreError: the store is damaged.
    """
    players: dict[int, list[PlayerResult]] = {}
    for row in store.rows(PlayerRow):
        players.setdefault(row.fixture, []).append(PlayerResult(*(getattr(row, name) for name in _PLAYER_FIELDS)))
    with store.reading("its players"):
        return [
            (
                row.fixture,
                PlayResult(
                    row.game, row.level, row.repeat, row.seed, row.stirring, row.ticks, tuple(players[row.fixture]),
                    row.game_error,
                ),
            )
            for row in store.rows(PlayRow)
        ]  # fmt: skip


def plays(store: Reader) -> list[PlayResult]:
    """The finished plays in a store, in the order of the plan."""
    return [result for _, result in numbered_plays(store)]


def actions(store: Reader, fixture: int) -> list[list[str | None]]:
    """The actions of a play, as names by tick and player; together with the seed, enough for a replay.

    Raises:
        StoreError: there is no such play, or the store is damaged.
    """
    ticks = store.one(PlayRow, fixture=fixture).actions
    with store.reading(f"the actions of play {fixture}"):
        if unknown := {name for tick in ticks for name in tick} - {*Action.__members__, None}:
            raise ValueError(f"there is no action {unknown.pop()!r:.60}")
    return [list(tick) for tick in ticks]


def used(store: Reader, fixture: int, player: int = 0) -> list[float]:
    """The budget used by each answer of a player in a play, in the unit of the rules."""
    return list(store.one(PlayerRow, fixture=fixture, player=player).used)


def isolation_of(store: Reader) -> tuple[dict[str, int], int]:
    """The number of plays by level of isolation and source of CPU times, and how many were repeated."""
    counts: Counter[str] = Counter()
    void = 0
    rows = store.rows(PlayRow)
    with store.reading("the isolation of its plays"):
        for row in rows:
            counts[f"{row.isolation['level']}, CPU times by {row.isolation['cpu times']}"] += 1
            void += row.isolation.get("void", 0) > 0
    return dict(counts), void
