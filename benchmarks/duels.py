"""How strong a controller is in games for two: plays against another one, in either seat, and their points.

    python benchmarks/duels.py play duels.csv --games-dir GAMES --levels 0,1 --budget calls:400
    python benchmarks/duels.py show duels.csv
    python benchmarks/duels.py compare before.csv after.csv

``play`` adds a row per play to a CSV file; a second call plays what is missing. The bundled games for two are always among the
games. All plays are in this process, with a budget of calls, so one seed gives the same rows on any machine.

A victory is worth a point. If neither player wins, each gets half a point, but none in a *joint* game, in which no rule lets one
player win alone. Intervals of a mean are 95 % bootstrap intervals over games, each game counted once.
"""

from __future__ import annotations

import argparse
import csv
import random
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from math import comb
from pathlib import Path
from statistics import fmean

sys.path.insert(0, str(Path(__file__).parent))
from in_process import InProcessCompetition
from strength import HALVES, half

from vgdl import games
from vgdl.competition.running import declare
from vgdl.competition.tracks.planning.game_set import folder_set
from vgdl.competition.tracks.planning.plan import Fixture, Plan
from vgdl.competition.tracks.planning.records import Outcome
from vgdl.competition.tracks.planning.track import PlanningTrack
from vgdl.language import SectionKind, TerminationLine, parse_file

SAMPLES, QUANTILES = 10_000, (0.025, 0.975)
"""Of the bootstrap: its samples, and the ends of a 95 % interval."""


@dataclass(frozen=True, slots=True)
class Duel:
    """A play of a game for two, as seen by one of the players; a row of the file."""

    controller: str
    opponent: str
    seat: int  #: of the controller, 0 or 1
    budget: int  #: calls per action
    game: str
    joint: bool  #: no rule lets one player win alone
    level: int
    repeat: int
    seed: int  #: of the real game's generator
    outcome: str
    opponent_outcome: str
    ticks: int
    score: float
    opponent_score: float

    @property
    def points(self) -> float:
        """The controller's points, 0 to 1."""
        return points(self.outcome, self.opponent_outcome, joint=self.joint)

    @property
    def place(self) -> tuple[str, int, int, int]:
        """The game, level, repeat and seat."""
        return self.game, self.level, self.repeat, self.seat


def points(outcome: str, of_other: str, *, joint: bool) -> float:
    """What a play is worth to a player, 0 to 1, from its own outcome and the other player's."""
    if outcome == Outcome.WON:
        return 1.0
    return 0.5 if of_other != Outcome.WON and outcome != Outcome.DISQUALIFIED and not joint else 0.0


COLUMNS = tuple(field.name for field in fields(Duel))


def read(path: Path) -> list[Duel]:
    """The rows of a file.

    Raises:
        ValueError: it has other columns or values than `play` writes.
        OSError: it cannot be read.
    """
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file)
        if tuple(rows.fieldnames or ()) != COLUMNS:
            raise ValueError(f"{path}:1: expected the columns {','.join(COLUMNS)}")
        return [_parsed(row) for row in rows]


def _parsed(row: Mapping[str, str]) -> Duel:
    seat, budget, level, repeat, seed, ticks = (
        int(row[name]) for name in ("seat", "budget", "level", "repeat", "seed", "ticks")
    )
    return Duel(
        row["controller"], row["opponent"], seat, budget, row["game"], row["joint"] == "True", level, repeat, seed,
        row["outcome"], row["opponent_outcome"], ticks, float(row["score"]), float(row["opponent_score"]),
    )  # fmt: skip


# --------------------------------------------------------------------------------------------------------------- playing


def is_joint(path: Path) -> bool:
    """Whether no rule of a game lets one player win alone: a termination either names the same result for both, or none."""
    for line in parse_file(path)[0].entries(SectionKind.TERMINATIONS):
        if not isinstance(line, TerminationLine):
            continue
        if "count_score" in line.arguments or "use_counter" in line.arguments:
            return False
        results = line.arguments["win"].value.split(",") if "win" in line.arguments else []
        if len({text.lower() == "true" for text in results}) > 1:
            return False
    return True


def plan_of(paths: Sequence[Path], names: Sequence[str], rest: Sequence[str]) -> Plan:
    """The plan of a competition between two controllers; ``rest`` has further options of ``vgdl-compete``."""
    track = PlanningTrack()
    words = ["--controllers", ",".join(names), "--games", ",".join(map(str, paths)), *rest]
    return track.plan(vars(declare(track).parser.parse_args(words)))


