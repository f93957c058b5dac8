"""What matters: how the contents of the frame change on the way from the start of a level to its end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vgdl.competition.tracks.arc.agents.screen import Pixels
from vgdl.competition.tracks.arc.agents.segments import Segment
from vgdl.competition.tracks.arc.frame import COLORS

Features = NDArray[np.float64]  #: pixels and areas of every colour
VANISHED = 2.0  #: weight of a feature that was there at the start and gone at the end


def features(pixels: Pixels, regions: Sequence[Segment]) -> Features:
    """The features of a frame: the pixels of each colour, then the connected areas of each colour."""
    areas = np.bincount([area.colour for area in regions], minlength=COLORS)
    return np.concatenate([np.bincount(pixels.ravel(), minlength=COLORS), areas]).astype(np.float64)


class Trends:
    """The features that grew or shrank in every level that was won."""

    def __init__(self) -> None:
        self._weights: list[Features] = []

    def learn(self, first: Features, last: Features) -> None:
        """Learn from the first and the last frame of a level that was won."""
        change = np.sign(last - first)
        change[(last == 0) & (first > 0)] *= VANISHED
        self._weights.append(change)

    def progress_of_pixels(self, first: Features, pixels: Pixels) -> float:
        """The same by the pixels alone, which takes less time than to find the areas."""
        return self._progress(first[:COLORS], np.bincount(pixels.ravel(), minlength=COLORS), slice(COLORS))

    @property
    def are_known(self) -> bool:
        """Whether a level has been won."""
        return bool(self._weights)

    def progress(self, first: Features, now: Features) -> float:
        """How far a frame has come from the start of its level in the direction of levels won before: −1 to 1."""
        return self._progress(first, now, slice(None))

    def _progress(self, first: Features, now: NDArray[Any], part: slice) -> float:
        if not self._weights:
            return 0.0
        all_weights = np.array(self._weights)[:, part]
        together = all_weights.mean(axis=0)
        signs = np.sign(all_weights)
        together[(signs != signs[0]).any(axis=0)] = 0  # they disagree
        weights = np.abs(together)
        if not weights.any():
            return 0.0
        moved = (now - first) / np.maximum(np.maximum(first, now), 1)
        return float((together * moved).sum() / weights.sum())
