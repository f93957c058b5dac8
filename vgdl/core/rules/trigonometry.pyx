"""Sine, cosine, arc tangent and remainder from the four basic operations alone: a play never depends on the C library.

`arc_tangent` follows the published algorithm of fdlibm (Sun Microsystems 1993), which the reference uses: the argument
is moved near 0 by the tangent of 0, atan(1/2), pi/4, atan(3/2) or pi/2, and a polynomial of degree 23 does the rest.
Its results are those of fdlibm, bit for bit.

`sine` and `cosine` are correctly rounded, but for one argument in about a hundred thousand: the reference's are those of
its virtual machine, which are closer to that than fdlibm's (sprites, 13.19). The argument is reduced by multiples of
pi/2, small ones with parts of pi/2 (Cody and Waite 1980), large ones with the bits of 2/pi that matter (Payne and
Hanek 1983). Taylor polynomials follow, whose first terms are sums of two doubles (Dekker 1971).
"""

from libc.math cimport fabs
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.string cimport memcpy

import numpy as np


cdef enum:
    LIMBS = 8  # of 32 bits, of the fixed-point numbers of `reduce_large`
    MOST_TURNS = 1 << 20  # multiples of pi/2 up to which parts of 33 bits have exact products

# The digits of 2/pi in base 2^32, behind 64 zero bits: enough for the largest exponent.
cdef uint32_t[42] TWO_OVER_PI = [
    0x00000000, 0x00000000, 0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0, 0xDB629599, 0x3C439041,
    0xFE5163AB, 0xDEBBC561, 0xB7246E3A, 0x424DD2E0, 0x06492EEA, 0x09D1921C, 0xFE1DEB1C, 0xB129A73E,
    0xE88235F5, 0x2EBB4484, 0xE99C7026, 0xB45F7E41, 0x3991D639, 0x835339F4, 0x9C845F8B, 0xBDF9283B,
    0x1FF897FF, 0xDE05980F, 0xEF2F118B, 0x5A0A6D1F, 0x6D367ECF, 0x27CB09B7, 0x4F463F66, 0x9E5FEA2D,
    0x7527BAC7, 0xEBE5F17B, 0x3D0739F7, 0x8A5292EA, 0x6BFB5FB1, 0x1F8D5D08, 0x56033046, 0xFC7B6BAB,
    0xF0CFBC20, 0x9AF4361D,
]

# Taylor coefficients: (-1)^k / n! for n = 3, 5, 7 and n = 2, 4, 6, 8 as sums of two doubles, then those of higher degree.
cdef double[3][2] SINE = [
    [-0.16666666666666666, -9.25185853854297e-18],
    [0.008333333333333333, 1.1564823173178714e-19],
    [-0.0001984126984126984, -1.7209558293420705e-22],
]
cdef double[7] SINE_TAIL = [
    2.7557319223985893e-06, -2.505210838544172e-08, 1.6059043836821613e-10, -7.647163731819816e-13,
    2.8114572543455206e-15, -8.22063524662433e-18, 1.9572941063391263e-20,
]
cdef double[4][2] COSINE = [
    [-0.5, 0.0],
    [0.041666666666666664, 2.3129646346357427e-18],
    [-0.001388888888888889, 5.300543954373577e-20],
    [2.48015873015873e-05, 2.1511947866775882e-23],
]
cdef double[7] COSINE_TAIL = [
    -2.755731922398589e-07, 2.08767569878681e-09, -1.1470745597729725e-11, 4.779477332387385e-14,
    -1.5619206968586225e-16, 4.110317623312165e-19, -8.896791392450574e-22,
]

# fdlibm's: atan(1/2), atan(1), atan(3/2) and atan(inf) as sums of two doubles, and the polynomial.
cdef double[4] ARC_HIGH = [0.4636476090008061, 0.7853981633974483, 0.982793723247329, 1.5707963267948966]
cdef double[4] ARC_LOW = [2.2698777452961687e-17, 3.061616997868383e-17, 1.3903311033230998e-17, 6.123233995736766e-17]
cdef double[11] ARC = [
    0.3333333333333293, -0.19999999999876483, 0.14285714272503466, -0.11111110405462356, 0.09090887133436507,
    -0.0769187620504483, 0.06661073137387531, -0.058335701337905735, 0.049768779946159324, -0.036531572744216916,
    0.016285820115365782,
]
cdef double PI = 3.141592653589793, PI_LOW = 1.2246467991473532e-16


