"""ResourcePack (sprites, 12.4): a static resource that does not know its own name."""

from semantics.harness import game, level, play, start
from semantics.sprites_harness import assert_fatal
from vgdl import Action


def test_cannot_be_built_without_a_resource_name() -> None:
    """Building one without ``resource_name=`` is fatal (sprites, 12.4 and quirk 46)."""
    assert_fatal(game("pack > ResourcePack"), level("p.A"))


def test_an_unused_definition_does_no_harm() -> None:
    """The construction only fails when the first sprite is needed (sprites, 6.1)."""
    assert start(game("pack > ResourcePack"), level("..A")).avatar.position == (20, 0)


def test_collects_as_the_resource_it_names() -> None:
    """With a name it is a resource of that type (sprites, 12.3 and 12.4)."""
    sprites = "gold > Resource limit=5\npack > ResourcePack resource_name=gold value=3"
    rules = game(sprites, "pack avatar > collectResource")
    assert play(rules, level("Ap"), actions=[Action.RIGHT]).avatar.resources == {"gold": 3}


def test_registers_no_limit() -> None:
    """The type of a pack has limit 0, so that nothing of it can be collected (sprites, 12.4)."""
    rules = game("pack > ResourcePack resource_name=pack limit=5", "pack avatar > collectResource")
    world = play(rules, level("Ap"), actions=[Action.RIGHT])
    assert world.avatar.resources == {}
    assert world.count("pack") == 1


def test_is_static() -> None:
    """An orientation and a speed do not make it drift (sprites, 12.1)."""
    rules = game("gold > Resource\npack > ResourcePack resource_name=gold orientation=RIGHT speed=1")
    assert play(rules, level("p..A"), ticks=3).only("pack").position == (0, 0)
