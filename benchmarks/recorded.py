"""Plays by one controller each, from stores or from CSV files, which keep results of long measurements in the repository.

A CSV file has a row per play: ``controller``; ``budget`` (``40 ms`` or ``500 calls`` per action); ``game``, ``level``,
``repeat`` and ``seed``; ``outcome``; ``ticks`` and ``score``; ``late_answers`` and ``longest``, the most that an answer
used, in milliseconds or calls.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from vgdl.competition.errors import CompetitionError
from vgdl.competition.tracks.planning.plan import Plan
from vgdl.competition.tracks.planning.records import Outcome, PlayerResult, PlayResult, isolation_of, opened, plays

COLUMNS = (
    "controller", "budget", "game", "level", "repeat", "seed", "outcome", "ticks", "score", "late_answers", "longest",
)  # fmt: skip


class RecordError(CompetitionError, ValueError):
    """A CSV file holds something else than plays with one budget; the message has the line."""


@dataclass(frozen=True, slots=True, order=True)
class Budget:
    """What a controller may use per action; calls come before times."""

    is_time: bool
    size: float

    def __str__(self) -> str:
        return f"{self.size:g} ms" if self.is_time else f"{self.size:,.0f} calls"

    @classmethod
    def parse(cls, text: str) -> Budget:
        """The budget that a text like ``40 ms`` or ``500 calls`` describes.

        Raises:
            ValueError: it describes none.
        """
        size, _, unit = text.partition(" ")
        if unit not in ("ms", "calls"):
            raise ValueError(f"expected a budget like '40 ms' or '500 calls', found {text!r}")
        return cls(unit == "ms", float(size.replace(",", "")))


@dataclass(frozen=True, slots=True)
class Plays:
    """The plays of games for one player in one or several files, with the same budget."""

    budget: Budget
    results: list[PlayResult] = field(default_factory=list)
    void: int = 0  #: plays that were repeated because the machine was too busy to judge them


def read(path: Path) -> Plays:
    """The plays of a store, or of a CSV file.

    Raises:
        RecordError: a CSV file has other columns or values than `write` produces.
        vgdl.competition.errors.CompetitionError: the file is no store.
        OSError: it cannot be read.
    """
    if path.suffix == ".csv":
        return _read_csv(path)
    with opened(path) as store:
        rules = Plan.from_facts(store.plan).rules
        budget = Budget(is_time=False, size=rules.calls) if rules.calls else Budget(is_time=True, size=rules.action_ms)
        return Plays(budget, [play for play in plays(store) if len(play.players) == 1], isolation_of(store)[1])


def _read_csv(path: Path) -> Plays:
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file)
        if tuple(rows.fieldnames or ()) != COLUMNS:
            raise RecordError(f"{path}:1: expected the columns {','.join(COLUMNS)}")
        found: list[tuple[Budget, PlayResult]] = []
        for row in rows:
            try:
                found.append((Budget.parse(row["budget"]), _parsed(row)))
            except (TypeError, ValueError) as error:
                raise RecordError(f"{path}:{rows.line_num}: {error}") from None
    budgets = {budget for budget, _ in found}
    if len(budgets) != 1:
        raise RecordError(f"{path}: expected plays with one budget, found {len(budgets)}")
    return Plays(budgets.pop(), [play for _, play in found])


def _parsed(row: dict[str, str]) -> PlayResult:
    player = PlayerResult(
        row["controller"],
        Outcome(row["outcome"]),
        float(row["score"]),
        late_answers=int(row["late_answers"]),
        action_used_max=float(row["longest"]),
    )
    level, repeat, seed, ticks = (int(row[name]) for name in ("level", "repeat", "seed", "ticks"))
    return PlayResult(row["game"], level, repeat, seed, "", ticks, (player,))


def write(file: TextIO, many: Iterable[Plays]) -> None:
    """Write plays as CSV, in the order of games, levels, repeats and seeds."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(sorted((row for plays in many for row in _rows(plays)), key=lambda row: row[2:6]))


def _rows(plays: Plays) -> Iterator[tuple[Any, ...]]:
    for play in plays.results:
        (player,) = play.players
        yield (
            player.controller, plays.budget, play.game, play.level, play.repeat, play.seed, player.outcome, play.ticks,
            f"{player.score:g}", player.late_answers, f"{player.action_used_max:.4g}",
        )  # fmt: skip
