"""Keys of a terminal: read without waiting for Enter, on POSIX systems and on Windows."""

from __future__ import annotations

import contextlib
import os
import select
import sys
import time
from collections.abc import Iterator
from typing import Any, Protocol

from vgdl import Action
from vgdl.play.keys import Bindings, KeyHandler

UP, DOWN, RIGHT, LEFT, ESCAPE = (0x110000 + k for k in range(5))  #: keys that are no characters
_SEQUENCES = {"A": UP, "B": DOWN, "C": RIGHT, "D": LEFT}  # the last character of what a terminal sends
_SCANNED = {"H": UP, "P": DOWN, "M": RIGHT, "K": LEFT}  # what follows a zero or 0xE0 on Windows
_WAIT_S = 0.02  # for the rest of an escape sequence

ARROWS: Bindings = {UP: Action.UP, LEFT: Action.LEFT, DOWN: Action.DOWN, RIGHT: Action.RIGHT, ord(" "): Action.USE}
LETTERS: Bindings = {ord("w"): Action.UP, ord("a"): Action.LEFT, ord("s"): Action.DOWN, ord("d"): Action.RIGHT}
TAB: Bindings = {ord("\t"): Action.USE}


def bindings(person: int, people: int) -> Bindings:
    """The keys of a person: both sets for one person, one set each for two, whose second uses the Tab key."""
    if people == 1:
        return {**ARROWS, **LETTERS}
    return ARROWS if person == 0 else {**LETTERS, **TAB}


class Keyboard(Protocol):
    """A source of keys."""

    def read(self, seconds: float) -> list[int]:
        """The keys pressed, after waiting for at most so many seconds for the first one."""


class Posix:
    """The keyboard of a POSIX terminal."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def read(self, seconds: float) -> list[int]:
        if not select.select([self._descriptor], [], [], max(0.0, seconds))[0]:
            return []
        text = self._bytes()
        if text.endswith(("\x1b", "\x1b[", "\x1bO")) and select.select([self._descriptor], [], [], _WAIT_S)[0]:
            text += self._bytes()
        return keys_of(text)

    def _bytes(self) -> str:
        data = os.read(self._descriptor, 1024)
        if not data:
            raise EOFError("the terminal was closed")
        return data.decode("utf-8", "replace")


class Windows:
    """The keyboard of a Windows console."""

    def __init__(self, console: Any) -> None:
        self._console = console  # the module msvcrt

    def read(self, seconds: float) -> list[int]:
        end = time.monotonic() + seconds
        while not self._console.kbhit():
            left = end - time.monotonic()
            if left <= 0:
                return []
            time.sleep(min(0.005, left))
        keys: list[int] = []
        while self._console.kbhit():
            character = self._console.getwch()
            if character in ("\0", "\xe0"):
                keys += [_SCANNED[code] for code in [self._console.getwch()] if code in _SCANNED]
            elif character == "\x03":
                raise KeyboardInterrupt
            else:
                keys.append(ESCAPE if character == "\x1b" else ord(character.lower()))
        return keys


def keys_of(text: str) -> list[int]:
    """The keys that a terminal's characters stand for; other escape sequences are dropped."""
    keys: list[int] = []
    at = 0
    while at < len(text):
        if text[at] != "\x1b":
            keys.append(ord(text[at].lower()))
            at += 1
        elif at + 1 == len(text) or text[at + 1] not in "[O":
            keys.append(ESCAPE)
            at += 1
        else:
            end = at + 2
            while end < len(text) and not ("@" <= text[end] <= "~"):
                end += 1
            keys += [_SEQUENCES[last] for last in text[end : end + 1] if last in _SEQUENCES]
            at = end + 1
    return keys


@contextlib.contextmanager
def opened() -> Iterator[Keyboard]:
    """The keyboard of standard input, which neither echoes nor waits for Enter meanwhile."""
    if sys.platform == "win32":
        import msvcrt

        os.system("")  # makes the console understand escape sequences
        yield Windows(msvcrt)
        return
    import termios
    import tty

    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    tty.setcbreak(descriptor)
    try:
        yield Posix(descriptor)
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


class HeldByRepeating:
    """Passes the keys of a terminal to a `KeyHandler`, although a terminal does not say when a key is released.

    A key counts as held while it is repeated: until `TICKS` ticks have passed without it. A key that was pressed only
    once counts for a single tick.
    """

    TICKS = 3

    def __init__(self, handler: KeyHandler) -> None:
        self._handler = handler
        self._rests: dict[int, int] = {}  # ticks since a key was seen

    def press(self, key: int) -> None:
        """A key was pressed, or repeated by the terminal."""
        is_repeated = key in self._rests
        for other in [*self._rests]:
            if other != key:
                self._release(other)
        self._handler.press(key)
        self._rests[key] = 0
        if not is_repeated:
            self._handler.release(key)

    def tick(self) -> None:
        """A tick has been played."""
        for key in [*self._rests]:
            self._rests[key] += 1
            if self._rests[key] >= self.TICKS:
                self._release(key)

    def clear(self) -> None:
        """Forget all keys."""
        self._rests.clear()
        self._handler.clear()

    def _release(self, key: int) -> None:
        del self._rests[key]
        self._handler.release(key)
