"""Drawing levels with the mouse, trying and saving them."""

from __future__ import annotations

from pathlib import Path

import pygame
import pytest

import vgdl
from play.conftest import screen_of
from play.window import RACE, Open, Window
from vgdl.play.editor import EditScreen
from vgdl.play.playing import PlayScreen
from vgdl.play.sketch import Sketch, background_of, mapping_of, topmost


def editor(window: Window) -> EditScreen:
    found: EditScreen = screen_of(window, EditScreen)
    return found


def at(window: Window, column: int, row: int) -> tuple[int, int]:
    """The middle of a cell on the screen."""
    place, sketch = editor(window).place, editor(window).sketch
    x, y = (2 * column + 1) * place.width // (2 * sketch.columns), (2 * row + 1) * place.height // (2 * sketch.rows)
    return place.left + x, place.top + y


def test_a_level_is_drawn_tried_and_saved(opened: Open, folder: Path) -> None:
    window = opened("--edit", "race_lvl2.txt", "--size", "5x2")
    assert editor(window).sketch.text == ".....\n.....\n"
    window.type("A")
    window.click(at(window, 0, 0))
    window.click(editor(window).choices["g"].center)
    window.click(at(window, 2, 0))
    assert editor(window).sketch.text == "A.g..\n.....\n"

    window.press(pygame.K_F5)
    window.hold(pygame.K_RIGHT)
    window.ticks(3)
    assert screen_of(window, PlayScreen).match.outcome == "You won!"
    window.press(pygame.K_ESCAPE)

    window.control(pygame.K_s)
    assert (folder / "race_lvl2.txt").read_text() == "A.g..\n.....\n"
    assert len(vgdl.load("race.txt").levels) == 3
    assert not (folder / "data").exists(), "tries are not saved"
    window.press(pygame.K_ESCAPE)
    assert window.top is None


def test_right_erases_middle_picks_up_and_the_wheel_chooses(opened: Open) -> None:
    window = opened("--edit", "race_lvl1.txt")
    window.click(at(window, 1, 0), button=2)
    assert editor(window).chosen == "c"
    window.click(at(window, 3, 0), button=3)
    assert editor(window).sketch.text.startswith("Ac..\n")
    pygame.event.post(pygame.event.Event(pygame.MOUSEWHEEL, y=-1))
    window.wait()
    assert editor(window).chosen == "A"


def test_a_stroke_is_undone_as_a_whole(opened: Open) -> None:
    window = opened("--edit", "race_lvl0.txt")
    window.type("c")
    pygame.event.post(pygame.event.Event(pygame.MOUSEBUTTONDOWN, pos=at(window, 0, 1), button=1))
    for column in (1, 2):
        place = at(window, column, 1)
        pygame.event.post(pygame.event.Event(pygame.MOUSEMOTION, pos=place, rel=(1, 0), buttons=(1, 0, 0)))
    pygame.event.post(pygame.event.Event(pygame.MOUSEBUTTONUP, pos=at(window, 2, 1), button=1))
    window.wait()
    assert editor(window).sketch.text == "A..g\nccc.\n"
    window.control(pygame.K_z)
    assert editor(window).sketch.text == "A..g\n....\n"


def test_the_level_grows_and_shrinks(opened: Open) -> None:
    window = opened("--edit", "race_lvl0.txt")
    window.control(pygame.K_RIGHT)
    window.control(pygame.K_DOWN)
    assert editor(window).sketch.text == "A..g.\n.....\n.....\n"
    for _ in range(4):
        window.control(pygame.K_LEFT)
        window.control(pygame.K_UP)
    assert editor(window).sketch.text == "A\n"
    for _ in range(8):
        window.control(pygame.K_z)
    assert editor(window).sketch.text == "A..g\n....\n"


def test_changes_are_not_lost_by_one_key(opened: Open, folder: Path) -> None:
    window = opened("--edit", "race_lvl0.txt")
    window.type("c")
    window.click(at(window, 1, 0))
    window.press(pygame.K_ESCAPE)
    assert "Not saved" in editor(window).message
    window.press(pygame.K_ESCAPE)
    assert window.top is None
    assert (folder / "race_lvl0.txt").read_text() == "A..g\n....\n"


def test_a_level_that_cannot_be_played_says_why(opened: Open, folder: Path) -> None:
    (folder / "race.txt").write_text(RACE.replace("c > floor coin", "c > floor coyn"))
    window = opened("--edit", "race_lvl2.txt", "--size", "2x1")
    window.type("c")
    window.click(at(window, 0, 0))
    window.press(pygame.K_F5)
    assert "coyn" in editor(window).message


def test_a_level_without_an_avatar_is_shown_and_tried(opened: Open) -> None:
    window = opened("--edit", "race_lvl2.txt", "--size", "3x2")
    window.press(pygame.K_F5)
    window.ticks(2)
    window.press(pygame.K_ESCAPE)
    assert editor(window).sketch.columns == 3


def test_unmapped_characters_are_kept(opened: Open, folder: Path) -> None:
    (folder / "race_lvl0.txt").write_text("A?g\n.\n")
    window = opened("--edit", "race_lvl0.txt")
    window.click(at(window, 1, 0), button=2)
    assert editor(window).chosen != "?"
    assert editor(window).sketch.text == "A?g\n.  \n"


def test_a_failure_to_save_is_shown(opened: Open, folder: Path) -> None:
    window = opened("--edit", "race_lvl2.txt")
    (folder / "race_lvl2.txt").mkdir()
    window.control(pygame.K_s)
    assert editor(window).message.startswith("Not saved")


def test_the_sketch_looks_like_the_game(opened: Open) -> None:
    """The picture of the sketch is that of the first state."""
    from vgdl.play.sketch import SketchState
    from vgdl.render import frame

    game = vgdl.load("sokoban")
    state = game.start(0, 1)
    cells = [list(line) for line in state.board.level.lines]
    assert (frame(SketchState(game, mapping_of(game), cells)) == state.render()).all()


def test_an_entry_of_the_palette_has_the_name_of_the_topmost_sprite() -> None:
    game = vgdl.loads(RACE.replace("g > floor goal", "g > goal floor"))
    assert topmost(game, mapping_of(game)["g"]) == "goal"
    assert topmost(game, ()) == ""


def test_the_background_is_found_without_a_dot() -> None:
    game = vgdl.loads(RACE.replace(". > floor", "_ > floor"))
    assert background_of(game, mapping_of(game)) == "_"
    assert background_of(game, {"A": ("runner",)}) == " "


def test_nothing_happens_outside_of_the_level() -> None:
    sketch = Sketch.empty(2, 1, ".")
    sketch.put(5, 5, "A")
    sketch.put(-1, 0, "A")
    assert (sketch.text, sketch.saved) == ("..\n", True)


@pytest.mark.parametrize("size", [(480, 360), (1500, 500)])
def test_the_editor_fits_into_any_window(opened: Open, size: tuple[int, int]) -> None:
    window = opened("--edit", "race_lvl0.txt", size=size)
    assert window.app.surface.get_rect().contains(editor(window).place)
    assert all(window.app.surface.get_rect().contains(rect) for rect in editor(window).choices.values())
