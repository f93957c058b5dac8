"""Tandem, played: every sentence of its rules is a behaviour here."""

from __future__ import annotations

import pytest

import vgdl
from plays import levels, place, start, wait, where
from vgdl import Action, StateObservation, games

Cell = tuple[int, int]


def together(state: StateObservation, moves: str) -> StateObservation:
    """The same state after some pairs of actions, written like ``LEFT/NIL``."""
    for pair in moves.split():
        state.advance([Action[name] for name in pair.split("/")])
    return state


def test_both_win_when_both_homes_were_visited() -> None:
    state = together(start("tandem", ["xxxxxx", "xA.1.x", "xB...x", "x..2.x", "xxxxxx"]), "RIGHT/DOWN RIGHT/RIGHT")
    assert (state.scores, state.is_over) == ((3, 3), False)
    together(state, "NIL/RIGHT")
    assert (state.scores, state.winners) == ((6, 6), (1, 1))


def test_a_home_is_only_for_the_friend_of_its_colour() -> None:
    state = together(start("tandem", ["xxxxx", "xA2.x", "xB1.x", "xxxxx"]), "RIGHT/RIGHT")
    assert (state.scores, state.is_over) == ((0, 0), False)


@pytest.mark.parametrize(
    ("rows", "open_to"),
    [(["xxxxxx", "xAr..x", "xBr12x", "xxxxxx"], "red"), (["xxxxxx", "xAb..x", "xBb12x", "xxxxxx"], "blue")],
)
def test_a_gate_opens_for_the_friend_of_its_colour_for_a_point_to_both(rows: list[str], open_to: str) -> None:
    state = together(start("tandem", rows), "RIGHT/RIGHT")
    assert state.scores == (1, 1)
    assert len(where(state, "redgate", "bluegate")) == 1
    assert {name: where(state, name)[0][0] for name in ("red", "blue")} == {"red": 1, "blue": 1} | {open_to: 2}


def test_an_open_gate_lets_the_other_friend_pass() -> None:
    state = together(start("tandem", ["xxxxxxx", "xBAr.1x", "x....2x", "xxxxxxx"]), "RIGHT/NIL RIGHT/RIGHT RIGHT/RIGHT")
    assert where(state, "blue") == [(3, 1)]


@pytest.mark.parametrize("row", ["xAg12Bx", "xBg12Ax"])
def test_when_a_ghost_touches_either_friend_both_lose(row: str) -> None:
    state = start("tandem", ["xxxxxxx", row, "xxxxxxx"])
    for _ in range(300):
        state.advance([Action.NIL, Action.NIL])
    assert state.winners == (0, 0)


def test_ghosts_wander_between_the_gates() -> None:
    state = start("tandem", ["xxxxxxxxx", "xA..x.b.x", "xB..r.g.x", "x..1x.2.x", "xxxxxxxxx"])
    cells = set()
    for _ in range(600):
        wait(state, 1)
        cells.update(where(state, "ghost"))
    assert cells == {(5, 1), (7, 1), (5, 2), (6, 2), (7, 2), (5, 3), (7, 3)}


def test_the_friends_walk_in_all_directions_but_not_through_bricks() -> None:
    state = start("tandem", ["xxxxxxx", "x..x..x", "xA.xB.x", "xxxxxxx", "x1x2xxx", "xxxxxxx"])
    together(state, "UP/UP RIGHT/RIGHT RIGHT/RIGHT DOWN/DOWN LEFT/LEFT LEFT/LEFT DOWN/DOWN")
    assert (where(state, "red"), where(state, "blue")) == ([(1, 2)], [(4, 2)])


def test_there_are_two_players() -> None:
    assert vgdl.load("tandem").start(level=0, seed=1).n_players == 2
    assert games.names("two_player") == ("pong", "snowballs", "surround2", "tandem")


def reachable(rows: list[str], cell: Cell, shut: set[Cell]) -> set[Cell]:
    todo, found = [cell], {cell}
    for x, y in todo:  # grows while it is walked
        for near in {(x, y - 1), (x - 1, y), (x, y + 1), (x + 1, y)} - found - shut:
            if rows[near[1]][near[0]] != "x":
                found.add(near)
                todo.append(near)
    return found


@pytest.mark.parametrize("rows", levels("tandem"))
def test_every_level_needs_both_friends_and_two_are_enough(rows: list[str]) -> None:
    gates = {
        letter: {(x, y) for y, row in enumerate(rows) for x, found in enumerate(row) if found == letter}
        for letter in "rb"
    }
    red, blue = place(rows, "A"), place(rows, "B")
    assert place(rows, "1") not in reachable(rows, red, gates["b"])
    assert place(rows, "2") not in reachable(rows, blue, gates["r"])
    shut = gates["r"] | gates["b"]
    for _ in range(len(shut)):
        shut -= reachable(rows, red, shut & gates["b"]) & gates["r"]
        shut -= reachable(rows, blue, shut & gates["r"]) & gates["b"]
    assert place(rows, "1") in reachable(rows, red, shut & gates["b"])
    assert place(rows, "2") in reachable(rows, blue, shut & gates["r"])
