"""The effects that create sprites (effects, 10.3)."""

import pytest

from semantics.harness import NO_WINNER, JavaRandom, World, after, game, level, play

PILE = level("A.", "x.")
BASICS = "gold > Resource limit=9\nbox > Immovable\nkey > Immovable\ngem > Immovable\nrock > Immovable"


def test_spawn_creates_a_sprite_where_the_first_one_stands() -> None:
    """10.3: at ``a.position``, with the next id, after a draw even though ``prob`` is 1 (quirk 15)."""
    rules = game(BASICS, "box key > spawn stype=gem scoreChange=2", mapping="x > box key")
    world = play(rules, PILE)
    assert (world.only("gem").position, world.only("gem").id, world.score) == ((0, 10), 3, 2)
    assert world.rng == after(("double", 1))


@pytest.mark.parametrize("seed", range(6))
def test_spawn_with_prob_draws_and_scores_in_any_case(seed: int) -> None:
    """10.3: nothing is created if nextDouble >= prob; the score is added all the same (quirk 12). Ten ticks."""
    rules = game(BASICS, "box key > spawn stype=gem prob=0.5 scoreChange=1", mapping="x > box key")
    world = play(rules, PILE, ticks=10, seed=seed)
    random = JavaRandom(seed)
    assert world.count("gem") == sum(random.next_double() < 0.5 for _ in range(10))
    assert (world.score, world.rng) == (10, random.state)


def test_spawn_is_blocked_by_a_singleton_and_scores_all_the_same() -> None:
    """10.3 and 8.1."""
    rules = game(
        "box > Immovable\nkey > Immovable\ngem > Immovable singleton=True",
        "box key > spawn stype=gem scoreChange=1",
        mapping="x > box key",
    )
    world = play(rules, PILE, ticks=3)
    assert (world.count("gem"), world.score, world.rng) == (1, 3, after(("double", 3)))


def _with_gold(held: int, effect: str, seed: int = 7) -> World:
    """One tick of ``effect`` on a box that was just given ``held`` gold."""
    rules = game(
        BASICS,
        f"box gold > changeResource resource=gold value={held}\nbox key > {effect} resource=gold scoreChange=3",
        mapping="x > box gold key",
    )
    return play(rules, PILE, seed=seed)


@pytest.mark.parametrize(
    ("arguments", "gems", "left"),
    [("limit=2", 1, 2), ("limit=3", 0, 2), ("limit=2 spend=1", 1, 1), ("limit=1 spend=5", 1, 0), ("", 1, 2)],
)
def test_spawnIfHasMore(arguments: str, gems: int, left: int) -> None:
    """10.3: amount >= limit, here with two in hand; ``spend`` is paid, down to 0; score only with success."""
    world = _with_gold(2, f"spawnIfHasMore stype=gem {arguments}")
    assert (world.count("gem"), world.score) == (gems, 3 * gems)
    assert world.only("box").resources == {"gold": left}
    assert world.rng == after(("double", 1))


def test_spawnIfHasMore_that_fails_its_draw_neither_pays_nor_scores() -> None:
    """10.3: the draw comes before everything else."""
    world = _with_gold(2, "spawnIfHasMore stype=gem limit=1 spend=1 prob=0")
    assert (world.count("gem"), world.score, world.only("box").resources) == (0, 0, {"gold": 2})
    assert world.rng == after(("double", 1))


def test_spawnIfHasMore_pays_and_scores_even_if_creation_is_blocked() -> None:
    """10.3: only the amount decides; it also makes an entry for a resource that was never held."""
    rules = game(
        "gold > Resource\nbox > Immovable\nkey > Immovable\ngem > Immovable singleton=True",
        "box key > spawnIfHasMore resource=gold stype=gem scoreChange=3",
        mapping="x > box key\ny > gem",
    )
    world = play(rules, level("Ay", "x."))
    assert (world.count("gem"), world.score, world.only("box").resources) == (1, 3, {"gold": 0})
    world.wait(1)
    assert (world.count("gem"), world.score) == (1, 6)


