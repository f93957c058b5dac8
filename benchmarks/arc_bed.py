"""Agents on the test bed of hand-written games and on a sample of the VGDL games: levels and RHAE with intervals.

    python benchmarks/arc_bed.py --agents explorer,experimenter --sets developed --actions 500
    python benchmarks/arc_bed.py --actions 2000 --output benchmarks/results/arc-bed.csv
    python benchmarks/arc_bed.py --table docs/arc-results.md

A play is a row of the file as soon as it has ended, so a run that is stopped goes on where it was. A play of 2,000
actions also says what was reached after 500. ``--table`` plays nothing and writes Markdown.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy is imported: an agent gets one core

import argparse
import csv
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from vgdl.competition.tracks.arc.agents import Task, create
from vgdl.competition.tracks.arc.agents.playing import play
from vgdl.competition.tracks.arc.baselines import bundled_baselines
from vgdl.competition.tracks.arc.game import bundled
from vgdl.competition.tracks.arc.local import LocalArc
from vgdl.competition.tracks.arc.playable import ArcGame
from vgdl.competition.tracks.arc.scoring import Scoring, game_score
from vgdl.competition.tracks.arc.testbed import Half, bed_games

COLUMNS = ("agent", "options", "set", "game", "seed", "limit", "level_actions", "won", "ms_per_action")
SETS: dict[str, Callable[[], Sequence[ArcGame]]] = {
    "vgdl": lambda: bundled()[::3],
    "developed": lambda: bed_games(Half.DEVELOPED),
    "reported": lambda: bed_games(Half.REPORTED),
}
BUDGETS = (500, 2000)
RESAMPLES = 2000

Row = dict[str, str]


def main() -> None:
    options = parsed()
    rows = read(options.output)
    if options.table:
        options.table.write_text(table(rows), encoding="utf-8")
        return
    done = {(row["agent"], row["options"], row["set"], row["game"], row["seed"]) for row in rows
            if int(row["limit"]) >= options.actions or row["won"] == "1"}  # fmt: skip
    for seed in range(options.seeds):
        for name in options.sets.split(","):
            for game in SETS[name]():
                if options.games and game.name not in options.games.split(","):
                    continue
                for agent in options.agents.split(","):
                    if (agent, options.option, name, game.id, str(seed)) not in done:
                        row = played(agent, options.option, name, game, seed, options.actions)
                        write(options.output, row)
                        print(f"{row['game']:10} {game.name:16} {agent} {seed}: {row['level_actions']} "
                              f"{row['ms_per_action']} ms", file=sys.stderr, flush=True)  # fmt: skip


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--agents", default="random,explorer,experimenter", help="names, separated by commas")
    parser.add_argument("--option", default="", help='options of the agent as JSON, such as {"walking": false}')
    parser.add_argument("--sets", default=",".join(SETS), help=f"some of {', '.join(SETS)}")
    parser.add_argument("--games", default="", help="only these, by name")
    parser.add_argument("--actions", type=int, default=500, help="per game (default: 500)")
    parser.add_argument("--seeds", type=int, default=1, help="plays of each game (default: 1)")
    parser.add_argument("--output", type=Path, default=Path("benchmarks/results/arc-bed.csv"), help="file of results")
    parser.add_argument("--table", type=Path, metavar="FILE", help="write the results as Markdown")
    return parser.parse_args()


def played(agent: str, option: str, name: str, game: ArcGame, seed: int, actions: int) -> Row:
    task = Task(game.id, tuple(game.actions), game.win_levels)
    chosen: dict[str, Any] = json.loads(option) if option else {}
    began = time.process_time()
    result = play(create(agent, task, seed, **chosen), LocalArc([game]).make(game.id), actions)
    spent = time.process_time() - began
    return {
        "agent": agent, "options": option, "set": name, "game": game.id, "seed": str(seed), "limit": str(actions),
        "level_actions": " ".join(map(str, result.level_actions)), "won": str(int(result.won)),
        "ms_per_action": f"{1000 * spent / max(result.actions, 1):.2f}",
    }  # fmt: skip


def read(path: Path) -> list[Row]:
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def write(path: Path, row: Row) -> None:
    new = not path.exists()
    with path.open("a", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        if new:
            writer.writeheader()
        writer.writerow(row)


# ------------------------------------------------------------------------------------------------------------- tables


INTRODUCTION = """\
<!-- written by benchmarks/arc_bed.py --table -->

