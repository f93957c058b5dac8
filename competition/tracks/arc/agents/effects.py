"""What clicks do to the pixels around them, learnt pixel by pixel, and plans with that.

Many games of clicks consist of parts that act alike: lamps that toggle their neighbours, dials, tiles that turn. The
effect of a click is then a table that says for every pixel near it which colour follows which, or from which pixel its
colour comes. Such a table predicts clicks in frames that were never seen, so that sequences of clicks can be thought
through. Predictions are compared with what happens, and used only where they come true.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from vgdl.competition.tracks.arc.agents.frame_search import FrameSearch
from vgdl.competition.tracks.arc.agents.screen import Pixels
from vgdl.competition.tracks.arc.agents.things import Thing
from vgdl.competition.tracks.arc.frame import COLORS, SIZE

UNKNOWN = 255  #: the colour that follows one which was never seen at a pixel
MOST_PIXELS = 1500  #: in the table of an effect; larger ones are not local
MOST_SEEN = 24  #: latest clicks of a class that its table is made from
MOVED = 3  #: clicks with an effect that a rearrangement of pixels must explain
ENOUGH = 3  #: predictions after which a class of clicks is judged
RELIABLE = 0.75  #: share of them that must have come true

Shape = tuple[int, int]  #: width and height of what is clicked on


@dataclass(slots=True)
class Effect:
    """What a class of clicks changes, at distances from the place of the click."""

    seen: deque[tuple[Pixels, Pixels, int, int]] = field(default_factory=lambda: deque(maxlen=MOST_SEEN))
    rows: NDArray[np.intp] = field(default_factory=lambda: np.empty(0, np.intp))  #: distances of the table's pixels
    columns: NDArray[np.intp] = field(default_factory=lambda: np.empty(0, np.intp))
    table: NDArray[np.uint8] = field(default_factory=lambda: np.empty((0, COLORS), np.uint8))  #: colour after colour
    usual: NDArray[np.uint8] = field(default_factory=lambda: np.full(COLORS, UNKNOWN, np.uint8))  #: in all pixels
    is_puzzling: bool = False  #: whether different colours followed one colour at a pixel
    sources: NDArray[np.intp] | None = None  #: number of the pixel that each one takes its colour from, if it does so
    predicted: int = 0
    right: int = 0
    is_stale: bool = False

    @property
    def is_reliable(self) -> bool:
        """Whether its predictions come true."""
        return self.predicted >= ENOUGH and self.right >= RELIABLE * self.predicted

    def learn(self, before: Pixels, after: Pixels, x: int, y: int) -> None:
        """Add a click at (x, y)."""
        self.seen.append((before, after, x, y))
        self.is_stale = True

    def predict(self, pixels: Pixels, x: int, y: int) -> Pixels | None:
        """The frame after a click at (x, y); None if a colour was never seen where it stands."""
        if self.is_stale:
            self._tabulate()
        if self.is_puzzling:
            return self._rearranged(pixels, x, y)
        rows, columns = self.rows + y, self.columns + x
        inside = np.flatnonzero((rows >= 0) & (rows < SIZE) & (columns >= 0) & (columns < SIZE))
        rows, columns = rows[inside], columns[inside]
        colours = pixels[rows, columns]
        after = self.table[inside, colours]
        after = np.where(after == UNKNOWN, self.usual[colours], after)
        if (after == UNKNOWN).any():
            return None
        result = pixels.copy()
        result[rows, columns] = after
        return result

    def _tabulate(self) -> None:
        self.is_stale = False
        touched = np.zeros((2 * SIZE, 2 * SIZE), dtype=bool)
        for before, after, x, y in self.seen:
            touched[SIZE - y : 2 * SIZE - y, SIZE - x : 2 * SIZE - x] |= before != after
        rows, columns = touched.nonzero()
        if len(rows) > MOST_PIXELS:
            rows, columns = rows[:0], columns[:0]
        self.rows, self.columns = rows - SIZE, columns - SIZE
        self.table = np.full((len(rows), COLORS), UNKNOWN, dtype=np.uint8)
        for before, after, x, y in self.seen:
            there_rows, there_columns = self.rows + y, self.columns + x
            inside = np.flatnonzero(
                (there_rows >= 0) & (there_rows < SIZE) & (there_columns >= 0) & (there_columns < SIZE)
            )
            there = there_rows[inside], there_columns[inside]
            self.table[inside, before[there]] = after[there]
        known = self.table != UNKNOWN
        lowest = np.where(known, self.table, UNKNOWN).min(axis=0, initial=UNKNOWN)
        highest = np.where(known, self.table, 0).max(axis=0, initial=0)
        self.usual = np.where(lowest == highest, lowest, UNKNOWN).astype(np.uint8)
        self._find_sources()

    def _find_sources(self) -> None:
        """If colours do not follow from colours, look for where each pixel's colour comes from.

        A pixel whose colours after all clicks were those of another one before them takes its colour from there.
        """
        self.sources = None
        histories = [self._around(before, after, x, y) for before, after, x, y in self.seen]
        told = [pair for pair in histories if pair is not None]
        numbers = np.arange(len(self.rows))
        self.is_puzzling = any(bool((self.table[numbers, before] != after).any()) for before, after in told)
        if not self.is_puzzling or sum(bool((before != after).any()) for before, after in told) < MOVED:
            return
        earlier = np.ascontiguousarray(np.stack([before for before, _ in told]).T)
        later = np.ascontiguousarray(np.stack([after for _, after in told]).T)
        where = {row.tobytes(): k for k, row in reversed(list(enumerate(earlier)))}
        found = [k if (earlier[k] == row).all() else where.get(row.tobytes(), -1) for k, row in enumerate(later)]
        if min(found) >= 0:
            self.sources = np.array(found, dtype=np.intp)

    def _around(self, before: Pixels, after: Pixels, x: int, y: int) -> tuple[Pixels, Pixels] | None:
        """The table's pixels before and after a click at (x, y); None if some are outside the frame."""
        rows, columns = self.rows + y, self.columns + x
        if not len(rows) or min(rows.min(), columns.min()) < 0 or max(rows.max(), columns.max()) >= SIZE:
            return None
        return before[rows, columns], after[rows, columns]

    def _rearranged(self, pixels: Pixels, x: int, y: int) -> Pixels | None:
        around = self._around(pixels, pixels, x, y)
        if self.sources is None or around is None:
            return None
        result = pixels.copy()
        result[self.rows + y, self.columns + x] = around[0][self.sources]
        return result


