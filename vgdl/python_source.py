"""Python sources as syntax trees, from any thread."""

from __future__ import annotations

import ast
import threading

_PARSING = threading.Lock()


def parse(source: str | bytes, filename: str = "<unknown>") -> ast.Module:
    """Parse a source as ``ast.parse`` does, one thread at a time.

    All threads share the depth that CPython counts while it builds the tree. If the garbage collector lets another
    thread parse meanwhile, ``ast.parse`` raises ``SystemError`` (CPython issue 106905, in 3.11 and 3.12).

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: it cannot be parsed.
    """
    with _PARSING:
        return ast.parse(source, filename)
