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
from vgdl.controllers.search.width import EXPANSION_CALLS, WidthSearch

TABLE_BITS, MEMORY = 22, 600 << 20
"""Limits of the exact search: its transposition table has 2 to this power slots, half of which can be used; bytes for
packed states."""

SMALL_TABLE_BITS = 16
"""Table size where the search starts anew in every tick, since clearing a large table takes long."""

OUTLINE_TABLE_BITS, OUTLINE_MEMORY = 21, 300 << 20
"""Limits of the outline search, which identifies states by their outlines."""

BREADTH_PART = 4
"""Breadth-first search may use one part in this many of the memory. When that is full, depth-first search follows."""

EXACT, OUTLINES = 0, 1
"""Numbers of the exact and the outline search as proposers of plans."""

CHANCY_SHARE = 0.03
"""In games of chance, more than this share of the tested ticks had another result with other random numbers."""

CERTAIN_SHARE = 0.5
"""Share of the budget for the width search before an action is chosen, if the game is not one of chance."""

LEAST_SHARE, MOST_SHARE = 0.2, 0.6
"""Shares of the budget for both width searches in games of chance: if none of the best plans is theirs, if all are."""

LEAST_PART = 0.2
"""Share of that time that each of the two searches has at least."""

CREDIT_RATE = 0.05
"""Weight of the last tick in the averages of which search proposed the best plan."""

AHEAD_CALLS, AHEAD_TIME = 0.9, 0.6
"""Shares of the calls or the time left for searching ahead once the answer is known. A stall of the machine while
memory is touched for the first time must fit into the rest, and costs more than a shorter search."""

TARGET_SHARE = 0.3
"""Share of the time left for checking that the goal is not a trap."""

SAFETY_SHARE, SAFETY_DEPTH = 0.3, 10
"""Share of the time left for the risks of first actions, and the ticks of their rollouts."""

RISK_WEIGHT = 300.0
"""Cost of a certain loss after a first action, in units of the smallest reward."""

COMPARED_SHARE, COMPARED_EVERY = 0.06, 4
"""Share of the budget for finding restless types by comparing futures, in one tick of this many."""

FORESIGHT_TICKS, FORESIGHT_PARTS = 30, 10
"""Ticks of a future without actions, which shows what happens anyway; it uses at most one part in this many of the
budget."""

QUIET_FUTURES = 3
"""Futures in which nothing but restless sprites may move, for the player to stand still and think."""

WAITING_SHARE, THINKING_SHARE = 0.4, 0.2
"""Shares of the ticks left that the player may spend on thinking: where standing still changes nothing, and where only
restless sprites move."""

FEW_STATES = 20_000
"""A search with fewer states than this may be started anew, since they are soon found again."""

LAST_TICK = 2000
"""Last tick of a play at the latest."""

FIRST_CHUNK, CHUNK_TICKS = 10, 100
"""Ticks per call when playing to the end without actions: of the first one, and at most."""

CONSTRUCTION_SHARE, CONSTRUCTION_MS = 0.75, 500.0
"""Share of the construction's budget for the first search, and milliseconds at most."""

TRIAL_TICKS = 2.0
"""Ticks without actions that take at least as long as a tick of a plan's trial: time kept in reserve for one trial."""

RESERVE_SHARE, RESERVE_MS = 0.2, 8.0
"""Share of the budget, and milliseconds at most, left when the last trial of a plan ends. About one answer in 10,000
takes 4 to 16 ms longer on a virtual machine, without a reason of its own."""

TIMED_TICKS, SLOW_MS = 10, 0.1
"""Ticks without actions that are timed in every answer; only one if a tick takes longer than this many milliseconds."""

KEPT = 0.7
"""What remains with each answer of an overrun, and, without an expansion, of the estimated time of one."""


