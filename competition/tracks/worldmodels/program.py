"""Programs in isolated processes, as the rest of the track uses them: batched calls and typed failures."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar

from vgdl.competition.agents.failure import AgentFailed, Cause, MachineBusy
from vgdl.competition.agents.isolation import Restrictions, Sandbox
from vgdl.competition.agents.plain_data import Plain
from vgdl.competition.agents.process import AgentProcess
from vgdl.competition.agents.sandboxes import working_sandbox
from vgdl.competition.agents.service import Clock, Method, Patience, Service, anything
from vgdl.competition.agents.view import view
from vgdl.competition.agents.voids import Voids
from vgdl.competition.closing import Closing
from vgdl.competition.tracks.worldmodels import json_values
from vgdl.competition.tracks.worldmodels.errors import MAX_TEXT, Kind, WorldModelError
from vgdl.competition.tracks.worldmodels.model import Look, ModelGame, checked_look
from vgdl.competition.tracks.worldmodels.running import TIMEOUT_STATUS
from vgdl.competition.tracks.worldmodels.searching import Search
from vgdl.registry import Entry
from vgdl.tabletop.game import Information, Utility

T = TypeVar("T")

RESTRICTIONS = Restrictions(memory_mb=256, processes=4, scratch_mb=1)
"""Limits of a program's process (section 6). The program cannot start processes; the sandbox needs some of the four."""

CALL_S = 1.0
"""Limit of CPU time of a function call in tests, in seconds."""
PLAY_S = 10.0
"""Limit of CPU time of a whole play in tests, in seconds."""
BATCH_CHARACTERS = 200_000
"""Approximate limit of the JSON that a batch of calls may return, in characters."""
BATCH_S = 60.0
"""Limit of CPU time of a batch, in seconds."""
MOST_CRASHES = 3
"""Crashes after which the rest of a program's calls counts as failed."""

_ENTRY = Entry("world model", "world model", "vgdl.competition.tracks.worldmodels.host", "Host")


def service(seconds: float = CALL_S) -> Service:
    """The methods of a program's process, with their limits."""
    call, play = 1000.0 * seconds, 1000.0 * PLAY_S
    whole_play = Patience(factor=2.0, floor_s=2 * PLAY_S)
    return Service(
        adapter=f"{_ENTRY.location}:{_ENTRY.class_name}",
        methods={
            "load": Method(10_000.0, anything),
            "read": Method(5 * call, anything, ("state", "names")),
            "step": Method(2 * call, anything, ("state", "action", "seed", "twice")),
            "tick": Method(play, anything, ("state", "action", "seed", "samples", "twice"), whole_play),
            "name": Method(call, anything, ("player",)),
            "look": Method(4 * call, anything, ("state",)),
            "advance": Method(call, anything, ("state", "action")),
            "observe": Method(call, anything, ("state", "player")),
            "resample": Method(call, anything, ("history", "player", "last", "seed")),
            "resample_state": Method(2 * call, anything, ("history", "player", "seed")),
            "replay": Method(play, anything, ("initial", "history", "player", "last", "seed"), whole_play),
            "random_play": Method(play, anything, ("initial", "seed", "steps"), whole_play),
            "plan": Method(60_000.0, anything, ("situation", "search")),
            "play_out": Method(600_000.0, anything, ("initial", "sources", "search")),
            "value": Method(call, anything, ("source", "state", "player")),
        },
        clock=Clock.CPU,
        patience=Patience(factor=2.0, extra_s=1.0, floor_s=5.0),
    )


def working_isolation(isolation: str = "auto") -> Sandbox:
    """Find the best sandbox for programs that works here, or the requested one.

    The weak level, which leaves files and network accessible, is used on request only.

    Raises:
        IsolationError: no sandbox works.
    """
    hidden = [Path(spec.origin) for name in ("pyspiel", "open_spiel") if (spec := importlib.util.find_spec(name))
              and spec.origin]  # fmt: skip
    levels = ("bwrap", "namespaces", "landlock") if isolation == "auto" else (isolation,)
    return _first_working(levels, view(hidden=hidden))


