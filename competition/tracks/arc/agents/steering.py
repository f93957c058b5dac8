"""What each key does to the body: which way it goes, and which way the body is turned afterwards."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from vgdl.competition.tracks.arc.agents.bodies import DIRECTIONS
from vgdl.competition.tracks.arc.agents.segments import Segment

ENOUGH = 3  #: steps against a key's usual direction before the body's look is taken for the reason
CONVENTION = 1  #: steps that the conventional direction of a key counts for
FEW = 2  #: tries of a key with a look
MOSTLY = 0.8  #: share of the steps that the body's look has to explain then
Look = int  #: number of a body's outline


@dataclass(slots=True)
class Steering:
    """Steps by key, and by key and look of the body, kept across levels.

    Args:
        keys: the game's keys.
        learns: whether a key may mean something else than by convention.
    """

    keys: tuple[int, ...]
    learns: bool = True
    ways: defaultdict[int, Counter[int]] = field(default_factory=lambda: defaultdict(Counter))
    by_look: defaultdict[tuple[int, Look], Counter[int]] = field(default_factory=lambda: defaultdict(Counter))
    turns: defaultdict[tuple[int, Look], Counter[Look]] = field(default_factory=lambda: defaultdict(Counter))
    numbers: dict[tuple[int, bytes], Look] = field(default_factory=dict)

    def look_of(self, body: Segment) -> Look:
        """The number of a body's outline, which may show where it is heading."""
        return self.numbers.setdefault((body.colour, body.outline), len(self.numbers))

    def learn(self, key: int, way: int | None, before: Look, after: Look) -> None:
        """Learn from a key and the step that the body made.

        Args:
            key: the key.
            way: the number of the step's direction in `bodies.WAYS`; None if the body stayed where it was.
            before: the body's look before.
            after: its look after the step.
        """
        if way is not None:
            self.ways[key][way] += 1
            self.by_look[key, before][way] += 1
        self.turns[key, before][after] += 1

    @property
    def is_relative(self) -> bool:
        """Whether directions depend on the body's look."""
        if not self.learns:
            return False
        against, within = _contradictions(self.ways.values()), _contradictions(self.by_look.values())
        total = sum(seen.total() for seen in self.ways.values())
        return against >= ENOUGH and against > (1 - MOSTLY) * total and within <= (1 - MOSTLY) * against

    @property
    def is_usual(self) -> bool:
        """Whether no key is known to go another way than by convention."""
        return not self.is_relative and all(
            self._way(key, seen) in (None, _conventional(key)) for key, seen in self.ways.items()
        )

    def direction(self, key: int, look: Look) -> int | None:
        """The number of the direction that a key moves the body in; None if it does not, or that is not known."""
        if not self.learns:
            return _conventional(key)
        if self.is_relative:
            seen = self.by_look.get((key, look))
            return _usual(seen) if seen else None
        way = self._way(key, self.ways.get(key, Counter()))
        return way if way is not None or not self.is_usual else _conventional(key)

    def _way(self, key: int, seen: Counter[int]) -> int | None:
        """The direction of most of a key's steps; None if these are too few to tell it from the conventional one."""
        conventional = _conventional(key)
        way, n = seen.most_common(1)[0] if seen else (None, 0)
        if way == conventional or n > CONVENTION + (seen[conventional] if conventional is not None else 0):
            return way
        return None

    def untried(self, look: Look) -> int | None:
        """A key that moves the body when it looks otherwise, and was hardly tried with this look."""
        if not self.is_relative:
            return None
        keys = (key for key, seen in self.ways.items() if seen and not self.by_look.get((key, look)))
        return next((key for key in keys if self.turns[key, look].total() < FEW), None)

    def after(self, key: int, look: Look) -> Look:
        """The body's look after a key, without a step's direction."""
        seen = self.turns.get((key, look))
        return _usual(seen) if seen else look


def _conventional(key: int) -> int | None:
    """The number of the direction that a key has by convention."""
    return key - 1 if key <= len(DIRECTIONS) else None


def _usual(seen: Counter[int]) -> int:
    return seen.most_common(1)[0][0]


def _contradictions(ways: Iterable[Counter[int]]) -> int:
    """The number of steps that differ from the most frequent one of their class."""
    return sum(seen.total() - max(seen.values()) for seen in ways if seen)
