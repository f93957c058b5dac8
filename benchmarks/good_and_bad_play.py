"""Do good controllers do better than bad ones in every game? Plays all games and writes ``docs/results-games.md``.

    python benchmarks/good_and_bad_play.py                              # about twenty minutes on one core
    python benchmarks/good_and_bad_play.py --games zelda --output -     # one game, to standard output

Budgets are counted in forward-model calls, so the plays, and with them the page, are the same on every machine. All
controllers are bundled, so they need no sandbox and everything runs in this process.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from statistics import fmean
from textwrap import fill
from typing import Any

import vgdl
from vgdl import Action, Meter, StateObservation, games
from vgdl.competition.seeds import derive
from vgdl.controllers import Controller, Timer
from vgdl.controllers.registry import load

PAGE = Path(__file__).resolve().parents[1] / "docs" / "results-games.md"
SEARCHES = ("olets", "samplemcts")
ONE_STEP = "onesteplookahead"
RANDOM = "random"
CONTROLLERS = {"olets": "OLETS", "samplemcts": "SampleMCTS", ONE_STEP: "one step", RANDOM: "random"}  #: with titles
SETS = ("training", "validation", "test")  #: of games for one player
PAIRS = "two_player"  #: the set of two-player games
LEVELS = 5
CHEAP = 5  #: plays of a controller without search for each play of a search
SECRET = 1  #: the root of all seeds

REASONS: Mapping[str, str] = {  #: why a game is hard for search
    "camelrace": "no points before the finish line",
    "lemmings": "digging costs points long before the first lemming gets home",
}

_PAGE = """\
# Good and bad play

A game is useful for research if good controllers get better results in it than bad ones. The table gives the percentage
of plays won and the mean score of four controllers in every game: two searches (OLETS and SampleMCTS), one-step
lookahead, and random play. Each controller has {calls} forward-model calls per action. In each game, the searches play
{plays} times ({repeats} on each level), and the other two {cheap} times as often. The last column compares the better of the two
searches with one-step lookahead, and one-step lookahead with random play: first by wins, then by mean score. Small
differences may be due to chance. The page is written by `benchmarks/good_and_bad_play.py`.

{table}

{findings}

## Two players

Every ordered pair of the four controllers plays {pairs} on each level, as partners in Tandem and as opponents in the other
games. Wins are a percentage of the plays in which the controller took part; scores are the controller's own.

{pairs_table}
"""


@dataclass(frozen=True, order=True, slots=True)
class Result:
    """A controller's result in a game; the larger of two is the better one."""

    victories: float  #: the share of its plays
    score: float  #: mean

    def __str__(self) -> str:
        return f"{100 * self.victories:.0f} | {round(self.score, 1) + 0.0:.1f}"  # no -0.0


Row = Mapping[str, Result]  #: of a game, by controller
Results = Mapping[str, Row]  #: by game


def play(controllers: Sequence[str], game: vgdl.Game, level: int, repeat: int, calls: int) -> StateObservation:
    """The final state of a play by as many controllers as the game has players."""
    place = (game.name, level, repeat)
    state = game.start(level=level, seed=derive(SECRET, "game", *place))
    state.meter = Meter()
    players: list[Controller] = []
    for number, controller in enumerate(controllers):
        make: Any = load(controller)  # bundled controllers also take a seed
        own = (*place, number) if number else place
        seed = derive(SECRET, "controller", controller, *own)
        players.append(make(state.copy(seed=derive(SECRET, "construct", *own)), Timer(), number, seed=seed))
    while not state.is_over:
        state.advance([_action(player, number, state, place, calls) for number, player in enumerate(players)])
    if state.error:
        raise RuntimeError(f"{game.name}, level {level}, played by {' and '.join(controllers)}: {state.error}")
    return state


def _action(
    player: Controller, number: int, state: StateObservation, place: tuple[Any, ...], calls: int
) -> Action | None:
    """A player's action; NIL once its avatar is dead."""
    avatar = state.avatars[number]
    if avatar is None or not avatar.is_alive:
        return Action.NIL
    own = (*place, state.tick, number) if number else (*place, state.tick)
    return player.act(state.copy(seed=derive(SECRET, "act", *own)), Timer(budget_calls=calls, meter=state.meter))


def result(controller: str, game: vgdl.Game, calls: int, repeats: int) -> Result:
    """Play a game with one controller."""
    times = repeats if controller in SEARCHES else CHEAP * repeats
    ends = [play([controller], game, level, repeat, calls) for level in range(LEVELS) for repeat in range(times)]
    return Result(fmean(end.winner == 1 for end in ends), fmean(end.final_scores[0] for end in ends))