def _first_working(levels: Sequence[str], sight: Any) -> Sandbox:
    from vgdl.competition.agents.isolation import IsolationError

    reasons = []
    for level in levels:
        try:
            return working_sandbox([_ENTRY], service(), RESTRICTIONS, sight, level)
        except IsolationError as error:
            reasons.append(f"{level}: {error}")
    raise IsolationError(
        f"no isolation for generated programs works here ({'; '.join(reasons)}); "
        "--isolation rlimits runs them with access to your files and network"
    )


@dataclass(frozen=True, slots=True)
class Interface:
    """The functions that a program has to define, and known properties of the game."""

    players: int = 2
    perfect: bool = True
    zero_sum: bool = True
    returns: tuple[float, float] = (-1.0, 1.0)
    closed: bool = False
    sampler: str = "history"  #: ``history`` or ``state``, for games of imperfect information

    @property
    def required(self) -> tuple[str, ...]:
        """Names of the functions without which a program cannot be loaded (3.1).

        A missing sampler only fails what needs it: the tests of inference, and the moves of the program.
        """
        return (
            *("apply_action", "get_current_player", "get_player_name"),
            *("get_rewards", "get_legal_actions", "get_observations"),
        )


@dataclass(frozen=True, slots=True)
class TickInterface(Interface):
    """The interface of a program that models a VGDL game (13.2); the observation is the state."""

    players: int = 1
    zero_sum: bool = False

    @property
    def required(self) -> tuple[str, ...]:
        """Names of the required functions; one of `STEPPING` is required as well."""
        return ("get_current_player", "get_legal_actions")


STEPPING = ("apply_action", "sample_next")
"""Functions that advance a VGDL game by a tick, one of which is required."""


