"""Leaderboards and metrics of a tournament, from its analyses and games (specification 11 and 12)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from vgdl.competition.store import Reader
from vgdl.competition.tracks.othello import metrics
from vgdl.competition.tracks.othello.board import BLACK, WHITE, playable
from vgdl.competition.tracks.othello.entries import BASELINE, OPPONENTS
from vgdl.competition.tracks.othello.metrics import Definition, Metrics
from vgdl.competition.tracks.othello.plan import Fixture, Plan
from vgdl.competition.tracks.othello.store import Analysis, GameRow


@dataclass(frozen=True, slots=True)
class Part:
    """One system's part in a game."""

    game: GameRow
    system: str
    opponent: str
    result: float  #: 1 for a win, 0.5 for a tie
    own: int  #: pieces at the end
    other: int
    used_ms: float
    own_share: float  #: share of its moves that it chose itself

    @classmethod
    def both(cls, game: GameRow) -> tuple[Part, Part]:
        """The parts of black and of white."""
        black = {BLACK: 1.0, WHITE: 0.0}.get(game.winner, 0.5)
        own = _own_shares(game)
        return (
            cls(game, game.black, game.white, black, game.black_score, game.white_score, game.black_ms, own[0]),
            cls(game, game.white, game.black, 1 - black, game.white_score, game.black_score, game.white_ms, own[1]),
        )


def _own_shares(game: GameRow) -> tuple[float, float]:
    """The shares of black's and of white's moves that they chose themselves; 1 where nothing is recorded."""
    replaced = Counter(fault.player for fault in game.faults)
    moves = {BLACK: game.black_moves, WHITE: game.white_moves}
    black, white = (max(0.0, 1 - replaced[side] / moves[side]) if moves[side] else 1.0 for side in (BLACK, WHITE))
    return black, white


@dataclass(frozen=True, slots=True)
class Standing:
    """A row of a leaderboard."""

    rank: int
    name: str
    wins: int
    losses: int
    draws: int
    performance: float  #: P, 0 ... 1; in the overall leaderboard its mean over stages

    @property
    def games(self) -> int:
        """Games played."""
        return self.wins + self.losses + self.draws

    @property
    def win_rate(self) -> str:
        """P in percent with one decimal."""
        return f"{100 * self.performance:.1f}"


@dataclass(frozen=True, slots=True)
class Details:
    """Figures reported for a system on a stage in addition to P."""

    against_built_ins: float | None  #: P against the paper's fixed strategies
    against_all: float
    difference: float  #: mean of (own - other) / playable cells, in the sense of the goal
    pieces: float  #: mean of own pieces at the end
    analysis_s: float | None  #: None without a strategy
    game_s: float  #: mean of all own moves of a game


