"""How a world model fails: one exception with a kind, which every caller turns into a failed test or a lost move."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Any, Self

MAX_TEXT = 4000
"""Characters of a failure's text that an author is shown."""

OUTPUT_LINES = 10
"""Last lines of a program's output that belong to a failure."""


class Kind(enum.StrEnum):
    """What is wrong with a program or with a call of it."""

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
    """A program is no world model, or a call of one has failed."""

    def __init__(self, kind: Kind, function: str, message: str, traceback: str = "", output: str = "") -> None:
        """Note what is known.

        Args:
            kind: what is wrong.
            function: of the program, empty if it is about the whole of it.
            message: in a sentence.
            traceback: lines of the program that led there.
            output: the last lines that the program has printed.
        """
        where = f"{function}: " if function else ""
        super().__init__(f"{where}{message} ({kind})")
        self.kind = kind
        self.function = function
        self.message = message
        self.traceback = traceback
        self.output = output

    def text(self) -> str:
        """All of it, for the program's author; at most `MAX_TEXT` characters."""
        parts = [str(self)]
        if self.traceback:
            parts.append(f"Traceback (lines of the program):\n{self.traceback}")
        if self.output:
            parts.append(f"Last output:\n{self.output}")
        return "\n".join(parts)[:MAX_TEXT]

    def facts(self) -> dict[str, str]:
        """The error as JSON can hold it."""
        return {
            "kind": str(self.kind),
            "function": self.function,
            "message": self.message,
            "traceback": self.traceback,
            "output": self.output,
        }

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any]) -> Self:
        """The error that `facts` described.

        Raises:
            ValueError: the kind is unknown.
        """
        texts = [str(facts.get(name, ""))[:MAX_TEXT] for name in ("function", "message", "traceback", "output")]
        return cls(Kind(str(facts.get("kind"))), *texts)
