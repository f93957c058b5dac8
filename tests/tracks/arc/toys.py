"""Tiny ARC games, to test agents with: one with keys, one with clicks (arc, 13, test 11)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from vgdl.competition.tracks.arc.agents import Task
from vgdl.competition.tracks.arc.frame import SIZE, Frame
from vgdl.competition.tracks.arc.playable import GameInfo

CELL = 4
WALL, FLOOR, WALKER, GOAL, DEADLY = 3, 9, 12, 7, 14


class Toy(ABC):
    """Counts levels, loses and wins; a subclass draws and moves."""

    actions: tuple[int, ...]
    levels = 2
    info = GameInfo("toy-1", "TOY", ())
    guid = ""

    def __init__(self) -> None:
        self.completed = 0
        self.state = "NOT_PLAYED"

    @abstractmethod
    def begin(self) -> None:
        """Set the present level up."""

    @abstractmethod
    def draw(self) -> np.ndarray: ...

    @abstractmethod
    def move(self, action: int, x: int | None, y: int | None) -> str:
        """Carry out an action; "won" or "lost" ends the level."""

    @property
    def task(self) -> Task:
        return Task(self.info.game_id, self.actions, self.levels)

    def reset(self) -> Frame:
        """The first one starts the play, later ones the level."""
        self.state = "NOT_FINISHED"
        self.begin()
        return self.frame()

    def step(self, action: int, x: int | None = None, y: int | None = None, reasoning: Any = None) -> Frame:
        assert self.state == "NOT_FINISHED"
        assert action in self.actions
        ended = self.move(action, x, y)
        if ended == "lost":
            self.state = "GAME_OVER"
        elif ended == "won":
            self.completed += 1
            if self.completed == self.levels:
                self.state = "WIN"
            else:
                self.begin()
        return self.frame()

    def frame(self) -> Frame:
        return Frame((self.draw(),), self.state, self.completed, self.levels, False, self.actions)


class OneButton(Toy):
    """The special key lights three lamps, one after the other; other keys do nothing."""

    actions = (1, 2, 5)

    def begin(self) -> None:
        self.lit = 0

    def draw(self) -> np.ndarray:
        pixels = np.full((SIZE, SIZE), FLOOR, dtype=np.uint8)
        for lamp in range(3):
            pixels[28:36, 12 + 16 * lamp : 20 + 16 * lamp] = GOAL if lamp < self.lit else WALL
        return pixels

    def move(self, action: int, x: int | None, y: int | None) -> str:
        self.lit += action == 5
        return "won" if self.lit == 3 else ""


class Buttons(Toy):
    """Three buttons; each disappears when it is clicked, and when all are gone the level is won."""

    actions = (6,)

    def begin(self) -> None:
        self.left = {(12, 12), (40, 20), (24, 44)}

    def draw(self) -> np.ndarray:
        pixels = np.full((SIZE, SIZE), FLOOR, dtype=np.uint8)
        for x, y in self.left:
            pixels[y : y + 8, x : x + 8] = GOAL
        return pixels

    def move(self, action: int, x: int | None, y: int | None) -> str:
        assert x is not None
        assert y is not None
        self.left = {(left, top) for left, top in self.left if not (left <= x < left + 8 and top <= y < top + 8)}
        return "" if self.left else "won"


class Order(Toy):
    """Three keys win when they are pressed in their order. Nothing shows how far one is."""

    actions = (1, 2, 5)

    def begin(self) -> None:
        self.done = 0

    def draw(self) -> np.ndarray:
        return np.full((SIZE, SIZE), FLOOR, dtype=np.uint8)

    def move(self, action: int, x: int | None, y: int | None) -> str:
        self.done = self.done + 1 if action == self.actions[self.done] else int(action == 1)
        return "won" if self.done == 3 else ""


class Maze(Toy):
    """A walker among walls, something deadly, and a goal to be touched."""

    actions: tuple[int, ...] = (1, 2, 3, 4)
    levels = 3
    look: Mapping[str, int] = MappingProxyType({"#": WALL, ".": FLOOR, "G": GOAL, "x": DEADLY})
    maps: tuple[str, ...] = (
        """
        ##########
        #A...#...#
        #.##.#.#.#
        #.#..x.#.#
        #.#.##.#.#
        #......#G#
        ##########
        """,
        """
        ##########
        #A.#.....#
        #..#.##..#
        #.x..#G..#
        #....#####
        ##########
        """,
        """
        ##########
        #G.......#
        ####.###.#
        #..x.#A..#
        #....#.###
        #........#
        ##########
        """,
    )

    def begin(self) -> None:
        rows = self.maps[self.completed].split()
        self.cells = {(x, y): mark for y, row in enumerate(rows) for x, mark in enumerate(row)}
        self.at = next(cell for cell, mark in self.cells.items() if mark == "A")
        self.cells[self.at] = "."

    def draw(self) -> np.ndarray:
        pixels = np.zeros((SIZE, SIZE), dtype=np.uint8)
        for (x, y), mark in self.cells.items():
            colour = WALKER if (x, y) == self.at else self.look[mark]
            pixels[12 + CELL * y : 16 + CELL * y, 12 + CELL * x : 16 + CELL * x] = colour
        return pixels

    def move(self, action: int, x: int | None, y: int | None) -> str:
        dx, dy = {1: (0, -1), 2: (0, 1), 3: (-1, 0), 4: (1, 0)}[action]
        there = self.at[0] + dx, self.at[1] + dy
        if self.cells[there] == "#":
            return ""
        self.at = there
        return {"G": "won", "x": "lost"}.get(self.cells[there], "")
