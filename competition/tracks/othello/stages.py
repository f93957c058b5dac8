"""Stages in the form shown to systems and in that of files (specification 3.1)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from vgdl.competition.errors import CompetitionError, using
from vgdl.competition.tracks.othello.board import Cell
from vgdl.language import suggestion
from vgdl.tabletop.othello_stages import PUBLIC, Stage

PUBLIC_IDS = frozenset(stage.id for stage in PUBLIC)
"""Public stages; all others count as private in the metrics."""

_FLAGS = {
    "ignoreOcclusion": "ignore_occlusion",
    "fewerPiecesContinue": "fewer_pieces_continue",
    "fewestWins": "fewest_wins",
}
_CELLS = {
    "initialBlocked": "initial_blocked",
    "initialPlayer1": "initial_black",
    "initialPlayer2": "initial_white",
}
_KEYS = ("id", "name", "boardSize", *_CELLS, *_FLAGS)


class StageFileError(CompetitionError):
    """A file does not contain stages; the message has the location and the reason."""


@dataclass(frozen=True, slots=True)
class PublicStage:
    """A stage's data for a system."""

    id: str
    name: str
    board_size: int
    initial_blocked: tuple[Cell, ...]
    initial_black: tuple[Cell, ...]
    initial_white: tuple[Cell, ...]


def shown(stage: Stage, number: int) -> PublicStage:
    """A stage's data for systems: a hidden one is named by its number in the tournament.

    Titles like ``Reverse`` and the seed of a generated stage would reveal its rules.
    """
    facts = {field.name: getattr(stage, field.name) for field in fields(PublicStage)}
    if stage.id not in PUBLIC_IDS:
        facts |= {"id": f"stage-{number}", "name": f"Stage {number}"}
    return PublicStage(**facts)


def to_json(stage: Stage) -> dict[str, Any]:
    """A stage in the form of the published stage files."""
    cells = {
        key: [{"r": row, "c": column} for row, column in getattr(stage, attribute)] for key, attribute in _CELLS.items()
    }
    flags = {key: getattr(stage, attribute) for key, attribute in _FLAGS.items()}
    return {"id": stage.id, "name": stage.name, "boardSize": stage.board_size, **cells, **flags}


def from_json(facts: Mapping[str, Any]) -> Stage:
    """The stage of an entry of a stage file.

    Raises:
        ValueError: a field is missing or has the wrong type.
    """
    if not isinstance(facts, dict):
        raise ValueError(f"expected a stage, not {facts!r:.60}")
    for key in facts:
        if key not in _KEYS:
            raise ValueError(f"a stage has no {key!r}{suggestion(key, _KEYS)}")
    size = facts.get("boardSize")
    if type(size) is not int:
        raise ValueError(f"boardSize: expected a number of rows, found {size!r:.50}")
    flags = {attribute: facts.get(key, False) for key, attribute in _FLAGS.items()}
    for key, attribute in _FLAGS.items():
        if type(flags[attribute]) is not bool:
            raise ValueError(f"{key}: expected true or false, found {flags[attribute]!r:.50}")
    name = str(facts.get("name", "Stage"))
    blocked, black, white = (_cells(facts, key) for key in _CELLS)
    return Stage(str(facts.get("id", name)), name, size, blocked, black, white, **flags)


def read_stages(path: Path) -> list[Stage]:
    """Read the stages of a JSON file, which contains one or a list of them.

    Raises:
        StageFileError: the file has another content; the message says where.
        FileError: it cannot be read.
    """
    try:
        with using(path):
            entries = json.loads(path.read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise StageFileError(f"{path}, line {error.lineno}, column {error.colno}: {error.msg}") from None
    except UnicodeDecodeError:
        raise StageFileError(f"{path} is not text") from None
    except (RecursionError, ValueError) as error:  # too deep, or a number with too many digits
        raise StageFileError(f"{path}: {error}") from None
    stages = []
    for number, entry in enumerate(entries if isinstance(entries, list) else [entries], start=1):
        try:
            if not isinstance(entry, Mapping):
                raise ValueError(f"expected an object, found {entry!r:.50}")
            stages.append(from_json(entry))
        except ValueError as error:
            raise StageFileError(f"{path}, stage {number}: {error}") from None
    return stages


def _cells(facts: Mapping[str, Any], key: str) -> tuple[Cell, ...]:
    cells = facts.get(key, [])
    if not isinstance(cells, list):
        raise ValueError(f"{key}: expected a list of cells, found {cells!r:.50}")
    found = []
    for cell in cells:
        row, column = (cell.get("r"), cell.get("c")) if isinstance(cell, Mapping) else (None, None)
        if type(row) is not int or type(column) is not int:
            raise ValueError(f'{key}: expected cells like {{"r": 2, "c": 3}}, found {cell!r:.50}')
        found.append((row, column))
    return tuple(found)
