"""Misuse of states, batches and games is refused clearly, or works; the interpreter never crashes."""

from __future__ import annotations

import gc
import itertools
import pickle
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import vgdl
from vgdl import Action, StateObservation
from vgdl.core.data.tables import BoardTables, RulesTables
from vgdl.core.history import History
from vgdl.core.planes import Planes
from vgdl.core.thread_pool import shared_pool
from vgdl.core.vector import Vector
from vgdl.game import MOST_BOARDS

GAME = """
BasicGame square_size=10
    SpriteSet
        one > RandomNPC
    LevelMapping
        c > {crowd}
    InteractionSet
        one one > bounceForward
    TerminationSet
        Timeout limit=5000
"""


def some_state() -> StateObservation:
    return vgdl.load("aliens").start(0, seed=4)


def slow_state() -> StateObservation:
    """One whose ticks take milliseconds each."""
    return vgdl.loads(GAME.format(crowd="one " * 300)).start("A    \n  c  \n     \n", seed=1)


def ended(state: StateObservation) -> StateObservation:
    """A state of the same board whose game is over."""
    copy = state.copy()
    copy.abort()
    return copy


# --- objects that were never made ---

UNMADE: dict[str, Callable[[Any], object]] = {
    "a state": lambda none: StateObservation.__new__(StateObservation).tick,
    "a state of no board": lambda none: StateObservation.initial(none, 0),
    "a state of no bytes": lambda none: StateObservation.from_bytes(some_state().tables, none),
    "a state without parts": lambda none: StateObservation(),
    "a history": lambda none: History.__new__(History),  # type: ignore[call-arg]
    "tables": lambda none: BoardTables.__new__(BoardTables),  # type: ignore[call-arg]
    "tables of no rules": lambda none: BoardTables(none, {}, {}),
    "tables of nothing": lambda none: RulesTables(none, none),
    "planes": lambda none: Planes.__new__(Planes),  # type: ignore[call-arg]
    "planes of no board": lambda none: Planes(none),
    "a vector": lambda none: Vector.__new__(Vector),  # type: ignore[call-arg]
    "a vector of no planes": lambda none: Vector(none, 1, [0]),
}


@pytest.mark.parametrize("make", UNMADE.values(), ids=UNMADE)
def test_objects_without_their_parts_cannot_be_made(make: Callable[[Any], object]) -> None:
    with pytest.raises(TypeError):
        make(None)


def test_states_are_not_hashable() -> None:
    with pytest.raises(TypeError, match="unhashable"):
        hash(some_state())


# --- numbers of other kinds ---


@pytest.mark.parametrize("kind", [np.int64, np.int8, np.uint8, np.array])
def test_numpy_integers_are_actions_seeds_and_levels(kind: Callable[[int], Any]) -> None:
    game = vgdl.load("aliens")
    state, other = game.start(kind(1), seed=kind(4)), game.start(1, seed=4)
    assert state == other
    for _ in range(3):
        state.advance(kind(2))
        other.advance(Action.LEFT)
    state.advance([kind(5)])
    other.advance([Action.USE])
    state.rollout([kind(1), kind(2)])
    other.rollout([1, 2])
    vgdl.advance_many([state], [kind(5)])
    vgdl.advance_many([other], [5])
    assert state == other
    assert state.copy(seed=kind(3)).random_rollout(kind(9), kind(2)) == 9


@pytest.mark.parametrize("seed", [-1, 2**63, 2**64 + 5, -(2**200) - 3, np.uint64(2**64 - 1)])
def test_a_seed_of_any_size_is_taken_by_its_low_bits(seed: int) -> None:
    state, low = some_state(), int(seed) % 2**48
    assert state.copy(seed=seed) == state.copy(seed=low)
    other = state.copy()
    state.copy_into(other, seed=seed)
    assert other == state.copy(seed=low)
    other.reseed(int(seed) + 1)
    assert other == state.copy(seed=low + 1)
    plays = [state.copy() for _ in range(4)]
    plays[0].random_rollout(20, seed=seed)
    plays[1].random_rollout(20, seed=low)
    vgdl.random_rollouts(plays[2:], 20, [seed, low])
    assert plays[0] == plays[1] == plays[2] == plays[3]


