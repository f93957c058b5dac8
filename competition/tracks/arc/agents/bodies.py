"""The body that the keys move, found by what it does: it goes where the keys say, as far as it does."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from vgdl.competition.tracks.arc.agents.segments import Segment

DIRECTIONS = ((0, -1), (0, 1), (-1, 0), (1, 0))  #: directions of keys 1 to 4, by convention
WAYS = (*DIRECTIONS, (-1, -1), (1, 1), (1, -1), (-1, 1))  #: all directions of steps, opposite ones side by side
LIKE = 0.3  #: share of its area by which an area may differ and still be the same thing, such as one that has turned
LARGEST = 24  #: pixels per side of the largest body
MARK = 4  #: pixels of the largest mark on a body
MOST = 60  #: areas that are followed
MANY = 12  #: missing areas above which marks are not followed
SIMILAR = 0.7  #: share of the best evidence that another part of the same body has
TRIED = 2  #: evidence for a body before its word is taken
STEADY = 0.8  #: share of the moves with one key that go the same way, for an area that obeys keys of any meaning

Shape = tuple[int, int, int]  #: colour, width, height


@dataclass(frozen=True, slots=True)
class Motion:
    """An area that is elsewhere after an action."""

    before: Segment
    after: Segment

    @property
    def shift(self) -> tuple[int, int]:
        return self.after.left - self.before.left, self.after.top - self.before.top


def shape_of(area: Segment) -> Shape:
    return area.colour, area.width, area.height


def motions(before: Sequence[Segment], after: Sequence[Segment]) -> list[Motion]:
    """The areas that moved between two frames: those that are missing, each with the nearest new one of its shape."""
    known = {(area.colour, area.pixels.tobytes()) for area in before}
    kept = {(area.colour, area.pixels.tobytes()) for area in after}
    gone = [area for area in before if is_small(area) and (area.colour, area.pixels.tobytes()) not in kept]
    if len(gone) > MANY:
        gone = [area for area in gone if area.area >= MARK][:MOST]
    new = [area for area in after if is_small(area) and (area.colour, area.pixels.tobytes()) not in known]
    found = []
    for area in gone:
        alike = [other for other in new if shape_of(other) == shape_of(area) and _like(other, area)]
        if alike:
            nearest = min(alike, key=lambda other: abs(other.left - area.left) + abs(other.top - area.top))
            new.remove(nearest)
            found.append(Motion(area, nearest))
    return [motion for motion in found if motion.shift != (0, 0)]


@dataclass(slots=True)
class BodyFinder:
    """Evidence for the body, its steps and its looks, kept across levels.

    Attributes:
        evidence: by the shape of an area: moves as a key says, less other moves.
        steps: by the shape: lengths of its moves in the present level, which may be drawn at another size.
        earlier: by the shape: lengths of its moves in the level before, until it moves.
        learns: whether what obeys keys of any meaning is a body as well.
    """

    learns: bool = True
    evidence: Counter[Shape] = field(default_factory=Counter)
    steps: defaultdict[Shape, Counter[int]] = field(default_factory=lambda: defaultdict(Counter))
    earlier: dict[Shape, Counter[int]] = field(default_factory=dict)
    _habits: defaultdict[Shape, defaultdict[tuple[int, bytes], Counter[int]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(Counter))
    )  #: by the shape, then by key and outline: directions of moves
    _obedience: dict[Shape, int] = field(default_factory=dict)  #: evidence from these

    def start_level(self, areas: Sequence[Segment]) -> None:
        """A level begins, which may be drawn at another size."""
        self.earlier |= self.steps
        self.steps = defaultdict(Counter)
        present = {shape_of(area) for area in areas if is_small(area)}
        old = max(self.earlier, key=self._shape_weight, default=None)
        if old is None or old in present or self.weight(old) < TRIED:
            return
        for new in sorted(present):
            if new[0] == old[0] and new[1] * old[2] == new[2] * old[1] and self.weight(new) < self.weight(old):
                self.evidence[new] = self.weight(old)
                scaled = {length * new[1] // old[1]: n for length, n in self.earlier[old].items()}
                self.earlier[new] = Counter(scaled)

    def learn(self, key: int, moved: Sequence[Motion]) -> None:
        """Learn from the areas that moved with a key."""
        for motion in moved:
            shape = shape_of(motion.before)
            way = way_of(motion.shift)
            if way is not None and 1 <= key <= len(DIRECTIONS) and way == key - 1:
                self.evidence[shape] += 2
            else:
                self.evidence[shape] -= 1
            if way is None or (way != key - 1 and not self.learns):
                continue
            self.steps[shape][max(map(abs, motion.shift))] += 1
            if self.learns:
                self._habits[shape][key, motion.before.outline][way] += 1
                self._obedience[shape] = _obedience(self._habits[shape])

    def find(self, areas: Sequence[Segment], last: tuple[int, int] | None) -> Segment | None:
        """The body in a frame, the nearest to its last place (left, top); None if no area is likely to be it."""
        known = [area for area in areas if is_small(area) and self._weight(area) >= TRIED]
        if not known:
            return None
        best = max(map(self._weight, known))
        likely = [area for area in known if self._weight(area) >= SIMILAR * best]
        main = shape_of(max(likely, key=lambda area: (area.area, self._weight(area))))  # others may be parts of it
        alike = [area for area in likely if shape_of(area) == main]
        if last is None:
            return alike[0]
        return min(alike, key=lambda area: abs(area.left - last[0]) + abs(area.top - last[1]))

    def doubts(self, shape: Shape, other: Shape) -> bool:
        """Whether another shape is much more likely to be the body."""
        return self.weight(shape) < SIMILAR * self.weight(other)

    def _weight(self, area: Segment) -> float:
        """The evidence that an area is the body; a mark on a body moves as it does, so small ones count less."""
        return self.weight(shape_of(area)) / (1 if area.area >= MARK else 2)

    def _shape_weight(self, shape: Shape) -> float:
        """The same for the shape of an area."""
        return self.weight(shape) / (1 if shape[1] * shape[2] >= MARK else 2)

    def weight(self, shape: Shape) -> int:
        """The evidence that areas of a shape obey keys."""
        return max(self.evidence[shape], self._obedience.get(shape, 0))

    def step(self, shape: Shape) -> int:
        """The length of a step in pixels: the most frequent one, the shortest of equals; 0 if it is not known."""
        lengths = self.steps.get(shape) or self.earlier.get(shape)
        return min(lengths, key=lambda length: (-lengths[length], length)) if lengths else 0

    def take_for(self, old: Shape, new: Shape) -> None:
        """A body has changed its look."""
        self.evidence[new] = max(self.evidence[new], TRIED)
        if new != old:
            self.steps[new] += self.steps[old]


def is_small(area: Segment) -> bool:
    """Whether it may be a body, or a part of one."""
    return area.width <= LARGEST and area.height <= LARGEST


def _like(one: Segment, other: Segment) -> bool:
    return abs(one.area - other.area) <= LIKE * max(one.area, other.area)


def way_of(shift: tuple[int, int]) -> int | None:
    """The number of a shift's direction in `WAYS`; None if it is none of these."""
    dx, dy = shift
    if dx and dy and abs(dx) != abs(dy):
        return None
    way = ((dx > 0) - (dx < 0), (dy > 0) - (dy < 0))
    return WAYS.index(way) if way in WAYS else None


def _obedience(habits: Mapping[tuple[int, bytes], Counter[int]]) -> int:
    """Evidence for a body from moves that are the same for a key and an outline, and differ between keys."""
    evidence, ways = 0, set[int]()
    for seen in habits.values():
        way, n = seen.most_common(1)[0]
        total = seen.total()
        if n < STEADY * total:
            evidence -= total
        elif n > 1:
            evidence += 2 * n - (total - n)
            ways.add(way)
    return evidence if len(ways) > 1 else 0