@pytest.mark.parametrize(("limit", "gems"), [("limit=1", 0), ("limit=2", 1), ("limit=3", 1), ("", 0)])
def test_spawnIfHasLess(limit: str, gems: int) -> None:
    """10.3: amount <= limit, here with two in hand; score only with success; always a draw."""
    world = _with_gold(2, f"spawnIfHasLess stype=gem {limit}")
    assert (world.count("gem"), world.score, world.rng) == (gems, 3 * gems, after(("double", 1)))


def test_spawnIfHasLess_that_fails_its_draw_does_not_score() -> None:
    """10.3: same draw as spawnIfHasMore."""
    world = _with_gold(0, "spawnIfHasLess stype=gem limit=5 prob=0")
    assert (world.count("gem"), world.score, world.rng) == (0, 0, after(("double", 1)))


FISH = """
    fish > Immovable
        cod >
        eel >
        ray >
    box > Immovable
    key > Immovable
    gem > Immovable
    stone > Immovable
    """


@pytest.mark.parametrize(
    ("row", "arguments", "spawned"),
    [
        pytest.param("cer", "limit=3 subTypesNum=1", "gem", id="three kinds, halved to one"),
        pytest.param("cer", "limit=3 subTypesNum=3", "stone", id="not three"),
        pytest.param("ce.", "limit=2 subTypesNum=1", "gem", id="two kinds, halved to one"),
        pytest.param("ccc", "limit=3 subTypesNum=0", "gem", id="one kind, halved to none"),
        pytest.param("cer", "limit=2 subTypesNum=1", "stone", id="another number"),
        pytest.param("...", "subTypesNum=0", "gem", id="none at all"),
    ],
)
def test_spawnIfCounterSubTypes(row: str, arguments: str, spawned: str) -> None:
    """10.3: ``stype`` if their number is ``limit`` and half the number of non-empty kinds is ``subTypesNum`` (quirk
    34), with score and counter; otherwise ``estype``. counterElse is added in both cases."""
    gains = "scoreChange=3 counter=1,0 counterElse=10,0"
    rules = game(
        FISH,
        f"box key > spawnIfCounterSubTypes stype=gem estype=stone stypeCount=fish {arguments} {gains}",
        options="no_counters=1",
        mapping="x > box key",
    )
    world = play(rules, level("Ax.", row))
    assert (world.count("gem"), world.count("stone")) == ((1, 0) if spawned == "gem" else (0, 1))
    assert world.only(spawned).position == (10, 0)
    assert (world.score, world.counters) == ((3, [11]) if spawned == "gem" else (0, [10]))
    assert world.rng == after()


@pytest.mark.parametrize(("speed", "spawned"), [(1.0, [(0, 0)]), (0.5, [])])
def test_spawnBehind(speed: float, spawned: list[tuple[int, int]]) -> None:
    """10.3 and 9.1: where the *second* sprite was, if it left that rectangle entirely; else only a draw and a score.

    Tick 1: the second sprite moves from (0,0) onto, or half onto, the first at (10,0).
    """
    rules = game(
        f"first > Immovable\nsecond > Missile orientation=RIGHT speed={speed}\ngem > Immovable",
        "first second > spawnBehind stype=gem scoreChange=1",
    )
    world = play(rules, level("sf.", "A.."), ticks=2)
    assert (world.positions("gem"), world.score, world.rng) == (spawned, 1, after(("double", 1)))


def _spawn_beside(effect: str, speed: float) -> list[tuple[int, int]]:
    """Tick 1: the second sprite moves from (10,20) towards the first at (20,20); what it spawned there."""
    rules = game(
        f"first > Immovable\nsecond > Missile orientation=RIGHT speed={speed}\ngem > Immovable",
        f"first second > {effect} stype=gem scoreChange=1",
    )
    world = play(rules, level("A...", "....", ".sf.", "...."), ticks=2)
    assert (world.score, world.rng) == (1, after(("double", 1)))
    return world.positions("gem")


