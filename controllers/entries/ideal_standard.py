"""IdealStandard: learned type values and A* (The 2014 General Video Game Playing Competition, section V)."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain

from vgdl import Action, StateObservation
from vgdl.controllers.base import Controller, Timer
from vgdl.controllers.entries.astar import AStar, Estimate
from vgdl.controllers.search.budget import iterations
from vgdl.controllers.search.distances import (
    Cell,
    avatar_position,
    cell_of,
    grid_size,
    obstacles,
    walking_distances,
)
from vgdl.controllers.search.experience import Experience
from vgdl.controllers.search.futures import witnessed_future
from vgdl.controllers.search.value import LOST, WON, state_value
from vgdl.core.observation import Observation


@dataclass(slots=True)
class Prospect:
    """Outcomes of an action in the next tick, over a few futures."""

    values: list[float] = field(default_factory=list)
    losses: int = 0

    @property
    def merit(self) -> tuple[int, float]:
        """Fewest losses first, then the highest mean value."""
        return -self.losses, sum(self.values) / len(self.values) if self.values else 0.0


class IdealStandard(Controller):
    """Learns online which types are good or bad to touch, and walks to good ones with A*.

    Every tick has two parts. First, each action is simulated for one tick in ``samples`` futures; ``Experience`` learns
    from what the avatar touches, and losing actions are recorded. Then A* plans a path to a target: the nearest sprite
    of a good type; if there is none, the nearest resource, then the nearest portal that is not bad. The goal is to
    arrive, to gain points, or to win; the controller takes the first step unless it may lose.

    The paper does not say how types are learned, how paths are estimated, and what happens without a target. Here the
    estimate is the walking distance around static sprites (except of types that the avatar has stood on or knows to be
    good) and around bad types; unreachable targets are ignored. Without a target, A* searches for points only. If it
    finds none, the controller takes the action with the best prospect; ties go to the least visited neighbour.
    """

    def __init__(
        self,
        state: StateObservation,
        timer: Timer,
        player: int = 0,
        *,
        samples: int = 4,
        max_nodes: int = 10_000,
        seed: int | None = None,
    ) -> None:
        """Set the learner up.

        Args:
            state: the first state; not used.
            timer: the budget; not used.
            player: the player who must not lose.
            samples: futures simulated per action and tick.
            max_nodes: maximum nodes of one search.
            seed: of all random choices.
        """
        super().__init__(state, timer, player)
        self._samples = samples
        self._max_nodes = max_nodes
        self._random = random.Random(seed)
        self._experience = Experience()
        self._passable: set[int] = set()
        self._visits: Counter[Cell] = Counter()
        self._search: AStar | None = None

    def act(self, state: StateObservation, timer: Timer) -> Action:
        if not state.available_actions:
            return Action.NIL
        self._search = None  # frees the previous search now, while its cost is still measured
        here = cell_of(avatar_position(state), state.block_size)
        self._visits[here] += 1
        self._passable.update(sprite.type for sprite in standing_on(state, here))
        prospects, next_cells = self._look_ahead(state, timer)
        step = self._plan(state, here, timer)
        best = max(prospect.merit for prospect in prospects.values())
        if step in prospects and prospects[step].losses <= -best[0]:
            return step
        equals = [action for action in prospects if prospects[action].merit == best]
        return min(equals, key=lambda action: self._visits[next_cells.get(action, here)])

    def _look_ahead(self, state: StateObservation, timer: Timer) -> tuple[dict[Action, Prospect], dict[Action, Cell]]:
        """Prospect of every action, in random order, and the cell that each led to."""
        actions = self._random.sample(state.available_actions, len(state.available_actions))
        prospects = {action: Prospect() for action in actions}
        cells: dict[Action, Cell] = {}
        score = state.scores[self.player]
        for number, _ in zip(range(self._samples * len(actions)), iterations(timer, calls=1), strict=False):
            action = actions[number % len(actions)]
            future = witnessed_future(state, self._random)
            future.advance(action)
            self._experience.learn(score, future, self.player)
            prospects[action].values.append(state_value(future, self.player))
            prospects[action].losses += future.winners[self.player] == LOST
            cells[action] = cell_of(avatar_position(future), state.block_size)
        return prospects, cells

    def _plan(self, state: StateObservation, here: Cell, timer: Timer) -> Action | None:
        """The first step towards a target or points; None if no path is found."""
        distances = self._distances_to_target(state, here)
        block, score = state.block_size, state.scores[self.player]
        estimate = by_map(distances, block) if distances else nothing_known

        def is_goal(future: StateObservation) -> bool:
            if future.is_over or future.scores[self.player] != score:
                return future.winners[self.player] == WON or future.scores[self.player] > score
            return bool(distances) and estimate(future) == 0

        self._search = search = AStar(
            state,
            is_goal=is_goal,
            estimate=estimate,
            generator=self._random,
            player=self.player,
            max_nodes=self._max_nodes,
        )
        search.run(timer)
        path = search.path()
        return path[0] if path else None

    def _distances_to_target(self, state: StateObservation, here: Cell) -> dict[Cell, int]:
        """Steps from all cells to the target; empty if there is none."""
        size, block = grid_size(state), state.block_size
        blocked = obstacles(state, self._passable) | self._bad_cells(state)
        good = [cell_of(sprite.position, block) for sprite in visible(state) if self._experience.is_good(sprite.type)]
        blocked -= set(good)
        from_here = walking_distances(size, here, blocked)
        for cells in (good, self._cells(state.resources, block), self._cells(state.portals, block)):
            reachable = [cell for cell in cells if cell in from_here and cell != here]
            if reachable:
                return walking_distances(size, min(reachable, key=from_here.__getitem__), blocked)
        return {}

    def _bad_cells(self, state: StateObservation) -> set[Cell]:
        block = state.block_size
        return {cell_of(sprite.position, block) for sprite in visible(state) if self._experience.is_bad(sprite.type)}

    def _cells(self, lists: tuple[tuple[Observation, ...], ...], block: int) -> list[Cell]:
        """Cells of those sprites in a category that are not bad."""
        return [
            cell_of(sprite.position, block)
            for sprites in lists
            if not self._experience.is_bad(sprites[0].type)
            for sprite in sprites
        ]


def visible(state: StateObservation) -> Iterator[Observation]:
    """All sprites that can be touched."""
    return chain(*state.npcs, *state.movables, *state.resources, *state.portals, *state.immovables)


def standing_on(state: StateObservation, cell: Cell) -> Iterator[Observation]:
    """Static sprites in a cell."""
    block = state.block_size
    return (sprite for sprite in chain(*state.immovables) if cell_of(sprite.position, block) == cell)


def by_map(distances: dict[Cell, int], block: int) -> Estimate:
    """Estimate by walking distance; unreachable cells and ended games count as farther than all others."""
    far = max(distances.values()) + 1

    def estimate(state: StateObservation) -> float:
        return distances.get(cell_of(avatar_position(state), block), far)

    return estimate


def nothing_known(state: StateObservation) -> float:
    """The estimate without a target."""
    return 0.0
