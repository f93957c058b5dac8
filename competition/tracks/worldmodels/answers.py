"""Programs in the answers of authors: every fenced block of Python is a candidate (7.1)."""

from __future__ import annotations

import re

MAX_CANDIDATES = 16
"""Blocks of one answer that are looked at."""

_OPEN = re.compile(r"^[ \t]*(`{3,}|~{3,})[ \t]*(?:python|py|python3)[ \t]*$", re.IGNORECASE)


def candidates(text: str) -> list[str]:
    """The programs of an answer, in order; a block that was cut off at the end counts too."""
    found: list[str] = []
    lines: list[str] | None = None
    fence = ""
    for line in text.splitlines():
        if lines is None:
            opening = _OPEN.match(line)
            if opening:
                lines, fence = [], opening[1]
        elif _closes(line, fence):
            found.append(_program(lines))
            lines = None
        else:
            lines.append(line)
    if lines is not None:
        found.append(_program(lines))
    return [program for program in found if program.strip()][:MAX_CANDIDATES]


def _closes(line: str, fence: str) -> bool:
    stripped = line.strip()
    return len(stripped) >= len(fence) and set(stripped) == {fence[0]}


def _program(lines: list[str]) -> str:
    return "\n".join(lines) + "\n"
