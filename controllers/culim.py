"""culim: Q-learning by look-ahead (The 2014 General Video Game Playing Competition, section V)."""

from __future__ import annotations

import random
from collections.abc import Hashable
from itertools import chain

from vgdl import Action, StateObservation
from vgdl.controllers.base import Controller, Timer
from vgdl.controllers.distances import NOWHERE, avatar_position, cell_of, manhattan
from vgdl.controllers.futures import another_future
from vgdl.controllers.pace import iterations
from vgdl.controllers.value import LOST, WON

MAX_ENTRIES = 200_000
"""Values in the table at which it is begun anew, which bounds its memory."""

Situation = Hashable
"""What the table tells states apart by."""


class Culim(Controller):
    """Learns a table of action values from episodes of the forward model that begin in the current state.

    The situation is the avatar's position, the mean distance to NPCs and portals, the nearest NPC's cell and type, and
    how many NPCs are left. A state is worth its score, minus the NPCs left, minus the Manhattan distance to the nearest
    NPC, and ± ``win_value`` if it is won or lost. Episodes are ``depth`` ticks long, with discount γ = 1.0 and a
    learning rate α that decays from 0.7 to 0.1. The answer is the action with the highest value.

    The paper leaves open the following. What is rewarded: here the change of a state's worth, since with γ = 1 rewards
    for the worth itself would grow without bounds along cycles. How α decays: by the factor ``decay`` every tick of the
    play, down to 0.1; the table is kept for the whole play. How episodes choose their actions: the best known one, but
    with chance ``curiosity`` any. Positions are in cells, and the mean distance is rounded to one.
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
            lowest_rate: where the decay of α ends.
            decay: factor of α from tick to tick.
            curiosity: chance of any action instead of the best known one within an episode.
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
        self.table: dict[tuple[Situation, Action], float] = {}

    def act(self, state: StateObservation, timer: Timer) -> Action:
        actions = state.available_actions
        if not actions:
            return Action.NIL
        if len(self.table) > MAX_ENTRIES:
            self.table = {}
        for _ in iterations(timer, calls=self._depth):
            self._episode(state)
        self.rate = max(self._lowest_rate, self.rate * self._decay)
        situation, _ = self._look(state)
        return self._best_action(situation, actions)

    def _episode(self, root: StateObservation) -> None:
        state = another_future(root, self._random)
        situation, worth = self._look(state)
        for _ in range(self._depth):
            actions = state.available_actions
            if not actions:
                break
            if self._random.random() < self._curiosity:
                action = self._random.choice(actions)
            else:
                action = self._best_action(situation, actions)
            state.advance(action)
            next_situation, next_worth = self._look(state)
            self._update(situation, action, next_worth - worth, next_situation, state.available_actions)
            situation, worth = next_situation, next_worth

    def _update(
        self, before: Situation, action: Action, reward: float, after: Situation, actions: tuple[Action, ...]
    ) -> None:
        """Q ← Q + α (reward + γ max Q' - Q); a state without actions is the end, and has no future value."""
        future = max((self.table.get((after, follow_up), 0.0) for follow_up in actions), default=0.0)
        old = self.table.get((before, action), 0.0)
        self.table[before, action] = old + self.rate * (reward + self._discount * future - old)

    def _best_action(self, situation: Situation, actions: tuple[Action, ...]) -> Action:
        """The action with the highest value, drawn among equals."""
        values = [self.table.get((situation, action), 0.0) for action in actions]
        highest = max(values)
        return self._random.choice([action for action, value in zip(actions, values, strict=True) if value == highest])

    def _look(self, state: StateObservation) -> tuple[Situation, float]:
        """What the table calls a state, and what the state is worth."""
        position, block = avatar_position(state), state.block_size
        npcs = list(chain(*state.npcs))
        outcome = self._outcome(state)
        if position == NOWHERE:
            return (NOWHERE, len(npcs)), outcome + state.scores[self.player] - len(npcs)
        to_npcs = [manhattan(npc.position, position, block) for npc in npcs]
        distances = to_npcs + [manhattan(portal.position, position, block) for portal in chain(*state.portals)]
        mean = round(sum(distances) / len(distances)) if distances else 0
        distance = min(to_npcs, default=0.0)
        enemy = npcs[to_npcs.index(distance)] if npcs else None
        seen = (cell_of(enemy.position, block), enemy.type) if enemy else None
        worth = outcome + state.scores[self.player] - len(npcs) - distance
        return (cell_of(position, block), mean, seen, len(npcs)), worth

    def _outcome(self, state: StateObservation) -> float:
        winner = state.winners[self.player]
        return self._win_value if winner == WON else -self._win_value if winner == LOST else 0.0
