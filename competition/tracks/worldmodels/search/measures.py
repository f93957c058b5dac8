"""The measures of learnt rules of any author, and their table (13.5, 13.6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from statistics import mean
from typing import Any

from rich import box
from rich.table import Table

import vgdl
from vgdl.competition.options import OptionError
from vgdl.competition.tracks.worldmodels.search.amend import Evidence
from vgdl.competition.tracks.worldmodels.search.beside import same_rules, same_successors
from vgdl.competition.tracks.worldmodels.search.judge import judge
from vgdl.competition.tracks.worldmodels.search.law import same_in_law
from vgdl.competition.tracks.worldmodels.search.play import play
from vgdl.competition.tracks.worldmodels.search.records import Play, Rules
from vgdl.competition.tracks.worldmodels.search.verify import SAMPLES, Follower
from vgdl.game import Game

LEARNT_FROM, HELD_OUT = (0, 1, 2), (3, 4)  #: numbers of levels
TICKS, TEST_TICKS = 2000, 400
SHARES = {
    "changed_f1": "F1",
    "changed_f1_chance": "F1, chance",
    "true_f1_chance": "of true rules",
    "accuracy": "all sprites",
    "identical": "identical",
    "same_successors": "beside",
    "same_in_law": "in law",
    "reciprocal_rank": "MRR",
}
"""The measures between 0 and 1, with their headings in tables."""
PLAYER, CALLS, LONGEST_PLAY = "champion", 1000, 1000


def levels_of(game: Game, numbers: Sequence[int]) -> list[int]:
    """Numbers of levels; numbers beyond a game's levels become its last level."""
    return [min(level, len(game.levels) - 1) for level in numbers]


def single_player_games(names: Sequence[str]) -> list[str]:
    """Check that games can be learnt, and return their names.

    Raises:
        OptionError: one of them is unknown, for two players, or has no levels.
    """
    for name in names:
        try:
            game = vgdl.load(name)
        except vgdl.VGDLError as error:
            raise OptionError(str(error)) from error
        if game.n_players != 1:
            raise OptionError(f"{name} is for {game.n_players} players; games for one player can be learnt")
        if not game.levels:
            raise OptionError(f"{name} has no levels to be recorded on")
    return list(names)


def measured(
    rules: Rules,
    game: Game,
    held_out: Sequence[Play],
    *,
    seed: int,
    samples: int = SAMPLES,
    player: str = PLAYER,
    calls: int = CALLS,
    milliseconds: float | None = None,
    most: int = LONGEST_PLAY,
    per_level: int = 1,
    evidence: Evidence | None = None,
) -> dict[str, Any]:
    """Measure rules on held-out levels.

    Args:
        rules: the learnt rules.
        game: the true game.
        held_out: recorded plays of these levels.
        seed: seed of the measures.
        samples: futures per prediction of random events.
        player: controller that plays the held-out levels with the learnt and with the true rules.
        calls: forward model calls per tick of its plays.
        milliseconds: CPU time per tick of its plays, including following, instead of ``calls``.
        most: most ticks of a play.
        per_level: plays per level.
        evidence: what the rules were learnt from, if they may be amended during these plays in what it does not show.

    Returns:
        The measures of `Judgement`; ``true_f1_chance``, the same measure for the true rules, which cannot predict
        random events better; `same_successors`, `same_in_law` and `same_rules`; the plays.
    """
    measures = judge(rules, held_out, samples=samples, seed=seed)
    chances = Follower(held_out).follow(game, measured=True, samples=samples)
    counted = calls if milliseconds is None else None
    played = {
        name: [
            asdict(
                play(
                    game,
                    level,
                    player,
                    used,
                    seed=seed + k,
                    calls=counted,
                    milliseconds=milliseconds,
                    most=most,
                    evidence=evidence,
                )
            )
            for k in range(per_level)
            for level in levels_of(game, HELD_OUT)
        ]
        for name, used in (("played_learnt", rules), ("played_true", None))
    }
    return {
        **measures.facts(),
        "true_f1_chance": chances.changed_f1,
        "same_successors": same_successors(rules, game, held_out),
        "same_in_law": same_in_law(rules, game, held_out),
        "same_rules": same_rules(rules, game),
        **played,
    }


def results_table(results: Mapping[str, Mapping[str, Any]], title: str) -> Table:
    """Make a table with a row per game; "ideal" columns are for the true rules. Unmeasured values are None."""
    table = Table(title=title, box=box.SIMPLE, pad_edge=False)
    table.add_column("game")
    for column in ("F1", "chance", "ideal", "beside", "law", "equal", "MRR", "wins", "ideal"):
        table.add_column(column, justify="right")
    for name, row in results.items():
        keys = ("changed_f1", "changed_f1_chance", "true_f1_chance", "same_successors", "same_in_law")
        measures = [measured_share(row.get(key), 2) for key in keys]
        equal, rank = equality_text(row["same_rules"]), measured_share(row["reciprocal_rank"], 2)
        wins = [wins_text(row[key]).split()[0] for key in ("played_learnt", "played_true")]
        table.add_row(name, *measures, equal, rank, *wins)
    return table


def measured_share(share: float | None, digits: int) -> str:
    """Format a share; a dash for None."""
    return "–" if share is None else f"{share:.{digits}f}"


def equality_text(equal: bool | None) -> str:
    """Format whether rules are equal; a dash for None."""
    return "–" if equal is None else "yes" if equal else "no"


def wins_text(plays: Sequence[Mapping[str, Any]]) -> str:
    """Format the number of wins, the number of plays and the mean score."""
    if not plays:
        return "–"
    return f"{sum(play['won'] for play in plays)}/{len(plays)} ({mean(play['score'] for play in plays):g})"
