"""Can the 2014 ranking be reproduced? All eighteen entries play twenty games; fills in ``docs/results.md``.

    python benchmarks/paper.py paper.db                     # play, or resume: about 45 minutes on one core
    python benchmarks/paper.py paper.db --report            # only write the page and its picture, from stored plays
    vgdl-compete standings paper.db                         # the tables of every game

Each play is stored as it ends, so a run can be interrupted at any time. A budget of forward model calls makes the plays
the same on every machine. They run in one process (see ``in_process.py``) and give the results of
``vgdl-compete --budget calls:100 --seed 2014 --generator plain``.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path

from in_process import play
from slopes import Panel, draw

from vgdl import games
from vgdl.competition.agents.isolation import Restrictions
from vgdl.competition.agents.service import Clock
from vgdl.competition.store import Store
from vgdl.competition.tracks.planning.game_set import GameSet
from vgdl.competition.tracks.planning.plan import Plan
from vgdl.competition.tracks.planning.records import PlayResult, opened, plays
from vgdl.competition.tracks.planning.rules import Rules
from vgdl.competition.tracks.planning.scoring import Standing, rank
from vgdl.controllers.registry import BUNDLED

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGE, PICTURE = DOCS / "results.md", DOCS / "results.svg"
BEGIN, END = "<!-- written by benchmarks/paper.py -->", "<!-- end -->"

SETS = ("training", "validation")
SECRET = 2014  #: the root of all seeds
NOT_OF_2014 = "openloopmcts"

PAPER: Mapping[str, tuple[int, int]] = {  #: points in the paper's tables II (training) and III (validation)
    "adrienctx": (189, 203),
    "JinJerry": (173, 125),
    "SampleMCTS": (96, 96),
    "MnMCTS": (89, 94),
    "MMbot": (81, 59),
    "Shmokin": (70, 94),
    "SampleGA": (63, 28),
    "Normal_MCTS": (59, 16),
    "IdealStandard": (30, 48),
    "LCU_14": (27, 20),
    "Yraid": (26, 21),
    "T2Thompson": (26, 27),
    "levis501": (20, 63),
    "OneStepLookAhead": (18, 25),
    "TESTGAG": (17, 7),
    "culim": (16, 62),
    "Random": (9, 22),
    "Tichau": (4, 6),
}


def plan(calls: int, repeats: int) -> Plan:
    """Everything that is to be played."""
    paths = tuple(games.path(name) for set_ in SETS for name in games.names(set_))
    return Plan(
        entries=tuple(entry for entry in BUNDLED if entry.name != NOT_OF_2014),
        game_set=GameSet(" and ".join(SETS), paths),
        levels=None,
        repeats=repeats,
        rules=Rules(clock=Clock.CALLS, calls=calls, stirred=False),
        restrictions=Restrictions(),
        secret=SECRET,
    )


def complete(store: Store) -> list[PlayResult]:
    """The plays of complete repeats, so that all controllers have played the same ones."""
    done, repeats = plays(store), Plan.from_facts(store.plan).repeats
    per_repeat = store.total // repeats
    counts = [sum(play.repeat == repeat for play in done) for repeat in range(repeats)]
    return [play for play in done if counts[play.repeat] == per_repeat]


def of_set(plays: Sequence[PlayResult], number: int) -> list[Standing]:
    """The ranking on one of the sets."""
    names = games.names(SETS[number])
    return rank([play for play in plays if play.game in names]).ranking


def in_paper(number: int) -> dict[str, float]:
    """The paper's points on one of the sets."""
    return {name: points[number] for name, points in PAPER.items()}


def points_of(ranking: Sequence[Standing]) -> dict[str, float]:
    return {standing.controller: standing.points for standing in ranking}


def spearman(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """Spearman correlation of two mappings with the same keys; equal values share the mean of their ranks."""
    first, second = _ranks(one), _ranks(other)
    return statistics.correlation([first[key] for key in first], [second[key] for key in first])


def _ranks(values: Mapping[str, float]) -> dict[str, float]:
    ordered = sorted(values.values())
    return {key: ordered.index(value) + (ordered.count(value) + 1) / 2 for key, value in values.items()}


def section(plays: Sequence[PlayResult], number: int) -> str:
    """Correlation and ranking on one of the sets."""
    ranking, paper = of_set(plays, number), in_paper(number)
    place = {name: 1 + sum(points > paper[name] for points in paper.values()) for name in paper}
    rows = [
        f"| {row.place} | {row.controller} | {row.points} | {row.places[0]} | {row.victories} | "
        f"{place[row.controller]} | {paper[row.controller]:g} |"
        for row in ranking
    ]
    return "\n".join(
        [
            f"## {SETS[number].capitalize()} games",
            "",
            f"Spearman correlation between these points and those in the paper: **{spearman(points_of(ranking), paper):.2f}**. "
            f"Victories are out of {ranking[0].plays} plays.",
            "",
            "| place | controller | points | first places | victories | in 2014: place | points |",
            "|--:|---|--:|--:|--:|--:|--:|",
            *rows,
        ]
    )


def report(store: Store) -> None:
    """Fill in the page between its markers, and draw the picture."""
    plays = complete(store)
    repeats = len({play.repeat for play in plays})
    if not repeats:
        raise SystemExit("no repeat is complete yet; continue playing")
    lines = [
        f"{len(plays):,} plays: {len(PAPER)} controllers, {len({play.game for play in plays})} games, 5 levels, "
        f"{repeats} {'play' if repeats == 1 else 'plays'} of each, {Plan.from_facts(store.plan).rules.calls} forward model calls "
        "per action.",
        "",
        f"![Rankings of 2014 and here, by points]({PICTURE.name})",
        "",
        "For comparison, the correlation between the points on the two sets is "
        f"{spearman(in_paper(0), in_paper(1)):.2f} in the paper and "
        f"{spearman(*(points_of(of_set(plays, number)) for number in range(len(SETS)))):.2f} here.",
    ]
    for number in range(len(SETS)):
        lines += ["", section(plays, number)]
    page = PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(BEGIN)
    after = rest.partition(END)[2]
    PAGE.write_text("\n".join([before + BEGIN, *lines, END]) + after, encoding="utf-8")
    panels = [
        Panel(f"{name.capitalize()} games", in_paper(number), points_of(of_set(plays, number)))
        for number, name in enumerate(SETS)
    ]
    PICTURE.write_text(draw(panels, "2014", "here"), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store", type=Path, help="results file; created, or resumed if it exists")
    parser.add_argument("--calls", type=int, default=100, help="forward model calls per action (default: 100)")
    parser.add_argument("--repeats", type=int, default=5, help="plays on each level (default: 5)")
    parser.add_argument("--report", action="store_true", help="do not play; write the page from the stored plays")
    options = parser.parse_args()
    if not options.report:
        play(options.store, plan(options.calls, options.repeats))
    with opened(options.store) as store:
        report(store)


if __name__ == "__main__":
    main()
