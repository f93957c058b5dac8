"""The grammars of payloads and moves.

Every grammar reads a text strictly, as the prompts describe it, or as the paper's own programs do (`Mode`), which look
for the answer in a payload: with a label before it, a unit behind it, or an explanation in brackets.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any


class Mode(enum.StrEnum):
    """How payloads are read."""

    PAPER = "paper"  #: forms count that the paper's programs accept, such as ``y = 78`` or ``Rank 9 - One Pair``
    STRICT = "strict"  #: only the forms that the prompt describes


_LONGEST_PAYLOAD = 1500
"""Number of characters of the longest payload that is read: no true answer has as many."""


class Unreadable(ValueError):
    """A payload does not follow its grammar."""


@dataclass(frozen=True, slots=True)
class Grammar:
    """Parses a payload; raises `Unreadable` unless it understands all of it."""

    strict: Callable[[str], Any]
    forms: Callable[[str], Iterator[str]]  #: plainer texts that the paper's programs would find in a payload

    def __call__(self, payload: str, mode: Mode = Mode.STRICT) -> Any:
        if len(payload) > _LONGEST_PAYLOAD:
            raise Unreadable(payload[:80])
        for text in (payload, *(self.forms(payload) if mode is Mode.PAPER else ())):
            try:
                return self.strict(text)
            except Unreadable:
                continue
        raise Unreadable(payload[:80])


# --------------------------------------------------------------------------------------------------------------- parts

_LABEL = re.compile(r"[a-z][a-z' _-]{0,40}\s*[:=≈]\s*(?=\S)|(?:the )?answer is\s+(?=\S)")
_REMARK = re.compile(r"\s*[(\[](?![^()]*(?:\bor\b|\bnot\b|\?))[^()\[\]]*[)\]]\s*\.?\s*$")
_PAIRS = ("[]", "{}", "()")
_SEPARATORS = re.compile(r"(?:\s|[,;•|&']|and\b|-(?=\s))*")
_EMPTY = re.compile(r"none|no|n/a|-|\[\s*\]|\{\s*\}|\(\s*\)|empty(?: set| list)?|nothing|null|there (?:are|is) none")
_EXPLAINED = re.compile(
    r"(none|no|n/a|true|yes|false)\s*(?:[.,;:(!]|-\s|\b(?=of\b|because\b|since\b|as\b|available\b|found\b|exists?\b))(.*)",
    re.DOTALL,
)
_DOUBT = re.compile(
    r"\b(?:or|not|no|but|maybe|perhaps|possibly|about|around|roughly|nearly|between|over|under|than|least|most|vs)\b|n't\b|\?"
)
_ASIDE = re.compile(r"\([^()]*[a-z]{2}[^()]*\)")
_AFTERTHOUGHT = re.compile(r"\s(?:-\s|because\b|since\b|which\b).*\Z", re.DOTALL)
_WORD = re.compile(r"[a-z]{3}|\d")
_TRUTHS = re.compile(r"\b(?:true|false|yes|no|not|or|but|maybe|perhaps)\b|n't\b")


def _plain(payload: str) -> str:
    """Without blanks and the full stop at its end."""
    return payload.strip().rstrip("!").removesuffix(".").strip()


def _unlabelled(payload: str) -> str:
    found = _LABEL.match(payload)
    return payload[found.end() :] if found else payload


def _unbracketed(text: str) -> str:
    """Without a pair of brackets around it."""
    if (
        len(text) > 1
        and text[0] + text[-1] in _PAIRS
        and not any(bracket in text[1:-1] for bracket in text[0] + text[-1])
    ):
        return text[1:-1].strip()
    return text


def _common_forms(payload: str) -> Iterator[str]:
    text = _unlabelled(payload.strip())
    yield text
    yield _REMARK.sub("", text)


# ------------------------------------------------------------------------------------------------------------- payloads


def _boolean(payload: str) -> bool:
    word = _unbracketed(_plain(payload))
    if word in ("true", "yes"):
        return True
    if word in ("false", "no", "none"):
        return False
    raise Unreadable(payload)


def _boolean_forms(payload: str) -> Iterator[str]:
    yield from _common_forms(payload)
    found = _EXPLAINED.match(_unlabelled(payload.strip()))
    if found and _WORD.search(found[2]) and not _TRUTHS.search(found[2]):
        yield found[1]


boolean = Grammar(_boolean, _boolean_forms)
"""``true`` or ``yes``, ``false`` or ``no``."""

_NUMBER = re.compile(r"([+-]?\d{1,9}(?:\.\d{1,9})?)\s*(?:/\s*(\d{1,9}(?:\.\d{1,9})?))?\s*(%?)")
_UNIT = re.compile(r"(?<=[\d.%])\s*(?:%|percent|per cent|points?|pts|pixels?|px|units?)\s*\.?$")
_TERM_LABEL = re.compile(r"(?:[a-z\d][\w' (),]{0,60}?\s*)?(?:[:=≈~]|\bis\b)\s*")  # also the key of a hand, such as 43s
_SUM = re.compile(r"[\d\s()+*×·x/.,^%-]{3,120}(?:[=≈]|->)")


def _number(payload: str) -> float:
    found = _NUMBER.fullmatch(_unbracketed(_plain(payload)))
    if found is None or (found[2] is not None and float(found[2]) == 0):
        raise Unreadable(payload)
    return float(found[1]) / (float(found[2]) if found[2] else 1.0)


def _integer(payload: str) -> int:
    value = _number(payload)
    if value != int(value) or "%" in payload:
        raise Unreadable(payload)
    return int(value)


def _number_forms(payload: str) -> Iterator[str]:
    """Without a label or the computation, a remark in brackets, and a unit."""
    text = _plain(payload)
    for before in (text, _REMARK.sub("", text)):
        bare = before
        for _ in range(3):  # a label, and a chain of equations
            found = _TERM_LABEL.match(bare) or _SUM.match(bare)
            bare = bare[found.end() :].strip() if found and not _DOUBT.search(found[0]) else bare
            unitless = _UNIT.sub("", bare).strip()
            yield bare
            yield unitless
    percents = _PERCENT.findall(text)
    if len(percents) == 1 and not _DOUBT.search(text) and not _DIGITS.search(_PERCENT.sub("", text)):
        yield percents[0]


_PERCENT = re.compile(r"(?<![\d.])\d{1,3}(?:\.\d{1,4})?\s*%")
_DIGITS = re.compile(r"(?<!\w)\d+(?:\.\d+)?(?![\w.])")  # a number, but not the key of a hand, such as 43s

number = Grammar(_number, _number_forms)
"""A number: sign, decimals, a fraction, a percent sign."""

integer = Grammar(_integer, _number_forms)
"""A whole number."""


def choice(*words: str) -> Grammar:
    """One of some phrases; blanks may be written as hyphens or underscores, in the paper's mode in another order."""
    blanks = r"[\s_,/-]+(?:and\s+)?"
    known = {frozenset(word.split()): word for word in words}
    strict = re.compile("|".join(word.replace(" ", r"[\s_-]+") for word in words))

    def read_choice(payload: str) -> str:
        text = _unbracketed(_plain(payload))
        if strict.fullmatch(text):
            return re.sub(r"[\s_-]+", " ", text)
        raise Unreadable(payload)

    def forms(payload: str) -> Iterator[str]:
        for text in (payload, *_common_forms(payload)):
            parts = re.split(blanks, _unbracketed(_plain(text)))
            yield known.get(frozenset(parts), "") if len(parts) == 2 else text

    return Grammar(read_choice, forms)


