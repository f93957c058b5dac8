"""``vgdl-compete generate archive``: an archive of feasible levels of a game, for training."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

import vgdl
from vgdl import VGDLError
from vgdl.cli import Parser, counted, program
from vgdl.controllers.base import Timer
from vgdl.generation.archives import ArchivedLevel, make_archive
from vgdl.generation.interface import Size
from vgdl.judging.profile import BANDS
from vgdl.option_types import above_zero, seed, whole

_MOST_LEVELS = 100_000
_LONGEST_MINUTES = 1e6

_DESCRIPTION = """\
Make an archive of feasible levels of a game, for training on ever new levels.

Every level has been won, and the winning play is stored with it. Environments draw from the file:
gymnasium.make("vgdl/Aliens-v0", levels="generated:aliens.levels?difficulty=medium")."""


def main(arguments: Sequence[str]) -> int:
    """Run the command; returns its exit status, or raises `SystemExit` for a wrong command line."""
    parser = Parser(
        prog=f"{program('compete')} generate archive",
        description=_DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("game", metavar="GAME", help="a bundled game, or a game file")
    parser.add_argument("--out", metavar="FILE", type=Path, help="the archive (default: GAME.levels)")
    parser.add_argument(
        "--levels", type=whole(1, _MOST_LEVELS), default=1000, metavar="N", help="number of levels (default: 1000)"
    )
    parser.add_argument("--size", metavar="CxR", help="size of all levels (default: that of the game's first level)")
    parser.add_argument(
        "--minutes",
        type=above_zero(_LONGEST_MINUTES, "minutes"),
        default=20.0,
        metavar="M",
        help="CPU time at most (default: 20)",
    )
    parser.add_argument("--seed", type=seed, default=0, metavar="S", help="seed of all random choices (default: 0)")
    options = parser.parse_args(arguments)
    console = Console(stderr=True)
    try:
        game = vgdl.load(options.game)
        size = Size.parse(options.size) if options.size else _size_of(game)
        out = options.out or Path(f"{game.name}.levels")
        if not out.absolute().parent.is_dir() or out.is_dir():
            parser.error(f"{out} cannot be written: expected a file in an existing folder")
        timer = Timer(60_000 * options.minutes, clock=time.process_time_ns)
        with console.status("searching") as status:
            archive = make_archive(
                game,
                size,
                options.levels,
                options.seed,
                timer,
                lambda levels: status.update(_line(levels, options.levels)),
            )
    except (VGDLError, ValueError) as error:
        parser.error(str(error))
    if not archive.levels:
        console.print(f"no feasible level of {game.name} was found in {options.minutes:g} minutes of CPU time")
        return 1
    archive.write(out)
    seconds = timer.elapsed_ms / 1000
    made = f"{counted(len(archive.levels), 'level')} of {game.name}, {_bands(archive.levels)}"
    print(f"{out}: {made}; {seconds:.0f} s of CPU time")
    return 0 if len(archive.levels) == options.levels else 1


def _size_of(game: vgdl.Game) -> Size:
    """The size of a game's first level.

    Raises:
        VGDLError: it has none.
    """
    if not game.levels:
        raise VGDLError(f"{game.name} has no levels", expected=["--size 12x9"])
    level = game.board(0).level
    return Size.of(level.width, level.height)


def _bands(levels: Sequence[ArchivedLevel]) -> str:
    return ", ".join(f"{sum(level.band == band for level in levels)} {band}" for band in BANDS)


def _line(levels: Sequence[ArchivedLevel], count: int) -> str:
    return f"{len(levels)} of {count} levels: {_bands(levels)}"
