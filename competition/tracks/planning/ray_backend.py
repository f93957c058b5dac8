"""The plays of a competition on a Ray cluster, with one actor per core; lost plays are repeated.

Every node needs the same version of this package, and the files of games and controllers under the same paths, for
example on a shared disk; actors compare their hashes.
"""

from __future__ import annotations

import importlib
import os
import socket
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from vgdl.competition.agents import cores
from vgdl.competition.agents.isolation import IsolationError
from vgdl.competition.entrants import hashes_of
from vgdl.competition.errors import CompetitionError
from vgdl.competition.machine import versions
from vgdl.competition.track import Result, Unit
from vgdl.competition.tracks.planning.plan import Boards, Plan, PlanError
from vgdl.competition.tracks.planning.runner import Competition, PlayRecord
from vgdl.competition.tracks.planning.session import sandbox_for
from vgdl.extras import needs

MOST_ATTEMPTS = 5
"""Attempts at a play before the cluster counts as failed."""

REACH_S = 5.0
"""Seconds to wait for a cluster to answer."""


class RayUnavailable(CompetitionError):
    """Ray is not installed; the message says how to get it."""


class ClusterFailed(CompetitionError):
    """A play was lost repeatedly, or a node cannot play; the message gives the details."""


class Player:
    """An actor: a competition of its own on one core."""

    def __init__(self, plan: Plan, level: str, hidden: Sequence[Path], expected: dict[str, Any]) -> None:
        """Load the games and check that they are the same as the runner's.

        Args:
            plan: the plan of the competition.
            level: the level of isolation.
            hidden: files that controllers must not see, if they exist on this node.
            expected: the result of ``facts_of`` on the runner.

        Raises:
            PlanError: games, controllers or versions on this node differ.
            IsolationError: the level does not work on this node.
        """
        boards = Boards(plan)
        if facts_of(plan, boards) != expected:
            raise PlanError("a node has other games, controllers or versions than the runner")
        self._competition = Competition(plan, sandbox_for(plan, level, hidden))
        self._claim = cores.claim(1)

    def play(self, number: int) -> PlayRecord:
        """Play a fixture."""
        return self._competition.play(number, self._claim.cores[0])

    def pid(self) -> int:
        """The process id of the actor."""
        return os.getpid()


def facts_of(plan: Plan, boards: Boards) -> dict[str, Any]:
    """Hashes and versions that must be the same on all nodes."""
    return {"games": boards.facts(), "controllers": hashes_of(plan.entries), "versions": versions()}


class RayBackend:
    """Plays on a Ray cluster; see the module."""

    def __init__(
        self,
        competition: Competition,
        jobs: int,
        address: str | None,
        result: Callable[[PlayRecord], Result],
        *,
        hidden: Sequence[Path] = (),
    ) -> None:
        """Connect to a cluster, or start one on this machine.

        Args:
            competition: the plays.
            jobs: number of actors, each with a core of the cluster.
            address: of the cluster; by default ``RAY_ADDRESS`` from the environment, else a local cluster is started.
            result: makes a result of the run from a play.
            hidden: files that controllers must not see, besides the games.

        Raises:
            RayUnavailable: Ray is not installed.
            ClusterFailed: there is no such cluster.
        """
        try:
            self._ray: Any = importlib.import_module("ray")
        except ImportError:
            raise RayUnavailable(needs("--backend ray", "Ray", "ray")) from None
        self._competition = competition
        self._jobs = jobs
        self._result = result
        if address:
            _check_reachable(address)
        self._owns_cluster = not self._ray.is_initialized()
        if self._owns_cluster:
            options = {"address": address} if address else {"num_cpus": jobs, "include_dashboard": False}
            try:
                self._ray.init(**options, log_to_driver=False, logging_level="ERROR", configure_logging=False)
            except (ConnectionError, ValueError, RuntimeError) as error:
                raise ClusterFailed(f"cannot reach the Ray cluster: {error}") from None
        plan = competition.plan
        self._expected = facts_of(plan, competition.boards)
        self._hidden = tuple(path.absolute() for path in hidden)
        self._actors: list[Any] = []

    @property
    def actors(self) -> tuple[Any, ...]:
        """The handles of the actors."""
        return tuple(self._actors)

    def play(self, units: Sequence[Unit]) -> Iterator[tuple[Unit, Result]]:
        """Play fixtures; yields them as they end.

        Raises:
            ClusterFailed: a play was lost too often, or a node cannot play.
        """
        by_number = {unit.task: unit for unit in units}
        todo = list(reversed(by_number))
        attempts = dict.fromkeys(by_number, 0)
        self._actors = [self._new_actor() for _ in range(min(self._jobs, len(todo)))]
        running: dict[Any, tuple[int, int]] = {}

        def begin(place: int) -> None:
            number = todo.pop()
            attempts[number] += 1
            running[self._actors[place].play.remote(number)] = (place, number)

        for place in range(len(self._actors)):
            begin(place)
        while running:
            (ended,), _ = self._ray.wait(list(running), num_returns=1)
            place, number = running.pop(ended)
            record = self._outcome(ended, number, attempts[number])
            if record is None:
                self._actors[place] = self._new_actor()
                todo.append(number)
            if todo:
                begin(place)
            if record is not None:
                yield by_number[number], self._result(record)

    def stop(self) -> None:
        """End all actors and their plays, and the cluster if it was started here."""
        for actor in self._actors:
            self._ray.kill(actor)
        self._actors = []
        if self._owns_cluster and self._ray.is_initialized():
            self._ray.shutdown()

    def _new_actor(self) -> Any:
        make = self._ray.remote(num_cpus=1, max_restarts=0)(Player)
        level = str(self._competition.sandbox.level)
        return make.remote(self._competition.plan, level, self._hidden, self._expected)

    def _outcome(self, ended: Any, number: int, attempts: int) -> PlayRecord | None:
        """The record of a play; None if it was lost and must be repeated."""
        try:
            record: PlayRecord = self._ray.get(ended)
        except self._ray.exceptions.RayTaskError as error:
            raise ClusterFailed(f"{self._competition.fixtures[number]}: {error.cause}") from None
        except self._ray.exceptions.RayError as error:
            cause = getattr(error, "cause", None)
            if isinstance(cause, PlanError | IsolationError) or attempts >= MOST_ATTEMPTS:
                lost = f"{self._competition.fixtures[number]} was lost {attempts} times"
                raise ClusterFailed(f"{lost}; the last time: {error}") from None
            return None
        return record


def _check_reachable(address: str) -> None:
    """Check that an address like ``host:6379`` or ``ray://host:10001`` answers; Ray itself would wait forever."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdecimal():
        return  # a special value of Ray, such as auto
    try:
        socket.create_connection((host, int(port)), timeout=REACH_S).close()
    except OSError as error:
        raise ClusterFailed(f"no answer from {address}: {error.strerror or error}") from None
