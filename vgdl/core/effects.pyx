"""What each effect does (effects, 10). Scores, counters and events are the business of the event phase.

Conventions: ``a`` is the first sprite of an interaction, ``b`` the second; either may be NULL. A sprite that lives in the
board is given as a scratch copy: what is written to it is lost, and the compiler sees to it that nothing but a kill ever is.
"""

from libc.math cimport cos, fabs, fmod, sin, sqrt
from libc.stdint cimport int32_t, int64_t

from vgdl.core.layout cimport (
    ABSENT, APPLY_SCORE, COUNT, COUNT_ELSE, DISABLED, FROM_AVATAR_FLAG, KILLED, KILLED_SCORE, LEVEL_BORN, NOWHERE,
    ORIENTED, SECOND_PLAYER, GROUP_CHANGED, NO_AVATAR, NO_SPRITE, OUT_OF_MEMORY,
    ADD_HEALTH_POINTS, ADD_HEALTH_POINTS_TO_MAX, ADD_TIMER, ALIGN, ATTRACT_GAZE, BOUNCE_DIRECTION, BOUNCE_FORWARD,
    CHANGE_RESOURCE, CLONE_SPRITE, COLLECT_RESOURCE, COLLECT_RESOURCE_IF_HELD, DECREASE_SPEED_TO_ALL, FLIP_DIRECTION,
    HALF_SPEED, INCREASE_SPEED_TO_ALL, KILL_ALL, KILL_BOTH, KILL_IF_ALIVE, KILL_IF_FAST, KILL_IF_FROM_ABOVE,
    KILL_IF_FRONTAL, KILL_IF_HAS_LESS, KILL_IF_HAS_MORE, KILL_IF_NOT_FRONTAL, KILL_IF_NOT_UPRIGHT,
    KILL_IF_OTHER_HAS_MORE, KILL_IF_SLOW, KILL_SPRITE, PULL_WITH_IT, REMOVE_SCORE, REVERSE_DIRECTION,
    SET_SPEED_FOR_ALL, SHIELD_FROM, SPAWN, SPAWN_ABOVE, SPAWN_BEHIND, SPAWN_BELOW, SPAWN_IF_COUNTER_SUB_TYPES,
    SPAWN_IF_HAS_LESS, SPAWN_IF_HAS_MORE, SPAWN_LEFT, SPAWN_RIGHT, STEP_BACK, SUBTRACT_HEALTH_POINTS,
    TELEPORT_TO_EXIT, TIME_EFFECT, TRANSFORM_IF_COUNT, TRANSFORM_TO, TRANSFORM_TO_ALL, TRANSFORM_TO_RANDOM_CHILD,
    TRANSFORM_TO_SINGLETON, TURN_AROUND, UNDO_ALL, UPDATE_SPAWN_TYPE, WALL_BOUNCE, WALL_REVERSE, WALL_STOP,
    WATER_PHYSICS, WRAP_AROUND, BOMBER_RANDOM_MISSILE,
    NULL_FATAL_FIRST, NULL_FATAL_SECOND, NULL_FIRST, NULL_SECOND,
    EffectRow, Size, Sprite, TypeRow,
)
from vgdl.core.motion cimport active_movement, base_x, base_y, face, normalise, update_position
from vgdl.core.random cimport next_double, next_int
from vgdl.core.work cimport (
    Pulled, Shield, Walk, Work, amount, gravity, group_size, health, height, inner, last_height, last_width,
    left_its_place, missiles, modify_resource, motion, next_of, number, peek, record, reference, resolve, resource, rotation, row,
    set_gate, set_speed, size_of, speed, trunc, vital, walk, width,
)
from vgdl.core.world cimport add_sprite, fail, insert_timer, kill, kill_reference, reserve, restore, room_for, set_rect, warn


# ---------------------------------------------------------------------------------------------- counting

cdef int disabled_in(Work *w, int type) noexcept nogil:
    """Disabled sprites of exactly one type."""
    cdef int n = 0, index
    cdef int group = w.board.group_of[type]
    if w.header.n_disabled == 0 or group < 0 or not w.rules.types[type].avatar_object:
        return 0
    index = w.groups[group].first
    while index >= 0:
        if record(w, index).flags & DISABLED:
            n += 1
        index = record(w, index).next
    return n


