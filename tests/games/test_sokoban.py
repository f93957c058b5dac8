"""Sokoban's levels can be solved: an independent solver finds solutions, and the engine plays them."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest

import vgdl
from vgdl import Action, games

Cell = tuple[int, int]  #: column, row
Position = tuple[Cell, frozenset[Cell]]  #: of the keeper and of the boxes
STEPS = {"UP": (0, -1), "LEFT": (-1, 0), "DOWN": (0, 1), "RIGHT": (1, 0)}
pytestmark = pytest.mark.xdist_group("sokoban")  # all levels are solved once
LEVELS = games.levels("sokoban")


@dataclass(frozen=True)
class Solution:
    pushes: int  #: the least possible number
    moves: tuple[str, ...]


@dataclass(frozen=True)
class Room:
    floor: frozenset[Cell]  #: every cell without a brick
    holes: frozenset[Cell]
    boxes: frozenset[Cell]
    keeper: Cell


def read(level: Path) -> Room:
    cells = {
        (column, row): character
        for row, line in enumerate(level.read_text(encoding="ascii").splitlines())
        for column, character in enumerate(line)
    }

    def where(wanted: str) -> frozenset[Cell]:
        return frozenset(cell for cell, character in cells.items() if character in wanted)

    (keeper,) = where("A")
    return Room(floor=where(".o$A"), holes=where("o"), boxes=where("$"), keeper=keeper)


def step(cell: Cell, direction: str, times: int = 1) -> Cell:
    dx, dy = STEPS[direction]
    return cell[0] + times * dx, cell[1] + times * dy


def walks(room: Room, start: Cell, boxes: frozenset[Cell]) -> dict[Cell, tuple[str, ...]]:
    """A shortest walk to every cell that the keeper reaches without pushing."""
    found: dict[Cell, tuple[str, ...]] = {start: ()}
    todo = deque([start])
    while todo:
        cell = todo.popleft()
        for direction in STEPS:
            there = step(cell, direction)
            if there in room.floor and there not in boxes and there not in found:
                found[there] = (*found[cell], direction)
                todo.append(there)
    return found


def useful(room: Room) -> set[Cell]:
    """The cells from which a lone box can be pushed into a hole."""
    found = set(room.holes)
    todo = list(found)
    while todo:
        cell = todo.pop()
        for direction in STEPS:
            box, keeper = step(cell, direction, -1), step(cell, direction, -2)
            if box in room.floor and keeper in room.floor and box not in found:
                found.add(box)
                todo.append(box)
    return found


def solve(room: Room) -> Solution | None:
    """A solution with the least number of pushes, or None; breadth first over the pushes."""
    targets = useful(room)
    if not room.boxes <= targets:
        return None
    start = (room.keeper, room.boxes)
    came_from: dict[Position, tuple[Position, tuple[str, ...]] | None] = {start: None}
    seen = set()
    todo = deque([start])
    while todo:
        node = todo.popleft()
        keeper, boxes = node
        if not boxes:
            parts: list[tuple[str, ...]] = []
            while (step_here := came_from[node]) is not None:
                node, moves = step_here
                parts.append(moves)
            return Solution(len(parts), tuple(move for moves in reversed(parts) for move in moves))
        reached = walks(room, keeper, boxes)
        same = (min(reached), boxes)  # places of the keeper with a path between them count as one
        if same in seen:
            continue
        seen.add(same)
        for box in boxes:
            for direction in STEPS:
                behind, ahead = step(box, direction, -1), step(box, direction)
                if behind in reached and ahead in targets and ahead not in boxes:
                    pushed = (box, boxes - {box} | ({ahead} - room.holes))
                    if pushed not in came_from:
                        came_from[pushed] = node, (*reached[behind], direction)
                        todo.append(pushed)
    return None


@pytest.fixture(scope="module")
def solutions() -> dict[Path, Solution | None]:
    return {level: solve(read(level)) for level in LEVELS}


def test_the_solver_recognises_unsolvable_levels() -> None:
    row = frozenset((x, 1) for x in range(1, 7))
    room = Room(floor=row, holes=frozenset({(6, 1)}), boxes=frozenset({(3, 1)}), keeper=(1, 1))
    assert solve(room) == Solution(pushes=3, moves=("RIGHT",) * 4)
    assert solve(Room(row, room.holes, frozenset({(3, 1), (4, 1)}), room.keeper)) is None
    assert solve(Room(row, frozenset({(1, 1)}), room.boxes, (2, 1))) is None


@pytest.mark.parametrize("level", LEVELS, ids=lambda level: level.stem)
def test_bricks_surround_the_level(level: Path) -> None:
    room = read(level)
    lines = level.read_text(encoding="ascii").splitlines()
    for column, row in walks(room, room.keeper, frozenset()):
        assert 0 < column < len(lines[0]) - 1
        assert 0 < row < len(lines) - 1


@pytest.mark.costly
@pytest.mark.parametrize("level", LEVELS, ids=lambda level: level.stem)
def test_the_level_can_be_solved_in_the_engine(level: Path, solutions: dict[Path, Solution | None]) -> None:
    solution = solutions[level]
    assert solution is not None
    state = vgdl.load("sokoban").start(level=str(level), seed=1)
    for move in solution.moves:
        assert not state.is_over
        state.advance(Action[move])
    assert state.winner == 1
    assert state.score == len(read(level).boxes)


def test_every_level_needs_more_pushes_than_the_one_before(solutions: dict[Path, Solution | None]) -> None:
    pushes = [solution.pushes for solution in solutions.values() if solution is not None]
    assert len(pushes) == len(LEVELS)
    assert all(easier < harder for easier, harder in pairwise(pushes)), pushes
