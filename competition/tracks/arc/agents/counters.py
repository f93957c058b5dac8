"""Counters and bars, recognised by what they do: they change near an edge whatever the action is."""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import NDArray

from vgdl.competition.tracks.arc.agents.screen import Pixels
from vgdl.competition.tracks.arc.agents.segments import segments
from vgdl.competition.tracks.arc.frame import SIZE

MARGIN = 9  #: pixels from an edge within which counters lie
THICKEST = 7  #: pixels across the largest counter
ENOUGH = 8  #: changes to judge by
OFTEN = 0.8  #: share of the actions with which a counter changes
LONGEST = 16  #: pixels along the edge that a number may take; bars are recognised otherwise
LONELY = 4  #: changes of nothing but a counter after which a slow one is recognised
MOST_HIDDEN = 0.15  #: share of the frame that may be counters

Mask = NDArray[np.bool_]


class Counters:
    """The pixels that count actions, learnt from frames before and after actions.

    Attributes:
        mask: the pixels, shape (64, 64). It only grows.
    """

    def __init__(self) -> None:
        self.mask: Mask = np.zeros((SIZE, SIZE), dtype=bool)
        self._recent: deque[tuple[object, Mask]] = deque(maxlen=2 * ENOUGH)
        self._bars = [_Bar() for _ in range(4)]

    def hidden(self, pixels: Pixels) -> Pixels:
        """A copy of a frame with one value in all counters."""
        copy = pixels.copy()
        copy[self.mask] = 0
        return copy

    def learn(self, action: object, before: Pixels, after: Pixels, spared: NDArray[np.intp] | None = None) -> bool:
        """Learn from an action within a level; returns whether `mask` has grown.

        Args:
            action: what was done; equal values are the same action.
            before: the frame before.
            after: the frame after.
            spared: pixels (64 y + x) that belong to no counter, such as those of the body.
        """
        changed = (before != after) & ~self.mask
        self._recent.append((action, changed))
        grown = False
        for edge in range(4):
            mask = self._learn_edge(edge, action, changed, before, after)
            if mask is not None and (spared is None or not mask.ravel()[spared].any()):
                self.mask, self._bars[edge] = mask, _Bar()
                grown = True
        return grown

    def _learn_edge(self, edge: int, action: object, changed: Mask, before: Pixels, after: Pixels) -> Mask | None:
        """The mask with a counter along an edge; None if there is no new one."""
        part = _strip(changed, edge)
        if not part.any() or _crosses(changed, edge):
            return None
        if part.sum() == changed.sum():
            self._bars[edge].add(action, changed, before, after)
        union = self._often(edge)
        if union is None:
            union = self._bars[edge].union()
        if union is None:
            return None
        lines = np.flatnonzero(_strip(union, edge).any(axis=1))
        if not len(lines) or int(lines[-1]) - int(lines[0]) >= THICKEST:
            return None
        grown = self.mask | _extended(union, before, edge) | _extended(union, after, edge)
        if grown.sum() > MOST_HIDDEN * grown.size or (grown == self.mask).all():
            return None
        return grown

    def _often(self, edge: int) -> Mask | None:
        """What changed along an edge, if it did so with nearly all of the latest actions."""
        hits = [
            (action, changed)
            for action, changed in self._recent
            if _strip(changed, edge).any() and not _crosses(changed, edge)
        ]
        if len(self._recent) < ENOUGH or len(hits) < OFTEN * len(self._recent):
            return None
        if len({action for action, _ in hits}) < 3:
            return None
        union = np.zeros((SIZE, SIZE), dtype=bool)
        for _, changed in hits:
            _strip(union, edge)[...] |= _strip(changed, edge)
        along = np.flatnonzero(_strip(union, edge).any(axis=0))
        return union if int(along[-1]) - int(along[0]) < LONGEST else None  # what moves on is no counter


class _Bar:
    """Changes of nothing but a strip along an edge: those of a bar replace one colour by another, pixel by pixel."""

    def __init__(self) -> None:
        self._changes: list[Mask] = []
        self._actions: set[object] = set()
        self._colours: set[tuple[int, int]] = set()
        self._twice = False

    def add(self, action: object, changed: Mask, before: Pixels, after: Pixels) -> None:
        self._twice |= any(bool((changed & earlier).any()) for earlier in self._changes)
        self._changes.append(changed)
        self._actions.add(action)
        self._colours |= set(zip(before[changed].tolist(), after[changed].tolist(), strict=True))

    def union(self) -> Mask | None:
        """All changed pixels, if they are those of a bar."""
        if self._twice or len(self._colours) > 1 or len(self._changes) < LONELY or len(self._actions) < 2:
            return None
        found: Mask = np.logical_or.reduce(self._changes)
        return found


def _strip(mask: Mask, edge: int, width: int = MARGIN) -> Mask:
    """The part of a mask along the top, bottom, left or right edge, as a view with the edge's direction as columns."""
    return (mask[:width], mask[-width:], mask[:, :width].T, mask[:, -width:].T)[edge]


def _crosses(changed: Mask, edge: int) -> bool:
    """Whether something goes across the inner border of the strip along an edge, which a counter does not."""
    wide = _strip(changed, edge, MARGIN + 1)
    inner, outer = (wide[-2], wide[-1]) if edge in (0, 2) else (wide[1], wide[0])
    return bool((inner & outer).any())


def _extended(mask: Mask, pixels: Pixels, edge: int) -> Mask:
    """The mask with the whole bars that it touches."""
    grown = mask.copy()
    for area in segments(pixels):
        thickness = area.height if edge < 2 else area.width
        if thickness <= THICKEST and mask.ravel()[area.pixels].any():
            grown.ravel()[area.pixels] = True
    return grown
