"""How good are the bundled generators? Writes a row per generated level or set of rules, and the tables of the docs.

    python benchmarks/generation.py levels --levels 10 --budget 60 --output benchmarks/results/generated-levels.csv
    python benchmarks/generation.py rules --budget 120 --output benchmarks/results/generated-rules.csv
    python benchmarks/generation.py games --number 10 --output benchmarks/results/generated-games.csv

Budgets are seconds of CPU time on one core. Rows are appended as they come; a run that is repeated goes on after them.
``level-table``, ``rules-table`` and ``games-table`` print the tables from the files; ``report.py`` writes them into the
documentation.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from statistics import fmean
from typing import Any

import vgdl
from vgdl import games
from vgdl.controllers import Timer
from vgdl.generation import GAME_GENERATORS, LEVEL_GENERATORS, RULE_GENERATORS
from vgdl.generation.interface import LevelTask, Size
from vgdl.generation.ruleset import judge_rules, rules_task
from vgdl.judging.description import describe
from vgdl.judging.plays import Effort, seed_of
from vgdl.judging.verdicts import NO_ATTEMPT, judge_level

sys.path.insert(0, str(Path(__file__).parent))
from generation_tables import HAND_MADE, games_table, level_table, read, rules_table

GAMES = games.names("training")
TABLES = {"level-table": level_table, "rules-table": rules_table, "games-table": games_table}


@dataclass(frozen=True)
class LevelRow:
    """A level and how it was judged."""

    game: str
    generator: str
    number: int
    feasible: bool
    broken: str  #: constraints that do not hold
    verified: bool
    depth: float  #: of the profile, whether or not the level is feasible
    champion: float  #: share of plays won
    random: float
    win_ticks: int
    seconds: float  #: CPU time of the generator
    columns: int
    rows: int


@dataclass(frozen=True)
class RulesRow:
    """A set of rules and how it was judged."""

    game: str
    generator: str
    number: int
    feasible: bool
    depth: float
    value: float
    fired: float
    seconds: float


@dataclass(frozen=True)
class GameRow:
    """A whole game and how its levels were judged."""

    generator: str
    number: int
    feasible: bool
    depth: float  #: mean of its levels
    levels: int
    broken: str
    seconds: float


def levels(chosen: Any) -> Iterator[LevelRow]:
    """Hand-made levels, then those of each generator, game by game."""
    done = {(row["game"], row["generator"], int(row["number"])) for row in read(chosen.output)}
    for name in chosen.games:
        game = vgdl.load(name)
        task = LevelTask(game)
        sides = [(len(path.read_text().split("\n")[0]), len(path.read_text().splitlines())) for path in game.levels]
        size = Size(
            (min(w for w, _ in sides), max(w for w, _ in sides)), (min(h for _, h in sides), max(h for _, h in sides))
        )
        for number in range(min(chosen.hand_made, len(game.levels))):
            if (name, HAND_MADE, number) not in done:
                yield level_row(name, HAND_MADE, number, task, game.levels[number].read_text(), 0.0, chosen.effort)
        for generator in chosen.generators:
            for number in range(chosen.levels):
                if (name, generator, number) in done:
                    continue
                made = LEVEL_GENERATORS.load(generator)(task, Timer(), seed=seed_of(name, generator, number))
                began = time.process_time()
                text = made.generate(size, Timer(1000 * chosen.budget)).text
                yield level_row(name, generator, number, task, text, time.process_time() - began, chosen.effort)


def level_row(
    game: str, generator: str, number: int, task: LevelTask, text: str, seconds: float, effort: Effort
) -> LevelRow:
    """Judge a level."""
    board = task.board(text)
    judged = judge_level(
        board, describe(task.game), effort, seed_of("judge", game, generator, number), last_attempt=NO_ATTEMPT
    )
    found = judged.profile
    return LevelRow(
        game, generator, number, judged.feasibility.is_feasible, " ".join(judged.feasibility.broken), judged.is_verified,
        round(found.depth, 3), found.result("champion").win_rate, found.result("random").win_rate,
        judged.win.ticks if judged.win else 0, round(seconds, 1), judged.width, judged.height,
    )  # fmt: skip


def rules(chosen: Any) -> Iterator[RulesRow]:
    """Sets of rules for the sprites and the first level of each game."""
    done = {(row["game"], row["generator"], int(row["number"])) for row in read(chosen.output)}
    for name in chosen.games:
        game = vgdl.load(name)
        level = game.levels[0].read_text()
        for generator in chosen.generators:
            for number in range(chosen.number):
                if (name, generator, number) in done:
                    continue
                task, _ = rules_task(game, level, seed_of(name, number))
                began = time.process_time()
                made = RULE_GENERATORS.load(generator)(task, Timer(), seed=seed_of(name, generator, number))
                found = made.generate(Timer(1000 * chosen.budget))
                seconds = time.process_time() - began
                judged = judge_rules(task.game(found), level, seed_of("judge", name, number), chosen.effort)
                yield RulesRow(
                    name, generator, number, judged.feasibility.is_feasible, round(judged.depth, 3),
                    round(judged.value, 3), round(judged.coverage.share, 3), round(seconds, 1),
                )  # fmt: skip


def whole_games(chosen: Any) -> Iterator[GameRow]:
    """Whole games."""
    done = {(row["generator"], int(row["number"])) for row in read(chosen.output)}
    for generator in chosen.generators:
        for number in range(chosen.number):
            if (generator, number) in done:
                continue
            began = time.process_time()
            made = GAME_GENERATORS.load(generator)(Timer(), seed=seed_of(generator, number))
            texts = made.generate("", Timer(1000 * chosen.budget))
            seconds = time.process_time() - began
            if chosen.keep is not None:
                chosen.keep.mkdir(parents=True, exist_ok=True)
                (chosen.keep / f"game{number}.txt").write_text(texts.game)
                for place, text in enumerate(texts.levels):
                    (chosen.keep / f"game{number}_lvl{place}.txt").write_text(text)
            game = vgdl.loads(texts.game, name=f"game{number}")
            judged = [
                judge_level(
                    game.board(text),
                    describe(game),
                    chosen.effort,
                    seed_of("judge", number, place),
                    last_attempt=NO_ATTEMPT,
                )
                for place, text in enumerate(texts.levels)
            ]
            broken = sorted({name for level in judged for name in level.feasibility.broken})
            yield GameRow(
                generator, number, not broken, round(fmean(level.profile.depth for level in judged), 3), len(judged),
                " ".join(broken), round(seconds, 1),
            )  # fmt: skip


def write(rows: Iterable[Any], kind: type, path: Path) -> None:
    """Append rows to a file as they come."""
    path.parent.mkdir(parents=True, exist_ok=True)
    is_new = not path.is_file()
    with path.open("a", newline="") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(kind)])
        if is_new:
            writer.writeheader()
        for row in rows:
            writer.writerow(asdict(row))
            file.flush()
            print(row, flush=True)


def effort(text: str) -> Effort:
    """Plays, calls per tick, and ticks of the judges."""
    return Effort(*map(int, text.split(",")))


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kinds = parser.add_subparsers(dest="kind", required=True)
    for kind, registry, budget in (
        ("levels", LEVEL_GENERATORS, 60),
        ("rules", RULE_GENERATORS, 120),
        ("games", GAME_GENERATORS, 300),
    ):
        one = kinds.add_parser(kind)
        names = [name for name in registry.names() if not name.startswith("chat")]
        one.add_argument("--generators", type=lambda text: text.split(","), default=names)
        one.add_argument("--games", type=lambda text: text.split(","), default=list(GAMES))
        one.add_argument("--budget", type=float, default=budget)
        one.add_argument("--levels", type=int, default=10)
        one.add_argument("--number", type=int, default=1 if kind == "rules" else 10)
        one.add_argument("--hand-made", type=int, default=5)
        one.add_argument("--effort", type=effort, default="3,1000,300" if kind == "rules" else "5,1000,1000")
        one.add_argument("--keep", type=Path, help="folder for the games")
        one.add_argument("--output", type=Path, required=True)
    for kind in TABLES:
        kinds.add_parser(kind).add_argument("file", type=Path)
    chosen = parser.parse_args()
    match chosen.kind:
        case "levels":
            write(levels(chosen), LevelRow, chosen.output)
        case "rules":
            write(rules(chosen), RulesRow, chosen.output)
        case "games":
            write(whole_games(chosen), GameRow, chosen.output)
        case table:
            print(TABLES[table](read(chosen.file)))


if __name__ == "__main__":
    main()
