"""Copies of a state for simulations, each with random numbers of its own."""

from __future__ import annotations

import random

from vgdl import StateObservation

SEED_BITS = 48


def another_future(state: StateObservation, generator: random.Random) -> StateObservation:
    """A reseeded copy without event history, which makes it cheap."""
    return state.copy(seed=generator.getrandbits(SEED_BITS), history=False)


def witnessed_future(state: StateObservation, generator: random.Random) -> StateObservation:
    """A copy like that of ``another_future`` that records events from now on.

    A copy with history would also work, but reading its events takes longer the longer the play has lasted.
    """
    future = StateObservation.from_bytes(state.tables, state.to_bytes())
    future.meter = state.meter
    future.reseed(generator.getrandbits(SEED_BITS))
    return future
