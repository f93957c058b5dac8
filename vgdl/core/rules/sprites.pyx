"""The sprite phase: every class of sprites that is not an avatar (sprites, 12)."""

from libc.math cimport fabs, sqrt
from libc.stdint cimport int32_t, int64_t

from vgdl.core.data.layout cimport (
    ALTERNATE_CHASER, BOMBER_RANDOM_MISSILE, CANNOT_CREATE, CHASER, FLICKER, GENERAL, GROUP_CHANGED, LOS_CHASER,
    NO_TARGET, NOWHERE, ON_GROUND, PATH_ALT_CHASER, PATH_CHASER, RANDOM_ALT_CHASER,
    RANDOM_BOMBER, RANDOM_MISSILE, RANDOM_NPC, RANDOM_PATH_ALT_CHASER, SPAWN_POINT, SPAWN_POINT_MULTI_SPRITE,
    SPREADER, STANDARD, WALKER, WALKER_JUMPER, Inner, Sprite, Target, TypeRow, UpdateRow,
)
from vgdl.core.rules.motion cimport (
    active_movement, base_x, base_y, before_movement, face, passive_movement, random_move, update_position,
)
from vgdl.core.rules.bulk cimport make, update_bulk
from vgdl.core.rules.npcs cimport path_step
from vgdl.core.data.random cimport next_double, next_float, next_int
from vgdl.core.data.scratch cimport (
    Candidates, Scratch, candidates, fail, find_by_id, group_size, height, inner, last_height, last_width, missiles, next_candidate,
    number, peek, record, row, set_speed, speed, target_of, width,
)
from vgdl.core.rules.world cimport add_sprite, kill

cdef inline void grow_old(Scratch *w, Sprite *s) noexcept nogil:
    """timeToLive=n kills in the (n+1)-th update (sprites, 7)."""
    cdef Inner *state
    if row(w, s).time_to_live > -1:
        state = inner(w, s)
        if state.time_to_live > 0:
            state.time_to_live -= 1
        else:
            kill(w, s, False)


cdef inline void standard(Scratch *w, Sprite *s) noexcept nogil:
    passive_movement(w, s)
    grow_old(w, s)


cdef inline void flicker(Scratch *w, Sprite *s) noexcept nogil:
    standard(w, s)
    if inner(w, s).clock > row(w, s).limit:
        kill(w, s, False)
    inner(w, s).clock += 1


cdef void spreader(Scratch *w, Sprite *s) noexcept nogil:
    cdef TypeRow *t = row(w, s)
    cdef int stype = t.itype if t.itype != -1 else s.type
    cdef int k, x, y, wide, high
    flicker(w, s)
    if inner(w, s).clock == 2:
        x = s.last_x
        y = s.last_y
        wide = last_width(w, s)
        high = last_height(w, s)
        for k in range(4):
            if next_double(&w.header.rng) < t.spreadprob:
                add_sprite(w, stype, x + base_x(k) * wide, y + base_y(k) * high, False)


# ---------------------------------------------------------------------------------------------- spawners

cdef void spawn_point(Scratch *w, int index) noexcept nogil:
    """SpawnPoint and its subclasses: one draw in every update, used or not."""
    cdef Sprite *s = record(w, index)
    cdef TypeRow *t = row(w, s)
    cdef double drawn = <double>next_float(&w.header.rng)
    cdef int k
    if inner(w, s).clock == -1:
        inner(w, s).clock = w.tick
    if (inner(w, s).clock + w.tick) % t.cooldown == 0 and drawn < t.prob:
        if t.op == SPAWN_POINT_MULTI_SPRITE:
            for k in range(t.shots_start, t.shots_start + t.shots_len):
                make(w, index, w.rules.pool[k])
        else:
            make(w, index, inner(w, s).itype)
    s = record(w, index)
    standard(w, s)
    if t.total > 0 and inner(w, s).count >= t.total:
        kill(w, s, False)


# ------------------------------------------------------------------------------------------------------------------ NPCs

cdef inline void step_to(Scratch *w, Sprite *s, int direction) noexcept nogil:
    if direction < 0:
        active_movement(w, s, 0.0, 0.0, speed(w, s))
    else:
        active_movement(w, s, base_x(direction), base_y(direction), speed(w, s))


cdef inline double distance(bint grid, int ax, int ay, int bx, int by) noexcept nogil:
    cdef double dx = <double>ax - bx
    cdef double dy = <double>ay - by
    if grid:
        return fabs(dy) + fabs(dx)
    return sqrt(dy * dy + dx * dx)


