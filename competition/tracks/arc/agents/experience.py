"""Memory of the agents that predict change: which actions changed which frames (arc, 10.3)."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from vgdl.competition.tracks.arc.agents.screen import Pixels

CAPACITY = 200_000


@dataclass(slots=True)
class Experience:
    """Distinct pairs of frame and action, each with whether the frame changed."""

    frames: list[Pixels] = field(default_factory=list)
    actions: list[int] = field(default_factory=list)
    labels: list[bool] = field(default_factory=list)
    known: dict[bytes, dict[int, int]] = field(default_factory=dict)  #: frame and action to index

    def __len__(self) -> int:
        return len(self.actions)

    def add(self, key: bytes, pixels: Pixels, action: int, changed: bool) -> None:
        """Store a transition; a known pair keeps its index and its first label, and a full memory stays unchanged."""
        of_frame = self.known.setdefault(key, {})
        if action in of_frame or len(self) >= CAPACITY:
            return
        of_frame[action] = len(self)
        self.frames.append(pixels)
        self.actions.append(action)
        self.labels.append(changed)

    def labels_of(self, key: bytes) -> dict[int, bool]:
        """For each action tried in a frame, whether it changed the frame."""
        return {action: self.labels[index] for action, index in self.known.get(key, {}).items()}

    def sample(self, random: Random, count: int) -> list[int]:
        """Indices of ``count`` different entries."""
        return random.sample(range(len(self)), count)
