"""The parts of `experimenter` that deal with clicks: twins, tiles, rearranged pixels and pictures."""

from __future__ import annotations

import random

import numpy as np
import pytest

from tracks.arc.toys import Toy
from vgdl.competition.tracks.arc.agents import create
from vgdl.competition.tracks.arc.agents.click_plans import ClickPlans
from vgdl.competition.tracks.arc.agents.effects import Effects
from vgdl.competition.tracks.arc.agents.frame_graph import FrameGraph, Node, Option
from vgdl.competition.tracks.arc.agents.pictures import Form, Pictures
from vgdl.competition.tracks.arc.agents.playing import play
from vgdl.competition.tracks.arc.agents.responses import Responses
from vgdl.competition.tracks.arc.agents.screen import Pixels, key_of
from vgdl.competition.tracks.arc.agents.things import Thing, things
from vgdl.competition.tracks.arc.agents.tiles import TileFinder
from vgdl.competition.tracks.arc.agents.twins import Twins
from vgdl.competition.tracks.arc.frame import CLICK

SIDE = 3  #: tiles per side of a board


def board(cells: np.ndarray, size: int, x: int, y: int, ground: Pixels | None = None) -> Pixels:
    """Tiles without gaps between them."""
    pixels = np.zeros((64, 64), dtype=np.uint8) if ground is None else ground.copy()
    rows, columns = cells.shape
    pixels[y : y + size * rows, x : x + size * columns] = cells.repeat(size, 0).repeat(size, 1)
    return pixels


def drawn(seed: int, colours: tuple[int, int] = (7, 9)) -> np.ndarray:
    return np.random.default_rng(seed).choice(np.array(colours, dtype=np.uint8), (SIDE, SIDE))


# -------------------------------------------------------------------------------------------------------------- twins


def test_what_lies_between_twins_is_expected_to_act_like_them() -> None:
    twins = Twins()
    twins.learn((10, 40), [(10, 20)], alike=True)
    assert twins.covered([(10, 20)], [(10, 40), (10, 30), (10, 50), (11, 30)]) == {(10, 40), (10, 30)}
    assert twins.covered([(30, 20)], [(10, 40)]) == set()
    twins.learn((10, 20), [(10, 40)], alike=False)
    twins.learn((10, 20), [(10, 40)], alike=True)  # they differed once
    assert twins.covered([(10, 20)], [(10, 40)]) == set()


def clicks_at(*places: tuple[int, int]) -> list[Option]:
    return [Option(CLICK, Thing((9, 4, 4, 16), x, y)) for x, y in places]


def graph_with(options: dict[str, list[Option]]) -> FrameGraph:
    graph = FrameGraph(random.Random(1), Responses(), Twins(), first=b"a")
    for name, each in options.items():
        pixels = np.full((64, 64), ord(name) % 16, dtype=np.uint8)
        graph.nodes[name.encode()] = Node(pixels, each)
    return graph


def test_a_twin_of_what_was_tried_comes_last() -> None:
    places = (10, 10), (10, 20), (40, 40)
    here, there = clicks_at(*places), clicks_at(*places)
    graph = graph_with({"a": here, "b": there})
    graph.record(b"a", here[0], b"b")
    graph.record(b"a", here[1], b"b")
    graph.record(b"b", there[0], b"b")
    assert graph.choose(b"b", [], may_reset=False) is there[2]


# -------------------------------------------------------------------------------------------------------------- tiles


def test_equal_tiles_side_by_side_are_told_apart_after_two_clicks() -> None:
    before = board(np.full((SIDE, SIDE), 7, dtype=np.uint8), 6, 20, 20)
    assert len([thing for thing in things(before) if not thing.is_ground]) == 1
    finder = TileFinder()
    for row, column in ((0, 0), (2, 1)):
        assert finder.tiling is None
        cells = np.full((SIDE, SIDE), 7, dtype=np.uint8)
        cells[row, column] = 9
        finder.learn(20 + 6 * column + 2, 20 + 6 * row + 2, before, board(cells, 6, 20, 20))
    found = [thing for thing in things(before, tiling=finder.tiling) if not thing.is_ground]
    assert {(thing.x, thing.y) for thing in found} == {
        (23 + 6 * k, 23 + 6 * j) for k in range(SIDE) for j in range(SIDE)
    }
    finder.start_level()
    assert finder.tiling is not None  # a guess for the next level


# ------------------------------------------------------------------------------------------------------------ effects


def test_turned_tiles_are_predicted() -> None:
    """A click turns four tiles of four colours by a quarter."""
    draws, effects = np.random.default_rng(3), Effects()
    knob = Thing((5, 3, 3, 9), 30, 30)
    cells = draws.choice(np.array([8, 9, 11, 14], dtype=np.uint8), (2, 2))
    for turn in range(24):
        turned = np.rot90(cells)
        before, after = board(cells, 10, 20, 20), board(turned, 10, 20, 20)
        if turn >= 20:
            predicted = effects.predict(before, knob)
            assert predicted is not None
            assert (predicted == after).all()
        effects.learn(knob, before, after)
        cells = turned if turn % 4 else draws.choice(np.array([8, 9, 11, 14], dtype=np.uint8), (2, 2))


def test_a_change_of_colour_is_expected_in_all_pixels() -> None:
    """One half has only shown one colour, the other half the other one; both colours follow each other."""
    effects, line = Effects(), Thing((13, 5, 5, 25), 10, 10)
    mixed = np.array([[7, 9, 7]], dtype=np.uint8)
    for _ in range(9):
        effects.learn(line, board(mixed, 6, 20, 8), board(16 - mixed, 6, 20, 8))
    plain = np.array([[7, 7, 7]], dtype=np.uint8)
    predicted = effects.predict(board(plain, 6, 20, 8), line)
    assert predicted is not None
    assert (predicted == board(16 - plain, 6, 20, 8)).all()


