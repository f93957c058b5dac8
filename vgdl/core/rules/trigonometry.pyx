"""Sine, cosine, arc tangent and remainder from the four basic operations alone: a play never depends on the C library.

All follow published algorithms, and give the results of the reference's virtual machine bit for bit (sprites, 13.19).

`arc_tangent` is that of fdlibm (Sun Microsystems 1993): the argument is moved near 0 by the tangent of 0, atan(1/2),
pi/4, atan(3/2) or pi/2, and a polynomial of degree 23 does the rest.

`sine` and `cosine` are Intel's (after Story and Tang, *New algorithms for improved transcendental functions on IA-64*, 1999).
The angle is split into N * pi/32 + r + c, where c is what does not fit into the double r. With B = N * pi/32 and sigma,
the power of two that is nearest to cos B::

    sin(B + r + c) = (sin B + sigma * r) + (cos B - sigma) * r + sin B * (cos r - 1) + cos B * (sin r - r) + cos B * c

The two products in front are added without loss, the others are small. For angles of at least `FAR`, the reference
finds r and c in another way: one result in a thousand differs from its own in the last bit.
"""

from libc.math cimport fabs
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.string cimport memcpy

import numpy as np


cdef enum:
    FAR = 90112  # radians: below, multiples of the first two parts of pi/32 are exact
    PARTS = 64  # of a full turn
    LIMBS = 8  # of 32 bits, of the fixed-point numbers of `reduce_far`

# The digits of 2/pi in base 2^32, behind 64 zero bits: enough for the largest exponent.
cdef uint32_t[42] TWO_OVER_PI = [
    0x00000000, 0x00000000, 0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0, 0xDB629599, 0x3C439041,
    0xFE5163AB, 0xDEBBC561, 0xB7246E3A, 0x424DD2E0, 0x06492EEA, 0x09D1921C, 0xFE1DEB1C, 0xB129A73E,
    0xE88235F5, 0x2EBB4484, 0xE99C7026, 0xB45F7E41, 0x3991D639, 0x835339F4, 0x9C845F8B, 0xBDF9283B,
    0x1FF897FF, 0xDE05980F, 0xEF2F118B, 0x5A0A6D1F, 0x6D367ECF, 0x27CB09B7, 0x4F463F66, 0x9E5FEA2D,
    0x7527BAC7, 0xEBE5F17B, 0x3D0739F7, 0x8A5292EA, 0x6BFB5FB1, 0x1F8D5D08, 0x56033046, 0xFC7B6BAB,
    0xF0CFBC20, 0x9AF4361D,
]

# sin(k * pi/32) for k = 0 .. 16, as sums of two doubles.
cdef double[17][2] QUARTER = [
    [0.0, 0.0],
    [0.0980171403295606, -1.634582362244256e-18],
    [0.19509032201612828, -7.991079068461731e-18],
    [0.2902846772544624, -1.892797870777425e-17],
    [0.3826834323650898, -1.0050772696461588e-17],
    [0.47139673682599764, 6.516678136069013e-18],
    [0.5555702330196022, 4.709410940561677e-17],
    [0.6343932841636455, 1.0420901929280035e-17],
    [0.7071067811865476, -4.833646656726457e-17],
    [0.773010453362737, -3.256590703364977e-17],
    [0.8314696123025452, 1.4073856984728024e-18],
    [0.881921264348355, -1.9843248405890562e-17],
    [0.9238795325112867, 1.7645047084336677e-17],
    [0.9569403357322088, 4.05538698618757e-17],
    [0.9807852804032304, 1.8546939997825006e-17],
    [0.9951847266721969, -4.248691367830441e-17],
    [1.0, 0.0],
]

cdef struct Base:  # of a multiple of pi/32
    double sine, sine_low, cosine_rest, sigma  # cosine_rest is the cosine without sigma

cdef Base[PARTS] bases


