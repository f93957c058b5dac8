"""Observations of a state: avatars, lists, grid, arrays, event history (engine, 8 and 13; the paper, III-B).

Every query computes its result anew, as for a fresh copy: nothing is cached that could go stale. Hidden sprites are
left out: for all players, those that player 0 does not see (engine, 12.6).
"""

from operator import attrgetter
from typing import NamedTuple

import numpy as np

from vgdl.core.java_names import hints

from libc.stdint cimport int32_t

from vgdl.core.rules.events cimport category_of
from vgdl.core.data.layout cimport (
    ABSENT, AVATAR, DISABLED, MOVABLE, NIL, NOWHERE, SHOOT_ONLY_AVATAR, LEFT, RIGHT, DOWN, UP, USE, Sprite,
    TypeRow,
)
from vgdl.core.data.scratch cimport (
    Event, Walk, Scratch, group_size, health, height, next_of, peek, record, row, speed, vital, walk, width,
)

from vgdl.core.data import layout as _layout

_ACTIONS = tuple(_layout.Action)
_CATEGORIES = tuple(_layout.Category)
_new = tuple.__new__
_square_distance = attrgetter("square_distance")


class Observation(NamedTuple):
    """A sprite as controllers see it.

    ``square_distance``: squared distance in pixels to the reference position of the query, or to (-1, -1) without one.

    >>> state = vgdl.load("sokoban").start(level=0, seed=7)
    >>> state.grid[0][0][0]
    Observation(category=<Category.STATIC: 4>, type=3, id=0, x=0, y=0, square_distance=2.0)
    """

    category: _layout.Category
    type: int
    id: int
    x: int
    y: int
    square_distance: float

    @property
    def position(self):
        """Left upper corner of the sprite's rectangle, pixels."""
        return self.x, self.y


class Avatar(NamedTuple):
    """A player's avatar, dead or alive.

    Once the game has ended, position and orientation are (-1, -1) and the speed is 0 (engine, 13.1).

    >>> avatar = vgdl.load("sokoban").start(level=0, seed=7).avatar
    >>> avatar.position, avatar.last_action, avatar.is_alive
    ((366, 244), <Action.NIL: 0>, True)
    """

    type: int
    id: int
    position: tuple
    orientation: tuple
    speed: float
    resources: dict
    health: int
    max_health: int
    limit_health: int
    last_action: _layout.Action
    is_alive: bool


class AvatarEvent(NamedTuple):
    """A collision of an avatar or a sprite that came from one, active, with another sprite, passive (engine, 8).

    >>> state = vgdl.load("aliens").start(level=0, seed=7)
    >>> state.rollout([vgdl.Action.USE] * 6)
    6
    >>> event = state.events[0]
    >>> event.tick, event.from_avatar, event.passive_category
    (5, True, <Category.STATIC: 4>)
    """

    tick: int
    from_avatar: bool
    active_type: int
    passive_type: int
    active_category: _layout.Category
    passive_category: _layout.Category
    active_id: int
    passive_id: int
    position: tuple


for _owner, _class in (("Observation", Observation), ("Event", AvatarEvent)):
    for _name, _hint in hints(_owner, dir(_class)).items():
        setattr(_class, _name, _hint)

cdef Visible _visible
#: numpy type of `StateObservation.arrays`
VISIBLE = np.asarray(<Visible[:1]>&_visible).dtype


# ---------------------------------------------------------------------------------------------- avatars

cdef tuple action_list(Scratch *w, int player, bint nil):
    """Actions of a player's avatar, in the order of its class; none once the game has ended or the avatar is gone."""
    cdef int index = w.header.avatar[player]
    cdef int k
    cdef TypeRow *t
    cdef list actions
    if w.header.ended or index < 0:
        return ()
    t = row(w, record(w, index))
    if nil and t.op == SHOOT_ONLY_AVATAR:  # keeps the order of ShootAvatar here, and only here (sprites, 13.1)
        return tuple([_ACTIONS[k] for k in (USE, LEFT, RIGHT, DOWN, UP, NIL)])
    actions = [_ACTIONS[w.rules.pool[k]] for k in range(t.actions_start, t.actions_start + t.actions_len)]
    if nil:
        actions.append(_ACTIONS[NIL])
    return tuple(actions)


cdef object avatar_position(Scratch *w, int player):
    """Position of a player's avatar: (-1, -1) once the game has ended, None if the avatar is gone."""
    cdef int index = w.header.avatar[player]
    if index < 0:
        return None
    if w.header.ended:
        return -1, -1
    return record(w, index).x, record(w, index).y


