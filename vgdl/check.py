"""The command ``vgdl-check``: reports mistakes in game and level files, with location and suggestion."""

from __future__ import annotations

import argparse
import importlib
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import track
from rich.text import Text

import vgdl
from vgdl.cli import Parser, counted, program
from vgdl.language import Place, Report, VGDLError, VGDLRuntimeError, VGDLWarning
from vgdl.lint import in_order
from vgdl.render import Images, drawings

_LEVEL_NAME = re.compile(r"(?P<game>.+)_lvl(?P<number>\d+)")
_EPILOG = """\
Level files named <game>_lvl0.txt, <game>_lvl1.txt, ... next to a game are checked with it; naming such a level checks
its game. After an error the game or level cannot be played; after a warning it can, but probably not as intended, as
with cooldown=two.

The exit status is 0 without errors and warnings, 1 with any, 2 if the command line is wrong."""


@dataclass(slots=True)
class Checked:
    """A game file, its levels, and the findings."""

    game: Path
    levels: list[Path]
    errors: list[VGDLError | VGDLRuntimeError] = field(default_factory=list)
    warnings: list[VGDLWarning] = field(default_factory=list)

    @property
    def is_clean(self) -> bool:
        return not (self.errors or self.warnings)


def check(path: Path, levels: Iterable[Path], images: Images | None = None) -> Checked:
    """Load a game, check its values, and start each of the levels.

    Args:
        path: path of the game file.
        levels: paths of level files.
        images: a collection in which the names of ``img=`` are looked up, besides the drawings that come with vgdl.
    """
    checked = Checked(path, list(levels))
    try:
        game = vgdl.load(path)
    except VGDLError as error:
        checked.errors.append(error)
        return checked
    found = [*game.warnings, *game.lint(_known_pictures(images) if images else None)]
    for level in checked.levels:
        try:
            found += game.board(level).warnings
            game.start(level=level)
        except (VGDLError, VGDLRuntimeError) as error:
            checked.errors.append(error)
    checked.warnings += _distinct(found, checked.errors)
    return checked


def _known_pictures(images: Images) -> Callable[[str], bool]:
    return lambda name: images.find(name) is not None or drawings.find(name) is not None


def _distinct(warnings: Iterable[VGDLWarning], errors: Iterable[Report]) -> list[VGDLWarning]:
    """One warning per location: those of the game in the order of its lines, then those of its levels."""
    reported = {_where(error) for error in errors if error.place}
    distinct = []
    for warning in warnings:
        if warning.place is None or _where(warning) not in reported:
            reported.add(_where(warning))
            distinct.append(warning)
    source = distinct[0].source if distinct else None
    return sorted(distinct, key=lambda warning: (0, *in_order(warning)) if warning.source is source else (1, 0, 0))


