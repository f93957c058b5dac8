"""The scale of every level: the mean scores of the random agent, which are 0, and of the planner, which are 1."""

from __future__ import annotations

import csv
import functools
from collections import defaultdict
from collections.abc import Iterable, Mapping
from importlib import resources

from vgdl.competition.tracks.learning.measures import Baseline
from vgdl.competition.tracks.learning.rows import Ending, Phase, PlayRow

BUNDLED_PLANNER = "champion"
"""The controller whose plays at 40 ms per action are the upper ends of the bundled scales."""


@functools.cache
def bundled() -> Mapping[tuple[str, int, str], Baseline]:
    """Scales of the bundled games, by game, level, and the beginning of the level's digest."""
    text = (resources.files(__package__) / "scales.csv").read_text(encoding="utf-8")
    return {
        (row["game"], int(row["level"]), row["digest"]): Baseline(float(row["random"]), float(row["planner"]))
        for row in csv.DictReader(text.splitlines())
    }


def scales(
    plays: Iterable[PlayRow], digests: Mapping[tuple[str, int], str], planner: str = ""
) -> dict[tuple[str, int], Baseline]:
    """The scales of levels: those of the competition's own planner and random agent, or else the bundled ones.

    Args:
        plays: all plays of the competition.
        digests: by game and level.
        planner: the name of the planner that has played in it, if one has.
    """
    low: defaultdict[tuple[str, int], list[float]] = defaultdict(list)
    high: defaultdict[tuple[str, int], list[float]] = defaultdict(list)
    for play in plays:
        if play.ending is Ending.DISQUALIFIED:
            continue
        if play.phase is Phase.VALIDATION and play.agent == "random":
            low[play.game, play.level].append(play.score)
        if play.phase is Phase.PLANNER and play.agent == planner:
            high[play.game, play.level].append(play.score)
    found: dict[tuple[str, int], Baseline] = {}
    for (game, level), digest in digests.items():
        known = bundled().get((game, level, digest[:16]))
        bottom = _mean(low[game, level]) if low[game, level] else known.random if known else None
        top = _mean(high[game, level]) if high[game, level] else known.planner if known else None
        if bottom is not None and top is not None:
            found[game, level] = Baseline(bottom, top)
    return found


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)
