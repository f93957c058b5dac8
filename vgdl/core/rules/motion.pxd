"""Movement primitives and the two physics (sprites, 8 and 9)."""

from libc.math cimport fabs, sqrt
from libc.stdint cimport int32_t, int64_t

from vgdl.core.data.layout cimport FIRST_TICK, LOS_CHASER, Inner, ON_GROUND, ORIENTED, Size, Sprite, TypeRow
from vgdl.core.data.random cimport next_int
from vgdl.core.data.scratch cimport Scratch, gravity, height, inner, keep_place, row, set_speed, size_of, speed, trunc, width
from vgdl.core.rules.world cimport set_rect

cdef enum Movement:
    STILL = 0
    ROTATE = 1
    MOVE = 2

# Base directions, in the order of all lists of directions: UP, LEFT, DOWN, RIGHT.
cdef inline double base_x(int k) noexcept nogil:
    return -1.0 if k == 1 else 1.0 if k == 3 else 0.0

cdef inline double base_y(int k) noexcept nogil:
    return -1.0 if k == 0 else 1.0 if k == 2 else 0.0


cdef inline void normalise(double *x, double *y) noexcept nogil:
    cdef double m = sqrt(x[0] * x[0] + y[0] * y[0])
    if m == 0.0:
        x[0] = 0.0
        y[0] = 0.0
    else:
        x[0] /= m
        y[0] /= m


cdef inline void face(Sprite *s, double x, double y) noexcept nogil:
    """Set the orientation. Adding 0 turns -0.0 into 0.0, so that equal states are equal bytes."""
    s.orientation_x = x + 0.0
    s.orientation_y = y + 0.0


cdef inline void before_movement(Scratch *w, Sprite *s) noexcept nogil:
    """Prepare a sprite's own update (engine, 4.1)."""
    keep_place(w, s)
    s.lastmove += 1


cdef inline void move_to(Scratch *w, Sprite *s, int x, int y) noexcept nogil:
    set_rect(w, s, x, y, width(w, s), height(w, s))


cdef inline int share(double component, int pixels) noexcept nogil:
    """Pixels of a step along one axis; nearly always the component is 0, 1 or -1, where no product is needed."""
    if component == 0.0:
        return 0
    if component == 1.0:
        return pixels
    return trunc(component * pixels)


cdef inline void shift(int32_t *position, int32_t *extent, int pixels) noexcept nogil:
    """Shift a rectangle along an axis. A position that leaves 32 bits is clamped; the far edge stays where it belongs."""
    cdef int64_t there = <int64_t>position[0] + pixels, kept = there, most = 2147483647
    if there > most:
        kept = most
    elif there < -most - 1:
        kept = -most - 1
    position[0] = <int32_t>kept
    if extent[0] >= 0 and there != kept:
        there += extent[0] - kept
        extent[0] = <int32_t>(there if there < most else most)


cdef inline void translate(Scratch *w, Sprite *s, int dx, int dy) noexcept nogil:
    """Displace a sprite of a game that is `far_flung` (sprites, 8.4)."""
    cdef Size size = size_of(w, s)[0]
    cdef int32_t x = s.x, y = s.y
    shift(&x, &size.w, dx)
    shift(&y, &size.h, dy)
    set_rect(w, s, x, y, size.w, size.h)


cdef inline bint update_position(Scratch *w, Sprite *s, double x, double y, int pixels) noexcept nogil:
    """Displace a sprite unless it cools down (sprites, 8.4); return whether it was, possibly by 0 pixels."""
    if pixels == 0:
        pixels = trunc(speed(w, s))
        if pixels == 0:
            return False
    if row(w, s).cooldown <= s.lastmove and fabs(x) + fabs(y) != 0.0:
        s.lastmove = 0
        if w.rules.far_flung:
            translate(w, s, share(x, pixels), share(y, pixels))
        elif w.size_at or w.in_events:
            set_rect(w, s, s.x + share(x, pixels), s.y + share(y, pixels), width(w, s), height(w, s))
        else:
            s.x += share(x, pixels)
            s.y += share(y, pixels)
        return True
    return False


