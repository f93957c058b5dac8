"""What a guesser is, two of them, and the adapter that calls one in its isolated process."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod

from vgdl.competition.agents.service import Method, Service, integer
from vgdl.registry import Entry, Registry

HIGHEST = 1000


class Guesser(ABC):
    """Guesses a number from 1 to 1000, and learns after every guess whether the number is lower or higher."""

    @abstractmethod
    def guess(self, low: int, high: int) -> int:
        """The next guess, given that the number is from ``low`` to ``high``."""


class Bisection(Guesser):
    """Always guesses the middle."""

    def guess(self, low: int, high: int) -> int:
        return (low + high) // 2


class Chance(Guesser):
    """Guesses at random."""

    def guess(self, low: int, high: int) -> int:
        return random.randint(low, high)


GUESSERS: Registry[Guesser] = Registry(
    "guesser",
    [Entry("bisection", "Bisection", __name__, "Bisection"), Entry("chance", "Chance", __name__, "Chance")],
    base=Guesser,
    methods=("guess(self, low, high)",),
    group="vgdl.guessers",
    example="my_guesser.py:MyGuesser",
)

SERVICE = Service(adapter=f"{__name__}:Adapter", methods={"guess": Method(50.0, integer(1, HIGHEST), ("low", "high"))})
"""What can be called: one method, with 50 ms of CPU time per call, whose answer is a number."""


class Adapter:
    """Runs in the isolated process, where it imports the guesser."""

    def __init__(self, entry: Entry, meter: object, *, seed: int) -> None:
        random.seed(seed)  # the same plays every time
        self._guesser = GUESSERS.load(entry)()

    def guess(self, *, low: int, high: int, timer: object) -> int:
        return self._guesser.guess(low, high)
