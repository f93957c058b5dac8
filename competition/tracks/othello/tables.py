"""The results of a tournament as tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, replace
from statistics import fmean
from typing import Any

from rich.console import RenderableType

from vgdl.competition.agents.service import Clock
from vgdl.competition.results import DASH, Column, ResultTable, rows_of
from vgdl.competition.results import Results as ResultTables
from vgdl.competition.store import Store
from vgdl.competition.tracks.othello.entries import BASELINE
from vgdl.competition.tracks.othello.metrics import Definition, Metrics
from vgdl.competition.tracks.othello.plan import ApiHost, Memory, Plan
from vgdl.competition.tracks.othello.results import Results, Standing
from vgdl.competition.tracks.othello.store import faults, isolation_levels
from vgdl.tabletop.othello_stages import Stage

_LEADERBOARD = (
    Column("stage", hidden=True), Column("rank"), Column("system"),
    Column("win_rate", "win rate", show=lambda row: f"{100 * float(row['win_rate'] or 0):.1f} %"),
    Column("wins", "W"), Column("losses", "L"), Column("draws", "D"), Column("games"),
    Column("difference", form="+.3f"), Column("pieces", form=".1f"),
)  # fmt: skip
_OVERALL = (
    Column("rank"), Column("system"), Column("performance", "P", ".3f"), Column("adaptation", "A", ".3f"),
    Column("efficiency", "E", ".3f"), Column("generalisation", "G", ".3f"), Column("robustness", "R", ".3f"),
    Column("score", form=".3f"), Column("difference", form="+.3f"), Column("pieces", form=".1f"),
    Column("analysis_s", hidden=True), Column("game_s", hidden=True),
)  # fmt: skip
_TIMES = (Column("system"), Column("analysis", form=".2f"), Column("game", form=".2f"))
_GAMES = tuple(
    Column(name)
    for name in (
        "number", "stage", "budget", "repeat", "black", "white", "winner", "black_score", "white_score", "forfeit",
        "forfeit_cause", "black_ms", "white_ms",
    )
)  # fmt: skip

METRICS = (
    ("P", "performance", "share of games won, a tie as half"),
    ("A", "adaptation", "P with little time, or in the first games"),
    ("E", "efficiency", "share of both time limits left unused"),
    ("G", "generalisation", "what is left on hidden stages of the public ones"),
    ("R", "robustness", "P on the worst quarter of the hidden stages"),
)
"""Letter, name and meaning of each metric."""

_MEMORY = {
    Memory.FORK: "each game starts from the snapshot after the analysis",
    Memory.KEEP: "memory is kept",
    Memory.FRESH: "each game starts a new process with an analysis of its own",
}

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
    return DASH if value is None else f"{value:.{digits}f}"


def results_of(plan: Plan, store: Store) -> ResultTables:
    """The results in a store, finished or not.

    Raises:
        StoreError: the store is damaged.
    """
    results = Results.of(plan, store)
    isolation = isolation_levels(store, results.analyses)
    overall, boards, times, games = _overall(results), _leaderboards(results), _times(results), _games(results)
    shown: list[RenderableType] = [
        boards.only(stage_title(plan, stage), stage=stage_title(plan, stage)) for stage in results.begun
    ]
    shown += _failure_lines(plan, results)
    shown += [times, overall, *notes(plan, results, isolation), f"seed {plan.secret}"]
    return ResultTables(
        "othello",
        results.is_complete,
        [overall, boards, times, games],
        {**_facts(plan, results), "sessions": store.sessions()},
        shown,
        csv="games",
        done=results.done,
        total=results.done + len(results.pending),
    )


def _leaderboards(results: Results) -> ResultTable:
    rows = [
        (
            stage_title(results.plan, stage),
            row.rank,
            row.name,
            row.performance,
            row.wins,
            row.losses,
            row.draws,
            row.games,
            (details := results.details(stage, row.name)).difference,
            details.pieces,
        )
        for stage in results.begun
        for row in results.leaderboard(stage)
    ]
    return ResultTable("leaderboards", "Leaderboards", _LEADERBOARD, rows_of(_LEADERBOARD, rows))


def _overall(results: Results) -> ResultTable:
    rows = []
    for row in results.overall():
        metrics = results.metrics(row.name)
        score = metrics.score(results.plan.weights)
        details = [results.details(stage, row.name) for stage in results.begun]
        difference = fmean(each.difference for each in details) if details else None
        pieces = fmean(each.pieces for each in details) if details else None
        rows.append((row.rank, row.name, *_values(metrics), score, difference, pieces, *mean_times(results, row.name)))
    records = rows_of(_OVERALL, rows)
    unknown = {name for name in ("generalisation", "robustness", "score") if all(row[name] is None for row in records)}
    columns = [replace(column, hidden=True) if column.name in unknown else column for column in _OVERALL]
    return ResultTable("overall", "Overall", columns, records)


def _values(metrics: Metrics) -> tuple[float | None, ...]:
    return (
        metrics.performance, metrics.adaptation, metrics.efficiency, metrics.generalisation, metrics.robustness,
    )  # fmt: skip


def _times(results: Results) -> ResultTable:
    """The times from which efficiency is computed; making good use of time may lower it."""
    rows = [(row.name, *mean_times(results, row.name)) for row in results.overall()]
    return ResultTable("times", "Mean times (s)", _TIMES, rows_of(_TIMES, rows))


def _games(results: Results) -> ResultTable:
    rows = [{column.name: getattr(game, column.name) for column in _GAMES} for game in results.games]
    return ResultTable("games", "Games", _GAMES, rows)


def mean_times(results: Results, system: str) -> tuple[float | None, float]:
    """Mean seconds of a system's analyses, and of all its moves in a game."""
    details = [results.details(stage, system) for stage in results.begun]
    analyses = [one.analysis_s for one in details if one.analysis_s is not None]
    games = [part.used_ms / 1000 for stage in results.begun for part in results.parts(stage, system)]
    return (sum(analyses) / len(analyses) if analyses else None), (sum(games) / len(games) if games else 0.0)


