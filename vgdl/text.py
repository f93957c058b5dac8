"""States as text: an ASCII grid with a legend, or JSON, for programs and language models.

``read(state)`` returns a text, ``describe(state)`` a dictionary for ``json.dumps``. Both show only what a controller
sees: hidden types are omitted. Types have names where the board is known; controllers get numbers.

>>> from vgdl import text
>>> lines = text.read(vgdl.load("sokoban").start(level=0, seed=7), view=1).splitlines()
>>> [line.replace(text.EMPTY, " ") for line in lines[4:7]]
[' x ', ' A ', ' x ']
"""

from __future__ import annotations

import functools
import itertools
import string
from collections.abc import Callable, Iterable, Mapping

from vgdl.core.data.layout import Category, Winner
from vgdl.core.data.tables import BoardTables
from vgdl.core.observation import Avatar, Observation
from vgdl.core.state import StateObservation

__all__ = ["EMPTY", "describe", "legend", "read", "symbols"]

EMPTY = "."  #: a cell with no visible sprite
OUTSIDE = " "  #: a cell of a view outside the board
MOST_VIEW = 200  #: cells to each side of an avatar

_SYMBOLS = tuple(symbol for symbol in string.ascii_letters + string.digits + string.punctuation if symbol != EMPTY)
_UNNAMED = "?"  #: symbol of the types left when all others are taken
_FACING = {(0.0, -1.0): "up", (-1.0, 0.0): "left", (0.0, 1.0): "down", (1.0, 0.0): "right"}

Cell = tuple[int, int]  #: column and row


# ------------------------------------------------------------------------------------------------- symbols and names


def legend(state: StateObservation) -> Mapping[str, str]:
    """The symbol and name of every visible type; the same for all states of a board.

    >>> from vgdl import text
    >>> text.legend(vgdl.load("sokoban").start(level=0, seed=7))
    {'w': 'wall', 'a': 'avatar', 'x': 'brick', 'o': 'hole', '$': 'box', 'A': 'keeper'}
    """
    return {symbol: _name(state, kind) for kind, symbol in symbols(state.tables).items()}


@functools.lru_cache(maxsize=64)
def symbols(tables: BoardTables) -> Mapping[int, str]:
    """A symbol for every visible type: its own character in the level mapping, a letter of its name, or a free one.

    >>> from vgdl import text
    >>> text.symbols(vgdl.load("sokoban").board(level=0).tables)
    {0: 'w', 1: 'a', 3: 'x', 4: 'o', 5: '$', 6: 'A'}
    """
    visible = tables.visible_types
    chosen: dict[int, str] = {}
    if tables.owner is not None:
        game = tables.owner.game
        numbers = {name: kind for kind, name in enumerate(game.types)}
        for symbol, names in game.level_mapping.items():
            kind = numbers.get(names[-1], -1) if names else -1
            if kind in visible and symbol in _SYMBOLS:
                chosen.setdefault(kind, symbol)
    free = [symbol for symbol in _SYMBOLS if symbol not in chosen.values()]
    for kind in visible:
        if kind not in chosen:
            name = tables.owner.game.types[kind] if tables.owner is not None else ""
            chosen[kind] = next((symbol for symbol in (*name, *free) if symbol in free), _UNNAMED)
            free = [symbol for symbol in free if symbol != chosen[kind]]
    return {kind: chosen[kind] for kind in visible}


def _numbered(tables: BoardTables, numbers: Mapping[int, int]) -> Mapping[int, str]:
    """A symbol for every visible type, by the order of its number alone."""
    visible = sorted(tables.visible_types, key=lambda kind: numbers[kind])
    return dict(zip(visible, itertools.chain(_SYMBOLS, itertools.repeat(_UNNAMED)), strict=False))


def _name(state: StateObservation, kind: int) -> str:
    """A type's name, or its number if names are withheld."""
    return f"type {kind}" if state.game is None else str(state.game.types[kind])


# -------------------------------------------------------------------------------------------------------------- as text


