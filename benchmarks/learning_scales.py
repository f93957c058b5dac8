"""The scales of the bundled games' levels: mean scores of random play, which is 0, and of the champion, which is 1.

    python benchmarks/learning_scales.py > competition/tracks/learning/scales.csv

The champion's plays are those of `benchmarks/results/champion-bundled*.csv`, at 40 ms per action; random play is 10
plays of at most 1,000 ticks per level, uniform over the available actions and NIL.
"""

from __future__ import annotations

import csv
import random
import sys
from collections import defaultdict
from pathlib import Path

import vgdl
from vgdl import Winner

RESULTS = Path(__file__).parent / "results"
PLAYS = 10
LONGEST = 1_000


def random_score(board: vgdl.Board, seed: int) -> float:
    """The score of a random play; a victory counts at least 1."""
    state, draws = board.start(seed), random.Random(seed)
    while not state.is_over and state.tick < LONGEST:
        state.advance(draws.choice(state.actions_of(0, nil=True) or [vgdl.Action.NIL]))
    return max(1.0, state.score) if state.winner == Winner.PLAYER_WINS else state.score


def main() -> None:
    planned: defaultdict[tuple[str, int], list[float]] = defaultdict(list)
    for name in ("champion-bundled.csv", "champion-bundled-second.csv"):
        with (RESULTS / name).open(newline="") as file:
            for row in csv.DictReader(file):
                planned[row["game"], int(row["level"])].append(float(row["score"]))
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["game", "level", "digest", "random", "planner", "planner_plays"])
    for (game, level), scores in sorted(planned.items()):
        board = vgdl.load(game).board(level)
        low = sum(random_score(board, seed) for seed in range(PLAYS)) / PLAYS
        writer.writerow([game, level, board.digest[:16], low, sum(scores) / len(scores), len(scores)])


if __name__ == "__main__":
    main()
