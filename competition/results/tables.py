"""The results in the terminal, as tables like those of the paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.table import Table

from vgdl.competition.agents.service import Clock
from vgdl.competition.contest.plan import Plan
from vgdl.competition.results.failures import in_a_line
from vgdl.competition.results.rating import Rating, RatingUnavailable, rate
from vgdl.competition.results.records import PlayResult
from vgdl.competition.results.scoring import GameStanding, Standing, standings


def game_table(game: str, rows: Sequence[GameStanding]) -> Table:
    """One game: place, victories, mean score, mean time in ticks, points."""
    table = Table(title=game, title_justify="left")
    table.add_column("place", justify="right")
    table.add_column("controller", no_wrap=True)
    for column in ("victories", "score", "time (ticks)", "points"):
        table.add_column(column, justify="right")
    for row in rows:
        victories = f"{row.victories}/{row.plays}"
        score, ticks = f"{row.mean_score:.2f}", f"{row.mean_ticks:.1f}"
        table.add_row(str(row.place), row.controller, victories, score, ticks, str(row.points))
    return table


def ranking_table(ranking: Sequence[Standing]) -> Table:
    """The whole competition: place, points, number of first places, victories."""
    table = Table(title="Ranking (Formula-1 points)", title_justify="left")
    table.add_column("place", justify="right")
    table.add_column("controller")
    for column in ("points", "first places", "victories"):
        table.add_column(column, justify="right")
    for row in ranking:
        firsts = str(row.places[0])
        victories = f"{row.victories}/{row.plays}"
        table.add_row(str(row.place), row.controller, str(row.points), firsts, victories)
    return table


def rating_table(ratings: Sequence[Rating]) -> Table:
    """The skill ratings: mean, standard deviation, and conservative estimate."""
    table = Table(title="Skill rating (openskill, Plackett-Luce)", title_justify="left")
    table.add_column("controller")
    for column in ("rating", "mean", "deviation", "plays"):
        table.add_column(column, justify="right")
    for row in ratings:
        numbers = (f"{row.safe:.2f}", f"{row.mean:.2f}", f"{row.deviation:.2f}", str(row.plays))
        table.add_row(row.controller, *numbers)
    return table


def show(console: Console, plan: Plan, plays: Sequence[PlayResult]) -> None:
    """Print the rules, a table per game, one line per error, ratings if any, and the final ranking."""
    found = standings(plan, plays)
    for game, rows in found.games.items():
        if rows:
            console.print(game_table(game, rows))
    for line in error_lines(plays):
        console.print(line, markup=False, highlight=False)
    if any(len(play.players) > 1 for play in plays):
        try:
            console.print(rating_table(rate(plays)))
        except RatingUnavailable as missing:
            console.print(str(missing), style="yellow", markup=False, highlight=False)
    console.print(ranking_table(found.ranking))
    console.print(rules_line(plan), markup=False, highlight=False)


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
            elif player.late_answers:
                lines.append(f"{player.controller} ({where}): {player.late_answers} late answers were replaced by NIL")
    return lines
