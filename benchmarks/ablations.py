"""The champion without one of its parts, a class for each.

python benchmarks/strength.py play without.db --controllers benchmarks/ablations.py:WithoutPool
python benchmarks/strength.py compare whole.db without.db
"""

from __future__ import annotations

from typing import Any, ClassVar

from vgdl import StateObservation
from vgdl.controllers import Timer
from vgdl.controllers.entries.champion import Champion


class Without(Champion):
    """The champion with the keyword ``part`` set to False."""

    part: ClassVar[str]

    def __init__(
        self, state: StateObservation, timer: Timer, player: int = 0, *, seed: int | None = None, **options: Any
    ) -> None:
        super().__init__(state, timer, player, seed=seed, **{self.part: False, **options})


class WithoutExact(Without):
    part = "exact"


class WithoutPool(Without):
    part = "pool"


class WithoutSafety(Without):
    part = "safety"


class WithoutWaiting(Without):
    part = "waiting"


class WithoutCuriosity(Without):
    part = "curiosity"


class WithoutNews(Without):
    part = "news"


class WithoutPairs(Without):
    part = "pairs"


class WithoutDistances(Without):
    part = "distances"


class WithoutDeep(Without):
    part = "deep"


class WithoutSharing(Without):
    part = "sharing"


class WithoutOpponent(Without):
    part = "opponent"