def read(
    state: StateObservation,
    *,
    player: int = 0,
    view: int | None = None,
    front: bool = False,
    numbers: Mapping[int, int] | None = None,
) -> str:
    """A state as text: score and outcome, the board as a grid of symbols, and a legend of the symbols used.

    A cell shows its topmost sprite; stacks are listed under the grid.

    >>> from vgdl import text
    >>> print(text.read(vgdl.load("sokoban").start(level=0, seed=7), view=1), end="")
    tick 0, score 0, running
    avatar: keeper at (6, 4)
    actions: LEFT RIGHT DOWN UP NIL
    <BLANKLINE>
    .x.
    .A.
    .x.
    <BLANKLINE>
    x brick
    A keeper

    Args:
        state: the state to show.
        player: whose score, avatar and actions are shown.
        view: number of cells shown to each side of the player's avatar; the whole board if None.
        front: whether the line about an avatar that faces a direction says what is in front of it.
        numbers: shows types by these numbers instead of their names, with symbols that tell nothing else.
    """

    def name(kind: int) -> str:
        return _name(state, kind) if numbers is None else f"type {numbers[kind]}"

    avatar = _avatar(state, player)
    standing = _standing(state)
    columns, rows = _shown(state, avatar, view)
    chosen = symbols(state.tables) if numbers is None else _numbered(state.tables, numbers)
    width, height = _cells(state)
    about = _about(state, avatar, standing if front and view != 0 else None, name)
    lines = [_headline(state, player), about, _choices(state, player), ""]
    for row in rows:
        cells = [(column, row) for column in columns]
        on_board = [0 <= column < width and 0 <= row < height for column in columns]
        pairs = zip(cells, on_board, strict=True)
        lines.append("".join(_symbol(cell, standing, chosen) if inside else OUTSIDE for cell, inside in pairs))
    shown = {cell: stack for cell, stack in standing.items() if cell[0] in columns and cell[1] in rows}
    occurring = {kind for stack in shown.values() for kind in stack}
    lines += ["", *(f"{symbol} {name(kind)}" for kind, symbol in chosen.items() if kind in occurring)]
    for (column, row), stack in sorted(shown.items()):
        if len(stack) > 1:
            lines.append(f"at ({column}, {row}): {' on '.join(name(kind) for kind in reversed(stack))}")
    return "\n".join(lines) + "\n"


def _headline(state: StateObservation, player: int) -> str:
    outcome = {Winner.PLAYER_WINS: "won", Winner.PLAYER_LOSES: "lost"}.get(state.winners[player], "over")
    return f"tick {state.tick}, score {state.scores[player]:g}, {outcome if state.is_over else 'running'}"


def _about(
    state: StateObservation,
    avatar: Avatar | None,
    standing: Mapping[Cell, list[int]] | None,
    name: Callable[[int], str],
) -> str:
    """The line about the avatar; without ``standing``, it does not say what is in front."""
    if avatar is None or state.is_over:
        return "no avatar" if avatar is None else f"avatar: {name(avatar.type)}"
    column, row = _cell(state, *avatar.position)
    words = [f"avatar: {name(avatar.type)} at ({column}, {row})"]
    if avatar.orientation in _FACING:
        front = "" if standing is None else f" (in front: {_front_in_words(state, avatar, standing, name)})"
        words.append(f"facing {_FACING[avatar.orientation]}{front}")
    if avatar.max_health:
        words.append(f"health {avatar.health} of {avatar.max_health}")
    words += [f"{amount} {name(kind)}" for kind, amount in sorted(avatar.resources.items()) if amount]
    return ", ".join(words)


def _front_in_words(
    state: StateObservation, avatar: Avatar, standing: Mapping[Cell, list[int]], name: Callable[[int], str]
) -> str:
    kinds = _in_front(state, avatar, standing)
    if kinds is None:
        return "the edge"
    return " on ".join(map(name, kinds)) or "nothing"


def _in_front(state: StateObservation, avatar: Avatar, standing: Mapping[Cell, list[int]]) -> list[int] | None:
    """The visible types in the cell that an avatar faces, the topmost first; None beyond the edge of the board."""
    x, y = avatar.position
    column, row = _cell(state, x, y)
    across, down = (int(part) for part in avatar.orientation)
    # an avatar between two cells faces the one behind the second
    column += across + (across > 0 and x > column * state.block_size)
    row += down + (down > 0 and y > row * state.block_size)
    width, height = _cells(state)
    if not (0 <= column < width and 0 <= row < height):
        return None
    return standing.get((column, row), [])[::-1]


def _choices(state: StateObservation, player: int) -> str:
    return " ".join(["actions:", *(action.name for action in state.actions_of(player, nil=True))])


def _symbol(cell: Cell, standing: Mapping[Cell, list[int]], symbols: Mapping[int, str]) -> str:
    return symbols[standing[cell][-1]] if cell in standing else EMPTY


def _standing(state: StateObservation) -> dict[Cell, list[int]]:
    """The visible types of each non-empty cell, from back to front."""
    order = {kind: place for place, kind in enumerate(state.tables.drawing_order)}
    standing: dict[Cell, list[int]] = {}
    for column, cells in enumerate(state.grid):
        for row, sprites in enumerate(cells):
            if sprites:
                kinds = {sprite.type for sprite in sprites}
                standing[column, row] = sorted(kinds, key=lambda kind: (order.get(kind, len(order)), kind))
    return standing


