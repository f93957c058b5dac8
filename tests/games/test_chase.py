"""Chase, played: every sentence of its rules is a behaviour here."""

from __future__ import annotations

from plays import distances, go, levels, place, play, start, wait, where


def test_catching_a_goat_is_worth_a_point_and_the_last_one_wins() -> None:
    state = play("chase", ["xxxxxxxxxx", "xAgx...xgx", "xxxxxxxxxx"], "RIGHT")
    assert (state.score, state.is_over, where(state, "carcass")) == (1, False, [(2, 1)])
    state = play("chase", ["xxxxx", "xAgxx", "xxxxx"], "RIGHT")
    assert (state.winner, state.score) == (1, 1)


def test_scared_goats_run_from_the_wolf() -> None:
    state = start("chase", ["xxxxxxxxxxx", "x.........x", "xA.g......x", "x.........x", "xxxxxxxxxxx"])
    distance = 2.0
    while distance < 8:
        wait(state, 1)
        ((column, row),) = where(state, "scared")
        assert column - 1 + abs(row - 2) >= distance
        distance = column - 1 + abs(row - 2)


def test_goats_that_do_not_see_the_wolf_stroll_about() -> None:
    state = start("chase", ["xxxxxxxxxxxxxxxxxxx", "xA.............g..x", "xxxxxxxxxxxxxxxxxxx"])
    seen = set()
    for _ in range(100):
        wait(state, 1)
        seen.update(where(state, "scared"))
    assert len(seen) > 3


def test_a_goat_that_finds_a_carcass_gets_angry_and_hunts_the_wolf() -> None:
    state = play("chase", ["xxxxxxxxxxxxxxxxxxxx", "x............Agg.xgx", "xxxxxxxxxxxxxxxxxxxx"], "RIGHT")
    assert (state.score, where(state, "angry"), where(state, "carcass")) == (1, [], [(14, 1)])
    while not where(state, "angry"):
        go(state, "LEFT")  # until the other goat no longer sees the wolf
    assert where(state, "angry") == [(14, 1)]
    assert len(where(state, "scared")) == 1
    wait(state)
    assert (state.winner, state.score) == (0, 0)  # one point for the goat, minus one for losing


def test_an_angry_goat_cannot_be_killed() -> None:
    state = play("chase", ["xxxxxxxxxxxxxxxxxxxx", "x............Agg.xgx", "xxxxxxxxxxxxxxxxxxxx"], "RIGHT")
    while not where(state, "angry"):
        go(state, "LEFT")
    go(state, "RIGHT " * 13)
    assert state.winner == 0
    assert len(where(state, "angry")) == 1


def test_the_wolf_walks_in_all_directions_but_not_into_rocks() -> None:
    state = start("chase", ["xxxxxxxxx", "x...xxxgx", "x.A.xxxxx", "x.x.xxxxx", "xxxxxxxxx"])
    seen = []
    for action in ("DOWN", "LEFT", "UP", "RIGHT", "RIGHT", "DOWN", "RIGHT"):
        go(state, action)
        seen += where(state, "wolf")
    assert seen == [(2, 2), (1, 2), (1, 1), (2, 1), (3, 1), (3, 2), (3, 2)]


def test_every_goat_can_be_reached_and_every_level_has_more_than_the_one_before() -> None:
    numbers = []
    for rows in levels("chase"):
        reached = distances(rows, place(rows, "A"), walls="x")
        goats = {(x, y) for y, row in enumerate(rows) for x, letter in enumerate(row) if letter == "g"}
        assert goats <= reached.keys()
        numbers.append(len(goats))
    assert numbers == sorted(set(numbers))
