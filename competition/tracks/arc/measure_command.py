"""The command ``vgdl-compete arc measure``: baselines for games of your own (arc, 7.5)."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import Any

from rich.progress import track

from vgdl.cli import program
from vgdl.competition import options
from vgdl.competition.errors import CompetitionError
from vgdl.competition.files import write_json
from vgdl.competition.tracks.arc import game_options
from vgdl.competition.tracks.arc.game import VgdlGame
from vgdl.competition.tracks.arc.measure import FACTOR, wins
from vgdl.replay import ReplayError

FAILED = 1


def main(arguments: Sequence[str]) -> int:
    """Run the command; returns its exit status: 0, 1 if a game has no baselines, or 2 for wrong arguments."""
    parser = options.Parser(
        prog=f"{program('compete')} arc measure",
        description="Measure baselines for VGDL games: the actions of the shortest known win of each level, from "
        f"replays/<level>.json beside the level and from planners that know the rules, times {FACTOR}, as for the "
        "bundled games. Give the file to play and serve with --baselines.",
    )
    game_options.add_games(parser.add_argument_group("the games"))
    parser.add_argument("--output", default="baselines.json", metavar="FILE", help="default: baselines.json")
    chosen = parser.parse_args(arguments)
    missing = 0
    try:
        options.check_writable(chosen.output)
        entries: list[dict[str, Any]] = []
        for game in track(game_options.games_of(chosen), "measuring", transient=True):
            if not isinstance(game, VgdlGame):
                continue  # games of the test bed have their own
            try:
                entries.append(measured(game))
            except (LookupError, ReplayError) as error:
                missing += 1
                print(f"{program('compete')}: no baselines for {game.name}: {error}", file=sys.stderr)
        write_json(chosen.output, {"games": entries})
    except CompetitionError as error:
        parser.error(str(error))
    return FAILED if missing else 0


def measured(game: VgdlGame) -> dict[str, Any]:
    """The baselines of a game, with their sources.

    Raises:
        LookupError: a level has no recorded play, and no planner wins it.
        ReplayError: a recorded play cannot be read.
    """
    found = []
    for level in range(game.win_levels):
        known = wins(game, level)
        if not known:
            raise LookupError(f"level {level + 1} has no recorded play, and no planner won it")
        found.append(min(known))
    return {
        "game": game.name,
        "version": game.version,
        "levels": [math.ceil(FACTOR * actions) for actions, _ in found],
        "sources": [source for _, source in found],
    }
