"""The referee: is what a generator returned a level, a set of rules, or a game? (generation, 3 and 4)"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import vgdl
from vgdl import Game, VGDLError
from vgdl.generation.interface import MOST_SIDE, LevelRefused, Rules, RulesRefused, Size, with_mapping
from vgdl.generation.ruleset import compose

MOST_LEVELS = 5  #: of a generated game
MOST_TEXT = 100_000  #: characters of a game


class Refused(ValueError):
    """What was returned cannot be judged; the message says why and what was expected."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """A game and levels to be judged, as texts."""

    game: str
    levels: tuple[str, ...]
    extra: dict[str, Any] = field(default_factory=dict)  #: the rules as they were returned


def check_level(answer: Any, game: Game, size: Size) -> Accepted:
    """A level for a game.

    Args:
        answer: the plain data that a generator returned.
        game: that the level is for.
        size: that was asked for.

    Raises:
        Refused: it is no level of this size, or the game cannot be played on it.
    """
    if isinstance(answer, str):
        answer = {"text": answer, "mapping": {}}
    if not isinstance(answer, dict) or set(answer) != {"text", "mapping"}:
        raise Refused(f"expected a Level, got {answer!r:.100}")
    text = _level_text(answer["text"], size)
    mapping = answer["mapping"]
    if not isinstance(mapping, dict) or not all(
        isinstance(names, list) and all(isinstance(name, str) for name in names) for names in mapping.values()
    ):
        raise Refused(f"expected a mapping of characters to lists of sprites, got {mapping!r:.100}")
    try:
        own = with_mapping(game, mapping) if mapping else game
        _check_board(own, text)
    except (LevelRefused, VGDLError) as error:
        raise Refused(str(error)) from None
    return Accepted(own.text, (text,))


def _level_text(text: Any, size: Size | None) -> str:
    if not isinstance(text, str):
        raise Refused(f"expected the text of a level, got {text!r:.100}")
    rows = text.removesuffix("\n").split("\n")
    columns = len(rows[0])
    if not 1 <= len(rows) <= MOST_SIDE or not 1 <= columns <= MOST_SIDE:
        raise Refused(f"a level of {columns} columns and {len(rows)} rows: expected 1 to {MOST_SIDE} of each")
    if any(len(row) != columns for row in rows):
        raise Refused("the rows of the level are not equally long")
    if size is not None and not size.fits(columns, len(rows)):
        raise Refused(f"a level of {columns} columns and {len(rows)} rows: expected {size}")
    return "\n".join(rows) + "\n"


def _check_board(game: Game, text: str) -> None:
    """Raise an error if a level cannot be built or the checker has a warning about it."""
    unknown = sorted(set(text) - {"\n", " "} - game.level_mapping.keys())
    if unknown:
        known = ", ".join(sorted(game.level_mapping))
        raise Refused(f"the level has the character {unknown[0]!r}, which stands for nothing: expected {known}")
    board = game.board(text)
    for warning in board.warnings:
        raise Refused(str(warning))
    board.start(0)


def check_rules(answer: Any, sprites: str, level: str) -> Accepted:
    """A set of rules for some sprites and a level.

    Raises:
        Refused: it is none, the checker has an error or a warning, or there is no termination that wins or loses.
    """
    if not isinstance(answer, dict) or set(answer) != {"interactions", "terminations", "groups"}:
        raise Refused(f"expected Rules, got {answer!r:.100}")
    groups = answer["groups"]
    if not isinstance(groups, dict) or not all(isinstance(members, list) for members in groups.values()):
        raise Refused(f"expected groups with lists of sprites, got {groups!r:.100}")
    rules = Rules(answer["interactions"], answer["terminations"], groups)
    try:
        game = compose(sprites, rules)
        game.board(level)
    except (RulesRefused, VGDLError) as error:
        raise Refused(str(error)) from None
    wins = {bool(row["win"][0]) for row in game._rules.tables.table["terminations"]}
    for win, word in ((True, "wins"), (False, "loses")):
        if win not in wins:
            raise Refused(f"no termination {word}: expected one with win={win}")
    return Accepted(game.text, (level,), answer)


def check_game(answer: Any) -> Accepted:
    """A whole game.

    Raises:
        Refused: it is none, or the checker has an error or a warning about the game or a level.
    """
    if not isinstance(answer, dict) or set(answer) != {"game", "levels"}:
        raise Refused(f"expected GameTexts, got {answer!r:.100}")
    text, levels = answer["game"], answer["levels"]
    if not isinstance(text, str) or len(text) > MOST_TEXT:
        raise Refused(f"expected the text of a game of at most {MOST_TEXT} characters")
    if not isinstance(levels, list) or not 1 <= len(levels) <= MOST_LEVELS:
        raise Refused(f"expected a list of 1 to {MOST_LEVELS} levels")
    try:
        game = vgdl.loads(text)
        for warning in game.warnings:
            raise Refused(str(warning))
        if game.n_players != 1 or game.parameters:
            raise Refused("expected a game for one player without open parameters")
        texts = tuple(_level_text(level, None) for level in levels)
        for level in texts:
            _check_board(game, level)
    except VGDLError as error:
        raise Refused(str(error)) from None
    return Accepted(text, texts)


def bundled_levels(game: Game) -> Sequence[str]:
    """The texts of a game's own levels."""
    return [path.read_text(encoding="utf-8") for path in game.levels]
