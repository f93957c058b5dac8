"""The part of `experimenter` that deals with clicks whose effect depends on what was clicked on before."""

from __future__ import annotations

import numpy as np
import pytest

from tracks.arc.toys import Toy
from vgdl.competition.tracks.arc.agents import create
from vgdl.competition.tracks.arc.agents.pairs import Pairs
from vgdl.competition.tracks.arc.agents.playing import play
from vgdl.competition.tracks.arc.agents.screen import Pixels, key_of
from vgdl.competition.tracks.arc.agents.selection import Selection
from vgdl.competition.tracks.arc.agents.things import Thing
from vgdl.competition.tracks.arc.frame import CLICK, SIZE

COLOURS = (8, 9, 11, 14)


class Board(Toy):
    """Pieces of 6×6 pixels with gaps between them."""

    actions = (CLICK,)
    levels = 3
    rows, columns = 3, 4
    left, top, pitch = 6, 24, 10

    def begin(self) -> None:
        draws = np.random.default_rng(10 + self.completed)
        self.cells = draws.permutation(np.resize(COLOURS, self.rows * self.columns)).reshape(self.rows, self.columns)
        self.selected: tuple[int, int] | None = None

    def draw(self) -> np.ndarray:
        pixels = np.full((SIZE, SIZE), 5, dtype=np.uint8)
        height, width = self.pitch * self.rows, self.pitch * self.columns
        pixels[self.top - 2 : self.top - 2 + height, self.left - 2 : self.left - 2 + width] = 1
        for (row, column), colour in np.ndenumerate(self.cells):
            x, y = self.left + self.pitch * column, self.top + self.pitch * row
            if self.selected == (row, column):
                pixels[y - 1 : y + 7, x - 1 : x + 7] = 0
            pixels[y : y + 6, x : x + 6] = colour
        return pixels

    def draw_model(self, pixels: np.ndarray, model: np.ndarray) -> None:
        """Draw a board at half the size."""
        pixels[2 : 2 + 5 * self.rows, 4 : 4 + 5 * self.columns] = 1
        for (row, column), colour in np.ndenumerate(model):
            pixels[3 + 5 * row : 6 + 5 * row, 5 + 5 * column : 8 + 5 * column] = colour

    def cell(self, x: int | None, y: int | None) -> tuple[int, int] | None:
        assert x is not None
        assert y is not None
        (column, dx), (row, dy) = divmod(x - self.left, self.pitch), divmod(y - self.top, self.pitch)
        inside = 0 <= row < self.rows and 0 <= column < self.columns and dx < 6 and dy < 6
        return (row, column) if inside else None


class Swapping(Board):
    """Two clicks swap two pieces; the board has to look like the small one in the corner."""

    rows, columns = 2, 3

    def begin(self) -> None:
        super().begin()
        self.model = (
            np.random.default_rng(20 + self.completed).permutation(self.cells.ravel()).reshape(self.cells.shape)
        )

    def draw(self) -> np.ndarray:
        pixels = super().draw()
        self.draw_model(pixels, self.model)
        return pixels

    def move(self, action: int, x: int | None, y: int | None) -> str:
        cell = self.cell(x, y)
        if cell is None or self.selected is None:
            self.selected = cell
            return ""
        here, there = self.selected, cell
        self.cells[here], self.cells[there] = self.cells[there], self.cells[here]
        self.selected = None
        return "won" if (self.cells == self.model).all() else ""


class Matching(Board):
    """Two clicks on pieces of one colour remove them; nothing shows which piece is selected."""

    def begin(self) -> None:
        super().begin()
        self.cells = np.array([np.random.default_rng(row).permutation([8, 9, 8, 9]) for row in range(self.rows)])

    def draw(self) -> np.ndarray:
        selected, self.selected = self.selected, None
        pixels = super().draw()
        self.selected = selected
        return pixels

    def move(self, action: int, x: int | None, y: int | None) -> str:
        cell = self.cell(x, y)
        if cell is not None and self.cells[cell] == 1:
            cell = None
        if cell is None or self.selected is None:
            self.selected = cell
            return ""
        here, self.selected = self.selected, None
        if here != cell and self.cells[here] == self.cells[cell]:
            self.cells[here] = self.cells[cell] = 1
        return "won" if (self.cells == 1).all() else ""


