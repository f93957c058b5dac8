"""`change-cnn-lite`: `change-cnn` for one CPU core, on the reduced frame and in numpy (arc, 10.6)."""

from __future__ import annotations

import numpy as np

from vgdl.competition.tracks.arc.agents.base import Task
from vgdl.competition.tracks.arc.agents.change import N_KEYS, ChangeAgent, Click
from vgdl.competition.tracks.arc.agents.nets import (
    Adam,
    Array,
    Conv,
    Dense,
    GlobalPool,
    ReLU,
    Sequence,
    sigmoid,
)
from vgdl.competition.tracks.arc.agents.screen import Pixels, find_grid

LARGEST = 16  #: rows and columns of the feature maps


class ChangeCNNLite(ChangeAgent):
    """Two heads on three convolutions: a logit per key, and one per block of the reduced frame.

    For frames larger than 16×16 blocks, the network's input is the share of each colour in squares of blocks, which
    bounds the cost of training. A click goes to a random pixel of its block or square.
    """

    every, batch = 10, 32

    def __init__(self, task: Task, seed: int = 0, *, repairs: bool = True) -> None:
        super().__init__(task, seed, repairs=repairs)
        self.generator = np.random.default_rng(self.random.getrandbits(64))

    def new_level(self, pixels: Pixels) -> None:
        self.grid = find_grid(pixels)
        self.pool = self.grid.pool(pixels, LARGEST)
        self.rows, self.columns = self.grid.planes([pixels], self.pool).shape[1:3]
        draw = self.generator
        self.trunk = Sequence(
            Conv(draw, 16, 16, first=True), ReLU(), Conv(draw, 16, 32), ReLU(), Conv(draw, 32, 32), ReLU()
        )
        self.keys = Sequence(GlobalPool(), Dense(draw, 64, 64), ReLU(), Dense(draw, 64, N_KEYS))
        self.clicks = Sequence(Conv(draw, 32, 16, 1), ReLU(), Conv(draw, 16, 1, 1)) if self.task.clicks else None
        networks = (self.trunk, self.keys) if self.clicks is None else (self.trunk, self.keys, self.clicks)
        self.adam = Adam([parameter for network in networks for parameter in network.parameters])

    def click(self, number: int) -> Click:
        row, column = divmod(number, self.columns)
        size = self.grid.size * self.pool
        x = self.grid.x + column * size + self.random.randrange(size)
        y = self.grid.y + row * size + self.random.randrange(size)
        return min(x, 63), min(y, 63)

    def predict(self, pixels: Pixels) -> tuple[Array, Array]:
        maps = self.trunk.forward(self.grid.planes([pixels], self.pool))
        keys = sigmoid(self.keys.forward(maps)[0])
        if self.clicks is None:
            return keys, np.zeros(0, dtype=np.float32)
        return keys, sigmoid(self.clicks.forward(maps).ravel())

    def learn(self, frames: list[Pixels], actions: list[int], labels: list[bool]) -> None:
        n = len(frames)
        rows = np.arange(n)
        chosen = np.asarray(actions)
        truth = np.asarray(labels, dtype=np.float32)
        is_key = chosen < N_KEYS
        maps = self.trunk.forward(self.grid.planes(frames, self.pool))
        keys = sigmoid(self.keys.forward(maps))
        # d/dlogit of binary cross-entropy is (q - truth) / n, of mean(q) it is q (1 - q) / size.
        slope = -1e-4 * keys * (1 - keys) / keys.size
        at = rows[is_key], chosen[is_key]
        slope[at] += (keys[at] - truth[is_key]) / n
        back = self.keys.backward(slope.astype(np.float32))
        gradients = self.keys.gradients
        if self.clicks is not None:
            shape = (n, self.rows, self.columns, 1)
            clicks = sigmoid(self.clicks.forward(maps)).reshape(n, -1)
            slope = -1e-5 * clicks * (1 - clicks) / clicks.size
            at = rows[~is_key], chosen[~is_key] - N_KEYS
            slope[at] += (clicks[at] - truth[~is_key]) / n
            back = back + self.clicks.backward(slope.reshape(shape).astype(np.float32))
            gradients = gradients + self.clicks.gradients
        self.trunk.backward(back)
        self.adam.step(self.trunk.gradients + gradients)