cdef int alive_number(Work *w, int type) noexcept nogil:
    """Sprites of a type and its subtypes that are not disabled (engine, 10)."""
    cdef int k, n = number(w, type)
    cdef TypeRow *t = &w.rules.types[type]
    if w.header.n_disabled:
        for k in range(t.subtypes_start, t.subtypes_start + t.subtypes_len):
            n -= disabled_in(w, w.rules.pool[k])
    return n


cdef int living_subtypes(Work *w, int type) noexcept nogil:
    """How many of a type's subtypes have living sprites of their own (effects, 13.6)."""
    cdef int k, u, n = 0
    cdef TypeRow *t = &w.rules.types[type]
    for k in range(t.subtypes_start, t.subtypes_start + t.subtypes_len):
        u = w.rules.pool[k]
        if group_size(w, u) > 0 and alive_number(w, u) > 0:
            n += 1
    return n


# ---------------------------------------------------------------------------------------------- transforming

cdef int carry_avatar(Work *w, Sprite *new, Sprite *old, bint *transformed) noexcept nogil:
    """Hand the player's slot from an avatar to what it becomes (effects, 8.4, step 4)."""
    cdef int player
    transformed[0] = True
    if not row(w, old).is_avatar:
        return 0
    player = 1 if old.flags & SECOND_PLAYER else 0
    if w.header.avatar[player] < 0:
        return fail(w, NO_AVATAR, 0)
    if row(w, new).is_avatar:
        w.header.avatar[player] = reference(w, new)
        if player:
            new.flags |= SECOND_PLAYER
    else:
        transformed[0] = False
    return 0


cdef void carry_past(Work *w, Sprite *new, Sprite *old) noexcept nogil:
    """Last rectangle and resources."""
    cdef Size *size
    cdef int32_t *held
    cdef int k
    new.last_x = old.last_x
    new.last_y = old.last_y
    if w.size_at:
        size = size_of(w, new)
        size.last_w = last_width(w, old)
        size.last_h = last_height(w, old)
    for k in range(w.rules.n_resources):
        held = resource(w, old, w.rules.resources[k])
        if held != NULL and held[0] != ABSENT:
            modify_resource(w, new, w.rules.resources[k], held[0])


cdef int transform(Work *w, EffectRow *e, int made, Sprite *old, Sprite *partner) noexcept nogil:
    """Let a new sprite take an old one's place (effects, 8.4)."""
    cdef Sprite *new
    cdef bint transformed
    if made < 0:
        return -1 if w.header.failure else 0
    new = record(w, made)
    if e.force_orientation or (new.flags & ORIENTED and old.flags & ORIENTED
                               and new.orientation_x == 0.0 and new.orientation_y == 0.0):
        face(new, old.orientation_x, old.orientation_y)
    carry_past(w, new, old)
    if carry_avatar(w, new, old, &transformed) < 0:
        return -1
    if w.rules.vital_at:
        vital(w, new).health = health(w, old)
    kill(w, old, transformed)
    if e.kill_second and partner != NULL:
        kill(w, partner, True)
    return 0


cdef int carry(Work *w, int made, Sprite *old) noexcept nogil:
    """transformToSingleton's own way of transforming (effects, 10.2)."""
    cdef Sprite *new
    cdef bint transformed
    if made < 0:
        return -1 if w.header.failure else 0
    new = record(w, made)
    if new.flags & ORIENTED and old.flags & ORIENTED:
        face(new, old.orientation_x, old.orientation_y)
    carry_past(w, new, old)
    if carry_avatar(w, new, old, &transformed) < 0:
        return -1
    kill(w, old, transformed)
    return 0


cdef int transform_all(Work *w, EffectRow *e, int second) noexcept nogil:
    cdef Walk it = walk(w, e.stype)
    cdef int ref, made
    cdef Sprite *old
    while True:
        ref = next_of(w, &it)
        if ref == NOWHERE:
            return 0
        old = resolve(w, ref, 2)
        made = add_sprite(w, e.stype_to, old.x, old.y, True)
        if transform(w, e, made, old, NULL if second == NOWHERE else resolve(w, second, 1)) < 0:
            return -1
        if e.stype == e.stype_to and made >= 0:  # the list being walked was added to
            return fail(w, GROUP_CHANGED, e.line)


