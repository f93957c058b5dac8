"""The results of a tournament in the terminal, as JSON and as CSV."""

from __future__ import annotations

import csv
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from vgdl.competition.agents.service import Clock
from vgdl.competition.tracks.othello.metrics import Metrics
from vgdl.competition.tracks.othello.plan import ApiHost, Memory, Plan
from vgdl.competition.tracks.othello.results import Results, Standing
from vgdl.competition.tracks.othello.store import OthelloStore
from vgdl.tabletop.othello_stages import Stage

MOST_LINES = 20
"""Most lines about failures and faults of each kind."""


def rules_of(stage: Stage) -> str:
    """A description of how a stage differs from the standard one."""
    size = stage.board_size
    parts = [f"{size}×{size}"]
    if stage.initial_blocked:
        parts.append(f"{len(set(stage.initial_blocked))} blocked")
    flags = {
        "ignore occlusion": stage.ignore_occlusion,
        "fewer pieces continue": stage.fewer_pieces_continue,
        "fewest wins": stage.fewest_wins,
    }
    return ", ".join([*parts, *(name for name, is_set in flags.items() if is_set)])


def stage_title(plan: Plan, number: int) -> str:
    """The name of a stage as shown to systems, with its rules."""
    return f"{plan.shown(number).name} ({rules_of(plan.stages[number])})"


def number(value: float | None, digits: int = 3) -> str:
    """Format a metric; a dash if it is unknown."""
    return "–" if value is None else f"{value:.{digits}f}"


def show(console: Console, store: OthelloStore) -> None:
    """Print leaderboards, metrics, failures, and the rules of the tournament."""
    plan = store.tournament
    results = Results(plan, store.analyses(), store.rows())
    if not results.is_complete:
        again = f"; vgdl-compete othello --resume {store.path} continues" if store.path else ""
        left = len(results.pending)
        console.print(f"{results.done} games are done, {left} are left{again}; the standings so far:", highlight=False)
    for stage in results.begun:
        console.print(_leaderboard(stage_title(plan, stage), results.leaderboard(stage)))
    for line in _failure_lines(plan, results, store):
        console.print(line, markup=False, highlight=False)
    console.print(_times(results))
    console.print(_overall(results))
    for line in notes(plan, results, store):
        console.print(line, markup=False, highlight=False)
    console.print(f"seed {plan.secret}", highlight=False)


def _leaderboard(title: str, rows: list[Standing]) -> Table:
    table = Table(title=title, title_justify="left")
    table.add_column("rank", justify="right")
    table.add_column("system", no_wrap=True)
    for column in ("win rate", "W", "L", "D", "games"):
        table.add_column(column, justify="right")
    for row in rows:
        numbers = (row.wins, row.losses, row.draws, row.games)
        table.add_row(str(row.rank), row.name, f"{row.win_rate} %", *map(str, numbers))
    return table


def _overall(results: Results) -> Table:
    table = Table(title="Overall", title_justify="left")
    table.add_column("rank", justify="right")
    table.add_column("system", no_wrap=True)
    for column in ("P", "A", "E", "G", "R", "score"):
        table.add_column(column, justify="right")
    for row in results.overall():
        metrics = results.metrics(row.name)
        values = (metrics.adaptation, metrics.efficiency, metrics.generalisation, metrics.robustness)
        score = metrics.score(results.plan.weights)
        table.add_row(str(row.rank), row.name, number(row.performance), *map(number, values), number(score))
    return table


def _times(results: Results) -> Table:
    """The times from which efficiency is computed; making good use of time may lower it."""
    table = Table(title="Mean times (s)", title_justify="left")
    table.add_column("system", no_wrap=True)
    for column in ("analysis", "game"):
        table.add_column(column, justify="right")
    for row in results.overall():
        analysis_s, game_s = mean_times(results, row.name)
        table.add_row(row.name, number(analysis_s, 2), number(game_s, 2))
    return table


