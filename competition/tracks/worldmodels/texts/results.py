"""Results of a store of VGDL texts or Python programs, as tables, JSON and CSV."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich import box
from rich.console import RenderableType
from rich.table import Table

from vgdl.competition.chat.usage import models_table
from vgdl.competition.results import Column, Results, ResultTable, rows_of
from vgdl.competition.store import Store
from vgdl.competition.tracks.worldmodels.results import asking_facts
from vgdl.competition.tracks.worldmodels.search.measures import SHARES, results_table
from vgdl.competition.tracks.worldmodels.store import SynthesisRow, TextRow
from vgdl.competition.tracks.worldmodels.texts.plan import TextPlan

_MEASURES = (*SHARES, "same_rules", "log_score")


def title_of(row: SynthesisRow) -> str:
    """The name of a text in tables."""
    return row.game if not row.position else f"{row.game} {row.position + 1}"


def best_h(row: SynthesisRow) -> float:
    """The largest pass rate among a synthesis's versions."""
    return max((float(node["h"]) for node in row.facts["nodes"]), default=0.0)


def is_measured(row: SynthesisRow) -> bool:
    """Whether a text was measured without an error."""
    return bool(row.facts["measures"]) and "error" not in row.facts["measures"]


_TEXTS = tuple(
    Column(name)
    for name in ("game", "text", "passed", "calls", "tokens", "cost", *_MEASURES, "wins", "wins of true rules", "plays")
)


def results_of(plan: TextPlan, store: Store) -> Results:
    """The results in a store, finished or not.

    Raises:
        StoreError: the store is damaged.
    """
    rows, total = store.rows(TextRow), len(plan.tasks())
    usage, endpoints, remarks = asking_facts(plan.author, store)
    facts = {
        "plan": plan.facts(),
        "programs": [
            {"number": row.number, "game": row.game, "index": row.position, "program": row.program, **row.facts}
            for row in rows
        ],
        "usage": usage,
        "endpoints": endpoints,
        "sessions": store.sessions(),
    }
    with store.reading("its texts"):
        shown: list[RenderableType] = [calls_table(rows, plan.what)] if rows else []
        measures = {title_of(row): row.facts["measures"] for row in rows if is_measured(row)}
        if measures:
            shown.append(results_table(measures, f"Written by {plan.author.name}, measured on levels 3 and 4"))
        shown += [line for row in rows for line in (*_failures(row), *_predictions(row))]
        table = ResultTable("texts", "Texts", _TEXTS, rows_of(_TEXTS, map(_values, rows)))
    models = models_table(endpoints)
    shown += [*remarks, *([models] if endpoints else []), f"seed {plan.secret}"]
    complete = len(rows) == total
    return Results("worldmodels", complete, [table, models], facts, shown, csv="texts", done=len(rows), total=total)


def _values(row: TextRow) -> tuple[Any, ...]:
    facts, measures = row.facts, row.facts["measures"] if is_measured(row) else {}
    wins = [sum(play["won"] for play in measures.get(key, ())) for key in ("played_learnt", "played_true")]
    counted = (best_h(row), len(facts["calls"]), facts["tokens"], facts["cost"])
    found = [measures.get(name) for name in _MEASURES]
    return (row.game, row.position + 1, *counted, *found, *wins, len(measures.get("played_true", ())))


def calls_table(rows: Sequence[SynthesisRow], what: str) -> Table:
    """The table of calls, tokens and costs of learning, and of pass rates."""
    title = f"{what.capitalize()} and the share of their tests that they pass"
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("game", no_wrap=True)
    for column in ("passed", "calls", "nodes", "tokens", "cost", "stopped"):
        table.add_column(column, justify="right", no_wrap=True)
    for row in rows:
        facts = row.facts
        counted = (str(len(facts["calls"])), str(len(facts["nodes"])), str(facts["tokens"]), f"{facts['cost']:.4g}")
        table.add_row(title_of(row), f"{best_h(row):.3f}", *counted, facts["stopped"])
    return table


def _failures(row: SynthesisRow) -> list[str]:
    """Explain why a text was not solved or not measured."""
    lines = []
    facts = row.facts
    if not facts["solved"]:
        first = facts["failures"][0]["text"].splitlines()[0] if facts["failures"] else "nothing was accepted"
        lines.append(f"{title_of(row)} stopped at {facts['stopped']}: {first[:300]}")
    if row.program and not is_measured(row):
        lines.append(f"{title_of(row)} was not measured: {(facts['measures'] or {}).get('error', 'it is not a game')}")
    return lines


def _predictions(row: SynthesisRow) -> list[str]:
    """Describe the measures that only Python programs have."""
    measures = row.facts["measures"] if is_measured(row) else {}
    if "failed" not in measures:
        return []
    counts = f"{measures['failed']} failed, {measures['actions_wrong']} had wrong legal actions"
    score = measures["log_score"]
    chance_text = "" if score is None else f"; log score {score:.3f} where chance had a part"
    return [f"{title_of(row)}: of {measures['tested']} predictions, {counts}{chance_text}"]
