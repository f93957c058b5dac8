"""The implementation of each effect (effects, 10). Scores, counters and events are left to the event phase.

Conventions: ``a`` is the first sprite of an interaction, ``b`` the second; either may be NULL. A sprite that lives in the
board is passed as a scratch copy: writes to it are lost, and the compiler ensures that such sprites can only be killed.
"""

from libc.math cimport sqrt
from libc.stdint cimport int32_t, int64_t, uint32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from vgdl.core.rules.counting cimport alive_number, living_subtypes
from vgdl.core.data.layout cimport (
    APPLY_SCORE, COUNT, DISABLED, KILLED, KILLED_SCORE, NO_PHYSICS, NOWHERE, ORIENTED, SECOND_PLAYER, NO_SPRITE, OUT_OF_MEMORY,
    ADD_HEALTH_POINTS, ADD_HEALTH_POINTS_TO_MAX, ADD_TIMER, ALIGN, ATTRACT_GAZE, BOUNCE_DIRECTION, BOUNCE_FORWARD,
    CHANGE_RESOURCE, CLONE_SPRITE, COLLECT_RESOURCE, COLLECT_RESOURCE_IF_HELD, DECREASE_SPEED_TO_ALL,
    FLIP_DIRECTION, HALF_SPEED, INCREASE_SPEED_TO_ALL, KILL_ALL, KILL_BOTH, KILL_IF_ALIVE, KILL_IF_FAST,
    KILL_IF_FROM_ABOVE, KILL_IF_FRONTAL, KILL_IF_HAS_LESS, KILL_IF_HAS_MORE, KILL_IF_NOT_FRONTAL,
    KILL_IF_NOT_UPRIGHT, KILL_IF_OTHER_HAS_MORE, KILL_IF_SLOW, KILL_SPRITE, PULL_WITH_IT, REMOVE_SCORE,
    REVERSE_DIRECTION, SET_SPEED_FOR_ALL, SHIELD_FROM, SPAWN, SPAWN_ABOVE, SPAWN_BEHIND, SPAWN_BELOW,
    SPAWN_IF_COUNTER_SUB_TYPES, SPAWN_IF_HAS_LESS, SPAWN_IF_HAS_MORE, SPAWN_LEFT, SPAWN_RIGHT, STEP_BACK,
    SUBTRACT_HEALTH_POINTS, TELEPORT_TO_EXIT, TIME_EFFECT, TRANSFORM_IF_COUNT, TRANSFORM_TO, TRANSFORM_TO_ALL,
    TRANSFORM_TO_RANDOM_CHILD, TRANSFORM_TO_SINGLETON, TURN_AROUND, UNDO_ALL, UPDATE_SPAWN_TYPE, WALL_BOUNCE,
    WALL_REVERSE, WALL_STOP, WATER_PHYSICS, WRAP_AROUND, BOMBER_RANDOM_MISSILE, NULL_FATAL_FIRST, NULL_FIRST,
    NULL_SECOND, EffectRow, Sprite, TypeRow,
)
from vgdl.core.rules.motion cimport active_movement, base_x, base_y, face, move_to, normalise, update_position
from vgdl.core.data.random cimport next_double, next_int
from vgdl.core.rules.transforming cimport (
    transform, transform_all, transform_if_count, transform_to_random_child, transform_to_singleton,
)
from vgdl.core.rules.timers cimport add_timer
from vgdl.core.rules.trigonometry cimport modulus
from vgdl.core.rules.walls cimport bounce, bounce_direction, box_of, pixel_perfect, wall_stop
from vgdl.core.data.scratch cimport (
    Pulled, Scratch, Shield, Walk, amount, fail, gravity, group_size, height, inner, left_its_place, missiles, modify_resource, motion,
    next_of, record, reference, resolve, room_for, rotation, row, set_gate, set_speed, smaller, speed, trunc, vital, walk, warn, width,
)
from vgdl.core.rules.world cimport add_sprite, kill, kill_reference, reserve, restore, set_rect


# ---------------------------------------------------------------------------------------------- killing

cdef void last_direction(Sprite *s, double *x, double *y) noexcept nogil:
    x[0] = s.x - s.last_x
    y[0] = s.y - s.last_y


