"""The command ``vgdl-compete arc baselines``: human baselines, from the store of a server (arc, 7.5)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from vgdl.cli import program
from vgdl.competition import options
from vgdl.competition.errors import CompetitionError
from vgdl.competition.files import write_json
from vgdl.competition.store import Reader
from vgdl.competition.tracks.arc.baselines import FEWEST_PEOPLE
from vgdl.competition.tracks.arc.scoring import Scoring, human_baseline
from vgdl.competition.tracks.arc.store import first_plays, opened


def main(arguments: Sequence[str]) -> int:
    """Run the command; returns its exit status: 0, or 2 if there is no such store."""
    parser = options.Parser(
        prog=f"{program('compete')} arc baselines",
        description="Read people's first plays from a server's store: cards with the tag human, each API key's "
        f"first play of each game. A level has a baseline once a game was played by {FEWEST_PEOPLE} people.",
    )
    parser.add_argument("store", metavar="FILE", help="the store")
    parser.add_argument("--json", metavar="FILE", help="write everything as JSON; - for the standard output")
    chosen = parser.parse_args(arguments)
    try:
        with opened(Path(chosen.store)) as store:
            baselines = human_baselines(store)
        _show(baselines, Console(stderr=chosen.json == "-"))
        if chosen.json:
            write_json(chosen.json, baselines)
    except CompetitionError as error:
        parser.error(str(error))
    return 0


def human_baselines(store: Reader) -> dict[str, Any]:
    """The numbers of actions in people's first plays, by game id.

    Returns:
        For each game ``players``, and ``levels``: the ascending ``actions`` of those who completed the level, and the
        baseline by each version of the scoring, or None if too few people played or completed it.

    Raises:
        StoreError: the store cannot be read.
    """
    first: dict[str, list[list[int]]] = {}
    levels: dict[str, int] = {}
    for play, run in first_plays(store):
        levels[play.game_id] = play.levels
        first.setdefault(play.game_id, []).append(list(run.level_actions))
    baselines = {}
    for game_id, plays in sorted(first.items()):
        per_level = [sorted(play[at] for play in plays if at < len(play)) for at in range(levels[game_id])]
        baselines[game_id] = {
            "players": len(plays),
            "levels": [{"actions": actions, **_baselines(actions, len(plays))} for actions in per_level],
        }
    return baselines


def _baselines(actions: list[int], players: int) -> dict[str, int | None]:
    return {str(scoring): human_baseline(scoring, actions) if players >= FEWEST_PEOPLE else None for scoring in Scoring}


def _show(baselines: dict[str, Any], console: Console) -> None:
    if not baselines:
        console.print("no person has played yet", highlight=False)
        return
    table = Table("game", box=box.SIMPLE_HEAD)
    for heading in ("level", "players", "finished", *(scoring.removeprefix("rhae-") for scoring in Scoring)):
        table.add_column(heading, justify="right")
    for game_id, facts in baselines.items():
        for number, level in enumerate(facts["levels"], 1):
            found = ["–" if level[scoring] is None else str(level[scoring]) for scoring in Scoring]
            table.add_row(game_id, str(number), str(facts["players"]), str(len(level["actions"])), *found)
    console.print(table, markup=False)
