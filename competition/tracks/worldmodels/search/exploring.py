"""Explores where planning shows nothing new: by the learnt rules, nothing may lead to points or to victory (13.6)."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Hashable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from vgdl import Action, Category, StateObservation, Winner
from vgdl.competition.tracks.worldmodels.search.hypothesis import RESTING, Hypothesis
from vgdl.competition.tracks.worldmodels.search.records import Rules
from vgdl.competition.tracks.worldmodels.search.verify import keys
from vgdl.controllers import Timer
from vgdl.core.observation import Avatar

PATIENCE = 300  #: ticks without anything new after which exploration begins
AGAIN = 30  #: the same after an exploration, until the score rises
STRETCH = 20  #: ticks of the first exploration; each further one takes twice as long
LONGEST = 160  #: most ticks of one
_SHARE = 0.6  #: share of the time for a search
_MOST = 500  #: most states of a search, about as many as fit into 40 ms
_STILL = (Category.STATIC, Category.PORTAL, Category.RESOURCE)  #: categories of sprites that rarely move by themselves


class _Shown(Protocol):
    """What outlines are made of; recorded and simulated states have it."""

    @property
    def arrays(self) -> NDArray[np.void]: ...
    @property
    def avatar(self) -> Avatar | None: ...
    @property
    def score(self) -> float: ...


class Explorer:
    """Notices that a play shows nothing new, and then seeks states that it has not shown yet.

    States are compared by their outlines: the avatar's type, place and resources, the score, the types of sprites, and
    the places of those that do not move by themselves. A controller whose plans lead to nothing stands still or walks
    in circles, so that outlines repeat. What it lacks, the rules do not show, but a try may.

    Args:
        rules: the learnt rules.
        seed: seed of the order in which actions are tried.
        patience: ticks without anything new after which exploration begins.
        always: whether to explore even if the rules know no victory, or one by time. Otherwise nothing is explored
            then, since surviving may win.
    """

    def __init__(self, rules: Rules, seed: int, patience: int = PATIENCE, *, always: bool = False) -> None:
        self._draws = random.Random(seed)
        self._is_wanted = always or _wins_by_deeds(rules)
        kinds = rules.kinds if isinstance(rules, Hypothesis) else {}
        self._resting = np.array(sorted(n for n, kind in kinds.items() if kind.word in RESTING), np.int64)
        self._shown: set[Hashable] = set()  # outlines of observed states, and goals that were missed
        self._plan: deque[tuple[Action, Hashable]] = deque()  # actions, each with the outline expected after it
        self._goal: Hashable = None  # the last of these outlines
        self._expected: Hashable = None  # after the action taken; None: anything
        self._ticks = self._latest = self._until = 0  # ticks noted, that of the latest new outline, end of exploration
        self._waited = 0  # ticks since then in which the player stood still to think
        self._stretch = STRETCH
        self._first = self._patience = patience
        self._score = -float("inf")  # the highest so far

    def note(self, state: _Shown, *, waits: bool = False) -> None:
        """Note an observed state.

        Args:
            state: the state.
            waits: whether the player stood still, and so did all else. It may think about a puzzle, which a try could
                spoil, so that such ticks do not count as ticks without anything new.
        """
        if not self._is_wanted:
            return
        self._ticks += 1
        self._waited += waits
        outline = self._outline(state)
        if self._expected not in (None, outline):
            self._shown.add(self._goal)  # not to be tried for ever
            self._plan.clear()
        if outline not in self._shown:
            self._shown.add(outline)
            self._latest, self._waited = self._ticks, 0
        if state.score > self._score:
            self._score = state.score
            self._stretch, self._patience, self._until = STRETCH, self._first, 0
        if not self.is_active:
            self._plan.clear()
            if self._ticks - self._waited - max(self._latest, self._until) >= self._patience:
                self._until, self._waited = self._ticks + self._stretch, 0
                self._stretch, self._patience = min(2 * self._stretch, LONGEST), AGAIN
        self._expected = None

    @property
    def is_active(self) -> bool:
        """Whether to explore in this tick."""
        return self._ticks < self._until

    def act(self, state: StateObservation, timer: Timer, actions: Sequence[Action]) -> Action:
        """The next action on the shortest known way to a state with a new outline; a random one if none is known.

        Args:
            state: the present state of the learnt game.
            timer: the budget of this tick.
            actions: the possible actions.
        """
        for wholly in (False, True):  # first wherever the avatar can go, then also what happens while it waits
            if not self._plan:
                self._plan.extend(self._way(state, timer, actions, wholly))
        if not self._plan:
            return self._draws.choice(actions)
        self._goal = self._plan[-1][1]
        action, self._expected = self._plan.popleft()
        return action

    def _way(
        self, state: StateObservation, timer: Timer, actions: Sequence[Action], wholly: bool
    ) -> list[tuple[Action, Hashable]]:
        """Search breadth first for a new outline, without deaths and losses of points.

        States are told apart by the avatar and what does not move by itself, or ``wholly``.
        """
        least = state.score
        reached = {self._node(state, wholly)}
        queue: deque[tuple[StateObservation, list[tuple[Action, Hashable]]]] = deque([(state, [])])
        enough = (1 - _SHARE) * timer.remaining_ms
        while queue and len(reached) < _MOST:
            before, way = queue.popleft()
            for action in self._draws.sample(actions, len(actions)):
                if timer.remaining_ms < enough or timer.calls_left <= 1:
                    return []
                after = before.copy(history=False)
                after.advance(action)
                outline = self._outline(after)
                longer = [*way, (action, outline)]
                if outline not in self._shown and _is_harmless(after, least):
                    return longer
                if not after.is_over and after.score >= least:
                    node = self._node(after, wholly)
                    if node not in reached:
                        reached.add(node)
                        queue.append((after, longer))
        return []

    def _node(self, state: StateObservation, wholly: bool) -> Hashable:
        facing = None if state.avatar is None else state.avatar.orientation
        return self._outline(state), facing, keys(state.arrays).tobytes() if wholly else b""

    def _outline(self, state: _Shown) -> Hashable:
        rows, avatar = state.arrays, state.avatar
        rests = np.isin(rows["category"], _STILL) | np.isin(rows["type"], self._resting)
        own = None if avatar is None else (avatar.type, avatar.position, tuple(sorted(avatar.resources.items())))
        return own, state.score, np.unique(rows["type"]).tobytes(), keys(rows[rests]).tobytes()


def _is_harmless(state: StateObservation, score: float) -> bool:
    return state.winner == Winner.PLAYER_WINS or (not state.is_over and state.score >= score)


def _wins_by_deeds(rules: Rules) -> bool:
    lines = (line.partition("#")[0].split() for line in rules.text().splitlines())
    won = [words[0] for words in lines if "win=true" in map(str.lower, words)]
    return bool(won) and "Timeout" not in won
