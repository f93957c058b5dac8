"""The games of the training set, played: every sentence of their rules is a behaviour here."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

import pytest

import vgdl
from vgdl import Action, games, render

TRAINING = games.names("training")
LEVELS = [(name, number) for name in TRAINING for number in range(5)]


def start(name: str, *rows: str, seed: int = 1) -> Any:
    return vgdl.load(name).start(level="\n".join(rows) + "\n", seed=seed)


def where(state: Any, *names: str) -> list[tuple[float, float]]:
    """The places of all sprites of some types, as (column, row), in drawing order."""
    looks, block = state.game.looks, state.block_size
    return [(x / block, y / block) for kind, x, y, *_ in render.sprites(state) if looks[kind].name in names]


def wait(state: Any, most: int = 300) -> None:
    """Do nothing until the game is over, or for a number of ticks."""
    for _ in range(most):
        if state.is_over:
            return
        state.advance(Action.NIL)


# All games


@pytest.mark.parametrize("name", TRAINING)
def test_a_game_loads_without_warnings(name: str) -> None:
    game = vgdl.load(name, strict=True)
    assert list(game.warnings) == []


@pytest.mark.parametrize(("name", "number"), LEVELS)
def test_a_level_loads_without_warnings(name: str, number: int) -> None:
    game = vgdl.load(name, strict=True)
    assert list(game.board(number).warnings) == []


@pytest.mark.parametrize("name", TRAINING)
def test_the_actions_are_those_of_the_facts(name: str) -> None:
    actions = vgdl.load(name).start(level=0, seed=1).available_actions
    assert {action.name for action in actions} - {"NIL"} == games.ACTION_SETS[games.facts(name).actions]


@pytest.mark.parametrize("name", TRAINING)
def test_characters_and_resources_exist_exactly_if_the_facts_name_them(name: str) -> None:
    state = vgdl.load(name).start(level=4, seed=1)
    assert bool(state.npcs) == bool(games.facts(name).npcs)
    assert bool(state.resources) == games.facts(name).resources


@pytest.mark.sampled(5)
@pytest.mark.parametrize(("name", "number"), LEVELS)
def test_random_play_ends_within_the_time_limit_and_rarely_wins(name: str, number: int) -> None:
    wins = 0
    for seed in range(10):
        rng = random.Random(seed)
        state = vgdl.load(name).start(level=number, seed=seed)
        actions = state.available_actions
        while not state.is_over:
            state.advance(rng.choice(actions))
        assert state.tick <= 2001
        assert state.winner in (0, 1)
        assert not state.error
        wins += state.winner
    assert wins <= 3


@pytest.mark.parametrize(("name", "number"), LEVELS)
def test_doing_nothing_does_not_win(name: str, number: int) -> None:
    state = vgdl.load(name).start(level=number, seed=1)
    wait(state, 2001)
    assert state.winner == 0
    assert not state.error


@pytest.mark.parametrize(("name", "number"), LEVELS)
def test_a_level_can_be_drawn(name: str, number: int) -> None:
    state = vgdl.load(name).start(level=number, seed=1)
    frame = render.frame(state)
    width, height = state.world_dimension
    assert frame.shape == (height // state.block_size * 24, width // state.block_size * 24, 3)
    for _ in range(50):
        if not state.is_over:
            state.advance(Action.NIL)
    assert render.frame(state).shape == frame.shape


# Aliens


@pytest.mark.parametrize("kind", ["d", "r"])
def test_a_shot_destroys_an_alien_for_a_point_and_the_last_one_wins(kind: str) -> None:
    state = start("aliens", f".{kind}.", ".A.")
    state.advance(Action.USE)
    wait(state, 3)
    assert (state.score, state.winner) == (1, 1)


def test_there_is_one_shot_at_a_time_and_it_flies_up() -> None:
    state = start("aliens", "(....", ".....", ".....", ".....", "....A")
    rows = []
    for _ in range(4):
        state.advance(Action.USE)
        ((_, row),) = where(state, "shot")
        rows.append(row)
    assert rows == sorted(rows, reverse=True)
    assert rows[-1] < rows[0]


def test_the_game_goes_on_while_hatches_have_aliens_left() -> None:
    state = start("aliens", ".d...(", ".A....")
    state.advance(Action.USE)
    while state.score == 0 and not state.is_over:
        state.advance(Action.NIL)
    assert state.score == 1
    assert not state.is_over


def test_a_hatch_disappears_after_its_last_alien() -> None:
    state = start("aliens", "(" + "." * 59, *["." * 60] * 19, "." * 59 + "A")
    seen = 0
    while where(state, "westhatch") and not state.is_over:
        state.advance(Action.NIL)
        seen = max(seen, len(where(state, "drifter")))
    assert seen == 10
    assert not where(state, "westhatch")


def test_aliens_sweep_from_side_to_side() -> None:
    state = start("aliens", "...d....", *["........"] * 8, ".......A")
    columns = {1: [3.0], 2: [], 3: []}
    while len(where(state, "drifter")) == 1 and not state.is_over:
        ((column, row),) = where(state, "drifter")
        columns.setdefault(round(row) + 1, []).append(column)
        state.advance(Action.NIL)
    assert columns[1] == sorted(columns[1])
    assert columns[2] == sorted(columns[2], reverse=True)
    assert columns[3] == sorted(columns[3])
    assert (columns[1][-1], columns[2][-1]) == (7, 0)


def test_aliens_come_a_row_closer_at_each_edge() -> None:
    state = start("aliens", "...d", "....", "....", "....", "....", "A...")
    rows = [where(state, "drifter")[0][1]]
    while len(set(rows)) < 3 and not state.is_over:
        state.advance(Action.NIL)
        rows.append(where(state, "drifter")[0][1])
    assert sorted(set(rows)) == [0, 1, 2]
    assert rows == sorted(rows)


def test_the_touch_of_an_alien_loses_the_game_and_a_point() -> None:
    state = start("aliens", ".....", "..dA.")
    wait(state, 10)
    assert (state.winner, state.score) == (0, -1)


def test_aliens_shoot_back_and_a_hit_loses_the_game_and_a_point() -> None:
    state = start("aliens", "r" * 12, *["." * 12] * 8, "." * 6 + "A" + "." * 5)
    wait(state)
    assert (state.winner, state.score) == (0, -1)
    assert max(row for _, row in where(state, "raider")) < 8, "it was a bomb"


def test_shooting_a_bunker_gives_a_point() -> None:
    state = start("aliens", "(...", "....", "...n", "...A")
    state.advance(Action.USE)
    for _ in range(3):
        state.advance(Action.NIL)
    assert where(state, "bunker") == []
    assert where(state, "shot") == []
    assert state.score == 1


def test_a_bunker_stops_a_bomb_without_a_point() -> None:
    state = start("aliens", "rrrrrr......", "n" * 12, "." * 12, "." * 11 + "A")
    while len(where(state, "bunker")) == 12 and not state.is_over:
        state.advance(Action.NIL)
    assert len(where(state, "bunker")) < 12
    assert {row for _, row in where(state, "raider")} == {0}, "no alien has come down to the bunkers yet"
    assert (state.is_over, state.score) == (False, 0)


def test_the_cannon_stays_on_the_screen() -> None:
    state = start("aliens", "(....", ".....", ".....", "A....")
    state.advance(Action.LEFT)
    assert where(state, "cannon") == [(0, 3)]
    state.advance(Action.RIGHT)
    assert where(state, "cannon") == [(1, 3)]


# Butterflies


def test_catching_a_butterfly_gives_two_points_and_the_last_one_wins() -> None:
    state = start("butterflies", "TTTTTTTTT", "TAbT.ToTT", "TTTTTTTTT")
    for _ in range(3):
        if not state.is_over:
            state.advance(Action.RIGHT)
    assert (state.score, state.winner) == (2, 1)


def test_the_game_goes_on_while_a_butterfly_is_free() -> None:
    state = start("butterflies", "TTTTTTTTT", "TAbTbToTT", "TTTTTTTTT")
    for _ in range(3):
        state.advance(Action.RIGHT)
    assert state.score == 2
    assert not state.is_over


@pytest.mark.parametrize("kind", ["b", "m"])
def test_a_butterfly_that_touches_a_cocoon_brings_another_butterfly(kind: str) -> None:
    state = start("butterflies", "TTTTTTTTT", f"T{kind}oTAToTT", "TTTTTTTTT")
    while len(where(state, "cocoon")) == 2 and not state.is_over:
        state.advance(Action.NIL)
    assert len(where(state, "cocoon")) == 1
    assert len(where(state, "blue", "monarch")) == 2
    assert (state.is_over, state.score) == (False, 0)


def test_butterflies_from_cocoons_are_faster() -> None:
    def pace(kind: str) -> int:
        """Ticks out of 200 in which the butterfly moved."""
        places = []
        room = ["T" + "." * 20 + "TTT"] * 9
        state = start("butterflies", "T" * 24, *room, f"T{'.' * 10}{kind}{'.' * 9}TAT", *room, "TTTTTTTToTTT" * 2)
        for _ in range(200):
            places += where(state, "blue", "monarch")
            state.advance(Action.NIL)
        return sum(before != after for before, after in pairwise(places))

    state = start("butterflies", "TTTTTTTTT", "TboTAToTT", "TTTTTTTTT")
    while not where(state, "monarch"):
        state.advance(Action.NIL)
    assert where(state, "blue")
    assert pace("m") > 1.5 * pace("b")


def test_when_the_last_cocoon_is_open_the_game_is_lost() -> None:
    state = start("butterflies", "TTTTTTTTT", "TboTAT.TT", "TTTTTTTTT")
    wait(state)
    assert state.winner == 0
    assert where(state, "cocoon") == []


def test_butterflies_move_at_random_and_not_through_trees() -> None:
    rows = ("TTTTTTTTTTTTT", "T.....ToT..AT", "T..b..TTT...T", "T.....T.....T", "TTTTTTTTTTTTT")
    paths = []
    for seed in (1, 2):
        state = start("butterflies", *rows, seed=seed)
        path = []
        for _ in range(200):
            state.advance(Action.NIL)
            path += where(state, "blue")
        assert all(1 <= column <= 5 and 1 <= row <= 3 for column, row in path)
        assert len(set(path)) > 10
        paths.append(path)
    assert paths[0] != paths[1]


def test_the_catcher_walks_in_all_directions_but_not_into_trees() -> None:
    state = start("butterflies", "TTTTTTTTT", "T..TbToTT", "TA.TTTTTT", "TTTTTTTTT")
    seen = []
    for action in (Action.LEFT, Action.UP, Action.RIGHT, Action.DOWN, Action.DOWN):
        state.advance(action)
        seen += where(state, "catcher")
    assert seen == [(1, 2), (1, 1), (2, 1), (2, 2), (2, 2)]


# Sokoban


def test_a_box_is_pushed_and_never_pulled() -> None:
    state = start("sokoban", "xxxxxxxxx", "xA.$...ox", "xxxxxxxxx")
    seen = []
    for action in (Action.RIGHT, Action.RIGHT, Action.RIGHT, Action.LEFT):
        state.advance(action)
        seen.append((*where(state, "keeper"), *where(state, "box")))
    assert seen == [((2, 1), (3, 1)), ((3, 1), (4, 1)), ((4, 1), (5, 1)), ((3, 1), (5, 1))]


def test_boxes_are_pushed_in_all_four_directions() -> None:
    state = start("sokoban", "xxxxxxx", "x.....x", "x..$..x", "x.$A$.x", "x..$..x", "x....ox", "xxxxxxx")
    for action, back in (("UP", "DOWN"), ("LEFT", "RIGHT"), ("DOWN", "UP"), ("RIGHT", "LEFT")):
        state.advance(Action[action])
        state.advance(Action[back])
    assert where(state, "keeper") == [(3, 3)]
    assert sorted(where(state, "box")) == [(1, 3), (3, 1), (3, 5), (5, 3)]


def test_a_hole_swallows_boxes_for_a_point_each_and_the_last_one_wins() -> None:
    state = start("sokoban", "xxxxxxxx", "xA$o...x", "x..$..xx", "xxxxxxxx")
    state.advance(Action.RIGHT)
    assert (state.score, state.is_over, where(state, "box")) == (1, False, [(3, 2)])
    state = start("sokoban", "xxxxxxxx", "xA$o...x", "xxxxxxxx")
    state.advance(Action.RIGHT)
    assert (state.score, state.winner) == (1, 1)


def test_a_hole_takes_any_number_of_boxes() -> None:
    state = start("sokoban", "xxxxxxxxx", "x.A$o$..x", "x...$...x", "x.......x", "xxxxxxxxx")
    for action in ["RIGHT", "DOWN", "DOWN", "RIGHT", "UP"]:
        state.advance(Action[action])
    assert (state.score, where(state, "hole")) == (2, [(4, 1)])
    assert where(state, "box") == [(5, 1)]


@pytest.mark.parametrize("row", ["x.A$x.ox", "x.A$$.ox", "x.Ax.$ox"])
def test_bricks_and_second_boxes_stop_the_keeper_and_its_box(row: str) -> None:
    state = start("sokoban", "xxxxxxxx", row, "xxxxxxxx")
    before = where(state, "keeper", "box")
    for _ in range(3):
        state.advance(Action.RIGHT)
        assert where(state, "keeper", "box") == before
    state.advance(Action.LEFT)
    assert where(state, "keeper") == [(1, 1)]


def test_when_the_time_is_over_the_game_is_lost() -> None:
    state = start("sokoban", "xxxxxxxx", "xA.$..ox", "xxxxxxxx")
    wait(state, 1000)
    assert not state.is_over
    wait(state, 1)
    assert (state.tick, state.winner) == (1000, 0)