def items(token: re.Pattern[str], value: Callable[[re.Match[str]], Any]) -> Grammar:
    """A set of tokens, separated by commas, semicolons, lines or ``and``; ``none`` and the like for the empty set.

    An empty payload is no set: an answer that is missing is not the answer that there is nothing.
    """

    def read_items(payload: str) -> frozenset[Any]:
        text = _plain(payload)
        inner = text[1:-1].strip() if text[:1] + text[-1:] in _PAIRS else ""
        for candidate in (text, inner):
            if _EMPTY.fullmatch(candidate):
                return frozenset()
            if found := _tokens(candidate):
                return found
        raise Unreadable(payload)

    def _tokens(text: str) -> frozenset[Any]:
        """The tokens of a text that contains nothing else; none if it does."""
        found, place = set(), _end(_SEPARATORS, text, 0)
        while place < len(text):
            match = token.match(text, place)
            if match is None:
                return frozenset()
            found.add(value(match))
            place = _end(_SEPARATORS, text, match.end())
        return frozenset(found)

    def without_aside(match: re.Match[str]) -> str:
        return match[0] if token.search(match[0]) or _DOUBT.search(match[0]) else ""

    def forms(payload: str) -> Iterator[str]:
        text = payload.strip()
        for base in (text, _unlabelled(text)):
            yield base
            plain = _ASIDE.sub(without_aside, base)
            yield plain
            end = _AFTERTHOUGHT.search(plain)
            if end and _WORD.search(end[0]) and not token.search(end[0]) and not _DOUBT.search(end[0]):
                yield plain[: end.start()]
        explained = _EXPLAINED.match(_unlabelled(text))
        is_none = explained[1] in ("none", "no", "n/a") if explained else text.startswith("no ")
        if is_none and not token.search(text) and _WORD.search(explained[2] if explained else text):
            yield "none"

    return Grammar(read_items, forms)


