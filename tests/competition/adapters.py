"""The worker's side of the service in ``test_agent_process.py``: it runs code as a submitted agent would."""

from __future__ import annotations

from typing import Any

from vgdl import Meter
from vgdl.controllers import Timer
from vgdl.registry import Entry


class Adapter:
    def __init__(self, entry: Entry, meter: Meter, start: int = 0) -> None:
        self.number = start

    def count(self, *, by: int, timer: Timer) -> int:
        self.number += by
        return self.number

    def repeat(self, *, word: bytes, timer: Timer) -> str:
        return word.decode()

    def run(self, *, code: str, timer: Timer) -> object:
        names: dict[str, Any] = {"adapter": self}
        exec(code, names)
        return names.get("answer")

    def burn(self, *, ms: float, timer: Timer) -> float:
        while timer.elapsed_ms < ms:
            pass
        return timer.budget_ms
