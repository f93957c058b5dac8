"""Games are found inside Python sources, HTML pages and answers of language models."""

from __future__ import annotations

import html

import pytest

import vgdl
from vgdl.language.embedded import find_games, is_game

GAME = """\
BasicGame
    SpriteSet
        gem > Immovable
    LevelMapping
        g > gem
    InteractionSet
        gem avatar > killSprite
    TerminationSet
        SpriteCounter stype=gem limit=0 win=True
"""
LEVEL = "wwww\nwAgw\nwwww\n"
INDENTED = "".join(f"    {line}\n" for line in GAME.splitlines())

FILES = {
    "a page": (".html", f"<html><p>A game:</p>\n<pre>{html.escape(GAME)}</pre>\n<pre>{LEVEL}</pre></html>", 2),
    "a page with code": (".html", f"<html><pre><code>\n{html.escape(GAME)}</code></pre></html>", 2),
    "a script in a page": (".html", f"<script>\nlet game = `{GAME}`;\n</script>", 2),
    "a Python source": (".py", f'import vgdl\nGAME = """{GAME}"""\nLEVEL = """{LEVEL}"""\n', 2),
    "an indented Python string": (".py", f'def game():\n    return """\n{INDENTED}    """\n', 3),
    "an answer": (".txt", f"Here it is.\n\n```vgdl\n{GAME}```\n\nA level:\n```\n{LEVEL}```\n", 4),
    "an answer without an end": (".md", f"Sure!\n~~~\n{GAME}", 3),
    "a text between prose": (".txt", f"My game is\n{GAME}\nand that is all.\n", 2),
}


@pytest.mark.parametrize("name", FILES)
def test_a_game_is_found_with_its_line(name: str) -> None:
    suffix, text, line = FILES[name]
    [found] = find_games(text, suffix)
    game = vgdl.loads(found.game.in_place, strict=True)
    header = next(number for number, row in enumerate(game.text.splitlines(), 1) if "SpriteSet" in row)
    assert header == line + 1
    assert "SpriteSet" in text.splitlines()[header - 1]
    for level in found.levels:
        game.start(level.text, seed=1)
    assert len(found.levels) == (LEVEL in text)


def test_a_file_without_a_game_has_none() -> None:
    assert find_games("BasicGame is a word.\n", ".txt") == []
    assert find_games("x = 1\n", ".py") == []
    assert find_games("def (", ".py") == []
    assert is_game(f"# mine\n\n{GAME}")
    assert not is_game(f"text\n{GAME}")
