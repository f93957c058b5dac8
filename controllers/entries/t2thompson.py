"""T2Thompson: A* from 20 frames ahead, hill climbing under threat (The 2014 GVGP Competition, section V)."""

from __future__ import annotations

import random
from collections import deque
from itertools import islice

from vgdl import Action, StateObservation
from vgdl.controllers.base import Controller, Timer
from vgdl.controllers.entries.astar import AStar
from vgdl.controllers.entries.heuristics import Heuristic, Purpose, chosen_by
from vgdl.controllers.search.budget import iterations
from vgdl.controllers.search.distances import Position, avatar_position
from vgdl.controllers.search.futures import another_future
from vgdl.controllers.search.value import LOST, WIN_VALUE, WON

CAUTION = 3
"""Ticks of the plan that are checked for threats."""


class T2Thompson(Controller):
    """Plans with A* while executing the previous plan, and switches to hill climbing when that plan becomes dangerous.

    A plan is a list of ``frames`` actions. While the avatar follows it, A* searches from the state in which it will
    end; then the path to the best node found becomes the next plan. Every tick, the next ticks of the plan are
    simulated in a few futures: if the game is lost in one of them, or if the avatar is off its expected course,
    steepest ascent chooses the action, and planning restarts. A heuristic guides the search and the ascent; it is
    chosen by events that raised the score (module ``heuristics``).

    Our choices where the paper says nothing: the first plan is to wait, and short paths are padded with waiting. A
    threat is a game lost within 3 ticks in one of ``samples`` futures. The ascent uses the mean over as many futures
    as the budget allows. Only events of the last tick count, if the score has risen in it. After ``max_events`` events
    the heuristic no longer changes, since reading events takes longer the more there are.
    """

    def __init__(
        self,
        state: StateObservation,
        timer: Timer,
        player: int = 0,
        *,
        frames: int = 20,
        samples: int = 5,
        max_nodes: int = 20_000,
        max_events: int = 4_000,
        seed: int | None = None,
    ) -> None:
        """Set the search up.

        Args:
            state: the first state; not used.
            timer: the budget; not used.
            player: the player who must not lose.
            frames: ticks of a plan, and so how far ahead the search starts.
            samples: futures in which the plan is checked for threats.
            max_nodes: maximum nodes of one search.
            max_events: number of events in a play after which they are no longer read.
            seed: of all random choices.
        """
        super().__init__(state, timer, player)
        self._frames = frames
        self._samples = samples
        self._max_nodes = max_nodes
        self._max_events = max_events
        self._random = random.Random(seed)
        self._score = state.scores[player]
        self._many_events = False
        self._plan: deque[Action] = deque()
        self._course: deque[Position] = deque()  # expected avatar positions: now and after each action
        self._search: AStar | None = None
        self.heuristic = Heuristic(Purpose.OUTCOME)

    def act(self, state: StateObservation, timer: Timer) -> Action:
        if not state.available_actions:
            return Action.NIL
        self._learn(state)
        if self._search is None or self._course[0] != avatar_position(state):
            self._begin(state, [], timer)
        elif not self._plan:
            self._begin(state, self._search.path(), timer)
        if self._search is None or self._is_threatened(state, timer):
            self._search = None
            return self._climb(state, timer)
        self._search.run(timer)
        self._course.popleft()
        return self._plan.popleft()

    def _learn(self, state: StateObservation) -> None:
        """Choose another heuristic if the last tick has raised the score."""
        score = state.scores[self.player]
        if score > self._score and not self._many_events:
            events = state.events
            self._many_events = len(events) > self._max_events
            recent = [event for event in events if event.tick == state.tick - 1]
            self.heuristic = chosen_by(recent) or self.heuristic
        self._score = score

    def _begin(self, state: StateObservation, way: list[Action], timer: Timer) -> None:
        """Make a path the plan, and start a search from its end.

        There is no search if the game ends on the path, or if simulating it takes too much of the budget.
        """
        self._search = None
        if timer.calls_left < 2 * self._frames:
            return
        self._plan = deque(way[: self._frames])
        self._plan.extend([Action.NIL] * (self._frames - len(self._plan)))
        self._course = deque([avatar_position(state)])
        future = another_future(state, self._random)
        for action, _ in zip(self._plan, iterations(timer, calls=1), strict=False):
            future.advance(action)
            self._course.append(avatar_position(future))
        if len(self._course) > len(self._plan) and not future.is_over:
            self._search = self._search_from(future)

    def _search_from(self, root: StateObservation) -> AStar:
        heuristic, score = self.heuristic, root.score
        return AStar(
            root,
            is_goal=lambda state: state.winners[self.player] == WON,
            estimate=lambda state: heuristic.remaining(state, score),
            generator=self._random,
            player=self.player,
            max_nodes=self._max_nodes,
        )

    def _is_threatened(self, state: StateObservation, timer: Timer) -> bool:
        """Whether the next ticks of the plan lose the game in some future."""
        actions = list(islice(self._plan, CAUTION))
        for _ in islice(iterations(timer, calls=CAUTION), self._samples):
            future = another_future(state, self._random)
            future.rollout(actions)
            if future.winners[self.player] == LOST:
                return True
        return False

    def _climb(self, state: StateObservation, timer: Timer) -> Action:
        """Steepest ascent: the action with the highest mean value of the next state; ties are broken at random."""
        actions = self._random.sample(state.available_actions, len(state.available_actions))
        totals = dict.fromkeys(actions, 0.0)
        simulations = dict.fromkeys(actions, 0)
        for number in iterations(timer, calls=1):
            action = actions[number % len(actions)]
            future = another_future(state, self._random)
            future.advance(action)
            totals[action] += self._height(future)
            simulations[action] += 1
        tried = [action for action in actions if simulations[action]]
        return max(tried, key=lambda action: totals[action] / simulations[action], default=actions[0])

    def _height(self, state: StateObservation) -> float:
        winner = state.winners[self.player]
        outcome = WIN_VALUE if winner == WON else -WIN_VALUE if winner == LOST else 0.0
        return outcome - self.heuristic.remaining(state, self._score)
