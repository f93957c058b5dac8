"""Section headers, and lines that were meant as one."""

from __future__ import annotations

import difflib
import functools
import re
from collections.abc import Mapping

from .description import SectionKind

HEADERS: Mapping[str, SectionKind] = {kind.value: kind for kind in SectionKind}
IN_ANY_CASE: Mapping[str, SectionKind] = {kind.value.lower(): kind for kind in SectionKind}

_LONGEST = 40  # characters; longer lines are no headers
_SHORTEST, _LONGEST_WORD = 5, 20  # letters; others are not similar to any header
_SIMILAR, _VERY_SIMILAR = 0.7, 0.85  # least ratios of `difflib`


def intended_header(text: str, *, nested: bool = False) -> SectionKind | None:
    """The section that a line without ``>`` and ``=`` was meant to begin, such as ``Interactions`` or ``spriteset:``.

    Args:
        text: the line, without comment and surrounding blanks.
        nested: whether it stands where entries do, where only a very similar word is taken for a header.
    """
    if len(text) > _LONGEST or "=" in text or ">" in text:
        return None
    letters = re.sub(r"[\W_]+", "", text).lower()
    if not _SHORTEST <= len(letters) <= _LONGEST_WORD:
        return None
    if letters in IN_ANY_CASE:
        return IN_ANY_CASE[letters]
    return _nearest(letters, _VERY_SIMILAR if nested else _SIMILAR)


@functools.lru_cache(maxsize=1024)
def _nearest(letters: str, cutoff: float) -> SectionKind | None:
    near = difflib.get_close_matches(letters, IN_ANY_CASE, n=1, cutoff=cutoff)
    return IN_ANY_CASE[near[0]] if near else None
