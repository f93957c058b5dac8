"""Re-creates a state from what a player observes of it (the counterpart of `observation`)."""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint16_t, uint64_t
from libc.string cimport memcpy, memset

from vgdl.core.data.layout cimport (
    ABSENT, BOMBER_RANDOM_MISSILE, CHASER, DISABLED, FIRST_TICK, FLICKER, FROM_AVATAR, FROM_AVATAR_FLAG, KILLED,
    LOS_CHASER, ORIENTED, ORIGINAL, RANDOM_BOMBER, RANDOM_MISSILE, RANDOM_NPC, SPAWN_POINT, SPAWN_POINT_MULTI_SPRITE,
    SPREADER, SPRITE_LIMIT, UNREVEALED, Group, Header, Sprite, TypeRow,
)
from vgdl.core.data.random cimport low_bits, next_int, scramble, seed_generators
from vgdl.core.data.scratch cimport Scratch, find_by_id, inner, record, resource, set_up, vital
from vgdl.core.data.tables cimport BoardTables
from vgdl.core.observation cimport Visible
from vgdl.core.rules.motion cimport base_x, base_y, face
from vgdl.core.state cimport StateObservation, look_at, make_room

from vgdl.core.observation import VISIBLE as _VISIBLE

_NOTHING = np.zeros(0, _VISIBLE)


def place(
    BoardTables tables not None, object sprites, *, StateObservation before=None, object last=None, int tick=0,
    double score=0.0, int winner=-1, bint ended=False, object avatar=None, seed=None, bint recording=True,
    dict born=None, dict moved=None,
):
    """A state of a board with the given sprites: see `vgdl.placing.place`.

    Args:
        tables: of a board made with ``open_to_all``, so that sprites of every type can be placed.
        sprites: array of `VISIBLE`, ids distinct.
        before: the expected state, of this board; what cannot be observed is taken from it.
        last: array of `VISIBLE`, the sprites observed one tick earlier. It shows which sprites are new, and how others
            moved that were not expected.
        tick, score, winner, ended: of player 0 and the game.
        avatar: an `Avatar` whose orientation, resources and health player 0's avatar gets; None: without an avatar.
        seed: of the generators; None: those of ``before``.
        recording: whether the state keeps a history of avatar events, that of ``before`` included.
        born: ticks in which sprites were observed first, by id, by which their clocks are set if there is no
            ``before``; others have existed since the start of the play.
        moved: likewise, the last ticks in which sprites moved, and how far: ``(tick, x, y)``.

    Raises:
        ValueError: sprites or ``before`` do not fit the board.
    """
    cdef StateObservation state
    if before is not None and before.tables is not tables:
        raise ValueError("expected a state of the same board")
    if tables.rules.rules.n_players != 1:
        raise ValueError("only games for one player can be placed")
    array = by_id(sprites)
    check(tables, array)
    state = before.copy(history=recording) if before is not None else StateObservation.initial(tables, 0)
    state.recording = recording
    fill_in(state, before, array, _NOTHING if last is None else by_id(last), np.zeros(array.shape[0], np.int32))
    if before is None and tick > 0:
        recall(state, array, _NOTHING if last is None else by_id(last), tick, born or {}, moved or {})
    cdef Header *header = state.header()
    header.tick = tick
    header.score[0] = score
    header.winner[0] = winner
    header.ended = ended
    header.failure = header.failure_line = 0
    header.messages = 0
    if avatar is not None:
        dress(state, avatar)
    if seed is not None:
        redraw(state, low_bits(seed))
        seed_generators(header, low_bits(seed))
    return state


cdef object by_id(object sprites):
    """An array of sprites in order of id."""
    cdef const Visible[::1] rows
    cdef Py_ssize_t k
    array = np.asarray(sprites)
    if array.dtype != _VISIBLE or array.ndim != 1:
        raise ValueError("expected an array of vgdl.core.observation.VISIBLE")
    if array.shape[0] > SPRITE_LIMIT:
        raise ValueError(f"expected at most {int(SPRITE_LIMIT)} sprites, got {array.shape[0]}")
    rows = array = np.ascontiguousarray(array)
    for k in range(1, rows.shape[0]):
        if rows[k - 1].id > rows[k].id:
            return array[np.argsort(array["id"], kind="stable")]
    return array


