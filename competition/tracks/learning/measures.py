"""What is measured (learning, 4), as functions of the rows of plays.

Levels are the tasks and repeats the runs of *rliable* (Agarwal et al., Deep Reinforcement Learning at the Edge of the
Statistical Precipice, 2021): aggregates are interquartile means over all runs of all tasks, and intervals come from a
bootstrap that draws levels, and for each of them runs, with replacement.
"""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from vgdl.competition.tracks.learning.rows import Ending, Phase, PlayRow

RESAMPLES = 2_000
"""Number of samples of a bootstrap."""

COVERED = 0.95
"""Share of the samples that an interval covers."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """The scale of a level: what is 0 and what is 1."""

    random: float  #: mean score of the random agent
    planner: float  #: mean score of the planner

    @property
    def is_usable(self) -> bool:
        """Whether the planner scores more than the random agent."""
        return self.planner > self.random

    def normalised(self, score: float) -> float:
        """A score on the scale of the level."""
        return (score - self.random) / (self.planner - self.random)


Baselines = Mapping[tuple[str, int], Baseline]
"""Scales by game and level; levels without one are not part of normalised measures."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A value with the bounds of its interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Point:
    """A point of a learning curve."""

    steps: int  #: experience
    plays: int
    victories: float  #: share of the plays that were won
    score: float  #: mean
    normalised: float | None  #: mean over levels with a scale; None without any


def interquartile_mean(values: Sequence[float]) -> float:
    """The mean of the middle half of some values: a quarter of them, rounded down, is left out at each end."""
    ordered = sorted(values)
    cut = len(ordered) // 4
    kept = ordered[cut : len(ordered) - cut]
    return math.fsum(kept) / len(kept)


def bootstrap(values: Mapping[Any, Sequence[float]], seed: int = 0, resamples: int = RESAMPLES) -> Interval:
    """The interquartile mean of all values, with an interval.

    Args:
        values: by level, one value per run.
        seed: of the samples.
        resamples: their number.
    """
    draws = random.Random(seed)
    groups = [list(group) for group in values.values() if group]
    means = []
    for _ in range(resamples):
        sample: list[float] = []
        for group in draws.choices(groups, k=len(groups)):
            sample += draws.choices(group, k=len(group))
        means.append(interquartile_mean(sample))
    means.sort()
    edge = (1 - COVERED) / 2
    low, high = means[int(edge * resamples)], means[min(resamples - 1, int((1 - edge) * resamples))]
    return Interval(interquartile_mean([value for group in groups for value in group]), low, high)


def final_values(plays: Iterable[PlayRow], baselines: Baselines) -> dict[tuple[str, int], list[float]]:
    """The normalised mean score of the validation plays: by game and level, one value per run."""
    scores: defaultdict[tuple[str, int, int], list[PlayRow]] = defaultdict(list)
    for play in plays:
        scale = baselines.get((play.game, play.level))
        if play.phase is Phase.VALIDATION and scale is not None and scale.is_usable:
            scores[play.game, play.level, play.repeat].append(play)
    values: defaultdict[tuple[str, int], list[float]] = defaultdict(list)
    for (game, level, _), rows in scores.items():
        values[game, level].append(_normalised(rows, baselines[game, level]))
    return dict(values)


def curve(plays: Sequence[PlayRow], baselines: Baselines) -> list[Point]:
    """The learning curve of an agent, from its probes and, at the end, its validation plays.

    Args:
        plays: of one agent, on one game or several, in one run or several.
        baselines: the scales of the levels.
    """
    at: defaultdict[int, list[PlayRow]] = defaultdict(list)
    probed = set()
    for play in plays:
        if play.phase is Phase.PROBE:
            at[play.steps].append(play)
            probed.add((play.game, play.repeat, play.steps))
    for play in plays:
        if play.phase is Phase.VALIDATION and (play.game, play.repeat, play.steps) not in probed:
            at[play.steps].append(play)
    return [_point(steps, rows, baselines) for steps, rows in sorted(at.items())]


