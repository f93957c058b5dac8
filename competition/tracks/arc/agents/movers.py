"""Several bodies that keys move: at once, each in a way of its own, or one at a time, chosen by a key or a click.

Bodies are areas that have moved with keys. What a key does to each of them, which colours are in their way, and how the
one that obeys is chosen is learnt from what moved and what did not, so that sequences of actions can be thought
through. Predictions are compared with what happens, and used only where they come true.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vgdl.competition.tracks.arc.agents.bodies import (
    LARGEST,
    MARK,
    TRIED,
    BodyFinder,
    Motion,
    Shape,
    motions,
    shape_of,
)
from vgdl.competition.tracks.arc.agents.screen import Pixels
from vgdl.competition.tracks.arc.agents.segments import Segment
from vgdl.competition.tracks.arc.frame import CLICK, COLORS, SIZE, UNDO

MOST = 8  #: bodies; what moves in larger numbers is something else
ENOUGH = 4  #: predictions after which they are judged
RECENT = 16  #: predictions that are judged
RELIABLE = 0.75  #: share of them that must have come true
MOSTLY = 0.7  #: share of moves of one length from which bodies do not slide
HALF = 0.5  #: share of its bounding box that a possible body fills
LEAST = 0.6  #: share of a body's pixels that show in its place
SURELY = 3  #: keys that move others and not a body before it is taken for none
Place = tuple[int, int]  #: left and top


class State(NamedTuple):
    """What bodies do: where they are, and which one obeys."""

    places: tuple[Place, ...]
    active: int  #: the body that obeys; -1 for all of them, or if that is not known


class Deed(NamedTuple):
    """A key, or a click that chooses a body."""

    key: int
    body: int = -1  #: the body that is clicked on


@dataclass(frozen=True, slots=True)
class Field:
    """What is in the way of bodies, as sums of pixels from the top left, shape (65, 65)."""

    sums: NDArray[np.intp]

    def is_free(self, place: Place, shape: Shape) -> bool:
        """Whether a body can be in a place."""
        (left, top), (_, width, height) = place, shape
        right, bottom = left + width, top + height
        if left < 0 or top < 0 or right > SIZE or bottom > SIZE:
            return False
        sums = self.sums
        return not sums[bottom, right] - sums[top, right] - sums[bottom, left] + sums[top, left]


class Movers:
    """The bodies of a level and the rules of their moves.

    Attributes:
        shapes: the shape of each body.
        places: where each body is.
        active: the body that obeyed last, or was chosen since.
        base: the frame without bodies, as far as it has been seen.
        n_switches: times that another body obeyed after it was chosen as predicted.
    """

    def __init__(self) -> None:
        self._finder = BodyFinder()
        self._passed: Counter[int] = Counter()  #: by colour: steps onto it
        self._blocked: Counter[int] = Counter()  #: by colour: steps that nothing else can have prevented
        self._shape_shifts: defaultdict[tuple[int, Shape], Counter[Place]] = defaultdict(Counter)
        self._together = self._alone = 0  #: moves of several bodies, and of one of those that could have moved
        self._came_true: deque[bool] = deque(maxlen=RECENT)
        self._switches: dict[tuple[int, int], int] = {}  #: by key and body that obeyed: the one that obeys then
        self.n_switches = 0
        self._clicks_choose = False
        self._lengths: Counter[int] = Counter()  #: of moves
        self.start_level(None, [])

    def start_level(self, pixels: Pixels | None, areas: Sequence[Segment]) -> None:
        """A level begins, whose bodies look like those before."""
        self.shapes: list[Shape] = []
        self.places: list[Place] = []
        self._shifts: defaultdict[tuple[int, int], Counter[Place]] = defaultdict(Counter)
        self._slid = bool(self._lengths) and self._are_uneven([k for k, n in self._lengths.items() if n > 1])
        self._lengths.clear()
        self._switches.clear()
        self._inert: set[Place] = set()  #: places of what was chosen and did not move
        self.base: Pixels | None = None
        self.start_attempt(pixels, areas)

    def start_attempt(self, pixels: Pixels | None, areas: Sequence[Segment]) -> None:
        """The level begins, or begins anew."""
        self.active = -1
        self._shifts.clear()
        self._chosen: tuple[int, int] | None = None  #: a key that may have chosen another body, and the one before it
        self._lost: list[Shape] = []  #: shapes of bodies that have vanished
        self._areas = areas
        self._field: Field | None = None
        again = [area for area in areas if self._finder.weight(shape_of(area)) > TRIED]
        if pixels is None or len(again) > MOST:
            again = []
        self.shapes = [shape_of(area) for area in again]
        self._switches = {step: body for step, body in self._switches.items() if max(step[1], body) < len(again)}
        self._fills = [area.area for area in again]  #: pixels of each body
        self.places = [(area.left, area.top) for area in again]
        if pixels is not None:
            self._uncover(pixels)

    @property
    def state(self) -> State:
        """The present state."""
        return State(tuple(self.places), self.active if self.is_selective else -1)

    @property
    def is_selective(self) -> bool:
        """Whether one body obeys at a time."""
        return self._alone > self._together

    @property
    def are_known(self) -> bool:
        """Whether several bodies are there whose moves are predicted reliably."""
        if len(self.places) < 2 or len(self._came_true) < ENOUGH:
            return False
        if self.is_selective and (self.active < 0 or not self.n_switches):
            return False
        return sum(self._came_true) >= RELIABLE * len(self._came_true)

    # ------------------------------------------------------------------------------------------------------ learning

    def observe(self, key: int, click: Place | None, pixels: Pixels, areas: Sequence[Segment]) -> None:
        """Learn from an action.

        Args:
            key: the action.
            click: the place of a click.
            pixels: the frame after it.
            areas: its segments.
        """
        moved = self._motions(key, areas)
        expected = self.predict(self.state, Deed(key)).places if self.places and key not in (CLICK, UNDO) else None
        if key != UNDO and self._add_new(moved):
            expected = None
        was = list(self.places)
        shifts = self._follow(key, moved, pixels, expected)
        if expected is not None and len(was) == len(shifts):
            shifts = self._told_apart(was, shifts, expected)
        if key == UNDO:
            self.active, self._chosen = -1, None
        elif key == CLICK:
            self._clicked(click)
        elif any(shifts) or self._is_direction(key):
            if expected is not None and (any(shifts) or expected != tuple(was)):
                self._came_true.append(expected == tuple(self.places))
            self._moved(key, was, shifts)
            self._stopped(key, shifts)
        elif self.is_selective:
            self._chosen = (key if self._chosen is None else -1, self.active)
            self.active = self._next(key, self.active)
        self._find_lost(areas)
        if self.is_selective and self._clicks_choose:
            self._add_candidates(areas)
        self._field = None
        self._uncover(pixels)

    def _motions(self, key: int, areas: Sequence[Segment]) -> list[Motion]:
        """What has moved and is likely to obey keys."""
        moved = _whole(motions(self._areas, areas)) if key != CLICK else []
        self._areas = areas
        if key not in (CLICK, UNDO):
            self._finder.learn(key, moved)
        return [motion for motion in moved if self._finder.weight(shape_of(motion.before)) > TRIED]

    def _add_new(self, moved: Sequence[Motion]) -> bool:
        """Add bodies that have not moved before; returns whether there are any."""
        is_any = False
        for motion in moved:
            area = motion.before
            within = [k for k in range(len(self.places)) if self._touches(k, area)]
            if all(self._fills[k] < area.area and (area.left, area.top) != self.places[k] for k in within):
                for k in reversed(within):
                    self._forget(k)  # it was a mark on this one
                self._add(area)
                is_any = True
        return is_any

    def _touches(self, body: int, area: Segment) -> bool:
        """Whether a body shares pixels with the rectangle around an area."""
        (left, top), (_, width, height) = self.places[body], self.shapes[body]
        across = left <= area.right and area.left < left + width
        return across and top <= area.bottom and area.top < top + height

    def _add_candidates(self, areas: Sequence[Segment]) -> None:
        """Where clicks choose the body that obeys, areas as thick as known bodies may obey as well."""
        known = {min(width, height) for _, width, height in self.shapes}
        for area in areas:
            place = area.left, area.top
            is_like = min(area.width, area.height) in known and area.regularity > HALF and _is_small(area)
            is_new = place not in self._inert and not any(self._touches(k, area) for k in range(len(self.places)))
            if is_like and is_new and not self._passed[area.colour]:
                self._add(area)

    def _follow(
        self, key: int, moved: Sequence[Motion], pixels: Pixels, expected: Sequence[Place] | None
    ) -> list[Place | None]:
        """Update places; returns the shift of each body, None if it has not moved."""
        by_place = {(motion.before.left, motion.before.top): motion for motion in moved}
        shifts: list[Place | None] = []
        gone = []
        for k, place in enumerate(self.places):
            there = expected[k] if expected is not None else place
            motion = by_place.get(place)
            if motion is not None:
                there = motion.after.left, motion.after.top
            elif self._is_at(pixels, k, place):
                there = place
            elif there == place or not self._is_at(pixels, k, there):
                unit = self._unit(key, k)
                there = _plus(place, unit) if unit is not None else place
                if not self._is_at(pixels, k, there):
                    gone.append(k)
            shifts.append(_minus(there, place) if there != place else None)
            self.places[k] = there
        for k in reversed(gone):
            self._lost.append(self.shapes[k])
            self._forget(k)
            del shifts[k]
        return shifts

    def _find_lost(self, areas: Sequence[Segment]) -> None:
        """Follow bodies again that were lost, such as on something of their colour, and show now."""
        for area in areas if self._lost else ():
            if shape_of(area) in self._lost and not any(self._touches(k, area) for k in range(len(self.places))):
                self._lost.remove(shape_of(area))
                self._add(area)

    def _is_at(self, pixels: Pixels, body: int, place: Place) -> bool:
        """Whether a place shows a body, perhaps on a mark of its colour or with a new mark on it."""
        (left, top), (colour, width, height) = place, self.shapes[body]
        shown = pixels[max(top, 0) : top + height, max(left, 0) : left + width] == colour
        return int(shown.sum()) >= LEAST * self._fills[body]

    def _told_apart(
        self, was: Sequence[Place], shifts: list[Place | None], expected: Sequence[Place]
    ) -> list[Place | None]:
        """The shifts of the bodies, where those that look alike are taken to be where they are expected."""
        if sorted(zip(self.shapes, self.places, strict=True)) != sorted(zip(self.shapes, expected, strict=True)):
            return shifts
        self.places = list(expected)
        return [_minus(now, before) if now != before else None for now, before in zip(expected, was, strict=True)]

    def _forget(self, gone: int) -> None:
        """A body has vanished."""
        del self.shapes[gone], self.places[gone], self._fills[gone]
        kept = [(key, body, seen) for (key, body), seen in self._shifts.items() if body != gone]
        self._shifts.clear()
        for key, body, seen in kept:
            self._shifts[key, body - (body > gone)] = seen
        self._switches.clear()
        self.active = -1 if self.active == gone else self.active - (self.active > gone)

    def _moved(self, key: int, was: Sequence[Place], shifts: Sequence[Place | None]) -> None:
        moving = {k: shift for k, shift in enumerate(shifts) if shift is not None}
        if len(was) == len(shifts):
            self._together += len(moving) > 1
            self._alone += len(moving) == 1 and self._could_move(key, was, shifts)
        for k, shift in moving.items():
            self._shifts[key, k][shift] += 1
            self._lengths[max(map(abs, shift))] += 1
            self._shape_shifts[key, self.shapes[k]][shift] += 1
            self._enter(self.places[k], self.shapes[k])
        if len(moving) == 1:
            self._obeyed(next(iter(moving)))
        if moving:
            self._chosen = None

    def _could_move(self, key: int, was: Sequence[Place], shifts: Sequence[Place | None]) -> bool:
        """Whether a body has not moved though nothing was in its way."""
        field = self._present_field()
        units = [self._unit(key, k, shared=True) if shift is None else None for k, shift in enumerate(shifts)]
        return any(
            unit is not None and field.is_free(_plus(was[k], unit), self.shapes[k]) for k, unit in enumerate(units)
        )

    def _obeyed(self, body: int) -> None:
        """Learn from the only body that moved how it was chosen."""
        if self._chosen is not None:
            key, before = self._chosen
            if key > 0:
                self._switches[key, before] = body
            if before != body:
                self.n_switches += 1
                self._clicks_choose |= key == 0
        elif self.is_selective and self.active not in (-1, body):
            self._switches.clear()
        self.active = body

    def _enter(self, place: Place, shape: Shape) -> None:
        if self.base is None:
            return
        (left, top), (_, width, height) = place, shape
        for colour in np.unique(self.base[top : top + height, left : left + width]).tolist():
            self._passed[colour] += 1

    def _stopped(self, key: int, shifts: Sequence[Place | None]) -> None:
        """Learn what is in the way of bodies that have not moved, or that have slid to where they are."""
        bodies = [self.active] if self.is_selective and self.active >= 0 else range(len(shifts))
        for k in bodies:
            unit = self._unit(key, k)
            if unit is None or k >= len(shifts) or self.base is None:
                continue
            if not self._own(key, k) and shifts[k] is None:
                self._shifts[key, k][0, 0] += 1  # what moves others does not move this one
                continue
            if shifts[k] is not None and not self._slides:
                continue
            there = _plus(self.places[k], unit)
            (left, top), (_, width, height) = there, self.shapes[k]
            if self._overlaps(self.places, k, there):
                continue
            ahead = self.base[max(top, 0) : max(top + height, 0), max(left, 0) : max(left + width, 0)]
            for colour in np.unique(ahead).tolist():
                self._blocked[colour] += not self._passed[colour]
        if len(bodies) == 1 and bodies[0] < len(self.places):
            self._drop_inert(bodies[0])

    def _drop_inert(self, body: int) -> None:
        """Forget a body that no key moves."""
        seen = [shifts for (_, other), shifts in self._shifts.items() if other == body]
        if len(seen) >= SURELY and all(set(shifts) == {(0, 0)} for shifts in seen):
            self._inert.add(self.places[body])
            self._forget(body)

    def _clicked(self, click: Place | None) -> None:
        hit = self.body_at(click) if click is not None else None
        if hit is not None:
            self._chosen = (0, self.active)
            self.active = hit

    def body_at(self, pixel: Place) -> int | None:
        """The body at a pixel."""
        for k, ((left, top), (_, width, height)) in enumerate(zip(self.places, self.shapes, strict=True)):
            if left <= pixel[0] < left + width and top <= pixel[1] < top + height:
                return k
        return None

    def _uncover(self, pixels: Pixels) -> None:
        """Add what bodies do not cover to the frame without them."""
        covered = np.zeros((SIZE, SIZE), dtype=bool)
        for (left, top), (_, width, height) in zip(self.places, self.shapes, strict=True):
            covered[top : top + height, left : left + width] = True
        if self.base is None:
            self.base = pixels.copy()
            for place, shape in zip(self.places, self.shapes, strict=True):
                self._guess_under(place, shape)
        else:
            self.base[~covered] = pixels[~covered]

    def _add(self, area: Segment) -> None:
        if len(self.places) >= MOST:
            return
        self.shapes.append(shape_of(area))
        self._fills.append(area.area)
        self.places.append((area.left, area.top))
        if self.base is not None:
            self._guess_under(self.places[-1], self.shapes[-1])

    def _guess_under(self, place: Place, shape: Shape) -> None:
        """What a body covers is likely to be what is most frequent around it."""
        assert self.base is not None
        (left, top), (colour, width, height) = place, shape
        around = self.base[max(top - 1, 0) : top + height + 1, max(left - 1, 0) : left + width + 1]
        inside = self.base[top : top + height, left : left + width]
        counts = np.bincount(around.ravel(), minlength=COLORS) - np.bincount(inside.ravel(), minlength=COLORS)
        counts[colour] = 0
        inside[:] = int(counts.argmax())

    # ---------------------------------------------------------------------------------------------------- predicting

    def _is_direction(self, key: int) -> bool:
        return any(self._unit(key, k) is not None for k in range(len(self.places)))

    def _unit(self, key: int, body: int, *, shared: bool = False) -> Place | None:
        """The usual shift of a body with a key; None if it was never seen to move with it.

        Args:
            key: the key.
            body: the number of the body.
            shared: whether what others do counts as well.
        """
        seen = self._own(key, body)
        if not seen and (key, body) not in self._shifts and (shared or self.is_selective):
            seen = self._of_others(key)
        if not seen:
            return None
        if self._slides:
            ways: Counter[Place] = Counter()
            for shift, n in seen.items():
                ways[_part(shift, self._slides)] += n
            seen = ways
        return min(seen, key=lambda shift: (-seen[shift], abs(shift[0]) + abs(shift[1])))

    def _of_others(self, key: int) -> Counter[Place]:
        """The shifts of some body that moved with a key."""
        seen = (found for (other, _), found in self._shifts.items() if other == key and not found[0, 0])
        return next(seen, Counter())

    def _own(self, key: int, body: int) -> Counter[Place]:
        """The shifts of a body with a key, or of others of its shape."""
        own = self._shifts.get((key, body), Counter())
        moved = Counter({shift: n for shift, n in own.items() if shift != (0, 0)})
        return moved or self._shape_shifts.get((key, self.shapes[body]), Counter())

    @property
    def _slides(self) -> int:
        """The length of a step, if bodies go on until something is in their way; else 0."""
        often = [length for length, n in self._lengths.items() if n > 1 or self._slid]
        if not often or not (self._slid or self._are_uneven(often)):
            return 0
        return int(np.gcd.reduce(often))

    def _are_uneven(self, lengths: Sequence[int]) -> bool:
        return len(lengths) > 1 and max(self._lengths.values()) <= MOSTLY * self._lengths.total()

    def _next(self, key: int, active: int) -> int:
        known = self._switches.get((key, active))
        return (active + 1) % len(self.places) if known is None and self.places else known if known is not None else -1

    def _present_field(self) -> Field:
        if self._field is None:
            assert self.base is not None
            solid = np.isin(np.arange(COLORS), list(self.walls))
            sums = np.zeros((SIZE + 1, SIZE + 1), dtype=np.intp)
            sums[1:, 1:] = solid[self.base].cumsum(axis=0).cumsum(axis=1)
            self._field = Field(sums)
        return self._field

    @property
    def walls(self) -> set[int]:
        """The colours that are in the way of bodies."""
        return {colour for colour, n in self._blocked.items() if n and not self._passed[colour]}

    def unknown(self, keys: Sequence[int]) -> list[int]:
        """The keys of which nothing is known but that they have not moved a body."""
        return [] if self.is_selective else [key for key in keys if not self._is_direction(key)]

    def deeds(self, keys: Sequence[int], *, clicks: bool) -> list[Deed]:
        """The actions that may change the state."""
        found = [Deed(key) for key in keys if self._is_direction(key)]
        if self.is_selective:
            found += [Deed(key) for key in keys if not self._is_direction(key)]
            found += [Deed(CLICK, k) for k in range(len(self.places))] if clicks else []
        return found

    def predict(self, state: State, deed: Deed) -> State:
        """The state after an action."""
        if deed.key == CLICK:
            return state._replace(active=deed.body)
        if not self._is_direction(deed.key):
            return state._replace(active=self._next(deed.key, state.active)) if self.is_selective else state
        field = self._present_field()
        places = list(state.places)
        obeying = [state.active] if state.active >= 0 else range(len(places))
        units = {k: unit for k in obeying if k < len(places) and (unit := self._unit(deed.key, k)) is not None}
        ahead = sorted(units, key=lambda k: -(places[k][0] * units[k][0] + places[k][1] * units[k][1]))
        for k in ahead:
            unit, steps = units[k], 1
            if self._slides:
                steps = SIZE
            while steps and self._can(field, places, k, there := _plus(places[k], unit)):
                places[k] = there
                steps -= 1
        return State(tuple(places), state.active)

    def _can(self, field: Field, places: Sequence[Place], body: int, there: Place) -> bool:
        return field.is_free(there, self.shapes[body]) and not self._overlaps(places, body, there)

    def _overlaps(self, places: Sequence[Place], body: int, there: Place) -> bool:
        """Whether a body would overlap another one in a place."""
        _, width, height = self.shapes[body]
        return any(
            k != body
            and there[0] < other[0] + self.shapes[k][1]
            and other[0] < there[0] + width
            and there[1] < other[1] + self.shapes[k][2]
            and other[1] < there[1] + height
            for k, other in enumerate(places)
        )


def _whole(moved: Sequence[Motion]) -> list[Motion]:
    """Motions without those of marks on, and frames around, other areas that moved alike."""
    return [
        motion
        for motion in moved
        if motion.before.width * motion.before.height >= MARK
        and not any(other.shift == motion.shift and _belongs(motion.before, other.before) for other in moved)
    ]


def _belongs(small: Segment, large: Segment) -> bool:
    """Whether one area is in another one of more pixels, or around it."""
    across = small.left - large.left, large.right - small.right
    down = small.top - large.top, large.bottom - small.bottom
    nested = min(across + down) >= 0 or max(across + down) <= 0
    return nested and (small.area, small.left, small.top) < (large.area, large.left, large.top)


def _is_small(area: Segment) -> bool:
    return max(area.width, area.height) <= LARGEST and area.width * area.height >= MARK


def _plus(place: Place, shift: Place) -> Place:
    return place[0] + shift[0], place[1] + shift[1]


def _minus(place: Place, other: Place) -> Place:
    return place[0] - other[0], place[1] - other[1]


def _part(shift: Place, length: int) -> Place:
    """A shift of a length in the same direction."""
    return tuple(length * ((d > 0) - (d < 0)) for d in shift)  # type: ignore[return-value]