# ----------------------------------------------------------------------------------------------------------- pictures


def scaled(cells: np.ndarray, model: np.ndarray) -> Pixels:
    return board(cells, 7, 26, 26, board(model, 2, 4, 4))


def mirrored(cells: np.ndarray, model: np.ndarray) -> Pixels:
    pixels = board(cells, 6, 33, 20, board(model[:, ::-1], 6, 13, 20))
    pixels[18:40, 31:33] = 5
    return pixels


@pytest.mark.parametrize(
    ("draw", "form"), [(scaled, Form(True, True, 0)), (mirrored, Form(False, False, 1))], ids=["scaled", "mirrored"]
)
def test_a_model_and_its_copy_are_found_and_trusted_once_a_level_was_won(draw: object, form: Form) -> None:
    assert callable(draw)
    pictures, model = Pictures(), drawn(5)
    cells = model.copy()
    cells[:, 1] = 16 - cells[:, 1]
    first = draw(cells, model)
    for row in range(SIDE):
        for column in range(SIDE):
            changed = cells.copy()
            changed[row, column] = 16 - changed[row, column]
            pictures.learn(draw(cells, model), draw(changed, model))
            cells = changed
    ends = [picture for picture in pictures.found(first) if picture.form == form]
    assert any(picture.equal(draw(model, model)) == 1 > picture.equal(first) for picture in ends)
    pictures.won(first, draw(model, model))
    assert pictures.trust[form] == 1
    assert pictures.found(first)[0].form in pictures.trust


def test_a_picture_that_is_equal_without_an_end_is_no_aim() -> None:
    pictures, model = Pictures(), drawn(5)
    pictures.learn(scaled(drawn(6), model), scaled(drawn(7), model))
    form = Form(True, True, 0)
    assert form in {picture.form for picture in pictures.found(scaled(drawn(6), model))}
    pictures.found(scaled(model, model))
    assert form not in {picture.form for picture in pictures.found(scaled(drawn(6), model))}


def test_what_clicks_have_changed_may_get_one_colour() -> None:
    pictures = Pictures()
    first = np.zeros((64, 64), dtype=np.uint8)
    one, both = first.copy(), first.copy()
    one[:2] = both[:4] = 9
    pictures.learn(first, one)
    pictures.learn(one, both)
    assert [pictures.alike(pixels) for pixels in (first, one, both)] == [1, 0.5, 1]  # what never changes does not count


class Copying(Toy):
    """A click toggles a tile; the board has to show the small picture in the corner."""

    actions = (CLICK,)
    levels = 3

    def begin(self) -> None:
        self.cells, self.model = drawn(20 + self.completed), drawn(30 + self.completed)

    def draw(self) -> np.ndarray:
        return scaled(self.cells, self.model)

    def move(self, action: int, x: int | None, y: int | None) -> str:
        assert x is not None
        assert y is not None
        row, column = (y - 26) // 7, (x - 26) // 7
        if row in range(SIDE) and column in range(SIDE):
            self.cells[row, column] = 16 - self.cells[row, column]
        return "won" if (self.cells == self.model).all() else ""


def test_copies_a_picture_with_fewer_actions_than_exploring_takes() -> None:
    game, other = Copying(), Copying()
    assert play(create("experimenter", game.task, 1), game, 150).won
    assert not play(create("experimenter", other.task, 1, pictures=False), other, 150).won


def test_plans_rest_and_go_on_where_the_frame_is_the_expected_one() -> None:
    """A plan of several clicks is followed; a surprise ends it."""
    effects = Effects()
    draws, cells = np.random.default_rng(1), drawn(1)
    at = [(row, column) for row in range(SIDE) for column in range(SIDE)]
    tiles = [Thing((7, 8, 8, 64), 24 + 8 * column, 24 + 8 * row) for row, column in at]
    for number in draws.integers(0, 9, 60).tolist():
        changed = cells.copy()
        changed[at[number]] = 16 - changed[at[number]]
        effects.learn(tiles[number], board(cells, 8, 20, 20), board(changed, 8, 20, 20))
        cells = changed
    pictures = Pictures()
    pictures.learn(board(cells, 8, 20, 20), board(16 - cells, 8, 20, 20))  # each tile has been clicked on
    usual = 9 if (cells == 9).sum() > SIDE * SIDE / 2 else 7
    plans = ClickPlans(effects, pictures)
    steps = 0
    for _ in range(9):
        pixels = board(cells, 8, 20, 20)
        thing = plans.propose(key_of(pixels), pixels, tiles, set())
        if thing is None:
            break
        steps += 1
        row, column = (thing.y - 20) // 8, (thing.x - 20) // 8
        assert cells[row, column] != usual
        cells[row, column] = usual
    assert steps > 0
    assert (cells == usual).all()
    assert plans.propose(b"elsewhere", pixels, tiles, set()) is None


# ----------------------------------------------------------------------------------------------------------- spacing


class Spot(Toy):
    """Nothing shows where to click, and what reacts to clicks is smaller than the distance of the usual places."""

    actions = (CLICK,)

    def begin(self) -> None:
        pass

    def draw(self) -> np.ndarray:
        pixels = np.zeros((64, 64), dtype=np.uint8)
        pixels[30:33, 10:60] = 5 + self.completed
        return pixels

    def move(self, action: int, x: int | None, y: int | None) -> str:
        assert x is not None
        return "won" if 30 <= (y or 0) < 33 and 20 <= x < 23 else ""


def test_places_are_refined_where_no_click_does_anything() -> None:
    toy = Spot()
    result = play(create("experimenter", toy.task, 1), toy, 300)
    assert result.won
