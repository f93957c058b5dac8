"""Measures `vgdl.induction` on the bundled games, and writes the tables of docs/induction.md.

python benchmarks/induction.py run                                   # every game; goes on where it was cut off
python benchmarks/induction.py run --games sokoban,zelda --seeds 3 --without law --jobs 4
python benchmarks/induction.py run --games mine/one.txt,mine/two.txt --output mine.csv       # games of your own
python benchmarks/induction.py run --games pacman --output pacman.csv --texts learnt         # what was learnt as text
python benchmarks/induction.py table                                 # no measuring: the stored results as tables

A learner plays levels 0 to 2 of each game by itself. Then its text is compared with the true one on random plays of
levels 3 and 4, and a controller plays these levels twice: planning with the learnt rules, and with the true ones. All
budgets are counts, so the results do not depend on the machine.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import csv
import itertools
import math
import multiprocessing
import random
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from statistics import mean

from induction_prior import DEVELOPMENT, VALIDATION, half_of

import vgdl
from vgdl import StateObservation, VGDLError, games
from vgdl.competition.tracks.worldmodels.lessons import names_of, teach, watch
from vgdl.competition.tracks.worldmodels.search.beside import same_successors
from vgdl.competition.tracks.worldmodels.search.law import same_in_law
from vgdl.competition.tracks.worldmodels.search.measures import HELD_OUT, levels_of
from vgdl.competition.tracks.worldmodels.search.play import play
from vgdl.competition.tracks.worldmodels.search.records import record_many
from vgdl.competition.tracks.worldmodels.texts.candidate import Candidate
from vgdl.game import Game
from vgdl.induction import Budget, Learner, Observer, parts
from vgdl.induction.evidence import Evidence
from vgdl.induction.likelihood import Judge, World, differences
from vgdl.induction.observations import Frame

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "induction.csv"
PAGE = ROOT / "docs" / "induction.md"
BEGIN, END = "<!-- tables: benchmarks/induction.py -->\n", "<!-- end of tables -->\n"
OTHERS = "others"  #: games that are not bundled
HALVES = (DEVELOPMENT, VALIDATION, OTHERS)
DISTRACTORS = 8  #: false next states among which the true one is ranked
RESAMPLES = 2000  #: bootstrap samples of an interval
SHOWN = (("identical", ".2f"), ("in_law", ".2f"), ("explained", ".2f"), ("bits", ".1f"), ("rank", ".2f"))
RIGHT = 0.99  #: share of right transitions of a game that counts as learnt


@dataclass(frozen=True)
class Row:
    """What was learnt of a game."""

    game: str
    half: str
    without: str  #: the part of the learner that was left out; empty: none
    seed: int
    ticks: int  #: of own play
    hypotheses: int
    simulated: int
    seconds: float  #: CPU time of learning; the only number here that depends on the machine
    identical: float  #: share of ticks after which both texts show the same
    in_law: float  #: share of ticks whose futures cannot be told apart
    explained: float  #: share of ticks without a difference that chance does not explain
    bits: float  #: per tick
    rank: float  #: mean reciprocal rank of the true next state among other states of the same play
    won: int
    won_true: int
    plays: int


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("run", "table"))
    parser.add_argument("--games", help="names and files between commas (default: all bundled games for one player)")
    parser.add_argument("--seeds", type=int, default=1, help="number of seeds, from 0")
    parser.add_argument("--ticks", type=int, default=2000, help="ticks of own play")
    parser.add_argument("--hypotheses", type=int, default=Budget().hypotheses, help="hypotheses that are compiled")
    parser.add_argument("--simulated", type=int, default=Budget().ticks, help="ticks that the search simulates")
    parser.add_argument("--test-ticks", type=int, default=200, help="held-out ticks")
    parser.add_argument("--samples", type=int, default=32, help="futures of each text per tick")
    parser.add_argument("--calls", type=int, default=400, help="forward model calls per tick of the controller")
    parser.add_argument("--most", type=int, default=1000, help="ticks of a play of the controller")
    parser.add_argument("--plays", type=int, default=3, help="plays of each held-out level with either rules; 0: none")
    parser.add_argument("--without", default="", choices=("", *parts.NAMES), help="a part of the learner to leave out")
    parser.add_argument("--jobs", type=int, default=1, help="games that are learnt at the same time")
    parser.add_argument("--texts", type=Path, help="folder for the learnt texts, with the names of the true types")
    parser.add_argument("--output", type=Path, default=RESULTS, help="CSV file; rows that it has are kept")
    chosen = parser.parse_args()
    if chosen.command == "table":
        write_tables(read(chosen.output))
        return
    names = chosen.games.split(",") if chosen.games else list(single_player_games())
    rows = read(chosen.output)
    known = {(row.game, row.without, row.seed, row.ticks) for row in rows}
    tasks = [
        (name, seed, true_victories(rows, Path(name).stem, seed, chosen), chosen)
        for seed, name in itertools.product(range(chosen.seeds), names)
        if (Path(name).stem, chosen.without, seed, chosen.ticks) not in known
    ]
    own_process = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(chosen.jobs, own_process) as pool:
        for learnt in concurrent.futures.as_completed([pool.submit(measured, *task) for task in tasks]):
            print(learnt.result(), flush=True)
            append(chosen.output, learnt.result())


def true_victories(rows: Iterable[Row], game: str, seed: int, chosen: argparse.Namespace) -> int | None:
    """The victories with the true rules, if the same plays belong to a row of another variant or other ticks."""
    plays = chosen.plays * len(HELD_OUT)
    return next((row.won_true for row in rows if (row.game, row.seed, row.plays) == (game, seed, plays)), None)


def single_player_games() -> Iterator[str]:
    """The games, those of both halves in turn."""
    single = [name for name in games.names() if vgdl.load(name).n_players == 1]
    halves = [[name for name in single if half_of(name) == half] for half in (DEVELOPMENT, VALIDATION)]
    for pair in zip(*halves, strict=True):
        yield from pair


def measured(name: str, seed: int, won_true: int | None, chosen: argparse.Namespace) -> Row:
    """Learn a game, and measure what was learnt.

    Args:
        name: a bundled game or a file.
        seed: of all random choices.
        won_true: the victories with the true rules, if they are known.
        chosen: the options.
    """
    game = vgdl.load(name)
    budget = Budget(chosen.hypotheses, chosen.simulated)
    observer, learner = Observer(seed), Learner(seed, budget, without={chosen.without} - {""})
    began = time.process_time()
    lessons = list(teach(game, learner, observer, chosen.ticks, seed))
    seconds = round(time.process_time() - began, 1)
    names = names_of(game, learner, observer)
    rules = Candidate(learner.text, names)
    held_out = record_many(game, levels_of(game, HELD_OUT), chosen.test_ticks, seed=seed + 1, players=("random",))
    judge = learner.search.judge
    half = half_of(name) if name in games.names() else OTHERS
    plays = list(itertools.product(levels_of(game, HELD_OUT), range(seed, seed + chosen.plays)))
    victories = sum(won(game, level, rules, number, chosen) for level, number in plays)
    if won_true is None:
        won_true = sum(won(game, level, None, number, chosen) for level, number in plays)
    if chosen.texts is not None:
        keep(
            chosen.texts / f"{game.name}-{seed}.txt",
            learner.text,
            {game.types[k]: learnt for k, learnt in names.items()},
        )
    return Row(
        game.name, half, chosen.without, seed, lessons[-1][0], judge.judged, round(judge.simulated), seconds,
        round(same_successors(rules, game, held_out), 3),
        round(same_in_law(rules, game, held_out, samples=chosen.samples), 3),
        *predicted(game, learner, observer, seed + 1, chosen.test_ticks),
        victories, won_true, len(plays),
    )  # fmt: skip


def keep(path: Path, text: str, names: Mapping[str, str]) -> None:
    """Write a learnt text, under lines that say what the true types are called in it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [f"# {learnt} is {true}\n" for true, learnt in names.items()]
    path.write_text("".join(lines) + text, encoding="utf-8")


