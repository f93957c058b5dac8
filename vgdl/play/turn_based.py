"""Turn-based games in ``vgdl-play``: a board in the window, or text in the terminal."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import TYPE_CHECKING

from vgdl import VGDLError, games
from vgdl.extras import needs
from vgdl.language import nearest

if TYPE_CHECKING:
    from vgdl.play.board import BoardScreen
    from vgdl.play.table import Table

_SHORT = re.compile(r"\s*([\w-]+)\s*(\(.*\))?\s*", re.DOTALL)


def is_turn_based(name: str | None) -> bool:
    """Whether a name is one of a turn-based game: a class in a Python file, or none of a VGDL game."""
    from vgdl.tabletop import loading

    if name and loading.is_in_file(name):
        return True
    found = _SHORT.fullmatch(name or "")
    if found is None or "\n" in found[0] or games.is_bundled(found[0]) or Path(found[0]).exists():
        return False
    return found[1] in loading.names()


def unknown(name: str) -> VGDLError:
    """The error for a name that no game has, of either kind."""
    from vgdl.tabletop import loading

    more = "" if loading.has_open_spiel() else f"; {needs('any other turn-based game', 'OpenSpiel', 'tabletop')}"
    return VGDLError(
        f"no game named {name!r}, and no such file",
        expected=["the name of a bundled game", "the path of a game file", f"a turn-based game such as othello{more}"],
        suggestion=nearest(name.partition("(")[0].strip(), [*games.names(), *loading.names()]),
    )


def table(options: argparse.Namespace) -> Table:
    """The game that the command line requests, with its players.

    Raises:
        ValueError: the game's parameters are wrong, or an option is not for turn-based games.
        LookupError: a program is unknown.
    """
    from vgdl.play.table import Table, line_up
    from vgdl.tabletop import load

    if options.level is not None:
        raise ValueError(f"{options.name} has no levels")
    game = load(options.name)
    players = line_up(game, options.controller, options.player)
    return Table(game, players, milliseconds=options.think, seed=options.seed)


def has_board(at: Table) -> bool:
    """Whether there is a drawing of the game; others are played in the terminal."""
    from vgdl.tabletop.othello_game import Othello

    return isinstance(at.game, Othello)


def board(at: Table, *, paused: bool) -> BoardScreen:
    """The screen for a game that has one."""
    from vgdl.play.board import BoardScreen

    return BoardScreen(at, paused=paused)
