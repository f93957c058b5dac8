"""Budgets as values: a time, or a number of forward-model calls."""

from __future__ import annotations

import re
from dataclasses import dataclass

from vgdl.competition.errors import CompetitionError

_TIME = re.compile(r"(\d{1,15}(?:\.\d{1,15})?)\s*(ms|s)")
_CALLS = re.compile(r"calls\s*:\s*(\d{1,30})")


class BudgetInvalid(CompetitionError, ValueError):
    """A text or a number is not a budget; the message says how to write one."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What an entrant may use for an answer, made by `Budget.ms`, `Budget.seconds`, `Budget.calls` or `Budget.parse`.

    >>> from vgdl.competition import Budget
    >>> Budget.ms(40), Budget.calls(900)
    (Budget('40ms'), Budget('calls:900'))
    >>> Budget.parse("1.5s").milliseconds
    1500.0
    """

    amount: float  #: more than 0
    is_time: bool  #: whether the amount is in milliseconds; otherwise it is a number of forward-model calls

    def __post_init__(self) -> None:
        if not 0 < self.amount < float("inf"):
            raise BudgetInvalid(f"a budget must be more than 0, not {self.amount}")
        if not self.is_time and self.amount != int(self.amount):
            raise BudgetInvalid(f"calls are whole numbers, not {self.amount}")

    @classmethod
    def ms(cls, milliseconds: float) -> Budget:
        """A time in milliseconds."""
        return cls(float(milliseconds), True)

    @classmethod
    def seconds(cls, seconds: float) -> Budget:
        """A time in seconds."""
        return cls(1000.0 * seconds, True)

    @classmethod
    def calls(cls, calls: int) -> Budget:
        """A number of forward-model calls: results are then the same on every machine."""
        return cls(calls, False)

    @classmethod
    def parse(cls, text: str | Budget) -> Budget:
        """The budget that a text describes: ``40ms``, ``1.5s`` or ``calls:900``.

        Raises:
            BudgetInvalid: it describes none.
        """
        if isinstance(text, Budget):
            return text
        plain = text.strip().lower()
        if (match := _TIME.fullmatch(plain)) and float(match[1]):
            return cls.seconds(float(match[1])) if match[2] == "s" else cls.ms(float(match[1]))
        if (match := _CALLS.fullmatch(plain)) and int(match[1]):
            return cls.calls(int(match[1]))
        raise BudgetInvalid(f"{text!r} is not a budget: write a time like 40ms, or forward-model calls like calls:900")

    @property
    def milliseconds(self) -> float:
        """The time in milliseconds; 0 if it is a number of calls."""
        return self.amount if self.is_time else 0.0

    @property
    def number_of_calls(self) -> int:
        """The number of calls; 0 if it is a time."""
        return 0 if self.is_time else int(self.amount)

    def __str__(self) -> str:
        return f"{self.amount:g}ms" if self.is_time else f"calls:{int(self.amount)}"

    def __repr__(self) -> str:
        return f"Budget({str(self)!r})"
