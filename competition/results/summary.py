"""Everything known about a competition, as JSON and as CSV."""

from __future__ import annotations

import csv
import os
import platform
import sys
from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import numpy as np

import vgdl
from vgdl.competition.contest.plan import Plan
from vgdl.competition.results.files import replacing
from vgdl.competition.results.records import PlayerResult, PlayResult
from vgdl.competition.results.scoring import missing, standings

FORMAT = 3


def summary(plan: Plan, games: Sequence[dict[str, Any]], plays: Sequence[PlayResult]) -> dict[str, Any]:
    """Everything known about a competition, as JSON-compatible values.

    It depends only on the facts in it, except that times vary if budgets are measured by a clock.
    """
    rules = plan.rules
    found = standings(plan, plays)
    return {
        "format": FORMAT,
        **plan.facts(),
        "rules": {**asdict(rules), "limits": asdict(rules.limits), "unit": rules.unit},
        "games": list(games),
        "versions": versions(),
        "machine": machine(),
        "plays": [asdict(play) for play in plays],
        "standings": {game: [asdict(row) for row in rows] for game, rows in found.games.items()},
        "ranking": [asdict(standing) for standing in found.ranking],
        "missing": missing(plan, games, plays),
    }


def machine() -> dict[str, Any]:
    """Properties of the machine on which results may depend."""
    return {
        "system": platform.platform(),
        "processor": _processor() or platform.machine(),
        "cores": os.cpu_count(),
        "host": platform.node(),
    }


def _processor() -> str:
    """The processor model, if Linux reports it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return ""
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")


def versions() -> dict[str, str]:
    """Versions of the software on which results depend."""
    implementation = sys.implementation.name
    return {
        "vgdl": vgdl.__version__,
        "python": platform.python_version(),
        "implementation": implementation,
        "numpy": np.__version__,
    }


def write_csv(path: Path, plays: Sequence[PlayResult]) -> None:
    """Write a row per play and player to a file, which is replaced only once all are complete."""
    with replacing(path) as file:
        writer = csv.writer(file)
        writer.writerow([*_PLAY_FIELDS, "player", *_PLAYER_FIELDS])
        for play in plays:
            facts = [getattr(play, name) for name in _PLAY_FIELDS]
            for number, player in enumerate(play.players):
                writer.writerow([*facts, number, *(getattr(player, name) for name in _PLAYER_FIELDS)])


_PLAY_FIELDS = [field.name for field in fields(PlayResult) if field.name != "players"]
_PLAYER_FIELDS = [field.name for field in fields(PlayerResult)]