def mean_times(results: Results, system: str) -> tuple[float | None, float]:
    """Mean seconds of a system's analyses, and of all its moves in a game."""
    details = [results.details(stage, system) for stage in results.begun]
    analyses = [one.analysis_s for one in details if one.analysis_s is not None]
    games = [part.used_ms / 1000 for stage in results.begun for part in results.parts(stage, system)]
    return (sum(analyses) / len(analyses) if analyses else None), (sum(games) / len(games) if games else 0.0)


def _failure_lines(plan: Plan, results: Results, store: OthelloStore) -> list[str]:
    """A line for each analysis without a strategy, each forfeit, and each kind of fault."""
    lines = []
    for analysis in results.failures()[:MOST_LINES]:
        last = (analysis.details.strip().splitlines() or [""])[-1]
        where = plan.shown(analysis.stage).name
        lines.append(f"{analysis.system} has no strategy on {where}: {analysis.cause}: {last}".removesuffix(": "))
    forfeits = [game for game in store.rows() if game.forfeit]
    for game in forfeits[:MOST_LINES]:
        loser = game.black if game.forfeit == 1 else game.white
        lines.append(f"{loser} forfeited game {game.number} on {plan.shown(game.stage).name}: {game.forfeit_cause}")
    if len(forfeits) > MOST_LINES:
        lines.append(f"... and {len(forfeits) - MOST_LINES} more forfeits")
    counts = Counter((game.black if fault.player == 1 else game.white, fault.cause) for game, fault in store.faults())
    return lines + [f"{name}: {count} answers replaced ({cause})" for (name, cause), count in counts.items()]


def notes(plan: Plan, results: Results, store: OthelloStore) -> list[str]:
    """The options of the tournament, one per line."""
    weights = ", ".join(f"{name[0].upper()} {value:g}" for name, value in asdict(plan.weights).items())
    kept = "each game starts from the snapshot after the analysis" if plan.memory is Memory.FORK else "memory is kept"
    host = "" if plan.api_host is ApiHost.LOCAL else ", asked of the referee over the wire"
    clock = "CPU" if plan.clock is Clock.CPU else "wall"
    lines = [
        f"{plan.analysis_ms / 1000:g} s of {clock} time to analyse, {plan.game_ms / 1000:g} s for a game; {kept}",
        f"API {plan.api}{host}; score = sum of {weights}",
    ]
    if not any(plan.is_public(stage) for stage in results.begun):
        lines.insert(0, "G needs public stages")
    if all(plan.is_public(stage) for stage in results.begun):
        lines.insert(0, "G and R, and with them the score, need hidden stages: --stages public,generated:4")
    return lines + [f"{count} analyses isolated by {name}" for name, count in store.isolation_levels().items()]


def everything(store: OthelloStore) -> dict[str, Any]:
    """All results as JSON-compatible data."""
    plan = store.tournament
    results = Results(plan, store.analyses(), store.rows())
    return {
        "plan": plan.facts(),
        "complete": results.is_complete,
        "sessions": store.sessions(),
        "stages": [
            {
                **plan.facts()["stages"][stage],
                "public": plan.is_public(stage),
                "leaderboard": [_facts(row) for row in results.leaderboard(stage)],
                "details": {name: asdict(results.details(stage, name)) for name in plan.names},
            }
            for stage in results.begun
        ],
        "overall": [{**_facts(row), **_metrics(results.metrics(row.name), results)} for row in results.overall()],
        "analyses": [asdict(row) for row in store.analyses()],
        "games": [asdict(row) for row in store.rows()],
    }


def _facts(row: Standing) -> dict[str, Any]:
    return {**asdict(row), "games": row.games}


def _metrics(metrics: Metrics, results: Results) -> dict[str, Any]:
    return {"metrics": asdict(metrics), "score": metrics.score(results.plan.weights)}


def write_csv(path: Path, store: OthelloStore) -> None:
    """Write a row per game."""
    rows = [asdict(game) for game in store.rows()]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]) if rows else ["number"])
        writer.writeheader()
        writer.writerows(rows)
