"""InteractionSet: effects, and the pairs, edges and timers that trigger them (language, 8; effects, 2 and 5)."""

from __future__ import annotations

import bisect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any

import numpy as np

from vgdl import ontology
from vgdl.compiler.pool import Pool
from vgdl.compiler.reading import (
    Log,
    PassAborted,
    integer,
    piece,
    place_of,
    split,
    string_hash,
    unknown_parameter,
    unknown_word,
)
from vgdl.compiler.sprites import SpriteTypes
from vgdl.core.data import layout
from vgdl.language import Argument, Entry, InteractionLine, Name, nearest
from vgdl.ontology import values
from vgdl.ontology.dialects import Role
from vgdl.ontology.rows import Effect, Kind, Lookup, Null, Parameter, Refers

_NULLS = {
    Null.NONE: layout.NullPolicy.NULL_NONE,
    Null.FIRST: layout.NullPolicy.NULL_FIRST,
    Null.SECOND: layout.NullPolicy.NULL_SECOND,
    Null.BOTH: layout.NullPolicy.NULL_BOTH,
    Null.FATAL_FIRST: layout.NullPolicy.NULL_FATAL_FIRST,
    Null.FATAL_SECOND: layout.NullPolicy.NULL_FATAL_SECOND,
}
_TYPE_COLUMNS = (
    "stype", "stype_to", "stype_count", "stype_other", "estype", "spawn_point", "resource", "held_resource",
    "inner", "itype", "counters", "gate",
)  # fmt: skip
MOST_EFFECTS = 5_000  # per pair, repeats included


@dataclass
class Use:
    """One effect object and everything it is registered for; the input of the storage analysis."""

    row: Effect
    index: int
    settings: Mapping[str, Any]
    names: Mapping[str, int]  # parameter -> type number, for parameters that name one type
    pairs: list[tuple[int, int]] = field(default_factory=list)
    edges: list[int] = field(default_factory=list)
    timed: int | None = None  # type that a TIME line applies to
    free: bool = False  # runs without sprites (inside addTimer)


