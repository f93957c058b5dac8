"""An agent's knowledge about the kinds of objects in a game, kept across levels."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable
from dataclasses import dataclass, field
from enum import Enum, auto

from vgdl.competition.tracks.arc.agents.lattice import Kind


class Push(Enum):
    """The outcome of pushing an object into a cell."""

    MOVES = auto()  #: the object moves into the cell
    STAYS = auto()  #: the object stays where it is
    VANISHES = auto()  #: the object vanishes, the content of the cell remains
    BOTH_VANISH = auto()


@dataclass(slots=True)
class Lore:
    """Statistics of contacts with one kind of object."""

    tried: int = 0  #: contacts by walking into one
    entered: int = 0
    blocked: int = 0
    pushed: int = 0
    carried: int = 0  #: contacts that moved the avatar elsewhere
    stayed: int = 0  #: contacts after which it was still there when the avatar had left
    vanished: int = 0  #: contacts after which one was missing
    gained: Counter[Hashable] = field(default_factory=Counter)  #: the contacts of `vanished`, by the body's look
    vain: Counter[Hashable] = field(default_factory=Counter)  #: contacts without effect, by the body's look
    died: float = 0.0  #: blame for lost levels, shared if the cause is unclear
    fatal_from: int = 0  #: fewest events of the level when it killed
    fatal_to: int = -1
    won: int = 0  #: contacts that ended a level
    moved: int = 0  #: frames in which an object of this kind moved by itself
    still: int = 0  #: frames in which none did
    directions: Counter[int] = field(default_factory=Counter)  #: number of moves by direction
    refused_at: int = -1  #: number of events of the level when it last blocked the way
    used: int = 0  #: presses of the special key towards one
    struck: int = 0  #: those presses after which one was missing

    @property
    def deadly(self) -> bool:
        """Whether contact is likely to lose the level."""
        return self.died >= 0.5 and self.died > 0.5 * (self.entered + self.vanished + self.won)

    def killed(self, events: int, blame: float) -> None:
        """Take blame for a lost level."""
        self.fatal_from = events if self.fatal_to < 0 else min(self.fatal_from, events)
        self.fatal_to = max(self.fatal_to, events)
        self.died += blame

    def untried_after(self, events: int) -> bool:
        """Whether this number of events is outside the range in which it killed."""
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
        """Whether it blocked the way in most contacts."""
        return self.blocked > self.entered + self.vanished + self.carried

    @property
    def floor(self) -> bool:
        """Whether it can be walked on without consequences."""
        return self.passable and 3 * self.stayed >= self.vanished

    @property
    def passable(self) -> bool:
        """Whether it can be walked through, perhaps to be collected."""
        return self.entered > 0 and not self.deadly and not self.solid


@dataclass(slots=True)
class Knowledge:
    """All knowledge that is kept across levels."""

    lore: defaultdict[Kind, Lore] = field(default_factory=lambda: defaultdict(Lore))
    pushes: defaultdict[tuple[Kind, Kind], Counter[Push]] = field(default_factory=lambda: defaultdict(Counter))
    avatars: Counter[Kind] = field(default_factory=Counter)  #: evidence that a kind is the avatar
    shot: int | None = None  #: direction of all shots, if it is not that of the avatar
    own: Counter[Kind] = field(default_factory=Counter)  #: kinds that the special key made
    ranged: int = 0  #: observations of such objects in flight
    special_tries: int = 0  #: deliberate presses of the special key
    walked: Counter[int] = field(default_factory=Counter)  #: successful steps by key
    refused: Counter[int] = field(default_factory=Counter)  #: failed steps onto floor by key
    turns: int = 0  #: key presses that only turned the avatar
    goals: Counter[Kind] = field(default_factory=Counter)  #: kinds whose last object was gone when a level was won

    @property
    def flies(self) -> bool:
        """Whether objects made by the special key fly away."""
        return self.ranged >= 2

    def learn_shot(self) -> None:
        """Update `shot`: the direction in which all objects made by the special key fly, or None."""
        ways = {lore.straight for kind in self.own if (lore := self.lore[kind]).directions.total() >= 6}
        self.shot = ways.pop() if self.flies and len(ways) == 1 else None

    @property
    def strikes(self) -> bool:
        """Whether the special key has ever made something vanish."""
        return any(lore.struck for lore in self.lore.values())

    def push(self, kind: Kind, into: Kind) -> Push | None:
        """The most frequent outcome of pushing a kind onto another; None if that was never seen."""
        seen = self.pushes.get((kind, into))
        return seen.most_common(1)[0][0] if seen else None

    def inert(self, key: int) -> bool:
        """Whether a key does not move the avatar in its direction."""
        return self.refused[key] >= 3 and self.refused[key] > 10 * self.walked[key]
