"""Places that a click treats alike, such as the parts of one thing: clicks on both lead to the same frames.

Two places of a level are twins as long as clicks on them have led from the same frames to the same ones, at least once
to another frame. What lies between twins is taken for a twin as well.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

Place = tuple[int, int]  #: x and y of a click


@dataclass(slots=True)
class Twins:
    """Evidence from one level."""

    alike: set[tuple[Place, Place]] = field(default_factory=set)  #: pairs with equal outcomes, the lesser place first
    apart: set[tuple[Place, Place]] = field(default_factory=set)  #: pairs with different outcomes

    def learn(self, place: Place, others: Iterable[Place], *, alike: bool) -> None:
        """Learn that in one frame, clicks on a place and on others had the same outcome, or another one."""
        pairs = {(min(place, other), max(place, other)) for other in others if other != place}
        if alike:
            self.alike |= pairs - self.apart
        else:
            self.apart |= pairs
            self.alike -= pairs

    def covered(self, tested: Iterable[Place], places: Iterable[Place]) -> set[Place]:
        """The places that are, or lie between, twins one of which has been tested."""
        done = set(tested)
        near = [(pair, [end for end in pair if end in done]) for pair in self.alike if not done.isdisjoint(pair)]
        return {place for place in places if any(self._lies_in(place, pair, ends) for pair, ends in near)}

    def _lies_in(self, place: Place, pair: tuple[Place, Place], ends: list[Place]) -> bool:
        """Whether a place lies between two twins and is not known to differ from both that have been tested."""
        (x, y), (one, other) = place, pair
        if not (min(one[0], other[0]) <= x <= max(one[0], other[0])):
            return False
        if not (min(one[1], other[1]) <= y <= max(one[1], other[1])):
            return False
        return any((min(place, end), max(place, end)) not in self.apart for end in ends)
