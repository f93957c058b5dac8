"""The pages of runs that learn VGDL games: measures, and every learnt text, written by a model or found by search."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from statistics import mean
from typing import Any

from vgdl.competition.chat.usage import UsageRow
from vgdl.competition.chat.usage import total as total_usage
from vgdl.competition.report.charts import Series
from vgdl.competition.report.site import PageOptions, Site
from vgdl.competition.report.text import minus, number
from vgdl.competition.store import Store
from vgdl.competition.tracks.worldmodels.pages.trees import levels
from vgdl.competition.tracks.worldmodels.search.measures import SHARES, equality_text, measured_share, wins_text
from vgdl.competition.tracks.worldmodels.search.work import SearchPlan
from vgdl.competition.tracks.worldmodels.store import LearntRow, SynthesisRow, TextRow
from vgdl.competition.tracks.worldmodels.texts.plan import TextPlan
from vgdl.competition.tracks.worldmodels.texts.results import best_h, is_measured, results_of, title_of

_CALLS = ("calls", "cached", "retries", "prompt_tokens", "completion_tokens", "seconds", "cost")


def write_texts(plan: TextPlan, store: Store, site: Site, options: PageOptions) -> None:
    """Write the pages of a store of texts; its run may still be in progress.

    Raises:
        StoreError: the store cannot be read.
        SiteError: a template is wrong.
    """
    rows = store.rows(TextRow)
    site.title = options.title or "VGDL games written by a model"
    site.navigation = (("index.html", "Measures"), ("costs.html", "Costs"))
    site.footer = f"{len(rows)} of {len(plan.tasks())} {plan.what}"
    measured = [row for row in rows if is_measured(row)]
    _write_index(
        site,
        [(title_of(row), f"programs/{row.number}.html", row.facts["measures"]) for row in measured],
        complete=len(rows) == len(plan.tasks()),
        what=plan.what,
        texts=rows,
        curves=_curves(rows, plan.what),
        definitions=[
            ("author", plan.author.name),
            ("method", plan.settings.method),
            ("language", plan.language),
            ("first version by", plan.start),
            ("observed ticks", plan.ticks),
            ("most calls", plan.settings.max_calls),
            ("names of types", "true ones" if plan.named else "withheld"),
        ],
    )
    for at in site.progress(range(len(rows)), plan.what):
        _write_text(site, rows[at], plan.what)
    costs = [
        (model, game, *(f"{used.get(name, 0):.6g}" for name in _CALLS))
        for (model, game), used in sorted(total_usage(store.rows(UsageRow)).items())
    ]
    results = results_of(plan, store)
    site.page("costs.html", "worldmodels/costs.html", title="Costs", rows=costs, models=results.table("models"))
    site.write("results.json", results.to_json() + "\n")


def write_search(plan: SearchPlan, store: Store, site: Site, options: PageOptions) -> None:
    """Write the pages of a store of games learnt by search; the run may still be in progress.

    Raises:
        StoreError: the store cannot be read.
        SiteError: a template is wrong.
    """
    learnt = {row.game: row.facts for row in store.rows(LearntRow)}
    site.title = options.title or "VGDL games learnt by search"
    site.navigation = (("index.html", "Measures"),)
    site.footer = f"{len(learnt)} of {len(plan.games)} games"
    rows = [(name, f"programs/{at}.html", learnt[name]) for at, name in enumerate(learnt)]
    _write_index(
        site,
        rows,
        complete=len(learnt) == len(plan.games),
        what="texts",
        texts=(),
        curves=[],
        definitions=[("author", "search, without a language model"), ("seed", plan.secret)],
    )
    for name, page, facts in rows:
        counted = [("observed ticks", facts["ticks"]), ("hypotheses", facts["tried"]), ("CPU s", facts["seconds"])]
        site.page(page, "worldmodels/found.html", title=name, counted=counted, text=facts["text"], plays=_plays(facts))
    site.write("results.json", json.dumps({"plan": plan.facts(), "games": learnt}, indent=1) + "\n")


def _write_index(site: Site, measures: Sequence[tuple[str, str, Mapping[str, Any]]], **data: Any) -> None:
    rows = [(title, page, *_cells(facts)) for title, page, facts in measures]
    means = [_mean([facts.get(name) for _, _, facts in measures]) for name in SHARES]
    site.page(
        "index.html",
        "worldmodels/texts.html",
        title=site.title,
        measures=rows,
        means=means,
        headings=[(heading, "number") for heading in SHARES.values()],
        best_h=best_h,
        title_of=title_of,
        **data,
    )


def _cells(facts: Mapping[str, Any]) -> list[str]:
    shares = [measured_share(facts.get(name), 3) for name in SHARES]
    wins = [minus(wins_text(facts[key])) for key in ("played_learnt", "played_true")]
    return [*shares, equality_text(facts["same_rules"]), *wins]


def _mean(shares: Sequence[float | None]) -> str:
    """Format the mean of the measured shares."""
    known = [share for share in shares if share is not None]
    return measured_share(mean(known) if known else None, 3)


def _plays(facts: Mapping[str, Any] | None) -> list[tuple[str, ...]]:
    """A row per play of the held-out levels."""
    found: list[tuple[str, ...]] = []
    for key, rules in (("played_learnt", "learnt"), ("played_true", "true")):
        for each in (facts or {}).get(key, ()):
            how = "won" if each["won"] else "not won"
            found.append((rules, how, number(each["score"], "g"), str(each["ticks"]), f"{each['trusted']:.2f}"))
    return found


def _curves(rows: Sequence[SynthesisRow], what: str) -> list[tuple[str, list[Series]]]:
    """For each game, the best pass rate after each call, a line per text or program."""
    found: dict[str, list[Series]] = {}
    for row in rows:
        points = [(0.0, 0.0), *((float(call["number"]), float(call["best"])) for call in row.facts["calls"])]
        found.setdefault(row.game, []).append(Series(f"{what[:-1]} {row.position + 1}", points))
    return list(found.items())


def _write_text(site: Site, row: SynthesisRow, what: str) -> None:
    calls = row.facts["calls"]
    points = [(0.0, 0.0), *((float(call["number"]), float(call["best"])) for call in calls)]
    site.page(
        f"programs/{row.number}.html",
        "worldmodels/program.html",
        title=f"{row.game}, {what[:-1]} {row.position + 1}",
        row=row,
        facts_=row.facts,
        curve=[Series("all tests", points)],
        value="",
        tournament={},
        levels=levels(row.facts["nodes"]),
        plays=_plays(row.facts["measures"]),
    )
