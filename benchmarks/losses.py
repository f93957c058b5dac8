"""Which levels the champion loses, and why: an account by fixed criteria, from stored plays.

    python benchmarks/losses.py probe --games-dir GAMES
    python benchmarks/losses.py show

A level is *lost* if it was lost in more than half of the stored plays at 40 ms. What plays do not tell, ``probe`` finds out once
per lost level and adds to ``champion-losses.csv``: the champion's exact search from the first state with a fixed number of calls,
and a play without actions. A second call goes on where the first was cut off.

`CAUSES` has the criteria. They are checked in order, and the first that holds names the cause.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parent))
import recorded

import vgdl
from vgdl import Action, Meter, games
from vgdl.competition.tracks.planning.records import Outcome, PlayResult
from vgdl.controllers import Timer
from vgdl.controllers.entries.champion import CHANCY_SHARE, LAST_TICK
from vgdl.controllers.search.budget import Budget
from vgdl.controllers.search.generator import Generator
from vgdl.controllers.search.outlook import Outlook
from vgdl.controllers.search.width import EXPANSION_CALLS, WidthSearch

RESULTS = Path(__file__).parent / "results"
PROBES = RESULTS / "champion-losses.csv"
TIMED = ("champion", "champion-second", "champion-third", "champion-continuous")
"""Files of plays at 40 ms."""

COUNTED = (
    "champion-calls-1000",
    "champion-calls-5000",
    "champion-calls-25000",
    "champion-calls-100000",
    "champion-momentum",
)
"""Files of plays with budgets of calls; those of ablations in them are left out."""

PROBE_CALLS, TABLE_BITS, MEMORY = 300_000, 22, 600 << 20
"""Calls of a probe's search, and its limits: those of the champion."""


@dataclass(frozen=True, slots=True)
class Probe:
    """What a search from the first state of a level finds out; a row of the file."""

    game: str
    level: int
    calls: int  #: of the search
    chance: float  #: share of the tested ticks that chance changed
    states: int  #: found
    exhausted: bool  #: every reachable state was found
    rewarded: bool  #: a state with a higher score was found
    won: bool  #: a won state was found
    momentum: bool  #: the avatar moves with momentum
    idle_ticks: int  #: tick in which the game ends without actions


@dataclass(frozen=True, slots=True)
class Lost:
    """A lost level: its plays, and what is known about it."""

    game: str
    level: int
    plays: tuple[PlayResult, ...]  #: at 40 ms
    counted: tuple[tuple[float, PlayResult], ...]  #: with budgets of calls, and their calls
    limit: int  #: the tick in which plays of the game end at the latest
    probe: Probe | None

    @property
    def lost(self) -> list[PlayResult]:
        """The lost plays at 40 ms."""
        return [play for play in self.plays if not has_won(play)]

    @property
    def manner(self) -> str:
        """How the plays at 40 ms were lost."""
        late = sum(play.ticks >= self.limit for play in self.lost)
        if late == len(self.lost):
            return f"time out at {self.limit}"
        ticks = [play.ticks for play in self.lost if play.ticks < self.limit]
        early = f"at {min(ticks)}" if min(ticks) == max(ticks) else f"at {min(ticks)} to {max(ticks)}"
        return f"{early}, time out in {late}" if late else early

    @property
    def is_early(self) -> bool:
        """Whether most lost plays at 40 ms ended before the limit."""
        return 2 * sum(play.ticks < self.limit for play in self.lost) > len(self.lost)

    @property
    def needed_calls(self) -> float | None:
        """The smallest budget of calls with which the level was won; None if it never was."""
        return min((calls for calls, play in self.counted if has_won(play)), default=None)

    @property
    def cause(self) -> str:
        """The first cause whose criterion holds; a question mark without a probe."""
        if self.probe is None:
            return "?"
        return next(name for name, holds, _ in CAUSES if holds(self, self.probe))


