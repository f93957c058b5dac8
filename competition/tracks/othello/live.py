"""A game that people watch or play as it goes: analyses, then moves, as events for whoever shows them.

Only bundled systems play here, in processes of their own with limits; a thread waits for them.
"""

from __future__ import annotations

import contextlib
import queue
import random
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from vgdl.competition.agents.isolation import Level, Restrictions, Sandbox
from vgdl.competition.agents.sandboxes import working_sandbox
from vgdl.competition.agents.service import Clock
from vgdl.competition.agents.view import view
from vgdl.competition.track import Stopped
from vgdl.competition.tracks.othello.adapter import service
from vgdl.competition.tracks.othello.board import BLACK, WHITE, Board, Cell, count
from vgdl.competition.tracks.othello.contestant import Contestant
from vgdl.competition.tracks.othello.entries import BUILT_IN
from vgdl.competition.tracks.othello.game import Choice, Game, Side
from vgdl.competition.tracks.othello.logs import to_text
from vgdl.competition.tracks.othello.metrics import Weights
from vgdl.competition.tracks.othello.plan import ApiHost, ApiLevel, Failed, Fixture, Memory, Plan
from vgdl.tabletop.othello import Rules
from vgdl.tabletop.othello_stages import Stage

PERSON = "you"
"""The name of the side that a person plays."""

ANALYSIS_MS, SYSTEM_MS, PERSON_MS = 2000.0, 10_000.0, 300_000.0
"""Limits: of an analysis, of all moves of a system (CPU time), and of all moves of a person (wall time)."""

PACE_S = 0.5
"""Shortest time between two moves of systems: people watch."""

_MEMORY_MB = 1024
_FORFEIT_MS = 1e9

Post = Callable[[dict[str, Any]], None]


@dataclass(frozen=True, slots=True)
class Pairing:
    """Who plays on what: two names of bundled systems, or one and `PERSON`."""

    stage: Stage
    black: str
    white: str

    def __post_init__(self) -> None:
        """Check the names and the stage.

        Raises:
            ValueError: there is no such system, both sides are the same, or neither side can move.
        """
        for name in (self.black, self.white):
            if name != PERSON and name not in BUILT_IN:
                raise ValueError(f"there is no system {name!r:.50}")
        if self.black == self.white:
            raise ValueError("choose two different sides")
        rules, board = Rules(self.stage), self.stage.board()
        if not (rules.legal_moves(board, BLACK) or rules.legal_moves(board, WHITE)):
            raise ValueError("neither side has a move on this stage")


class LiveGame:
    """One game; ``run`` plays it in the caller's thread, the other methods may be called from any thread."""

    def __init__(self, pairing: Pairing, post: Post) -> None:
        """Prepare.

        Args:
            pairing: who plays on what.
            post: takes each event, JSON-compatible; called from the thread of ``run``.
        """
        self._pairing = pairing
        self._post = post
        self._cells: queue.SimpleQueue[Cell | None] = queue.SimpleQueue()
        self._stopped = threading.Event()
        self._contestants: list[Contestant] = []

    def hear(self, message: dict[str, Any]) -> None:
        """Take a move of the person, ``{"cell": [row, column]}``; others are ignored."""
        cell = message.get("cell")
        if isinstance(cell, list) and len(cell) == 2 and all(type(number) is int for number in cell):
            self._cells.put((cell[0], cell[1]))

    def stop(self) -> None:
        """End the game; ``run`` returns soon."""
        self._stopped.set()
        self._cells.put(None)
        for contestant in tuple(self._contestants):
            contestant.kill()

    def run(self) -> None:
        """Let the systems analyse the stage, and play to the end."""
        pairing = self._pairing
        names = [name for name in (pairing.black, pairing.white) if name != PERSON]
        plan = _plan(pairing.stage, names)
        with contextlib.suppress(Stopped), contextlib.ExitStack() as stack:
            sides: dict[str, _Person | _System] = {PERSON: _Person(self)}
            for name in names:
                self._post({"analysing": name})
                contestant = stack.enter_context(Contestant(plan, 0, 0, name, _sandbox(plan)))
                self._contestants.append(contestant)
                analysis = contestant.analyse()
                self.check()
                log_facts = {key: value for key, value in (analysis.log_facts or {}).items() if key != "wallTime"}
                self._post(
                    {"analysed": name, "ms": round(analysis.used_ms), "told": log_facts, "problem": analysis.cause}
                )
                fixture = Fixture(0, 0, 0, pairing.black, pairing.white, 0)
                sides[name] = _System(stack.enter_context(contestant.playing(fixture)), self)
            game = Game(pairing.stage, Rules(pairing.stage), PERSON_MS, random.Random())
            black, white = (_Shown(sides[name], game, self) for name in (pairing.black, pairing.white))
            record = game.play(black, white)
            self._post(
                {
                    "over": True, "winner": record.winner, "scores": [record.black_score, record.white_score],
                    "forfeit": record.forfeit_cause, "log": to_text([record], pairing.stage), **_position(game),
                }
            )  # fmt: skip

    def check(self) -> None:
        """Raise `Stopped` if the game is to end."""
        if self._stopped.is_set():
            raise Stopped

    def wait(self, seconds: float) -> None:
        """Wait, unless the game is to end; raises `Stopped` then."""
        self._stopped.wait(seconds)
        self.check()

    def person_moves(self, seconds: float) -> Cell | None:
        """The next cell that the person chooses; None if none comes in time."""
        try:
            cell = self._cells.get(timeout=seconds)
        except queue.Empty:
            return None
        self.check()
        return cell

    def post(self, event: dict[str, Any]) -> None:
        """Pass on an event."""
        self._post(event)


