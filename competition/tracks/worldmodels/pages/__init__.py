"""The pages of a world-models run: accuracies, matches beside the published ones, and every program with its tree."""

from __future__ import annotations

import json
from typing import Any

from vgdl.competition.chat.usage import models_table
from vgdl.competition.report.charts import Series
from vgdl.competition.report.site import PageOptions, Site
from vgdl.competition.report.text import minus
from vgdl.competition.results import DASH
from vgdl.competition.store import Store
from vgdl.competition.tracks.worldmodels import published
from vgdl.competition.tracks.worldmodels.pages.trees import levels
from vgdl.competition.tracks.worldmodels.plan import Plan
from vgdl.competition.tracks.worldmodels.results import (
    KINDS,
    SETS,
    Learnt,
    Played,
    Results,
    game_text,
    has_payoffs,
    mean_text,
    share_text,
)
from vgdl.competition.tracks.worldmodels.store import MatchRow, SynthesisRow


def write_pages(plan: Plan, store: Store, site: Site, options: PageOptions) -> None:
    """Write the pages of a store; its run may still be in progress.

    Args:
        plan: the plan of the run.
        store: its store.
        site: the site to write to.
        options: title, and the number of matches per opponent and seat that get a page.

    Raises:
        StoreError: the store cannot be read.
        SiteError: a template is wrong.
    """
    results = Results.of(plan, store)
    site.title = options.title or "Code world models"
    site.navigation = (
        ("index.html", "Accuracy"),
        ("matches.html", "Matches"),
        ("programs.html", "Programs"),
        ("costs.html", "Costs"),
    )
    done = f"{len(results.syntheses)} of {len(plan.tasks())} programs"
    site.footer = f"{done}, {len(results.matches)} of {len(plan.fixtures())} matches"
    _write_tables(site, results)
    shown = _shown(results.matches, options.replays)
    site.page(
        "matches.html",
        "worldmodels/matches.html",
        title="Matches",
        wins=[_wins(row) for row in results.played if not has_payoffs(plan, row.game)],
        payoffs=[_payoffs(row) for row in results.played if has_payoffs(plan, row.game)],
        matches=results.matches,
        shown=shown,
        programs={row.number: row for row in results.syntheses},
        game_text=game_text,
    )
    for row in site.progress(range(len(results.syntheses)), "programs"):
        _write_program(site, results, results.syntheses[row])
    for row in site.progress(range(len(results.matches)), "matches"):
        if results.matches[row].number in shown:
            _write_match(site, results.matches[row])
    if results.is_complete:  # not before: the file has the secret that the remaining plays derive from
        site.write("results.json", json.dumps(results.facts(), indent=1) + "\n")


def _write_tables(site: Site, results: Results) -> None:
    site.page(
        "index.html",
        "worldmodels/index.html",
        title=site.title,
        rows=[row for learnt in results.learnt for row in _accuracies(learnt)],
        calls=[_calls(learnt) for learnt in results.learnt],
        curves=_curves(results),
        plan=results.plan,
        complete=results.is_complete,
    )
    site.page(
        "programs.html",
        "worldmodels/programs.html",
        title="Programs",
        rows=results.syntheses,
        choices=[
            (game_text(game, deck), facts) for (game, deck), facts in results.survivors.items() if facts["programs"]
        ],
        game_text=game_text,
    )
    names = ("calls", "cached", "retries", "prompt_tokens", "completion_tokens", "seconds", "cost")
    costs = [
        (used["model"], used["game"], *(f"{used.get(name, 0):.6g}" for name in names))
        for used in sorted(results.usage, key=lambda used: (used["model"], used["game"]))
    ]
    site.page("costs.html", "worldmodels/costs.html", title="Costs", rows=costs, models=models_table(results.endpoints))


def _accuracies(row: Learnt) -> list[tuple[str, ...]]:
    """A line for each kind of test: learning, test and online, and the paper's test accuracy."""
    paper = published.accuracies().get((row.game, row.deck))
    found = []
    for kind in KINDS:
        shares = [row.accuracy.get((name, kind)) for name in SETS]
        if any(shares):
            cells = [share_text(share, digits=4) for share in shares]
            found.append((game_text(row.game, row.deck), kind, *cells, _number(getattr(paper, kind, None), 4)))
    return found


