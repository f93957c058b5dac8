"""What the agents with neural networks share (extra ``learn``): the network, and rewards of a common scale."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vgdl.competition.tracks.learning.learner import Spaces
from vgdl.extras import needs

try:
    import torch
    from torch import nn
except ImportError as error:
    raise ImportError(needs("the agents dqn and ppo", "PyTorch", "learn")) from error

torch.set_num_threads(1)  # an agent has one core

VIEW = 5
"""Cells on each side of the avatar that the agents see. What is learnt relative to the avatar carries over to levels of
other sizes (Ye et al., Rotation, Translation, and Cropping for Zero-Shot Generalization, 2020)."""

HIDDEN = (64, 64)
WIN = 1.0  #: reward for a victory, and minus that for a defeat; added to the change of the score


class Network(nn.Module):  # type: ignore[misc, unused-ignore]  # if torch is not installed
    """Two hidden layers; any number of linear heads."""

    def __init__(self, spaces: Spaces, heads: Sequence[int]) -> None:
        """Build the network for planes of a shape.

        Args:
            spaces: of the mode ``grid``.
            heads: number of outputs of each head.
        """
        super().__init__()
        first, second = HIDDEN
        self.body = nn.Sequential(
            nn.Flatten(), nn.Linear(math.prod(spaces.shape), first), nn.ReLU(), nn.Linear(first, second), nn.ReLU()
        )
        self.heads = nn.ModuleList(nn.Linear(second, outputs) for outputs in heads)

    def forward(self, planes: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """The outputs of all heads for a batch of planes, float32 (batch, planes, rows, columns)."""
        hidden = self.body(planes)
        return tuple(head(hidden) for head in self.heads)


def batch(planes: NDArray[np.uint8]) -> torch.Tensor:
    """Planes of zeros and ones as input of the network; a single observation becomes a batch of one."""
    array = planes if planes.ndim == 4 else planes[None]
    return torch.from_numpy(array.astype(np.float32))


def _load() -> None:
    """Let PyTorch load what it loads at the first use of an optimiser, about a second of work, with this module."""
    small = nn.Linear(1, 1)
    optimizer = torch.optim.Adam(small.parameters(), fused=True)
    small(torch.zeros(1, 1)).sum().backward()
    optimizer.step()
    optimizer.zero_grad()


_load()


class Scale:
    """Divides rewards by the standard deviation of the discounted return so far: scores of games differ by orders."""

    def __init__(self, discount: float) -> None:
        self._discount = discount
        self._return = 0.0
        self._count, self._mean, self._squares = 0, 0.0, 0.0

    def __call__(self, reward: float, *, ended: bool) -> float:
        """The scaled reward of the next tick.

        Args:
            reward: as the game gives it.
            ended: whether the play ended with it.
        """
        self._return = self._discount * self._return + reward
        self._count += 1
        difference = self._return - self._mean
        self._mean += difference / self._count
        self._squares += difference * (self._return - self._mean)
        if ended:
            self._return = 0.0
        deviation = math.sqrt(self._squares / self._count)
        return max(-10.0, min(10.0, reward / max(deviation, 1e-3)))
