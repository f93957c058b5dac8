"""Test whether chance has any influence on a game (spec, 6.1)."""

from __future__ import annotations

from collections.abc import Sequence

from vgdl import Board, Game, StateObservation, ontology
from vgdl.language import InteractionLine, SectionKind

PLAYS = 10  #: random plays per level
SEEDS = (1, 2, 3, 4, 5)
ENOUGH = 400  #: ticks of a play


def is_deterministic(boards: Sequence[Board]) -> bool:
    """Whether random plays of all boards end in equal states for all seeds of the game."""
    if not any(_may_draw(board.game) for board in boards):
        return True
    return all(_ends_equal(board, play) for board in boards for play in range(PLAYS))


def _may_draw(game: Game) -> bool:
    """Whether any element of the game can draw a random number."""
    classes = [definition.row for definition in game._rules.definitions.values()]
    lines = game._description.entries(SectionKind.INTERACTIONS)
    effects = [ontology.effect(str(line.effect)) for line in lines if isinstance(line, InteractionLine)]
    return any(word is not None and bool(word.draws) for word in (*classes, *effects))


def _ends_equal(board: Board, play: int) -> bool:
    first, *others = SEEDS
    end = _played(board, first, play)
    if end.generator == board.start(first).generator:
        return True  # the play has drawn no number at all
    return all(_outcome(_played(board, seed, play)) == _outcome(end) for seed in others)


def _played(board: Board, seed: int, play: int) -> StateObservation:
    """The state of a game with a seed after random actions, which depend on ``play``."""
    state = board.start(seed)
    state.random_rollout(ENOUGH, play)
    return state


def _outcome(state: StateObservation) -> tuple[object, ...]:
    return state.key(), state.tick, state.scores, state.winners
