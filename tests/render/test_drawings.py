"""The bundled drawings, and their text format."""

from __future__ import annotations

import pytest

from vgdl.render import drawings

PALETTE = {".": (0, 0, 0, 0), "r": (200, 0, 0, 255)}
ROW = "r" * drawings.SIZE


def test_a_sheet_is_read_into_pixels() -> None:
    rows = ["." + ROW[1:], *[ROW] * (drawings.SIZE - 1)]
    pixels = drawings.parse_sheet("\n".join(["thing", *rows]), PALETTE)["thing"]
    assert pixels.shape == (drawings.SIZE, drawings.SIZE, 4)
    assert pixels[0, 0].tolist() == [0, 0, 0, 0]
    assert pixels[0, 1].tolist() == [200, 0, 0, 255]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([ROW] * (drawings.SIZE - 1), "expected 12 rows"),
        ([ROW] * (drawings.SIZE - 1) + [ROW + "r"], "expected 12 rows"),
        ([ROW] * (drawings.SIZE - 1) + ["?" + ROW[1:]], r"\['\?'\] are not in the palette"),
    ],
)
def test_a_drawing_of_wrong_size_or_colour_is_refused(rows: list[str], message: str) -> None:
    with pytest.raises(drawings.DrawingError, match=message):
        drawings.parse_sheet("\n".join(["thing", *rows]), PALETTE)


def test_two_drawings_of_one_name_are_refused() -> None:
    block = "\n".join(["thing", *[ROW] * drawings.SIZE])
    with pytest.raises(drawings.DrawingError, match="twice"):
        drawings.parse_sheet(f"{block}\n\n{block}", PALETTE)


def test_every_back_view_has_a_front_view_and_belongs_to_a_drawing() -> None:
    """Views are not drawings that a game text can name."""
    for name in drawings.names():
        up, down = (drawings.find(f"{name} {view}") for view in ("up", "down"))
        assert (up is None) == (down is None), name
    assert drawings.find("zelda/hero up") is not None
    assert not [name for name in drawings.names() if " " in name]


def test_a_letter_stands_for_one_colour() -> None:
    assert drawings.parse_palette(". transparent\nr #c80000 red\n") == PALETTE
    with pytest.raises(drawings.DrawingError, match="one new letter"):
        drawings.parse_palette("r #c80000 red\nr #00c800 green\n")


def test_all_drawings_differ() -> None:
    found = [drawings.find(name) for name in drawings.names()]
    assert len({pixels.tobytes() for pixels in found if pixels is not None}) == len(found)


@pytest.mark.parametrize("name", drawings.names())
def test_every_drawing_can_be_found_and_is_visible(name: str) -> None:
    pixels = drawings.find(name)
    assert pixels is not None
    assert (pixels[..., 3] > 0).sum() >= 4  # a pellet is four
    with pytest.raises(ValueError, match="read-only"):
        pixels[0, 0, 0] = 1


@pytest.mark.parametrize(
    "name", ["aliens/nobody", "nosheet/cannon", "palette/r", "aliens", "../aliens", "", "/", "a" * 5000, "\0/a"]
)
def test_other_names_have_no_drawing(name: str) -> None:
    assert drawings.find(name) is None
