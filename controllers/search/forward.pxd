"""A player's actions, and playing one tick; used by all compiled searches."""

from libc.stdint cimport int32_t

from vgdl.controllers.search.generator cimport Generator
from vgdl.core.api cimport MAX_ACTIONS, actions, n_players
from vgdl.core.data.layout cimport NIL
from vgdl.core.state cimport StateObservation


cdef inline int play_for(StateObservation state, int player, int action, Generator generator) except -1:
    """Play one tick with a player's action; the other player, if there is one, draws its own. 0 if the game is over."""
    cdef int32_t[MAX_ACTIONS] choices
    cdef int n, other
    if n_players(state) == 1:
        return state.play(action, 0)
    n = actions(state, 1 - player, choices)
    other = choices[generator.below(n)] if n > 0 else 0
    return state.play(action, other) if player == 0 else state.play(other, action)


cdef inline int choices_of(StateObservation state, int player, int32_t *choices) except -1:
    """What a player can do, NIL included, into an array of ``MAX_ACTIONS + 1``; how many."""
    cdef int n = actions(state, player, choices)
    if n == 0 or choices[n - 1] != NIL:
        choices[n] = NIL
        n += 1
    return n
