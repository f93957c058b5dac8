"""Information set Monte Carlo tree search, for games in which players do not see everything.

Each simulation begins with a sampled state that the player to move cannot tell from the true one. Nodes belong to what
the player to move knows, so states that look alike share their statistics; an action is chosen among those legal in the
state at hand, by UCT as in `vgdl.controllers.tabletop.MCTS` (code world models, 8.2).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from random import Random
from typing import Any

from vgdl.controllers.tabletop.answers import Candidate
from vgdl.controllers.tabletop.budget import Budget
from vgdl.controllers.tabletop.resampling import CannotSearch, Resampler, knowledge, name_of
from vgdl.deprecation import warn_deprecated
from vgdl.tabletop import sample_chance
from vgdl.tabletop.position import rollout
from vgdl.tabletop.protocols import Uniform

Sampler = Callable[[Any, int, Uniform], Any]  #: of a state, a player and random numbers: a state the player may be in
Value = Callable[[Any, int], float]  #: of a state and a player, in units of returns


class Node:
    """Statistics of simulations through one information set, by action."""

    __slots__ = ("totals", "visits")

    def __init__(self) -> None:
        self.visits: dict[int, int] = {}
        self.totals: dict[int, float] = {}


class ISMCTS:
    """Plays by information set MCTS. The same seed and number of simulations lead to the same actions.

    >>> from vgdl import tabletop
    >>> from vgdl.controllers.tabletop import ISMCTS
    >>> state = tabletop.load("othello(size=4)").new_initial_state()
    >>> state.action_to_string(ISMCTS(simulations=20, rollouts=1, seed=1).step(state))
    'c4'
    """

    def __init__(
        self,
        *,
        simulations: int | None = None,
        milliseconds: float | None = None,
        rollouts: int = 10,
        exploration: float = math.sqrt(2),
        max_rollout: int = 1000,
        value: Value | None = None,
        sampler: Sampler | None = None,
        seed: int | None = None,
        c: float | None = None,
    ) -> None:
        """Set the search up; nothing is kept from one move to the next but the random generator.

        Args:
            simulations: per move; 1000 unless ``milliseconds`` is given.
            milliseconds: CPU time per move.
            rollouts: random games whose mean values a new leaf.
            exploration: its weight in the bound of an action (``c`` in UCT).
            max_rollout: actions of a rollout, after which it counts 0 to all.
            value: function of a state and a player in place of rollouts.
            sampler: where states come from; `Resampler` unless given.
            seed: of the generator; unpredictable if None.
            c: deprecated name of ``exploration``.

        Raises:
            ValueError: a number is out of range.
        """
        if c is not None:
            warn_deprecated("ISMCTS(c=...)", "ISMCTS(exploration=...)", removal="1.2")
            exploration = c
        if rollouts < 1 or max_rollout < 1:
            raise ValueError("a leaf is valued by one rollout or more, of one action or more")
        if simulations is None and milliseconds is None:
            simulations = 1000
        self.budget = Budget(simulations, milliseconds)
        self.rollouts = rollouts
        self.exploration = exploration
        self.max_rollout = max_rollout
        self.value = value
        self.sampler = sampler or Resampler()
        self.random = Random(seed)
        self.simulations = 0  #: of the last search
        self.dropped = 0  #: samples of the last search that the player could tell from the true state
        self._nodes: dict[Hashable, Node] = {}
        self._low, self._high = 1.0, -1.0

    def step(self, state: Any) -> int:
        """The action to take, as a ``pyspiel.Bot`` would answer; if only one is legal, without a search."""
        try:
            legal = state.legal_actions()
        except RuntimeError as error:
            raise CannotSearch(f"{name_of(state)} cannot be searched: {error}") from None
        return int(legal[0]) if len(legal) == 1 else self.search(state)[0].action

    def search(self, state: Any) -> list[Candidate]:
        """All legal actions, the one to take first.

        A sample that the player can tell from ``state`` is dropped and counted in `dropped`; it uses up a simulation.
        If all are dropped, the order is random.

        Raises:
            ValueError: no player is to move, or several at once.
            CannotSearch: the game cannot be searched, for example because what is hidden cannot be sampled.
        """
        try:
            return self._search(state)
        except RuntimeError as error:  # OpenSpiel's
            raise CannotSearch(f"{name_of(state)} cannot be searched: {error}") from None

    def _search(self, state: Any) -> list[Candidate]:
        player = state.current_player()
        if player < 0:
            raise ValueError("it is not a single player's turn: there is nothing to search for")
        self._nodes = {}
        self._low, self._high = 1.0, -1.0
        self.simulations = self.dropped = 0
        known, legal = knowledge(state, player), state.legal_actions()
        root = self._nodes[_key(state, player, {})] = Node()
        self.budget.begin()
        while self.budget.spend():
            sample = self.sampler(state, player, self.random.random)
            if sample.current_player() != player or knowledge(sample, player) != known:
                self.dropped += 1
                continue
            self._simulate(sample)
            self.simulations += 1
        found = [Candidate(action, visits, root.totals[action] / visits) for action, visits in root.visits.items()]
        unseen = [Candidate(action, 0, 0.0) for action in legal if action not in root.visits]
        self.random.shuffle(unseen)
        found.sort(key=lambda candidate: (-candidate.visits, -candidate.value, candidate.action))
        return found + unseen

    def _simulate(self, state: Any) -> None:
        """One simulation: down the tree, a value for the leaf, and back up."""
        path: list[tuple[Node, int, int]] = []  # node, player, action
        memory: dict[int, tuple[Hashable, ...]] = {}
        while not state.is_terminal():
            if state.is_chance_node():
                sample_chance(state, self.random.random)
                continue
            player = state.current_player()
            if player < 0:
                raise ValueError("players move at once in this game: this search is for games in which they take turns")
            key = _key(state, player, memory)
            node = self._nodes.get(key)
            if node is None:
                self._nodes[key] = Node()
                break
            action = self._choose(node, state.legal_actions())
            memory[player] = (*memory.get(player, ()), key, action)
            path.append((node, player, action))
            state.apply_action(action)
        values = self._evaluate(state)
        self._low, self._high = min(self._low, *values), max(self._high, *values)
        for node, player, action in path:
            node.visits[action] = node.visits.get(action, 0) + 1
            node.totals[action] = node.totals.get(action, 0.0) + values[player]

    def _choose(self, node: Node, legal: list[int]) -> int:
        """An action that was not tried here yet, at random, or the one with the largest bound."""
        untried = [action for action in legal if action not in node.visits]
        if untried:
            return self.random.choice(untried)
        scale = 2.0 / (self._high - self._low) if self._high > self._low else 0.0
        explored = self.exploration * math.sqrt(math.log(sum(node.visits[action] for action in legal) + 1))

        def bound(action: int) -> float:
            visits = node.visits[action]
            return scale * node.totals[action] / visits + explored / math.sqrt(visits)

        return max(legal, key=bound)

    def _evaluate(self, state: Any) -> list[float]:
        """The expected return of each player."""
        if state.is_terminal():
            return list(state.returns())
        players = state.get_game().num_players()
        if self.value is not None:
            return [self.value(state, player) for player in range(players)]
        sums = [0.0] * players
        for _ in range(self.rollouts):
            ended = rollout(state, self.max_rollout, self.random.getrandbits(64))
            sums = [total + value for total, value in zip(sums, ended, strict=True)]
        return [total / self.rollouts for total in sums]


def _key(state: Any, player: int, memory: dict[int, tuple[Hashable, ...]]) -> Hashable:
    """A player's information set: what it knows now, or what it has seen and done since the root and sees now."""
    if state.get_game().get_type().provides_information_state_string:
        return player, state.information_state_string(player)
    return player, state.observation_string(player), memory.get(player, ())
