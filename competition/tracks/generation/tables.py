"""The results of a run as tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import fmean, median
from typing import Any

from vgdl.cli import counted
from vgdl.competition.chat.usage import UsageRow, facts_of, remarks, total
from vgdl.competition.chat.usage import shown as endpoints_shown
from vgdl.competition.results import Column, Results, ResultTable, rows_of
from vgdl.competition.store import Store
from vgdl.competition.tracks.generation.plan import Kind, Plan
from vgdl.competition.tracks.generation.rows import Generated
from vgdl.judging.cells import Grid, diversity
from vgdl.judging.description import describe
from vgdl.judging.profile import wilson

_RANKING = (
    Column("rank"), Column("generator"), Column("made"), Column("feasible"),
    Column("feasible_low", hidden=True), Column("feasible_high", hidden=True), Column("constraints", form=".2f"),
    Column("depth", form=".2f"), Column("value", form=".3f"), Column("decisions", form=".2f", hidden=True),
    Column("novelty", form=".2f", hidden=True), Column("diversity", form=".2f"), Column("used", form=",.0f"),
)  # fmt: skip
_SUBJECTS = (
    Column("subject", "game"), Column("generator"), Column("made"), Column("feasible"), Column("depth", form=".2f"),
    Column("win_rate", "olets wins", ".2f"), Column("win_ticks", "shortest win"),
)  # fmt: skip
_FORMS = {"used": ",.0f", "seconds": ".1f"} | dict.fromkeys(
    ("depth", "value", "reference_value", "decisions", "novelty", "win_rate", "fired"), ".2f"
)
_ROWS = tuple(
    Column(name, form=_FORMS.get(name, ""))
    for name in (
        "generator", "subject", "number", "cause", "details", "used", "feasible", "verdict", "verified", "depth",
        "value", "reference_value", "decisions", "novelty", "win_rate", "win_ticks", "fired", "seconds",
    )
)  # fmt: skip
MOST_LINES = 20


def results_of(plan: Plan, store: Store) -> Results:
    """The results in a store, finished or not.

    Raises:
        StoreError: the store is damaged.
    """
    found = store.rows(Generated)
    spread = _diversities(plan, store, found)
    ranking = ResultTable(
        "ranking", f"Generators of {plan.kind}", _RANKING, rows_of(_RANKING, _ranked(plan, found, spread))
    )
    subjects = ResultTable("subjects", "By game", _SUBJECTS, rows_of(_SUBJECTS, _by_subject(plan, found)))
    rows = rows_of(_ROWS, ([getattr(row, column.name) for column in _ROWS] for row in found))
    everything = ResultTable("generated", "All that was made", _ROWS, rows)
    shown: list[Any] = [ranking, *([subjects] if len(plan.subjects) > 1 else []), *_notes(plan, found)]
    used = store.rows(UsageRow)
    usage, models = total(used), endpoints_shown(plan.endpoints, used)
    shown += remarks(usage, models)
    return Results(
        track="generate",
        tables=(ranking, subjects, everything),
        facts={"plan": plan.facts(), "usage": facts_of(usage), "endpoints": models},
        complete=len(found) == len(plan.tasks()),
        shown=shown,
        csv="generated",
        done=len(found),
        total=len(plan.tasks()),
    )


def _ranked(plan: Plan, results: Sequence[Generated], spread: dict[str, float]) -> Iterable[Sequence[Any]]:
    """Rows of the ranking: by the share that is feasible, then by value."""
    own = {name: [row for row in results if row.generator == name] for name in plan.names}
    merits = {
        name: (fmean(row.feasible for row in rows), fmean(row.value for row in rows))
        for name, rows in own.items()
        if rows
    }
    order = sorted(merits, key=lambda name: merits[name], reverse=True)
    for name in order:
        rows = own[name]
        feasible = sum(row.feasible for row in rows)
        low, high = wilson(feasible, len(rows))
        yield (
            1 + sum(merit > merits[name] for merit in merits.values()), name, len(rows), feasible, low, high,
            fmean(fmean(row.constraints.values()) if row.constraints else 0.0 for row in rows),
            median(row.depth for row in rows), merits[name][1], fmean(row.decisions for row in rows),
            fmean(row.novelty for row in rows), spread.get(name), fmean(row.used for row in rows),
        )  # fmt: skip


def _by_subject(plan: Plan, results: Sequence[Generated]) -> Iterable[Sequence[Any]]:
    for subject in map(plan.title, plan.subjects):
        for name in plan.names:
            rows = [row for row in results if row.generator == name and row.subject == subject]
            if rows:
                wins = [row.win_ticks for row in rows if row.win_ticks]
                yield (
                    subject, name, len(rows), sum(row.feasible for row in rows), median(row.depth for row in rows),
                    fmean(row.win_rate for row in rows), min(wins, default=None),
                )  # fmt: skip


def _diversities(plan: Plan, store: Store, results: Sequence[Generated]) -> dict[str, float]:
    """The mean diversity of each generator's sets of levels; nothing for rules and games."""
    if plan.kind is not Kind.LEVELS:
        return {}
    import vgdl

    values: dict[str, list[float]] = {}
    for subject in map(plan.title, plan.subjects):
        description = None
        for name in plan.names:
            grids = []
            for row in results:
                if row.generator == name and row.subject == subject and not row.cause:
                    texts = store.one(Generated, generator=name, subject=subject, number=row.number).texts
                    with store.reading("a level"):
                        grids += [Grid.of(text) for text in texts["levels"]]
                        description = description or describe(vgdl.loads(texts["game"], name=subject))
            if grids and description is not None:
                values.setdefault(name, []).append(diversity(grids, description))
    return {name: fmean(own) for name, own in values.items()}


def _notes(plan: Plan, results: Sequence[Generated]) -> list[str]:
    """Lines about what failed, and how budgets are counted."""
    causes = Counter(
        (row.generator, row.cause, row.details.strip().split("\n")[-1][:200]) for row in results if row.cause
    )
    broken = Counter((row.generator, name) for row in results for name, share in row.constraints.items() if share < 1.0)
    lines = [
        f"{name}: {number} × {cause}: {details}" for (name, cause, details), number in causes.most_common(MOST_LINES)
    ]
    for name in plan.names:
        parts = [f"{constraint} {number}" for (own, constraint), number in broken.most_common() if own == name]
        if parts:
            lines.append(f"{name} did not meet: {', '.join(parts)}")
    effort = plan.effort
    judges = f"{counted(effort.plays, 'play')} of each judge, {effort.calls} calls per tick, {effort.ticks} ticks"
    unit = "ms of CPU time" if plan.budget.is_time else "forward model calls"
    lines.append("depth: the median skill depth; constraints: the mean share that is met")
    return [*lines, f"Budget {plan.budget} each (used: {unit}); {judges}; seed {plan.secret}"]
