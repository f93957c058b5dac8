"""The command ``vgdl-check``: reports mistakes in game and level files, with location and suggestion."""

from __future__ import annotations

import argparse
import importlib
import json
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import track
from rich.text import Text

import vgdl
from vgdl import check_controllers
from vgdl.cli import Parser, counted, program
from vgdl.convert import Change, Dialect, convert
from vgdl.language import (
    Level,
    Place,
    Report,
    Source,
    TruncatedGameWarning,
    VGDLError,
    VGDLRuntimeError,
    VGDLWarning,
    read_indented_level,
)
from vgdl.language.embedded import READERS, Block, find_games, is_game
from vgdl.language.source import read_source
from vgdl.lint import in_order
from vgdl.render import Images, drawings

_LEVEL_NAME = re.compile(r"(?P<game>.+)_lvl(?P<number>\d+)")
_EPILOG = """\
Level files named <game>_lvl0.txt, <game>_lvl1.txt, ... next to a game are checked with it; naming such a level checks
its game. After an error the game or level cannot be played; after a warning it can, but probably not as intended, as
with cooldown=two.

Games are also found in Python sources, in HTML pages, and in fenced blocks of other texts, such as the answer of a
language model, with the levels that follow them.

With --fix, GAME.txt is converted to GAME_fixed.txt, with copies of its levels, and the result is checked: tabs become
blanks, misspelt headers and words in the wrong case are corrected, and words of other dialects are replaced. Texts from
the py-vgdl family need --dialect py-vgdl if a tab is to count as eight columns in any case.

vgdl check my_agent.py:Greedy plays a few short games with a controller and reports exceptions, answers that are no
actions, exceeded budgets, and plays that differ in spite of equal seeds.

The exit status is 0 without errors and warnings, 1 with any, 2 if the command line is wrong."""


@dataclass(slots=True)
class Checked:
    """A game, its levels, and the findings."""

    game: Path
    levels: list[str]  #: paths, or places in the file of the game
    line: int | None = None  #: first line of a game that is part of a file
    errors: list[VGDLError | VGDLRuntimeError] = field(default_factory=list)
    warnings: list[VGDLWarning] = field(default_factory=list)
    fixed: Path | None = None  #: the file that the conversion of the game was written to
    changes: tuple[Change, ...] = ()

    @property
    def is_clean(self) -> bool:
        return not (self.errors or self.warnings)

    @property
    def title(self) -> str:
        """Where the game is."""
        return str(self.game) if self.line is None else f"{self.game}:{self.line}"


@dataclass(frozen=True, slots=True)
class _Subject:
    """A game to check: the text of a file or of a part of it, with its levels."""

    path: Path
    text: str
    levels: tuple[Path | Block, ...]
    line: int | None = None


def check(
    path: Path, levels: Iterable[Path], images: Images | None = None, *, dialect: Dialect = Dialect.GVGAI
) -> list[Checked]:
    """Check the game in a file, or all games that are part of it: load it, check its values, and start its levels.

    Args:
        path: path of the game file.
        levels: paths of level files.
        images: a collection in which the names of ``img=`` are looked up, besides the drawings that come with vgdl.
        dialect: the language of the game, which is converted before it is checked.
    """
    try:
        subjects = _subjects(path, list(levels))
    except VGDLError as error:
        return [Checked(path, [str(level) for level in levels], errors=[error])]
    return [_check(subject, images, dialect) for subject in subjects]


def _subjects(path: Path, levels: Sequence[Path]) -> list[_Subject]:
    """The games of a file.

    Raises:
        VGDLError: the file cannot be read, or is of a kind that contains games, and has none.
    """
    source = read_source(path)
    contains = path.suffix.lower() in READERS
    found = [] if is_game(source.text) and not contains else find_games(source.text, path.suffix)
    if contains and not found:
        raise VGDLError("there is no game in this file", source, expected=["a text that begins with BasicGame"])
    if not found:
        return [_Subject(path, source.text, tuple(levels))]
    return [_Subject(path, each.game.in_place, (*each.levels, *levels), each.game.line) for each in found]


