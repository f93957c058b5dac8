"""Observations as JSON objects of the reference's learning protocol (learning, 5).

Positions are in pixels of the game as it is played. Types have the numbers that the caller gives them; `None` values
are left out, as Gson does.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vgdl import Action, Category, StateObservation, Winner
from vgdl.core.observation import Observation

WINNERS = {Winner.NO_WINNER: "NO_WINNER", Winner.PLAYER_LOSES: "PLAYER_LOSES", Winner.PLAYER_WINS: "PLAYER_WINS"}
"""The protocol's names of the outcomes of a game."""

_NOWHERE = {"x": -1.0, "y": -1.0}

LISTS = {
    "NPCPositions": Category.NPC,
    "immovablePositions": Category.STATIC,
    "movablePositions": Category.MOVABLE,
    "resourcesPositions": Category.RESOURCE,
    "portalsPositions": Category.PORTAL,
    "fromAvatarSpritesPositions": Category.FROM_AVATAR,
}
"""The position lists, and the categories of the sprites in them; in the order of creation, without a reference."""


def action_name(action: Action) -> str:
    """The protocol's name of an action."""
    return f"ACTION_{action.name}"


ACTIONS = {action_name(action): action for action in Action}
"""Actions by the protocol's names."""


def outcome(state: StateObservation, phase: str) -> dict[str, Any]:
    """The fields that come with every observation, also with pictures."""
    return {
        "phase": phase,
        "availableActions": [action_name(action) for action in state.actions_of(0)],
        "gameScore": state.score,
        "gameTick": state.tick,
        "gameWinner": WINNERS[state.winner],
        "isGameOver": state.is_over,
    }


def describe(
    state: StateObservation,
    phase: str,
    *,
    validation: bool,
    numbers: Mapping[int, int] | None = None,
    view: int | None = None,
) -> dict[str, Any]:
    """A state as the protocol's object, without pictures.

    Args:
        state: the state to describe.
        phase: ``INIT``, ``ACT``, ``END`` or ``ABORT``.
        validation: whether the play is part of the validation.
        numbers: numbers of the types to be shown; None for the engine's own.
        view: shows only sprites within that many cells of the avatar; None for all.
    """
    described = outcome(state, phase) | {"isValidation": validation}
    width, height = state.world_dimension
    described |= {"worldDimension": [width, height], "blockSize": state.block_size, "noOfPlayers": 1}
    described |= _avatar(state, numbers)
    window = _Window(state, view)
    cells = [[[_sprite(s, numbers) for s in cell if window.shows(s)] for cell in column] for column in state.grid]
    described |= {
        "observationGrid": cells,
        "observationGridNum": len(cells),
        "observationGridMaxRow": max(map(len, cells), default=0),
        "observationGridMaxCol": max((len(cell) for column in cells for cell in column), default=0),
    }
    for name, category in LISTS.items():
        lists = state.observations(category)
        shown = [[_sprite(s, numbers) for s in sprites if window.shows(s)] for sprites in lists]
        if numbers is not None:  # the order of the lists is that of the types
            shown = sorted((sprites for sprites in shown if sprites), key=lambda sprites: sprites[0]["itype"])
        if shown:
            described[name] = shown
        described |= {f"{name}Num": len(shown), f"{name}MaxRow": max(map(len, shown), default=0)}
    return described


class _Window:
    """The visible part of a board."""

    def __init__(self, state: StateObservation, view: int | None) -> None:
        avatar = state.avatar
        self._block, self._view = state.block_size, view
        self._center = None if avatar is None or state.is_over else self._cell(*avatar.position)

    def shows(self, sprite: Observation) -> bool:
        """Whether a sprite is within the view; without an avatar, none is."""
        if self._view is None:
            return True
        if self._center is None:
            return False
        column, row = self._cell(sprite.x, sprite.y)
        return max(abs(column - self._center[0]), abs(row - self._center[1])) <= self._view

    def _cell(self, x: int, y: int) -> tuple[int, int]:
        return int(x / self._block), int(y / self._block)


def _avatar(state: StateObservation, numbers: Mapping[int, int] | None) -> dict[str, Any]:
    """The fields of the avatar; without one, those that have a value for none."""
    avatar = state.avatar
    if avatar is None:
        return {
            "avatarSpeed": 0.0,
            "avatarHealthPoints": 0,
            "avatarMaxHealthPoints": 0,
            "avatarLimitHealthPoints": 0,
            "isAvatarAlive": False,
            "avatarResources": {},
        }
    return {
        "avatarSpeed": avatar.speed,
        "avatarOrientation": [float(part) for part in avatar.orientation],
        "avatarPosition": [float(part) for part in avatar.position],
        "avatarLastAction": action_name(avatar.last_action),
        "avatarType": _number(avatar.type, numbers),
        "avatarHealthPoints": avatar.health,
        "avatarMaxHealthPoints": avatar.max_health,
        "avatarLimitHealthPoints": avatar.limit_health,
        "isAvatarAlive": avatar.is_alive,
        "avatarResources": {str(_number(kind, numbers)): n for kind, n in sorted(avatar.resources.items())},
    }


def _sprite(sprite: Observation, numbers: Mapping[int, int] | None) -> dict[str, Any]:
    """A sprite, without a reference position."""
    return {
        "category": int(sprite.category),
        "itype": _number(sprite.type, numbers),
        "obsID": sprite.id,
        "position": {"x": float(sprite.x), "y": float(sprite.y)},
        "reference": _NOWHERE,
        "sqDist": float((sprite.x + 1) ** 2 + (sprite.y + 1) ** 2),
    }


def _number(kind: int, numbers: Mapping[int, int] | None) -> int:
    return kind if numbers is None else numbers[kind]
