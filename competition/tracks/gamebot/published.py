"""The published results of the GAMEBoT paper (its tables 2 and 3), for comparison."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from vgdl.competition.tracks.gamebot.tasks import TASKS


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """A model's results in the paper; None where it prints a dash."""

    model: str
    outcomes: dict[str, float | None]  #: by game
    intermediates: dict[str, float | None]
    outcome: float | None  #: S
    intermediate: float | None  #: I
    score: float | None


@cache
def published() -> tuple[PublishedRow, ...]:
    """All rows, in the paper's order."""
    text = files("vgdl.competition.tracks.gamebot").joinpath("published.csv").read_text(encoding="utf-8")
    return tuple(_row(row) for row in csv.DictReader(text.splitlines()))


def _row(row: dict[str, str]) -> PublishedRow:
    def number(name: str) -> float | None:
        return float(row[name]) if row[name] else None

    return PublishedRow(
        row["model"],
        {game: number(f"s_{game}") for game in TASKS},
        {game: number(f"i_{game}") for game in TASKS},
        number("S"),
        number("I"),
        number("score"),
    )