@pytest.mark.parametrize("number", [1.0, 2.5, float("nan"), "1", None, [1]])
def test_a_seed_or_depth_that_is_not_a_whole_number_is_refused(number: Any) -> None:
    state = some_state()
    before = state.copy()
    another: Any = "1" if number is None else number  # copy(seed=None) is an exact copy
    for call in (
        lambda: state.reseed(number),
        lambda: state.random_rollout(3, seed=number),
        lambda: state.random_rollout(number, seed=1),
        lambda: vgdl.random_rollouts([state], 3, [number]),
        lambda: vgdl.random_rollouts([state], number, [1]),
        lambda: vgdl.random_rollouts([state], 3, [1], threads=number),
        lambda: vgdl.advance_many([state], [Action.NIL], threads=number),
        lambda: state.copy(seed=another),
    ):
        with pytest.raises(TypeError):
            call()
    assert state == before


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda: vgdl.load(5), "expected the name of a game or the path of a game file, got 5"),  # type: ignore[arg-type]
        (lambda: vgdl.load("aliens").start(seed="x"), "expected a seed, a whole number, got 'x'"),  # type: ignore[arg-type]
        (lambda: vgdl.load("aliens").start(level=1.5), "expected the number, the path or the text of a level, got 1.5"),  # type: ignore[arg-type]
        (lambda: some_state().copy(seed="x"), "expected a seed, a whole number, got 'x'"),  # type: ignore[arg-type]
        (lambda: some_state().random_rollout("x", 1), "expected a number of ticks, got 'x'"),  # type: ignore[arg-type]
        (lambda: some_state().random_rollout(3, "x"), "expected a seed, a whole number, got 'x'"),  # type: ignore[arg-type]
        (lambda: some_state().rollout(5), "expected a sequence of actions, got 5"),  # type: ignore[arg-type]
        (lambda: some_state().advance(None), "expected an Action"),  # type: ignore[arg-type]
    ],
)
def test_a_wrong_argument_is_refused_with_what_was_expected(call: Callable[[], object], expected: str) -> None:
    with pytest.raises(TypeError, match=expected):
        call()


def test_a_rollout_of_any_depth_ends_with_the_game() -> None:
    state = some_state()
    (ticks,) = vgdl.random_rollouts([state.copy()], 2**31, [1])
    assert state.random_rollout(2**62, seed=1) == ticks < 2**31
    assert state.is_over


@pytest.mark.parametrize("action", [None, 1.0, "LEFT", object(), 7, -1, 10**30, [1, 2], [1.5], [None, None]])
def test_anything_but_an_action_is_refused(action: Any) -> None:
    state = some_state()
    with pytest.raises((TypeError, ValueError)):
        state.advance(action)
    assert state.tick == 0


def test_the_name_of_an_action_is_not_taken_for_a_sequence() -> None:
    with pytest.raises(ValueError, match=r"expected an Action \(0 to 6\), got 'LEFT'"):
        some_state().advance("LEFT")  # type: ignore[arg-type]


# --- bytes and pickles ---


def test_bytes_of_another_format_are_distinguished_from_damaged_ones() -> None:
    state = some_state()
    data = state.to_bytes()
    assert data[:8] == b"vgdl\x02\0\0\0"
    with pytest.raises(ValueError, match="a state in format 7; this version reads format 2"):
        StateObservation.from_bytes(state.tables, data[:4] + b"\7" + data[5:])
    with pytest.raises(ValueError, match="expected the bytes of a state"):
        StateObservation.from_bytes(state.tables, data[8:])


def test_a_pickle_whose_tables_or_events_were_changed_is_refused() -> None:
    named = some_state()
    state = StateObservation.from_bytes(named.tables.anonymous(), named.to_bytes())  # as controllers get it
    state.random_rollout(100, 3)
    data = pickle.dumps(state)
    for part in (state.tables.table["initial"].tobytes(), state.tables.rules.table["pool"].tobytes()):
        at = data.index(part) + len(part) // 2
        with pytest.raises(ValueError, match="damaged"):
            pickle.loads(data[:at] + bytes([data[at] ^ 64]) + data[at + 1 :])
    assert pickle.loads(data).events == state.events


# --- endless work ---


def test_an_endless_script_ends_with_the_game() -> None:
    state, other = some_state(), some_state()
    played = state.rollout(itertools.repeat(Action.NIL))
    assert state.is_over
    assert played == other.rollout([Action.NIL] * 3000)
    assert state.rollout(itertools.repeat(Action.NIL)) == 0


WORK: dict[str, Callable[[list[StateObservation]], object]] = {
    "a rollout": lambda states: states[0].rollout(itertools.repeat(0)),
    "a random rollout": lambda states: states[0].random_rollout(2000, 3),
    "a batch": lambda states: vgdl.random_rollouts(states, 2000, range(4)),
    "a batch by threads": lambda states: vgdl.random_rollouts(states, 2000, range(4), threads=2),
    "a batch of which another thread has the longer part": lambda states: vgdl.random_rollouts(
        [ended(states[0]), states[1]], 2000, range(2), threads=2
    ),
}


class Interrupted(Exception):
    """Raised by a signal's handler in these tests, as KeyboardInterrupt is by Ctrl-C."""


def interrupt(*_: object) -> None:
    raise Interrupted


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs an alarm")
@pytest.mark.parametrize("work", WORK.values(), ids=WORK)
def test_long_work_can_be_interrupted_and_leaves_the_states_alone(
    work: Callable[[list[StateObservation]], object],
) -> None:
    first = slow_state()
    states = [first, *(first.copy() for _ in range(3))]

    def timed() -> None:
        signal.setitimer(signal.ITIMER_REAL, 0.02)
        work(states)

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        with pytest.raises(Interrupted):
            timed()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert [state.tick for state in states] == [0] * 4
    states[0].advance(Action.NIL)
    assert states[0].tick == 1


# --- threads ---


