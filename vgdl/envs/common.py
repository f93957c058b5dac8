"""Board and actions, shared by all environments."""

from __future__ import annotations

import numbers
import os
from collections.abc import Mapping, Sequence

from vgdl import Action, Board, Game, VGDLError, load
from vgdl.core.observation import record_tuples
from vgdl.game import LevelLike
from vgdl.language import suggestion

EVERY_ACTION = (Action.NIL, Action.UP, Action.LEFT, Action.DOWN, Action.RIGHT, Action.USE)


def board_of(
    game: str | os.PathLike[str] | Game, level: LevelLike, parameters: Mapping[str, object] | None, players: int
) -> Board:
    """The board to play on.

    Raises:
        VGDLError: there is no such game or level; the number of players is wrong; or it is a game space without values
            for all parameters, whose observation space would change from play to play.
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
    return loaded.board(level)


def check_options(options: Mapping[str, object] | None, known: Sequence[str] = ()) -> None:
    """Raise ValueError for an option of ``reset`` that would have no effect."""
    for name in options or ():
        if name not in known:
            there = f"there are {', '.join(known)}" if known else "this environment has none"
            raise ValueError(f"reset has no option {name!r}{suggestion(str(name), known)}; {there}")


def number_of(action: Action, actions: Sequence[Action]) -> int:
    """The number of an action in an action space, given as the action itself.

    Raises:
        ValueError: the action space lacks it.
    """
    if action not in actions:
        there = ", ".join(known.name for known in actions)
        raise ValueError(f"this environment has no action {action.name}; there are {there}")
    return actions.index(action)


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
