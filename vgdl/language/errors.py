"""Errors and warnings about games and levels, with the place, the line, what was expected and a suggestion.

A `VGDLError` means that a text cannot be played, a `VGDLWarning` that it can, though the reference may log a message; a
`VGDLRuntimeError` ends a running game. All three are printed in this form::

    aliens.txt:12:14: parameter 'speed=' has no value: line ignored
            alien > Bomber speed= 0.8
                           ^^^^^^
    expected key=value, without blanks
    did you mean 'speed=0.8'?
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from .description import Place, Source

QUOTE_WIDTH = 100  #: maximum characters shown of an offending line
MESSAGE_WIDTH = 400  #: maximum characters shown of a message
_MARGIN = "    "
_LONGEST_WORD = 64  #: `nearest` ignores longer words, as its time is quadratic in their length


class Report(Exception):
    """Base class of errors and warnings: a message, its place, what was expected, and a suggestion."""

    def __init__(
        self,
        message: str,
        source: Source | None = None,
        place: Place | None = None,
        expected: Iterable[str] = (),
        suggestion: str | None = None,
    ) -> None:
        self.message = message
        self.source = source
        self.place = place
        self.expected = tuple(expected)
        self.suggestion = suggestion
        # Unpickling calls the class with `args`.
        super().__init__(message, source, place, self.expected, suggestion)

    def __str__(self) -> str:
        parts = [f"{self._position()}{_visible(_clipped(self._headline()))}"]
        if self.source and self.place and self.place.line <= len(self.source.lines):
            parts += _excerpt(self.source.lines[self.place.line - 1], self.place)
        if self.expected:
            parts.append(f"expected {_visible(_either(self.expected))}")
        if self.suggestion is not None:
            parts.append(f"did you mean '{_visible(_clipped(self.suggestion))}'?")
        return "\n".join(parts)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._position() + _clipped(self._headline())!r})"

    def _headline(self) -> str:
        return self.message

    def _position(self) -> str:
        """``file:line:column:`` and a blank; without line and column, or empty, where they are unknown."""
        if self.source is None:
            return ""
        name = _visible(self.source.name)
        return f"{name}:{self.place.line}:{self.place.column}: " if self.place else f"{name}: "


class VGDLError(Report):
    """The text is not a valid game or level: an error that the specification calls fatal (language, 12).

    >>> try:
    ...     vgdl.load("sokobann")
    ... except vgdl.VGDLError as error:
    ...     print(error.suggestion)
    sokoban
    """


class VGDLWarning(Report, UserWarning):
    """Something that the reference accepts, with messages in its log (language, 12) or without (`vgdl.lint`).

    >>> text = "BasicGame\\n    SpriteSet\\n        avatar > MovingAvatar speed=\\n"
    >>> print(vgdl.loads(text).warnings[0].message)
    parameter 'speed=' has no value: line ignored
    """

    def __init__(
        self,
        message: str,
        source: Source | None = None,
        place: Place | None = None,
        expected: Iterable[str] = (),
        suggestion: str | None = None,
        messages: int = 1,
    ) -> None:
        super().__init__(message, source, place, expected, suggestion)
        self.messages = messages  #: number of entries in the reference's message log (engine, 7.8)
        self.args = (*self.args, messages)

    def without_messages(self) -> VGDLWarning:
        """The same report of something that the reference does not log."""
        return type(self)(self.message, self.source, self.place, self.expected, self.suggestion, 0)

    def as_error(self) -> VGDLError:
        """The same report as an error, for strict loading."""
        return VGDLError(self.message, self.source, self.place, self.expected, self.suggestion)


class TruncatedGameWarning(VGDLWarning):
    """Part of a game text is not read, so the game is played without the rules in it (language, 4.5 and 14).

    The functions that load a game issue these warnings with `warnings.warn`, as well as listing them in
    `vgdl.Game.warnings`.

    >>> import warnings
    >>> text = '''
    ... BasicGame
    ...     SpriteSet
    ...         avatar > MovingAvatar
    ...     InteractionSet
    ...         avatar EOS > stepBak
    ... '''
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     game = vgdl.loads(text)
    >>> caught[0].category.__name__, game.warnings[0].suggestion
    ('TruncatedGameWarning', 'stepBack')
    """


class VGDLRuntimeError(Report):
    """A running game cannot continue; ``place`` is that of the rule that failed.

    >>> game = vgdl.loads('''
    ... BasicGame
    ...     SpriteSet
    ...         ghost >
    ...             pale > Immovable
    ...         avatar > MovingAvatar
    ...     LevelMapping
    ...         A > avatar
    ...     InteractionSet
    ...         avatar EOS > transformTo stype=ghost
    ... ''')
    >>> state = game.start("A\\n", seed=1)
    >>> state.advance(vgdl.Action.LEFT)
    >>> error = game.runtime_error(state)
    >>> error.tick, error.message
    (0, 'a sprite was to be created of a type that is unknown or has no usable class')
    """

    def __init__(
        self,
        message: str,
        source: Source | None = None,
        place: Place | None = None,
        expected: Iterable[str] = (),
        suggestion: str | None = None,
        tick: int | None = None,
    ) -> None:
        super().__init__(message, source, place, expected, suggestion)
        self.tick = tick  #: game tick of the failure; None before the first
        self.args = (*self.args, tick)

    def _headline(self) -> str:
        return self.message if self.tick is None else f"{self.message} (tick {self.tick})"


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word most similar to ``word``, or None; one that differs only in case is preferred."""
    if len(word) > _LONGEST_WORD:
        return None
    candidates = list(known)
    folded = word.casefold()
    for candidate in candidates:
        if candidate.casefold() == folded:
            return candidate
    close = difflib.get_close_matches(word, candidates, n=1)
    return close[0] if close else None


def suggestion(word: str, known: Iterable[str]) -> str:
    """The hint ``" (did you mean 'aliens'?)"`` after an unknown word; empty if no known word is similar."""
    near = nearest(word, known)
    return f" (did you mean {near!r}?)" if near else ""


def _excerpt(line: str, place: Place) -> list[str]:
    """The quoted line, clipped around the place, and a line of carets below it."""
    start = place.column - 1
    begin = max(0, min(start - QUOTE_WIDTH // 3, len(line) - QUOTE_WIDTH))
    end = begin + QUOTE_WIDTH
    shown = _visible(line[begin:end])
    if begin > 0:
        shown = "…" + shown[1:]
    if end < len(line):
        shown = shown[:-1] + "…"
    carets = "^" * max(1, min(place.length, end - start))
    return [(_MARGIN + shown).rstrip(), _MARGIN + " " * (start - begin) + carets]


def _visible(text: str) -> str:
    """``text`` with each unprintable character replaced by one visible character, which keeps columns aligned."""
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else _picture(character) for character in text)


def _picture(character: str) -> str:
    if character == "\t":
        return " "
    if character < " ":
        return chr(0x2400 + ord(character))  # the block "Control Pictures"
    return "\N{SYMBOL FOR DELETE}" if character == "\x7f" else "\N{REPLACEMENT CHARACTER}"


def _clipped(text: str) -> str:
    return text if len(text) <= MESSAGE_WIDTH else text[: MESSAGE_WIDTH - 1] + "…"


def _either(alternatives: tuple[str, ...]) -> str:
    *most, last = alternatives
    return f"{', '.join(most)} or {last}" if most else last