def _where(report: Report) -> tuple[str, Place | None]:
    return report.source.name if report.source else "", report.place


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status, or raises `SystemExit` for a wrong command line."""
    arguments = sys.argv[1:] if argv is None else argv
    if "--play" in arguments:  # judges play it: another command with other options
        return int(importlib.import_module("vgdl.judging.command").main(arguments))
    parser = _argument_parser()
    options = parser.parse_args(arguments)
    for path in [*options.files, *options.level]:
        is_pipe = path in options.files and path.is_fifo()  # as /dev/stdin often is; it can be read once
        if not path.is_file() and not is_pipe:
            parser.error(f"{path} is a folder" if path.is_dir() else f"no such file: {path}")
    games = list(dict.fromkeys(_game_of(path) for path in options.files))
    if options.level and len(games) > 1:
        parser.error("--level needs exactly one game")
    try:
        images = Images(options.sprites) if options.sprites else None
    except NotADirectoryError as error:
        parser.error(str(error))
    errors = Console(stderr=True)
    watched = track(games, "checking", console=errors, transient=True, disable=options.json or not errors.is_terminal)
    results = (check(game, _unique([*_levels_of(game), *options.level]), images) for game in watched)
    all_clean = _print_json(results) if options.json else _print_text(results, Console())
    return 0 if all_clean else 1


def _argument_parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog=program("check"),
        description="Check VGDL games and their levels: every error and warning, with its place.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("files", metavar="FILE", nargs="+", type=Path, help="a game file")
    parser.add_argument(
        "--level", metavar="FILE", action="append", type=Path, default=[], help="one more level of the game; repeatable"
    )
    parser.add_argument(
        "--sprites", metavar="DIR", type=Path, help="folder of PNG images in which the names of img= are looked up"
    )
    parser.add_argument("--json", action="store_true", help="print JSON, for other programs")
    parser.add_argument("--play", action="store_true", help="let bots play it; see --play --help")
    return parser


def _game_of(path: Path) -> Path:
    """The game to which a level file belongs by its name, if it exists; otherwise the file itself."""
    name = _LEVEL_NAME.fullmatch(path.stem)
    game = path.with_name(name["game"] + path.suffix) if name else path
    return game if game.is_file() else path


def _levels_of(game: Path) -> list[Path]:
    """The level files next to a game, by their numbers."""
    numbered = []
    for path in game.parent.iterdir():
        name = _LEVEL_NAME.fullmatch(path.stem)
        if name and name["game"] == game.stem and path.suffix == game.suffix:
            numbered.append((int(name["number"]), path))
    return [path for _, path in sorted(numbered)]


def _unique(paths: Iterable[Path]) -> Iterator[Path]:
    seen = set()
    for path in paths:
        if path.resolve() not in seen:
            seen.add(path.resolve())
            yield path


def _print_text(results: Iterable[Checked], console: Console) -> bool:
    """Print results for people; returns whether nothing was found."""
    games = levels = errors = warnings = 0
    for checked in results:
        games += 1
        levels += len(checked.levels)
        errors += len(checked.errors)
        warnings += len(checked.warnings)
        state = Text("ok", "green") if checked.is_clean else Text("not ok", "red")
        title = Text.assemble((str(checked.game), "bold"), f" ({counted(len(checked.levels), 'level')}): ", state)
        console.print(title, soft_wrap=True)
        for error in checked.errors:
            console.print(_paragraph(error, "error", "bold red"), soft_wrap=True)
        for warning in checked.warnings:
            console.print(_paragraph(warning, "warning", "bold yellow"), soft_wrap=True)
    totals = ", ".join([counted(games, "game"), counted(levels, "level"), counted(errors, "error")])
    console.print(f"{totals}, {counted(warnings, 'warning')}", soft_wrap=True, highlight=False)
    return not (errors or warnings)


def _paragraph(report: Report, label: str, style: str) -> Text:
    """A report with its label and its carets in colour."""
    headline, *rest = str(report).split("\n")
    paragraph = Text.assemble((f"{label}: ", style), headline)
    for line in rest:
        paragraph.append("\n")
        paragraph.append(line, style if line.strip(" ^") == "" else "")
    return paragraph


def _print_json(results: Iterable[Checked]) -> bool:
    """Print results for programs, a list with an object per game; returns whether nothing was found."""
    checked = list(results)
    print(json.dumps([_as_json(game) for game in checked], indent=2))
    return all(game.is_clean for game in checked)


def _as_json(checked: Checked) -> dict[str, Any]:
    return {
        "game": str(checked.game),
        "levels": [str(level) for level in checked.levels],
        "errors": [_report_as_json(error) for error in checked.errors],
        "warnings": [_report_as_json(warning) | {"messages": warning.messages} for warning in checked.warnings],
    }


def _report_as_json(report: Report) -> dict[str, Any]:
    """Unknown facts are null; lines and columns count from 1."""
    place = report.place
    return {
        "file": report.source.name if report.source else None,
        "line": place.line if place else None,
        "column": place.column if place else None,
        "length": place.length if place else None,
        "message": report.message,
        "expected": list(report.expected),
        "suggestion": report.suggestion,
    }


if __name__ == "__main__":
    raise SystemExit(main())
