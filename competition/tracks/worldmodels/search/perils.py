"""What may kill an avatar although the rules do not expect it: sprites that kill and move otherwise than predicted.

Rules may be right about what kills and wrong about how it moves. How often they are, and where such sprites go then, is
counted in each play.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vgdl import Action, StateObservation, Winner
from vgdl.competition.tracks.worldmodels.search.records import Frame
from vgdl.competition.tracks.worldmodels.search.verify import packed

PRIOR = 5  #: right predictions of a type that its share of wrong ones starts with

Step = tuple[int, int]  #: in pixels


class Perils:
    """Counts wrong predictions of a play, and estimates what they may cost.

    Args:
        place: makes a state of the rules that matches a frame.
    """

    def __init__(self, place: Callable[[Frame], StateObservation]) -> None:
        self._place = place
        self._steps: dict[int, Counter[Step]] = {}  # by type, the steps that were not predicted
        self._moves: Counter[int] = Counter()  # by type, the steps that were seen
        self._fatal: dict[tuple[object, ...], bool] = {}

    def reconsider(self) -> None:
        """Forget what can kill: the rules have changed."""
        self._fatal.clear()

    def note(self, before: Frame, after: Frame, lacking: NDArray[np.int64]) -> None:
        """Note the steps of a tick, and which of them were not predicted: those to ``lacking`` places."""
        was = {number: (kind, x, y) for number, kind, _, x, y in before.arrays.tolist()}
        wrong = np.isin(packed(after.arrays), lacking)
        for (number, kind, _, x, y), is_wrong in zip(after.arrays.tolist(), wrong, strict=True):
            kind_before, x_before, y_before = was.get(number, (None, x, y))
            step = x - x_before, y - y_before
            if kind_before == kind and (is_wrong or step != (0, 0)):
                self._moves[kind] += 1
                if is_wrong:
                    self._steps.setdefault(kind, Counter())[step] += 1

    def of(self, frame: Frame, avatar: tuple[float, float]) -> float:
        """The chance that a sprite makes one of these steps onto an avatar that is at a place in the next state."""
        if frame.avatar is None or not self._steps:
            return 0.0
        safe, size = 1.0, frame.block_size
        for number, kind, _, x, y in frame.arrays.tolist():
            steps = self._steps.get(kind)
            if steps is None or number == frame.avatar.id or max(abs(x - avatar[0]), abs(y - avatar[1])) > 3 * size:
                continue
            hits = sum(
                times
                for (dx, dy), times in steps.items()
                if abs(x + dx - avatar[0]) < size and abs(y + dy - avatar[1]) < size
            )
            if hits and self._kills(frame, kind):
                safe *= 1 - hits / (PRIOR + self._moves[kind])
        return 1 - safe

    def _kills(self, frame: Frame, kind: int) -> bool:
        """Whether a sprite of this type may kill the avatar as it is, by the rules."""
        assert frame.avatar is not None
        held = tuple(sorted(frame.avatar.resources.items()))
        known = kind, frame.avatar.type, frame.avatar.health, held
        if known not in self._fatal:
            self._fatal[known] = self._collides(frame, kind)
        return self._fatal[known]

    def _collides(self, frame: Frame, kind: int) -> bool:
        """Whether the rules end a play as lost in which there is only one sprite of a type, on or beside the avatar."""
        assert frame.avatar is not None
        avatar = frame.avatar
        shown = np.flatnonzero(frame.arrays["id"] == avatar.id)
        if not len(shown):  # a hidden avatar cannot be placed
            return False
        rows = frame.arrays[[int(shown[0]), 0]]
        other = frame.arrays[np.flatnonzero(frame.arrays["type"] == kind)[0]]
        for step in ((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1)):
            rows[1] = other
            rows[1]["x"], rows[1]["y"] = (
                int(place) + frame.block_size * way for place, way in zip(avatar.position, step, strict=True)
            )
            alone = self._place(replace(frame, arrays=rows[np.argsort(rows["id"], kind="stable")]))
            alone.advance(Action.NIL)
            if alone.is_over and alone.winner != Winner.PLAYER_WINS and not (alone.avatar and alone.avatar.is_alive):
                return True
        return False