cdef Base base_of(int part):
    """The row of ``part`` * pi/32."""
    cdef Base base
    cdef int k = part % 32 if part % 32 <= 16 else 32 - part % 32
    cdef double cosine = QUARTER[16 - k][0], sigma = 1.0
    while cosine < 0.75 * sigma:  # the sum of two neighbouring powers of two is halfway
        sigma *= 0.5
    if k == 16:
        sigma = 0.0
    base.sine = QUARTER[k][0] if part < 32 else -QUARTER[k][0]
    base.sine_low = QUARTER[k][1] if part < 32 else -QUARTER[k][1]
    base.cosine_rest = (cosine - sigma) + QUARTER[16 - k][1]
    base.sigma = sigma
    if 16 < part < 48:
        base.cosine_rest = -base.cosine_rest
        base.sigma = -sigma
    return base


for _part in range(PARTS):
    bases[_part] = base_of(_part)

# fdlibm's: atan(1/2), atan(1), atan(3/2) and atan(inf) as sums of two doubles, and the polynomial.
cdef double[4] ARC_HIGH = [0.4636476090008061, 0.7853981633974483, 0.982793723247329, 1.5707963267948966]
cdef double[4] ARC_LOW = [2.2698777452961687e-17, 3.061616997868383e-17, 1.3903311033230998e-17, 6.123233995736766e-17]
cdef double[11] ARC = [
    0.3333333333333293, -0.19999999999876483, 0.14285714272503466, -0.11111110405462356, 0.09090887133436507,
    -0.0769187620504483, 0.06661073137387531, -0.058335701337905735, 0.049768779946159324, -0.036531572744216916,
    0.016285820115365782,
]
cdef double PI = 3.141592653589793, PI_LOW = 1.2246467991473532e-16


# ---------------------------------------------------------------------------------------------- reduction by pi/32

cdef struct Reduced:  # part * pi/32 + high + low
    int part
    double high, low
    double rough  # high before the last subtraction, which the algorithm uses in one place


cdef inline int64_t bits_of(double x) noexcept nogil:
    cdef int64_t bits
    memcpy(&bits, &x, sizeof(bits))
    return bits


cdef inline Reduced reduce_near(double x) noexcept nogil:
    """For numbers below `FAR`: with three parts of pi/32, the first two of 32 bits (Cody and Waite 1980)."""
    cdef Reduced reduced
    cdef double n = <int>(x * 10.185916357881302 + (0.5 if x >= 0.0 else -0.5))
    cdef double second = n * 3.798187816439979e-12
    reduced.part = <int>n
    reduced.rough = x - n * 0.09817477042088285
    reduced.high = reduced.rough - second
    reduced.low = ((reduced.rough - reduced.high) - second) - n * 1.2639164054974691e-22
    return reduced


cdef struct Double2:
    double high, low


cdef inline Double2 two_sum(double a, double b) noexcept nogil:
    """a + b exactly (Knuth)."""
    cdef Double2 sum
    cdef double part
    sum.high = a + b
    part = sum.high - a
    sum.low = (a - (sum.high - part)) + (b - part)
    return sum


cdef inline Double2 two_product(double a, double b) noexcept nogil:
    """a * b exactly, for factors that are neither huge nor tiny (Dekker 1971)."""
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


cdef Reduced from_parts(int part, double high, double low) noexcept nogil:
    """The reduced form of part + high + low, in units of pi/32."""
    cdef Reduced reduced
    cdef Double2 product = two_product(high, 0.09817477042468103)
    product = two_sum(product.high, product.low + (high * 3.827021247335479e-18 + low * 0.09817477042468103))
    reduced.part = part
    reduced.high = reduced.rough = product.high
    reduced.low = product.low
    return reduced


