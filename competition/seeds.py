"""All seeds of a competition, derived from one secret number by a keyed hash.

A seed reveals nothing about any other. So neither a controller's own seed nor the random future of the states it is
shown reveals the future of the real game.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Sequence

SECRET_BITS = 128
SEED_BITS = 31  # the reference seeds its games with 32-bit signed numbers; these are its non-negative half


def fresh_secret() -> int:
    """A secret for a new competition, from the system's random source."""
    return secrets.randbits(SECRET_BITS)


def derive(secret: int, purpose: str, *labels: str | int) -> int:
    """The seed for a purpose in the place that the labels name.

    Args:
        secret: the competition's secret number, 0 ... 2**128 - 1.
        purpose: what the seed is for; different purposes have unrelated seeds.
        labels: game, level, repeat, tick and so on.

    Returns:
        An integer from 0 to 2**31 - 1.
    """
    return int.from_bytes(_hash(secret, purpose, labels, 8), "big") >> (64 - SEED_BITS)


def derive_key(secret: int, purpose: str, *labels: str | int) -> str:
    """As ``derive``, but returns a key of 128 bits as hexadecimal digits."""
    return _hash(secret, purpose, labels, 16).hex()


def _hash(secret: int, purpose: str, labels: Sequence[str | int], size: int) -> bytes:
    key = secret.to_bytes(SECRET_BITS // 8, "big")
    message = json.dumps([purpose, *labels]).encode()
    return hashlib.blake2b(message, key=key, digest_size=size).digest()
