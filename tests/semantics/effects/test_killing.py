"""The effects that kill (effects, 10.1)."""

import pytest

from semantics.harness import World, game, level, play
from vgdl import Action

PILE = level("A.", "x.")
"""An avatar out of the way, and a cell for what ``x`` is mapped to: sprites that overlap from tick 0 on."""


def test_killSprite_kills_the_first_sprite_only() -> None:
    """10.1: ``kill(a)``; the score is added in any case (6.2)."""
    rules = game("box > Immovable\ncoin > Immovable", "box coin > killSprite scoreChange=2", mapping="x > box coin")
    world = play(rules, PILE)
    assert (world.count("box"), world.count("coin"), world.score) == (0, 1, 2)


def test_killSprite_only_disables_an_avatar() -> None:
    """8.2 and quirk 4: a killed avatar stays and no longer moves, but still collides and scores."""
    rules = game("coin > Immovable", "avatar coin > killSprite scoreChange=1", mapping="x > avatar coin")
    world = play(rules, level("x.."), actions=[Action.NIL, Action.RIGHT, Action.RIGHT])
    assert world.avatar.disabled
    assert world.avatar.position == (0, 0)
    assert world.score == 3


def test_killBoth_kills_both() -> None:
    """10.1: ``kill(a)``, then ``kill(b)``."""
    rules = game("box > Immovable\ncoin > Immovable", "box coin > killBoth scoreChange=2", mapping="x > box coin")
    world = play(rules, PILE)
    assert (world.count("box"), world.count("coin"), world.score) == (0, 0, 2)


def test_killBoth_takes_a_partner_that_is_dead_already() -> None:
    """10.1 and 6.1: the partner is never tested for being dead, so one coin takes both boxes with it."""
    rules = game("box > Immovable\ncoin > Immovable", "box coin > killBoth scoreChange=1", mapping="x > box box coin")
    world = play(rules, PILE)
    assert (world.count("box"), world.count("coin"), world.score) == (0, 0, 2)


@pytest.mark.parametrize(("stype", "coins"), [("coin", 0), ("money", 2)])
def test_killAll_kills_exactly_one_type(stype: str, coins: int) -> None:
    """10.1: all of ``group[stype]``, wherever they are; a grouping name kills nothing."""
    rules = game(
        """
        money > Immovable
            coin >
            gem >
        box > Immovable
        key > Immovable
        """,
        f"box key > killAll stype={stype} scoreChange=1",
        mapping="x > box key",
    )
    world = play(rules, level("Ac", "xg", ".c"))
    assert (world.count("coin"), world.count("gem"), world.score) == (coins, 1, 1)


def test_killIfAlive_spares_the_sprite_whose_partner_died_in_this_tick() -> None:
    """10.1: only if ``b`` is not in the kill list; the score is added in any case."""
    sprites = "box > Immovable\ncoin > Immovable\nkey > Immovable"
    kill = "box coin > killIfAlive scoreChange=1"
    with_a_live_coin = play(game(sprites, kill, mapping="x > box coin key"), PILE)
    assert (with_a_live_coin.count("box"), with_a_live_coin.score) == (0, 1)

    with_a_dead_coin = play(game(sprites, "coin key > killSprite\n" + kill, mapping="x > box coin key"), PILE)
    assert (with_a_dead_coin.count("box"), with_a_dead_coin.score) == (1, 1)


def test_killIfAlive_takes_a_disabled_avatar_for_alive() -> None:
    """10.1: a killed avatar is not on the kill list."""
    rules = game(
        "box > Immovable\nkey > Immovable",
        "avatar key > killSprite\nbox avatar > killIfAlive",
        mapping="x > avatar box key",
    )
    assert play(rules, level("x")).count("box") == 0


