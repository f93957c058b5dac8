"""Conversion of observed states to the dictionaries that Python programs use, and back (13.1, 13.2).

The dictionary is that of `vgdl.text.describe` without names of types; the avatar is not among its sprites. Types and
ranges of a program's states are checked before any other use.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vgdl import Action, Category, Winner
from vgdl.competition.tracks.worldmodels.errors import Kind, WorldModelError
from vgdl.competition.tracks.worldmodels.search.records import Frame
from vgdl.core.observation import VISIBLE, Avatar

KEYS = ("tick", "is_over", "scores", "winners", "columns", "rows", "block_size", "actions", "avatars", "sprites")
"""Keys of a state."""
SPRITE = ("id", "type", "category", "x", "y", "column", "row")
"""Keys of a sprite."""
AVATAR = ("id", "type", "x", "y", "column", "row", "orientation", "speed", "health", "max_health", "resources",
          "last_action", "is_alive")  # fmt: skip
"""Keys of an avatar."""
_MOST = (1 << 31) - 1
_MOST_PIXELS = (1 << 20) - 1
_MOST_TYPE = (1 << 16) - 1


def described(frame: Frame) -> dict[str, Any]:
    """An observed state in the form of `vgdl.text.describe`, without names of types."""
    block, avatar = frame.block_size, frame.avatar
    width, height = frame.world_dimension
    sprites = [
        {"id": number, "type": kind, "category": Category(category).name, **_place(x, y, block)}
        for number, kind, category, x, y in sorted(frame.arrays.tolist(), key=lambda row: (row[1], row[0]))
        if avatar is None or number != avatar.id
    ]
    return {
        "tick": frame.tick,
        "is_over": frame.is_over,
        "scores": [frame.score],
        "winners": [Winner(frame.winner).name],
        "columns": width // block,
        "rows": height // block,
        "block_size": block,
        "actions": [legal(frame)],
        "avatars": [None if avatar is None else _described(avatar, block)],
        "sprites": sprites,
    }


def legal(frame: Frame) -> list[str]:
    """Names of the legal actions in an observed state."""
    acts = not frame.is_over and frame.avatar is not None and frame.avatar.is_alive
    return [action.name for action in (*frame.actions, Action.NIL)] if acts else []


def _described(avatar: Avatar, block: int) -> dict[str, Any]:
    return {
        "id": avatar.id,
        "type": avatar.type,
        **_place(*avatar.position, block),
        "orientation": list(avatar.orientation),
        "speed": avatar.speed,
        "health": avatar.health,
        "max_health": avatar.max_health,
        "resources": [{"type": kind, "amount": amount} for kind, amount in sorted(avatar.resources.items())],
        "last_action": avatar.last_action.name,
        "is_alive": avatar.is_alive,
    }


def _place(x: int, y: int, block: int) -> dict[str, int]:
    return {"x": x, "y": y, "column": int(x / block), "row": int(y / block)}


def shortened(state: Any) -> Any:
    """Replace each sprite of a program's state by a list in the order of `SPRITE`, which halves the length of messages.

    Raises:
        WorldModelError: the state or its sprites have another form.
    """
    sprites = _record(state, KEYS, "the state")["sprites"]
    if not isinstance(sprites, list):
        raise _wrong("sprites", sprites, "a list")
    rows = [[_record(each, SPRITE, f"sprites[{at}]")[key] for key in SPRITE] for at, each in enumerate(sprites)]
    return {**state, "sprites": rows}


def frame_of(state: Any, before: Frame) -> Frame:
    """Check a program's shortened state and convert it to a frame.

    Args:
        state: the value from the program's process.
        before: a state of the same level.

    Raises:
        WorldModelError: the state is invalid; kind `Kind.CONTRACT`.
    """
    facts = _record(state, KEYS, "the state")
    block = before.block_size
    fixed = {"columns": before.world_dimension[0] // block, "rows": before.world_dimension[1] // block}
    for key, wanted in {**fixed, "block_size": block}.items():
        if facts[key] != wanted:
            raise _wrong(key, facts[key], f"{wanted}, as before")
    given = _only(facts, "avatars")
    avatar = None if given is None else _avatar(given, block)
    names = _only(facts, "actions")
    if not isinstance(names, list) or len(names) > len(Action):
        raise _wrong("actions[0]", names, "a list of names of actions")
    actions = [Action[_one_of(name, Action.__members__, "actions[0]")] for name in names]
    return Frame(
        arrays=_arrays(facts["sprites"], avatar, block),
        avatar=avatar,
        score=_number(_only(facts, "scores"), "scores[0]"),
        winner=int(Winner[_one_of(_only(facts, "winners"), Winner.__members__, "winners[0]")]),
        is_over=_flag(facts["is_over"], "is_over"),
        tick=_integer(facts["tick"], "tick"),
        actions=tuple(action for action in actions if action != Action.NIL),
        block_size=block,
        world_dimension=before.world_dimension,
    )


def _arrays(rows: Any, avatar: Avatar | None, block: int) -> NDArray[np.void]:
    if not isinstance(rows, list):
        raise _wrong("sprites", rows, "a list")
    found: dict[int, tuple[int, int, int, int, int]] = {}
    if avatar is not None and avatar.is_alive:
        found[avatar.id] = (avatar.id, avatar.type, int(Category.AVATAR), *avatar.position)
    for at, row in enumerate(rows):
        where = f"sprites[{at}]"
        if not isinstance(row, list) or len(row) != len(SPRITE):
            raise _wrong(where, row, "a sprite")
        number, kind, category, x, y, column, line = row
        _check_place(x, y, column, line, block, where)
        if _integer(number, f"{where}.id", 0) in found:
            raise WorldModelError(Kind.CONTRACT, "", f"{where}.id: {number} is there twice")
        sort = Category[_one_of(category, Category.__members__, f"{where}.category")]
        found[number] = (number, _integer(kind, f"{where}.type", 0, _MOST_TYPE), int(sort), x, y)
    return np.array([found[number] for number in sorted(found)], VISIBLE)


def _avatar(value: Any, block: int) -> Avatar:
    facts = _record(value, AVATAR, "avatars[0]")
    where = "avatars[0]"
    _check_place(facts["x"], facts["y"], facts["column"], facts["row"], block, where)
    facing, held = facts["orientation"], facts["resources"]
    if not isinstance(facing, list) or len(facing) != 2:
        raise _wrong(f"{where}.orientation", facing, "a list of two numbers")
    if not isinstance(held, list):
        raise _wrong(f"{where}.resources", held, "a list")
    resources = {}
    for at, each in enumerate(held):
        name = f"{where}.resources[{at}]"
        resource = _record(each, ("type", "amount"), name)
        kind = _integer(resource["type"], f"{name}.type", 0, _MOST_TYPE)
        resources[kind] = _integer(resource["amount"], f"{name}.amount")
    most = _integer(facts["max_health"], f"{where}.max_health")
    return Avatar(
        type=_integer(facts["type"], f"{where}.type", 0, _MOST_TYPE),
        id=_integer(facts["id"], f"{where}.id", 0),
        position=(facts["x"], facts["y"]),
        orientation=(_number(facing[0], f"{where}.orientation"), _number(facing[1], f"{where}.orientation")),
        speed=_number(facts["speed"], f"{where}.speed"),
        resources=resources,
        health=_integer(facts["health"], f"{where}.health"),
        max_health=most,
        limit_health=most,
        last_action=Action[_one_of(facts["last_action"], Action.__members__, f"{where}.last_action")],
        is_alive=_flag(facts["is_alive"], f"{where}.is_alive"),
    )


def _check_place(x: Any, y: Any, column: Any, row: Any, block: int, where: str) -> None:
    for name, pixels, cell_name, cell in (("x", x, "column", column), ("y", y, "row", row)):
        wanted = int(_integer(pixels, f"{where}.{name}", -_MOST_PIXELS, _MOST_PIXELS) / block)
        if _integer(cell, f"{where}.{cell_name}") != wanted:
            raise _wrong(f"{where}.{cell_name}", cell, f"{wanted}: {name} is {pixels}, and a cell has {block} pixels")


def check_keys(state: Any) -> None:
    """Check that a program's state has all keys; chance nodes have further ones.

    Raises:
        WorldModelError: it is not a dictionary, or lacks a key; kind `Kind.CONTRACT`.
    """
    _holding(state, KEYS, "the state")


def _holding(value: Any, keys: Collection[str], where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _wrong(where, value, "a dictionary")
    for key in keys:
        if key not in value:
            raise WorldModelError(Kind.CONTRACT, "", f"{where} lacks the key {key!r}")
    return value


def _record(value: Any, keys: Collection[str], where: str) -> dict[str, Any]:
    facts = _holding(value, keys, where)
    if len(facts) > len(keys):
        extra = sorted(facts.keys() - set(keys))[0]
        raise WorldModelError(Kind.CONTRACT, "", f"{where} has the key {extra!r:.60}, which observed ones have not")
    return facts


def _only(facts: dict[str, Any], key: str) -> Any:
    """The item of a list with one item, for the single player."""
    if not isinstance(facts[key], list) or len(facts[key]) != 1:
        raise _wrong(key, facts[key], "a list with one item")
    return facts[key][0]


def _one_of(value: Any, names: Collection[str], where: str) -> str:
    if not isinstance(value, str) or value not in names:
        raise _wrong(where, value, f"one of {', '.join(names)}")
    return value


def _integer(value: Any, where: str, least: int = -_MOST, most: int = _MOST) -> int:
    if type(value) is not int or not least <= value <= most:
        raise _wrong(where, value, f"an integer of {least} to {most}")
    return value


def _number(value: Any, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= 1e15:
        raise _wrong(where, value, "a number")
    return float(value)


def _flag(value: Any, where: str) -> bool:
    if not isinstance(value, bool):
        raise _wrong(where, value, "True or False")
    return value


def _wrong(where: str, value: Any, expected: str) -> WorldModelError:
    return WorldModelError(Kind.CONTRACT, "", f"{where} is {value!r:.60} instead of {expected}")
