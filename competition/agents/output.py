"""What an agent prints: a pipe for standard output and standard error, of which the runner keeps the last few KiB.

The runner reads the pipe while it waits for an answer, so that an agent can print without end, but fills neither memory
nor a disk. Writing costs the agent a system call per line; reading is done by the runner.
"""

from __future__ import annotations

import contextlib
import os
import re
from dataclasses import dataclass

from vgdl.competition.agents.plain_data import printable

MAX_OUTPUT = 4096
"""Number of bytes kept of what an agent prints, and of characters shown of them, counted from the end."""

_CHUNK = 1 << 16
_CHUNKS_LEFT = 32
"""Most chunks to read at the end: pipes hold at most 1 MiB, and a process that is not stopped may go on writing."""

_ESCAPES = re.compile(
    r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?"  # operating system commands, such as titles of windows
    r"|\x1b[PX^_][^\x1b]*(?:\x1b\\)?"  # strings of devices
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"  # control sequences: colours, movements of the cursor
    r"|\x1b[ -/]*[0-~]?"
)
"""The escape sequences of ECMA-48."""


@dataclass(frozen=True, slots=True)
class Printed:
    """The end of what an agent has printed."""

    text: str = ""  #: printable, without escape sequences
    dropped: int = 0  #: number of bytes before it that were not kept


class Output:
    """A pipe that an agent's processes write into, and the end of what came out of it."""

    def __init__(self) -> None:
        """Create the pipe."""
        self._reader, self.writer = os.pipe()
        os.set_blocking(self._reader, False)
        self._tail = b""
        self._dropped = 0

    def fileno(self) -> int:
        """The descriptor to wait for; -1 once nothing more can come."""
        return self._reader

    @property
    def printed(self) -> Printed:
        """What has been read so far."""
        return Printed(cleaned(self._tail), self._dropped)

    def start(self) -> None:
        """Close the end that the agent has inherited."""
        os.close(self.writer)
        self.writer = -1

    def read(self) -> bool:
        """Read what there is, at most one chunk, without waiting; returns whether there may be more."""
        if self._reader < 0:
            return False
        try:
            chunk = os.read(self._reader, _CHUNK)
        except BlockingIOError:
            return False
        if not chunk:
            self._close_reader()
            return False
        joined = self._tail + chunk
        self._tail = joined[-MAX_OUTPUT:]
        self._dropped += len(joined) - len(self._tail)
        return True

    def read_rest(self) -> None:
        """Read what processes that are stopped or have ended have left in the pipe."""
        for _ in range(_CHUNKS_LEFT):
            if not self.read():
                return

    def close(self) -> None:
        """Read the rest, and close the pipe."""
        self.read_rest()
        self._close_reader()
        if self.writer >= 0:
            self.start()

    def _close_reader(self) -> None:
        if self._reader >= 0:
            with contextlib.suppress(OSError):
                os.close(self._reader)
            self._reader = -1


def cleaned(data: bytes) -> str:
    """The text of some bytes that a program has printed: line breaks are ``\\n``, and nothing in it moves a cursor.

    Args:
        data: any bytes; those that are not UTF-8 are replaced.
    """
    text = data.decode(errors="replace").replace("\r\n", "\n").replace("\r", "\n")
    return printable(_ESCAPES.sub("", text))[-MAX_OUTPUT:]
