"""A best-first search over copies of a level, which finds the recorded plays."""

from __future__ import annotations

import heapq
from itertools import count

from vgdl.competition.tracks.arc.frame import UNDO
from vgdl.competition.tracks.arc.playable import Ending
from vgdl.competition.tracks.arc.testbed.puzzle import Move, Puzzle

MOST_STATES = 40_000
TRUST = 2.0  #: factor of a family's estimate; without an estimate, the search is breadth-first


def solve(level: Puzzle, most_states: int = MOST_STATES) -> list[Move] | None:
    """A play that wins a level; None if there is none of at most ``longest`` actions among the states searched."""
    start = level.copy()
    start.silent = True
    numbers = count()
    queue: list[tuple[float, int, int, Puzzle]] = [(0.0, next(numbers), 0, start)]
    came: dict[object, tuple[object, Move] | None] = {start.key(): None}
    while queue and len(came) < most_states:
        _, _, depth, state = heapq.heappop(queue)
        if depth >= level.longest:
            continue
        here = state.key()
        for move in state.moves():
            if move.action == UNDO:
                continue
            after = state.copy()
            after.act(move.action, move.x or 0, move.y or 0)
            there = after.key()
            if there in came or after.ending is Ending.LOST:
                continue
            came[there] = here, move
            if after.ending is Ending.WON:
                return _traced(came, there)
            heapq.heappush(queue, (depth + 1 + TRUST * after.estimate(), next(numbers), depth + 1, after))
    return None


def _traced(came: dict[object, tuple[object, Move] | None], end: object) -> list[Move]:
    play: list[Move] = []
    while (step := came[end]) is not None:
        end, move = step
        play.append(move)
    return play[::-1]
