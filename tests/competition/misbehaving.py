"""Misbehaving controllers; every play of theirs must end by the rules."""

from __future__ import annotations

import contextlib
import ctypes
import mmap
import os
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

from vgdl import Action, StateObservation
from vgdl.controllers import Controller, Timer

LINGERER = b"vgdl-lingerer"
"""The name of processes that try to outlive their play."""


class RaisesInConstructor(Controller):
    def __init__(self, state: StateObservation, timer: Timer, player: int = 0) -> None:
        raise LookupError("not today")

    def act(self, state: StateObservation, timer: Timer) -> Action:
        return Action.RIGHT


class SlowInConstructor(Controller):
    def __init__(self, state: StateObservation, timer: Timer, player: int = 0) -> None:
        super().__init__(state, timer, player)
        while timer.elapsed_ms < 1.3 * timer.budget_ms:  # the runner may subtract stalls from what this clock shows
            pass

    def act(self, state: StateObservation, timer: Timer) -> Action:
        return Action.RIGHT


class RaisesInAct(Controller):
    def act(self, state: StateObservation, timer: Timer) -> Action:
        raise ZeroDivisionError("a division by zero of my own")


class RaisesEndOfFile(Controller):
    def act(self, state: StateObservation, timer: Timer) -> Action:
        raise EOFError("as if the runner had hung up")


class ExitsPolitely(Controller):
    def act(self, state: StateObservation, timer: Timer) -> Action:
        sys.exit("goodbye")


class ExitsHard(Controller):
    def act(self, state: StateObservation, timer: Timer) -> Action:
        os._exit(3)


class Crashes(Controller):
    def act(self, state: StateObservation, timer: Timer) -> Action:
        ctypes.string_at(0)
        return Action.NIL


class Sleeps(Controller):
    def act(self, state: StateObservation, timer: Timer) -> Action:
        time.sleep(30)
        return Action.RIGHT


class Naps(Controller):
    def act(self, state: StateObservation, timer: Timer) -> Action:
        time.sleep(0.1)
        return Action.RIGHT


class IgnoresTermination(Controller):
    def act(self, state: StateObservation, timer: Timer) -> Action:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        while True:
            time.sleep(1)


class TakesSixtyMilliseconds(Controller):
    def act(self, state: StateObservation, timer: Timer) -> Action:
        while timer.elapsed_ms < 60:
            pass
        return Action.RIGHT


class TakesFortyFiveMilliseconds(Controller):
    def act(self, state: StateObservation, timer: Timer) -> Action:
        while timer.elapsed_ms < 42:
            pass
        return Action.UP


class ReturnsText(Controller):
    def act(self, state: StateObservation, timer: Timer) -> Action:
        return "ACTION_RIGHT"  # type: ignore[return-value]


class ReturnsUnknownNumber(Controller):
    def act(self, state: StateObservation, timer: Timer) -> Action:
        return 77  # type: ignore[return-value]


class ReturnsNothing(Controller):
    def act(self, state: StateObservation, timer: Timer) -> Action:
        return None  # type: ignore[return-value]


def write_everywhere(data: bytes) -> None:
    """Write to every open descriptor, the runner's connection included."""
    for descriptor in range(3, 256):
        with contextlib.suppress(OSError):
            os.write(descriptor, data)


class WritesToOurPipe(Controller):
    def act(self, state: StateObservation, timer: Timer) -> Action:
        write_everywhere(b"\xff" * 4096)
        return Action.RIGHT


class AnswersItself(Controller):
    """Sends a well-formed frame that holds no answer."""

    def act(self, state: StateObservation, timer: Timer) -> Action:
        write_everywhere(b'\x04\x00\x00\x00\x10{"request": [2]}')
        return Action.RIGHT


class SendsHalfAnAnswer(Controller):
    def act(self, state: StateObservation, timer: Timer) -> Action:
        write_everywhere(b"\x04\x00\x00")
        time.sleep(30)
        return Action.RIGHT


class DripsItsAnswer(Controller):
    """Sends an answer byte by byte, more often than the runner looks."""

    def act(self, state: StateObservation, timer: Timer) -> Action:
        write_everywhere(b"\x04\x00\x00\xff\xff")
        while True:
            write_everywhere(b" ")
            time.sleep(0.02)


class WaitsForItsChildToExecute(Controller):
    """Is in an uninterruptible state for as long as its child waits for a writer of a FIFO."""

    def act(self, state: StateObservation, timer: Timer) -> Action:
        os.mkfifo("fifo")
        os.posix_spawn("/bin/true", ["true"], {}, file_actions=[(os.POSIX_SPAWN_OPEN, 0, "fifo", os.O_RDONLY, 0)])
        return Action.RIGHT


