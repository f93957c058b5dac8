"""The ladder of strong players: ``mobility-ab``, ``mcts``, and the anchor ``adaptive-ab`` (specification 15)."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from dataclasses import replace

from vgdl.competition.tracks.othello.board import EMPTY, Board, Cell, count, opponent
from vgdl.competition.tracks.othello.players.alphabeta import AlphaBeta
from vgdl.competition.tracks.othello.players.evaluation import NTuples
from vgdl.competition.tracks.othello.players.inference import Inferred, agrees, infer
from vgdl.competition.tracks.othello.players.simple import cell_values
from vgdl.competition.tracks.othello.players.template import TemplateFixed
from vgdl.competition.tracks.othello.players.uct import UCT
from vgdl.competition.tracks.othello.stages import PublicStage
from vgdl.competition.tracks.othello.systems import Api, Strategy, Timer
from vgdl.tabletop.othello import Rules

RESERVE = 0.03
"""Share of a game's time that is kept in reserve."""

EXACT_EMPTIES = 12
"""Number of empty cells from which ``mobility-ab`` solves a position."""

SOLVING_SHARE = 0.3
"""Share of the remaining time that may be planned for solving a position."""

STANDARD = Inferred(ignore_occlusion=False, fewer_continue=False, fewest_wins=False)
"""The standard rules of Othello."""

_MIN_S = 0.001
_SOLVING_BASE, _SOLVING_FACTOR = 2.8, 0.2
"""A position with ``e`` empty cells is solved in about ``0.2 * 2.8**e`` nodes, as measured."""

_LEARNING_SHARE, _RANKING_SHARE = 0.75, 0.20
_LEARNING_ROUNDS = 10
"""Equal parts of the learning time; the weights after each of the last three are ranked."""
_RATES = (0.5, 0.05)
"""Size of a learning step at the start and at the end."""
_RANKING_GAMES = 100


Chooser = Callable[[Board, int, int, float], Cell | None]
"""Chooses a move by board, player, number of empty cells, and seconds left of the game."""


class Timed:
    """A strategy that keeps track of the time left in the game, which it is not given."""

    def __init__(self, chooser: Chooser, timer: Timer) -> None:
        """Plan with the limit and the clock of the analysis timer."""
        self.chooser = chooser
        self._now = timer.clock
        self._limit_s = timer.game_ms / 1000 * (1 - RESERVE)
        self._process = os.getpid()
        self._spent_s = 0.0
        self._empties = 0

    def __call__(self, board: Board, player: int, valid_moves: list[Cell]) -> Cell:
        began = self._now()
        empties = count(board, EMPTY)
        if os.getpid() != self._process or empties >= self._empties:  # forked for this game, or playing the next one
            self._process, self._spent_s = os.getpid(), 0.0
        self._empties = empties
        cell = self.chooser(board, player, empties, max(self._limit_s - self._spent_s, 0.0))
        self._spent_s += self._now() - began
        return cell if cell in valid_moves else valid_moves[0]


def move_time_s(left_s: float, empties: int, exact: float, *, own_share: float = 0.5) -> float:
    """Seconds for one move: the remaining time, spread over its own moves until positions can be solved."""
    own_moves = max(empties - exact, 0) * own_share
    return max(left_s / (own_moves + 2), _MIN_S)


class MobilityAB:
    """Alpha-beta on published cell values and mobility; it only knows the standard rules."""

    def analyze_stage(
        self, stage: PublicStage, initial_board: Board, valid_moves: list[Cell], api: Api, timer: Timer
    ) -> Strategy:
        """Return the strategy; nothing is analysed."""
        rules, values = STANDARD.rules(initial_board), cell_values(stage.board_size)
        search = AlphaBeta(rules, cell_values=values, mobility_weight=10, clock=timer.clock)

        def choose(board: Board, player: int, empties: int, left_s: float) -> Cell | None:
            if empties <= EXACT_EMPTIES:
                solved = search.solve(board, player, seconds=left_s * SOLVING_SHARE)
                if solved is not None and solved[1] >= 0:
                    return solved[0]
            return search.search(board, player, seconds=move_time_s(left_s, empties, EXACT_EMPTIES))[0]

        return Timed(choose, timer)


class MCTS:
    """UCT with uniform playouts on the inferred rules: it needs no evaluation and adapts at once."""

    def __init__(self, seed: int = 0) -> None:
        """Draw all chance from a seed."""
        self._seed = seed

    def analyze_stage(
        self, stage: PublicStage, initial_board: Board, valid_moves: list[Cell], api: Api, timer: Timer
    ) -> Strategy:
        """Infer the rules and return the strategy."""
        rules = infer(api, initial_board, self._seed).rules(initial_board)
        search = UCT(rules, seed=self._seed, clock=timer.clock)

        def choose(board: Board, player: int, empties: int, left_s: float) -> Cell | None:
            return search.search(board, player, seconds=move_time_s(left_s, empties, 0))[0]

        return Timed(choose, timer)


