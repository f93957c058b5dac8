"""Verdicts on the answers to a subproblem, and the resulting value (GAMEBoT specification, 3.7)."""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field


class Metric(enum.StrEnum):
    """The metric for the answers to a subproblem."""

    F1 = "F1"  #: for yes/no questions and sets, most of which are negative or empty
    ACCURACY = "accuracy"


class Verdict(enum.StrEnum):
    """The verdict on one answer."""

    TRUE_POSITIVE = "TP"
    FALSE_NEGATIVE = "FN"
    MISMATCH = "MM"  #: truth and answer are non-empty sets, but not the same
    TRUE_NEGATIVE = "TN"
    FALSE_POSITIVE = "FP"
    CORRECT = "correct"
    WRONG = "wrong"


def judge_f1(truth: object, answer: object, *, readable: bool) -> Verdict:
    """The verdict on a yes/no answer or a set; an unreadable answer is wrong in the direction that costs most."""
    if not readable:
        return Verdict.FALSE_NEGATIVE if truth else Verdict.FALSE_POSITIVE
    if not truth:
        return Verdict.FALSE_POSITIVE if answer else Verdict.TRUE_NEGATIVE
    if not answer:
        return Verdict.FALSE_NEGATIVE
    return Verdict.TRUE_POSITIVE if truth == answer else Verdict.MISMATCH


@dataclass(slots=True)
class Tally:
    """Verdicts on the answers to one subproblem."""

    metric: Metric
    counts: Counter[Verdict] = field(default_factory=Counter)
    format_errors: int = 0

    def add(self, verdict: Verdict, *, readable: bool = True) -> None:
        self.counts[verdict] += 1
        self.format_errors += not readable

    @property
    def n_questions(self) -> int:
        """The number of times the subproblem was asked."""
        return self.counts.total()

    @property
    def value(self) -> float | None:
        """F1 or accuracy, 0 to 1; None if nothing was asked or, with F1, no truth and no answer was positive."""
        if self.metric is Metric.ACCURACY:
            return self.counts[Verdict.CORRECT] / self.n_questions if self.n_questions else None
        return f1(
            self.counts[Verdict.TRUE_POSITIVE],
            self.counts[Verdict.FALSE_POSITIVE],
            self.counts[Verdict.FALSE_NEGATIVE],
            self.counts[Verdict.MISMATCH],
        )


def f1(tp: int, fp: int, fn: int, mm: int) -> float | None:
    """F1 in which a mismatch costs both precision and recall; None if there is nothing to count."""
    whole = 2 * tp + fp + fn + 2 * mm
    return 2 * tp / whole if whole else None


def mean(values: Iterable[float | None]) -> float | None:
    """The mean of the values that are defined; None if none is."""
    defined = [value for value in values if value is not None]
    return sum(defined) / len(defined) if defined else None