cdef object avatar(Scratch *w, int player):
    """A player's avatar, None if it is gone."""
    cdef int index = w.header.avatar[player]
    cdef bint ended = w.header.ended
    cdef Sprite *s
    cdef TypeRow *t
    if index < 0:
        return None
    s = record(w, index)
    t = row(w, s)
    return Avatar(
        type=s.type,
        id=s.id,
        position=avatar_position(w, player),
        orientation=(-1.0 if ended else s.orientation_x, -1.0 if ended else s.orientation_y),
        speed=0.0 if ended else speed(w, s),
        resources=resources_of(w, s),
        health=health(w, s),
        max_health=vital(w, s).max_health if w.rules.vital_at else t.max_health_points,
        limit_health=t.limit_health_points,
        last_action=_ACTIONS[w.header.last_action[player]],
        is_alive=not s.flags & DISABLED,
    )


cdef dict resources_of(Scratch *w, Sprite *s):
    """Amount by type of every resource that the sprite ever touched, those at 0 included (engine, 2.4)."""
    cdef int32_t *amounts = <int32_t *>(<char *>s + w.rules.resources_at)
    cdef int slot
    if not w.rules.resources_at:
        return {}
    return {w.rules.resources[slot]: amounts[slot] for slot in range(w.rules.n_resources) if amounts[slot] != ABSENT}


# ---------------------------------------------------------------------------------------------- observations

cdef inline Sprite *next_sprite(Scratch *w, Walk *it) noexcept nogil:
    """The next sprite of a walk, for reading; NULL at the end."""
    cdef int ref = next_of(w, it)
    return NULL if ref == NOWHERE else peek(w, ref)


cdef inline object observe(Scratch *w, Sprite *s, double x, double y):
    """A sprite seen from the reference position (x, y)."""
    cdef double dx = s.x - x
    cdef double dy = s.y - y
    return _new(Observation, (_CATEGORIES[category_of(w, s)], s.type, s.id, s.x, s.y, dx * dx + dy * dy))


cdef bint belongs(Scratch *w, int stype, int category) noexcept nogil:
    """Whether a type is in a category's lists: some sprite of it has that category (engine, 13.2)."""
    cdef int only = w.rules.types[stype].category_static
    cdef Walk it
    cdef Sprite *s
    if w.rules.types[stype].hidden or (only >= 0 and only != category):
        return False
    it = walk(w, stype)
    while True:
        s = next_sprite(w, &it)
        if s == NULL:
            return False
        if category_of(w, s) == category:
            return True


cdef tuple lists(Scratch *w, int category, object reference):
    """The sprites of each type in a category: sorted by distance to ``reference``, or in group order without it."""
    cdef double x = -1.0
    cdef double y = -1.0
    cdef list found = []
    cdef list sprites
    cdef Walk it
    cdef Sprite *s
    cdef int stype
    if not <int>AVATAR <= category <= <int>MOVABLE:
        raise ValueError(f"expected a Category ({<int>AVATAR} to {<int>MOVABLE}), got {category}")
    if category == AVATAR:  # avatars are in no list, only in the grid
        return ()
    if reference is not None:
        x, y = reference
    for stype in range(w.rules.n_types):
        if not belongs(w, stype, category):
            continue
        sprites = []
        it = walk(w, stype)
        while True:
            s = next_sprite(w, &it)
            if s == NULL:
                break
            sprites.append(observe(w, s, x, y))
        if reference is not None:
            sprites.sort(key=_square_distance)
        found.append(tuple(sprites))
    return tuple(found)


# ---------------------------------------------------------------------------------------------- grid

cdef inline int put(Scratch *w, list cells, int column, int line, object seen) except -1:
    """Add an observation to a cell, unless the cell is off the board."""
    cdef int cell = column * w.board.rows + line
    if 0 <= column < w.board.columns and 0 <= line < w.board.rows:
        if cells[cell] is None:
            cells[cell] = [seen]
        else:
            (<list>cells[cell]).append(seen)
    return 0


