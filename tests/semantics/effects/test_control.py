"""The effects on other effects and on what is spawned (effects, 10.8, 8.3 and 7.3)."""

from collections import Counter

import pytest

from semantics.harness import JavaRandom, World, game, level, play, start

PILE = level("A.", "x.")

SHIELDED = """
    box > Immovable
        tin >
        jar >
    coin > Immovable
    key > Immovable
    """


@pytest.mark.parametrize(
    ("effects", "tins"),
    [
        pytest.param("tin key > shieldFrom stype=coin ftype=killSprite\ntin coin > killSprite", 2, id="shielded"),
        pytest.param("tin coin > killSprite\ntin key > shieldFrom stype=coin ftype=killSprite", 0, id="too late"),
        pytest.param("tin key > shieldFrom stype=coin ftype=killBoth\ntin coin > killSprite", 0, id="another effect"),
        pytest.param("tin key > shieldFrom stype=key ftype=killSprite\ntin coin > killSprite", 0, id="another type"),
        pytest.param(
            "tin key > shieldFrom stype=coin ftype=killSprite\nbox coin > killSprite", 0, id="declared on the parent"
        ),
        pytest.param(
            "box key > shieldFrom stype=coin ftype=killSprite\ntin coin > killSprite", 2, id="own type is shielded"
        ),
    ],
)
def test_shieldFrom(effects: str, tins: int) -> None:
    """10.8 and 8.3: lines of exactly (own type, stype) with that function are skipped for *all* sprites of the type.

    Only one of the two tins stands on a key, both on a coin.
    """
    rules = game(SHIELDED, effects, mapping="x > tin coin key\ny > tin coin")
    assert play(rules, level("Ay", "x.")).count("tin") == tins


def test_shieldFrom_lasts_until_the_end_of_the_tick() -> None:
    """8.3 and 6.6: the key is gone after tick 0, and with it the shield in tick 1."""
    rules = game(
        SHIELDED,
        """
        tin key > shieldFrom stype=coin ftype=killSprite
        key tin > killSprite
        tin coin > killSprite
        """,
        mapping="x > tin coin key",
    )
    world = play(rules, PILE)
    assert world.count("tin") == 1
    assert world.wait(1).count("tin") == 0


def _nest(nest: str, touched_by: str = "box") -> World:
    """A nest that spawns in every tick, in ticks 0 to 2; from the event phase of tick 0 on it makes gems."""
    rules = game(
        f"""
        nest > {nest}
        box > Immovable
        coin > Immovable
        rock > Immovable
        gem > Immovable
        key > Immovable
        """,
        "key box coin > updateSpawnType stype=gem spawnPoint=nest",
        mapping=f"x > key {touched_by}",
    )
    return play(rules, level("An", "x."), ticks=3)


@pytest.mark.parametrize("nest", ["SpawnPoint stype=coin", "Bomber stype=coin", "RandomBomber stype=coin"])
def test_updateSpawnType(nest: str) -> None:
    """10.8: a coin in tick 0, before the event phase, then gems, whatever the partner is."""
    world = _nest(nest)
    assert (world.count("coin"), world.count("gem")) == (1, 2)


@pytest.mark.parametrize("touched_by", ["coin", "rock", "box"])
def test_updateSpawnType_replaces_the_partners_type_in_a_list(touched_by: str) -> None:
    """10.8: of a BomberRandomMissile's types the first that is the partner's becomes ``stype``; none: no change.

    A key on the rock would be a pair without a line, so that case shows the list unchanged. Each update draws nextInt
    over the list and then nextFloat (sprites, 12.13).
    """
    world = _nest("BomberRandomMissile stypeMissile=coin,rock", touched_by)
    kinds, random, expected = ["coin", "rock"], JavaRandom(), Counter([touched_by])
    for _ in range(3):
        expected[kinds[random.next_int(2)]] += 1
        random.next_float()
        if touched_by == "coin":
            kinds = ["gem", "rock"]
    assert {name: world.count(name) for name in ("coin", "rock", "gem")} == {
        name: expected[name] for name in ("coin", "rock", "gem")
    }


def test_updateSpawnType_leaves_other_producers_alone() -> None:
    """10.8: SpawnPointMultiSprite is not a SpawnPoint."""
    world = _nest("SpawnPointMultiSprite stypes=coin,rock")
    assert (world.count("coin"), world.count("rock"), world.count("gem")) == (3, 3, 0)


CLOCK = """
    box > Immovable
    key > Immovable
    coin > Immovable
    gem > Immovable
    """


