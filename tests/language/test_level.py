"""Level files (language, 1 and 11.2)."""

from pathlib import Path

import pytest

from vgdl.language import Level, VGDLError, read_level, read_level_file


def test_size_is_that_of_the_first_line_and_all_lines() -> None:
    level = read_level("wwww\nw\nwwwwww\n")
    assert (level.width, level.height) == (4, 3)
    assert level.lines == ("wwww", "w", "wwwwww")


def test_cells() -> None:
    level = read_level("abc\nd\nefghi")
    rows = ["".join(level.cell(row, column) for column in range(level.width)) for row in range(level.height)]
    assert rows == ["abc", "d  ", "efg"]


def test_lines_are_taken_as_they_are() -> None:
    level = read_level("# \t\n  a\r\n")
    assert level.lines == ("# \t", "  a")
    assert level.cell(0, 0) == "#"
    assert level.cell(0, 2) == "\t"


def test_empty_lines_are_rows() -> None:
    level = read_level("\nab\n\n\n")
    assert (level.width, level.height) == (0, 4)


@pytest.mark.parametrize(("row", "column"), [(-1, 0), (0, -1), (2, 0), (0, 3)])
def test_there_is_nothing_outside(row: int, column: int) -> None:
    with pytest.raises(IndexError, match="outside a level of 2 rows, 3 columns"):
        read_level("abc\nabcde").cell(row, column)


def test_an_empty_level_is_fatal(tmp_path: Path) -> None:
    with pytest.raises(VGDLError, match=r"^yard_lvl0.txt: the level is empty"):
        read_level("", "yard_lvl0.txt")
    path = tmp_path / "yard_lvl0.txt"
    path.touch()
    with pytest.raises(VGDLError, match="the level is empty"):
        read_level_file(path)


def test_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "yard_lvl0.txt"
    path.write_bytes(b"ab\r\ncd\r\n")
    level = read_level_file(path)
    assert isinstance(level, Level)
    assert level.lines == ("ab", "cd")
    assert level.source.name == str(path)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_byte_order_mark_is_no_cell(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "yard_lvl0.txt"
    path.write_bytes("äb\ncd\n".encode(encoding))
    assert read_level_file(path).lines == ("äb", "cd")


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(VGDLError, match="cannot be read"):
        read_level_file(tmp_path)
