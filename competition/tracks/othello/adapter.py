"""Systems as agents: the methods that the referee can call, and the adapter that calls them in the worker.

The rules arrive in a request of their own, before the system is imported, and are stored in a compiled object;
afterwards, no frame or variable that the system could inspect contains them.
"""

from __future__ import annotations

import inspect
import operator
import random
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from vgdl import Meter
from vgdl.competition.agents.plain_data import NotPlain, Plain, encode
from vgdl.competition.agents.service import Clock, Method, Patience, Service, nothing
from vgdl.competition.tracks.othello.board import Board, Cell
from vgdl.competition.tracks.othello.dialogue import DONE, Dialogue, RemoteObservableApi, RemotePaperApi
from vgdl.competition.tracks.othello.javascript import SUFFIX, JavaScriptSystem
from vgdl.competition.tracks.othello.logs import MAX_ANALYSIS_BYTES
from vgdl.competition.tracks.othello.stages import PublicStage, from_json
from vgdl.controllers import Timer
from vgdl.registry import Entry
from vgdl.tabletop.othello import ObservableApi, PaperApi, Rules

_ADAPTER = "vgdl.competition.tracks.othello.adapter:SystemAdapter"
SHORTEST_WAIT_S = 1.0
"""Minimum seconds of CPU time and sleep to wait for an analysis, however short its limit."""
_SHORTEST_MOVE_S = 0.25
"""The same for a move: what a process may need to answer at all."""
_SETUP_MS = 60_000.0
"""Time limit for steps that are not charged: importing the system, and beginning a game."""


def service(clock: Clock, analysis_ms: float, game_ms: float) -> Service:
    """The methods of a system; the budgets are for the whole analysis and for a whole game."""
    in_analysis = Patience(factor=2.0, floor_s=SHORTEST_WAIT_S)
    in_game = Patience(factor=1.0, extra_s=game_ms / 1000, floor_s=_SHORTEST_MOVE_S)  # what is left, and a budget more
    return Service(
        adapter=_ADAPTER,
        methods={
            "open_stage": Method(_SETUP_MS, nothing, ("stage",)),
            "load": Method(_SETUP_MS, nothing),
            "analyze": Method(analysis_ms, _step, ("stage", "board", "moves", "game_ms"), in_analysis),
            "begin_game": Method(_SETUP_MS, nothing, ("seed",)),
            "choose": Method(game_ms, _step, ("board", "player", "moves")),
            "go_on": Method(analysis_ms, _step, ("reply",), in_analysis),
        },
        clock=clock,
        patience=in_game,
    )


class AnalysisTimer:
    """The time limits as shown to a system."""

    __slots__ = ("_timer", "clock", "game_ms")

    def __init__(self, timer: Timer, game_ms: float, clock: Callable[[], float]) -> None:
        self._timer = timer
        self.game_ms = game_ms  #: limit for all moves of a game
        self.clock = clock  #: returns seconds of the clock that the limits refer to

    @property
    def remaining_ms(self) -> float:
        """Milliseconds left of the analysis."""
        return self._timer.remaining_ms