class IsolatedProgram(Closing):
    """A program in an isolated process. After a crash or a timeout, a fresh process replaces it."""

    def __init__(self, source: str, interface: Interface, sandbox: Sandbox, *, seconds: float = CALL_S) -> None:
        """Store the program; the first call starts the process.

        Args:
            source: the program.
            interface: the functions that it has to define.
            sandbox: the sandbox of its process.
            seconds: limit of CPU time per function call.
        """
        self.source = source
        self.interface = interface
        self._sandbox = sandbox
        self._seconds = seconds
        self._agent: AgentProcess | None = None
        self.starts = 0  #: processes so far
        self.used_s = 0.0  #: CPU seconds of its batches so far

    def close(self) -> None:
        """End the process."""
        if self._agent is not None:
            self._agent.close()
            self._agent = None

    def load(self) -> list[str]:
        """Start a process, unless one is running, and run the source; returns the functions that it defines.

        Raises:
            WorldModelError: the source cannot be run.
        """
        if self._agent is None:
            self._start()
        return self._names

    def ask(self, method: str, budget_s: float | None = None, /, **arguments: Any) -> Any:
        """Call one method.

        Args:
            method: name of a method of `Host`.
            budget_s: limit of CPU time in seconds, by default the method's.
            arguments: arguments of the method.

        Raises:
            WorldModelError: the program failed.
        """
        budget = None if budget_s is None else 1000.0 * budget_s
        try:
            return _opened(self._repeated(lambda agent: agent.call(method, budget, **arguments)).value)
        except AgentFailed as failure:
            if failure.is_final:
                self.close()
            raise _explained(failure) from None

    def _repeated(self, question: Callable[[AgentProcess], T]) -> T:
        """Ask a running process, and a fresh one if the answer cannot be judged; see ``voids``."""
        voids = Voids("call")

        def once() -> T:
            self.load()
            assert self._agent is not None
            try:
                with voids.judging(self.source):
                    return question(self._agent)
            except MachineBusy:
                self.close()
                raise

        return voids.repeated(once, title="a call of a program")

    def ask_many(self, method: str, calls: Sequence[Mapping[str, Any]], most_s: float | None = None) -> list[Any]:
        """Call a method many times in few messages; failed calls yield a `WorldModelError` as their value.

        If a message ends the process, its calls are repeated one by one, with a fresh process after each crash.

        Args:
            method: name of a method of `Host`.
            calls: the arguments of each call.
            most_s: CPU seconds of all batches of this program after which the remaining calls fail.
        """
        found: list[Any] = []
        crashes = 0
        for batch in _batches(calls):
            if most_s is not None and self.used_s > most_s:
                late = WorldModelError(Kind.TIMEOUT, "", f"not asked, since earlier questions took {most_s:g} s")
                found += [late] * len(batch)
                continue
            if crashes >= MOST_CRASHES:
                found += [found[-1]] * len(batch)
                continue
            try:
                found += self._batch(method, batch)
                continue
            except WorldModelError as error:
                if len(batch) == 1 or not self.is_loadable:
                    found += [error] * len(batch)
                    crashes += self._agent is None
                    continue
            for call in batch:
                if crashes < MOST_CRASHES:
                    found += self._alone(method, call)
                    crashes += self._agent is None
                else:
                    found.append(found[-1])
        return found

    @property
    def is_loadable(self) -> bool:
        """Whether the source can be run; starts a process if none is running."""
        try:
            self.load()
        except WorldModelError:
            return False
        return True

    def look(self, state: str) -> Look:
        """See `model.Program`."""
        values = self.ask("look", state=state)
        if not isinstance(values, list) or len(values) != 4:
            raise WorldModelError(Kind.CONTRACT, "", "its process sent an invalid answer")
        return checked_look(values[0], values[1], values[2], values[3] or None, self.interface.players)

    def advance(self, state: str, action: str) -> str:
        """See `model.Program`."""
        after = self.ask("advance", state=state, action=action)
        if not isinstance(after, str):
            raise WorldModelError(Kind.CONTRACT, "apply_action", "its process sent an invalid answer")
        return after

    def observe(self, state: str, player: int) -> Any:
        """See `model.Program`."""
        return self.ask("observe", state=state, player=player)

    def resample(self, history: Sequence[Any], player: int, seed: int) -> list[str]:
        """See `model.Program`."""
        actions = self.ask("resample", history=list(history), player=player, last=False, seed=seed)
        if not isinstance(actions, list) or not all(isinstance(action, str) for action in actions):
            raise WorldModelError(Kind.CONTRACT, "resample_history", "its process sent an invalid answer")
        return actions

    def plan(self, situation: Mapping[str, Any], search: Search) -> dict[str, Any]:
        """Search for an action inside the process; see `searching.choose`.

        Raises:
            WorldModelError: the search failed, for example because it took too long.
        """
        found = self.ask("plan", search.seconds + 5.0, situation=dict(situation), search=asdict(search))
        if not isinstance(found, dict) or not isinstance(found.get("action"), str):
            raise WorldModelError(Kind.CONTRACT, "", "its process sent an invalid answer")
        return found

    def _start(self) -> None:
        facts = self.interface
        setup: dict[str, Plain] = {
            "source": self.source,
            "required": list(facts.required),
            "players": facts.players,
            "perfect": facts.perfect,
            "zero_sum": facts.zero_sum,
            "returns": list(facts.returns),
            "closed": facts.closed,
            "seconds": self._seconds,
        }
        voids = Voids("start")
        try:
            voids.repeated(lambda: self._begin(setup, voids), title="the start of a program")
        except AgentFailed as failure:
            raise _explained(failure) from None

    def _begin(self, setup: Mapping[str, Plain], voids: Voids) -> None:
        agent = AgentProcess(_ENTRY, service(self._seconds), self._sandbox, setup=setup)
        self.starts += 1
        try:
            with voids.judging(self.source):
                agent.prepare()
                self._names: list[str] = _opened(agent.call("load").value)
        except BaseException:
            agent.close()
            raise
        self._agent = agent

    def _batch(self, method: str, calls: Sequence[Mapping[str, Any]]) -> list[Any]:
        try:
            reply = self._repeated(lambda agent: agent.call_many(method, calls, budget=1000.0 * BATCH_S))
        except AgentFailed as failure:
            self.used_s += failure.used / 1000.0
            if failure.is_final:
                self.close()
            raise _explained(failure) from None
        self.used_s += reply.used / 1000.0
        return [_explained(value) if isinstance(value, AgentFailed) else _result(value) for value in reply.values]

    def _alone(self, method: str, call: Mapping[str, Any]) -> list[Any]:
        try:
            return self._batch(method, [call])
        except WorldModelError as error:
            return [error]


