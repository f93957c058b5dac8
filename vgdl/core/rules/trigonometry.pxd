cdef double sine(double angle) noexcept nogil
cdef double cosine(double angle) noexcept nogil
cdef double arc_tangent(double y, double x) noexcept nogil
cdef double modulus(double a, double b) noexcept nogil
