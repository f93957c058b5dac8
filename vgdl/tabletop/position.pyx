"""States as a search sees them: the interface `Position`, and two kinds of them.

A `CompiledState` answers in C, and has the Python methods of `vgdl.tabletop.State` on top: a compiled game implements a
handful of C methods and inherits the rest. A `Wrapped` holds any Python object that implements the protocol, such as a
``pyspiel.State``. Searches are written once, for `Position`.
"""

from cpython.exc cimport PyErr_CheckSignals
from cpython.number cimport PyNumber_Index
from libc.stdint cimport uint64_t

from vgdl.tabletop.bits cimport below, draw

from typing import NamedTuple

from vgdl.tabletop import protocols as _protocols

_IllegalAction = _protocols.IllegalAction

cdef enum:
    CHANCE = -1
    SIMULTANEOUS = -2
    TERMINAL = -4


class PlayerAction(NamedTuple):
    """A player and its action: an entry of `full_history`."""

    player: int
    action: int


cdef class Position:
    """The interface of states for searches. Actions are listed in ascending order."""

    cdef int players(self) except -1:
        """The number of players."""
        raise NotImplementedError

    cdef int widest(self) except -1:
        """Room that `moves` and `outcomes` may need."""
        return MOST_ACTIONS

    cdef int mover(self) except? -9:
        """Who is to move: a player, CHANCE, SIMULTANEOUS or TERMINAL."""
        raise NotImplementedError

    cdef int moves(self, int *actions) except -1:
        """Write the legal actions of the mover; return their number."""
        raise NotImplementedError

    cdef int outcomes(self, int *actions, double *probabilities) except -1:
        """Write the outcomes of chance and their probabilities; return their number."""
        return 0

    cdef int make(self, int action) except -1:
        """Apply a legal action or an outcome, in place."""
        raise NotImplementedError

    cdef int results(self, double *values) except -1:
        """Write the returns so far."""
        raise NotImplementedError

    cdef Position twin(self):
        """A copy that shares no mutable data. It need not have the history."""
        raise NotImplementedError

    cdef int assign(self, Position other) except -1:
        """Become a copy of a state of the same game."""
        raise NotImplementedError

    cdef uint64_t fingerprint(self) except? 0:
        """A hash of all that the rest of the game depends on."""
        raise NotImplementedError

    cdef double estimate(self, int player) except? -9.0:
        """Estimate a player's return in units of half the range of returns, from -1 to 1; not called at the end."""
        return 0.0

    cdef int playout(self, uint64_t *random, int limit, double *values) except -1:
        """Play uniformly random actions to the end and write the returns; after ``limit`` actions they are 0."""
        cdef int[MOST_ACTIONS] actions
        cdef double[MOST_ACTIONS] probabilities
        cdef int made = 0
        cdef int who, n, k
        while made < limit:
            who = self.mover()
            if who == TERMINAL:
                self.results(values)
                return made
            if who == CHANCE:
                n = self.outcomes(actions, probabilities)
                self.make(actions[sampled(probabilities, n, random)])
            else:
                n = self.moves(actions)
                self.make(actions[below(random, n)])
            made += 1
        for k in range(self.players()):
            values[k] = 0.0
        return made


