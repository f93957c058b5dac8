"""Board and actions, shared by all environments."""

from __future__ import annotations

import math
import numbers
import operator
import os
from collections.abc import Mapping, Sequence

from vgdl import Action, Board, Game, StateObservation, VGDLError, Winner, load
from vgdl.core.observation import record_tuples

LAST_TICK = 2000  #: of every play (engine, 7.9)
LIMITS = ("terminate", "truncate")  #: what the end at the engine's tick limit counts as
EVERY_ACTION = (Action.NIL, Action.UP, Action.LEFT, Action.DOWN, Action.RIGHT, Action.USE)


def game_of(game: str | os.PathLike[str] | Game, parameters: Mapping[str, object] | None, players: int) -> Game:
    """The game to play.

    Raises:
        VGDLError: there is no such game; the number of players is wrong; or it is a game space without values for all
            parameters, whose observation space would change from play to play.
        ValueError: ``parameters`` were given for a loaded game.
    """
    if isinstance(game, Game) and parameters is not None:
        raise ValueError("the game is loaded already: give its parameters to vgdl.load")
    loaded = game if isinstance(game, Game) else load(game, parameters=parameters)
    if loaded.n_players != players:
        other = "vgdl.envs.parallel.parallel_env" if loaded.n_players == 2 else "gymnasium.make"
        raise VGDLError(
            f"{loaded.name} is a game for {'one player' if loaded.n_players == 1 else f'{loaded.n_players} players'}",
            expected=[f"a game for {'one player' if players == 1 else f'{players} players'}"],
            suggestion=other,
        )
    if loaded.drawn(0) is not loaded:
        raise VGDLError(
            f"{loaded.name} is a game space",
            expected=[f"a value for each of its parameters ({', '.join(loaded.parameters)}), as parameters={{...}}"],
        )
    return loaded


def expect_whole(name: str, value: object, least: int, most: int | None = None, none: str = "") -> None:
    """Raise ValueError unless ``value`` is an integer in a range, or None if ``none`` explains that."""
    if value is None and none:
        return
    if (
        not isinstance(value, numbers.Integral)
        or isinstance(value, bool)
        or value < least
        or (most is not None and not value <= most)
    ):
        span = f"of at least {least}" if most is None else f"from {least} to {most}"
        otherwise = f", or None for {none}" if none else ""
        raise ValueError(f"expected {name} to be a whole number {span}{otherwise}, got {value!r}")


def number_of(action: object, actions: Sequence[Action]) -> int:
    """The number of an action: as given, or of a `vgdl.Action` its place among the actions.

    Raises:
        ValueError: it is neither.
    """
    if isinstance(action, Action):
        if action in actions:
            return actions.index(action)
        raise ValueError(f"there is no action {action.name}; there are {', '.join(one.name for one in actions)}")
    try:
        number = operator.index(action)  # type: ignore[arg-type]  # many times faster than `Discrete.contains`
    except TypeError:
        number = -1
    if not 0 <= number < len(actions):
        raise ValueError(f"expected an action from 0 to {len(actions) - 1}, or a vgdl.Action, got {action!r}")
    return number


def expect_finite(name: str, value: object) -> None:
    """Raise ValueError unless ``value`` is a finite number."""
    if not isinstance(value, numbers.Real) or isinstance(value, bool) or not math.isfinite(value):
        raise ValueError(f"expected {name} to be a finite number, got {value!r}")


def expect_limit(limit: object) -> None:
    """Raise ValueError unless ``limit`` says what the end at the engine's tick limit counts as."""
    if limit not in LIMITS:
        raise ValueError(f"expected limit to be {' or '.join(map(repr, LIMITS))}, got {limit!r}")


def is_limit(state: StateObservation) -> bool:
    """Whether a play has ended without a win in the engine's last tick, and by no error (engine, 7.9)."""
    return state.is_over and state.tick >= LAST_TICK and all(one == Winner.PLAYER_LOSES for one in state.winners)


def actions_of(board: Board, full: bool) -> tuple[Action, ...]:
    """The actions of an agent: NIL and those of all avatars that the level can have, or with ``full`` all six."""
    if full:
        return EVERY_ACTION
    born = {kind for _, kind, *_ in record_tuples(board.start(0))}
    table = board.tables.rules.table
    avatars = [row for row in table["types"][sorted(born | board.game.created)] if row["avatar_object"]]
    pool = table["pool"]
    known = {int(a) for row in avatars for a in pool[row["actions_start"] : row["actions_start"] + row["actions_len"]]}
    return tuple(action for action in EVERY_ACTION if action is Action.NIL or action in known)