@pytest.mark.parametrize(
    ("orientation", "rows", "killed"),
    [
        pytest.param("DOWN", ("s", "f", "A"), True, id="falls on its head"),
        pytest.param("RIGHT", ("sf", "A."), False, id="from the side"),
        pytest.param("DOWN", ("x", ".", "A"), False, id="falls, but from too low"),
    ],
)
def test_killIfFromAbove(orientation: str, rows: tuple[str, ...], killed: bool) -> None:
    """10.1: a.last.y > b.last.y + b.h / 2, and b moved down. All start to move in tick 1, by 5 pixels.

    Falling from one cell above: 10 > 0 + 5. From the very same cell: 10 > 10 + 5 is not so. Score only with the kill.
    """
    rules = game(
        f"first > Immovable\nsecond > Missile orientation={orientation} speed=0.5",
        "first second > killIfFromAbove scoreChange=3",
        mapping="x > first second",
    )
    world = play(rules, level(*rows), ticks=2)
    assert (world.count("first"), world.score) == ((0, 3) if killed else (1, 0))


MEETINGS = {
    "head on": ("orientation=RIGHT speed=1", "orientation=LEFT speed=1", ("f.s", "A.."), True, False),
    "first stands": ("orientation=RIGHT speed=0", "orientation=LEFT speed=0.5", ("fs", "A."), True, True),
    "from behind": ("orientation=RIGHT speed=0.5", "orientation=RIGHT speed=1", ("sf.", "A.."), False, True),
    "second stands": ("orientation=RIGHT speed=0.5", "orientation=LEFT speed=0", ("fs", "A."), False, True),
    "crossing": ("orientation=RIGHT speed=1", "orientation=DOWN speed=1", (".s", "f.", "A."), False, True),
}
"""Two missiles that meet in tick 1: how they fly, whence, and whether the first dies if frontal, if not frontal."""


def _meet(effect: str, case: str) -> World:
    first, second, rows, _, _ = MEETINGS[case]
    rules = game(f"first > Missile {first}\nsecond > Missile {second}", f"first second > {effect} scoreChange=3")
    return play(rules, level(*rows), ticks=2)


@pytest.mark.parametrize("case", MEETINGS)
def test_killIfFrontal(case: str) -> None:
    """10.1: u = (0,0), or u + w = (0,0) exactly, u and w being the unit vectors of what they moved in this tick."""
    world = _meet("killIfFrontal", case)
    killed = MEETINGS[case][3]
    assert (world.count("first"), world.score) == ((0, 3) if killed else (1, 0))


@pytest.mark.parametrize("case", MEETINGS)
def test_killIfNotFrontal(case: str) -> None:
    """10.1: u = (0,0), or u + w is not (0,0). Both kinds kill a sprite that did not move (quirk 26)."""
    world = _meet("killIfNotFrontal", case)
    killed = MEETINGS[case][4]
    assert (world.count("first"), world.score) == ((0, 3) if killed else (1, 0))


def _kill_by_amount(effect: str, held: int) -> World:
    rules = game(
        "gold > Resource limit=9\nbox > Immovable",
        f"box gold > changeResource resource=gold value={held}\nbox gold > {effect} resource=gold scoreChange=3",
        mapping="x > box gold",
    )
    return play(rules, PILE)


@pytest.mark.parametrize(("limit", "killed"), [("limit=1", False), ("limit=2", True), ("limit=3", True), ("", False)])
def test_killIfHasLess(limit: str, killed: bool) -> None:
    """10.1: amount <= limit (default 0), here with two in hand; score only with the kill."""
    world = _kill_by_amount(f"killIfHasLess {limit}", held=2)
    assert (world.count("box"), world.score) == ((0, 3) if killed else (1, 0))


def test_killIfHasLess_counts_what_was_never_held_as_none() -> None:
    """10.1 and 9.1: an absent resource is 0, and 0 <= 0."""
    assert _kill_by_amount("killIfHasLess", held=0).count("box") == 0


@pytest.mark.parametrize(("limit", "killed"), [("limit=1", True), ("limit=2", True), ("limit=3", False), ("", True)])
def test_killIfHasMore(limit: str, killed: bool) -> None:
    """10.1: amount >= limit (default 0), here with two in hand; score only with the kill."""
    world = _kill_by_amount(f"killIfHasMore {limit}", held=2)
    assert (world.count("box"), world.score) == ((0, 3) if killed else (1, 0))