def test_batches_of_all_sizes_share_their_threads() -> None:
    first = some_state()
    states = [first.copy() for _ in range(12)]
    for threads in (2, 5, 3, 4, 5, 2):
        vgdl.advance_many(states[: threads + 1], [0] * (threads + 1), threads=threads)
    started = shared_pool().started
    for threads in (5, 4, 3, 2):
        vgdl.random_rollouts(states, 20, range(12), threads=threads)
        Vector(Planes(states[0].tables), 8, [0, 1], threads=threads).restart_all(np.arange(8))
    assert shared_pool().started == started >= 5


def test_steps_of_one_vector_from_two_threads_do_not_mix() -> None:
    """The second call waits, with its own arguments."""
    tables = some_state().tables
    vector = Vector(Planes(tables), 64, [0, 2], threads=2)
    seeds = np.arange(64)
    vector.restart_all(seeds)

    def step(action: int) -> None:
        for _ in range(50):
            vector.step(np.full(64, action), seeds)

    others = [threading.Thread(target=step, args=(action,)) for action in (0, 1)]
    for other in others:
        other.start()
    for other in others:
        other.join()
    ticks = vector.arrays["ticks"]
    assert ticks.max() <= 100
    avatars = [vector.state(k).avatar for k in range(64) if ticks[k] == 100]  # those that never restarted
    positions = {avatar.position for avatar in avatars if avatar is not None}
    assert len(positions) == 1


# --- boards ---


def levels(count: int) -> list[str]:
    return ["A" + "." * (k % 50) + "\n" + "." * (k // 50) + "\n" for k in range(count)]


def test_boards_that_are_not_in_use_are_not_kept_for_ever() -> None:
    game = vgdl.load("aliens")
    boards = [weakref.ref(game.board(level)) for level in levels(MOST_BOARDS + 40)]
    expected = [False] * 40 + [True] * MOST_BOARDS
    for _ in range(100):  # `gc.collect` returns at once while another thread is collecting
        gc.collect()
        if (kept := [board() is not None for board in boards]) == expected:
            break
        time.sleep(0.05)
    assert kept == expected
    used = game.board(levels(1)[0])
    for level in levels(MOST_BOARDS + 40):
        game.board(level)
    assert game.board(levels(1)[0]) is used  # dropped from the recent ones, but still in use


def test_a_level_that_is_not_there_is_an_error_that_says_what_is(tmp_path: Path) -> None:
    text = vgdl.load("aliens").text
    path = tmp_path / "yard.txt"
    path.write_text(text, encoding="utf-8")
    for game, expected in (
        (vgdl.load("aliens"), "levels 0 to 4"),
        (vgdl.load(path), "a file yard_lvl0.txt beside the game"),
        (vgdl.loads(text), "the text or the file of a level"),
    ):
        with pytest.raises(vgdl.VGDLError, match=f"has no level 7\nexpected {expected}$"):
            game.start(level=7)
    (tmp_path / "yard_lvl0.txt").write_text("A..\n", encoding="utf-8")
    with pytest.raises(vgdl.VGDLError, match=r"expected level 0$"):
        vgdl.load(path).start(level=7)


@pytest.mark.parametrize("level", [None, 1.0, [0, 1], b"A"])
def test_a_level_of_another_type_is_refused_with_what_is_expected(level: Any) -> None:
    with pytest.raises(TypeError, match=r"expected the number, the path or the text of a level, got ") as refused:
        vgdl.load("aliens").start(level)
    assert repr(level) in str(refused.value)


@pytest.mark.parametrize("text", [None, 1, b"BasicGame", Path("aliens.txt")])
def test_a_text_of_another_type_is_refused_with_what_is_expected(text: Any) -> None:
    with pytest.raises(TypeError, match="expected the text of a game as a str, got"):
        vgdl.loads(text)


def test_a_misspelt_level_file_is_not_read_as_a_level() -> None:
    game = vgdl.load("aliens")
    for name in ("aliens_lvl0", "alien_lvl1"):  # a file's suffix is missing
        with pytest.raises(vgdl.VGDLError, match=rf"has no level '{name}'\n.*\n.*aliens_lvl{name[-1]}\.txt"):
            game.board(name)
    assert game.start("n  A  n", seed=1).world_dimension[1] == game.start("?A?", seed=1).world_dimension[1]


def test_an_edited_level_file_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "yard.txt"
    path.write_text(vgdl.load("aliens").text, encoding="utf-8")
    lines = tmp_path / "yard_lvl0.txt"
    lines.write_text("A..\n", encoding="utf-8")
    game = vgdl.load(path)
    before = game.board(0)
    assert game.board(0) is before
    assert game.board(lines) is before
    lines.write_text("A.....\n", encoding="utf-8")
    assert game.start(0).world_dimension[0] == 2 * before.start(1).world_dimension[0]


def test_a_process_that_ends_amid_its_threads_ends_well() -> None:
    code = "import vgdl; s = vgdl.load('aliens').start(0, 1); vgdl.random_rollouts([s.copy() for _ in range(9)], 9, range(9), threads=3)"
    assert subprocess.run([sys.executable, "-P", "-c", code], timeout=120).returncode == 0
