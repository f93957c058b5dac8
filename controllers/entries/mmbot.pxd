from vgdl.controllers.search.sprite_distances cimport TypeValues
from vgdl.controllers.search.tree cimport Node, OpenLoopUCT

cdef class MacroUCT(OpenLoopUCT):
    cdef int length  # ticks of the macro-actions in the tree
    cdef int rest  # remaining ticks of the current macro-action, played first
    cdef int under_way  # its action
    cdef bint goes_on  # the search continues with the existing tree
    cdef double proximity_weight  # weight of the outlook, score points
    cdef TypeValues type_values

    cdef int perform_for(self, int action, int ticks) except -1