def _timer(arguments: str, *, once: bool = True) -> World:
    """A box on a key sets a timer, in tick 0 only if ``once``, for coins to become gems."""
    kill = "\nbox key > killSprite" if once else ""
    effect = f"box key > addTimer ftype=transformToAll stype=coin stypeTo=gem scoreChange=2 {arguments}"
    return start(game(CLOCK, effect + kill, mapping="x > box key"), level("Ac", "x."))


@pytest.mark.parametrize(("timer", "fires_in"), [("timer=3", 3), ("timer=1", 1), ("timer=0", 1), ("", 1)])
def test_addTimer(timer: str, fires_in: int) -> None:
    """7.3: runs n ticks after the contact, in the next tick at the soonest, and scores both then and now (quirk 10)."""
    world = _timer(timer).wait(fires_in)
    assert (world.count("coin"), world.count("gem"), world.score) == (1, 0, 2)
    world.wait(1)
    assert (world.count("coin"), world.count("gem"), world.score) == (0, 1, 4)
    assert world.wait(5).score == 4


def test_addTimer_repeating() -> None:
    """7.3: armed again n ticks later each time: set in tick 0, it fires in ticks 2, 4 and 6."""
    world = _timer("timer=2 repeating=True")
    assert [world.wait(1).score for _ in range(7)] == [2, 2, 4, 4, 6, 6, 8]


def test_addTimer_whose_period_wraps_has_no_end_and_is_an_error() -> None:
    """7.3: next = t + timer is a 32-bit number: from tick 1 on it lies in the past, and so does every later one."""
    rules = game(
        "box > Immovable\nkey > Immovable",
        "box key > addTimer timer=2147483647 repeating=True ftype=killAll stype=key",
        mapping="x > box key",
    )
    assert [play(rules, level("Ax"), ticks=ticks).crashed for ticks in (1, 2, 3)] == [False, False, True]


def test_addTimer_queues_one_for_every_contact() -> None:
    """7.3: a contact that lasts sets a timer in every tick; from tick 2 on one fires in every tick too."""
    world = _timer("timer=2", once=False)
    assert [world.wait(1).score for _ in range(5)] == [2, 4, 8, 12, 16]


def test_addTimer_runs_without_sprites() -> None:
    """7.3 and 12: an inner effect that needs a sprite only leaves a message; its score is added at firing."""
    rules = game(
        CLOCK,
        "box key > addTimer timer=1 ftype=killSprite scoreChange=2\nkey box > killSprite",
        mapping="x > box key",
    )
    world = play(rules, PILE, ticks=2)
    assert (world.count("box"), world.score) == (1, 4)


def test_addTimer_counts_at_the_contact_only() -> None:
    """7.3: counters are not touched at firing."""
    rules = game(
        CLOCK,
        "box key > addTimer timer=1 ftype=transformToAll stype=coin stypeTo=gem counter=1,0\nbox key > killSprite",
        options="no_counters=1",
        mapping="x > box key",
    )
    world = play(rules, level("Ac", "x."), ticks=3)
    assert (world.count("gem"), world.counters) == (1, [1])


def test_addTimer_scores_by_its_own_scoreChange_even_if_the_inner_effect_kills() -> None:
    """7.3: the queued effect has a copy of addTimer's score; the inner one's ``scoreChangeIfKilled`` is ignored."""
    rules = game(
        f"{CLOCK}\n    frail > Immovable healthPoints=1",
        """
        box key > addTimer timer=1 ftype=subtractHealthPoints stype=frail scoreChange=2 scoreChangeIfKilled=50
        box key > killSprite
        """,
        mapping="x > box key",
    )
    world = play(rules, level("Af", "x."), ticks=2)
    assert (world.count("frail"), world.score) == (0, 4)


def test_addTimer_hands_on_applyScore() -> None:
    """7.3: without it there is a score neither at the contact nor at firing."""
    world = _timer("timer=1 applyScore=False").wait(3)
    assert (world.count("gem"), world.score) == (1, 0)


def test_addTimer_at_the_edge() -> None:
    """7.3: it needs no sprites itself: set by a box that reaches over the right edge, it fires in tick 2."""
    rules = game("box > Immovable wMult=2\ncoin > Immovable", "box EOS > addTimer timer=2 ftype=killAll stype=coin")
    world = start(rules, level("Ac", ".b"))
    assert [world.wait(1).count("coin") for _ in range(3)] == [1, 1, 0]