class ClosesItsPipe(Controller):
    def act(self, state: StateObservation, timer: Timer) -> Action:
        os.closerange(3, 64)
        time.sleep(30)
        return Action.RIGHT


class Prints(Controller):
    def act(self, state: StateObservation, timer: Timer) -> Action:
        print("noise" * 10_000, flush=True)
        print("noise" * 10_000, file=sys.stderr, flush=True)
        return Action.RIGHT


class RaisesInResult(Controller):
    def act(self, state: StateObservation, timer: Timer) -> Action:
        return Action.RIGHT

    def result(self, state: StateObservation) -> None:
        raise RuntimeError("a bad loser")


class LeavesAGrandchild(Controller):
    """Starts a daemon that leaves its process group and session and ignores all signals that it can."""

    def __init__(self, state: StateObservation, timer: Timer, player: int = 0) -> None:
        super().__init__(state, timer, player)
        child = os.fork()
        if child == 0:
            os.setsid()
            if os.fork() == 0:
                for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
                    signal.signal(number, signal.SIG_IGN)
                ctypes.CDLL(None).prctl(15, LINGERER, 0, 0, 0)  # PR_SET_NAME
                time.sleep(120)
            os._exit(0)
        os.waitpid(child, 0)

    def act(self, state: StateObservation, timer: Timer) -> Action:
        return Action.RIGHT


def burn(ms: float) -> None:
    """Use CPU time, measured by the process itself."""
    end = time.process_time() + ms / 1000
    while time.process_time() < end:
        pass


class Spins(Controller):
    def act(self, state: StateObservation, timer: Timer) -> Action:
        while True:
            pass


class SpinsUnderAName(Controller):
    def act(self, state: StateObservation, timer: Timer) -> Action:
        ctypes.CDLL(None).prctl(15, LINGERER, 0, 0, 0)  # PR_SET_NAME
        while True:
            pass


class BurnsInAChild(Controller):
    """Lets a child think and ignores its exit, so no one waits for it."""

    def act(self, state: StateObservation, timer: Timer) -> Action:
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        if os.fork() == 0:
            burn(70)
            os._exit(0)
        with contextlib.suppress(ChildProcessError):
            os.wait()
        return Action.RIGHT


class BurnsInAChildItWaitsFor(Controller):
    def act(self, state: StateObservation, timer: Timer) -> Action:
        child = os.fork()
        if child == 0:
            burn(80)
            os._exit(0)
        os.waitpid(child, 0)
        return Action.RIGHT


class BurnsInAThread(Controller):
    """Thinks in a thread while the main thread sleeps."""

    def __init__(self, state: StateObservation, timer: Timer, player: int = 0) -> None:
        super().__init__(state, timer, player)
        threading.Thread(target=burn, args=(1e6,), daemon=True).start()

    def act(self, state: StateObservation, timer: Timer) -> Action:
        before = time.process_time()
        while time.process_time() - before < 0.07:
            time.sleep(0.005)
        return Action.RIGHT


class BurnsInFinalizers(Controller):
    """Thinks when its garbage is collected."""

    def act(self, state: StateObservation, timer: Timer) -> Action:
        self.last = _Thinker()
        return Action.RIGHT


class _Thinker:
    def __del__(self) -> None:
        burn(70)


class PatchesTime(Controller):
    """Stops every clock that Python code can read, then thinks."""

    def act(self, state: StateObservation, timer: Timer) -> Action:
        rounds = 8_000_000
        for name in ("process_time", "process_time_ns", "perf_counter", "perf_counter_ns", "monotonic", "time"):
            setattr(time, name, lambda: 0)
        Timer.elapsed_ms = property(lambda self: 0.0)  # type: ignore[method-assign, assignment]
        while rounds:
            rounds -= 1
        return Action.RIGHT


class TampersWithItsState(Controller):
    """Plays its copy to the end, deletes its parts, and answers correctly."""

    def act(self, state: StateObservation, timer: Timer) -> Action:
        for action in (Action.RIGHT, Action.UP, Action.ESCAPE):
            state.advance(action)
        with contextlib.suppress(AttributeError, TypeError):
            state.meter = None
        for name in ("tick", "score", "winner"):
            with contextlib.suppress(AttributeError, TypeError):
                setattr(state, name, 1)
        return Action.RIGHT


class Forks(Controller):
    """A fork bomb whose processes never exit."""

    def act(self, state: StateObservation, timer: Timer) -> Action:
        while True:
            with contextlib.suppress(OSError):
                if os.fork() == 0:
                    time.sleep(60)


