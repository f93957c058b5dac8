"""The effects that turn sprites into others (effects, 10.2 and 8.4)."""

import pytest

from semantics.harness import DOWN, LEFT, NO_WINNER, NONE, RIGHT, UP, JavaRandom, World, game, level, play, start
from vgdl import Action

PILE = level("A.", "x.")
TRIGGER = "box > Immovable\nkey > Immovable"


def test_transformTo_puts_a_new_sprite_in_the_place_of_the_old() -> None:
    """8.4: new id, same position, health and resources handed on. Ids in the level: A 0, box 1, gold 2, key 3."""
    rules = game(
        "gold > Resource limit=9\nbox > Immovable healthPoints=3\nkey > Immovable\nchest > Immovable healthPoints=8",
        "box gold > changeResource resource=gold value=2\nbox key > transformTo stype=chest scoreChange=2",
        mapping="x > box gold key",
    )
    world = play(rules, PILE)
    chest = world.only("chest")
    assert (chest.id, chest.position, chest.health, chest.resources) == (4, (0, 10), 3, {"gold": 2})
    assert (world.count("box"), world.count("key"), world.score) == (0, 1, 2)


@pytest.mark.parametrize(
    ("new", "force", "orientation"),
    [
        pytest.param("Missile speed=0", "", RIGHT, id="oriented without direction: inherits"),
        pytest.param("Missile speed=0 orientation=UP", "", UP, id="has its own: keeps it"),
        pytest.param("Immovable", "", NONE, id="not oriented: does not inherit"),
        pytest.param("Missile speed=0 orientation=UP", "forceOrientation=True", RIGHT, id="forced against its own"),
        pytest.param("Immovable", "forceOrientation=True", RIGHT, id="forced though not oriented"),
    ],
)
def test_transformTo_orientation(new: str, force: str, orientation: tuple[float, float]) -> None:
    """8.4, step 1, and quirk 20."""
    rules = game(
        f"box > Missile orientation=RIGHT speed=0\nkey > Immovable\ngem > {new}",
        f"box key > transformTo stype=gem {force}",
        mapping="x > box key",
    )
    assert play(rules, PILE).only("gem").orientation == orientation


def test_transformTo_hands_on_the_last_rectangle_with_its_size() -> None:
    """8.4, step 2, and quirk 19: a stepBack later in the tick gives the new sprite the old one's size."""
    rules = game(
        "box > Immovable wMult=2\nkey > Immovable\ngem > Immovable",
        "box key > transformTo stype=gem\ngem key > stepBack",
        mapping="x > box key",
    )
    assert play(rules, PILE).only("gem").rect == (0, 10, 20, 10)


def test_transformTo_carries_the_player_over_to_a_new_avatar() -> None:
    """8.4, step 4: the slot, and with it control and score, pass to the new avatar; the old one is removed."""
    rules = game(
        "hero > MovingAvatar\nkey > Immovable",
        "avatar key > transformTo stype=hero scoreChange=5",
        mapping="x > avatar key",
    )
    world = play(rules, level("x.."), actions=[Action.NIL, Action.RIGHT, Action.RIGHT])
    assert world.count("avatar") == 0
    assert (world.only("hero").position, world.score) == ((20, 0), 5)


def test_transformTo_from_an_avatar_to_something_else_leaves_the_avatar_disabled() -> None:
    """8.4, steps 4 and 6: nothing is carried, the avatar is killed as ever; 10.2: from then on it is skipped."""
    rules = game(
        "stone > Immovable\nkey > Immovable",
        "avatar key > transformTo stype=stone scoreChange=1",
        mapping="x > avatar key",
    )
    world = play(rules, level("x"), ticks=3)
    assert (world.avatar.disabled, world.count("stone"), world.score) == (True, 1, 3)


def test_transformTo_a_new_avatar_from_something_else_has_no_player() -> None:
    """8.4, step 4: an avatar made from a box has no player."""
    rules = game(
        "hero > MovingAvatar\nbox > Immovable\nkey > Immovable",
        "box key > transformTo stype=hero",
        mapping="x > box key",
    )
    world = play(rules, level("A..", "x.."), actions=[Action.RIGHT, Action.RIGHT])
    assert (world.avatar.position, world.only("hero").position) == ((20, 0), (0, 10))


@pytest.mark.parametrize(("first", "gems_after"), [("", [1, 1]), ("gem key > killSprite", [0, 1])])
def test_transformTo_is_blocked_by_a_singleton_and_scores_all_the_same(first: str, gems_after: list[int]) -> None:
    """10.2, 8.1 and quirk 17: a singleton that exists, or died in this very tick, keeps the old sprite as it is."""
    rules = game(
        f"{TRIGGER}\ngem > Immovable singleton=True",
        f"{first}\nbox key > transformTo stype=gem scoreChange=1",
        mapping="x > box key\ny > gem key",
    )
    world = start(rules, level("Ay", "x."))
    for gems in gems_after:
        world.wait(1)
        assert world.count("gem") == gems
    assert world.score == 2
    assert world.count("box") == (0 if first else 1)


