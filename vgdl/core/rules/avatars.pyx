"""The avatar phase: every class of avatars (sprites, 13).

An avatar sees at most one key per tick: a direction, or USE. `Keys` holds the player's action after the rules of the
game have filtered it (engine, 11.2).
"""

from libc.math cimport fabs

from vgdl.core.data.layout cimport (
    ABSENT, AIMED_AVATAR, BIRD_AVATAR, CAR_AVATAR, CLICK_AVATAR, DISABLED, DOWN, ESCAPE, FLAK_AVATAR, FROM_AVATAR_FLAG,
    LANDER_AVATAR, LEFT, MISSILE_AVATAR, MOVING_AVATAR, NIL, ON_GROUND, ONGOING_AVATAR, ONGOING_SHOOT_AVATAR,
    ONGOING_TURNING_AVATAR, ORIENTED, ORIENTED_AVATAR, ORIGINAL, PLATFORMER_AVATAR, RIGHT, SHOOT_AVATAR,
    SHOOT_ONLY_AVATAR, SPACESHIP_AVATAR, UP, USE, WIZARD_AVATAR, Sprite, TypeRow,
)
from libc.stdint cimport int8_t, int32_t

from vgdl.core.rules.motion cimport (
    MOVE, STILL, active_movement, before_movement, face, normalise, passive_movement, update_position,
)
from vgdl.core.data.scratch cimport (
    Scratch, amount, inner, last_height, last_width, left_its_place, motion, record, resource, row, speed,
)
from vgdl.core.rules.trigonometry cimport arc_tangent, cosine, sine
from vgdl.core.rules.world cimport add_sprite

cdef double PI = 3.141592653589793

cdef struct Keys:
    int action
    double x, y  # direction of keys, (0, 0) for none
    bint use


cdef inline Keys keys_of(int action) noexcept nogil:
    cdef Keys keys
    keys.action = action
    keys.x = -1.0 if action == LEFT else 1.0 if action == RIGHT else 0.0
    keys.y = -1.0 if action == UP else 1.0 if action == DOWN else 0.0
    keys.use = action == USE
    return keys


cdef inline bint any_direction(Keys *keys) noexcept nogil:
    return keys.x != 0.0 or keys.y != 0.0


# ---------------------------------------------------------------------------------------------- movement

cdef inline int drift(Scratch *w, Sprite *s) noexcept nogil:
    if not row(w, s).grid:
        passive_movement(w, s)
    return STILL


cdef inline int move(Scratch *w, Sprite *s, Keys *keys) noexcept nogil:
    """*Apply movement* of every class; return the resulting movement type."""
    cdef TypeRow *t = row(w, s)
    cdef double x
    drift(w, s)
    if t.op == SHOOT_ONLY_AVATAR or t.op == SPACESHIP_AVATAR or t.op == LANDER_AVATAR or t.op == CAR_AVATAR:
        return STILL
    if t.op == PLATFORMER_AVATAR or t.op == WIZARD_AVATAR:
        if not any_direction(keys):
            return STILL
        x = keys.x * t.ground_speedup_factor if s.flags & ON_GROUND else keys.x / t.air_slowdown_factor
        return active_movement(w, s, x, keys.y, speed(w, s))
    return active_movement(w, s, keys.x, keys.y, speed(w, s))


cdef int move_oriented(Scratch *w, Sprite *s, Keys *keys) noexcept nogil:
    """OrientedAvatar: face the direction of the move (sprites, 13.5)."""
    cdef int movement = move(w, s, keys)
    cdef double x, y
    if movement == MOVE and row(w, s).grid:
        x = s.x - s.last_x
        y = s.y - s.last_y
        normalise(&x, &y)
        face(s, x, y)
    return movement


cdef inline void turn(Sprite *s, Keys *keys) noexcept nogil:
    """*Update orientation* of the ongoing avatars."""
    if s.flags & ORIENTED:
        face(s, keys.x, keys.y)