class FillsMemory(Controller):
    def act(self, state: StateObservation, timer: Timer) -> Action:
        hoard = []
        while True:
            hoard.append(bytes(64 << 20))  # address space is enough; touching it takes time


class FillsMemoryInChildren(Controller):
    """Every process stays below its own limit."""

    def act(self, state: StateObservation, timer: Timer) -> Action:
        for _ in range(4):
            if os.fork() == 0:
                hoard = bytearray(b"x") * (150 << 20)
                time.sleep(60)
                os._exit(len(hoard) % 2)
        time.sleep(60)
        return Action.RIGHT


class FillsTheDisk(Controller):
    def act(self, state: StateObservation, timer: Timer) -> Action:
        with open("hoard", "wb") as file:
            while True:
                file.write(bytes(1 << 20))


class FillsMemoryThatNoProcessMaps(Controller):
    def act(self, state: StateObservation, timer: Timer) -> Action:
        while True:
            os.posix_fallocate(os.open("/dev/shm", os.O_TMPFILE | os.O_RDWR), 0, 8 << 20)


class FloodsStandardOutput(Controller):
    def act(self, state: StateObservation, timer: Timer) -> Action:
        for stream in (1, 2):
            for _ in range(20):
                os.write(stream, b"noise" * 200_000)
        return Action.RIGHT


class IgnoresAllSignals(Controller):
    def act(self, state: StateObservation, timer: Timer) -> Action:
        for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
            with contextlib.suppress(OSError, ValueError):
                signal.signal(number, signal.SIG_IGN)
        while True:
            time.sleep(1)


class StopsItself(Controller):
    def act(self, state: StateObservation, timer: Timer) -> Action:
        os.kill(os.getpid(), signal.SIGSTOP)
        return Action.RIGHT


class KillsItsParents(Controller):
    """Kills every process that it may signal."""

    def act(self, state: StateObservation, timer: Timer) -> Action:
        with contextlib.suppress(OSError):
            os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(60)
        return Action.RIGHT


class AnswersTwice(Controller):
    """Sends an answer for the next tick before it is asked."""

    def act(self, state: StateObservation, timer: Timer) -> Action:
        message = b'{"request": 2, "used_calls": 0, "value": 0}'
        for _ in range(2):
            write_everywhere(b"\x04" + len(message).to_bytes(4, "big") + message)
        return Action.RIGHT


class ReturnsARiddle(Controller):
    """Answers with an object that raises on every use."""

    def act(self, state: StateObservation, timer: Timer) -> Action:
        return _Riddle()  # type: ignore[return-value]


class _Riddle:
    def __eq__(self, other: object) -> bool:
        raise SystemExit("no comparison")

    def __repr__(self) -> str:
        raise KeyboardInterrupt("no words")


class RaisesAnInterrupt(Controller):
    def act(self, state: StateObservation, timer: Timer) -> Action:
        raise KeyboardInterrupt("as if somebody had pressed Ctrl-C")


class RecursesForEver(Controller):
    def act(self, state: StateObservation, timer: Timer) -> Action:
        return self.act(state, timer)


class RaisesHostileText(Controller):
    def act(self, state: StateObservation, timer: Timer) -> Action:
        raise ValueError("\ud800 \x1b[2J\x1b]0;owned\x07 \u202e")


class RaisesHostileTextInConstructor(Controller):
    def __init__(self, state: StateObservation, timer: Timer, player: int = 0) -> None:
        raise ValueError("\ud800 \x1b[2J")

    def act(self, state: StateObservation, timer: Timer) -> Action:
        return Action.RIGHT


class AnswersInItsOwnWords(Controller):
    """Answers the first request to act with a forged frame, and waits for the effect."""

    frame = b""

    def act(self, state: StateObservation, timer: Timer) -> Action:
        write_everywhere(self.frame[:1] + (len(self.frame) - 1).to_bytes(4, "big") + self.frame[1:])
        time.sleep(30)
        return Action.RIGHT


class FailsWithoutAWord(AnswersInItsOwnWords):
    frame = b'\x05{"request": 2, "traceback": ""}'


class CountsNothing(AnswersInItsOwnWords):
    frame = b'\x04{"request": 2, "used_calls": NaN, "value": 1}'


class CountsBeyondAllBounds(AnswersInItsOwnWords):
    frame = b'\x04{"request": 2, "used_calls": ' + b"9" * 400 + b', "value": 1}'


class NestsFolders(Controller):
    """Leaves nested folders, deeper than any path or recursion limit."""

    def act(self, state: StateObservation, timer: Timer) -> Action:
        for _ in range(3000):
            os.mkdir("d")
            os.chdir("d")
        with contextlib.suppress(OSError):
            os.chmod("..", 0)
        raise RuntimeError("found 3000 folders deep")