cdef int transform_to_singleton(Work *w, EffectRow *e, Sprite *a, Sprite *b) noexcept nogil:
    cdef Walk it = walk(w, e.stype)
    cdef int ref, made
    cdef Sprite *old
    if e.stype == e.stype_other and group_size(w, e.stype) > 0:
        return fail(w, GROUP_CHANGED, e.line)
    while True:
        ref = next_of(w, &it)
        if ref == NOWHERE:
            break
        old = resolve(w, ref, 2)
        if carry(w, add_sprite(w, e.stype_other, old.x, old.y, False), old) < 0:
            return -1
    made = add_sprite(w, e.stype, a.x, a.y, False)
    if carry(w, made, a) < 0:
        return -1
    if made >= 0 and e.take_orientation:
        record(w, made).flags |= ORIENTED
        face(record(w, made), -b.orientation_x, -b.orientation_y)
    return 0


cdef int transform_to_random_child(Work *w, EffectRow *e, Sprite *a, Sprite *b) noexcept nogil:
    """One of the other types of the subtypes list, ancestors included; a class-less one only gives a message."""
    cdef TypeRow *t = &w.rules.types[e.stype]
    cdef int k, wanted
    if t.subtypes_len < 2:
        return 0
    wanted = next_int(&w.header.rng, t.subtypes_len - 1)
    for k in range(t.subtypes_start, t.subtypes_start + t.subtypes_len):
        if w.rules.pool[k] == e.stype:
            continue
        if wanted == 0:
            if not w.rules.types[w.rules.pool[k]].creatable:
                warn(w)
                return 0
            return transform(w, e, add_sprite(w, w.rules.pool[k], a.x, a.y, False), a, b)
        wanted -= 1
    return 0


cdef int transform_if_count(Work *w, EffectRow *e, Sprite *a, Sprite *b) noexcept nogil:
    cdef int n
    if e.stype_count < 0:
        return fail(w, NO_SPRITE, e.line)
    n = number(w, e.stype_count)
    set_gate(w, e, APPLY_SCORE | COUNT | COUNT_ELSE, False)
    if e.geq <= n <= e.leq:
        if transform(w, e, add_sprite(w, e.stype, a.x, a.y, True), a, b) < 0:
            return -1
        set_gate(w, e, APPLY_SCORE | COUNT, True)
    elif e.estype >= 0:
        if transform(w, e, add_sprite(w, e.estype, a.x, a.y, True), a, b) < 0:
            return -1
        set_gate(w, e, COUNT_ELSE, True)
    return 0


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


cdef double relative_speed(Work *w, Sprite *a, Sprite *b) noexcept nogil:
    """Of orientations, not of velocities, when both are mobile (effects, 10.1)."""
    cdef double x, y
    if row(w, a).is_static:
        return speed(w, b)
    if row(w, b).is_static:
        return speed(w, a)
    x = a.orientation_x - b.orientation_x
    y = a.orientation_y - b.orientation_y
    return sqrt(x * x + y * y)


cdef int subtract_health(Work *w, EffectRow *e, Sprite *a) noexcept nogil:
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

cdef inline void move_to(Work *w, Sprite *s, int x, int y) noexcept nogil:
    set_rect(w, s, x, y, width(w, s), height(w, s))


cdef void pixel_perfect(Work *w, Sprite *a, Sprite *b) noexcept nogil:
    """Put ``a`` flush against ``b`` on the side that it came from (effects, 9.4)."""
    cdef double dx = (a.x + width(w, a) / 2.0) - (a.last_x + last_width(w, a) / 2.0)
    cdef double dy = (a.y + height(w, a) / 2.0) - (a.last_y + last_height(w, a) / 2.0)
    normalise(&dx, &dy)
    if dx == 0.0 and dy == 1.0:
        move_to(w, a, a.x, b.y - height(w, a))
    elif dx == 1.0 and dy == 0.0:
        move_to(w, a, b.x - width(w, a), a.y)
    elif dx == 0.0 and dy == -1.0:
        move_to(w, a, a.x, b.y + height(w, b))
    elif dx == -1.0 and dy == 0.0:
        move_to(w, a, b.x + width(w, b), a.y)
    else:
        restore(w, a)


