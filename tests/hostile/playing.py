"""Plays hostile games, many in one process: a command, so that a crash or a hang costs a process and names its seed.

Usage: ``python playing.py KIND FIRST COUNT [SECONDS [TICKS [LEVELS]]]``. For every case from FIRST on it prints ``case KIND/NUMBER``. A case is
a game text, played on LEVELS levels, and a word says how each play ended: ``fatal`` (a VGDLError), ``error`` (loaded, but the play ended with
state.error), ``played`` or ``slow`` (not all ticks could be played in the time for a play, because sprites multiplied). A game text that is
refused is one word, and so is a play of a bundled agent. For damaged pickles and bytes the word is ``refused`` or ``read``. Anything that uses more than SECONDS of CPU time at a
time (a game or level to load, a tick) ends the process, as does a case that takes `ASLEEP` times as long per level on the clock.
"""

from __future__ import annotations

import faulthandler
import functools
import pickle
import random
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

if sys.platform == "linux":
    import resource

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

import vgdl
from hostile import levels, made_up, mutations, words
from hostile.agents import AGENTS
from vgdl import games
from vgdl.core.observation import record_tuples
from vgdl.core.state import StateObservation
from vgdl.language import VGDLError, VGDLWarning

TICKS = 200  #: of a play
LEVELS = 1  #: that a game is played on
LOOKS = 4  #: how often a play is fully observed
MOST_MEMORY = 4 << 30  #: bytes of address space for damaged data
PATIENCE = 0.3  #: seconds of CPU time after which a play is stopped; its last tick may take longer
ASLEEP = 20  #: times the limit of CPU time, for a case that hangs without using any
Texts = tuple[str, str]


def bundled(rng: random.Random) -> Texts:
    """Texts of a bundled game and of one of its levels."""
    name = rng.choice(games.names())
    level = rng.choice(games.levels(name))
    return games.path(name).read_text(encoding="utf-8"), level.read_text(encoding="utf-8")


def damaged(rng: random.Random) -> Texts:
    """A bundled game and level, one of them or both damaged as texts."""
    game, level = bundled(rng)
    which = rng.randrange(3)
    if which != 1:
        game = mutations.mutations(game, rng)
    if which != 0:
        level = mutations.mutations(level, rng)
    return game, level


def changed(rng: random.Random) -> Texts:
    """A bundled game with other words and numbers."""
    game, level = bundled(rng)
    for _ in range(rng.choice([1, 1, 2, 3, 5])):
        game = rng.choice(words.KINDS)(game, rng)
    return game, level


def invented(rng: random.Random) -> Texts:
    """A random game."""
    return made_up.game(rng), made_up.level(rng)


def assembled(rng: random.Random) -> Texts:
    """A random game with situations that random games seldom contain."""
    return made_up.assembled(rng), made_up.level(rng)


def dense(rng: random.Random) -> Texts:
    """An invented game on a tiny level whose cells hold many sprites: crowds."""
    game, level = made_up.game(rng), made_up.level(rng)
    lines = game.split("\n")
    for number, line in enumerate(lines):
        left, mark, names = line.partition(" > ")
        if mark and len(left.strip()) == 1 and left.strip() != "A":
            lines[number] = f"{left} > {' '.join(names.split() * rng.choice([1, 3, 10, 30]))}"
    return "\n".join(lines), "\n".join(line[:4] for line in level.split("\n")[:4] if "A" not in line[4:]) + "\nA\n"


KINDS: dict[str, Callable[[random.Random], Texts]] = {
    "damaged": damaged,
    "changed": changed,
    "invented": invented,
    "assembled": assembled,
    "dense": dense,
}


def texts_of(label: str) -> Texts:
    """The texts of a case, made again from its label: the game, and its first level."""
    return KINDS[label.split("/")[0]](random.Random(label))


def levels_of(label: str, count: int) -> Iterator[str]:
    """The level texts of a case, made again from its label."""
    _, level = texts_of(label)
    yield level
    rng = random.Random(f"{label}/levels")
    for _ in range(count - 1):
        yield rng.choices(levels.KINDS, levels.WEIGHTS)[0](level, rng)


def look(state: StateObservation) -> None:
    """Make every observation that a controller can make, and every kind of copy."""
    if state.board is not None:  # elsewhere hidden sprites are withheld
        assert len(state.arrays) <= len(record_tuples(state))
    assert state.winners == state.copy().winners
    assert state.npcs is not None
    assert state.immovables is not None
    assert state.movables is not None
    assert state.resources is not None
    assert state.portals is not None
    assert state.from_avatar is not None
    assert len(state.grid) == state.world_dimension[0] // state.block_size
    assert len(state.avatars) == state.n_players
    assert isinstance(state.events, tuple)
    twin = StateObservation.from_bytes(state.tables, state.to_bytes())
    assert twin == state
    assert twin.key() == state.key()


