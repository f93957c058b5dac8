"""The pages of a GAMEBoT competition: scores next to the published ones, subproblems, costs, matches step by step."""

from __future__ import annotations

import itertools
import json
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from vgdl.competition.chat.usage import models_table, remarks
from vgdl.competition.report.charts import Bar
from vgdl.competition.report.site import PageOptions, Site
from vgdl.competition.report.text import minus
from vgdl.competition.results import DASH
from vgdl.competition.store import Store
from vgdl.competition.tracks.gamebot.pages.drawings import drawing
from vgdl.competition.tracks.gamebot.plan import Plan
from vgdl.competition.tracks.gamebot.prompts import prompt
from vgdl.competition.tracks.gamebot.published import PublishedRow, published
from vgdl.competition.tracks.gamebot.ratings import ALL, Rating
from vgdl.competition.tracks.gamebot.results import Results, questions
from vgdl.competition.tracks.gamebot.scores import Score
from vgdl.competition.tracks.gamebot.store import MatchRow
from vgdl.competition.tracks.gamebot.tables import legend, number, paper_table
from vgdl.competition.tracks.gamebot.tasks import TASKS
from vgdl.competition.tracks.gamebot.turns import prompt_of

GOOD = {"TP", "TN", "correct"}
"""Verdicts on correct answers."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A number in a table: its text and its sort key."""

    text: str
    value: float


def write_pages(results: Results, store: Store, site: Site, options: PageOptions) -> None:
    """Write the pages of a store, which may be that of a running competition.

    Args:
        results: the results of the store.
        store: the store.
        site: the site to write to.
        options: title, and the number of matches of each pair in a game that get a page.

    Raises:
        StoreError: the store cannot be read.
        SiteError: a template is wrong.
    """
    matches = store.rows(MatchRow)
    total = len(results.plan.fixtures())
    site.title = options.title or "GAMEBoT"
    site.navigation = (
        ("index.html", "Scores"),
        ("ratings.html", "Ratings"),
        ("subproblems.html", "Subproblems"),
        ("matches.html", "Matches"),
        ("prompts.html", "Prompts"),
        ("costs.html", "Costs"),
    )
    site.footer = f"{len(matches)} of {total} matches"
    shown = _shown(matches, options.replays)
    _write_tables(site, results)
    site.page(
        "matches.html",
        "gamebot/matches.html",
        title="Matches",
        matches=matches,
        shown=shown,
        tasks=TASKS,
        unplayed=results.unplayed,
    )
    for at in site.progress(range(len(matches)), "matches"):
        if matches[at].number in shown:
            _write_match(site, store, matches[at], results.plan)
    if len(matches) == total:  # not before: it has the secret that the remaining deals derive from
        site.write("results.json", json.dumps(results.facts(), indent=1) + "\n")


def _write_tables(site: Site, results: Results) -> None:
    games = [TASKS[game] for game in results.games]
    own = [(score.model, _cells(score, results)) for score in results.table.scores]
    paper = [(row.model, _published(row, results.games)) for row in published()]
    scales = [(TASKS[game].title, f"{alpha:g}") for game, alpha in results.table.alphas.items()]
    site.page(
        "index.html",
        "gamebot/index.html",
        title=site.title,
        own=own,
        paper=paper,
        scales=scales,
        games=games,
        plan=results.plan,
        complete=len(results.seats) // 2 == len(results.plan.fixtures()),
    )
    site.page("subproblems.html", "gamebot/subproblems.html", title="Subproblems", groups=_groups(results))
    _write_ratings(site, results)
    _write_prompts(site, results)
    site.page(
        "costs.html",
        "gamebot/costs.html",
        title="Costs",
        rows=_costs(results),
        models=models_table(results.endpoints),
        remarks=[*remarks(results.usage, results.endpoints)],
    )


def _write_ratings(site: Site, results: Results) -> None:
    titles = {ALL: "All games", **{game: TASKS[game].title for game in results.games}}
    groups = [
        (titles[game], [_rating(row) for row in rows])
        for game, rows in itertools.groupby(results.ratings, lambda row: row.game)
    ]
    spreads = [
        (
            titles[row.game],
            _range(row.s_lowest, row.s_highest),
            number(row.s_deviation),
            _range(row.i_lowest, row.i_highest),
            number(row.i_deviation),
            minus(number(row.pearson)),
            minus(number(row.spearman)),
        )
        for row in results.spreads
    ]
    paper = paper_table(results)
    site.page(
        "ratings.html",
        "gamebot/ratings.html",
        title="Ratings",
        groups=groups,
        spreads=spreads,
        legend=legend(results.games),
        paper=[(name, *map(minus, cells)) for name, *cells in paper.texts()],
        paper_columns=[(column.heading, "number" if at else "words") for at, column in enumerate(paper.columns)],
    )


