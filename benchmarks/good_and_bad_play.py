"""Does every game tell good play from bad? Better and worse controllers play all games; writes ``docs/results-games.md``.

    python benchmarks/good_and_bad_play.py                              # half an hour on one core
    python benchmarks/good_and_bad_play.py --games zelda --output -     # one game, to the screen

A budget of calls of the forward model makes the plays, and so the page, the same on every machine.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from vgdl import games
from vgdl.competition.game_set import GameSet
from vgdl.competition.protocol import Protocol, with_budget
from vgdl.competition.results import Outcome, PlayResult
from vgdl.competition.runner import Competition
from vgdl.controllers import registry

PAGE = Path(__file__).resolve().parents[1] / "docs" / "results-games.md"
SEARCHES = ("olets", "samplemcts")
ONE_STEP = "onesteplookahead"
RANDOM = "random"
CONTROLLERS = {"olets": "OLETS", "samplemcts": "SampleMCTS", ONE_STEP: "one step", RANDOM: "random"}  #: with titles
SETS = ("training", "validation", "test")  #: of games for one player

_PAGE = """\
# Good and bad play

A game is of use to research if it tells good play from bad. This table, written by `benchmarks/good_and_bad_play.py`, shows how two
searches (OLETS and SampleMCTS), a controller that looks one step ahead and one that acts at random fare on the levels of every game:
how many plays each wins, and its mean score. All have {budget} per action and play each of the {levels} levels {repeats}. The last
column compares the better of the two searches with one step, and one step with random, by victories and then by mean score; with so
few plays, small differences are chance.

{table}

{findings}
"""


@dataclass(frozen=True, order=True, slots=True)
class Result:
    """How a controller fares in a game; the larger of two is the better one."""

    victories: int
    score: float  #: mean

    def __str__(self) -> str:
        return f"{self.victories} | {self.score:.1f}"


Results = dict[str, dict[str, Result]]  #: by game and controller


def play(
    names: Sequence[str], budget: str, levels: Sequence[int] | None, repeats: int, seed: int
) -> Iterator[PlayResult]:
    """All plays, one after another, as ``vgdl-compete`` would have them."""
    competition = Competition(
        [registry.find(name) for name in CONTROLLERS],
        GameSet("all", tuple(games.path(name) for name in names)),
        levels=levels,
        repeats=repeats,
        protocol=with_budget(Protocol(), budget),
        secret=seed,
    )
    for number, fixture in enumerate(competition.fixtures, start=1):
        print(f"{number} of {len(competition.fixtures)}: {fixture}", file=sys.stderr)
        yield competition.play(fixture)


def results(plays: Iterable[PlayResult]) -> Results:
    """Victories and mean scores."""
    names = {registry.find(name).ranking_name: name for name in CONTROLLERS}
    found: dict[tuple[str, str], list[tuple[bool, float]]] = defaultdict(list)
    for result in plays:
        (player,) = result.players
        if result.game_error:
            raise RuntimeError(f"{result.game}, level {result.level}: {result.game_error}")
        if player.outcome is Outcome.DISQUALIFIED:
            raise RuntimeError(
                f"{player.controller} was disqualified in {result.game}: {player.cause} {player.details}"
            )
        found[result.game, names[player.controller]].append((player.outcome is Outcome.WON, player.score))
    table: Results = defaultdict(dict)
    for (game, controller), ends in found.items():
        table[game][controller] = Result(sum(won for won, _ in ends), fmean(score for _, score in ends))
    return table


def search(row: dict[str, Result]) -> Result:
    return max(row[name] for name in SEARCHES)


def order(row: dict[str, Result]) -> str:
    """The searches against one step, and that against random: ``> >`` where the game tells all three apart."""
    return f"{_sign(search(row), row[ONE_STEP])} {_sign(row[ONE_STEP], row[RANDOM])}"


def _sign(one: Result, other: Result) -> str:
    return ">" if one > other else "<" if one < other else "="


def table(found: Results) -> str:
    titles = " | ".join(f"{title}: wins | score" for title in CONTROLLERS.values())
    lines = [f"| game | {titles} | search, one step, random |", f"|---|{'--:|' * 2 * len(CONTROLLERS)}---|"]
    for name, row in found.items():
        cells = " | ".join(str(row[controller]) for controller in CONTROLLERS)
        lines.append(f"| [{games.facts(name).title}](games/{name}.md) | {cells} | `{order(row)}` |")
    return "\n".join(lines)


def findings(found: Results) -> str:
    """What the table shows, in words."""
    lists: Mapping[str, Callable[[dict[str, Result]], bool]] = {
        "Out of reach, though every level has a recorded win: none of the four wins a play of": lambda row: (
            not any(result.victories for result in row.values())
        ),
        "Chance does as well as search in": lambda row: search(row) <= row[RANDOM],
        "One step does as well as search in": lambda row: search(row) <= row[ONE_STEP],
        "Chance does as well as one step, which sees too little, in": lambda row: row[ONE_STEP] <= row[RANDOM],
    }
    lines = []
    for words, holds in lists.items():
        titles = [games.facts(name).title for name, row in found.items() if holds(row)]
        lines.append(f"- {words} {', '.join(titles) or 'no game'}.")
    return "\n".join(lines)


def page(found: Results, budget: str, levels: int, repeats: int) -> str:
    calls = f"{budget.removeprefix('calls:')} calls of the forward model" if budget.startswith("calls:") else budget
    times = {1: "once", 2: "twice"}.get(repeats, f"{repeats} times")
    return _PAGE.format(budget=calls, levels=levels, repeats=times, table=table(found), findings=findings(found))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", nargs="+", default=[name for set_ in SETS for name in games.names(set_)])
    parser.add_argument("--budget", default="calls:400", help="per action, as for vgdl-compete (default: calls:400)")
    parser.add_argument("--levels", nargs="+", type=int, default=[0, 1, 2, 3, 4])
    parser.add_argument("--repeats", type=int, default=3, help="plays per controller and level (default: 3)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--output", default=str(PAGE), help="file to write; - for the screen (default: the page in docs)"
    )
    options = parser.parse_args()
    plays = play(options.games, options.budget, options.levels, options.repeats, options.seed)
    text = page(results(plays), options.budget, len(options.levels), options.repeats)
    if options.output == "-":
        print(text)
    else:
        Path(options.output).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
