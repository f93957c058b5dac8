"""SpawnPointMultiSprite (sprites, 12.14): adds one sprite of each of its types."""

from semantics.harness import RIGHT, after, game, level, play


def test_spawns_every_type_in_list_order_with_one_draw() -> None:
    """Ids in the order of ``stypes``; one ``nextFloat`` per update (sprites, 12.14)."""
    rules = game("ant > Immovable\nbug > Immovable\nnest > SpawnPointMultiSprite stypes=bug,ant cooldown=2")
    world = play(rules, level("n.A"), ticks=2)
    assert [(sprite.id, sprite.type) for sprite in world.sprites[2:]] == [(2, "bug"), (3, "ant")]
    assert [sprite.id for sprite in world.wait(1).sprites[2:]] == [2, 3, 4, 5]
    assert world.rng == after(("float", 3))


def test_each_sprite_counts_towards_the_total() -> None:
    """Two per round: after the second round the counter is 4, at least the total of 3 (sprites, 12.14)."""
    rules = game("ant > Immovable\nbug > Immovable\nnest > SpawnPointMultiSprite stypes=ant,bug total=3")
    world = play(rules, level("n.A"), ticks=1)
    assert world.count("nest") == 1
    world.wait(1)
    assert world.count("nest") == 0
    assert (world.count("ant"), world.count("bug")) == (2, 2)


def test_looks_right_and_stands() -> None:
    """RIGHT by default, which sprites without orientation get; static (sprites, 12.1 and 12.14)."""
    rules = game("ant > Missile\nnest > SpawnPointMultiSprite stypes=ant speed=1 total=1 cooldown=1")
    world = play(rules, level("n...A"), ticks=1)
    assert world.only("ant").orientation == RIGHT
    rules = game("ant > Immovable\nnest > SpawnPointMultiSprite stypes=ant speed=1 cooldown=9")
    assert play(rules, level("n...A"), ticks=4).only("nest").position == (0, 0)


def test_an_unknown_name_is_fatal_when_it_spawns() -> None:
    """Missing or unknown names become -1 (sprites, 12.14)."""
    assert play(game("nest > SpawnPointMultiSprite stypes=nothing"), level("n.A"), ticks=1).crashed
    assert play(game("nest > SpawnPointMultiSprite"), level("n.A"), ticks=1).crashed
