"""The results in the terminal: the table in the paper's form, subproblems, and what was used."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from vgdl.competition.tracks.gamebot.published import published
from vgdl.competition.tracks.gamebot.results import Results, questions
from vgdl.competition.tracks.gamebot.scores import Interval
from vgdl.competition.tracks.gamebot.tasks import TASKS

DASH = "–"


def show(console: Console, results: Results, *, beside_published: bool = False) -> None:
    """Print all tables."""
    games = results.games
    console.print(_scores(results, games, beside_published))
    for game, alpha in results.table.alphas.items():
        console.print(f"{TASKS[game].title}: mean values are divided by {alpha:g}", highlight=False)
    console.print(_subproblems(results, games))
    if results.usage:
        console.print(_usage(results))


def _scores(results: Results, games: Sequence[str], beside_published: bool) -> Table:
    table = Table(title="Outcomes S | subproblems I | score = (S + I)/2", title_justify="left")
    table.add_column("player", no_wrap=True)
    for group, mean in (("s", "S"), ("i", "I")):
        for game in games:
            table.add_column(f"{group} {TASKS[game].letter}", justify="right", no_wrap=True)
        table.add_column(mean, justify="right", style="bold", no_wrap=True)
    table.add_column("score", justify="right", style="bold", no_wrap=True)
    for score in results.table.scores:
        bounds = results.intervals.get(score.model, {})
        table.add_row(
            score.model,
            *(number(score.s[game]) for game in games),
            number(score.outcome, bounds.get("S")),
            *(number(score.i[game]) for game in games),
            number(score.intermediate, bounds.get("I")),
            number(score.score, bounds.get("score"), digits=3),
        )
    if beside_published:
        table.add_section()
        for row in published():
            table.add_row(
                f"{row.model} (paper)",
                *(number(row.s[game]) for game in games),
                number(row.outcome),
                *(number(row.i[game]) for game in games),
                number(row.intermediate),
                number(row.score, digits=3),
                style="dim",
            )
    return table


def _subproblems(results: Results, games: Sequence[str]) -> Table:
    table = Table(title="Subproblems, and moves that were replaced", title_justify="left")
    for column in ("game", "player", "matches", "W", "D", "L"):
        table.add_column(column, no_wrap=True, justify="left" if column in ("game", "player") else "right")
    table.add_column("subproblems")
    table.add_column("unreadable", justify="right")
    table.add_column("replaced", justify="right")
    for game in games:
        for score in results.table.scores:
            row = results.table.rows.get((score.model, game))
            if row is None:
                continue
            told = [
                f"{title} {number(row.tallies[each].value)}"
                for each, title, _ in questions(game)
                if each in row.tallies
            ]
            unreadable = sum(tally.format_errors for tally in row.tallies.values())
            table.add_row(
                TASKS[game].title,
                row.model,
                *map(str, (row.matches, row.wins, row.draws, row.losses)),
                ", ".join(told) or DASH,
                str(unreadable),
                f"{row.replaced} of {row.moves}",
            )
        table.add_section()
    return table


def _usage(results: Results) -> Table:
    table = Table(title="What asking models has used", title_justify="left")
    table.add_column("model", no_wrap=True)
    names = {"calls": "calls", "cached": "from the cache", "retries": "retries", "prompt_tokens": "tokens in"}
    names |= {"completion_tokens": "tokens out", "seconds": "seconds", "cost": "cost"}
    for title in names.values():
        table.add_column(title, justify="right")
    totals: dict[str, dict[str, float]] = {}
    for (model, _), used in results.usage.items():
        for name, value in used.items():
            totals.setdefault(model, {})[name] = totals.setdefault(model, {}).get(name, 0) + value
    for model, used in totals.items():
        table.add_row(model, *(f"{used.get(name, 0):.6g}" for name in names))
    return table


def number(value: float | None, interval: Interval | None = None, *, digits: int = 2) -> str:
    """A value with its interval; a dash if there is none."""
    if value is None:
        return DASH
    text = f"{value:.{digits}f}"
    return f"{text} [{interval[0]:.{digits}f}, {interval[1]:.{digits}f}]" if interval else text


def write_csv(path: Path, results: Results) -> None:
    """Write a row per player and game to a file, replacing it only once it is complete."""
    part = path.with_name(path.name + ".part")
    facts = results.facts()["rows"]
    with part.open("w", encoding="utf-8", newline="") as file:
        names = [name for name in facts[0] if name != "subproblems"] if facts else []
        writer = csv.writer(file)
        writer.writerow([*names, "subproblem", "metric", "value", "asked", "format errors"])
        for row in facts:
            plain = [row[name] for name in names]
            subproblems: Mapping[str, Mapping[str, object]] = row["subproblems"]
            for title, found in (subproblems or {"": {}}).items():
                details = [found.get(name, "") for name in ("metric", "value", "asked", "format errors")]
                writer.writerow([*plain, title, *details])
    part.replace(path)
