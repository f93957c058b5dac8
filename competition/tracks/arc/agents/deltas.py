"""Predictions of frames from changes that were seen: an action does the same where the pixels it changed look the same.

So a step of a body is known wherever the body steps again, whatever else has changed in the frame. Where that turns out
to be wrong, the pixels that were always alike when the change occurred, and were not this time, are conditions of it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from vgdl.competition.tracks.arc.agents.screen import Pixels

PROBES = 4  #: pixels of a change that are compared first
MOST = 64  #: latest changes that are kept of an action
ENOUGH = 6  #: predictions by which these are judged
RELIABLE = 0.6  #: share of them that must have come true; an action is only put off by a wrong one


@dataclass(slots=True, eq=False)
class Change:
    """The pixels that an action changed, as 64 y + x, and their colours."""

    pixels: NDArray[np.intp]
    before: NDArray[np.uint8]
    after: NDArray[np.uint8]
    tag: bytes  #: of the frame after it
    usual: NDArray[np.uint8]  #: the frame before it
    common: NDArray[np.bool_]  #: where all frames before it were alike
    needs: NDArray[np.intp] = field(default_factory=lambda: np.empty(0, dtype=np.intp))  #: conditions, as pixels

    def fits(self, frame: NDArray[np.uint8]) -> bool:
        """Whether what it changes looks as it did."""
        return bool((frame[self.pixels] == self.before).all())

    def is_met_by(self, frame: NDArray[np.uint8]) -> bool:
        """Whether its conditions are met as well."""
        return bool((frame[self.needs] == self.usual[self.needs]).all())

    def applied(self, frame: NDArray[np.uint8]) -> NDArray[np.uint8]:
        result = frame.copy()
        result[self.pixels] = self.after
        return result


class Deltas:
    """The changes that each action has made in a level.

    Frames come with tags, bytes that say what pixels do not show.
    """

    def __init__(self) -> None:
        self.predicted = 0  #: predictions that were compared with what happened
        self.right = 0  #: those that came true
        self.start_level()

    def start_level(self) -> None:
        """Forget the changes of the level before."""
        self._changes: defaultdict[Hashable, list[Change]] = defaultdict(list)
        self._probes: dict[Hashable, tuple[NDArray[np.intp], NDArray[np.uint8]]] = {}

    @property
    def are_reliable(self) -> bool:
        """Whether predictions come true."""
        return self.predicted >= ENOUGH and self.right >= RELIABLE * self.predicted

    def learn(self, action: Hashable, before: Pixels, after: Pixels, tag: bytes = b"") -> None:
        """Learn from an action within a level.

        Args:
            action: what was done, and the tag of the frame before; equal values are the same.
            before: the frame before, with counters hidden.
            after: the frame after.
            tag: of the frame after.
        """
        old, new = before.ravel(), after.ravel()
        fitting = self._fitting(action, old)
        chosen = _best(fitting, old)
        is_known = False
        for change in fitting:
            right = change.tag == tag and bool((change.applied(old) == new).all())
            if change is chosen:
                self.predicted += 1
                self.right += right
            alike = change.usual == old
            if right:
                change.common &= alike
                change.needs = change.needs[change.common[change.needs]]
                is_known = True
            elif change is chosen:
                change.needs = np.union1d(change.needs, np.flatnonzero(change.common & ~alike))
        if not is_known:
            self._add(action, old, new, tag)

    def predict(self, action: Hashable, pixels: Pixels) -> tuple[Pixels, bytes] | None:
        """The frame after an action and its tag; None if that is not known."""
        if not self.are_reliable:
            return None
        frame = pixels.ravel()
        change = _best(self._fitting(action, frame), frame)
        return (change.applied(frame).reshape(pixels.shape), change.tag) if change is not None else None

    def _add(self, action: Hashable, old: NDArray[np.uint8], new: NDArray[np.uint8], tag: bytes) -> None:
        pixels = np.flatnonzero(old != new)
        if not len(pixels):
            return
        changes = self._changes[action]
        changes.append(Change(pixels, old[pixels], new[pixels], tag, old, np.ones(len(old), dtype=bool)))
        del changes[:-MOST]
        chosen = [change.pixels[np.linspace(0, len(change.pixels) - 1, PROBES).astype(np.intp)] for change in changes]
        colours = [change.usual[places] for change, places in zip(changes, chosen, strict=True)]
        self._probes[action] = np.stack(chosen), np.stack(colours)

    def _fitting(self, action: Hashable, frame: NDArray[np.uint8]) -> list[Change]:
        """The changes of an action that fit a frame, in order of their first occurrence."""
        if action not in self._probes:
            return []
        places, colours = self._probes[action]
        changes = self._changes[action]
        likely = np.flatnonzero((frame[places] == colours).all(axis=1)).tolist()
        return [changes[k] for k in likely if changes[k].fits(frame)]


def _best(fitting: list[Change], frame: NDArray[np.uint8]) -> Change | None:
    """The largest change whose conditions are met, the latest of these."""
    met = [change for change in fitting if change.is_met_by(frame)]
    return max(reversed(met), key=lambda change: len(change.pixels)) if met else None
