"""The memory layout as numpy sees it: structured types derived from the C structs."""

import numpy as np

from vgdl.core.java_names import with_hints

cdef TypeRow _type_row
cdef EffectRow _effect_row
cdef PairRow _pair_row
cdef EdgeRow _edge_row
cdef TerminationRow _termination_row
cdef TimerRow _timer_row
cdef UpdateRow _update_row
cdef EdgeTurn _edge_turn
cdef EdgeWalk _edge_walk
cdef Blocked _blocked
cdef Mixing _mixing
cdef Encounters _encounters
cdef Sprite _sprite
cdef Size _size
cdef Motion _motion
cdef Vital _vital
cdef Inner _inner
cdef Target _target
cdef Header _header

# Typed, since Cython 3.3 declares the code shared by arrays and memory views only in modules that use both.
cdef TypeRow[::1] _type_rows = <TypeRow[:1]>&_type_row

#: numpy type of each table and of each part of a sprite record
TYPE_ROW = np.asarray(_type_rows).dtype
EFFECT_ROW = np.asarray(<EffectRow[:1]>&_effect_row).dtype
PAIR_ROW = np.asarray(<PairRow[:1]>&_pair_row).dtype
EDGE_ROW = np.asarray(<EdgeRow[:1]>&_edge_row).dtype
TERMINATION_ROW = np.asarray(<TerminationRow[:1]>&_termination_row).dtype
TIMER_ROW = np.asarray(<TimerRow[:1]>&_timer_row).dtype
UPDATE_ROW = np.asarray(<UpdateRow[:1]>&_update_row).dtype
EDGE_TURN = np.asarray(<EdgeTurn[:1]>&_edge_turn).dtype
EDGE_WALK = np.asarray(<EdgeWalk[:1]>&_edge_walk).dtype
BLOCKED = np.asarray(<Blocked[:1]>&_blocked).dtype
MIXING = np.asarray(<Mixing[:1]>&_mixing).dtype
ENCOUNTERS = np.asarray(<Encounters[:1]>&_encounters).dtype
SPRITE = np.asarray(<Sprite[:1]>&_sprite).dtype
SIZE = np.asarray(<Size[:1]>&_size).dtype
MOTION = np.asarray(<Motion[:1]>&_motion).dtype
VITAL = np.asarray(<Vital[:1]>&_vital).dtype
INNER = np.asarray(<Inner[:1]>&_inner).dtype
TARGET = np.asarray(<Target[:1]>&_target).dtype
HEADER = np.asarray(<Header[:1]>&_header).dtype

#: bits of the flags of a sprite record and of the gates of an effect, by name
SPRITE_FLAGS = {
    "DISABLED": DISABLED, "FIRST_TICK": FIRST_TICK, "ORIENTED": ORIENTED, "FROM_AVATAR": FROM_AVATAR_FLAG,
    "ON_GROUND": ON_GROUND, "ORIGINAL": ORIGINAL, "SECOND_PLAYER": SECOND_PLAYER,
}
GATES = {"applyScore": APPLY_SCORE, "count": COUNT, "countElse": COUNT_ELSE}
#: amount of a resource that a sprite never touched
NEVER_HELD = ABSENT

with_hints(Action)
