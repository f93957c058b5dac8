"""Agents with tables: what happened in an observation is remembered by its hash, and nothing is generalised."""

from __future__ import annotations

import hashlib
import random
from collections import defaultdict
from collections.abc import Sequence

from vgdl import Action, Winner
from vgdl.competition.tracks.learning.learner import Learner, Mode, Observation, Spaces
from vgdl.controllers import Timer

MOST_STATES = 1_000_000
"""Observations with a row in the table; further ones are treated as if they were all the same."""

WIN = 10.0
"""Reward for a victory, and minus that for a defeat; added to the change of the score."""


class Tabular(Learner):
    """A table of a number per observation and action. Subclasses say what the numbers are."""

    observation = Mode.GRID

    def __init__(self, actions: Sequence[Action], spaces: Spaces, timer: Timer, *, seed: int) -> None:
        """See `Learner`."""
        super().__init__(actions, spaces, timer, seed=seed)
        self.random = random.Random(seed)
        self.table: dict[bytes, list[float]] = {}
        self.last: tuple[bytes, int, float] | None = None  # observation, action, score of the last tick

    def init(self, observation: Observation, timer: Timer, *, level: int, validation: bool) -> None:
        """Forget the last tick of the play before."""
        self.last = None

    def row(self, key: bytes) -> list[float]:
        """The numbers of an observation by action; new ones are 0."""
        if key not in self.table and len(self.table) >= MOST_STATES:
            key = b""
        return self.table.setdefault(key, [0.0] * len(self.actions))

    def choices(self, observation: Observation) -> list[int]:
        """The places of the available actions among all."""
        return [place for place, action in enumerate(self.actions) if action in observation.actions]


def key_of(observation: Observation) -> bytes:
    """A hash of what an observation shows, apart from tick and score."""
    held = sorted(item for item in observation.resources.items() if item[1])
    digest = hashlib.blake2b(observation.data, digest_size=8)
    digest.update(repr((observation.health, held)).encode())
    return digest.digest()


def reward_of(observation: Observation, score: float, win: float = WIN) -> float:
    """The change of the score, plus ``win`` for a victory or minus that for a defeat."""
    ending = {Winner.PLAYER_WINS: win, Winner.PLAYER_LOSES: -win}.get(observation.winner, 0.0)
    return observation.score - score + (ending if observation.is_over else 0.0)


class QLearning(Tabular):
    """Q-learning, one step, epsilon-greedy (Watkins, 1989), as the sample agent of the reference.

    It sees the cells around the avatar only: whole boards hardly ever recur, and those of other levels never.
    Epsilon falls from 1 to `LEAST` over the first half of the learning budget; in validation it is `LEAST`.
    """

    view = 2

    RATE = 0.2
    DISCOUNT = 0.98
    LEAST = 0.05

    def __init__(self, actions: Sequence[Action], spaces: Spaces, timer: Timer, *, seed: int) -> None:
        """See `Learner`."""
        super().__init__(actions, spaces, timer, seed=seed)
        self._steps = 0
        self._decay = 0.5 * spaces.budget if not spaces.is_timed else 20_000.0
        self._validation = False

    def init(self, observation: Observation, timer: Timer, *, level: int, validation: bool) -> None:
        """Begin a play."""
        super().init(observation, timer, level=level, validation=validation)
        self._validation = validation

    def act(self, observation: Observation, timer: Timer) -> Action:
        """Learn from the last tick, then choose."""
        key = key_of(observation)
        values = self.row(key)
        choices = self.choices(observation)
        self._learn(observation, max(values[place] for place in choices))
        epsilon = self.LEAST if self._validation else max(self.LEAST, 1.0 - self._steps / self._decay)
        if self.random.random() < epsilon:
            choice = self.random.choice(choices)
        else:
            best = max(values[place] for place in choices)
            choice = self.random.choice([place for place in choices if values[place] == best])
        self.last = key, choice, observation.score
        self._steps += 1
        return self.actions[choice]

    def result(self, observation: Observation, timer: Timer) -> int | None:
        """Learn from the end of the play."""
        after = 0.0 if observation.is_over else max(self.row(key_of(observation)))
        self._learn(observation, after)
        return super().result(observation, timer)

    def _learn(self, observation: Observation, after: float) -> None:
        if self.last is None:
            return
        key, choice, score = self.last
        values = self.row(key)
        target = reward_of(observation, score) + self.DISCOUNT * after
        values[choice] += self.RATE * (target - values[choice])


class Explorer(Tabular):
    """Curiosity alone: the action that was tried least often in this observation, whatever it led to.

    Among equally rare actions, one whose last outcome was a rarely seen observation is preferred.
    """

    def __init__(self, actions: Sequence[Action], spaces: Spaces, timer: Timer, *, seed: int) -> None:
        """See `Learner`."""
        super().__init__(actions, spaces, timer, seed=seed)
        self._known: defaultdict[bytes, int] = defaultdict(int)
        self._led: dict[tuple[bytes, int], bytes] = {}

    def act(self, observation: Observation, timer: Timer) -> Action:
        """Choose the rarest action."""
        key = key_of(observation)
        if len(self._known) < MOST_STATES or key in self._known:
            self._known[key] += 1
        if self.last is not None and len(self._led) < MOST_STATES:
            self._led[self.last[0], self.last[1]] = key
        counts = self.row(key)

        def rarity(place: int) -> tuple[float, int, float]:
            led = self._led.get((key, place))
            return counts[place], 0 if led is None else self._known.get(led, 0), self.random.random()

        choice = min(self.choices(observation), key=rarity)
        counts[choice] += 1
        self.last = key, choice, observation.score
        return self.actions[choice]
