"""What notebooks show: pictures of states, rules and levels of games, animations of replays, tables of results.

States, games and replays call these functions themselves where a notebook asks for a rich display. Nothing here needs a
notebook: the functions return bytes and HTML.
"""

from __future__ import annotations

import base64
import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vgdl import Game, StateObservation, VGDLError, VGDLRuntimeError, games
from vgdl.render import frame, gif, png
from vgdl.replay import Replay, ReplayError, advance, find_board

__all__ = ["Animation", "Table"]

TICK_MS = 40  #: for which an animation shows a tick
MOST_FRAMES = 400  #: of an animation; of longer plays, only every second, third, ... tick is shown
MOST_LEVELS = 8  #: pictures of a game's levels
_MOST_PIXELS = 640  #: width and height of a picture
_BLOCK, _SMALL_BLOCK = 24, 10  #: pixels of a cell, of one picture and of the levels side by side


def state_png(state: StateObservation) -> bytes | None:
    """The picture of a state as a PNG file; None for a state without names and looks, as controllers get it."""
    return None if state.board is None else png.encode(_picture(state, _BLOCK))


def game_html(game: Game) -> str:
    """A game as HTML: its rules in words if it is a bundled one, pictures of its levels, and its text."""
    name = game.name
    is_bundled = name in games.names() and games.path(name) == game.path
    words = f"<p>{escape(games.facts(name).rules)}</p>" if is_bundled else ""
    levels = "".join(_level_html(game, number) for number in range(min(len(game.levels), MOST_LEVELS)))
    text = f"<details><summary>the text of the game</summary><pre>{escape(game.text)}</pre></details>"
    return f"<h4>{escape(name)}</h4>{words}<div>{levels}</div>{text}"


def replay_html(replay: Replay, folders: Sequence[Path] = ()) -> str | None:
    """A replay as an animation in HTML; None if its game is neither bundled nor in one of the folders."""
    try:
        board = find_board(replay, folders)
        state = board.start(replay.seed)
        step = 1 + len(replay.actions) // MOST_FRAMES
        film = [_picture(state, _BLOCK)]
        for number, names in enumerate(replay.actions, 1):
            advance(state, names, replay.stirring)
            if number % step == 0 or number == len(replay.actions):
                film.append(_picture(state, _BLOCK))
    except (ReplayError, VGDLError, VGDLRuntimeError, ValueError):
        return None
    return f"{_image(gif.encode(film, TICK_MS * step), 'image/gif', repr(replay))}<p>{escape(repr(replay))}</p>"


class Animation:
    """A replay of a game of one's own, shown by a notebook as an animation: ``Animation(replay, ["my_games"])``.

    >>> from vgdl import games, replay
    >>> from vgdl.notebook import Animation
    >>> recorded = sorted((games.path("sokoban").parent / "replays").glob("sokoban*"))
    >>> Animation(replay.read(recorded[0]))
    <Replay of sokoban, sokoban_lvl0 by solver: won, score 3, tick 23>
    """

    def __init__(self, replay: Replay, folders: Iterable[str | Path] = ()) -> None:
        """Choose a replay, and the folders in which its game is looked up before the bundled ones."""
        self.replay = replay
        self._folders = [Path(folder) for folder in folders]

    def _repr_html_(self) -> str | None:
        return replay_html(self.replay, self._folders)

    def __repr__(self) -> str:
        return repr(self.replay)


class Table:
    """Results as a table: rows of dataclasses or mappings, shown as HTML in notebooks and as aligned text elsewhere.

    For example ``Table(vgdl.play.saving.baselines(paths))``, or the infos of plays.

    >>> from vgdl.notebook import Table
    >>> Table([{"game": "aliens", "score": 12.0}, {"game": "sokoban", "score": 3.0}])
    game     score
    aliens   12
    sokoban  3
    """

    def __init__(self, rows: Iterable[Any]) -> None:
        """Read the rows; the columns are those of all rows, in order of first appearance.

        Raises:
            TypeError: a row is neither a dataclass nor a mapping.
        """
        self.rows = [_row(row) for row in rows]  #: as dictionaries, for example for ``pandas.DataFrame``
        self.columns = list(dict.fromkeys(column for row in self.rows for column in row))

    def _cells(self) -> list[list[str]]:
        return [[_cell(row.get(column, "")) for column in self.columns] for row in self.rows]

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(column)}</th>" for column in self.columns)
        rows = ("".join(f"<td>{escape(cell)}</td>" for cell in cells) for cells in self._cells())
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def __repr__(self) -> str:
        lines = [self.columns, *self._cells()]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        padded = ("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines)
        return "\n".join(line.rstrip() for line in padded)


def _picture(state: StateObservation, block: int) -> NDArray[np.uint8]:
    """The frame of a state, with smaller cells if it would be too large."""
    cells = max(length // state.block_size for length in state.world_dimension)
    return frame(state, max(1, min(block, _MOST_PIXELS // cells)))


def _level_html(game: Game, number: int) -> str:
    try:
        shown = _image(png.encode(_picture(game.start(number, 0), _SMALL_BLOCK)), "image/png", f"level {number}")
    except (VGDLError, VGDLRuntimeError) as error:
        shown = f"<pre>{escape(str(error))}</pre>"
    style = "display:inline-block;margin:0 1em 1em 0;vertical-align:top"
    return f'<figure style="{style}">{shown}<figcaption>level {number}</figcaption></figure>'


def _image(data: bytes, kind: str, title: str) -> str:
    return f'<img alt="{escape(title)}" src="data:{kind};base64,{base64.b64encode(data).decode()}">'


def _row(row: Any) -> dict[str, Any]:
    if dataclasses.is_dataclass(row) and not isinstance(row, type):
        return {field.name: getattr(row, field.name) for field in dataclasses.fields(row)}
    if isinstance(row, Mapping):
        return {str(name): value for name, value in row.items()}
    raise TypeError(f"expected rows that are dataclasses or mappings, got {row!r:.60}")


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:g}" if isinstance(value, float) else str(value)
