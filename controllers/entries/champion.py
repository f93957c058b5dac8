"""Champion: exact width search where a game is certain, plans tried in many futures where it is not.

Every part can be switched off by a keyword, for ablations; ``docs/champion.md`` explains them.
"""

from __future__ import annotations

import math

from vgdl import Action, StateObservation
from vgdl.controllers.base import Controller, Timer
from vgdl.controllers.search.budget import Budget
from vgdl.controllers.search.generator import Generator
from vgdl.controllers.search.outline import Outline
from vgdl.controllers.search.outlook import Outlook
from vgdl.controllers.search.plan_pool import PlanPool, Safety
from vgdl.controllers.search.share import Share
from vgdl.controllers.search.width import WidthSearch

TABLE_BITS = 22
"""The transposition table has 2 to this power slots, and half as many states fit."""

SMALL_BITS = 16
"""The same where the search starts anew in every tick, since a large table takes long to clear."""

MEMORY = 600 << 20
"""Bytes for states that the exact search keeps."""

CALLS = 18
"""Forward-model calls of an expansion, at most."""

BREADTH = 4
"""One part in so many of the memory is for breadth-first search, before a depth-first one begins anew."""

WAITING = 0.4
"""Share of the ticks left that the player may spend on thinking where standing still changes nothing."""

CHANCY = 0.03
"""If this share of the ticks could have ended otherwise, the game is one of chance."""

FORESIGHT = 30
"""Ticks of a future without actions, in which is seen what happens anyway."""

ALL, AHEAD = 0.9, 0.6
"""Shares of the budget left for searching on once the answer is known: of calls, and of time. A stall of the machine
while memory is touched for the first time must fit into the rest, and hurts more than a shorter search."""

LOOKING = 0.15
"""Share of the budget for what is best for the opponent."""

LEAST_SHARE, MOST_SHARE = 0.2, 0.6
"""Shares of the budget for the width search in games of chance: if none of the best plans is its own, if all are."""

CREDIT_RATE = 0.05
"""Weight of the last tick in the shares of the best plans that came from a search."""

OUTLINE_BITS, OUTLINE_MEMORY = 21, 300 << 20
"""Limits of the search that tells states by their outlines."""

FEW = 20_000
"""States that are soon found again, if a search begins anew."""

LEAST_PART = 0.2
"""Of the time for width searches, what each of the two has at least."""

COMPARING, EVERY_COMPARED = 0.06, 4
"""Share of the budget for comparing futures, in one tick of so many."""

THINKING = 0.2
"""Share of the ticks left that the player may spend on thinking where only restless sprites move."""

QUIET_FUTURES = 3
"""Futures without actions in which nothing else may happen, for that."""

LAST_TICK = 2000
"""The tick in which a play ends at the latest."""

PLAN_TICKS = 640
"""Ticks without actions that last at least as long as the longest trial of a plan: time kept in reserve."""

RESERVE, MOST_RESERVED_MS = 0.2, 8.0
"""Share of the budget, and milliseconds at most, that are left when the last trial of a plan ends. About one answer in
10,000 takes 4 to 16 ms longer on a virtual machine, for no reason of its own."""

LOOKS = 10
"""Parts of the budget of which one, at most, goes to seeing what happens anyway."""

SAMPLE = 10
"""Ticks without actions that are timed in every answer, unless a tick takes long."""

FORGETTING = 0.7
"""What remains, with each answer, of an overrun; and without an expansion, of the time that one is taken to need."""

SLOW_MS = 0.1
"""Milliseconds of a tick above which only one is timed."""

PIECE = 100
"""Ticks without actions that are played at a time to see when the game ends."""

RISK = 300.0
"""What a lost future weighs, in the smallest rewards."""

CONSTRUCTION = 0.75
"""Share of the budget for the construction that is used."""

CONSTRUCTION_MS = 500.0
"""Milliseconds of it at most."""


