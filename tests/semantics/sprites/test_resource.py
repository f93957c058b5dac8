"""Resource (sprites, 12.3): what it is called, what it is worth, how much of it one may hold."""

from semantics.harness import game, level, play
from vgdl import Action


def test_value_up_to_the_limit_of_its_type() -> None:
    """``value`` is added, but not beyond ``limit`` (sprites, 12.3; effects, 10.6)."""
    rules = game("coin > Resource value=3 limit=4", "coin avatar > collectResource")
    world = play(rules, level("Acc"), actions=[Action.RIGHT])
    assert world.avatar.resources == {"coin": 3}
    assert world.advance(Action.RIGHT).avatar.resources == {"coin": 4}
    assert world.count("coin") == 0


def test_limit_is_two_by_default() -> None:
    """Two coins can be held, the third stays where it lies (sprites, 12.3; effects, 10.6)."""
    rules = game("coin > Resource", "coin avatar > collectResource")
    world = play(rules, level("Accc"), actions=[Action.RIGHT] * 3)
    assert world.avatar.resources == {"coin": 2}
    assert world.positions("coin") == [(30, 0)]


def test_resource_name_makes_it_count_as_another_type() -> None:
    """What is collected is the type of ``resource_name`` (sprites, 12.3)."""
    rules = game(
        """
        gold > Resource limit=5
        nugget > Resource resource_name=gold value=4 limit=5
        """,
        "nugget avatar > collectResource",
    )
    assert play(rules, level("An"), actions=[Action.RIGHT]).avatar.resources == {"gold": 4}


def test_only_its_exact_class_registers_a_limit() -> None:
    """Every other class has limit 0, so that nothing of it can be held (sprites, 12.3; effects, 10.6)."""
    rules = game(
        "gem > Passive\nmark > Immovable\ncoin > Resource limit=9",
        """
        avatar mark > changeResource resource=gem value=1
        avatar mark > changeResource resource=coin value=9
        """,
    )
    assert play(rules, level("Am"), actions=[Action.RIGHT]).avatar.resources == {"coin": 9}
