"""The command ``vgdl-compete arc games``: list the offered games with their ids."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from vgdl.cli import program
from vgdl.competition import options
from vgdl.competition.errors import CompetitionError
from vgdl.competition.tracks.arc import game_options
from vgdl.competition.tracks.arc.playable import ArcGame


def main(arguments: Sequence[str]) -> int:
    """Run the command; returns its exit status: 0, or 2 for wrong arguments."""
    parser = options.Parser(
        prog=f"{program('compete')} arc games",
        description="List the games that serve and play offer. The names of the games are listed next to the ids, "
        "so the list is for those who run a server and not for its players.",
    )
    game_options.add_games(parser.add_argument_group("the games"))
    parser.add_argument("--json", action="store_true", help="as JSON")
    chosen = parser.parse_args(arguments)
    try:
        games = game_options.games_of(chosen)
    except CompetitionError as error:
        parser.error(str(error))
    rows = [_facts(game) for game in games]
    if chosen.json:
        json.dump(rows, sys.stdout, indent=1)
        print()
        return 0
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)  # fits into 80 columns
    for column in ("id", "game", "played with", "tags", "actions", "levels"):
        table.add_column(column, no_wrap=column != "played with", overflow="fold")
    for row in rows:
        actions = " ".join(map(str, row["actions"]))
        table.add_row(
            row["id"], row["game"], row["played_with"], ", ".join(row["tags"][1:]), actions, str(row["levels"])
        )
    Console().print(table, markup=False)
    return 0


def _facts(game: ArcGame) -> dict[str, Any]:
    return {
        "id": game.id,
        "game": game.name,
        "played_with": game.about,
        "tags": list(game.tags),
        "actions": list(game.actions),
        "levels": game.win_levels,
    }