class CodeWorldModel(ModelGame, Closing):
    """A program as a game of `vgdl.tabletop`, in its own isolated process; close it after use.

    with CodeWorldModel(source, initial_state) as game:
        state = game.new_initial_state()
    """

    def __init__(
        self, source: str, initial_state: Any, interface: Interface | None = None, *, sandbox: Sandbox | None = None
    ) -> None:
        """Start the process and run the source.

        Args:
            source: the program.
            initial_state: a JSON value.
            interface: the program's interface; by default that of a zero-sum game of perfect information.
            sandbox: the sandbox of its process; by default the best one that works here.
            IsolationError: no sandbox works here.
        """
        facts = interface or Interface()
        self.isolated = IsolatedProgram(source, facts, sandbox or working_isolation())
        super().__init__(
            self.isolated,
            initial_state,
            players=facts.players,
            information=Information.PERFECT_INFORMATION if facts.perfect else Information.IMPERFECT_INFORMATION,
            utility=Utility.ZERO_SUM if facts.zero_sum else Utility.GENERAL_SUM,
            returns=facts.returns,
        )
        self.isolated.load()

    def close(self) -> None:
        """End the process."""
        self.isolated.close()


def _batches(calls: Sequence[Mapping[str, Any]]) -> Iterator[list[Mapping[str, Any]]]:
    """Group calls such that the answers of a group fit into a message, estimating their size from the calls."""
    batch: list[Mapping[str, Any]] = []
    size = 0
    for call in calls:
        length = 4 * len(json_values.canonical(dict(call))) + 500
        if batch and (size + length > BATCH_CHARACTERS or len(batch) >= 500):
            yield batch
            batch, size = [], 0
        batch.append(call)
        size += length
    if batch:
        yield batch


def _result(value: Any) -> Any:
    """Return the value of an answer in a batch, or its error."""
    try:
        return _opened(value)
    except WorldModelError as error:
        return error


def _opened(value: Any) -> Any:
    """Return the value of an answer of `host.answered` or raise its error; other answers are returned unchanged."""
    if isinstance(value, dict) and "error" in value:
        raise error_of(value["error"])
    if isinstance(value, dict) and "value" in value:
        return value["value"] if "again" not in value else value
    return value


def error_of(facts: Any) -> WorldModelError:
    """Restore the error that a process sent."""
    try:
        return WorldModelError.from_facts(facts)
    except (ValueError, TypeError, AttributeError):
        return WorldModelError(Kind.CONTRACT, "", "its process sent an invalid answer")


_KINDS = {Cause.HUNG: Kind.TIMEOUT, Cause.MEMORY: Kind.MEMORY, Cause.NONSENSE: Kind.CONTRACT}


def _explained(failure: AgentFailed) -> WorldModelError:
    """Convert the failure of a process to that of its program."""
    kind = _KINDS.get(Cause(failure.cause), Kind.EXCEPTION) if failure.cause in list(Cause) else Kind.EXCEPTION
    if failure.cause == Cause.EXITED and str(TIMEOUT_STATUS) in failure.details:
        kind = Kind.TIMEOUT
    if "MemoryError" in failure.details:
        kind = Kind.MEMORY
    if "bytes, " in failure.details and "allowed" in failure.details:
        kind = Kind.OUTPUT
    return WorldModelError(kind, "", f"{failure.cause}: {failure.details[-1000:]}"[:MAX_TEXT])
