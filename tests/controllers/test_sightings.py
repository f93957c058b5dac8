"""Searches locate sprites, learn the value of contacts, and draw their own random numbers."""

from __future__ import annotations

from collections import Counter

import pytest

from small_games import small_game
from vgdl import Action, Category, StateObservation
from vgdl.controllers.search.generator import Generator
from vgdl.controllers.search.sprite_distances import SpriteDistances, TypeValues


def type_of(state: StateObservation, category: Category) -> int:
    """The type of the only sprites of a category."""
    return int(state.observations(category)[0][0].type)


def test_distances_are_manhattan_ones_in_cells() -> None:
    state = small_game("A....g", "......", "..r...")
    seen = SpriteDistances(state)
    assert seen.look(state, 0) == 3  # the avatar too, but not walls and floor
    assert seen.distance_of_category(Category.RESOURCE) == seen.distance(type_of(state, Category.RESOURCE)) == 5
    assert seen.distance_of_category(Category.NPC) == 4


def test_an_absent_type_is_at_the_greatest_distance() -> None:
    state = small_game("A....g")
    seen = SpriteDistances(state)
    seen.look(state, 0)
    assert seen.distance_of_category(Category.NPC) == seen.size == 8 + 3


def test_the_nearest_sprite_of_a_type_counts() -> None:
    state = small_game("g....A..g")
    seen = SpriteDistances(state)
    seen.look(state, 0)
    assert seen.distance_of_category(Category.RESOURCE) == 3


def test_sprites_can_be_followed_to_where_they_were_met() -> None:
    state = small_game("Ag....")
    seen = SpriteDistances(state)
    seen.look(state, 0)
    gem = type_of(state, Category.RESOURCE)
    state.advance(Action.RIGHT)
    seen.follow(state, 0)
    assert seen.distance(gem) == 0
    seen.look(state, 0)
    assert seen.distance(gem) == seen.size


def lesson(rows: str, category: Category, action: Action = Action.RIGHT) -> float:
    """The value of meeting the only sprites of a category, after one tick."""
    state = small_game(rows)
    type_values = TypeValues(state, 0.5)
    kind = type_of(state, category)
    type_values.begin(state, 0)
    state.advance(action)
    type_values.learn(state)
    return float(type_values.worth(kind))


@pytest.mark.parametrize(
    ("rows", "category", "worth"),
    [
        ("Ao..", Category.RESOURCE, 0.5),
        ("Ap..", Category.RESOURCE, -0.5),
        ("Ag..", Category.RESOURCE, 0.0),
        ("Af..", Category.NPC, -0.5),
        ("Ar..", Category.NPC, 0.5),
    ],
)
def test_a_contact_is_judged_by_its_tick(rows: str, category: Category, worth: float) -> None:
    assert lesson(rows, category) == worth


def test_types_without_contact_are_not_judged() -> None:
    assert lesson("A.of", Category.NPC) == 0.0


def test_helpful_sprites_are_better_the_nearer_they_are() -> None:
    state = small_game("Ao....o..")
    type_values = TypeValues(state, 0.5)
    type_values.begin(state, 0)
    state.advance(Action.RIGHT)
    type_values.learn(state)
    outlooks = [type_values.outlook()]
    for action in (Action.RIGHT, Action.RIGHT, Action.UP):
        state.advance(action)
        type_values.learn(state)
        outlooks.append(type_values.outlook())
    assert 0 < outlooks[0] < outlooks[1] < outlooks[2] == outlooks[3] < 0.5


def test_a_generator_repeats_itself_from_the_same_seed() -> None:
    one, other = Generator(5), Generator(5)
    assert [one.below(1000) for _ in range(50)] == [other.below(1000) for _ in range(50)]
    assert [one.seed(), one.uniform()] == [other.seed(), other.uniform()]
    assert Generator(5).seed() != Generator(6).seed()


def test_a_generator_is_uniform() -> None:
    generator = Generator(1)
    drawn = Counter(generator.below(5) for _ in range(10_000))
    assert set(drawn) == set(range(5))
    assert min(drawn.values()) > 1800
    assert 0.48 < sum(generator.uniform() for _ in range(10_000)) / 10_000 < 0.52


def test_a_generator_takes_any_seed() -> None:
    assert 0 <= Generator(-1).seed() < 1 << 48
    assert 0 <= Generator(1 << 100).seed() < 1 << 48
    assert Generator().seed() != Generator().seed()
