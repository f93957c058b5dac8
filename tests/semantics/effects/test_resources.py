"""The effects on resources, health points and scores (effects, 10.6 and 9.1)."""

import pytest

from semantics.harness import World, game, level, play, start
from vgdl import Action

PILE = level("A.", "x.")


@pytest.mark.parametrize(
    ("arguments", "amounts", "scores"),
    [
        pytest.param("value=2", [2, 2, 2], [1, 1, 1], id="never above the limit of 3"),
        pytest.param("", [1, 2, 3, 3], [1, 2, 3, 3], id="one at a time"),
        pytest.param("value=-1", [0, 0], [1, 2], id="below nothing: clamped, but scored"),
    ],
)
def test_changeResource(arguments: str, amounts: list[int], scores: list[int]) -> None:
    """10.6: if amount + value <= limit; the score only then."""
    rules = game(
        "gold > Resource limit=3\nbox > Immovable",
        f"box gold > changeResource resource=gold scoreChange=1 {arguments}",
        mapping="x > box gold",
    )
    world = start(rules, PILE)
    for amount, score in zip(amounts, scores, strict=True):
        world.wait(1)
        assert (world.only("box").resources, world.score) == ({"gold": amount}, score)
    assert world.count("gold") == 1


def test_changeResource_knows_no_limit_but_that_of_a_Resource() -> None:
    """10.6 and 9.1, quirk 24: the limit of any other class is 0, so nothing can be gained, only lost."""
    for value, resources in ((1, {}), (-1, {"key": 0})):
        rules = game(
            "key > Flicker limit=9\nbox > Immovable",
            f"box key > changeResource resource=key value={value}",
            mapping="x > box key",
        )
        assert play(rules, PILE).only("box").resources == resources


def test_changeResource_killResource_removes_the_partner() -> None:
    """10.6: ``kill!(b)``, only with success."""
    effects = "box key > changeResource resource=gold value={value} killResource=True"
    sprites = "gold > Resource limit=3\nbox > Immovable\nkey > Immovable"
    for value, keys in ((3, 0), (4, 1)):
        rules = game(sprites, effects.format(value=value), mapping="x > box key")
        assert play(rules, PILE).count("key") == keys


@pytest.mark.parametrize(
    ("gold", "golds", "amount", "left", "score"),
    [
        pytest.param("", 1, 1, 0, 1, id="value 1 by default"),
        pytest.param("", 3, 2, 1, 2, id="the third finds the default limit of 2 reached, and stays"),
        pytest.param("value=5 limit=3", 1, 3, 0, 1, id="only as much as there is room for"),
        pytest.param("value=2 limit=3", 3, 3, 1, 2, id="two and one"),
    ],
)
def test_collectResource(gold: str, golds: int, amount: int, left: int, score: int) -> None:
    """10.6: the *second* sprite takes the first, its ``value``, up to the limit; what is taken is removed."""
    rules = game(
        f"gold > Resource {gold}\nbox > Immovable",
        "gold box > collectResource scoreChange=1",
        mapping="x > box" + " gold" * golds,
    )
    world = play(rules, PILE)
    assert (world.only("box").resources, world.count("gold"), world.score) == ({"gold": amount}, left, score)


def test_collectResource_may_leave_the_resource() -> None:
    """10.6: ``killResource`` is true by default."""
    rules = game(
        "gold > Resource limit=5\nbox > Immovable",
        "gold box > collectResource killResource=False",
        mapping="x > box gold",
    )
    world = play(rules, PILE, ticks=3)
    assert (world.only("box").resources, world.count("gold")) == ({"gold": 3}, 1)


def test_collectResource_of_something_else_only_scores() -> None:
    """10.6: a first sprite that is not a resource is ignored; the gate keeps what it was, initially open."""
    rules = game(
        "stone > Immovable\nbox > Immovable", "stone box > collectResource scoreChange=1", mapping="x > box stone"
    )
    world = play(rules, PILE, ticks=2)
    assert (world.only("box").resources, world.count("stone"), world.score) == ({}, 1, 2)


def test_collectResource_by_an_avatar() -> None:
    """10.6: the everyday case: the avatar walks over two pieces."""
    rules = game("gold > Resource limit=9", "gold avatar > collectResource scoreChange=2")
    world = play(rules, level("Agg"), actions=[Action.RIGHT, Action.RIGHT])
    assert (world.avatar.resources, world.count("gold"), world.score) == ({"gold": 2}, 0, 4)


@pytest.mark.parametrize(
    ("gold", "held", "arguments", "resources", "left", "score"),
    [
        pytest.param("", 0, "", {"key": 0}, 1, 0, id="key not held: nothing"),
        pytest.param("", 1, "", {"gold": 1, "key": 1}, 0, 1, id="held and room"),
        pytest.param("value=3", 1, "", {"key": 1}, 0, 0, id="held but no room: destroyed (quirk 23)"),
        pytest.param("", 1, "value=2", {"key": 1}, 1, 0, id="not enough held"),
        pytest.param("", 1, "killResource=False", {"gold": 1, "key": 1}, 1, 1, id="left where it is"),
    ],
)
def test_collectResourceIfHeld(
    gold: str, held: int, arguments: str, resources: dict[str, int], left: int, score: int
) -> None:
    """10.6: as collectResource, if the collector holds ``value`` of ``heldResource``; all or nothing."""
    rules = game(
        f"gold > Resource {gold}\nkey > Resource\nbox > Immovable",
        f"""
        box key > changeResource resource=key value={held}
        gold box > collectResourceIfHeld heldResource=key scoreChange=1 {arguments}
        """,
        mapping="x > box key gold",
    )
    world = play(rules, PILE)
    assert (world.only("box").resources, world.count("gold"), world.score) == (resources, left, score)