class Effects:
    """The effects of clicks by place, within a level, and by the shape of what is clicked on."""

    def __init__(self) -> None:
        self._places: dict[tuple[int, int], Effect] = {}
        self._shapes: dict[Shape, Effect] = {}
        self._tried: dict[Shape, dict[tuple[int, int], bool]] = {}  #: places by shape, and whether a click did anything
        self.search = FrameSearch[Thing]()
        self._of_places = Effect()  #: only its tally is used: whether clicks on a place have effects of their own

    def start_level(self) -> None:
        """Forget the places of the level before."""
        self._places.clear()
        self._tried.clear()

    def learn(self, thing: Thing, before: Pixels, after: Pixels) -> None:
        """Learn from a click within a level."""
        self.search.earn()
        place = self._places.setdefault((thing.x, thing.y), Effect())
        effects = [(place, self._of_places)]
        if not thing.is_ground:
            shape = self._shapes.setdefault(_shape(thing), Effect())
            effects.append((shape, shape))
            tried = self._tried.setdefault(_shape(thing), {})
            tried[thing.x, thing.y] = tried.get((thing.x, thing.y), False) or bool((before != after).any())
        for effect, tally in effects:
            predicted = effect.predict(before, thing.x, thing.y) if effect.seen else None
            if predicted is not None:
                tally.predicted += 1
                tally.right += bool((predicted == after).all())
            effect.learn(before, after, thing.x, thing.y)

    def predict(self, pixels: Pixels, thing: Thing) -> Pixels | None:
        """The frame after a click on a thing; None if that is not known."""
        place = self._places.get((thing.x, thing.y))
        if place is not None and self._of_places.is_reliable:
            after = place.predict(pixels, thing.x, thing.y)
            if after is not None:
                return after
        if thing.is_ground or self._is_idle(thing):
            return None
        shape = self._shapes.get(_shape(thing))
        return shape.predict(pixels, thing.x, thing.y) if shape is not None and shape.is_reliable else None

    def _is_idle(self, thing: Thing) -> bool:
        """Whether clicks on the nearest thing of this shape that has been tried have changed nothing."""
        tried = self._tried.get(_shape(thing))
        if not tried:
            return False
        nearest = min(tried, key=lambda place: abs(place[0] - thing.x) + abs(place[1] - thing.y))
        return not tried[nearest]

    @property
    def can_plan(self) -> bool:
        """Whether any class of clicks is predicted reliably, and enough predictions were earned."""
        classes = (self._of_places, *self._shapes.values())
        return self.search.is_paid and any(effect.is_reliable for effect in classes)

    def plan(
        self,
        pixels: Pixels,
        things: Sequence[Thing],
        is_known: Callable[[bytes], bool],
        progress: Callable[[Pixels], float],
    ) -> list[tuple[Thing, bytes]]:
        """Clicks that lead to the most promising frame that is not known, with the key of the frame after each.

        Args:
            pixels: the present frame.
            things: what can be clicked on.
            is_known: whether a frame has been seen.
            progress: how promising a frame is.

        Returns:
            An empty list if no frame is predicted that is more promising than the present one.
        """
        things = [thing for thing in things if self.predict(pixels, thing) is not None]

        def outcomes(now: Pixels) -> Iterator[tuple[Thing, Pixels | None]]:
            return ((thing, self.predict(now, thing)) for thing in things)

        return [(thing, end) for thing, _, end in self.search.plan(pixels, outcomes, is_known, progress)]


def _shape(thing: Thing) -> Shape:
    return thing.look[1], thing.look[2]