# ---------------------------------------------------------------------------------------------- shooting

cdef inline bint has_ammo(Scratch *w, Sprite *s, int i) noexcept nogil:
    cdef TypeRow *t = row(w, s)
    if not t.has_ammo or i >= t.ammos_len:
        return True
    return amount(w, s, w.rules.pool[t.ammos_start + i]) > 0


cdef inline void pay(Scratch *w, Sprite *s, int ammo, int cost) noexcept nogil:
    """Subtract ammunition, even below 0, if the avatar ever had any."""
    cdef int32_t *held = resource(w, s, ammo)
    if held != NULL and held[0] != ABSENT:
        held[0] -= cost


cdef void shoot(Scratch *w, int index, int i) noexcept nogil:
    """Create the i-th shot type next to the avatar (sprites, 13.6 and 13.13)."""
    cdef Sprite *s = record(w, index)
    cdef Sprite *shot
    cdef TypeRow *t = row(w, s)
    cdef double x, y
    cdef int made
    if t.op == SPACESHIP_AVATAR:
        x = cosine(motion(w, s).rotation)
        y = sine(motion(w, s).rotation)
    else:
        x = s.orientation_x
        y = s.orientation_y
        normalise(&x, &y)
    made = add_sprite(w, w.rules.pool[t.shots_start + i],
                      s.x + x * last_width(w, s), s.y + y * last_height(w, s), False)
    if made < 0:
        return
    shot = record(w, made)
    if shot.flags & ORIENTED:
        face(shot, x, y)
    shot.flags |= FROM_AVATAR_FLAG
    if t.has_ammo and i < t.ammos_len:
        pay(w, record(w, index), w.rules.pool[t.ammos_start + i], 1)


cdef int position_in_actions(Scratch *w, TypeRow *t, Keys *keys) noexcept nogil:
    """Place of the key that is down in the action list, -1 for none (sprites, 13.11)."""
    cdef int k
    if keys.action == NIL or keys.action == ESCAPE:
        return -1
    for k in range(t.actions_len):
        if w.rules.pool[t.actions_start + k] == keys.action:
            return k
    return -1


cdef void use(Scratch *w, int index, Keys *keys) noexcept nogil:
    """*Use* of the shooting avatars: the first shot type with ammunition; ShootOnlyAvatar: that of the key."""
    cdef Sprite *s = record(w, index)
    cdef TypeRow *t = row(w, s)
    cdef int i
    if t.op == SHOOT_ONLY_AVATAR:
        i = position_in_actions(w, t, keys)
        if 0 <= i < t.shots_len and has_ammo(w, s, i):
            shoot(w, index, i)
        return
    if not keys.use:
        return
    for i in range(t.shots_len):
        if has_ammo(w, s, i):
            shoot(w, index, i)
            return


cdef void use_flak(Scratch *w, int index) noexcept nogil:
    """FlakAvatar: create a shot at its own position, without turning it (sprites, 13.4)."""
    cdef Sprite *s = record(w, index)
    cdef TypeRow *t = row(w, s)
    cdef int32_t *held = resource(w, s, t.ammo_id) if t.has_ammo else NULL
    cdef int made
    if t.has_ammo and (held == NULL or held[0] == ABSENT or held[0] <= (t.min_ammo if t.min_ammo > -1 else 0)):
        return
    made = add_sprite(w, t.itype, s.x, s.y, False)
    if made >= 0:
        if t.has_ammo:
            pay(w, record(w, index), t.ammo_id, t.ammo_cost)
        record(w, made).flags |= FROM_AVATAR_FLAG


cdef void click(Scratch *w, int index) noexcept nogil:
    """ClickAvatar: go to the cell that was clicked, however far away, and shoot there (sprites, 13.20)."""
    cdef Sprite *s = record(w, index)
    s.x = w.click_x
    s.y = w.click_y
    use_flak(w, index)


# ---------------------------------------------------------------------------------------------- steering avatars

