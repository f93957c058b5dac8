"""One play of a plan: seats are filled, the play is run, and what is left of it is a record."""

from __future__ import annotations

import contextlib
import threading
import time
from dataclasses import dataclass
from typing import Any

import vgdl
from vgdl.competition.agents.isolation import Sandbox
from vgdl.competition.agents.observation import encode_board
from vgdl.competition.agents.process import ControllerFailed, ProcessSeat
from vgdl.competition.contest.plan import Boards, Fixture, Plan, fixtures
from vgdl.competition.contest.play import Play, Record
from vgdl.competition.contest.seeds import derive
from vgdl.competition.results.records import Outcome, PlayerResult, PlayResult


@dataclass(frozen=True, slots=True)
class PlayRecord:
    """A finished play with all that a store keeps of it."""

    fixture: int
    result: PlayResult
    actions: tuple[tuple[str | None, ...], ...]  #: names per tick and player; None for a player who was not asked
    used: tuple[tuple[float, ...], ...]  #: per player: what each of its answers used, in the unit of the protocol
    isolation: dict[str, Any]  #: level, source of CPU times, core
    seconds: float  #: on the wall
    waited_ms: float  #: that controllers were ready to answer and had no core


class Stopped(Exception):
    """The play was stopped from outside before it had a result."""


class Competition:
    """The plays of a plan, to be played one by one."""

    def __init__(self, plan: Plan, sandbox: Sandbox, boards: Boards | None = None) -> None:
        """Get ready to play.

        Args:
            plan: what is played.
            sandbox: how controllers are kept.
            boards: those of the plan; they are loaded if not given.

        Raises:
            vgdl.VGDLError: a game or level cannot be loaded.
            PlanError: the plan cannot be played.
        """
        self.plan = plan
        self.sandbox = sandbox
        self.boards = boards or Boards(plan)
        self.fixtures = fixtures(plan, self.boards)
        self._seats: set[ProcessSeat] = set()
        self._stopped = threading.Event()

    def play(self, number: int, core: int | None = None) -> PlayRecord:
        """Play one fixture in fresh processes; several threads may do so at a time.

        Args:
            number: of the fixture.
            core: that the controllers are pinned to; None for any.

        Raises:
            Stopped: ``stop`` was called.
            IsolationError: controllers cannot be kept as they should be.
        """
        fixture = self.fixtures[number]
        began = time.monotonic()
        seed = derive(self.plan.secret, "game", *fixture.place)
        state = self.boards.games[fixture.game].start(level=fixture.level, seed=seed)
        with contextlib.ExitStack() as stack:
            seats = [self._seat(stack, fixture, player, core) for player in range(len(fixture.entries))]
            record = self._run(fixture, state, seats)
            waited_ms = sum(seat.waited_ms for seat in seats)
            isolation = {"level": self.sandbox.level, "cpu times": seats[0].clock_source, "core": core}
        if self._stopped.is_set():
            raise Stopped
        final = record.state
        return PlayRecord(
            fixture=number,
            result=PlayResult(*fixture.place, seed, final.tick, record.players, final.error or ""),
            actions=tuple(tuple(None if action is None else action.name for action in tick) for tick in record.actions),
            used=record.used,
            isolation=isolation,
            seconds=time.monotonic() - began,
            waited_ms=waited_ms,
        )

    @property
    def seats(self) -> frozenset[ProcessSeat]:
        """The seats of the plays that are being played."""
        return frozenset(self._seats)

    def stop(self) -> None:
        """End all plays that are being played; they have no result."""
        self._stopped.set()
        for seat in self.seats:
            seat.kill()

    def _seat(self, stack: contextlib.ExitStack, fixture: Fixture, player: int, core: int | None) -> ProcessSeat:
        if self._stopped.is_set():
            raise Stopped
        entry = fixture.entries[player]
        seed = derive(self.plan.secret, "controller", *fixture.place, *fixture.names, player)
        seat = stack.enter_context(
            ProcessSeat(entry, self.plan.protocol, self.sandbox.of(entry.location), player=player, seed=seed, core=core)
        )
        self._seats.add(seat)
        stack.callback(self._seats.discard, seat)
        return seat

    def _run(self, fixture: Fixture, state: vgdl.StateObservation, seats: list[ProcessSeat]) -> Record:
        board = encode_board(state)
        failures: list[ControllerFailed | None] = []
        for seat in seats:
            try:
                seat.prepare(board)
                failures.append(None)
            except ControllerFailed as failure:
                failures.append(failure)
        if any(failures):
            absent = tuple(map(self._absent, fixture.names, failures))
            return Record(state, (), absent, ((),) * len(absent))
        labels: tuple[str | int, ...] = (*fixture.place, *fixture.names)
        players = list(zip(fixture.names, seats, strict=True))
        return Play(state, players, self.plan.protocol, self.plan.secret, labels).run()

    def _absent(self, name: str, failure: ControllerFailed | None) -> PlayerResult:
        """The result of a player in a play that was never begun, since it or another could not be imported."""
        if failure is None:
            return PlayerResult(name, Outcome.NO_WINNER, 0.0)
        score = self.plan.protocol.disqualified_score
        return PlayerResult(name, Outcome.DISQUALIFIED, score, cause=failure.cause, details=failure.details)