cdef inline int good_moves(Scratch *w, Sprite *s, int x, int y, bint fleeing, float limit) noexcept nogil:
    """Bit k: one pixel in base direction k leads toward (or away from) a target (sprites, 12.17)."""
    cdef bint grid = not row(w, s).continuous
    cdef double here, there
    cdef int k, moves
    if limit != -1.0 and distance(grid, s.x, s.y, x, y) > limit:
        return 0
    if grid:  # by Manhattan distance the axes are independent, and a move that does not lead toward leads away
        moves = (y < s.y) | (x < s.x) << 1 | (y > s.y) << 2 | (x > s.x) << 3
        return 15 & ~moves if fleeing else moves
    here = distance(grid, s.x, s.y, x, y)
    moves = 0
    for k in range(4):
        there = distance(grid, s.x + <int>base_x(k), s.y + <int>base_y(k), x, y)
        if (fleeing and here < there) or (not fleeing and here > there):
            moves |= 1 << k
    return moves


cdef inline bint in_sight(Scratch *w, Sprite *s, Sprite *o) noexcept nogil:
    """LOSChaser: exactly in line, in the direction of the last drawn move."""
    cdef int k = inner(w, s).count - 1
    if k == 0:
        return o.x == s.x and o.y <= s.y
    if k == 1:
        return o.y == s.y and o.x <= s.x
    if k == 2:
        return o.x == s.x and o.y >= s.y
    return k == 3 and o.y == s.y and o.x >= s.x


cdef enum:
    MOST_TIES = 16

cdef struct Chase:  # one walk over candidates
    double best
    int count  # candidates at the best distance
    int[MOST_TIES] ties  # references of the first of them
    int total  # all candidates


cdef inline void consider(Scratch *w, Sprite *s, int ref, bint line_of_sight, Chase *chase) noexcept nogil:
    cdef Sprite *o = peek(w, ref)
    cdef double d
    if line_of_sight and not in_sight(w, s, o):
        return
    chase.total += 1
    d = distance(not row(w, s).continuous, s.x, s.y, o.x, o.y)
    if chase.count == 0 or d < chase.best:
        chase.best = d
        chase.count = 1
        chase.ties[0] = ref
    elif d == chase.best:
        if chase.count < MOST_TIES:
            chase.ties[chase.count] = ref
        chase.count += 1


cdef inline int next_nearest(Scratch *w, Sprite *s, Candidates *c, Chase *chase, int *k, bint sight) noexcept nogil:
    """The next of the candidates at the best distance: from the list or, if that was too short, from another walk."""
    cdef int ref
    cdef Sprite *o
    if chase.count <= MOST_TIES:
        k[0] += 1
        return chase.ties[k[0] - 1] if k[0] <= chase.count else NOWHERE
    while True:
        ref = next_candidate(w, c)
        if ref == NOWHERE:
            return NOWHERE
        o = peek(w, ref)
        if (not sight or in_sight(w, s, o)) and distance(not row(w, s).continuous, s.x, s.y, o.x, o.y) == chase.best:
            return ref


cdef int choose_move(Scratch *w, Sprite *s, Candidates c, Chase *chase, bint sight, bint fleeing, float limit) noexcept nogil:
    """Draw among the good moves over all nearest targets, each as often as it is listed; -1 without any (no draw).

    The list in the reference holds, target by target, the good directions in base order; ties multiply entries.
    """
    cdef int ref, moves, k, at = 0, n = 0, wanted
    cdef Candidates again = c
    cdef Sprite *o
    if chase.count == 0:
        return -1
    while True:  # count the entries
        ref = next_nearest(w, s, &c, chase, &at, sight)
        if ref == NOWHERE:
            break
        o = peek(w, ref)
        moves = good_moves(w, s, o.x, o.y, fleeing, limit)
        n += (moves & 1) + (moves >> 1 & 1) + (moves >> 2 & 1) + (moves >> 3)
    if n == 0:
        return -1
    wanted = next_int(&w.header.rng, n)
    at = 0
    while True:  # and find the one drawn
        ref = next_nearest(w, s, &again, chase, &at, sight)
        if ref == NOWHERE:
            return -1
        o = peek(w, ref)
        moves = good_moves(w, s, o.x, o.y, fleeing, limit)
        for k in range(4):
            if (moves >> k) & 1:
                if wanted == 0:
                    return k
                wanted -= 1


cdef inline Chase nearest(Scratch *w, Sprite *s, Candidates c, bint sight) noexcept nogil:
    cdef Chase chase
    cdef int ref
    chase.best = 0.0
    chase.count = chase.total = 0
    chase.ties[0] = NOWHERE
    while True:
        ref = next_candidate(w, &c)
        if ref == NOWHERE:
            return chase
        consider(w, s, ref, sight, &chase)


cdef inline Candidates chased(Scratch *w, TypeRow *t) noexcept nogil:
    """Chaser: the exact type's sprites, or all subtypes' if there are none (sprites, 12.17)."""
    return candidates(w, t.itype, group_size(w, t.itype) == 0)


