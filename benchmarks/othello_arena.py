"""What the Othello arena costs: calls of the API, self-play, search; CPU times of one process.

    python benchmarks/othello_arena.py [--seconds 1]

The strength of the anchor is measured by the arena itself:

    vgdl-compete othello --systems adaptive-ab,random,greedy,corners,positional,template \
        --stages public,generated:20 --analysis 4s --game 1s --repeats 2 --seed 2026 --store strength.db
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

from vgdl.competition.tracks.othello.players.alphabeta import AlphaBeta
from vgdl.competition.tracks.othello.players.evaluation import NTuples
from vgdl.competition.tracks.othello.players.inference import agrees, infer
from vgdl.competition.tracks.othello.players.template import Template
from vgdl.competition.tracks.othello.players.uct import UCT
from vgdl.competition.tracks.othello.stages import shown
from vgdl.tabletop.othello import ObservableApi, Rules
from vgdl.tabletop.othello_stages import STAGES


class Timer:
    """The CPU time left of an analysis."""

    game_ms = 10_000.0
    clock = staticmethod(time.process_time)

    def __init__(self, seconds: float) -> None:
        self._end = time.process_time() + seconds

    @property
    def remaining_ms(self) -> float:
        return 1000 * (self._end - time.process_time())


def microseconds(call: Callable[[], object], seconds: float) -> float:
    """CPU time of a call."""
    number, began = 0, time.process_time()
    while time.process_time() < began + seconds:
        for _ in range(100):
            call()
        number += 100
    return 1e6 * (time.process_time() - began) / number


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=1.0, help="CPU time for each row (default: 1)")
    seconds = parser.parse_args().seconds
    print("| stage | get_valid_moves (µs) | simulate_move (µs) | evaluate_board (µs) | infer and check (ms) "
          "| template, games/s | TD games/s | alpha-beta, nodes/s | UCT, playouts/s |")  # fmt: skip
    print("|---|" + "---|" * 8)
    for name in ("stage-0", "stage-1", "occlusion-cw", "fewer-8", "large-10"):
        print(f"| {name} | " + " | ".join(row(name, seconds)) + " |", flush=True)


def row(name: str, seconds: float) -> list[str]:
    """The figures of one stage."""
    stage = STAGES[name]
    rules, board = Rules(stage), stage.board()
    api = ObservableApi(rules)
    move = api.get_valid_moves(board, 1)[0]
    calls = [
        lambda: api.get_valid_moves(board, 1),
        lambda: api.simulate_move(board, 1, *move),
        lambda: api.evaluate_board(board, 1),
    ]
    times = [f"{microseconds(call, seconds):.2f}" for call in calls]
    began = time.process_time()
    inferred = infer(api, board)
    assert agrees(inferred.rules(board), api, board)
    checked = f"{1000 * (time.process_time() - began):.0f}"
    games = len(Template(seed=1)._self_play(shown(stage, 9), board, api, Timer(seconds)))
    values = NTuples(rules, board, over_blocked=stage.ignore_occlusion)
    trained = values.train(board, 1, seconds=seconds, games=1 << 30, rate=0.3, seed=1)
    search = AlphaBeta(rules, values=values)
    search.search(board, 1, seconds=seconds)
    playouts = UCT(rules, seed=1).search(board, 1, seconds=seconds)[1]
    rates = (games / (seconds * 55 / 60), trained / seconds, search.nodes / seconds, playouts / seconds)
    return [*times, checked, *(f"{rate:,.0f}" for rate in rates)]


if __name__ == "__main__":
    main()
