"""Meetings: sprites that would overlap after the moves that a hypothesis predicts, with their observed outcomes.

The outcome of a sprite is how it differs from its prediction: put back, dead, pushed or carried by its partner,
reversed, moved elsewhere (a jump, or at the edge a wrap), or turned into another type.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from vgdl import Category
from vgdl.competition.tracks.worldmodels.search.hypothesis import EDGE, Hypothesis, children_of, strays_of, weapons_of
from vgdl.competition.tracks.worldmodels.search.unseen_spreading import CHILD, unseen_children
from vgdl.competition.tracks.worldmodels.search.verify import Follower, Step, packed, without

Point = tuple[int, int]
Fate = tuple[int, Point]  #: type and position
Moment = tuple[int, int]  #: play and tick
Entry = tuple[int, int, Point]  #: id, type and position; -1 for a predicted sprite that was not observed
OK, BACK, DEAD, PUSH, CARRY, REVERSE, JUMP, WRAP = "ok", "back", "dead", "push", "carry", "reverse", "jump", "wrap"
_CROWD, _MOST = 8, 4  #: partners above which only the nearest of each type count, and their number
UNMOVED = "unmoved"  #: it neither moved nor changed
BLOCKED = "blocked"  #: of a partner: it was pushed, and put back
_WIDE = 1 << 20  #: more than any coordinate, to pack two of them
INTO = "into "  #: followed by the number of the type that it turned into


@dataclass(frozen=True)
class Meeting:
    """A sprite, its predicted place, a sprite that it would meet there, and the observed outcome."""

    play: int
    index: int
    id: int
    type: int
    partner: int  #: type of the other sprite, or `EDGE`
    partner_id: int
    outcome: str
    partner_outcome: str
    others: frozenset[int]  #: all types that it would meet
    held: tuple[tuple[int, int], ...]  #: the avatar's resources before
    above: bool  #: the partner came from above, in the sense of `killIfFromAbove`
    place: Point  #: the predicted position
    gained: tuple[tuple[int, int], ...] = ()  #: changes of the avatar's resources
    health: int = 0  #: change of the avatar's health
    born: tuple[int, ...] = ()  #: types of unpredicted new sprites there
    together: bool = False  #: whether they overlapped before


@dataclass
class Table:
    """Meetings by ordered pair of types."""

    pairs: dict[tuple[int, int], list[Meeting]] = field(default_factory=lambda: defaultdict(list))
    scores: dict[tuple[int, int], float] = field(default_factory=dict)  #: (play, tick): change of the score
    #: (play, tick): put back without a meeting, or after a push in vain
    restored: Counter[tuple[int, int]] = field(default_factory=Counter)
    together: Counter[tuple[int, int]] = field(
        default_factory=Counter
    )  #: meetings of resting sprites without an effect
    entered: Counter[tuple[int, int]] = field(default_factory=Counter)  #: number of times one type moved onto another
    by_tick: dict[tuple[int, int], list[Meeting]] = field(default_factory=lambda: defaultdict(list))
    #: ticks in which sprites of one type turned into another while they met nothing
    alone: dict[tuple[int, int], set[Moment]] = field(default_factory=lambda: defaultdict(set))
    #: ticks in which sprites of one type turned into another without having moved or met what moved
    turned: dict[tuple[int, int], set[Moment]] = field(default_factory=lambda: defaultdict(set))

    def tries(self, first: int, second: int, outcome: str) -> int:
        """The number of meetings that could have had an outcome.

        Those in all the places that a sprite moving at random may have died in count once.
        """
        met = self.pairs.get((first, second), ())
        found = {(m.play, m.index, m.id, m.place if m.id < 0 else None, m.partner_id): m for m in met}.values()
        if outcome == CARRY:  # what moves by itself in a tick is not carried
            return sum(1 for m in found if m.together and m.outcome in (CARRY, UNMOVED))
        if outcome in (DEAD, PUSH) or outcome.startswith(INTO):
            return len(found) + (0 if outcome == PUSH else self.together[first, second])
        return sum(1 for m in found if m.outcome != UNMOVED and not (outcome == m.outcome == BACK and m.together))

    def met(
        self,
        first: int,
        second: int,
        strays: Set[int] = frozenset(),
        where: Callable[[Meeting], bool] = lambda _: True,
    ) -> bool:
        """Whether two types are known to have met, and have not `missed` each other.

        Args:
            first: type of the sprites.
            second: type of the sprites that they met.
            strays: types that move at random.
            where: which meetings count.
        """
        return any(where(m) and not missed(m, strays) for m in self.pairs.get((first, second), ()))

    def met_pairs(self, strays: Set[int]) -> frozenset[tuple[int, int]]:
        """The ordered pairs of types that are known to have met."""
        return frozenset({pair for pair in self.pairs if self.met(*pair, strays)} | {*self.together})

    def rate(self, first: int, second: int, outcome: str) -> float:
        """The share of meetings with an outcome among those that could have had it."""
        count = self.tries(first, second, outcome)
        return sum(1 for m in self.pairs.get((first, second), ()) if m.outcome == outcome) / count if count else 0.0


def missed(meeting: Meeting, strays: Set[int]) -> bool:
    """Whether two sprites may not have met where that was predicted.

    A third sprite may have blocked the way, and a type that moves at random may have gone elsewhere, or have been
    killed elsewhere.

    Args:
        meeting: the predicted meeting.
        strays: types that move at random.
    """
    if BACK in (meeting.outcome, meeting.partner_outcome) and not meeting.others <= {meeting.partner}:
        return True
    outcomes = [
        how
        for kind, how in ((meeting.type, meeting.outcome), (meeting.partner, meeting.partner_outcome))
        if kind in strays
    ]
    return not {BACK, JUMP, REVERSE, DEAD}.isdisjoint(outcomes)


def meet(follower: Follower, hypothesis: Hypothesis) -> Table:
    """The meetings of all recorded ticks, with sprites moving as the hypothesis predicts."""
    table = Table()
    numbers = {id(play): number for number, play in enumerate(follower.plays)}
    strays, products, weapons = strays_of(hypothesis.kinds), children_of(hypothesis.kinds), weapons_of(hypothesis.kinds)
    pushed = frozenset(rule.first for rule in hypothesis.rules if rule.effect == "bounceForward")
    unseen = unseen_children(hypothesis.kinds)
    for child in unseen:
        hypothesis = hypothesis.with_kind(child, CHILD)  # predicted like sprites that are seen

    def look(step: Step) -> None:
        _look(table, numbers[id(step.play)], step, strays, products, weapons, pushed, unseen)

    follower.follow(hypothesis, look=look, measured=True)
    return table


@dataclass
class _Scene:
    """A tick, with sprites that rest in both observation and prediction kept apart from the few others."""

    was: dict[int, Fate]  #: by id, without those at rest
    now: dict[int, Fate]
    shadow: list[tuple[int, int, int, int, int]]  #: predicted rows, without those at rest
    resting: NDArray[np.void]  #: rows of sprites at rest
    block: int

    def resting_in(self, cells: set[Point]) -> list[Entry]:
        """The sprites at rest in some cells."""
        columns, rows = self.resting["x"] // self.block, self.resting["y"] // self.block
        wanted = np.isin(columns * _WIDE + rows, [column * _WIDE + row for column, row in cells])
        return [(number, kind, (x, y)) for number, kind, _, x, y in self.resting[wanted].tolist()]

    def count_together(self, together: Counter[tuple[int, int]]) -> None:
        """Count the pairs of types that rest in one place."""
        places = self.resting["x"].astype(np.int64) * _WIDE + self.resting["y"]
        _, inverse, counts = np.unique(places, return_inverse=True, return_counts=True)
        shared = counts[inverse] > 1
        by_place: dict[Point, Counter[int]] = defaultdict(Counter)
        for _, kind, _, x, y in self.resting[shared].tolist():
            by_place[x, y][kind] += 1
        for kinds in by_place.values():
            for one, other in itertools.product(kinds, repeat=2):
                together[one, other] += kinds[one] * (kinds[other] - (one == other))


def _scene(step: Step) -> _Scene:
    before, after, shadow = step.before.arrays, step.after.arrays, step.shadow.arrays
    block = step.before.block_size
    old, new, predicted = (packed(arrays) for arrays in (before, after, shadow))
    _, in_old, in_new = np.intersect1d(before["id"], after["id"], assume_unique=True, return_indices=True)
    in_old = in_old[old[in_old] == new[in_new]]
    rows, wanted = before[in_old], old[in_old].tolist()
    known = set(before["id"].tolist())
    born = {(row[3], row[4]) for row in after.tolist() if row[0] not in known}
    expected = set(predicted.tolist())
    avatar = step.before.avatar.id if step.before.avatar is not None else -1
    rests = [
        k
        for k, (number, _, _, x, y) in enumerate(rows.tolist())
        if wanted[k] in expected and x % block == 0 and y % block == 0 and number != avatar and (x, y) not in born
    ]
    resting = rows[rests]
    ids, still = set(resting["id"].tolist()), {wanted[k] for k in rests}
    return _Scene(
        was={row[0]: (row[1], (row[3], row[4])) for row in before.tolist() if row[0] not in ids},
        now={row[0]: (row[1], (row[3], row[4])) for row in after.tolist() if row[0] not in ids},
        shadow=shadow[without(predicted.tolist(), still)].tolist(),
        resting=resting,
        block=block,
    )


def _look(
    table: Table,
    play: int,
    step: Step,
    strays: Set[int],
    products: Set[int],
    weapons: Set[int],
    pushed: Set[int],
    unseen: Set[int],
) -> None:
    """Note the meetings of a tick.

    Sprites of the types ``strays`` move at random. If one moved elsewhere than predicted, obstacles are still sought at
    its predicted place, but others met it at the observed one. Sprites of the types ``products`` come from spawn
    points, before sprites meet: others met them although they were not predicted. Sprites of the types ``weapons`` are
    made by avatars, and kill although they do not move. Sprites of the types ``pushed`` are moved by pushes; if one was
    put back, what pushed it met it where it was. Sprites of the types ``unseen`` die in the tick in which they are
    made.
    """
    before, after = step.before, step.after
    block = before.block_size
    scene = _scene(step)
    was, now = scene.was, scene.now
    if after.score != before.score:
        table.scores[play, step.index] = after.score - before.score
    scene.count_together(table.together)
    fresh: dict[Point, list[int]] = defaultdict(list)  # unpredicted new sprites
    free = _predicted(scene, fresh, unseen)
    avatars = {row[1] for row in (*before.arrays.tolist(), *after.arrays.tolist()) if row[2] == Category.AVATAR}
    died = after.avatar is not None and not after.avatar.is_alive
    avatar_id = before.avatar.id if before.avatar is not None else -2
    active = {entry[0] for entry in free if entry[0] not in was or was[entry[0]][1] != entry[2]} | {avatar_id}
    cells: dict[Point, list[Entry]] = defaultdict(list)
    outcomes = {entry: _outcome(entry, was, now, fresh, died, avatar_id, avatars) for entry in free}
    strayed = {entry: (entry[0], *now[entry[0]]) for entry in free if entry[1] in strays and outcomes[entry] == JUMP}
    reach = _reach(scene, outcomes, strays)
    turned = _turned_elsewhere(outcomes, reach, fresh, avatars)
    strayed |= {entry: observed for entry, (observed, _) in turned.items()}
    stayed = _turned_at_origin(outcomes, was, fresh)
    outcomes |= stayed
    free += stayed
    for entry in (*strayed.values(), *(entry for entry in free if entry not in strayed)):
        for cell in _cells(entry[2], block):
            cells[cell].append(entry)
    outcomes |= dict.fromkeys(strayed.values(), OK) | dict(turned.values()) | dict.fromkeys(turned, JUMP)
    known = was.keys() | {entry[0] for entry in free}
    newborn = [
        (number, kind, place) for number, (kind, place) in now.items() if kind in products and number not in known
    ]
    for entry in newborn:
        for cell in _cells(entry[2], block):
            cells[cell].append(entry)
    outcomes |= dict.fromkeys(newborn, OK)
    blocked = [(n, kind, was[n][1]) for n, kind, place in free if kind in pushed and n in was and was[n][1] != place]
    blocked = [entry for entry in blocked if entry not in outcomes and now.get(entry[0]) == entry[1:]]
    for entry in blocked:
        for cell in _cells(entry[2], block):
            cells[cell].append(entry)
    outcomes |= dict.fromkeys(blocked, BLOCKED)
    around = {cell for spots in reach.values() for spot in spots for cell in _cells(spot, block)}
    for entry in scene.resting_in(cells.keys() | around):
        cells[entry[2][0] // block, entry[2][1] // block].append(entry)
        outcomes[entry] = UNMOVED
    resting = set(outcomes).difference(free, strayed.values(), newborn, blocked)
    _thin_out(cells)
    suspects = active | {entry[0] for entry in resting if entry[1] in weapons} if reach else active
    for entry, options in _lost_elsewhere(outcomes, reach, cells, suspects, block).items():
        if entry not in options:
            for cell in _cells(entry[2], block):
                if entry in cells[cell]:
                    cells[cell].remove(entry)
            outcomes[entry] = JUMP
        for observed in options:
            if observed != entry:
                for cell in _cells(observed[2], block):
                    cells[cell].append(observed)
                outcomes[observed] = DEAD
    _note_entered(table, scene)
    found = _Meetings(table, play, step, scene, outcomes, fresh, avatars)
    for entry, outcome in outcomes.items():
        if outcome == BLOCKED:
            continue  # it is only a partner of what pushed it
        near = {other for cell in _cells(entry[2], block) for other in cells[cell] if other != entry}
        near = {other for other in near if other[0] != entry[0] or other[0] < 0}  # a sprite in its possible places
        if entry in stayed and entry[1] in pushed:
            near = {other for other in near if other[0] not in active}  # without what has pushed it
            if not near:
                continue
        partners = [other for other in near if _overlap(entry[2], other[2], block)]
        if len(partners) > _CROWD:
            partners = _nearest_of_each(entry, partners)
        if entry in resting and resting.issuperset(partners):
            continue
        found.note(entry, partners, resting, active)


def _turned_elsewhere(
    outcomes: Mapping[Entry, str],
    reach: Mapping[int, Sequence[Point]],
    fresh: Mapping[Point, Sequence[int]],
    avatars: Set[int],
) -> dict[Entry, tuple[Entry, str]]:
    """Sprites that move at random and turned into others, or others and back, after another move than predicted.

    Returns:
        For each of them, the same sprite at its observed place, and its outcome.
    """
    found: dict[Entry, tuple[Entry, str]] = {}
    for entry, outcome in outcomes.items():
        number, kind, _ = entry
        for spot in reach.get(number, ()) if outcome == DEAD else ():
            into = [other for other in fresh.get(spot, ()) if other not in avatars]
            if into:
                found[entry] = (number, kind, spot), OK if kind in into else f"{INTO}{into[0]}"
    return found


def _turned_at_origin(
    outcomes: Mapping[Entry, str], was: Mapping[int, Fate], fresh: Mapping[Point, Sequence[int]]
) -> dict[Entry, str]:
    """Sprites that turned into others where they had come from, with their outcome.

    They may have been put back first: what they met at the predicted place, or what is in the place before, is the
    cause.
    """
    found: dict[Entry, str] = {}
    for (number, kind, place), outcome in outcomes.items():
        origin = was[number][1] if number in was else place
        if origin != place and outcome.startswith(INTO):
            into = int(outcome[len(INTO) :])
            if into in fresh.get(origin, ()) and into not in fresh.get(place, ()):
                found[number, kind, origin] = outcome
    return found


def _lost_elsewhere(
    outcomes: Mapping[Entry, str],
    reach: Mapping[int, Sequence[Point]],
    cells: Mapping[Point, Sequence[Entry]],
    suspects: Set[int],
    block: int,
) -> dict[Entry, list[Entry]]:
    """Sprites that move at random and died, with one of the ``suspects`` within their reach.

    Returns:
        For each of them, the same sprite in the places that it may have moved to, and where one of these met it.
    """
    found: dict[Entry, list[Entry]] = {}

    def meets(spot: Point, number: int) -> bool:
        near = {other for cell in _cells(spot, block) for other in cells.get(cell, ()) if other[0] in suspects}
        return any(_overlap(spot, other[2], block) and other[0] != number for other in near)

    for entry, outcome in outcomes.items():
        number, kind, place = entry
        if outcome != DEAD or number not in reach:
            continue
        spots = [spot for spot in dict.fromkeys((place, *reach[number])) if meets(spot, number)]
        if spots:
            found[entry] = [(number, kind, spot) for spot in spots]
    return found


def _reach(scene: _Scene, outcomes: Mapping[Entry, str], strays: Set[int]) -> dict[int, list[Point]]:
    """The places that sprites moving at random may have died in, by id: a step of their type in any direction."""
    moved = [(entry, outcome) for entry, outcome in outcomes.items() if entry[1] in strays and entry[0] in scene.was]
    died = {entry[0] for entry, outcome in moved if outcome == DEAD}
    if not died:
        return {}
    longest: Counter[int] = Counter()
    for (number, kind, place), _ in moved:
        x, y = scene.was[number][1]
        longest[kind] = max(longest[kind], abs(place[0] - x) + abs(place[1] - y))
    reach: dict[int, list[Point]] = {}
    for number in died:
        kind, (x, y) = scene.was[number]
        step = longest[kind]
        reach[number] = [(x, y), (x + step, y), (x - step, y), (x, y + step), (x, y - step)]
    return reach


class _Meetings:
    """Writes the meetings of one tick into a table."""

    def __init__(
        self,
        table: Table,
        play: int,
        step: Step,
        scene: _Scene,
        outcomes: dict[Entry, str],
        fresh: dict[Point, list[int]],
        avatars: set[int],
    ) -> None:
        self._table, self._play, self._index = table, play, step.index
        self._scene, self._outcomes, self._fresh = scene, outcomes, fresh
        wide, high = step.before.world_dimension
        self._last = wide - scene.block, high - scene.block
        self._account = _account(step)
        self._avatars = avatars

    def note(self, entry: Entry, partners: list[Entry], resting: set[Entry], active: set[int]) -> None:
        """Note the meetings of a sprite."""
        number, kind, place = entry
        was, block = self._scene.was, self._scene.block
        outcome = self._outcomes[entry]
        if outcome.startswith(INTO) and active.isdisjoint({number, *(other[0] for other in partners)}):
            self._table.turned[kind, int(outcome[len(INTO) :])].add((self._play, self._index))
        outside = not (0 <= place[0] <= self._last[0] and 0 <= place[1] <= self._last[1])
        pushed_in_vain = any(self._outcomes[other] == BLOCKED for other in partners)
        if outcome == BACK and not outside and (pushed_in_vain or not partners):
            self._table.restored[self._play, self._index] += 1
        if not partners and not outside:
            if outcome.startswith(INTO):
                self._table.alone[kind, int(outcome[len(INTO) :])].add((self._play, self._index))
            return
        others = frozenset(other[1] for other in partners)
        born = tuple(self._fresh.get(place, ()))
        for other in partners:
            if entry in resting and other in resting:
                continue  # counted already
            quiet = {outcome, self._outcomes[other]} <= {OK, UNMOVED} and not born
            if quiet and not {number, other[0]} & active:
                self._table.together[kind, other[1]] += 1
                continue
            what = _moved_along(entry, other, outcome, was, self._scene.now, block)
            if what == DEAD and kind not in self._avatars and self._was_pushed_and_turned(entry, other):
                what = PUSH
            origin, source = (was[n][1] if n in was else at for n, _, at in (entry, other))
            above = origin[1] > source[1] + block // 2 and other[2][1] > source[1]
            together = _overlap(origin, source, block) and (number in was or entry in resting)
            self._add(entry, other[1], other[0], what, self._outcomes[other], others, above, born, together)
        if outside:
            self._add(entry, EDGE, -1, WRAP if outcome == JUMP else outcome, OK, others, False, born, False)

    def _was_pushed_and_turned(self, entry: Entry, other: Entry) -> bool:
        """Whether a sprite at rest is gone, and another is new where its partner would have pushed it."""
        was, (x, y) = self._scene.was, entry[2]
        if other[0] not in was or was.get(entry[0], (0, entry[2]))[1] != entry[2]:
            return False
        origin = was[other[0]][1]
        step = other[2][0] - origin[0], other[2][1] - origin[1]
        return step != (0, 0) and not self._avatars.issuperset(self._fresh.get((x + step[0], y + step[1]), ()))

    def _add(
        self,
        entry: Entry,
        partner: int,
        partner_id: int,
        outcome: str,
        partner_outcome: str,
        others: frozenset[int],
        above: bool,
        born: tuple[int, ...],
        together: bool,
    ) -> None:
        number, kind, place = entry
        held, gained, health = self._account
        meeting = Meeting(
            self._play, self._index, number, kind, partner, partner_id, outcome, partner_outcome, others, held, above,
            place, gained, health, born, together,
        )  # fmt: skip
        self._table.pairs[kind, partner].append(meeting)
        self._table.by_tick[self._play, self._index].append(meeting)


def _predicted(scene: _Scene, fresh: dict[Point, list[int]], unseen: Set[int] = frozenset()) -> list[Entry]:
    """Predicted sprites with their observed ids; adds the types of unpredicted new sprites to ``fresh``, by place."""
    was, free = scene.was, []
    standing = {fate: number for number, fate in was.items()}
    new: dict[Fate, list[int]] = defaultdict(list)
    for number, fate in scene.now.items():
        if number not in was:
            new[fate].append(number)
    taken: set[int] = set()
    for row in scene.shadow:
        fate = (row[1], (row[3], row[4]))
        number = row[0]
        if number not in was or was[number][0] != fate[0] or not _overlap(was[number][1], fate[1], 3 * scene.block):
            number = standing.get(fate, number)  # ids of initial sprites of the level differ
        replaced = new.get(fate) and scene.now.get(number) != fate  # by another of its type, in the same place
        if number in was and was[number][0] == fate[0] and number not in taken and not replaced:
            taken.add(number)
            free.append((number, *fate))
        elif new.get(fate):
            free.append((new[fate].pop(), *fate))
        elif row[2] == Category.FROM_AVATAR or row[1] in unseen:  # certainly made, and removed at once
            free.append((-1, *fate))
    for (kind, place), numbers in new.items():
        fresh[place] += [kind] * len(numbers)
    return free


def _thin_out(cells: dict[Point, list[Entry]]) -> None:
    """Leave out further sprites of a type in crowded cells, where each of thousands would meet all others."""
    for cell, entries in cells.items():
        if len(entries) > _CROWD * _CROWD:
            count: Counter[int] = Counter()
            kept = []
            for entry in entries:
                count[entry[1]] += 1
                if count[entry[1]] <= _CROWD:
                    kept.append(entry)
            cells[cell] = kept


def _nearest_of_each(entry: Entry, partners: list[Entry]) -> list[Entry]:
    """The partners without the more distant ones of types with many: in a dense row, each sprite overlaps dozens."""
    x, y = entry[2]
    count: Counter[int] = Counter()
    found: list[Entry] = []
    for other in sorted(partners, key=lambda other: (abs(other[2][0] - x) + abs(other[2][1] - y), other)):
        count[other[1]] += 1
        if count[other[1]] <= _MOST:
            found.append(other)
    return found


def _note_entered(table: Table, scene: _Scene) -> None:
    """Count the types that sprites were observed to move onto.

    What is new there may have appeared after the move: an avatar's trail, behind which something comes along.
    """
    was, now, block = scene.was, scene.now, scene.block
    moved = [(n, fate) for n, fate in now.items() if n in was and was[n] != fate and was[n][0] == fate[0]]
    if not moved:
        return
    cells: dict[Point, set[Fate]] = {cell: set() for _, (_, place) in moved for cell in _cells(place, block)}
    known = (now.get(number, fate) for number, fate in was.items())
    for fate in (*known, *((kind, place) for _, kind, place in scene.resting_in(set(cells)))):
        for cell in _cells(fate[1], block):
            if cell in cells:
                cells[cell].add(fate)
    for number, (kind, place) in moved:
        origin = was[number][1]
        near = {other for cell in _cells(place, block) for other in cells[cell]}
        for other, at in near:
            if _overlap(place, at, block) and not _overlap(origin, at, block):
                table.entered[kind, other] += 1


def _account(step: Step) -> tuple[tuple[tuple[int, int], ...], tuple[tuple[int, int], ...], int]:
    """The avatar's resources before the tick, and the changes of them and of its health."""
    before, after = step.before.avatar, step.after.avatar
    if before is None:
        return (), (), 0
    held = tuple(sorted(before.resources.items()))
    if after is None:
        return held, (), 0
    kinds = before.resources.keys() | after.resources.keys()
    changed = {kind: after.resources.get(kind, 0) - before.resources.get(kind, 0) for kind in sorted(kinds)}
    return held, tuple((kind, n) for kind, n in changed.items() if n), after.health - before.health


