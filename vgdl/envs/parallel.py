"""A two-player game as a parallel environment of PettingZoo: ``parallel_env("tandem", level=0)``."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from gymnasium.utils.seeding import np_random
from numpy.typing import NDArray

from vgdl import Action, Board, Game, StateObservation, Winner
from vgdl.envs.common import expect_finite, expect_limit, expect_whole, game_of, is_limit, number_of
from vgdl.envs.levels import Episode, Levels, Outcome, Source, check_options
from vgdl.envs.observers import PIXELS, Observers
from vgdl.envs.single import SEEDS
from vgdl.envs.window import FPS, RENDER_MODES, Screen
from vgdl.extras import needs
from vgdl.game import LevelLike

try:
    from pettingzoo import ParallelEnv
except ImportError as error:
    raise ImportError(needs("vgdl.envs.parallel", "PettingZoo", "pettingzoo")) from error

__all__ = ["VGDLParallelEnv", "parallel_env"]

AGENTS = ("player_0", "player_1")


class VGDLParallelEnv(ParallelEnv[str, Any, int]):
    """A two-player game on one level, or on another one in each play.

    Both agents see the board, each with the planes or the view of its own avatar. The reward is the change of the
    player's score, plus ``win_bonus`` for a win. Both agents terminate when the game is over, and only then: the avatar
    of a player who has lost does nothing, but the score may still change. ``infos`` hold ``tick``, ``score``,
    ``winner``, ``won`` and ``level``.

    ``reset(seed=s)`` starts the same play as ``Game.start(level, seed=s)``; with several levels, the seed determines
    the level as well.

    >>> from vgdl.envs.parallel import VGDLParallelEnv
    >>> env = VGDLParallelEnv("tandem", level=0)
    >>> observations, infos = env.reset(seed=7)
    >>> sorted(observations)
    ['player_0', 'player_1']
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "vgdl_v0",
        "render_modes": list(RENDER_MODES),
        "render_fps": FPS,
        "is_parallelizable": True,
    }

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
        max_cycles: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        """Set up the game: see `vgdl.envs.VGDLEnv`. ``max_cycles``: truncate plays after this many steps."""
        expect_whole("max_cycles", max_cycles, 1, none="no end")
        expect_finite("win_bonus", win_bonus)
        expect_limit(limit)
        observers = Observers(observation, view, max_sprites, pixels, frame_size, front)
        self._levels = Levels(game_of(game, parameters, players=2), level, levels, observers)
        self.actions = self._levels.actions(full=full_action_space)
        self._stage = self._levels.stages[0]
        self._win_bonus = win_bonus
        self._truncates = limit == "truncate"
        self._begun = 0  # plays
        self.max_cycles = max_cycles
        self.render_mode = render_mode
        self.possible_agents = list(AGENTS)
        self.agents: list[str] = []
        self._action_spaces = {agent: spaces.Discrete(len(self.actions)) for agent in AGENTS}
        self._generator = np_random(None)[0]
        self._state: StateObservation | None = None
        self._screen = Screen(render_mode, self.board.game.name)

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self._stage.observer.space

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self._action_spaces[agent]

    @property
    def board(self) -> Board:
        """The board of the current play; before the first one, that of the first level."""
        return self._stage.board

    def action_masks(self) -> dict[str, NDArray[np.bool_]]:
        """Which actions each agent's avatar has at the moment: bool, (actions,). NIL is always among them."""
        state = self.state_observation
        available = {agent: state.actions_of(player) for player, agent in enumerate(AGENTS)}
        return {
            agent: np.array([action is Action.NIL or action in available[agent] for action in self.actions], np.bool_)
            for agent in AGENTS
        }

    def get_action_meanings(self) -> list[str]:
        """The meaning of each action, by number."""
        return [action.name for action in self.actions]

    @property
    def state_observation(self) -> StateObservation:
        """The state of the game. RuntimeError before the first play."""
        if self._state is None:
            raise RuntimeError("no play has begun: call reset() first")
        return self._state

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Start a play with ``seed``, or with a seed that is drawn; ``options`` are those of `VGDLEnv.reset`."""
        chosen = check_options(options, tolerant=True)
        if seed is not None:
            self._generator = np_random(seed)[0]
        own = int(self._generator.integers(SEEDS)) if seed is None else seed
        last = None if self._state is None else Outcome.of(self._stage.number, self._state)
        stage = self._levels.of_reset(chosen.get("level"), Episode(own, self._begun, last=last))
        self._state = stage.board.start(own)
        self._stage = stage
        self._begun += 1
        self.agents = list(AGENTS)
        self._screen.update(self._state)
        return self._observations(), self._infos()

    def step(
        self, actions: Mapping[str, int]
    ) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """Play one tick; an agent without an action does nothing. Actions are numbers, or of type `vgdl.Action`.

        Raises:
            ValueError: an unknown agent or action, or the play is over.
        """
        state = self.state_observation
        if not self.agents:
            raise ValueError("the play is over: call reset() first")
        chosen: dict[str, Action] = {}
        for agent, action in actions.items():
            if agent not in AGENTS:
                raise ValueError(f"no agent {agent!r}; there are {', '.join(AGENTS)}")
            try:
                chosen[agent] = self.actions[number_of(action, self.actions)]
            except ValueError as error:
                raise ValueError(f"{agent}: {error}") from None
        before = state.scores
        state.advance([chosen.get(agent) for agent in AGENTS])
        self._screen.update(state)
        cut = not state.is_over and self.max_cycles is not None and state.tick >= self.max_cycles
        if state.is_over or cut:
            self.agents = []
        rewards = {agent: state.scores[player] - before[player] for player, agent in enumerate(AGENTS)}
        if state.is_over and self._win_bonus:
            for player, agent in enumerate(AGENTS):
                rewards[agent] += self._win_bonus * (state.winners[player] == Winner.PLAYER_WINS)
        limited = self._truncates and is_limit(state)
        over, truncated = dict.fromkeys(AGENTS, state.is_over and not limited), dict.fromkeys(AGENTS, cut or limited)
        return self._observations(), rewards, over, truncated, self._infos()

    def render(self) -> NDArray[np.uint8] | str | None:
        """As `VGDLEnv.render`."""
        return self._screen.picture(self.state_observation)

    def close(self) -> None:
        """Close the window."""
        self._screen.close()

    def _observations(self) -> dict[str, Any]:
        state = self.state_observation
        return {agent: self._stage.observer.observe(state, player) for player, agent in enumerate(AGENTS)}

    def _infos(self) -> dict[str, dict[str, Any]]:
        state = self.state_observation
        error = {} if state.error is None else {"error": state.error}
        return {
            agent: {
                "tick": state.tick,
                "score": state.scores[player],
                "winner": int(state.winners[player]),
                "won": state.winners[player] == Winner.PLAYER_WINS,
                "level": self._stage.number,
                **error,
            }
            for player, agent in enumerate(AGENTS)
        }


parallel_env = VGDLParallelEnv