# ---------------------------------------------------------------------------------------------- sums of two doubles

cdef struct Double2:  # high + low, where low is at most half of high's last bit
    double high, low


cdef inline Double2 two_sum(double a, double b) noexcept nogil:
    """a + b exactly (Knuth)."""
    cdef Double2 sum
    cdef double part
    sum.high = a + b
    part = sum.high - a
    sum.low = (a - (sum.high - part)) + (b - part)
    return sum


cdef inline Double2 quick_sum(double a, double b) noexcept nogil:
    """a + b exactly, if a is the larger one or 0."""
    cdef Double2 sum
    sum.high = a + b
    sum.low = b - (sum.high - a)
    return sum


cdef inline Double2 two_product(double a, double b) noexcept nogil:
    """a * b exactly, for factors that are neither huge nor tiny (Dekker, with Veltkamp's splitting)."""
    cdef Double2 product
    cdef double split, ah, al, bh, bl
    split = a * 134217729.0
    ah = split - (split - a)
    al = a - ah
    split = b * 134217729.0
    bh = split - (split - b)
    bl = b - bh
    product.high = a * b
    product.low = ((ah * bh - product.high) + ah * bl + al * bh) + al * bl
    return product


cdef inline Double2 add(Double2 a, double b) noexcept nogil:
    cdef Double2 sum = two_sum(a.high, b)
    return quick_sum(sum.high, sum.low + a.low)


cdef inline Double2 add_to(double high, double low, Double2 b) noexcept nogil:
    cdef Double2 sum = two_sum(high, b.high)
    return quick_sum(sum.high, sum.low + (low + b.low))


cdef inline Double2 multiply(Double2 a, Double2 b) noexcept nogil:
    cdef Double2 product = two_product(a.high, b.high)
    return quick_sum(product.high, product.low + (a.high * b.low + a.low * b.high))


# ---------------------------------------------------------------------------------------------- reduction by pi/2

cdef inline int64_t bits_of(double x) noexcept nogil:
    cdef int64_t bits
    memcpy(&bits, &x, sizeof(bits))
    return bits


cdef Double2 reduce_small(double x, int *quadrant) noexcept nogil:
    """x - n * pi/2, where n is the nearest integer and small; ``quadrant`` receives n modulo 4."""
    cdef int64_t n = <int64_t>(x * 0.6366197723675814 + (0.5 if x > 0.0 else -0.5))
    cdef Double2 rest = two_sum(x, -<double>n * 1.5707963267341256)
    rest = add(rest, -<double>n * 6.077100506303966e-11)
    rest = add(rest, -<double>n * 2.0222662487111665e-21)
    rest = add(rest, -<double>n * 8.4784276603689e-32)
    quadrant[0] = <int>(n & 3)
    return rest


