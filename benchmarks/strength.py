"""How strong controllers are: plays over a folder of games, with intervals, beside published results.

    python benchmarks/strength.py play final.db --games-dir GAMES --half development --controllers champion --levels 0-4
    python benchmarks/strength.py show final.db [--published published.csv] [--json]
    python benchmarks/strength.py compare before.db after.db [--json]
    python benchmarks/strength.py plot strength.svg small.db large.db ...
    python benchmarks/strength.py export plays.csv first.db second.db ...

``play`` is the command ``vgdl-compete`` with a store: a second call goes on where the first was cut off, and plays that a busy
machine made void are played again. Without ``--games-dir`` the bundled games for one player are played. With ``--in-process``
and a budget of calls, the plays have the same results and do not cost a process each.

``export`` writes the plays of stores to a CSV file (`recorded`), which ``show``, ``compare`` and ``plot`` take in place of a store.

``compare`` and ``plot`` count levels that all of their stores have played; ``plot`` draws a store's wins over its budget.

Games are in the *development* or the *confirmation* half by a hash of their name. Tune on the first only; report both.
Intervals of one game's share of wins are Wilson's, at 95 %. Intervals of a mean over games, and of a difference of two stores'
means, are normal ones over games, each game counted once: they say how far other games of the same kind would differ.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import math
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean, stdev

import in_process
import recorded
from intervals import Point, draw
from rich.console import Console
from rich.table import Table

from vgdl import games
from vgdl.competition import options
from vgdl.competition.cli import main as compete
from vgdl.competition.report.statistics import Z_95, wilson
from vgdl.competition.running import declare
from vgdl.competition.tracks.planning.game_set import folder_set
from vgdl.competition.tracks.planning.records import Outcome, PlayResult
from vgdl.competition.tracks.planning.track import PlanningTrack

LAST_TICK = 2000
"""A play that is not decided then is lost (engine, 11.4)."""

WIDTH = 150
"""Columns of a table that is written to a file."""

HALVES = ("development", "confirmation")
ONE_PLAYER = ("training", "validation", "test")


def half(game: str) -> str:
    """The half that a game belongs to, by a hash of its name."""
    return HALVES[hashlib.sha256(game.encode()).digest()[0] % 2]


def mean_interval(values: Sequence[float]) -> tuple[float, float, float]:
    """Mean and 95 % interval of the mean of values that count once each; the interval is NaN for fewer than two.

    It is a normal one, which may reach beyond 0 or 1 for few values: shares are cut off where they are printed.
    """
    mean = fmean(values) if values else math.nan
    margin = Z_95 * stdev(values) / math.sqrt(len(values)) if len(values) > 1 else math.nan
    return mean, mean - margin, mean + margin


@dataclass(slots=True)
class Tally:
    """A controller's plays of one game."""

    game: str
    plays: int = 0
    wins: int = 0
    lost_early: int = 0  #: before the last tick: killed, or a limit of the game itself
    lost_late: int = 0  #: at the last tick
    disqualified: int = 0
    late_answers: int = 0
    ticks: int = 0
    score: float = 0.0  #: sum over the plays

    @property
    def share(self) -> float:
        """Wins per play."""
        return self.wins / self.plays

    def add(self, play: PlayResult) -> None:
        """Count a play by one player."""
        (player,) = play.players
        self.plays += 1
        self.ticks += play.ticks
        self.score += player.score
        self.late_answers += player.late_answers
        if player.outcome is Outcome.WON:
            self.wins += 1
        elif player.outcome is Outcome.DISQUALIFIED:
            self.disqualified += 1
        elif play.ticks >= LAST_TICK:
            self.lost_late += 1
        else:
            self.lost_early += 1


Tallies = dict[str, dict[str, Tally]]  #: by controller, then by game


