"""Search for a route to the most valuable target by learnt rules: walking, pushing, and pressing the special key."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field

from vgdl.competition.tracks.arc.agents.grid import Cell
from vgdl.competition.tracks.arc.agents.knowledge import Push
from vgdl.competition.tracks.arc.agents.lattice import Kind

DISCOUNT = 0.95  #: factor of a value per step
Boxes = frozenset[tuple[Cell, Kind]]
State = tuple[Cell, int, Boxes, frozenset[Cell]]  #: avatar, direction it faces, boxes, cells that boxes have filled


@dataclass(slots=True)
class Problem:
    """The present state of a level, as far as it is known."""

    start: Cell
    facing: int  #: number of a direction, or with `steer` of a look
    neighbours: Sequence[Sequence[Cell | None]]  #: by direction, then cell
    moves: Sequence[tuple[int, int]]  #: keys that walk, with their directions
    walkable: Sequence[bool]  #: cells that can be entered without consequences
    values: Mapping[Cell, float]  #: values of entering cells
    kinds: Sequence[Kind]
    floor: Kind  #: the kind that remains where something vanished
    boxes: Mapping[Cell, Kind]
    push: Callable[[Kind, Kind], Push | None]
    push_values: Callable[[Kind, Kind, Push | None], float]
    jumps: Mapping[Cell, Cell]  #: cells that move the avatar to another one
    barred: Container[tuple[Cell, int]]  #: cells and directions in which walking has failed
    dangers: Sequence[frozenset[Cell]]  #: cells to avoid after 1, 2, … steps
    forbidden: frozenset[int]  #: keys that must not come first
    aims: Mapping[tuple[Cell, int], float] = field(default_factory=dict)  #: values of the special key
    uses: Mapping[Cell, float] = field(default_factory=dict)  #: values of the special key for what is below the avatar
    turn_first: frozenset[tuple[Cell, int]] = frozenset()  #: aims for which the avatar has to turn first
    special: int = 5
    steer: Callable[[int], Sequence[tuple[int, int | None, int]]] | None = None  #: keys by what the avatar looks like
    most_states: int = 4000  #: limit of visited states


@dataclass(slots=True)
class Route:
    """The best route found."""

    keys: list[int]
    cells: list[Cell]  #: expected cell of the avatar after each key; the last one is a guess
    value: float  #: discounted


def find_route(problem: Problem) -> tuple[Route | None, int]:
    """Breadth-first search for the highest discounted value.

    Returns:
        the best route, None if no value is positive; and the number of visited states.
    """
    search = _Search(problem)
    search.run()
    return search.route(), len(search.came)


class _Search:
    """The states reached so far, and the best end of a route among them."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        # without aims, the direction only duplicates states
        facing = problem.facing if problem.aims or problem.steer is not None else 0
        start: State = (problem.start, facing, frozenset(problem.boxes.items()), frozenset())
        self.came: dict[State, tuple[State, int] | None] = {start: None}
        self.layer = [start]
        self.following: list[State] = []
        self.depth = 0
        self.scale = 1.0  #: discount of the present step
        self.best = 0.0
        self.best_end, self.best_keys = start, list[int]()

    def run(self) -> None:
        """Search until all states are visited, the limit is reached, or no farther target can be better."""
        problem = self.problem
        pushing = [
            problem.push_values(kind, into, problem.push(kind, into))
            for kind in set(problem.boxes.values())
            for into in {*problem.kinds, *problem.boxes.values()}
        ]
        highest = max([*problem.values.values(), *problem.aims.values(), *problem.uses.values(), *pushing], default=0.0)
        while self.layer and len(self.came) < problem.most_states and self.best < highest * self.scale:
            self.danger = problem.dangers[self.depth] if self.depth < len(problem.dangers) else frozenset()
            self.scale *= DISCOUNT
            self.depth += 1
            self.following = []
            for state in self.layer:
                self._expand(state)
            self.layer = self.following

    def route(self) -> Route | None:
        """The best route found; None if no value is positive."""
        if self.best <= 0:
            return None
        keys: list[int] = []
        cells: list[Cell] = []
        state = self.best_end
        step = self.came[state]
        while step is not None:
            cells.append(state[0])
            state, key = step
            keys.append(key)
            step = self.came[state]
        last = self.best_keys
        return Route(keys[::-1] + last, cells[::-1] + [self.best_end[0]] * len(last), self.best)

    def _offer(self, value: float, end: State, keys: list[int]) -> None:
        """Offer a route that leads to a state and continues with some keys."""
        if value > self.best:
            self.best, self.best_end, self.best_keys = value, end, keys

    def _expand(self, state: State) -> None:
        problem = self.problem
        cell, facing, boxes, _ = state
        first = self.depth == 1
        if (problem.aims or problem.uses) and not (first and problem.special in problem.forbidden):
            worth = max(problem.aims.get((cell, facing), 0.0), problem.uses.get(cell, 0.0))
            self._offer(worth * self.scale, state, [problem.special])
        box_at = dict(boxes) if boxes else {}
        for key, direction, looks in self._keys(facing):
            if direction is None:
                self._reach(state, key, (cell, looks, *state[2:]))
                continue
            there = problem.neighbours[direction][cell]
            if there is None or (cell, direction) in problem.barred or (first and key in problem.forbidden):
                continue
            if direction != facing and (cell, direction) in problem.turn_first:
                value = problem.aims.get((cell, direction), 0.0) * self.scale * DISCOUNT
                self._offer(value, state, [key, problem.special])
            if there in self.danger:
                continue
            if there in box_at:
                self._push(state, key, (direction, looks), there, box_at)
            else:
                self._walk(state, key, looks, there)

    def _keys(self, facing: int) -> Sequence[tuple[int, int | None, int]]:
        """The keys, the directions that they walk in, and those that the avatar faces afterwards."""
        problem = self.problem
        if problem.steer is not None:
            return problem.steer(facing)
        return [(key, direction, direction if problem.aims else 0) for key, direction in problem.moves]

    def _walk(self, state: State, key: int, looks: int, there: Cell) -> None:
        problem = self.problem
        _, _, boxes, filled = state
        if problem.walkable[there] or there in filled or there in problem.jumps:
            self._reach(state, key, (problem.jumps.get(there, there), looks, boxes, filled))
        else:
            self._offer(problem.values.get(there, 0.0) * self.scale, state, [key])

    def _push(self, state: State, key: int, way: tuple[int, int], there: Cell, box_at: Mapping[Cell, Kind]) -> None:
        problem = self.problem
        direction, looks = way
        _, _, boxes, filled = state
        beyond = problem.neighbours[direction][there]
        if beyond is None:
            return
        kind = box_at[there]
        into = problem.floor if beyond in filled else box_at.get(beyond, problem.kinds[beyond])
        outcome = problem.push(kind, into)
        self._offer(problem.push_values(kind, into, outcome) * self.scale, state, [key])
        if beyond in box_at:
            return
        rest: Boxes = boxes - {(there, kind)}
        if outcome is Push.MOVES:
            self._reach(state, key, (there, looks, rest | {(beyond, kind)}, filled))
        elif outcome is Push.VANISHES:
            self._reach(state, key, (there, looks, rest, filled))
        elif outcome is Push.BOTH_VANISH:
            self._reach(state, key, (there, looks, rest, filled | {beyond}))

    def _reach(self, state: State, key: int, successor: State) -> None:
        if successor in self.came:
            return
        self.came[successor] = state, key
        self.following.append(successor)
        self._offer(self.problem.values.get(successor[0], 0.0) * self.scale, successor, [])
