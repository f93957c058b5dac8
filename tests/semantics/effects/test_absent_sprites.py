"""Effects without one or both of their sprites (effects, 12).

A warning shows in that the 26th of them ends the game (effects, 2.4). An edge effect has no second sprite; a timed
effect of an unknown type (effects, 7.1) has none at all.
"""

import pytest

from semantics.harness import NO_WINNER, World, game, level, start

NEEDS_FIRST = {
    "stepBack": "",
    "turnAround": "",
    "killSprite": "",
    "transformTo": "stype=gem",
    "wrapAround": "",
    "killIfHasLess": "resource=gold",
    "killIfHasMore": "resource=gold",
    "cloneSprite": "",
    "flipDirection": "",
    "reverseDirection": "",
    "shieldFrom": "stype=gem ftype=killSprite",
    "spawn": "stype=gem",
    "spawnIfHasMore": "resource=gold stype=gem",
    "spawnIfHasLess": "resource=gold stype=gem",
    "spawnIfCounterSubTypes": "stype=gem estype=gem stypeCount=gem",
    "subtractHealthPoints": "",
    "addHealthPoints": "",
    "addHealthPointsToMax": "",
    "removeScore": "",
    "transformToRandomChild": "stype=pet",
    "halfSpeed": "",
}
"""Warn without a first sprite; do not mind to have no second."""

NEEDS_SECOND = {f"spawn{where}": "stype=gem" for where in ("Behind", "Above", "Below", "Left", "Right")}
"""Warn without a second sprite."""

NEEDS_BOTH = {
    "killBoth": "",
    "killIfAlive": "",
    "killIfSlow": "",
    "killIfFast": "",
    "killIfFrontal": "",
    "killIfNotFrontal": "",
    "killIfFromAbove": "",
    "killIfOtherHasMore": "resource=gold",
    "transformIfCount": "stype=gem stypeCount=gem",
    "transformToSingleton": "stype=gem stype_other=box",
    "changeResource": "resource=gold",
    "collectResource": "",
    "collectResourceIfHeld": "heldResource=gold",
    "pullWithIt": "",
    "wallStop": "",
    "wallBounce": "",
    "wallReverse": "",
    "bounceDirection": "",
    "bounceForward": "",
    "attractGaze": "",
    "align": "",
    "teleportToExit": "",
}
"""Warn without the one or the other."""

NEEDS_NONE = {
    "killAll": "stype=gem",
    "undoAll": "",
    "transformToAll": "stype=gem stypeTo=pet",
    "addTimer": "timer=1 ftype=killAll stype=gem",
    "increaseSpeedToAll": "stype=gem",
    "decreaseSpeedToAll": "stype=gem",
    "setSpeedForAll": "stype=gem",
    "subtractHealthPoints": "stype=gem",
}
"""Work without sprites."""

SPRITES = """
    gold > Resource
    gem > Immovable healthPoints=1000
    box > Immovable wMult=2
    pet > Immovable
        cat >
    nest > SpawnPoint stype=gem prob=0
    """


def _at_the_edge(effect: str, arguments: str) -> World:
    """A box that reaches over the right edge in every tick."""
    return start(game(SPRITES, f"box EOS > {effect} scoreChange=1 {arguments}"), level("A...", "g..b"))


def _out_of_time(effect: str, arguments: str, row: str = "g...") -> World:
    """An effect that runs without sprites in every tick; ``row`` says what else is in the level."""
    rules = game(
        SPRITES,
        f"nobody TIME > {effect} timer=1 repeating=True scoreChange=1 {arguments}",
        mapping="g > gem",
    )
    return start(rules, level("A...", row))


def _assert_one_message_per_tick(world: World) -> None:
    """The score is added in spite of the warning (effects, 12); the 26th message ends the game."""
    world.wait(25)
    assert (world.score, world.is_over, world.crashed) == (25, False, False)
    world.wait(1)
    assert (world.score, world.is_over, world.crashed, world.wins) == (26, True, False, [NO_WINNER])


@pytest.mark.parametrize("effect", NEEDS_SECOND | NEEDS_BOTH)
def test_without_a_second_sprite_it_warns_and_scores(effect: str) -> None:
    """12, rows 2 and 3."""
    _assert_one_message_per_tick(_at_the_edge(effect, (NEEDS_SECOND | NEEDS_BOTH)[effect]))


@pytest.mark.parametrize("effect", NEEDS_FIRST | NEEDS_SECOND | NEEDS_BOTH)
def test_without_any_sprite_it_warns_and_scores(effect: str) -> None:
    """12, rows 1 to 3."""
    _assert_one_message_per_tick(_out_of_time(effect, (NEEDS_FIRST | NEEDS_SECOND | NEEDS_BOTH)[effect]))


@pytest.mark.parametrize("effect", [name for name in NEEDS_FIRST if name != "cloneSprite"])
def test_without_a_second_sprite_it_works_silently(effect: str) -> None:
    """12, row 1. (cloneSprite at the edge is another matter: effects, 6.4.)"""
    world = _at_the_edge(effect, NEEDS_FIRST[effect]).wait(30)
    assert (world.is_over, world.crashed) == (False, False)


@pytest.mark.parametrize("effect", NEEDS_NONE)
def test_without_any_sprite_it_works_silently(effect: str) -> None:
    """12, row 4."""
    world = _out_of_time(effect, NEEDS_NONE[effect]).wait(30)
    assert (world.is_over, world.crashed) == (False, False)


@pytest.mark.parametrize(
    ("effect", "arguments", "row", "crashes"),
    [
        pytest.param("killIfNotUpright", "", "....", True, id="killIfNotUpright"),
        pytest.param("waterPhysics", "", "....", True, id="waterPhysics"),
        pytest.param("updateSpawnType", "stype=gem spawnPoint=nest", "...n", True, id="updateSpawnType"),
        pytest.param(
            "updateSpawnType", "stype=gem spawnPoint=nest", "....", False, id="updateSpawnType without a spawner"
        ),
        pytest.param("subtractHealthPoints", "stype=gem", "....", True, id="subtractHealthPoints without a target"),
    ],
)
def test_without_any_sprite_it_crashes(effect: str, arguments: str, row: str, crashes: bool) -> None:
    """12, row 5, and 10.1 for a target that does not exist."""
    world = _out_of_time(effect, arguments, row).wait(1)
    assert world.crashed is crashes


def test_updateSpawnType_at_the_edge_crashes_too() -> None:
    """12, row 5: it is the second sprite that it looks at."""
    rules = game(SPRITES, "box EOS > updateSpawnType stype=gem spawnPoint=nest")
    assert start(rules, level("A..n", "...b")).wait(1).crashed