cdef Double2 reduce_large(double x, int *quadrant) noexcept nogil:
    """`reduce_small` for any finite number of at least 1: a product with the bits of 2/pi that matter modulo 4."""
    cdef int64_t bits = bits_of(x)
    cdef uint64_t mantissa = (<uint64_t>bits & ((<uint64_t>1 << 52) - 1)) | <uint64_t>1 << 52
    cdef int exponent = <int>((bits >> 52) & 0x7FF) - 1075  # x = mantissa * 2^exponent
    cdef int first = exponent - 2 + 64  # the bits before this one give multiples of 4
    cdef uint32_t *digits = TWO_OVER_PI + (first >> 5)
    cdef uint64_t low = <uint32_t>mantissa, high = mantissa >> 32, sum, carry = 0
    cdef uint32_t[LIMBS] digit, turns  # a part of 2/pi; x * 2/pi modulo 4, with 254 bits behind the point
    cdef bint negative
    cdef Double2 fraction, half_pi
    cdef double scale = 9.313225746154785e-10  # 2^-30
    cdef int k
    for k in range(LIMBS):
        sum = <uint64_t>digits[LIMBS - 1 - k] << 32 | digits[LIMBS - k]
        digit[k] = <uint32_t>(sum >> (32 - (first & 31)))
    for k in range(LIMBS):
        sum = digit[k] * low + carry
        turns[k] = <uint32_t>sum
        carry = sum >> 32
    carry = 0
    for k in range(1, LIMBS):
        sum = digit[k - 1] * high + turns[k] + carry
        turns[k] = <uint32_t>sum
        carry = sum >> 32
    negative = turns[LIMBS - 1] >> 29 & 1  # more than half a turn: one turn more, and back
    quadrant[0] = ((turns[LIMBS - 1] >> 30) + negative) & 3
    fraction.high = fraction.low = 0.0
    carry = 1
    for k in range(LIMBS):
        if negative:
            carry += <uint32_t>~turns[k]
            turns[k] = <uint32_t>carry
            carry >>= 32
    turns[LIMBS - 1] &= 0x3FFFFFFF
    for k in range(LIMBS - 1, -1, -1):
        fraction = add(fraction, turns[k] * scale)
        scale *= 2.3283064365386963e-10  # 2^-32
    if negative:
        fraction.high = -fraction.high
        fraction.low = -fraction.low
    half_pi.high = 1.5707963267948966
    half_pi.low = 6.123233995736766e-17
    return multiply(fraction, half_pi)


cdef inline Double2 reduce(double x, int *quadrant) noexcept nogil:
    """A positive number without its multiples of pi/2: from -pi/4 to pi/4."""
    cdef Double2 rest
    if x <= 0.7853981633974483:
        quadrant[0] = 0
        rest.high = x
        rest.low = 0.0
        return rest
    return reduce_small(x, quadrant) if x < MOST_TURNS else reduce_large(x, quadrant)


# ---------------------------------------------------------------------------------------------- polynomials

cdef inline double tail(double *coefficients, double square) noexcept nogil:
    cdef double sum = coefficients[6]
    cdef int k
    for k in range(5, -1, -1):
        sum = sum * square + coefficients[k]
    return sum


cdef double sine_polynomial(Double2 x) noexcept nogil:
    """The sine of a number from -pi/4 to pi/4."""
    cdef Double2 square = multiply(x, x), sum
    cdef int k
    sum = two_product(square.high, tail(SINE_TAIL, square.high))
    for k in range(2, -1, -1):
        sum = add_to(SINE[k][0], SINE[k][1], sum)
        if k:
            sum = multiply(square, sum)
    sum = multiply(multiply(square, x), sum)
    sum = add_to(x.high, x.low, sum)
    return sum.high


cdef double cosine_polynomial(Double2 x) noexcept nogil:
    """The cosine of a number from -pi/4 to pi/4."""
    cdef Double2 square = multiply(x, x), sum
    cdef int k
    sum = two_product(square.high, tail(COSINE_TAIL, square.high))
    for k in range(3, -1, -1):
        sum = multiply(square, add_to(COSINE[k][0], COSINE[k][1], sum))
    sum = add_to(1.0, 0.0, sum)
    return sum.high


# ---------------------------------------------------------------------------------------------- functions

cdef double of_quadrant(Double2 rest, int quadrant) noexcept nogil:
    """The sine of a number of quarter turns more than ``rest``."""
    cdef double value = cosine_polynomial(rest) if quadrant & 1 else sine_polynomial(rest)
    return -value if quadrant & 2 else value


cdef double sine(double angle) noexcept nogil:
    cdef double size = fabs(angle), value
    cdef int quadrant
    cdef Double2 rest
    if size < 7.450580596923828e-09:  # 2^-27: the cube is too small to matter
        return angle
    if not size <= 1.7976931348623157e308:
        return angle - angle
    rest = reduce(size, &quadrant)
    value = of_quadrant(rest, quadrant)
    return -value if angle < 0.0 else value


cdef double cosine(double angle) noexcept nogil:
    cdef double size = fabs(angle)
    cdef int quadrant
    cdef Double2 rest
    if size < 7.450580596923828e-09:
        return 1.0
    if not size <= 1.7976931348623157e308:
        return angle - angle
    rest = reduce(size, &quadrant)
    return of_quadrant(rest, quadrant + 1)