def test_transformTo_killSecond_removes_an_avatar_for_good() -> None:
    """8.4, step 7, 8.2 and quirk 5: the slot empties; the next score that falls due is a crash."""
    rules = game(
        "box > Immovable\ncoin > Immovable\nkey > Immovable",
        "box avatar > transformTo stype=coin killSecond=True\ncoin key > stepBack",
        mapping="x > avatar box key",
    )
    world = play(rules, level("x"))
    assert (world.count("avatar"), world.count("coin"), world.scores, world.wins) == (0, 1, [None], [None])
    assert not world.crashed
    world.wait(1)
    assert world.crashed


def test_transformTo_killSecond_removes_the_partner() -> None:
    """8.4, step 7."""
    rules = game(
        f"{TRIGGER}\ngem > Immovable", "box key > transformTo stype=gem killSecond=True", mapping="x > box key"
    )
    world = play(rules, PILE)
    assert (world.count("box"), world.count("key"), world.count("gem")) == (0, 0, 1)


@pytest.mark.parametrize(
    ("bounds", "becomes", "score", "counter"),
    [
        pytest.param("geq=2", "gem", 3, 1, id="at least"),
        pytest.param("geq=0 leq=2", "gem", 3, 1, id="at most"),
        pytest.param("geq=3", "box", 0, 0, id="too few"),
        pytest.param("leq=1", "box", 0, 0, id="too many"),
        pytest.param("geq=3 estype=rock", "rock", 0, 10, id="otherwise"),
    ],
)
def test_transformIfCount(bounds: str, becomes: str, score: int, counter: int) -> None:
    """10.2: into ``stype`` if geq <= number <= leq, with score and counter; else into ``estype``, with counterElse."""
    rules = game(
        f"{TRIGGER}\ncoin > Immovable\ngem > Immovable\nrock > Immovable",
        f"box key > transformIfCount stype=gem stypeCount=coin scoreChange=3 counter=1,0 counterElse=10,0 {bounds}",
        options="no_counters=1",
        mapping="x > box key",
    )
    world = play(rules, level("Ac", "xc"))
    assert [world.count(name) for name in ("box", "gem", "rock")] == [
        int(name == becomes) for name in ("box", "gem", "rock")
    ]
    assert (world.score, world.counters) == (score, [counter])


def test_transformIfCount_counts_what_died_in_this_tick() -> None:
    """10.2 and 3: the number includes sprites killed but not yet removed."""
    rules = game(
        f"{TRIGGER}\ngem > Immovable",
        "key box > killSprite\nbox key > transformIfCount stype=gem stypeCount=key geq=1",
        mapping="x > box key",
    )
    world = play(rules, PILE)
    assert (world.count("key"), world.count("gem")) == (0, 1)


def test_transformIfCount_ignores_singletons() -> None:
    """10.2 and 8.1: creation is forced."""
    rules = game(
        f"{TRIGGER}\ngem > Immovable singleton=True",
        "box key > transformIfCount stype=gem stypeCount=gem geq=1",
        mapping="x > box key",
    )
    assert play(rules, level("Ag", "x.")).count("gem") == 2


def test_transformIfCount_brings_a_dead_avatar_back() -> None:
    """10.2 and quirk 4: a disabled first sprite is transformed too, and the slot gets the new avatar."""
    rules = game(
        "hero > MovingAvatar\nkey > Immovable",
        "avatar key > killSprite\navatar key > transformIfCount stype=hero stypeCount=key geq=1",
        mapping="x > avatar key",
    )
    world = play(rules, level("x."), actions=[Action.NIL, Action.RIGHT])
    assert world.count("avatar") == 0
    assert (world.only("hero").disabled, world.only("hero").position) == (False, (10, 0))


def test_transformToAll_transforms_all_of_exactly_one_type() -> None:
    """10.2: every sprite of ``group[stype]``, in order; subtypes and the two that met are left alone.

    Ids in the level: A 0, coin 1, box 2, key 3, silver 4, coin 5; so the new ones are 6 and 7.
    """
    rules = game(
        f"{TRIGGER}\ncoin > Immovable\n    silver >\ngem > Immovable",
        "box key > transformToAll stype=coin stypeTo=gem scoreChange=1",
        mapping="x > box key",
    )
    world = play(rules, level("Ac", "xs", ".c"))
    assert [(gem.id, gem.position) for gem in world.all("gem")] == [(6, (10, 0)), (7, (10, 20))]
    assert [world.count(name) for name in ("coin", "silver", "box", "key")] == [0, 1, 1, 1]
    assert world.score == 1