def results(names: Sequence[str], calls: int, repeats: int) -> Iterator[tuple[str, Row]]:
    """All games, one after another."""
    for name in names:
        game = vgdl.load(name)
        row = {controller: result(controller, game, calls, repeats) for controller in CONTROLLERS}
        print(name, *(f"{controller} {result}" for controller, result in row.items()), file=sys.stderr)
        yield name, row


def pair_results(name: str, calls: int, repeats: int) -> Row:
    """Play a two-player game with every ordered pair of controllers; the result of each controller."""
    game = vgdl.load(name)
    ends: dict[str, list[tuple[bool, float]]] = {controller: [] for controller in CONTROLLERS}
    for pair in product(CONTROLLERS, repeat=2):
        for level, repeat in product(range(LEVELS), range(repeats)):
            end = play(pair, game, level, repeat, calls)
            for controller, winner, score in zip(pair, end.winners, end.final_scores, strict=True):
                ends[controller].append((winner == 1, score))
        print(name, *pair, file=sys.stderr)
    return {name: Result(fmean(won for won, _ in own), fmean(score for _, score in own)) for name, own in ends.items()}


def search(row: Row) -> Result:
    return max(row[name] for name in SEARCHES)


def order(row: Row) -> str:
    """Search against one step, and one step against random: ``> >`` where the game separates all three."""
    return f"{_sign(search(row), row[ONE_STEP])} {_sign(row[ONE_STEP], row[RANDOM])}"


def _sign(one: Result, other: Result) -> str:
    return ">" if one > other else "<" if one < other else "="


def table(results: Results) -> str:
    titles = " | ".join(f"{title}: wins % | score" for title in CONTROLLERS.values())
    lines = [f"| game | {titles} | search, one step, random |", f"|---|{'--:|' * 2 * len(CONTROLLERS)}---|"]
    for name, row in results.items():
        cells = " | ".join(str(row[controller]) for controller in CONTROLLERS)
        lines.append(f"| [{games.facts(name).title}](games/{name}.md) | {cells} | `{order(row)}` |")
    return "\n".join(lines)


def findings(results: Results) -> str:
    """A description of the table."""
    within_reach = {name: row for name, row in results.items() if search(row).victories}
    kinds = {
        "Not won by either search, although every level has a recorded win": results.keys() - within_reach.keys(),
        "Won by a search, but random play does at least as well as both": _where(
            within_reach, lambda row: search(row) <= row[RANDOM]
        ),
        "Won by a search, but one-step lookahead does at least as well as both": _where(
            within_reach, lambda row: search(row) <= row[ONE_STEP]
        ),
        "Won by a search, but random play does at least as well as one-step lookahead": _where(
            within_reach, lambda row: row[ONE_STEP] <= row[RANDOM]
        ),
    }
    lines = (f"- {words}: {_explained(names) or 'none'}." for words, names in kinds.items())
    return "\n".join(fill(line, 120, subsequent_indent="  ", break_on_hyphens=False) for line in lines)


def _where(results: Results, holds: Callable[[Row], bool]) -> set[str]:
    return {name for name, row in results.items() if holds(row)}


def _explained(names: Iterable[str]) -> str:
    """Titles of games, each with the known reason why it is hard."""
    reasons = ((games.facts(name).title, REASONS.get(name)) for name in sorted(names))
    return ", ".join(f"{title} ({reason})" if reason else title for title, reason in reasons)


def page(results: Results, pairs: Results, calls: int, repeats: int, pair_repeats: int) -> str:
    return _PAGE.format(
        calls=calls,
        plays=LEVELS * repeats,
        repeats=_times(repeats),
        cheap=CHEAP,
        table=table(results),
        findings=findings(results),
        pairs=_times(pair_repeats),
        pairs_table=table(pairs),
    )


def _times(number: int) -> str:
    return {1: "once", 2: "twice"}.get(number, f"{number} times")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", nargs="*", default=[name for set_ in SETS for name in games.names(set_)])
    parser.add_argument("--calls", type=int, default=400, help="forward-model calls per action (default: 400)")
    parser.add_argument("--repeats", type=int, default=3, help="plays of a search on each level (default: 3)")
    parser.add_argument("--pairs", nargs="*", default=games.names(PAIRS), help="two-player games")
    parser.add_argument("--pair-repeats", type=int, default=1, help="plays of a pair on each level (default: 1)")
    parser.add_argument("--output", default=str(PAGE), help="file to write, or - (default: the page in docs)")
    options = parser.parse_args()
    found = dict(results(options.games, options.calls, options.repeats))
    pairs = {name: pair_results(name, options.calls, options.pair_repeats) for name in options.pairs}
    text = page(found, pairs, options.calls, options.repeats, options.pair_repeats)
    if options.output == "-":
        print(text)
    else:
        Path(options.output).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