cdef inline void thrust(Scratch *w, Sprite *s, double angle, double v) noexcept nogil:
    active_movement(w, s, cosine(angle), sine(angle), v)


cdef inline void steer(Scratch *w, Sprite *s, Keys *keys) noexcept nogil:
    if keys.x < 0.0:
        motion(w, s).rotation -= row(w, s).angle_diff
    elif keys.x > 0.0:
        motion(w, s).rotation += row(w, s).angle_diff


cdef inline void thrust_both_ways(Scratch *w, Sprite *s, Keys *keys) noexcept nogil:
    if keys.y < 0.0:
        thrust(w, s, motion(w, s).rotation, speed(w, s))
    elif keys.y > 0.0:
        thrust(w, s, motion(w, s).rotation + PI, speed(w, s))


cdef void aim(Scratch *w, Sprite *s, Keys *keys) noexcept nogil:
    """AimedAvatar: turn the orientation itself (sprites, 13.12)."""
    cdef double step = row(w, s).angle_diff
    cdef double angle = -step if keys.y < 0.0 else step if keys.y > 0.0 else 0.0
    cdef double x = s.orientation_x * cosine(angle) - s.orientation_y * sine(angle)
    cdef double y = s.orientation_x * sine(angle) + s.orientation_y * cosine(angle)
    face(s, x, y)
    motion(w, s).rotation = arc_tangent(y, x)


cdef void drive(Scratch *w, Sprite *s, Keys *keys) noexcept nogil:
    """CarAvatar: it accelerates in every update (sprites, 13.15)."""
    steer(w, s, keys)
    if keys.y < 0.0:
        motion(w, s).facing = 0.0
    elif keys.y > 0.0:
        motion(w, s).facing = 1.0
    thrust(w, s, motion(w, s).rotation + motion(w, s).facing * PI, 5.0)


cdef inline void jump(Scratch *w, Sprite *s) noexcept nogil:
    cdef TypeRow *t = row(w, s)
    face(s, s.orientation_x, 0.0)
    active_movement(w, s, 0.0, -t.jump_strength, speed(w, s))
    s.lastmove = t.cooldown
    update_position(w, s, 0.0, -1.0, 5)


cdef void flap(Scratch *w, Sprite *s, Keys *keys) noexcept nogil:
    """BirdAvatar after its movement (sprites, 13.16)."""
    cdef double push = 1.0 if fabs(s.orientation_x) < 0.5 else 0.0
    if keys.use:
        face(s, s.orientation_x, 0.0)
        active_movement(w, s, 0.0, -row(w, s).jump_strength, speed(w, s))
    active_movement(w, s, push, 0.0, speed(w, s))
    motion(w, s).rotation = arc_tangent(s.orientation_y, s.orientation_x)


cdef void conjure(Scratch *w, int index, Keys *keys) noexcept nogil:
    """WizardAvatar after its movement: blocks in front of it (sprites, 13.18)."""
    cdef Sprite *s = record(w, index)
    cdef TypeRow *t = row(w, s)
    cdef double x, y
    cdef int k
    if keys.action == UP and inner(w, s).clock + 5 <= w.tick:
        active_movement(w, s, 0.0, 1.0, -1.0)
        for k in range(t.shots_start, t.shots_start + t.shots_len):
            s = record(w, index)
            x = t.facing_dir_x if inner(w, s).count == 0 else -1.0 if inner(w, s).count == 1 else 1.0
            y = t.facing_dir_y if inner(w, s).count == 0 else 0.0
            add_sprite(w, w.rules.pool[k], s.x + x * last_width(w, s) * 1.2, s.y + y * last_height(w, s), False)
        inner(w, record(w, index)).clock = w.tick
    s = record(w, index)
    if keys.action == LEFT:
        inner(w, s).count = 1
    elif keys.action == RIGHT:
        inner(w, s).count = 2


