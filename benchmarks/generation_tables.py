"""The tables of generated levels, rules and games, from the rows that ``generation.py`` writes."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean, median

Row = Mapping[str, str]

HAND_MADE = "hand-made"
ORDER = (HAND_MADE, "random", "constructive", "genetic", "archive")
GOOD_DEPTH = 0.5
"""Skill depth that whole games should have."""


def read(path: Path) -> list[dict[str, str]]:
    """The rows of a file; none if there is no file."""
    if not path.is_file():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def level_table(rows: Sequence[Row]) -> str:
    """Feasible levels and median depth, by game and generator."""
    generators = sorted({row["generator"] for row in rows}, key=lambda name: (name not in ORDER, _place(name), name))
    lines = [
        "| game | " + " | ".join(f"{name}: feasible | depth" for name in generators) + " |",
        "|---|" + "--:|" * (2 * len(generators)),
    ]
    for game in [*sorted({row["game"] for row in rows}), ""]:
        cells = []
        for generator in generators:
            own = [row for row in rows if row["generator"] == generator and game in ("", row["game"])]
            if own:
                feasible = sum(_feasible(row) for row in own)
                cells.append(f"{feasible} of {len(own)} | {median(float(row['depth']) for row in own):.2f}")
            else:
                cells.append("– | –")
        lines.append(f"| {game or 'all'} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def rules_table(rows: Sequence[Row]) -> str:
    """Mean value of the rules, by game and generator, and the CPU time of the genetic algorithm."""
    generators = list(dict.fromkeys(row["generator"] for row in rows))
    lines = ["| sprites of | " + " | ".join(generators) + " | seconds |", "|---|" + "--:|" * (len(generators) + 1)]
    for game in dict.fromkeys(row["game"] for row in rows):
        cells = []
        for generator in generators:
            own = [float(row["value"]) for row in rows if row["generator"] == generator and row["game"] == game]
            cells.append(f"{fmean(own):.2f}" if own else "–")
        seconds = max(float(row["seconds"]) for row in rows if row["game"] == game)
        lines.append(f"| {game} | " + " | ".join(cells) + f" | {seconds:.0f} |")
    return "\n".join(lines)


def games_table(rows: Sequence[Row]) -> str:
    """One row per game, and how many are feasible with a good depth."""
    lines = ["| game | feasible | depth | unmet | seconds |", "|---|---|--:|---|--:|"]
    for row in rows:
        feasible = "yes" if _feasible(row) else "no"
        lines.append(
            f"| {row['number']} | {feasible} | {float(row['depth']):.2f} | {row['broken'] or '–'} "
            f"| {float(row['seconds']):.0f} |"
        )
    good = sum(_feasible(row) and float(row["depth"]) >= GOOD_DEPTH for row in rows)
    lines.append(f"| feasible with depth ≥ {GOOD_DEPTH} | {good} of {len(rows)} | | | |")
    return "\n".join(lines)


def _feasible(row: Row) -> bool:
    return row["feasible"] == "True"


def _place(name: str) -> int:
    return ORDER.index(name) if name in ORDER else len(ORDER)