cdef void undo_all(Work *w, EffectRow *e) noexcept nogil:
    """Every sprite of the types in the sprite order; those that live in the board never move."""
    cdef int k, j, group, index
    cdef bint skipped
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


cdef void turn_around(Work *w, Sprite *a) noexcept nogil:
    cdef int k
    restore(w, a)
    for k in range(2):
        a.lastmove = row(w, a).cooldown
        active_movement(w, a, 0.0, 1.0, speed(w, a))
    face(a, -a.orientation_x, -a.orientation_y)


cdef void attract_gaze(Work *w, EffectRow *e, Sprite *a, Sprite *b) noexcept nogil:
    if not (a.flags & ORIENTED and b.flags & ORIENTED) or next_double(&w.header.rng) >= e.prob:
        return
    face(a, b.orientation_x, b.orientation_y)
    if e.align:
        if (a.orientation_x == -1.0 or a.orientation_x == 1.0) and a.orientation_y == 0.0:
            move_to(w, a, a.x, b.y)
        else:
            move_to(w, a, b.x, a.y)


cdef void wrap_around(Work *w, EffectRow *e, Sprite *a) noexcept nogil:
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


cdef void bounce_forward(Work *w, Sprite *a, Sprite *b) noexcept nogil:
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


cdef int pull_with_it(Work *w, EffectRow *e, int index, Sprite *a, Sprite *b) noexcept nogil:
    """Once per tick, sprite and line (effects, 10.4)."""
    cdef void *grown
    cdef double x, y
    cdef int k, ref = reference(w, a)
    for k in range(w.n_pulled):
        if w.pulled[k].effect == index and w.pulled[k].reference == ref:
            return 0
    grown = room_for(w.pulled, &w.room_pulled, w.n_pulled + 1, sizeof(Pulled))
    if grown == NULL:
        return fail(w, OUT_OF_MEMORY, e.line)
    w.pulled = <Pulled *>grown
    w.pulled[w.n_pulled].effect = index
    w.pulled[w.n_pulled].reference = ref
    w.n_pulled += 1
    last_direction(b, &x, &y)
    normalise(&x, &y)
    update_position(w, a, x, y, trunc(speed(w, b) * (w.block_size if row(w, a).grid else 10)))
    if not row(w, a).grid:
        move_to(w, a, a.x, b.y - height(w, b))
        face(a, a.orientation_x, 0.0)
    if e.pixel_perfect:
        set_rect(w, a, b.x, b.y, width(w, b), height(w, b))
    return 0


cdef int teleport(Work *w, Sprite *a, Sprite *b) noexcept nogil:
    cdef TypeRow *t = row(w, b)
    cdef Walk it
    cdef Sprite *exit
    cdef int ref, wanted, type
    type = inner(w, b).itype if t.is_spawner and w.rules.inner_at else t.itype
    if not t.has_itype or type < 0:
        warn(w)
        return 0
    if group_size(w, type) == 0:
        return kill(w, a, False)
    wanted = next_int(&w.header.rng, group_size(w, type))
    it = walk(w, type)
    ref = next_of(w, &it)
    while wanted > 0:
        ref = next_of(w, &it)
        wanted -= 1
    exit = resolve(w, ref, 2)
    set_rect(w, a, exit.x, exit.y, width(w, exit), height(w, exit))
    a.lastmove = 0
    if exit.flags & ORIENTED:
        face(a, exit.orientation_x, exit.orientation_y)
    return 0


# ---------------------------------------------------------------------------------------------- walls

cdef void keep_speed(Work *w, Sprite *a, double x, double y) noexcept nogil:
    """Head along (x, y) with the share of the speed that it stands for, but no slower than gravity."""
    cdef double m = sqrt(x * x + y * y)
    normalise(&x, &y)
    face(a, x, y)
    set_speed(w, a, m * speed(w, a))
    if speed(w, a) < gravity(w, a):
        set_speed(w, a, gravity(w, a))