class _Person:
    """The person's side."""

    name = PERSON
    left_ms = PERSON_MS  #: the game counts its time

    def __init__(self, live: LiveGame) -> None:
        self._live = live

    def choose(self, board: Board, player: int, moves: list[Cell], left_ms: float) -> Choice:
        """Wait for a legal move."""
        began = time.monotonic()
        while True:
            left_s = left_ms / 1000 - (time.monotonic() - began)
            cell = self._live.person_moves(left_s) if left_s > 0 else None
            if cell is None:
                return Choice(None, _FORFEIT_MS)
            if cell in moves:
                return Choice(cell, 1000 * (time.monotonic() - began))


class _System:
    """A system's side: with a clock of its own, and no faster than people can watch."""

    def __init__(self, side: Side, live: LiveGame) -> None:
        self.name = side.name
        self._side, self._live = side, live
        self.left_ms = SYSTEM_MS  #: of its own clock

    def choose(self, board: Board, player: int, moves: list[Cell], left_ms: float) -> Choice:
        """Ask the system."""
        began = time.monotonic()
        choice = self._side.choose(board, player, moves, self.left_ms)
        self._live.wait(max(0.0, PACE_S - (time.monotonic() - began)))
        self.left_ms -= choice.used_ms
        return choice if self.left_ms >= 0 else Choice(choice.cell, _FORFEIT_MS)


class _Shown:
    """A side whose turns are posted before it is asked."""

    def __init__(self, side: _Person | _System, game: Game, live: LiveGame) -> None:
        self.name = side.name
        self._side, self._game, self._live = side, game, live

    def choose(self, board: Board, player: int, moves: list[Cell], left_ms: float) -> Choice:
        """Post the position, and ask."""
        self._live.check()
        rules = self._game.rules
        hints = [[*cell, rules.simulate(board, player, *cell).captured_count] for cell in moves]
        yours = self.name == PERSON
        turn = {"player": player, "yours": yours, "moves": hints, "left": round(min(left_ms, self._side.left_ms))}
        self._live.post({**turn, **_position(self._game)})
        return self._side.choose(board, player, moves, left_ms)


def _position(game: Game) -> dict[str, Any]:
    """The board, the last move, and what it turned."""
    board = game.board
    found: dict[str, Any] = {"board": ["".join(map(str, row)) for row in board]}
    found["pieces"] = [count(board, BLACK), count(board, WHITE)]
    if game.moves:
        last = game.moves[-1]
        before = game.moves[-2].board_after if len(game.moves) > 1 else game.stage.board()
        found["last"] = [last.player, *last.cell, last.captured]
        found["turned"] = [list(cell) for cell in _changed(before, board) if cell != last.cell]
    return found


def _changed(before: Board, after: Board) -> Iterator[Cell]:
    for row, (old, new) in enumerate(zip(before, after, strict=True)):
        yield from ((row, column) for column, (one, other) in enumerate(zip(old, new, strict=True)) if one != other)


def _plan(stage: Stage, names: list[str]) -> Plan:
    return Plan(
        entries=tuple(BUILT_IN[name] for name in names), stages=(stage,), repeats=1, analysis_ms=ANALYSIS_MS,
        game_ms=SYSTEM_MS, clock=Clock.CPU, api=ApiLevel.OBSERVABLE, api_host=ApiHost.LOCAL, memory=Memory.FORK,
        failed=Failed.RANDOM, adaptation=False, weights=Weights(), restrictions=Restrictions(memory_mb=_MEMORY_MB),
        secret=random.getrandbits(62),
    )  # fmt: skip


def _sandbox(plan: Plan) -> Sandbox:
    """Limits are enough: these systems come with the package."""
    asked = service(plan.clock, plan.analysis_ms, plan.game_ms)
    return working_sandbox(plan.entries, asked, plan.restrictions, view([]), Level.RLIMITS)
