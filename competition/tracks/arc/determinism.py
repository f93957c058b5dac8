"""Whether chance has any influence on a game (spec, 6.1)."""

from __future__ import annotations

from collections.abc import Iterable

from vgdl import Board, StateObservation

PLAYS = 10  #: random plays per level
SEEDS = (1, 2, 3, 4, 5)
ENOUGH = 3000  #: ticks; games end after 2000


def is_deterministic(boards: Iterable[Board]) -> bool:
    """Whether random plays of all boards end equal, whatever the seed of the game."""
    return all(_ends_equal(board, play) for board in boards for play in range(PLAYS))


def _ends_equal(board: Board, play: int) -> bool:
    first, *others = SEEDS
    end = _played(board, first, play)
    if end.generator == board.start(first).generator:
        return True  # the play has drawn no number at all
    return all(_outcome(_played(board, seed, play)) == _outcome(end) for seed in others)


def _played(board: Board, seed: int, play: int) -> StateObservation:
    """A state of a game with some seed after random actions; ``play`` decides on those."""
    state = board.start(seed)
    state.random_rollout(ENOUGH, play)
    return state


def _outcome(state: StateObservation) -> tuple[object, ...]:
    return state.key(), state.tick, state.scores, state.winners