def _outcome(
    entry: tuple[int, int, Point],
    was: dict[int, tuple[int, Point]],
    now: dict[int, tuple[int, Point]],
    fresh: dict[Point, list[int]],
    died: bool,
    avatar_id: int,
    avatars: set[int],
) -> str:
    number, kind, place = entry
    origin = was[number][1] if number in was else place
    fact = now.get(number)
    if fact is None or fact[0] != kind:
        into = [other for spot in (place, origin) for other in fresh.get(spot, ()) if other != kind or kind in avatars]
        into = [other for other in into if (other in avatars) == (kind in avatars)]  # avatars only turn into avatars
        if not into and any(kind in fresh.get(spot, ()) for spot in (place, origin)):
            return OK if place != origin else UNMOVED  # it turned into another type and back
        return f"{INTO}{into[0]}" if into else DEAD
    if number == avatar_id and died:
        return DEAD
    if fact[1] == place:
        return OK if place != origin else UNMOVED
    if fact[1] == origin:
        return BACK
    if place != origin and fact[1] == (2 * origin[0] - place[0], 2 * origin[1] - place[1]):
        return REVERSE
    return JUMP


def _moved_along(
    entry: tuple[int, int, Point],
    other: tuple[int, int, Point],
    outcome: str,
    was: dict[int, tuple[int, Point]],
    now: dict[int, tuple[int, Point]],
    block: int,
) -> str:
    """Return whether a sprite that missed its predicted place was pushed or carried by its partner."""
    if outcome != JUMP or entry[0] not in now or other[0] not in was:
        return outcome
    fact, place = now[entry[0]][1], entry[2]
    shift = (fact[0] - place[0], fact[1] - place[1])
    origin = was[other[0]][1]
    step = (other[2][0] - origin[0], other[2][1] - origin[1])
    if step == (0, 0):
        return outcome
    start = was[entry[0]][1] if entry[0] in was else place
    if shift == step and _overlap(start, origin, block):
        return CARRY
    same_way = shift[0] * step[0] + shift[1] * step[1] > 0 and (shift[0] == 0 or shift[1] == 0)
    return PUSH if same_way and max(abs(shift[0]), abs(shift[1])) <= block else outcome


def _cells(place: Point, block: int) -> tuple[Point, ...]:
    """The cells that a sprite of the size of a cell touches."""
    (column, right), (row, down) = divmod(place[0], block), divmod(place[1], block)
    if not right and not down:
        return ((column, row),)
    if not down:
        return (column, row), (column + 1, row)
    if not right:
        return (column, row), (column, row + 1)
    return (column, row), (column + 1, row), (column, row + 1), (column + 1, row + 1)


def _overlap(one: Point, other: Point, block: int) -> bool:
    return abs(one[0] - other[0]) < block and abs(one[1] - other[1]) < block