cdef int redraw(StateObservation state, int64_t seed) except -1:
    """Redraw directions that no move has revealed since they were drawn.

    That is the direction that an NPC will repeat (sprites, 12.15), if it has not moved since the draw or was put back,
    and that of a random missile before its first move.
    """
    cdef Scratch w
    cdef Sprite *s
    cdef TypeRow *t
    cdef uint64_t draws = scramble(~seed)
    cdef int k, way
    memset(&w, 0, sizeof(Scratch))
    set_up(&w, &state.tables.level)
    look_at(&w, state.block)
    next_int(&draws, 4)  # the first numbers hardly depend on the low bits of a seed
    next_int(&draws, 4)
    for k in range(w.header.n_sprites):
        s = record(&w, k)
        t = &w.rules.types[s.type]
        if t.op == RANDOM_MISSILE:
            if t.cooldown == 1 and s.lastmove == 1 and not (s.orientation_x == -1.0 and s.orientation_y == -1.0):
                way = next_int(&draws, 4)
                face(s, base_x(way), base_y(way))
        elif t.op in (RANDOM_NPC, CHASER) and t.cons > 0 and inner(&w, s).count > 0:
            if s.x != s.last_x or s.y != s.last_y:
                s.flags &= <uint16_t>~UNREVEALED
            elif s.lastmove == 0:
                s.flags |= UNREVEALED
            if s.lastmove > inner(&w, s).clock or s.flags & UNREVEALED:
                inner(&w, s).count = next_int(&draws, 4) + 1
    return 0


cdef int check(BoardTables tables, const Visible[::1] sprites) except -1:
    """Check that the board has room for every sprite's type, and that no id occurs twice."""
    cdef int k, stype
    for k in range(sprites.shape[0]):
        stype = sprites[k].type
        if not 0 <= stype < tables.rules.rules.n_types or not tables.rules.rules.types[stype].creatable:
            raise ValueError(f"no sprite of type {stype} can be placed in this game")
        if tables.level.group_of[stype] < 0:
            raise ValueError("expected a board that is open to all types")
        if sprites[k].id < 0 or sprites[k].id > 1 << 30 or (k > 0 and sprites[k].id == sprites[k - 1].id):
            raise ValueError(f"expected distinct ids from 0 to 2^30, got {sprites[k].id}")
    return 0


cdef int fill_in(
    StateObservation state, StateObservation before, const Visible[::1] sprites, const Visible[::1] last,
    int32_t[::1] homes,
) except -1:
    """Replace the visible sprites of a state by the given ones, which are in order of id, as are the ``last`` ones.

    ``homes``: scratch; for each of them 1 if it lives in the board, 0 if it needs a record.
    """
    cdef Scratch old, new
    cdef Header *h
    cdef Sprite *s
    cdef Sprite *known
    cdef Sprite *maker
    cdef const Visible *was
    cdef bint is_new
    cdef int32_t[::1] taken
    cdef int k, index, stype
    cdef int64_t size
    cdef int n_old, most_id = 0, hidden = 0
    source = before if before is not None else state.copy(history=False)
    memset(&old, 0, sizeof(Scratch))
    set_up(&old, &state.tables.level)
    look_at(&old, (<StateObservation>source).block)
    n_old = old.header.n_sprites
    taken = np.zeros(n_old + 1, np.int32)
    for k in range(n_old):
        hidden += old.rules.types[record(&old, k).type].hidden
    size = old.header.records_at + <int64_t>old.stride * (sprites.shape[0] + hidden)
    make_room(state, size)
    memcpy(state.block, old.block, old.header.records_at)
    memset(state.block + old.header.records_at, 0, size - old.header.records_at)
    state.stamp = 0
    memset(&new, 0, sizeof(Scratch))
    set_up(&new, &state.tables.level)
    look_at(&new, state.block)
    h = new.header
    settle(&new, sprites, homes)
    h.avatar[0] = h.avatar[1] = -1
    h.n_disabled = 0
    index = 0
    for k in range(sprites.shape[0]):
        if homes[k]:
            continue
        was = observed(last, sprites[k].id, sprites[k].type)
        is_new = last.shape[0] > 0 and was == NULL
        known = expected(&old, &sprites[k], taken, is_new) if before is not None else NULL
        s = record(&new, index)
        stype = sprites[k].type
        if known != NULL:
            memcpy(s, known, old.stride)
            move(&new, s, sprites[k].x, sprites[k].y)
        else:
            memcpy(s, new.board.templates + <int64_t>stype * new.stride, new.stride)
            s.x = s.last_x = sprites[k].x
            s.y = s.last_y = sprites[k].y
            if sprites[k].category == FROM_AVATAR:
                s.flags |= FROM_AVATAR_FLAG
            if before is None and new.rules.types[stype].avatar_object:
                s.flags |= ORIGINAL  # nothing shows that it is not the one of the level
            if was != NULL:
                s.x = s.last_x = was.x
                s.y = s.last_y = was.y
                grow(&new, s)
                move(&new, s, sprites[k].x, sprites[k].y)
            elif before is not None:
                maker = maker_of(&old, &sprites[k])
                if maker != NULL:
                    pass_on(&old, maker, s)
                if is_updated(&old, &sprites[k], maker):
                    grow(&new, s)
        s.flags &= <uint16_t>~(DISABLED | KILLED)  # a tick that failed leaves sprites that it would have removed
        s.id = most_id = sprites[k].id
        if new.rules.types[stype].avatar_object:
            h.avatar[0] = index
        index += 1
    for k in range(n_old):  # hidden sprites stay as they are; their ids are not those of the observed game
        if old.rules.types[record(&old, k).type].hidden:
            most_id += 1
            memcpy(record(&new, index), record(&old, k), old.stride)
            record(&new, index).id = most_id
            record(&new, index).flags &= <uint16_t>~KILLED
            index += 1
    h.n_sprites = index
    h.size = size = h.records_at + <int64_t>index * new.stride
    link(&new)
    if h.next_id <= most_id:
        h.next_id = most_id + 1
    h.sprite_count = index
    for stype in range(new.rules.n_types):
        h.sprite_count += new.board.type_level[stype + 1] - new.board.type_level[stype]
    return 0


