"""Stopping a search within its budget."""

from collections.abc import Iterator
from typing import Final

from typing_extensions import disjoint_base

from vgdl.controllers.base import Timer

MARGIN_MS: Final = 1.5
LOOK_MS: Final = 0.1

@disjoint_base
class Budget:
    @property
    def count(self) -> int: ...
    @property
    def call_ms(self) -> float: ...
    def __init__(self, timer: Timer, calls: int, margin_ms: float = MARGIN_MS, call_ms: float = 0.0) -> None: ...
    def another(self) -> bool: ...

def iterations(timer: Timer, *, calls: int, margin_ms: float = MARGIN_MS) -> Iterator[int]: ...
