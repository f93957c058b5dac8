"""No level is won without looking: by holding a key, by two keys in turn, or by holding one key and tapping another."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence

import pytest

import vgdl
from vgdl import Action, games

LEVELS = [(name, number) for name in games.names() for number in range(5)]
TICKS = 2001
"""More than any play lasts."""
FEW = 4
MOST = 0.2
"""The share of plays that a pattern of keys may win: some levels are won by luck now and then."""


def patterns(keys: Sequence[Action], taps: Sequence[int]) -> Iterator[tuple[Action, ...]]:
    """Every key alone, every pair in turn, and every key with another one tapped every few ticks."""
    yield from ((key,) for key in keys)
    yield from itertools.combinations(keys, 2)
    for every in taps:
        yield from ((held,) * (every - 1) + (tapped,) for held, tapped in itertools.permutations(keys, 2))


def won(name: str, number: int, pattern: Sequence[Action], seeds: range) -> float:
    """The share of the plays, one per seed, that player 0 wins with a pattern of keys; a partner acts at random."""
    victories = 0
    script = list(itertools.islice(itertools.cycle(pattern), TICKS))
    game = vgdl.load(name)
    for seed in seeds:
        state = game.start(level=number, seed=seed)
        generator = state.generator
        if state.n_players == 1:
            state.rollout(script)
        else:
            others = random.Random(seed).choices(state.actions_of(1), k=TICKS)
            state.rollout(list(zip(script, others, strict=True)))
        victories += state.winners[0] == 1
        if state.n_players == 1 and state.generator == generator:  # nothing random in it: all seeds play alike
            return float(victories)
    return victories / len(seeds)


def easy(name: str, number: int, taps: Sequence[int], seeds: int) -> dict[str, float]:
    """The patterns of keys that win a level too often, with the share of their victories.

    Most patterns win none of a few plays; the others are played with all seeds.
    """
    start = vgdl.load(name).start(level=number, seed=0)
    keys = [Action.NIL, *(action for action in start.actions_of(0) if action != Action.NIL)]
    found: dict[str, float] = {}
    for pattern in patterns(keys, taps):
        if won(name, number, pattern, range(FEW)) > MOST:
            share = won(name, number, pattern, range(seeds))
            if share > MOST:
                found[" ".join(action.name for action in pattern)] = share
    return found


@pytest.mark.parametrize(("name", "number"), LEVELS)
def test_no_level_is_won_by_holding_keys(name: str, number: int) -> None:
    assert easy(name, number, taps=(), seeds=40) == {}


@pytest.mark.everything
@pytest.mark.parametrize(("name", "number"), LEVELS)
def test_no_level_is_won_by_holding_keys_and_tapping_others(name: str, number: int) -> None:
    assert easy(name, number, taps=(3, 4, 8), seeds=100) == {}