cdef bint head_on(Sprite *a, Sprite *b, bint *still) noexcept nogil:
    """Whether two sprites moved against each other; ``still``: the first did not move at all."""
    cdef double ux, uy, vx, vy
    last_direction(a, &ux, &uy)
    last_direction(b, &vx, &vy)
    normalise(&ux, &uy)
    normalise(&vx, &vy)
    still[0] = ux == 0.0 and uy == 0.0
    return ux + vx == 0.0 and uy + vy == 0.0


cdef double relative_speed(Scratch *w, Sprite *a, Sprite *b) noexcept nogil:
    """The difference of orientations, not of velocities, if both are mobile (effects, 10.1)."""
    cdef double x, y
    if row(w, a).is_static:
        return speed(w, b)
    if row(w, b).is_static:
        return speed(w, a)
    x = a.orientation_x - b.orientation_x
    y = a.orientation_y - b.orientation_y
    return sqrt(x * x + y * y)


cdef int subtract_health(Scratch *w, EffectRow *e, Sprite *a) noexcept nogil:
    cdef TypeRow *t
    cdef Walk it
    cdef int k, ref
    cdef Sprite *target = a
    if e.stype >= 0:  # the first sprite of the last non-empty group
        t = &w.rules.types[e.stype]
        for k in range(t.subtypes_start, t.subtypes_start + t.subtypes_len):
            it = walk(w, w.rules.pool[k])
            ref = next_of(w, &it)
            if ref != NOWHERE:
                target = resolve(w, ref, 2)
        if target == NULL:
            return fail(w, NO_SPRITE, e.line)
    vital(w, target).health -= e.value_int
    if vital(w, target).health <= e.limit:
        kill(w, target, False)
        set_gate(w, e, KILLED_SCORE, True)
    else:
        set_gate(w, e, KILLED_SCORE, False)
    return 0


# ---------------------------------------------------------------------------------------------- moving

cdef void undo_all(Scratch *w, EffectRow *e, int effect) noexcept nogil:
    """Restore every sprite of the types in the sprite order; those that live in the board never move."""
    cdef int k, j, group, index
    cdef bint skipped
    if w.undone == effect:
        return
    for k in range(w.rules.n_order):
        group = w.board.group_of[w.rules.order[k]]
        if group < 0:
            continue
        skipped = False
        for j in range(e.skip_start, e.skip_start + e.skip_len):
            skipped = skipped or w.rules.pool[j] == w.rules.order[k]
        if skipped:
            continue
        index = w.groups[group].first
        while index >= 0:
            restore(w, record(w, index))
            index = record(w, index).next
            w.steps += 1
    w.undone = effect


cdef void turn_around(Scratch *w, Sprite *a) noexcept nogil:
    cdef int _k
    restore(w, a)
    for _k in range(2):
        a.lastmove = row(w, a).cooldown
        active_movement(w, a, 0.0, 1.0, speed(w, a))
    face(a, -a.orientation_x, -a.orientation_y)


cdef void attract_gaze(Scratch *w, EffectRow *e, Sprite *a, Sprite *b) noexcept nogil:
    if not (a.flags & ORIENTED and b.flags & ORIENTED) or next_double(&w.header.rng) >= e.prob:
        return
    face(a, b.orientation_x, b.orientation_y)
    if e.align:
        if (a.orientation_x == -1.0 or a.orientation_x == 1.0) and a.orientation_y == 0.0:
            move_to(w, a, a.x, b.y)
        else:
            move_to(w, a, b.x, a.y)


cdef void wrap_around(Scratch *w, EffectRow *e, Sprite *a) noexcept nogil:
    cdef int wide = width(w, a)
    cdef int high = height(w, a)
    a.lastmove = 0
    if a.orientation_x > 0.0:
        move_to(w, a, trunc(e.offset * wide), a.y)
    elif a.orientation_x < 0.0:
        move_to(w, a, trunc(w.board.width - wide * (1.0 + e.offset)), a.y)
    elif a.orientation_y > 0.0:
        move_to(w, a, a.x, trunc(e.offset * high))
    elif a.orientation_y < 0.0:
        move_to(w, a, a.x, trunc(w.board.height - high * (1.0 + e.offset)))


