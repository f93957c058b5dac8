"""Reading a model's answer: normalise it, find the marked results and the move (GAMEBoT specification, 3).

The functions accept any text; a payload that is only partly understood counts as not understood.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

MAX_TEXT = 200_000
"""Maximum number of characters read of an answer, counted from its end, where the decision is."""


class Unreadable(ValueError):
    """A payload does not follow its grammar."""


Grammar = Callable[[str], Any]
"""Parses a payload; raises `Unreadable` unless it understands all of it."""

_ARROWS = re.compile(r"→|⇒|↦|–>|—>|−>|\\(?:to|rightarrow|Rightarrow)(?![a-z])")
_WRAPPERS = re.compile(r"\\(?:text|textbf|boxed|mathrm|mathbf)\s*\{([^{}]*)\}")
_THOUGHTS = re.compile(r"\A.*</think(?:ing)?>", re.DOTALL)  # up to the last end of a thinking block
_THINKING = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
_UNOPENED = re.compile(r"\A.*?</think(?:ing)?>", re.DOTALL)
_BLANKS = re.compile(r"[^\S\n]+")
_DECORATION = str.maketrans("", "", "*`$")
_BRACKETS = str.maketrans("【】「」〔〕", "[][][]")
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f]")

_BRACKET = re.compile(r"[\[\]]")
_MARKER = re.compile(r"(?:(\[)\s*)?intermediate thinking results?\s*(\d{1,3})\s*[:=]?")


def normalised(text: str) -> str:
    """A text in lower case without decoration: no thinking blocks, Markdown, LaTeX wrappers, odd arrows or brackets."""
    text = unicodedata.normalize("NFKC", text[-MAX_TEXT:]).lower()
    if thoughts := _THOUGHTS.match(text):  # only there: the time for blocks that never end would be quadratic
        text = _UNOPENED.sub(" ", _THINKING.sub(" ", thoughts[0])) + text[thoughts.end() :]
    text = _ARROWS.sub("->", text.translate(_BRACKETS))
    for _ in range(3):  # nested wrappers
        text = _WRAPPERS.sub(r"\1", text)
    text = _CONTROL.sub(" ", text.translate(_DECORATION))
    return _BLANKS.sub(" ", text)


@dataclass(frozen=True, slots=True)
class Reading:
    """The parsed form of one answer."""

    results: dict[int, Any] = field(default_factory=dict)  #: understood results by subproblem
    ambiguous: tuple[int, ...] = ()  #: subproblems that were answered several times in different ways
    move: Any = None  #: None if no move was understood
    loose_marker: bool = False  #: whether the move was in the last line without its marker


def read(text: str, grammars: dict[int, Grammar], move_marker: str, move: Grammar) -> Reading:
    """Parse the results of some subproblems and the move in an answer.

    Args:
        text: the model's text.
        grammars: grammars of the payloads, by number of the subproblem.
        move_marker: a regular expression for the words before the move, such as ``chosen move``.
        move: finds the first complete move in a text; raises `Unreadable` if there is none.
    """
    text = normalised(text)
    results: dict[int, Any] = {}
    ambiguous = []
    for number, grammar in grammars.items():
        values = [_understood(grammar, payload) for payload in _payloads(text, number)]
        if values and values[-1] is not _NOTHING:
            results[number] = values[-1]
        if any(value != values[-1] for value in values):
            ambiguous.append(number)
    chosen, loose = _move(text, move_marker, move)
    return Reading(results, tuple(ambiguous), chosen, loose)


_NOTHING = object()


def _understood(grammar: Grammar, payload: str) -> Any:
    try:
        return grammar(payload)
    except Unreadable:
        return _NOTHING


def _payloads(text: str, number: int) -> Iterator[str]:
    """The texts after each marker of a subproblem, in order.

    A payload ends at the bracket that closes the marker's own, or at the end of the line if there is none.
    """
    closings = _closings(text)
    for marker in _MARKER.finditer(text):
        if int(marker[2]) == number:
            start, line_end = marker.end(), text.find("\n", marker.end())
            end = closings.get(marker.start(1), line_end if line_end >= 0 else len(text))
            yield text[start:end].strip()


def _closings(text: str) -> dict[int, int]:
    """The places of the brackets that are closed, with those of the brackets that close them."""
    found, opened = {}, []
    for bracket in _BRACKET.finditer(text):
        if bracket[0] == "[":
            opened.append(bracket.start())
        elif opened:
            found[opened.pop()] = bracket.start()
    return found


def _move(text: str, marker: str, grammar: Grammar) -> tuple[Any, bool]:
    """The move, and whether it had no marker."""
    markers = list(re.finditer(marker, text))
    if markers:
        value = _understood(grammar, text[markers[-1].end() :])
        return (None if value is _NOTHING else value), False
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines:
        return None, False
    value = _understood(_whole(grammar), lines[-1])
    return (None, False) if value is _NOTHING else (value, True)


def _whole(grammar: Grammar) -> Grammar:
    """A grammar for moves that accepts only texts that are a move and nothing else."""
    return getattr(grammar, "whole", grammar)


# --------------------------------------------------------------------------------------------------------- grammars

_EMPTY = {"none", "no", "n/a", "-", "[]", ""}
_SEPARATORS = re.compile(r"(?:\s|[,;]|and\b)*")
_FRACTION = re.compile(r"([+-]?\d{1,9}(?:\.\d{1,9})?)\s*(?:/\s*(\d{1,9}(?:\.\d{1,9})?))?\s*(%?)")


def boolean(payload: str) -> bool:
    """``true`` or ``yes``, ``false`` or ``no``."""
    word = payload.strip(" .")
    if word in ("true", "yes"):
        return True
    if word in ("false", "no", "none"):
        return False
    raise Unreadable(payload)


def number(payload: str) -> float:
    """A number: sign, decimals, a fraction, a percent sign."""
    found = _FRACTION.fullmatch(payload.strip().rstrip("."))
    if found is None or (found[2] is not None and float(found[2]) == 0):
        raise Unreadable(payload)
    return float(found[1]) / (float(found[2]) if found[2] else 1.0)


def integer(payload: str) -> int:
    """A whole number."""
    value = number(payload)
    if value != int(value) or "%" in payload:
        raise Unreadable(payload)
    return int(value)


def choice(*words: str) -> Grammar:
    """One of some words or phrases; blanks may be written as hyphens or underscores."""
    blanks = r"[\s_-]+"
    known = re.compile("|".join(word.replace(" ", blanks) for word in words))

    def read_choice(payload: str) -> str:
        text = payload.strip(" .")
        if known.fullmatch(text):
            return re.sub(blanks, " ", text)
        raise Unreadable(payload)

    return read_choice


def items(token: re.Pattern[str], value: Callable[[re.Match[str]], Any]) -> Grammar:
    """A set of tokens, separated by commas, semicolons or ``and``; ``none`` and the like for the empty set."""

    def read_items(payload: str) -> frozenset[Any]:
        text = payload.strip()
        if text.rstrip(".") in _EMPTY:
            return frozenset()
        if text.startswith("[") and text.endswith("]"):
            text = text[1:-1]
        text = text.rstrip(". ")
        found, place = set(), _end(_SEPARATORS, text, 0)
        while place < len(text):
            match = token.match(text, place)
            if match is None:
                raise Unreadable(payload)
            found.add(value(match))
            place = _end(_SEPARATORS, text, match.end())
        if not found:
            raise Unreadable(payload)
        return frozenset(found)

    return read_items


def _end(pattern: re.Pattern[str], text: str, place: int) -> int:
    match = pattern.match(text, place)
    return match.end() if match else place


@dataclass(frozen=True, slots=True)
class MoveGrammar:
    """Finds the first complete move in a text; `whole` accepts only the move alone."""

    token: re.Pattern[str]
    value: Callable[[re.Match[str]], Any]

    def __call__(self, text: str) -> Any:
        match = self.token.search(text)
        if match is None:
            raise Unreadable(text[:80])
        return self.value(match)

    def whole(self, text: str) -> Any:
        match = self.token.fullmatch(text.strip(" .[]"))
        if match is None:
            raise Unreadable(text[:80])
        return self.value(match)


SQUARE = re.compile(r"\(\s*(\d)\s*,\s*(\d)\s*\)")  #: (row, column)
STEP = re.compile(r"\(\s*(\d)\s*,\s*(\d)\s*\)\s*->\s*\(\s*(\d)\s*,\s*(\d)\s*\)")  #: (row, column)->(row, column)


def numbers(match: re.Match[str]) -> tuple[int, ...]:
    """The groups of a token as numbers."""
    return tuple(map(int, match.groups()))
