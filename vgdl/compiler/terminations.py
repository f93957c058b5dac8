"""TerminationSet: one row of numbers per line (language, 9; effects, 13)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from vgdl import ontology
from vgdl.compiler.reading import (
    Log,
    PassAborted,
    integer,
    is_true,
    place_of,
    split,
    unknown_parameter,
    unknown_word,
)
from vgdl.compiler.sprites import SpriteTypes
from vgdl.core.data import layout
from vgdl.language import Entry, TerminationLine, nearest
from vgdl.ontology import values
from vgdl.ontology.dialects import Role
from vgdl.ontology.rows import Lookup, Refers, Termination


class Terminations:
    """The table built from TerminationSet sections."""

    def __init__(self, types: SpriteTypes, log: Log, players: int, decorated: Callable[[str], str]) -> None:
        self.types = types
        self.log = log
        self.players = players
        self.decorated = decorated
        self.rows: list[np.ndarray] = []
        self.can_end = True  # of the whole game; the last line that sets it wins

    def read(self, line: Entry) -> None:
        """Read one entry of the section.

        Raises:
            PassAborted: the reference stops reading here.
        """
        if not isinstance(line, TerminationLine):
            raise PassAborted("a line that is not a termination in the TerminationSet", place_of(line))
        name = line.class_name
        row = ontology.termination(name.text)
        if row is None:
            known = [termination.name for termination in ontology.ALL_TERMINATIONS]
            message, suggestion = unknown_word(Role.TERMINATION, name.text, known)
            raise PassAborted(message, name.at, ["a termination"], suggestion)
        settings = self._values(row, line)
        array = np.zeros(1, layout.TERMINATION_ROW)
        record = array[0]
        record["op"] = getattr(layout.TerminationOp, str(row.opcode))
        record["line"] = name.at.line
        self._names(row, line, settings, record)
        self._numbers(settings, record)
        self.rows.append(array)

    def _values(self, row: Termination, line: TerminationLine) -> dict[str, Any]:
        parameters = ontology.parameters(row)
        settings: dict[str, Any] = {key: parameter.default for key, parameter in parameters.items()}
        for key, argument in line.arguments.items():
            parameter = parameters.get(key)
            if parameter is None:
                message, suggestion = unknown_parameter(f"termination {row.name}", key, parameters)
                self.log.warn(message, argument.at, suggestion=suggestion)
                continue
            stored = values.store(parameter.kind, values.convert(key, self.decorated(argument.value)))
            if stored is not None:
                settings[key] = stored
                if key == "canEnd":
                    self.can_end = bool(stored)
        return settings

    def _names(self, row: Termination, line: TerminationLine, settings: dict[str, Any], record: np.void) -> None:
        record["stype"] = record["stype2"] = record["stype3"] = -1
        for key, parameter in ontology.parameters(row).items():
            if parameter.refers is not Refers.SPRITE:
                continue
            text = settings[key]
            argument = line.arguments.get(key)
            if text is None:
                if parameter.lookup is Lookup.REQUIRED:
                    raise PassAborted(f"{row.name} needs {key}=", line.class_name.at, [f"{key}=<sprite>"])
                continue
            number = self.types.find(str(text))
            if number < 0:
                raise PassAborted(
                    f"unknown sprite {text!r}",
                    argument.value_at if argument else line.class_name.at,
                    ["a sprite of the SpriteSet"],
                    nearest(str(text), self.types.numbers),
                )
            record["stype" if key in ("stype", "stype1") else key] = number

    def _numbers(self, settings: dict[str, Any], record: np.void) -> None:
        record["limit"] = settings["limit"]
        record["count_score"] = settings["count_score"]
        record["minimum"] = settings.get("min", False)
        record["use_counter"] = settings.get("use_counter", False)
        record["compare"] = settings.get("compare", False)
        record["sub_types_num"] = settings.get("subTypesNum", -1)
        wins = split(str(settings["win"])) if settings["win"] is not None else []
        for player in range(2):
            record["win"][player] = player < len(wins) and is_true(wins[player])
        limits = [integer(text) for text in split(str(settings.get("limits", "0")))]
        record["limits_bad"] = len(limits) < self.players or None in limits[: self.players]
        for player in range(min(2, len(limits))):
            record["limits"][player] = limits[player] or 0
