"""RHAE, relative human action efficiency: the number of actions of a play relative to a baseline (spec, 7).

All scores are fractions; cards show them times 100.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum


class Scoring(StrEnum):
    """Versions of the score; a result always names its version."""

    SEED = "rhae-seed"
    MARCH = "rhae-2026-03"
    APRIL = "rhae-2026-04"


LATEST = Scoring.APRIL
HOPELESS = 5  #: ``rhae-2026-03``: actions beyond that multiple of the baseline score 0
CAP = 1.15  #: ``rhae-2026-04``: a level's best score


@dataclass(frozen=True, slots=True)
class GameScore:
    """The score of one run.

    Attributes:
        game: 0 to 1.
        levels: score per level of the game, 0 for those not completed; up to 1.15 in ``rhae-2026-04``.
    """

    game: float
    levels: tuple[float, ...]


def level_score(scoring: Scoring, baseline: int, actions: int) -> float:
    """The score of a completed level.

    Args:
        scoring: the version.
        baseline: actions that count as efficient, at least 1.
        actions: actions spent; 0 actions score 0.

    Raises:
        ValueError: a baseline below 1, or fewer than 0 actions.
    """
    if baseline < 1 or actions < 0:
        raise ValueError(f"expected a baseline of at least 1 and no negative actions, got {baseline} and {actions}")
    if actions == 0:
        return 0.0
    ratio = baseline / actions
    if scoring is Scoring.SEED:
        return min(ratio, 1.0)
    if scoring is Scoring.MARCH:
        return 0.0 if actions > HOPELESS * baseline else min(ratio**2, 1.0)
    return min(ratio**2, CAP)


def game_score(scoring: Scoring, baselines: Sequence[int], actions: Sequence[int]) -> GameScore:
    """The score of a run.

    Args:
        scoring: the version.
        baselines: per level of the game.
        actions: per completed level, in order.

    Raises:
        ValueError: there are no levels, or more completed ones than levels.
    """
    n = len(baselines)
    if not 0 < n >= len(actions):
        raise ValueError(f"{len(actions)} completed levels of {n}")
    done = [level_score(scoring, b, a) for b, a in zip(baselines, actions, strict=False)]
    levels = (*done, *[0.0] * (n - len(done)))
    if scoring is Scoring.SEED:
        return GameScore(sum(levels) / n, levels)
    weights = n * (n + 1) // 2
    weighted = sum(weight * level for weight, level in enumerate(levels, 1)) / weights
    if scoring is Scoring.APRIL:
        weighted = min(weighted, len(done) * (len(done) + 1) / 2 / weights)
    return GameScore(weighted, levels)


def total(scores: Iterable[float]) -> float:
    """The mean over games, 0 without any."""
    listed = list(scores)
    return sum(listed) / len(listed) if listed else 0.0


def human_baseline(scoring: Scoring, plays: Iterable[int]) -> int | None:
    """The baseline of a level by the first plays of people who completed it (spec, 7.5).

    The second-best play; in ``rhae-2026-04`` the upper median. None if too few people completed it.

    Args:
        scoring: the version.
        plays: actions that each person spent on the level.
    """
    ranked = sorted(plays)
    place = len(ranked) // 2 if scoring is Scoring.APRIL else 1
    return ranked[place] if place < len(ranked) else None
