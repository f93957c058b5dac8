"""Places that a click treats alike: the parts of one thing, whose clicks led to the same frame wherever both were tried.

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

    def covers(self, tested: Iterable[Place], place: Place) -> bool:
        """Whether a place is, or lies next to, a twin of one that has been tested."""
        x, y = place
        done = set(tested)
        for one, other in self.alike:
            if one not in done and other not in done:
                continue
            between = min(one[0], other[0]) <= x <= max(one[0], other[0])
            if between and min(one[1], other[1]) <= y <= max(one[1], other[1]):
                ends = ((min(place, end), max(place, end)) for end in (one, other) if end in done)
                if any(pair not in self.apart for pair in ends):
                    return True
        return False
