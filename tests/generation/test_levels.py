"""Generators of levels: what they return fits the game, and one seed gives one level."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

import vgdl
from judging.small import COINS, game
from vgdl.controllers import Timer
from vgdl.generation import LEVEL_GENERATORS
from vgdl.generation.canvas import Canvas, Pieces, join, mutate, one_point
from vgdl.generation.drawing import construct
from vgdl.generation.interface import Level, LevelRefused, LevelTask, Size
from vgdl.generation.trials import Trials, halve
from vgdl.judging.cells import Grid
from vgdl.judging.feasibility import SHORTEST_WIN, Feasibility, static_feasibility

SIZE = Size((12, 15), (10, 12))
NAMES = [
    pytest.param(name, marks=pytest.mark.costly) if name == "archive" else name for name in LEVEL_GENERATORS.names()
]


def task(name: str = "zelda") -> LevelTask:
    return LevelTask(vgdl.load(name))


@pytest.mark.parametrize("name", NAMES)
def test_levels_have_the_size_asked_for_and_are_the_same_for_a_seed(name: str) -> None:
    if name == "archive":
        pytest.importorskip("ribs")
    made = []
    for _ in range(2):
        own = task()
        generator = LEVEL_GENERATORS.load(name)(own, Timer(), seed=3)
        level = generator.generate(SIZE, Timer(budget_calls=30_000, meter=own.meter))
        own.board(level)
        made.append(level.text)
    grid = Grid.of(made[0])
    assert SIZE.fits(grid.width, grid.height)
    assert made[0] == made[1]


@pytest.mark.parametrize("name", ["aliens", "sokoban", "boulderdash", "portals", "frogs", "chase"])
def test_constructed_levels_meet_the_constraints_without_plays(name: str) -> None:
    pieces = Pieces(task(name).description)
    for seed in range(5):
        grid = construct(pieces, SIZE, random.Random(seed)).grid
        assert static_feasibility(grid, pieces.description).broken == ()


def test_doors_get_the_resources_that_they_need() -> None:
    pieces = Pieces(task("boulderdash").description)
    counts = construct(pieces, Size.of(20, 12), random.Random(1)).grid.counts(pieces.description)
    assert counts["diamond"] >= pieces.description.stock["diamond"] == 10


@pytest.mark.parametrize("change", [mutate, join, one_point])
def test_repairs_make_changed_levels_meet_the_constraints(change: object) -> None:
    pieces, generator = Pieces(task("sokoban").description), random.Random(5)
    for _ in range(10):
        one, other = (construct(pieces, Size.of(12, 9), generator) for _ in range(2))
        if change is mutate:
            mutate(one, generator)
        else:
            one = change(one, other, generator)  # type: ignore[operator]
        one.repair(generator)
        assert static_feasibility(one.grid, pieces.description).broken == ()


def test_walls_keep_the_free_cells_connected() -> None:
    canvas = Canvas.blank(Pieces(task().description), 16, 12)
    canvas.draw_walls(30, random.Random(2))
    assert canvas.is_connected()
    assert Counter("".join(canvas.grid.rows))["w"] > 2 * (16 + 10)


def test_a_level_may_bring_its_own_characters() -> None:
    own = LevelTask(game())
    state = own.play(Level("wwww\nwAXw\nwwww\n", {"X": ["coin", "thorn"]}))
    assert len(state.arrays) == 10 + 1 + 2
    with pytest.raises(LevelRefused, match="'coim', which is no sprite"):
        own.play(Level("wwww\nwAXw\nwwww\n", {"X": ["coim"]}))
    with pytest.raises(LevelRefused, match="one printable character"):
        own.play(Level("wwww\nwAXw\nwwww\n", {"XY": ["coin"]}))


def test_games_for_two_players_are_refused() -> None:
    with pytest.raises(ValueError, match="for 2 players"):
        task("tandem")


@pytest.mark.parametrize("text", ["12", "12x", "x", "2x9", "12x1000", "14-12x9", "ax9"])
def test_sizes_that_are_none(text: str) -> None:
    with pytest.raises(ValueError, match=r"size|columns"):
        Size.parse(text)
    assert str(Size.parse("10-14x9")) == "10-14x9"


@pytest.mark.parametrize("steps", [5, 60])
def test_levels_that_are_won_too_soon_are_valued_below_all_others(steps: int) -> None:
    own = LevelTask(game(COINS.replace("unused > Immovable color=BLUE", "unused > Immovable hidden=True")))
    trials, pieces = Trials(own, 1), Pieces(own.description)
    rows = ["w" * (steps + 3), f"wA{'.' * (steps - 1)}cw", "w" * (steps + 3)]
    candidate = trials.quick(Canvas(pieces, rows))
    assert candidate is not None
    assert trials.is_short(candidate) == (steps < SHORTEST_WIN)
    trials.play(candidate, 0)
    assert candidate.win_ticks == steps
    assert (candidate.value > 0.1) == (steps >= SHORTEST_WIN)


def test_a_candidate_that_chance_may_end_is_not_confirmed() -> None:
    text = COINS.replace("unused > Immovable color=BLUE", "ghost > RandomNPC color=RED")
    text = text.replace("t > floor thorn", "t > floor thorn\n        g > floor ghost")
    text = text.replace("hero thorn > killSprite", "ghost wall > stepBack\n        hero ghost > killSprite")
    own = LevelTask(game(text))
    rows = [f"w{'w' * 20}w", f"wA.g{'.' * 16}cw", f"wt{'.' * 19}w", f"w{'w' * 20}w"]
    trials = Trials(own, 1)
    candidate = trials.quick(Canvas(Pieces(own.description), rows), seeds=1)
    assert candidate is not None
    candidate.feasibility = Feasibility({"idle": 1.0, "keys": 1.0})  # as a few lucky plays would say
    assert not trials.confirm(candidate)
    assert "idle" in candidate.feasibility.broken


@pytest.mark.costly
def test_halving_lets_the_better_half_go_on() -> None:
    text = COINS.replace("unused > Immovable color=BLUE", "unused > Immovable hidden=True")
    own = LevelTask(game(text))
    trials = Trials(own, 1)
    pieces, generator = Pieces(own.description), random.Random(1)
    batch: list[Any] = []
    while len(batch) < 4:
        candidate = trials.quick(construct(pieces, Size.of(20, 12), generator))
        if candidate is not None and candidate.feasibility.is_feasible:
            batch.append(candidate)
    finalists = halve(batch, Timer())
    rungs = sorted(candidate.rung for candidate in batch)
    assert rungs[0] < rungs[-1] == 3
    assert all(candidate.rung == 3 for candidate in finalists)
