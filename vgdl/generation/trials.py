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

RUNGS = (Effort(1, 60, 400), Effort(2, 200, 600), Effort(4, 500, 800), Effort(5, 1000, 1000))
"""The efforts of the judges; at each rung, half of the candidates go on to the next."""

SCOUT = Effort(1, 100, SHORTEST_WIN)
"""One play that ends where a win would be long enough."""

QUICK_SEEDS = 8  #: plays with each held key in the quick test
CAREFUL_SEEDS = 25
CAREFUL_TESTS = 4
MARGIN = 1.5  #: times the shortest win that is allowed, which levels should need
_FIRST_JUDGES = (DO_NOTHING, "random", DIFFICULTY_JUDGE, STRONGEST)


@dataclass
class Candidate:
    """A level and what is known of it."""

    canvas: Canvas
    board: Board
    feasibility: Feasibility
    profile: Profile | None = None
    rung: int = -1
    value: float = 0.0

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
            return Candidate(canvas, board, Feasibility({**static.shares, "idle": 0.0, "keys": 0.0}))
        idle = idle_feasibility(board, self.seed, seeds=seeds, meter=self.meter)
        return Candidate(canvas, board, Feasibility({**static.shares, **idle.shares}))

    def is_short(self, candidate: Candidate) -> bool:
        """Whether one cheap play wins too soon, which is then noted as an unmet constraint."""
        scout = play(candidate.board, DIFFICULTY_JUDGE, self.seed, SCOUT, meter=self.meter)
        if not scout.won or scout.ticks >= SHORTEST_WIN:
            return False
        candidate.feasibility = candidate.feasibility.with_wins(scout.ticks)
        return True

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
        """How good a candidate seems: skill depth, or nearness to the wanted difficulty, less for short wins."""
        found = candidate.profile
        if found is None or candidate.win_ticks is None or len(found.judges) == 1:
            return 0.0
        length = min(1.0, candidate.win_ticks / (MARGIN * SHORTEST_WIN))
        safety = found.result(STRONGEST).win_rate
        if self.difficulty is not None:
            near = 1.0 - distance_to(self.difficulty, found.result(DIFFICULTY_JUDGE).win_rate)
            return length * safety * (near + 0.1 * found.depth)
        return length * (0.1 * safety + found.depth)

    @staticmethod
    def _promise(candidate: Candidate) -> tuple[float, float]:
        """What candidates are sorted by: the value, then the score of the strongest judge."""
        assert candidate.profile is not None
        return candidate.value, candidate.profile.result(STRONGEST).score

    def halve(self, candidates: Sequence[Candidate], timer: Timer) -> list[Candidate]:
        """Let candidates compete rung by rung; returns those that reached the last one, the best first."""
        left = list(candidates)
        for rung in range(len(RUNGS)):
            for candidate in left:
                if timer.exceeded:
                    return []
                self.play(candidate, rung)
            left = sorted(left, key=self._promise, reverse=True)
            if rung < len(RUNGS) - 1:
                left = left[: max(1, len(left) // 2)]
        left = [candidate for candidate in left if candidate.value > 0.0]
        for candidate in left:
            for number in range(CAREFUL_TESTS):
                seed = seed_of("careful", self.seed, number)
                careful = idle_feasibility(candidate.board, seed, seeds=CAREFUL_SEEDS, meter=self.meter)
                shares = {
                    name: min(share, candidate.feasibility.shares[name]) for name, share in careful.shares.items()
                }
                candidate.feasibility = Feasibility({**candidate.feasibility.shares, **shares})
        return left