def _check(subject: _Subject, images: Images | None, dialect: Dialect) -> Checked:
    checked = Checked(subject.path, [], subject.line)
    text = convert(subject.text, dialect).text if dialect is not Dialect.GVGAI else subject.text
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TruncatedGameWarning)  # they are reported below
            game = vgdl.loads(text, name=str(subject.path))
    except VGDLError as error:
        checked.levels = [str(level) for level in subject.levels if isinstance(level, Path)]
        checked.errors.append(error)
        return checked
    found = [*game.warnings, *game.lint(_known_pictures(images) if images else None)]
    for level in subject.levels:
        if isinstance(level, Block) and not _is_level_of(game, level):
            continue
        checked.levels.append(str(level) if isinstance(level, Path) else f"{subject.path}:{level.line}")
        try:
            board = game.board(level if isinstance(level, Path) else _level_of(subject.path, level))
            found += [*board.warnings, *board.lint()]
            board.start(0)
        except (VGDLError, VGDLRuntimeError) as error:
            checked.errors.append(error)
    if not checked.levels and subject.line is None and not subject.path.is_fifo():
        source = Source("", str(subject.path), ())
        expected = [f"a file {subject.path.stem}_lvl0{subject.path.suffix} beside the game"]
        found.append(VGDLWarning("there is no level to play", source, None, expected, messages=0))
    checked.warnings += _distinct(found, checked.errors)
    return checked


def _level_of(path: Path, block: Block) -> Level:
    return read_indented_level(block.text, f"{path} (level at line {block.line})")


def _is_level_of(game: vgdl.Game, block: Block) -> bool:
    """Whether most characters of a text are those of a game's levels."""
    characters = [character for character in block.text if not character.isspace()]
    mapped = sum(character in game.level_mapping for character in characters)
    return 2 * mapped > len(characters)


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
    source = next((warning.source for warning in distinct if warning.place), None)
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
    controllers = [str(path) for path in options.files if check_controllers.is_controller(str(path))]
    if controllers:
        if len(controllers) < len(options.files) or options.level or options.sprites:
            parser.error("controllers are checked by themselves: give only FILE.py:CLASS")
        return check_controllers.run(controllers, as_json=options.json)
    for path in [*options.files, *options.level]:
        is_pipe = path in options.files and path.is_fifo()  # as /dev/stdin often is; it can be read once
        if not path.is_file() and not is_pipe:
            parser.error(f"{path} is a folder" if path.is_dir() else f"no such file: {path}")
    games = list(dict.fromkeys(_game_of(path) for path in options.files))
    for option in ("level", "output"):
        if getattr(options, option) and len(games) > 1:
            parser.error(f"--{option} needs exactly one game")
    if options.output and not options.fix:
        parser.error("--output needs --fix")
    try:
        images = Images(options.sprites) if options.sprites else None
    except NotADirectoryError as error:
        parser.error(str(error))
    errors = Console(stderr=True)
    watched = track(games, "checking", console=errors, transient=True, disable=options.json or not errors.is_terminal)
    examine = _fixer(options.output) if options.fix else check
    try:
        results = [
            checked
            for game in watched
            for checked in examine(game, _unique([*_levels_of(game), *options.level]), images, dialect=options.dialect)
        ]
    except OSError as error:
        parser.error(f"the conversion cannot be written: {error}")
    all_clean = _print_json(results) if options.json else _print_text(results, Console())
    return 0 if all_clean else 1


# ---------------------------------------------------------------------------------------------- conversion


def _fixer(output: Path | None) -> Callable[..., list[Checked]]:
    """A function that converts a game, writes it, and checks what it has written."""

    def fix(path: Path, levels: Iterable[Path], images: Images | None, *, dialect: Dialect) -> list[Checked]:
        try:
            subjects = _subjects(path, list(levels))
        except VGDLError as error:
            return [Checked(path, [], errors=[error])]
        results = []
        for number, subject in enumerate(subjects):
            target = output or path.with_name(f"{path.stem}_fixed.txt")
            if number:
                target = target.with_name(f"{target.stem}{number + 1}{target.suffix}")
            results.append(_fix(subject, target, images, dialect))
        return results

    return fix


