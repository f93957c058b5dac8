"""What an agent has learnt about the kinds of things in a game; it outlives levels."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from enum import Enum, auto

from vgdl.competition.tracks.arc.agents.scene import Kind


class Push(Enum):
    """What happens when something is pushed into a cell."""

    MOVES = auto()  #: it stands there now
    STAYS = auto()  #: neither moves
    VANISHES = auto()  #: it is gone, what was there remains
    BOTH_VANISH = auto()


@dataclass(slots=True)
class Lore:
    """What contacts with one kind of thing have shown."""

    tried: int = 0  #: contacts by walking into it
    entered: int = 0
    blocked: int = 0
    pushed: int = 0
    carried: int = 0  #: contacts that put the avatar somewhere else
    stayed: int = 0  #: it was still there after the avatar had left
    vanished: int = 0  #: contacts after which one of them was missing
    gained: Counter[Kind] = field(default_factory=Counter)  #: of those, by what the avatar looked like
    vain: Counter[Kind] = field(default_factory=Counter)  #: contacts without effect, likewise
    died: float = 0.0  #: blame for lost levels; shared if it is unclear what was to blame
    fatal_from: int = 0  #: fewest and most events of the level when it killed
    fatal_to: int = -1
    won: int = 0  #: contacts that ended a level
    moved: int = 0  #: frames in which one moved by itself
    still: int = 0  #: frames in which none did
    directions: Counter[int] = field(default_factory=Counter)  #: in which directions it moved
    refused_at: int = -1  #: events of the level when it last blocked the way
    enough: int = -1  #: events of the level when it last let the avatar win
    used: int = 0  #: times the special key was pressed at one
    struck: int = 0  #: and one was missing afterwards

    @property
    def deadly(self) -> bool:
        """Whether it is better not to be touched."""
        return self.died >= 0.5 and self.died > 0.5 * (self.entered + self.vanished + self.won)

    def killed(self, events: int, blame: float) -> None:
        """Take blame for a lost level."""
        self.fatal_from = events if self.fatal_to < 0 else min(self.fatal_from, events)
        self.fatal_to = max(self.fatal_to, events)
        self.died += blame

    def untried_after(self, events: int) -> bool:
        """Whether it has only killed after fewer or after more events."""
        return not self.fatal_from <= events <= self.fatal_to

    @property
    def mobile(self) -> bool:
        """Whether it moves by itself."""
        return self.moved >= 2 and self.moved * 60 > self.still

    @property
    def straight(self) -> int | None:
        """The direction in which it always moves, None if there is no such direction."""
        if not self.directions:
            return None
        direction, n = self.directions.most_common(1)[0]
        return direction if n >= 0.9 * self.directions.total() else None

    @property
    def solid(self) -> bool:
        """Whether it blocked the way most of the times."""
        return self.blocked > self.entered + self.vanished + self.carried

    @property
    def floor(self) -> bool:
        """Whether it is walked on without consequences."""
        return self.passable and 3 * self.stayed >= self.vanished

    @property
    def passable(self) -> bool:
        """Whether it can be walked through, perhaps to be collected."""
        return self.entered > 0 and not self.deadly and not self.solid


@dataclass(slots=True)
class Knowledge:
    """All that is carried from level to level."""

    lore: defaultdict[Kind, Lore] = field(default_factory=lambda: defaultdict(Lore))
    pushes: defaultdict[tuple[Kind, Kind], Counter[Push]] = field(default_factory=lambda: defaultdict(Counter))
    avatars: Counter[Kind] = field(default_factory=Counter)  #: evidence that a kind is the avatar
    shot: int | None = None  #: the direction in which they always fly, if it is not that of the avatar
    own: Counter[Kind] = field(default_factory=Counter)  #: kinds that the special key made
    ranged: int = 0  #: how often such a thing was seen to fly
    special_tries: int = 0  #: times the special key was pressed on purpose
    walked: Counter[int] = field(default_factory=Counter)  #: steps that each key has made
    refused: Counter[int] = field(default_factory=Counter)  #: and failed to make onto floor
    turns: int = 0  #: keys that only turned the avatar
    goals: Counter[Kind] = field(default_factory=Counter)  #: kinds whose last one was gone when a level was won

    @property
    def flies(self) -> bool:
        """Whether what the special key makes flies off."""
        return self.ranged >= 2

    def learn_shot(self) -> None:
        """Do things made by the special key always fly the same way?"""
        ways = {lore.straight for kind in self.own if (lore := self.lore[kind]).directions.total() >= 6}
        self.shot = ways.pop() if self.flies and len(ways) == 1 else None

    @property
    def strikes(self) -> bool:
        """Whether the special key has ever made something vanish."""
        return any(lore.struck for lore in self.lore.values())

    def push(self, kind: Kind, into: Kind) -> Push | None:
        """What usually happens when a kind is pushed onto another, None if that has not been seen."""
        seen = self.pushes.get((kind, into))
        return seen.most_common(1)[0][0] if seen else None

    def inert(self, key: int) -> bool:
        """Whether a key does not move the avatar in its direction."""
        return self.refused[key] >= 3 and self.refused[key] > 10 * self.walked[key]
