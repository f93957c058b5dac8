"""The games of the click set: every level can be won by clicks, and every sentence of their rules is a behaviour here."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import vgdl
from vgdl import games, render, replay

NAMES = games.names("click")
LEVELS = [level for name in NAMES for level in games.levels(name)]
each_level = pytest.mark.parametrize("level", LEVELS, ids=lambda level: level.stem)


def start(name: str, *rows: str) -> Any:
    return vgdl.load(name).start(level="\n".join(rows) + "\n", seed=1)


def where(state: Any, *names: str) -> list[tuple[int, int]]:
    """The cells of all sprites of some types, in drawing order."""
    types, block = state.game.types, state.block_size
    return [(x // block, y // block) for kind, x, y, *_ in render.sprites(state) if types[kind] in names]


def test_there_are_six_games_of_five_levels_and_no_planning_set_has_them() -> None:
    assert len(NAMES) == 6
    assert all(len(games.levels(name)) == 5 for name in NAMES)
    assert not set(NAMES) & set(games.names())
    assert all(games.is_bundled(name) and games.facts(name).clicks == "point" for name in NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_game_and_its_levels_have_nothing_odd(name: str) -> None:
    game = vgdl.load(name, strict=True)
    assert not [warning for number in range(5) for warning in game.board(number).warnings]
    texts = [level.read_text(encoding="ascii") for level in games.levels(name)]
    assert len(set(texts)) == 5
    assert all(len({len(row) for row in text.splitlines()}) == 1 for text in texts)


@each_level
def test_the_recorded_clicks_win_a_level_with_the_last_one(level: Path) -> None:
    play = replay.read(level.parent / "replays" / f"{level.stem}.json")
    assert play.level == level.stem
    assert all(tick[0] and tick[0].startswith("CLICK ") for tick in play.actions)
    verdict = replay.verify(play, replay.find_board(play))
    assert (verdict.game_changed, verdict.level_changed, verdict.same) == (False, False, True)
    assert play.result.winners == (1,)
    assert not replay.simulate(replay.find_board(play), play.seed, play.actions[:-1]).is_over


@each_level
def test_random_clicks_and_keys_leave_no_traces_behind(level: Path) -> None:
    """Whatever a click sends out is gone at the end of its tick, and no two things of a kind share a cell."""
    board = vgdl.load(level.stem.partition("_lvl")[0]).board(level)
    rng, state = random.Random(level.stem), board.start(1)
    columns, rows = board.level.width, board.level.height
    crowds = {"gopher", "rabbit", "plug", "sorrow", "slow", "fast", "blast", "centre"}
    fleeting = {"press", "pulse", "turn", "taken", "look", "probe", "slid", "redprobe", "blueprobe", "greenprobe"}
    while not state.is_over:
        if rng.random() < 0.8:
            state.click(rng.randrange(columns), rng.randrange(rows))
        else:
            state.advance(rng.choice(state.available_actions))
        assert not where(state, *fleeting)
        seen = Counter((kind, x, y) for kind, x, y, *_ in render.sprites(state))
        assert not [key for key, n in seen.items() if n > 1 and state.game.types[key[0]] not in crowds]
    assert state.error is None
    assert state.tick <= 600


def test_a_replay_with_a_bad_click_is_refused(tmp_path: Path) -> None:
    text = (games.path("pegs").parent / "replays" / "pegs_lvl0.json").read_text()
    path = tmp_path / "bad.json"
    path.write_text(text.replace('"CLICK 5 1"', '"CLICK five 1"'))
    with pytest.raises(replay.ReplayError, match="unknown action 'CLICK five 1'"):
        replay.read(path)


# Light switches


def test_a_lamp_switches_itself_and_its_four_neighbours() -> None:
    state = start("lightswitches", "xAxxx", "x000x", "x010x", "x000x", "xxxxx")
    state.click(2, 2)
    assert set(where(state, "on")) == {(2, 1), (1, 2), (3, 2), (2, 3)}
    state.click(1, 2)
    assert set(where(state, "on")) == {(2, 1), (3, 2), (2, 3), (1, 1), (2, 2), (1, 3)}


def test_when_no_lamp_is_off_the_game_is_won() -> None:
    state = start("lightswitches", "xAxxx", "x000x", "xxxxx")
    state.click(2, 0)
    assert not state.is_over
    state.click(2, 1)
    assert state.winner == 1


# Colour cycle


def test_a_leaf_turns_with_its_neighbours_left_and_right() -> None:
    state = start("colourcycle", "xAxxxx", "xrygrx", "xrrrrx", "xxxxxx")
    state.click(2, 1)
    assert [where(state, colour)[:4] for colour in ("yellow", "green")] == [[(1, 1)], [(2, 1)]]
    assert (3, 1) in where(state, "red"), "green becomes red"
    assert len(where(state, "red")) == 6


# Pegs


def test_a_peg_jumps_over_a_neighbour_and_takes_it() -> None:
    state = start("pegs", "Axxxxxx", "x.ooo.x", "x..o..x", "x.....x", "xxxxxxx")
    state.click(3, 2)
    assert where(state, "toup", "toleft", "toright", "todown") == []
    state.click(4, 1)
    assert where(state, "chosen") == [(4, 1)]
    assert where(state, "toup", "toleft", "toright", "todown") == []
    state.click(3, 1)
    assert where(state, "todown") == [(3, 3)]
    state.click(3, 3)
    assert where(state, "chosen") == [(3, 3)]
    assert sorted(where(state, "peg")) == [(2, 1), (4, 1)]


def test_another_peg_can_be_chosen_and_the_chosen_one_clicked_again() -> None:
    state = start("pegs", "Axxxxxx", "x.oo..x", "xxxxxxx")
    for cell, target in (((2, 1), (4, 1)), ((3, 1), (1, 1)), ((3, 1), (1, 1))):
        state.click(*cell)
        assert where(state, "chosen") == [cell]
        assert where(state, "toleft", "toright") == [target]
        assert len(where(state, "peg")) == 1
    state.click(1, 1)
    assert state.winner == 1


# Slide


def test_a_tile_beside_the_gap_slides_into_it_and_others_stay() -> None:
    state = start("slide", "Axxxx", "xrbgx", "xrb.x", "xxxxx")
    for cell in ((1, 1), (2, 1), (1, 2)):
        state.click(*cell)
        assert where(state, "gap") == [(3, 2)]
    state.click(3, 1)
    assert (where(state, "gap"), where(state, "green")) == ([(3, 1)], [(3, 2)])


def test_tiles_on_their_colours_win() -> None:
    state = start("slide", "Axxxx", "x15.x", "xx97x", "xxxxx")
    state.click(2, 1)
    assert not state.is_over, "a green tile is missing"
    assert where(state, "greenhome") == [(2, 2)]
    state = start("slide", "Axxxx", "x1.bx", "x1x5x", "xxxxx")
    assert where(state, "redhome") == []
    state.click(0, 0)
    assert len(where(state, "redhome")) == 2


# Gophers


def test_a_hit_gopher_closes_its_burrow_and_the_last_one_wins() -> None:
    state = start("gophers", "Ab", "..")
    while not where(state, "gopher"):
        state.click(0, 1)
    state.click(1, 0)
    assert (state.score, state.winner) == (1, 1)


def test_a_hit_rabbit_loses() -> None:
    state = start("gophers", "Aw", "b.")
    while not where(state, "rabbit"):
        state.click(1, 1)
    state.click(1, 0)
    assert state.winner == 0


def test_gophers_hide_again_after_nine_ticks() -> None:
    state = start("gophers", "Ab", "..")
    while not where(state, "gopher"):
        state.click(0, 1)
    seen = 0
    while len(where(state, "gopher")) == 1 and seen < 20:
        state.click(0, 1)
        seen += 1
    assert seen <= 9


# Meteors


def test_a_burst_destroys_meteors_and_a_meteor_a_town() -> None:
    state = start("meteors", "s..", "...", "...", "...", "t.t", "xAx")
    while not where(state, "slow"):
        state.click(2, 2)
    column, row = where(state, "slow")[0]
    state.click(column, row)
    assert (state.score, where(state, "slow")) == (2, [])
    while len(where(state, "town")) == 2 and not state.is_over:
        state.click(2, 1)
    assert where(state, "town") == [(2, 4)]
    assert state.score == 1


def test_without_towns_the_game_is_lost_and_without_meteors_won() -> None:
    state = start("meteors", "s..", "...", "t..", "xAx")
    while not state.is_over:
        state.click(2, 1)
    assert state.winner == 0
    state = start("meteors", "..s", "...", "t..", "xAx")
    while not state.is_over:
        state.click(0, 0)
    assert state.winner == 1