def predicted(game: Game, learner: Learner, observer: Observer, seed: int, ticks: int) -> tuple[float, float, float]:
    """Share of explained ticks of random plays of the held-out levels, bits per tick, and mean reciprocal rank."""
    tests = Evidence()
    for level in levels_of(game, HELD_OUT):
        watch(tests, game, level, learner, observer, seed, ticks, ticks)
    judge = Judge(tests)
    try:
        world = judge.world(learner.completed)
        report = judge.report(world)
    except VGDLError:
        return 0.0, math.inf, 0.0
    ranks = [1 / rank for rank in _ranks(tests, world, random.Random(seed))]
    explained = 1 - len(report.conflicts) / max(1, report.ticks)
    return round(explained, 3), round(report.total / max(1, report.ticks), 2), round(mean(ranks or [0.0]), 3)


def _ranks(evidence: Evidence, world: World, draws: random.Random) -> Iterator[float]:
    """Per tick, the rank of the true next state among other observed states of the play, by differing sprites."""
    for number, seen in enumerate(evidence.plays):
        frames = evidence.frames(number, world.hypothesis)
        if seen.ticks <= DISTRACTORS:
            continue
        board = world.board(evidence.layouts[number])
        for k in range(0, seen.ticks, max(1, seen.ticks // 20)):
            state = world.placed(board, frames[k], None, frames[k - 1] if k else None, k)
            state.advance(frames[k].action)
            others = draws.sample([tick for tick in range(len(frames)) if tick != k + 1], DISTRACTORS)
            costs = [_cost(frames[k], state, frames[tick]) for tick in (k + 1, *others)]
            yield 1 + sum(cost < costs[0] for cost in costs[1:]) + 0.5 * sum(cost == costs[0] for cost in costs[1:])


def _cost(before: Frame, state: StateObservation, after: Frame) -> float:
    found = differences(before, state, after)
    return 0 if found is None else len(found.misses) + bool(found.score) + len(found.avatar) + found.end


def won(game: Game, level: int, rules: Candidate | None, seed: int, chosen: argparse.Namespace) -> bool:
    """Whether the controller wins a level, planning with these rules; None: with the true ones."""
    return play(game, level, "champion", rules, seed=seed, calls=chosen.calls, most=chosen.most).won


# -------------------------------------------------------------------------------------------------------- results


def read(path: Path) -> list[Row]:
    """The stored rows; none if there is no file."""
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return [_row(entry) for entry in csv.DictReader(file)]


def _row(entry: Mapping[str, str]) -> Row:
    types = {"int": int, "float": float, "str": str}
    return Row(**{field.name: types[str(field.type)](entry[field.name]) for field in fields(Row)})


def append(path: Path, row: Row) -> None:
    """Add a row to a file, which is made if there is none."""
    is_new = not path.exists()
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Row)], lineterminator="\n")
        if is_new:
            writer.writeheader()
        writer.writerow(asdict(row))


