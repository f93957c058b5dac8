"""Effects that transform sprites of one type into another (effects, 8.4 and 10.2)."""

from libc.stdint cimport int32_t

from vgdl.core.data.layout cimport (
    ABSENT, APPLY_SCORE, COUNT, COUNT_ELSE, NOWHERE, ORIENTED, SECOND_PLAYER, GROUP_CHANGED, NO_AVATAR, NO_SPRITE,
    EffectRow, Size, Sprite, TypeRow,
)
from vgdl.core.rules.motion cimport face
from vgdl.core.data.random cimport next_int
from vgdl.core.data.scratch cimport (
    Scratch, Walk, fail, health, last_height, last_width, modify_resource, next_of, number, record, reference, resolve, resource, row,
    set_gate, size_of, vital, walk, warn,
)
from vgdl.core.rules.world cimport add_sprite, kill


cdef int carry_avatar(Scratch *w, Sprite *new, Sprite *old, bint *transformed) noexcept nogil:
    """Hand the player's slot over from an avatar to the sprite that replaces it (effects, 8.4, step 4)."""
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


cdef void carry_past(Scratch *w, Sprite *new, Sprite *old) noexcept nogil:
    """Copy the last rectangle and the resources."""
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


cdef int transform(Scratch *w, EffectRow *e, int made, Sprite *old, Sprite *partner) noexcept nogil:
    """Replace an old sprite by a new one (effects, 8.4)."""
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


cdef int carry(Scratch *w, int made, Sprite *old) noexcept nogil:
    """Replace an old sprite as transformToSingleton does (effects, 10.2)."""
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


cdef int transform_all(Scratch *w, EffectRow *e, int second) noexcept nogil:
    cdef Walk it = walk(w, e.stype)
    cdef int ref, made
    cdef Sprite *old
    while True:
        ref = next_of(w, &it)
        if ref == NOWHERE:
            return 0
        old = resolve(w, ref, 2)
        w.steps += 1
        made = add_sprite(w, e.stype_to, old.x, old.y, True)
        if transform(w, e, made, old, NULL if second == NOWHERE else resolve(w, second, 1)) < 0:
            return -1
        if e.stype == e.stype_to and made >= 0:  # the list being walked was added to
            return fail(w, GROUP_CHANGED, e.line)


cdef int transform_to_singleton(Scratch *w, EffectRow *e, Sprite *a, Sprite *b) noexcept nogil:
    cdef Walk it = walk(w, e.stype)
    cdef int ref, made
    cdef Sprite *old
    while True:
        ref = next_of(w, &it)
        if ref == NOWHERE:
            break
        old = resolve(w, ref, 2)
        w.steps += 1
        made = add_sprite(w, e.stype_other, old.x, old.y, False)
        if carry(w, made, old) < 0:
            return -1
        if e.stype == e.stype_other and made >= 0:  # the list being walked was added to
            return fail(w, GROUP_CHANGED, e.line)
    made = add_sprite(w, e.stype, a.x, a.y, False)
    if carry(w, made, a) < 0:
        return -1
    if made >= 0 and e.take_orientation:
        record(w, made).flags |= ORIENTED
        face(record(w, made), -b.orientation_x, -b.orientation_y)
    return 0


cdef int transform_to_random_child(Scratch *w, EffectRow *e, Sprite *a, Sprite *b) noexcept nogil:
    """Transform to a random other type of the subtypes list, ancestors included; one without a class logs a message."""
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


cdef int transform_if_count(Scratch *w, EffectRow *e, Sprite *a, Sprite *b) noexcept nogil:
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