@pytest.mark.parametrize(
    ("arguments", "killed", "left"),
    [
        ("limit=2", True, 3),
        ("limit=3 subtract=True", True, 0),
        ("limit=2 subtract=True", True, 1),
        ("limit=4 subtract=True", False, 3),
    ],
)
def test_killIfOtherHasMore(arguments: str, killed: bool, left: int) -> None:
    """10.1: b.amount >= limit kills ``a``; with ``subtract`` the partner pays ``limit``. Score only with the kill."""
    rules = game(
        "gold > Resource limit=9\nbox > Immovable\ndoor > Immovable",
        f"""
        box gold > changeResource resource=gold value=3
        door box > killIfOtherHasMore resource=gold scoreChange=3 {arguments}
        """,
        mapping="x > box gold door",
    )
    world = play(rules, PILE)
    assert (world.count("door"), world.score) == ((0, 3) if killed else (1, 0))
    assert world.only("box").resources == {"gold": left}


def test_killIfOtherHasMore_takes_an_unknown_resource_for_none_held() -> None:
    """10.1: ``resource`` is unchecked; an unknown name is -1, held 0 times, and 0 >= 0."""
    rules = game(
        "box > Immovable\ndoor > Immovable", "door box > killIfOtherHasMore resource=nothing", mapping="x > box door"
    )
    assert play(rules, PILE).count("door") == 0


STILL, RIGHTWARDS = "Immovable speed=9", "Missile orientation=RIGHT"
RELATIVE_SPEEDS = [
    pytest.param(STILL, f"{RIGHTWARDS} speed=2", 2.0, id="first is static: speed of the second"),
    pytest.param(f"{RIGHTWARDS} speed=3", STILL, 3.0, id="second is static: speed of the first"),
    pytest.param(f"{RIGHTWARDS} speed=1", f"{RIGHTWARDS} speed=7", 0.0, id="same direction: none, whatever the speeds"),
    pytest.param(f"{RIGHTWARDS} speed=1", "Missile orientation=LEFT speed=1", 2.0, id="opposite: two"),
    pytest.param(f"{RIGHTWARDS} speed=1", "Missile orientation=UP speed=1", 2**0.5, id="square: root of two"),
]
"""Two sprites on one cell, and the relative speed that 10.1 makes of them (quirk 25: a difference of orientations)."""


def _kill_by_speed(effect: str, first: str, second: str, limit: float) -> World:
    rules = game(
        f"first > {first}\nsecond > {second}",
        f"first second > {effect} limspeed={limit} scoreChange=1",
        mapping="x > first second",
    )
    return play(rules, PILE)


@pytest.mark.parametrize(("first", "second", "relative"), RELATIVE_SPEEDS)
def test_killIfSlow(first: str, second: str, relative: float) -> None:
    """10.1: killed if the relative speed is below ``limspeed``, not at it; the score is added in any case."""
    slower = _kill_by_speed("killIfSlow", first, second, relative + 0.25)
    assert (slower.count("first"), slower.score) == (0, 1)
    equal_or_faster = _kill_by_speed("killIfSlow", first, second, relative - (0.25 if relative == 2**0.5 else 0))
    assert (equal_or_faster.count("first"), equal_or_faster.score) == (1, 1)


@pytest.mark.parametrize(("first", "second", "relative"), RELATIVE_SPEEDS)
def test_killIfFast(first: str, second: str, relative: float) -> None:
    """10.1: killed if the relative speed is above ``limspeed``, not at it; the score is added in any case."""
    faster = _kill_by_speed("killIfFast", first, second, relative - 0.25)
    assert (faster.count("first"), faster.score) == (0, 1)
    equal_or_slower = _kill_by_speed("killIfFast", first, second, relative + (0.25 if relative == 2**0.5 else 0))
    assert (equal_or_slower.count("first"), equal_or_slower.score) == (1, 1)


