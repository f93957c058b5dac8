from collections.abc import Iterable, Sequence

from vgdl.core.state import StateObservation

def advance_many(
    states: Iterable[StateObservation], actions: Iterable[int | Sequence[int | None]], *, threads: int = 1
) -> None:
    """Advance every state by one tick, in place."""

def random_rollouts(
    states: Iterable[StateObservation], depth: int, seeds: Iterable[int], *, threads: int = 1
) -> list[int]:
    """Play up to ``depth`` random ticks of every state, in place, and return the number of ticks played in each."""