class AdaptiveAB:
    """Infers the rules, checks its own engine against the API, learns by self-play, and plays alpha-beta."""

    def __init__(self, seed: int = 0) -> None:
        """Draw all chance from a seed."""
        self._seed = seed

    def analyze_stage(
        self, stage: PublicStage, initial_board: Board, valid_moves: list[Cell], api: Api, timer: Timer
    ) -> Strategy:
        """Infer, check, learn, rank the learnt weights, and return the strategy."""
        total_s = timer.remaining_ms / 1000
        inferred = infer(api, initial_board, self._seed)
        rules = inferred.rules(initial_board)
        if not agrees(rules, api, initial_board, self._seed + 1):
            return TemplateFixed(self._seed).analyze_stage(stage, initial_board, valid_moves, api, timer)
        values = NTuples(rules, initial_board, over_blocked=inferred.ignore_occlusion, clock=timer.clock)
        self._learn(values, initial_board, timer, total_s)
        return Timed(AdaptivePlay(inferred, values, rules, timer, watch=not hasattr(api, "winner")), timer)

    def _learn(self, values: NTuples, board: Board, timer: Timer, total_s: float) -> None:
        """Learn for three quarters of the time, and keep the best of the last three sets of weights."""
        first, last = _RATES
        spare_s = total_s * (1 - _LEARNING_SHARE - _RANKING_SHARE) / 2
        learning_s = min(total_s * _LEARNING_SHARE, timer.remaining_ms / 1000 - total_s * _RANKING_SHARE - spare_s)
        sets = []
        for number in range(_LEARNING_ROUNDS):
            rate = first * (last / first) ** (number / (_LEARNING_ROUNDS - 1))
            seconds = learning_s / _LEARNING_ROUNDS
            values.train(board, 1, seconds=seconds, games=1 << 30, rate=rate, seed=self._seed + number)
            sets.append(values.snapshot())
        candidates = sets[-3:]
        pairs = [(a, b) for a in range(3) for b in range(a)]
        won = [0.0] * 3
        for a, b in pairs:
            seconds = max(timer.remaining_ms / 1000 - spare_s, 0.0) / len(pairs)
            games = _RANKING_GAMES // 2
            result = values.match(board, 1, candidates[a], candidates[b], seconds=seconds, games=games, seed=a + 3 * b)
            won[a] += result
            won[b] -= result
        values.restore(candidates[won.index(max(won))])


class AdaptivePlay:
    """The choice of moves of ``AdaptiveAB``."""

    def __init__(self, inferred: Inferred, values: NTuples, rules: Rules, timer: Timer, *, watch: bool) -> None:
        """Play by learnt values; ``watch`` for extra turns if the API does not give the turn order."""
        self.inferred = inferred
        self._values = values
        self._rules = rules
        self._now = timer.clock
        self._watch = watch
        self._search = AlphaBeta(rules, values=values, clock=timer.clock)
        self._rate = 200_000.0  # nodes per second, until it is measured
        self._left_by_me: Board | None = None

    def __call__(self, board: Board, player: int, empties: int, left_s: float) -> Cell | None:
        if self._watch:
            self._look_for_extra_turn(board, player)
        cell = self._solved(board, player, empties, left_s)
        if cell is None:
            share = 0.75 if self.inferred.fewer_continue else 0.5
            seconds = move_time_s(left_s, empties, self._exact_from(left_s), own_share=share)
            began = self._now()
            cell, _ = self._search.search(board, player, seconds=seconds)
            self._measure(self._now() - began)
        if self._watch and cell is not None:
            self._left_by_me = self._rules.simulate(board, player, *cell).resulting_board
        return cell

    def _solved(self, board: Board, player: int, empties: int, left: float) -> Cell | None:
        """The solved move if it wins or ties under perfect play; None otherwise, or if there is no time to solve."""
        if empties > self._exact_from(left):
            return None
        began = self._now()
        solved = self._search.solve(board, player, seconds=left * SOLVING_SHARE)
        self._measure(self._now() - began)
        if solved is None or solved[1] < 0:
            return None
        return solved[0]

    def _exact_from(self, left: float) -> float:
        """Number of empty cells from which a position is expected to be solved in time."""
        nodes = max(self._rate * left * SOLVING_SHARE, 1.0)
        return math.log(nodes / _SOLVING_FACTOR) / math.log(_SOLVING_BASE)

    def _measure(self, seconds: float) -> None:
        if seconds > 0.01:
            self._rate = self._search.nodes / seconds

    def _look_for_extra_turn(self, board: Board, player: int) -> None:
        """Detect that the opponent had a move but did not get the turn (specification 7.3)."""
        if self._left_by_me != board or self.inferred.fewer_continue:
            return
        if self._rules.legal_moves(board, opponent(player)):
            self.inferred = replace(self.inferred, fewer_continue=True)
            self._rules = self.inferred.rules(board)
            self._search = AlphaBeta(self._rules, values=self._values, clock=self._now)