cdef void chaser(Scratch *w, Sprite *s) noexcept nogil:
    cdef TypeRow *t = row(w, s)
    cdef bint sight = t.op == LOS_CHASER
    cdef Chase chase
    cdef int direction = -1
    passive_movement(w, s)
    if t.itype < 0:
        fail(w, CANNOT_CREATE, 0)
        return
    if not (sight and inner(w, s).count == 0):
        chase = nearest(w, s, chased(w, t), sight)
        direction = choose_move(w, s, chased(w, t), &chase, sight, t.fleeing, t.max_distance)
    if direction < 0:
        direction = random_move(w, s)
    step_to(w, s, direction)


cdef void path_chaser(Scratch *w, Sprite *s) noexcept nogil:
    cdef TypeRow *t = row(w, s)
    cdef Candidates there
    cdef Chase chase
    cdef Sprite *o
    passive_movement(w, s)
    if t.itype < 0:
        fail(w, CANNOT_CREATE, 0)
        return
    if t.cooldown > s.lastmove and t.grid and not t.rotate_in_place and w.board.paths != NULL:
        there = chased(w, t)
        if next_candidate(w, &there) != NOWHERE:  # it stays where it is, whatever the path
            if w.rules.inner_at:
                inner(w, s).clock = t.cons
            return
    chase = nearest(w, s, chased(w, t), False)
    if chase.count > 0:
        o = peek(w, chase.ties[0])
        if w.rules.inner_at:
            inner(w, s).clock = t.cons
        step_to(w, s, path_step(w, s.x, s.y, o.x, o.y))
    else:
        step_to(w, s, random_move(w, s))


cdef int alternate_target(Scratch *w, TypeRow *t) noexcept nogil:
    """The type that an AlternateChaser chases, -1 without any (sprites, 12.20).

    If several are named, the reference draws from an unseeded generator; here the state's second generator is used.
    """
    cdef int32_t *named = w.rules.pool + t.shots_start
    cdef int k, n = 0
    cdef bint differ = False
    for k in range(t.shots_len):
        if named[k] >= 0:
            n += number(w, named[k])
        differ |= named[k] != named[0]
    if n == 0:
        return -1
    return named[next_int(&w.header.side_rng, t.shots_len) if differ else 0]


cdef void alternate_chaser(Scratch *w, Sprite *s) noexcept nogil:
    cdef TypeRow *t = row(w, s)
    cdef Chase chase
    cdef int stype, direction = -1
    passive_movement(w, s)
    stype = alternate_target(w, t)
    if stype >= 0:
        chase = nearest(w, s, candidates(w, stype, True), False)
        direction = choose_move(w, s, candidates(w, stype, True), &chase, False, False, -1.0)
    if direction < 0:
        direction = next_int(&w.header.rng, 4)
    step_to(w, s, direction)


cdef void path_alt_chaser(Scratch *w, Sprite *s) noexcept nogil:
    cdef TypeRow *t = row(w, s)
    cdef Target *target = target_of(w, s)
    cdef Sprite *o
    cdef Chase chase
    cdef Candidates c
    cdef int stype, ref, wanted, found, direction
    cdef bint has = target.id >= 0
    passive_movement(w, s)
    if has:
        found = find_by_id(w, target.id)
        if found >= 0:
            o = record(w, found)
            target.x = o.x
            target.y = o.y
            target.w = width(w, o)
            target.h = height(w, o)
    # "own rectangle contains the target's": then a new one is chosen
    if not has or (target.w > 0 and target.h > 0 and target.x >= s.x and target.y >= s.y
                   and <int64_t>target.x + target.w <= <int64_t>s.x + width(w, s)
                   and <int64_t>target.y + target.h <= <int64_t>s.y + height(w, s)):
        stype = alternate_target(w, t)
        has = False
        if stype >= 0:
            c = candidates(w, stype, True)
            chase = nearest(w, s, c, False)
            ref = chase.ties[0]
            if t.random_target:
                if chase.total == 0:
                    fail(w, NO_TARGET, 0)
                    return
                wanted = next_int(&w.header.rng, chase.total)
                while wanted >= 0:
                    ref = next_candidate(w, &c)
                    wanted -= 1
            if ref != NOWHERE:
                has = True
                o = peek(w, ref)
                target.id = o.id
                target.x = o.x
                target.y = o.y
                target.w = width(w, o)
                target.h = height(w, o)
        elif t.random_target:
            fail(w, NO_TARGET, 0)
            return
    if has:  # a target found switches `fleeing` off for good
        direction = path_step(w, s.x, s.y, target.x, target.y)
        if direction < 0 and target.known:
            direction = path_step(w, s.x, s.y, target.known_x, target.known_y)
        else:
            target.known = 1
            target.known_x = target.x
            target.known_y = target.y
        step_to(w, s, direction)
    else:
        step_to(w, s, next_int(&w.header.rng, 4))