cdef void bounce_forward(Scratch *w, Sprite *a, Sprite *b) noexcept nogil:
    cdef double x, y, dx, dy
    last_direction(b, &x, &y)
    dx = x
    dy = y
    normalise(&dx, &dy)
    if x * b.orientation_x < 0.0:
        dx = -dx
    if y * b.orientation_y < 0.0:
        dy = -dy
    active_movement(w, a, dx, dy, speed(w, b))
    face(a, dx, dy)


cdef Pulled *place_of(Pulled *table, int room, int effect, int ref) noexcept nogil:
    """The place of an entry in the table, or the free place where it belongs; ``room`` is a power of two."""
    cdef uint32_t k = <uint32_t>ref * <uint32_t>2654435769 + <uint32_t>effect
    k ^= k >> 15
    while True:
        k &= room - 1
        if table[k].effect == -1 or (table[k].effect == effect and table[k].reference == ref):
            return &table[k]
        k += 1


cdef int more_pulled(Scratch *w) noexcept nogil:
    """Double the size of the table."""
    cdef int k, room = 2 * w.room_pulled if w.room_pulled else 16
    cdef Pulled *table = <Pulled *>malloc(room * sizeof(Pulled))
    if table == NULL:
        return fail(w, OUT_OF_MEMORY, 0)
    memset(table, -1, room * sizeof(Pulled))
    for k in range(w.room_pulled):
        if w.pulled[k].effect != -1:
            place_of(table, room, w.pulled[k].effect, w.pulled[k].reference)[0] = w.pulled[k]
    free(w.pulled)
    w.pulled = table
    w.room_pulled = room
    return 0


cdef void forget_pulled(Scratch *w) noexcept nogil:
    memset(w.pulled, -1, w.room_pulled * sizeof(Pulled))
    w.n_pulled = 0


cdef int pull_with_it(Scratch *w, EffectRow *e, int index, Sprite *a, Sprite *b) noexcept nogil:
    """Once per tick, sprite and line (effects, 10.4)."""
    cdef Pulled *place
    cdef double x, y
    cdef int ref = reference(w, a)
    if 2 * w.n_pulled >= w.room_pulled and more_pulled(w) < 0:
        return -1
    place = place_of(w.pulled, w.room_pulled, index, ref)
    if place.effect != -1:
        return 0
    place.effect = index
    place.reference = ref
    w.n_pulled += 1
    if not (row(w, a).grid or row(w, a).continuous):
        return fail(w, NO_PHYSICS, e.line)
    last_direction(b, &x, &y)
    normalise(&x, &y)
    update_position(w, a, x, y, trunc(speed(w, b) * (w.block_size if row(w, a).grid else 10)))
    if not row(w, a).grid:
        move_to(w, a, a.x, b.y - height(w, b))
        face(a, a.orientation_x, 0.0)
    if e.pixel_perfect:
        set_rect(w, a, b.x, b.y, width(w, b), height(w, b))
    return 0


cdef int list_sprites(Scratch *w, int stype) noexcept nogil:
    """List the sprites of exactly one type, unless they already are: a group only ever grows in the event phase."""
    cdef Walk it
    cdef void *grown
    cdef int n = 0, size = group_size(w, stype)
    if w.listed_type == stype and w.n_listed == size:
        return 0
    grown = room_for(w.listed, &w.room_listed, size, sizeof(int32_t))
    if grown == NULL:
        return fail(w, OUT_OF_MEMORY, 0)
    w.listed = <int32_t *>grown
    it = walk(w, stype)
    for n in range(size):
        w.listed[n] = next_of(w, &it)
    w.listed_type = stype
    w.n_listed = size
    w.steps += size
    return 0


cdef int teleport(Scratch *w, Sprite *a, Sprite *b) noexcept nogil:
    cdef TypeRow *t = row(w, b)
    cdef Sprite *exit
    cdef int stype = inner(w, b).itype if t.is_spawner and w.rules.inner_at else t.itype
    if not t.has_itype or stype < 0:
        warn(w)
        return 0
    if group_size(w, stype) == 0:
        return kill(w, a, False)
    if list_sprites(w, stype) < 0:
        return -1
    exit = resolve(w, w.listed[next_int(&w.header.rng, w.n_listed)], 2)
    set_rect(w, a, exit.x, exit.y, width(w, exit), height(w, exit))
    a.lastmove = 0
    if exit.flags & ORIENTED:
        face(a, exit.orientation_x, exit.orientation_y)
    return 0