def _rating(row: Rating) -> tuple[str, ...]:
    interval = _range(row.low, row.high, digits=0)
    return row.model, minus(str(round(row.points))), interval, f"{row.best_rank}–{row.worst_rank}", str(row.matches)


def _range(low: float | None, high: float | None, *, digits: int = 2) -> str:
    return DASH if low is None or high is None else minus(f"{low:.{digits}f} … {high:.{digits}f}")


def _write_prompts(site: Site, results: Results) -> None:
    plan = results.plan
    shown = [
        (task, [(task.seats[seat], prompt(task, seat, plan.variant)) for seat in (0, 1)])
        for task in (TASKS[game]() for game in plan.games)
    ]
    site.page(
        "prompts.html",
        "gamebot/prompts.html",
        title="Prompts",
        prompts=shown,
        variant=str(plan.variant),
        reading=str(plan.reading),
    )


def _cells(score: Score, results: Results) -> list[Cell]:
    bounds = results.intervals.get(score.model, {})
    return [
        Cell(number(score.score, bounds.get("score"), digits=3), _sorted(score.score)),
        Cell(number(score.outcome, bounds.get("S")), _sorted(score.outcome)),
        Cell(number(score.intermediate, bounds.get("I")), _sorted(score.intermediate)),
        *(_cell(score.outcomes[game]) for game in results.games),
        *(_cell(score.intermediates[game]) for game in results.games),
    ]


def _published(row: PublishedRow, games: list[str]) -> list[Cell]:
    values = [
        row.outcome,
        row.intermediate,
        *(row.outcomes[game] for game in games),
        *(row.intermediates[game] for game in games),
    ]
    return [Cell(number(row.score, digits=3), _sorted(row.score)), *map(_cell, values)]


def _cell(value: float | None) -> Cell:
    return Cell(number(value), _sorted(value))


def _sorted(value: float | None) -> float:
    """The sort key of a value; missing values come last."""
    return -9.0 if value is None else value


def _groups(results: Results) -> list[dict[str, Any]]:
    """Bars by game and subproblem."""
    found = []
    for game in results.games:
        for each, title, metric in questions(game):
            rows = [results.table.rows.get((score.model, game)) for score in results.table.scores]
            tallies = [(row.model, row.tallies[each]) for row in rows if row and each in row.tallies]
            bars = [Bar(model, tally.value) for model, tally in tallies if tally.value is not None]
            details = [(model, tally.n_questions, tally.format_errors, number(tally.value)) for model, tally in tallies]
            found.append(
                {"game": TASKS[game].title, "title": title, "metric": str(metric), "bars": bars, "details": details}
            )
    return found


def _costs(results: Results) -> list[tuple[str, ...]]:
    return [
        (
            model,
            TASKS[game].title if game in TASKS else game,
            *(
                f"{used.get(name, 0):.6g}"
                for name in (
                    *("calls", "cached", "retries", "prompt_tokens", "completion_tokens", "cut", "unanswered"),
                    *("seconds", "cost"),
                )
            ),
        )
        for (model, game), used in sorted(results.usage.items())
    ]


def _shown(matches: list[MatchRow], replays: int | None) -> set[int]:
    """The matches that get a page: all, or the first ``replays`` of each pair in a game."""
    counts: dict[tuple[str, ...], int] = {}
    shown = set()
    for match in matches:
        key = (match.game, *sorted((match.first, match.second)))
        counts[key] = counts.get(key, 0) + 1
        if replays is None or counts[key] <= replays:
            shown.add(match.number)
    return shown


def _write_match(site: Site, store: Store, match: MatchRow, plan: Plan) -> None:
    asked = questions(match.game)
    turns = store.one(MatchRow, number=match.number).turns
    site.page(
        f"matches/{match.number}.html",
        "gamebot/match.html",
        title=f"{TASKS[match.game].title}: {match.first} – {match.second}",
        match=match,
        task=TASKS[match.game],
        turns=turns,
        drawings=[Markup(drawing(match.game, turn["position"])) for turn in turns],
        linked=[prompt_of(plan, match.game, turn["player"], turn["prompt"]) is not None for turn in turns],
        titles={each: title for each, title, _ in asked},
        metrics={str(metric) for _, _, metric in asked},
        good=GOOD,
    )
