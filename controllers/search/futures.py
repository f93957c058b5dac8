"""Copies of a state to think ahead in: every simulation gets a future of its own."""

from __future__ import annotations

import random

from vgdl import StateObservation

SEED_BITS = 48


def another_future(state: StateObservation, generator: random.Random) -> StateObservation:
    """A copy in which chance goes its own way; it knows no events, which makes it cheap."""
    return state.copy(seed=generator.getrandbits(SEED_BITS), history=False)


def witnessed_future(state: StateObservation, generator: random.Random) -> StateObservation:
    """A copy as ``another_future`` whose events are those that happen to it from now on.

    A copy with history would do as well, but reading its events would take the longer the longer the play has lasted.
    """
    future = StateObservation.from_bytes(state.tables, state.to_bytes())
    future.meter = state.meter
    future.reseed(generator.getrandbits(SEED_BITS))
    return future
