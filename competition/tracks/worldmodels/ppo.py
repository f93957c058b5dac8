"""PPO that is trained inside a learnt world model, and then plays the true game (8.4).

The bridge between both is the observation: a program's observations are compared with the true ones by its unit tests,
so features of the JSON value mean the same in both games.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from vgdl.competition.tracks.worldmodels.errors import WorldModelError
from vgdl.competition.tracks.worldmodels.matches import Forfeit, Situation
from vgdl.competition.tracks.worldmodels.model import ModelGame, ModelState
from vgdl.competition.tracks.worldmodels.selecting import hosted_game
from vgdl.tabletop import sample_chance

HIDDEN = 256
ROLLOUT = 1000  #: own steps between updates
MINIBATCHES = 10
EPOCHS = 4
DISCOUNT = 0.99
TRACE = 0.95  #: lambda of the advantage estimate
CLIP = 0.2
VALUE = 0.5
ENTROPY = (0.1, 0.01)  #: at the beginning and at the end
RATE = 3e-4
GRADIENT = 0.5  #: greatest norm
SURVEY = 30  #: random plays from which features and actions are taken
MOST_FEATURES = 4096
LONGEST = 1000  #: actions of a play, after which it is cut off

Features = NDArray[np.float32]


class Encoder:
    """Turns observations into vectors: a component for each value that was seen at each place of the JSON value."""

    def __init__(self, observations: Sequence[Any]) -> None:
        found = dict.fromkeys(leaf for each in observations for leaf in _leaves(each))
        self._places = {leaf: number for number, leaf in enumerate(list(found)[:MOST_FEATURES])}

    @property
    def size(self) -> int:
        return max(1, len(self._places))

    def __call__(self, observation: Any) -> Features:
        """The vector of an observation; values that were never seen leave no trace."""
        vector = np.zeros(self.size, np.float32)
        for leaf in _leaves(observation):
            if leaf in self._places:
                vector[self._places[leaf]] = 1.0
        return vector


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Path and text of each value inside a JSON value."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _leaves(item, f"{path}.{key}")
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _leaves(item, f"{path}[{number}]")
    else:
        yield path, repr(value)


class Network(nn.Module):  # type: ignore[misc, unused-ignore]  # if torch is not installed
    """Two layers of 256 units for policy and value together."""

    def __init__(self, features: int, actions: int) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(features, HIDDEN), nn.Tanh(), nn.Linear(HIDDEN, HIDDEN), nn.Tanh())
        self.policy = nn.Linear(HIDDEN, actions)
        self.value = nn.Linear(HIDDEN, 1)

    def forward(self, features: torch.Tensor, legal: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Logarithms of the probabilities of actions, and values.

        Args:
            features: a row per observation.
            legal: a row of truth values per observation; other actions have no chance.
        """
        hidden = self.body(features)
        logits = self.policy(hidden).masked_fill(~legal, -1e9)
        return torch.log_softmax(logits, 1), self.value(hidden)[:, 0]


@dataclass
class Rollout:
    """Own steps in the order in which they were made."""

    features: list[Features] = field(default_factory=list)
    legal: list[NDArray[np.bool_]] = field(default_factory=list)
    choices: list[int] = field(default_factory=list)
    logs: list[float] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    rewards: list[float] = field(default_factory=list)
    ends: list[bool] = field(default_factory=list)

    def advantages(self) -> tuple[Features, Features]:
        """Generalised advantage estimates, and the returns that values should predict."""
        found = np.zeros(len(self.choices), np.float32)
        ahead = after = 0.0
        for at in reversed(range(len(self.choices))):
            if self.ends[at]:
                ahead = after = 0.0
            error = self.rewards[at] + DISCOUNT * after - self.values[at]
            ahead = error + DISCOUNT * TRACE * ahead
            found[at], after = ahead, self.values[at]
        return found, found + np.array(self.values, np.float32)


