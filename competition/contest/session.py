"""A session of a competition: play what is not yet in the store, and store every play as it ends."""

from __future__ import annotations

import contextlib
import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from vgdl import replay
from vgdl.competition.agents.cores import Claim
from vgdl.competition.agents.failure import MachineBusy
from vgdl.competition.agents.isolation import IsolationError, Level, Restrictions, Sandbox
from vgdl.competition.agents.process import AgentProcess
from vgdl.competition.agents.service import Clock, Service
from vgdl.competition.agents.view import View, view
from vgdl.competition.agents.warming import warm
from vgdl.competition.contest.controller_adapter import service
from vgdl.competition.contest.plan import Plan, controller_files
from vgdl.competition.contest.runner import Competition, PlayRecord, Stopped
from vgdl.competition.errors import using
from vgdl.competition.results.store import Store
from vgdl.controllers.registry import Entry

STOP_S = 60.0
"""Seconds to wait until the killed processes of a stopped play have ended."""


class Backend(Protocol):
    """Plays fixtures, here or elsewhere."""

    def play(self, numbers: Sequence[int]) -> Iterator[PlayRecord]:
        """Play fixtures, given by number; yields them as they end, in any order."""

    def stop(self) -> None:
        """End all plays in progress; they are lost."""


class LocalBackend:
    """Plays on this machine, with a thread per concurrent play and a process per controller."""

    def __init__(self, competition: Competition, claim: Claim) -> None:
        """Use the cores of a claim, which the caller still has to release."""
        self._competition = competition
        self._groups = claim.groups
        self._threads: list[threading.Thread] = []

    def play(self, numbers: Sequence[int]) -> Iterator[PlayRecord]:
        """Play fixtures, given by number; yields them as they end.

        Raises:
            Exception: any error of the runner itself.
        """
        planned = self._competition.plan
        if planned.rules.clock is not Clock.CALLS:
            warm(sum(map(len, self._groups)), planned.restrictions.memory_mb)
        todo: queue.SimpleQueue[int] = queue.SimpleQueue()
        for number in numbers:
            todo.put(number)
        done: queue.SimpleQueue[PlayRecord | BaseException] = queue.SimpleQueue()
        self._threads = [
            threading.Thread(target=self._work, args=(cores, todo, done), daemon=True) for cores in self._groups
        ]
        for thread in self._threads:
            thread.start()
        for _ in numbers:
            outcome = done.get()
            if isinstance(outcome, BaseException):
                self.stop()
                raise outcome
            yield outcome

    def stop(self) -> None:
        """End all plays in progress, and wait until their processes have ended."""
        self._competition.stop()
        for thread in self._threads:
            thread.join(STOP_S)

    def _work(
        self,
        cores: Sequence[int | None],
        todo: queue.SimpleQueue[int],
        done: queue.SimpleQueue[PlayRecord | BaseException],
    ) -> None:
        with contextlib.suppress(queue.Empty, Stopped):
            while True:
                number = todo.get_nowait()
                try:
                    done.put(self._competition.play(number, *cores))
                except Stopped:
                    raise
                except BaseException as error:
                    done.put(error)
                    return


def sandbox_for(plan: Plan, wanted: str, hidden: Sequence[Path] = (), packages: Sequence[Path] = ()) -> Sandbox:
    """The best sandbox that works here, or the requested one; it is tested with a real process.

    Args:
        plan: what is played.
        wanted: a level, or ``auto``.
        hidden: files and folders that controllers must not see, besides the games.
        packages: folders that controllers in them see as a whole.

    Raises:
        IsolationError: no process can be started so.
    """
    sight = view(controller_files(plan), (*plan.hidden, *hidden), packages)
    return working_sandbox(plan.entries, service(plan.rules), plan.restrictions, sight, wanted)


def working_sandbox(
    entries: Sequence[Entry], asked: Service, restrictions: Restrictions, sight: View, wanted: str
) -> Sandbox:
    """The best sandbox that works here for some agents, or the requested one.

    Args:
        entries: the agents.
        asked: the methods that can be called.
        restrictions: limits of their processes.
        sight: the files that they can see.
        wanted: a level, or ``auto``.

    Raises:
        IsolationError: no process can be started so.
    """
    levels = tuple(Level) if wanted == "auto" else (Level(wanted),)
    reasons = []
    for level in levels:
        sandbox = Sandbox(level, restrictions, sight)
        try:
            for entry in entries:
                sandbox.of(entry.location)
            AgentProcess(entries[0], asked, sandbox).close()
        except MachineBusy as error:  # no reason to lower the level of isolation
            raise IsolationError(f"no agent can be started now: {error}") from None
        except (IsolationError, OSError) as error:
            reasons.append(str(error))
        else:
            return sandbox
    raise IsolationError("; ".join(reasons))


def hiding(sandbox: Sandbox, plan: Plan, hidden: Sequence[Path]) -> Sandbox:
    """The sandbox with more files of the competition hidden from controllers; the files must exist."""
    return replace(sandbox, view=view(controller_files(plan), (*plan.hidden, *hidden)))


def run(
    competition: Competition,
    store: Store,
    backend: Backend,
    facts: dict[str, Any],
    *,
    replays: Path | None = None,
    on_play: Callable[[PlayRecord], None] = lambda record: None,
) -> bool:
    """Play the fixtures that are not in the store yet.

    Args:
        competition: the plays.
        store: takes each play as it ends.
        backend: where to play.
        facts: the circumstances of the session, recorded in the store.
        replays: an existing folder to which a replay file of each play is written.
        on_play: called with each play, once it is stored.

    Returns:
        Whether all plays are done; false after a Ctrl-C.

    Raises:
        StoreError: a play could not be stored; earlier ones are safe.
        Exception: any error of the runner itself.
    """
    done = store.played()
    todo = [fixture.number for fixture in competition.fixtures if fixture.number not in done]
    session = store.begin_session(facts)
    try:
        for record in backend.play(todo):
            store.add(record, session)
            if replays is not None:
                with using():
                    write_replay(replays, competition, record)
            on_play(record)
    except KeyboardInterrupt:
        return False
    finally:
        backend.stop()
    return True


def write_replay(folder: Path, competition: Competition, record: PlayRecord) -> None:
    """Write the replay file of a play."""
    fixture, result = competition.fixtures[record.fixture], record.result
    board = competition.boards.games[fixture.game].drawn(result.seed).board(fixture.level)
    state = replay.simulate(board, result.seed, record.actions, result.stirring)
    played = replay.record(
        state, result.seed, record.actions, controllers=fixture.names, stirring=result.stirring
    )
    replay.write(played, folder / f"{played.level}_play{fixture.repeat}_{'_'.join(fixture.names)}.json")
