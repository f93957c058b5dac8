"""Results of a store: the table with intervals, subproblem by subproblem, and the use of models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache, cached_property
from typing import Any

from vgdl.competition.chat.usage import UsageRow, facts_of, shown, total
from vgdl.competition.store import Reader
from vgdl.competition.tracks.gamebot.plan import Plan
from vgdl.competition.tracks.gamebot.ratings import Rating, Spread, ratings, spreads
from vgdl.competition.tracks.gamebot.scores import Interval, Seat, Table, intervals, tabulate
from vgdl.competition.tracks.gamebot.store import UnplayedRow, seats, unplayed
from vgdl.competition.tracks.gamebot.tasks import TASKS
from vgdl.competition.tracks.gamebot.verdicts import Metric


@cache
def questions(game: str) -> tuple[tuple[int, str, Metric], ...]:
    """Number, title and metric of a game's subproblems."""
    return tuple((each.number, each.title, each.metric) for each in TASKS[game]().subproblems)


@dataclass(frozen=True)
class Results:
    """The results of a competition so far."""

    plan: Plan
    seats: tuple[Seat, ...]
    table: Table
    usage: dict[tuple[str, str], dict[str, float]]  #: by player and game
    unplayed: tuple[UnplayedRow, ...] = ()  #: matches that could not be played
    endpoints: dict[str, dict[str, Any]] = field(default_factory=dict)  #: how models are asked, by player

    @classmethod
    def of(cls, plan: Plan, store: Reader) -> Results:
        """The results in a store; every row is read once."""
        used = store.rows(UsageRow)
        found = cls.from_seats(plan, seats(store), total(used))
        return replace(found, unplayed=tuple(unplayed(store)), endpoints=shown(plan.endpoints(), used))

    @classmethod
    def from_seats(
        cls, plan: Plan, known: Sequence[Seat], usage: dict[tuple[str, str], dict[str, float]] | None = None
    ) -> Results:
        """The results of the players in some matches."""
        table = tabulate(known, TASKS, _metrics(plan.games), plan.scoring)
        return cls(plan, tuple(known), table, usage or {})

    @cached_property
    def intervals(self) -> dict[str, dict[str, Interval]]:
        """95 % intervals of S, I and score, by model."""
        plan = self.plan
        return intervals(self.seats, TASKS, _metrics(plan.games), plan.scoring, seed=plan.secret % 2**32)

    @cached_property
    def ratings(self) -> list[Rating]:
        """Bradley–Terry ratings, those over all games first."""
        return ratings(self.seats, self.plan.fixtures(), self.games)

    @cached_property
    def spreads(self) -> list[Spread]:
        """How far apart the players are, and how outcomes go with answers, in all and by game."""
        return spreads(self.table.scores, self.games)

    @property
    def games(self) -> list[str]:
        """The games that were played, in the order of the table."""
        return [game for game in TASKS if any(seat.game == game for seat in self.seats)]

    def facts(self) -> dict[str, Any]:
        """The results as JSON-compatible data."""
        rows = [
            {
                "model": row.model,
                "game": row.game,
                "matches": row.matches,
                "wins": row.wins,
                "draws": row.draws,
                "losses": row.losses,
                "mean value": row.value / row.matches if row.matches else None,
                "moves": row.moves,
                "replaced": row.replaced,
                "move format errors": row.move_format_errors,
                "subproblems": {
                    title: {
                        "metric": metric,
                        "value": row.tallies[number].value,
                        "asked": row.tallies[number].n_questions,
                        "format errors": row.tallies[number].format_errors,
                        "verdicts": dict(row.tallies[number].counts),
                    }
                    for number, title, metric in questions(row.game)
                    if number in row.tallies
                },
            }
            for row in self.table.rows.values()
        ]
        scores = [
            {
                "model": score.model,
                "s": dict(score.outcomes),
                "S": score.outcome,
                "i": dict(score.intermediates),
                "I": score.intermediate,
                "score": score.score,
                "intervals": self.intervals.get(score.model, {}),
            }
            for score in self.table.scores
        ]
        return {
            "plan": self.plan.facts(),
            "matches": len(self.seats) // 2,
            "complete": len(self.seats) // 2 == len(self.plan.fixtures()),
            "scales": dict(self.table.alphas),
            "scores": scores,
            "rows": rows,
            "ratings": [asdict(rating) for rating in self.ratings],
            "spreads": [asdict(spread) for spread in self.spreads],
            "usage": facts_of(self.usage),
            "unplayed": [asdict(row) for row in self.unplayed],
            "endpoints": self.endpoints,
        }


def _metrics(games: Sequence[str]) -> dict[tuple[str, int], Metric]:
    return {(game, number): metric for game in games for number, _, metric in questions(game)}
