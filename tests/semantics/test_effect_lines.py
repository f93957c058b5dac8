"""How interaction lines are read: bad lines and wrong values (effects, 2)."""

import pytest

from semantics.harness import game, level, play

BASICS = """
    box > Immovable speed=1 healthPoints=1 limitHealthPoints=99
    key > Immovable
    coin > Immovable
    rock > Immovable
    """

PILE = level("A.", "x.")


@pytest.mark.parametrize(
    "bad",
    [
        pytest.param("box key > killIfScoreNegative", id="unknown effect"),
        pytest.param("box nobody > killSprite", id="unknown sprite"),
        pytest.param("box key > transformTo stype=nobody", id="required name unknown"),
        pytest.param("box key > transformTo", id="required name missing"),
        pytest.param("box key > changeResource", id="unchecked name missing"),
        pytest.param("box", id="one word"),
        pytest.param("box > killSprite", id="no second sprite"),
    ],
)
def test_a_bad_line_ends_the_section_and_all_later_ones(bad: str) -> None:
    """2.3 and quirk 38: what stands before it holds; interactions after it and the terminations are not read."""
    rules = game(
        BASICS,
        f"box key > halfSpeed scoreChange=1\n{bad}\nbox key > killSprite",
        "Timeout",
        mapping="x > box key",
    )
    world = play(rules, PILE)
    assert (world.count("box"), world.score, world.is_over) == (1, 1, False)


@pytest.mark.parametrize("bad", ["box key > killSprite scoreChange=", "box key > scoreChange=1", "box key coin"])
def test_a_line_that_cannot_be_read_is_only_dropped(bad: str) -> None:
    """2.1: one message, and parsing goes on."""
    rules = game(BASICS, f"{bad}\nbox key > halfSpeed scoreChange=1", "Timeout", mapping="x > box key")
    world = play(rules, PILE)
    assert (world.count("box"), world.score, world.is_over, world.messages) == (1, 1, True, 1)


@pytest.mark.parametrize(
    ("effect", "health"),
    [
        pytest.param("addHealthPoints value=2.0", 2, id="int: no double"),
        pytest.param("addHealthPoints value=True", 2, id="int: no boolean"),
        pytest.param("addHealthPoints value=+3", 4, id="int: with a sign"),
        pytest.param("addHealthPoints value=GRID", 1, id="int: a constant, here 0"),
        pytest.param("addHealthPoints Value=3", 2, id="names are case-sensitive"),
    ],
)
def test_a_value_of_the_wrong_type_is_silently_dropped(effect: str, health: int) -> None:
    """2.2 and quirk 14: the default, here 1, stays."""
    world = play(game(BASICS, f"box key > {effect}", mapping="x > box key"), PILE)
    assert world.only("box").health == health


def test_the_function_is_the_last_word_that_is_no_parameter() -> None:
    """2.1: it may stand behind its parameters, and before it other words are overwritten."""
    rules = game(BASICS, "box key > scoreChange=2 killBoth killSprite", mapping="x > box key")
    world = play(rules, PILE)
    assert (world.count("box"), world.count("key"), world.score) == (0, 1, 2)