class Results:
    """Everything that is computed from the finished games."""

    def __init__(self, plan: Plan, analyses: Iterable[Analysis] = (), games: Iterable[GameRow] = ()) -> None:
        """Take the rows of a store, possibly of a running tournament."""
        self.plan = plan
        self.analyses: list[Analysis] = []
        self.games: list[GameRow] = []
        self._by_place: dict[tuple[int, int, str], Analysis] = {}
        self._parts: dict[tuple[int, int, str], list[Part]] = {}
        self._played: set[int] = set()
        for analysis in analyses:
            self.add_analysis(analysis)
        for game in games:
            self.add_game(game)

    @classmethod
    def of(cls, plan: Plan, store: Reader) -> Results:
        """The results in a store; every row is read once."""
        return cls(plan, store.rows(Analysis), store.rows(GameRow))

    def add_analysis(self, analysis: Analysis) -> None:
        """Count another analysis."""
        self.analyses.append(analysis)
        self._by_place[analysis.stage, analysis.budget, analysis.system] = analysis

    def add_game(self, game: GameRow) -> None:
        """Count another game."""
        self.games.append(game)
        self._played.add(game.number)
        for part in Part.both(game):
            self._parts.setdefault((game.stage, game.budget, part.system), []).append(part)

    @property
    def begun(self) -> list[int]:
        """Stages with any results."""
        return sorted({stage for stage, budget, _ in self._by_place if budget == 0})

    @property
    def pending(self) -> list[Fixture]:
        """Games not yet played."""
        return [one for one in self.plan.fixtures() if one.number not in self._played and not self._cannot(one)]

    @property
    def is_complete(self) -> bool:
        """Whether all analyses and all games are done."""
        wanted = len(self.plan.stages) * len(self.plan.budgets_ms) * len(self.plan.entries)
        return len(self._by_place) == wanted and not self.pending

    @property
    def done(self) -> int:
        """The number of finished games."""
        return len(self._played)

    def analysis(self, stage: int, system: str, budget: int = 0) -> Analysis | None:
        """An analysis, if it is done."""
        return self._by_place.get((stage, budget, system))

    def failures(self) -> list[Analysis]:
        """The analyses that produced no strategy."""
        return [row for row in self._by_place.values() if not row.has_strategy]

    def parts(self, stage: int, system: str, budget: int = 0) -> list[Part]:
        """A system's parts in its games on a stage."""
        return self._parts.get((stage, budget, system), [])

    def leaderboard(self, stage: int) -> list[Standing]:
        """The systems on one stage, by P, then by wins; one without a strategy has 0."""
        return _ranked((name, self.parts(stage, name), self.performance(stage, name)) for name in self.plan.names)

    def overall(self) -> list[Standing]:
        """The systems over all stages, by the mean of P."""
        rows = []
        for name in self.plan.names:
            parts = [part for stage in self.begun for part in self.parts(stage, name)]
            rows.append((name, parts, _mean([self.performance(stage, name) for stage in self.begun])))
        return _ranked(rows)

    def performance(self, stage: int, system: str, budget: int = 0) -> float:
        """P against all opponents."""
        return self._points(self.parts(stage, system, budget))

    def between(self, system: str, opponent: str) -> tuple[float, int]:
        """Points of a system against another on all stages, and their games."""
        met = [part for stage in self.begun for part in self.parts(stage, system) if part.opponent == opponent]
        return sum(part.result for part in met), len(met)

    def details(self, stage: int, system: str) -> Details:
        """Figures reported in addition to P."""
        parts = self.parts(stage, system)
        fixed = [part for part in parts if part.opponent in OPPONENTS]
        shape = self.plan.stages[stage]
        sign = -1 if shape.fewest_wins else 1
        cells = playable(shape.board())
        found = self.analysis(stage, system)
        return Details(
            against_built_ins=self._points(fixed) if fixed else None,
            against_all=self._points(parts),
            difference=sign * _mean([(part.own - part.other) / cells for part in parts]),
            pieces=_mean([part.own for part in parts]),
            analysis_s=found.used_ms / 1000 if found and found.has_strategy else None,
            game_s=_mean([part.used_ms for part in parts]) / 1000,
        )

    def adaptation(self, stage: int, system: str) -> float:
        """A: P over the analysis budgets, or over the first game with each opponent and colour."""
        if not self.plan.adaptation:
            return self._points([part for part in self.parts(stage, system) if part.game.repeat == 0])
        over_budgets = []
        for budget in range(len(self.plan.budgets_ms)):
            parts = self.parts(stage, system, budget)
            over_budgets.append(self._points([part for part in parts if part.opponent in OPPONENTS]))
        return metrics.adaptation(over_budgets)

    def efficiency(self, stage: int, system: str) -> float:
        """E: the share of the time limits left unused."""
        details = self.details(stage, system)
        return metrics.efficiency(
            details.analysis_s,
            [part.used_ms / 1000 for part in self.parts(stage, system)],
            analysis_limit_s=self.plan.analysis_ms / 1000,
            game_limit_s=self.plan.game_ms / 1000,
        )

    def metrics(self, system: str) -> Metrics:
        """P, A, E, G and R, by the plan's definition.

        By strength, P, A and E are means over all stages, as the order of the leaderboard is, and the score counts E
        as far as the system is stronger than the baseline. With the paper's definitions they are means over the
        private stages if there are any.
        """
        private = [stage for stage in self.begun if not self.plan.is_public(stage)]
        public = [stage for stage in self.begun if self.plan.is_public(stage)]
        by_strength = self.plan.metrics is Definition.STRENGTH
        counting = self.begun if by_strength else private or public
        efficiency = _mean([self.efficiency(stage, system) for stage in counting])
        whole = self._strength(counting, system) if by_strength else None
        return Metrics(
            performance=self._mean_performance(counting, system),
            adaptation=_mean([self.adaptation(stage, system) for stage in counting]),
            efficiency=efficiency,
            generalisation=self._generalisation(public, private, system),
            robustness=metrics.robustness([self.performance(stage, system) for stage in private]),
            earned_efficiency=None if whole is None else efficiency * whole,
        )

    def _generalisation(self, public: Sequence[int], private: Sequence[int], system: str) -> float | None:
        if self.plan.metrics is Definition.PAPER:
            return metrics.generalisation(
                [self.performance(stage, system) for stage in public],
                [self.performance(stage, system) for stage in private],
            )
        known, unknown = self._strength(public, system), self._strength(private, system)
        return None if known is None or unknown is None else metrics.retained(known, unknown)

    def _strength(self, stages: Sequence[int], system: str) -> float | None:
        """Strength above the baseline on some stages; None without stages, or where the baseline does not play."""
        if not stages or BASELINE not in self.plan.names:
            return None
        return metrics.strength(self._mean_performance(stages, system), self._mean_performance(stages, BASELINE))

    def _mean_performance(self, stages: Sequence[int], system: str) -> float:
        return _mean([self.performance(stage, system) for stage in stages])

    def _points(self, parts: Sequence[Part]) -> float:
        """P; by strength, a result counts by the share of the moves that the system chose itself."""
        value = _performance(parts)
        if self.plan.metrics is Definition.PAPER or all(part.own_share == 1 for part in parts):
            return value
        return _mean([part.result * part.own_share for part in parts])

    def _cannot(self, fixture: Fixture) -> bool:
        """Whether a game cannot be played because one of the systems has no strategy."""
        if self.plan.failed == "random":
            return False
        found = [self._by_place.get((fixture.stage, fixture.budget, name)) for name in fixture.names]
        return any(analysis is not None and not analysis.has_strategy for analysis in found)


def _performance(parts: Sequence[Part]) -> float:
    wins = sum(part.result == 1 for part in parts)
    draws = sum(part.result == 0.5 for part in parts)
    return metrics.performance(wins, draws, len(parts))


def _ranked(rows: Iterable[tuple[str, Sequence[Part], float]]) -> list[Standing]:
    """Rows in order; equals share a rank."""
    counted = [(value, sum(part.result == 1 for part in parts), name, parts) for name, parts, value in rows]
    counted.sort(key=lambda row: (-row[0], -row[1], row[2]))
    standings = []
    for value, wins, name, parts in counted:
        rank = 1 + sum((other, more) > (value, wins) for other, more, *_ in counted)
        losses = sum(part.result == 0 for part in parts)
        standings.append(Standing(rank, name, wins, losses, len(parts) - wins - losses, value))
    return standings


def _mean(values: Sequence[float]) -> float:
    return fmean(values) if values else 0.0
