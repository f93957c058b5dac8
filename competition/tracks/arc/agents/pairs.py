"""What pairs of clicks do: the second thing is where the first one goes, or is changed by it, or both vanish.

Effects are described by the places of both things, so that one example says what to expect of others. They are learnt
by what both things look like, and compared with what happens; only what comes true is used for plans.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from vgdl.competition.tracks.arc.agents.effects import ENOUGH, RELIABLE
from vgdl.competition.tracks.arc.agents.frame_search import FrameSearch
from vgdl.competition.tracks.arc.agents.screen import Pixels
from vgdl.competition.tracks.arc.agents.segments import Segment, segments
from vgdl.competition.tracks.arc.agents.things import SMALL, Thing
from vgdl.competition.tracks.arc.frame import COLORS, SIZE

TRUST = 2.0  #: pairs that the estimate of a wider class counts for
PRIOR = 0.3  #: estimate without any experience
LIKE = 1.2  #: factor for pairs of like things before one of their class was tried
NEAR = 1.5  #: distance of neighbours, in sizes of the larger thing
RECENT = 12  #: predictions of effects that are judged
Pair = tuple[Thing, Thing]


class Box(NamedTuple):
    """A rectangle."""

    left: int
    top: int
    width: int
    height: int

    def of(self, pixels: Pixels) -> Pixels:
        return pixels[self.top : self.top + self.height, self.left : self.left + self.width]


class Slots(NamedTuple):
    """The places of both things of a pair."""

    first: Box
    second: Box
    ground: int  #: colour around the first one
    alike: tuple[Box, Box] | None  #: both places, the smaller one extended to the size of the larger one


Rule = Callable[[Pixels, Slots], Pixels | None]


def _nothing(pixels: Pixels, slots: Slots) -> Pixels | None:
    return pixels


def _swap(pixels: Pixels, slots: Slots) -> Pixels | None:
    """Both things change places."""
    if slots.alike is None:
        return None
    one, other = slots.alike
    after = pixels.copy()
    one.of(after)[:] = other.of(pixels)
    other.of(after)[:] = one.of(pixels)
    return after


def _move(pixels: Pixels, slots: Slots) -> Pixels | None:
    """The first thing takes the place of the second one."""
    if slots.alike is None:
        return None
    one, other = slots.alike
    after = pixels.copy()
    other.of(after)[:] = one.of(pixels)
    one.of(after)[:] = slots.ground
    return after


def _leap(pixels: Pixels, slots: Slots) -> Pixels | None:
    """Both change places, and what is between them becomes like the second one."""
    after = _swap(pixels, slots)
    if after is None or slots.alike is None:
        return None
    one, other = slots.alike
    if (one.left + other.left) % 2 or (one.top + other.top) % 2:
        return None
    middle = Box((one.left + other.left) // 2, (one.top + other.top) // 2, one.width, one.height)
    middle.of(after)[:] = other.of(pixels)
    return after


def _copy(pixels: Pixels, slots: Slots) -> Pixels | None:
    """The second thing becomes like the first one."""
    if slots.alike is None:
        return None
    one, other = slots.alike
    after = pixels.copy()
    other.of(after)[:] = one.of(pixels)
    return after


def _paint(pixels: Pixels, slots: Slots) -> Pixels | None:
    """The second thing gets the colour of the first one."""
    shown, colours = slots.second.of(pixels), np.bincount(slots.first.of(pixels).ravel(), minlength=COLORS)
    after = pixels.copy()
    main = np.bincount(shown.ravel(), minlength=COLORS).argmax()
    slots.second.of(after)[shown == main] = colours.argmax()
    return after


def _vanish(pixels: Pixels, slots: Slots) -> Pixels | None:
    """Both vanish."""
    after = pixels.copy()
    slots.first.of(after)[:] = slots.second.of(after)[:] = slots.ground
    return after


RULES: tuple[Rule, ...] = (_nothing, _swap, _move, _leap, _copy, _paint, _vanish)


class Pairs:
    """The effects of pairs, kept across levels."""

    def __init__(self) -> None:
        self._tries: Counter[Hashable] = Counter()  #: by class of pairs
        self._effects: Counter[Hashable] = Counter()  #: of these, those that changed anything
        self._stays: Counter[Hashable] = Counter()  #: by shape: pairs that leave the first selected, less others
        self._fits: defaultdict[Hashable, Counter[int]] = defaultdict(Counter)  #: by class: rules that fit
        self._seen: Counter[Hashable] = Counter()  #: pairs that rules were looked for, by class
        self._selected: set[bytes] = set()  #: what places showed that a click selected
        self._refused: set[bytes] = set()  #: likewise, that it did not select
        self._came_true: deque[bool] = deque(maxlen=RECENT)
        self.search = FrameSearch[Pair]()
        self._areas: tuple[Pixels, list[Segment]] | None = None  #: of the latest frame

    # ------------------------------------------------------------------------------------------------------ learning

    def learn(self, first: Thing, second: Thing, before: Pixels, after: Pixels, *, stays: bool = False) -> None:
        """Learn from a pair.

        Args:
            first: what was selected.
            second: what was clicked on then.
            before: the frame before both clicks, or without the mark of the first one.
            after: the frame after both, likewise.
            stays: whether the first one is still selected.
        """
        is_changed = bool((before != after).any())
        for name in _classes(first, second):
            self._tries[name] += 1
            self._effects[name] += is_changed
        if is_changed:
            self._stays[first.look[1:3]] += 1 if stays else -1
        slots = self.slots(before, first, second)
        if slots is None:
            return
        predicted = self._predicted(before, slots)
        if predicted is not None and (is_changed or predicted is not before):
            self._came_true.append(bool((predicted == after).all()))
        made = [rule(before, slots) for rule in RULES]
        fits = [k for k, frame in enumerate(made) if frame is not None and (frame == after).all()]
        for name in _kinds(before, slots):
            self._seen[name] += 1
            self._fits[name].update(fits)

    def learn_first(self, thing: Thing, before: Pixels, *, is_selected: bool) -> None:
        """Learn whether a click selects something, with nothing selected before."""
        box = _box(self._areas_of(before), thing) if not thing.is_ground else None
        if box is not None:
            (self._selected if is_selected else self._refused).add(box.of(before).tobytes())

    def slots(self, pixels: Pixels, first: Thing, second: Thing) -> Slots | None:
        """The places of a pair; None if one of them is on ground."""
        if first.is_ground or second.is_ground:
            return None
        areas = self._areas_of(pixels)
        one, other = _box(areas, first), _box(areas, second)
        if one is None or other is None:
            return None
        return Slots(one, other, _around(pixels, one), _alike(one, other))

    def _areas_of(self, pixels: Pixels) -> list[Segment]:
        if self._areas is None or self._areas[0] is not pixels:
            self._areas = pixels, segments(pixels)
        return self._areas[1]

    # ---------------------------------------------------------------------------------------------------- predicting

    def estimate(self, first: Thing, second: Thing) -> float:
        """The probability that a pair changes anything."""
        found = PRIOR * (LIKE if first.look == second.look else 1.0) * (LIKE if _are_near(first, second) else 1.0)
        for name in _classes(first, second):
            found = (TRUST * found + self._effects[name]) / (TRUST + self._tries[name])
        return found

    def promise(self, first: Thing, things: Sequence[Thing]) -> float:
        """The probability that the likeliest pair with a first thing changes anything."""
        kinds = {thing.look: thing for thing in things if thing != first}
        return max((self.estimate(first, thing) for thing in kinds.values()), default=0.0)

    def stays(self, first: Thing) -> bool:
        """Whether a first thing is expected to be still selected after an effect."""
        return self._stays[first.look[1:3]] > 0

    @property
    def are_reliable(self) -> bool:
        """Whether predicted effects come true."""
        return len(self._came_true) >= ENOUGH and sum(self._came_true) >= RELIABLE * len(self._came_true)

    def predict(self, pixels: Pixels, first: Thing, second: Thing) -> Pixels | None:
        """The frame after a pair, without marks; None if that is not known."""
        slots = self.slots(pixels, first, second) if self.are_reliable else None
        return self._predicted(pixels, slots) if slots is not None else None

    def _predicted(self, pixels: Pixels, slots: Slots) -> Pixels | None:
        for name in _kinds(pixels, slots):
            fits, n = self._fits.get(name), self._seen[name]
            if fits:
                rule, right = min(fits.items(), key=lambda pair: (-pair[1], pair[0]))
                if right >= RELIABLE * n:
                    return RULES[rule](pixels, slots)
        return None

    # ------------------------------------------------------------------------------------------------------ planning

    @property
    def can_plan(self) -> bool:
        """Whether effects are predicted reliably, and enough predictions were earned."""
        return self.search.is_paid and self.are_reliable

    def plan(
        self,
        pixels: Pixels,
        things: Sequence[Thing],
        is_known: Callable[[bytes], bool],
        progress: Callable[[Pixels], float],
    ) -> list[tuple[Thing, bytes]]:
        """Clicks that lead to the most promising frame that is not known; see `Effects.plan`.

        The frames are those without marks. Every pair is written as two clicks, the first of which changes nothing.
        """
        areas, boxes = self._areas_of(pixels), dict[Box, Thing]()
        for thing in things:
            box = _box(areas, thing) if not thing.is_ground else None
            if box is not None:
                boxes.setdefault(box, thing)
        places = [(thing, box, _around(pixels, box)) for box, thing in boxes.items()]

        def outcomes(now: Pixels) -> Iterator[tuple[Pair, Pixels | None]]:
            idle = self._refused - self._selected
            firsts = [place for place in places if place[1].of(now).tobytes() not in idle]
            for (first, one, ground), (second, other, _) in itertools.product(firsts, places):
                if one != other:
                    yield (first, second), self._predicted(now, Slots(one, other, ground, _alike(one, other)))

        clicks: list[tuple[Thing, bytes]] = []
        for (first, second), before, after in self.search.plan(pixels, outcomes, is_known, progress):
            clicks += [(first, before), (second, after)]
        return clicks


def _shapes(first: Thing, second: Thing) -> Hashable:
    return first.look[1:3], second.look[1:3]


def _classes(first: Thing, second: Thing) -> list[Hashable]:
    """The classes of a pair, from the widest to the narrowest."""
    near = _are_near(first, second)
    return [
        (_shapes(first, second), first.look == second.look),
        (_shapes(first, second), first.look == second.look, near),
        (first.look, second.look, near),
    ]


def _are_near(first: Thing, second: Thing) -> bool:
    """Whether two things are neighbours in a row or column."""
    if first.is_ground or second.is_ground:
        return False
    sizes = max(first.look[1:3] + second.look[1:3])
    dx, dy = abs(first.x - second.x), abs(first.y - second.y)
    return min(dx, dy) <= sizes // 2 and max(dx, dy) <= NEAR * sizes


def _kinds(pixels: Pixels, slots: Slots) -> Iterator[Hashable]:
    """The classes of a pair by what its places show, from the narrowest to the widest."""
    one, other = slots.first.of(pixels).tobytes(), slots.second.of(pixels).tobytes()
    step = slots.second.left - slots.first.left, slots.second.top - slots.first.top
    yield one, other, step
    yield one == other, slots.first[2:], slots.second[2:], tuple(map(abs, step))
    yield one, other
    yield one == other, slots.first[2:], slots.second[2:]


def _box(areas: Sequence[Segment], thing: Thing) -> Box | None:
    """The rectangle around the area, or the tile, that a place is in; None for ground."""
    number = SIZE * thing.y + thing.x
    for area in areas:
        if area.left <= thing.x <= area.right and area.top <= thing.y <= area.bottom:
            at = int(np.searchsorted(area.pixels, number))
            if at < area.area and area.pixels[at] == number:
                return _box_of(area, thing)
    return None


def _box_of(area: Segment, thing: Thing) -> Box | None:
    _, width, height, n = thing.look
    if n == width * height and (area.width > width or area.height > height):  # equal tiles side by side
        left, top = thing.x - width // 2, thing.y - height // 2
        is_inside = min(left, top) >= 0 and max(left + width, top + height) <= SIZE
        return Box(left, top, width, height) if is_inside else None
    return Box(area.left, area.top, area.width, area.height) if max(area.width, area.height) <= SMALL else None


@lru_cache(4096)
def _alike(one: Box, other: Box) -> tuple[Box, Box] | None:
    """Two rectangles, the smaller one extended on all sides to the size of the larger one; None if it cannot be."""
    width, height = max(one.width, other.width), max(one.height, other.height)
    found = []
    for box in (one, other):
        across, down = width - box.width, height - box.height
        left, top = box.left - across // 2, box.top - down // 2
        if across % 2 or down % 2 or min(left, top) < 0 or max(left + width, top + height) > SIZE:
            return None
        found.append(Box(left, top, width, height))
    overlap = abs(found[0].left - found[1].left) < width and abs(found[0].top - found[1].top) < height
    return None if overlap else (found[0], found[1])


def _around(pixels: Pixels, box: Box) -> int:
    """The most frequent colour around a rectangle."""
    rows = slice(max(box.top - 1, 0), box.top + box.height + 1)
    columns = slice(max(box.left - 1, 0), box.left + box.width + 1)
    counts = np.bincount(pixels[rows, columns].ravel(), minlength=COLORS)
    counts -= np.bincount(box.of(pixels).ravel(), minlength=COLORS)
    return int(counts.argmax())
