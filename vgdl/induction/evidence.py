"""The plays that hypotheses are judged by, which parts of them are worth a look, and where sprites are near others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vgdl import Action, Winner
from vgdl.induction.amounts import WAYS
from vgdl.induction.hypothesis import EDGE, Hypothesis
from vgdl.induction.observations import Frame, Layout, Play, Step, layout_of, step_of

STEPS = {name: way for way, name in WAYS.items()}  #: cells that an action leads the avatar, by its name
_SAMPLED = 100  #: frames by which the ground of sprites is found
BLOCK = 20  #: ticks that are judged together, if there are too many to judge all
_VICTORIES = 8  #: plays whose last blocks are judged in any case: nothing else tells a planner as much

Spot = tuple[int, int]  #: number of a play and index of a tick
Span = tuple[int, int, int]  #: number of a play, index of its first tick, index after its last one


class Past(NamedTuple):
    """What is known of sprites, by id, from earlier ticks of a play.

    Attributes:
        born: the tick in which it was first seen, if not at the start.
        moved: the tick of its last move, and how far that was, in pixels.
    """

    born: dict[int, int]
    moved: dict[int, tuple[int, int, int]]


class Evidence:
    """The plays that hypotheses are judged by, in the learner's numbers of types."""

    def __init__(self) -> None:
        self.plays: list[Play] = []
        self.changing: set[int] = set()  #: types of which a sprite moved, vanished or appeared
        self.layouts: list[Layout] = []
        self.starts: list[Counter[int]] = []  #: by play: how many sprites of each type it began with
        self.actions: dict[int, set[str]] = {}  #: names of the legal actions by type of the avatar, without NIL
        self.held: dict[int, Counter[int]] = {}  #: by type: in how many frames an avatar held each amount
        self.types = 0  #: number of types seen so far
        self.ticks = 0  #: number of observed transitions
        self.changed: list[list[frozenset[int]]] = []  #: by play and tick: the types of sprites that changed
        self._pasts: list[list[tuple[int, int, Step]]] = []  # by play: frames, sprites and their moves; None: births
        self._known_pasts: dict[Spot, Past] = {}
        self._converted: dict[tuple[object, ...], tuple[list[Frame], Frame | None]] = {}
        self._near: dict[tuple[int, int], list[Spot]] = {}
        self._ground: dict[int | None, frozenset[int]] = {}
        self._ground_of = 0  # ticks for which `ground` was computed
        self._near_of: tuple[int, int] = (0, 0)  # ticks and changing types for which `near` was computed

    def add(self, frame: Frame, *, starts: bool) -> None:
        """Append a frame to the last play, or start a play with it."""
        self.types = max(self.types, 1 + max(frame.types, default=-1))
        if frame.avatar is not None and frame.avatar.is_alive and not frame.is_over:
            self.actions[frame.avatar.type] = {action.name for action in frame.actions} - {"NIL"}
        for kind, amount in () if frame.avatar is None else frame.avatar.resources.items():
            self.held.setdefault(kind, Counter())[amount] += 1
        if starts:
            self.plays.append(Play([frame]))
            self.starts.append(Counter(frame.arrays["type"].tolist()))
            self.changed.append([])
            self._pasts.append([])
            self.layouts.append(layout_of(frame, self.steady(frame)))
            return
        self.ticks += 1
        frames = self.plays[-1].frames
        changed = changes(frames[-1], frame)
        fresh = changed - self.changing
        self.changed[-1].append(frozenset(changed))
        if changed:
            self._pasts[-1].extend((len(frames), *event) for event in _events(frames[-1], frame))
        frames.append(frame)
        if fresh:
            self.changing |= fresh
            self.layouts = [layout_of(play.frames[0], self.steady(play.frames[0])) for play in self.plays]

    def act(self, action: Action) -> None:
        """Note the action that was taken in the last frame."""
        frames = self.plays[-1].frames
        frames[-1] = replace(frames[-1], action=action)

    def steady(self, frame: Frame) -> frozenset[int]:
        """The types of a frame of which no sprite was ever seen to change."""
        return frozenset(frame.types - self.changing)

    def frames(self, number: int, hypothesis: Hypothesis) -> list[Frame]:
        """The frames of a play with the engine's numbers of the types of a hypothesis, and their sprites only."""
        key = number, hypothesis.order, hypothesis.only, hypothesis.groups
        shown = self.plays[number].frames
        known, last = self._converted.get(key, ([], None))
        if last is not shown[-1]:  # else nothing was observed since
            finished = known[: -1 if last is not None else None]  # the action in the last one was not known yet
            known = [*finished, *(_renumbered(frame, hypothesis) for frame in shown[len(finished) :])]
            self._converted[key] = known, shown[-1]
        return known

    def spans(self, most: int | None = None, also: Iterable[Spot] = ()) -> list[Span]:
        """The parts of the plays to judge hypotheses by.

        Args:
            most: ticks; of blocks of ticks, those are chosen in which the first plays were won, and in which the
                rarest changes happen. None: all.
            also: ticks whose blocks are added.
        """
        if most is None or self.ticks <= most:
            return [(number, 0, play.ticks) for number, play in enumerate(self.plays)]
        signs = {(number, k): sign for number in range(len(self.plays)) for k, sign in enumerate(self._signs(number))}
        counts = Counter(signs.values())
        worth: Counter[Spot] = Counter()
        for (number, k), sign in signs.items():
            worth[number, k // BLOCK * BLOCK] += 1 / counts[sign]  # type: ignore[assignment]
        chosen = {(number, k // BLOCK * BLOCK) for number, k in also}
        most += BLOCK * len(chosen)
        won = [n for n, play in enumerate(self.plays) if play.ticks and play.frames[-1].winner == Winner.PLAYER_WINS]
        chosen |= {(n, (self.plays[n].ticks - 1) // BLOCK * BLOCK) for n in won[:_VICTORIES]}
        length = {(number, start): min(BLOCK, self.plays[number].ticks - start) for number, start in worth}
        for spot in sorted(worth, key=lambda spot: (-worth[spot], spot)):
            if sum(map(length.__getitem__, chosen)) + length[spot] <= most:
                chosen.add(spot)
        spans: list[Span] = []
        for number, start in sorted(chosen):
            stop = min(start + BLOCK, self.plays[number].ticks)
            if spans and spans[-1][0] == number and spans[-1][2] == start:
                spans[-1] = number, spans[-1][1], stop
            else:
                spans.append((number, start, stop))
        return spans

    def _signs(self, number: int) -> Iterator[tuple[object, ...]]:
        """What happens in each tick of a play, and what the avatar may meet, in short."""
        for k, before, after in self.plays[number].steps():
            fewer = len(before.arrays) - len(after.arrays)
            held = before.avatar and after.avatar and before.avatar.resources != after.avatar.resources
            yield self.changed[number][k], fewer, after.score - before.score, after.is_over, held, ahead(before)

    def near(self, one: int, other: int) -> list[Spot]:
        """The ticks before which sprites of two types, or of a type and the edge, are less than two cells apart."""
        if self._near_of != (self.ticks, len(self.changing)):
            self._near_of = self.ticks, len(self.changing)
            self._near = {}
            for number, play in enumerate(self.plays):
                for k, frame in enumerate(play.frames):
                    fresh = {n for n in frame.fates if n not in play.frames[k - 1].fates} if k else set()
                    for pair, is_new in close_pairs(frame, self.changing, fresh).items():
                        spots = self._near.setdefault(pair, [])
                        if is_new and spots[-1:] != [(number, k - 1)]:
                            spots.append((number, k - 1))
                        if k < play.ticks:
                            spots.append((number, k))
        return self._near.get((min(one, other), max(one, other)), [])

    def ground(self, kind: int | None) -> frozenset[int]:
        """The types of which a sprite overlaps one of a type most of the time, wherever that is; None: no type."""
        if self._ground_of != self.ticks:
            self._ground_of = self.ticks
            self._ground = {}
        if kind not in self._ground:
            frames = [frame for play in self.plays for frame in play.frames]
            under: Counter[int] = Counter()
            seen = 0
            for frame in frames[:: 1 + len(frames) // _SAMPLED]:
                for number, (own, x, y) in frame.fates.items():
                    if own == kind:
                        others = (other for other, *_ in frame.overlapping(x, y) if other != number)
                        under.update({frame.fates[other][0] for other in others})
                        seen += 1
            self._ground[kind] = frozenset(other for other, count in under.items() if 2 * count > seen)
        return self._ground[kind]

    def past(self, number: int, index: int) -> Past:
        """When sprites of a play, by id, appeared and moved last, up to one of its frames."""
        if (number, index) not in self._known_pasts:
            past = self._known_pasts[number, index] = Past({}, {})
            first = self.plays[number].frames[0].tick
            for at, sprite, step in self._pasts[number]:
                if at > index:
                    break
                if step is None:
                    past.born[sprite] = first + at
                    past.moved.pop(sprite, None)
                else:
                    past.moved[sprite] = first + at, *step
        return self._known_pasts[number, index]


def _events(before: Frame, after: Frame) -> Iterator[tuple[int, Step]]:
    """The id and the move of each sprite that moved; no move of those that are new or have another type."""
    was = before.fates
    for number, fate in after.fates.items():
        if was.get(number) != fate:
            yield number, step_of(was[number], fate) if number in was else None


def changes(before: Frame, after: Frame) -> set[int]:
    """The types of sprites that moved, appeared, vanished or changed their type."""
    was, now = before.fates, after.fates
    if was == now:
        return set()
    found = {fate[0] for number, fate in was.items() if now.get(number) != fate}
    return found | {fate[0] for number, fate in now.items() if was.get(number) != fate}


def close_pairs(frame: Frame, changing: Set[int], fresh: Set[int]) -> dict[tuple[int, int], bool]:
    """The pairs of types with sprites less than two cells apart, one of them changing; whether one of them is new."""
    found: dict[tuple[int, int], bool] = {}
    block = frame.block_size
    width, height = frame.world_dimension
    for number, (kind, x, y) in frame.fates.items():
        if kind not in changing:
            continue
        is_new = number in fresh
        if x < block or y < block or x + 2 * block > width or y + 2 * block > height:
            found[EDGE, kind] = found.get((EDGE, kind), False) or is_new
        for other, _ in frame.around(x, y, 2 * block):
            if other != number:
                second = frame.fates[other][0]
                pair = min(kind, second), max(kind, second)
                found[pair] = found.get(pair, False) or is_new
    return found


def covering(states: NDArray[np.bool_], possible: Sequence[int]) -> list[int]:
    """The fewest possible types, by a greedy choice, of which each state, a row, has some; empty if there are none."""
    chosen: list[int] = []
    while len(states):
        counts = states[:, possible].sum(0)
        if not counts.max(initial=0):
            return []
        chosen.append(possible[int(counts.argmax())])
        states = states[~states[:, chosen[-1]]]
    return sorted(chosen)


def ahead(frame: Frame) -> frozenset[int]:
    """The types where the avatar of a frame is and where its action leads it."""
    if frame.avatar is None:
        return frozenset()
    (x, y), (dx, dy) = map(int, frame.avatar.position), STEPS.get(frame.action.name, (0, 0))
    spots = ((x, y), (x + dx * frame.block_size, y + dy * frame.block_size))
    return frozenset(frame.fates[number][0] for spot in spots for number, *_ in frame.overlapping(*spot))


def _renumbered(frame: Frame, hypothesis: Hypothesis) -> Frame:
    return (frame if hypothesis.only is None else frame.of(hypothesis.only)).renumbered(hypothesis.numbers)
