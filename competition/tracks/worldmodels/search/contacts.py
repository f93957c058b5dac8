"""Who met whom before what changed: the meetings that a hypothesis predicts, with what was observed of them."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field

from vgdl.competition.tracks.worldmodels.search.hypothesis import EDGE, Hypothesis
from vgdl.competition.tracks.worldmodels.search.verify import Follower, Step
from vgdl.core.data.layout import Category

Point = tuple[int, int]
OK, BACK, DEAD, PUSH, CARRY, REVERSE, JUMP, WRAP = "ok", "back", "dead", "push", "carry", "reverse", "jump", "wrap"
UNMOVED = "unmoved"  #: it did not move, and nothing happened to it
INTO = "into "  #: followed by the number of the type that it turned into


@dataclass(frozen=True)
class Meeting:
    """A sprite, where it was expected to go, what it would meet there, and what became of it."""

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
    above: bool  #: the partner came from above
    place: Point  #: where it was expected
    gained: tuple[tuple[int, int], ...] = ()  #: what the avatar's resources changed by
    health: int = 0  #: what the avatar's health changed by
    born: tuple[int, ...] = ()  #: types that came into being there, and that nothing explains


@dataclass
class Table:
    """Meetings by ordered pair of types."""

    pairs: dict[tuple[int, int], list[Meeting]] = field(default_factory=lambda: defaultdict(list))
    scores: dict[tuple[int, int], float] = field(default_factory=dict)  #: (play, tick): change of the score
    restored: Counter[tuple[int, int]] = field(default_factory=Counter)  #: (play, tick): put back without a meeting
    entered: Counter[tuple[int, int]] = field(default_factory=Counter)  #: how often one type moved onto another
    by_tick: dict[tuple[int, int], list[Meeting]] = field(default_factory=lambda: defaultdict(list))

    def rate(self, first: int, second: int, outcome: str) -> float:
        """How often a meeting had an outcome, of those that could have it."""
        found = self.pairs.get((first, second), ())
        able = [m for m in found if outcome in (DEAD, CARRY, PUSH) or m.outcome != UNMOVED or outcome.startswith(INTO)]
        return sum(1 for m in able if m.outcome == outcome) / len(able) if able else 0.0


def meet(follower: Follower, hypothesis: Hypothesis) -> Table:
    """The meetings of all recorded ticks, as the hypothesis lets the sprites move."""
    table = Table()
    numbers = {id(play): number for number, play in enumerate(follower.plays)}

    def look(step: Step) -> None:
        _look(table, numbers[id(step.play)], step)

    follower.follow(hypothesis, look=look, measured=True)
    return table


def _look(table: Table, play: int, step: Step) -> None:
    before, after = step.before, step.after
    block = before.block_size
    wide, high = before.world_dimension
    was = {row[0]: (row[1], (row[3], row[4])) for row in before.arrays.tolist()}
    now = {row[0]: (row[1], (row[3], row[4])) for row in after.arrays.tolist()}
    if after.score != before.score:
        table.scores[play, step.index] = after.score - before.score
    standing = {fate: number for number, fate in was.items()}
    new: dict[tuple[int, Point], list[int]] = defaultdict(list)
    for number, fate in now.items():
        if number not in was:
            new[fate].append(number)
    free: list[tuple[int, int, Point]] = []  # id, type, place; -1 for a new one that nothing explains
    for row in step.shadow.arrays.tolist():
        fate = (row[1], (row[3], row[4]))
        number = standing.get(fate, row[0])
        if number in was and was[number][0] == fate[0]:
            free.append((number, *fate))
        elif new.get(fate):
            free.append((new[fate].pop(), *fate))
        elif row[2] == Category.FROM_AVATAR:  # what the avatar surely made, and something stopped at once
            free.append((-1, *fate))
    fresh: dict[Point, list[int]] = defaultdict(list)  # born, and not expected
    for (kind, place), numbers in new.items():
        fresh[place] += [kind] * len(numbers)
    died = after.avatar is not None and not after.avatar.is_alive
    avatar_id = before.avatar.id if before.avatar is not None else -2
    moved = [entry for entry in free if entry[0] not in was or was[entry[0]][1] != entry[2]]
    moved_ids = {entry[0] for entry in moved}
    cells: dict[Point, list[tuple[int, int, Point]]] = defaultdict(list)
    for entry in free:
        x, y = entry[2]
        for column in {x // block, (x + block - 1) // block}:
            for row_ in {y // block, (y + block - 1) // block}:
                cells[column, row_].append(entry)
    held, gained, health = _account(step)
    _note_entered(table, was, now, block)
    outcomes: dict[tuple[int, int, Point], str] = {}
    for entry in free:
        outcomes[entry] = _outcome(entry, was, now, fresh, died, avatar_id, block)
    for entry in free:
        number, kind, place = entry
        near = {other for c in _cells(place, block) for other in cells[c] if other is not entry}
        partners = [other for other in near if _overlap(place, other[2], block)]
        outside = not (0 <= place[0] <= wide - block and 0 <= place[1] <= high - block)
        outcome = outcomes[entry]
        if not partners and not outside:
            if outcome == BACK:
                table.restored[play, step.index] += 1
            continue
        others = frozenset(other[1] for other in partners)
        born = tuple(fresh.get(place, ()))
        for other in partners:
            quiet = {outcome, outcomes[other]} <= {OK, UNMOVED} and not born
            if quiet and not {number, other[0]} & {*moved_ids, avatar_id}:
                continue
            found = _moved_along(entry, other, outcome, was, now, block)
            above = other[2][1] < place[1] or (other[0] in was and was[other[0]][1][1] < place[1])
            meeting = Meeting(
                play, step.index, number, kind, other[1], other[0], found, outcomes[other], others, held, above, place,
                gained, health, born,
            )  # fmt: skip
            table.pairs[kind, other[1]].append(meeting)
            table.by_tick[play, step.index].append(meeting)
        if outside:
            found = WRAP if outcome == JUMP else outcome
            meeting = Meeting(
                play, step.index, number, kind, EDGE, -1, found, OK, others, held, False, place, gained, health, born
            )
            table.pairs[kind, EDGE].append(meeting)
            table.by_tick[play, step.index].append(meeting)


def _note_entered(
    table: Table, was: dict[int, tuple[int, Point]], now: dict[int, tuple[int, Point]], block: int
) -> None:
    """Count which types sprites moved onto, as observed."""
    cells: dict[Point, list[tuple[int, Point]]] = defaultdict(list)
    moved = [(n, fate) for n, fate in now.items() if n in was and was[n] != fate and was[n][0] == fate[0]]
    if not moved:
        return
    for kind, place in [*now.values(), *(fate for number, fate in was.items() if number not in now)]:
        for cell in _cells(place, block):
            cells[cell].append((kind, place))
    for number, (kind, place) in moved:
        origin = was[number][1]
        near = {other for cell in _cells(place, block) for other in cells[cell]}
        for other, at in near:
            if _overlap(place, at, block) and not _overlap(origin, at, block):
                table.entered[kind, other] += 1


def _account(step: Step) -> tuple[tuple[tuple[int, int], ...], tuple[tuple[int, int], ...], int]:
    """The avatar's resources before the tick, and what they and its health changed by."""
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
    block: int,
) -> str:
    number, kind, place = entry
    origin = was[number][1] if number in was else place
    fact = now.get(number)
    if fact is None or fact[0] != kind:
        into = [other for spot in (place, origin) for other in fresh.get(spot, ()) if other != kind]
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
    """Tell whether a sprite that did not go where it was expected was pushed or carried by its partner."""
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


def _cells(place: Point, block: int) -> set[Point]:
    x, y = place
    return {(c, r) for c in (x // block, (x + block - 1) // block) for r in (y // block, (y + block - 1) // block)}


def _overlap(one: Point, other: Point, block: int) -> bool:
    return abs(one[0] - other[0]) < block and abs(one[1] - other[1]) < block
