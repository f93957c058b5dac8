"""A model of the other player in games for two: a mixture of predictors, weighted by how well each has predicted so far.

Four predictors give every action of the opponent a probability: all are equally likely; as often as it has been taken; as
often as it has followed the action before; and what is best for the opponent by a search of one ply. Each observed action
multiplies a predictor's weight by the probability that it gave to the action (Bayes' rule), and weights fade, so that the
mixture follows an opponent that changes.
"""

from libc.math cimport pow
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memset

from vgdl.controllers.search.budget cimport Budget
from vgdl.controllers.search.generator cimport Generator
from vgdl.core.api cimport (
    MAX_ACTIONS, actions, block_of, is_over, last_action, n_players, restart, score, tick_of, winner,
)
from vgdl.core.data.layout cimport NIL, PLAYER_WINS
from vgdl.core.state cimport StateObservation

cdef enum:
    DEPTH = 12  # ticks of a random rollout after the opponent's action

cdef double PRIOR = 1.0  # added to every count
cdef double MEMORY = 0.97  # of trust, per action observed
cdef double LEAST_TRUST = 0.02
cdef double SURE = 0.8  # what LOOK_AHEAD gives to the best actions; all share the rest
cdef double OUTCOME = 100.0  # a win or a loss, in points


cdef class Opponent:
    """Predicts the other player's actions."""

    def __cinit__(self, StateObservation state not None, int player):
        self.player = 1 - player if n_players(state) == 2 else -1
        self.tick = -1
        self.before = NIL

    def __init__(self, StateObservation state, int player):
        """Know nothing about the opponent of a player.

        Args:
            state: any state of the board.
            player: whose opponent this is.
        """
        cdef int k
        self.learns = True
        self.n_choices = 0
        self.scratch = state.copy(history=False)
        for k in range(N_PREDICTORS):
            self.trust[k] = 1.0 / N_PREDICTORS
        for k in range(MAX_ACTIONS):
            self.foreseen[k] = 1.0
        memset(self.counts, 0, sizeof(self.counts))
        memset(self.followed, 0, sizeof(self.followed))

    # -------------------------------------------------------------------------------------------------------- learning

    cpdef int observe(self, StateObservation state) except -1:
        """Learn from the action that led to a state of the real play, if the state before it was observed, too.

        Returns the number of actions that the opponent has now; 0 in games for one player.
        """
        cdef int k, action
        cdef double total = 0.0
        if self.player < 0:
            return 0
        action = last_action(state, self.player)
        if tick_of(state) == self.tick + 1 and self.n_choices > 0:
            for k in range(N_PREDICTORS):
                self.trust[k] = pow(self.trust[k], MEMORY) * self.probability(k, action)
                total += self.trust[k]
            for k in range(N_PREDICTORS):
                self.trust[k] = LEAST_TRUST + (1.0 - N_PREDICTORS * LEAST_TRUST) * self.trust[k] / total
            self.counts[action] += 1.0
            self.followed[self.before][action] += 1.0
        self.before = action
        self.tick = tick_of(state)
        self.n_choices = actions(state, self.player, self.choices)
        for k in range(MAX_ACTIONS):
            self.foreseen[k] = 1.0
        return self.n_choices

    cpdef int look_ahead(self, StateObservation state, Generator generator, Budget budget) except -1:
        """Find the opponent's best actions in the state last observed; returns the rollouts of each.

        A rollout is one action of the opponent, any of the player, and some random ticks.
        """
        cdef double[MAX_ACTIONS] values
        cdef int32_t[MAX_ACTIONS] own
        cdef int n_own = actions(state, 1 - self.player, own) if self.player >= 0 else 0
        cdef int tries = 0
        cdef int k, answer
        cdef int64_t seed
        if n_own == 0 or self.n_choices == 0 or not self.learns:
            return 0
        self.scratch.meter = state.meter
        memset(values, 0, sizeof(values))
        budget.need(self.n_choices * (DEPTH + 1))
        while budget.another():
            tries += 1
            answer = own[generator.below(n_own)]
            seed = generator.seed()  # the same for all actions, which lowers the variance of their differences
            for k in range(self.n_choices):
                restart(self.scratch, block_of(state), seed)
                self.step(self.scratch, answer, self.choices[k])
                if not is_over(self.scratch):
                    self.scratch.run(None, DEPTH, seed)
                values[k] += self.value(self.scratch)
        if tries:
            self.prefer(values)
        return tries

    cdef double value(self, StateObservation state) noexcept:
        """The value of a state to the opponent."""
        cdef double worth = score(state, self.player)
        if winner(state, self.player) == PLAYER_WINS:
            worth += OUTCOME
        elif is_over(state):
            worth -= OUTCOME
        return worth

    cdef void prefer(self, double *values) noexcept:
        """Expect the actions with the highest values."""
        cdef int k
        cdef int n_best = 0
        cdef double highest = values[0]
        for k in range(1, self.n_choices):
            highest = max(highest, values[k])
        for k in range(self.n_choices):
            n_best += values[k] == highest
        for k in range(self.n_choices):
            self.foreseen[self.choices[k]] = (1.0 - SURE) / self.n_choices + (SURE / n_best if values[k] == highest else 0.0)

    # ------------------------------------------------------------------------------------------------------ predicting

    cdef double weight(self, int predictor, int action, int before) noexcept:
        """A predictor's weight of an action after another one; weights divided by their sum are probabilities."""
        if predictor == FREQUENCY:
            return PRIOR + self.counts[action]
        if predictor == HABIT:
            return PRIOR + self.followed[before][action]
        return self.foreseen[action] if predictor == LOOK_AHEAD else 1.0

    cdef double probability(self, int predictor, int action) noexcept:
        """The probability that a predictor gives to an action in the state last observed."""
        cdef int k
        cdef double total = 0.0
        for k in range(self.n_choices):
            total += self.weight(predictor, self.choices[k], self.before)
        return self.weight(predictor, action, self.before) / total

    cdef int draw(self, StateObservation state, Generator generator) noexcept:
        """Draw an action of the opponent in any state from the mixture; NIL if it has none."""
        cdef int32_t[MAX_ACTIONS] choices
        cdef int n = actions(state, self.player, choices)
        cdef int predictor = 0
        cdef int k, before
        cdef double ticket, total
        if n == 0:
            return NIL
        if not self.learns:
            return choices[generator.below(n)]
        ticket = generator.uniform() - self.trust[0]
        while ticket >= 0.0 and predictor < N_PREDICTORS - 1:
            predictor += 1
            ticket -= self.trust[predictor]
        if predictor == UNIFORM or (predictor == LOOK_AHEAD and tick_of(state) != self.tick):
            return choices[generator.below(n)]
        before = last_action(state, self.player)
        total = 0.0
        for k in range(n):
            total += self.weight(predictor, choices[k], before)
        ticket = generator.uniform() * total
        for k in range(n - 1):
            ticket -= self.weight(predictor, choices[k], before)
            if ticket < 0.0:
                return choices[k]
        return choices[n - 1]

    cdef int play(self, StateObservation state, int action, Generator generator) except -1:
        """Play one tick with the player's action, and one that the opponent is likely to take. 0 if the game is over."""
        if self.player < 0:
            return state.play(action, 0)
        return self.step(state, action, self.draw(state, generator))

    cdef int step(self, StateObservation state, int action, int answer) except -1:
        """Play one tick with an action of the player and one of the opponent."""
        return state.play(action, answer) if self.player == 1 else state.play(answer, action)

    @property
    def trusted(self):
        """The weight of each predictor: uniform, frequency, habit, look-ahead. They sum to 1."""
        return self.trust[UNIFORM], self.trust[FREQUENCY], self.trust[HABIT], self.trust[LOOK_AHEAD]

    def prediction(self):
        """The probability of each action of the opponent in the state last observed."""
        cdef int k, predictor
        cdef double probability
        found = {}
        for k in range(self.n_choices):
            probability = 0.0
            for predictor in range(<int>N_PREDICTORS):
                probability += self.trust[predictor] * self.probability(predictor, self.choices[k])
            found[self.choices[k]] = probability
        return found
