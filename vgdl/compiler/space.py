"""Game spaces: placeholders for parameter values to be chosen (language, 10)."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass

from vgdl.compiler.reading import Log, split
from vgdl.language import Argument, ParameterLine, Place, VGDLError, nearest


@dataclass(frozen=True, slots=True)
class Placeholder:
    """One line of a ParameterSet: the texts of its possible values, and the fixed value, if any."""

    name: str
    at: Place
    points: tuple[str, ...]
    value: str | None

    def allows(self, text: str) -> bool:
        """Whether a value in canonical form may be given.

        That is one of the points, a number of their kind between them, or the value that the game itself fixes.
        """
        if text in self.points or (self.value is not None and text == self.read(self.value)):
            return True
        try:
            bounds = [float(self.points[0]), float(self.points[-1])]
            return min(bounds) <= float(text) <= max(bounds) and ("." in self.points[0] or "." not in text)
        except ValueError:
            return False

    def read(self, value: object) -> str:
        """A value in canonical form: booleans in lower case, doubles with a decimal point (language, 10)."""
        text = str(value)
        if text.lower() in ("true", "false"):
            return text.lower()
        try:
            return repr(float(text)) if "." in self.points[0] else str(int(text))
        except ValueError:
            return text


def _points(log: Log, line: ParameterLine, values: Argument) -> tuple[str, ...]:
    """All possible values of a line, by index."""
    pieces = values.value.split(":")
    expected = ("min:increment:max", "true:false")
    try:
        if len(pieces) == 3 and any("." in piece for piece in pieces):
            low, step, high = (float(piece) for piece in pieces)
            count = 1 + int((high - low) / step)
            return tuple(repr(low + k * step) for k in range(_bounded(count)))
        if len(pieces) == 3:
            first, by, last = (int(piece) for piece in pieces)
            count = 1 + (int((last - first) / by) if by else _no_step(first, last))
            return tuple(str(first + k * by) for k in range(_bounded(count)))
    except (ValueError, ZeroDivisionError, OverflowError):
        raise log.error(f"{values.value!r} is not a range of values", values.value_at, expected) from None
    if len(pieces) >= 2 and all(piece.lower() in ("true", "false") for piece in pieces[:2]):
        first_flag, second_flag = (piece.lower() for piece in pieces[:2])
        return (first_flag,) if first_flag == second_flag else (first_flag, second_flag)
    raise log.error(f"{values.value!r} is not a range of values", values.value_at, expected)


def _no_step(first: int, last: int) -> int:
    if first != last:
        raise ValueError
    return 0


def _bounded(count: int) -> int:
    if not 1 <= count <= 1_000_000:
        raise ValueError
    return count


def read_placeholders(log: Log, lines: tuple[ParameterLine, ...]) -> dict[str, Placeholder]:
    """The placeholders by name; a later line of the same name replaces an earlier one, keeping its position."""
    found: dict[str, Placeholder] = {}
    for line in lines:
        values = line.arguments.get("values")
        points = _points(log, line, values) if values else ("",)
        fixed = line.arguments.get("value")
        found[line.name.text] = Placeholder(line.name.text, line.name.at, points, fixed.value if fixed else None)
    return found


def choose(placeholders: Mapping[str, Placeholder], parameters: Mapping[str, object], seed: int) -> dict[str, str]:
    """A text for every placeholder: given by the caller, fixed by the game, or drawn from the seed.

    A value that the game fixes need not lie in its range; one from the caller must, unless it is the same (language,
    10).

    Raises:
        VGDLError: a given name is unknown, or its value is of another kind or out of range. A number between two points
            is taken as it is, as the reference does (language, 10).
    """
    for name, value in parameters.items():
        if name not in placeholders:
            raise VGDLError(
                f"the game has no parameter {name!r}",
                expected=tuple(placeholders),
                suggestion=nearest(name, placeholders),
            )
        text = placeholders[name].read(value)
        if not placeholders[name].allows(text):
            points = placeholders[name].points
            shown = points if len(points) <= 8 else (*points[:3], "...", *points[-2:])
            raise VGDLError(f"parameter {name!r} cannot be {text}", expected=shown)
    draws = random.Random(seed)
    chosen = {}
    for name, placeholder in placeholders.items():
        drawn = draws.choice(placeholder.points)  # always drawn, so that fixing one does not change the others
        fixed = parameters.get(name, placeholder.value)
        chosen[name] = drawn if fixed is None else placeholder.read(fixed)
    return chosen


def decorate(text: str, chosen: Mapping[str, str]) -> str:
    """A parameter value with every placeholder replaced by its text; trailing empty pieces are dropped."""
    if not chosen:
        return text
    replaced = ",".join(chosen.get(word, word) for word in split(text))
    return replaced or text
