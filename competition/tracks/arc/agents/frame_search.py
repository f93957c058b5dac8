"""Best-first search over frames that are predicted, within a budget that grows with every action taken."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

from vgdl.competition.tracks.arc.agents.screen import Pixels, key_of

EARNED, MOST_EARNED = 150, 8000  #: predictions that an action earns for plans, and how many can be saved
DONE = 0.999  #: progress, without costs, of a frame that nothing is better than
STEP = 0.01  #: cost of a step in a plan, in progress
T = TypeVar("T")


class FrameSearch(Generic[T]):
    """Plans with steps of any kind.

    Attributes:
        n_predicted: predictions made for the latest plan.
    """

    def __init__(self) -> None:
        self._credit = 0  #: predictions that plans may make
        self.n_predicted = 0

    def earn(self) -> None:
        """Allow plans some more predictions."""
        self._credit = min(self._credit + EARNED, MOST_EARNED)

    @property
    def is_paid(self) -> bool:
        """Whether enough predictions were earned for a plan."""
        return self._credit >= MOST_EARNED // 2

    def plan(
        self,
        pixels: Pixels,
        outcomes: Callable[[Pixels], Iterable[tuple[T, Pixels | None]]],
        is_known: Callable[[bytes], bool],
        progress: Callable[[Pixels], float],
    ) -> list[tuple[T, bytes, bytes]]:
        """Steps that lead to the most promising frame that is not known, with the keys of the frames before and after.

        Args:
            pixels: the present frame.
            outcomes: the steps that may be taken in a frame, with the frame predicted for each, if any.
            is_known: whether a frame has been seen.
            progress: how promising a frame is.

        Returns:
            An empty list if no frame is predicted that is more promising than the present one.
        """
        came: dict[bytes, tuple[bytes, T] | None] = {key_of(pixels): None}
        order = itertools.count()
        best, end = progress(pixels), b""
        waiting = [(-best, next(order), 0, pixels)]
        saved = self._credit
        while waiting and self._credit > 0:
            _, _, depth, now = heapq.heappop(waiting)
            key = key_of(now)
            for step, after in outcomes(now):
                self._credit -= 1
                if after is None or (there := key_of(after)) in came:
                    continue
                came[there] = key, step
                gained = progress(after)
                value = gained - STEP * (depth + 1)
                if value > best and not is_known(there):
                    best, end = value, there
                    if gained >= DONE:
                        waiting.clear()
                        break
                heapq.heappush(waiting, (-value, next(order), depth + 1, after))
        steps: list[tuple[T, bytes, bytes]] = []
        while end and (last := came[end]) is not None:
            steps.append((last[1], last[0], end))
            end = last[0]
        self.n_predicted = saved - self._credit
        return steps[::-1]
