"""Acting: plans that win, experiments, and novelty, all in simulations of the learnt text.

One search serves all three: from the observed state, the avatar's actions are simulated breadth first, and a state is
expanded only if it shows something that no earlier one showed: the avatar or another sprite of a changing type in a new
cell, or a new amount. A plan that wins is followed. Otherwise the most interesting meeting is sought: one of types that
have met least often, or on which the kept hypotheses have different rules.
"""

from __future__ import annotations

import random
from collections import Counter, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vgdl import Action, Winner
from vgdl.core.state import StateObservation
from vgdl.induction.hypothesis import EDGE, Hypothesis
from vgdl.induction.likelihood import World, differences
from vgdl.induction.observations import Fate, Frame, layout_of

_WANDER = 8  #: random actions where no plan is of interest
_LONGEST = 60  #: ticks of a plan
_RECENT = 30  #: ticks from which the trust in a hypothesis follows
_TRUST = 0.6  #: share of right predictions below which half of the actions are random
_DEATH = -4.0  #: interest in a plan that loses: less than that of any meeting
_SCORE = 0.5  #: interest in a plan per point
_RANDOM = 0.1  #: share of random actions in any case, so that nothing is left out for ever

Pair = tuple[int, int]


@dataclass
class _Node:
    state: StateObservation
    actions: tuple[Action, ...]


class Actor:
    """Chooses actions in one play.

    Args:
        draws: the source of random choices.
        meetings: how often sprites of each pair of types have met, over all plays; kept up by `note`.
        planned: ticks that are simulated for a plan.
    """

    def __init__(self, draws: random.Random, meetings: Counter[Pair], planned: int) -> None:
        self.draws = draws
        self.meetings = meetings
        self.planned = planned
        self.simulated = 0  #: ticks simulated so far
        self._recent: deque[bool] = deque(maxlen=_RECENT)
        self._plan: deque[Action] = deque()
        self._shadow: StateObservation | None = None
        self._world: World | None = None
        self._last: Frame | None = None
        self._visits: Counter[tuple[int, int] | None] = Counter()

    @property
    def trust(self) -> float:
        """Share of the last ticks that were predicted without a difference."""
        return (1 + sum(self._recent)) / (1 + len(self._recent))

    @property
    def types(self) -> int:
        """The number of types that the compiled hypothesis knows."""
        return 0 if self._world is None else len(self._world.numbers)

    def start(self, hypotheses: Sequence[Hypothesis], world: World | None) -> None:
        """Begin a play with these hypotheses, of which the first one is compiled."""
        self._world, self._hypotheses = world, tuple(hypotheses)
        self._plan.clear()
        self._shadow = self._last = None
        self._visits.clear()

    def note(self, frame: Frame, steady: frozenset[int]) -> None:
        """Take in the next state of the play."""
        ground = Ground(frame, steady)
        self.meetings.update(ground.met(ground.moving(frame.arrays)))
        if self._world is None:
            return
        shown = frame.renumbered(self._world.numbers)
        if self._last is None or self._shadow is None:
            self._ground = Ground(shown, frozenset(self._world.numbers[kind] for kind in steady))
            self._board = self._world.board(layout_of(frame, steady))
            self._shadow = self._world.placed(self._board, shown, None, None, self.draws.getrandbits(20))
        else:
            self._shadow.advance(self._last.action)
            right = differences(self._last, self._shadow, shown) is None
            self._recent.append(right)
            if not right:
                self._plan.clear()
            seed = self.draws.getrandbits(20)
            self._shadow = self._world.placed(self._board, shown, self._shadow, self._last, seed)
        self._last = shown

    def act(self, frame: Frame) -> Action:
        """The next action in the state that was noted last."""
        actions = (*frame.actions, Action.NIL)
        careless = self.trust < _TRUST and self.draws.random() < 0.5
        if self._world is None or self._shadow is None or careless or self.draws.random() < _RANDOM:
            self._plan.clear()
            action = self.draws.choice(actions)
        else:
            if not self._plan:
                self._plan.extend(self._planned(frame.actions) or self.draws.choices(actions, k=_WANDER))
            action = self._plan.popleft()
        self._visits[None if frame.avatar is None else frame.avatar.position] += 1
        if self._last is not None:
            self._last = replace(self._last, action=action)
        return action

    # ------------------------------------------------------------------------------------------------- planning

    def _planned(self, actions: Sequence[Action]) -> tuple[Action, ...]:
        """The plan of most interest; empty if nothing is of any."""
        assert self._shadow is not None
        disputed = self._disputed()
        seen: set[tuple[object, ...]] = set()
        queue: deque[_Node] = deque([_Node(self._shadow.copy(history=False), ())])
        self._is_new(self._shadow, seen)
        known = self._ground.met(self._ground.moving(self._shadow.arrays))
        best: tuple[float, tuple[Action, ...]] = (0.0, ())
        spent = 0
        while queue and spent < self.planned:
            node = queue.popleft()
            for action in self.draws.sample(list(actions), len(actions)):
                state = node.state.copy(history=False)
                state.advance(action)
                spent += 1
                plan = (*node.actions, action)
                if state.is_over and state.winner == Winner.PLAYER_WINS:
                    self.simulated += spent
                    return plan
                interest = self._interest(state, node.state, known, disputed) - 0.01 * len(plan)
                if interest > best[0]:
                    best = interest, plan
                if not state.is_over and len(plan) < _LONGEST and self._is_new(state, seen):
                    queue.append(_Node(state, plan))
        self.simulated += spent
        return best[1]

    def _interest(
        self, state: StateObservation, before: StateObservation, known: set[Pair], disputed: Counter[Pair]
    ) -> float:
        """How much a transition would show: rare and disputed meetings, scores, rarely visited places."""
        if state.is_over:
            return _DEATH
        assert self._world is not None
        own = self._world.own
        interest = _SCORE * (state.score - before.score)
        for pair in self._ground.met(self._ground.moving(state.arrays)) - known:
            one, other = own.get(pair[0], EDGE), own.get(pair[1], EDGE)
            key = (min(one, other), max(one, other))
            interest += (1.0 + 2.0 * disputed[key]) / (1.0 + self.meetings[key])
        avatar = state.avatar
        if avatar is not None:
            interest += 0.2 / (1 + self._visits[avatar.position])
        return interest

    def _is_new(self, state: StateObservation, earlier: set[tuple[object, ...]]) -> bool:
        """Whether a state shows something that no earlier one showed; this is noted."""
        avatar = state.avatar
        atoms: set[tuple[object, ...]] = set(self._ground.moving(state.arrays))
        if avatar is not None:
            atoms |= {("held", number, amount) for number, amount in avatar.resources.items()}
            atoms.add((avatar.position, avatar.orientation))
        atoms.add(("score", state.score))
        fresh = atoms - earlier
        earlier |= atoms
        return bool(fresh)

    def _disputed(self) -> Counter[Pair]:
        """The pairs of types on which the hypotheses have different rules."""
        found: Counter[Pair] = Counter()
        rules = [set(hypothesis.rules) for hypothesis in self._hypotheses]
        for rule in set().union(*rules):
            if any(rule not in other for other in rules):
                found[min(rule.first, rule.second), max(rule.first, rule.second)] = 1
        return found