# -------------------------------------------------------------------------------------------------------------- as JSON


def describe(state: StateObservation, *, player: int = 0, view: int | None = None) -> dict[str, object]:
    """A state as dictionaries, lists, strings and numbers for ``json.dumps``; positions in pixels and in cells.

    >>> from vgdl import text
    >>> seen = text.describe(vgdl.load("sokoban").start(level=0, seed=7))
    >>> seen["tick"], seen["columns"], seen["rows"], seen["avatars"][0]["name"]
    (0, 13, 8, 'keeper')

    Args:
        state: the state to describe.
        player: whose avatar the view is centred on.
        view: list only sprites within that many columns and rows of the player's avatar; all if None.
    """
    columns, rows = _shown(state, _avatar(state, player), view)
    width, height = _cells(state)
    every = [sprite for category in Category for sprites in state.observations(category) for sprite in sprites]
    sprites = [
        _sprite(state, sprite)
        for sprite in sorted(every, key=lambda sprite: (sprite.type, sprite.id))
        if view is None or _within(_cell(state, sprite.x, sprite.y), columns, rows)
    ]
    return {
        "tick": state.tick,
        "is_over": state.is_over,
        "scores": list(state.scores),
        "winners": [winner.name for winner in state.winners],
        "columns": width,
        "rows": height,
        "block_size": state.block_size,
        "actions": [[action.name for action in state.actions_of(p, nil=True)] for p in range(state.n_players)],
        "avatars": [_described(state, avatar, _standing(state)) for avatar in state.avatars],
        "sprites": sprites,
    }


def _sprite(state: StateObservation, sprite: Observation) -> dict[str, object]:
    kind, place = _kind(state, sprite.type), _place(state, sprite.x, sprite.y)
    return {"id": sprite.id, **kind, "category": sprite.category.name, **place}


def _described(
    state: StateObservation, avatar: Avatar | None, standing: Mapping[Cell, list[int]]
) -> dict[str, object] | None:
    if avatar is None:
        return None
    faces = not state.is_over and avatar.orientation in _FACING
    front = _in_front(state, avatar, standing) if faces else None
    return {
        "id": avatar.id,
        **_kind(state, avatar.type),
        **_place(state, *avatar.position),
        "orientation": list(avatar.orientation),
        "in_front": None if front is None else [_kind(state, kind) for kind in front],
        "speed": avatar.speed,
        "health": avatar.health,
        "max_health": avatar.max_health,
        "resources": [{**_kind(state, kind), "amount": n} for kind, n in sorted(avatar.resources.items())],
        "last_action": avatar.last_action.name,
        "is_alive": avatar.is_alive,
    }


def _kind(state: StateObservation, kind: int) -> dict[str, object]:
    """A type's number, and its name if known."""
    return {"type": kind} if state.game is None else {"type": kind, "name": state.game.types[kind]}


def _place(state: StateObservation, x: int, y: int) -> dict[str, object]:
    column, row = _cell(state, x, y)
    return {"x": x, "y": y, "column": column, "row": row}


# ---------------------------------------------------------------------------------------------------------------- cells


def _avatar(state: StateObservation, player: int) -> Avatar | None:
    if not 0 <= player < state.n_players:
        raise ValueError(f"expected a player below {state.n_players}, got {player}")
    return state.avatars[player]


def _cells(state: StateObservation) -> tuple[int, int]:
    """Columns and rows of the board."""
    width, height = state.world_dimension
    return width // state.block_size, height // state.block_size


def _cell(state: StateObservation, x: int, y: int) -> Cell:
    """The cell of a position; left of and above the board, truncated toward zero (engine, 13.3)."""
    return int(x / state.block_size), int(y / state.block_size)


def _shown(state: StateObservation, avatar: Avatar | None, view: int | None) -> tuple[range, range]:
    """The columns and rows to show: all, or those around an avatar; none if it is gone or the game is over."""
    width, height = _cells(state)
    if view is None:
        return range(width), range(height)
    if not 0 <= view <= MOST_VIEW:
        raise ValueError(f"expected a view of 0 to {MOST_VIEW} cells, got {view}")
    if avatar is None or state.is_over:
        return range(0), range(0)
    column, row = _cell(state, *avatar.position)
    return range(column - view, column + view + 1), range(row - view, row + view + 1)


def _within(cell: Cell, columns: Iterable[int], rows: Iterable[int]) -> bool:
    return cell[0] in columns and cell[1] in rows