cdef void leave_behind(Scratch *w, int index) noexcept nogil:
    """OngoingTurningAvatar: spawn at its last position. Only the first of its type has `spawnBehind` (sprites, 6.3)."""
    cdef Sprite *s = record(w, index)
    cdef TypeRow *t = row(w, s)
    if left_its_place(w, s):
        add_sprite(w, t.itype if s.flags & ORIGINAL else 0, s.last_x, s.last_y, False)


# ---------------------------------------------------------------------------------------------- dispatch

cdef void update(Scratch *w, int index, Keys *keys) noexcept nogil:
    cdef Sprite *s = record(w, index)
    cdef TypeRow *t = row(w, s)
    cdef int op = t.op
    if op == MOVING_AVATAR:
        move(w, s, keys)
    elif op == CLICK_AVATAR and w.clicked and index == w.header.avatar[0]:
        click(w, index)
    elif op == FLAK_AVATAR or op == CLICK_AVATAR:
        if move(w, s, keys) == STILL and keys.use:
            use_flak(w, index)
    elif op == ORIENTED_AVATAR:
        move_oriented(w, s, keys)
    elif op == SHOOT_AVATAR or op == SHOOT_ONLY_AVATAR:
        if move_oriented(w, s, keys) == STILL:
            use(w, index, keys)
    elif op == MISSILE_AVATAR:
        passive_movement(w, s)
    elif op == ONGOING_AVATAR:
        if any_direction(keys):
            turn(s, keys)
        passive_movement(w, s)
    elif op == ONGOING_TURNING_AVATAR:
        if any_direction(keys) and keys.x * s.orientation_x + keys.y * s.orientation_y == 0.0:
            turn(s, keys)
        passive_movement(w, s)
        leave_behind(w, index)
    elif op == ONGOING_SHOOT_AVATAR:
        if any_direction(keys):
            turn(s, keys)
        passive_movement(w, s)
        if not any_direction(keys):
            use(w, index, keys)
    elif op == AIMED_AVATAR or op == SPACESHIP_AVATAR:
        if move_oriented(w, s, keys) == STILL:
            use(w, index, keys)
        use(w, index, keys)
        s = record(w, index)
        if op == AIMED_AVATAR:
            aim(w, s, keys)
        else:
            steer(w, s, keys)
        thrust_both_ways(w, s, keys)
    elif op == LANDER_AVATAR:
        move_oriented(w, s, keys)
        steer(w, s, keys)
        if keys.y < 0.0:
            thrust(w, s, motion(w, s).rotation, speed(w, s))
    elif op == CAR_AVATAR:
        move_oriented(w, s, keys)
        drive(w, s, keys)
    elif op == BIRD_AVATAR:
        move_oriented(w, s, keys)
        flap(w, s, keys)
    elif op == PLATFORMER_AVATAR or op == WIZARD_AVATAR:
        move(w, s, keys)
        if keys.use and s.flags & ON_GROUND:
            jump(w, s)
        if op == WIZARD_AVATAR:
            conjure(w, index, keys)
            s = record(w, index)
        s.flags &= ~ON_GROUND


cdef int update_avatars(Scratch *w) noexcept nogil:
    """Update the avatars, each completely before the next player's; dead and missing ones are skipped (engine, 7.2)."""
    cdef int p, index, action
    cdef Sprite *s
    cdef TypeRow *t
    cdef Keys keys
    for p in range(w.rules.n_players):
        index = w.header.avatar[p]
        if index < 0 or record(w, index).flags & DISABLED:
            continue
        s = record(w, index)
        t = row(w, s)
        action = w.actions[p]
        if action == ESCAPE:
            w.header.ended = 1
            w.ended_by_player = 1
        elif not (t.action_bits >> action) & 1:
            action = NIL
        w.header.last_action[p] = <int8_t>action
        before_movement(w, s)
        keys = keys_of(action)
        update(w, index, &keys)
        if w.header.failure:
            return -1
    return 0
