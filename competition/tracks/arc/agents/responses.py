"""How likely an action is to change something, from all tries of actions like it."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

from vgdl.competition.tracks.arc.agents.things import Thing

TRUST = 2.0  #: tries that the estimate of a wider class counts for
INERT = 0.2  #: estimate up to which a key is taken to do nothing
KEY, SMALL, DETAIL, GROUND = 0.85, 0.6, 0.35, 0.3  #: estimates without any experience


@dataclass(slots=True)
class Tally:
    """Tries of a class of actions."""

    tries: int = 0
    changes: int = 0
    wins: int = 0


@dataclass(slots=True)
class Responses:
    """Tallies by classes of actions: keys; looks and colours of what was clicked; and places, within a level."""

    kinds: dict[Hashable, Tally] = field(default_factory=dict)
    places: dict[Hashable, Tally] = field(default_factory=dict)

    def start_level(self) -> None:
        """Forget what belongs to places of the level before."""
        self.places.clear()

    def learn(
        self, key: int, thing: Thing | None, *, changed: bool, won: bool = False, is_second: bool = False
    ) -> None:
        """Count a try of a key, or of a click on a thing, perhaps the second click of a pair."""
        for tallies, name in self._classes(key, thing, is_second=is_second):
            tally = tallies.setdefault(name, Tally())
            tally.tries += 1
            tally.changes += changed
            tally.wins += won

    def estimate(self, key: int, thing: Thing | None, *, is_second: bool = False) -> float:
        """The probability that an action changes the frame."""
        found = prior(thing)
        for tallies, name in self._classes(key, thing, is_second=is_second):
            tally = tallies.get(name)
            if tally is not None:
                found = (TRUST * found + tally.changes) / (TRUST + tally.tries)
        if thing is None:
            return KEY if found > INERT else found  # among keys that do something, the likeliest is no better
        return found

    def won_by(self, key: int, thing: Thing | None) -> bool:
        """Whether an action of this class has ended a level."""
        names = [("look", thing.look, second) for second in (False, True)] if thing is not None else [("key", key)]
        return any(name in self.kinds and self.kinds[name].wins > 0 for name in names)

    def _classes(
        self, key: int, thing: Thing | None, *, is_second: bool
    ) -> list[tuple[dict[Hashable, Tally], Hashable]]:
        """The classes that an action belongs to, from the widest to the narrowest."""
        if thing is None:
            return [(self.kinds, ("key", key))]
        return [
            (self.kinds, ("colour", thing.look[0], thing.is_ground, is_second)),
            (self.kinds, ("look", thing.look, is_second)),
            (self.places, (thing.look, thing.x, thing.y, is_second)),
        ]


def prior(thing: Thing | None) -> float:
    """The probability without any experience."""
    if thing is None:
        return KEY
    return GROUND if thing.is_ground else DETAIL if thing.is_detail else SMALL
