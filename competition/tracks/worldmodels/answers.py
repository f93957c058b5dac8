"""Extraction of programs from authors' answers: every fenced block of the right language is a candidate (7.1)."""

from __future__ import annotations

import re
from collections.abc import Sequence

MAX_CANDIDATES = 16
"""Most candidates of one answer."""

PYTHON = ("python", "py", "python3")


def candidates(text: str, languages: Sequence[str] = PYTHON) -> list[str]:
    """The programs of an answer, in order, including an unclosed block at the end.

    Args:
        text: the answer.
        languages: accepted info strings of the opening fence, in any case.
    """
    opens = re.compile(rf"^[ \t]*(`{{3,}}|~{{3,}})[ \t]*(?:{'|'.join(languages)})[ \t]*$", re.IGNORECASE)
    found: list[str] = []
    lines: list[str] | None = None
    fence = ""
    for line in text.encode(errors="replace").decode().splitlines():  # lone surrogates cannot be kept in files
        if lines is None:
            opening = opens.match(line)
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