cdef void settle(Scratch *w, const Visible[::1] sprites, int32_t[::1] homes) noexcept:
    """Decide which level-born sprites of visible types are alive: those that match an observed sprite."""
    cdef int stype, k, p, j, start, end
    cdef int32_t *level_list = w.board.type_level_list
    cdef Sprite *s
    for stype in range(w.rules.n_types):
        if w.rules.types[stype].hidden:
            continue
        start = w.board.type_level[stype]
        end = w.board.type_level[stype + 1]
        if start == end:
            continue
        for p in range(start, end):
            j = level_list[p]
            if j < w.board.n_vanishing:
                w.alive[j >> 6] &= ~(<uint64_t>1 << (j & 63))
        p = start  # both lists are in order of id: mostly one pass over each
        for k in range(sprites.shape[0]):
            if sprites[k].type != stype:
                continue
            for j in range(p, end):
                s = <Sprite *>(w.board.level + <int64_t>level_list[j] * w.stride)
                if s.x == sprites[k].x and s.y == sprites[k].y:
                    homes[k] = 1
                    if level_list[j] < w.board.n_vanishing:
                        w.alive[level_list[j] >> 6] |= <uint64_t>1 << (level_list[j] & 63)
                    p = j + 1
                    break


cdef const Visible *observed(const Visible[::1] last, int number, int stype) noexcept:
    """The sprite with an id in an observation, NULL if there is none of this type."""
    cdef int low = 0, high = last.shape[0], middle
    while low < high:
        middle = (low + high) >> 1
        if last[middle].id < number:
            low = middle + 1
        else:
            high = middle
    if low < last.shape[0] and last[low].id == number and last[low].type == stype:
        return &last[low]
    return NULL


cdef inline int64_t steps(const Visible *seen, const Sprite *s) noexcept:
    """Pixels, by rows and columns, from where a sprite was at the start of its update to where it is observed."""
    cdef int64_t dx = <int64_t>seen.x - s.last_x, dy = <int64_t>seen.y - s.last_y
    return (dx if dx > 0 else -dx) + (dy if dy > 0 else -dy)