# ---------------------------------------------------------------------------------------------- spawning

cdef int spawn_beside(Scratch *w, EffectRow *e, Sprite *b) noexcept nogil:
    cdef int x = b.x, y = b.y, block = w.block_size
    if next_double(&w.header.rng) >= e.prob:
        return 0
    if e.op == SPAWN_BEHIND or e.step_back:
        if not left_its_place(w, b):
            return 0
        x = b.last_x
        y = b.last_y
    if e.op == SPAWN_ABOVE:
        y -= block
    elif e.op == SPAWN_BELOW:
        y += block
    elif e.op == SPAWN_LEFT:
        x -= block
    elif e.op == SPAWN_RIGHT:
        x += block
    add_sprite(w, e.stype, x, y, False)
    return 0


cdef int spawn_by_count(Scratch *w, EffectRow *e, Sprite *a) noexcept nogil:
    """spawnIfCounterSubTypes (effects, 10.3); it compares half the number of living subtypes."""
    set_gate(w, e, APPLY_SCORE | COUNT, False)
    if alive_number(w, e.stype_count) == e.limit and living_subtypes(w, e.stype_count) / 2 == e.sub_types_num:
        add_sprite(w, e.stype, a.x, a.y, False)
        set_gate(w, e, APPLY_SCORE | COUNT, True)
    else:
        add_sprite(w, e.estype, a.x, a.y, False)
    return 0


cdef void update_spawn_type(Scratch *w, EffectRow *e, Sprite *b) noexcept nogil:
    cdef TypeRow *t = &w.rules.types[e.spawn_point]
    cdef TypeRow *u
    cdef int k, j, group, index
    cdef Sprite *s
    for k in range(t.subtypes_start, t.subtypes_start + t.subtypes_len):
        u = &w.rules.types[w.rules.pool[k]]
        group = w.board.group_of[w.rules.pool[k]]
        if not u.is_spawner or group < 0:
            continue
        index = w.groups[group].first
        while index >= 0:
            s = record(w, index)
            if b == NULL:
                fail(w, NO_SPRITE, e.line)
                return
            if u.op == BOMBER_RANDOM_MISSILE:
                for j in range(u.shots_len):
                    if missiles(w, s)[j] == b.type:
                        missiles(w, s)[j] = e.stype
                        break
            else:
                inner(w, s).itype = e.stype
            index = s.next


# ---------------------------------------------------------------------------------------------- resources, health, score, speed

cdef int limit_of(Scratch *w, int stype) noexcept nogil:
    return w.rules.types[stype].resource_limit


cdef int change_resource(Scratch *w, EffectRow *e, Sprite *a, Sprite *b) noexcept nogil:
    set_gate(w, e, APPLY_SCORE, False)
    if e.resource < 0:
        return fail(w, NO_SPRITE, e.line)
    if <int32_t>(amount(w, a, e.resource) + e.value_int) <= limit_of(w, e.resource):
        modify_resource(w, a, e.resource, e.value_int)
        set_gate(w, e, APPLY_SCORE, True)
        if e.kill_resource:
            kill(w, b, True)
    return 0


cdef int collect_resource(Scratch *w, EffectRow *e, Sprite *a, Sprite *b) noexcept nogil:
    cdef TypeRow *t = row(w, a)
    cdef int have, limit
    if not t.is_resource:
        return 0
    set_gate(w, e, APPLY_SCORE, False)
    if t.resource_type < 0:
        return fail(w, NO_SPRITE, e.line)
    have = amount(w, b, t.resource_type)
    limit = limit_of(w, t.resource_type)
    if e.op == COLLECT_RESOURCE_IF_HELD:
        if amount(w, b, e.held_resource) < e.value_int:
            return 0
        if <int32_t>(have + t.value) <= limit:
            set_gate(w, e, APPLY_SCORE, True)
            modify_resource(w, b, t.resource_type, t.value)
        if e.kill_resource:
            kill(w, a, False)
    elif have < limit:
        modify_resource(w, b, t.resource_type, smaller(t.value, limit - have))
        set_gate(w, e, APPLY_SCORE, True)
        if e.kill_resource:
            kill(w, a, True)
    return 0