cdef Reduced reduce_far(double x) noexcept nogil:
    """For positive numbers of at least 1: a product with those bits of 32/pi that matter modulo 64 (Payne and Hanek 1983)."""
    cdef int64_t bits = bits_of(x)
    cdef uint64_t mantissa = (<uint64_t>bits & ((<uint64_t>1 << 52) - 1)) | <uint64_t>1 << 52
    cdef int exponent = <int>((bits >> 52) & 0x7FF) - 1075  # x = mantissa * 2^exponent
    cdef int first = exponent - 2 + 64  # the bits of 2/pi before this one give full turns
    cdef uint32_t *digits = TWO_OVER_PI + (first >> 5)
    cdef uint64_t low = <uint32_t>mantissa, high = mantissa >> 32, sum, carry = 0
    cdef uint32_t[LIMBS] digit, turn  # a part of 2/pi; parts of a full turn, with 250 bits behind the point
    cdef double scale = 1.4901161193847656e-08  # 2^-26
    cdef bint above
    cdef Double2 rest, both
    cdef int k, part
    for k in range(LIMBS):
        sum = <uint64_t>digits[LIMBS - 1 - k] << 32 | digits[LIMBS - k]
        digit[k] = <uint32_t>(sum >> (32 - (first & 31)))
    for k in range(LIMBS):
        sum = digit[k] * low + carry
        turn[k] = <uint32_t>sum
        carry = sum >> 32
    carry = 0
    for k in range(1, LIMBS):
        sum = digit[k - 1] * high + turn[k] + carry
        turn[k] = <uint32_t>sum
        carry = sum >> 32
    part = turn[LIMBS - 1] >> 26
    above = (turn[LIMBS - 1] >> 25) & 1  # closer to the next part: the rest is negative
    carry = 1
    for k in range(LIMBS):
        if above:
            carry += <uint32_t>~turn[k]
            turn[k] = <uint32_t>carry
            carry >>= 32
    turn[LIMBS - 1] &= 0x3FFFFFF
    rest.high = rest.low = 0.0
    for k in range(LIMBS - 1, -1, -1):
        both = two_sum(rest.high, turn[k] * scale)
        rest.high = both.high
        rest.low += both.low
        scale *= 2.3283064365386963e-10  # 2^-32
    if above:
        return from_parts(part + 1, -rest.high, -rest.low)
    return from_parts(part, rest.high, rest.low)


# ---------------------------------------------------------------------------------------------- functions

cdef double at_angle(Reduced angle, int quarter) noexcept nogil:
    """The sine of an angle and some quarter turns. The order of the operations is part of the algorithm."""
    cdef Base *base = &bases[(angle.part + 16 * quarter) & (PARTS - 1)]
    cdef double x = angle.high, square = x * x, cosine = base.cosine_rest + base.sigma
    cdef double turned = (-0.5 + 0.041666666666666664 * square) + square * square * (
        -0.001388888888888889 + 2.48015873015873e-05 * angle.rough * x)
    cdef double shifted = (-0.16666666666666666 + 0.008333333333333333 * square) + square * square * (
        -0.0001984126984126984 + 2.7557319223985893e-06 * angle.rough * x)
    cdef double linear = base.sigma * x, middle = base.cosine_rest * x
    cdef double sum = base.sine + linear
    cdef double total = sum + middle
    cdef double rest = base.sine_low - angle.low * (base.sine * x - cosine)
    rest += (base.sine - sum) + linear
    rest += (sum - total) + middle
    rest += shifted * (cosine * x * square)
    rest += turned * (base.sine * square)
    return total + rest


cdef inline Reduced reduce(double x) noexcept nogil:
    return reduce_near(x) if fabs(x) < FAR else reduce_far(x)


cdef double sine(double angle) noexcept nogil:
    if fabs(angle) < 1.3817869688151111e-76:  # 2^-252: its square is 0, or nearly
        return angle
    if not fabs(angle) <= 1.7976931348623157e308:
        return angle - angle
    return -at_angle(reduce(-angle), 0) if angle <= -FAR else at_angle(reduce(angle), 0)


cdef double cosine(double angle) noexcept nogil:
    if fabs(angle) < 1.3817869688151111e-76:
        return 1.0
    if not fabs(angle) <= 1.7976931348623157e308:
        return angle - angle
    return at_angle(reduce(-angle if angle <= -FAR else angle), 1)


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
