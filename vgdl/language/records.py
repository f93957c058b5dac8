"""Parses a line of a game text into a record (language, 2.1) by the rules of ``grammar.lark``."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import resources

from lark import Lark, Token
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from .description import (
    Argument,
    Arguments,
    Entry,
    GameLine,
    InteractionLine,
    MappingLine,
    Name,
    ParameterLine,
    Place,
    SectionKind,
    Source,
    SpriteLine,
    TerminationLine,
)
from .errors import VGDLWarning

_BLANK = " \t\v\f"  #: characters that separate words (language, 2.5); str.split() recognises more
_BLANKS = f"[{_BLANK}]+"
_GAME_RULE = "game_line"
_RULES = {
    SectionKind.SPRITES: "sprite_line",
    SectionKind.INTERACTIONS: "interaction_line",
    SectionKind.MAPPING: "mapping_line",
    SectionKind.TERMINATIONS: "termination_line",
    SectionKind.PARAMETERS: "parameter_line",
}


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a game text without comment and surrounding blanks; never empty."""

    source: Source
    number: int  #: from 1
    indentation: int  #: number of characters before the text; a tab counts as one (language, 2.4)
    text: str

    @property
    def has_tabs(self) -> bool:
        """Whether tabs are part of the indentation."""
        return "\t" in self.source.lines[self.number - 1][: self.indentation]

    @property
    def first_word(self) -> str:
        """The first word: the name of a sprite, section, termination or the like."""
        return re.split(_BLANKS, self.text, maxsplit=1)[0]

    @property
    def start(self) -> Place:
        """The place of the first word."""
        return self.place(0, len(self.first_word))

    def place(self, start: int, length: int) -> Place:
        """The place of ``length`` characters from index ``start`` of the text."""
        return Place(self.number, self.indentation + start + 1, length)

    def dropped(self, reason: str, place: Place, expected: str, suggestion: str | None = None) -> VGDLWarning:
        """A warning that this line is ignored."""
        return VGDLWarning(f"{reason}: line ignored", self.source, place, (expected,), suggestion)


def read_game_line(line: Line) -> GameLine:
    """The record of a line before the first section.

    Raises:
        VGDLWarning: the line cannot be read and is dropped.
    """
    first, *rest = _tokens(line, _GAME_RULE)
    return GameLine(_name(line, first), _arguments(line, rest))


def read_entry(line: Line, section: SectionKind) -> Entry:
    """The record of a line of ``section``, section headers included.

    Raises:
        VGDLWarning: the line cannot be read and is dropped.
    """
    first, *rest = _tokens(line, _RULES[section])
    return _READERS[section](line, first, rest)


def _sprite(line: Line, first: Token, rest: list[Token]) -> SpriteLine:
    class_name = _last_word(line, rest)
    is_definition = any(token.type == "MARK" for token in rest)
    return SpriteLine(_name(line, first), class_name, _arguments(line, rest), is_definition)


def _interaction(line: Line, first: Token, rest: list[Token]) -> InteractionLine:
    seconds = tuple(_name(line, token) for token in rest if token.type == "OBJECT")
    effect = _last_word(line, rest)
    arguments = _arguments(line, rest)
    return InteractionLine(_name(line, first), seconds, effect, arguments, effect is not None, line.text)


def _mapping(line: Line, first: Token, rest: list[Token]) -> MappingLine:
    # The second word leaves no token; only the length of the line shows whether there is one.
    is_header = len(first) == len(line.text)
    names = tuple(_name(line, token) for token in rest)
    return MappingLine(None if is_header else first[0], names, _place(line, first))


def _termination(line: Line, first: Token, rest: list[Token]) -> TerminationLine:
    return TerminationLine(_name(line, first), _arguments(line, rest))


def _parameter(line: Line, first: Token, rest: list[Token]) -> ParameterLine:
    arguments = _arguments(line, rest)
    if arguments and "values" not in arguments:  # language, 10
        raise line.dropped(f"parameter '{first}' has no values", _place(line, first), "values=...")
    return ParameterLine(_name(line, first), arguments)


_READERS: dict[SectionKind, Callable[[Line, Token, list[Token]], Entry]] = {
    SectionKind.SPRITES: _sprite,
    SectionKind.INTERACTIONS: _interaction,
    SectionKind.MAPPING: _mapping,
    SectionKind.TERMINATIONS: _termination,
    SectionKind.PARAMETERS: _parameter,
}


def _place(line: Line, token: Token) -> Place:
    return line.place(token.start_pos or 0, len(token))


def _name(line: Line, token: Token) -> Name:
    return Name(token.value, _place(line, token))


def _last_word(line: Line, tokens: Iterable[Token]) -> Name | None:
    word = None
    for token in tokens:
        if token.type == "WORD":
            word = token
    return None if word is None else _name(line, word)


def _arguments(line: Line, tokens: Iterable[Token]) -> Arguments:
    """All ``key=value``; text after a second ``=`` is ignored, later duplicates replace earlier ones."""
    arguments = {}
    for token in tokens:
        if token.type == "ARGUMENT":
            key, value, *_ = token.value.split("=", 2)
            start = token.start_pos or 0
            key_at = line.place(start, len(key))
            arguments[key] = Argument(key, value, key_at, line.place(start + len(key) + 1, len(value)))
    return arguments


@functools.cache
def _lark() -> Lark:
    """The parser for all kinds of lines, built on first use; concurrent first calls build equal parsers."""
    text = resources.files(__package__).joinpath("grammar.lark").read_text(encoding="utf-8")
    return Lark(text, parser="lalr", lexer="contextual", start=[_GAME_RULE, *_RULES.values()])


def _tokens(line: Line, rule: str) -> tuple[Token, ...]:
    try:
        return _tokens_of(line.text, rule)
    except UnexpectedInput as error:
        raise _explanation(line, error) from None


@functools.lru_cache(maxsize=1 << 12)
def _tokens_of(text: str, rule: str) -> tuple[Token, ...]:
    """The tokens of a line; texts that are learnt or generated share most lines with others."""
    tree = _lark().parse(text, start=rule)
    return tuple(token for token in tree.children if isinstance(token, Token))


def _explanation(line: Line, error: UnexpectedInput) -> VGDLWarning:
    """Why a line is dropped: an argument without a value, or an interaction without an effect."""
    if isinstance(error, UnexpectedToken) and error.token.type == "$END":
        end = line.place(len(line.text), 1)
        if "WORD" in error.expected:
            return line.dropped("interaction without an effect", end, "the name of an effect")
        return line.dropped("interaction without '>'", end, "'>' and the name of an effect")
    assert isinstance(error, UnexpectedCharacters | UnexpectedToken)
    start = error.pos_in_stream or 0
    word, following = _next_words(line.text, start)
    key = word.rstrip("=")
    if not key:  # "key = value": the key was read as a separate word
        key = re.split(_BLANKS, line.text[:start].rstrip(_BLANK))[-1]
    suggestion = f"{key}={following}" if following.strip(">=") else None
    reason = f"parameter '{word}' has no value"
    return line.dropped(reason, line.place(start, len(word)), "key=value, without blanks", suggestion)


def _next_words(text: str, start: int) -> tuple[str, str]:
    """The word at ``start`` and the one after it; empty at the end of the line."""
    word, *rest = re.split(_BLANKS, text[start:], maxsplit=2)
    return word, rest[0] if rest else ""
