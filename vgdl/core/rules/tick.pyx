"""One cycle of a game (engine, 7). The real game and every simulation run this same function."""

from libc.string cimport memset

from vgdl.core.rules.avatars cimport update_avatars
from vgdl.core.rules.debug cimport CHECKED, check_at_rest
from vgdl.core.rules.effects cimport forget_pulled
from vgdl.core.rules.events cimport event_phase
from vgdl.core.data.layout cimport (
    FALSE_AVATAR, MESSAGE_LIMIT, NO_AVATAR, NO_WINNER, PLAYER_LOSES, PLAYER_WINS, TICK_LIMIT,
)
from vgdl.core.rules.sprites cimport update_sprites
from vgdl.core.rules.terminations cimport check_terminations
from vgdl.core.data.scratch cimport Scratch, fail, group_size
from vgdl.core.rules.index cimport drop_index, rest_index
from vgdl.core.rules.world cimport clear_dead


cdef void tidy(Scratch *w) noexcept nogil:
    """Leave the scratch memory as the next tick expects it, even after a failure."""
    if w.seeking and w.n_hits == 0:
        w.index_built = w.seeking = 0
    elif w.index_built and w.header.failure == 0:
        rest_index(w)
    else:
        drop_index(w)
    if w.n_kills:
        memset(w.killed, 0, 8 * ((w.board.n_vanishing + 63) >> 6))
    w.n_kills = w.repeated_kills = w.n_shields = 0
    if w.n_pulled:
        forget_pulled(w)
    if CHECKED:
        check_at_rest(w)


cdef int check_time(Scratch *w) noexcept nogil:
    """Tick 2000 is the last; players who have not won by then have lost (engine, 7.9)."""
    cdef int p
    if w.tick < TICK_LIMIT:
        return 0
    w.header.ended = 1
    for p in range(w.rules.n_players):
        if w.header.avatar[p] < 0:
            return fail(w, NO_AVATAR, 0)
        if w.header.winner[p] != PLAYER_WINS:
            w.header.winner[p] = PLAYER_LOSES
    return 0


cdef bint any_false_avatar(Scratch *w) noexcept nogil:
    """Whether there is a sprite that has is_avatar, but is not of an avatar class: players' views of it fail."""
    cdef int stype
    for stype in range(w.rules.n_types):
        if w.rules.types[stype].is_avatar and not w.rules.types[stype].avatar_object and group_size(w, stype) > 0:
            return True
    return False


cdef int run_phases(Scratch *w) noexcept nogil:
    if w.rules.has_false_avatars and any_false_avatar(w):
        return fail(w, FALSE_AVATAR, 0)
    if update_avatars(w) < 0 or update_sprites(w) < 0 or event_phase(w) < 0:
        return -1
    if w.n_kills and clear_dead(w) < 0:
        return -1
    if not w.ended_by_player and check_terminations(w) < 0:
        return -1
    if w.header.messages > MESSAGE_LIMIT:
        w.header.ended = 1
        w.header.messages = 0
    return check_time(w)


cdef void run_tick(Scratch *w) noexcept nogil:
    """Advance a state that has not ended by one tick with the actions in ``w``; the tick counter then names the next one."""
    cdef int p
    w.tick = w.header.tick
    w.first_id = w.header.next_id
    w.sprite_count = w.header.sprite_count
    w.n_disabled = w.header.n_disabled
    w.ended_by_player = 0
    if run_phases(w) < 0:
        for p in range(w.rules.n_players):
            w.header.winner[p] = NO_WINNER
    tidy(w)
    if not w.header.ended:
        w.header.tick += 1
