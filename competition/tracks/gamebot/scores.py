"""Scores: outcomes S, subproblems I, and their mean, with intervals (GAMEBoT specification, 6)."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from vgdl.competition.tracks.gamebot.task import Outcomes, Task
from vgdl.competition.tracks.gamebot.verdicts import Metric, Tally, Verdict, mean

UNRELIABLE = 0.5
"""A model has no outcome in a game if more than this share of its moves was replaced ..."""

PENALTY = -0.5
"""... and counts as this."""

BEST = 0.5
"""The scaled value of a game's largest mean value."""

RESAMPLES = 1000


@dataclass(frozen=True, slots=True)
class Asked:
    """The verdict on one answer."""

    subproblem: int
    verdict: Verdict
    readable: bool


@dataclass(frozen=True, slots=True)
class Seat:
    """The results of one player in one match."""

    match: int
    model: str
    opponent: str
    game: str
    seat: int
    value: float  #: from `Task.values`
    moves: int
    replaced: int
    format_errors: int  #: moves that could not be read
    answers: tuple[Asked, ...] = ()


@dataclass(slots=True)
class Row:
    """The results of a model in a game."""

    model: str
    game: str
    outcomes: Outcomes
    wins: int = 0
    draws: int = 0
    losses: int = 0
    value: float = 0.0  #: sum over matches
    moves: int = 0
    replaced: int = 0
    move_format_errors: int = 0
    tallies: dict[int, Tally] = field(default_factory=dict)  #: by subproblem

    @property
    def matches(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def is_unreliable(self) -> bool:
        """Whether too many moves were replaced for an outcome."""
        return self.replaced > UNRELIABLE * self.moves

    @property
    def raw(self) -> float | None:
        """(W - L)/N, or the mean value of a match; None without a match."""
        if not self.matches:
            return None
        if self.outcomes is Outcomes.RESULTS:
            return (self.wins - self.losses) / self.matches
        return self.value / self.matches

    @property
    def intermediate(self) -> float | None:
        """The mean of the subproblems' values."""
        return mean(tally.value for tally in self.tallies.values())


@dataclass(frozen=True, slots=True)
class Score:
    """The scores of a model over all games."""

    model: str
    outcomes: Mapping[str, float | None]  #: by game
    intermediates: Mapping[str, float | None]

    @property
    def outcome(self) -> float | None:
        """S: the mean over games."""
        return mean(self.outcomes.values())

    @property
    def intermediate(self) -> float | None:
        """I: the mean over games; None for players without answers."""
        return mean(self.intermediates.values())

    @property
    def score(self) -> float | None:
        """(S + I)/2."""
        if self.outcome is None or self.intermediate is None:
            return None
        return (self.outcome + self.intermediate) / 2


@dataclass(frozen=True)
class Table:
    """All rows of a run, the scale of each game of values, and the scores."""

    rows: Mapping[tuple[str, str], Row]  #: by model and game
    alphas: Mapping[str, float]
    scores: tuple[Score, ...]  #: the best first


@dataclass(frozen=True, slots=True)
class Options:
    """Options for computing scores."""

    ignore_format_errors: bool = False  #: leave unreadable answers out, instead of counting them as wrong
    alpha: float | None = None  #: the scale of games of values; None: the largest becomes 0.5


def tabulate(
    seats: Iterable[Seat],
    tasks: Mapping[str, type[Task]],
    metrics: Mapping[tuple[str, int], Metric],
    options: Options | None = None,
) -> Table:
    """Compute the scores of a run.

    Args:
        seats: the results of each player in each match.
        tasks: the games by name, in the order of the table.
        metrics: metrics by game and subproblem.
        options: options for computing scores.
    """
    options = options or Options()
    rows: dict[tuple[str, str], Row] = {}
    for seat in seats:
        row = rows.setdefault((seat.model, seat.game), Row(seat.model, seat.game, tasks[seat.game].outcomes))
        _add(row, seat, metrics, options)
    played = [game for game in tasks if any(name == game for _, name in rows)]
    alphas = {game: _alpha(game, rows, options) for game in played if tasks[game].outcomes is Outcomes.VALUES}
    models = list(dict.fromkeys(model for model, _ in rows))
    scores = [
        Score(
            model,
            {game: _scaled(rows.get((model, game)), alphas.get(game)) for game in played},
            {game: rows[model, game].intermediate if (model, game) in rows else None for game in played},
        )
        for model in models
    ]
    scores.sort(key=_order, reverse=True)
    return Table(rows, alphas, tuple(scores))


def _order(score: Score) -> tuple[bool, float]:
    """Models with a score first, then those with outcomes only."""
    return (score.score is not None, score.score if score.score is not None else score.outcome or 0.0)


def _add(row: Row, seat: Seat, metrics: Mapping[tuple[str, int], Metric], options: Options) -> None:
    row.wins += seat.value > 0
    row.draws += seat.value == 0
    row.losses += seat.value < 0
    row.value += seat.value
    row.moves += seat.moves
    row.replaced += seat.replaced
    row.move_format_errors += seat.format_errors
    for answer in seat.answers:
        tally = row.tallies.setdefault(answer.subproblem, Tally(metrics[seat.game, answer.subproblem]))
        if answer.readable or not options.ignore_format_errors:
            tally.add(answer.verdict, readable=answer.readable)


def _alpha(game: str, rows: Mapping[tuple[str, str], Row], options: Options) -> float:
    if options.alpha is not None:
        return options.alpha
    means = [row.raw for (_, name), row in rows.items() if name == game and row.raw is not None]
    return scale(means)


def scale(means: Sequence[float]) -> float:
    """The divisor of mean values that makes the largest 0.5, or if none is positive, the largest magnitude."""
    largest = max(means, default=0.0)
    if largest <= 0:
        largest = max(map(abs, means), default=0.0)
    return largest / BEST or 1.0


def _scaled(row: Row | None, alpha: float | None) -> float | None:
    if row is None or row.raw is None:
        return None
    if row.is_unreliable:
        return PENALTY
    return row.raw if alpha is None else row.raw / alpha


Interval = tuple[float, float]


def intervals(
    seats: Sequence[Seat],
    tasks: Mapping[str, type[Task]],
    metrics: Mapping[tuple[str, int], Metric],
    options: Options | None = None,
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> dict[str, dict[str, Interval]]:
    """95 % intervals of S, I and score by model: bootstrap over the matches of each game."""
    by_game: defaultdict[str, defaultdict[int, list[Seat]]] = defaultdict(lambda: defaultdict(list))
    for seat in seats:
        by_game[seat.game][seat.match].append(seat)
    draws = random.Random(seed)
    samples: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for _ in range(resamples):
        drawn: list[Seat] = []
        for matches in by_game.values():
            groups = list(matches.values())
            drawn += [seat for group in draws.choices(groups, k=len(groups)) for seat in group]
        for score in tabulate(drawn, tasks, metrics, options).scores:
            for name, value in (("S", score.outcome), ("I", score.intermediate), ("score", score.score)):
                if value is not None:
                    samples[score.model, name].append(value)
    found: defaultdict[str, dict[str, Interval]] = defaultdict(dict)
    for (model, name), values in samples.items():
        values.sort()
        found[model][name] = (values[round(0.025 * (len(values) - 1))], values[round(0.975 * (len(values) - 1))])
    return dict(found)