cdef tuple grid(Scratch *w):
    """The sprites in each cell, by column and row.

    A sprite is in the cell of its corner and in the next ones that it reaches into; whatever its size, it counts as one
    block large. Left of and above the screen, cells are truncated toward zero (engine, 13.3).
    """
    cdef int block = w.board.block
    cdef int rows = w.board.rows
    cdef list cells = [None] * (w.board.columns * rows)
    cdef Walk it
    cdef Sprite *s
    cdef int stype, column, line, wide, high
    for stype in range(w.rules.n_types):
        if w.rules.types[stype].hidden:
            continue
        it = walk(w, stype)
        while True:
            s = next_sprite(w, &it)
            if s == NULL:
                break
            seen = observe(w, s, -1.0, -1.0)
            column = s.x / block
            line = s.y / block
            wide = s.x % block > 0
            high = s.y % block > 0
            put(w, cells, column, line, seen)
            if wide:
                put(w, cells, column + 1, line, seen)
            if high:
                put(w, cells, column, line + 1, seen)
            if wide and high:
                put(w, cells, column + 1, line + 1, seen)
    return tuple([
        tuple([tuple(cells[column * rows + line] or ()) for line in range(rows)]) for column in range(w.board.columns)
    ])


# ---------------------------------------------------------------------------------------------- arrays

cdef int fill(Scratch *w, object array) except -1:
    """Write the visible sprites into an array, by type and in group order; return their number."""
    cdef Visible[::1] rows = array
    cdef Visible *v
    cdef Walk it
    cdef Sprite *s
    cdef int stype, n = 0
    if rows.shape[0] < count_visible(w):
        raise ValueError(f"expected an array with room for {count_visible(w)} sprites, got {rows.shape[0]}")
    for stype in range(w.rules.n_types):
        if w.rules.types[stype].hidden:
            continue
        it = walk(w, stype)
        while True:
            s = next_sprite(w, &it)
            if s == NULL:
                break
            v = &rows[n]
            v.id = s.id
            v.type = s.type
            v.category = category_of(w, s)
            v.x = s.x
            v.y = s.y
            n += 1
    return n


cdef int count_visible(Scratch *w) noexcept nogil:
    cdef int stype, n = 0
    for stype in range(w.rules.n_types):
        if not w.rules.types[stype].hidden:
            n += group_size(w, stype)
    return n


cdef object sprite_array(Scratch *w):
    """The visible sprites in a new array."""
    array = np.zeros(count_visible(w), VISIBLE)
    fill(w, array)
    return array


# ---------------------------------------------------------------------------------------------- history

cdef tuple avatar_events(bytes history):
    """The `Event` structs of a history as objects, in the order of the specification (engine, 8)."""
    cdef const Event *e = <const Event *>(<char *>history)
    cdef int k, n = <int>(len(history) / sizeof(Event))
    cdef list events = []
    for k in range(n):
        events.append(AvatarEvent(
            tick=e[k].tick,
            from_avatar=e[k].from_avatar != 0,
            active_type=e[k].active_type,
            passive_type=e[k].passive_type,
            active_category=_CATEGORIES[e[k].active_category],
            passive_category=_CATEGORIES[e[k].passive_category],
            active_id=e[k].active_id,
            passive_id=e[k].passive_id,
            position=(e[k].x, e[k].y),
        ))
    events.sort(key=_place_in_history)
    return tuple(events)


def _place_in_history(event):
    return event.tick, not event.from_avatar, event.passive_type, event.active_type


# ------------------------------------------------------------------------- for traces and pictures: not for controllers

cdef list records(Scratch *w):
    """All sprites, hidden ones included, by type and in group order.

    Per sprite: id, type, x, y, width, height (pixels), orientation x and y, speed, health, disabled,
    {resource type: amount}.
    """
    cdef list found = []
    cdef Walk it
    cdef Sprite *s
    cdef int stype
    for stype in range(w.rules.n_types):
        it = walk(w, stype)
        while True:
            s = next_sprite(w, &it)
            if s == NULL:
                break
            found.append((
                s.id, s.type, s.x, s.y, width(w, s), height(w, s), s.orientation_x, s.orientation_y,
                speed(w, s), health(w, s), s.flags & DISABLED != 0, resources_of(w, s),
            ))
    return found


def record_tuples(state):
    """All sprites of a state, hidden ones included: see `records`."""
    return state._records()


cdef list drawing(Scratch *w):
    """The sprites to draw, from back to front (engine, 15.4): type, x, y, width, height, orientation x and y.

    Invisible ones are among them, dead avatars are not.
    """
    cdef list found = []
    cdef Walk it
    cdef Sprite *s
    cdef int k
    for k in range(w.rules.n_order):
        it = walk(w, w.rules.order[k])
        while True:
            s = next_sprite(w, &it)
            if s == NULL:
                break
            if not s.flags & DISABLED:
                found.append((s.type, s.x, s.y, width(w, s), height(w, s), s.orientation_x, s.orientation_y))
    return found
