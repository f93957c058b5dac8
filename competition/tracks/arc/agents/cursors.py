"""Cursors: what the arrow keys shift over the frame without touching anything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vgdl.competition.tracks.arc.agents.bodies import DIRECTIONS, is_small
from vgdl.competition.tracks.arc.agents.screen import Pixels
from vgdl.competition.tracks.arc.agents.segments import Segment
from vgdl.competition.tracks.arc.frame import SIZE

FEW = 3  #: steps in a row with one look from which that is the cursor's
SURE = 6  #: steps from which it is taken for a cursor
CALM = 0.9  #: share of steps that change nothing but its place
WALLS = 2  #: steps refused inside the board up to which it is still taken for one

Place = tuple[int, int]  #: x and y in pixels
Mask = NDArray[np.bool_]


class View(NamedTuple):
    """A frame with counters hidden, and its segments."""

    pixels: Pixels
    areas: Sequence[Segment]


@dataclass(frozen=True, slots=True)
class Look:
    """What a cursor looks like: its pixels relative to the top left corner of its bounding box, and their colours."""

    pixels: tuple[tuple[int, int, int], ...]  #: x, y and colour

    def mask(self, place: Place) -> Mask:
        """Its pixels in a place, shape (64, 64)."""
        mask = np.zeros((SIZE, SIZE), dtype=bool)
        for x, y, _ in self.pixels:
            if 0 <= place[0] + x < SIZE and 0 <= place[1] + y < SIZE:
                mask[place[1] + y, place[0] + x] = True
        return mask

    def fits(self, place: Place) -> bool:
        """Whether it lies within the frame."""
        width, height = self.size
        return 0 <= place[0] <= SIZE - width and 0 <= place[1] <= SIZE - height

    def is_at(self, pixels: Pixels, place: Place) -> bool:
        """Whether all its pixels are in a frame where they are if it is in a place."""
        return self.fits(place) and all(pixels[place[1] + y, place[0] + x] == colour for x, y, colour in self.pixels)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height."""
        return 1 + max(x for x, _, _ in self.pixels), 1 + max(y for _, y, _ in self.pixels)