def write_tables(rows: list[Row]) -> None:
    """Replace the tables of the page."""
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    PAGE.write_text(f"{before}{BEGIN}{tables(rows)}{END}{after}", encoding="utf-8")


def tables(rows: list[Row]) -> str:
    """The results by half and by game, and how variants of the learner differ."""
    whole = [row for row in rows if not row.without]
    found = [*summary(whole), "", *by_game(whole)]
    if ablated := [row for row in rows if row.without]:
        found += ["", *ablations(whole, ablated)]
    return "\n".join(found) + "\n"


def summary(whole: list[Row]) -> Iterator[str]:
    """Lines of the table of halves: the victories that are kept, and the games whose transitions are right."""
    yield "| half | ticks | games | seeds | victories kept | games won | identical ≥ 0.99 | in law ≥ 0.99 | CPU s |"
    yield "|---|--:|--:|--:|--:|--:|--:|--:|--:|"
    for half, ticks in itertools.product(HALVES, sorted({row.ticks for row in whole})):
        mine = [row for row in whole if (row.half, row.ticks) == (half, ticks)]
        games = [[row for row in mine if row.game == name] for name in sorted({row.game for row in mine})]
        if games:
            right = [
                sum(mean(getattr(row, what) for row in game) >= RIGHT for game in games)
                for what in ("identical", "in_law")
            ]
            yield (
                f"| {half} | {ticks} | {len(games)} | {len({row.seed for row in mine})} | {_kept(games)} "
                f"| {right[0]} | {right[1]} | {mean(row.seconds for row in mine):.0f} |"
            )


