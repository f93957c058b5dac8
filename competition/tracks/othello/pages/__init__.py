"""The pages of an Othello tournament: leaderboards, metrics, matrices, and games to be stepped through (section 14)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from vgdl.competition.report.charts import Bar
from vgdl.competition.report.site import PageOptions, Site
from vgdl.competition.results import Results as ResultTables
from vgdl.competition.store import Store
from vgdl.competition.tracks.othello import tables
from vgdl.competition.tracks.othello.board import Board
from vgdl.competition.tracks.othello.games import GameRecord
from vgdl.competition.tracks.othello.logs import to_json, to_text
from vgdl.competition.tracks.othello.metrics import Metrics
from vgdl.competition.tracks.othello.plan import Plan
from vgdl.competition.tracks.othello.results import Results, Standing
from vgdl.competition.tracks.othello.store import GameRow, faults, isolation_levels, record


@dataclass(frozen=True, slots=True)
class Page:
    """A stage in the form shown on pages."""

    number: int
    title: str
    target: str
    rules: str  #: its differences from the standard stage
    board: Board
    is_public: bool


def write_pages(plan: Plan, store: Store, known: ResultTables, site: Site, options: PageOptions) -> None:
    """Write the pages of a store, which may be that of a running tournament.

    The rules, games and logs of hidden stages are published when the tournament has ended.

    Args:
        plan: the plan of the tournament.
        store: its store.
        known: its results as tables.
        site: the site to write to.
        options: title, and the number of games of each system on a stage that can be watched.

    Raises:
        StoreError: the store cannot be read.
        SiteError: a template is wrong.
    """
    results = Results.of(plan, store)
    games = results.games
    by_number = {game.number: game for game in games}
    open_stages = [number for number in results.begun if results.is_complete or plan.is_public(number)]
    stages = [_page(plan, number) for number in open_stages]
    site.title = options.title or "Othello arena"
    site.navigation = (("index.html", "Leaderboard"), ("replay.html", "Games"))
    site.footer = f"{results.done} of {results.done + len(results.pending)} games"
    _write_index(site, store, results, stages)
    watched = _watched([game for game in games if game.stage in open_stages and not game.budget], options.replays)
    for stage in stages:
        _write_stage(site, store, results, stage, games, watched)
    for number in site.progress(sorted(watched), "games"):
        game = record(store, number)
        site.script(f"games/{number}.js", "othello.game", number, _film(game, plan, by_number[number]))
    site.script("games/index.js", "othello.games", _list(plan, stages, games, watched))
    site.page("replay.html", "othello/replay.html", title="Games", has_games=bool(watched))
    if results.is_complete:  # not before: it has the secret of all random choices
        site.write("results.json", known.to_json() + "\n")
        known.table(known.csv).write_csv(site.path("results.csv"))


def _page(plan: Plan, number: int) -> Page:
    stage = plan.stages[number]
    title = stage.name if plan.is_public(number) else plan.shown(number).name
    return Page(number, title, f"stages/{number}.html", tables.rules_of(stage), stage.board(), plan.is_public(number))


def _write_index(site: Site, store: Store, results: Results, stages: Sequence[Page]) -> None:
    plan = results.plan
    board = results.overall()
    rows = [(row, results.metrics(row.name), tables.mean_times(results, row.name)) for row in board]
    names = [row.name for row in board]
    bars = [(letter, name, meaning, _bars(rows, name)) for letter, name, meaning in tables.METRICS]
    site.page(
        "index.html",
        "othello/index.html",
        title=site.title,
        tiles=[("systems", len(plan.entries)), ("stages", len(results.begun)), ("games", results.done)],
        complete=results.is_complete,
        rows=[(row, found, found.score(plan.weights), times) for row, found, times in rows],
        metrics=tables.METRICS,
        bars=[one for one in bars if one[3]],
        names=names,
        cells=[[results.between(name, other) for other in names] for name in names],
        stages=stages,
        hidden=len(results.begun) - len(stages),
        leaders=_leaders(results, stages),
        failures=[(row, plan.shown(row.stage).name) for row in results.failures()],
        faults=Counter(
            (game.black if one.player == 1 else game.white, one.cause) for game, one in faults(results.games)
        ),
        notes=tables.notes(plan, results, isolation_levels(store, results.analyses)),
    )


def _bars(rows: Iterable[tuple[Standing, Metrics, Any]], metric: str) -> list[Bar]:
    """A metric of all systems for which it is known."""
    values = ((row.name, getattr(found, metric)) for row, found, _ in rows)
    return [Bar(name, value) for name, value in values if value is not None]


def _leaders(results: Results, stages: Sequence[Page]) -> dict[int, str]:
    """The best systems of each stage."""
    return {
        stage.number: ", ".join(row.name for row in results.leaderboard(stage.number) if row.rank == 1)
        for stage in stages
    }


def _write_stage(
    site: Site, store: Store, results: Results, stage: Page, games: Sequence[GameRow], watched: set[int]
) -> None:
    """The page of a stage, and its logs in both forms."""
    plan = results.plan
    played = [game for game in games if game.stage == stage.number and not game.budget]
    records = [record(store, game.number) for game in played]
    site.write(f"logs/{stage.number}.json", json.dumps(to_json(records), separators=(",", ":")))
    text = to_text(records, plan.stages[stage.number], game_limit_s=plan.game_ms / 1000)
    site.write(f"logs/{stage.number}.log", text)
    board = results.leaderboard(stage.number)
    names = [row.name for row in board]
    met: dict[tuple[str, str], list[GameRow]] = {}
    for game in played:
        met.setdefault((game.black, game.white), []).append(game)
    site.page(
        stage.target,
        "othello/stage.html",
        title=stage.title,
        stage=stage,
        rows=[(row, results.details(stage.number, row.name)) for row in board],
        names=names,
        met=met,
        watched=watched,
        failures=[row for row in results.failures() if row.stage == stage.number and not row.budget],
    )


def _watched(games: Sequence[GameRow], most: int | None) -> set[int]:
    """The games that can be watched: the first ``most`` of each system on each stage."""
    if most is None:
        return {game.number for game in games}
    seen: Counter[tuple[int, str]] = Counter()
    chosen = set()
    for game in games:
        keys = [(game.stage, game.black), (game.stage, game.white)]
        if any(seen[key] < most for key in keys):
            chosen.add(game.number)
            seen.update(keys)
    return chosen


def _list(plan: Plan, stages: Sequence[Page], games: Sequence[GameRow], watched: set[int]) -> dict[str, Any]:
    """The data of the lists on the page of games."""
    return {
        "stages": {stage.number: stage.title for stage in stages},
        "games": [
            [game.number, game.stage, game.black, game.white, game.black_score, game.white_score, game.winner]
            for game in games
            if game.number in watched
        ],
        "limit": plan.game_ms,
    }


def _film(record: GameRecord, plan: Plan, row: GameRow) -> dict[str, Any]:
    """A game in compact form: boards are strings of codes, row by row."""
    stage = plan.stages[row.stage]
    (facts,) = to_json([record])
    return {
        "size": len(record.initial_board),
        "start": _letters(record.initial_board),
        "moves": [
            [one.player, *one.cell, one.captured, round(one.time_ms), int(one.fallback), _letters(one.board_after)]
            for one in record.moves
        ],
        "metadata": facts["metadata"],
        "analysis": facts.get("analysisData"),
        "used": [row.black_ms, row.white_ms],
        "text": to_text([record], stage, game_limit_s=plan.game_ms / 1000),
    }


def _letters(board: Board) -> str:
    return "".join(str(code) for line in board for code in line)
