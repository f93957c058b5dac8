"""Boards of tiles without gaps, recognised by what clicks do: each changes a whole rectangle of the same size."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from vgdl.competition.tracks.arc.agents.screen import Pixels
from vgdl.competition.tracks.arc.agents.segments import Segment
from vgdl.competition.tracks.arc.frame import SIZE

LARGEST = 20  #: pixels per side of the largest tile
SMALLEST = 3  #: likewise, of the smallest
ENOUGH = 2  #: clicks that changed rectangles of one lattice before it is taken for one of tiles


class Tiling(NamedTuple):
    """A lattice of tiles."""

    width: int
    height: int
    dx: int  #: left of a tile, modulo its width
    dy: int

    def corners(self, area: Segment, pixels: Pixels) -> list[tuple[int, int]]:
        """The left and top of each tile that an area consists of; none if it consists of anything else."""
        inside = (area.left - self.dx) % self.width == 0 and (area.top - self.dy) % self.height == 0
        if not inside or area.width % self.width or area.height % self.height:
            return []
        found = [
            (x, y)
            for y in range(area.top, area.bottom + 1, self.height)
            for x in range(area.left, area.right + 1, self.width)
            if pixels[y, x] == area.colour and (pixels[y : y + self.height, x : x + self.width] == area.colour).all()
        ]
        return found if len(found) * self.width * self.height == area.area else []


@dataclass(slots=True)
class TileFinder:
    """Evidence from clicks."""

    seen: Counter[Tiling] = field(default_factory=Counter)
    n: int = 0  #: clicks that changed anything around them

    def start_level(self) -> None:
        """Keep no more than the latest lattice, as a guess."""
        last = self.tiling
        self.n = ENOUGH if last is not None else 0
        self.seen = Counter({last: ENOUGH} if last is not None else {})

    def learn(self, x: int, y: int, before: Pixels, after: Pixels) -> bool:
        """Learn from a click at (x, y); returns whether it is news about the tiles."""
        changed = before != after
        if not changed[y, x]:
            return False
        self.n += 1
        rows, columns = np.flatnonzero(changed.any(axis=1)), np.flatnonzero(changed.any(axis=0))
        top, left = int(rows[0]), int(columns[0])
        height, width = int(rows[-1]) - top + 1, int(columns[-1]) - left + 1
        if not (SMALLEST <= width <= LARGEST and SMALLEST <= height <= LARGEST):
            return False
        if not changed[top : top + height, left : left + width].all():
            return False
        was = self.tiling
        self.seen[Tiling(width, height, left % width, top % height)] += 1
        return self.tiling != was

    @property
    def tiling(self) -> Tiling | None:
        """The lattice of most clicks; None if there is none."""
        if not self.seen:
            return None
        best, n = self.seen.most_common(1)[0]
        return best if n >= ENOUGH and 2 * n > self.n else None


def centre(corner: tuple[int, int], tiling: Tiling) -> tuple[int, int]:
    """The pixel in the middle of a tile, x and y."""
    return min(corner[0] + tiling.width // 2, SIZE - 1), min(corner[1] + tiling.height // 2, SIZE - 1)
