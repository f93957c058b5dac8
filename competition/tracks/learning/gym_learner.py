"""A learner whose training loop is written against ``gymnasium.Env`` (extra ``gym``).

The loop runs in a thread of the agent's process. The environment that it gets is a stand-in: ``step`` is the answer to
`Learner.act`, and returns at the next call. Only one of the two threads runs at a time, so runs are repeatable.
"""

from __future__ import annotations

import abc
import queue
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from vgdl import Action
from vgdl.competition.tracks.learning.agents.tabular import reward_of
from vgdl.competition.tracks.learning.learner import Learner, Mode, Observation, Spaces
from vgdl.controllers import Timer
from vgdl.extras import needs

try:
    import gymnasium
    from gymnasium import spaces as gym_spaces
except ImportError as error:
    raise ImportError(needs("a GymnasiumLearner", "Gymnasium", "gym")) from error


class LearnerEnv(gymnasium.Env[Any, np.int64]):
    """The game that the agent is playing, as an environment.

    The reward is the change of the score, plus 10 for a victory and minus 10 for a defeat. ``terminated``: the game is
    over; ``truncated``: the play was cut off. ``reset`` waits for the next play; its seed has no effect. ``info`` has
    the `Observation`.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": []}  # type: ignore[misc]

    def __init__(self, learner: GymnasiumLearner) -> None:
        """Stand in for the game of a learner."""
        shown = learner.spaces
        if shown.mode not in (Mode.GRID, Mode.RGB):
            raise ValueError(f"an environment shows the modes grid and rgb, not {shown.mode}")
        self.observation_space = gym_spaces.Box(0, 1 if shown.mode is Mode.GRID else 255, shown.shape, np.uint8)
        self.action_space = gym_spaces.Discrete(len(learner.actions))
        self._learner = learner
        self._has_ended = True

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Wait for the next play.

        Raises:
            ResetNeeded: the play has not ended yet.
        """
        super().reset(seed=seed)
        if not self._has_ended:
            raise gymnasium.error.ResetNeeded("the play has not ended yet: an agent cannot give it up")
        tick = self._learner._hand_over(None)
        self._has_ended = False
        return tick.observation.data.copy(), {"observation": tick.observation}

    def step(self, action: np.int64 | int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Answer with an action, and wait for the next observation."""
        if self._has_ended:
            raise gymnasium.error.ResetNeeded("the play has ended: call reset()")
        tick = self._learner._hand_over(int(action))
        self._has_ended = tick.terminated or tick.truncated
        info = {"observation": tick.observation}
        return tick.observation.data.copy(), tick.reward, tick.terminated, tick.truncated, info


@dataclass(frozen=True, slots=True)
class _Tick:
    """What the environment returns next."""

    observation: Observation
    reward: float = 0.0
    terminated: bool = False
    truncated: bool = False


class _Done:
    """The training loop has returned, or raised an exception."""

    def __init__(self, error: BaseException | None) -> None:
        self.error = error


class GymnasiumLearner(Learner):
    """A learner with a training loop. Subclasses define ``train`` and ``play``.

    In probes and in validation, ``play`` chooses the actions, and nothing is learnt. If a library learns at length
    inside ``step``, the time of an action must allow it: ``vgdl-compete learning --act 60s``.
    """

    observation = Mode.GRID

    def __init__(self, actions: Sequence[Action], spaces: Spaces, timer: Timer, *, seed: int) -> None:
        """See `Learner`; ``env`` is there for the construction of models."""
        super().__init__(actions, spaces, timer, seed=seed)
        self.seed = seed
        self.env = LearnerEnv(self)
        self._to_loop: queue.SimpleQueue[_Tick] = queue.SimpleQueue()
        self._from_loop: queue.SimpleQueue[int | _Done | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._is_done = False
        self._validation = False
        self._score: float | None = None  # before the last action; None at the start of a play

    @abc.abstractmethod
    def train(self, env: LearnerEnv) -> None:
        """Learn; may go on for ever. To return ends the training."""

    @abc.abstractmethod
    def play(self, observation: Observation) -> int:
        """The place of an action among ``actions``, by what has been learnt."""

    def init(self, observation: Observation, timer: Timer, *, level: int, validation: bool) -> None:
        """Begin a play; the first one starts the training loop."""
        self._validation = validation
        self._score = None
        if not validation and self._thread is None:
            self._thread = threading.Thread(target=self._loop, daemon=True)
            self._thread.start()
            self._await()

    def act(self, observation: Observation, timer: Timer) -> Action:
        """Let the loop choose in training, and the policy otherwise."""
        if self._validation or self._is_done:
            return self.actions[self.play(observation)]
        choice = self._tell(self._tick(observation))
        self._score = observation.score
        return self.actions[self.play(observation) if choice is None else choice]

    def result(self, observation: Observation, timer: Timer) -> int | None:
        """Tell the loop that the play has ended; it runs until it wants the next one."""
        if not (self._validation or self._is_done or self._score is None):
            self._tell(self._tick(observation, ended=True))
        return None if self._is_done else super().result(observation, timer)

    def _tick(self, observation: Observation, *, ended: bool = False) -> _Tick:
        reward = 0.0 if self._score is None else reward_of(observation, self._score)
        return _Tick(observation, reward, ended and observation.is_over, ended and not observation.is_over)

    def _tell(self, tick: _Tick) -> int | None:
        """Let the loop run with a tick until it wants the next one; returns its action, None if it has none."""
        self._to_loop.put(tick)
        return self._await()

    def _await(self) -> int | None:
        answer = self._from_loop.get()
        if isinstance(answer, _Done):
            self._is_done = True
            if answer.error is not None:
                raise answer.error
            return None
        return answer

    def _hand_over(self, action: int | None) -> _Tick:
        """In the loop's thread: pass on an action, or that the loop waits for a play, and wait for what follows."""
        self._from_loop.put(action)
        return self._to_loop.get()

    def _loop(self) -> None:
        error: BaseException | None = None
        try:
            self.train(self.env)
        except BaseException as raised:  # raised again in the agent's main thread
            error = raised
        self._from_loop.put(_Done(error))
