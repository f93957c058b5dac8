"""The command ``vgdl-compete othello check``: find the rules that a log obeys."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from vgdl.cli import program
from vgdl.competition import options
from vgdl.competition.errors import CompetitionError, using
from vgdl.competition.tracks.othello.check import Fit, fits
from vgdl.competition.tracks.othello.generator import generate
from vgdl.competition.tracks.othello.logs import LogError, Transcript, read
from vgdl.competition.tracks.othello.stages import read_stages
from vgdl.tabletop.othello_stages import STAGES, Stage

INVALID = 1
"""Exit status if a game obeys no rules."""

_BY_NAME = {stage.name: stage for stage in STAGES.values()}


def main(arguments: Sequence[str]) -> int:
    """Run the command; returns its exit status: 0, 1 if a game obeys no rules, 2 if a log cannot be read."""
    parser = options.Parser(
        prog=f"{program('compete')} othello check",
        description="Replay the games of a log, text or JSON, under every combination of rules, and show which of them "
        "reproduce every board and the result.",
    )
    parser.add_argument("log", metavar="LOG", help="the log")
    parser.add_argument(
        "--stage", metavar="NAME|FILE", help="the stage, if a text log does not name a known one; its rules are ignored"
    )
    parser.add_argument(
        "--verbose", action="store_true", help="show for each combination where the log deviates from it"
    )
    chosen = parser.parse_args(arguments)
    console = Console(highlight=False)
    try:
        with using(chosen.log):
            text = Path(chosen.log).read_text(encoding="utf-8")
        games = read(text)
        stages = [_stage(game, chosen.stage) for game in games]
    except UnicodeDecodeError:
        parser.error(f"{chosen.log} is not text")
    except LogError as error:
        parser.error(f"{chosen.log}: {error}")
    except CompetitionError as error:
        parser.error(str(error))
    valid = True
    for number, (game, stage) in enumerate(zip(games, stages, strict=True), start=1):
        found = fits(game, stage)
        valid = any(fit.problem is None for fit in found) and valid
        _show(console, number, game, found, verbose=chosen.verbose)
    return 0 if valid else INVALID


def _show(console: Console, number: int, game: Transcript, fits: list[Fit], *, verbose: bool) -> None:
    good = [fit.rules for fit in fits if fit.problem is None]
    verdict = f"obeys: {' | '.join(good)}" if good else f"obeys no rules: {fits[0].problem}"
    console.print(f"game {number}, {game.black} - {game.white}, {len(game.plies)} moves: {verdict}", markup=False)
    if verbose:
        table = Table("rules", "deviates at")
        for fit in fits:
            table.add_row(fit.rules, fit.problem or "–")
        console.print(table)


def _stage(game: Transcript, stage_name: str | None) -> Stage:
    """The stage of a game: that of the user, the one named in the log, or an unknown one with the log's board.

    Raises:
        LogError: neither names a known stage, and the log has no boards.
    """
    if stage_name:
        if stage_name in STAGES:
            return STAGES[stage_name]
        return read_stages(Path(stage_name))[0]
    if game.stage_name in _BY_NAME:
        return _BY_NAME[game.stage_name]
    if match := re.fullmatch(r"Stage (\d{1,100})", game.stage_name):
        return generate(int(match[1]))
    if game.initial_board is not None:
        return Stage(id="", name=game.stage_name, board_size=len(game.initial_board))
    raise LogError(f"the stage {game.stage_name!r} is not known: specify it with --stage")