def test_transformToAll_twice_in_a_tick_makes_two_of_each() -> None:
    """10.2 and quirk 18: sprites that were transformed earlier in the tick are transformed again."""
    rules = game(
        f"{TRIGGER}\ncoin > Immovable\ngem > Immovable",
        "box key > transformToAll stype=coin stypeTo=gem",
        mapping="x > box box key",
    )
    world = play(rules, level("Ac", "xc"))
    assert world.positions("gem") == [(10, 0), (10, 10), (10, 0), (10, 10)]
    assert world.count("coin") == 0


def test_transformToAll_brings_a_dead_avatar_back() -> None:
    """10.2 and quirk 4: a disabled avatar is replaced by a living one, which the player controls."""
    rules = game(
        f"{TRIGGER}\nhero > MovingAvatar",
        "avatar key > killSprite\nbox key > transformToAll stype=avatar stypeTo=hero",
        mapping="x > avatar box key",
    )
    world = play(rules, level("x."), actions=[Action.NIL, Action.RIGHT])
    assert world.count("avatar") == 0
    assert (world.only("hero").disabled, world.only("hero").position) == (False, (10, 0))


def test_transformToAll_killSecond_kills_the_partner() -> None:
    """10.2: ``b`` is killed once per transformed sprite, hence not at all if there is none."""
    effects = "box key > transformToAll stype=coin stypeTo=gem killSecond=True"
    rules = game(f"{TRIGGER}\ncoin > Immovable\ngem > Immovable", effects, mapping="x > box key")
    assert play(rules, level("Ac", "x.")).count("key") == 0
    assert play(rules, level("A.", "x.")).count("key") == 1


def test_transformToAll_into_the_same_type_is_a_crash() -> None:
    """10.2: ``stypeTo`` equal to ``stype`` adds to the list that it walks."""
    rules = game(
        f"{TRIGGER}\ncoin > Immovable", "box key > transformToAll stype=coin stypeTo=coin", mapping="x > box key"
    )
    assert play(rules, level("Ac", "x.")).crashed
    assert not play(rules, level("A.", "x.")).crashed


def test_transformToAll_into_the_same_type_is_caught_at_the_edge() -> None:
    """10.2 and 6.4: as an edge effect it stops after the first sprite, with a message and without a score.

    The box reaches over the right edge. Ids in the level: A 0, coin 1, coin 2, box 3.
    """
    rules = game(
        "coin > Immovable\nbox > Immovable wMult=2",
        "box EOS > transformToAll stype=coin stypeTo=coin scoreChange=1",
    )
    world = play(rules, level("Acc", "..b"))
    assert ([coin.id for coin in world.all("coin")], world.crashed) == ([2, 4], False)
    assert (world.score, world.messages) == (0, 1)


PETS = """
    box > Immovable
    key > Immovable
    pet > {class_name}
        cat > Immovable
        dog > Immovable
        eel > Immovable
    """


@pytest.mark.parametrize("seed", range(6))
def test_transformToRandomChild_draws_among_the_subtypes(seed: int) -> None:
    """10.2: nextInt over the subtypes of ``stype`` without itself, here cat, dog, eel."""
    rules = game(
        PETS.format(class_name=""),
        "box key > transformToRandomChild stype=pet scoreChange=1",
        mapping="x > box key",
    )
    world = play(rules, PILE, seed=seed)
    random = JavaRandom(seed)
    drawn = ("cat", "dog", "eel")[random.next_int(3)]
    assert world.only(drawn).position == (0, 10)
    assert (world.count("box"), world.score, world.rng) == (0, 1, random.state)


def test_transformToRandomChild_may_draw_an_ancestor() -> None:
    """10.2 and quirk 1: the subtypes of dog are pet and dog, so it becomes a pet, after nextInt(1)."""
    rules = game(
        PETS.format(class_name="Immovable"), "box key > transformToRandomChild stype=dog", mapping="x > box key"
    )
    world = play(rules, PILE)
    random = JavaRandom()
    random.next_int(1)
    assert (world.count("pet"), world.count("box"), world.rng) == (1, 0, random.state)


def test_transformToRandomChild_leaves_the_sprite_if_the_drawn_type_has_no_class() -> None:
    """10.2: the failure is a message and nothing else: after the 26th the game is over (2.4). It scores every time."""
    rules = game(
        PETS.format(class_name=""), "box key > transformToRandomChild stype=dog scoreChange=1", mapping="x > box key"
    )
    world = play(rules, PILE, ticks=25)
    assert (world.count("box"), world.score, world.is_over) == (1, 25, False)
    world.wait(1)
    assert (world.is_over, world.wins) == (True, [NO_WINNER])


