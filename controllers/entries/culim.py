"""culim: Q-learning by look-ahead (The 2014 General Video Game Playing Competition, section V)."""

from __future__ import annotations

import random
import struct
from itertools import chain

from vgdl import Action, StateObservation
from vgdl.controllers.base import Controller, Timer
from vgdl.controllers.search.budget import iterations
from vgdl.controllers.search.distances import NOWHERE, avatar_position, cell_of
from vgdl.controllers.search.futures import another_future
from vgdl.controllers.search.value import LOST, WON

MAX_SITUATIONS = 20_000
"""Rows at which the table is cleared: a garbage collection visits all of them, may happen at any moment, and has to
fit into the margin of the search."""

NO_NPC = (-1, -1, -1)
"""Stands in for cell and type of the nearest NPC if there is none."""

N_ACTIONS = max(Action) + 1

Situation = bytes
"""A key of the table: integers, packed so that the garbage collector has no references to follow."""

_pack = struct.Struct("<7q").pack

Row = list[float]
"""Values of the actions in one situation, by action number; initially 0."""


class Culim(Controller):
    """Learns a table of action values from simulated episodes that start in the current state.

    The situation is the avatar's position, the mean distance to NPCs and portals, the nearest NPC's cell and type, and
    how many NPCs are left. A state is worth its score, minus the NPCs left, minus the Manhattan distance to the nearest
    NPC, and ± ``win_value`` if it is won or lost. Episodes are ``depth`` ticks long, with discount γ = 1.0 and a
    learning rate α that decays from 0.7 to 0.1. The answer is the action with the highest value.

    Our choices where the paper says nothing: the reward is the change of a state's worth, since with γ = 1 the worth
    itself would accumulate without bounds along cycles. α decays by the factor ``decay`` every tick of the play, down
    to 0.1; the table is kept for the whole play. Episodes are ε-greedy, with ε = ``curiosity``. Positions are in cells,
    and the mean distance is rounded to whole cells.
    """

    def __init__(
        self,
        state: StateObservation,
        timer: Timer,
        player: int = 0,
        *,
        depth: int = 10,
        discount: float = 1.0,
        rate: float = 0.7,
        lowest_rate: float = 0.1,
        decay: float = 0.99,
        curiosity: float = 0.3,
        win_value: float = 1000.0,
        seed: int | None = None,
    ) -> None:
        """Set the learner up.

        Args:
            state: the first state; not used.
            timer: the budget; not used.
            player: whose value is sought.
            depth: ticks of an episode.
            discount: γ.
            rate: α in the first tick.
            lowest_rate: lower bound of α.
            decay: factor applied to α every tick.
            curiosity: probability of a random action instead of the best known one in an episode.
            win_value: worth of a won game.
            seed: of all random choices.
        """
        super().__init__(state, timer, player)
        self._depth = depth
        self._discount = discount
        self.rate = rate
        self._lowest_rate = lowest_rate
        self._decay = decay
        self._curiosity = curiosity
        self._win_value = win_value
        self._random = random.Random(seed)
        self._table: dict[Situation, Row] = {}

    def act(self, state: StateObservation, timer: Timer) -> Action:
        actions = state.available_actions
        if not actions:
            return Action.NIL
        if len(self._table) > MAX_SITUATIONS:
            self._table = {}
        for _ in iterations(timer, calls=self._depth):
            self._episode(state)
        self.rate = max(self._lowest_rate, self.rate * self._decay)
        situation, _ = self._look(state)
        return self._best_action(self._row(situation), actions)

    def _episode(self, root: StateObservation) -> None:
        """Learn from one episode: Q ← Q + α (reward + γ max Q' - Q) after each tick."""
        state = another_future(root, self._random)
        situation, worth = self._look(state)
        row, actions = self._row(situation), state.available_actions
        for _ in range(self._depth):
            if not actions:
                break
            if self._random.random() < self._curiosity:
                action = self._random.choice(actions)
            else:
                action = self._best_action(row, actions)
            state.advance(action)
            next_situation, next_worth = self._look(state)
            next_row, actions = self._row(next_situation), state.available_actions
            future = max([next_row[follow_up] for follow_up in actions], default=0.0)  # empty at the end
            old = row[action]
            row[action] = old + self.rate * (next_worth - worth + self._discount * future - old)
            row, worth = next_row, next_worth

    def _row(self, situation: Situation) -> Row:
        """The row of a situation, created if necessary."""
        row = self._table.get(situation)
        if row is None:
            row = self._table[situation] = [0.0] * N_ACTIONS
        return row

    def _best_action(self, row: Row, actions: tuple[Action, ...]) -> Action:
        """The action with the highest value; ties are broken at random."""
        highest = max([row[action] for action in actions])
        return self._random.choice([action for action in actions if row[action] == highest])

    def _look(self, state: StateObservation) -> tuple[Situation, float]:
        """The table key of a state, and its worth."""
        (x, y), block = avatar_position(state), state.block_size
        npcs = list(chain(*state.npcs))
        outcome = self._outcome(state)
        if (x, y) == NOWHERE:
            return _pack(*NOWHERE, 0, *NO_NPC, len(npcs)), outcome + state.scores[self.player] - len(npcs)
        to_npcs = [(abs(npc.x - x) + abs(npc.y - y)) / block for npc in npcs]
        distances = to_npcs + [(abs(portal.x - x) + abs(portal.y - y)) / block for portal in chain(*state.portals)]
        mean = round(sum(distances) / len(distances)) if distances else 0
        distance = min(to_npcs, default=0.0)
        enemy = npcs[to_npcs.index(distance)] if npcs else None
        seen = (*cell_of(enemy.position, block), enemy.type) if enemy else NO_NPC
        worth = outcome + state.scores[self.player] - len(npcs) - distance
        return _pack(*cell_of((x, y), block), mean, *seen, len(npcs)), worth

    def _outcome(self, state: StateObservation) -> float:
        winner = state.winners[self.player]
        return self._win_value if winner == WON else -self._win_value if winner == LOST else 0.0
