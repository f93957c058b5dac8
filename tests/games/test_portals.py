"""Portals, played: every sentence of its rules is a behaviour here."""

from __future__ import annotations

import pytest

from plays import go, levels, play, start, wait, where

COLOURS = {"1": "b", "2": "g", "3": "p", "4": "o"}


def test_reaching_the_trophy_wins_and_gives_a_point() -> None:
    state = play("portals", ["xxxxxx", "xA.*.x", "xxxxxx"], "RIGHT RIGHT")
    assert (state.winner, state.score) == (1, 1)


@pytest.mark.parametrize(("portal", "exit"), COLOURS.items())
def test_a_portal_takes_the_traveller_to_the_exit_of_its_colour(portal: str, exit: str) -> None:
    others = "".join(other for other in COLOURS.values() if other != exit)
    state = play("portals", ["xxxxxxxxxxx", f"xA{portal}.x.{exit}.*x", f"x{others}xxxxxxx", "xxxxxxxxxxx"], "RIGHT")
    assert where(state, "traveller") == [(6, 1)]


def test_one_of_several_exits_is_chosen_at_random() -> None:
    rows = ["xxxxxxxxx", "xA1xbxbx*", "xxxxxxxxx"]
    ends = {where(play("portals", rows, "RIGHT", seed), "traveller")[0] for seed in range(0, 2**31, 2**27)}
    assert ends == {(4, 1), (6, 1)}


def test_there_is_no_way_back_through_an_exit() -> None:
    state = play("portals", ["xxxxxxxxx", "xA1xb..*x", "xxxxxxxxx"], "RIGHT RIGHT LEFT")
    assert where(state, "traveller") == [(4, 1)]


def test_sweepers_go_from_wall_to_wall_across_and_pistons_up_and_down() -> None:
    state = start(
        "portals", ["xxxxxxxxxx", "x-......xx", "xxxxx.xxxx", "xxxx|xx.*x", "xA.x.xxxxx", "xxxx.xxxxx", "xxxxxxxxxx"]
    )
    columns, rows = set(), set()
    for _ in range(100):
        wait(state, 1)
        ((column, sweeper_row),) = where(state, "sweeper")
        ((piston_column, row),) = where(state, "piston")
        assert (sweeper_row, piston_column) == (1, 4)
        columns.add(column)
        rows.add(row)
    assert (min(columns) < 2, max(columns) > 6) == (True, True)
    assert (min(rows), max(rows) > 4) == (3, True)


def test_turrets_fire_bolts_at_regular_intervals_which_end_in_the_wall() -> None:
    state = start("portals", ["xxxxxxxxxx", "}....xxxxx", "xxxxxxxxxx", "xA.x...*xx", "xxxxxxxxxx"])
    flying = []
    for _ in range(56):
        wait(state, 1)
        flying.append(where(state, "bolt"))
    assert flying[14:28] == flying[28:42] == flying[42:]
    assert all(len(bolts) <= 1 for bolts in flying)
    assert [] in flying[14:28]
    assert max(column for bolts in flying for column, _ in bolts) == 4


@pytest.mark.parametrize(
    "rows",
    [
        ["xxxxxxx", "xA..-.x", "x....*x", "xxxxxxx"],
        ["xxxxx", "xA.*x", "x...x", "x|..x", "xxxxx"],
        ["xxxxxx", "}..A*x", "xxxxxx"],
    ],
    ids=["sweeper", "piston", "bolt"],
)
def test_lasers_kill_and_the_game_is_lost(rows: list[str]) -> None:
    state = wait(start("portals", rows))
    assert (state.winner, state.score) == (0, 0)


def test_the_traveller_walks_in_all_directions_but_not_through_bricks_and_turrets() -> None:
    state = start("portals", ["xxxxxx", "x....x", "xA.x*x", "xxxxxx"])
    seen = []
    for action in ("DOWN", "LEFT", "UP", "RIGHT", "DOWN", "RIGHT"):
        go(state, action)
        seen += where(state, "traveller")
    assert seen == [(1, 2), (1, 2), (1, 1), (2, 1), (2, 2), (2, 2)]
    assert where(play("portals", ["xvxxx", "xA.*x", "xxxxx"], "UP"), "traveller") == [(1, 1)]


def way(rows: list[str]) -> int:
    """The length of the shortest path to the trophy, if every portal led to the best exit."""
    cells = {(x, y): letter for y, row in enumerate(rows) for x, letter in enumerate(row)}
    todo = [cell for cell, letter in cells.items() if letter == "A"]
    steps = dict.fromkeys(todo, 0)
    for x, y in todo:  # grows while it is walked
        for cell in ((x, y - 1), (x - 1, y), (x, y + 1), (x + 1, y)):
            letter = cells[cell]
            ends = [c for c in cells if cells[c] == COLOURS[letter]] if letter in COLOURS else [cell]
            for end in ends:
                if letter not in "x}v" and end not in steps:
                    steps[end] = steps[x, y] + 1
                    todo.append(end)
    return steps[next(cell for cell, letter in cells.items() if letter == "*")]


def test_the_trophy_can_be_reached_and_the_way_is_longer_in_every_level() -> None:
    ways = [way(rows) for rows in levels("portals")]
    assert ways == sorted(set(ways))


def test_every_portal_of_a_level_has_an_exit_and_every_exit_a_portal() -> None:
    for rows in levels("portals"):
        text = "".join(rows)
        assert [exit for exit in COLOURS.values() if exit in text] == [COLOURS[p] for p in COLOURS if p in text]
