"""A game as a Gymnasium environment."""

from __future__ import annotations

import itertools
import operator
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from vgdl import Board, Game, StateObservation
from vgdl.envs.common import actions_of, board_of
from vgdl.envs.observers import PIXELS, Observer, observer
from vgdl.envs.window import FPS, RENDER_MODES, Screen
from vgdl.game import LevelLike

if TYPE_CHECKING:
    from vgdl.generation.training import FreshBoards

SEEDS = 2**31  #: seeds drawn from ``np_random`` are below this


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The result of `VGDLEnv.clone_state`: the whole game, for `VGDLEnv.restore_state`. Can be pickled."""

    state: StateObservation
    include_rng: bool


class VGDLEnv(gymnasium.Env[Any, np.int64]):
    """A one-player game on one level.

    The reward is the change of the score. ``terminated``: the game is over, by its own rules or at tick 2000, where
    every game ends; ``truncated`` is left to wrappers, such as ``max_episode_steps`` of ``gymnasium.make``. ``info``
    holds ``tick``, ``score`` and ``winner`` (a `vgdl.Winner`), and ``error`` if a rule could not be carried out.

    ``reset(seed=s)`` starts the same play as ``Game.start(seed=s)``. Environments can be copied and pickled: a copy
    continues from the same point, with the same random numbers, and shares nothing with the original.
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
        pixels: int = PIXELS,
        frame_size: tuple[int, int] | None = None,
        full_action_space: bool = False,
        parameters: Mapping[str, object] | None = None,
        render_mode: str | None = None,
        levels: str | None = None,
    ) -> None:
        """Set up the game; ``reset`` begins a play.

        Args:
            game: a loaded game, the name of a bundled one, or the path of a game file.
            level: the number of one of the game's levels, the path of a level file, or the text of a level.
            observation: ``grid`` (also called ``planes``), ``sprites``, ``rgb`` or ``text``: see `vgdl.envs.observers`.
            view: show only this many cells to each side of the avatar; the whole board if None.
            max_sprites: rows of the mode ``sprites``.
            pixels: width and height of a cell in the mode ``rgb``.
            frame_size: height and width of the picture in the mode ``rgb``, such as ``(84, 84)``: cells then have as
                many pixels as fit, with black margins around them.
            full_action_space: offer all six actions; those that the avatar does not have count as NIL.
            parameters: values for all parameters of a game space.
            render_mode: ``human``, ``rgb_array``, ``ansi`` or None.
            levels: ``generated:FILE?difficulty=medium`` for a level of an archive, drawn at every reset, instead of
                ``level``: see `vgdl.generation.archives`.

        Raises:
            VGDLError: the game or the level cannot be played.
            ValueError: an unknown mode, an invalid number, or an archive that cannot be used.
        """
        self.board = board_of(game, level, parameters, players=1)
        self._fresh: FreshBoards[Observer] | None = None
        if levels is not None:
            self._fresh = _fresh(levels, self.board.game, observation, view, max_sprites, pixels, frame_size)
            self.board, _ = self._fresh.first()
        self.actions = actions_of(self.board, full_action_space)
        self.render_mode = render_mode
        self._observer = observer(observation, self.board, view, max_sprites, pixels, frame_size)
        self.observation_space = self._observer.space
        self.action_space = spaces.Discrete(len(self.actions))
        self._state: StateObservation | None = None
        self._screen = Screen(render_mode, self.board.game.name)

    @property
    def state(self) -> StateObservation:
        """The state of the game, as controllers get it, with names. ResetNeeded before the first play."""
        if self._state is None:
            raise gymnasium.error.ResetNeeded("no play has begun: call reset() first")
        return self._state

    def get_action_meanings(self) -> list[str]:
        """The meaning of each action, by number."""
        return [action.name for action in self.actions]

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start a play with ``seed``, or with a seed that is drawn from ``np_random``."""
        super().reset(seed=seed)
        if self._fresh is not None:
            self.board, self._observer = self._fresh.draw(self.np_random)
        self._state = self.board.start(int(self.np_random.integers(SEEDS)) if seed is None else seed)
        self._screen.update(self._state)
        return self._observer.observe(self._state), self._info()

    def step(self, action: np.int64 | int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play one tick.

        Raises:
            ValueError: an invalid action.
        """
        state = self.state
        try:
            number = operator.index(action)  # many times faster than `Discrete.contains`
        except TypeError:
            number = -1
        if not 0 <= number < len(self.actions):
            raise ValueError(f"expected an action from 0 to {len(self.actions) - 1}, got {action!r}")
        before = state.score
        state.advance(self.actions[number])
        self._screen.update(state)
        return self._observer.observe(state), state.score - before, state.is_over, False, self._info()

    def clone_state(self, include_rng: bool = False) -> Snapshot:
        """A snapshot of the game: every sprite, the score, the tick.

        It includes neither the state of wrappers, such as the step count of a time limit, nor ``np_random``, which
        seeds later plays.

        Args:
            include_rng: include the game's random generator, so that the same actions lead to the same states again.
                Otherwise a restored game continues with the generator of the game that it replaces, as planning needs.
        """
        return Snapshot(self.state.copy(), include_rng)

    def restore_state(self, state: Snapshot) -> None:
        """Restore a snapshot of this environment, or of another one with the same game and level.

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
        """The frame, 24 pixels per cell, or with ``ansi`` the state as text.

        None with ``human``, where every step shows the frame in a window.
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


def _fresh(levels: str, game: Game, mode: str, *arguments: Any) -> FreshBoards[Observer]:
    """The boards of an archive of levels, each with an observer."""
    from vgdl.generation.training import FreshBoards

    return FreshBoards(levels, game, partial(_observed, mode, arguments))


def _observed(mode: str, arguments: tuple[Any, ...], board: Board) -> Observer:
    return observer(mode, board, *arguments)


def _seed_of(state: StateObservation) -> int:
    """The seed that reproduces a state's generator (engine, 1.2)."""
    return state.generator ^ 0x5DEECE66D
