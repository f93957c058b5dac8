"""``vgdl-check --play``: judges play a game and its levels (generation, 6).

The report says which levels can be won, what wins them without skill, which rules never fire, and more.
"""

from __future__ import annotations

import argparse
import importlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

import vgdl
from vgdl import Board, Game, VGDLError, VGDLRuntimeError, replay
from vgdl.cli import Parser, counted, program
from vgdl.extras import needs
from vgdl.judging.feasibility import CONSTRAINTS
from vgdl.judging.plays import Effort
from vgdl.judging.profile import DIFFICULTY_JUDGE, wilson
from vgdl.judging.verdicts import GameJudgement, LevelJudgement, Verdict, judge_game
from vgdl.option_types import positive, seed

_DESCRIPTION = "Let judges, from doing nothing to the champion, play a game, and report what they find."
_EPILOG = """\
Every level is played by six judges with a budget of forward model calls, so that one seed gives one report. A level is
winnable if a judge or a search has won it and another process has replayed the win; impossible if all states that can
follow were seen without a win; otherwise it was not won, which proves nothing.

examples:
  vgdl-check --play mygame.txt                      the game with the levels beside it
  vgdl-check --play zelda --levels 0,2 --plays 10   a bundled game
  vgdl-check --play mygame.txt new.txt --report report --replays wins

The exit status is 0 if nothing was found, 1 if something was, 2 if the command line is wrong."""
_TRACK_PAGES = "vgdl.competition.tracks.generation.pages"


def main(arguments: Sequence[str]) -> int:
    """Run the command; returns its exit status, or raises `SystemExit` for a wrong command line."""
    parser = _parser()
    options = parser.parse_args([argument for argument in arguments if argument != "--play"])
    try:
        game = vgdl.load(options.game)
        boards = _boards(game, options)
        console = Console(stderr=True)
        effort = Effort(options.plays, options.calls, options.ticks)
        judged = judge_game(game, boards, effort, options.seed, lambda level: _progress(level, console, options.json))
    except (VGDLError, VGDLRuntimeError) as error:
        console = Console(stderr=True)
        console.print(Text(f"error: {error}"))
        return 1
    if options.replays is not None:
        _write_replays(judged, boards, options.replays)
    if options.report is not None:
        try:
            importlib.import_module(_TRACK_PAGES).write_report(judged, boards, options.report)
        except ImportError:
            parser.error(needs("the report", "Jinja2", "report"))
        except (ValueError, OSError) as error:
            parser.error(str(error))
    if options.json:
        print(json.dumps(judged.plain, indent=2))
    else:
        show(judged, Console())
    return 1 if findings(judged) else 0


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog=f"{program('check')} --play",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("game", metavar="GAME", help="a game file, or the name of a bundled game")
    parser.add_argument("files", metavar="LEVEL", nargs="*", type=Path, help="level files (default: those of the game)")
    parser.add_argument("--levels", metavar="N,N", help="numbers of the game's own levels, as in 0,2-4 (default: all)")
    parser.add_argument("--plays", type=positive, default=5, metavar="N", help="plays of each judge (default: 5)")
    parser.add_argument(
        "--calls", type=positive, default=1000, metavar="N", help="forward model calls per tick (default: 1000)"
    )
    parser.add_argument("--ticks", type=positive, default=1000, metavar="N", help="ticks per play (default: 1000)")
    parser.add_argument("--seed", type=seed, default=0, metavar="S", help="seed of all plays (default: 0)")
    parser.add_argument("--json", action="store_true", help="print JSON, for other programs")
    parser.add_argument(
        "--replays", metavar="DIR", type=Path, help="write a replay of a win on each level into a folder"
    )
    parser.add_argument("--report", metavar="DIR", type=Path, help="write a web page with pictures, plots and replays")
    return parser


def _boards(game: Game, options: argparse.Namespace) -> list[Board]:
    """The levels that the options name.

    Raises:
        VGDLError: there are none, or one cannot be built.
    """
    chosen: list[Any] = list(options.files)
    if options.levels is not None:
        chosen += _numbers(options.levels)
    if not chosen:
        chosen = list(range(len(game.levels)))
    if not chosen:
        first = f"{game.name}_lvl0.txt"
        raise VGDLError(
            f"{game.name} has no levels", expected=[f"a file {first} beside the game", "level files as arguments"]
        )
    return [game.drawn(options.seed).board(level) for level in chosen]


def _numbers(text: str) -> list[int]:
    found: list[int] = []
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()) or len(part) > 9:
            raise VGDLError(f"{text!r:.60} does not name levels", expected=["numbers such as 0,2-4"])
        found += range(int(first), int(last or first) + 1)
    return found


def _progress(level: LevelJudgement, console: Console, quiet: bool) -> None:
    if not quiet and console.is_terminal:
        console.print(f"{level.name}: {level.verdict}, {level.reason}", highlight=False, markup=False)


def findings(judged: GameJudgement) -> list[str]:
    """All that an author should look at, in words, each with its level or line."""
    found = [f"{level.name}: {warning}" for level in judged.levels for warning in level.warnings]
    found += [f"line {line} never fired: {text}" for line, text in judged.idle_rules]
    found += [f"{name} never appeared" for name in judged.absent]
    if judged.coverage.reason:
        found.append(f"rules are not counted: {judged.coverage.reason}")
    return found


def show(judged: GameJudgement, console: Console) -> None:
    """Print a report for people."""
    table = Table(title=Text(judged.game.name, "bold"), title_justify="left", box=None, pad_edge=False)
    for heading in ("level", "size", "verdict", "win", "judges' wins", "depth", "olets wins", "novelty"):
        table.add_column(heading, justify="left" if heading in ("level", "verdict", "judges' wins") else "right")
    for level in judged.levels:
        rows = level.profile.judges
        olets = level.profile.result(DIFFICULTY_JUDGE)
        low, high = wilson(olets.wins, olets.plays)
        table.add_row(
            level.name, f"{level.width}×{level.height}",
            Text(level.verdict.value, "green" if level.verdict is Verdict.WINNABLE else "red"),
            f"{level.win.ticks}" if level.win else "–", f"{' '.join(str(row.wins) for row in rows)} of {rows[0].plays}",
            f"{level.profile.depth:.2f}", f"{low:.2f}–{high:.2f}", f"{level.novelty:.2f}",
        )  # fmt: skip
    console.print(table)
    names = ", ".join(row.judge for row in judged.levels[0].profile.judges)
    console.print(f"judges, the weakest first: {names}; win: ticks of the shortest one", highlight=False)
    for level in judged.levels:
        if level.feasibility.broken:
            broken = ", ".join(CONSTRAINTS[name] for name in level.feasibility.broken)
            console.print(f"{level.name}, as a generated level, would not meet: {broken}", highlight=False)
    speed = min(level.ticks_per_second for level in judged.levels)
    counted_rules = (
        f"{judged.coverage.share:.0%} of the rules fired" if judged.coverage.fired else "rules are not counted"
    )
    console.print(f"{counted_rules}; random play runs at {speed:,.0f} ticks per second or more", highlight=False)
    found = findings(judged)
    for finding in found:
        console.print(Text.assemble(("found: ", "bold yellow"), finding), soft_wrap=True)
    console.print(f"{counted(len(judged.levels), 'level')}, {counted(len(found), 'finding')}", highlight=False)


def _write_replays(judged: GameJudgement, boards: Sequence[Board], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for level, board in zip(judged.levels, boards, strict=True):
        if level.win is not None:
            replay.write(level.win.replayed(board), folder / f"{level.name}.json")
