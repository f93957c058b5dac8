"""Run a program inside its isolated process: one call at a time, with a limit of CPU time and checked values.

Only ``host`` uses this module, inside the isolated process. Nothing else executes the source.
"""

from __future__ import annotations

import builtins
import contextlib
import io
import json
import linecache
import os
import random
import signal
import sys
import traceback
from collections.abc import Iterator
from types import FrameType
from typing import Any

import numpy as np

from vgdl.competition.tracks.worldmodels import json_values, lint
from vgdl.competition.tracks.worldmodels.errors import OUTPUT_LINES, Kind, WorldModelError

FILE = "<world model>"
MAX_OUTPUT = 64 * 1024
"""Bytes that a program may print in one call."""
MAX_VALUE = 256 * 1024
"""Characters of JSON that a call may return."""
LOAD_S = 5.0
"""CPU seconds to run the module's top level."""
_REPEAT_S = 0.05
_MOST_RINGS = 20
MOST_TIMEOUTS = 3
"""Timeouts per program after which further calls fail at once, so that test runs with an endless loop end."""
TIMEOUT_STATUS = 124
"""Exit status of a process whose program could not be interrupted."""


class _Stop(BaseException):
    """Ends a call; not caught by ``except Exception`` in a program."""

    def __init__(self, kind: Kind, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class _Output(io.TextIOBase):
    """Captures a program's output, up to a limit."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._size = 0

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self._size += len(text)
        if self._size > MAX_OUTPUT:
            self._parts.append(text[:200])
            raise _Stop(Kind.OUTPUT, f"printed more than {MAX_OUTPUT // 1024} KiB in one call")
        self._parts.append(text)
        return len(text)

    def tail(self) -> str:
        """The last lines."""
        return "\n".join("".join(self._parts)[-2000:].splitlines()[-OUTPUT_LINES:])

    def clear(self) -> None:
        self._parts.clear()
        self._size = 0


class Clock:
    """Limits CPU time; the signal repeats, to end also loops that swallow exceptions."""

    def __init__(self) -> None:
        self._armed = False
        self._seconds = 0.0
        self._rings = 0
        signal.signal(signal.SIGPROF, self._ring)

    @property
    def is_running(self) -> bool:
        """Whether a limit is in force."""
        return self._armed

    @contextlib.contextmanager
    def limit(self, seconds: float) -> Iterator[None]:
        """Raise `_Stop` in the ``with`` block after ``seconds`` of CPU time. Limits do not nest."""
        self._seconds = seconds
        self._rings = 0
        self._armed = True
        signal.setitimer(signal.ITIMER_PROF, seconds, _REPEAT_S)
        try:
            yield
        finally:
            self._armed = False
            signal.setitimer(signal.ITIMER_PROF, 0)

    def _ring(self, number: int, frame: FrameType | None) -> None:
        if self._armed:
            self._rings += 1
            if self._rings > _MOST_RINGS:  # a loop that swallows all exceptions; the next call gets a fresh process
                os._exit(TIMEOUT_STATUS)
            raise _Stop(Kind.TIMEOUT, f"took more than {self._seconds:g} s of CPU time")


class LocalProgram:
    """A program in this process."""

    def __init__(self, source: str, clock: Clock, required: tuple[str, ...] = ()) -> None:
        """Check and run the source.

        Args:
            source: the program.
            clock: limits the time of its calls.
            required: functions that it has to define.

        Raises:
            WorldModelError: the source cannot be run.
        """
        lint.check(source, required)
        self._clock = clock
        self._output = _Output()
        self._timeouts = 0
        self._names: dict[str, Any] = {"__name__": "world_model", "__builtins__": _guarded_builtins()}
        linecache.cache[FILE] = (len(source), None, source.splitlines(keepends=True), FILE)
        with self._guarded("", LOAD_S):
            exec(compile(source, FILE, "exec", dont_inherit=True), self._names)
        for name in required:
            if not callable(self._names.get(name)):
                raise WorldModelError(Kind.MISSING, name, "the program does not define it as a function")

    def has(self, name: str) -> bool:
        """Whether there is a function of this name."""
        return callable(self._names.get(name))

    def names(self) -> list[str]:
        """The public functions that the program defines or imports."""
        return sorted(name for name, value in self._names.items() if callable(value) and not name.startswith("_"))

    def call(
        self,
        name: str,
        *arguments: Any,
        seconds: float = 1.0,
        seed: int | None = None,
        rng: random.Random | None = None,
    ) -> Any:
        """Call a function with strict checks: it returns JSON and does not change its arguments.

        Args:
            name: name of the function.
            arguments: JSON values, passed without copying.
            seconds: limit of CPU time.
            seed: for `random` and numpy; None keeps their state.
            rng: an additional last argument, if any.

        Raises:
            WorldModelError: the call failed or a check did.
        """
        before = [json_values.canonical(argument) for argument in arguments]
        if seed is not None:
            self.seed(seed)
        value = self.quick(name, *arguments, *(() if rng is None else (rng,)), seconds=seconds)
        if problem := json_values.fault(value):
            raise self._error(Kind.NOT_JSON, name, f"returned what is not JSON: {problem}")
        text = json_values.canonical(value)
        if len(text) > MAX_VALUE:
            raise self._error(Kind.OUTPUT, name, f"returned {len(text)} characters of JSON, {MAX_VALUE} are allowed")
        for number, (argument, was) in enumerate(zip(arguments, before, strict=True)):
            if not _is_still(argument, was):
                raise self._error(Kind.MUTATED_ARGUMENT, name, f"changed its argument number {number + 1}")
        return json.loads(text)

    def quick(self, name: str, *arguments: Any, seconds: float = 1.0) -> Any:
        """Call a function without checking its value.

        Raises:
            WorldModelError: the function is missing, raised an exception or took too long.
        """
        function = self._names.get(name)
        if not callable(function):
            raise WorldModelError(Kind.MISSING, name, "the program does not define it as a function")
        with self._guarded(name, seconds):
            return function(*arguments)

    def limited(self, seconds: float) -> contextlib.AbstractContextManager[None]:
        """Limit the CPU time of many calls together, for example of a search."""
        return self._guarded("", seconds)

    @staticmethod
    def seed(seed: int) -> None:
        """Seed the global random generators that a program may use."""
        random.seed(seed)
        np.random.seed(seed % (1 << 32))

    @contextlib.contextmanager
    def _guarded(self, function: str, seconds: float) -> Iterator[None]:
        """Turn exceptions, timeouts and excessive output of the program into a `WorldModelError`."""
        if self._clock.is_running:  # within an outer limit, which also captures output
            try:
                yield
            except Exception as error:
                if isinstance(error, WorldModelError):
                    raise
                kind = Kind.MEMORY if isinstance(error, MemoryError) else Kind.EXCEPTION
                raise self._error(kind, function, _in_words(error), error) from None
            return
        self._output.clear()
        if self._timeouts >= MOST_TIMEOUTS:
            message = f"no longer called, since {self._timeouts} calls took too long"
            raise WorldModelError(Kind.TIMEOUT, function, message)
        try:
            output = contextlib.redirect_stdout(self._output), contextlib.redirect_stderr(self._output)
            with output[0], output[1], self._clock.limit(seconds):
                yield
        except WorldModelError:
            raise
        except _Stop as stop:
            self._timeouts += stop.kind is Kind.TIMEOUT
            raise self._error(stop.kind, function, str(stop), stop) from None
        except MemoryError as error:
            raise self._error(Kind.MEMORY, function, "needs more memory than is allowed", error) from None
        except BaseException as error:  # including SystemExit and KeyboardInterrupt raised by a program
            raise self._error(Kind.EXCEPTION, function, _in_words(error), error) from None

    def _error(self, kind: Kind, function: str, message: str, error: BaseException | None = None) -> WorldModelError:
        return WorldModelError(kind, function, message, "" if error is None else _own_lines(error), self._output.tail())


def _is_still(argument: Any, text: str) -> bool:
    """Whether an argument is still JSON and has the same text as before a call."""
    try:
        return json_values.fault(argument) is None and json_values.canonical(argument) == text
    except (TypeError, ValueError, RecursionError):
        return False


def _in_words(error: BaseException) -> str:
    try:
        return f"{type(error).__name__}: {error}"[:1000]
    except BaseException:  # the exception's own methods may raise
        return type(error).__name__


def _own_lines(error: BaseException) -> str:
    """The lines of the traceback that belong to the program."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == FILE]
    lines = [f"line {frame.lineno}, in {frame.name}: {(frame.line or '').strip()}" for frame in frames]
    if len(lines) > 12:
        lines = [*lines[:6], f"... {len(lines) - 12} more", *lines[-6:]]
    return "\n".join(lines)


def _guarded_builtins() -> dict[str, Any]:
    """The builtins, with an ``import`` that only accepts the allowed modules in the program itself."""

    def importing(name: str, *arguments: Any, **keywords: Any) -> Any:
        asker = sys._getframe(1).f_globals.get("__name__")
        if asker == "world_model" and name.partition(".")[0] not in lint.ALLOWED:
            raise ImportError(f"{name} may not be imported")
        return builtins.__import__(name, *arguments, **keywords)

    return {**vars(builtins), "__import__": importing}