def play(path: Path, paths: Sequence[Path], names: Sequence[str], rest: Sequence[str]) -> None:
    """Play what a file lacks, and add a row for each play."""
    plan = plan_of(paths, names, rest)
    competition = InProcessCompetition(plan)
    joint = {file.stem: is_joint(file) for file in paths}
    first = plan.entries[0].ranking_name
    done = {(duel.controller, *duel.place) for duel in read(path)} if path.exists() else set()
    is_new = not path.exists()
    with path.open("a", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if is_new:
            writer.writerow(COLUMNS)
        for fixture in competition.fixtures:
            seat = fixture.names.index(first)
            if (first, *fixture.place, seat) in done:
                continue
            writer.writerow(astuple(_duel(competition, fixture, seat, joint=joint[fixture.game])))
            file.flush()


def _duel(competition: InProcessCompetition, fixture: Fixture, seat: int, *, joint: bool) -> Duel:
    found = competition.play(fixture.number).result
    own, other = found.players[seat], found.players[1 - seat]
    return Duel(
        own.controller, other.controller, seat, competition.plan.rules.calls, found.game, joint, found.level,
        found.repeat, found.seed, own.outcome, other.outcome, found.ticks, own.score, other.score,
    )  # fmt: skip


# --------------------------------------------------------------------------------------------------------------- summing


def by_game(duels: Iterable[Duel]) -> dict[str, list[Duel]]:
    """The plays of each game, in the order of names."""
    found: dict[str, list[Duel]] = defaultdict(list)
    for duel in duels:
        found[duel.game].append(duel)
    return dict(sorted(found.items()))


def bootstrap(values: Sequence[float], seed: int = 1) -> tuple[float, float, float]:
    """Mean of values that count once each, and its 95 % bootstrap interval."""
    generator = random.Random(seed)
    means = sorted(fmean(generator.choices(values, k=len(values))) for _ in range(SAMPLES))
    low, high = (means[int(quantile * (SAMPLES - 1))] for quantile in QUANTILES)
    return fmean(values), low, high


def sign_test(better: int, worse: int) -> float:
    """Two-sided p-value of the sign test; 1 without any difference."""
    n = better + worse
    if n == 0:
        return 1.0
    return min(1.0, 2 * sum(comb(n, k) for k in range(min(better, worse) + 1)) / 2**n)


@dataclass(frozen=True, slots=True)
class Group:
    """Plays that are counted together."""

    title: str
    duels: tuple[Duel, ...]

    @property
    def shares(self) -> list[float]:
        """The mean points of each game."""
        return [fmean(duel.points for duel in of_game) for of_game in by_game(self.duels).values()]


def groups(duels: Sequence[Duel]) -> Iterator[Group]:
    """All plays, those of each half, of each seat, and of joint and other games; groups without plays are left out."""
    found = [
        Group("all", tuple(duels)),
        *(Group(f"{name} half", tuple(duel for duel in duels if half(duel.game) == name)) for name in HALVES),
        *(Group(f"seat {seat}", tuple(duel for duel in duels if duel.seat == seat)) for seat in (0, 1)),
        Group("rivals", tuple(duel for duel in duels if not duel.joint)),
        Group("joint games", tuple(duel for duel in duels if duel.joint)),
    ]
    return (group for group in found if group.duels)


def summary_table(duels: Sequence[Duel]) -> str:
    """Points by group, as a table in Markdown."""
    lines = [
        "| | games | plays | won, neither, lost | points, mean over games, 95 % interval |",
        "|---|--:|--:|:-:|--:|",
    ]
    for group in groups(duels):
        mean, low, high = (100 * value for value in bootstrap(group.shares))
        lines.append(
            f"| {group.title} | {len(group.shares)} | {len(group.duels)} | {_outcomes(group.duels)} | "
            f"{mean:.0f} ({low:.0f} to {high:.0f}) % |"
        )
    return "\n".join(lines)


def games_table(duels: Sequence[Duel]) -> str:
    """Points by game and seat, as a table in Markdown."""
    lines = ["| game | half | won, neither, lost | seat 0 | seat 1 | points |", "|---|---|:-:|--:|--:|--:|"]
    for game, of_game in by_game(duels).items():
        seats = [[duel.points for duel in of_game if duel.seat == seat] for seat in (0, 1)]
        shares = [f"{100 * fmean(one):.0f} %" if one else "" for one in seats]
        title = f"{game} (joint)" if of_game[0].joint else game
        mean = 100 * fmean(duel.points for duel in of_game)
        lines.append(f"| {title} | {half(game)} | {_outcomes(of_game)} | {shares[0]} | {shares[1]} | {mean:.0f} % |")
    return "\n".join(lines)


def _outcomes(duels: Sequence[Duel]) -> str:
    won = sum(duel.outcome == Outcome.WON for duel in duels)
    neither = sum(duel.outcome != Outcome.WON and duel.opponent_outcome != Outcome.WON for duel in duels)
    return f"{won}, {neither}, {len(duels) - won - neither}"


@dataclass(frozen=True, slots=True)
class Difference:
    """Two controllers on the same plays; positive if the second is better."""

    by_game: Mapping[str, float]  #: mean difference of the points
    plays: int
    better: int
    worse: int

    def __str__(self) -> str:
        mean, low, high = (100 * value for value in bootstrap(list(self.by_game.values())))
        return f"{mean:+.1f} ({low:+.1f} to {high:+.1f})"

    @property
    def p(self) -> float:
        """The p-value of the sign test."""
        return sign_test(self.better, self.worse)


def difference(before: Iterable[Duel], after: Iterable[Duel]) -> Difference:
    """The difference on the plays that both have."""
    earlier = {duel.place: duel for duel in before}
    paired: dict[str, list[float]] = defaultdict(list)
    for duel in after:
        if duel.place in earlier:
            paired[duel.game].append(duel.points - earlier[duel.place].points)
    changes = [change for of_game in paired.values() for change in of_game]
    better, worse = sum(change > 0 for change in changes), sum(change < 0 for change in changes)
    return Difference({game: fmean(of_game) for game, of_game in sorted(paired.items())}, len(changes), better, worse)


def compare(before: Iterable[Duel], after: Iterable[Duel]) -> str:
    """The difference of two files on the plays that both have, in sentences."""
    found = difference(before, after)
    if not found.plays:
        return "no play is in both"
    lines = [f"{game:20} {100 * change:+.0f}" for game, change in found.by_game.items() if change]
    return "\n".join(
        [
            *lines,
            f"{found} points per 100, mean over {len(found.by_game)} games; of {found.plays} plays, {found.better} better and "
            f"{found.worse} worse (sign test: p = {found.p:.2g})",
        ]
    )


def changes_table(before: Sequence[Duel], changed: Mapping[str, Sequence[Duel]]) -> str:
    """Changed agents, by title, against the one before on the plays that both have, as a table in Markdown."""
    lines = ["| change | plays | points | better, worse | difference, 95 % interval | p |", "|---|--:|--:|:-:|--:|--:|"]
    for title, after in changed.items():
        found = difference(before, after)
        points = f"{100 * fmean(duel.points for duel in after):.0f} %"
        lines.append(
            f"| {title} | {found.plays} | {points} | {found.better}, {found.worse} | {found} | {found.p:.2g} |"
        )
    return "\n".join(lines)


def main(words: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    playing = verbs.add_parser("play", help="play what a file lacks; further options are those of vgdl-compete")
    playing.add_argument("file", type=Path)
    playing.add_argument("--games-dir", type=Path, help="folder of further games; those for one player are left out")
    playing.add_argument("--games", type=lambda text: text.split(","), help="only these: A,B,...")
    playing.add_argument("--half", choices=HALVES, help="only these games")
    playing.add_argument("--controller", default="champion")
    playing.add_argument("--opponent", default="olets")
    showing = verbs.add_parser("show", help="points by group and by game")
    showing.add_argument("file", type=Path)
    comparing = verbs.add_parser("compare", help="two files, play by play")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    arguments, rest = parser.parse_known_args(words)
    if rest and arguments.verb != "play":
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    if arguments.verb == "show":
        duels = read(arguments.file)
        print(f"{summary_table(duels)}\n\n{games_table(duels)}")
    elif arguments.verb == "compare":
        print(compare(read(arguments.before), read(arguments.after)))
    else:
        paths = [games.path(name) for name in games.names("two_player")]
        if arguments.games_dir is not None:
            paths += folder_set(arguments.games_dir).paths
        chosen = [
            path
            for path in paths
            if arguments.half in (None, half(path.stem)) and (arguments.games is None or path.stem in arguments.games)
        ]
        play(arguments.file, chosen, (arguments.controller, arguments.opponent), rest)
    return 0


if __name__ == "__main__":
    sys.exit(main())
