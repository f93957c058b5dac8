"""Reading a model's answer: its marked results and its marked move (GAMEBoT specification, 3).

Any text can be read. A marker counts where it begins a line, decoration aside, or where a bracket holds it and its
payload; the last one of a subproblem counts, and the last marked line has the move. What is missing, or only partly
understood, is unreadable.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from vgdl.competition.tracks.gamebot.grammars import Grammar, Mode, MoveGrammar, Unreadable
from vgdl.competition.tracks.gamebot.notation import normalised

_MOST_LINES = 12
"""Lines below a marker that are tried as its payload."""

_START = r"(?:^[ >#+•|-]{0,16}(?:\(?(?:\d{1,2}|[a-c])[.)] ?){0,2}[ >#+•|:({-]{0,8})"
"""The beginning of a line with its decoration: headings, quotations, bullets, numbers."""

_BRACKET = re.compile(r"[\[\]]")
_COLON = r"(?:[:=|]|->|-(?=\s)|-(?=[^\s\d]))"  # a dash, but not that of a negative number
_MARKER = re.compile(
    r"(?:(?P<open>\[)\s{0,4})?(?:the )?intermediate[\s_-]{0,3}thinking[\s_-]{0,3}results?[\s_-]{0,3}"
    r"(?:no\.?|number)? ?[(#]{0,2}(?P<number>\d{1,3})\)?"
    rf"(?:(?: ?[-,])? ?\(?[a-z][a-z' -]{{0,40}}\)?(?= ?[:=]))?(?P<separator> ?{_COLON})?"
)
_TAIL = re.compile(rf"[ )}}\]]{{0,4}}(?P<separator>{_COLON})?")
_LEAD = re.compile(_START + r"(?:[^\n:.\[\]]{0,60}: ?)?[ \[]{0,3}", re.MULTILINE)
_LONGEST_LEAD = 140
_BULLET = re.compile(r"^[-•+>] ")


@dataclass(frozen=True, slots=True)
class Reading:
    """The parsed form of one answer."""

    results: dict[int, Any] = field(default_factory=dict)  #: understood results by subproblem
    ambiguous: tuple[int, ...] = ()  #: subproblems that were answered several times in different ways
    move: Any = None  #: None if no move was understood
    loose_marker: bool = False  #: whether the move did not stand on a line that begins with its marker


def read(
    text: str, grammars: Mapping[int, Grammar], move_marker: str, move: MoveGrammar, mode: Mode = Mode.PAPER
) -> Reading:
    """Parse the results of some subproblems and the move in an answer.

    Args:
        text: the model's text.
        grammars: grammars of the payloads, by number of the subproblem.
        move_marker: a regular expression for the words before the move, such as ``chosen move``.
        move: finds the move in the text after its marker; raises `Unreadable` if there is none.
        mode: which forms of payloads count.
    """
    text = normalised(text)
    values: dict[int, list[Any]] = {}
    ends = re.compile(rf"{_START}\[? ?{move_marker}|intermediate[\s_-]*thinking", re.MULTILINE)
    for number, payloads, is_certain in _marked(text, ends):
        if number in grammars:
            value = _first_understood(grammars[number], payloads, mode)
            if value is not _NOTHING or is_certain:
                values.setdefault(number, []).append(value)
    results = {number: found[-1] for number, found in sorted(values.items()) if found[-1] is not _NOTHING}
    ambiguous = [number for number, found in sorted(values.items()) if any(value != found[-1] for value in found)]
    chosen, loose = _move(text, move_marker, move)
    return Reading(results, tuple(ambiguous), chosen, loose)


_NOTHING = object()


def _first_understood(grammar: Grammar, payloads: Iterator[str], mode: Mode) -> Any:
    for payload in payloads:
        try:
            return grammar(payload, mode)
        except Unreadable:
            continue
    return _NOTHING


def _marked(text: str, ends: re.Pattern[str]) -> Iterator[tuple[int, Iterator[str], bool]]:
    """The markers of subproblems: number, texts that may be the payload, and whether it counts if none is understood.

    A payload ends at the bracket that closes the marker's own, or at the end of the line. If nothing is there, it is
    on the following lines.
    """
    closings = _closings(text)
    for marker in _MARKER.finditer(text):
        number, start = int(marker["number"]), marker.end()
        closing = closings.get(marker.start("open"), -1) if marker["open"] else -1
        payload = text[start : max(closing, start)].strip()
        if payload and not ends.search(payload):
            yield number, iter([payload]), True
            continue
        is_empty = closing >= 0 and not payload
        tail = _TAIL.match(text, closing + 1 if is_empty else start)
        separated = bool(marker["separator"] or (tail and tail["separator"]) or is_empty)
        if tail and (is_empty or not marker["separator"]):
            start = tail.end()
        line = _line(text, start, ends)
        if _begins_line(text, marker.start()):
            yield number, _below(text, start, line, ends), separated or not line.strip()
        elif is_empty and separated and line.strip():
            yield number, iter([line.strip()]), False


def _begins_line(text: str, place: int) -> bool:
    """Whether nothing but decoration and a label is between the beginning of its line and a place."""
    start = text.rfind("\n", max(0, place - _LONGEST_LEAD), place) + 1
    if start == 0 and place > _LONGEST_LEAD:
        return False
    return _LEAD.fullmatch(text, start, place) is not None


def _line(text: str, start: int, ends: re.Pattern[str]) -> str:
    """The rest of a line up to the next marker."""
    end = text.find("\n", start)
    end = len(text) if end < 0 else end
    following = ends.search(text, start, end)
    return text[start : following.start() if following else end].rstrip(" [(|;")


def _below(text: str, start: int, line: str, ends: re.Pattern[str]) -> Iterator[str]:
    """Texts that may be the payload: the line, or if it is empty or ends with a comma, with lines below, most first."""
    line = _unmatched(line.strip())
    if line and not line.endswith((",", ";", " and")):
        yield line
        return
    lines = [line] if line else []
    place = start
    while len(lines) < _MOST_LINES:
        place = text.find("\n", place) + 1
        if not place:
            break
        further = _line(text, place, re.compile(r"(?!)"))
        if ends.search(further):
            break
        if further.strip(" |[]"):
            lines.append(_unmatched(_BULLET.sub("", further.strip(" |"))))
        elif lines and further.strip() == "":
            break
    for number in range(len(lines), 0, -1):
        yield ", ".join(each.rstrip(",;") for each in lines[:number])


def _unmatched(text: str) -> str:
    """Without a closing bracket at its end, or an opening one at its beginning, that has no partner."""
    if text.endswith("]") and text.count("]") > text.count("["):
        return text[:-1].rstrip()
    return text[1:].lstrip() if text.startswith("[") and text.count("[") > text.count("]") else text


def _closings(text: str) -> dict[int, int]:
    """The places of the brackets that are closed, with those of the brackets that close them."""
    found, opened = {}, []
    for bracket in _BRACKET.finditer(text):
        if bracket[0] == "[":
            opened.append(bracket.start())
        elif opened:
            found[opened.pop()] = bracket.start()
    return found


# ----------------------------------------------------------------------------------------------------------- the move

_SEPARATOR = r"(?: ?\([a-z][a-z0-9 ,'-]{0,30}\))? ?(?:\] ?[:=]?|[:=]|->|(?=\n|\Z))"
_WORDS = r"(?:(?:so|thus|therefore|hence|finally|then|and|my|the|our|final|best|answer|decision)\b[ ,:]{0,3}){0,4}"
_IS = r" ?(?:[:=]|->|-(?!\d)|is\b ?:?|\]|) ?"


def _move(text: str, marker: str, grammar: MoveGrammar) -> tuple[Any, bool]:
    """The move, and whether its marker was missing or did not begin a line."""
    marked = list(re.finditer(rf"{_START}\[? ?{marker}{_SEPARATOR}", text, re.MULTILINE))
    if marked:
        return _on_line(text, marked[-1].end(), grammar), False
    led = re.finditer(rf"{_START}\[?{_WORDS}\[?{marker}{_IS}", text, re.MULTILINE)
    within = re.finditer(rf"(?<=[^\w'])(?:\[{marker}\s*\] ?[:=]?|\[?{marker} ?[:=]) ?", text)
    moves = [_at(text, found.end(), grammar) for found in led]
    moves += [_at(text, found.end(), grammar, whole=True) for found in within]
    if chosen := [move for move in moves if move is not None]:
        return chosen[-1], True
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines or lines[-1].count("[") != lines[-1].count("]"):
        return None, False
    try:
        return grammar.whole(lines[-1]), True
    except Unreadable:
        return None, False


def _on_line(text: str, start: int, grammar: MoveGrammar) -> Any:
    """The move on a marked line, or if nothing else is there, at the beginning of the next; None if there is none."""
    rest, *below = text[start:].split("\n", _MOST_LINES)
    below = [line for line in below[: _MOST_LINES - 1] if line.strip(" |[]")]
    if rest.strip(" |[]{}()") == "" and below:
        return _starting(below, grammar)
    for number in range(1, grammar.lines + 1):
        try:
            return grammar(" ".join([rest, *below[: number - 1]]))
        except Unreadable:
            continue
    return None


def _starting(lines: list[str], grammar: MoveGrammar) -> Any:
    """The move that some lines begin with."""
    for number in range(1, grammar.lines + 1):
        value = grammar.beginning(" ".join(lines[:number]))
        if value is not None:
            return value
    return None


def _at(text: str, start: int, grammar: MoveGrammar, *, whole: bool = False) -> Any:
    """The move that a line begins with, or is as a whole; None if there is none."""
    end = text.find("\n", start)
    line = text[start : end if end >= 0 else len(text)]
    if not whole:
        return grammar.beginning(line)
    try:
        return grammar.whole(line)
    except Unreadable:
        return None