def _end(pattern: re.Pattern[str], text: str, place: int) -> int:
    match = pattern.match(text, place)
    return match.end() if match else place


# ---------------------------------------------------------------------------------------------------------------- moves

_LONGEST_MOVE = 1000
"""Number of characters after a marker in which a move is looked for."""

_OPENING = re.compile(
    r"(?:[\s\[({<>:=#.,|+-]|i(?:'ll| will| would)?(?: now)?\s+(?:choose|play|pick|select|take|go(?: for| with)?|make)?"
    r"|(?:my |the )?(?:move|action|answer|choice|decision)(?: is)?\b|(?:to|is|play|choose|take|go|option|let's)\b)*"
)
_NEGATION = re.compile(
    r"\b(?:not|never|cannot|cant|dont|wont|neither|nor|without|no|refuse|refusing|reject|avoid|decline|than|unable"
    r"|unwilling|reluctant|hesitate|hard|difficult|impossible|early|late|fail|failed|against)\b|n't\b"
    r"|\b(?:instead of|rather than|because of|would have)\b"
)
_CONDITION = re.compile(r"\b(?:if|unless|whether|when)\b")
_RENEWAL = re.compile(r"[;!?\n]|\.(?!\d)|\b(?:but|however|so|therefore|hence|thus)\b|\binstead\b(?! of)")
_DENIAL = re.compile(
    r"[\s)\]]*(?:\?|,?\s*(?:is|are|was|would be|will|would|does|do|can|could|should|must)\s*(?:n't|not\b)|cannot\b"
    r"|is (?:illegal|wrong|bad|occupied|taken|impossible|out)\b|\bif\b|\bunless\b)"
)
_ALTERNATIVE = re.compile(
    r"[\s)\]]*(?:,?\s*(?:or|vs\.?|versus)\b|/)\s*(?:(?:maybe|perhaps|possibly|rather|else)\s+)?\[?(?!\d,)"
)
_EXPLANATION = re.compile(r"\s*(?:$|[.,;:(!]|-\s|because\b|since\b|as\b|to\b)")
_CLAUSE_START = re.compile(r"(?:^|[;:,.!?\n\[({>]|->|\b(?:but|so|therefore|hence|thus|instead)\b)[\s\[({:,-]*\Z")
_CLAUSE_END = re.compile(r"[\s\])}]*(?:$|[;,.!?\n])")


