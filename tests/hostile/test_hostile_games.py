"""Hostile games and levels give a `VGDLError` or load and can be played: never another exception, a hang or a crash.

The cases are played by `playing`, in processes of their own; a failure names the case, whose texts `playing.texts_of` makes again.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import vgdl
from hostile import levels, playing, words
from hostile.mutations import Mutation
from vgdl import games
from vgdl.language import VGDLError

pytestmark = pytest.mark.one_case

#: cases, and how many go to a process
BATCHES = {
    "damaged": (800, 200),
    "changed": (1000, 250),
    "invented": (80, 20),
    "assembled": (120, 30),
    "dense": (32, 8),
}
AGENTS = {"planned": (80, 20), "learnt": (16, 8)}
DATA = {"pickled": (3000, 1500), "bytes": (6000, 3000)}
LEVELS = 4  #: that a game is played on
SECONDS = 60.0  #: of CPU time for one play; the slowest take three
MOST_SLOW = 0.02  #: share of cases that may time out because sprites multiply; of random games, five times that
SIZE = 2_000_000
GAME = games.path("aliens").read_text(encoding="utf-8")
LEVEL = games.levels("aliens")[0].read_text(encoding="utf-8")


def batch(kind: str, first: int, count: int) -> Counter[str]:
    """How the plays of one process ended."""
    limits = (SECONDS, playing.TICKS, LEVELS)
    command = [sys.executable, playing.__file__, kind, str(first), str(count), *map(str, limits)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS * 20)
    except subprocess.TimeoutExpired as expired:
        raise AssertionError(f"no end: {str(expired.stdout)[-60:]}") from None
    lines = done.stdout.split("\n")
    last = next((line for line in reversed(lines) if line.startswith("case")), "no case")
    assert done.returncode == 0, f"{last} ended with status {done.returncode}:\n{done.stderr[-3000:]}"
    return Counter(line for line in lines if line and not line.startswith("case"))


def outcomes_of(kind: str, count: int, size: int) -> Counter[str]:
    """How so many plays ended, in processes of some each."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return sum(pool.map(lambda first: batch(kind, first, size), range(0, count, size)), Counter())


@pytest.mark.sampled(4)
@pytest.mark.parametrize("kind", BATCHES)
def test_hostile_games_are_refused_or_played(kind: str) -> None:
    count, size = BATCHES[kind]
    outcomes = outcomes_of(kind, count, size)
    assert count < outcomes.total() <= count * LEVELS  # a game that is refused is not played on any level
    assert outcomes["fatal"] < outcomes.total() / 2, outcomes  # at least half are loaded and played
    assert outcomes["slow"] <= outcomes.total() * MOST_SLOW * (5 if kind in ("invented", "dense") else 1), outcomes


@pytest.mark.costly
@pytest.mark.parametrize("kind", AGENTS)
def test_agents_survive_hostile_games(kind: str) -> None:
    count, size = AGENTS[kind]
    outcomes = outcomes_of(kind, count, size)
    assert outcomes.total() == count
    assert outcomes["played"] > count / 4, outcomes


@pytest.mark.parametrize("kind", DATA)
def test_damaged_states_are_refused_or_work(kind: str) -> None:
    count, size = DATA[kind]
    outcomes = outcomes_of(kind, count, size)
    assert outcomes.total() == count
    assert outcomes["refused"] > count / 2, outcomes


def test_cases_can_be_made_again() -> None:
    for kind in playing.KINDS:
        assert playing.texts_of(f"{kind}/7") == playing.texts_of(f"{kind}/7")
        assert list(playing.levels_of(f"{kind}/7", LEVELS)) == list(playing.levels_of(f"{kind}/7", LEVELS))


@pytest.mark.parametrize(
    ("kind", "text"),
    [pytest.param(kind, GAME, id=kind.__name__) for kind in words.KINDS]
    + [pytest.param(kind, LEVEL, id=kind.__name__) for kind in levels.KINDS],
)
def test_each_kind_of_change_changes_texts_and_survives_an_empty_one(kind: Mutation, text: str) -> None:
    draws = random.Random(3)
    assert any(kind(text, draws) != text for _ in range(10))
    for _ in range(10):
        kind("", draws)


