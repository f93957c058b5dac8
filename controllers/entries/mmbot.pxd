from vgdl.controllers.search.sprite_distances cimport TypeValues
from vgdl.controllers.search.tree cimport Node, OpenLoopUCT

cdef class MacroUCT(OpenLoopUCT):
    cdef int length  # ticks of the macro-actions in the tree
    cdef int rest  # ticks of the macro-action under way that are still to be played before them
    cdef int under_way  # its action
    cdef bint goes_on  # the search goes on with the tree that there is
    cdef double company  # score points that the outlook counts
    cdef TypeValues type_values

    cdef int perform_for(self, int action, int ticks) except -1
