"""The C API of Othello, for custom searches: the rules of a stage and a state."""

cimport cython

from vgdl.tabletop.bits cimport Bits
from vgdl.tabletop.othello_engine cimport Board, Variant
from vgdl.tabletop.position cimport CompiledState


@cython.final
cdef class Rules:
    cdef Variant variant
    cdef Board start

    cdef int read(self, object rows, Variant *variant, Board *board) except -1
    cdef bint turned(
        self, object board, int player, int row, int col, Variant *variant, Board *read, Bits *captures
    ) except -1


cdef class PaperApi:
    cdef Rules rules


cdef class ObservableApi(PaperApi):
    pass


cdef class OthelloState(CompiledState):
    cdef Rules rules
    cdef Board board