cdef Sprite *expected(Scratch *old, const Visible *seen, int32_t[::1] taken, bint is_new) noexcept:
    """The record that matches an observed sprite: the same id and type, or a new one of this type at the same place.

    The ids of new sprites depend on what else was born in the tick, so these only match near their place.
    """
    cdef int64_t apart
    cdef int k = find_by_id(old, seen.id)
    cdef Sprite *s
    if k >= 0 and not taken[k]:
        s = record(old, k)
        apart = steps(seen, s)
        if s.type == seen.type and (not is_new or apart <= old.block_size):
            taken[k] = 1
            return s
    for k in range(old.header.n_sprites - 1, -1, -1):
        s = record(old, k)
        if s.type == seen.type and s.x == seen.x and s.y == seen.y and not taken[k] and s.last_x == s.x and s.last_y == s.y:
            taken[k] = 1
            return s
    return NULL


cdef Sprite *maker_of(Scratch *old, const Visible *seen) noexcept:
    """The sprite that has made one that was not expected: a maker of its type in its place, a spreader beside it.

    A maker makes sprites where it is at the start of its update.
    """
    cdef Sprite *s
    cdef TypeRow *t
    cdef int64_t apart
    cdef int k
    for k in range(old.header.n_sprites):
        s = record(old, k)
        t = &old.rules.types[s.type]
        if makes(old, t, seen.type):
            apart = steps(seen, s)
            if apart == (old.block_size if t.op == SPREADER else 0):
                return s
    return NULL


cdef bint is_updated(Scratch *old, const Visible *seen, const Sprite *maker) noexcept:
    """Whether a new sprite had its first update in the tick in which it was made (sprites, 7).

    It had if an avatar made it, or a sprite whose type has its turn before.
    """
    cdef int k
    if seen.category == FROM_AVATAR:
        return True
    if maker != NULL:
        for k in range(old.rules.n_order - 1, -1, -1):
            if old.rules.order[k] == seen.type:
                return False
            if old.rules.order[k] == maker.type:
                return True
    return False


cdef int recall(
    StateObservation state, const Visible[::1] sprites, const Visible[::1] last, int tick, dict born, dict moved,
) except -1:
    """Set clocks of sprites to what they are if these were updated in every tick since they were observed first.

    They face the direction of the last move, and their cooldown counts from it.
    """
    cdef Scratch w
    cdef Sprite *s
    cdef TypeRow *t
    cdef int k, since, at, dx, dy
    memset(&w, 0, sizeof(Scratch))
    set_up(&w, &state.tables.level)
    look_at(&w, state.block)
    for k in range(w.header.n_sprites):
        s = record(&w, k)
        t = &w.rules.types[s.type]
        since = born.get(s.id, 0)
        if since > tick or (last.shape[0] > 0 and observed(last, s.id, s.type) == NULL):
            continue
        if s.id in moved:
            at, dx, dy = moved[s.id]
            s.lastmove = tick - at
            turn(&w, s, dx, dy)
        else:
            s.lastmove = max(s.lastmove, tick - since)
        if not w.rules.inner_at:
            continue
        if t.op in (SPAWN_POINT, RANDOM_BOMBER, SPAWN_POINT_MULTI_SPRITE, BOMBER_RANDOM_MISSILE):
            inner(&w, s).clock = since
        elif t.op in (FLICKER, SPREADER):
            inner(&w, s).clock = tick - since + (since > 0 and is_updated_at_birth(&w, s))
        elif t.op == RANDOM_NPC and t.cons > 0:
            inner(&w, s).clock = (tick - since) % (t.cons + 1)
            if inner(&w, s).count == 0 and tick - since > t.cons:  # it has a direction, which is yet to be seen
                inner(&w, s).count = 1
                s.flags |= UNREVEALED
    return 0


cdef bint is_updated_at_birth(Scratch *w, const Sprite *s) noexcept:
    """Whether a sprite made during a play has its first update in that tick: see `is_updated`."""
    cdef int k, n
    if s.flags & FROM_AVATAR_FLAG:
        return True
    for k in range(w.rules.n_order - 1, -1, -1):
        n = w.rules.order[k]
        if n == s.type:
            return False
        if makes(w, &w.rules.types[n], s.type):
            return True
    return False


cdef bint makes(Scratch *w, TypeRow *t, int stype) noexcept:
    """Whether sprites of a type make others of type ``stype`` in their updates."""
    cdef int k
    if t.op in (SPAWN_POINT, RANDOM_BOMBER, SPREADER):
        return t.itype == stype
    if t.op in (SPAWN_POINT_MULTI_SPRITE, BOMBER_RANDOM_MISSILE):
        for k in range(t.shots_start, t.shots_start + t.shots_len):
            if w.rules.pool[k] == stype:
                return True
    return False