# Results of agents on ARC games

Levels finished and RHAE (`rhae-2026-04`) on a third of the bundled VGDL games and on both halves of the
[test bed](arc-testbed.md). `experimenter` was developed on the first half and on the VGDL games, but for the limits of
its turns, which were chosen with both halves in view, and for one fault that `count` and `flood` of the second one
showed: the click that lost a level was held against it. Its part for several bodies was also developed on toys of the
tests, which resemble `mirror` and `turns` of the second half, its part for cursors on toys that resemble `cursorlamps`,
after that game had been looked at.
`experimenter, with trends` is the version with a part that gained nothing and is gone, and without two repairs of planned
pushes. `experimenter, before cursors` is an older one, also without cursors and without plans towards one colour, which did
not play the 21 latest families. In the others, plays of the version with trends are those of this one where neither
cursors nor such plans can matter. Two versions were dropped after plays of all sets, the second half included: in one,
each reset of a level was dearer than the one before, and what works was repeated sooner; the other had no `twins`.
Baselines are twice the actions of the best planner for VGDL games, and the recorded plays for the test bed. Plays of the
same game with different seeds are averaged; brackets are 95 % intervals from games drawn again. A number of games in a
cell says that the others were not played. Rows with options are that version without a part. Times are of cores shared
with other work.
`benchmarks/arc_bed.py` plays and writes this page from `benchmarks/results/arc-bed.csv`."""


def table(rows: Sequence[Row]) -> str:
    """The page of results: for each budget a row per agent, then the levels of each game."""
    games = {name: list(SETS[name]()) for name in SETS}
    told = [INTRODUCTION, ""]
    heads = " | ".join(f"{name}, {len(found)} games: levels | RHAE" for name, found in games.items())
    agents = sorted({(row["agent"], row["options"]) for row in rows}, key=lambda pair: (bool(pair[1]), pair))
    for budget in BUDGETS:
        lines = []
        for agent, option in agents:
            cells, times, seeds = [], [], set()
            mine = played_by(rows, agent, option, budget)
            is_long = any(int(row["limit"]) >= budget for row in mine)  # else only games that were won early
            n_plays = Counter(row["game"] for row in mine)
            for name, listed in games.items():
                covered = [game for game in listed if is_long and n_plays[game.id] == max(n_plays.values())]
                kept = complete([row for row in mine if row["set"] == name], covered)
                levels, score = summary(kept, covered, budget)
                cells += [levels + f", {len(covered)} games" * (0 < len(covered) < len(listed)), score]
                times += [float(row["ms_per_action"]) for row in kept]
                seeds |= {row["seed"] for row in kept}
            if any(cells):
                label = f"`{agent}`" + (f" `{option}`" if option else "")
                lines.append(f"| {label} | {len(seeds)} | {' | '.join(cells)} | {sum(times) / len(times):.1f} |")
        if lines:
            columns = "--:|" * (2 * len(SETS) + 2)
            told += [f"## After {budget:,} actions per game", "", f"| agent | seeds | {heads} | ms per action |",
                     f"|---|{columns}", *lines, ""]  # fmt: skip
    told += compared(rows, games, "experimenter", "explorer")
    told += per_game(rows, games, [agent for agent, option in agents if not option])
    return "\n".join(told).rstrip() + "\n"


def played_by(rows: Sequence[Row], agent: str, option: str, budget: int) -> list[Row]:
    """The plays of an agent that were long enough for a budget, the longest of each game and seed."""
    found: dict[tuple[str, str], Row] = {}
    for row in sorted(rows, key=lambda row: int(row["limit"])):
        if (row["agent"], row["options"]) == (agent, option) and (int(row["limit"]) >= budget or row["won"] == "1"):
            found[row["game"], row["seed"]] = row
    return list(found.values())


def complete(rows: Sequence[Row], games: Sequence[ArcGame]) -> list[Row]:
    """The plays with those seeds with which all games were played; else games that are won soon would count more."""
    played = {(row["game"], row["seed"]) for row in rows}
    seeds = {row["seed"] for row in rows if all((game.id, row["seed"]) in played for game in games)}
    return [row for row in rows if row["seed"] in seeds]


def compared(rows: Sequence[Row], games: dict[str, list[ArcGame]], one: str, other: str) -> list[str]:
    """The games in which every play of one agent finished more levels than every play of another one."""
    told = [f"## `{one}` and `{other}`, game by game", "",
            "Games in which every play of one of them finished more levels than every play of the other. With three plays "
            "each, two equal agents do so with a probability of at most 1 in 10.", "",
            f"| actions per game | `{one}` ahead | `{other}` ahead | neither |", "|--:|--:|---|--:|"]  # fmt: skip
    every = [game for listed in games.values() for game in listed]
    for budget in BUDGETS:
        levels: dict[str, dict[str, list[int]]] = {one: {}, other: {}}
        for agent, found in levels.items():
            for row in complete(played_by(rows, agent, "", budget), every):
                found.setdefault(row["game"], []).append(len(finished(row["level_actions"], budget)))
        if not all(levels.values()):
            continue
        shared = [game for game in every if game.id in levels[one] and game.id in levels[other]]
        ahead = [game for game in shared if min(levels[one][game.id]) > max(levels[other][game.id])]
        behind = [game for game in shared if max(levels[one][game.id]) < min(levels[other][game.id])]
        names = f"{len(behind)} ({', '.join(game.name for game in behind)})" if behind else "0"
        told.append(f"| {budget:,} | {len(ahead)} | {names} | {len(shared) - len(ahead) - len(behind)} |")
    return [*told, ""]


def per_game(rows: Sequence[Row], games: dict[str, list[ArcGame]], agents: Sequence[str]) -> list[str]:
    """The levels per game after the smallest budget, averaged over seeds."""
    told = [f"## Levels per game after {BUDGETS[0]} actions", "", f"| game | set | {' | '.join(agents)} |",
            "|---|---|" + "--:|" * len(agents)]  # fmt: skip
    for name, listed in games.items():
        for game in listed:
            cells = []
            for agent in agents:
                levels = [
                    len(finished(row["level_actions"], BUDGETS[0]))
                    for row in played_by(rows, agent, "", BUDGETS[0])
                    if row["game"] == game.id
                ]
                cells.append(f"{sum(levels) / len(levels):.1f}" if levels else "")
            told.append(f"| {game.name}, {game.about} | {name} | {' | '.join(cells)} |")
    return told


def summary(rows: Sequence[Row], games: Sequence[ArcGame], budget: int) -> list[str]:
    """Levels per play of all games, and RHAE, each with an interval from resampled games."""
    known = bundled_baselines()
    plays: dict[str, list[tuple[int, float]]] = {}
    for row in rows:
        game = next((game for game in games if game.id == row["game"]), None)
        if game is None:
            continue
        done = finished(row["level_actions"], budget)
        baselines = known.of(game)
        score = game_score(Scoring.APRIL, baselines, done).game if baselines else 0.0
        plays.setdefault(row["game"], []).append((len(done), score))
    if not plays:
        return ["", ""]
    means = [(sum(n for n, _ in of) / len(of), sum(score for _, score in of) / len(of)) for of in plays.values()]
    rng = random.Random(1)
    samples = [[rng.choice(means) for _ in means] for _ in range(RESAMPLES)]
    low, high = int(0.025 * RESAMPLES), int(0.975 * RESAMPLES)
    levels = sorted(sum(n for n, _ in sample) for sample in samples)
    scores = sorted(100 * sum(score for _, score in sample) / len(sample) for sample in samples)
    total, mean = sum(n for n, _ in means), 100 * sum(score for _, score in means) / len(means)
    return [
        f"{total:.1f} [{levels[low]:.0f}–{levels[high]:.0f}]",
        f"{mean:.1f} % [{scores[low]:.1f}–{scores[high]:.1f}]",
    ]


def finished(level_actions: str, budget: int) -> list[int]:
    """Actions per level of those that were finished within a budget."""
    found, spent = [], 0
    for actions in map(int, level_actions.split()):
        spent += actions
        if spent > budget:
            break
        found.append(actions)
    return found


if __name__ == "__main__":
    main()