def _failure_lines(plan: Plan, results: Results) -> list[str]:
    """A line for each analysis without a strategy, each forfeit, and each kind of fault."""
    lines = []
    for analysis in results.failures()[:MOST_LINES]:
        last = (analysis.details.strip().splitlines() or [""])[-1]
        where = plan.shown(analysis.stage).name
        lines.append(f"{analysis.system} has no strategy on {where}: {analysis.cause}: {last}".removesuffix(": "))
    forfeits = [game for game in results.games if game.forfeit]
    for game in forfeits[:MOST_LINES]:
        loser = game.black if game.forfeit == 1 else game.white
        lines.append(f"{loser} forfeited game {game.number} on {plan.shown(game.stage).name}: {game.forfeit_cause}")
    if len(forfeits) > MOST_LINES:
        lines.append(f"... and {len(forfeits) - MOST_LINES} more forfeits")
    counts = Counter(
        (game.black if fault.player == 1 else game.white, fault.cause) for game, fault in faults(results.games)
    )
    return lines + [f"{name}: {count} answers replaced ({cause})" for (name, cause), count in counts.items()]


def notes(plan: Plan, results: Results, isolation: Mapping[str, int]) -> list[str]:
    """The options of the tournament, one per line."""
    meanings = [f"{letter}: {meaning}" for letter, _, meaning in METRICS]
    by_strength = plan.metrics is Definition.STRENGTH
    weights = ", ".join(f"{name[0].upper()} {value:g}" for name, value in asdict(plan.weights).items())
    host = "" if plan.api_host is ApiHost.LOCAL else ", asked of the referee over the wire"
    clock = "CPU" if plan.clock is Clock.CPU else "wall"
    lines = [
        "; ".join([*meanings, "difference: own less other pieces, as a share of the cells, in the sense of the goal"]),
        f"{plan.analysis_ms / 1000:g} s of {clock} time to analyse, {plan.game_ms / 1000:g} s for a game; "
        f"{_MEMORY[plan.memory]}",
        f"API {plan.api}{host}; score = sum of {weights}",
    ]
    if by_strength:
        lines.append(
            f"in P, a result counts by the share of moves that a system chose itself; G is the strength above "
            f"{BASELINE} that is left on hidden stages, and the score counts E as far as a system has such strength"
        )
        if len({plan.is_public(stage) for stage in results.begun}) == 2 and BASELINE not in plan.names:
            lines.insert(0, f"G, and with it the score, needs {BASELINE} among the systems")
    if not any(plan.is_public(stage) for stage in results.begun):
        lines.insert(0, "G needs public stages")
    if all(plan.is_public(stage) for stage in results.begun):
        lines.insert(0, "G and R, and with them the score, need hidden stages: --stages public,generated:4")
    return lines + [f"{count} analyses isolated by {name}" for name, count in isolation.items()]


def _facts(plan: Plan, results: Results) -> dict[str, Any]:
    """All results as JSON-compatible data."""
    return {
        "plan": plan.facts(),
        "stages": [
            {
                **plan.facts()["stages"][stage],
                "public": plan.is_public(stage),
                "leaderboard": [_standing(row) for row in results.leaderboard(stage)],
                "details": {name: asdict(results.details(stage, name)) for name in plan.names},
            }
            for stage in results.begun
        ],
        "overall": [{**_standing(row), **_metrics(results.metrics(row.name), results)} for row in results.overall()],
        "analyses": [asdict(row) for row in results.analyses],
        "games": [asdict(row) for row in results.games],
    }


def _standing(row: Standing) -> dict[str, Any]:
    return {**asdict(row), "games": row.games}


def _metrics(metrics: Metrics, results: Results) -> dict[str, Any]:
    return {"metrics": asdict(metrics), "score": metrics.score(results.plan.weights)}
