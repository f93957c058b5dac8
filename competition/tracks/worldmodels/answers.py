"""Extraction of programs from authors' answers: every fenced block of the right language is a candidate (7.1)."""

from __future__ import annotations

import re
from collections.abc import Sequence

_OPENING = re.compile(r"^[ \t]*(`{3,}|~{3,})[ \t]*([\w+#-]*)(?:[ \t{:][^`]*)?$")
"""An opening fence, its language, and further words."""

MAX_CANDIDATES = 16
"""Most candidates of one answer."""

PYTHON = ("python", "py", "python3")

_SIGNS = {"vgdl": "BasicGame"}
"""What a block without a language has if it is a program, by language; `_SIGN` for others."""

_SIGN = "def "


def candidates(text: str, languages: Sequence[str] = PYTHON) -> list[str]:
    """The programs of an answer, in order, including an unclosed block at the end.

    Blocks without a language count if they look like programs and no block has the right language.

    Args:
        text: the answer.
        languages: accepted languages in the info string of the opening fence, in any case.
    """
    sign = _SIGNS.get(languages[0], _SIGN)
    blocks = _blocks(text)
    tagged = [program for language, program in blocks if language in languages]
    untagged = [program for language, program in blocks if not language and sign in program]
    return [program for program in tagged or untagged if program.strip()][:MAX_CANDIDATES]


def _blocks(text: str) -> list[tuple[str, str]]:
    """The fenced blocks of a text: language in lower case, and content."""
    found: list[tuple[str, str]] = []
    lines: list[str] | None = None
    fence = language = ""
    for line in text.encode(errors="replace").decode().splitlines():  # lone surrogates cannot be kept in files
        if lines is None:
            if opening := _OPENING.match(line):
                lines, fence, language = [], opening[1], opening[2].lower()
        elif _closes(line, fence):
            found.append((language, _program(lines)))
            lines = None
        else:
            lines.append(line)
    if lines is not None:
        found.append((language, _program(lines)))
    return found


def _closes(line: str, fence: str) -> bool:
    stripped = line.strip()
    return len(stripped) >= len(fence) and set(stripped) == {fence[0]}


def _program(lines: list[str]) -> str:
    return "\n".join(lines) + "\n"
