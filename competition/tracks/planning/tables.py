"""The results of the planning track as tables like those of the paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from vgdl.cli import counted
from vgdl.competition.agents.service import Clock
from vgdl.competition.failures import in_a_line
from vgdl.competition.machine import machine, versions
from vgdl.competition.results import Column, Results, ResultTable, rows_of
from vgdl.competition.store import Store
from vgdl.competition.tracks.planning.plan import Plan
from vgdl.competition.tracks.planning.rating import Rating, RatingUnavailable, rate
from vgdl.competition.tracks.planning.records import PlayResult, isolation_of, plays
from vgdl.competition.tracks.planning.scoring import Standings, missing, standings

FORMAT = 3
"""Version of the JSON results."""

MOST_OUTPUTS = 10
"""Number of disqualified plays whose output a terminal shows without being asked."""

_RANKING = (
    Column("place"), Column("controller"), Column("points"), Column("first_places"),
    Column("victories", show=lambda row: f"{row['victories']}/{row['plays']}"), Column("plays", hidden=True),
)  # fmt: skip
_GAMES = (
    Column("game"), Column("place"), Column("controller"),
    Column("victories", show=lambda row: f"{row['victories']}/{row['plays']}"), Column("plays", hidden=True),
    Column("score", form=".2f"), Column("ticks", "time (ticks)", ".1f"), Column("points"),
)  # fmt: skip
_RATINGS = (
    Column("controller"), Column("rating", form=".2f"), Column("mean", form=".2f"), Column("deviation", form=".2f"),
    Column("plays"),
)  # fmt: skip
_PLAYS = tuple(
    Column(name)
    for name in (
        "game", "level", "repeat", "seed", "stirring", "ticks", "game_error", "player", "controller", "outcome",
        "score", "cause", "details", "late_answers", "construction_used", "action_used_mean", "action_used_max",
        "invalid_answers", "output", "output_dropped",
    )
)  # fmt: skip


def results(plan: Plan, store: Store, *, show_output: bool = False) -> Results:
    """The results in a store, finished or not.

    Args:
        plan: its plan.
        store: the store.
        show_output: whether a terminal shows what all controllers printed, not only those that were disqualified.

    Raises:
        StoreError: the store is damaged.
    """
    done, games = plays(store), store.games
    total = store.total
    complete = len(done) == total
    found = standings(plan, done)
    isolation, void = isolation_of(store)
    with store.reading("its games"):
        left = missing(plan, games, done)
    tables = [_ranking(found), _game_table(found), _play_table(done)]
    shown: list[RenderableType] = [] if complete else [missing_line(left)]
    shown += [tables[1].only(game, game=game) for game, rows in found.games.items() if rows]
    shown += error_lines(done)
    shown += output_texts(done, everything=show_output)
    if any(len(play.players) > 1 for play in done):
        try:
            tables.append(_rating_table(rate(done)))
            shown.append(tables[-1])
        except RatingUnavailable as reason:
            shown.append(str(reason))
    shown += [tables[0], rules_line(plan)]
    shown += [f"{counted(count, 'play')} isolated by {name}" for name, count in isolation.items()]
    if void:
        shown.append(
            f"{counted(void, 'play')} void at first, since this machine was too busy to judge, and played again"
        )
    shown.append(f"seed {plan.secret}")
    facts = {
        **summary(plan, games, done, found, left),
        "sessions": store.sessions(),
        "isolation": isolation,
        "void": void,
        "complete": complete,
    }
    return Results("planning", complete, tables, facts, shown, csv="plays", done=len(done), total=total)


def summary(
    plan: Plan,
    games: Sequence[dict[str, Any]],
    done: Sequence[PlayResult],
    ranked: Standings | None = None,
    left: Mapping[str, int] | None = None,
) -> dict[str, Any]:
    """Everything known about a competition, as JSON-compatible values.

    It depends only on the facts in it, except that times vary if budgets are measured by a clock.
    """
    rules = plan.rules
    ranked = standings(plan, done) if ranked is None else ranked
    return {
        "format": FORMAT,
        **plan.facts(),
        "rules": {**asdict(rules), "limits": asdict(rules.limits), "unit": rules.unit},
        "games": list(games),
        "versions": versions(),
        "machine": machine(),
        "plays": [asdict(play) for play in done],
        "standings": {game: [asdict(row) for row in rows] for game, rows in ranked.games.items()},
        "ranking": [asdict(standing) for standing in ranked.ranking],
        "missing": missing(plan, games, done) if left is None else dict(left),
    }


def _ranking(ranked: Standings) -> ResultTable:
    rows = [(row.place, row.controller, row.points, row.places[0], row.victories, row.plays) for row in ranked.ranking]
    return ResultTable("ranking", "Ranking (Formula-1 points)", _RANKING, rows_of(_RANKING, rows))


def _game_table(ranked: Standings) -> ResultTable:
    rows = [
        (game, row.place, row.controller, row.victories, row.plays, row.mean_score, row.mean_ticks, row.points)
        for game, own in ranked.games.items()
        for row in own
    ]
    return ResultTable("games", "Games", _GAMES, rows_of(_GAMES, rows))


def _rating_table(ratings: Sequence[Rating]) -> ResultTable:
    rows = [(row.controller, row.safe, row.mean, row.deviation, row.plays) for row in ratings]
    return ResultTable("ratings", "Skill rating (openskill, Plackett-Luce)", _RATINGS, rows_of(_RATINGS, rows))


def _play_table(done: Sequence[PlayResult]) -> ResultTable:
    """A row per play and player."""
    rows = [
        {**asdict(play), "player": number, **asdict(player)}
        for play in done
        for number, player in enumerate(play.players)
    ]
    return ResultTable("plays", "Plays", _PLAYS, rows)


def rules_line(plan: Plan) -> str:
    """The rules of the competition, in one line."""
    rules, limits = plan.rules, plan.rules.limits
    counted = {
        Clock.CPU: "CPU time",
        Clock.WALL: "wall time",
        Clock.CALLS: "counted by the controller's process itself",
    }[rules.clock]
    return (
        f"{limits.construction:g} {rules.unit} to construct, {limits.action:g} {rules.unit} to act, "
        f"more than {limits.disqualification:g} {rules.unit} disqualifies ({counted}); "
        f"no answer within {rules.patience_s(limits.action):g} s of CPU time and sleep counts as hung"
    )


def missing_line(missing: Mapping[str, int]) -> str:
    """What an unfinished ranking is based on, and how many plays each controller still has to do."""
    counts = ", ".join(f"{name} {count}" for name, count in missing.items())
    return f"ranked by the levels and repeats that all controllers have played; plays still to come: {counts}"


def error_lines(plays: Sequence[PlayResult]) -> list[str]:
    """One line for each play that ended with an error or a disqualification, and lines for late answers."""
    lines = []
    for play in plays:
        where = f"{play.game}, level {play.level}, play {play.repeat}"
        if play.game_error:
            lines.append(f"{where}: the game failed: {play.game_error}")
        for player in play.players:
            if player.cause:
                why = f"{player.cause}: {in_a_line(player.details)}"
                lines.append(f"{player.controller} was disqualified ({where}): {why}")
                continue
            if player.late_answers:
                lines.append(f"{player.controller} ({where}): {player.late_answers} late answers were replaced by NIL")
            if player.invalid_answers:
                count = f"{player.invalid_answers} invalid answers were replaced by NIL"
                lines.append(f"{player.controller} ({where}): {count}; {in_a_line(player.details)}")
    return lines


def output_texts(plays: Sequence[PlayResult], *, everything: bool) -> list[Text]:
    """What controllers printed: a heading and the text for each player of a play.

    Args:
        plays: the plays.
        everything: whether to include controllers that were not disqualified; otherwise the first few that were.
    """
    texts = [
        Text(f"{player.controller} printed ({play.game}, level {play.level}, play {play.repeat}):\n{player.printed}")
        for play in plays
        for player in play.players
        if player.printed and (everything or player.cause)
    ]
    if everything or len(texts) <= MOST_OUTPUTS:
        return texts
    left_out = counted(len(texts) - MOST_OUTPUTS, "other disqualified play")
    return [*texts[:MOST_OUTPUTS], Text(f"controllers also printed in {left_out}: see --show-output")]