class SystemAdapter:
    """One system on one stage."""

    def __init__(self, entry: Entry, meter: Meter, *, seed: int, api: str, clock: str, is_remote: bool) -> None:
        """Prepare without importing the system.

        Args:
            entry: the location of its class.
            meter: unused; there is no forward model to meter.
            seed: seed of its random numbers.
            api: ``paper`` or ``observable``.
            clock: ``cpu`` or ``wall``.
            is_remote: whether the referee answers the API's calls.
        """
        self._entry = entry
        self._seed = seed
        self._is_observable = api == "observable"
        self._clock = time.process_time if clock == Clock.CPU else time.perf_counter
        self._dialogue = Dialogue() if is_remote else None
        self._api: Any = None
        if self._dialogue is not None:
            self._api = (RemoteObservableApi if self._is_observable else RemotePaperApi)(self._dialogue)
        self._system: Any = None
        self._strategy: Any = None

    def open_stage(self, *, stage: dict[str, Any], timer: Timer) -> None:
        """Receive the rules, for an API in this process."""
        rules = Rules(from_json(stage))
        self._api = (ObservableApi if self._is_observable else PaperApi)(rules)

    def load(self, *, timer: Timer) -> None:
        """Import and construct the system."""
        self._reseed(self._seed)
        if self._entry.location.endswith(SUFFIX):
            self._system = JavaScriptSystem(Path(self._entry.location))
            return
        found: Any = self._entry.imported()
        self._system = found(seed=self._seed) if _takes_seed(found) else found()

    def analyze(
        self, *, stage: dict[str, Any], board: list[list[int]], moves: list[list[int]], game_ms: float, timer: Timer
    ) -> dict[str, Any]:
        """Let the system analyse the stage."""
        public = PublicStage(
            id=stage["id"],
            name=stage["name"],
            board_size=stage["board_size"],
            initial_blocked=_cells(stage["initial_blocked"]),
            initial_black=_cells(stage["initial_black"]),
            initial_white=_cells(stage["initial_white"]),
        )
        remaining = AnalysisTimer(timer, game_ms, self._clock)

        def analyse() -> dict[str, Any]:
            self._strategy = self._system.analyze_stage(
                public, _board(board), list(_cells(moves)), self._api, remaining
            )
            return {"playable": callable(self._strategy), "told": _analysis_data(self._system)}

        return self._run(analyse)

    def begin_game(self, *, seed: int, timer: Timer) -> None:
        """Seed the global generators, so that games differ although each starts from the same snapshot."""
        self._reseed(seed)

    def choose(self, *, board: list[list[int]], player: int, moves: list[list[int]], timer: Timer) -> dict[str, Any]:
        """Ask the strategy for a move."""
        return self._run(lambda: _cell(self._strategy(_board(board), player, list(_cells(moves)))))

    def go_on(self, *, reply: Any, timer: Timer) -> dict[str, Any]:
        """Reply to the question with which the last request ended."""
        assert self._dialogue is not None
        kind, value = self._dialogue.go_on(reply)
        return {kind: value}

    def _run(self, function: Callable[[], Any]) -> dict[str, Any]:
        """Run code of the system until it returns or asks the referee a question."""
        if self._dialogue is None:
            return {DONE: function()}
        kind, value = self._dialogue.start(function)
        return {kind: value}

    @staticmethod
    def _reseed(seed: int) -> None:
        random.seed(seed)
        np.random.seed(seed % (1 << 32))


def _takes_seed(system: Any) -> bool:
    try:
        parameters = inspect.signature(system).parameters
    except (TypeError, ValueError):
        return False
    return "seed" in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())


def _board(rows: Sequence[Sequence[int]]) -> Board:
    return tuple(map(tuple, rows))


def _cells(cells: Sequence[Sequence[int]]) -> tuple[Cell, ...]:
    return tuple((row, column) for row, column in cells)


def _cell(answer: Any) -> list[int] | None:
    """A strategy's answer as two numbers; None for anything else, for which the referee chooses a move."""
    try:
        row, column = answer
        return [operator.index(row), operator.index(column)]
    except (TypeError, ValueError):
        return None


def _analysis_data(system: Any) -> dict[str, Any]:
    """A system's data for the log, its attribute ``analysis_data``; left out if it is too large or not plain data."""
    found = getattr(system, "analysis_data", None)
    if not isinstance(found, dict):
        return {}
    try:
        return found if len(encode(found)) <= MAX_ANALYSIS_BYTES else {}
    except NotPlain:
        return {}


def _step(value: Plain) -> dict[str, Any]:
    """Either a question to the referee or the result of the request."""
    if isinstance(value, dict) and len(value) == 1:
        return dict(value)
    raise ValueError(f"{value!r:.100} is neither a question nor an answer")