cdef double arc_tangent_of(double x) noexcept nogil:
    """The arc tangent of a number that is not negative, or NaN."""
    cdef int part = -1
    cdef double square, fourth, odd, even
    if x != x or x >= 73786976294838206464.0:  # 2^66
        return x if x != x else ARC_HIGH[3] + ARC_LOW[3]
    if x < 0.4375:
        if x < 1.862645149230957e-09:  # 2^-29
            return x
    elif x < 0.6875:
        part = 0
        x = (2.0 * x - 1.0) / (2.0 + x)
    elif x < 1.1875:
        part = 1
        x = (x - 1.0) / (x + 1.0)
    elif x < 2.4375:
        part = 2
        x = (x - 1.5) / (1.0 + 1.5 * x)
    else:
        part = 3
        x = -1.0 / x
    square = x * x
    fourth = square * square
    odd = square * (ARC[0] + fourth * (ARC[2] + fourth * (ARC[4] + fourth * (ARC[6] + fourth * (ARC[8] + fourth * ARC[10])))))
    even = fourth * (ARC[1] + fourth * (ARC[3] + fourth * (ARC[5] + fourth * (ARC[7] + fourth * ARC[9]))))
    if part < 0:
        return x - x * (odd + even)
    return ARC_HIGH[part] - ((x * (odd + even) - ARC_LOW[part]) - x)


cdef inline bint is_infinite(double x) noexcept nogil:
    return fabs(x) > 1.7976931348623157e308


cdef double first_quadrant(double y, double x, bint turned) noexcept nogil:
    """The angle of (|x|, |y|), neither of which is 0 or NaN, and y infinite only if x is; ``turned``: x is negative."""
    cdef int64_t more = ((bits_of(y) >> 32) & 0x7FFFFFFF) - ((bits_of(x) >> 32) & 0x7FFFFFFF)
    if is_infinite(x):
        return PI / 4.0 if is_infinite(y) else 0.0
    if more >> 20 > 60:
        return PI / 2.0 + 0.5 * PI_LOW
    if turned and more >> 20 < -60:
        return 0.0
    return arc_tangent_of(fabs(y / x))


cdef double arc_tangent(double y, double x) noexcept nogil:
    """The angle of the point (x, y), from -pi to pi, in radians."""
    cdef bint below = bits_of(y) < 0, turned = bits_of(x) < 0
    cdef double angle
    if x != x or y != y:
        return x + y
    if y == 0.0:
        angle = PI if turned else 0.0
    elif x == 0.0 or (is_infinite(y) and not is_infinite(x)):
        angle = PI / 2.0
    else:
        angle = first_quadrant(y, x, turned)
        if turned:
            if below:
                return (angle - PI_LOW) - PI
            return PI - (angle - PI_LOW)
    return -angle if below else angle


cdef double modulus(double a, double b) noexcept nogil:
    """The exact rest of a division by a positive number, with the sign of ``a`` (IEEE 754)."""
    cdef double rest = fabs(a), part = b
    if not rest <= 1.7976931348623157e308:
        return a - a
    while part <= 0.5 * rest:
        part *= 2.0
    while part >= b:
        if rest >= part:
            rest -= part
        part *= 0.5
    return -rest if a < 0.0 else rest


# ---------------------------------------------------------------------------------------------- for tests

def values(str function, const double[::1] first not None, second=None):
    """Values of a function of this module at many numbers, as an array; ``second``: where it takes two."""
    cdef double[::1] others = np.asarray(first if second is None else second, float)
    cdef double[::1] results = np.empty(first.shape[0])
    cdef Py_ssize_t k
    if others.shape[0] != first.shape[0]:
        raise ValueError("expected as many second numbers as first ones")
    for k in range(first.shape[0]):
        if function == "sine":
            results[k] = sine(first[k])
        elif function == "cosine":
            results[k] = cosine(first[k])
        elif function == "arc_tangent":
            results[k] = arc_tangent(first[k], others[k])
        elif function == "modulus":
            results[k] = modulus(first[k], others[k])
        else:
            raise ValueError(f"no function {function!r}")
    return np.asarray(results)
