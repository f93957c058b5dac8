"""Distances on the grid of observations."""

from __future__ import annotations

from itertools import chain

from small_games import small_game
from vgdl.controllers.search.distances import (
    avatar_position,
    cell_of,
    grid_size,
    manhattan,
    nearest,
    nearest_distance,
    obstacles,
    walking_distances,
)


def test_walking_goes_around_obstacles_and_manhattan_does_not() -> None:
    state = small_game("A.w.g", "..w..", ".....")
    here = cell_of(avatar_position(state), state.block_size)
    walked = walking_distances(grid_size(state), here, obstacles(state))
    gem = state.resources[0][0]
    assert walked[cell_of(gem.position, state.block_size)] == 8
    assert manhattan(avatar_position(state), gem.position, state.block_size) == 4


def test_cells_that_cannot_be_reached_have_no_walking_distance() -> None:
    state = small_game("A.w.g")
    walked = walking_distances(grid_size(state), (1, 1), obstacles(state))
    assert walked == {(1, 1): 0, (2, 1): 1}


def test_types_known_to_be_passable_are_no_obstacles() -> None:
    state = small_game("A.w.g")
    wall = state.immovables[0][0].type
    assert obstacles(state)
    assert obstacles(state, {wall}) == set()


def test_the_nearest_is_found_among_all_types() -> None:
    state = small_game("A..p.g")
    pill = nearest(chain(*state.resources), avatar_position(state))
    assert pill is not None
    assert pill.x == 40
    assert nearest_distance(chain(*state.resources), avatar_position(state), state.block_size) == 3


def test_without_sprites_nothing_is_nearest_and_the_distance_is_none() -> None:
    assert nearest([], (0, 0)) is None
    assert nearest_distance([], (0, 0), 10) == 0


def test_after_the_end_the_avatar_has_no_position() -> None:
    state = small_game("Ad")
    state.advance(4)
    assert state.is_over
    assert avatar_position(state) == (-1, -1)