def _fix(subject: _Subject, target: Path, images: Images | None, dialect: Dialect) -> Checked:
    """Convert a game, write it with its levels, and check the result; without a change, check the game itself."""
    conversion = convert(subject.text, dialect)
    if not conversion.changes and subject.line is None:
        return _check(subject, images, Dialect.GVGAI)
    if target.exists() and subject.path.exists() and target.samefile(subject.path):
        raise FileExistsError(f"{target} is the game itself")
    target.write_text(conversion.text.lstrip("\n"), encoding="utf-8")
    levels = []
    for number, level in enumerate(subject.levels):
        copied = target.with_name(f"{target.stem}_lvl{number}{target.suffix}")
        if isinstance(level, Path):
            copied.write_bytes(level.read_bytes())
        else:
            copied.write_text(read_indented_level(level.text).source.text, encoding="utf-8")
        levels.append(copied)
    checked = _check(_Subject(target, target.read_text(encoding="utf-8"), tuple(levels)), images, Dialect.GVGAI)
    checked.fixed, checked.changes = target, conversion.changes
    checked.game, checked.line = subject.path, subject.line
    return checked


# ---------------------------------------------------------------------------------------------- command line


def _argument_parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog=program("check"),
        description="Check VGDL games and their levels: every error and warning, with its place. Or check controllers.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "files",
        metavar="FILE",
        nargs="+",
        type=Path,
        help="a game file, a file with games in it (.py, .html, .md, ...), or a controller as FILE.py:CLASS",
    )
    parser.add_argument(
        "--level", metavar="FILE", action="append", type=Path, default=[], help="one more level of the game; repeatable"
    )
    parser.add_argument(
        "--sprites", metavar="DIR", type=Path, help="folder of PNG images in which the names of img= are looked up"
    )
    parser.add_argument("--fix", action="store_true", help="write a converted copy of each game, and check it instead")
    parser.add_argument(
        "--output",
        metavar="FILE",
        type=Path,
        help="where to write the copy (default: <game>_fixed.txt beside the game)",
    )
    parser.add_argument(
        "--dialect", type=Dialect, choices=list(Dialect), default=Dialect.GVGAI,
        help="the language of the games; words of py-vgdl are replaced before the check (default: gvgai, this one)",
    )  # fmt: skip
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
    games = levels = errors = n_warnings = 0
    for checked in results:
        games += 1
        levels += len(checked.levels)
        errors += len(checked.errors)
        n_warnings += len(checked.warnings)
        state = Text("ok", "green") if checked.is_clean else Text("not ok", "red")
        title = Text.assemble((checked.title, "bold"), f" ({counted(len(checked.levels), 'level')}): ", state)
        console.print(title, soft_wrap=True)
        for change in checked.changes:
            console.print(_change(checked, change), soft_wrap=True)
        if checked.fixed is not None:
            written = Text.assemble("written to ", (str(checked.fixed), "bold"), ", checked below")
            console.print(written, soft_wrap=True)
        for error in checked.errors:
            console.print(_paragraph(error, "error", "bold red"), soft_wrap=True)
        for warning in checked.warnings:
            console.print(_paragraph(warning, "warning", "bold yellow"), soft_wrap=True)
    totals = ", ".join([counted(games, "game"), counted(levels, "level"), counted(errors, "error")])
    console.print(f"{totals}, {counted(n_warnings, 'warning')}", soft_wrap=True, highlight=False)
    return not (errors or n_warnings)


def _change(checked: Checked, change: Change) -> Text:
    """A line about a change."""
    after = f"now {change.after}" if change.after else "left out"
    note = f" ({change.note})" if change.note else ""
    return Text.assemble(("changed: ", "bold green"), f"{checked.game}:{change.line}: {change.before}: {after}{note}")


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
    facts: dict[str, Any] = {
        "game": str(checked.game),
        "levels": checked.levels,
        "errors": [_report_as_json(error) for error in checked.errors],
        "warnings": [_report_as_json(warning) | {"messages": warning.messages} for warning in checked.warnings],
    }
    if checked.line is not None:
        facts["line"] = checked.line
    if checked.fixed is not None:
        facts |= {"fixed": str(checked.fixed), "changes": [asdict(change) for change in checked.changes]}
    return facts


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
