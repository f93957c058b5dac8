"""Skill ratings in addition to points, for games in which controllers meet: openskill's Plackett-Luce model."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from vgdl.competition.tracks.planning.records import Outcome, PlayerResult, PlayResult
from vgdl.extras import needs


class RatingUnavailable(ImportError):
    """openskill is not installed; the message says how to get it."""


@dataclass(frozen=True, slots=True)
class Rating:
    """An estimate of a controller's skill: a normal distribution."""

    controller: str
    mean: float
    deviation: float
    plays: int

    @property
    def safe(self) -> float:
        """A conservative estimate, by which tables are sorted: three standard deviations below the mean."""
        return self.mean - 3 * self.deviation


def rate(plays: Iterable[PlayResult], known: Iterable[Rating] = ()) -> list[Rating]:
    """Rate the controllers that met in plays for two or more, the best first.

    Winners rank before others, then the higher score decides; equal players draw. A disqualified player loses. The
    model processes plays one after another, so they should be in the order of the plan.

    Args:
        plays: single-player ones are ignored.
        known: the ratings before these plays.

    Raises:
        RatingUnavailable: openskill is not installed.
    """
    try:
        models: Any = importlib.import_module("openskill.models")
    except ImportError:
        raise RatingUnavailable(needs("the skill rating", "openskill", "rating")) from None
    model = models.PlackettLuce()
    skills = {one.controller: model.rating(one.mean, one.deviation, one.controller) for one in known}
    counts = {one.controller: one.plays for one in known}
    for play in plays:
        if len(play.players) < 2:
            continue
        names = [player.controller for player in play.players]
        teams = [[skills.get(name) or model.rating(name=name)] for name in names]
        for name, (skill,) in zip(names, model.rate(teams, ranks=_ranks(play.players)), strict=True):
            skills[name] = skill
            counts[name] = counts.get(name, 0) + 1
    ratings = [Rating(name, skill.mu, skill.sigma, counts[name]) for name, skill in skills.items()]
    return sorted(ratings, key=lambda rating: (-rating.safe, rating.controller))


def _ranks(players: tuple[PlayerResult, ...]) -> list[float]:
    """Ranks of the players in a play, 1 for the best; equal players share a rank."""
    merits = [(player.outcome is Outcome.WON, player.score) for player in players]
    return [1.0 + sum(other > merit for other in merits) for merit in merits]
