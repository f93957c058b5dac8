"""The ids of the games in Gymnasium."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from typing import Any

import gymnasium

from vgdl import games
from vgdl.envs.versions import version

ANY_GAME = "vgdl/VGDL-v0"  #: takes the game as ``game=``: a name, a path, or a loaded game
_ENV = "vgdl.envs.single:VGDLEnv"
_VECTOR_ENV = "vgdl.envs.vector:VGDLVectorEnv"


def env_id(game: str) -> str:
    """The id of a bundled one-player game: ``vgdl/MissileCommand-v0`` for ``missilecommand``; see `vgdl.envs.versions`.

    >>> import vgdl.envs
    >>> print(vgdl.envs.env_id("missilecommand"))  # doctest: +ELLIPSIS
    vgdl/MissileCommand-v...

    Raises:
        LookupError: there is no such game, or it is a two-player game.
    """
    facts = games.facts(game)
    if facts.set == "two_player":
        raise LookupError(f"{game} is a two-player game: see vgdl.envs.parallel")
    return f"vgdl/{''.join(facts.title.split())}-v{version(game)}"


@cache
def env_ids() -> Mapping[str, str]:
    """The bundled one-player games by their ids.

    >>> import vgdl.envs
    >>> vgdl.envs.env_ids()[vgdl.envs.env_id("sokoban")]
    'sokoban'
    """
    return {env_id(game): game for game in games.names() if games.facts(game).set != "two_player"}


def register() -> None:
    """Register all games with Gymnasium; called once, when `vgdl.envs` is imported.

    >>> import gymnasium
    >>> import vgdl.envs
    >>> vgdl.envs.env_id("sokoban") in gymnasium.registry
    True
    """
    gymnasium.register(ANY_GAME, entry_point=_ENV, vector_entry_point=_VECTOR_ENV)
    for name, game in env_ids().items():
        gymnasium.register(name, entry_point=_ENV, vector_entry_point=_VECTOR_ENV, kwargs={"game": game})


def make(game: str | os.PathLike[str], **options: Any) -> gymnasium.Env[Any, Any]:
    """Make an environment for any one-player game; ``options`` are those of `VGDLEnv` and of ``gymnasium.make``.

    >>> import vgdl.envs
    >>> env = vgdl.envs.make("sokoban", level=0)
    >>> observation, info = env.reset(seed=7)
    >>> observation.shape, info["tick"]
    ((11, 8, 13), 0)

    Args:
        game: a loaded game, the name of a bundled one, or the path of a game file.
    """
    return gymnasium.make(ANY_GAME, game=game, **options)
