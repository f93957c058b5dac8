"""The value model of `state-graph`: the progress of an action towards the end of a level (arc, 11.6)."""

from __future__ import annotations

from random import Random

import numpy as np
from numpy.typing import NDArray

from vgdl.competition.tracks.arc.agents.nets import Adam, Array, Conv, Dense, GlobalPool, Layer, ReLU, Sequence
from vgdl.competition.tracks.arc.agents.screen import Pixels, find_grid

N_FEATURES = 26  #: 6 kinds of action, 16 colours, regularity, share of the frame, y and x of the centroid
SIDE = 16  #: rows and columns of the feature maps
BATCH = 32
Example = tuple[Pixels, Array, float]  #: frame, features of the action, value in [-1, 1]


class ValueModel:
    """Four convolutions of 32 channels on the reduced frame, concatenated with a dense layer on the action.

    The published model is a ResNet-18 with ImageNet weights, on a graphics card.
    """

    def __init__(self, random: Random, pixels: Pixels) -> None:
        self.random = random
        draw = np.random.default_rng(random.getrandbits(64))
        self.grid = find_grid(pixels)
        self.pooled = self.grid.pool(pixels, SIDE)
        rest: list[Layer] = [layer for _ in range(3) for layer in (Conv(draw, 32, 32), ReLU())]
        self.frames = Sequence(Conv(draw, 16, 32, first=True), ReLU(), *rest)
        self.pool = GlobalPool()
        self.actions = Sequence(Dense(draw, N_FEATURES, 64), ReLU())
        self.head = Sequence(Dense(draw, 128, 64), ReLU(), Dense(draw, 64, 1))
        self.adam = Adam(self.frames.parameters + self.actions.parameters + self.head.parameters)

    def values(self, pixels: Pixels, actions: NDArray[np.float32]) -> Array:
        """Predict the value of each action in a frame; actions are rows of features."""
        maps = self.pool.forward(self.frames.forward(self.grid.planes([pixels], self.pooled)))
        return self._head(np.repeat(maps, len(actions), axis=0), actions)

    def train(self, examples: list[Example], epochs: int, most_batches: int) -> None:
        """Minimise the squared error in random order, for ``epochs`` epochs but at most ``most_batches`` batches."""
        n_batches = min(epochs * -(-len(examples) // BATCH), most_batches)
        order: list[int] = []
        for _ in range(n_batches):
            if not order:
                order = self.random.sample(range(len(examples)), len(examples))
            batch = [examples[i] for i in order[:BATCH]]
            del order[:BATCH]
            self._step(batch)

    def _step(self, batch: list[Example]) -> None:
        frames = self.grid.planes([pixels for pixels, _, _ in batch], self.pooled)
        actions = np.stack([features for _, features, _ in batch])
        truth = np.asarray([value for _, _, value in batch], dtype=np.float32)
        maps = self.pool.forward(self.frames.forward(frames))
        slope = 2 * (self._head(maps, actions) - truth) / np.float32(len(batch))
        back = self.head.backward(slope[:, None])
        self.frames.backward(self.pool.backward(np.ascontiguousarray(back[:, :64])))
        self.actions.backward(back[:, 64:])
        self.adam.step(self.frames.gradients + self.actions.gradients + self.head.gradients)

    def _head(self, maps: Array, actions: Array) -> Array:
        return self.head.forward(np.concatenate([maps, self.actions.forward(actions)], axis=1))[:, 0]
