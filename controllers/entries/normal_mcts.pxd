from vgdl.controllers.search.tree cimport ClosedLoopUCT

cdef class RewardUCT(ClosedLoopUCT):
    cdef double weight
    cdef double least, span  # of the reward sums of the compared children