@dataclass(frozen=True, slots=True)
class MoveGrammar:
    """Finds the move in the text after its marker.

    The words of a move are whole words and not negated. The text may begin with the move, or have it as a clause of its
    own, or anywhere if it names no other; else it is unreadable.
    """

    token: re.Pattern[str]
    value: Callable[[re.Match[str]], Any]
    alone: re.Pattern[str] | None = None  #: short forms that count only where the text begins with them
    lines: int = 1  #: lines over which a move may extend

    def __call__(self, text: str) -> Any:
        text = text.strip()[:_LONGEST_MOVE]
        if short := self._short(text):
            return self.value(short)
        tokens = [found for found in self.token.finditer(text) if not _is_negated(text, found)]
        if not tokens:
            raise Unreadable(text[:80])
        first = tokens[0]
        if _OPENING.fullmatch(text, 0, first.start()):
            self._check_alternative(text, first)
            return self.value(first)
        for found in tokens:
            self._check_alternative(text, found)
        clauses = [found for found in tokens if _is_clause(text, found)]
        values = {self.value(found) for found in clauses or tokens}
        if len(values) != 1:
            raise Unreadable(text[:80])
        return values.pop()

    def beginning(self, text: str) -> Any:
        """The move that a text begins with; None if it does not begin with one."""
        text = text.strip()[:_LONGEST_MOVE]
        found = self.token.search(text)
        if found is None or not _OPENING.fullmatch(text, 0, found.start()) or _is_negated(text, found):
            found = self._short(text)
        try:
            if found:
                self._check_alternative(text, found)
            return self.value(found) if found else None
        except Unreadable:
            return None

    def whole(self, text: str) -> Any:
        """Accepts only the move alone."""
        bare = self._bare(text)
        match = self.token.fullmatch(bare) or (self.alone.fullmatch(bare) if self.alone else None)
        if match is None:
            match = self.token.fullmatch(text.strip(" .[]"))
        if match is None:
            raise Unreadable(text[:80])
        return self.value(match)

    def _short(self, text: str) -> re.Match[str] | None:
        """A short form that a text is, or begins with before an explanation."""
        found = self.alone.match(self._bare(text)) if self.alone else None
        return found if found and _EXPLANATION.match(self._bare(text), found.end()) else None

    def _bare(self, text: str) -> str:
        return re.sub(r"^[\s>#-]+", "", _unbracketed(text.strip(" .!"))).strip(" .!")

    def _check_alternative(self, text: str, match: re.Match[str]) -> None:
        """Raise `Unreadable` if another move is named as just as good."""
        if between := _ALTERNATIVE.match(text, match.end()):
            other = self.token.match(text, between.end())
            if other and self.value(other) != self.value(match):
                raise Unreadable(text[:80])


def _is_negated(text: str, match: re.Match[str]) -> bool:
    if _DENIAL.match(text, match.end()):
        return True
    before = text[: match.start()]
    start = max((renewal.end() for renewal in _RENEWAL.finditer(before)), default=0)
    if _CONDITION.search(before, start):
        return True
    if not _NEGATION.search(before, start):
        return False
    comma = before.rfind(",", start)
    is_clause = comma >= 0 and _OPENING.fullmatch(before, comma + 1) and _CLAUSE_END.match(text, match.end())
    return not is_clause  # "I will not fold, I go all in."


def _is_clause(text: str, match: re.Match[str]) -> bool:
    opened = _CLAUSE_START.search(text[max(0, match.start() - 40) : match.start()])
    return bool((opened or not text[: match.start()].strip()) and _CLAUSE_END.match(text, match.end()))


SQUARE = re.compile(r"[(\[]\s*(?:row\s*[:=]?\s*)?(\d)\s*,\s*(?:col(?:umn)?\s*[:=]?\s*)?(\d)\s*[)\]]")  #: (row, column)
PAIR = re.compile(r"(\d)\s*,\s*(\d)(?!\s*,?\s*\d)|row\s*[:=]?\s*(\d)\s*,?\s*(?:and\s+)?col(?:umn)?\s*[:=]?\s*(\d)")
"""A square without its brackets."""
STEP = re.compile(
    r"[(\[]\s*(\d)\s*,\s*(\d)\s*[)\]]\s*(?:->|-|x|to)\s*[(\[]\s*(\d)\s*,\s*(\d)\s*[)\]]"
)  #: (row, column)->(row, column)


def numbers(match: re.Match[str]) -> tuple[int, ...]:
    """The groups of a token as numbers."""
    return tuple(int(group) for group in match.groups() if group is not None)


def one_of(words: Sequence[str]) -> str:
    """A regular expression for some phrases, whose blanks may be hyphens, underscores or missing."""
    return "|".join(word.replace(" ", r"[\s_-]*") for word in words)
