"""A game as a Gymnasium environment."""

from __future__ import annotations

import itertools
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from vgdl import Game, StateObservation
from vgdl.envs.common import actions_of, board_of
from vgdl.envs.observers import observer
from vgdl.envs.window import FPS, RENDER_MODES, Screen
from vgdl.game import LevelLike

SEEDS = 2**31  #: a play without a seed of its own draws one below this from ``np_random``


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What `VGDLEnv.clone_state` returns: the whole game, to be put back at any time; can be pickled."""

    state: StateObservation
    include_rng: bool


class VGDLEnv(gymnasium.Env[Any, np.int64]):
    """A game of one player on one level.

    The reward is the change of the score. ``terminated``: the game is over, by its own rules or by the limit of 2000
    ticks that every game has; ``truncated`` is for wrappers, such as ``max_episode_steps`` of ``gymnasium.make``.
    ``info`` tells ``tick``, ``score`` and ``winner`` (a `vgdl.Winner`), and ``error`` if the game could not go on.

    A play with ``reset(seed=s)`` is the one that ``Game.start(seed=s)`` begins. Environments can be copied and pickled:
    a copy goes on from the same point, with the same random numbers, independently.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": list(RENDER_MODES), "render_fps": FPS}  # type: ignore[misc]

    def __init__(
        self,
        game: str | os.PathLike[str] | Game,
        level: LevelLike = 0,
        *,
        observation: str = "grid",
        view: int | None = None,
        max_sprites: int | None = None,
        full_action_space: bool = False,
        parameters: Mapping[str, object] | None = None,
        render_mode: str | None = None,
    ) -> None:
        """Set up the game; ``reset`` begins a play.

        Args:
            game: a loaded game, the name of a bundled one, or the path of a game file.
            level: the number of one of the game's levels, the path of a level file, or the text of a level.
            observation: ``grid``, ``sprites``, ``rgb`` or ``text``: see `vgdl.envs.observers`.
            view: let the agent see only that many cells to each side of its avatar; the whole board if None.
            max_sprites: rows of the mode ``sprites``.
            full_action_space: offer all six actions, also those that no avatar of the game has and that count as NIL.
            parameters: of a game space; all of them.
            render_mode: ``human``, ``rgb_array``, ``ansi`` or None.

        Raises:
            VGDLError: the game or the level cannot be played.
            ValueError: no such mode, or a number that makes no sense.
        """
        self.board = board_of(game, level, parameters, players=1)
        self.actions = actions_of(self.board, full_action_space)
        self.render_mode = render_mode
        self._observer = observer(observation, self.board, view, max_sprites)
        self.observation_space = self._observer.space
        self.action_space = spaces.Discrete(len(self.actions))
        self._state: StateObservation | None = None
        self._screen = Screen(render_mode, self.board.game.name)

    @property
    def state(self) -> StateObservation:
        """The state of the game: all that a controller gets, and more. ResetNeeded before the first play."""
        if self._state is None:
            raise gymnasium.error.ResetNeeded("no play has begun: call reset() first")
        return self._state

    def get_action_meanings(self) -> list[str]:
        """What each action does, by number."""
        return [action.name for action in self.actions]

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin a play: with ``seed`` that of this seed, else one whose seed is drawn from ``np_random``."""
        super().reset(seed=seed)
        self._state = self.board.start(int(self.np_random.integers(SEEDS)) if seed is None else seed)
        self._screen.update(self._state)
        return self._observer.observe(self._state), self._info()

    def step(self, action: np.int64 | int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play one tick. ValueError for a number that is no action."""
        state = self.state
        if not self.action_space.contains(action):
            raise ValueError(f"expected an action from 0 to {len(self.actions) - 1}, got {action!r}")
        before = state.score
        state.advance(self.actions[int(action)])
        self._screen.update(state)
        return self._observer.observe(state), state.score - before, state.is_over, False, self._info()

    def clone_state(self, include_rng: bool = False) -> Snapshot:
        """The game as it is now: every sprite, the score, the tick; the history of events within this environment only.

        Not in it: what wrappers count (such as the steps of a time limit), and the generator ``np_random`` that seeds
        later plays.

        Args:
            include_rng: with the game's random generator, so that the same actions lead to the same states again;
                without, as planning needs it, a restored game goes on with the generator of the game that it replaces.
        """
        return Snapshot(self.state.copy(), include_rng)

    def restore_state(self, state: Snapshot) -> None:
        """Put back what `clone_state` returned, in this environment or in another one of the same game and level.

        Raises:
            ValueError: the state is of another game or level.
        """
        saved, own = state.state, self.board
        if (saved.game.digest, saved.board.digest) != (own.game.digest, own.digest):
            raise ValueError(f"this is a state of {saved.board.name}, not of {own.name}")
        seed = None if state.include_rng else _seed_of(self.state)
        if saved.tables is not own.tables:  # of another environment, or pickled
            saved = StateObservation.from_bytes(own.tables, saved.to_bytes())
        self._state = saved.copy(seed=seed)
        self._screen.update(self._state)

    def get_keys_to_action(self) -> dict[tuple[int, ...], int]:
        """The action for each combination of pygame keys held, as in ``vgdl-play``; for ``gymnasium.utils.play``."""
        from vgdl.play.controls import bindings
        from vgdl.play.keys import action_of_keys

        keys = bindings(person=0, people=1)
        combinations = [(key,) for key in keys] + list(itertools.combinations(sorted(keys), 2))
        meant = {held: action_of_keys({keys[key] for key in held}) for held in combinations}
        return {held: self.actions.index(action) for held, action in meant.items() if action in self.actions}

    def render(self) -> NDArray[np.uint8] | str | None:
        """The picture that people see, 24 pixels per cell, or with ``ansi`` the state as text.

        With ``human`` it is None: every step shows the picture in a window.
        """
        if self.render_mode is None:
            gymnasium.logger.warn("render() needs a render_mode: gymnasium.make(..., render_mode='rgb_array')")
        return self._screen.picture(self.state)

    def close(self) -> None:
        """Close the window."""
        self._screen.close()

    def _info(self) -> dict[str, Any]:
        state = self.state
        info: dict[str, Any] = {"tick": state.tick, "score": state.score, "winner": int(state.winner)}
        return info if state.error is None else info | {"error": state.error}


def _seed_of(state: StateObservation) -> int:
    """The seed that leads to the generator of a state (engine, 1.2)."""
    return state.generator ^ 0x5DEECE66D
