"""Avatar events that a state keeps."""


cdef class History:
    cdef readonly History past  # the events before this call, None at the start
    cdef readonly bytes data  # `Event` structs of one call


cdef History new_history(History past, bytes data)
cdef bytes joined(History history)
