"""The limits of the competition and the consequences of exceeding them, as data (engine, 11.3 and 11.4)."""

from __future__ import annotations

import contextlib
import enum
from dataclasses import dataclass, replace

from vgdl.competition.agents.service import Clock, Patience
from vgdl.competition.budget import Budget, BudgetInvalid
from vgdl.competition.errors import CompetitionError


class RulesError(CompetitionError, ValueError):
    """Rules are contradictory, or a text does not describe any; the message says why."""


class Overtime(enum.StrEnum):
    """Why a controller was disqualified although it answered."""

    CONSTRUCTION = "construction took too long"
    ACTION = "an action took too long"
    RESULT = "the callback after the play took too long"


class Verdict(enum.Enum):
    """How an answer counts, by the budget that it used."""

    IN_TIME = enum.auto()
    LATE = enum.auto()  #: replaced by NIL
    DISQUALIFIED = enum.auto()


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits in the unit of the clock. Using exactly the limit is allowed."""

    construction: float
    action: float  #: above it, the answer is replaced by NIL
    disqualification: float  #: above it, the player is disqualified
    result: float  #: for the callback after the play; above it, the player is disqualified afterwards

    def judge(self, used: float) -> Verdict:
        """How an answer that used this much counts."""
        if used > self.disqualification:
            return Verdict.DISQUALIFIED
        return Verdict.LATE if used > self.action else Verdict.IN_TIME


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules under which controllers are asked; the defaults are those of 2014.

    The reference compares the 50 ms in whole milliseconds and so disqualifies from 51 ms; here the limit is the 50.0 ms
    that the paper states. With a budget of calls, ``calls`` replaces ``action_ms``, and all other limits keep their
    proportion to it: 900 calls per action allow 22,500 for the construction and disqualify above 1,125.
    """

    clock: Clock = Clock.CPU
    construction_ms: float = 1000.0
    action_ms: float = 40.0
    disqualification_ms: float = 50.0
    result_ms: float = 100.0
    calls: int = 0  #: calls per action; used with ``Clock.CALLS`` only
    construction_calls: int = 0  #: calls for the construction; if 0, in proportion to the times
    wall_factor: float = 10.0  #: with a clock, wall time to wait for an answer, as a multiple of its limit
    wall_cap_s: float = 60.0  #: with a budget of calls, seconds to wait for an answer
    import_s: float = 60.0  #: seconds to wait for the import of a controller's module, which is not charged
    disqualified_score: float = -1000.0
    stirred: bool = True  #: the real game's generator is stirred before every tick; see ``vgdl.replay.stir``
    strict: bool = False  #: an invalid answer disqualifies instead of counting as NIL
    failures_rank: bool = False  #: a controller that was disqualified in all its plays of a game may earn points there

    def __post_init__(self) -> None:
        if (self.clock is Clock.CALLS) != (self.calls > 0):
            raise RulesError("a number of calls goes with the clock 'calls', and only with it")
        if self.construction_calls and not self.calls:
            raise RulesError("a construction counted in calls goes with a budget of calls, like calls:900")
        if not 0 < self.action_ms <= self.disqualification_ms:
            raise RulesError("the limit of an action must be positive, and the one that disqualifies no lower")
        if min(self.construction_ms, self.result_ms, self.wall_factor, self.wall_cap_s, self.import_s) <= 0:
            raise RulesError("limits must be positive")

    @property
    def unit(self) -> str:
        """Unit of ``limits``."""
        return "calls" if self.clock is Clock.CALLS else "ms"

    @property
    def limits(self) -> Limits:
        """The limits in the unit of the clock; calls are rounded down."""
        times = (self.construction_ms, self.action_ms, self.disqualification_ms, self.result_ms)
        if self.clock is Clock.CALLS:
            limits = Limits(*(float(time * self.calls // self.action_ms) for time in times))
            return replace(limits, construction=float(self.construction_calls or limits.construction))
        return Limits(*times)

    @property
    def patience(self) -> Patience:
        """How long to wait for answers."""
        return Patience(factor=self.wall_factor, calls_s=self.wall_cap_s)

    def patience_s(self, limit: float) -> float:
        """Seconds to wait for an answer with this limit, which is in the unit of the clock; see ``Patience``."""
        return self.patience.seconds(limit, self.clock)


LEAST_MARGIN_MS = 10.0
"""Least difference between the two limits of an action, as in 2014: the noise of a clock does not shrink with them."""


def with_budget(rules: Rules, text: str | Budget) -> Rules:
    """The rules with another budget per action, such as ``40ms`` or ``calls:900``.

    A time changes the limit for disqualification in proportion, but to no less than ``LEAST_MARGIN_MS`` more than the
    time, and leaves the limit for construction as it is.

    Raises:
        RulesError: the text is not a budget; the message says how to write one.
    """
    budget = _budget(text)
    if budget.is_time:
        clock = Clock.CPU if rules.clock is Clock.CALLS else rules.clock
        in_proportion = budget.milliseconds * rules.disqualification_ms / rules.action_ms
        disqualification_ms = max(in_proportion, budget.milliseconds + LEAST_MARGIN_MS)
        return replace(
            rules, clock=clock, calls=0, action_ms=budget.milliseconds, disqualification_ms=disqualification_ms
        )
    return replace(rules, clock=Clock.CALLS, calls=budget.number_of_calls)


def with_construction(rules: Rules, text: str | Budget) -> Rules:
    """The rules with another budget for the construction, such as ``1s`` or, with a budget of calls, ``calls:20000``.

    Raises:
        RulesError: the text is not a budget, or its kind differs from that of the budget per action.
    """
    with contextlib.suppress(BudgetInvalid):
        budget = Budget.parse(text)
        if budget.is_time and rules.clock is not Clock.CALLS:
            return replace(rules, construction_ms=budget.milliseconds)
        if not budget.is_time and rules.clock is Clock.CALLS:
            return replace(rules, construction_calls=budget.number_of_calls)
    example = "calls:20000, since actions are counted in calls" if rules.clock is Clock.CALLS else "1s or 500ms"
    raise RulesError(f"{str(text)!r} is not a budget for the construction: write {example}")


def _budget(text: str | Budget) -> Budget:
    try:
        return Budget.parse(text)
    except BudgetInvalid:
        raise RulesError(
            f"{str(text)!r} is not a budget: write a time per action like 40ms, or forward-model calls like calls:900"
        ) from None
