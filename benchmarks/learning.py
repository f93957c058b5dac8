"""The learning track's table: agents on all bundled games with several learning budgets.

    python benchmarks/learning.py --agents random,qlearning --steps 1000,10000 --output benchmarks/results/learning.csv

The agents are bundled and trusted, so they play in this process, without limits of time: the table does not depend on
the machine. Runs that the file has already are not repeated, so a measurement can be stopped and continued. A row is a phase, a
level and an experience of a run: the number of plays, of victories, the mean score and the mean number of ticks.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import vgdl
from vgdl import games
from vgdl.competition.seeds import derive
from vgdl.competition.tracks.learning.learners import BUNDLED
from vgdl.competition.tracks.learning.lesson import Lesson
from vgdl.competition.tracks.learning.local import LocalPlayer
from vgdl.competition.tracks.learning.rows import PlayRow, RunKey
from vgdl.competition.tracks.learning.rules import LearningRules
from vgdl.competition.tracks.learning.views import Course

COLUMNS = (
    "agent", "budget", "game", "repeat", "phase", "level", "steps", "plays", "victories", "score", "ticks", "late", "cause",
)  # fmt: skip
SECRET = 2026


def condensed(rows: Iterable[PlayRow]) -> list[tuple[object, ...]]:
    """The means of the plays by phase, level and, for probes, experience."""
    groups: defaultdict[tuple[str, int, int], list[PlayRow]] = defaultdict(list)
    for row in rows:
        groups[row.phase, row.level, row.steps if row.phase == "probe" else -1].append(row)
    return [
        (
            phase,
            level,
            max(row.steps for row in plays),
            len(plays),
            sum(row.is_won for row in plays),
            round(sum(row.score for row in plays) / len(plays), 4),
            round(sum(row.ticks for row in plays) / len(plays), 1),
        )
        for (phase, level, _), plays in groups.items()
    ]


def run(agent: str, budget: int, game: str, repeat: int, rounds: int) -> list[tuple[object, ...]]:
    """One run, with so many validation plays of each level; its rows."""
    rules = LearningRules(steps=budget, rounds=rounds)
    entry = next(entry for entry in BUNDLED if entry.name == agent)
    seed = derive(SECRET, "learner", agent, game, repeat)
    with LocalPlayer(entry, rules, derive(SECRET, "types", game), seed=seed) as player:
        lesson = Lesson(RunKey(agent, game, repeat), Course.of(vgdl.load(game), rules), rules, player, SECRET)
        rows = condensed(lesson.plays())
        cause = lesson.failure.cause if lesson.failure else ""
        return [(agent, budget, game, repeat, *row, lesson.late, cause) for row in rows]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--agents", default="random,qlearning,explorer")
    parser.add_argument("--steps", default="1000")
    parser.add_argument("--games", default="")
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=LearningRules.rounds, help="validation plays of each level")
    parser.add_argument("--output", type=Path, required=True)
    options = parser.parse_args()
    names = options.games.split(",") if options.games else [
        game for group in ("training", "validation", "test") for game in games.names(group)
    ]  # fmt: skip
    done = set()
    if options.output.exists():
        with options.output.open(newline="") as file:
            done = {(row["agent"], int(row["budget"]), row["game"], int(row["repeat"])) for row in csv.DictReader(file)}
    else:
        with options.output.open("w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerow(COLUMNS)
    for budget in map(int, options.steps.split(",")):
        for repeat in range(options.repeats):
            for game in names:
                for agent in options.agents.split(","):
                    if (agent, budget, game, repeat) in done:
                        continue
                    began = time.monotonic()
                    rows = run(agent, budget, game, repeat, options.rounds)
                    with options.output.open("a", newline="") as file:
                        csv.writer(file, lineterminator="\n").writerows(rows)
                    print(f"{agent} {game} {budget}: {time.monotonic() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