def tallies(plays: Iterable[PlayResult]) -> Tallies:
    """Count the plays of games for one player."""
    found: Tallies = defaultdict(dict)
    for play in plays:
        found[play.players[0].controller].setdefault(play.game, Tally(play.game)).add(play)
    return {name: dict(sorted(counted.items())) for name, counted in found.items()}


def read(path: Path) -> tuple[Tallies, int]:
    """The plays of a store or CSV file, counted, and how many were void at first."""
    found = recorded.read(path)
    return tallies(found.results), found.void


def on_same_levels(paths: Sequence[Path]) -> list[dict[str, Tally]]:
    """The plays of each store's first controller, counted on those levels that all stores have played."""
    plays = [_of_first_controller(path) for path in paths]
    shared = set.intersection(*({(play.game, play.level) for play in of_store} for of_store in plays))
    found = [tallies(play for play in of_store if (play.game, play.level) in shared) for of_store in plays]
    return [next(iter(counted.values()), {}) for counted in found]


def _of_first_controller(path: Path) -> list[PlayResult]:
    plays = recorded.read(path).results
    return [play for play in plays if play.players[0].controller == plays[0].players[0].controller]


def published(path: Path | None) -> dict[str, dict[str, float]]:
    """Published victories in percent, by game and agent; empty without a file. Columns that are no numbers are left out."""
    if path is None:
        return {}
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    return {row["game"]: {name: float(text) for name, text in row.items() if _is_number(text)} for row in rows}


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def summary(counted: Mapping[str, Tally]) -> dict[str, dict[str, float]]:
    """Mean shares of wins over all games and over each half, with intervals, and what went wrong."""
    groups = {"all": list(counted.values())}
    groups |= {name: [tally for tally in counted.values() if half(tally.game) == name] for name in HALVES}
    return {name: _summary(group) for name, group in groups.items() if group}


def _summary(group: Sequence[Tally]) -> dict[str, float]:
    mean, low, high = mean_interval([tally.share for tally in group])
    answers = sum(tally.ticks for tally in group)
    return {
        "games": len(group),
        "plays": sum(tally.plays for tally in group),
        "mean": mean,
        "low": low,
        "high": high,
        "lost_early": sum(tally.lost_early for tally in group),
        "lost_late": sum(tally.lost_late for tally in group),
        "disqualified": sum(tally.disqualified for tally in group),
        "late_per_10000": 1e4 * sum(tally.late_answers for tally in group) / max(answers, 1),
    }


def as_json(counted: Tallies, void: int, anchors: Mapping[str, Mapping[str, float]]) -> dict[str, object]:
    """Everything that ``show`` prints, for programs."""
    return {
        "void_at_first": void,
        "controllers": {
            name: {
                "summary": summary(of_games),
                "games": [
                    {
                        **asdict(tally),
                        "half": half(game),
                        "interval": wilson(tally.wins, tally.plays),
                        "published": anchors.get(game, {}),
                    }
                    for game, tally in of_games.items()
                ],
            }
            for name, of_games in counted.items()
        },
    }


def show(path: Path, anchors: Mapping[str, Mapping[str, float]], console: Console) -> None:
    """Print a table per controller."""
    counted, void = read(path)
    for name, of_games in counted.items():
        table = Table(title=f"{name}: victories in percent, 95 % intervals")
        columns = ("game", "half", "wins", "%", "interval", "early", "late", "disq.", "late answers", "ticks", "score")
        best = next(iter(anchors.values()), {})
        for column in (*columns, *list(best)[:2]):
            table.add_column(column, justify="left" if column in ("game", "half") else "right", no_wrap=True)
        for game, tally in of_games.items():
            table.add_row(*_row(game, tally), *[f"{value:.0f}" for value in list(anchors.get(game, {}).values())[:2]])
        console.print(table)
        for group, facts in summary(of_games).items():
            console.print(
                f"{group}: mean {_percent(facts['mean'])} ({_percent(facts['low'])} to {_percent(facts['high'])}) over "
                f"{facts['games']} games, {facts['plays']} plays; lost before the last tick {facts['lost_early']}, at it "
                f"{facts['lost_late']}, disqualified {facts['disqualified']}; late answers {facts['late_per_10000']:.2f} in 10,000"
            )
        if shared := [game for game in of_games if game in anchors]:
            for agent in next(iter(anchors.values())):
                mean = fmean(anchors[game].get(agent, math.nan) for game in shared)
                console.print(f"published, same games: {agent} {mean:.1f}")
    if void:
        console.print(f"{void} plays were void at first, since the machine was too busy, and were played again")


