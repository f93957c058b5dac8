"""The levels of the bundled games as texts: form, variety, and that nothing in them is out of reach."""

from __future__ import annotations

from pathlib import Path

import pytest

from vgdl import games
from vgdl.language import Argument, MappingLine, SectionKind, SpriteLine, parse_file
from vgdl.render import drawings

REFERENCE = Path(__file__).parents[3] / "shared" / "conformance" / "games"

ALL_LEVELS = [(name, level) for name in games.names() for level in games.levels(name)]
LEVEL_IDS = [level.stem for _, level in ALL_LEVELS]


def rows(level: Path) -> list[str]:
    return level.read_text(encoding="ascii").splitlines()


def mapping(name: str) -> dict[str, list[str]]:
    description, _ = parse_file(games.path(name))
    lines = [line for line in description.entries(SectionKind.MAPPING) if isinstance(line, MappingLine)]
    return {line.character: [str(sprite) for sprite in line.names] for line in lines if line.character}


def sprite_lines(name: str) -> list[SpriteLine]:
    description, _ = parse_file(games.path(name))
    lines = [line for line in description.entries(SectionKind.SPRITES) if isinstance(line, SpriteLine)]
    for line in lines:  # grows while it is walked
        lines.extend(child for child in line.children if isinstance(child, SpriteLine))
    return lines


def reachable(level: list[str], start: tuple[int, int], walls: str) -> set[tuple[int, int]]:
    """All (column, row) that can be walked to; stepping off the level is an error of the level."""
    seen = {start}
    todo = [start]
    while todo:
        column, row = todo.pop()
        for step in ((column, row - 1), (column - 1, row), (column, row + 1), (column + 1, row)):
            assert 0 <= step[0] < len(level[0]), "no wall at the left or right edge"
            assert 0 <= step[1] < len(level), "no wall at the upper or lower edge"
            if step not in seen and level[step[1]][step[0]] not in walls:
                seen.add(step)
                todo.append(step)
    return seen


def places(level: list[str], characters: str) -> set[tuple[int, int]]:
    return {(x, y) for y, row in enumerate(level) for x, character in enumerate(row) if character in characters}


@pytest.mark.parametrize("name", games.names())
def test_a_game_text_has_no_warnings(name: str) -> None:
    _, warnings = parse_file(games.path(name))
    assert warnings == []


@pytest.mark.parametrize(("name", "level"), ALL_LEVELS, ids=LEVEL_IDS)
def test_a_level_is_a_rectangle_of_mapped_characters_with_one_avatar(name: str, level: Path) -> None:
    lines = rows(level)
    assert {len(line) for line in lines} == {len(lines[0])}
    assert 12 <= len(lines[0]) <= 40
    assert set("".join(lines)) <= mapping(name).keys()
    assert len(places(lines, "A")) == 1


@pytest.mark.parametrize("name", games.names())
def test_mapped_names_are_sprite_types_of_the_game(name: str) -> None:
    defined = {str(line.name) for line in sprite_lines(name)}
    assert {sprite for sprites in mapping(name).values() for sprite in sprites} <= defined


@pytest.mark.parametrize("name", games.names())
def test_every_drawing_that_a_game_uses_exists_and_every_leaf_uses_one(name: str) -> None:
    inherited: dict[int, Argument | None] = {}
    for line in sprite_lines(name):  # parents before their children
        image = line.arguments.get("img", inherited.get(id(line)))
        inherited.update((id(child), image) for child in line.children)
        if image is not None:
            assert drawings.find(image.value) is not None
        assert image is not None or line.children, f"{line.name} has no image"


def test_all_levels_differ() -> None:
    texts = [level.read_text(encoding="ascii") for _, level in ALL_LEVELS]
    assert len(set(texts)) == len(texts)


@pytest.mark.skipif(not REFERENCE.is_dir(), reason="the reference's games are not at hand")
def test_no_level_is_one_of_the_reference() -> None:
    def shape(level: Path) -> tuple[str, ...]:
        """The layout without the choice of letters: every character by its first place in the text."""
        text = "\n".join(line.rstrip() for line in level.read_text(encoding="latin-1").splitlines()).strip()
        return tuple(chr(256 + text.index(character)) for character in text)

    theirs = {shape(level): level.name for level in REFERENCE.rglob("*_lvl*.txt")}
    assert theirs
    assert [theirs[shape(level)] for _, level in ALL_LEVELS if shape(level) in theirs] == []


@pytest.mark.parametrize("level", games.levels("butterflies"), ids=lambda level: level.stem)
def test_every_butterfly_and_cocoon_can_be_reached(level: Path) -> None:
    lines = rows(level)
    (start,) = places(lines, "A")
    assert places(lines, "bmo") <= reachable(lines, start, walls="T")


@pytest.mark.parametrize("name", ["aliens", "butterflies"])
def test_levels_get_harder(name: str) -> None:
    """Every level of aliens sends more aliens than the one before, every level of butterflies has more to catch."""
    coming = {"(": 10, ")": 8, "d": 1, "r": 1, "b": 1, "m": 1}
    loads = [sum(coming.get(character, 0) for character in level.read_text()) for level in games.levels(name)]
    assert loads == sorted(set(loads))


@pytest.mark.parametrize("level", games.levels("aliens"), ids=lambda level: level.stem)
def test_aliens_start_above_the_bunkers_and_the_cannon_stands_in_the_last_row(level: Path) -> None:
    lines = rows(level)
    ((_, cannon),) = places(lines, "A")
    assert cannon == len(lines) - 1
    assert max(y for _, y in places(lines, "()dr")) < min(y for _, y in places(lines, "n"))