def test_transformToRandomChild_without_relatives_does_not_even_draw() -> None:
    """10.2: only if ``subtypes[stype]`` has more than one element."""
    rules = game(TRIGGER, "box key > transformToRandomChild stype=key", mapping="x > box key")
    world = play(rules, PILE)
    assert (world.count("box"), world.rng) == (1, JavaRandom().state)


def _crown(king: str, arguments: str = "", pawn: str = "Immovable") -> World:
    """A pawn on a lock at (0,10) and a king at (10,0). Ids in the level: A 0, king 1, pawn 2, lock 3."""
    rules = game(
        f"king > {king}\npawn > {pawn}\nlock > Immovable orientation=LEFT",
        f"pawn lock > transformToSingleton stype=king stype_other=pawn scoreChange=1 {arguments}",
        mapping="x > pawn lock",
    )
    return start(rules, level("Ak", "x."))


def test_transformToSingleton_swaps_the_roles() -> None:
    """10.2: every king becomes a pawn, then the pawn that met the lock becomes the king."""
    world = _crown("Immovable").wait(1)
    assert (world.only("pawn").id, world.only("pawn").position) == (4, (10, 0))
    assert (world.only("king").id, world.only("king").position) == (5, (0, 10))
    assert world.score == 1


@pytest.mark.parametrize("kings", [1, 2, 20])
def test_transformToSingleton_kills_a_first_sprite_of_the_type_twice(kings: int) -> None:
    """10.2: it becomes a pawn with all of them and then a king; it is removed once. The kings of a level live in the board."""
    rules = game(
        "king > Immovable\npawn > Immovable\nlock > Immovable",
        "king lock > transformToSingleton stype=king stype_other=pawn",
        mapping="x > king lock\nk > king",
    )
    world = play(rules, level("A" + "k" * (kings - 1) + "x"), ticks=1)
    assert (world.count("king"), world.count("pawn")) == (1, kings)
    assert len(world.state.arrays) == 1 + 1 + 1 + kings  # avatar, lock, king
    assert world.state.copy().arrays.tolist() == world.state.arrays.tolist()


def test_transformToSingleton_needs_a_second_tick_for_a_declared_singleton() -> None:
    """10.2 and quirk 17: the old king counts until the end of the tick, so the new one comes a tick later."""
    world = _crown("Immovable singleton=True").wait(1)
    assert (world.count("king"), world.count("pawn"), world.score) == (0, 2, 1)
    world.wait(1)
    assert (world.only("king").position, world.positions("pawn"), world.score) == ((0, 10), [(10, 0)], 2)


@pytest.mark.parametrize(
    ("king", "pawn", "arguments", "orientation"),
    [
        pytest.param("Immovable orientation=UP", "Immovable orientation=DOWN", "", DOWN, id="both oriented: copied"),
        pytest.param("Immovable orientation=UP", "Immovable", "", UP, id="old not oriented: not copied"),
        pytest.param("Immovable orientation=UP", "Missile speed=0", "", NONE, id="copied, even none"),
        pytest.param("Immovable", "Immovable", "takeOrientation=True", RIGHT, id="against the partner, which is LEFT"),
    ],
)
def test_transformToSingleton_orientation(
    king: str, pawn: str, arguments: str, orientation: tuple[float, float]
) -> None:
    """10.2, ``carry``: there is no test for NONE, unlike in transformTo; ``takeOrientation`` has the last word."""
    assert _crown(king, arguments, pawn).wait(1).only("king").orientation == orientation


def test_transformToSingleton_does_not_copy_health() -> None:
    """10.2: ``carry`` leaves the health of the new sprite alone."""
    world = _crown("Immovable healthPoints=7", pawn="Immovable healthPoints=2").wait(1)
    assert (world.only("king").health, world.only("pawn").health) == (7, 2)


def test_transformToSingleton_takeOrientation_faces_the_partner() -> None:
    """10.2: the lock looks LEFT; without the argument a king that is not oriented stays without direction."""
    assert _crown("Immovable", pawn="Immovable orientation=UP").wait(1).only("king").orientation == NONE
    assert _crown("Immovable", "takeOrientation=True").wait(1).only("king").orientation != LEFT


@pytest.mark.parametrize(("king", "crashed"), [("Immovable", True), ("Immovable singleton=True", False)])
def test_transformToSingleton_of_a_type_into_itself(king: str, crashed: bool) -> None:
    """10.2: the list being walked is added to; not so where a singleton refuses the new one (8.1)."""
    rules = game(
        f"pawn > Immovable\nlock > Immovable\nking > {king}",
        "pawn lock > transformToSingleton stype=king stype_other=king",
        mapping="x > pawn lock",
    )
    assert play(rules, level("Ak", "x.")).crashed is crashed
