"""Each constraint, with a level that meets it and one that does not."""

from __future__ import annotations

import pytest

from judging.small import CLOSED, OPEN, SURVIVAL, game
from vgdl.judging.cells import Grid, diversity, novelty
from vgdl.judging.description import describe
from vgdl.judging.feasibility import Feasibility, idle_feasibility, static_feasibility

DESCRIPTION = describe(game())
FINE = OPEN.replace("w........w.w\nw........w.w\nw........w.w", "w........w.w\nw...t....w.w\nw........w.w", 1)


@pytest.mark.parametrize(
    ("constraint", "level", "meets"),
    [
        ("avatar", FINE, True),
        ("avatar", FINE.replace("A", "."), False),
        ("avatar", FINE.replace("c", "A"), False),
        ("cover", FINE, True),
        ("cover", "wwwwwwwwwwww\nwA.........w\n" + "w..........w\n" * 8 + "wwwwwwwwwwww\n", False),
        ("cover", "wwwww\nwActw\nwtctw\nwwwww\n", False),
        ("sprites", FINE, True),
        ("sprites", OPEN, False),
        ("goals", FINE, True),
        ("goals", FINE.replace("c", "t"), False),
    ],
)
def test_constraints_without_plays(constraint: str, level: str, meets: bool) -> None:
    share = static_feasibility(Grid.of(level), DESCRIPTION).shares[constraint]
    assert 0 <= share <= 1
    assert (share == 1) is meets


@pytest.mark.parametrize(
    ("constraint", "text", "level", "meets"),
    [
        ("idle", None, FINE, True),
        ("idle", SURVIVAL, FINE, False),
        ("keys", None, FINE, True),
        ("keys", None, FINE.replace("A....", "A..c.").replace("w.c", "w.."), False),
    ],
)
def test_constraints_on_plays_without_skill(constraint: str, text: str | None, level: str, meets: bool) -> None:
    board = (game(text) if text else game()).board(level)
    assert (idle_feasibility(board, 1, seeds=4).shares[constraint] == 1) is meets


@pytest.mark.parametrize(("ticks", "broken"), [(None, {"winnable", "length"}), (39, {"length"}), (40, set())])
def test_constraints_on_wins(ticks: int | None, broken: set[str]) -> None:
    assert set(Feasibility({}).with_wins(ticks).broken) == broken


def test_levels_are_feasible_if_all_constraints_hold() -> None:
    assert Feasibility({"avatar": 1.0, "cover": 1.0}).is_feasible
    assert not Feasibility({"avatar": 1.0, "cover": 0.9}).is_feasible
    assert Feasibility({"avatar": 1.0, "cover": 0.5}).mean == 0.75


def test_a_copy_of_a_level_is_not_novel() -> None:
    one, other = Grid.of(OPEN), Grid.of(CLOSED)
    assert novelty(one, [one], DESCRIPTION) == 0
    assert 0 < novelty(other, [one], DESCRIPTION) <= 1
    assert diversity([one, one], DESCRIPTION) == 0


def test_cells_behind_walls_cannot_be_reached() -> None:
    assert Grid.of(OPEN).unreachable(DESCRIPTION) == ()
    assert (1, 5) in Grid.of(CLOSED).unreachable(DESCRIPTION)


def test_a_teleport_makes_its_exits_reachable() -> None:
    text = (
        game()
        .text.replace("unused > Immovable", "out > Immovable")
        .replace("        hero > MovingAvatar", "        way > Portal stype=out\n        hero > MovingAvatar")
    )
    text = text.replace(
        "        A > floor hero", "        A > floor hero\n        1 > floor way\n        2 > floor out"
    )
    text = text.replace("        coin hero", "        hero way > teleportToExit\n        coin hero")
    description = describe(game(text))
    assert Grid.of(CLOSED.replace("A.", "A1").replace("c", "2")).unreachable(description) == ()
    assert Grid.of(CLOSED.replace("A.", "A1")).unreachable(description)
