"""Clicks that select something for the next click, such as a piece to move, a colour to paint with, or a card.

A click selects if what it changed, its mark, disappears again as soon as something else is clicked on. Frames without
marks can then be compared: what a pair of clicks did is the difference between the frame before the first one and the
frame after the second one. Where nothing shows what is selected, clicks whose effect depends on the click before give
it away.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vgdl.competition.tracks.arc.agents.pairs import PRIOR, Pairs
from vgdl.competition.tracks.arc.agents.screen import Pixels, key_of
from vgdl.competition.tracks.arc.agents.things import Thing

ENOUGH = 2  #: marks that disappeared before things of a shape are taken to be selected by clicks
MOSTLY = 3  #: marks that disappeared per mark that stayed
CLOSE, WIDER = 1.25, 2.0  #: times the pixels of a mark that another one has at most, of the same shape and another one
SHARED = 0.9  #: share of its pixels that a mark has in common with the one before, if both are in the same place
MOST_TRIED = 40  #: things of a frame whose pairs are tried
LEAST = 0.1  #: factor of the value of clicks whose pairs have never had an effect
Shape = tuple[int, ...]  #: width and height of what is clicked on; empty for ground


@dataclass(frozen=True, slots=True)
class Context:
    """What is selected in a frame.

    Attributes:
        selected: what was clicked on.
        base: the frame without its mark.
        mask: the pixels of the mark.
    """

    selected: Thing
    base: Pixels
    mask: NDArray[np.bool_]

    def without_mark(self, pixels: Pixels) -> Pixels:
        """A later frame without the mark."""
        return np.where(self.mask, self.base, pixels)


class Selection:
    """Follows what is selected, and learns what pairs of clicks do.

    Attributes:
        pairs: the effects of pairs.
        now: what is selected, if anything is.
        bases: the keys of the frames of the level without marks.
        is_hidden: whether selections do not show.
    """

    def __init__(self) -> None:
        self.pairs = Pairs()
        self.now: Context | None = None
        self.is_hidden = False
        self._gone: defaultdict[tuple[Shape, Shape], int] = defaultdict(int)  #: marks that disappeared, by both shapes
        self._stayed: defaultdict[tuple[Shape, Shape], int] = defaultdict(int)
        self._n_judged: defaultdict[Shape, int] = defaultdict(int)  #: marks that disappeared or stayed
        self._sizes: defaultdict[Shape, set[int]] = defaultdict(set)  #: pixels of marks that disappeared
        self._selecting: set[Shape] = set()
        self.start_level()

    def start_level(self) -> None:
        """A level begins."""
        self._contexts: dict[bytes, Context] = {}  #: by frame
        self.bases: set[bytes] = set()  #: the frames that have been seen, without marks
        self._tested: set[tuple[bytes, tuple[int, int], tuple[int, int]]] = set()
        self.start_attempt()

    def start_attempt(self) -> None:
        """The level begins, or begins anew: nothing is selected."""
        self.now = None
        self._marks: dict[Shape, Context] = {}  #: what clicks on things of each shape changed last, until it disappears
        self._first: Thing | None = None  #: the first thing of the latest pair that was tried
        self._next: deque[tuple[Thing, bytes]] = deque()  #: the rest of a pair that is tried

    def forget_frames(self) -> None:
        """Frames look otherwise from now on, as other counters are hidden."""
        self._contexts.clear()
        self.bases.clear()
        self.start_attempt()

    def selects(self, thing: Thing) -> bool:
        """Whether clicks on things of this shape select them; a new one is taken to be like others."""
        shape = _shape(thing)
        is_new = bool(self._selecting) and self._n_judged[shape] < ENOUGH
        return self.is_hidden or shape in self._selecting or is_new

    def _may_be_mark(self, thing: Thing, changed: NDArray[np.bool_]) -> bool:
        """Whether what a click changed is about as large as the marks that have disappeared."""
        n, own = int(changed.sum()), self._sizes.get(_shape(thing))
        sizes, most = (own, CLOSE) if own else (set().union(*self._sizes.values()), WIDER)
        return any(size <= most * n <= most * most * size for size in sizes)

    @property
    def is_known(self) -> bool:
        """Whether anything is selected by clicks."""
        return self.is_hidden or bool(self._selecting)

    # ------------------------------------------------------------------------------------------------------ learning

    def observe(self, thing: Thing, before: Pixels, after: Pixels) -> None:
        """Learn from a click within a level.

        Args:
            thing: what was clicked on.
            before: the frame before it, with counters hidden.
            after: the frame after it.
        """
        if self.is_hidden:
            self._observe_hidden(thing, before, after)
            return
        context, is_changed = self.now, bool((before != after).any())
        if is_changed:
            self._judge(thing, before, after)
        if context is None or not self.selects(context.selected):
            mark = self._marks.get(_shape(thing)) if is_changed and self.selects(thing) else None
            self.now = mark if mark is not None and self._may_be_mark(thing, mark.mask) else None
            if self._selecting:
                self.pairs.learn_first(thing, before, is_selected=self.now is not None)
            return
        difference = context.base != after
        if not is_changed:
            self.pairs.learn(context.selected, thing, context.base, context.base)
        elif not difference.any():
            self.pairs.learn(context.selected, thing, context.base, context.base)
            self.now = None
        elif self.selects(thing) and self._may_be_mark(thing, difference) and _is_apart(difference, context):
            if (thing.x, thing.y) != (context.selected.x, context.selected.y):
                self.pairs.learn(context.selected, thing, context.base, context.base)
            self.now = Context(thing, context.base, difference)
        elif (before[context.mask] == after[context.mask]).all():
            later = context.without_mark(after)
            self.pairs.learn(context.selected, thing, context.base, later, stays=True)
            self.now = Context(context.selected, later, context.mask)
        else:
            self.pairs.learn(context.selected, thing, context.base, after)
            self.now = None

    def _observe_hidden(self, thing: Thing, before: Pixels, after: Pixels) -> None:
        if self.now is not None:
            self.pairs.learn(self.now.selected, thing, before, after)
            self.now = None
        elif not thing.is_ground and (before == after).all():
            self.now = Context(thing, before, before != after)

    def _judge(self, thing: Thing, before: Pixels, after: Pixels) -> None:
        """Learn which marks disappear when something else is clicked on."""
        for shape, mark in list(self._marks.items()):
            rows, columns = np.flatnonzero(mark.mask.any(axis=1)), np.flatnonzero(mark.mask.any(axis=0))
            if rows[0] <= thing.y <= rows[-1] and columns[0] <= thing.x <= columns[-1]:
                del self._marks[shape]
                continue
            pair, shown, base = (shape, _shape(thing)), after[mark.mask], mark.base[mark.mask]
            if (shown == base).all():
                self._gone[pair] += 1
                self._sizes[shape].add(int(mark.mask.sum()))
                before = np.where(mark.mask, mark.base, before)
                del self._marks[shape]
            elif (shown != base).all() and (shape not in self._sizes or self._may_be_mark(mark.selected, mark.mask)):
                self._stayed[pair] += 1
            else:
                continue
            self._n_judged[shape] += 1
            self._rate(shape)
        if (before != after).any():
            self._marks[_shape(thing)] = Context(thing, before, before != after)

    def _rate(self, shape: Shape) -> None:
        """Decide whether what clicks on things of a shape change are marks."""
        pairs = [pair for pair in {*self._gone, *self._stayed} if pair[0] == shape]
        if any(self._gone[pair] >= max(ENOUGH, MOSTLY * self._stayed[pair]) for pair in pairs):
            self._selecting.add(shape)
        else:
            self._selecting.discard(shape)

    # ---------------------------------------------------------------------------------------------------- contexts

    def arrived(self, key: bytes) -> None:
        """Remember what is selected in a frame."""
        if self.now is not None:
            self._contexts[key] = self.now
            self.bases.add(key_of(self.now.base))
        else:
            self._contexts.pop(key, None)
            self.bases.add(key)

    def base(self, pixels: Pixels) -> Pixels:
        """The present frame without a mark."""
        return self.now.base if self.now is not None else pixels

    def context(self, key: bytes) -> Context | None:
        """What is selected in a frame; None if nothing is."""
        return self._contexts.get(key)

    def suffix(self) -> bytes:
        """What tells a frame from others that look the same: a selection that does not show."""
        if not self.is_hidden or self.now is None:
            return b""
        return bytes((self.now.selected.x, self.now.selected.y))

    # ----------------------------------------------------------------------------------------------------- deciding

    @property
    def can_begin(self) -> bool:
        """Whether a click selects whatever it is on: nothing is selected, or what stays so until something else is."""
        return self.now is None or self.pairs.stays(self.now.selected)

    def weight(self, key: bytes, thing: Thing, things: Sequence[Thing]) -> float:
        """A factor of a click's value: less than 1 if pairs like those that it completes or begins have no effect.

        Args:
            key: the frame.
            thing: what is clicked on.
            things: all that can be clicked on there.
        """
        context, found = self._contexts.get(key), PRIOR
        if not (self.is_hidden or self.pairs.are_reliable):
            return 1.0
        if context is not None:
            found = self.pairs.estimate(context.selected, thing)
        elif self.selects(thing):
            found = self.pairs.promise(thing, things)
        return max(LEAST, found / PRIOR)

    def has_tried(self, key: bytes, most: int) -> bool:
        """Whether some number of pairs have been tried in a frame."""
        return not self._next and sum(frame == key for frame, *_ in self._tested) >= most

    def pair_to_try(self, key: bytes, things: Sequence[Thing]) -> Thing | None:
        """The next click of pairs to try where no single click does anything: like things first, then neighbours.

        Returns:
            None if all were tried.
        """
        if self._next and self._next[0][1] != key:
            self._next.clear()
        if not self._next:
            small = [thing for thing in things if not thing.is_ground][:MOST_TRIED]
            pairs = [
                (one.look != other.look, abs(one.x - other.x) + abs(one.y - other.y), j, k)
                for j, one in enumerate(small)
                for k, other in enumerate(small)
                if j != k and (key, (one.x, one.y), (other.x, other.y)) not in self._tested
            ]
            if not pairs:
                return None
            *_, j, k = min(pairs)
            self._tested.add((key, (small[j].x, small[j].y), (small[k].x, small[k].y)))
            self._next.extend([(small[j], key), (small[k], key)])
            self._first = small[j]
        return self._next.popleft()[0]

    def reveal(self, before: Pixels) -> bool:
        """A click of a pair that is tried has changed a frame: selections do not show, if it was the second one.

        Returns:
            Whether it was.
        """
        if self._first is None or self._next:
            return False
        self.is_hidden = True
        self.now = Context(self._first, before, np.zeros_like(before, dtype=bool))
        return True


def _shape(thing: Thing) -> Shape:
    return thing.look[1:3]


def _is_apart(difference: NDArray[np.bool_], context: Context) -> bool:
    """Whether a difference between frames without marks leaves the place of the mark before alone, or is in it."""
    shared = int((difference & context.mask).sum())
    return not shared or shared >= SHARED * int(difference.sum())