def training_curve(plays: Iterable[PlayRow], bins: int = 40) -> list[Point]:
    """Victories and scores of the training plays against experience, in bins of equal width.

    Args:
        plays: of one agent, on one game or several.
        bins: their number.
    """
    training = [play for play in plays if play.phase is Phase.TRAINING and play.ending is not Ending.DISQUALIFIED]
    if not training:
        return []
    width = max(1, math.ceil((1 + max(play.steps for play in training)) / bins))
    at: defaultdict[int, list[PlayRow]] = defaultdict(list)
    for play in training:
        at[(play.steps // width + 1) * width].append(play)
    return [_point(steps, rows, {}) for steps, rows in sorted(at.items())]


def area(points: Sequence[tuple[float, float]], budget: float) -> float | None:
    """The area under a curve over log10(steps), divided by its width: the mean height.

    It reaches from the first point to the budget; beyond the last point the curve is level.

    Args:
        points: experience and height, in the order of experience.
        budget: the experience up to which it reaches.
    """
    if not points:
        return None
    placed = [(math.log10(max(1.0, steps)), height) for steps, height in points]
    end = max(math.log10(max(1.0, budget)), placed[0][0])
    placed = [point for point in placed if point[0] <= end]
    if placed[-1][0] < end:
        placed.append((end, placed[-1][1]))
    width = placed[-1][0] - placed[0][0]
    if width == 0:
        return placed[0][1]
    return math.fsum((right - left) * (low + high) / 2 for (left, low), (right, high) in pairwise(placed)) / width


def area_values(plays: Sequence[PlayRow], baselines: Baselines, budget: int) -> dict[tuple[str, int], list[float]]:
    """The areas under the normalised curves: by game and level, one value per run."""
    parts: defaultdict[tuple[str, int, int], list[PlayRow]] = defaultdict(list)
    for play in plays:
        scale = baselines.get((play.game, play.level))
        if play.phase in (Phase.PROBE, Phase.VALIDATION) and scale is not None and scale.is_usable:
            parts[play.game, play.level, play.repeat].append(play)
    values: defaultdict[tuple[str, int], list[float]] = defaultdict(list)
    for (game, level, _), rows in parts.items():
        points = [(point.steps, point.normalised) for point in curve(rows, baselines) if point.normalised is not None]
        found = area([(float(steps), height) for steps, height in points], budget)
        if found is not None:
            values[game, level].append(found)
    return dict(values)


@dataclass(frozen=True, slots=True)
class FirstWin:
    """The experience at which a training level was first won, over the runs of an agent."""

    agent: str
    game: str
    level: int
    runs: int
    won: int  #: runs in which it was won
    steps: float | None  #: median over these runs; None if there is none


def first_wins(plays: Iterable[PlayRow]) -> list[FirstWin]:
    """Steps to the first win of every training level that was played."""
    firsts: defaultdict[tuple[str, str, int], dict[int, int | None]] = defaultdict(dict)
    for play in plays:
        if play.phase is Phase.TRAINING:
            runs = firsts[play.agent, play.game, play.level]
            before = runs.setdefault(play.repeat, None)
            if play.is_won:
                end = play.steps + play.ticks
                runs[play.repeat] = end if before is None else min(before, end)
    found = []
    for (agent, game, level), runs in firsts.items():
        steps = sorted(steps for steps in runs.values() if steps is not None)
        median = (steps[(len(steps) - 1) // 2] + steps[len(steps) // 2]) / 2 if steps else None
        found.append(FirstWin(agent, game, level, len(runs), len(steps), median))
    return found


def _point(steps: int, rows: Sequence[PlayRow], baselines: Baselines) -> Point:
    by_level: defaultdict[tuple[str, int], list[PlayRow]] = defaultdict(list)
    for row in rows:
        by_level[row.game, row.level].append(row)
    scaled = [
        _normalised(own, baselines[key])
        for key, own in by_level.items()
        if key in baselines and baselines[key].is_usable
    ]
    finished = [row.score for row in rows if row.ending is not Ending.DISQUALIFIED]
    return Point(
        steps=steps,
        plays=len(rows),
        victories=sum(row.is_won for row in rows) / len(rows),
        score=math.fsum(finished) / len(finished) if finished else 0.0,
        normalised=math.fsum(scaled) / len(scaled) if scaled else None,
    )


def _normalised(rows: Sequence[PlayRow], scale: Baseline) -> float:
    """The mean of some plays on the scale of their level; a play that was not finished counts as a random one."""
    scores = [scale.random if row.ending is Ending.DISQUALIFIED else row.score for row in rows]
    return scale.normalised(math.fsum(scores) / len(scores))
