"""How sprites of the common kinds move: grid physics, constant speed, no time to live."""

from libc.stdint cimport int32_t, int64_t, uint64_t

from vgdl.core.data.layout cimport FIRST_TICK, ORIENTED, ZERO_HEIGHT, Inner, Size, Sprite, UpdateRow
from vgdl.core.data.machine cimport unlikely
from vgdl.core.data.random cimport next_int
from vgdl.core.data.scratch cimport Scratch, fail, size_of
from vgdl.core.rules.motion cimport share


cdef inline void begin(Sprite *s, int size_at) noexcept nogil:
    """`before_movement` without the scratch memory, which would be reloaded after every write to a sprite."""
    cdef Size *size
    s.last_x = s.x
    s.last_y = s.y
    s.lastmove += 1
    if size_at:
        size = <Size *>(<char *>s + size_at)
        size.last_w = size.w
        size.last_h = size.h


cdef inline int displace(Scratch *w, Sprite *s, int dx, int dy) noexcept nogil:
    s.lastmove = 0
    s.x += dx
    s.y += dy
    if w.size_at and size_of(w, s).h == 0:
        return fail(w, ZERO_HEIGHT, 0)
    return 0


cdef inline int drift(Scratch *w, Sprite *s, UpdateRow *gait) noexcept nogil:
    """Passive movement (sprites, 8.2)."""
    if not gait.drifts:
        return 0
    if s.flags & FIRST_TICK:
        s.flags &= ~FIRST_TICK
        return 0
    if (s.flags & ORIENTED and gait.drift != 0 and gait.cooldown <= s.lastmove
            and not (s.orientation_x == 0.0 and s.orientation_y == 0.0)):
        return displace(w, s, share(s.orientation_x, gait.drift), share(s.orientation_y, gait.drift))
    return 0


cdef inline int drift_of_type(UpdateRow *gait) noexcept nogil:
    """The flags without which `drift` does nothing to a sprite of a type."""
    if not gait.drifts:
        return 0
    return FIRST_TICK | ORIENTED if gait.drift != 0 else FIRST_TICK


cdef inline bint may_drift(Sprite *s, UpdateRow *gait, int flags) noexcept nogil:
    """Whether `drift` may do anything to a sprite, given `drift_of_type`; for most that step, it does not."""
    return unlikely(s.flags & flags) and (s.flags & FIRST_TICK or gait.cooldown <= s.lastmove)


cdef inline int64_t waiting_time(UpdateRow *gait) noexcept nogil:
    """How many updates after a sprite's last displacement an active step moves it; more than there are if none does."""
    return <int64_t>1 << 40 if gait.step == 0 else gait.cooldown


cdef struct Steps:
    int32_t[5] pixels  # by direction: down; by the direction after it: to the left


cdef inline Steps steps_of(UpdateRow *gait) noexcept nogil:
    """The active steps of a type in the base directions."""
    cdef Steps steps
    steps.pixels[0] = steps.pixels[4] = -gait.step
    steps.pixels[2] = gait.step
    steps.pixels[1] = steps.pixels[3] = 0
    return steps


cdef inline int step(Scratch *w, Sprite *s, Steps *steps, int direction, int size_at) noexcept nogil:
    """An active step in a base direction (sprites, 9.1), for which it has waited long enough; none for -1."""
    if direction < 0:
        return 0
    s.lastmove = 0
    s.x -= steps.pixels[direction + 1]
    s.y += steps.pixels[direction]
    if unlikely(size_at) and size_of(w, s).h == 0:
        return fail(w, ZERO_HEIGHT, 0)
    return 0


cdef inline int wander(Sprite *s, int inner_at, int cons, uint64_t *rng) noexcept nogil:
    """`random_move` with the generator in a register, for a class that keeps its last move only to repeat it."""
    cdef Inner *state
    cdef int k
    if inner_at == 0:
        return next_int(rng, 4)
    state = <Inner *>(<char *>s + inner_at)
    if state.clock < cons:
        state.clock += 1
        return state.count - 1
    k = next_int(rng, 4)
    if cons > 0:
        state.count = k + 1
        state.clock = 0
    return k
