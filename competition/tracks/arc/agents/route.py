"""Searching a way to the most attractive thing, over learnt rules: walking, pushing, and pressing the special key."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field

from vgdl.competition.tracks.arc.agents.knowledge import Push
from vgdl.competition.tracks.arc.agents.scene import Cell, Kind

DISCOUNT = 0.95  #: of a value, per step
Boxes = frozenset[tuple[Cell, Kind]]
State = tuple[Cell, int, Boxes, frozenset[Cell]]  #: avatar, direction it faces, boxes, cells that boxes have filled


@dataclass(slots=True)
class Problem:
    """A level as it is now, as far as it is known."""

    start: Cell
    facing: int  #: number of a direction
    neighbours: Sequence[Sequence[Cell | None]]  #: by direction, then cell
    moves: Sequence[tuple[int, int]]  #: keys that walk, with their directions
    walkable: Sequence[bool]  #: cells that can be entered without consequences
    values: Mapping[Cell, float]  #: of entering cells of which something is expected
    kinds: Sequence[Kind]
    floor: Kind  #: what is left where something vanished
    boxes: Mapping[Cell, Kind]
    push: Callable[[Kind, Kind], Push | None]
    push_values: Callable[[Kind, Kind, Push | None], float]
    jumps: Mapping[Cell, Cell]  #: cells that put the avatar into another one
    barred: Container[tuple[Cell, int]]  #: cells and directions in which walking has failed
    dangers: Sequence[frozenset[Cell]]  #: cells to avoid after 1, 2, … steps
    forbidden: frozenset[int]  #: keys that must not come first
    aims: Mapping[tuple[Cell, int], float] = field(default_factory=dict)  #: worth of the special key
    turn_first: frozenset[tuple[Cell, int]] = frozenset()  #: aims where that way is blocked or needs a turn
    special: int = 5
    most_states: int = 4000  #: to be visited


@dataclass(slots=True)
class Route:
    """The best way found."""

    keys: list[int]
    cells: list[Cell]  #: where the avatar should be after each key; the last one is a guess
    value: float  #: discounted


def find_route(problem: Problem) -> tuple[Route | None, int]:
    """Breadth-first search for the highest discounted value.

    Returns:
        the way to it, None if nothing is worth anything; and how many states were visited.
    """
    start: State = (problem.start, problem.facing if problem.aims else 0, frozenset(problem.boxes.items()), frozenset())
    came: dict[State, tuple[State, int] | None] = {start: None}
    layer = [start]
    best, best_end, best_keys = 0.0, start, []
    highest = max([*problem.values.values(), *problem.aims.values(), 10.0 if problem.boxes else 0.0], default=0.0)
    scale = 1.0
    depth = 0
    while layer and len(came) < problem.most_states and best < highest * scale:
        following: list[State] = []
        danger = problem.dangers[depth] if depth < len(problem.dangers) else frozenset()
        scale *= DISCOUNT
        depth += 1
        for state in layer:
            cell, facing, boxes, filled = state
            aim = problem.aims.get((cell, facing), 0.0) * scale
            if aim > best and (depth > 1 or problem.special not in problem.forbidden):
                best, best_end, best_keys = aim, state, [problem.special]
            box_at = dict(boxes) if boxes else {}
            for key, direction in problem.moves:
                if depth == 1 and key in problem.forbidden:
                    continue
                there = problem.neighbours[direction][cell]
                if there is None or (cell, direction) in problem.barred:
                    continue
                if (cell, direction) in problem.turn_first and direction != facing:
                    aim = problem.aims.get((cell, direction), 0.0) * scale * DISCOUNT
                    if aim > best:
                        best, best_end, best_keys = aim, state, [key, problem.special]
                if there in danger:
                    continue
                looks = direction if problem.aims else 0
                if there in box_at:
                    beyond = problem.neighbours[direction][there]
                    if beyond is None:
                        continue
                    kind = box_at[there]
                    into = problem.floor if beyond in filled else box_at.get(beyond, problem.kinds[beyond])
                    outcome = problem.push(kind, into)
                    value = problem.push_values(kind, into, outcome) * scale
                    if value > best:
                        best, best_end, best_keys = value, state, [key]
                    rest: Boxes = boxes - {(there, kind)}
                    if outcome is Push.MOVES and beyond not in box_at:
                        successor: State = (there, looks, rest | {(beyond, kind)}, filled)
                    elif outcome is Push.VANISHES and beyond not in box_at:
                        successor = (there, looks, rest, filled)
                    elif outcome is Push.BOTH_VANISH and beyond not in box_at:
                        successor = (there, looks, rest, filled | {beyond})
                    else:
                        continue
                elif there in problem.jumps:
                    successor = (problem.jumps[there], looks, boxes, filled)
                elif problem.walkable[there] or there in filled:
                    successor = (there, looks, boxes, filled)
                else:
                    value = problem.values.get(there, 0.0) * scale
                    if value > best:
                        best, best_end, best_keys = value, state, [key]
                    continue
                if successor not in came:
                    came[successor] = state, key
                    following.append(successor)
                    value = problem.values.get(successor[0], 0.0) * scale
                    if value > best:
                        best, best_end, best_keys = value, successor, []
        layer = following
    if best <= 0:
        return None, len(came)
    return _route(came, best_end, best_keys, best), len(came)


def _route(came: Mapping[State, tuple[State, int] | None], end: State, last: list[int], value: float) -> Route:
    keys: list[int] = []
    cells: list[Cell] = []
    step = came[end]
    state = end
    while step is not None:
        cells.append(state[0])
        state, key = step
        keys.append(key)
        step = came[state]
    keys.reverse()
    cells.reverse()
    return Route(keys + last, cells + [end[0]] * len(last), value)