cdef void pass_on(Scratch *w, const Sprite *maker, Sprite *s) noexcept:
    """Give a new sprite the orientation that its maker passes on (sprites, 12.10)."""
    cdef TypeRow *t = &w.rules.types[maker.type]
    if t.spawnorientation_x != 0.0 or t.spawnorientation_y != 0.0:
        face(s, t.spawnorientation_x, t.spawnorientation_y)
    elif t.op != SPREADER and s.orientation_x == 0.0 and s.orientation_y == 0.0:
        face(s, maker.orientation_x, maker.orientation_y)


cdef void grow(Scratch *w, Sprite *s) noexcept:
    """Make a new sprite one update older, in what its first update changes without a move."""
    cdef TypeRow *t = &w.rules.types[s.type]
    s.lastmove = 1
    if not t.is_static and not t.only_active:
        s.flags &= <uint16_t>~FIRST_TICK
    if w.rules.inner_at and t.op in (FLICKER, SPREADER):
        inner(w, s).clock += 1


cdef void move(Scratch *w, Sprite *s, int x, int y) noexcept:
    """Correct a sprite's expected position, and the direction and the cooldown that follow from it."""
    cdef int dx = x - s.last_x, dy = y - s.last_y
    if s.x == x and s.y == y:
        return
    s.x = x
    s.y = y
    if dx == 0 and dy == 0:
        return
    s.lastmove = 0
    turn(w, s, dx, dy)


cdef void turn(Scratch *w, Sprite *s, int dx, int dy) noexcept:
    """Let a sprite face the direction of a move, unless that was in two directions at once."""
    cdef TypeRow *t = &w.rules.types[s.type]
    if dx != 0 and dy != 0:
        return
    if s.flags & ORIENTED and not t.avatar_object:
        s.orientation_x = (dx > 0) - (dx < 0)
        s.orientation_y = (dy > 0) - (dy < 0)
    if w.rules.inner_at and t.op in (RANDOM_NPC, CHASER, LOS_CHASER):
        inner(w, s).count = (3 if dy > 0 else 1) if dx == 0 else (4 if dx > 0 else 2)


cdef void link(Scratch *w) noexcept:
    """Chain the records of each type, and count its sprites."""
    cdef int stype, k, p, group
    cdef Group *g
    for stype in range(w.rules.n_types):
        group = w.board.group_of[stype]
        if group < 0:
            continue
        g = &w.groups[group]
        g.first = g.last = -1
        g.count = 0
        for p in range(w.board.type_level[stype], w.board.type_level[stype + 1]):
            k = w.board.type_level_list[p]
            g.count += k >= w.board.n_vanishing or (w.alive[k >> 6] >> (k & 63)) & 1
    for k in range(w.header.n_sprites):
        g = &w.groups[w.board.group_of[record(w, k).type]]
        record(w, k).next = -1
        if g.last >= 0:
            record(w, g.last).next = k
        else:
            g.first = k
        g.last = k
        g.count += 1


cdef int dress(StateObservation state, object seen) except -1:
    """Give player 0's avatar its observed orientation, health, resources and life."""
    cdef Scratch w
    cdef Sprite *s
    cdef int32_t *held
    cdef int k
    cdef int index = state.header().avatar[0]
    if index < 0:
        return 0
    memset(&w, 0, sizeof(Scratch))
    set_up(&w, &state.tables.level)
    look_at(&w, state.block)
    s = record(&w, index)
    if tuple(seen.orientation) != (-1.0, -1.0):  # withheld once a game has ended
        s.orientation_x = seen.orientation[0] + 0.0
        s.orientation_y = seen.orientation[1] + 0.0
    if w.rules.vital_at:
        vital(&w, s).health = seen.health
        vital(&w, s).max_health = seen.max_health
    for k in range(w.rules.n_resources):
        held = resource(&w, s, w.rules.resources[k])
        if held != NULL:
            held[0] = seen.resources.get(w.rules.resources[k], ABSENT)
    if not seen.is_alive:
        s.flags |= DISABLED
        w.header.n_disabled = 1
    return 0
