"""Results printed in the paper, for comparison (11). Illegible cells are left out."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class PublishedAccuracy:
    """Accuracies on test sets, by tree search, and the mean number of calls."""

    transition: float | None
    inference: float | None
    calls: float | None


@dataclass(frozen=True, slots=True)
class PublishedMatches:
    """Shares of won, lost and drawn matches, or mean payoffs."""

    win: float | None
    loss: float | None
    draw: float | None
    payoff: float | None
    other: float | None


@cache
def accuracies() -> dict[tuple[str, str], PublishedAccuracy]:
    """The paper's accuracies by game and deck."""
    found = {}
    for row in _rows("published"):
        transition, inference, calls = (_number(row[name]) for name in ("transition", "inference", "calls"))
        found[row["game"], "open"] = PublishedAccuracy(transition, inference, calls)
        if row["closed_calls"]:
            closed = PublishedAccuracy(None, _number(row["closed_test"]), _number(row["closed_calls"]))
            found[row["game"], "closed"] = closed
    return found


@cache
def matches() -> dict[tuple[str, str, str, int], PublishedMatches]:
    """The paper's matches by game, deck, opponent and the learnt model's seat."""
    return {
        (row["game"], row["deck"], row["opponent"], int(row["seat"])): PublishedMatches(
            *(_number(row[name]) for name in ("win", "loss", "draw", "payoff", "other"))
        )
        for row in _rows("published_matches")
    }


def _rows(name: str) -> list[dict[str, str]]:
    file = files("vgdl.competition.tracks.worldmodels") / f"{name}.csv"
    return list(csv.DictReader(file.read_text(encoding="utf-8").splitlines()))


def _number(text: str) -> float | None:
    return float(text) if text else None
