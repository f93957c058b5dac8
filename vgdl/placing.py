"""States from observations: `place` is the inverse of observing a state.

The observed facts (sprites, the avatar's orientation, resources and health, score, outcome, tick) are set; the hidden
ones (directions, clocks and cooldowns of other sprites, hidden sprites, timers, the random generator) are reset, or
taken from a state that was expected to look like the observed one.
"""

from __future__ import annotations

from vgdl.core.placing import place as _place
from vgdl.core.state import StateObservation
from vgdl.game import Board, Game
from vgdl.language import read_level

__all__ = ["open_board", "place"]


def open_board(game: Game, level: str, name: str = "<text>", *, block_size: int | None = None) -> Board:
    """A board for use with `place`, whose states can contain sprites of every type of the game.

    >>> from vgdl.placing import open_board
    >>> game = vgdl.load("sokoban")
    >>> open_board(game, game.levels[0].read_text())
    <Board <text> of sokoban>

    Args:
        game: the rules of the game.
        level: the text of a level. Sprites in it that never move are the cheapest to place.
        name: identifies the level in messages.
        block_size: observed pixels per cell, if the rules do not set them; None: what follows from the level's size.

    Raises:
        VGDLError: the level cannot be read or built.
    """
    return Board(game, read_level(level), name, open_to_all=True, block_size=block_size)


def place(
    board: Board,
    observation: StateObservation,
    *,
    before: StateObservation | None = None,
    last: StateObservation | None = None,
    seed: int | None = None,
) -> StateObservation:
    """A state of ``board`` that looks like ``observation``.

    Types correspond by number, so the observed game may be a different one with unknown rules.

    >>> from vgdl.placing import open_board, place
    >>> game = vgdl.load("sokoban")
    >>> state = game.start(level=0, seed=7)
    >>> state.advance(vgdl.Action.LEFT)
    >>> placed = place(open_board(game, game.levels[0].read_text()), state)
    >>> placed.avatar.position == state.avatar.position
    True

    Args:
        board: a board made by `open_board`, with the observed screen size in cells and pixels per cell.
        observation: the observation to reproduce, of a single-player game.
        before: a state of the board that was expected to look like the observed one. A sprite found in it, by id
            or, if new, by type and position, keeps its hidden facts; one that moved elsewhere faces the direction in
            which it moved. None: all sprites, but those that ``last`` shows to be new, are taken to exist since the
            start of the play.
        last: the observation one tick earlier, which shows how sprites moved that ``before`` lacks, and which ones are
            new. A new sprite has the age and the direction that its maker, if there is one at its place, gives it.
        seed: for the random generator; None: its state in ``before``, or seed 0.

    Raises:
        ValueError: the observation does not fit the board.
    """
    level = board.level
    if observation.world_dimension != (level.width * observation.block_size, level.height * observation.block_size):
        expected = f"{level.width} by {level.height} cells"
        raise ValueError(f"expected a screen of {expected}, got {observation.world_dimension}")
    return _place(
        board.tables,
        observation.arrays,
        before=before,
        last=None if last is None else last.arrays,
        tick=observation.tick,
        score=observation.score,
        winner=int(observation.winner),
        ended=observation.is_over,
        avatar=observation.avatar,
        seed=seed,
    )
