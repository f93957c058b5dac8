"""The pool: one int32 array that stores all lists of numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


class Pool:
    """Collects lists and stores equal ones once."""

    def __init__(self) -> None:
        self._numbers: list[int] = []
        self._known: dict[tuple[int, ...], int] = {}

    def add(self, numbers: Sequence[int]) -> tuple[int, int]:
        """Store a list and return its start and length."""
        key = tuple(numbers)
        start = self._known.get(key)
        if start is None:
            start = self._known[key] = len(self._numbers)
            self._numbers.extend(key)
        return start, len(key)

    def array(self) -> np.ndarray:
        return np.array(self._numbers or [0], np.int32)
