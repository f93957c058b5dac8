"""Controllers that do what controllers should not; each play of theirs must end by the rules."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time

from vgdl import Action, StateObservation
from vgdl.controllers import Controller, Timer


class RaisesInConstructor(Controller):
    def __init__(self, state: StateObservation, timer: Timer, player: int = 0) -> None:
        raise LookupError("not today")

    def act(self, state: StateObservation, timer: Timer) -> Action:
        return Action.RIGHT


class SlowInConstructor(Controller):
    def __init__(self, state: StateObservation, timer: Timer, player: int = 0) -> None:
        super().__init__(state, timer, player)
        while not timer.exceeded:
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
        os.kill(os.getpid(), signal.SIGSEGV)
        return Action.NIL


class Sleeps(Controller):
    def act(self, state: StateObservation, timer: Timer) -> Action:
        time.sleep(30)
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
    """Write to every descriptor that is open, the runner's connection among them."""
    for descriptor in range(3, 32):
        with contextlib.suppress(OSError):
            os.write(descriptor, data)


class WritesToOurPipe(Controller):
    def act(self, state: StateObservation, timer: Timer) -> Action:
        write_everywhere(b"\xff" * 4096)
        return Action.RIGHT


class AnswersItself(Controller):
    """Sends a well-formed frame that holds no answer."""

    def act(self, state: StateObservation, timer: Timer) -> Action:
        write_everywhere(b'\x06\x00\x00\x00\x10{"used_ms": [1]}')
        return Action.RIGHT


class SendsHalfAnAnswer(Controller):
    def act(self, state: StateObservation, timer: Timer) -> Action:
        write_everywhere(b"\x06\x00\x00")
        time.sleep(30)
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


class LeavesChildren(Controller):
    """Starts a child that would outlive it, and writes its number to a file."""

    def __init__(self, state: StateObservation, timer: Timer, player: int = 0) -> None:
        super().__init__(state, timer, player)
        child = os.fork()
        if child == 0:
            time.sleep(60)
            os._exit(0)
        with open(os.environ["CHILD_FILE"], "w", encoding="ascii") as file:
            file.write(str(child))

    def act(self, state: StateObservation, timer: Timer) -> Action:
        return Action.RIGHT