STEP_BACK = "stepBack=True"
"""From where the second sprite was, if it left that rectangle entirely (10.3, quirk 32)."""


@pytest.mark.parametrize(
    ("arguments", "speed", "spawned"),
    [("", 1, [(20, 10)]), ("", 0.5, [(15, 10)]), (STEP_BACK, 1, [(10, 10)]), (STEP_BACK, 0.5, [])],
)
def test_spawnAbove(arguments: str, speed: float, spawned: list[tuple[int, int]]) -> None:
    """10.3: one block above the second sprite."""
    assert _spawn_beside(f"spawnAbove {arguments}", speed) == spawned


@pytest.mark.parametrize(
    ("arguments", "speed", "spawned"),
    [("", 1, [(20, 30)]), ("", 0.5, [(15, 30)]), (STEP_BACK, 1, [(10, 30)]), (STEP_BACK, 0.5, [])],
)
def test_spawnBelow(arguments: str, speed: float, spawned: list[tuple[int, int]]) -> None:
    """10.3: one block below the second sprite."""
    assert _spawn_beside(f"spawnBelow {arguments}", speed) == spawned


@pytest.mark.parametrize(
    ("arguments", "speed", "spawned"),
    [("", 1, [(10, 20)]), ("", 0.5, [(5, 20)]), (STEP_BACK, 1, [(0, 20)]), (STEP_BACK, 0.5, [])],
)
def test_spawnLeft(arguments: str, speed: float, spawned: list[tuple[int, int]]) -> None:
    """10.3: one block to the left of the second sprite."""
    assert _spawn_beside(f"spawnLeft {arguments}", speed) == spawned


@pytest.mark.parametrize(
    ("arguments", "speed", "spawned"),
    [("", 1, [(30, 20)]), ("", 0.5, [(25, 20)]), (STEP_BACK, 1, [(20, 20)]), (STEP_BACK, 0.5, [])],
)
def test_spawnRight(arguments: str, speed: float, spawned: list[tuple[int, int]]) -> None:
    """10.3: one block to the right of the second sprite."""
    assert _spawn_beside(f"spawnRight {arguments}", speed) == spawned


@pytest.mark.parametrize("effect", ["spawnAbove", "spawnBelow", "spawnLeft", "spawnRight"])
def test_spawnAbove_and_the_other_three_do_not_check_their_type(effect: str) -> None:
    """10.3 and 8.1: an unknown ``stype`` is -1, and creating that is a crash; a failed draw keeps it from it."""
    for prob, crashes in ((1, True), (0, False)):
        rules = game(BASICS, f"box key > {effect} stype=nothing prob={prob}", mapping="x > box key")
        world = play(rules, PILE)
        assert world.crashed is crashes


def test_cloneSprite_doubles_the_sprite() -> None:
    """10.3: a new one of the same type on the spot, fresh from its definition, without a draw.

    It is not visited in the run that created it, but clones itself in the next tick: 1, 2, 4, 8.
    """
    rules = game(BASICS, "box key > cloneSprite scoreChange=1", mapping="x > box key")
    world = play(rules, PILE, ticks=3)
    assert (world.positions("box"), world.score, world.rng) == ([(0, 10)] * 8, 7, after())


def test_cloneSprite_does_not_copy_resources() -> None:
    """8.1: the state is that of the template."""
    rules = game(
        BASICS,
        "box gold > changeResource resource=gold killResource=True\nbox key > cloneSprite",
        mapping="x > box gold key",
    )
    assert [box.resources for box in play(rules, PILE).all("box")] == [{"gold": 1}, {}]


def test_cloneSprite_respects_singletons() -> None:
    """10.3: not forced."""
    rules = game(
        "box > Immovable singleton=True\nkey > Immovable",
        "box key > cloneSprite scoreChange=1",
        mapping="x > box key",
    )
    world = play(rules, PILE)
    assert (world.count("box"), world.score, world.wins) == (1, 1, [NO_WINNER])