class CursorFinder:
    """Finds out what a cursor looks like, and follows it.

    Attributes:
        look: what it looks like; None: not known.
        at: its place; None: not known.
        steps: by axis (0: x), lengths of its steps in pixels.
        visited: where it has been in the level.
        refused: places and keys that did not move it there.
    """

    def __init__(self) -> None:
        self.look: Look | None = None
        self.steps: tuple[Counter[int], Counter[int]] = (Counter(), Counter())
        self._latest: tuple[Look | None, int] = (None, 0)  #: of the last steps in a row, and how many
        self._calm = self._strange = 0
        self.at: Place | None = None
        self.visited: set[Place] = set()
        self.refused: set[tuple[Place, int]] = set()

    def start_level(self, pixels: Pixels) -> None:
        """A level begins, with this frame."""
        self.visited.clear()
        self.refused.clear()
        self.find(pixels)

    # ---------------------------------------------------------------------------------------------------- learning

    def move(self, key: int, before: View, after: View) -> None:
        """Learn from an arrow key.

        Args:
            key: 1 to 4.
            before: the frame before the action.
            after: the frame after it.
        """
        was, changed = self.at, before.pixels != after.pixels
        if not changed.any():
            if was is not None:
                self.refused.add((was, key))
            return
        self.at = self._followed(key, after.pixels)
        if self.at is None:
            self._learn(key, before, after)
        elif was is not None and self.look is not None:
            other = changed & ~self.look.mask(was) & ~self.look.mask(self.at)
            self._calm += not other.any()
            self._strange += bool(other.any())
            axis = 0 if DIRECTIONS[key - 1][0] else 1
            self.steps[axis][abs(self.at[axis] - was[axis])] += 1
        if self.at is not None:
            self.visited.add(self.at)

    def _followed(self, key: int, after: Pixels) -> Place | None:
        """Where it went with a key; None if it is nowhere."""
        if self.look is not None and self.at is not None:
            dx, dy = DIRECTIONS[key - 1]
            step = self.step(0 if dx else 1)
            there = self.at[0] + step * dx, self.at[1] + step * dy
            if step and self.look.is_at(after, there):
                return there
        self.find(after)
        return self.at

    def _learn(self, key: int, before: View, after: View) -> None:
        """Learn what it looks like from a step, if only one thing has moved."""
        found = shift_of(key, before, after)
        if found is None:
            self._strange += self.look is not None
            self._latest = None, 0
            return
        look, step, self.at = found
        n = self._latest[1] + 1 if look == self._latest[0] else 1
        self._latest = look, n
        if n >= FEW and look != self.look:
            self.look = look
            for axis in self.steps:
                axis.clear()
        self.steps[0 if DIRECTIONS[key - 1][0] else 1][step] += 1

    def doubt(self) -> None:
        """What was under it is not there any more."""
        self._strange += 1

    def find(self, pixels: Pixels) -> None:
        """Look for it in a frame: the only place where all its pixels are."""
        self.at = None
        if self.look is None:
            return
        width, height = self.look.size
        matches = np.zeros(pixels.shape, dtype=bool)
        matches[: SIZE - height + 1, : SIZE - width + 1] = True
        for x, y, colour in self.look.pixels:
            matches[: SIZE - y, : SIZE - x] &= pixels[y:, x:] == colour
        places = np.argwhere(matches)
        if len(places) == 1:
            self.at = int(places[0, 1]), int(places[0, 0])
            self.visited.add(self.at)

    # ------------------------------------------------------------------------------------------------------- facts

    @property
    def is_sure(self) -> bool:
        """Whether there is a cursor."""
        n_steps = self._calm + self._strange
        return self._calm >= SURE and self._calm >= CALM * n_steps and self._walls() <= WALLS

    def _walls(self) -> int:
        """How often a step was refused although there are places farther in that direction."""
        return sum(not self._is_edge(place, key) for place, key in self.refused)

    def _is_edge(self, place: Place, key: int) -> bool:
        dx, dy = DIRECTIONS[key - 1]
        ahead = place[0] * dx + place[1] * dy
        return all(x * dx + y * dy <= ahead for x, y in self.visited)

    def is_beyond(self, place: Place) -> bool:
        """Whether a place is farther in some direction than one where a step was refused, and none has been there."""
        for (x, y), key in self.refused:
            dx, dy = DIRECTIONS[key - 1]
            if (place[0] - x) * dx + (place[1] - y) * dy > 0 and self._is_edge((x, y), key):
                return True
        return False

    def step(self, axis: int) -> int:
        """Pixels of a step along an axis (0: x), the most frequent; 0: none was seen."""
        return max(self.steps[axis], key=lambda length: self.steps[axis][length], default=0)

    def place_of(self, x: int, y: int) -> Place | None:
        """The place in which its middle is nearest to a pixel; None if it does not fit into the frame there.

        Along an axis along which it does not move, any pixel will do.
        """
        if self.at is None or self.look is None:
            return None
        place = list(self.at)
        for axis, (pixel, length) in enumerate(zip((x, y), self.look.size, strict=True)):
            if step := self.step(axis):
                place[axis] += step * round((pixel - place[axis] - (length - 1) / 2) / step)
        there = place[0], place[1]
        return there if self.look.fits(there) else None


def shift_of(key: int, before: View, after: View) -> tuple[Look, int, Place] | None:
    """What moves in the direction of an arrow key, if nothing else has changed.

    Args:
        key: 1 to 4.
        before: the frame before the action.
        after: the frame after it.

    Returns:
        What it looks like, pixels of the step, and the place after it; None if that does not explain all changes.
    """
    changed = before.pixels != after.pixels
    dx, dy = DIRECTIONS[key - 1]
    gone = [area for area in before.areas if is_small(area) and changed.ravel()[area.pixels].any()]
    came = {(area.colour, area.pixels.tobytes()): area for area in after.areas if is_small(area)}
    for step in sorted({abs(one.left - two.left) + abs(one.top - two.top) for one in gone for two in came.values()}):
        shift = step * dx + SIZE * step * dy
        moved = [area for area in gone if step and (area.colour, (area.pixels + shift).tobytes()) in came]
        if not moved:
            continue
        own = np.concatenate([area.pixels for area in moved])
        rest = changed.ravel().copy()
        rest[own] = rest[own + shift] = False
        if not rest.any():
            y, x = np.divmod(own, SIZE)
            colours = before.pixels.ravel()[own]
            pixels = sorted(zip((x - x.min()).tolist(), (y - y.min()).tolist(), colours.tolist(), strict=True))
            return Look(tuple(pixels)), step, (int(x.min()) + step * dx, int(y.min()) + step * dy)
    return None
