"""Laws of chance, pooled over the sprites of a type and over ticks.

A rare event, such as a bomb that one of many bombers drops, is in none of a dozen futures of its own tick. But the
futures of all ticks show how often such events happen. A fate that fits this law costs what the law says; one that it
never shows is not explained by chance, however many futures differ.
"""

from __future__ import annotations

import math
from collections import Counter

from vgdl.induction.observations import Fate

Step = tuple[int, int] | None  #: how far a sprite moves, in pixels; None: it vanishes or changes its type


def step_of(before: Fate, after: Fate | None) -> Step:
    """How a sprite moves from one fate to another."""
    return None if after is None or after[0] != before[0] else (after[1] - before[1], after[2] - before[2])


class Law:
    """What the futures of a hypothesis show, by engine's number of the type."""

    def __init__(self) -> None:
        self._steps: dict[int, Counter[Step]] = {}
        self._births: Counter[int] = Counter()
        self._ticks = 0

    def note_tick(self) -> None:
        """Count a simulated tick."""
        self._ticks += 1

    def note(self, before: Fate | None, predicted: Fate | None) -> None:
        """Count a fate in a future; one without a sprite before the tick is a birth."""
        if before is not None:
            self._steps.setdefault(before[0], Counter())[step_of(before, predicted)] += 1
        elif predicted is not None:
            self._births[predicted[0]] += 1

    def step_bits(self, before: Fate, actual: Fate | None) -> float:
        """Bits of a sprite's move; infinite if no future shows such a move."""
        seen = self._steps.get(before[0], Counter[Step]())
        count = seen[step_of(before, actual)]
        return math.log2(seen.total() / count) if count else math.inf

    def birth_bits(self, kind: int, makers: int) -> float:
        """Bits of a birth beside one of so many sprites that may have made it (Krichevsky-Trofimov estimate)."""
        return math.log2(makers * (self._ticks + 1) / (self._births[kind] + 0.5))
