"""Frames of constructed states: everything that does not need a running game."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import vgdl
from vgdl import render
from vgdl.render import drawings, pictures, png

RED, BLUE, BLACK = (200, 0, 0), (0, 0, 200), (0, 0, 0)
UP, LEFT, DOWN, RIGHT, NONE = (0.0, -1.0), (-1.0, 0.0), (0.0, 1.0), (1.0, 0.0), (0.0, 0.0)


@dataclass
class Look:
    name: str = "thing"
    img: str | None = None
    color: tuple[int, int, int] | None = RED
    color_written: bool = False
    shrinkfactor: float = 1.0
    oriented: bool = False
    avatar: bool = False
    invisible: bool = False


@dataclass
class Game:
    looks: list[Look]


TYPE = np.dtype(
    [(column, np.bool_) for column in ("is_avatar", "is_npc", "is_resource", "portal", "is_static", "hidden")]
)


@dataclass
class Rules:
    table: dict[str, NDArray[Any]]


@dataclass
class Tables:
    rules: Rules


@dataclass
class State:
    """A level of cells of 10 pixels; a sprite is (type, x, y, orientation) and one cell large."""

    looks: list[Look]
    sprites: list[tuple[int, int, int, tuple[float, float]]]
    size: tuple[int, int] = (4, 3)
    block_size: int = 10
    kinds: tuple[str, ...] = ("is_static",)  #: what is true of each type
    game: Game = field(init=False)
    tables: Tables = field(init=False)

    def __post_init__(self) -> None:
        self.game = Game(self.looks)
        rows = np.zeros(len(self.looks), TYPE)
        for row, look in zip(rows, self.looks, strict=True):
            for column in ("is_avatar",) if look.avatar else self.kinds:
                row[column] = True
        self.tables = Tables(Rules({"types": rows}))

    @property
    def world_dimension(self) -> tuple[int, int]:
        return self.size[0] * self.block_size, self.size[1] * self.block_size

    def _drawing(self) -> list[render.Sprite]:
        return [(kind, x, y, self.block_size, self.block_size, *facing) for kind, x, y, facing in self.sprites]


def one(look: Look, facing: tuple[float, float] = NONE, block: int = 24) -> NDArray[np.uint8]:
    """The picture of one sprite in a level of one cell."""
    return render.frame(State([look], [(0, 0, 0, facing)], size=(1, 1)), block)


def drawn(name: str) -> NDArray[np.uint8]:
    """A drawing of ours at two pixels of the frame per pixel, on black."""
    pixels = drawings.find(name)
    assert pixels is not None
    return np.where(pixels[..., 3:] > 0, pixels[..., :3], 0).astype(np.uint8).repeat(2, axis=0).repeat(2, axis=1)


@pytest.mark.parametrize("block", [1, 7, 24, 48])
def test_a_frame_has_a_block_of_pixels_per_cell(block: int) -> None:
    frame = render.frame(State([], []), block)
    assert frame.shape == (3 * block, 4 * block, 3)
    assert frame.dtype == np.uint8
    assert not frame.any()


def test_a_block_has_at_least_one_pixel() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        render.frame(State([], []), 0)


def test_a_sprite_shows_its_drawing_where_it_stands() -> None:
    frame = render.frame(State([Look(img="sokoban/box")], [(0, 20, 10, NONE)]))
    assert np.array_equal(frame[24:48, 48:72], drawn("sokoban/box"))
    frame[24:48, 48:72] = 0
    assert not frame.any()


def test_a_known_pixel() -> None:
    assert one(Look(img="sokoban/hole"))[12, 12].tolist() == [0x17, 0x14, 0x1F]


def test_the_same_state_gives_the_same_frame() -> None:
    state = State([Look(img="sokoban/floor"), Look(color=None, oriented=True)], [(0, 0, 0, NONE), (1, 5, 5, UP)])
    assert np.array_equal(render.frame(state), render.frame(state))


def test_later_sprites_are_on_top_and_earlier_ones_show_through_the_gaps() -> None:
    looks = [Look(img="sokoban/floor"), Look(img="sokoban/keeper")]
    frame = render.frame(State(looks, [(0, 0, 0, NONE), (1, 0, 0, NONE)], size=(1, 1)))
    keeper = drawings.find("sokoban/keeper")
    assert keeper is not None
    solid = (keeper[..., 3] > 0).repeat(2, axis=0).repeat(2, axis=1)
    assert np.array_equal(frame[solid], drawn("sokoban/keeper")[solid])
    assert np.array_equal(frame[~solid], drawn("sokoban/floor")[~solid])


@pytest.mark.parametrize(("x", "y"), [(-5, 0), (35, 0), (0, -5), (0, 25), (35, 25), (-5, -5)])
@pytest.mark.parametrize("img", ["sokoban/box", "sokoban/floor"])
def test_drawings_are_clipped_at_the_screen(x: int, y: int, img: str) -> None:
    wide = render.frame(State([Look(img=img)], [(0, x + 10, y + 10, NONE)], size=(6, 5)))
    frame = render.frame(State([Look(img=img)], [(0, x, y, NONE)]))
    assert frame.any()
    assert np.array_equal(frame, wide[24:-24, 24:-24])


@pytest.mark.parametrize(("x", "y"), [(-10, 0), (-500, 0), (40, 0), (0, -10), (0, 30), (500, 500)])
def test_sprites_off_the_screen_are_not_drawn(x: int, y: int) -> None:
    assert not render.frame(State([Look(img="sokoban/floor")], [(0, x, y, NONE)])).any()


def test_a_shrunken_sprite_is_smaller_and_in_the_middle() -> None:
    frame = one(Look(img="sokoban/floor", shrinkfactor=0.5))
    assert frame[6:18, 6:18].all()
    frame[6:18, 6:18] = 0
    assert not frame.any()


@pytest.mark.parametrize(("factor", "covers"), [(float("nan"), True), (float("inf"), True), (1e9, True), (-1.0, False)])
def test_a_text_may_give_any_shrinkfactor(factor: float, covers: bool) -> None:
    frame = one(Look(img="sokoban/floor", shrinkfactor=factor))
    assert frame.shape == (24, 24, 3)
    assert bool(frame.any(axis=2).all()) is covers


def test_a_sprite_may_be_far_larger_than_the_screen() -> None:
    class Giant(State):
        def _drawing(self) -> list[render.Sprite]:
            return [(0, 0, 0, 2_000_000_000, 2_000_000_000, *NONE)]

    frame = render.frame(Giant([Look(img="sokoban/floor")], []))
    assert frame.any(axis=2).all()


def test_a_type_without_a_drawing_shows_its_colour() -> None:
    red, green, blue = one(Look(img="elsewhere/thing", color=RED))[12, 12].tolist()
    assert red > 2 * max(green, blue)
    red, green, blue = one(Look(color=BLUE))[12, 12].tolist()
    assert blue > 2 * max(red, green)


def test_a_colour_is_shown_as_it_is_written() -> None:
    orange = (250, 160, 0)
    assert tuple(one(Look(color=orange, color_written=True))[12, 12]) == orange
    game = vgdl.loads(
        "BasicGame\n    SpriteSet\n        rock > Immovable color=ORANGE\n    LevelMapping\n        r > rock\n"
    )
    assert tuple(game.start("r", seed=1).render(24)[12, 12]) == orange


def test_types_with_the_colour_of_their_class_can_be_told_apart() -> None:
    water, rock = one(Look(name="water", color=RED))[12, 12], one(Look(name="rock", color=RED))[12, 12]
    assert np.abs(water.astype(int) - rock.astype(int)).max() > 15


def test_a_type_without_a_colour_gets_a_visible_one_from_its_name() -> None:
    one_name, other_name = one(Look(name="ghost", color=None)), one(Look(name="pellet", color=None))
    assert one_name[12, 12].max() > 120
    assert not np.array_equal(one_name, other_name)
    assert np.array_equal(one_name, one(Look(name="ghost", color=None)))


def test_an_avatar_without_a_drawing_differs_from_other_sprites() -> None:
    assert not np.array_equal(one(Look(avatar=True)), one(Look()))


@pytest.mark.parametrize("avatar", [False, True])
def test_an_oriented_sprite_without_a_drawing_shows_its_direction(avatar: bool) -> None:
    look = Look(oriented=True, avatar=avatar)
    frames = [one(look, facing).tobytes() for facing in (UP, LEFT, DOWN, RIGHT, NONE)]
    assert len(set(frames)) == 5
    assert frames[4] == one(Look(avatar=avatar)).tobytes()


@pytest.mark.parametrize(("facing", "turns"), [(RIGHT, 0), (UP, 1), (DOWN, 3), ((-0.6, 0.8), 3), (NONE, 0)])
def test_the_drawing_of_an_oriented_avatar_is_turned(facing: tuple[float, float], turns: int) -> None:
    look = Look(img="aliens/raider", oriented=True, avatar=True)
    assert np.array_equal(one(look, facing), np.rot90(drawn("aliens/raider"), turns))


def test_an_avatar_that_faces_left_is_mirrored_and_not_upside_down() -> None:
    look = Look(img="jaws/diver", oriented=True, avatar=True)
    assert np.array_equal(one(look, LEFT), drawn("jaws/diver")[:, ::-1])


@pytest.mark.parametrize(("facing", "view"), [(UP, " up"), (DOWN, " down"), (RIGHT, "")])
def test_a_person_is_seen_from_behind_and_from_the_front(facing: tuple[float, float], view: str) -> None:
    look = Look(img="zelda/hero", oriented=True, avatar=True)
    assert np.array_equal(one(look, facing), drawn(f"zelda/hero{view}"))


def test_other_drawings_are_not_turned() -> None:
    assert np.array_equal(one(Look(img="aliens/shot", oriented=True), LEFT), drawn("aliens/shot"))
    assert np.array_equal(one(Look(img="aliens/cannon", avatar=True), LEFT), drawn("aliens/cannon"))


def test_an_invisible_sprite_is_not_drawn() -> None:
    assert not one(Look(invisible=True)).any()


def test_a_type_without_a_drawing_has_the_shape_of_its_category() -> None:
    kinds = [("is_npc",), ("is_resource",), ("portal",), ("is_static",), ("is_static", "hidden"), ()]
    frames = [render.frame(State([Look()], [(0, 0, 0, NONE)], (1, 1), kinds=kind)) for kind in kinds]
    assert len({frame.tobytes() for frame in [*frames, one(Look(avatar=True))]}) == 7
    assert all(frame[8:16, 8:16].any() for frame in frames)


# ------------------------------------------------------------------------------------------------- images of one's own


@pytest.fixture
def images(tmp_path: Path) -> render.Images:
    """A collection: a red image, sixteen tiles that differ in green, and an animation."""
    (tmp_path / "set").mkdir()
    png.write(tmp_path / "set" / "red.png", np.full((4, 4, 3), (250, 0, 0), np.uint8))
    for tile in range(16):
        png.write(tmp_path / "set" / f"wall_{tile}.png", np.full((4, 4, 3), (9, 10 * tile, 9), np.uint8))
    for number in range(3):
        png.write(tmp_path / "set" / f"walker_{number}.png", np.full((4, 4, 3), (9, 9, 50 + number), np.uint8))
    png.write(tmp_path.parent / "secret.png", np.zeros((4, 4, 3), np.uint8))
    (tmp_path / "broken.png").write_bytes(b"no image")
    return render.Images(tmp_path)


def test_an_image_of_the_collection_is_used_before_a_drawing(images: render.Images) -> None:
    state = State([Look(img="set/red"), Look(img="sokoban/box")], [(0, 0, 0, NONE), (1, 10, 0, NONE)])
    frame = render.frame(state, images=images)
    assert (frame[:24, :24] == (250, 0, 0)).all()
    assert np.array_equal(frame[:24, 24:48], drawn("sokoban/box"))


def test_a_tile_fits_its_neighbours(images: render.Images) -> None:
    """1 for a neighbour to the left, 2 to the right, 4 above, 8 below (language, autotiling)."""
    places = [(10, 10), (20, 10), (10, 20), (30, 0)]
    frame = render.frame(State([Look(img="set/wall")], [(0, x, y, NONE) for x, y in places]), images=images)
    greens = [frame[y * 24 // 10 + 5, x * 24 // 10 + 5, 1] // 10 for x, y in places]
    assert greens == [2 + 8, 1, 4, 0]


def test_an_animation_shows_its_first_image(images: render.Images) -> None:
    frame = render.frame(State([Look(img="set/walker")], [(0, 0, 0, NONE)]), images=images)
    assert frame[3, 3].tolist() == [9, 9, 50]


@pytest.mark.parametrize("name", ["../secret", "broken", "nothing", "", "a" * 5000, "\0", "/etc/passwd"])
def test_other_names_have_no_image(images: render.Images, name: str) -> None:
    assert images.find(name) is None


def test_transparent_pixels_of_an_image_show_the_sprite_below(tmp_path: Path) -> None:
    half = np.full((2, 2, 4), 255, np.uint8)
    half[:, 0, 3] = 0
    png.write(tmp_path / "half.png", half)
    looks = [Look(img="sokoban/floor"), Look(img="half")]
    frame = render.frame(State(looks, [(0, 0, 0, NONE), (1, 0, 0, NONE)], (1, 1)), images=render.Images(tmp_path))
    assert np.array_equal(frame[:, :12], drawn("sokoban/floor")[:, :12])
    assert (frame[:, 12:] == 255).all()


def test_a_missing_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotADirectoryError, match="no folder"):
        render.Images(tmp_path / "nothing")


def floor_with_keepers(columns: int, rows: int) -> State:
    """Floor in every cell, and a keeper on every sixth."""
    floor = [(0, 10 * x, 10 * y, NONE) for y in range(rows) for x in range(columns)]
    keepers = [(1, x, y, NONE) for _, x, y, _ in floor[::6]]
    looks = [Look(img="sokoban/floor"), Look(img="sokoban/keeper")]
    return State(looks, floor + keepers, size=(columns, rows))


def time_of_a_frame(state: State) -> float:
    """CPU time of the fastest of thirty frames, in seconds."""
    times = []
    for _ in range(30):
        start = time.process_time()
        render.frame(state)
        times.append(time.process_time() - start)
    return min(times)


@pytest.mark.xdist_group("clock")
def test_drawing_time_is_linear_in_the_number_of_cells() -> None:
    """With sixteen times as many."""
    assert time_of_a_frame(floor_with_keepers(60, 40)) < 40 * time_of_a_frame(floor_with_keepers(15, 10))


def test_a_frame_scales_a_picture_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many sprites share it."""
    scaled: list[tuple[int, ...]] = []
    scale = pictures.scale

    def counted(pixels: NDArray[np.uint8], width: int, height: int) -> NDArray[np.uint8]:
        scaled.append(pixels.shape)
        return scale(pixels, width, height)

    monkeypatch.setattr(pictures, "scale", counted)
    render.frame(floor_with_keepers(15, 10))
    assert len(scaled) == 2