cdef void add_health(Scratch *w, EffectRow *e, Sprite *a, Sprite *b) noexcept nogil:
    cdef int limit = row(w, a).limit_health_points
    cdef int after = vital(w, a).health + e.value_int
    set_gate(w, e, APPLY_SCORE, e.op == ADD_HEALTH_POINTS_TO_MAX)
    if after >= limit:
        if e.op == ADD_HEALTH_POINTS:
            return
        after = limit
    vital(w, a).health = after
    if after > vital(w, a).max_health:
        vital(w, a).max_health = after
    set_gate(w, e, APPLY_SCORE, True)
    if e.kill_second and b != NULL:
        kill(w, b, False)


cdef void zero_score(Scratch *w, Sprite *s) noexcept nogil:
    cdef int player = 1 if s.flags & SECOND_PLAYER else 0
    if w.header.avatar[player] == reference(w, s):
        w.header.score[player] = 0.0


cdef void remove_score(Scratch *w, EffectRow *e, Sprite *a, Sprite *b) noexcept nogil:
    cdef Walk it
    cdef int ref
    if not w.rules.types[a.type if e.stype < 0 else e.stype].is_avatar:
        return
    if e.stype < 0:
        zero_score(w, a)
        if e.kill_second and b != NULL:
            kill(w, b, True)
        return
    it = walk(w, e.stype)
    while True:
        ref = next_of(w, &it)
        if ref == NOWHERE:
            return
        zero_score(w, resolve(w, ref, 2))
        w.steps += 1
        if e.kill_second and b != NULL:
            kill(w, b, True)


cdef void change_speeds(Scratch *w, EffectRow *e) noexcept nogil:
    cdef TypeRow *t = &w.rules.types[e.stype]
    cdef int k, group, index
    cdef Sprite *s
    for k in range(t.subtypes_start, t.subtypes_start + t.subtypes_len):
        group = w.board.group_of[w.rules.pool[k]]
        if group < 0:
            continue
        index = w.groups[group].first
        while index >= 0:
            s = record(w, index)
            if e.op == SET_SPEED_FOR_ALL:
                set_speed(w, s, e.value)
            elif e.op == INCREASE_SPEED_TO_ALL:
                set_speed(w, s, speed(w, s) + e.value)
            else:
                set_speed(w, s, 0.0 if speed(w, s) - e.value < 0 else speed(w, s) - e.value)
            index = s.next
            w.work_left -= 2


cdef int shield(Scratch *w, EffectRow *e, Sprite *a) noexcept nogil:
    cdef int k
    cdef void *grown
    for k in range(w.n_shields):
        if (w.shields[k].first == a.type and w.shields[k].second == e.stype
                and w.shields[k].hash == e.shield_hash):
            return 0
    grown = room_for(w.shields, &w.room_shields, w.n_shields + 1, sizeof(Shield))
    if grown == NULL:
        return fail(w, OUT_OF_MEMORY, e.line)
    w.shields = <Shield *>grown
    w.shields[w.n_shields].first = a.type
    w.shields[w.n_shields].second = e.stype
    w.shields[w.n_shields].hash = e.shield_hash
    w.n_shields += 1
    return 0


cdef void kill_all(Scratch *w, int stype) noexcept nogil:
    cdef Walk it
    cdef int ref, size = group_size(w, stype)
    if w.swept == stype and w.n_swept == size:  # all of them are on the kill list, or disabled
        if not w.rules.types[stype].avatar_object:
            w.repeated_kills += size
        return
    it = walk(w, stype)
    while True:
        ref = next_of(w, &it)
        if ref == NOWHERE:
            break
        kill_reference(w, ref, False)
    w.swept = stype
    w.n_swept = size
    w.steps += size


# ---------------------------------------------------------------------------------------------- dispatch

