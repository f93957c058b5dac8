"""A game as a Gymnasium environment."""

from __future__ import annotations

import itertools
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from vgdl import Action, Board, Game, StateObservation, Winner
from vgdl.envs.common import expect_finite, expect_limit, game_of, is_limit, number_of
from vgdl.envs.levels import Episode, Levels, Outcome, Source, check_options
from vgdl.envs.observers import PIXELS, Observers
from vgdl.envs.window import FPS, RENDER_MODES, Screen
from vgdl.game import LevelLike

SEEDS = 2**31  #: seeds drawn from ``np_random`` are below this


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The result of `VGDLEnv.clone_state`: the whole game, for `VGDLEnv.restore_state`. Can be pickled.

    >>> import vgdl.envs
    >>> env = vgdl.envs.VGDLEnv("sokoban")
    >>> _ = env.reset(seed=7)
    >>> snapshot = env.clone_state()
    >>> _ = env.step(0)
    >>> env.restore_state(snapshot)
    >>> env.state.tick
    0
    """

    state: StateObservation
    include_rng: bool


class VGDLEnv(gymnasium.Env[Any, np.int64]):
    """A one-player game on one level, or on another one in each play.

    The reward is the change of the score, plus ``win_bonus`` for a win. ``terminated``: the game is over, by its own
    rules or at tick 2000, where every game ends; ``truncated`` is left to wrappers, such as ``max_episode_steps`` of
    ``gymnasium.make``, unless ``limit`` is ``truncate``. ``info`` holds ``tick``, ``score``, ``winner`` (a
    `vgdl.Winner`), ``won``, ``level`` (see `vgdl.envs.levels.Levels`), and ``error`` if a rule could not be carried
    out.

    ``reset(seed=s)`` starts the same play as ``Game.start(level, seed=s)``; with several levels, the seed determines
    the level as well. Environments can be copied and pickled: a copy
    continues from the same point, with the same random numbers, and shares nothing with the original.

    >>> import vgdl.envs
    >>> env = vgdl.envs.VGDLEnv("sokoban", level=0)
    >>> _ = env.reset(seed=7)
    >>> observation, reward, terminated, truncated, info = env.step(env.actions.index(vgdl.Action.UP))
    >>> reward, terminated, info["tick"]
    (0.0, False, 1)
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": list(RENDER_MODES), "render_fps": FPS}  # type: ignore[misc]

    def __init__(
        self,
        game: str | os.PathLike[str] | Game,
        level: Source = 0,
        *,
        levels: str | os.PathLike[str] | Sequence[LevelLike] | None = None,
        observation: str = "grid",
        view: int | None = None,
        max_sprites: int | None = None,
        pixels: int = PIXELS,
        frame_size: tuple[int, int] | None = None,
        front: bool = False,
        full_action_space: bool = False,
        parameters: Mapping[str, object] | None = None,
        win_bonus: float = 0.0,
        limit: str = "terminate",
        render_mode: str | None = None,
    ) -> None:
        """Set up the game; ``reset`` begins a play.

        Args:
            game: a loaded game, the name of a bundled one, or the path of a game file.
            level: the number of one of the game's levels, the path of a level file, or the text of a level; a list of
                these, of which each play draws one; or a function from an `Episode` to one of these.
            levels: the levels instead: a list, ``train`` (the game's levels 0 to 2), ``test`` (3 and 4), ``all``, or a
                folder of level files. With a function as ``level``, those that observations have room for.
            observation: ``grid`` (also called ``planes``), ``sprites``, ``rgb`` or ``text``: see `vgdl.envs.observers`.
            view: show only this many cells to each side of the avatar; the whole board if None.
            max_sprites: rows of the mode ``sprites``.
            pixels: width and height of a cell in the mode ``rgb``.
            frame_size: height and width of the picture in the mode ``rgb``, such as ``(84, 84)``: cells then have as
                many pixels as fit, with black margins around them.
            front: whether the text of the mode ``text`` says what is in front of the avatar.
            full_action_space: offer all six actions; those that the avatar does not have count as NIL.
            parameters: values for all parameters of a game space.
            win_bonus: added to the reward of the step that wins the game.
            limit: whether the end at tick 2000 without a win counts as ``terminate`` or ``truncate``.
            render_mode: ``human``, ``rgb_array``, ``ansi`` or None.

        Raises:
            VGDLError: the game or the level cannot be played.
            ValueError: an unknown mode, or an invalid number.
        """
        expect_finite("win_bonus", win_bonus)
        expect_limit(limit)
        observers = Observers(observation, view, max_sprites, pixels, frame_size, front)
        self._levels = Levels(game_of(game, parameters, players=1), level, levels, observers)
        self.actions = self._levels.actions(full=full_action_space)
        self.render_mode = render_mode
        self._stage = self._levels.stages[0]
        self.observation_space = self._stage.observer.space
        self.action_space = spaces.Discrete(len(self.actions))
        self._win_bonus = win_bonus
        self._truncates = limit == "truncate"
        self._state: StateObservation | None = None
        self._begun = 0  # plays
        self._screen = Screen(render_mode, self.board.game.name)

    @property
    def board(self) -> Board:
        """The board of the current play; before the first one, that of the first level."""
        return self._stage.board

    @property
    def boards(self) -> tuple[Board, ...]:
        """The boards of the levels that the environment was made with."""
        return tuple(stage.board for stage in self._levels.stages)

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
        """Start a play.

        Args:
            seed: of the play; drawn from ``np_random`` if None.
            options: ``{"level": ...}`` sets the level of this play, as the constructor's ``level`` does.

        Raises:
            VGDLError: there is no such level.
            ValueError: an unknown option, or a level that the observation space has no room for.
        """
        chosen = check_options(options)
        super().reset(seed=seed)
        own = int(self.np_random.integers(SEEDS)) if seed is None else seed
        last = None if self._state is None else Outcome.of(self._stage.number, self._state)
        stage = self._levels.of_reset(chosen.get("level"), Episode(own, self._begun, last=last))
        self._state = stage.board.start(own)
        self._stage = stage
        self._begun += 1
        self._screen.update(self._state)
        return stage.observer.observe(self._state), self._info()

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions the avatar has at the moment: bool, (actions,). NIL is always among them."""
        available = self.state.available_actions
        return np.array([action is Action.NIL or action in available for action in self.actions], np.bool_)

    def step(self, action: np.int64 | int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play one tick with an action, given by its number or as a `vgdl.Action`; does nothing once the game is over.

        Raises:
            ValueError: an invalid action.
        """
        state = self.state
        number = number_of(action, self.actions)
        before, was_over = state.score, state.is_over
        state.advance(self.actions[number])
        self._screen.update(state)
        reward = state.score - before
        if self._win_bonus and not was_over and state.is_over and state.winner == Winner.PLAYER_WINS:
            reward += self._win_bonus
        truncated = self._truncates and is_limit(state)
        return self._stage.observer.observe(state), reward, state.is_over and not truncated, truncated, self._info()

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
        """Restore a snapshot of this environment, or of another one with the same game and a level of this one.

        Raises:
            ValueError: the state is of another game or level.
        """
        saved = state.state
        stage = self._levels.of_digest(saved.board.digest)
        if stage is None or saved.game.digest != self.board.game.digest:
            raise ValueError(f"this is a state of {saved.board.name}, not of {self.board.name}")
        self._stage = stage
        own = stage.board
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
        info: dict[str, Any] = {
            "tick": state.tick,
            "score": state.score,
            "winner": int(state.winner),
            "won": state.winner == Winner.PLAYER_WINS,
            "level": self._stage.number,
        }
        return info if state.error is None else info | {"error": state.error}


def _seed_of(state: StateObservation) -> int:
    """The seed that reproduces a state's generator (engine, 1.2)."""
    return state.generator ^ 0x5DEECE66D
