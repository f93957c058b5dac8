"""The live ladder of a two-player set: openskill ratings, updated after every play and refitted every night.

The model processes plays one after another, so its ratings depend on their order. The nightly fit averages the ratings
from several fixed shuffled orders of all plays; during the day, new plays are added in the order in which they ended.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import asdict

from vgdl.competition import typed
from vgdl.competition.tracks.planning.rating import Rating, rate
from vgdl.competition.web import plays
from vgdl.competition.web.competitions import Competition
from vgdl.competition.web.database import Database
from vgdl.competition.web.jobs import ACTIVE, EVALUATION
from vgdl.competition.web.plays import StoredPlay

ORDERS = 8
"""Number of shuffled orders in a fit."""


def live(database: Database, competition: Competition, set_name: str, played: Sequence[StoredPlay]) -> list[Rating]:
    """The current ratings: those of the last fit, updated with the plays since.

    Args:
        database: the database of the site.
        competition: the competition.
        set_name: one of its sets.
        played: the plays of the set, in the order in which they ended.

    Raises:
        RatingUnavailable: openskill is not installed.
    """
    row = database.row("SELECT * FROM ladders WHERE competition_id = ? AND set_name = ?", competition.id, set_name)
    known = typed.read(tuple[Rating, ...], json.loads(row["ratings"]), "ratings") if row else ()
    last = int(row["last_play"]) if row else 0
    return rate([play.result for play in played if play.id > last], known)


def refit(database: Database, competition: Competition, set_name: str) -> list[Rating]:
    """Refit the ladder of a set from all its plays, and save the result.

    Raises:
        RatingUnavailable: openskill is not installed.
    """
    played = plays.results(database, competition.id, set_name, (EVALUATION, ACTIVE))
    ratings = fit(played)
    database.run(
        "INSERT INTO ladders (competition_id, set_name, fitted, last_play, ratings) VALUES (?, ?, ?, ?, ?) "
        "ON CONFLICT (competition_id, set_name) DO UPDATE SET "
        "fitted = excluded.fitted, last_play = excluded.last_play, ratings = excluded.ratings",
        *(competition.id, set_name, database.now(), max((play.id for play in played), default=0)),
        json.dumps([asdict(rating) for rating in ratings]),
    )
    return ratings


def fit(played: Sequence[StoredPlay]) -> list[Rating]:
    """Ratings from plays, regardless of the order in which these are given."""
    ordered = [play.result for play in sorted(played, key=lambda play: play.id)]
    found: dict[str, list[Rating]] = {}
    for seed in range(ORDERS):
        shuffled = list(ordered)
        random.Random(seed).shuffle(shuffled)
        for rating in rate(shuffled):
            found.setdefault(rating.controller, []).append(rating)
    means = [
        Rating(
            name,
            sum(one.mean for one in own) / len(own),
            sum(one.deviation for one in own) / len(own),
            own[0].plays,
        )
        for name, own in found.items()
    ]
    return sorted(means, key=lambda rating: (-rating.safe, rating.controller))
