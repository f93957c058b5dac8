"""Othello and the search agents, compared with OpenSpiel in the same run.

    python benchmarks/tabletop.py                    # moves and simulations per second: half a minute
    python benchmarks/tabletop.py --games 200        # also matches against OpenSpiel's MCTS bot

All times are CPU time of this process, best of several rounds. OpenSpiel comes with
``pip install "vgdl[tabletop]"``; without it, only our own numbers are shown.

Perft counts the leaves of the game tree; every move is made in full, including the last ply. OpenSpiel has no perft, so
its row uses ``child`` calls from Python; its random rollouts are compiled.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

from vgdl.controllers.tabletop import MCTS, AlphaBeta
from vgdl.tabletop import load
from vgdl.tabletop.position import rollout

ROUNDS = 5
PERFT = {
    "othello": 9,
    "othello(stage=occlusion-cw)": 8,
    "othello(size=6)": 8,
    "othello(size=10)": 7,
    "othello(size=12)": 7,
}
SIMULATIONS = 1000
ROLLOUTS = 2000
MATCHES = {"othello": 50, "connect_four": 200, "mnk(m=6,n=6,k=4)": 200, "tic_tac_toe": 100}  #: simulations per move


def fastest(work: Callable[[], float]) -> float:
    """Units per second of CPU time, best of several rounds; ``work`` returns the number of units done."""
    best = 0.0
    for _ in range(ROUNDS):
        started = time.process_time()
        done = work()
        best = max(best, done / (time.process_time() - started))
    return best


def perft(state: Any, depth: int) -> int:
    """Moves made to count the leaves, from Python; for OpenSpiel's states."""
    if depth == 0 or state.is_terminal():
        return 0
    return sum(1 + perft(state.child(action), depth - 1) for action in state.legal_actions())


def moves_per_second(spiel: Any) -> None:
    print("moves made per second in perft")
    for name, depth in PERFT.items():
        state: Any = load(name).new_initial_state()
        print(f"  {name:32} {fastest(lambda s=state, d=depth: float(s.perft(d)[1])) / 1e6:10.1f} million")
    if spiel:
        theirs = spiel.load_game("othello").new_initial_state()
        print(
            f"  {'OpenSpiel, othello, from Python':32} {fastest(lambda: float(perft(theirs, 5))) / 1e6:10.3f} million"
        )


def rollouts_per_second(spiel: Any) -> None:
    print("random games of Othello per second")
    state = load("othello").new_initial_state()

    def ours() -> float:
        for seed in range(ROLLOUTS):
            rollout(state, 1000, seed)
        return ROLLOUTS

    speed = fastest(ours)
    print(f"  {'vgdl':32} {speed:10,.0f}")
    if spiel:
        theirs = spiel.load_game("othello").new_initial_state()
        evaluator = spiel.RandomRolloutEvaluator(ROLLOUTS, 1)
        searcher = spiel.MCTSBot(spiel.load_game("othello"), evaluator, 1.0, 1, 1000, False, 1, False)

        def their_rollouts() -> float:
            searcher.step(theirs)  # one simulation: all rollouts start at this state
            return ROLLOUTS

        other = fastest(their_rollouts)
        print(f"  {'OpenSpiel, in C++':32} {other:10,.0f}   ratio {speed / other:.1f}")


def simulations_per_second(spiel: Any) -> None:
    print(f"MCTS at the start of Othello, {SIMULATIONS} simulations, each of one rollout, per second")
    state = load("othello").new_initial_state()

    def simulated(at: Any) -> float:
        MCTS(simulations=SIMULATIONS, rollouts=1, seed=1).search(at)
        return SIMULATIONS

    speed = fastest(lambda: simulated(state))
    print(f"  {'vgdl':32} {speed:10,.0f}")
    if spiel:
        theirs = spiel.load_game("othello").new_initial_state()
        other = fastest(lambda: float(bool(bot(spiel, "othello", SIMULATIONS, 1).step(theirs) + 1) * SIMULATIONS))
        print(f"  {'OpenSpiel':32} {other:10,.0f}   ratio {speed / other:.1f}")
        on_theirs = fastest(lambda: simulated(theirs))
        print(f"  {'vgdl, on OpenSpiel states':32} {on_theirs:10,.0f}   ratio {on_theirs / other:.1f}")
    search = AlphaBeta(nodes=200_000)

    def searched() -> float:
        search.search(state)
        return float(search.nodes)

    nodes = fastest(searched)
    print(f"alpha-beta at the start of Othello: {nodes / 1e6:.1f} million nodes per second, depth {search.depth}")


def bot(spiel: Any, name: str, simulations: int, seed: int) -> Any:
    """OpenSpiel's own bot, with the same exploration constant and its solver."""
    evaluator = spiel.RandomRolloutEvaluator(1, seed + 1000)
    return spiel.MCTSBot(spiel.load_game(name), evaluator, 2**0.5, simulations, 1000, True, seed, False)


def matches(spiel: Any, games: int) -> None:
    print(f"{games} games each against OpenSpiel's MCTS bot at equal simulations, one rollout each; colours alternate")
    for name, simulations in MATCHES.items():
        results = [match(spiel, name, simulations, seed) for seed in range(games)]
        wins, losses = sum(value > 0 for value in results), sum(value < 0 for value in results)
        share = (wins + (games - wins - losses) / 2) / games
        error = (sum((((value > 0) + (value == 0) / 2) - share) ** 2 for value in results) / games / games) ** 0.5
        print(
            f"  {name:24} {wins:4} won {games - wins - losses:4} drawn {losses:4} lost   {share:.3f} ± {1.96 * error:.3f}"
        )


def match(spiel: Any, name: str, simulations: int, seed: int) -> float:
    """Play one game; returns our return."""
    theirs = bot(spiel, name, simulations, seed)
    ours = MCTS(simulations=simulations, rollouts=1, seed=seed)
    state = spiel.load_game(name).new_initial_state()
    own: Any = load(name).new_initial_state()  # our implementation, if we have the game
    draws = random.Random(seed)
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes, weights = zip(*state.chance_outcomes(), strict=True)
            action = draws.choices(outcomes, weights)[0]
        elif state.current_player() == seed % 2:
            action = ours.step(own)
        else:
            action = theirs.step(state)
        state.apply_action(action)
        own.apply_action(action)
    return float(state.returns()[seed % 2])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=0, help="games of each match (default: no matches)")
    options = parser.parse_args()
    spiel: Any = None
    if find_spec("pyspiel"):
        import pyspiel as spiel
    moves_per_second(spiel)
    rollouts_per_second(spiel)
    simulations_per_second(spiel)
    if options.games and spiel:
        matches(spiel, options.games)


if __name__ == "__main__":
    main()
