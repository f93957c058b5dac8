"""Trials of candidate levels: cheap tests first, then judges with growing budgets (successive halving; generation, 5).

Jamieson and Talwalkar, "Non-stochastic best arm identification and hyperparameter optimization", AISTATS 2016.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vgdl.controllers.base import Timer
from vgdl.core.state import Meter
from vgdl.game import Board
from vgdl.generation.canvas import Canvas
from vgdl.generation.interface import LevelRefused, LevelTask
from vgdl.judging.feasibility import SHORTEST_WIN, Feasibility, idle_feasibility, static_feasibility
from vgdl.judging.plays import DO_NOTHING, JUDGES, STRONGEST, Effort, play, seed_of
from vgdl.judging.profile import DIFFICULTY_JUDGE, Profile, distance_to, profile

RUNGS = (Effort(1, 60, 400), Effort(2, 200, 600), Effort(4, 500, 800), Effort(5, 1000, 800))
"""The efforts of the judges; at each rung, half of the candidates go on to the next.

The referee's plays have 1,000 ticks by default: a level that needs more than 800 is not reliably won there.
"""

SCOUT = Effort(2, 200, SHORTEST_WIN)
"""Plays of each scout that end where a win would be long enough."""

SCOUTS = (DIFFICULTY_JUDGE, STRONGEST)

QUICK_SEEDS = 8  #: plays with each held key in the quick test
QUICK_IDLE_SEEDS = 50
"""Plays of doing nothing in the quick test: five times those of the referee, which must all be survived."""

CAREFUL_SEEDS = 25
CAREFUL_TESTS = 4
MARGIN = 1.5  #: times the shortest win that is allowed, which levels should need
_FIRST_JUDGES = (DO_NOTHING, "random", DIFFICULTY_JUDGE, STRONGEST)


@dataclass
class Candidate:
    """A level and what is known of it."""

    trials: Trials
    canvas: Canvas
    board: Board
    feasibility: Feasibility
    profile: Profile | None = None
    rung: int = -1
    value: float = 0.0
    is_confirmed: bool | None = None  #: None before the last tests

    @property
    def win_ticks(self) -> int | None:
        """Ticks of the shortest win so far."""
        win = self.profile.shortest_win if self.profile is not None else None
        return None if win is None else win.ticks

    @property
    def is_sure(self) -> bool:
        """Whether it is feasible beyond doubt: at the last rung, the strongest judge has won all its plays."""
        if self.profile is None or self.rung < len(RUNGS) - 1 or not self.feasibility.is_feasible:
            return False
        best = self.profile.result(STRONGEST)
        return best.wins == best.plays


class Trials:
    """Evaluates candidates for one game within the budget of a timer."""

    def __init__(self, task: LevelTask, seed: int, difficulty: str | None = None) -> None:
        """Prepare.

        Args:
            task: the game.
            seed: of all plays.
            difficulty: the band that is wanted, if any.
        """
        self.task = task
        self.seed = seed
        self.difficulty = difficulty
        self.meter: Meter = task.meter

    def quick(self, canvas: Canvas, seeds: int = QUICK_SEEDS) -> Candidate | None:
        """A candidate with the constraints that need no judge; None if the level cannot be built."""
        try:
            board = self.task.board(canvas.grid.text)
        except LevelRefused:
            return None
        static = static_feasibility(canvas.grid, self.task.description)
        if not static.is_feasible:
            return Candidate(self, canvas, board, Feasibility({**static.shares, "idle": 0.0, "keys": 0.0}))
        idle = idle_feasibility(board, self.seed, seeds=seeds, idle_seeds=QUICK_IDLE_SEEDS, meter=self.meter)
        return Candidate(self, canvas, board, Feasibility({**static.shares, **idle.shares}))

    def is_short(self, candidate: Candidate) -> bool:
        """Whether a cheap play wins too soon, which is then noted as an unmet constraint."""
        for judge in SCOUTS:
            for number in range(SCOUT.plays):
                scout = play(candidate.board, judge, seed_of("scout", self.seed, number), SCOUT, meter=self.meter)
                if scout.won and scout.ticks < SHORTEST_WIN:
                    candidate.feasibility = candidate.feasibility.with_wins(scout.ticks)
                    return True
        return False

    def play(self, candidate: Candidate, rung: int) -> None:
        """Let the judges play a candidate with the effort of a rung, and value it."""
        effort, seed = RUNGS[rung], seed_of("rung", self.seed, rung)
        best = profile(candidate.board, effort, seed, (STRONGEST,), meter=self.meter)
        judges = (JUDGES if rung > 0 else _FIRST_JUDGES)[:-1] if best.wins else ()
        others = profile(candidate.board, effort, seed, judges, meter=self.meter)
        candidate.profile = Profile((*others.judges, *best.judges), (*others.plays, *best.plays))
        candidate.rung = rung
        candidate.feasibility = candidate.feasibility.with_wins(candidate.win_ticks)
        candidate.value = self.value(candidate)

    def value(self, candidate: Candidate) -> float:
        """How good a candidate seems: skill depth, or nearness to the wanted difficulty, less for short wins.

        Where random play wins as often as the champion, the score difference says which level comes nearer to depth.
        """
        found = candidate.profile
        if found is None or candidate.win_ticks is None or len(found.judges) == 1:
            return 0.0
        length = min(1.0, candidate.win_ticks / (MARGIN * SHORTEST_WIN))
        if candidate.win_ticks < SHORTEST_WIN:  # infeasible: behind all others, the nearest first
            length /= 10
        safety = found.result(STRONGEST).win_rate
        if self.difficulty is not None:
            near = 1.0 - distance_to(self.difficulty, found.result(DIFFICULTY_JUDGE).win_rate)
            return length * safety * (near + 0.1 * found.depth)
        return length * (0.1 * safety + 0.05 * found.score_value + found.depth)

    def confirm(self, candidate: Candidate) -> bool:
        """Whether a candidate that was won passes the constraints about idle play with many more seeds."""
        if candidate.is_confirmed is None:
            for number in range(CAREFUL_TESTS):
                seed = seed_of("careful", self.seed, number)
                careful = idle_feasibility(candidate.board, seed, seeds=CAREFUL_SEEDS, meter=self.meter)
                shares = {
                    name: min(share, candidate.feasibility.shares[name]) for name, share in careful.shares.items()
                }
                candidate.feasibility = Feasibility({**candidate.feasibility.shares, **shares})
            candidate.is_confirmed = candidate.feasibility.is_feasible
        return candidate.is_confirmed


def halve(candidates: Sequence[Candidate], timer: Timer) -> list[Candidate]:
    """Let candidates, also of different games, compete rung by rung.

    Returns:
        Those that reached the last rung and were won, the best first; none if the budget ends before.
    """
    left = list(candidates)
    for rung in range(len(RUNGS)):
        for candidate in left:
            if timer.exceeded:
                return []
            candidate.trials.play(candidate, rung)
        left = sorted(left, key=_promise, reverse=True)
        if rung < len(RUNGS) - 1:
            left = left[: max(1, len(left) // 2)]
    left = [candidate for candidate in left if candidate.value > 0.0]
    for candidate in left:
        candidate.trials.confirm(candidate)
    return left


def _promise(candidate: Candidate) -> tuple[float, float]:
    """What candidates are sorted by: the value, then the score of the strongest judge."""
    assert candidate.profile is not None
    return candidate.value, candidate.profile.result(STRONGEST).score
