"""The ranking rules of the competition (The 2014 General Video Game Playing Competition, section IV).

In each game, controllers are ranked by victories, then by score, then by time in ticks (less is better). Places earn
Formula-1 points; tied controllers get the same points, and the places after them are skipped. The overall ranking is
by points, then by the number of first places, of second places, and so on.

An unfinished competition is ranked by the plays that can be compared: those of the levels and repeats that all
controllers have done. The paper compares sums over the plays of a game; here means are compared, which gives the same
order. The paper leaves two points open, which are decided here: when places are counted, tied controllers each hold the
place that they share; and a place earns its points even without a victory.

A controller without any result in a game, that is, one that was disqualified in all its plays of it, comes after all
others, never first, and earns no points; when it failed does not matter. An organiser can decide otherwise
(``Rules.failures_rank``).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from vgdl.competition.tracks.planning.plan import Plan
from vgdl.competition.tracks.planning.records import Outcome, PlayResult

POINTS = (25, 18, 15, 12, 10, 8, 6, 4, 2, 1)
"""Points for the first, second ... place; later places earn none."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class GameStanding:
    """A controller's place in one game, with sums over its plays of the game."""

    controller: str
    plays: int
    victories: int
    score: float
    ticks: int
    place: int  #: 1 is the first
    points: int

    @property
    def mean_score(self) -> float:
        """Score per play."""
        return self.score / self.plays

    @property
    def mean_ticks(self) -> float:
        """Ticks per play."""
        return self.ticks / self.plays


@dataclass(frozen=True, slots=True)
class Standing:
    """A controller's place in the whole competition."""

    controller: str
    place: int
    points: int
    points_by_game: Mapping[str, int]
    places: tuple[int, ...]  #: numbers of first places, second places ...
    victories: int
    plays: int


@dataclass(frozen=True, slots=True)
class Standings:
    """The rankings of every game and of the whole competition."""

    games: dict[str, list[GameStanding]]  #: in the order of their first plays; empty if no plays are comparable
    ranking: list[Standing]


def standings(plan: Plan, plays: Sequence[PlayResult]) -> Standings:
    """Rank the controllers of a plan by the comparable plays; if there are none, all share the first place."""
    found = rank(comparable(plays, len(plan.entries)), failures_rank=plan.rules.failures_rank)
    names = [] if found.ranking or not plays else sorted(entry.ranking_name for entry in plan.entries)
    games = {play.game: found.games.get(play.game, []) for play in plays}
    return Standings(games, found.ranking or [Standing(name, 1, 0, {}, (0,), 0, 0) for name in names])


def comparable(plays: Sequence[PlayResult], controllers: int) -> list[PlayResult]:
    """The plays of those games, levels and repeats that all controllers have done as every player.

    Args:
        plays: the finished plays.
        controllers: number of controllers in the competition.
    """
    done = Counter((play.game, play.level, play.repeat) for play in plays)
    return [
        play for play in plays if done[play.game, play.level, play.repeat] >= math.perm(controllers, len(play.players))
    ]


def missing(plan: Plan, games: Sequence[Mapping[str, Any]], plays: Sequence[PlayResult]) -> dict[str, int]:
    """The number of plays that each controller still has to do, by name.

    Args:
        plan: the plan of the competition.
        games: as in the store, with ``players`` and ``levels``.
        plays: the finished plays.
    """
    others = len(plan.entries) - 1
    each = sum(
        plan.repeats * len(game["levels"]) * game["players"] * math.perm(others, game["players"] - 1) for game in games
    )
    done = Counter(player.controller for play in plays for player in play.players)
    return {entry.ranking_name: each - done[entry.ranking_name] for entry in plan.entries}


def rank(plays: Iterable[PlayResult], *, failures_rank: bool = False) -> Standings:
    """Rank the players of some plays, in each game and overall.

    Args:
        plays: the plays.
        failures_rank: whether controllers without any result in a game are ranked like others.
    """
    by_game: dict[str, list[PlayResult]] = {}
    for play in plays:
        by_game.setdefault(play.game, []).append(play)
    games = {game: rank_game(own, failures_rank=failures_rank) for game, own in by_game.items()}
    return Standings(games, rank_all(games))


def rank_game(plays: Iterable[PlayResult], *, failures_rank: bool = False) -> list[GameStanding]:
    """Rank the controllers that played one game, the best first; ties in the order of their names.

    Args:
        plays: the plays of the game.
        failures_rank: as for `rank`.
    """
    by_controller: dict[str, list[tuple[bool, float, int]]] = {}
    with_result: set[str] = set()
    for play in plays:
        for player in play.players:
            if failures_rank or player.outcome is not Outcome.DISQUALIFIED:
                with_result.add(player.controller)
            score = player.outcome is Outcome.WON, player.score, play.ticks
            by_controller.setdefault(player.controller, []).append(score)
    sums = {name: _sums(own) for name, own in by_controller.items()}

    def merit(name: str) -> tuple[float, float, float]:
        victories, score, ticks = sums[name]
        count = len(by_controller[name])
        return victories / count, score / count, -ticks / count

    ranked = [
        GameStanding(name, len(by_controller[name]), *sums[name], place, points_for(place))
        for place, name in _places(sorted(with_result), merit)
    ]
    last = max(len(ranked) + 1, 2)
    failed = sorted(by_controller.keys() - with_result)
    return ranked + [GameStanding(name, len(by_controller[name]), *sums[name], last, 0) for name in failed]


def rank_all(games: Mapping[str, Sequence[GameStanding]]) -> list[Standing]:
    """The overall ranking, the best first; ties in the order of their names.

    Args:
        games: the standings of each game by the game's name.
    """
    rows = {game: {row.controller: row for row in standings} for game, standings in games.items()}
    controllers = sorted({row.controller for standings in games.values() for row in standings})
    last = max((row.place for standings in games.values() for row in standings), default=0)

    def own(name: str) -> dict[str, GameStanding]:
        return {game: by_name[name] for game, by_name in rows.items() if name in by_name}

    def places(name: str) -> tuple[int, ...]:
        held = [row.place for row in own(name).values()]
        return tuple(held.count(place) for place in range(1, last + 1))

    def points(name: str) -> int:
        return sum(row.points for row in own(name).values())

    return [
        Standing(
            controller=name,
            place=place,
            points=points(name),
            points_by_game={game: row.points for game, row in own(name).items()},
            places=places(name),
            victories=sum(row.victories for row in own(name).values()),
            plays=sum(row.plays for row in own(name).values()),
        )
        for place, name in _places(controllers, lambda name: (points(name), places(name)))
    ]


def points_for(place: int) -> int:
    """Formula-1 points for a place."""
    return POINTS[place - 1] if place <= len(POINTS) else 0


def _sums(plays: Sequence[tuple[bool, float, int]]) -> tuple[int, float, int]:
    """Victories, score and ticks."""
    won, scores, ticks = zip(*plays, strict=True)
    return sum(won), math.fsum(scores), sum(ticks)


def _places(items: Sequence[T], merit: Callable[[T], Any]) -> list[tuple[int, T]]:
    """Items with their places, the highest merit first; ties share a place, and the next places are skipped."""
    placed: list[tuple[int, T]] = []
    for number, item in enumerate(sorted(items, key=merit, reverse=True), start=1):
        shared = bool(placed) and merit(placed[-1][1]) == merit(item)
        placed.append((placed[-1][0] if shared else number, item))
    return placed
