"""Material for the laws: random plays of every bundled game and level, and all observations of a state.

As a command, ``python runs.py GAME SEED TICKS``, it prints the course of a play on every level of a game, one JSON object by level: what a fresh
process sees.
"""

from __future__ import annotations

import hashlib
import json
import random
import sys
from collections.abc import Iterator
from functools import lru_cache

import vgdl
from vgdl import Action, StateObservation, games
from vgdl.trace import record

BOARDS = [(name, level) for name in games.names() for level in range(len(games.levels(name)))]
IDS = [f"{name}-{level}" for name, level in BOARDS]
Moves = tuple[Action, ...]


@lru_cache(maxsize=4)
def _game(name: str) -> vgdl.Game:
    return vgdl.load(name)


def start(name: str, level: int, seed: int = 11) -> StateObservation:
    return _game(name).start(level=level, seed=seed)


def moves(state: StateObservation, draws: random.Random) -> Moves:
    """A random action for every player, occasionally an invalid one."""
    chosen = []
    for player in range(state.n_players):
        actions = state.actions_of(player)
        chosen.append(draws.choice(actions) if actions and draws.random() < 0.95 else Action(draws.randrange(6)))
    return tuple(chosen)


def script(name: str, level: int, ticks: int, seed: int = 3) -> list[Moves]:
    """The actions of a random play until its end."""
    state, draws = start(name, level), random.Random(seed)
    actions: list[Moves] = []
    while len(actions) < ticks and not state.is_over:
        actions.append(moves(state, draws))
        state.advance(actions[-1])
    return actions


def everything(state: StateObservation) -> str:
    """All data of a state: full record, outcome, observations, events, bytes."""
    return repr(
        (
            record(state),
            state.is_over,
            state.winners,
            state.final_scores,
            state.error,
            state.messages,
            state.available_actions,
            state.avatars,
            state.npcs,
            state.immovables,
            state.movables,
            state.resources,
            state.portals,
            state.from_avatar,
            state.events,
            state.arrays.tobytes(),
            state.key(),
            state.to_bytes(),
        )
    )


def digest(state: StateObservation) -> str:
    return hashlib.sha256(everything(state).encode()).hexdigest()


def course(state: StateObservation, actions: list[Moves]) -> Iterator[str]:
    """Digests of a state and its successors."""
    yield digest(state)
    for action in actions:
        state.advance(action)
        yield digest(state)


def main(name: str, seed: int, ticks: int) -> None:
    for level in range(len(games.levels(name))):
        print(json.dumps(list(course(start(name, level), script(name, level, ticks, seed)))))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
