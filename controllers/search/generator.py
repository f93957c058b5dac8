"""A controller's own random generator, compiled."""

import secrets

import cython
from cython.cimports.libc.stdint import int32_t


class Generator:
    """SplitMix64: one addition and one bit mix per draw; the same numbers from the same seed on any machine."""

    def __init__(self, seed: int | None = None) -> None:
        """Start from the low 64 bits of ``seed``, or from an unpredictable seed."""
        self.state = (secrets.randbits(64) if seed is None else seed) & 0xFFFFFFFFFFFFFFFF

    def draw(self) -> cython.ulonglong:
        """64 random bits."""
        self.state += cython.cast(cython.ulonglong, 0x9E3779B97F4A7C15)
        z: cython.ulonglong = self.state
        z = (z ^ (z >> 30)) * cython.cast(cython.ulonglong, 0xBF58476D1CE4E5B9)
        z = (z ^ (z >> 27)) * cython.cast(cython.ulonglong, 0x94D049BB133111EB)
        return z ^ (z >> 31)

    def below(self, limit: cython.int) -> cython.int:
        """Uniform in 0 ... n - 1, n ≥ 1. The bias is below n / 2³², too small to affect a search."""
        return cython.cast(cython.int, ((self.draw() >> 32) * cython.cast(cython.ulonglong, limit)) >> 32)

    def uniform(self) -> cython.double:
        """Uniform in [0, 1)."""
        return cython.cast(cython.double, self.draw() >> 11) * (1.0 / 9007199254740992.0)

    def seed(self) -> cython.longlong:
        """A 48-bit seed for the generator of a copied state."""
        return cython.cast(cython.longlong, self.draw() >> 16)

    def shuffle(self, items: cython.pointer(int32_t), count: cython.int) -> cython.void:
        """Shuffle items."""
        k: cython.int
        other: cython.int
        for k in range(count - 1, 0, -1):
            other = self.below(k + 1)
            items[k], items[other] = items[other], items[k]
