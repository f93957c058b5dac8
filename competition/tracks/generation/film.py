"""Pictures of levels and films of plays on them."""

from __future__ import annotations

from collections.abc import Sequence

from vgdl import Action, Board
from vgdl.render import frame as drawn
from vgdl.render.gif import Image

BLOCK = 12  #: pixels per cell of films
PICTURE = 16  #: of pictures
MILLISECONDS = 60  #: per frame
MOST_FRAMES = 240  #: of a film; longer plays show every second tick, or fewer


def start(board: Board, seed: int) -> Image:
    """The start of a level, as an array of shape (height, width, 3)."""
    return drawn(board.start(seed), PICTURE)


def frames(board: Board, seed: int, actions: Sequence[Sequence[int]]) -> list[Image]:
    """The frames of a play.

    Args:
        board: the level.
        seed: that it was started with.
        actions: numbers, per tick and player.
    """
    state = board.start(seed)
    step = 1 + len(actions) // MOST_FRAMES
    found = [drawn(state, BLOCK)]
    for number, tick in enumerate(actions, 1):
        state.advance([Action(int(action)) for action in tick])
        if number % step == 0 or number == len(actions):
            found.append(drawn(state, BLOCK))
    return found