cdef class CompiledState(Position):
    """A state of a compiled game, with the methods of `vgdl.tabletop.State`."""

    cdef int check(self, int action) except -1:
        """Raise IllegalAction unless the action or outcome is among the legal ones."""
        cdef int[MOST_ACTIONS] actions
        cdef double[MOST_ACTIONS] probabilities
        cdef int who = self.mover()
        cdef int n, k
        if who == TERMINAL:
            raise _IllegalAction(f"action {action}: the game is over")
        n = self.outcomes(actions, probabilities) if who == CHANCE else self.moves(actions)
        for k in range(n):
            if actions[k] == action:
                return 0
        legal = ", ".join([f"{actions[k]} ({self.action_to_string(actions[k])})" for k in range(min(n, 40))])
        raise _IllegalAction(f"action {action} is illegal here; legal: {legal}")

    def get_game(self):
        """The game to which this state belongs."""
        return self.game

    def current_player(self):
        """Who is to move: a player, or CHANCE or TERMINAL."""
        return self.mover()

    def is_terminal(self):
        """Whether the game is over."""
        return self.mover() == TERMINAL

    def is_chance_node(self):
        """Whether chance is to move."""
        return self.mover() == CHANCE

    def is_simultaneous_node(self):
        """Whether all players move at once."""
        return self.mover() == SIMULTANEOUS

    def legal_actions(self, player=None):
        """The actions of a player, by default the one to move, in ascending order; none for others and at the end."""
        cdef int[MOST_ACTIONS] actions
        cdef double[MOST_ACTIONS] probabilities
        cdef int who = self.mover()
        cdef int n, k
        if who == TERMINAL or (player is not None and player != who):
            return []
        n = self.outcomes(actions, probabilities) if who == CHANCE else self.moves(actions)
        return [actions[k] for k in range(n)]

    def legal_actions_mask(self, player=None):
        """Legal actions as a list of 0 and 1, with one element per action or, at a chance node, per outcome."""
        chance = self.mover() == CHANCE
        mask = [0] * (self.game.max_chance_outcomes() if chance else self.game.num_distinct_actions())
        for action in self.legal_actions(player):
            mask[action] = 1
        return mask

    def chance_outcomes(self):
        """Pairs of an outcome and its probability.

        Raises:
            ValueError: it is not chance's turn.
        """
        cdef int[MOST_ACTIONS] actions
        cdef double[MOST_ACTIONS] probabilities
        cdef int n, k
        if self.mover() != CHANCE:
            raise ValueError("there are chance outcomes at chance nodes only")
        n = self.outcomes(actions, probabilities)
        return [(actions[k], probabilities[k]) for k in range(n)]

    def apply_action(self, action):
        """Apply an action, or an outcome at a chance node, in place.

        Raises:
            IllegalAction: the rules do not allow it.
        """
        cdef int chosen = PyNumber_Index(action)
        self.check(chosen)
        self.past.append(PlayerAction(self.mover(), chosen))
        self.make(chosen)

    def apply_actions(self, actions):
        """Apply simultaneous actions, which no compiled game has.

        Raises:
            IllegalAction: always.
        """
        raise _IllegalAction(f"in {self.game.get_type().short_name} players move in turn: use apply_action")

    def child(self, action):
        """A copy of this state with an action applied.

        Raises:
            IllegalAction: the rules do not allow it.
        """
        after = self.clone()
        after.apply_action(action)
        return after

    def clone(self):
        """A copy that shares no mutable data."""
        cdef CompiledState made = <CompiledState>self.twin()
        made.past = self.past.copy()
        return made

    def __copy__(self):
        return self.clone()

    def __deepcopy__(self, memo):
        return self.clone()

    def __reduce__(self):
        return self.game.deserialize_state, (self.serialize(),)

    def returns(self):
        """The return of each player so far."""
        cdef double[MOST_PLAYERS] values
        cdef int n = self.players()
        cdef int k
        self.results(values)
        return [values[k] for k in range(n)]

    def rewards(self):
        """The reward of each player since the last decision: the returns at the end, 0 before."""
        return self.returns() if self.mover() == TERMINAL else [0.0] * self.players()

    def player_return(self, int player):
        """A player's element of `returns`."""
        return self.returns()[player]

    def player_reward(self, int player):
        """A player's element of `rewards`."""
        return self.rewards()[player]

    def action_to_string(self, int first, second=None):
        """An action in words, defined by each game; the optional first argument is the player."""
        raise NotImplementedError

    def observation_tensor(self, player=0):
        """What a player sees now, as numbers.

        Raises:
            NotImplementedError: the game has none.
        """
        self.game.observation_tensor_shape()
        raise NotImplementedError

    def string_to_action(self, first, second=None):
        """The legal action described by these words; the optional first argument is the player.

        Raises:
            IllegalAction: there is none.
        """
        text = first if second is None else second
        named = {self.action_to_string(action): action for action in self.legal_actions()}
        if text not in named:
            raise _IllegalAction(f"{text!r} is not a legal action; legal: {', '.join(named) or 'none'}")
        return named[text]

    def num_players(self):
        """The number of players."""
        return self.players()

    def num_distinct_actions(self):
        """Upper bound, exclusive, of player actions."""
        return self.game.num_distinct_actions()

    def history(self):
        """All actions and outcomes so far."""
        return [entry.action for entry in self.past]

    def history_str(self):
        """The history as text."""
        return ", ".join(map(str, self.history()))

    def full_history(self):
        """The history with the player of each action."""
        return list(self.past)

    def move_number(self):
        """The number of actions and outcomes so far."""
        return len(self.past)

    def serialize(self):
        """The history, one number per line, for ``Game.deserialize_state``."""
        return "".join([f"{entry.action}\n" for entry in self.past])

    def key(self):
        """A hash of what the rest of the game depends on, by default of 8 bytes."""
        return self.fingerprint().to_bytes(8, "little")

    def information_state_string(self, player=0):
        """All that a player knows: in a game of perfect information, the history."""
        return self.history_str()

    def information_state_tensor(self, player=0):
        """There is none.

        Raises:
            NotImplementedError: always.
        """
        self.game.information_state_tensor_shape()

    def observation_string(self, player=0):
        """What a player sees now: in a game of perfect information, everything."""
        return str(self)

    def resample_from_infostate(self, player, uniform):
        """A state that a player cannot tell from this one: with perfect information, this one."""
        return self.clone()

    def to_string(self):
        """The state as text."""
        return str(self)