class Policy:
    """What a training has learnt: plays one seat."""

    def __init__(self, game: ModelGame, seat: int, seed: int) -> None:
        """Survey the model by random plays, and make an untrained network.

        Raises:
            WorldModelError: the program failed.
        """
        torch.manual_seed(seed)
        self.game, self.seat = game, seat
        self.draws = Random(seed)
        self.numpy_draws = np.random.default_rng(seed)
        seen, names = _survey(game, seat, self.draws)
        self.encoder = Encoder(seen)
        self.actions = {name: number for number, name in enumerate(sorted(names))}
        self.network = Network(self.encoder.size, max(1, len(self.actions)))

    def legal(self, state: ModelState) -> NDArray[np.bool_]:
        """Which of the known actions are legal in a state of the model."""
        mask = np.zeros(max(1, len(self.actions)), np.bool_)
        for action in state.legal_actions():
            name = self.game.name(action)
            if name in self.actions:
                mask[self.actions[name]] = True
        return mask

    def evaluate(self, observation: Any, mask: NDArray[np.bool_]) -> tuple[NDArray[np.float64], float]:
        """The logarithms of probabilities, and the value."""
        with torch.inference_mode():
            logs, value = self.network(torch.from_numpy(self.encoder(observation))[None], torch.from_numpy(mask)[None])
        return logs[0].numpy().astype(np.float64), float(value[0])

    def train(self, steps: int) -> None:
        """Learn from so many own steps against a uniformly random opponent in the model.

        Raises:
            WorldModelError: the program failed.
        """
        optimizer = torch.optim.Adam(self.network.parameters(), lr=RATE, eps=1e-5)
        done, rollout = 0, Rollout()
        while done < steps:
            before = len(rollout.choices)
            self._play(rollout)
            done += max(1, len(rollout.choices) - before)
            if len(rollout.choices) >= ROLLOUT or done >= steps:
                share = min(1.0, done / steps)
                self._improve(rollout, optimizer, ENTROPY[0] + share * (ENTROPY[1] - ENTROPY[0]))
                rollout = Rollout()

    def _play(self, rollout: Rollout) -> None:
        """Add the steps of one play."""
        state = self.game.new_initial_state()
        earned, is_open = 0.0, False  # the return at the last own step, and whether one waits for its reward
        for _ in range(LONGEST):
            if state.is_terminal():
                break
            if state.is_chance_node():
                sample_chance(state, self.draws.random)
                continue
            mask = self.legal(state) if state.current_player() == self.seat else None
            if mask is None or not mask.any():
                state.apply_action(self.draws.choice(state.legal_actions()))
                continue
            if is_open:
                rollout.rewards.append(state.returns()[self.seat] - earned)
                rollout.ends.append(False)
            earned, is_open = state.returns()[self.seat], True
            observation = state.observed(self.seat)
            logs, value = self.evaluate(observation, mask)
            chances = np.exp(logs) * mask
            choice = int(self.numpy_draws.choice(len(chances), p=chances / chances.sum()))
            rollout.features.append(self.encoder(observation))
            rollout.legal.append(mask)
            rollout.choices.append(choice)
            rollout.logs.append(float(logs[choice]))
            rollout.values.append(value)
            state.apply_action(self.game.number(self._names[choice]))
        if is_open:
            rollout.rewards.append(state.returns()[self.seat] - earned)
            rollout.ends.append(True)

    @property
    def _names(self) -> list[str]:
        return list(self.actions)

    def _improve(self, rollout: Rollout, optimizer: torch.optim.Optimizer, entropy_weight: float) -> None:
        if not rollout.choices:
            return
        advantages, returns = map(torch.from_numpy, rollout.advantages())
        features = torch.from_numpy(np.stack(rollout.features))
        legal = torch.from_numpy(np.stack(rollout.legal))
        choices = torch.tensor(rollout.choices)
        old = torch.tensor(rollout.logs, dtype=torch.float32)
        for _ in range(EPOCHS):
            for chosen in np.array_split(self.numpy_draws.permutation(len(choices)), MINIBATCHES):
                if len(chosen) < 2:
                    continue
                logs, values = self.network(features[chosen], legal[chosen])
                ratio = torch.exp(logs.gather(1, choices[chosen, None])[:, 0] - old[chosen])
                gain = advantages[chosen]
                centered = (gain - gain.mean()) / (gain.std() + 1e-8)
                better = torch.min(ratio * centered, ratio.clamp(1 - CLIP, 1 + CLIP) * centered).mean()
                entropy = -(logs.exp() * logs.clamp(min=-50.0)).sum(1).mean()
                error = (values - returns[chosen]).square().mean()
                loss = VALUE * error - better - entropy_weight * entropy
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.network.parameters(), GRADIENT)
                optimizer.step()


def _survey(game: ModelGame, seat: int, draws: Random) -> tuple[list[Any], set[str]]:
    """The observations and the actions of a player in random plays."""
    seen: list[Any] = []
    names: set[str] = set()
    for _ in range(SURVEY):
        state = game.new_initial_state()
        for _ in range(LONGEST):
            if state.is_terminal():
                break
            if state.is_chance_node():
                sample_chance(state, draws.random)
                continue
            if state.current_player() == seat:
                seen.append(state.observed(seat))
                names |= {game.name(action) for action in state.legal_actions()}
            state.apply_action(draws.choice(state.legal_actions()))
    return seen, names


class PolicyAgent:
    """A trained policy as a player of matches on the true game; always takes the most probable action."""

    def __init__(self, policy: Policy, draws: Random) -> None:
        self._policy, self._draws = policy, draws

    def choose(self, situation: Situation) -> tuple[str, dict[str, Any]]:
        """See `matches.MatchPlayer`; legal actions are those of the model, in a state that fits to what was seen."""
        policy = self._policy
        try:
            if situation.state is not None:
                state = policy.game.state_at(situation.state)
            else:
                state = policy.game.sample(situation.history, situation.player, self._draws.random)
            mask = policy.legal(state)
        except WorldModelError as error:
            raise Forfeit(error.text()[:1000]) from None
        if not mask.any():
            raise Forfeit("the model has no legal action that was met in training")
        logs, value = policy.evaluate(situation.observation, mask)
        best = int(np.argmax(np.where(mask, logs, -np.inf)))
        return list(policy.actions)[best], {"value": value}


def trained(program: Any, initial: Any, seat: int, steps: int, seed: int) -> Policy:
    """Train a policy for a seat inside a program's model.

    Raises:
        WorldModelError: the program failed.
    """
    policy = Policy(hosted_game(program, initial), seat, seed)
    policy.train(steps)
    return policy