cdef void wall_stop(Work *w, Sprite *a, Sprite *b) noexcept nogil:
    cdef double dx, dy
    pixel_perfect(w, a, b)
    dx = (a.x + width(w, a) / 2.0) - (b.x + width(w, b) / 2.0)
    dy = (a.y + height(w, a) / 2.0) - (b.y + height(w, b) / 2.0)
    if fabs(dx) > fabs(dy):
        keep_speed(w, a, 0.0, a.orientation_y)
    else:
        keep_speed(w, a, a.orientation_x, 0.0)


cdef struct Box:
    int x, y, w, h


cdef inline Box box_of(Work *w, Sprite *s) noexcept nogil:
    cdef Box box
    box.x = s.x
    box.y = s.y
    box.w = width(w, s)
    box.h = height(w, s)
    return box


cdef inline double last_distance(Work *w, Sprite *a, Sprite *b) noexcept nogil:
    """Between the centres of the last rectangles."""
    cdef double x = (a.last_x + last_width(w, a) / 2.0) - (b.last_x + last_width(w, b) / 2.0)
    cdef double y = (a.last_y + last_height(w, a) / 2.0) - (b.last_y + last_height(w, b) / 2.0)
    return sqrt(x * x + y * y)


cdef void sort_by_distance(Work *w, Sprite *a, int32_t *others, int n) noexcept nogil:
    cdef int i, k, ref
    cdef double d
    for i in range(1, n):
        ref = others[i]
        d = last_distance(w, a, peek(w, ref))
        k = i
        while k > 0 and last_distance(w, a, peek(w, others[k - 1])) > d:
            others[k] = others[k - 1]
            k -= 1
        others[k] = ref


cdef int sort_batch(Work *w, Sprite *a, int32_t *others, int n, Box *box) noexcept nogil:
    """The rectangle that a batch of walls amounts to, and for how many it counts (effects, 9.5)."""
    cdef Sprite *p
    cdef Sprite *q
    cdef Box bp, bq
    if n == 2:
        p = peek(w, others[0])
        q = peek(w, others[1])
        bp = box_of(w, p)
        bq = box_of(w, q)
        if bp.x + bp.w / 2.0 == bq.x + bq.w / 2.0:
            box.x = bp.x
            box.y = bp.y if bp.y < bq.y else bq.y
            box.w = bp.w
            box.h = 2 * bp.h
            return 2
        if bp.y + bp.h / 2.0 == bq.y + bq.h / 2.0:
            box.x = bp.x if bp.x < bq.x else bq.x
            box.y = bp.y
            box.w = 2 * bp.w
            box.h = bp.h
            return 2
    if n > 1:
        sort_by_distance(w, a, others, n)
    box[0] = box_of(w, peek(w, others[0]))
    return 1


cdef inline int smaller(int a, int b) noexcept nogil:
    return a if a < b else b


cdef inline int larger(int a, int b) noexcept nogil:
    return a if a > b else b


cdef void bounce_axes(Work *w, Sprite *a, Box q, bint *horizontal, bint *vertical) noexcept nogil:
    """On which axes a sprite that entered a rectangle is thrown back (effects, 9.6)."""
    cdef int wide = width(w, a)
    cdef int high = height(w, a)
    cdef int shared_w = smaller(a.x + wide, q.x + q.w) - larger(a.x, q.x)
    cdef int shared_h = smaller(a.y + high, q.y + q.h) - larger(a.y, q.y)
    cdef double vx = 0.0, vy = 0.0, dx, dy, tx, ty
    horizontal[0] = high == shared_h
    vertical[0] = wide == shared_w
    if horizontal[0] or vertical[0]:
        return
    if speed(w, a) != 0.0:
        vx = a.orientation_x * speed(w, a)
        vy = a.orientation_y * speed(w, a)
    if vx == 0.0:
        dx = fabs(<double>a.last_x - q.x)
    elif vx > 0.0:
        dx = fabs(<double>a.last_x + wide - q.x)
    else:
        dx = fabs(<double>q.x + q.w - a.last_x)
    if vy == 0.0:
        dy = fabs(<double>a.last_y - q.y)
    elif vy > 0.0:
        dy = fabs(<double>a.last_y + high - q.y)
    else:
        dy = fabs(<double>a.last_y - (q.y + q.h))
    tx = fabs(dx / vx)
    ty = fabs(dy / vy)
    horizontal[0] = tx < ty
    vertical[0] = ty < tx