def _heal(effect: str, health: str, ticks: int = 1) -> World:
    rules = game(
        f"box > Immovable {health}\nkey > Immovable", f"box key > {effect} scoreChange=1", mapping="x > box key"
    )
    return play(rules, PILE, ticks=ticks)


@pytest.mark.parametrize(
    ("arguments", "ticks", "health", "score"),
    [
        pytest.param("", 1, 3, 1, id="one by default"),
        pytest.param("value=2", 1, 4, 1, id="more"),
        pytest.param("value=2", 2, 4, 1, id="not above the limit, not even partly"),
        pytest.param("value=3", 1, 2, 0, id="not up to the limit either (quirk 22)"),
    ],
)
def test_addHealthPoints(arguments: str, ticks: int, health: int, score: int) -> None:
    """10.6: if health + value < limitHealthPoints (strictly); the score only then. Starts with 2 of 5."""
    world = _heal(f"addHealthPoints {arguments}", "healthPoints=2 limitHealthPoints=5", ticks)
    assert (world.only("box").health, world.score) == (health, score)


def test_addHealthPoints_killSecond_kills_the_partner() -> None:
    """10.6: ``kill(b)``, only with success."""
    for value, keys in ((2, 0), (3, 1)):
        world = _heal(f"addHealthPoints value={value} killSecond=True", "healthPoints=2 limitHealthPoints=5")
        assert world.count("key") == keys


def test_addHealthPoints_raises_the_maximum() -> None:
    """10.6: ``maxHealthPoints`` is the largest value ever had."""
    rules = game(
        "avatar > MovingAvatar healthPoints=2\nkey > Immovable",
        "avatar key > addHealthPoints value=3",
        mapping="x > avatar key",
    )
    avatar = play(rules, level("x.")).state.avatar
    assert avatar is not None
    assert (avatar.health, avatar.max_health) == (5, 5)


@pytest.mark.parametrize(
    ("arguments", "ticks", "health", "score"),
    [("", 1, 3, 1), ("value=3", 1, 5, 1), ("value=9", 1, 5, 1), ("value=9", 2, 5, 2)],
)
def test_addHealthPointsToMax(arguments: str, ticks: int, health: int, score: int) -> None:
    """10.6: fills up to the limit (quirk 22) and always scores. Starts with 2 of 5."""
    world = _heal(f"addHealthPointsToMax {arguments}", "healthPoints=2 limitHealthPoints=5", ticks)
    assert (world.only("box").health, world.score) == (health, score)


def test_addHealthPointsToMax_killSecond_kills_the_partner() -> None:
    """10.6: ``kill(b)``, in any case."""
    world = _heal("addHealthPointsToMax value=9 killSecond=True", "healthPoints=2 limitHealthPoints=5")
    assert world.count("key") == 0


EARN = "lock key > killSprite scoreChange=10"
"""Ten points in tick 0, before the pair under test."""

SPRITES = "lock > Immovable\nkey > Immovable\nbox > Immovable"


def test_removeScore_of_the_avatar_itself() -> None:
    """10.6: to 0; the line's own scoreChange is added afterwards."""
    rules = game(SPRITES, f"{EARN}\navatar key > removeScore scoreChange=4", mapping="x > avatar lock key")
    assert play(rules, level("x.")).score == 4


def test_removeScore_of_something_else_does_nothing() -> None:
    """10.6: only avatars have a score to lose."""
    rules = game(SPRITES, f"{EARN}\nbox key > removeScore", mapping="x > box lock key")
    assert play(rules, PILE).score == 10


def test_removeScore_killSecond_removes_the_partner() -> None:
    """10.6: ``kill!(b)``, if the first sprite is an avatar; with a ``stype`` for every avatar, so not at all without one."""
    lines = {
        "avatar key > removeScore": 0,
        "box key > removeScore": 1,
        "box key > removeScore stype=avatar": 0,
        "box key > removeScore stype=box": 1,
    }
    for line, keys in lines.items():
        rules = game(SPRITES, f"{line} killSecond=True", mapping="x > avatar box key")
        assert play(rules, level("x.")).count("key") == keys


@pytest.mark.parametrize(("stype", "score"), [("avatar", 0), ("box", 10), ("unheard_of", 10)])
def test_removeScore_stype(stype: str, score: int) -> None:
    """10.6: the avatars of exactly that type; an unknown name counts as none given, and the box is not an avatar."""
    rules = game(SPRITES, f"{EARN}\nbox key > removeScore stype={stype}", mapping="x > box lock key")
    assert play(rules, PILE).score == score


def test_removeScore_takes_only_the_score_of_the_one_it_hits() -> None:
    """10.6: the score is the sprite's own: the other player keeps its ten points."""
    rules = game(
        f"{SPRITES}\nother > MovingAvatar",
        f"{EARN}\nother key > removeScore",
        options="no_players=2",
        mapping="x > other lock key",
    )
    world = play(rules, level("xA"), actions=[(Action.NIL, Action.NIL)])
    assert sorted(score for score in world.scores if score is not None) == [0, 10]
