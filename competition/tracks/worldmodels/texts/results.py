"""Results of a store of VGDL texts or Python programs, as tables, JSON and CSV."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from vgdl.cli import program as command_name
from vgdl.competition.files import replacing, write_json
from vgdl.competition.tracks.worldmodels.search.measures import SHARES, results_table
from vgdl.competition.tracks.worldmodels.store import SynthesisRow
from vgdl.competition.tracks.worldmodels.texts.store import TextStore

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


def facts_of(store: TextStore) -> dict[str, Any]:
    """The results as JSON-compatible data."""
    plan, rows = store.run, store.syntheses()
    return {
        "plan": plan.facts(),
        "complete": len(rows) == len(plan.tasks()),
        "programs": [
            {"number": row.number, "game": row.game, "index": row.position, "program": row.program, **row.facts}
            for row in rows
        ],
        "usage": [{"model": model, "game": game, **used} for (model, game), used in store.usage().items()],
    }


def show(store: TextStore, json_file: str | None, csv_file: str | None) -> None:
    """Print the tables of a store, and write the requested machine-readable files.

    Args:
        store: the store.
        json_file: a path, or ``-`` for standard output; the tables then go to standard error.
        csv_file: a path.
    """
    console = Console(stderr=json_file == "-")
    plan, rows = store.run, store.syntheses()
    if len(rows) < len(plan.tasks()):
        again = f"; {command_name('compete')} worldmodels --resume {store.path} continues it" if store.path else ""
        console.print(f"the run is incomplete{again}; the results so far:", highlight=False)
    if rows:
        console.print(calls_table(rows, plan.what))
    measures = {title_of(row): row.facts["measures"] for row in rows if is_measured(row)}
    if measures:
        console.print(results_table(measures, f"Written by {plan.author.name}, measured on levels 3 and 4"))
    for row in rows:
        for line in (*_failures(row), *_predictions(row)):
            console.print(line, highlight=False, markup=False)
    console.print(f"seed {plan.secret}", highlight=False)
    if json_file:
        write_json(json_file, facts_of(store))
    if csv_file:
        write_csv(Path(csv_file), rows)


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
    told = "" if score is None else f"; log score {score:.3f} where chance had a part"
    return [f"{title_of(row)}: of {measures['tested']} predictions, {counts}{told}"]


def write_csv(path: Path, rows: Sequence[SynthesisRow]) -> None:
    """Write a row per text, replacing the file only once it is complete."""
    with replacing(path) as file:
        writer = csv.writer(file)
        writer.writerow(["game", "text", "passed", "calls", "tokens", "cost", *_MEASURES, "wins", "wins of true rules",
                         "plays"])  # fmt: skip
        for row in rows:
            facts, measures = row.facts, row.facts["measures"] if is_measured(row) else {}
            wins = [sum(play["won"] for play in measures.get(key, ())) for key in ("played_learnt", "played_true")]
            counted = (best_h(row), len(facts["calls"]), facts["tokens"], facts["cost"])
            found = [measures.get(name) for name in _MEASURES]
            shown = ["" if value is None else value for value in found]
            writer.writerow([row.game, row.position + 1, *counted, *shown, *wins, len(measures.get("played_true", ()))])
