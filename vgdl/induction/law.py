"""Laws of chance, pooled over the sprites of a type and over ticks.

A rare event, such as a bomb that one of many bombers drops, is in none of a dozen futures of its own tick. But the
futures of all ticks show how often such events happen. A fate that fits this law costs what the law says; one that it
never shows is not explained by chance, however many futures differ.

A fate that the first future of its tick shows is not free: it costs what the share of right ones among the first
futures says. That share is 1 where nothing is drawn, and a quarter where each step is drawn from four directions.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Set

from vgdl.induction.observations import Fate, Moves, Step, step_of

_REST = (0, 0)


class Law:
    """What the futures of a hypothesis show, by engine's number of the type."""

    def __init__(self) -> None:
        self._steps: dict[int, Counter[Step]] = {}
        self._births: Counter[int] = Counter()
        self.ticks = 0  #: simulated
        self._right: Moves = Counter()
        self._wrong: Moves = Counter()

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
        return math.log2(makers * (self.ticks + 1) / (self._births[kind] + 0.5))

    def note_right(self, kinds: Set[int], observed: Moves, wrong: Iterable[tuple[Fate, Fate | None]]) -> None:
        """Count what the first future of a tick shows, of some types: what was observed less what was wrong."""
        missed = Counter((before[0], step_of(before, after) != _REST) for before, after in wrong)
        for key, count in observed.items():
            if key[0] in kinds:
                self._right[key] += max(0, count - missed[key])

    def note_wrong(self, before: Fate, predicted: Fate | None) -> None:
        """Count a fate of a first future that was not observed."""
        self._wrong[before[0], step_of(before, predicted) != _REST] += 1

    def certain_bits(self) -> Counter[int]:
        """Bits of the fates that first futures show, by type."""
        found: Counter[int] = Counter()
        for key, right in self._right.items():
            if right and (wrong := self._wrong[key]):
                found[key[0]] += right * math.log2((right + wrong) / right)  # type: ignore[assignment]
        return found