class Ponders(Controller):
    """Always has another process thinking."""

    def __init__(self, state: StateObservation, timer: Timer, player: int = 0) -> None:
        super().__init__(state, timer, player)
        self.start()

    def start(self) -> None:
        threading.Thread(target=burn, args=(1e6,), daemon=True).start()

    def act(self, state: StateObservation, timer: Timer) -> Action:
        return Action.NIL


class PondersInAChild(Ponders):
    def start(self) -> None:
        if os.fork() == 0:
            burn(1e6)


class PondersInAnotherSession(Ponders):
    def start(self) -> None:
        child = os.fork()
        if child == 0:
            os.setsid()
            if os.fork() == 0:
                burn(1e6)
            os._exit(0)
        os.waitpid(child, 0)


class PondersWithoutItsMainThread(Ponders):
    """The system shows a process by its main thread, here as one that has ended."""

    def start(self) -> None:
        if os.fork() == 0:
            super().start()
            ctypes.CDLL(None).syscall(
                93 if os.uname().machine in ("aarch64", "riscv64") else 60, 0
            )  # exit, of a thread


class LeavesChildrenSpinning(Controller):
    """Answers at once, and leaves as many children as it may spinning, each in a new session."""

    def act(self, state: StateObservation, timer: Timer) -> Action:
        if state.tick == 0:
            for _ in range(24):
                if os.fork() == 0:
                    os.setsid()
                    while True:
                        pass
        return Action.NIL


class ThinksBriefly(Controller):
    def act(self, state: StateObservation, timer: Timer) -> Action:
        burn(5)
        return Action.NIL


class RunsWhatCannotBeRead(Controller):
    """Thinks in an executable without read permission, which drops inherited counters."""

    def act(self, state: StateObservation, timer: Timer) -> Action:
        for make_unreadable in (
            lambda: os.chmod("thinker", 0o111),
            lambda: os.close(os.open("other", os.O_CREAT | os.O_WRONLY, 0o311)),
            lambda: os.umask(0o400),
        ):
            shutil.copyfile("/bin/sh", "thinker")
            with contextlib.suppress(OSError):
                make_unreadable()
                raise LookupError("a file that can be executed only")
        raise RuntimeError("every way was refused")


class RunsItsOwnProgram(Controller):
    def act(self, state: StateObservation, timer: Timer) -> Action:
        with open("thinker", "wb", opener=lambda path, flags: os.open(path, flags, 0o755)) as file:
            file.write(Path("/bin/true").read_bytes())
        subprocess.run(["./thinker"], check=True)
        return Action.RIGHT


class SharesMemoryThatItDropsFromItsPages(Controller):
    """Takes memory that is in no page table, until all its processes have twice as much as they may."""

    def act(self, state: StateObservation, timer: Timer) -> Action:
        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        size = limit // 8
        for _ in range(4):
            child = os.fork()
            if child == 0:
                for _ in range(4):
                    memory = mmap.mmap(-1, size)
                    for start in range(0, size, 1 << 20):
                        memory.write(bytes(1 << 20))
                        memory.madvise(mmap.MADV_DONTNEED, start, 1 << 20)
                    self.hoard.append(memory)
                os.write(self.done[1], b".")
                time.sleep(600)
        for _ in range(4):
            os.read(self.done[0], 1)
        return Action.RIGHT

    def __init__(self, state: StateObservation, timer: Timer, player: int = 0) -> None:
        super().__init__(state, timer, player)
        self.hoard: list[mmap.mmap] = []
        self.done = os.pipe()


class MakesManyFiles(Controller):
    """Makes empty files, which are memory of the kernel."""

    def act(self, state: StateObservation, timer: Timer) -> Action:
        for number in range(20_000):
            os.close(os.open(f"file-{number}", os.O_CREAT))
        return Action.RIGHT


class StartsManyThreads(Controller):
    def act(self, state: StateObservation, timer: Timer) -> Action:
        threading.stack_size(32 << 10)
        for _ in range(3000):
            threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
        time.sleep(600)
        return Action.RIGHT


class LivesOnInItsChild(Controller):
    """Forks and ends; the child goes on in its place."""

    def act(self, state: StateObservation, timer: Timer) -> Action:
        if os.fork():
            os._exit(0)
        ctypes.CDLL(None).prctl(15, LINGERER, 0, 0, 0)  # PR_SET_NAME
        time.sleep(0.2)
        burn(60)
        return Action.RIGHT


class RunsToTheRight(Controller):
    """A well-behaved controller, for comparison."""

    def act(self, state: StateObservation, timer: Timer) -> Action:
        return Action.RIGHT
