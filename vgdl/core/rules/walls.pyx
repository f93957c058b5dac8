"""Effects that stop sprites at walls and throw them back (effects, 9.4 to 9.6 and 10.5)."""

from libc.math cimport fabs, sqrt
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy

from vgdl.core.data.layout cimport OUT_OF_MEMORY, WALL_BOUNCE, EffectRow, Sprite
from vgdl.core.rules.motion cimport face, move_to, normalise
from vgdl.core.data.scratch cimport (
    Order, Scratch, fail, gravity, height, larger, last_height, last_width, peek, record, resolve, room_for, set_speed, speed,
    width,
)
from vgdl.core.rules.ordering cimport sort_orders
from vgdl.core.rules.trigonometry cimport cosine, sine
from vgdl.core.rules.world cimport restore


cdef void pixel_perfect(Scratch *w, Sprite *a, Sprite *b) noexcept nogil:
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


cdef void keep_speed(Scratch *w, Sprite *a, double x, double y) noexcept nogil:
    """Face along (x, y), with the speed scaled by its length, but no slower than gravity."""
    cdef double m = sqrt(x * x + y * y)
    normalise(&x, &y)
    face(a, x, y)
    set_speed(w, a, m * speed(w, a))
    if speed(w, a) < gravity(w, a):
        set_speed(w, a, gravity(w, a))


cdef void wall_stop(Scratch *w, Sprite *a, Sprite *b) noexcept nogil:
    cdef double dx, dy
    pixel_perfect(w, a, b)
    dx = (a.x + width(w, a) / 2.0) - (b.x + width(w, b) / 2.0)
    dy = (a.y + height(w, a) / 2.0) - (b.y + height(w, b) / 2.0)
    if fabs(dx) > fabs(dy):
        keep_speed(w, a, 0.0, a.orientation_y)
    else:
        keep_speed(w, a, a.orientation_x, 0.0)


cdef inline double last_distance(Scratch *w, Sprite *a, Sprite *b) noexcept nogil:
    """Distance between the centres of the last rectangles."""
    cdef double x = (a.last_x + last_width(w, a) / 2.0) - (b.last_x + last_width(w, b) / 2.0)
    cdef double y = (a.last_y + last_height(w, a) / 2.0) - (b.last_y + last_height(w, b) / 2.0)
    return sqrt(x * x + y * y)


cdef int sort_by_distance(Scratch *w, Sprite *a, int32_t *others, int n) noexcept nogil:
    """Sort by distance, stably: the bits of positive doubles are in their order. -1 if out of memory."""
    cdef int k
    cdef double d
    cdef void *grown = room_for(w.spare, &w.room_spare, 2 * n, sizeof(Order))
    if grown == NULL:
        return fail(w, OUT_OF_MEMORY, 0)
    w.spare = <Order *>grown
    for k in range(n):
        d = last_distance(w, a, peek(w, others[k]))
        memcpy(&w.spare[k].first_key, &d, sizeof(double))
        w.spare[k].second_key = k
        w.spare[k].second = others[k]
    sort_orders(w.spare, n, w.spare + n)
    for k in range(n):
        others[k] = w.spare[k].second
    w.steps += n
    return 0


cdef int sort_batch(Scratch *w, Sprite *a, int32_t *others, int n, Box *box) noexcept nogil:
    """Find the rectangle that stands for a batch of walls; return for how many it counts (effects, 9.5)."""
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
    if n > 1 and sort_by_distance(w, a, others, n) < 0:
        return 0
    box[0] = box_of(w, peek(w, others[0]))
    return 1


cdef void bounce_axes(Scratch *w, Sprite *a, Box q, bint *horizontal, bint *vertical) noexcept nogil:
    """Find the axes on which a sprite that entered a rectangle is thrown back (effects, 9.6)."""
    cdef int wide = width(w, a)
    cdef int high = height(w, a)
    cdef int64_t shared_w = min(<int64_t>a.x + wide, <int64_t>q.x + q.w) - larger(a.x, q.x)
    cdef int64_t shared_h = min(<int64_t>a.y + high, <int64_t>q.y + q.h) - larger(a.y, q.y)
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


cdef void bounce(Scratch *w, EffectRow *e, Sprite *a, Box q) noexcept nogil:
    """Change the direction as wallBounce and wallReverse do."""
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


cdef void bounce_direction(Scratch *w, EffectRow *e, Sprite *a, Sprite *b) noexcept nogil:
    """Bounce off at an angle that depends on where the other sprite was hit (effects, 10.5)."""
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
        x = sine(angle)
        y = -cosine(angle) * side
    else:
        x = cosine(angle) * side
        y = -sine(angle)
    normalise(&x, &y)
    face(a, x, y)


cdef int run_batch(Scratch *w, int index, int first, int32_t *others, int n) noexcept nogil:
    """Run the batch routine of an effect; return for how many collisions it counts, 0 without one (effects, 6.5)."""
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