def has_won(play: PlayResult) -> bool:
    return play.players[0].outcome == Outcome.WON


def score_of(play: PlayResult) -> float:
    return play.players[0].score


def _never_rewarded(level: Lost, probe: Probe) -> bool:
    every = [*level.plays, *(play for _, play in level.counted)]
    return not probe.rewarded and all(score_of(play) <= 0 for play in every)


def _deceived(level: Lost, _: Probe) -> bool:
    won = [score_of(play) for play in (*level.plays, *(play for _, play in level.counted)) if has_won(play)]
    return bool(won) and median(score_of(play) for play in level.lost) > max(won)


def _lost_by_acting(level: Lost, probe: Probe) -> bool:
    return level.is_early and all(play.ticks < probe.idle_ticks for play in level.lost)


CAUSES: Sequence[tuple[str, Callable[[Lost, Probe], bool], str]] = (
    ("other player", lambda level, _: len(level.plays[0].players) > 1, "a game for two"),
    ("physics", lambda _, probe: probe.momentum, "the avatar moves with momentum"),
    ("reward never seen", _never_rewarded, "no play gained a point, and neither did the search from the first state"),
    ("deception", _deceived, "the lost plays gained more points (median) than any won play"),
    ("too many states", lambda level, _: level.needed_calls is not None, "won with a larger budget"),
    (
        "waiting needed",
        _lost_by_acting,
        "lost early, and the game lasts longer without any action than in every lost play",
    ),
    (
        "chance",
        lambda level, probe: level.is_early and probe.chance > CHANCY_SHARE,
        "lost early where chance changes ticks",
    ),
    (
        "count or order",
        lambda level, _: all(score_of(play) > 0 for play in level.lost),
        "every lost play gained points, but not all that it needed",
    ),
    ("too many states", lambda *_: True, "all others"),
)
"""Causes, their criteria, and the criteria in words; the first that holds counts."""


def lost_levels() -> list[Lost]:
    """The lost levels, in the order of games and levels."""
    timed: dict[tuple[str, int], list[PlayResult]] = defaultdict(list)
    counted: dict[tuple[str, int], list[tuple[float, PlayResult]]] = defaultdict(list)
    for name in TIMED:
        for play in recorded.read(RESULTS / f"{name}.csv").results:
            timed[play.game, play.level].append(play)
    for name in COUNTED:
        found = recorded.read(RESULTS / f"{name}.csv")
        for play in found.results:
            if play.players[0].controller == "Champion":
                counted[play.game, play.level].append((found.budget.size, play))
    limits = _limits(play for plays in (*timed.values(), *_plays(counted)) for play in plays)
    probes = {(probe.game, probe.level): probe for probe in read(PROBES)} if PROBES.exists() else {}
    return [
        Lost(*place, tuple(plays), tuple(counted[place]), limits[place[0]], probes.get(place))
        for place, plays in sorted(timed.items())
        if 2 * sum(map(has_won, plays)) < len(plays)
    ]


def _plays(counted: Mapping[tuple[str, int], list[tuple[float, PlayResult]]]) -> Iterable[list[PlayResult]]:
    return ([play for _, play in plays] for plays in counted.values())


def _limits(plays: Iterable[PlayResult]) -> dict[str, int]:
    """By game, the latest tick in which at least two plays have ended; the last tick of all if there is none."""
    ends: dict[str, Counter[int]] = defaultdict(Counter)
    for play in plays:
        ends[play.game][play.ticks] += 1
    return {
        game: max((tick for tick, n in counts.items() if n > 1 and tick >= max(counts)), default=LAST_TICK)
        for game, counts in ends.items()
    }


