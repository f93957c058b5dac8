"""Workers: separate processes that check and play entries, ``vgdl-compete worker --store SITE``.

A worker may be killed at any time: its plays in progress are lost, and repeated by another worker.
"""

from __future__ import annotations

import argparse
import os
import platform
import secrets
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Sequence

from vgdl.cli import program
from vgdl.competition import options
from vgdl.competition.agents import cores, scratch
from vgdl.competition.agents.failure import MachineBusy
from vgdl.competition.agents.plain_data import printable
from vgdl.competition.errors import CompetitionError
from vgdl.competition.interrupts import INTERRUPTED, handling
from vgdl.competition.track import Stopped
from vgdl.competition.web import jobs, runs, upkeep
from vgdl.competition.web.database import Database, DatabaseError, open_database
from vgdl.competition.web.evaluator import FOLDER, Evaluator, Gone, can_isolate
from vgdl.competition.web.jobs import Job
from vgdl.competition.web.runs import JobLost

WAIT_S = 0.5
"""Seconds between checks of an empty queue."""

FAILED = 1


def main(arguments: Sequence[str]) -> int:
    """Run the command; returns the exit status: 0, 1 if it failed, 2 for wrong arguments, 130 after Ctrl-C."""
    parser = options.Parser(
        prog=f"{program('compete')} worker",
        description="Check and play what is in the queue of a site until it is empty. Any number of workers, on "
        "any number of machines, may serve a site; games and rules are those of its competitions.",
    )
    parser.add_argument("--store", required=True, metavar="FILE|URL", help="the database of the site")
    parser.add_argument("--wait", action="store_true", help="run forever: wait for new entries")
    parser.add_argument(
        "--jobs", type=options.count, default=1, metavar="N",
        help="plays in parallel (default: 1; 0: none, but rankings, dates and other upkeep)",
    )  # fmt: skip
    parser.add_argument("--parent", type=options.positive, help=argparse.SUPPRESS)  # ends when this process does
    options.add_isolation_level(parser.add_argument_group("isolation of entries"))
    chosen = parser.parse_args(arguments)
    try:
        if not chosen.jobs:
            with open_database(chosen.store) as database, handling(signal.SIGTERM, signal.default_int_handler):
                upkeep.run(database, chosen.parent)
            return 0
        scratch.sweep()
        scratch.sweep(FOLDER)
        cores.require(chosen.jobs)
        level = can_isolate(chosen.isolation)
        with open_database(chosen.store) as database, handling(signal.SIGTERM, signal.default_int_handler):
            print(f"worker on {database.name}: {chosen.jobs} in parallel, isolated by {level}", flush=True)
            if level.is_weak:
                print("WEAK ISOLATION: entries can read and write your files; see docs/isolation.md", file=sys.stderr)
            Worker(database, chosen.isolation, chosen.jobs, parent=chosen.parent).run(wait=chosen.wait)
    except KeyboardInterrupt:
        return INTERRUPTED
    except DatabaseError as error:
        print(f"vgdl-compete worker: {error}", file=sys.stderr)
        return FAILED
    except options.OWN_ERRORS as error:
        parser.error(str(error))
    return 0


class Worker:
    """Threads that execute jobs, each on its own core."""

    def __init__(self, database: Database, isolation: str, at_a_time: int, *, parent: int | None = None) -> None:
        """Prepare the worker.

        Args:
            database: the database of the site.
            isolation: level, or ``auto``.
            at_a_time: number of concurrent plays.
            parent: id of the parent process, with which it ends.
        """
        self.name = f"{platform.node()[:40]}-{os.getpid()}-{secrets.token_hex(4)}"
        self._database = database
        self._isolation = isolation
        self._at_a_time = at_a_time
        self._parent = parent
        self._ending = threading.Event()
        self._failure: BaseException | None = None

    def run(self, *, wait: bool) -> None:
        """Work until the queue is empty, or forever.

        Args:
            wait: wait for new jobs when the queue is empty.

        Raises:
            KeyboardInterrupt: it was interrupted; its jobs wait again.
            Exception: any error of the worker itself.
        """
        claim = cores.claim(self._at_a_time)
        began = self._database.now()
        jobs.beat(self._database, self.name, began, self._at_a_time)
        with Evaluator(self._database, self._isolation) as evaluator:
            threads = [
                threading.Thread(target=self._work, args=(evaluator, group, wait), daemon=True)
                for group in claim.groups
            ]
            try:
                for thread in threads:
                    thread.start()
                self._watch(threads, began)
            finally:
                self._ending.set()
                evaluator.stop()
                for thread in threads:
                    thread.join(10.0)
                claim.release()
                self._database.run("DELETE FROM workers WHERE id = ?", self.name)
        if self._failure is not None:
            raise self._failure

    def _watch(self, threads: Sequence[threading.Thread], began: float) -> None:
        """Send heartbeats and do the upkeep of the site while the threads work."""
        last = 0.0
        while any(thread.is_alive() for thread in threads):
            if self._parent is not None and os.getppid() != self._parent:
                return
            if time.monotonic() - last > jobs.BEAT_S:
                last = time.monotonic()
                jobs.beat(self._database, self.name, began, self._at_a_time)
                upkeep.tick(self._database)
            time.sleep(0.1)

    def _work(self, evaluator: Evaluator, group: Sequence[int | None], wait: bool) -> None:
        try:
            while not self._ending.is_set():
                job = jobs.take(self._database, self.name)
                if job is not None:
                    self._do(evaluator, job, group)
                if self._do_other_work(evaluator, group) or job is not None:
                    continue
                if not wait:
                    return
                self._ending.wait(WAIT_S)
        except BaseException as error:
            self._failure = error
            self._ending.set()

    def _do_other_work(self, evaluator: Evaluator, group: Sequence[int | None]) -> bool:
        """Do a piece of other work of the tracks; returns whether there was any."""
        try:
            return evaluator.other_work(self.name, *group)
        except Stopped:
            return False

    def _do(self, evaluator: Evaluator, job: Job, group: Sequence[int | None]) -> None:
        action: Callable[[], object]
        if job.kind == jobs.CHECK:
            action = lambda: evaluator.check(job, self.name)  # noqa: E731
        elif job.kind == jobs.RUN:
            action = lambda: evaluator.run(job, self.name, *group)  # noqa: E731
        else:
            action = lambda: evaluator.play(job, self.name, *group)  # noqa: E731
        try:
            action()
        except Stopped:
            jobs.give_back(self._database, job, self.name)
        except DatabaseError:
            raise
        except JobLost:
            return
        except Gone:
            if job.phase == jobs.ROUND:
                runs.drop(self._database, job)
                return
            with self._database.transaction() as transaction:
                transaction.run("DELETE FROM jobs WHERE id = ?", job.id)
        except MachineBusy as error:
            jobs.fault(self._database, job, self.name, str(error))
        except Exception as error:  # an internal error, or a set missing on this machine: not the entry's fault
            trace = traceback.format_exc()
            print(printable(f"job {job.id} has failed:\n{trace}"), file=sys.stderr, flush=True)
            known = isinstance(error, (CompetitionError, *options.OWN_ERRORS))
            words = str(error) if known else type(error).__name__
            jobs.fault(self._database, job, self.name, printable(words, 300))
