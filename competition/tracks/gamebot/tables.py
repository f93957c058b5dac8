"""The results in the terminal: the table in the paper's format, subproblems, and usage."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table

from vgdl.competition.files import replacing
from vgdl.competition.tracks.gamebot.published import PublishedRow, published
from vgdl.competition.tracks.gamebot.results import Results, questions
from vgdl.competition.tracks.gamebot.scores import Interval
from vgdl.competition.tracks.gamebot.tasks import TASKS

DASH = "–"


def show(console: Console, results: Results, *, beside_published: bool = False) -> None:
    """Print all tables."""
    games = results.games
    paper = published() if beside_published else ()
    outcomes = [(row.model, row.s, row.outcome) for row in results.table.scores]
    answers = [(row.model, row.i, row.intermediate) for row in results.table.scores]
    console.print(
        _by_game(
            "Outcomes s, and their mean S", "S", games, outcomes, [(row.model, row.s, row.outcome) for row in paper]
        )
    )
    console.print(legend(games), highlight=False)
    for game, alpha in results.table.alphas.items():
        console.print(f"{TASKS[game].title}: mean values are divided by {alpha:g}", highlight=False)
    console.print(
        _by_game(
            "Subproblems, and their mean I",
            "I",
            games,
            answers,
            [(row.model, row.i, row.intermediate) for row in paper],
        )
    )
    console.print(_scores(results, paper))
    for game in games:
        console.print(_details(results, game))
    if results.usage:
        console.print(_usage(results))


def legend(games: Sequence[str]) -> str:
    """The letters of the columns of games, with the titles that they stand for."""
    return ", ".join(f"{TASKS[game].letter} {TASKS[game].title}" for game in games)


Line = tuple[str, Mapping[str, float | None], float | None]
"""A player, its values by game, and their mean."""


def _by_game(title: str, mean: str, games: Sequence[str], own: Sequence[Line], paper: Sequence[Line]) -> Table:
    table = _table(title)
    table.add_column("player", no_wrap=True)
    for game in games:
        table.add_column(TASKS[game].letter, justify="right", no_wrap=True)
    table.add_column(mean, justify="right", style="bold", no_wrap=True)
    for name, values, total in own:
        table.add_row(name, *(number(values[game]) for game in games), number(total))
    if paper:
        table.add_section()
    for name, values, total in paper:
        table.add_row(f"{name} (paper)", *(number(values[game]) for game in games), number(total), style="dim")
    return table


def _scores(results: Results, paper: Sequence[PublishedRow]) -> Table:
    table = _table("Scores, (S + I)/2, with 95 % intervals")
    table.add_column("player", no_wrap=True)
    for column in ("S", "I", "score"):
        table.add_column(column, justify="right", no_wrap=True)
    for row in results.table.scores:
        bounds = results.intervals.get(row.model, {})
        table.add_row(
            row.model,
            number(row.outcome, bounds.get("S")),
            number(row.intermediate, bounds.get("I")),
            number(row.score, bounds.get("score"), digits=3),
        )
    if paper:
        table.add_section()
    for printed in paper:
        values = (number(printed.outcome), number(printed.intermediate), number(printed.score, digits=3))
        table.add_row(f"{printed.model} (paper)", *values, style="dim")
    return table


def _details(results: Results, game: str) -> Table:
    """Details of a game: results, the value of each subproblem, and unreadable or replaced moves."""
    asked = questions(game)
    table = _table(TASKS[game].title)
    table.add_column("player", no_wrap=True)
    for column in ("W", "D", "L", *(title for _, title, _ in asked), "unread", "replaced"):
        table.add_column(column, justify="right")
    for score in results.table.scores:
        row = results.table.rows.get((score.model, game))
        if row is None:
            continue
        values = [number(row.tallies[each].value) if each in row.tallies else DASH for each, _, _ in asked]
        unreadable = sum(tally.format_errors for tally in row.tallies.values())
        counts = map(str, (row.wins, row.draws, row.losses))
        table.add_row(row.model, *counts, *values, str(unreadable), f"{row.replaced}/{row.moves}")
    return table


def _usage(results: Results) -> Table:
    table = _table("What asking models has used")
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


def _table(title: str) -> Table:
    """A table that fits into 80 columns with eight games."""
    return Table(
        title=title, title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False,
        min_width=len(title),
    )  # fmt: skip


def number(value: float | None, interval: Interval | None = None, *, digits: int = 2) -> str:
    """A value with its interval; a dash if there is none."""
    if value is None:
        return DASH
    text = f"{value:.{digits}f}"
    return f"{text} [{interval[0]:.{digits}f}, {interval[1]:.{digits}f}]" if interval else text


def write_csv(path: Path, results: Results) -> None:
    """Write a row per player and game to a file, replacing it only once it is complete."""
    facts = results.facts()["rows"]
    with replacing(path) as file:
        names = [name for name in facts[0] if name != "subproblems"] if facts else []
        writer = csv.writer(file)
        writer.writerow([*names, "subproblem", "metric", "value", "asked", "format errors"])
        for row in facts:
            plain = [row[name] for name in names]
            subproblems: Mapping[str, Mapping[str, object]] = row["subproblems"]
            for title, found in (subproblems or {"": {}}).items():
                details = [found.get(name, "") for name in ("metric", "value", "asked", "format errors")]
                writer.writerow([*plain, title, *details])
