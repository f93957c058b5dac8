"""NullAvatar (sprites, 13.3): looks on."""

import pytest

from semantics.harness import game, level, start
from vgdl import Action


@pytest.mark.parametrize("action", [Action.NIL, Action.LEFT, Action.UP, Action.RIGHT, Action.DOWN, Action.USE])
def test_nothing_moves_it(action: Action) -> None:
    """Its action list is [NIL]; everything else becomes NIL (sprites, 13.1 and 14.2)."""
    world = start(game("avatar > NullAvatar"), level("...", ".A.", "..."))
    assert world.state.available_actions == (Action.NIL,)
    assert world.advance(action).avatar.position == (10, 10)
