"""Failures of world models: one exception with a kind, which callers turn into a failed test or a lost move."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Any, Self

MAX_TEXT = 4000
"""Longest text of a failure that an author is shown, in characters."""

OUTPUT_LINES = 10
"""Number of last output lines attached to a failure."""


class Kind(enum.StrEnum):
    """Kinds of failures of a program or of a call to it."""

    SYNTAX = "syntax"
    MISSING = "missing"  #: a required function is not there
    IMPORT = "import"  #: a module that may not be imported
    EXCEPTION = "exception"  #: raised by the program, or its process ended
    TIMEOUT = "timeout"
    MEMORY = "memory"
    OUTPUT = "output"  #: printed or returned more than is allowed
    NOT_JSON = "not_json"
    MUTATED_ARGUMENT = "mutated_argument"
    NONDETERMINISTIC = "nondeterministic"
    CONTRACT = "contract"  #: an answer of the wrong type or out of range


class WorldModelError(Exception):
    """A program is not a valid world model, or a call to it failed."""

    def __init__(self, kind: Kind, function: str, message: str, traceback: str = "", output: str = "") -> None:
        """Store the details.

        Args:
            kind: kind of the failure.
            function: the program's function; empty if the failure concerns the whole program.
            message: one sentence.
            traceback: the traceback's lines in the program.
            output: the last lines that the program printed.
        """
        where = f"{function}: " if function else ""
        super().__init__(f"{where}{message} ({kind})")
        self.kind = kind
        self.function = function
        self.message = message
        self.traceback = traceback
        self.output = output

    def text(self) -> str:
        """Return the full text for the program's author, at most `MAX_TEXT` characters."""
        parts = [str(self)]
        if self.traceback:
            parts.append(f"Traceback (lines of the program):\n{self.traceback}")
        if self.output:
            parts.append(f"Last output:\n{self.output}")
        return "\n".join(parts)[:MAX_TEXT]

    def facts(self) -> dict[str, str]:
        """Return the error as JSON-compatible data."""
        return {
            "kind": str(self.kind),
            "function": self.function,
            "message": self.message,
            "traceback": self.traceback,
            "output": self.output,
        }

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any]) -> Self:
        """Restore an error from its `facts`.

        Raises:
            ValueError: the kind is unknown.
        """
        texts = [str(facts.get(name, ""))[:MAX_TEXT] for name in ("function", "message", "traceback", "output")]
        return cls(Kind(str(facts.get("kind"))), *texts)
