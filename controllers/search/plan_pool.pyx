"""Decisions in games of chance: plans compared over many futures, and the risk of each first action.

A plan is a sequence of actions. The pool tries plans in futures of the current state that differ in their random numbers, and
mutates them; promising plans are tried and mutated more often (rolling horizon evolution; Gaina et al., 2017). The best plans of
the last tick are kept without their first action. Some tries are continued without actions (the *aftermath* of a plan), so that
later effects of the plan count.
"""

from libc.math cimport pow, sqrt
from libc.stdint cimport int32_t
from libc.string cimport memcpy, memmove, memset

from vgdl.controllers.search.budget cimport Budget
from vgdl.controllers.search.budget import MARGIN_MS
from vgdl.controllers.search.forward cimport choices_of, play_for
from vgdl.controllers.search.generator cimport Generator
from vgdl.controllers.search.outlook cimport WIN, Outlook
from vgdl.core.api cimport MAX_ACTIONS, block_of, is_over, restart, score, size_of, tick_of, winner
from vgdl.core.data.layout cimport NIL, PLAYER_WINS
from vgdl.core.state cimport StateObservation

cdef double LOSS = 300.0  # cost of a loss, in units of the smallest reward
cdef double FORGIVING = 0.93  # discount factor of that cost per tick: later losses can still be avoided
cdef double LATEST = 2.0  # budgets of `Safety.measure` after which its last try is cut off, since the plans' budget is left
cdef double USEFUL = 0.02  # share of recent aftermaths that must have had a value other than 0 for every race to have them
cdef double EXPECTED = 0.1  # that share before the first aftermath
cdef double RATE = 0.02  # weight of the last aftermath in it
cdef enum:
    FAR = 96  # least `reach` for aftermaths, which would take too much of a small budget
    SOON = 30  # ticks without actions that a future must survive for plans to have aftermaths
    EVERY_AFTERMATH = 3  # one try of a plan in this many has one
    EVERY_RACE = 8  # if aftermaths are seldom useful, only one race in this many has them
    FIRST_TRIES = 3  # of every plan
    LEAST_REACH = 48  # least value of `reach`
    MANY_TRIES = 16  # `reach` is larger only as far as the calls or the time left suffice for this many tries
    LONGEST_RUN = 12  # of one action in a mutated plan
    LEAST_ROLLOUTS = 5  # per future of a first action
    MOST_ROLLOUTS = 25  # a player easily escapes from some situations from which random actions seldom do
    FUTURES = 8  # there are more rollouts only as far as the calls left suffice for this many futures
    LOOK = 4  # ticks of a try between two readings of the clock, where sprites become many