cdef inline int active_grid(Scratch *w, Sprite *s, double x, double y, double v) noexcept nogil:
    cdef TypeRow *t = row(w, s)
    cdef double own
    if t.stationary:
        return STILL
    if v == 0.0:
        own = speed(w, s)
        v = 1.0 if own <= 0.0 else own
    if v != 0.0 and not (x == 0.0 and y == 0.0):
        if t.rotate_in_place and s.flags & ORIENTED and not (s.orientation_x == x and s.orientation_y == y):
            face(s, x, y)
            return ROTATE
        if update_position(w, s, x, y, trunc(v * w.block_size)):
            return MOVE
    return STILL


cdef inline int active_continuous(Scratch *w, Sprite *s, double x, double y, double v) noexcept nogil:
    cdef TypeRow *t = row(w, s)
    cdef double mass = <double><float>t.mass
    cdef double ux, uy, total
    if v == 0.0:
        v = speed(w, s)
    if v == -1.0:
        v = speed(w, s)
    ux = x / mass + s.orientation_x * v
    uy = y / mass + s.orientation_y * v
    total = sqrt(ux * ux + uy * uy)
    if t.max_speed != -1.0 and not total <= t.max_speed and total == total:
        total = t.max_speed
    normalise(&ux, &uy)
    face(s, ux, uy)
    set_speed(w, s, total)
    return STILL if x == 0.0 and y == 0.0 else MOVE


cdef inline int active_movement(Scratch *w, Sprite *s, double x, double y, double v) noexcept nogil:
    """An active move (sprites, 9.1 and 9.2)."""
    if row(w, s).continuous:
        return active_continuous(w, s, x, y, v)
    return active_grid(w, s, x, y, v)


cdef inline int passive_continuous(Scratch *w, Sprite *s) noexcept nogil:
    cdef TypeRow *t = row(w, s)
    cdef double own = speed(w, s)
    if own == 0.0:
        return STILL
    update_position(w, s, s.orientation_x, s.orientation_y, trunc(own))
    if gravity(w, s) > 0.0 and t.mass > 0.0 and not s.flags & ON_GROUND:
        active_continuous(w, s, 0.0, gravity(w, s) * t.mass, 0.0)
    set_speed(w, s, speed(w, s) * (1.0 - t.friction))
    return MOVE


cdef inline int passive_movement(Scratch *w, Sprite *s) noexcept nogil:
    """Drift along the orientation; the first drift of a sprite's life is suppressed (sprites, 8.2)."""
    cdef TypeRow *t = row(w, s)
    cdef double v
    if t.is_static or t.only_active:
        return STILL
    if s.flags & FIRST_TICK:
        s.flags &= ~FIRST_TICK
        return STILL
    if t.continuous:
        return passive_continuous(w, s)
    v = speed(w, s)
    if v == -1.0:
        v = 1.0
    if v != 0.0 and s.flags & ORIENTED:
        if update_position(w, s, s.orientation_x, s.orientation_y, trunc(v * w.block_size)):
            return MOVE
    return STILL


cdef inline int random_move(Scratch *w, Sprite *s) noexcept nogil:
    """A base direction (0 .. 3), -1 for none yet; repeated ``cons`` times before the next draw (sprites, 12.15)."""
    cdef TypeRow *t = row(w, s)
    cdef Inner *state
    cdef int k
    if not w.rules.inner_at:
        return next_int(&w.header.rng, 4)
    state = inner(w, s)
    if state.clock < t.cons:
        state.clock += 1
        return state.count - 1
    k = next_int(&w.header.rng, 4)
    if t.cons > 0 or t.op == LOS_CHASER:  # no other class reads it
        state.count = k + 1
        state.clock = 0
    return k
