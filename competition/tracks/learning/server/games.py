"""Games as the reference's learning server plays them: with 10 pixels per cell (learning, 5)."""

from __future__ import annotations

import re
from pathlib import Path

import vgdl
from vgdl.competition.errors import using
from vgdl.competition.tracks.learning.rules import LearningError, LearningRules
from vgdl.competition.tracks.learning.views import Course

BLOCK = 10
"""Pixels per cell."""

_SIZE = re.compile(r"\s+square_size\s*=\s*\S+")


def wire_course(path: Path, rules: LearningRules) -> Course:
    """A game with 10 pixels per cell, and the levels of the rules.

    Raises:
        LearningError: it is not a game for one player.
        vgdl.VGDLError: the game or a level cannot be loaded.
    """
    with using():
        original = Course.of(vgdl.load(path), rules)
    lines = original.game.text.splitlines()
    first = next(number for number, line in enumerate(lines) if line.split("#")[0].strip())
    words = _SIZE.sub("", lines[first]).split(maxsplit=1)
    lines[first] = " ".join([words[0], f"square_size={BLOCK}", *words[1:]])
    game = vgdl.loads("\n".join(lines) + "\n", name=original.game.name)
    files = original.game.levels
    boards = {level: game.board(str(files[level])) for level in original.boards}
    if next(iter(boards.values())).start(0).block_size != BLOCK:
        raise LearningError(f"{path}: the first line of the game does not take square_size={BLOCK}")
    return Course(game, boards)
