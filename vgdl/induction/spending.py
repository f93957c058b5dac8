"""What a search may cost."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, replace

from vgdl.induction import parts
from vgdl.induction.likelihood import Judge


@dataclass(frozen=True)
class Budget:
    """What a search may cost, in counts that do not depend on the machine.

    Attributes:
        hypotheses: hypotheses that are compiled.
        ticks: ticks that are simulated; one with many sprites counts more than once (`likelihood.cost`).
        width: hypotheses that are kept.
    """

    hypotheses: int = 14_000
    ticks: int = 1_500_000
    width: int = 4


class Purse:
    """What is left of a budget, and of the parts of it that are meant for a call or for one type.

    Args:
        budget: limits of all calls together.
        judge: counts what was spent.
        without: parts of the learner that are left out.
    """

    def __init__(self, budget: Budget, judge: Judge, without: Set[str]) -> None:
        self.budget = budget if parts.WIDTH not in without else replace(budget, width=1)
        self.judge = judge
        self.without = without
        self.most: tuple[int, float] = (0, 0.0)  #: hypotheses and ticks at which the present part is spent

    @property
    def spent(self) -> bool:
        """Whether the present part is used up."""
        return self.judge.judged >= self.most[0] or self.judge.simulated >= self.most[1]

    def allot(self, share: float) -> None:
        """Begin a part: a share of what is left of the budget."""
        self.most = self.budget.hypotheses, self.budget.ticks
        self.most = self.part(share)

    def part(self, share: float) -> tuple[int, float]:
        """The hypotheses and ticks at which a share of what is left of the present part is spent."""
        judged, simulated = self.judge.judged, self.judge.simulated
        left = self.most[0] - judged, self.most[1] - simulated
        return judged + int(max(0, left[0]) * share), simulated + max(0.0, left[1]) * share
