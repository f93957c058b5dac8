"""SpawnPoint (sprites, 12.10): adds sprites of a type where it stands."""

import pytest

from semantics.harness import DOWN, LEFT, NONE, RIGHT, JavaRandom, after, game, level, play
from vgdl import Action


def test_spawns_at_multiples_of_its_cooldown_and_draws_in_every_update() -> None:
    """From tick 0 on: ticks 0, 3, 6; one ``nextFloat`` per update, also with prob 1 (sprites, quirk 11)."""
    rules = game("seed > Immovable\nplant > SpawnPoint stype=seed cooldown=3")
    seeds = []
    world = play(rules, level("p.A"), ticks=0)
    for _ in range(7):
        seeds.append(world.wait(1).count("seed"))
    assert seeds == [1, 1, 1, 2, 2, 2, 3]
    assert world.positions("seed") == [(0, 0)] * 3
    assert [seed.id for seed in world.all("seed")] == [2, 3, 4]
    assert world.rng == after(("float", 7))


def test_spawns_when_the_float_is_below_its_probability() -> None:
    """A float below ``prob`` in a tick that the cooldown allows (sprites, 12.10)."""
    rules = game("seed > Immovable\nplant > SpawnPoint stype=seed prob=0.5")
    random = JavaRandom()
    hits = [random.next_float() < 0.5 for _ in range(12)]
    assert 2 < sum(hits) < 10
    world = play(rules, level("p.A"), ticks=0)
    for tick in range(12):
        assert world.wait(1).count("seed") == sum(hits[: tick + 1])


def test_a_spawner_made_later_keeps_another_rhythm() -> None:
    """Made at tick s it spawns when s + t is a multiple of the cooldown: 2 + 4, 2 + 7 (sprites, quirk 13)."""
    rules = game("seed > Immovable\nhive > SpawnPoint stype=seed cooldown=3\navatar > FlakAvatar stype=hive")
    world = play(rules, level("A"), actions=[Action.NIL, Action.NIL, Action.USE])
    seeds = [world.count("seed")]
    for _ in range(6):
        seeds.append(world.wait(1).count("seed"))
    assert seeds == [0, 0, 1, 1, 1, 2, 2]


def test_orientation_of_what_it_spawns() -> None:
    """``spawnorientation`` beats all; the spawner's own is only given to sprites that have none (12.10)."""
    rules = game(
        """
        plain > Missile speed=0
        turned > Missile speed=0 orientation=DOWN
        first > SpawnPoint stype=turned spawnorientation=LEFT orientation=RIGHT total=1
        second > SpawnPoint stype=turned orientation=RIGHT total=1
        middle > SpawnPoint stype=plain orientation=RIGHT total=1
        last > SpawnPoint stype=plain total=1
        """
    )
    world = play(rules, level("f.s.m.l.A"))
    seen = {sprite.position: sprite.orientation for name in ("plain", "turned") for sprite in world.all(name)}
    assert seen == {(0, 0): LEFT, (20, 0): DOWN, (40, 0): RIGHT, (60, 0): NONE}


def test_an_orientation_handed_on_does_not_make_a_sprite_oriented() -> None:
    """``is_oriented`` of the new sprite is not touched: a Passive does not drift (sprites, 12.10)."""
    rules = game("ball > Passive speed=1\nplant > SpawnPoint stype=ball orientation=RIGHT total=1")
    world = play(rules, level("p..A"), ticks=4)
    assert world.only("ball").orientation == RIGHT
    assert world.only("ball").position == (0, 0)


def test_dies_after_its_total() -> None:
    """Killed in the update in which ``counter`` reaches ``total``, and draws no more (sprites, 12.10)."""
    rules = game("seed > Immovable\nplant > SpawnPoint stype=seed total=2 cooldown=2")
    world = play(rules, level("p.A"), ticks=2)
    assert world.count("plant") == 1
    world.wait(1)
    assert (world.count("plant"), world.count("seed")) == (0, 2)
    assert world.wait(2).rng == after(("float", 3))


def test_a_refused_sprite_does_not_count() -> None:
    """A singleton that exists already is not made, and does not come off the total (sprites, 12.10)."""
    rules = game("seed > Immovable singleton=True\nplant > SpawnPoint stype=seed total=2")
    world = play(rules, level("p.A"), ticks=5)
    assert world.count("seed") == 1
    assert world.count("plant") == 1
    assert world.rng == after(("float", 5))


def test_is_static() -> None:
    """An orientation and a speed do not move it (sprites, 12.1); time to live counts (12.10)."""
    rules = game("seed > Immovable\nplant > SpawnPoint stype=seed orientation=RIGHT speed=1 timeToLive=3 cooldown=9")
    world = play(rules, level("p..A"), ticks=3)
    assert world.only("plant").position == (0, 0)
    assert world.wait(1).count("plant") == 0


def test_spawning_its_own_type_is_fatal() -> None:
    """The list that is being walked grows (sprites, 7 and quirk 15)."""
    world = play(game("plant > SpawnPoint stype=plant cooldown=2"), level("p.A"), ticks=1)
    assert world.crashed


def test_spawning_a_type_that_does_not_exist_is_fatal_when_it_happens() -> None:
    """An unknown name is type -1; only adding it fails (sprites, 1 and 12.10)."""
    rules = game("plant > SpawnPoint stype=nothing prob=0.5")
    random = JavaRandom()
    ticks = 0
    while random.next_float() >= 0.5:
        ticks += 1
    assert ticks > 0
    world = play(rules, level("p.A"), ticks=ticks)
    assert not world.crashed
    assert world.wait(1).crashed


@pytest.mark.parametrize("number", [-5, 999, 2147483647])
def test_a_number_that_no_type_has_breaks_off_when_it_is_to_spawn(number: int) -> None:
    """``itype`` can be written as a number (language, 7.8); what is not defined cannot be created (engine, 3.1)."""
    assert play(game(f"plant > SpawnPoint itype={number}"), level("p.A")).crashed
    assert not play(game(f"plant > SpawnPoint itype={number} prob=0"), level("p.A")).crashed