def _row(game: str, tally: Tally) -> list[str]:
    low, high = wilson(tally.wins, tally.plays)
    return [
        game,
        half(game),
        f"{tally.wins}/{tally.plays}",
        _percent(tally.share),
        f"{_percent(low)}-{_percent(high)}",
        str(tally.lost_early),
        str(tally.lost_late),
        str(tally.disqualified),
        str(tally.late_answers),
        f"{tally.ticks / tally.plays:.0f}",
        f"{tally.score / tally.plays:.1f}",
    ]


def _percent(share: float) -> str:
    return f"{100 * min(max(share, 0.0), 1.0):.0f}" if not math.isnan(share) else "-"


@dataclass(frozen=True, slots=True)
class Difference:
    """Two tallies of one game; positive if the second is better."""

    game: str
    before: float
    after: float
    is_noise: bool  #: the intervals of the two shares overlap


def differences(before: Mapping[str, Tally], after: Mapping[str, Tally]) -> list[Difference]:
    """The games that both played, paired."""
    found = []
    for game in before.keys() & after.keys():
        one, two = before[game], after[game]
        (low, high), (low_after, high_after) = wilson(one.wins, one.plays), wilson(two.wins, two.plays)
        found.append(Difference(game, one.share, two.share, low <= high_after and low_after <= high))
    return sorted(found, key=lambda difference: (difference.before - difference.after, difference.game))


def compare(before: Path, after: Path, console: Console, *, json_wanted: bool) -> None:
    """Print the difference of two stores, game by game, for the first controller of each."""
    paired = differences(*on_same_levels([before, after]))
    mean, low, high = mean_interval([difference.after - difference.before for difference in paired])
    if json_wanted:
        facts = {"mean": mean, "low": low, "high": high, "games": [asdict(difference) for difference in paired]}
        console.print_json(json.dumps(facts))
        return
    for difference in paired:
        if difference.before != difference.after:
            noise = " (may be noise)" if difference.is_noise else ""
            console.print(f"{difference.game:24} {_percent(difference.before)} -> {_percent(difference.after)}{noise}")
    verdict = "may be noise" if not (low > 0 or high < 0) else "is no noise"
    console.print(
        f"mean difference over {len(paired)} games: {100 * mean:+.1f} points ({100 * low:+.1f} to {100 * high:+.1f}), which {verdict}"
    )


def plot(picture: Path, paths: Sequence[Path], console: Console) -> None:
    """Draw the mean share of wins over the budget, a point per store, small budgets first; print the same as a table."""
    budgets = {path: recorded.read(path).budget for path in paths}
    ordered = sorted(paths, key=lambda path: budgets[path])
    counted = on_same_levels(ordered)
    points = []
    for path, of_games in zip(ordered, counted, strict=True):
        mean, low, high = mean_interval([tally.share for tally in of_games.values()])
        points.append(Point(str(budgets[path]), mean, low, high))
        wins, plays = (sum(getattr(tally, what) for tally in of_games.values()) for what in ("wins", "plays"))
        console.print(
            f"{points[-1].label:>16} {_percent(mean)} % ({_percent(low)} to {_percent(high)}), {wins} of {plays} plays"
        )
    title = f"Victories, mean over {len(counted[0])} games, with 95 % intervals"
    picture.write_text(draw(points, title, "budget per action"), encoding="utf-8")