cdef class PlanPool:
    """Plans, and their values in the futures in which they were tried."""

    def __init__(self, StateObservation state not None, Outlook outlook not None, Generator generator):
        """Prepare for states of the same board as ``state``."""
        self.outlook = outlook
        self.player = outlook.player
        self.generator = generator
        self.scratch = state.copy(history=False)
        self.start = state
        self.size = 0
        self.reach = LEAST_REACH
        self.aftermath = True
        self.continues = False
        self.usefulness = EXPECTED
        self.n_races = self.n_aftermaths = 0

    cpdef int begin(self, StateObservation state) except -1:
        """Move to the next state: the best plans are kept without their first action, to be tried anew; returns how many."""
        cdef int k
        cdef Plan *plan
        self.start = state
        self.start_size = size_of(state)
        self.scratch.meter = state.meter
        self.root_score = score(state, self.player)
        self.outlook.facts.read(state)
        self.root_danger = self.outlook.danger()
        for k in range(self.size):
            plan = &self.plans[k]
            plan.tries = plan.aftermaths = 0
            plan.total = plan.squares = plan.later = plan.later_squares = 0.0
            if plan.length > 0:
                plan.length -= 1
                memmove(plan.actions, <unsigned char *>plan.actions + 1, plan.length)
        if self.size > POOL // 3:
            self.size = POOL // 3  # the best ones, since `race` sorts
        return self.size

    cpdef int propose(self, bytes steps, int proposer=0, bint urgent=False) except -1:
        """Add a plan, unless the pool is full.

        Args:
            steps: its actions; only the first ``LONGEST`` are kept.
            proposer: number of the search that proposes it.
            urgent: whether it is tried before all others.

        Returns:
            The number of plans.
        """
        cdef Plan *plan
        if self.size == POOL:
            return self.size
        plan = &self.plans[0 if urgent else self.size]
        if urgent:
            memmove(&self.plans[1], plan, self.size * sizeof(Plan))
        memset(plan, 0, sizeof(Plan))
        plan.length = min(len(steps), <int>LONGEST)
        plan.proposer = proposer
        memcpy(plan.actions, <const unsigned char *>steps, plan.length)
        self.size += 1
        return self.size

    cpdef int reach_of(self, double ticks) noexcept:
        """The most ticks of a try, if there is room for so many ticks in all tries."""
        return <int>min(<double>LONGEST, max(<double>LEAST_REACH, ticks / MANY_TRIES))

    cpdef int race(self, Budget budget) except -1:
        """Try plans, and mutate them, until the budget is used; then sort them, best first. Returns the number of tries."""
        cdef int k, worst
        cdef int tries = 0
        cdef Plan mutant
        cdef double ticks = budget.timer.calls_left
        if budget.call_ms > 0.0:
            ticks = min(ticks, budget.left_ms() / budget.call_ms)
        self.reach = self.reach_of(ticks)
        budget.need(self.reach)
        self.timer = budget.timer
        self.end_ms = budget.timer.budget_ms - 2.0 * MARGIN_MS
        self.n_races += 1
        self.continues = (
            self.aftermath and self.reach >= FAR and (self.usefulness > USEFUL or self.n_races % EVERY_RACE == 0)
            and budget.another() and self.survives()
        )
        for k in range(self.size):
            while self.plans[k].tries < FIRST_TRIES and budget.another():
                tries += self.try_out(&self.plans[k])
        while self.size > 0 and budget.another():
            if tries % 3 or self.size < 2:
                k = self.promising()
                tries += self.try_out(&self.plans[k])
            else:
                tries += 1
                k = self.promising()
                self.mutate(&self.plans[k], &mutant)
                self.try_out(&mutant)
                while mutant.tries < FIRST_TRIES and budget.another():
                    self.try_out(&mutant)
                if self.size < POOL:
                    self.plans[self.size] = mutant
                    self.size += 1
                else:
                    worst = self.worst()
                    if mean_of(&mutant) > mean_of(&self.plans[worst]):
                        self.plans[worst] = mutant
        self.sort()
        return tries

    def best_by_action(self):
        """The lower bound of the best plan that begins with each action."""
        found = {}
        for k in range(self.size):
            if self.plans[k].tries == 0:
                continue
            action = self.plans[k].actions[0] if self.plans[k].length else NIL
            found[action] = max(found.get(action, -1e300), self.bound(k))
        return found

    @property
    def leader(self):
        """The number of the search that proposed the best plan of the last race; -1 for a mutated plan, or without plans."""
        return self.plans[0].proposer if self.size else -1

    cpdef double bound(self, int number) noexcept:
        """A plan's lower bound, by which plans are ranked: its mean value less the standard error."""
        cdef Plan *plan = &self.plans[number]
        if plan.tries == 0:
            return -1e300
        return mean_of(plan) - sqrt(variance_of(plan))

    cdef int promising(self) noexcept:
        """The plan with the highest upper bound, which is to be tried next."""
        cdef int k
        cdef int best = 0
        cdef double highest = -1e300
        cdef double bound
        for k in range(self.size):
            if self.plans[k].tries == 0:
                return k
            bound = mean_of(&self.plans[k]) + sqrt(2.0 * variance_of(&self.plans[k], 0.01))
            if bound > highest:
                highest = bound
                best = k
        return best

    cdef int worst(self) noexcept:
        """The plan with the lowest lower bound."""
        cdef int k
        cdef int found = 0
        for k in range(self.size):
            if self.bound(k) < self.bound(found):
                found = k
        return found

    cdef int sort(self) noexcept:
        """Sort the plans by their lower bounds, best first; returns their number."""
        cdef int k, j
        cdef Plan held
        for k in range(1, self.size):
            j = k
            while j > 0 and self.bound(j) > self.bound(j - 1):
                held = self.plans[j]
                self.plans[j] = self.plans[j - 1]
                self.plans[j - 1] = held
                j -= 1
        return self.size

    cdef int mutate(self, Plan *plan, Plan *into) except -1:
        """Mutate a plan: replace, insert or remove an action, or replace the end.

        The new end consists of random actions, or of runs of an action, which slow avatars need to get anywhere.
        """
        cdef int32_t[MAX_ACTIONS + 1] choices
        cdef int n = choices_of(self.start, self.player, choices)
        cdef int kind = self.generator.below(4)
        cdef int place, k, run, end, action
        into[0] = plan[0]
        into.proposer = -1
        into.tries = into.aftermaths = 0
        into.total = into.squares = into.later = into.later_squares = 0.0
        if into.length < 2:
            kind = 3
        if kind == 3:  # another end
            place = self.generator.below(min(into.length, self.reach) + 1)
            run = 1 if self.generator.below(2) else LONGEST_RUN
            into.length = min(self.reach, place + 4 + self.generator.below(12 * run // 2 + 6))
            k = place
            while k < into.length:
                action = choices[self.generator.below(n)]
                end = min(into.length, k + 1 + self.generator.below(run))
                while k < end:
                    into.actions[k] = action
                    k += 1
            return 0
        place = self.generator.below(min(into.length, self.reach))
        if kind == 1 and into.length < LONGEST:
            for k in range(into.length, place, -1):
                into.actions[k] = into.actions[k - 1]
            into.length += 1
        elif kind == 2:
            for k in range(place, into.length - 1):
                into.actions[k] = into.actions[k + 1]
            into.length -= 1
            return 0
        into.actions[place] = choices[self.generator.below(n)]
        return 0

    cdef int try_out(self, Plan *plan) except -1:
        """Try a plan in a new future; returns 1, the number of tries."""
        cdef double later
        cdef double value = self.future_of(plan)
        if self.continues and plan.tries % EVERY_AFTERMATH == 0:
            later = self.aftermath_of_try()
            plan.aftermaths += 1
            plan.later += later
            plan.later_squares += later * later
        plan.tries += 1
        plan.total += value
        plan.squares += value * value
        return 1

    cdef bint survives(self) except -1:
        """Whether a new future without actions is not over after `SOON` ticks."""
        cdef int _k
        restart(self.scratch, block_of(self.start), self.generator.seed())
        for _k in range(SOON):
            if not play_for(self.scratch, self.player, NIL, self.generator):
                return False
        return True

    cdef double aftermath_of_try(self) except? -1e300:
        """Continue the last try without actions until it has lasted `reach` ticks; returns the value of these ticks.

        A loss, and the points of its tick, do not count, since the agent would have acted.
        """
        cdef int k
        cdef int passed = <int>(tick_of(self.scratch) - tick_of(self.start))
        cdef double value = 0.0
        cdef double before = score(self.scratch, self.player)
        cdef double now
        if is_over(self.scratch):
            return 0.0
        for k in range(passed, self.reach):
            play_for(self.scratch, self.player, NIL, self.generator)
            if is_over(self.scratch) and winner(self.scratch, self.player) != PLAYER_WINS:
                break
            now = score(self.scratch, self.player)
            if now != before:
                self.outlook.notice(now - before)
                value += (now - before) * self.outlook.unit * pow(self.outlook.patience, k + 1)
                before = now
            if is_over(self.scratch):
                value += WIN * pow(self.outlook.patience, k + 1)
                break
            if size_of(self.scratch) > self.start_size and k % LOOK == 0 and self.timer.elapsed_ms > self.end_ms:
                break
        self.n_aftermaths += 1
        self.usefulness += RATE * ((value != 0.0) - self.usefulness)
        return value

    cdef double future_of(self, Plan *plan) except? -1e300:
        """The value of a plan in a new future."""
        cdef int k
        cdef double value = 0.0
        cdef double discount = 1.0
        cdef double blame = LOSS
        cdef double before = self.root_score
        cdef double now
        restart(self.scratch, block_of(self.start), self.generator.seed())
        for k in range(max(min(plan.length, self.reach), 1)):
            play_for(self.scratch, self.player, plan.actions[k] if plan.length else NIL, self.generator)
            discount *= self.outlook.patience
            blame *= FORGIVING
            now = score(self.scratch, self.player)
            if now != before:
                self.outlook.notice(now - before)
                value += (now - before) * self.outlook.unit * discount
                before = now
            if is_over(self.scratch):
                if winner(self.scratch, self.player) == PLAYER_WINS:
                    return value + WIN * discount
                self.outlook.facts.read(self.scratch)
                self.outlook.see_end(True)
                return value - max(blame, self.outlook.danger() - self.root_danger)
            if size_of(self.scratch) > self.start_size and k % LOOK == 0 and self.timer.elapsed_ms > self.end_ms:
                break  # sprites have become many, so ticks are slow
        self.outlook.facts.read(self.scratch)
        self.outlook.see_end(False)
        value -= self.outlook.danger() - self.root_danger
        now -= self.root_score  # whether points were lost matters; the points themselves are in `value` already
        value += (self.outlook.worth(now, self.outlook.fresh(), <int>self.outlook.facts.cell) - now * self.outlook.unit) * discount
        return value


cdef class Safety:
    """The risk of each first action: the share of futures in which all rollouts after it lose."""

    def __init__(self, StateObservation state not None, Outlook outlook not None, Generator generator):
        """Prepare for states of the same board as ``state``."""
        self.player = outlook.player
        self.generator = generator
        self.scratch = state.copy(history=False)
        self.after = state.copy(history=False)
        self.risks = {}

    cpdef dict measure(self, StateObservation state, Budget budget, int depth, double room):
        """Measure the risk of each action, NIL included, in as many futures as the budget allows.

        Args:
            state: the current state.
            budget: the budget.
            depth: ticks of a rollout.
            room: most ticks of one future. If its rollouts do not fit, there are fewer, then shorter ones.

        Returns:
            The risk, 0 to 1, by action; empty if not even rollouts of one tick fit.
        """
        cdef int32_t[MAX_ACTIONS + 1] choices
        cdef int[MAX_ACTIONS + 1] losses
        cdef int[MAX_ACTIONS + 1] tries
        cdef int n = choices_of(state, self.player, choices)
        cdef int k = 0
        cdef double end_ms = LATEST * budget.timer.budget_ms
        self.scratch.meter = self.after.meter = state.meter
        memset(losses, 0, sizeof(losses))
        memset(tries, 0, sizeof(tries))
        self.rollouts = <int>min(<double>MOST_ROLLOUTS, max(<double>LEAST_ROLLOUTS, budget.timer.calls_left / (FUTURES * depth)))
        if 1 + self.rollouts * depth > room:
            self.rollouts = <int>max(<double>LEAST_ROLLOUTS, (room - 1.0) / depth)
        if 1 + self.rollouts * depth > room:
            depth = <int>((room - 1.0) / self.rollouts)
        if depth < 1:
            self.risks = {}
            return self.risks
        budget.need(1 + self.rollouts * depth)
        while budget.another():
            losses[k] += self.is_doomed(state, choices[k], depth, budget.timer, end_ms)
            tries[k] += 1
            k = (k + 1) % n
        self.risks = {choices[k]: losses[k] / <double>tries[k] for k in range(n) if tries[k]}
        return self.risks

    cdef bint is_doomed(self, StateObservation state, int action, int depth, object timer, double end_ms) except -1:
        """Whether all rollouts in one future of an action lose, or all those that end in time."""
        cdef int _k
        restart(self.after, block_of(state), self.generator.seed())
        play_for(self.after, self.player, action, self.generator)
        if is_over(self.after):
            return winner(self.after, self.player) != PLAYER_WINS
        for _k in range(self.rollouts):
            restart(self.scratch, block_of(self.after), self.generator.seed())
            self.scratch.run(None, depth, self.generator.seed())
            if not is_over(self.scratch) or winner(self.scratch, self.player) == PLAYER_WINS:
                return False
            if timer.elapsed_ms > end_ms:
                break
        return True