def _kept(games: list[list[Row]]) -> str:
    """The mean share of the victories with the true rules that are kept, over the games in which there were any."""
    totals = [(sum(row.won for row in game), sum(row.won_true for row in game)) for game in games]
    shares = [min(1.0, won / true) for won, true in totals if true]
    if not shares:
        return "– | 0"
    middle, low, high = interval(shares)
    return f"{100 * middle:.0f} % ({100 * low:.0f} to {100 * high:.0f}) | {len(shares)}"


def by_game(whole: list[Row]) -> Iterator[str]:
    """Lines of the table of games."""
    yield "| game | half | ticks | seeds | identical | in law | explained | bits/tick | MRR | won | true rules | CPU s |"
    yield "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
    for name, ticks in sorted({(row.game, row.ticks) for row in whole}):
        mine = [row for row in whole if (row.game, row.ticks) == (name, ticks)]
        yield _line(name, mine[0].half, mine)


def _line(name: str, half: str, rows: list[Row]) -> str:
    seeds = len({row.seed for row in rows})
    shares = " | ".join(f"{mean(getattr(row, name) for row in rows):{form}}" for name, form in SHOWN)
    plays = sum(row.plays for row in rows)
    wins = f"{sum(row.won for row in rows)}/{plays} | {sum(row.won_true for row in rows)}/{plays}" if plays else "– | –"
    return (
        f"| {name} | {half} | {rows[0].ticks} | {seeds} | {shares} | {wins} | {mean(row.seconds for row in rows):.0f} |"
    )


def ablations(whole: Iterable[Row], ablated: list[Row]) -> Iterator[str]:
    """Lines of the table of variants: the mean difference to the whole learner on the same games and seeds."""
    base = {(row.game, row.seed, row.ticks): row for row in whole}
    yield "| without | games × seeds | in law, difference | identical, difference |"
    yield "|---|--:|--:|--:|"
    for part in sorted({row.without for row in ablated}):
        mine = [(row, base.get((row.game, row.seed, row.ticks))) for row in ablated if row.without == part]
        pairs = [(row, other) for row, other in mine if other is not None]
        if pairs:
            law = [one.in_law - other.in_law for one, other in pairs]
            same = [one.identical - other.identical for one, other in pairs]
            yield f"| {part} | {len(pairs)} | {_interval(law)} | {_interval(same)} |"


def interval(values: Sequence[float], seed: int = 0) -> tuple[float, float, float]:
    """Mean and bounds of a bootstrapped 95 % interval."""
    draws = random.Random(seed)
    means = sorted(sum(draws.choices(values, k=len(values))) / len(values) for _ in range(RESAMPLES))
    return sum(values) / len(values), means[int(0.025 * RESAMPLES)], means[int(0.975 * RESAMPLES) - 1]


def _interval(values: list[float]) -> str:
    middle, low, high = interval(values)
    return f"{middle:+.3f} ({low:+.3f} to {high:+.3f})"


if __name__ == "__main__":
    main()