class Moving(Board):
    """A click selects a piece, which moves to the empty field that is clicked on then; pieces have their places."""

    rows, columns = 3, 3
    left = 20

    def begin(self) -> None:
        self.selected = None
        draws = np.random.default_rng(30 + self.completed)
        cells = np.array([8, 8, 9, 9, 0, 0, 0, 0, 0])
        self.cells, self.model = (draws.permutation(cells).reshape(self.rows, self.columns) for _ in range(2))

    def draw(self) -> np.ndarray:
        pixels = np.full((SIZE, SIZE), 5, dtype=np.uint8)
        for scale, (left, top), cells in ((5, (18, 4), self.model), (10, (18, 22), self.cells)):
            pixels[top : top + 3 * scale, left : left + 3 * scale] = 1
            for (row, column), colour in np.ndenumerate(cells):
                self.draw_cell(pixels[top + scale * row :, left + scale * column :], scale // 5, int(colour))
        if self.selected is not None:
            row, column = self.selected
            pixels[22 + 10 * row : 24 + 10 * row, 18 + 10 * column : 20 + 10 * column] = 11
        return pixels

    def draw_cell(self, pixels: np.ndarray, unit: int, colour: int) -> None:
        """Draw a field, and the piece in it, which is smaller."""
        pixels[unit : 4 * unit, unit : 4 * unit] = 3
        if colour:
            pixels[3 * unit // 2 : 7 * unit // 2, 3 * unit // 2 : 7 * unit // 2] = colour

    def move(self, action: int, x: int | None, y: int | None) -> str:
        cell = self.cell(x, y)
        if cell is None:
            return ""
        if self.selected is not None and not self.cells[cell]:
            self.cells[cell], self.cells[self.selected] = self.cells[self.selected], 0
            self.selected = None
        else:
            self.selected = cell if self.cells[cell] and cell != self.selected else None
        return "won" if (self.cells == self.model).all() else ""


class Painting(Board):
    """A click on the palette chooses the colour for further clicks; the board has to show the small picture."""

    rows, columns = 2, 3

    def begin(self) -> None:
        super().begin()
        self.model = np.random.default_rng(20 + self.completed).choice(COLOURS[:3], self.cells.shape)
        self.cells = np.full_like(self.model, 3)
        self.brush: int | None = None

    def draw(self) -> np.ndarray:
        pixels = super().draw()
        self.draw_model(pixels, self.model)
        for number, colour in enumerate(COLOURS[:3]):
            if self.brush == number:
                pixels[49:58, 6 + 12 * number : 15 + 12 * number] = 0
            pixels[50:57, 7 + 12 * number : 14 + 12 * number] = colour
        return pixels

    def move(self, action: int, x: int | None, y: int | None) -> str:
        assert x is not None
        assert y is not None
        if 50 <= y < 57 and 0 <= (x - 7) // 12 < 3 and (x - 7) % 12 < 7:
            self.brush = (x - 7) // 12
        cell = self.cell(x, y)
        if cell is not None and self.brush is not None:
            self.cells[cell] = COLOURS[self.brush]
        return "won" if (self.cells == self.model).all() else ""


TOYS = (Swapping, Moving, Painting, Matching)


@pytest.mark.costly
@pytest.mark.parametrize("toy", TOYS)
def test_pairs_of_clicks_win_levels_that_single_clicks_do_not(toy: type[Board]) -> None:
    game, other = toy(), toy()
    with_pairs = play(create("experimenter", game.task, 1), game, 300)
    without = play(create("experimenter", other.task, 1, selection=False), other, 300)
    assert with_pairs.levels_completed > without.levels_completed
    assert with_pairs.levels_completed >= 2


# ------------------------------------------------------------------------------------------------------------ selection


def clicked(selection: Selection, game: Board, *cells: tuple[int, int]) -> None:
    """Click on cells of a board."""
    for row, column in cells:
        before = game.draw()
        x, y = game.left + game.pitch * column + 3, game.top + game.pitch * row + 3
        thing = Thing((int(game.cells[row, column]), 6, 6, 36), x, y)
        game.move(CLICK, x, y)
        selection.observe(thing, before, game.draw())


def swapping() -> tuple[Selection, Swapping]:
    """A game whose marks are known, with nothing selected."""
    game, selection = Swapping(), Selection()
    game.begin()
    clicked(selection, game, (0, 0), (0, 1), (1, 0), (1, 1), (0, 2), (1, 2))
    return selection, game


def test_what_disappears_again_is_the_mark_of_a_selection() -> None:
    selection, game = swapping()
    without = game.draw()
    clicked(selection, game, (0, 1))
    assert selection.now is not None
    assert (selection.now.selected.x, selection.now.selected.y) == (19, 27)
    assert (selection.base(game.draw()) == without).all()
    clicked(selection, game, (1, 2))
    assert selection.now is None


def test_what_stays_is_no_mark() -> None:
    """Clicks that put frames around pieces, one after the other."""
    selection, pixels = Selection(), np.zeros((SIZE, SIZE), dtype=np.uint8)
    for column in range(5):
        before, x = pixels.copy(), 4 + 10 * column
        pixels[20:28, x : x + 8] = 7
        selection.observe(Thing((9, 6, 6, 36), x + 3, 23), before, pixels.copy())
    assert not selection.is_known
    assert selection.now is None


def test_a_frame_tells_a_hidden_selection_apart() -> None:
    selection, pixels = Selection(), np.zeros((SIZE, SIZE), dtype=np.uint8)
    things = [Thing((9, 6, 6, 36), 10 + 10 * k, 10) for k in range(3)]
    tried = [selection.pair_to_try(b"frame", things)]
    assert not selection.reveal(pixels), "the first click of a pair"
    tried.append(selection.pair_to_try(b"frame", things))
    assert tried == things[:2], "neighbours come first"
    after = pixels.copy()
    after[10, 10] = 7
    assert selection.reveal(pixels)
    selection.observe(things[1], pixels, after)
    assert selection.suffix() == b""
    selection.observe(things[2], after, after)
    assert selection.suffix() == bytes((30, 10))


# ---------------------------------------------------------------------------------------------------------------- pairs


def row_of(*colours: int) -> Pixels:
    """Pieces of 6×6 pixels in a row."""
    pixels = np.zeros((SIZE, SIZE), dtype=np.uint8)
    for column, colour in enumerate(colours):
        pixels[20:26, 4 + 8 * column : 10 + 8 * column] = colour
    return pixels


def things_of(pixels: Pixels) -> list[Thing]:
    return [Thing((int(pixels[22, 6 + 8 * k]), 6, 6, 36), 6 + 8 * k, 22) for k in range(7)]


def pair_of(pixels: Pixels, first: int, second: int) -> tuple[Thing, Thing]:
    return things_of(pixels)[first], things_of(pixels)[second]


@pytest.mark.parametrize(
    ("examples", "before", "columns", "after"),
    [
        ([((8, 9, 3), (0, 1), (9, 8, 3)), ((9, 7, 3), (1, 2), (9, 3, 7))], (11, 8, 7, 9), (2, 3), (11, 8, 9, 7)),
        ([((8, 8, 9), (0, 1), (0, 0, 9)), ((8, 9, 9), (1, 2), (8, 0, 0))], (11, 11, 8, 8), (2, 3), (11, 11, 0, 0)),
        ([((8, 9, 3), (0, 1), (0, 8, 3)), ((9, 7, 3), (1, 2), (9, 0, 7))], (11, 8, 7, 9), (2, 3), (11, 8, 0, 7)),
        ([((8, 9, 3), (0, 1), (8, 8, 3)), ((9, 7, 3), (1, 2), (9, 7, 7))], (11, 8, 7, 9), (2, 3), (11, 8, 7, 7)),
        ([((8, 8, 3), (0, 2), (3, 3, 8)), ((3, 8, 8), (2, 0), (8, 3, 3))], (3, 8, 8, 3), (1, 3), (3, 3, 3, 8)),
    ],
    ids=["swap", "vanish", "move", "copy", "leap"],
)
def test_effects_of_pairs_are_expected_of_others(
    examples: list[tuple[tuple[int, ...], tuple[int, int], tuple[int, ...]]],
    before: tuple[int, ...],
    columns: tuple[int, int],
    after: tuple[int, ...],
) -> None:
    pairs = Pairs()
    for earlier, clicks, later in examples * 2:
        pixels = row_of(*earlier)
        pairs.learn(*pair_of(pixels, *clicks), pixels, row_of(*later))
    assert pairs.are_reliable
    pixels = row_of(*before)
    predicted = pairs.predict(pixels, *pair_of(pixels, *columns))
    assert predicted is not None
    assert (predicted == row_of(*after)).all()


def test_what_does_not_come_true_is_not_predicted() -> None:
    pairs, draws = Pairs(), np.random.default_rng(1)
    for _ in range(12):
        pixels = row_of(8, 9, 11)
        pairs.learn(*pair_of(pixels, 0, 1), pixels, row_of(*draws.integers(1, 15, 3).tolist()))
    assert not pairs.are_reliable
    assert pairs.predict(pixels, *pair_of(pixels, 0, 1)) is None


def test_pairs_are_planned_towards_an_aim() -> None:
    pairs = Pairs()
    for colours, columns in (((8, 9, 3), (0, 1)), ((9, 7, 3), (1, 2)), ((7, 8, 9), (0, 2)), ((3, 9, 8), (2, 1))) * 2:
        swapped = list(colours)
        swapped[columns[0]], swapped[columns[1]] = colours[columns[1]], colours[columns[0]]
        pixels = row_of(*colours)
        pairs.learn(*pair_of(pixels, *columns), pixels, row_of(*swapped))
    for _ in range(40):
        pairs.search.earn()
    start, end = row_of(8, 9, 11, 14), row_of(9, 11, 8, 14)
    assert pairs.can_plan
    clicks = pairs.plan(start, things_of(start)[:4], lambda key: False, lambda now: float((now == end).mean()))
    assert len(clicks) == 4
    assert clicks[0][1] == key_of(start), "the first click of a pair only selects"
    assert clicks[-1][1] == key_of(end)
