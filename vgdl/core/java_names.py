"""The names of the reference's Java interface, and what to write instead.

`JAVA_NAMES` has one row per name. An AttributeError about such a name suggests from it, and the page "Porting a Java
controller" of the documentation lists it.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class JavaName:
    """A method or field of a Java class, and the Python expression for it."""

    owner: str  #: the Java class
    name: str
    python: str
    note: str = ""


_STATE, _SPRITE, _EVENT, _TIMER = "StateObservation", "Observation", "Event", "ElapsedCpuTimer"

JAVA_NAMES: tuple[JavaName, ...] = (
    JavaName(_STATE, "copy", "state.copy(seed=...)", "without a seed, all copies have the same future"),
    JavaName(_STATE, "advance", "state.advance(action)", "two players: state.advance((first, second))"),
    JavaName(_STATE, "getAvailableActions", "state.available_actions", "of player 1: state.actions_of(1)"),
    JavaName(_STATE, "getGameScore", "state.score", "of player 1: state.scores[1]"),
    JavaName(_STATE, "getGameTick", "state.tick"),
    JavaName(_STATE, "getGameWinner", "state.winner"),
    JavaName(_STATE, "getMultiGameWinner", "state.winners"),
    JavaName(_STATE, "isGameOver", "state.is_over"),
    JavaName(_STATE, "getNoPlayers", "state.n_players"),
    JavaName(_STATE, "getAvatarPosition", "state.avatar.position", "a pair of pixels; avatar is None when it is gone"),
    JavaName(_STATE, "getAvatarOrientation", "state.avatar.orientation"),
    JavaName(_STATE, "getAvatarSpeed", "state.avatar.speed"),
    JavaName(_STATE, "getAvatarType", "state.avatar.type"),
    JavaName(_STATE, "getAvatarResources", "state.avatar.resources"),
    JavaName(_STATE, "getAvatarHealthPoints", "state.avatar.health"),
    JavaName(_STATE, "getAvatarMaxHealthPoints", "state.avatar.max_health"),
    JavaName(_STATE, "getAvatarLimitHealthPoints", "state.avatar.limit_health"),
    JavaName(_STATE, "getAvatarLastAction", "state.avatar.last_action"),
    JavaName(_STATE, "isAvatarAlive", "state.avatar.is_alive", "of player 1: state.avatars[1].is_alive"),
    JavaName(_STATE, "getNPCPositions", "state.npcs", "by type, nearest first"),
    JavaName(_STATE, "getImmovablePositions", "state.immovables"),
    JavaName(_STATE, "getMovablePositions", "state.movables"),
    JavaName(_STATE, "getResourcesPositions", "state.resources"),
    JavaName(_STATE, "getPortalsPositions", "state.portals"),
    JavaName(_STATE, "getFromAvatarSpritesPositions", "state.from_avatar"),
    JavaName(_STATE, "getObservationGrid", "state.grid", "grid[column][row]"),
    JavaName(_STATE, "getHistoricEventsHistory", "state.events"),
    JavaName(_STATE, "getEventsHistory", "state.events"),
    JavaName(_STATE, "getBlockSize", "state.block_size"),
    JavaName(_STATE, "getWorldDimension", "state.world_dimension"),
    JavaName(_SPRITE, "itype", "sprite.type"),
    JavaName(_SPRITE, "obsID", "sprite.id"),
    JavaName(_SPRITE, "sqDist", "sprite.square_distance"),
    JavaName(_EVENT, "gameStep", "event.tick"),
    JavaName(_EVENT, "fromAvatar", "event.from_avatar"),
    JavaName(_EVENT, "activeTypeId", "event.active_type"),
    JavaName(_EVENT, "passiveTypeId", "event.passive_type"),
    JavaName(_EVENT, "activeSpriteId", "event.active_id"),
    JavaName(_EVENT, "passiveSpriteId", "event.passive_id"),
    JavaName(
        _TIMER, "remainingTimeMillis", "timer.remaining_ms", "infinite with a budget of calls: see timer.calls_left"
    ),
    JavaName(_TIMER, "elapsedMillis", "timer.elapsed_ms"),
    JavaName(_TIMER, "exceededMaxTime", "timer.exceeded"),
    JavaName("Types.ACTIONS", "ACTION_NIL", "Action.NIL"),
    JavaName("Types.ACTIONS", "ACTION_UP", "Action.UP"),
    JavaName("Types.ACTIONS", "ACTION_LEFT", "Action.LEFT"),
    JavaName("Types.ACTIONS", "ACTION_DOWN", "Action.DOWN"),
    JavaName("Types.ACTIONS", "ACTION_RIGHT", "Action.RIGHT"),
    JavaName("Types.ACTIONS", "ACTION_USE", "Action.USE"),
    JavaName("Types.ACTIONS", "ACTION_ESCAPE", "Action.ESCAPE"),
    JavaName("Types.WINNER", "PLAYER_WINS", "Winner.PLAYER_WINS"),
    JavaName("Types.WINNER", "PLAYER_LOSES", "Winner.PLAYER_LOSES"),
    JavaName("Types.WINNER", "NO_WINNER", "Winner.NO_WINNER"),
)


class Hint:
    """An attribute that a class does not have: reading it raises AttributeError with what to write instead."""

    def __init__(self, row: JavaName) -> None:
        self._row = row

    def __get__(self, instance: object, owner: type | None = None) -> Hint:
        if instance is None:
            return self
        row = self._row
        note = f" ({row.note})" if row.note else ""
        message = f"{type(instance).__name__!r} object has no attribute {row.name!r}: use {row.python}{note}"
        raise AttributeError(message, name=row.name, obj=instance)


def hints(owner: str, existing: Iterable[str]) -> dict[str, Hint]:
    """The hints for a class, by name, without those of its names that are the same in Python.

    Args:
        owner: the Java class.
        existing: attributes that the Python class has.
    """
    taken = set(existing)
    return {row.name: Hint(row) for row in JAVA_NAMES if row.owner == owner and row.name not in taken}


class ActionType(enum.EnumType):
    """The type of the enumeration `Action`, whose errors list its names and understand those of other frameworks."""

    def __getitem__(cls, name: str) -> enum.Enum:  # type: ignore[override]
        try:
            return super().__getitem__(name)
        except KeyError:
            raise KeyError(cls.unknown(name)) from None

    def __getattr__(cls, name: str) -> enum.Enum:
        if name.startswith("_"):
            raise AttributeError(name)
        raise AttributeError(cls.unknown(name), name=name, obj=cls)

    def unknown(cls, value: object) -> str:
        """The message about a value that is no action."""
        names = list(cls.__members__)
        word = value.upper().rpartition(".")[2].removeprefix("ACTION_") if isinstance(value, str) else ""
        hint = f"write Action.{word}" if word in names else f"there are {', '.join(names)}"
        return f"expected an Action (0 to {len(names) - 1}), got {value!r:.60}; {hint}"


def with_hints(actions: Any) -> None:
    """Give the enumeration of the actions errors that say what to write; it stays the same object."""

    def refuse(cls: Any, value: object) -> None:
        raise ValueError(cls.unknown(value))

    actions.__class__ = ActionType
    actions._missing_ = classmethod(refuse)
