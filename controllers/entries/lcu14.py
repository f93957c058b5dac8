"""LCU_14: rules about the sprites near the avatar (The 2014 General Video Game Playing Competition, section V)."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from itertools import chain

from vgdl import Action, StateObservation
from vgdl.controllers.base import Controller, Timer
from vgdl.controllers.search.distances import (
    Cell,
    avatar_position,
    cell_of,
    grid_size,
    manhattan,
    nearest,
    obstacles,
    walking_distances,
)
from vgdl.core.observation import Observation

STEPS = {Action.UP: (0, -1), Action.DOWN: (0, 1), Action.LEFT: (-1, 0), Action.RIGHT: (1, 0)}


class LCU14(Controller):
    """Tries its rules in order; the first with an answer decides. It inspects the state and simulates nothing.

    The paper says that the rules use the sprites near the avatar and the resources held, but does not list them. Here
    they are, in this order:

    1. An NPC or movable sprite is within ``reach`` cells: shoot it if it is straight ahead, else step away.
    2. Resources are held, or none are left to collect: walk to the nearest portal.
    3. There are resources: walk to the nearest.
    4. There are NPCs out of reach: shoot if one is in the same row or column.
    5. Otherwise: a random action.

    No rule may step onto the nearest NPC or movable sprite. Static sprites count as obstacles, except for types that
    the avatar has stood on.
    """

    def __init__(
        self, state: StateObservation, timer: Timer, player: int = 0, *, reach: float = 2.0, seed: int | None = None
    ) -> None:
        """Set the rules up.

        Args:
            state: the first state; not used.
            timer: the budget; not used.
            player: not used: the rules are for single-player games.
            reach: Manhattan distance in cells up to which a sprite is near.
            seed: of all random choices.
        """
        super().__init__(state, timer, player)
        self._reach = reach
        self._random = random.Random(seed)
        self._passable: set[int] = set()

    def act(self, state: StateObservation, timer: Timer) -> Action:
        if not state.available_actions or state.avatar is None:
            return Action.NIL
        here = cell_of(avatar_position(state), state.block_size)
        self._passable |= types_at(here, state)
        actions = self._safe_actions(state)
        rules = (self._face_danger, self._leave, self._collect, self._shoot)
        answers = (rule(state, here) for rule in rules)
        wandering = self._random.choice(actions or state.available_actions)
        return next((answer for answer in answers if answer in actions), wandering)

    def _threat(self, state: StateObservation) -> Observation | None:
        """The nearest sprite that may be dangerous."""
        return nearest(chain(*state.npcs, *state.movables), avatar_position(state))

    def _safe_actions(self, state: StateObservation) -> list[Action]:
        """Actions that do not lead to the threat's current position."""
        threat = self._threat(state)
        return [action for action in state.available_actions if threat is None or self._gap(state, threat, action) >= 1]

    def _gap(self, state: StateObservation, threat: Observation, action: Action) -> float:
        """Manhattan distance in cells to a threat after a step of one cell."""
        (x, y), block = avatar_position(state), state.block_size
        dx, dy = STEPS.get(action, (0, 0))
        return manhattan((x + dx * block, y + dy * block), threat.position, block)

    def _face_danger(self, state: StateObservation, here: Cell) -> Action | None:
        """If a threat is near, shoot it if it is straight ahead, else step to the free cell farthest from it."""
        threat = self._threat(state)
        if threat is None or self._gap(state, threat, Action.NIL) > self._reach:
            return None
        avatar = state.avatar
        ahead = Action.NIL if avatar is None else direction(avatar.orientation)
        there = cell_of(threat.position, state.block_size)
        if Action.USE in state.available_actions and is_ahead(here, there, STEPS.get(ahead, (0, 0))):
            return Action.USE
        blocked = obstacles(state, self._passable)
        gaps = {}
        for action in self._random.sample(state.available_actions, len(state.available_actions)):
            dx, dy = STEPS.get(action, (0, 0))
            if (here[0] + dx, here[1] + dy) not in blocked:
                gaps[action] = self._gap(state, threat, action)
        farthest = max(gaps, key=gaps.__getitem__, default=None)
        is_farther = farthest is not None and gaps[farthest] > self._gap(state, threat, Action.NIL)
        return farthest if is_farther else None

    def _leave(self, state: StateObservation, here: Cell) -> Action | None:
        avatar = state.avatar
        holds = avatar is not None and any(avatar.resources.values())
        if not holds and state.resources:
            return None
        return self._toward(state, here, chain(*state.portals))

    def _collect(self, state: StateObservation, here: Cell) -> Action | None:
        return self._toward(state, here, chain(*state.resources))

    def _shoot(self, state: StateObservation, here: Cell) -> Action | None:
        targets = (cell_of(npc.position, state.block_size) for npc in chain(*state.npcs))
        return Action.USE if any(here[0] == x or here[1] == y for x, y in targets) else None

    def _toward(self, state: StateObservation, here: Cell, sprites: Iterable[Observation]) -> Action | None:
        """The first step of a shortest path around obstacles to the nearest sprite."""
        size, blocked = grid_size(state), obstacles(state, self._passable)
        distances = walking_distances(size, here, blocked)
        targets = [cell_of(sprite.position, state.block_size) for sprite in sprites]
        reachable = [target for target in targets if target in distances and target != here]
        if not reachable:
            return None
        back = walking_distances(size, min(reachable, key=distances.__getitem__), blocked)
        return first_step(here, back, state.available_actions)


def types_at(cell: Cell, state: StateObservation) -> set[int]:
    """Static types in a cell."""
    block = state.block_size
    return {
        sprite.type for sprites in state.immovables for sprite in sprites if cell_of(sprite.position, block) == cell
    }


def direction(orientation: tuple[float, float]) -> Action:
    """The action that moves in the direction of an orientation, NIL if it is none of the four."""
    return next((action for action, step in STEPS.items() if step == orientation), Action.NIL)


def steps(one: Cell, other: Cell) -> int:
    """Manhattan distance between cells."""
    return abs(one[0] - other[0]) + abs(one[1] - other[1])


def is_ahead(here: Cell, there: Cell, step: tuple[int, int]) -> bool:
    """Whether repeated steps in a direction lead from one cell to another."""
    distance = steps(here, there)
    return step != (0, 0) and (here[0] + distance * step[0], here[1] + distance * step[1]) == there


def first_step(here: Cell, distances: dict[Cell, int], actions: Sequence[Action]) -> Action | None:
    """The action that leads to the neighbour with the smallest distance, None if there is none."""
    neighbours = {
        action: (here[0] + STEPS[action][0], here[1] + STEPS[action][1]) for action in actions if action in STEPS
    }
    walkable = [action for action, cell in neighbours.items() if cell in distances]
    return min(walkable, key=lambda action: distances[neighbours[action]], default=None)
