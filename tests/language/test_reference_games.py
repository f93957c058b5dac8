"""The games of the reference parse, damaged ones too; skipped where they are not available."""

import re
from pathlib import Path

import pytest

from hostile import mutations
from vgdl.language import Description, SectionKind, SpriteLine, VGDLError, parse, parse_file, read_level_file

REFERENCE = Path(__file__).parents[2].parent / "shared" / "conformance" / "games"
GAMES = sorted(path for path in REFERENCE.rglob("*.txt") if not re.search(r"_lvl\d+$", path.stem))
LEVELS = sorted(set(REFERENCE.rglob("*.txt")) - set(GAMES))
MUTANTS_PER_GAME = 20

pytestmark = pytest.mark.skipif(not GAMES, reason="the reference's games are not here")


def definitions(description: Description) -> int:
    """The number of sprite lines with a mark, at all depths."""
    waiting, number = list(description.entries(SectionKind.SPRITES)), 0
    while waiting:
        line = waiting.pop()
        assert isinstance(line, SpriteLine)
        number += line.is_definition
        waiting += line.children
    return number


@pytest.mark.parametrize("path", GAMES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_game_parses_without_warnings(path: Path) -> None:
    description, warnings = parse_file(path)
    assert not warnings
    kinds = {section.kind for section in description.sections}
    assert kinds >= {SectionKind.SPRITES, SectionKind.INTERACTIONS, SectionKind.TERMINATIONS}
    # Counted in another way: lines with a mark between the header of the sprites and the next.
    text = re.sub("#.*", "", path.read_text())
    block = re.search(
        r"\bSpriteSet\b(.*?)(?:LevelMapping|InteractionSet|TerminationSet|ParameterSet)\s", text, re.DOTALL
    )
    assert block is not None
    assert definitions(description) == len(re.findall(r"\s>\s", block[1] + "\n"))


def test_levels_are_read() -> None:
    for path in LEVELS:
        level = read_level_file(path)
        assert level.height == len(path.read_text().splitlines())
        assert level.width == len(path.read_text().splitlines()[0])


@pytest.mark.costly
def test_damaged_games_parse_or_are_refused() -> None:
    for path in GAMES:
        text = path.read_text()
        for label, mutant in mutations.many_mutations(text, MUTANTS_PER_GAME, seed=5):
            try:
                parse(mutant)
            except VGDLError as error:
                assert str(error)
            except Exception as error:
                raise AssertionError(f"mutant {label} of {path.name}") from error