@pytest.mark.parametrize(
    ("rotation", "killed"), [(4.7, False), (-1.5, False), (4.4, True), (5.0, True), (0.0, True), (1.5, True)]
)
def test_killIfNotUpright(rotation: float, killed: bool) -> None:
    """10.1: upright is a rotation strictly between 4.4 and 5.0 once it was brought above 0; score in any case."""
    rules = game(
        f"box > Immovable rotation={rotation}\nkey > Immovable",
        "box key > killIfNotUpright scoreChange=1",
        mapping="x > box key",
    )
    world = play(rules, PILE)
    assert (world.count("box"), world.score) == (0 if killed else 1, 1)


@pytest.mark.parametrize(
    ("arguments", "healths", "scores"),
    [
        pytest.param("", [3, 2, 1, None], [5, 10, 15, 15], id="the killing hit gives nothing"),
        pytest.param("scoreChangeIfKilled=7", [3, 2, 1, None], [5, 10, 15, 22], id="unless told what"),
        pytest.param("value=2", [2, None], [5, 5], id="more at a time"),
        pytest.param("limit=2", [3, None], [5, 5], id="dies at the limit"),
    ],
)
def test_subtractHealthPoints(arguments: str, healths: list[int | None], scores: list[int]) -> None:
    """10.1: health goes down by ``value``; at ``limit`` or below it dies and ``scoreChangeIfKilled`` counts instead."""
    rules = game(
        "box > Immovable healthPoints=4\nkey > Immovable",
        f"box key > subtractHealthPoints scoreChange=5 {arguments}",
        mapping="x > box key",
    )
    world = World(rules, PILE)
    for health, score in zip(healths, scores, strict=True):
        world.wait(1)
        assert [box.health for box in world.all("box")] == ([] if health is None else [health])
        assert world.score == score


def test_subtractHealthPoints_goes_back_to_the_plain_score_after_a_kill() -> None:
    """10.1: the score text is the original one again for the next target that survives.

    The frail box dies for 0 in the first application, the sturdy one is hit for 5 in the second.
    """
    rules = game(
        """
        box > Immovable
            frail > healthPoints=1
            sturdy > healthPoints=9
        key > Immovable
        """,
        "box key > subtractHealthPoints scoreChange=5",
        mapping="x > frail sturdy key",
    )
    world = play(rules, PILE)
    assert (world.count("frail"), world.only("sturdy").health, world.score) == (0, 8, 5)


LIMBS = """
    limb > Immovable healthPoints=9
        arm >
        leg >
    box > Immovable healthPoints=9
    key > Immovable
    """


@pytest.mark.parametrize(
    ("rows", "arms", "legs", "box"),
    [
        pytest.param(("Aaa", "xll"), [9, 9], [7, 9], 9, id="first of the last group"),
        pytest.param(("Aaa", "x.."), [7, 9], [], 9, id="the last group that is not empty"),
        pytest.param(("A..", "x.."), [], [], 7, id="the first sprite if there is none"),
    ],
)
def test_subtractHealthPoints_stype(rows: tuple[str, ...], arms: list[int], legs: list[int], box: int) -> None:
    """10.1 and quirk 21: with ``stype`` it hits the first sprite of the last non-empty group of the subtypes."""
    rules = game(LIMBS, "box key > subtractHealthPoints stype=limb value=2", mapping="x > box key\nl > leg")
    world = play(rules, level(*rows))
    assert [arm.health for arm in world.all("arm")] == arms
    assert [leg.health for leg in world.all("leg")] == legs
    assert world.only("box").health == box


def test_subtractHealthPoints_stype_may_hit_what_is_dead_already() -> None:
    """10.1: killed targets are not skipped; the second hit of the tick kills again, for the killing score again."""
    rules = game(
        LIMBS,
        "box key > subtractHealthPoints stype=limb value=9 scoreChange=1 scoreChangeIfKilled=4",
        mapping="x > box box key\nl > leg",
    )
    world = play(rules, level("All", "x.."))
    assert (world.count("leg"), world.score) == (1, 8)


def test_subtractHealthPoints_disables_an_avatar() -> None:
    """10.1 and 8.2: an avatar without health points is at 0 - 1 after the first hit and only disabled."""
    rules = game("key > Immovable", "avatar key > subtractHealthPoints", mapping="x > avatar key")
    world = play(rules, level("x"))
    assert (world.avatar.health, world.avatar.disabled) == (-1, True)
