"""No level is won blindly: by holding a key, by alternating two, or by holding one and tapping another."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Sequence

import pytest

import vgdl
from vgdl import Action, games

DUELS = {"pong", "surround2"}
"""A random opponent loses these at once, so waiting wins; their own tests have better opponents."""
LEVELS = [(name, number) for name in games.names() if name not in DUELS for number in range(5)]
TICKS = 2001
"""Longer than any play."""
FEW = 3
"""Plays of a pattern that decide whether to play it with all seeds."""
MOST = 0.2
"""The share of plays that a pattern of keys may win: some levels are won by luck now and then."""


Pattern = tuple[Action, ...]  #: of keys, repeated until the play is over


def single(keys: Sequence[Action]) -> Iterator[Pattern]:
    """Every key held down; NIL is doing nothing."""
    yield from ((key,) for key in keys)


def pairs(keys: Sequence[Action]) -> Iterator[Pattern]:
    """Every two keys in turn."""
    yield from itertools.combinations(keys, 2)


def tapped(keys: Sequence[Action]) -> Iterator[Pattern]:
    """Every key held, with another one instead in every third, fourth or eighth tick."""
    for every in (3, 4, 8):
        yield from ((held,) * (every - 1) + (other,) for held, other in itertools.permutations(keys, 2))


def won(name: str, number: int, pattern: Pattern, seeds: range) -> float:
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


def easy(
    name: str, number: int, patterns: Callable[[Sequence[Action]], Iterator[Pattern]], seeds: int
) -> dict[str, float]:
    """The patterns of keys that win a level too often, with the share of their victories.

    Most patterns win none of a few plays; the others are played with all seeds.
    """
    start = vgdl.load(name).start(level=number, seed=0)
    keys = [Action.NIL, *(action for action in start.actions_of(0) if action != Action.NIL)]
    found: dict[str, float] = {}
    for pattern in patterns(keys):
        if won(name, number, pattern, range(FEW)) > MOST:
            share = won(name, number, pattern, range(seeds))
            if share > MOST:
                found[" ".join(action.name for action in pattern)] = share
    return found


@pytest.mark.one_case
@pytest.mark.sampled(8)
@pytest.mark.parametrize(("name", "number"), LEVELS)
def test_no_level_is_won_by_holding_a_key(name: str, number: int) -> None:
    assert easy(name, number, single, seeds=40) == {}


@pytest.mark.one_case
@pytest.mark.sampled(10)
@pytest.mark.parametrize(("name", "number"), LEVELS)
def test_no_level_is_won_by_two_keys_in_turn(name: str, number: int) -> None:
    assert easy(name, number, pairs, seeds=40) == {}


@pytest.mark.everything
@pytest.mark.parametrize(("name", "number"), LEVELS)
def test_no_level_is_won_by_holding_a_key_and_tapping_another(name: str, number: int) -> None:
    assert easy(name, number, tapped, seeds=100) == {}
