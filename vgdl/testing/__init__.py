"""Checks for your own games, controllers and environments.

Call them in tests::

    from vgdl.testing import check_controller, check_env, check_game

    def test_my_game():
        check_game("my_game.txt")

Each raises `CheckFailed`, an `AssertionError` that lists every problem and how to fix it. The tests of the bundled
games, controllers and environments use the same functions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vgdl.testing.controllers import check_controller
from vgdl.testing.games import check_game
from vgdl.testing.problems import CheckFailed

if TYPE_CHECKING:
    import gymnasium

__all__ = ["CheckFailed", "check_controller", "check_env", "check_game"]


def check_env(env: str | gymnasium.Env[Any, Any], *, steps: int = 200, **options: Any) -> None:
    """Check the API, reproducibility, copies and vector version of an environment.

    - Gymnasium's own ``check_env`` passes without a warning.
    - Every observation is an element of the observation space.
    - Plays with the same seed are equal; copies and pickled environments continue like the originals.
    - For an environment given by its id: the vector environment behaves like single environments.

    Needs Gymnasium (``pip install "vgdl[gym]"``).

    >>> from vgdl.testing import check_env
    >>> check_env("vgdl/VGDL-v0", game="sokoban", steps=5)

    Args:
        env: the id of a registered environment, or an environment, which is reset.
        steps: number of random actions, over as many plays as needed.
        options: for ``gymnasium.make``, such as ``game="my_game.txt"`` of ``vgdl/VGDL-v0``.

    Raises:
        CheckFailed: there are problems; it lists them all.
    """
    from vgdl.testing.envs import check_env as check

    check(env, steps=steps, **options)
