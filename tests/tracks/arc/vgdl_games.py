"""Small VGDL games, written to a folder, as ARC games."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

from vgdl.competition.tracks.arc.game import VgdlGame, from_folder
from vgdl.competition.tracks.arc.options import Options, Way

BUTTON = """
BasicGame
    SpriteSet
        floor > Immovable hidden=True
        goal > Immovable
        trap > Immovable
        avatar > MovingAvatar
    LevelMapping
        . > floor
        g > floor goal
        t > floor trap
        A > floor avatar
    InteractionSet
        avatar EOS > stepBack
        goal avatar > killSprite
        avatar trap > killSprite
    TerminationSet
        SpriteCounter stype=avatar win=False
        SpriteCounter stype=goal win=True
"""
"""Two steps to the right win a level of ``A.g.t``; the last one loses it."""


def make(
    folder: Path,
    text: str = BUTTON,
    levels: tuple[str, ...] = ("A.g.t",),
    *,
    facts: str = "",
    way: Way = Way.KEYBOARD,
    options: Options | None = None,
    name: str = "toy",
) -> VgdlGame:
    """A game of a text and levels, whose rows are separated by slashes."""
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.txt").write_text(dedent(text).strip() + "\n")
    for number, level in enumerate(levels):
        (folder / f"{name}_lvl{number}.txt").write_text(level.replace("/", "\n") + "\n")
    if facts:
        (folder / f"{name}.toml").write_text(facts)
    (game,) = (game for game in from_folder(folder, [way], options) if game.game.name == name)
    return game
