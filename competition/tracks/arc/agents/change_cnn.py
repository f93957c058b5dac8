"""`change-cnn`: the published network, in PyTorch (arc, 10.1 to 10.5). Needs the extra `learn`."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from vgdl.competition.tracks.arc.agents.base import Task
from vgdl.competition.tracks.arc.agents.change import N_KEYS, ChangeAgent, Click
from vgdl.competition.tracks.arc.agents.nets import Array
from vgdl.competition.tracks.arc.agents.screen import Pixels
from vgdl.competition.tracks.arc.frame import COLORS, SIZE
from vgdl.extras import needs

try:
    import torch
    from torch import nn
except ImportError as error:
    raise ImportError(needs("change-cnn", "PyTorch", "learn")) from error


class Net(nn.Module):  # type: ignore[misc,unused-ignore]  # without PyTorch, its base is unknown
    """34,320,614 parameters: four convolutions, a dense head for keys, a convolutional head for clicks."""

    def __init__(self) -> None:
        super().__init__()
        self.trunk = nn.Sequential(*_convolutions(COLORS, 32, 64, 128, 256))
        self.keys = nn.Sequential(
            nn.MaxPool2d(4), nn.Flatten(), nn.Linear(256 * 16 * 16, 512), nn.ReLU(), nn.Dropout(0.2),
            nn.Linear(512, N_KEYS),
        )  # fmt: skip
        self.clicks = nn.Sequential(
            *_convolutions(256, 128, 64), nn.Conv2d(64, 32, 1), nn.ReLU(), nn.Conv2d(32, 1, 1), nn.Flatten()
        )

    def forward(self, x: Any) -> tuple[Any, Any]:
        """Logits of (n, 16, 64, 64) images: (n, 5) for keys, (n, 4096) for clicks at 64 y + x."""
        maps = self.trunk(x)
        return self.keys(maps), self.clicks(maps)


class ChangeCNN(ChangeAgent):
    """Predicts with the published network, in training mode also during play, so that dropout adds exploration.

    Args:
        task: see ``FrameAgent``.
        seed: seed of the draws and of the network.
        repairs: see ``ChangeAgent``.
        device: PyTorch's name of the device to compute on. An action costs about 3.1 G multiply-adds: tens of
            milliseconds on a CPU, seconds for a step of training.
    """

    every, batch = 5, 64

    def __init__(self, task: Task, seed: int = 0, *, repairs: bool = True, device: str = "cpu") -> None:
        super().__init__(task, seed, repairs=repairs)
        self.device = torch.device(device)

    def new_level(self, pixels: Pixels) -> None:
        torch.manual_seed(self.random.getrandbits(63))
        self.net = Net().to(self.device)
        self.adam = torch.optim.Adam(self.net.parameters(), lr=1e-4)

    def click(self, number: int) -> Click:
        y, x = divmod(number, SIZE)
        return x, y

    def predict(self, pixels: Pixels) -> tuple[Array, Array]:
        with torch.no_grad():
            keys, clicks = self.net(self._input([pixels]))
        none = np.zeros(0, dtype=np.float32)
        return _probabilities(keys), _probabilities(clicks) if self.task.clicks else none

    def learn(self, frames: list[Pixels], actions: list[int], labels: list[bool]) -> None:
        keys, clicks = self.net(self._input(frames))
        logits = torch.cat([keys, clicks], dim=1)
        chosen = logits.gather(1, torch.tensor(actions, device=self.device)[:, None])[:, 0]
        truth = torch.tensor(labels, dtype=torch.float32, device=self.device)
        loss: Any = nn.functional.binary_cross_entropy_with_logits(chosen, truth)
        loss = loss - 1e-4 * torch.sigmoid(keys).mean() - 1e-5 * torch.sigmoid(clicks).mean()
        self.adam.zero_grad()
        loss.backward()
        self.adam.step()

    def _input(self, frames: list[Pixels]) -> Any:
        colours = torch.as_tensor(np.stack(frames), device=self.device).long()
        return nn.functional.one_hot(colours, COLORS).permute(0, 3, 1, 2).float()


def _convolutions(*channels: int) -> list[Any]:
    layers: list[Any] = []
    for inputs, outputs in pairwise(channels):
        layers += [nn.Conv2d(inputs, outputs, 3, padding=1), nn.ReLU()]
    return layers


def _probabilities(logits: Any) -> Array:
    return np.asarray(torch.sigmoid(logits)[0].cpu().numpy(), dtype=np.float32)