cdef class Wrapped(Position):
    """A Python object that implements the protocol `vgdl.tabletop.State`, and an optional evaluation function.

    Its results are checked here, and a faulty game raises a ValueError: searches do not check the numbers again.
    """

    def __init__(self, state, value=None):
        game = state.get_game()
        self.state = state
        self.value = value
        self.n_players = game.num_players()
        self.n_actions = game.num_distinct_actions()
        self.width = max(self.n_actions, game.max_chance_outcomes())
        if not 1 <= self.n_players <= MOST_PLAYERS or self.n_actions < 1:
            raise ValueError(f"a game has 1 to {MOST_PLAYERS} players and at least one action, "
                             f"not {self.n_players} and {self.n_actions}")

    cdef int players(self) except -1:
        return self.n_players

    cdef int widest(self) except -1:
        return self.width

    cdef int mover(self) except? -9:
        cdef int who = self.state.current_player()
        if not 0 <= who < self.n_players and who != CHANCE and who != SIMULTANEOUS and who != TERMINAL:
            raise ValueError(f"current_player() is {who} in a game of {self.n_players} players")
        return who

    cdef int moves(self, int *actions) except -1:
        cdef int n = 0
        cdef int action
        for action in self.state.legal_actions():
            if n == self.n_actions:
                raise ValueError(f"more legal actions than num_distinct_actions() = {self.n_actions}")
            if not 0 <= action < self.n_actions:
                raise ValueError(f"legal action {action} is not from 0 to num_distinct_actions() - 1 = {self.n_actions - 1}")
            actions[n] = action
            n += 1
        if n == 0:
            raise ValueError("no action is legal, and the game is not over")
        return n

    cdef int outcomes(self, int *actions, double *probabilities) except -1:
        cdef int n = 0
        for action, probability in self.state.chance_outcomes():
            if n == self.width:
                raise ValueError(f"more outcomes at a chance node than max_chance_outcomes() says, {self.width}")
            actions[n] = action
            probabilities[n] = probability
            n += 1
        if n == 0:
            raise ValueError("chance is to move and has no outcomes")
        return n

    cdef int make(self, int action) except -1:
        self.state.apply_action(action)
        return 0

    cdef int results(self, double *values) except -1:
        cdef int k = 0
        for value in self.state.returns():
            if k < self.n_players:
                values[k] = value
            k += 1
        if k != self.n_players:
            raise ValueError(f"returns() has {k} numbers for {self.n_players} players")
        return 0

    cdef Position twin(self):
        cdef Wrapped made = Wrapped.__new__(Wrapped)
        made.state = self.state.clone()
        made.value = self.value
        made.n_players = self.n_players
        made.n_actions = self.n_actions
        made.width = self.width
        return made

    cdef int assign(self, Position other) except -1:
        self.state = (<Wrapped>other).state.clone()
        return 0

    cdef uint64_t fingerprint(self) except? 0:
        from vgdl.tabletop.functions import key

        return int.from_bytes(key(self.state)[:8], "little")

    cdef double estimate(self, int player) except? -9.0:
        return self.value(self.state, player) if self.value is not None else 0.0

    cdef int playout(self, uint64_t *random, int limit, double *values) except -1:
        """As for compiled states, but on Python lists, so little of it runs in C."""
        cdef int made = 0
        cdef int who, k
        state = self.state
        while made < limit:
            who = state.current_player()
            if who == TERMINAL:
                self.results(values)
                return made
            if who == CHANCE:
                pairs = state.chance_outcomes()
                state.apply_action(chosen(pairs, random))
            elif who == SIMULTANEOUS:
                joint = [legal[below(random, len(legal))] if (legal := state.legal_actions(k)) else 0 for k in range(self.n_players)]
                state.apply_actions(joint)
            else:
                legal = state.legal_actions()
                if not legal:
                    raise ValueError("no action is legal, and the game is not over")
                state.apply_action(legal[below(random, len(legal))])
            made += 1
            if made & 255 == 0:
                PyErr_CheckSignals()
        for k in range(self.n_players):
            values[k] = 0.0
        return made


cdef object chosen(pairs, uint64_t *random):
    """Draw an outcome by its probability."""
    cdef double rest = <double>(draw(random) >> 11) * (1.0 / 9007199254740992.0)
    outcome = None
    for outcome, probability in pairs:
        rest -= <double>probability
        if rest < 0:
            return outcome
    if outcome is None:
        raise ValueError("chance is to move and has no outcomes")
    return outcome


def rollout(state, int limit, seed):
    """The returns after uniformly random actions, or zeros after ``limit`` actions; the state is unchanged."""
    cdef Position copy = (<Position>state).twin() if isinstance(state, CompiledState) else Wrapped(state.clone())
    cdef double[MOST_PLAYERS] values
    cdef uint64_t random = seed
    cdef int k
    copy.playout(&random, limit, values)
    return [values[k] for k in range(copy.players())]