cdef inline int new_sprites(Scratch *w, EffectRow *e) noexcept nogil:
    """The most sprites that one execution can create; with room for them, pointers stay valid meanwhile."""
    if e.op == TRANSFORM_TO_ALL or e.op == TRANSFORM_TO_SINGLETON:
        return group_size(w, e.stype) + 1
    return 1


cdef int run_effect(Scratch *w, int index, int first, int second) noexcept nogil:
    """Carry out an effect's action on two references, either of which may be `NOWHERE`; -1 on a failure."""
    cdef EffectRow *e = &w.rules.effects[index]
    cdef int op = e.op
    cdef Sprite *a
    cdef Sprite *b
    cdef bint still, met
    # a shortcut for the most frequent effect
    if op == STEP_BACK and not e.pixel_perfect and first >= 0 and second != NOWHERE:
        restore(w, record(w, first))
        return -1 if w.header.failure else 0
    if op == TIME_EFFECT:
        return run_effect(w, e.inner, first, NOWHERE)
    if op == ADD_TIMER:
        return add_timer(w, w.tick + e.timer, index)
    if reserve(w, new_sprites(w, e)) < 0:
        return -1
    a = NULL if first == NOWHERE else resolve(w, first, 0)
    b = NULL if second == NOWHERE else resolve(w, second, 1)
    if (a == NULL and e.null_policy & NULL_FIRST) or (b == NULL and e.null_policy & NULL_SECOND):
        warn(w)
        return 0
    if a == NULL and e.null_policy & NULL_FATAL_FIRST:
        return fail(w, NO_SPRITE, e.line)
    if op == STEP_BACK:
        if e.pixel_perfect and b != NULL:
            pixel_perfect(w, a, b)
        else:
            restore(w, a)
    elif op == KILL_SPRITE:
        kill(w, a, False)
    elif op == KILL_BOTH:
        kill(w, a, False)
        kill(w, b, False)
    elif op == KILL_ALL:
        kill_all(w, e.stype)
    elif op == KILL_IF_ALIVE:
        if not b.flags & KILLED:
            kill(w, a, False)
    elif op == KILL_IF_FROM_ABOVE:
        met = a.last_y > b.last_y + height(w, b) / 2 and b.y > b.last_y
        set_gate(w, e, APPLY_SCORE, met)
        if met:
            kill(w, a, False)
    elif op == KILL_IF_FRONTAL or op == KILL_IF_NOT_FRONTAL:
        met = head_on(a, b, &still)
        met = still or (met if op == KILL_IF_FRONTAL else not met)
        set_gate(w, e, APPLY_SCORE, met)
        if met:
            kill(w, a, False)
    elif op == KILL_IF_HAS_LESS or op == KILL_IF_HAS_MORE:
        met = amount(w, a, e.resource) <= e.limit if op == KILL_IF_HAS_LESS else amount(w, a, e.resource) >= e.limit
        set_gate(w, e, APPLY_SCORE, met)
        if met:
            kill(w, a, False)
    elif op == KILL_IF_OTHER_HAS_MORE:
        met = amount(w, b, e.resource) >= e.limit
        set_gate(w, e, APPLY_SCORE, met)
        if met:
            kill(w, a, False)
            if e.subtract:
                modify_resource(w, b, e.resource, -<int64_t>e.limit)
    elif op == KILL_IF_SLOW:
        if relative_speed(w, a, b) < e.limspeed:
            kill(w, a, False)
    elif op == KILL_IF_FAST:
        if relative_speed(w, a, b) > e.limspeed:
            kill(w, a, False)
    elif op == KILL_IF_NOT_UPRIGHT:
        if not upright(rotation(w, a)):
            kill(w, a, False)
    elif op == SUBTRACT_HEALTH_POINTS:
        subtract_health(w, e, a)
    elif op == TRANSFORM_TO:
        if not a.flags & DISABLED:
            transform(w, e, add_sprite(w, e.stype, a.x, a.y, False), a, b)
    elif op == TRANSFORM_IF_COUNT:
        transform_if_count(w, e, a, b)
    elif op == TRANSFORM_TO_ALL:
        transform_all(w, e, second)
    elif op == TRANSFORM_TO_RANDOM_CHILD:
        transform_to_random_child(w, e, a, b)
    elif op == TRANSFORM_TO_SINGLETON:
        transform_to_singleton(w, e, a, b)
    elif op == SPAWN:
        if next_double(&w.header.rng) < e.prob:
            add_sprite(w, e.stype, a.x, a.y, False)
    elif op == SPAWN_IF_HAS_MORE or op == SPAWN_IF_HAS_LESS:
        set_gate(w, e, APPLY_SCORE, False)
        if next_double(&w.header.rng) < e.prob:
            met = amount(w, a, e.resource) >= e.limit if op == SPAWN_IF_HAS_MORE else amount(w, a, e.resource) <= e.limit
            if met:
                add_sprite(w, e.stype, a.x, a.y, False)
                set_gate(w, e, APPLY_SCORE, True)
                if op == SPAWN_IF_HAS_MORE:
                    modify_resource(w, a, e.resource, -<int64_t>e.spend)
    elif op == SPAWN_IF_COUNTER_SUB_TYPES:
        spawn_by_count(w, e, a)
    elif op == SPAWN_BEHIND or op == SPAWN_ABOVE or op == SPAWN_BELOW or op == SPAWN_LEFT or op == SPAWN_RIGHT:
        spawn_beside(w, e, b)
    elif op == CLONE_SPRITE:
        add_sprite(w, a.type, a.x, a.y, False)
    elif op == UNDO_ALL:
        undo_all(w, e, index)
    elif op == TURN_AROUND:
        turn_around(w, a)
    elif op == REVERSE_DIRECTION:
        face(a, -a.orientation_x, -a.orientation_y)
    elif op == FLIP_DIRECTION:
        flip_direction(w, a)
    elif op == ATTRACT_GAZE:
        attract_gaze(w, e, a, b)
    elif op == ALIGN:
        if e.orient:
            face(a, b.orientation_x, b.orientation_y)
        move_to(w, a, b.x, b.y)
    elif op == WRAP_AROUND:
        wrap_around(w, e, a)
    elif op == BOUNCE_FORWARD:
        bounce_forward(w, a, b)
    elif op == PULL_WITH_IT:
        pull_with_it(w, e, index, a, b)
    elif op == TELEPORT_TO_EXIT:
        teleport(w, a, b)
    elif op == WALL_STOP:
        wall_stop(w, a, b)
    elif op == WALL_BOUNCE or op == WALL_REVERSE:
        if op == WALL_BOUNCE and gravity(w, a) > 0.0:
            active_movement(w, a, 0.0, -1.0, 0.0)
        bounce(w, e, a, box_of(w, b))
        restore(w, a)
        restore(w, b)
    elif op == BOUNCE_DIRECTION:
        bounce_direction(w, e, a, b)
    elif op == CHANGE_RESOURCE:
        change_resource(w, e, a, b)
    elif op == COLLECT_RESOURCE or op == COLLECT_RESOURCE_IF_HELD:
        collect_resource(w, e, a, b)
    elif op == ADD_HEALTH_POINTS or op == ADD_HEALTH_POINTS_TO_MAX:
        add_health(w, e, a, b)
    elif op == REMOVE_SCORE:
        remove_score(w, e, a, b)
    elif op == HALF_SPEED:
        set_speed(w, a, speed(w, a) * 0.5)
    elif op == WATER_PHYSICS:
        motion(w, a).gravity = 0.2
    elif op == INCREASE_SPEED_TO_ALL or op == DECREASE_SPEED_TO_ALL or op == SET_SPEED_FOR_ALL:
        change_speeds(w, e)
    elif op == SHIELD_FROM:
        shield(w, e, a)
    elif op == UPDATE_SPAWN_TYPE:
        update_spawn_type(w, e, b)
    return -1 if w.header.failure else 0


cdef inline bint upright(double angle) noexcept nogil:
    cdef double r = modulus(angle + 6.283185307179586, 6.283185307179586)
    return 4.4 < r < 5.0


cdef inline void flip_direction(Scratch *w, Sprite *a) noexcept nogil:
    cdef int k = next_int(&w.header.rng, 4)
    face(a, base_x(k), base_y(k))
