"""The referee refuses what is no level, no set of rules, or no game, and says why."""

from __future__ import annotations

from typing import Any

import pytest

from judging.small import COINS, OPEN, game
from vgdl.competition.tracks.generation.referee import Refused, check_game, check_level, check_rules
from vgdl.generation.interface import Size

SIZE = Size((8, 12), (4, 9))


def level(text: Any, mapping: Any = None) -> dict[str, Any]:
    return {"text": text, "mapping": mapping or {}}


@pytest.mark.parametrize(
    ("found", "message"),
    [
        (None, "expected a Level, got None"),
        (7, "expected a Level"),
        ({"text": OPEN}, "expected a Level"),
        (level(7), "expected the text of a level, got 7"),
        (level(""), "0 columns"),
        (level("w" * 10**6), "1000000 columns and 1 rows: expected 1 to 100"),
        (level("w\n" * 10**5), "100000 rows"),
        (level("www\nww\nwww\n"), "not equally long"),
        (level("www\nwAw\nwww\n"), "3 columns and 3 rows: expected 8-12x4-9"),
        (level(OPEN.replace("c", "?")), r"the character '\?', which stands for nothing: expected"),
        (level(OPEN.replace("c", "\\")), "stands for nothing"),
        (level(OPEN, {"X": "coin"}), "expected a mapping"),
        (level(OPEN, {"X": ["nosuch"]}), "'nosuch', which is no sprite"),
        (level(OPEN, {"": ["coin"]}), "one printable character"),
    ],
)
def test_levels_that_are_refused(found: Any, message: str) -> None:
    with pytest.raises(Refused, match=message):
        check_level(found, game(), SIZE)


def test_levels_that_are_accepted() -> None:
    assert check_level(OPEN, game(), SIZE).levels == (OPEN,)
    assert check_level(level(OPEN.removesuffix("\n")), game(), SIZE).levels == (OPEN,)
    own = check_level(level(OPEN.replace("c", "X"), {"X": ["floor", "coin"]}), game(), SIZE)
    assert "X > floor coin" in own.game


SPRITES = COINS.split("    InteractionSet")[0].removeprefix("BasicGame\n")
ENDS = ["SpriteCounter stype=hero win=False", "SpriteCounter stype=coin win=True"]


@pytest.mark.parametrize(
    ("interactions", "terminations", "message"),
    [
        (["coin hero > killSprite"], ENDS[:1], "no termination wins"),
        (["coin hero > killSprite"], ENDS[1:], "no termination loses"),
        (["coin hero > killSprit"], ENDS, "did you mean 'killSprite'"),
        (["coin hero > killSprite x=1"], ENDS, "no parameter 'x'"),
        (7, ENDS, "a list of lines"),
        ([None], ENDS, "a line of text"),
    ],
)
def test_rules_that_are_refused(interactions: Any, terminations: Any, message: str) -> None:
    with pytest.raises(Refused, match=message):
        check_rules({"interactions": interactions, "terminations": terminations, "groups": {}}, SPRITES, OPEN)


@pytest.mark.parametrize(
    ("found", "message"),
    [
        ("game", "expected GameTexts"),
        ({"game": COINS, "levels": []}, "1 to 5 levels"),
        ({"game": COINS, "levels": [OPEN] * 6}, "1 to 5 levels"),
        ({"game": COINS, "levels": [7]}, "the text of a level"),
        ({"game": "BasicGame", "levels": [OPEN]}, "SpriteSet"),
        ({"game": "x" * 200_000, "levels": [OPEN]}, "at most 100000 characters"),
        ({"game": COINS.replace("BasicGame", "BasicGame no_players=2"), "levels": [OPEN]}, "one player"),
        ({"game": COINS, "levels": [OPEN.replace("c", "%")]}, "stands for nothing"),
    ],
)
def test_games_that_are_refused(found: Any, message: str) -> None:
    with pytest.raises(Refused, match=message):
        check_game(found)


def test_whole_games_and_rules_are_accepted() -> None:
    assert check_game({"game": COINS, "levels": [OPEN]}).levels == (OPEN,)
    rules = {"interactions": ["coin hero > killSprite"], "terminations": ENDS, "groups": {}}
    assert "coin hero > killSprite" in check_rules(rules, SPRITES, OPEN).game