class Champion(Controller):
    """A player of games that it has never seen.

    In every tick it moves the root of its width search to the state that the play has reached, and continues the
    search. If all steps to the best state found are certain, it takes the first one; where standing still changes
    nothing, it stands still and searches for a while instead, unless it has found a win. In games of chance, the plans
    to the best states are tried in many futures together with those of the last tick, and the first action is chosen by
    their values and by its risk.
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
        deep: bool = True,
        sharing: bool = True,
        protection: bool = True,
        outlines: bool = True,
        retries: bool = True,
        aftermath: bool = True,
        motions: bool = True,
        holding: bool = True,
        table_bits: int = TABLE_BITS,
        memory: int = MEMORY,
    ) -> None:
        """Set up the searches, and search for part of the construction's budget.

        Args:
            state: the first state.
            timer: the budget of the construction.
            player: its number in the game.
            seed: of all random numbers; None for an unpredictable one.
            exact: keep the width search from tick to tick, and follow its plans where they are certain.
            pool: try plans in many futures where they are not.
            safety: measure the risk of every first action.
            waiting: stand still to search where that costs nothing.
            curiosity: value cells that the play has not visited.
            news: value numbers of sprites and amounts of resources that the play has not had.
            pairs: count pairs of the avatar's place and another fact as novel.
            deep: alternate between breadth-first and depth-first search whenever memory is full.
            sharing: adapt the width search's share of the budget to how often its plans are the best.
            protection: value the last sprites of types without which the game is lost.
            outlines: in games of chance, keep another search from tick to tick that ignores sprites moving at random.
            retries: keep several states of an outline if an action lost in the first one.
            aftermath: continue some tries of plans without actions, so that later effects of a plan count.
            motions: where the avatar has momentum, count coarse motions as novel.
            holding: where it has momentum, repeat actions until its coarse motion changes.
            table_bits: the exact search's table has 2 to this power slots.
            memory: bytes for the states that it keeps.
        """
        super().__init__(state, timer, player)
        self.exact, self.pool, self.safety, self.waiting = exact, pool, safety, waiting
        self.deep, self.sharing, self.retries = deep, sharing, retries
        self.table_bits = table_bits
        self._for_two = state.n_players == 2
        self.outlines = outlines and not self._for_two
        self._generator = generator = Generator(seed)
        self._outlook = Outlook(state, player)
        if not curiosity:
            self._outlook.curiosity = 0.0
        if not news:
            self._outlook.news = 0.0
        self._outlook.protection = protection
        self.motions, self.holding = motions, holding
        if motions or holding:
            self._outlook.watch()
        self._search = WidthSearch(state, self._outlook, generator, table_bits, memory)
        self._search.pairs, self._search.coarse, self._search.holding = pairs, motions, holding
        self._search.part = BREADTH_PART if deep else 1
        self._outline = Outline(state, player)
        self._outline_search: WidthSearch | None = None
        self._outline_version = -1  # of the outlines in that search
        self._plans = PlanPool(state, self._outlook, generator)
        self._plans.aftermath = aftermath
        self._safety = Safety(state, self._outlook, generator)
        self._is_chancy = self._for_two
        self._plan_left: bytes = b""  # of a plan that led out of a full table
        self._waited = 0  # ticks
        self._credit = 0.5  # average share of the best plans that a search proposed
        self._outline_part = 0.5  # of the width searches' time, for the outline search
        self._nothing = [Action.NIL] * state.n_players if state.n_players > 1 else Action.NIL
        self._tick_ms = self._expansion_ms = self._overrun_ms = 0.0
        self._deadline = self._end_by_waiting(state, timer)
        self._time_ticks(state, timer)
        self._outlook.live_through(state)
        if self.outlines:
            self._compare_futures(state, timer)
        self._grow(self._search, Share(timer, CONSTRUCTION_SHARE, most_ms=CONSTRUCTION_MS), 1.0)
        if self._outlook.momentum:
            self._search.begin(state, table_bits)
            self._grow(self._search, Share(timer, CONSTRUCTION_SHARE, most_ms=CONSTRUCTION_MS / 2), 1.0)
        self._detect_chance()
        if self._is_chancy and self.outlines:
            self._outline_search = self._new_outline_search(state)

    def act(self, state: StateObservation, timer: Timer) -> Action:
        self._observe(state, timer)
        search = self._search
        if self._plan_left:
            step, self._plan_left = self._plan_left[0], self._plan_left[1:]
            return Action(step)
        if search.full or self._is_outdated(search) or not (self.exact and search.move(state)):
            self._begin(search, state, self._size_of_table())
        goal = self._certain_win()
        if goal >= 0:
            return Action(search.plan(goal)[0])
        share = self._search_share()
        if self._is_chancy and self.outlines:
            self._grow_outlines(state, timer, share * self._outline_part)
            share *= 1.0 - self._outline_part
        self._grow(search, timer, share)
        if search.n_found < FEW_STATES and self._has_left_behind(search):
            self._begin(search, state, self._size_of_table())
            self._grow(search, timer, share)
        self._detect_chance()
        goal = self._certain_win()
        if goal >= 0:
            return Action(search.plan(goal)[0])
        if not self._is_chancy:
            action = self._certain_action(state, timer)
            if action is not None:
                self._grow_ahead(search, timer)
                goal = self._certain_win()
                return action if goal < 0 else Action(search.plan(goal)[0])
        return self._likely_action(state, timer)

    # ------------------------------------------------------------------------------------------------------- observing

    def _observe(self, state: StateObservation, timer: Timer) -> None:
        """Learn from a state of the play, and predict what happens without actions."""
        self._time_ticks(state, timer)
        self._outlook.live_through(state)
        if self._is_chancy:
            room = self._ticks_left(timer) / FORESIGHT_PARTS
            self._outlook.expect(state, self._generator, int(min(FORESIGHT_TICKS, room)), room)

    def _detect_chance(self) -> None:
        """Decide whether the game is one of chance, from the ticks that the search has played twice."""
        search = self._search
        if search.tried:  # otherwise ticks are too slow to tell
            by_chance = search.differences > CHANCY_SHARE * search.tried
            self._is_chancy = by_chance or self._for_two or not self.exact
        search.careful = not self._is_chancy

    def _compare_futures(self, state: StateObservation, timer: Timer) -> None:
        """Update which types are restless."""
        self._outline.compare(state, self._generator, self._budget(timer, COMPARED_SHARE))

    def _end_by_waiting(self, state: StateObservation, timer: Timer) -> int:
        """The tick in which the game ends if the player does nothing, as far as half of the budget shows."""
        future = state.copy(history=False)
        last = min(LAST_TICK, timer.calls_left // 2)
        half = Share(timer, 0.5)
        chunk = FIRST_CHUNK
        while not future.is_over and future.tick < last and half.remaining_ms > 0.0:
            before_ms = half.elapsed_ms
            future.rollout([self._nothing] * int(min(chunk, last - future.tick)))
            is_slow = half.elapsed_ms - before_ms > half.remaining_ms / 50  # crowds of sprites grow
            chunk = max(1, chunk // 2) if is_slow else min(2 * chunk, CHUNK_TICKS)
        return future.tick if future.is_over else LAST_TICK

    # --------------------------------------------------------------------------------------------------------- budgets

    def _time_ticks(self, state: StateObservation, timer: Timer) -> None:
        """Measure how long a tick takes now, since crowds of sprites grow. Does nothing with a budget of calls."""
        if timer.remaining_ms == math.inf:
            return
        future = state.copy(history=False)
        started_ms = timer.elapsed_ms
        future.rollout([self._nothing] * (TIMED_TICKS if self._tick_ms < SLOW_MS else 1))
        self._tick_ms = (timer.elapsed_ms - started_ms) / max(future.tick - state.tick, 1)

    def _budget(self, timer: Timer, share: float) -> Budget:
        """A share of the time left, used in full: the last trials of plans keep the reserve."""
        return Budget(Share(timer, share), EXPANSION_CALLS, 0.0, self._tick_ms)

    def _ticks_left(self, timer: Timer) -> float:
        """How many ticks fit into the time left; infinity with a budget of calls."""
        return max(timer.remaining_ms, 0.0) / self._tick_ms if self._tick_ms > 0.0 else math.inf

    def _search_share(self) -> float:
        """Share of the budget for the width searches."""
        if not self._is_chancy:
            return CERTAIN_SHARE
        return LEAST_SHARE + (MOST_SHARE - LEAST_SHARE) * self._credit

    # -------------------------------------------------------------------------------------------------------- searches

    def _begin(self, search: WidthSearch, state: StateObservation, bits: int) -> None:
        """Start a search anew; where memory was full, in the other order."""
        if self.deep:
            search.deep = search.full and not search.deep
            search.part = 1 if search.deep else BREADTH_PART
        search.begin(state, bits)

    def _size_of_table(self) -> int:
        """Size of the exact search's table, in bits."""
        return SMALL_TABLE_BITS if self._is_chancy else self.table_bits

    def _grow(self, search: WidthSearch, timer: Timer, share: float) -> None:
        """Search for a share of the time left, unless an expansion is known to take longer.

        If a search has exceeded its share, because sprites suddenly became many, the next ones end earlier by the same
        amount.
        """
        started_ms = timer.elapsed_ms
        part = Share(timer, share)
        call_ms = max(self._tick_ms, 2.0 * self._expansion_ms / search.expansion_calls)
        expanded = search.grow(Budget(part, search.expansion_calls, self._overrun_ms, call_ms))
        self._overrun_ms = max(part.elapsed_ms - part.budget_ms, KEPT * self._overrun_ms)
        if expanded:
            self._expansion_ms = (timer.elapsed_ms - started_ms) / expanded
        else:
            self._expansion_ms *= KEPT  # so that one is tried again

    def _grow_ahead(self, search: WidthSearch, timer: Timer) -> None:
        """Continue a search for the ticks to come."""
        self._grow(search, timer, AHEAD_TIME if timer.remaining_ms < math.inf else AHEAD_CALLS)

    @staticmethod
    def _has_left_behind(search: WidthSearch) -> bool:
        """Whether nothing is left to expand, although states may be reachable that were found on ways since left."""
        return search.exhausted and search.has_moved_on and search.best_win < 0

    def _is_outdated(self, search: WidthSearch) -> bool:
        """Whether momentum was found out after a search began."""
        return self._outlook.momentum and not search.moving

    def _new_outline_search(self, state: StateObservation) -> WidthSearch:
        """An outline search from a state; touching its memory for the first time takes milliseconds."""
        bits, memory = OUTLINE_TABLE_BITS, OUTLINE_MEMORY
        search = WidthSearch(state, self._outlook, self._generator, bits, memory, self._outline)
        search.pairs, search.part = self._search.pairs, BREADTH_PART if self.deep else 1
        search.coarse, search.holding = self.motions, self.holding
        if not self.retries:
            search.retries = 0
        return search

    def _grow_outlines(self, state: StateObservation, timer: Timer, share: float) -> None:
        """Continue the outline search from a state."""
        is_turn = state.tick % COMPARED_EVERY == 0
        if is_turn:
            self._compare_futures(state, timer)
        search = self._outline_search
        if search is None:
            search = self._outline_search = self._new_outline_search(state)
        elif (
            self._outline_version != self._outline.version
            or self._is_outdated(search)
            or (is_turn and self._has_left_behind(search))
        ):
            search.begin(state, OUTLINE_TABLE_BITS)
        elif search.full or not search.move(state):
            self._begin(search, state, OUTLINE_TABLE_BITS)
        self._outline_version = self._outline.version
        self._grow(search, timer, share)

    # ------------------------------------------------------------------------------------------------ certain decisions

    def _certain_win(self) -> int:
        """The nearest won state that is certain to be reached; -1 if none is known."""
        search = self._search
        won = search.best_win
        return won if self.exact and won >= 0 and search.certain(won) else -1

    def _certain_action(self, state: StateObservation, timer: Timer) -> Action | None:
        """The first step to the best state known, or NIL to search on; None if no good state is certain."""
        search = self._search
        is_done = search.exhausted or (search.full and not self.deep)
        if self.waiting and not is_done and self._may_wait(state):
            self._waited += 1
            return Action.NIL
        goal = search.target(self._budget(timer, TARGET_SHARE))
        if goal < 0 or not search.certain(goal) or search.value(goal) < 0.0:
            return None
        steps = search.plan(goal)
        if search.full and self._stands_still(state):  # start anew where the plan ends
            self._plan_left = steps[1:]
        return Action(steps[0])

    def _may_wait(self, state: StateObservation) -> bool:
        """Whether standing still changes nothing, and there is time for it."""
        return self._waited <= WAITING_SHARE * (self._deadline - state.tick) and self._stands_still(state)

    def _stands_still(self, state: StateObservation) -> bool:
        """Whether standing still changes nothing."""
        future = state.copy(history=False)
        future.advance(self._nothing)
        return future.key() == state.key()

    # ------------------------------------------------------------------------------------------------- games of chance

    def _likely_action(self, state: StateObservation, timer: Timer) -> Action:
        """The action with the highest value less the cost of its risk, or NIL to search on."""
        if self._may_think(state, timer) and self._outline_search is not None:
            self._grow_ahead(self._outline_search, timer)
            if self._outline_search.best_win < 0:
                self._waited += 1
                return Action.NIL
        choices = [Action.NIL, *(action for action in state.actions_of(self.player) if action != Action.NIL)]
        values = self._propose_plans(state, choices)
        risks = self._risks(state, timer)
        if self.pool:
            self._race_plans(timer)
            values = self._plans.best_by_action() or values  # a value from a single future no longer counts
        worst = min(values.values(), default=0.0) - 1.0  # for actions whose plans have all been dropped
        least = min(risks.values(), default=0.0)

        def value(action: Action) -> float:
            return values.get(action, worst) - RISK_WEIGHT * (risks.get(action, least) - least)

        return max(choices, key=value)

    def _may_think(self, state: StateObservation, timer: Timer) -> bool:
        """Whether the outline search may still find a win, there is time for it, and only restless sprites move."""
        search = self._outline_search
        if not self.waiting or search is None or search.exhausted or search.best_win >= 0:
            return False
        if self._waited > THINKING_SHARE * (self._deadline - state.tick):
            return False
        ticks = int(min(FORESIGHT_TICKS, self._ticks_left(timer) / (FORESIGHT_PARTS * QUIET_FUTURES)))
        return ticks > 0 and self._outline.is_quiet(state, self._generator, QUIET_FUTURES, ticks)

    def _propose_plans(self, state: StateObservation, choices: list[Action]) -> dict[int, float]:
        """Add the searches' best plan for each action to the pool; returns the exact search's values of actions."""
        search, plans = self._search, self._plans
        values: dict[int, float] = {}
        plans.begin(state)
        for action in choices:
            goal = search.best_of(action)
            if goal >= 0:
                values[action] = search.value(goal)
            plans.propose(search.plan(goal) if goal >= 0 else bytes([action]), EXACT)
        if self._outline_search is not None:
            for action in choices:
                goal = self._outline_search.best_of(action)
                if goal >= 0:
                    is_win = goal == self._outline_search.best_win
                    plans.propose(self._outline_search.plan(goal), OUTLINES, is_win)
        return values

    def _risks(self, state: StateObservation, timer: Timer) -> dict[int, float]:
        """The risk of each first action, 0 to 1; empty if it is not measured."""
        if not self.safety:
            return {}
        budget = self._budget(timer, SAFETY_SHARE)
        return self._safety.measure(state, budget, SAFETY_DEPTH, self._ticks_left(timer) / 2)

    def _race_plans(self, timer: Timer) -> None:
        """Try plans in futures until the budget is used, and learn which search proposed the best one."""
        reach = self._plans.reach_of(min(timer.calls_left, self._ticks_left(timer)))
        reserve_ms = min(RESERVE_SHARE * timer.budget_ms, RESERVE_MS) + TRIAL_TICKS * reach * self._tick_ms
        self._plans.race(Budget(Share(timer), EXPANSION_CALLS, reserve_ms, self._tick_ms))
        if self.sharing:
            leader = self._plans.leader
            self._credit += CREDIT_RATE * ((leader >= 0) - self._credit)
            part = 1.0 - LEAST_PART if leader == OUTLINES else LEAST_PART
            self._outline_part += CREDIT_RATE * (part - self._outline_part)
