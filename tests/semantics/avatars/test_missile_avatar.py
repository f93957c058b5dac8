"""MissileAvatar (sprites, 13.7): flies, whatever the player does."""

from semantics.harness import RIGHT, game, level, start
from vgdl import Action


def test_flies_in_its_orientation_and_ignores_the_player() -> None:
    """RIGHT and one cell per tick by default; still in its first update (sprites, 13.7)."""
    world = start(game("avatar > MissileAvatar"), level("A....", "....."))
    assert world.state.available_actions == (Action.LEFT, Action.RIGHT, Action.DOWN, Action.UP)
    actions = (Action.LEFT, Action.DOWN, Action.NIL, Action.UP)
    assert [world.advance(action).avatar.position for action in actions] == [(0, 0), (10, 0), (20, 0), (30, 0)]
    assert world.avatar.orientation == RIGHT