def play(state: StateObservation, rng: random.Random, ticks: int, alive: Callable[[], None]) -> bool:
    """Random ticks, until after the end of the game, and as many in a copy; whether there was time for all.

    ``alive`` is called after every tick: the time of a tick has a limit, that of a play is cut off.
    """
    copy = state.copy(seed=rng.getrandbits(32))
    end = time.process_time() + PATIENCE
    for tick in range(ticks):
        if time.process_time() > end:
            return False
        if tick % max(1, ticks // LOOKS) == 0:
            look(state)
        over = state.is_over and copy.is_over
        state.advance(tuple(vgdl.Action(rng.randrange(6)) for _ in range(state.n_players)))
        alive()
        copy.random_rollout(1, rng.getrandbits(32))
        alive()
        if over:
            break
    look(state)
    look(copy)
    return True


def outcomes(label: str, ticks: int, count: int, alive: Callable[[], None]) -> Iterator[str]:
    """How the plays of a case end; any exception but VGDLError gets out. ``alive`` is called as it proceeds."""
    kind = label.split("/")[0]
    if kind in DATA:
        yield DATA[kind](random.Random(label))
        return
    if kind in AGENTS:
        rng = random.Random(label)
        yield AGENTS[kind](*rng.choice([changed, invented, assembled])(rng), rng)
        return
    game_text, _ = texts_of(label)
    try:
        game = vgdl.loads(game_text)
    except VGDLError as error:
        assert str(error)
        yield "fatal"
        return
    check_warnings(game.warnings)
    for number, level_text in enumerate(levels_of(label, count)):
        alive()
        yield attempt(game, level_text, random.Random(f"{label}/{number}"), ticks, alive)


def attempt(game: vgdl.Game, level_text: str, rng: random.Random, ticks: int, alive: Callable[[], None]) -> str:
    """How a play ends."""
    try:
        state = game.start(level_text, seed=5)
    except VGDLError as error:
        assert str(error)
        return "fatal"
    check_warnings(state.board.warnings if state.board else ())
    alive()
    if not play(state, rng, ticks, alive):
        return "slow"
    return "error" if state.error else "played"


def check_warnings(warnings: tuple[VGDLWarning, ...]) -> None:
    """That all can be printed."""
    for warning in warnings:
        assert isinstance(warning, VGDLWarning)
        assert str(warning)


# ---------------------------------------------------------------------------------------------- damaged states


@functools.cache
def some_state(name: str, withheld: bool) -> StateObservation:
    """A state in the middle of a play, with avatar events; ``withheld``: without names and texts, as controllers get it."""
    state = vgdl.load(name).start(0, seed=3)
    if withheld:
        state = StateObservation.from_bytes(state.tables.anonymous(), state.to_bytes())
    state.random_rollout(60, 5)
    return state


def damage(data: bytes, rng: random.Random) -> bytes:
    """Some bytes changed, removed, inserted or moved."""
    changed = bytearray(data)
    for _ in range(rng.choice([1, 1, 1, 2, 5])):
        start, end = sorted(rng.randrange(len(changed) + 1) for _ in range(2))
        end = min(end, start + rng.choice([1, 1, 4, 40]))
        changed[start:end] = rng.choice(
            [
                bytes(rng.randrange(256) for _ in changed[start:end]),
                b"",
                changed[start:end] * 2,
                bytes(b ^ (1 << rng.randrange(8)) for b in changed[start:end]),
                rng.choice([b"\0" * 4, b"\xff" * 4, b"\x7f\xff\xff\xff"]),
            ]
        )
        if not changed:
            return b""
    return bytes(changed)


def look_and_play(state: object) -> None:
    """The object read must work like a state."""
    if isinstance(state, StateObservation):
        look(state)
        state.random_rollout(20, 1)
        look(state)


def pickled(rng: random.Random) -> str:
    """A damaged pickle of a state: refused with any exception, or read as an object that works.

    One in two thousand becomes a bytearray larger than memory. CPython 3.11 raises MemoryError then, but also prints "SystemError:
    deallocated bytearray object has exported buffers", as ``pickle.loads`` does without any object of ours.
    """
    state = some_state(rng.choice(["aliens", "sokoban", "zelda", "tandem"]), rng.random() < 0.5)
    try:
        read = pickle.loads(damage(pickle.dumps(state), rng))
    except Exception:  # of the pickle module, or of anything else that the damaged bytes name
        return "refused"
    look_and_play(read)
    return "read"


def from_bytes(rng: random.Random) -> str:
    """Damaged bytes of a state: refused with a ValueError, unless unchanged."""
    state = some_state(rng.choice(games.names()), False)
    data = damage(state.to_bytes(), rng)
    try:
        read = StateObservation.from_bytes(state.tables, data)
    except ValueError:
        return "refused"
    assert data == state.to_bytes()
    look_and_play(read)
    return "read"


DATA: dict[str, Callable[[random.Random], str]] = {"pickled": pickled, "bytes": from_bytes}


def set_alarm(seconds: float) -> None:
    """End the process with a traceback if it uses so many seconds of CPU time from now on."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, seconds)


def main(
    kind: str, first: int, count: int, seconds: float = 60.0, ticks: float = TICKS, count_levels: float = LEVELS
) -> None:
    faulthandler.enable()
    if hasattr(signal, "setitimer"):
        faulthandler.register(signal.SIGPROF, chain=True)
    if kind in DATA and sys.platform == "linux":  # a damaged pickle can ask Python for a memo of billions of entries
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    for number in range(first, first + count):
        label = f"{kind}/{number}"
        print("case", label, flush=True)
        faulthandler.dump_traceback_later(seconds * ASLEEP * count_levels, exit=True)
        rearm = functools.partial(set_alarm, seconds)
        rearm()
        for outcome in outcomes(label, int(ticks), int(count_levels), rearm):
            print(outcome, flush=True)
            rearm()
        set_alarm(0)
        faulthandler.cancel_dump_traceback_later()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), *(float(text) for text in sys.argv[4:7]))
