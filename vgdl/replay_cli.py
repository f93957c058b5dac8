"""The command ``vgdl-replay``: replays recorded plays, verifies their results, and shows them."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from rich.table import Table

from vgdl import Board, VGDLError, VGDLRuntimeError
from vgdl.cli import Parser, program
from vgdl.option_types import positive, whole
from vgdl.play.saving import Baseline, baselines
from vgdl.render import BLOCK, gif, mp4, png
from vgdl.render.ansi import has_display
from vgdl.replay import GameNotFound, Replay, Result, Verdict, advance, find_board, read, verify

_DESCRIPTION = """\
Play replay files again, verify that they lead to the recorded result, and show them.

A replay file holds the game's name and hash, the seed and all actions. vgdl-play writes one for every play by hand,
vgdl-compete --replays DIR one for every play. A single file is shown in a window if there is a display."""

_EPILOG = """\
examples:
  vgdl-replay play.json                         verify, and show in a window
  vgdl-replay --no-show plays/*.json            verify many
  vgdl-replay play.json --gif play.gif          an animation
  vgdl-replay --baselines plays/*.json          results of human players, level by level

The exit status is 0 if every file leads to its recorded result, 1 if one does not, 2 if one cannot be played or the
command line is wrong."""

TICK_MS = 40  #: milliseconds for which an animation shows a tick
_MOST_PIXELS = 200  #: per cell of a file: larger pictures of large boards do not fit into memory


@dataclass(frozen=True, slots=True)
class Checked:
    """A file with its replay and verdict, or the error that prevented replaying it."""

    path: str
    replay: Replay | None = None
    verdict: Verdict | None = None
    error: str = ""

    @property
    def finding(self) -> str:
        """The verdict or the error as text."""
        if self.verdict is None:
            return self.error
        changed = [
            what
            for what, has_changed in (("game", self.verdict.game_changed), ("level", self.verdict.level_changed))
            if has_changed
        ]
        finding = "same result" if self.verdict.same else "DIFFERENT RESULT"
        if changed:
            finding += f" (the text of the {' and the '.join(changed)} has changed since)"
        return f"{finding}: {self.verdict.error}" if self.verdict.error else finding


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status."""
    parser = _parser()
    options = parser.parse_args(arguments)
    _check_options(parser, options)
    if options.baselines:
        _print_baselines(baselines(options.files, options.games), as_json=options.json)
        return 0
    files = track(options.files, "replaying", console=Console(stderr=True), transient=True)
    checked = [check(path, options.games) for path in files]
    if options.json:
        json.dump([_as_json(row) for row in checked], sys.stdout, indent=1)
        print()
    else:
        Console().print(_table(checked))
    if any(row.verdict is None for row in checked):
        return 2
    try:
        _show(checked[0], options)
    except OSError as error:
        parser.error(f"cannot write {error.filename or 'the file'}: {error.strerror or error}")
    except RuntimeError as error:
        parser.error(str(error))
    return 0 if all(row.verdict and row.verdict.same for row in checked) else 1


def _check_options(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    """Exit with a message for options that cannot be combined."""
    for folder in options.games:
        if not folder.is_dir():
            parser.error(f"there is no folder {folder}")
    for name in ("gif", "mp4"):
        path = getattr(options, name)
        if path is not None and not path.absolute().parent.is_dir():
            parser.error(f"there is no folder for {path}")
    if len(options.files) > 1 and (options.show or options.gif or options.mp4 or options.png):
        parser.error("--show, --gif, --mp4 and --png take one replay at a time")
    if options.show is None:
        options.show = len(options.files) == 1 and not options.json and sys.stdout.isatty() and has_display()
        options.show &= not (options.gif or options.mp4 or options.png)


def _show(row: Checked, options: argparse.Namespace) -> None:
    """Write and show one replay according to the options."""
    if not (options.show or options.gif or options.mp4 or options.png):
        return
    assert row.replay is not None
    assert row.verdict is not None
    board = find_board(row.replay, options.games)
    pictures = _Pictures(row.replay, board, options.block, options.every)
    if options.gif:
        gif.write(options.gif, pictures, TICK_MS * options.every)
    if options.mp4:
        mp4.write(options.mp4, pictures, 1000 / (TICK_MS * options.every))
    if options.png:
        options.png.mkdir(parents=True, exist_ok=True)
        for number, picture in enumerate(pictures):
            png.write(options.png / f"frame_{number * options.every:04}.png", picture)
    if options.show:
        from vgdl.play.watching import show

        show(row.replay, board, row.verdict)


@dataclass(frozen=True, slots=True)
class _Pictures:
    """The frames of a replay, from the start to the end."""

    replay: Replay
    board: Board
    block: int
    every: int  #: ticks between frames; the final state is always included

    def __iter__(self) -> Iterator[NDArray[np.uint8]]:
        state = self.board.start(self.replay.seed)
        yield state.render(self.block)
        last = len(self.replay.actions)
        ticks = track(self.replay.actions, "drawing", console=Console(stderr=True), transient=True)
        for number, names in enumerate(ticks, 1):
            advance(state, names, self.replay.stirring)
            if number % self.every == 0 or number == last:
                yield state.render(self.block)


def _print_baselines(baselines: Sequence[Baseline], *, as_json: bool) -> None:
    if as_json:
        json.dump([asdict(row) for row in baselines], sys.stdout, indent=1)
        print()
        return
    table = Table(title="people")
    for column in ("game", "level", "plays", "wins", "best score", "fewest ticks", "fewest actions"):
        table.add_column(column, overflow="fold")
    for row in baselines:
        fewest = ("–" if number is None else str(number) for number in (row.fewest_ticks, row.fewest_actions))
        table.add_row(row.game, row.level, str(row.plays), str(row.wins), f"{row.best_score:g}", *fewest)
    Console().print(table)


def check(path: Path, folders: Sequence[Path] = ()) -> Checked:
    """Read and replay a file; if that is not possible, the result has an ``error``."""
    try:
        replay = read(path)
        return Checked(str(path), replay, verify(replay, find_board(replay, folders)))
    except GameNotFound as error:
        return Checked(str(path), error=f"{error}; --games DIR names the folder of a game of your own")
    except (ValueError, VGDLError, VGDLRuntimeError) as error:
        return Checked(str(path), error=str(error))


def _table(checked: Sequence[Checked]) -> Table:
    table = Table()
    for column in ("file", "controller", "winner", "score", "ticks", "replayed"):
        table.add_column(column, overflow="fold")
    for row in checked:
        name = Path(row.path).name
        if row.replay is None:
            table.add_row(name, "", "", "", "", row.finding)
        else:
            cells = (" ".join(row.replay.controllers), *_cells(row.replay.result), row.finding)
            table.add_row(name, *cells)
    return table


def _cells(result: Result) -> tuple[str, str, str]:
    return " ".join(map(str, result.winners)), " ".join(f"{score:g}" for score in result.scores), str(result.tick)


def _as_json(row: Checked) -> dict[str, Any]:
    verdict = None if row.verdict is None else {**asdict(row.verdict), "same": row.verdict.same}
    return {"file": row.path, "verdict": verdict, "error": row.error}


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog=program("replay"),
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="replay file")
    parser.add_argument(
        "--games", action="append", type=Path, default=[], metavar="DIR",
        help="folder to look for the games in, besides the bundled ones; may be given more than once",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument(
        "--baselines", action="store_true", help="print the results of human players, level by level, and show nothing"
    )
    showing = parser.add_argument_group("showing one replay")
    showing.add_argument("--show", action=argparse.BooleanOptionalAction, help="show it in a window")
    showing.add_argument("--gif", type=Path, metavar="FILE", help="write an animation")
    showing.add_argument("--mp4", type=Path, metavar="FILE", help="write a video; needs: pip install vgdl[video]")
    showing.add_argument("--png", type=Path, metavar="DIR", help="write every frame as a PNG file into a folder")
    showing.add_argument(
        "--block",
        type=whole(1, _MOST_PIXELS),
        default=BLOCK,
        metavar="N",
        help=f"pixels per cell in the files written (default: {BLOCK})",
    )
    showing.add_argument(
        "--every", type=positive, default=1, metavar="N", help="write every Nth tick only (default: 1)"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
