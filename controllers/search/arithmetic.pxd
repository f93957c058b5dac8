"""Functions whose last bit differs between C libraries; the actions of a search depend on it."""

from libc.math cimport frexp


cdef inline double logarithm(int n) noexcept nogil:
    """Natural logarithm of a number of visits, ``n`` > 0, to about 15 digits; the same on any machine.

    With n = m · 2^e and m in [0.5, 1), ln n = e · ln 2 + ln m, and ln m = 2 · artanh(z) with z = (m - 1) / (m + 1),
    where m is first brought to [0.75, 1.5) so that |z| <= 0.2 and the series is short.
    """
    cdef int e
    cdef double m = frexp(n, &e)
    cdef double z, square
    if m < 0.75:
        m *= 2.0
        e -= 1
    z = (m - 1.0) / (m + 1.0)
    square = z * z
    return e * 0.6931471805599453 + 2.0 * z * (
        1.0 + square * (1.0 / 3.0 + square * (1.0 / 5.0 + square * (1.0 / 7.0 + square * (
            1.0 / 9.0 + square * (1.0 / 11.0 + square * (1.0 / 13.0 + square * (
                1.0 / 15.0 + square * (1.0 / 17.0 + square / 19.0)))))))))