def _calls(row: Learnt) -> tuple[str, ...]:
    paper = published.accuracies().get((row.game, row.deck))
    return (
        game_text(row.game, row.deck),
        f"{row.solved}/{row.programs}",
        mean_text(row.calls, digits=1),
        _number(getattr(paper, "calls", None), 1),
        f"{row.tokens:.0f}",
        f"{row.cost:.4g}",
    )


def _curves(results: Results) -> list[tuple[str, list[Series]]]:
    """For each game, the best pass rate after each call, a line per program."""
    found: dict[str, list[Series]] = {}
    for row in results.syntheses:
        points = [(0.0, 0.0), *((float(call["number"]), float(call["best"])) for call in row.facts["calls"])]
        series = Series(f"program {row.position + 1}", points)
        found.setdefault(game_text(row.game, row.deck), []).append(series)
    return list(found.items())


def _wins(row: Played) -> tuple[str, ...]:
    paper = published.matches().get((row.game, row.deck, row.opponent, row.seat))
    printed = DASH if paper is None else " / ".join(_number(each, 2) for each in (paper.win, paper.loss, paper.draw))
    shares = [share_text(row.wins), f"{row.losses.value:.2f}", f"{row.draws.value:.2f}"]
    forfeits = f"{row.forfeits} : {row.other_forfeits}"
    key = (game_text(row.game, row.deck), row.opponent, str(row.seat), str(row.matches))
    return (*key, *shares, forfeits, printed)


def _payoffs(row: Played) -> tuple[str, ...]:
    paper = published.matches().get((row.game, row.deck, row.opponent, row.seat))
    printed = DASH if paper is None else " / ".join(_number(each, 2) for each in (paper.payoff, paper.other))
    forfeits = f"{row.forfeits} : {row.other_forfeits}"
    key = (game_text(row.game, row.deck), row.opponent, str(row.seat), str(row.matches))
    return (*key, *map(minus, (mean_text(row.payoff), mean_text(row.other), forfeits, printed)))


def _number(value: float | None, digits: int) -> str:
    return DASH if value is None else f"{value:.{digits}f}"


def _shown(matches: tuple[MatchRow, ...], replays: int | None) -> set[int]:
    """Select the matches that get a page: all, or the first ``replays`` of each game, deck, opponent and seat."""
    counts: dict[tuple[Any, ...], int] = {}
    shown = set()
    for match in matches:
        key = (match.game, match.deck, match.opponent, match.seat)
        counts[key] = counts.get(key, 0) + 1
        if replays is None or counts[key] <= replays:
            shown.add(match.number)
    return shown


def _write_program(site: Site, results: Results, row: SynthesisRow) -> None:
    value, tournament = results.values.get(row.number, ("", {}))
    calls = row.facts["calls"]
    curve = [
        Series(title, [(0.0, 0.0), *((float(call["number"]), float(call[name] or 0.0)) for call in calls)])
        for name, title in (("best", "all tests"), ("transition", "transition"), ("inference", "inference"))
        if any(call[name] is not None for call in calls)
    ]
    site.page(
        f"programs/{row.number}.html",
        "worldmodels/program.html",
        title=f"{game_text(row.game, row.deck)}, program {row.position + 1}",
        row=row,
        facts_=row.facts,
        curve=curve,
        value=value,
        tournament=tournament,
        levels=levels(row.facts["nodes"]),
        plays=(),
    )


def _write_match(site: Site, match: MatchRow) -> None:
    record = match.record or {}
    site.page(
        f"matches/{match.number}.html",
        "worldmodels/match.html",
        title=f"{game_text(match.game, match.deck)} against {match.opponent}",
        match=match,
        steps=record["play"]["steps"],
        notes=iter(record["notes"]),
        reason=record["reason"],
        online=record["online"],
    )
