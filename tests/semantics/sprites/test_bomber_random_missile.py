"""BomberRandomMissile (sprites, 12.13): a Bomber that picks what it spawns."""

from semantics.harness import RIGHT, JavaRandom, after, game, level, play


def test_draws_the_type_and_then_the_float_in_every_update() -> None:
    """``nextInt(2)``, then ``nextFloat``; the spawner's own ``stype`` is not needed (sprites, 12.13)."""
    rules = game("ant > Immovable\nbug > Immovable\nhen > BomberRandomMissile stypeMissile=ant,bug prob=0.74")
    world = play(rules, level("h.A"), ticks=10)
    random = JavaRandom()
    counts = {"ant": 0, "bug": 0}
    for _ in range(10):
        name = ("ant", "bug")[random.next_int(2)]
        if random.next_float() < 0.74:
            counts[name] += 1
    assert min(counts.values()) > 0
    assert {name: world.count(name) for name in counts} == counts
    assert world.rng == random.state


def test_draws_for_a_single_name_and_during_the_cooldown() -> None:
    """``nextInt(1)`` takes a step, too (sprites, 2 and 12.13)."""
    rules = game("ant > Immovable\nhen > BomberRandomMissile stypeMissile=ant cooldown=5")
    world = play(rules, level("h.A"), ticks=3)
    assert world.count("ant") == 1
    assert world.rng == after(*[("int 1", 1), ("float", 1)] * 3)


def test_hands_its_orientation_on_and_moves() -> None:
    """RIGHT by default; moves passively after spawning when it has a speed (sprites, 12.10 to 12.13)."""
    rules = game("ant > Missile speed=0\nhen > BomberRandomMissile stypeMissile=ant speed=1 total=2")
    world = play(rules, level("h..A"), ticks=2)
    assert [(ant.position, ant.orientation) for ant in world.all("ant")] == [((0, 0), RIGHT), ((0, 0), RIGHT)]
    assert world.count("hen") == 0


def test_without_a_list_it_fails_when_it_spawns() -> None:
    """A missing list is a single type -1 (sprites, 12.13), which is still drawn from."""
    world = play(game("hen > BomberRandomMissile prob=0"), level("h.A"), ticks=2)
    assert not world.crashed
    assert world.rng == after(*[("int 1", 1), ("float", 1)] * 2)
    assert play(game("hen > BomberRandomMissile"), level("h.A")).crashed
