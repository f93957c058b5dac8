"""A competition without processes: bundled controllers need not be guarded, and a process for each play costs a second.

Rules, seeds and observations are the competition's own, so under a budget of calls the results are those of
``vgdl-compete``, play by play. Under a clock they would not be: all plays share this process and its memory.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from vgdl.competition.agents.cpu_clock import Source
from vgdl.competition.agents.isolation import Level, Sandbox
from vgdl.competition.agents.process import Answer, ProcessSeat
from vgdl.competition.agents.view import view
from vgdl.competition.agents.wire import Kind, as_action
from vgdl.competition.agents.worker import Worker
from vgdl.competition.contest import rules
from vgdl.competition.contest.plan import Fixture, Plan
from vgdl.competition.contest.runner import Competition, PlayRecord
from vgdl.competition.contest.seeds import derive
from vgdl.controllers.registry import Entry


class InProcessSeat:
    """A seat whose controller is served here, by what would serve it in its process. Its failures are raised as they are."""

    clock_source = Source.NONE
    waited_ms = 0.0

    def __init__(self, entry: Entry, protocol: rules.Protocol, *, player: int, seed: int) -> None:
        limits = protocol.limits
        self._worker = Worker(
            {
                "entry": {name: getattr(entry, name) for name in Entry.__slots__},
                "player": player,
                "seed": seed,
                "clock": protocol.clock,
                "limits": {"CONSTRUCT": limits.construction, "ACT": limits.action, "RESULT": limits.result},
            }
        )

    def prepare(self, board: bytes) -> None:
        self._worker.set_board(board)

    def construct(self, observation: bytes) -> Answer:
        return self._serve(Kind.CONSTRUCT, observation)

    def act(self, observation: bytes) -> Answer:
        return self._serve(Kind.ACT, observation)

    def result(self, observation: bytes) -> Answer:
        return self._serve(Kind.RESULT, observation)

    def _serve(self, kind: Kind, observation: bytes) -> Answer:
        reply: dict[str, Any] = self._worker.serve(kind, observation, self._worker.start_timer())
        number = reply.get("action")
        return Answer(float(reply["used_calls"]), None if number is None else as_action(number))


class InProcessCompetition(Competition):
    """Plays one fixture at a time, here."""

    def __init__(self, plan: Plan) -> None:
        if plan.protocol.clock is not rules.Clock.CALLS:
            raise ValueError("only a budget of calls can be kept in one process, like calls:100")
        super().__init__(plan, Sandbox(Level.RLIMITS, plan.restrictions, view()))

    def _seat(self, stack: contextlib.ExitStack, fixture: Fixture, player: int, core: int | None) -> ProcessSeat:
        seed = derive(self.plan.secret, "controller", *fixture.place, *fixture.names, player)
        seat: Any = InProcessSeat(fixture.entries[player], self.plan.protocol, player=player, seed=seed)
        found: ProcessSeat = seat  # it is asked for no more than an InProcessSeat has
        return found


class InProcessBackend:
    """Plays the fixtures of a competition one after another."""

    def __init__(self, competition: InProcessCompetition) -> None:
        self._competition = competition

    def play(self, numbers: Sequence[int]) -> Iterator[PlayRecord]:
        return map(self._competition.play, numbers)

    def stop(self) -> None:
        """A play ends with the process that it is played in."""