cdef void wander(Scratch *w, Sprite *s) noexcept nogil:
    """The random step of the two epsilon-greedy chasers."""
    passive_movement(w, s)
    step_to(w, s, next_int(&w.header.rng, 4))


# ---------------------------------------------------------------------------------------------- walkers

cdef void walker(Scratch *w, Sprite *s) noexcept nogil:
    cdef TypeRow *t = row(w, s)
    cdef double d
    passive_movement(w, s)
    if t.airsteering or s.x == s.last_x:
        if s.orientation_x > 0.0:
            d = 1.0
        elif s.orientation_x < 0.0:
            d = -1.0
        else:
            d = 1.0 if next_int(&w.header.rng, 2) else -1.0
        face(s, d, 0.0)
        active_movement(w, s, d, 0.0, t.max_speed)
    set_speed(w, s, t.max_speed)
    s.flags &= ~ON_GROUND


cdef void walker_jumper(Scratch *w, Sprite *s) noexcept nogil:
    """A Walker that jumps at random: the reference draws from an unseeded generator, here the second one is used."""
    cdef TypeRow *t = row(w, s)
    cdef bint jumps = t.probability >= 1.0
    passive_movement(w, s)
    if s.flags & ON_GROUND and 0.0 < t.probability < 1.0:
        jumps = t.probability > next_double(&w.header.side_rng)
    if s.flags & ON_GROUND and jumps:
        face(s, s.orientation_x, 0.0)
        active_movement(w, s, 0.0, -t.jump_strength, speed(w, s))
        s.lastmove = t.cooldown
        update_position(w, s, 0.0, -1.0, 5)
    else:
        active_movement(w, s, s.orientation_x, s.orientation_y, speed(w, s))
    s.flags &= ~ON_GROUND


# ---------------------------------------------------------------------------------------------- dispatch

cdef inline void update(Scratch *w, int index) noexcept nogil:
    cdef Sprite *s = record(w, index)
    cdef TypeRow *t = row(w, s)
    cdef int k
    if t.op == STANDARD:
        standard(w, s)
    elif t.op == RANDOM_NPC:
        passive_movement(w, s)
        step_to(w, s, random_move(w, s))
    elif t.op == CHASER or t.op == LOS_CHASER:
        chaser(w, s)
    elif t.op == FLICKER:
        flicker(w, s)
    elif t.op == SPREADER:
        spreader(w, s)
    elif t.op == RANDOM_MISSILE:
        if s.orientation_x == -1.0 and s.orientation_y == -1.0:
            k = next_int(&w.header.rng, 4)
            face(s, base_x(k), base_y(k))
        passive_movement(w, s)
    elif t.op == SPAWN_POINT or t.op == SPAWN_POINT_MULTI_SPRITE:
        spawn_point(w, index)
    elif t.op == RANDOM_BOMBER:
        step_to(w, s, next_int(&w.header.rng, 4))
        spawn_point(w, index)
    elif t.op == BOMBER_RANDOM_MISSILE:
        inner(w, s).itype = missiles(w, s)[next_int(&w.header.rng, t.shots_len)]
        spawn_point(w, index)
    elif t.op == PATH_CHASER:
        path_chaser(w, s)
    elif (t.op == RANDOM_ALT_CHASER or t.op == RANDOM_PATH_ALT_CHASER) and next_double(&w.header.rng) < t.epsilon:
        wander(w, s)
    elif t.op == ALTERNATE_CHASER or t.op == RANDOM_ALT_CHASER:
        alternate_chaser(w, s)
    elif t.op == PATH_ALT_CHASER or t.op == RANDOM_PATH_ALT_CHASER:
        path_alt_chaser(w, s)
    elif t.op == WALKER:
        walker(w, s)
    elif t.op == WALKER_JUMPER:
        walker_jumper(w, s)


cdef int update_sprites(Scratch *w) noexcept nogil:
    """Update the types from the end of the sprite order, each one's sprites in order of creation (engine, 7.3)."""
    cdef int k, index, last
    cdef UpdateRow *updates = w.board.updates
    cdef UpdateRow *walked
    for k in range(w.board.n_updates):
        walked = &updates[k]
        index = w.groups[walked.group].first
        if index < 0:
            continue
        if walked.kind != GENERAL:
            if update_bulk(w, walked, index) < 0:
                return -1
            continue
        while index >= 0:
            before_movement(w, record(w, index))
            last = w.groups[walked.group].last
            update(w, index)
            if w.header.failure:
                return -1
            if w.groups[walked.group].last != last:  # its own type was added to the list being walked
                return fail(w, GROUP_CHANGED, 0)
            index = record(w, index).next
    return 0