def table(levels: Sequence[Lost]) -> str:
    """The account, as tables in Markdown: criteria with numbers of levels, then the levels."""
    numbers = Counter(level.cause for level in levels)
    lines = ["| cause | levels | criterion, checked in this order |", "|---|--:|---|"]
    for name in dict.fromkeys(name for name, _, _ in CAUSES):
        words = "; or ".join(text for other, _, text in CAUSES if other == name)
        lines.append(f"| {name} | {numbers[name]} | {words} |")
    lines += [
        "",
        "| level | lost | how, at tick | score of lost plays | more calls | cause |",
        "|---|:-:|---|--:|---|---|",
    ]
    for level in levels:
        scores = sorted(score_of(play) for play in level.lost)
        low, high = f"{scores[0]:g}", f"{scores[-1]:g}"
        lines.append(
            f"| {level.game} {level.level} | {len(level.lost)} of {len(level.plays)} | {level.manner} | "
            f"{low if low == high else f'{low} to {high}'} | {_with_calls(level)} | {level.cause} |"
        )
    return "\n".join(lines)


def _with_calls(level: Lost) -> str:
    if not level.counted:
        return ""
    if level.needed_calls is not None:
        return f"won with {level.needed_calls:,.0f}"
    return f"lost with {max(calls for calls, _ in level.counted):,.0f}"


# --------------------------------------------------------------------------------------------------------------- probing

COLUMNS = tuple(field.name for field in fields(Probe))


def read(path: Path) -> list[Probe]:
    """The probes of a file."""
    with path.open(encoding="utf-8", newline="") as file:
        return [_parsed(row) for row in csv.DictReader(file)]


def _parsed(row: Mapping[str, str]) -> Probe:
    exhausted, rewarded, won, momentum = (row[name] == "True" for name in ("exhausted", "rewarded", "won", "momentum"))
    return Probe(
        row["game"], int(row["level"]), int(row["calls"]), float(row["chance"]), int(row["states"]),
        exhausted, rewarded, won, momentum, int(row["idle_ticks"]),
    )  # fmt: skip


def probe(path: Path, level: int, calls: int = PROBE_CALLS) -> Probe:
    """Search from the first state of a level, and play it without actions."""
    start = vgdl.load(path).start(level=level, seed=1)
    state = start.copy(history=False)
    state.meter = Meter()
    outlook = Outlook(state, 0)
    outlook.watch()
    outlook.news = outlook.curiosity = 0.0  # so that only points and wins have values
    search = WidthSearch(state, outlook, Generator(1), TABLE_BITS, MEMORY)
    search.grow(Budget(Timer(budget_calls=calls, meter=state.meter), EXPANSION_CALLS))
    idle = start.copy(history=False)
    while not idle.is_over and idle.tick < LAST_TICK:
        idle.advance(Action.NIL)
    return Probe(
        path.stem, level, calls, round(search.differences / max(search.tried, 1), 4), search.n_found, search.exhausted,
        any(search.value(number) > 0.0 for number in range(search.n_found)), search.best_win >= 0, outlook.momentum, idle.tick,
    )  # fmt: skip


def probe_all(folders: Sequence[Path]) -> None:
    """Probe the lost levels that the file lacks; levels of games that are in no folder are left out."""
    known = {file.stem: file for folder in folders for file in sorted(folder.rglob("*.txt"))}
    known |= {name: games.path(name) for name in games.names()}
    is_new = not PROBES.exists()
    with PROBES.open("a", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if is_new:
            writer.writerow(COLUMNS)
        for level in lost_levels():
            if level.probe is None and level.game in known:
                writer.writerow(astuple(probe(known[level.game], level.level)))
                file.flush()


def main(words: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    probing = verbs.add_parser("probe", help="find out about lost levels what plays do not tell")
    probing.add_argument(
        "--games-dir", type=Path, action="append", default=[], help="folder of games, and those below it"
    )
    verbs.add_parser("show", help="the lost levels and their causes")
    arguments = parser.parse_args(words)
    if arguments.verb == "probe":
        probe_all(arguments.games_dir)
    else:
        print(table(lost_levels()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