class Ground:
    """The sprites of a play that never change, by cell, so that only the others are looked at in every state.

    Args:
        frame: the first state of the play.
        steady: the types of sprites that never change.
    """

    def __init__(self, frame: Frame, steady: frozenset[int]) -> None:
        self.steady = steady
        self.block = frame.block_size
        self._beside: dict[tuple[int, int], set[int]] = {}  # types in a cell and the four next to it
        for kind, x, y in frame.fates.values():
            if kind in steady:
                for cell in _around((x // self.block, y // self.block)):
                    self._beside.setdefault(cell, set()).add(kind)

    def moving(self, arrays: NDArray[np.void]) -> list[Fate]:
        """The sprites of all other types."""
        return [(kind, x, y) for _, kind, _, x, y in arrays.tolist() if kind not in self.steady]

    def met(self, moving: Iterable[Fate]) -> set[Pair]:
        """The pairs of types of which sprites are in the same or in neighbouring cells, each in ascending order."""
        cells: dict[tuple[int, int], set[int]] = {}
        for kind, x, y in moving:
            cells.setdefault((x // self.block, y // self.block), set()).add(kind)
        found: set[Pair] = set()
        for cell, kinds in cells.items():
            near = self._beside.get(cell, set()).union(*(cells[other] for other in _around(cell) if other in cells))
            found |= {(min(a, b), max(a, b)) for a in kinds for b in near if a != b}
        return found


def _around(cell: tuple[int, int]) -> tuple[tuple[int, int], ...]:
    """A cell and the four next to it."""
    column, row = cell
    return ((column, row), (column + 1, row), (column - 1, row), (column, row + 1), (column, row - 1))
