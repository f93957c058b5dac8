"""The distance of a program's sampler from the true distribution of hidden states, which no unit test checks (14)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from vgdl.competition.tracks.worldmodels import json_values
from vgdl.competition.tracks.worldmodels.errors import WorldModelError
from vgdl.competition.tracks.worldmodels.program import IsolatedProgram
from vgdl.competition.tracks.worldmodels.selecting import hosted_game
from vgdl.competition.tracks.worldmodels.trajectories import Play
from vgdl.competition.tracks.worldmodels.worlds import World
from vgdl.tabletop.protocols import CHANCE

POSITIONS = 4
SAMPLES = 60


@dataclass(frozen=True, slots=True)
class Distance:
    """Mean total variation distances over some positions, from 0 (equal) to 1 (nothing in common)."""

    program: float  #: between the program's samples and those of the true game
    noise: float  #: between two sets of samples of the true game, as for a perfect sampler
    failed: float  #: share of the program's samples that failed or contradict the observations


def distance(program: IsolatedProgram, world: World, plays: Sequence[Play], seed: int) -> Distance | None:
    """Compare samples of hidden states at positions of recorded plays; None if there are none or no true samples.

    Whole states are compared, so the program's have to have the structure of the true ones, as an open deck demands.
    """
    draws = Random(seed)
    steps = [
        (play, number) for play in plays for number, step in enumerate(play["steps"]) if step["current_player"] >= 0
    ]
    if not steps:
        return None
    game = hosted_game(program, plays[0]["initial_state"])
    own, noise, failed = [], [], 0
    chosen = draws.sample(steps, min(POSITIONS, len(steps)))
    for play, number in chosen:
        player = play["steps"][number]["current_player"]
        state = _at(world, play, number)
        try:
            true = [_true_samples(world, state, player, draws) for _ in range(2)]
        except Exception as error:  # OpenSpiel raises its own type if a game cannot resample
            if type(error).__name__ != "SpielError":
                raise
            return None
        found: Counter[str] = Counter()
        for _ in range(SAMPLES):
            try:
                found[game.sample(_history(play, number), player, draws.random, tries=1).text] += 1
            except WorldModelError:
                failed += 1
        own.append(_variation(found, true[0]) if found else 1.0)
        noise.append(_variation(true[1], true[0]))
    return Distance(sum(own) / len(own), sum(noise) / len(noise), failed / (SAMPLES * len(chosen)))


def _at(world: World, play: Play, number: int) -> Any:
    """The true state before a step of a recorded play."""
    state = world.game.new_initial_state()
    for step in play["steps"][:number]:
        state.apply_action(world.actions(state)[step["action"]])
    return state


def _history(play: Play, number: int) -> list[list[Any]]:
    player = play["steps"][number]["current_player"]
    own = [step for step in play["steps"][: number + 1] if step["current_player"] == player != CHANCE]
    pairs = [[step["observations"][player], step["action"]] for step in own]
    pairs[-1][1] = None
    return pairs


def _true_samples(world: World, state: Any, player: int, draws: Random) -> Counter[str]:
    samples = (state.resample_from_infostate(player, draws.random) for _ in range(SAMPLES))
    return Counter(json_values.canonical(world.structure(sample)) for sample in samples)


def _variation(one: Counter[str], other: Counter[str]) -> float:
    """The total variation distance of two samples."""
    sizes = one.total(), other.total()
    return 0.5 * sum(abs(one[key] / sizes[0] - other[key] / sizes[1]) for key in one.keys() | other.keys())