class Interactions:
    """The tables built from InteractionSet sections."""

    def __init__(
        self,
        types: SpriteTypes,
        log: Log,
        pool: Pool,
        players: int,
        counters: int,
        decorated: Callable[[str], str],
    ) -> None:
        self.types = types
        self.log = log
        self.pool = pool
        self.players = players
        self.counters = counters
        self.decorated = decorated
        self.effects: list[np.ndarray] = []
        self.uses: list[Use] = []
        self.pairs: dict[tuple[int, int], list[int]] = {}
        self.edge_types: list[int] = []
        self.edges: dict[int, list[int]] = {}
        self.timers: list[tuple[int, int]] = []
        self.n_gates = 0

    # ---------------------------------------------------------------------------------------------- one line

    def read(self, line: Entry) -> None:
        """Read one entry of the section.

        Raises:
            PassAborted: the reference stops reading here.
        """
        if not isinstance(line, InteractionLine):
            raise PassAborted("a line that is not an interaction in the InteractionSet", place_of(line))
        if not line.is_definition or line.effect is None:
            raise PassAborted(f"{line.first.text!r} is not an interaction", line.first.at, ["sprite sprite > effect"])
        row = self._effect_row(line.effect)
        if not line.seconds:
            raise PassAborted(f"no second object for {line.first.text!r}", line.first.at, ["sprite sprite > effect"])
        timed = "TIME" in (line.first.text.upper(), line.seconds[0].text.upper())
        quiet = timed or "addTimer" in line.text
        use = self._build(row, line, quiet)
        wrapper = self._wrap(use, line) if timed else None
        self._register(line, use, wrapper)

    def _effect_row(self, name: Name) -> Effect:
        row = ontology.effect(name.text)
        if row is None:
            known = [effect.name for effect in ontology.ALL_EFFECTS]
            message, suggestion = unknown_word(Role.EFFECT, name.text, known)
            raise PassAborted(message, name.at, ["an effect"], suggestion)
        return row

    def _register(self, line: InteractionLine, use: Use, wrapper: Use | None) -> None:
        """Register an effect for its pairs, edges or times (effects, 5)."""
        used = wrapper or use
        first = self.types.find(line.first.text)
        for name in line.seconds:
            second = self.types.find(name.text)
            if first >= 0 and second >= 0:
                effects = self.pairs.setdefault((first, second), [])
                effects.extend([used.index] * max(0, self._repeat(use)))
                if len(effects) > MOST_EFFECTS:
                    raise self.log.error("too many effects", line.first.at)
                used.pairs.append((first, second))
            elif name.text.upper() == "EOS" or line.first.text.upper() == "EOS":
                type_number, owner = (first, line.first) if name.text.upper() == "EOS" else (second, name)
                self.edge_types.append(type_number)
                if type_number < 0:
                    raise self._unknown_sprite(owner)
                self.edges.setdefault(type_number, []).append(used.index)
                used.edges.append(type_number)
            elif "TIME" in (line.first.text.upper(), name.text.upper()):
                if wrapper is None:
                    raise PassAborted("TIME must be the first or the second object", name.at)
                self._queue(wrapper)
            else:
                raise self._unknown_sprite(line.first if first < 0 else name)

    def _unknown_sprite(self, name: Name) -> PassAborted:
        return PassAborted(
            f"unknown sprite {name.text!r}",
            name.at,
            ["a sprite of the SpriteSet", "EOS", "TIME"],
            nearest(name.text, [*self.types.numbers, "EOS", "TIME"]),
        )

    def _repeat(self, use: Use) -> int:
        repeat = use.settings["repeat"]
        assert isinstance(repeat, int)
        return min(repeat, MOST_EFFECTS + 1)

    # ---------------------------------------------------------------------------------------------- one effect

    def _new_row(self, row: Effect, line: InteractionLine) -> tuple[int, np.void]:
        array = np.zeros(1, layout.EFFECT_ROW)
        self.effects.append(array)
        e = array[0]
        for column in _TYPE_COLUMNS:
            e[column] = -1
        e["op"] = getattr(layout.EffectOp, row.opcode or "TIME_EFFECT")
        e["line"] = line.first.at.line
        e["null_policy"] = _NULLS[row.null]
        e["batch"] = row.batch
        return len(self.effects) - 1, e

    def _values(self, row: Effect, line: InteractionLine, decorate: bool) -> dict[str, Any]:
        """Stored values by parameter, including defaults (language, 5.1)."""
        parameters = ontology.parameters(row)
        settings: dict[str, Any] = {}
        for key, argument in line.arguments.items():
            parameter = parameters.get(key)
            if parameter is None or parameter.internal:
                continue
            text = self.decorated(argument.value) if decorate else argument.value
            stored = values.store(parameter.kind, values.convert(key, text))
            if stored is not None:
                settings[key] = stored
        for key, parameter in parameters.items():
            settings.setdefault(key, parameter.default)
        return settings

    def _warn_unknown(self, row: Effect, line: InteractionLine) -> None:
        known = ontology.parameters(row)
        twice = 2 if row.name == "transformIfCount" else 1  # it reads its parameters a second time
        for key, argument in line.arguments.items():
            if key not in known:
                message, suggestion = unknown_parameter(f"effect {row.name}", key, known)
                self.log.warn(message, argument.at, suggestion=suggestion, messages=twice)

    def _build(self, row: Effect, line: InteractionLine, quiet: bool, decorate: bool = True) -> Use:
        """Build an effect object from a line."""
        if not quiet:
            self._warn_unknown(row, line)
        settings = self._values(row, line, decorate)
        index, record = self._new_row(row, line)
        names = self._names(row, line, settings, record)
        self._numbers(row, settings, record)
        self._scores(settings, record)
        use = Use(row, index, settings, names)
        self.uses.append(use)
        record["hash"] = string_hash(line.effect.text if line.effect else row.name)
        if row.gates:
            record["gate"] = self.n_gates
            self.n_gates += 1
        if row.name == "subtractHealthPoints" and names["stype"] >= 0:
            record["null_policy"] = layout.NullPolicy.NULL_NONE
        if row.name == "shieldFrom":
            if not isinstance(settings["ftype"], str):
                raise PassAborted("shieldFrom needs ftype=", line.first.at, ["ftype=<effect>"])
            record["shield_hash"] = string_hash(settings["ftype"])
        if row.name == "addTimer":
            self._delegate(line, settings, use, record)
        return use

    def _names(
        self, row: Effect, line: InteractionLine, settings: Mapping[str, Any], record: np.void
    ) -> dict[str, int]:
        """Look up the sprite names in the parameters, as strictly as the reference does (effects, 2.3)."""
        found: dict[str, int] = {}
        for key, parameter in ontology.parameters(row).items():
            if parameter.refers is Refers.SPRITE:
                found[key] = record[parameter.column] = self._look_up(row, line, parameter, settings[key])
            elif parameter.refers is Refers.SPRITES and settings[key] is not None:
                numbers = [self.types.find(name) for name in split(str(settings[key]))]
                record["skip_start"], record["skip_len"] = self.pool.add(numbers)
        return found

    def _look_up(self, row: Effect, line: InteractionLine, parameter: Parameter, text: object) -> int:
        argument: Argument | None = line.arguments.get(parameter.name)
        if not isinstance(text, str) or not text:
            if parameter.lookup in (Lookup.REQUIRED, Lookup.UNCHECKED):
                raise PassAborted(
                    f"effect {row.name} needs {parameter.name}=", line.first.at, [f"{parameter.name}=<sprite>"]
                )
            return -1
        number = self.types.find(text)
        if number < 0 and parameter.lookup in (Lookup.REQUIRED, Lookup.CHECKED):
            raise PassAborted(
                f"unknown sprite {text!r}",
                argument.value_at if argument else line.first.at,
                ["a sprite of the SpriteSet"],
                nearest(text, self.types.numbers),
            )
        return number

    def _numbers(self, row: Effect, settings: Mapping[str, Any], record: np.void) -> None:
        columns = set(layout.EFFECT_ROW.names or ())
        for key, parameter in ontology.parameters(row).items():
            value = settings[key]
            if parameter.kind in (Kind.TEXT, Kind.OPAQUE) or parameter.internal or parameter.column not in columns:
                continue
            record[parameter.column] = value
            if key == "value" and parameter.kind is Kind.INT:
                record["value_int"] = value
        record["gates"] = sum(bit for key, bit in layout.GATES.items() if settings[key])

    def _scores(self, settings: Mapping[str, Any], record: np.void) -> None:
        """Set scores and counter changes; a non-number counts as 0 and logs a message at every use (effects, 4.2)."""
        for player in range(2):
            for key, column in (("scoreChange", "score"), ("scoreChangeIfKilled", "killed_score")):
                if key in settings:
                    number, good = _entry(str(settings[key]), player)
                    record[column][player] = number
                    record[f"{column}_messages"][player] = not good
        if self.counters:
            changes: list[int] = []
            for key in ("counter", "counterElse"):
                for counter in range(self.counters):
                    number, good = _entry(str(settings[key]), counter)
                    changes += [number, not good]
            record["counters"] = self.pool.add(changes)[0]

    def _delegate(self, line: InteractionLine, settings: Mapping[str, Any], use: Use, record: np.void) -> None:
        """Build the effect that addTimer will run from the same line (language, 8.5)."""
        argument = line.arguments.get("ftype")
        if not isinstance(settings["ftype"], str) or argument is None:
            raise PassAborted("addTimer needs ftype=", line.first.at, ["ftype=<effect>"])
        row = self._effect_row(Name(settings["ftype"], argument.value_at))
        if row.name == "addTimer":
            raise PassAborted("addTimer cannot start itself", argument.value_at, ["another effect"])
        inner = self._build(row, line, quiet=True, decorate=False)
        inner.free = True
        record["inner"] = inner.index

    # ---------------------------------------------------------------------------------------------- time effects

    def _wrap(self, use: Use, line: InteractionLine) -> Use:
        """Wrap an effect in a time effect; the wrapper's scores, counters and switches apply (effects, 7.1)."""
        row = ontology.TIME_EFFECT
        settings = self._values(row, line, decorate=True)
        index, record = self._new_row(row, line)
        self._numbers(row, settings, record)
        self._scores(settings, record)
        record["inner"] = use.index
        target = line.seconds[0] if line.first.text.upper() == "TIME" else line.first
        record["itype"] = self.types.find(target.text)
        use.timed = int(record["itype"])
        wrapper = Use(row, index, settings, {})
        self.uses.append(wrapper)
        return wrapper

    def _queue(self, wrapper: Use) -> None:
        """Insert a timer before the first one that is not due earlier (effects, 7.2)."""
        timer = wrapper.settings["timer"]
        assert isinstance(timer, int)
        due = -1 if wrapper.settings["nextExecution"] == -1 else timer
        place = bisect.bisect_left(self.timers, due, key=itemgetter(0))
        self.timers.insert(place, (due, wrapper.index))


def _entry(text: str, index: int) -> tuple[int, bool]:
    number = integer(piece(text, index))
    return (0, False) if number is None else (number, True)
