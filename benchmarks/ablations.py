"""The champion without one of its parts, or with one that is off by default, a class for each.

python benchmarks/strength.py play without.db --controllers benchmarks/ablations.py:WithoutPool
python benchmarks/strength.py compare whole.db without.db
"""

from __future__ import annotations

from typing import Any, ClassVar

from vgdl import StateObservation
from vgdl.controllers import Timer
from vgdl.controllers.entries.champion import Champion


class Changed(Champion):
    """The champion with a keyword that has another value than by default."""

    change: ClassVar[dict[str, Any]]

    def __init__(
        self, state: StateObservation, timer: Timer, player: int = 0, *, seed: int | None = None, **options: Any
    ) -> None:
        super().__init__(state, timer, player, seed=seed, **{**self.change, **options})


class WithoutExact(Changed):
    change: ClassVar = {"exact": False}


class WithoutPool(Changed):
    change: ClassVar = {"pool": False}


class WithoutSafety(Changed):
    change: ClassVar = {"safety": False}


class WithoutWaiting(Changed):
    change: ClassVar = {"waiting": False}


class WithoutCuriosity(Changed):
    change: ClassVar = {"curiosity": False}


class WithoutNews(Changed):
    change: ClassVar = {"news": False}


class WithoutPairs(Changed):
    change: ClassVar = {"pairs": False}


class WithoutDeep(Changed):
    change: ClassVar = {"deep": False}


class WithoutOutlines(Changed):
    change: ClassVar = {"outlines": False}


class WithoutRetries(Changed):
    change: ClassVar = {"retries": False}


class WithoutAftermath(Changed):
    change: ClassVar = {"aftermath": False}


class WithoutSharing(Changed):
    change: ClassVar = {"sharing": False}


class WithoutProtection(Changed):
    change: ClassVar = {"protection": False}


class WithoutMotions(Changed):
    change: ClassVar = {"motions": False}


class WithoutHolding(Changed):
    change: ClassVar = {"holding": False}


class WithoutMomentum(Changed):
    """Without both parts for avatars with momentum."""

    change: ClassVar = {"motions": False, "holding": False}
