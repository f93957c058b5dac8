"""Generators of levels for tests: good, lazy and hostile."""

from __future__ import annotations

import os
import time
from typing import Any

from vgdl.generation.interface import Level, LevelGenerator

GOOD = "wwwwwwwwwwww\nwA.........w\nw.wwwwwwww.w\nw........w.w\nw...t....w.w\nw........w.w\nw.c......w.w\nw..........w\nwwwwwwwwwwww\n"


class _Fixed(LevelGenerator):
    """Returns the same thing every time."""

    answer: Any = Level(GOOD)

    def __init__(self, game: Any, timer: Any, *, seed: int) -> None:
        self.game = game

    def generate(self, size: Any, timer: Any, *, difficulty: str | None = None) -> Any:
        return self.answer


class Good(_Fixed):
    """A level that is feasible but for its length."""


class NotAString(_Fixed):
    answer = Level(7)  # type: ignore[arg-type]


class Nothing(_Fixed):
    answer = None


class Wide(_Fixed):
    answer = Level("w" * 10**6)


class Unknown(_Fixed):
    answer = Level(GOOD.replace("c", "?"))


class TwoAvatars(_Fixed):
    answer = Level(GOOD.replace("c", "A"))


class Surrogates(_Fixed):
    answer = Level(GOOD.replace("c", "\ud800"))


class Uneven(_Fixed):
    answer = Level(GOOD.replace("wA.", "wA"))


class BadMapping(_Fixed):
    answer = Level(GOOD, {"X": ["nosuch"]})


class OwnMapping(_Fixed):
    answer = Level(GOOD.replace("c", "X"), {"X": ["floor", "coin"]})


class Dies(_Fixed):
    def generate(self, size: Any, timer: Any, *, difficulty: str | None = None) -> Any:
        os._exit(3)


class Raises(_Fixed):
    def generate(self, size: Any, timer: Any, *, difficulty: str | None = None) -> Any:
        raise RuntimeError("no idea")


class Hangs(_Fixed):
    def generate(self, size: Any, timer: Any, *, difficulty: str | None = None) -> Any:
        while True:
            time.sleep(0.1)


class Counts(_Fixed):
    """Plays with the forward model, which its budget of calls counts."""

    def generate(self, size: Any, timer: Any, *, difficulty: str | None = None) -> Any:
        before = timer.calls_left
        self.game.play(Level(GOOD)).random_rollout(10, 1)
        assert timer.calls_left == before - 10
        return Level(GOOD)
