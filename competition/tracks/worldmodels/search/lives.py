"""The sprites of recorded plays, each with its type, its positions, and the begin and end of its life."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from vgdl import Category
from vgdl.competition.tracks.worldmodels.search.records import Frame, Play

Point = tuple[int, int]
MOSTLY = 0.8  #: share of a row's ticks in which an avatar's health must change alike
_WORN = 20  #: such ticks below which a change may be due to meetings
DIRECTIONS: Mapping[Point, str] = {(0, -1): "UP", (-1, 0): "LEFT", (0, 1): "DOWN", (1, 0): "RIGHT"}


@dataclass
class Track:
    """A sprite's life in a play."""

    play: int
    id: int
    type: int
    start: int  #: index of the first frame that shows it
    places: list[Point] = field(default_factory=list)
    category: int = 0
    ended: bool = False  #: whether it was gone before the play ended

    @property
    def born(self) -> bool:
        """Whether it was created during the play."""
        return self.start > 0

    def moves(self) -> Iterable[tuple[int, int, int]]:
        """Index of the tick, dx and dy of each displacement."""
        for k in range(1, len(self.places)):
            (x, y), (to_x, to_y) = self.places[k - 1], self.places[k]
            if (x, y) != (to_x, to_y):
                yield self.start + k - 1, to_x - x, to_y - y


class Lives:
    """All sprites of some plays, by type."""

    def __init__(self, plays: Sequence[Play]) -> None:
        self.plays = plays
        self.tracks: dict[int, list[Track]] = defaultdict(list)
        self.rows: list[list[dict[int, tuple[int, Point]]]] = []
        self.categories: dict[int, Counter[int]] = defaultdict(Counter)
        for number, play in enumerate(plays):
            living: dict[int, Track] = {}
            shown: list[dict[int, tuple[int, Point]]] = []
            for k, frame in enumerate(play.frames):
                seen: dict[int, tuple[int, Point]] = {}
                for id_, kind, category, x, y in frame.arrays.tolist():
                    seen[id_] = (kind, (x, y))
                    self.categories[kind][category] += 1
                    track = living.get(id_)
                    if track is None or track.type != kind:
                        if track is not None:
                            track.ended = True
                        track = living[id_] = Track(number, id_, kind, k, category=category)
                        self.tracks[kind].append(track)
                    track.places.append((x, y))
                for id_ in [i for i in living if i not in seen]:
                    living.pop(id_).ended = True
                shown.append(seen)
            self.rows.append(shown)
        self.by_play: dict[int, list[Track]] = {}
        #: hidden parent types with their subtypes, for groups that some sprite chases
        self.chased_groups: dict[int, tuple[int, ...]] = {}
        self.block = [play.frames[0].block_size for play in plays]

    def category(self, kind: int) -> int:
        """The usual category of a type; that of shots, which vanish as soon, for types that are never seen."""
        return self.categories[kind].most_common(1)[0][0] if kind in self.categories else Category.FROM_AVATAR

    @cached_property
    def avatars(self) -> list[int]:
        """Types of avatars. If there are several, they represent the same player at different times."""
        return [number for number in self.types if self.category(number) == Category.AVATAR]

    @cached_property
    def unseen_resources(self) -> list[int]:
        """Types of resources that avatars held and that no sprite had."""
        avatars = (frame.avatar for play in self.plays for frame in play.frames)
        held = {number for avatar in avatars if avatar is not None for number in avatar.resources}
        return sorted(held - self.tracks.keys())

    @property
    def highest(self) -> int:
        """The highest number of a type that was seen or held."""
        return max(*self.tracks, *self.unseen_resources)

    @cached_property
    def _by_id(self) -> dict[tuple[int, int, int], Track]:
        return {(t.play, t.id, t.type): t for tracks in self.tracks.values() for t in tracks}

    @cached_property
    def _oldest(self) -> dict[int, int]:
        """The longest life by type, in frames, of sprites whose whole life was seen."""
        lives = {kind: [len(t.places) for t in tracks if t.born and t.ended] for kind, tracks in self.tracks.items()}
        return {kind: max(lengths, default=0) for kind, lengths in lives.items()}

    def has_aged(self, play: int, id_: int, kind: int, tick: int) -> bool:
        """Whether a sprite has lived as long after frame ``tick`` as any of its type ever did."""
        track = self._by_id.get((play, id_, kind))
        return track is not None and track.born and tick + 1 - track.start >= self._oldest[kind]

    @property
    def types(self) -> list[int]:
        return sorted(self.tracks)

    @cached_property
    def families(self) -> list[tuple[int, tuple[int, ...]]]:
        """Types that never show, each with possible subtypes, which follow it in number and include an avatar.

        Single numbers among the subtypes may never show either.
        """
        found: list[tuple[int, tuple[int, ...]]] = []
        for gap in range(2, self.types[-1]):
            last = gap
            while gap not in self.tracks and {last + 1, last + 2} & self.tracks.keys():
                last += 1 if last + 1 in self.tracks else 2
                below = tuple(range(gap + 1, last + 1))
                if below[0] in self.tracks and len(below) > 1 and set(below) & set(self.avatars):
                    found.append((gap, below))
        return found

    @cached_property
    def steady_changes(self) -> set[tuple[int, int, int]]:
        """Changes that occur in most ticks regardless of meetings, as (type of avatar, resource, change)."""
        ticks: Counter[int] = Counter()
        changes: Counter[tuple[int, int, int]] = Counter()
        for play in self.plays:
            for one, other in itertools.pairwise(play.frames):
                before, after = one.avatar, other.avatar
                if before is None or after is None or before.type != after.type:
                    continue
                ticks[before.type] += 1
                for kind in before.resources.keys() & after.resources.keys():
                    changes[before.type, kind, after.resources[kind] - before.resources[kind]] += 1
        return {change for change, count in changes.items() if count > 0.5 * ticks[change[0]]}

    @cached_property
    def wear(self) -> dict[int, int]:
        """Losses of health that occur in nearly all ticks in some rows, as negative numbers by type of avatar."""
        rows: dict[tuple[int, int], Counter[int]] = defaultdict(Counter)  # by type and row
        for play, block in zip(self.plays, self.block, strict=True):
            for one, other in itertools.pairwise(play.frames):
                before, after = one.avatar, other.avatar
                if before is not None and after is not None and before.type == after.type and after.is_alive:
                    rows[before.type, after.position[1] // block][after.health - before.health] += 1
        found: dict[int, Counter[int]] = defaultdict(Counter)
        for (number, _), counts in rows.items():
            change, count = counts.most_common(1)[0]
            if change < 0 and count >= MOSTLY * counts.total():
                found[number][change] += count
        usual = {number: counts.most_common(1)[0] for number, counts in found.items()}
        return {number: change for number, (change, count) in usual.items() if count >= _WORN}

    def frame(self, play: int, tick: int) -> Frame:
        return self.plays[play].frames[tick]
