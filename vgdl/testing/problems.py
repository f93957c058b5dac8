"""Reports the problems found by a check."""

from __future__ import annotations

from collections.abc import Iterable


class CheckFailed(AssertionError):
    """A game, controller or environment failed a check; the message lists every problem.

    >>> from vgdl.testing import CheckFailed, check_game
    >>> try:
    ...     check_game("chess")
    ... except CheckFailed as failed:
    ...     print(failed.subject, len(failed.problems))
    chess 1
    """

    def __init__(self, subject: str, problems: Iterable[str]) -> None:
        self.subject = subject
        self.problems = tuple(problems)
        super().__init__(subject, self.problems)

    def __str__(self) -> str:
        count = "1 problem" if len(self.problems) == 1 else f"{len(self.problems)} problems"
        listed = "\n".join("- " + problem.replace("\n", "\n  ") for problem in self.problems)
        return f"{self.subject}: {count}\n{listed}"


def report(subject: str, problems: Iterable[str]) -> None:
    """Raise `CheckFailed` if there are problems; duplicates are reported once."""
    if found := tuple(dict.fromkeys(problems)):
        raise CheckFailed(subject, found)
