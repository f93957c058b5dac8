"""ShootOnlyAvatar (sprites, 13.11): every key shoots something else, always in the same direction."""

from semantics.harness import RIGHT, game, level, start
from vgdl import Action

KINDS = "one > Missile\ntwo > Missile\nsix > Missile\navatar > ShootOnlyAvatar stype=one,two,six"


def test_each_key_shoots_the_type_of_its_place_in_the_list() -> None:
    """LEFT 0, UP 1, RIGHT 2, DOWN 3, USE 4: with three types the last two do nothing (sprites, 13.11)."""
    world = start(game(KINDS), level("...", "A..", "..."))
    assert world.state.available_actions == (Action.LEFT, Action.UP, Action.RIGHT, Action.DOWN, Action.USE)
    for action in (Action.NIL, Action.DOWN, Action.USE):
        world.advance(action)
        assert [sprite.type for sprite in world.sprites] == ["avatar"]
    for action, name in [(Action.LEFT, "one"), (Action.UP, "two"), (Action.RIGHT, "six")]:
        assert world.advance(action).only(name).position == (10, 10)
        assert world.only(name).orientation == RIGHT


def test_neither_moves_nor_turns() -> None:
    """No active movement; the orientation never changes with the keys (sprites, quirk 34)."""
    world = start(game(KINDS), level("...", ".A.", "..."))
    for action in (Action.LEFT, Action.LEFT, Action.UP, Action.RIGHT):
        assert world.advance(action).avatar.position == (10, 10)
        assert world.avatar.orientation == RIGHT


def test_the_use_key_shoots_the_fifth_type() -> None:
    """Index 4 (sprites, 13.11)."""
    rules = game("shot > Immovable\nlast > Immovable\navatar > ShootOnlyAvatar stype=shot,shot,shot,shot,last")
    assert start(rules, level("A.")).advance(Action.USE).count("last") == 1


def test_ammunition_belongs_to_the_same_place() -> None:
    """The second ammunition name is asked for by the second type only (sprites, 13.6 and 13.11)."""
    rules = game(
        """
        gold > Resource
        wood > Resource
        one > Immovable
        two > Immovable
        avatar > ShootOnlyAvatar stype=one,two ammo=wood,gold
        """,
        "gold avatar > collectResource",
        mapping="g > gold avatar",
    )
    world = start(rules, level("g..")).advance(Action.LEFT)
    assert world.avatar.resources == {"gold": 1}
    assert world.count("one") == 0
    assert world.advance(Action.UP).count("two") == 1
    assert world.avatar.resources == {"gold": 0}