cdef void bounce(Work *w, EffectRow *e, Sprite *a, Box q) noexcept nogil:
    """The change of direction of wallBounce and wallReverse."""
    cdef bint horizontal, vertical
    bounce_axes(w, a, q, &horizontal, &vertical)
    if e.op == WALL_BOUNCE:
        if vertical:
            face(a, a.orientation_x, -a.orientation_y)
        elif horizontal:
            face(a, -a.orientation_x, a.orientation_y)
        else:
            face(a, -a.orientation_x, -a.orientation_y)
    elif vertical:
        keep_speed(w, a, a.orientation_x, 0.0)
    else:
        keep_speed(w, a, -a.orientation_x, 0.0)


cdef void bounce_direction(Work *w, EffectRow *e, Sprite *a, Sprite *b) noexcept nogil:
    """Bounce off at an angle that depends on where the other one was hit (effects, 10.5)."""
    cdef double own = speed(w, a)
    cdef double vx = a.orientation_x * own if own != 0.0 else 0.0
    cdef double vy = a.orientation_y * own if own != 0.0 else 0.0
    cdef Box q = box_of(w, b)
    cdef double left = fabs(<double>a.last_x - (q.x + q.w)), right = fabs(<double>a.last_x + width(w, a) - q.x)
    cdef double above = fabs(<double>a.last_y - (q.y + q.h)), below = fabs(<double>a.last_y + height(w, a) - q.y)
    cdef double tx = fabs((left if left < right else right) / vx)
    cdef double ty = fabs((above if above < below else below) / vy)
    cdef double ax = a.x + width(w, a) / 2.0, ay = a.y + height(w, a) / 2.0
    cdef double bx = q.x + q.w / 2.0, by = q.y + q.h / 2.0
    cdef double pad, diff, side, angle, x, y
    cdef bint vertical = ty < tx
    if vertical:
        pad = q.w
        diff = ax - bx
        side = 1.0 if ay < by else -1.0
    elif tx < ty:
        pad = q.h
        diff = by - ay
        side = 1.0 if ax > bx else -1.0
    else:
        face(a, -a.orientation_x, a.orientation_y)
        return
    diff /= 0.5 * pad
    if diff > 1.0:
        diff = 1.0
    elif diff < -1.0:
        diff = -1.0
    angle = diff * (e.max_bounce_angle_deg * 0.017453292519943295)
    if vertical:
        x = sin(angle)
        y = -cos(angle) * side
    else:
        x = cos(angle) * side
        y = -sin(angle)
    normalise(&x, &y)
    face(a, x, y)


cdef int run_batch(Work *w, int index, int first, int32_t *others, int n) noexcept nogil:
    """The batch routine of an effect; for how many collisions it counts, 0 for an effect without one (effects, 6.5)."""
    cdef EffectRow *e = &w.rules.effects[index]
    cdef Sprite *a
    cdef Box box
    cdef int k, counted
    if not e.batch:
        return 0
    a = resolve(w, first, 0)
    counted = sort_batch(w, a, others, n, &box)
    bounce(w, e, a, box)
    restore(w, a)
    for k in range(n):
        if others[k] >= 0:
            restore(w, record(w, others[k]))
    return counted


# ---------------------------------------------------------------------------------------------- spawning

cdef int spawn_beside(Work *w, EffectRow *e, Sprite *b) noexcept nogil:
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


cdef int spawn_by_count(Work *w, EffectRow *e, Sprite *a) noexcept nogil:
    """spawnIfCounterSubTypes (effects, 10.3); it compares half the number of living subtypes."""
    set_gate(w, e, APPLY_SCORE | COUNT, False)
    if alive_number(w, e.stype_count) == e.limit and living_subtypes(w, e.stype_count) / 2 == e.sub_types_num:
        add_sprite(w, e.stype, a.x, a.y, False)
        set_gate(w, e, APPLY_SCORE | COUNT, True)
    else:
        add_sprite(w, e.estype, a.x, a.y, False)
    return 0


