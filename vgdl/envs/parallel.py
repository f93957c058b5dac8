"""A two-player game as a parallel environment of PettingZoo: ``parallel_env("tandem", level=0)``."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from gymnasium.utils.seeding import np_random
from numpy.typing import NDArray

from vgdl import Action, Game, StateObservation
from vgdl.envs.common import actions_of, board_of, expect_whole, number_of
from vgdl.envs.observers import PIXELS, observer
from vgdl.envs.single import SEEDS
from vgdl.envs.window import FPS, RENDER_MODES, Screen
from vgdl.extras import needs
from vgdl.game import LevelLike

try:
    from pettingzoo import ParallelEnv
except ImportError as error:
    raise ImportError(needs("vgdl.envs.parallel", "PettingZoo", "pettingzoo")) from error

AGENTS = ("player_0", "player_1")


class VGDLParallelEnv(ParallelEnv[str, Any, int]):
    """A two-player game on one level. Both agents see the board, each with the planes or the view of its own avatar.

    The reward is the change of the player's score. Both agents terminate when the game is over, and only then: the
    avatar of a player who has lost does nothing, but the score may still change. ``infos`` hold ``tick``, ``score`` and
    ``winner``.

    ``reset(seed=s)`` starts the same play as ``Game.start(seed=s)``.
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
        level: LevelLike = 0,
        *,
        observation: str = "grid",
        view: int | None = None,
        max_sprites: int | None = None,
        pixels: int = PIXELS,
        frame_size: tuple[int, int] | None = None,
        full_action_space: bool = False,
        parameters: Mapping[str, object] | None = None,
        max_cycles: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        """Set up the game: see `vgdl.envs.VGDLEnv`. ``max_cycles``: truncate plays after this many steps."""
        expect_whole("max_cycles", max_cycles, 1, none="no end")
        self.board = board_of(game, level, parameters, players=2)
        self.actions = actions_of(self.board, full_action_space)
        self.max_cycles = max_cycles
        self.render_mode = render_mode
        self.possible_agents = list(AGENTS)
        self.agents: list[str] = []
        self._observer = observer(observation, self.board, view, max_sprites, pixels, frame_size)
        self._action_spaces = {agent: spaces.Discrete(len(self.actions)) for agent in AGENTS}
        self._generator = np_random(None)[0]
        self._state: StateObservation | None = None
        self._screen = Screen(render_mode, self.board.game.name)

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self._observer.space

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self._action_spaces[agent]

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
        """Start a play with ``seed``, or with a seed that is drawn; PettingZoo requires ``options`` to be ignored."""
        if seed is not None:
            self._generator = np_random(seed)[0]
        self._state = self.board.start(int(self._generator.integers(SEEDS)) if seed is None else seed)
        self.agents = list(AGENTS)
        self._screen.update(self._state)
        return self._observations(), self._infos()

    def step(
        self, actions: Mapping[str, int]
    ) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """Play one tick; an agent without an action does nothing.

        Raises:
            ValueError: an unknown agent or action, or the play is over.
        """
        state = self.state_observation
        if not self.agents:
            raise ValueError("the play is over: call reset() first")
        actions = {
            agent: number_of(action, self.actions) if isinstance(action, Action) else action
            for agent, action in actions.items()
        }
        for agent, action in actions.items():
            if agent not in AGENTS:
                raise ValueError(f"no agent {agent!r}; there are {', '.join(AGENTS)}")
            if not self.action_space(agent).contains(action):
                raise ValueError(f"expected an action from 0 to {len(self.actions) - 1} of {agent}, got {action!r}")
        before = state.scores
        state.advance([self.actions[int(actions[agent])] if agent in actions else None for agent in AGENTS])
        self._screen.update(state)
        cut = not state.is_over and self.max_cycles is not None and state.tick >= self.max_cycles
        if state.is_over or cut:
            self.agents = []
        rewards = {agent: state.scores[player] - before[player] for player, agent in enumerate(AGENTS)}
        over, truncated = dict.fromkeys(AGENTS, state.is_over), dict.fromkeys(AGENTS, cut)
        return self._observations(), rewards, over, truncated, self._infos()

    def render(self) -> NDArray[np.uint8] | str | None:
        """As `VGDLEnv.render`."""
        return self._screen.picture(self.state_observation)

    def close(self) -> None:
        """Close the window."""
        self._screen.close()

    def _observations(self) -> dict[str, Any]:
        state = self.state_observation
        return {agent: self._observer.observe(state, player) for player, agent in enumerate(AGENTS)}

    def _infos(self) -> dict[str, dict[str, Any]]:
        state = self.state_observation
        error = {} if state.error is None else {"error": state.error}
        return {
            agent: {"tick": state.tick, "score": state.scores[player], "winner": int(state.winners[player]), **error}
            for player, agent in enumerate(AGENTS)
        }


parallel_env = VGDLParallelEnv