def export(table: Path, paths: Sequence[Path]) -> None:
    """Write the plays of stores to one CSV file.

    Raises:
        recorded.RecordError: the budgets differ.
    """
    many = [recorded.read(path) for path in paths]
    budgets = sorted({plays.budget for plays in many})
    if len(budgets) > 1:
        raise recorded.RecordError(f"expected stores with one budget, found {' and '.join(map(str, budgets))}")
    with table.open("w", encoding="utf-8", newline="") as file:
        recorded.write(file, many)


def play(arguments: argparse.Namespace, rest: Sequence[str]) -> int:
    """Run or resume a competition with a store."""
    store: Path = arguments.store
    if store.exists() and not arguments.in_process:
        return compete(["--resume", str(store), "--jobs", str(arguments.jobs)])
    if arguments.games_dir is None:
        paths = [games.path(name) for group in ONE_PLAYER for name in games.names(group)]
    else:
        paths = list(folder_set(arguments.games_dir).paths)
        if arguments.published is not None:
            wanted = published(arguments.published)
            paths = [path for path in paths if path.stem in wanted]
    chosen = [
        str(path)
        for path in paths
        if arguments.half in (None, half(path.stem)) and (arguments.games is None or path.stem in arguments.games)
    ]
    words = ["--controllers", arguments.controllers, "--games", ",".join(chosen), *rest]
    if arguments.in_process:
        track = PlanningTrack()
        chosen = vars(declare(track).parser.parse_args(words))
        return 0 if in_process.play(store, track.plan(chosen)) else 1
    return compete(["--store", str(store), "--jobs", str(arguments.jobs), *words])


def main(words: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    playing = verbs.add_parser(
        "play", help="play, or go on playing; further options are those of vgdl-compete", allow_abbrev=False
    )
    playing.add_argument("store", type=Path)
    playing.add_argument("--games-dir", type=Path, help="folder of games (default: the bundled ones for one player)")
    playing.add_argument("--games", type=lambda text: text.split(","), help="only these: A,B,...")
    playing.add_argument("--half", choices=HALVES, help="only these games")
    playing.add_argument("--published", type=Path, help="only the games of this table")
    playing.add_argument("--controllers", default="champion")
    playing.add_argument("--jobs", type=int, default=1)
    playing.add_argument("--in-process", action="store_true", help="one process for all plays, for budgets of calls")
    showing = verbs.add_parser("show", help="victories by game, with intervals")
    showing.add_argument("store", type=Path)
    showing.add_argument("--published", type=Path, help="table of published results: a column game, one per agent")
    showing.add_argument("--json", action="store_true")
    comparing = verbs.add_parser("compare", help="two stores, game by game")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    comparing.add_argument("--json", action="store_true")
    exporting = verbs.add_parser("export", help="plays of stores with the same budget, as CSV")
    exporting.add_argument("table", type=Path)
    exporting.add_argument("stores", type=Path, nargs="+")
    plotting = verbs.add_parser("plot", help="victories over the budget, as SVG")
    plotting.add_argument("picture", type=Path)
    plotting.add_argument("stores", type=Path, nargs="+")
    arguments, rest = parser.parse_known_args(words)
    if rest and arguments.verb != "play":
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    console = Console(width=None if sys.stdout.isatty() else WIDTH)
    try:
        if arguments.verb == "play":
            return play(arguments, rest)
        if arguments.verb == "compare":
            compare(arguments.before, arguments.after, console, json_wanted=arguments.json)
            return 0
        if arguments.verb == "export":
            export(arguments.table, arguments.stores)
            return 0
        if arguments.verb == "plot":
            plot(arguments.picture, arguments.stores, console)
            return 0
        anchors = published(arguments.published)
        if arguments.json:
            counted, void = read(arguments.store)
            console.print_json(json.dumps(as_json(counted, void, anchors)))
        else:
            show(arguments.store, anchors, console)
    except (*options.OWN_ERRORS, OSError) as error:
        console.print(f"error: {error}", style="red")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