cdef void update_spawn_type(Work *w, EffectRow *e, Sprite *b) noexcept nogil:
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

cdef int limit_of(Work *w, int type) noexcept nogil:
    return w.rules.types[type].resource_limit


cdef int change_resource(Work *w, EffectRow *e, Sprite *a, Sprite *b) noexcept nogil:
    set_gate(w, e, APPLY_SCORE, False)
    if e.resource < 0:
        return fail(w, NO_SPRITE, e.line)
    if <int32_t>(amount(w, a, e.resource) + e.value_int) <= limit_of(w, e.resource):
        modify_resource(w, a, e.resource, e.value_int)
        set_gate(w, e, APPLY_SCORE, True)
        if e.kill_resource:
            kill(w, b, True)
    return 0


cdef int collect_resource(Work *w, EffectRow *e, Sprite *a, Sprite *b) noexcept nogil:
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


cdef void add_health(Work *w, EffectRow *e, Sprite *a, Sprite *b) noexcept nogil:
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


cdef void zero_score(Work *w, Sprite *s) noexcept nogil:
    cdef int player = 1 if s.flags & SECOND_PLAYER else 0
    if w.header.avatar[player] == reference(w, s):
        w.header.score[player] = 0.0


cdef void remove_score(Work *w, EffectRow *e, Sprite *a, Sprite *b) noexcept nogil:
    cdef Walk it
    cdef int ref
    if e.stype < 0:
        if row(w, a).is_avatar:
            zero_score(w, a)
        if e.kill_second and b != NULL:
            kill(w, b, True)
        return
    it = walk(w, e.stype)
    while True:
        ref = next_of(w, &it)
        if ref == NOWHERE:
            return
        if w.rules.types[e.stype].is_avatar:
            zero_score(w, resolve(w, ref, 2))
            if e.kill_second and b != NULL:
                kill(w, b, True)


cdef void change_speeds(Work *w, EffectRow *e) noexcept nogil:
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


cdef int shield(Work *w, EffectRow *e, Sprite *a) noexcept nogil:
    cdef void *grown = room_for(w.shields, &w.room_shields, w.n_shields + 1, sizeof(Shield))
    if grown == NULL:
        return fail(w, OUT_OF_MEMORY, e.line)
    w.shields = <Shield *>grown
    w.shields[w.n_shields].first = a.type
    w.shields[w.n_shields].second = e.stype
    w.shields[w.n_shields].hash = e.shield_hash
    w.n_shields += 1
    return 0


cdef void kill_all(Work *w, int type) noexcept nogil:
    cdef Walk it = walk(w, type)
    cdef int ref
    while True:
        ref = next_of(w, &it)
        if ref == NOWHERE:
            return
        kill_reference(w, ref, False)


# ---------------------------------------------------------------------------------------------- dispatch

cdef inline int new_sprites(Work *w, EffectRow *e) noexcept nogil:
    """How many sprites one execution can create at most, so that pointers stay valid meanwhile."""
    if e.op == TRANSFORM_TO_ALL or e.op == TRANSFORM_TO_SINGLETON:
        return group_size(w, e.stype) + 1
    return 1


cdef int run_effect(Work *w, int index, int first, int second) noexcept nogil:
    """Carry out an effect's action on two references, either of which may be `NOWHERE`; -1 on a failure."""
    cdef EffectRow *e = &w.rules.effects[index]
    cdef int op = e.op
    cdef Sprite *a
    cdef Sprite *b
    cdef bint still, met
    if op == TIME_EFFECT:
        return run_effect(w, e.inner, first, NOWHERE)
    if op == ADD_TIMER:
        return insert_timer(w, w.tick + e.timer, index)
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
        undo_all(w, e)
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


cdef inline bint upright(double rotation) noexcept nogil:
    cdef double r = fmod(rotation + 6.283185307179586, 6.283185307179586)
    return 4.4 < r < 5.0


cdef inline void flip_direction(Work *w, Sprite *a) noexcept nogil:
    cdef int k = next_int(&w.header.rng, 4)
    face(a, base_x(k), base_y(k))
