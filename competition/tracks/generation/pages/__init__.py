"""The pages of a run: the ranking, and every level with its picture, its profile, and its win as a film.

`write_report` makes a page of the same cards for ``vgdl-check --play``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import vgdl
from vgdl import Board, VGDLError
from vgdl.competition.report.charts import Bar
from vgdl.competition.report.site import PageOptions, Site
from vgdl.competition.results import Results
from vgdl.competition.store import Store
from vgdl.competition.tracks.generation import film
from vgdl.competition.tracks.generation.plan import Kind, Plan
from vgdl.competition.tracks.generation.rows import Generated
from vgdl.judging.command import findings
from vgdl.judging.verdicts import GameJudgement
from vgdl.render import gif, png


@dataclass(frozen=True, slots=True)
class Card:
    """A level as it is shown."""

    title: str
    text: str
    verdict: str
    is_good: bool
    facts: Sequence[tuple[str, str]]
    judges: Sequence[Bar]
    broken: Sequence[str]
    picture: str = ""  #: file below the site; empty without one
    film: str = ""
    rules: str = ""  #: text of the game, if it was generated


def write_pages(plan: Plan, store: Store, known: Results, site: Site, options: PageOptions) -> None:
    """Write the pages of a store, which may be that of a run in progress.

    Raises:
        StoreError: the store cannot be read.
        SiteError: a template is wrong.
    """
    rows = store.rows(Generated)
    site.title = options.title or f"Generated {plan.kind}"
    targets = [(f"subjects/{number}.html", plan.title(subject)) for number, subject in enumerate(plan.subjects)]
    site.navigation = (("index.html", "Ranking"), *targets[:12])
    site.footer = f"{len(rows)} of {len(plan.tasks())} {plan.kind}"
    site.page(
        "index.html",
        "generation/index.html",
        title=site.title,
        complete=known.complete,
        tiles=[
            ("generators", len(plan.entries)),
            (str(plan.kind), len(rows)),
            ("feasible", sum(r.feasible for r in rows)),
        ],
        ranking=known.table("ranking"),
        by_subject=known.table("subjects"),
        notes=[part for part in known.shown if isinstance(part, str)],
        subjects=targets,
        failures=[row for row in rows if row.cause],
    )
    for target, subject in targets:
        own = [row for row in rows if row.subject == subject and not row.cause]
        cards: list[Card] = []
        for number in site.progress(range(len(own)), subject):
            row = own[number]
            full = store.one(Generated, generator=row.generator, subject=row.subject, number=row.number)
            with store.reading("what was generated"):
                cards += _cards(full, plan, site, f"{target.removesuffix('.html')}-{number}")
        site.page(target, "generation/subject.html", title=subject, cards=cards)
    if known.complete:
        site.write("results.json", known.to_json() + "\n")
        known.table(known.csv).write_csv(site.path("results.csv"))


def _cards(row: Generated, plan: Plan, site: Site, stem: str) -> Iterator[Card]:
    texts: dict[str, Any] = row.texts
    facts = [
        ("skill depth", f"{row.depth:.2f}"), ("OLETS wins", f"{row.win_rate:.0%}"),
        ("shortest win", f"{row.win_ticks} ticks" if row.win_ticks else "–"), ("novelty", f"{row.novelty:.2f}"),
        ("decisions", f"{row.decisions:.2f}"),
    ]  # fmt: skip
    bars = [Bar(str(each["judge"]), float(each["wins"]) / max(1, int(each["plays"]))) for each in row.judges]
    broken = [name for name, share in row.constraints.items() if share < 1.0]
    rules = "" if plan.kind is Kind.LEVELS else texts["game"]
    for number, (level, win) in enumerate(zip(texts["levels"], texts["wins"], strict=True)):
        title = f"{row.generator} {row.number}" + (f", level {number}" if len(texts["levels"]) > 1 else "")
        picture = moving = ""
        try:
            board = vgdl.loads(texts["game"], name=row.subject).board(level)
            seed = int(win["seed"]) if win else 0
            picture, moving = _pictures(site, f"{stem}-{number}", board, seed, win["actions"] if win else ())
        except VGDLError as error:
            site.warnings.append(f"{title} cannot be drawn: {error.message}")
        yield Card(
            title, level, row.verdict, row.feasible, facts, bars, broken, picture, moving, "" if number else rules
        )


def _pictures(site: Site, stem: str, board: Board, seed: int, actions: Sequence[Sequence[int]]) -> tuple[str, str]:
    """Write the picture of a level and the film of a play; returns their files."""
    picture = f"{stem}.png"
    site.write(picture, png.encode(film.start(board, seed)))
    if not actions:
        return picture, ""
    moving = f"{stem}.gif"
    gif.write(site.path(moving), film.frames(board, seed, actions), milliseconds=film.MILLISECONDS)
    return picture, moving


def write_report(judged: GameJudgement, boards: Sequence[Board], folder: Path) -> None:
    """Write the report of ``vgdl-check --play`` as a site of one page.

    Raises:
        SiteError: the folder contains something else.
        OSError: it cannot be written.
    """
    with Site(folder, __name__) as site:
        site.title = f"{judged.game.name}, judged"
        cards = []
        for number, (level, board) in enumerate(zip(judged.levels, boards, strict=True)):
            win = level.win
            seed, actions = (win.seed, win.actions) if win is not None else (0, ())
            picture, moving = _pictures(site, f"levels/{number}", board, seed, actions)
            low, high = level.profile.difficulty
            facts = [
                ("size", f"{level.width}×{level.height}"), ("skill depth", f"{level.profile.depth:.2f}"),
                ("OLETS wins, 95 %", f"{low:.2f}–{high:.2f}"), ("novelty", f"{level.novelty:.2f}"),
                ("decisions", f"{level.decisions:.2f}"), ("ticks per second", f"{level.ticks_per_second:,.0f}"),
            ]  # fmt: skip
            bars = [Bar(row.judge, row.win_rate) for row in level.profile.judges]
            cards.append(
                Card(
                    level.name, board.level.source.text, f"{level.verdict}: {level.reason}", win is not None, facts,
                    bars, level.feasibility.broken, picture, moving,
                )
            )  # fmt: skip
        fired = [
            Bar(f"line {line}: {text}", float(judged.coverage.fired.get(line, 0)))
            for line, text in dict.fromkeys((rule.line, rule.text) for rule in judged.description.rules)
            if line in judged.coverage.fired
        ]
        site.page(
            "index.html",
            "generation/report.html",
            title=site.title,
            cards=cards,
            findings=findings(judged),
            fired=fired,
        )
        site.finish()