class Champion(Controller):
    """A player of games that it has never seen.

    In every tick it moves the root of its width search to the state that the play has reached, and searches on. Where
    all steps to the best state found are certain, it goes there; where standing still changes nothing, it rather goes
    on thinking for a while, unless it has found a win. Where chance matters, the best states' plans are tried in many
    futures together with those of the tick before, and the first action is chosen by their values and its risk.
    """

    def __init__(
        self,
        state: StateObservation,
        timer: Timer,
        player: int = 0,
        *,
        seed: int | None = None,
        exact: bool = True,
        pool: bool = True,
        safety: bool = True,
        waiting: bool = True,
        curiosity: bool = True,
        news: bool = True,
        pairs: bool = True,
        distances: bool = False,
        deep: bool = True,
        opponent: bool = True,
        sharing: bool = True,
        protection: bool = True,
        outlines: bool = True,
        retries: bool = True,
        aftermath: bool = True,
        table_bits: int = TABLE_BITS,
        memory: int = MEMORY,
    ) -> None:
        """Set the searches up, and search for most of the time that the construction has.

        Args:
            state: the first state.
            timer: the budget of the construction.
            player: whose number in the game this is.
            seed: of all random numbers.
            exact: keep the width search from tick to tick and follow its plans where they are certain.
            pool: try plans in many futures where they are not.
            safety: measure the risk of every first action.
            waiting: think on where standing still changes nothing.
            curiosity: value cells that the play has not visited.
            news: value totals that the play has not seen.
            pairs: count pairs of the avatar's place and another fact as novel.
            distances: value nearness to what is worth reaching, over ground that lets the avatar in.
            deep: search depth first in every other search that began because memory was full.
            sharing: give the width search the more of the budget the more of the best plans have been its own.
            protection: value the last sprites of types without which the game is lost.
            outlines: where chance matters, keep another width search from tick to tick, of states without what moves at
                random.
            retries: keep several states of an outline where an action lost in the future in which it was found.
            aftermath: let the ticks without actions after a plan count, where doing nothing is not lost at once.
            opponent: learn what the other player is likely to do; otherwise it is taken to act at random.
            table_bits: the exact search's table has 2 to this power slots.
            memory: bytes for the states that it keeps.
        """
        super().__init__(state, timer, player)
        self.exact, self.pool, self.safety, self.waiting = exact, pool, safety, waiting
        self.deep = deep
        self.sharing = sharing
        self.table_bits = table_bits
        self._generator = generator = Generator(seed)
        self._outlook = Outlook(state, player)
        if not curiosity:
            self._outlook.curiosity = 0.0
        if not news:
            self._outlook.news = 0.0
        self._outlook.distances = distances
        self._outlook.protection = protection
        self._outlook.opponent.learns = opponent
        self._for_two = state.n_players == 2
        self._search = WidthSearch(state, self._outlook, generator, table_bits, memory)
        self._search.pairs = pairs
        self._search.part = BREADTH if deep else 1
        self._plans = PlanPool(state, self._outlook, generator)
        self._plans.aftermath = aftermath
        self._safety = Safety(state, self._outlook, generator)
        self._nothing = [Action.NIL] * state.n_players if state.n_players > 1 else Action.NIL
        self._deadline = self._end_by_waiting(state, timer)
        self._waited = 0
        self._credit = self._part = 0.5
        self._outline = Outline(state, player)
        self._outlined: WidthSearch | None = None
        self._version = -1
        self.outlines = outlines and not self._for_two
        self.retries = retries
        self._tick_ms = self._expansion_ms = self._overrun_ms = 0.0
        self._route: bytes = b""
        self._is_chancy = self._for_two
        self._time_ticks(state, timer)
        self._outlook.live_through(state)
        if self.outlines:
            self._compare_futures(state, timer)
        self._grow(self._search, Share(timer, CONSTRUCTION, most_ms=CONSTRUCTION_MS), 1.0)
        self._see_chance()
        if self._is_chancy and self.outlines:
            self._outlined = self._search_of_outlines(state)

    def act(self, state: StateObservation, timer: Timer) -> Action:
        self._observe(state, timer)
        search = self._search
        if self._route:  # what is left of a plan that led out of a full table
            step, self._route = self._route[0], self._route[1:]
            return Action(step)
        if search.full or not (self.exact and search.move(state)):
            self._begin(search, state, self._bits())
        goal = self._won()
        if goal >= 0:
            return Action(search.plan(goal)[0])
        share = self._search_share()
        if self._is_chancy and self.outlines:
            self._grow_outlined(state, timer, share * self._part)
            share *= 1.0 - self._part
        self._grow(search, timer, share)
        if search.n_found < FEW and self._has_left_behind(search):
            self._begin(search, state, self._bits())
            self._grow(search, timer, share)
        self._see_chance()
        goal = self._won()
        if goal >= 0:
            return Action(search.plan(goal)[0])
        if not self._is_chancy:
            action = self._certain_action(state, timer)
            if action is not None:
                self._grow_ahead(search, timer)
                goal = self._won()
                return action if goal < 0 else Action(search.plan(goal)[0])
        return self._likely_action(state, timer)

    def _see_chance(self) -> None:
        """Decide whether chance matters in this game, by the ticks that the search has tried twice."""
        search = self._search
        if search.tried:  # otherwise ticks are too slow to tell
            by_chance = search.differences > CHANCY * search.tried
            self._is_chancy = by_chance or self._for_two or not self.exact
        search.careful = not self._is_chancy

    def _compare_futures(self, state: StateObservation, timer: Timer) -> None:
        """Look for restless sprites."""
        budget = self._budget(timer, COMPARING)
        self._outline.compare(state, self._generator, budget)

    def _observe(self, state: StateObservation, timer: Timer) -> None:
        """Take in a state of the play, and what is to be expected of the other player and of chance."""
        self._time_ticks(state, timer)
        self._outlook.live_through(state)
        if self._for_two:
            self._outlook.opponent.look_ahead(state, self._generator, Budget(Share(timer, LOOKING), CALLS, 0.0))
        if self._is_chancy:
            self._outlook.expect(state, self._generator, int(min(FORESIGHT, self._room(timer) / LOOKS)))

    def _time_ticks(self, state: StateObservation, timer: Timer) -> None:
        """Measure how long a tick takes now: crowds of sprites grow. With a budget of calls it does not matter."""
        if timer.remaining_ms == math.inf:
            return
        future = state.copy(history=False)
        started_ms = timer.elapsed_ms
        future.rollout([self._nothing] * (SAMPLE if self._tick_ms < SLOW_MS else 1))
        self._tick_ms = (timer.elapsed_ms - started_ms) / max(future.tick - state.tick, 1)

    def _budget(self, timer: Timer, share: float) -> Budget:
        """A share of the time left, used in full: the last trials of plans keep the reserve."""
        return Budget(Share(timer, share), CALLS, 0.0, self._tick_ms)

    def _room(self, timer: Timer) -> float:
        """How many ticks fit into the time left."""
        return max(timer.remaining_ms, 0.0) / self._tick_ms if self._tick_ms > 0.0 else math.inf

    def _grow(self, search: WidthSearch, timer: Timer, share: float) -> None:
        """Search for a share of the time left, unless an expansion is known to take longer.

        By as much as it took too long, where sprites became many at once, the next searches end earlier.
        """
        started_ms = timer.elapsed_ms
        part = Share(timer, share)
        call_ms = max(self._tick_ms, 2.0 * self._expansion_ms / CALLS)
        expanded = search.grow(Budget(part, CALLS, self._overrun_ms, call_ms))
        self._overrun_ms = max(part.elapsed_ms - part.budget_ms, FORGETTING * self._overrun_ms)
        if expanded:
            self._expansion_ms = (timer.elapsed_ms - started_ms) / expanded
        else:
            self._expansion_ms *= FORGETTING  # so that one is tried again

    def _grow_ahead(self, search: WidthSearch, timer: Timer) -> None:
        """Search on for the ticks to come."""
        self._grow(search, timer, AHEAD if timer.remaining_ms < math.inf else ALL)

    @staticmethod
    def _has_left_behind(search: WidthSearch) -> bool:
        """Whether states may be within reach that a search has found only on ways that it has left behind."""
        return search.exhausted and search.has_moved_on and search.best_win < 0

    def _search_of_outlines(self, state: StateObservation) -> WidthSearch:
        """A search that tells states by their outlines; touching its memory for the first time takes milliseconds."""
        search = WidthSearch(state, self._outlook, self._generator, OUTLINE_BITS, OUTLINE_MEMORY, self._outline)
        search.pairs, search.part = self._search.pairs, BREADTH if self.deep else 1
        if not self.retries:
            search.retries = 0
        return search

    def _grow_outlined(self, state: StateObservation, timer: Timer, share: float) -> None:
        """Let the search of outlines go on from the state."""
        is_turn = state.tick % EVERY_COMPARED == 0
        if is_turn:
            self._compare_futures(state, timer)
        search = self._outlined
        if search is None:
            search = self._outlined = self._search_of_outlines(state)
        elif self._version != self._outline.version or (is_turn and self._has_left_behind(search)):
            search.begin(state, OUTLINE_BITS)
        elif search.full or not search.move(state):
            self._begin(search, state, OUTLINE_BITS)
        self._version = self._outline.version
        self._grow(search, timer, share)

    def _may_think(self, state: StateObservation, timer: Timer) -> bool:
        """Whether a win may yet be found, nothing but restless sprites moves meanwhile, and there is time for it."""
        search = self._outlined
        if not self.waiting or search is None or search.exhausted or search.best_win >= 0:
            return False
        if self._waited > THINKING * (self._deadline - state.tick):
            return False
        ticks = int(min(FORESIGHT, self._room(timer) / (LOOKS * QUIET_FUTURES)))
        return ticks > 0 and self._outline.is_quiet(state, self._generator, QUIET_FUTURES, ticks)

    def _search_share(self) -> float:
        """Share of the budget for the width search."""
        if not self._is_chancy:
            return 0.5
        return LEAST_SHARE + (MOST_SHARE - LEAST_SHARE) * self._credit

    def _bits(self) -> int:
        """Size of the exact search's table."""
        return SMALL_BITS if self._is_chancy else self.table_bits

    def _begin(self, search: WidthSearch, state: StateObservation, bits: int) -> None:
        """Start a search anew; where memory was full, in the other order."""
        if self.deep:
            search.deep = search.full and not search.deep
            search.part = 1 if search.deep else BREADTH
        search.begin(state, bits)

    def _won(self) -> int:
        """The nearest won state that is certain to be reached; -1 if none is known."""
        search = self._search
        won = search.best_win
        return won if self.exact and won >= 0 and search.certain(won) else -1

    def _certain_action(self, state: StateObservation, timer: Timer) -> Action | None:
        """The next step to the best state known, or none where that is not certain."""
        search = self._search
        is_done = search.exhausted or (search.full and not self.deep)
        if self.waiting and not is_done and self._may_wait(state):
            self._waited += 1
            return Action.NIL
        goal = search.target(self._budget(timer, 0.3))
        if goal < 0 or not search.certain(goal) or search.value(goal) < 0.0:
            return None
        steps = search.plan(goal)
        if search.full and self._stands_still(state):  # begin anew where the plan ends
            self._route = steps[1:]
        return Action(steps[0])

    def _may_wait(self, state: StateObservation) -> bool:
        """Whether standing still changes nothing, and there is time for it."""
        return self._waited <= WAITING * (self._deadline - state.tick) and self._stands_still(state)

    def _stands_still(self, state: StateObservation) -> bool:
        """Whether standing still changes nothing."""
        future = state.copy(history=False)
        future.advance(self._nothing)
        return future.key() == state.key()

    def _likely_action(self, state: StateObservation, timer: Timer) -> Action:
        """The action with the best plans, and little risk."""
        if self._may_think(state, timer) and self._outlined is not None:
            self._grow_ahead(self._outlined, timer)
            if self._outlined.best_win < 0:
                self._waited += 1
                return Action.NIL
        search, plans = self._search, self._plans
        choices = [Action.NIL, *(action for action in state.actions_of(self.player) if action != Action.NIL)]
        values: dict[int, float] = {}
        plans.begin(state)
        for action in choices:
            goal = search.best_of(action)
            if goal >= 0:
                values[action] = search.value(goal)
            plans.propose(search.plan(goal) if goal >= 0 else bytes([action]))
        if self._outlined is not None:
            for action in choices:
                goal = self._outlined.best_of(action)
                if goal >= 0:
                    plans.propose(self._outlined.plan(goal), 1, goal == self._outlined.best_win)
        risks: dict[int, float] = {}
        if self.safety:
            budget = self._budget(timer, 0.3)
            risks = self._safety.measure(state, budget, 10, self._room(timer) / 2)
        if self.pool:
            reserve_ms = min(RESERVE * timer.budget_ms, MOST_RESERVED_MS) + PLAN_TICKS * self._tick_ms
            plans.race(Budget(Share(timer), CALLS, reserve_ms, self._tick_ms))
            if self.sharing:
                self._credit += CREDIT_RATE * ((plans.leader >= 0) - self._credit)
                part = 1.0 - LEAST_PART if plans.leader == 1 else LEAST_PART
                self._part += CREDIT_RATE * (part - self._part)
            values = plans.best_by_action() or values  # what was found in one future counts no more
        worst = min(values.values(), default=0.0) - 1.0  # for actions whose plans have been dropped as the worst ones
        least = min(risks.values(), default=0.0)
        return Action(
            max(choices, key=lambda action: values.get(action, worst) - RISK * (risks.get(action, least) - least))
        )

    def _end_by_waiting(self, state: StateObservation, timer: Timer) -> int:
        """The tick in which the game ends if the player does nothing, as far as half of the budget shows."""
        future = state.copy(history=False)
        last = min(LAST_TICK, timer.calls_left // 2)
        half = Share(timer, 0.5)
        while not future.is_over and future.tick < last and half.remaining_ms > 0.0:
            future.rollout([self._nothing] * int(min(PIECE, last - future.tick)))
        return future.tick if future.is_over else LAST_TICK