def attempt(game: str, level: str) -> str | None:
    """Load and play a few ticks; the error's text if there is no game."""
    try:
        state = vgdl.loads(game).start(level, seed=1)
    except VGDLError as error:
        return str(error)
    state.random_rollout(20, 1)
    return None


def test_truncated_games_and_levels() -> None:
    """Some are refused with a message, others are played."""
    games_cut = {attempt(GAME[:end], LEVEL) for end in range(0, len(GAME), 23)}
    levels_cut = {attempt(GAME, LEVEL[:end]) for end in range(0, len(LEVEL), 7)}
    for answers in (games_cut, levels_cut):
        assert None in answers
        assert len(answers) > 1
        assert "" not in answers


@pytest.mark.parametrize("text", ["", " ", "\n", "\0", "\n\n\n", "\ufeff", "BasicGame", "\ud800\n"], ids=ascii)
def test_almost_empty_texts_are_not_games(text: str) -> None:
    assert attempt(text, LEVEL)


@given(st.binary(max_size=400))
@example(b"\n\0\xff")
def test_binary(data: bytes) -> None:
    assert attempt(data.decode("latin-1") + "\n", LEVEL)
    assert attempt(GAME, data.decode("latin-1") + "\n") != ""


#: For each level its text and the expected error; None if it can be played.
HUGE_LEVELS = {
    "one line": ("." * SIZE, "more than 1000000 cells"),
    "one column": (".\n" * (SIZE // 2), "more than 1000000 cells"),
    "a field": (("." * 1000 + "\n") * (SIZE // 1000), "more than 1000000 cells"),
    "walls": (("w" * 500 + "\n") * 500, "more than 200000 sprites"),
    "aliens": (("d" * 200 + "\n") * 200, None),
    "unknown": ("?" * SIZE, "more than 1000000 cells"),
    "noise": (random.Random(5).randbytes(SIZE // 10).decode("latin-1"), None),
}


@pytest.mark.one_case
@pytest.mark.parametrize("label", HUGE_LEVELS)
def test_huge_levels(label: str) -> None:
    level, message = HUGE_LEVELS[label]
    assert_answer(attempt(GAME, level), message)


def changed(old: str, new: str) -> str:
    """The game with one of its words replaced."""
    assert old in GAME
    return GAME.replace(old, new, 1)


#: Likewise of each game.
HUGE_GAMES = {
    "many types": (
        changed("SpriteSet", "SpriteSet\n" + "".join(f"        t{k} > Missile\n" for k in range(20_000))),
        "too many sprite types",
    ),
    "many interactions": (
        changed("InteractionSet", "InteractionSet\n" + "        alien shot > killBoth\n" * 50_000),
        "too many effects",
    ),
    "many effects": (changed("alien shot > killBoth", "alien shot > killBoth repeat=2147483647"), "too many effects"),
    "many warnings": (changed("alien shot > killBoth", "alien shot > killBoth" + " zz=1" * 20_000), None),
    "a long list": (changed("n > space bunker", "n > " + "space " * 50_000), "more than 200000 sprites"),
    "many counters": (
        changed("BasicGame", "BasicGame no_counters=2147483647"),
        "no_counters=2147483647 is out of range",
    ),
    "a huge cell": (
        changed("square_size=20", "square_size=2147483647"),
        "square_size=2147483647 is out of range\n    BasicGame square_size=2147483647\n                          ^^^^^^^^^^\nexpected pixels per cell, from 1 to",
    ),
    "no end of digits": (changed("square_size=20", "square_size=" + "9" * 100_000), None),
}


@pytest.mark.parametrize("label", HUGE_GAMES)
def test_huge_games(label: str) -> None:
    game, message = HUGE_GAMES[label]
    assert_answer(attempt(game, LEVEL), message)


def assert_answer(answer: str | None, message: str | None) -> None:
    """That a game was played, or refused with a message."""
    if message is None or answer is None:
        assert answer == message
    else:
        assert message in answer
