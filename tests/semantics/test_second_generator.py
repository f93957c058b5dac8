"""What the reference draws without a seed comes from a second generator of the state (engine, 16.3; sprites, 16.2).

It is copied, saved and reseeded with the first one, whose numbers it never changes. Where the outcome is certain,
nothing is drawn.
"""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import vgdl
from semantics.harness import JavaRandom, World, game, level, start
from vgdl import Action, StateObservation
from vgdl.core.data.layout import HEADER

JUMPERS = game(
    """
    jumper > WalkerJumper physicstype=CONT orientation=DOWN probability=0.5
    drunk > RandomNPC
    """,
    "jumper wall > stepBack\ndrunk wall > stepBack",
)
GROUND = level("jjjjjjjj", "........", "wwwwwwww", "d......A")
HUNTERS = "cat > AlternateChaser stype1=avatar,{other}\nmouse > Immovable\ndrunk > RandomNPC"
FIELD = level("d...m", "..c..", "A....")


def course(state: StateObservation, ticks: int = 12) -> list[bytes]:
    """The positions of all sprites, tick by tick."""
    seen = []
    for _ in range(ticks):
        state.advance(Action.NIL)
        seen.append(state.arrays["x"].tobytes() + state.arrays["y"].tobytes())
    return seen


def second(state: StateObservation) -> int:
    """The second generator of a state, which nothing else shows."""
    return int(np.frombuffer(state.to_bytes(), HEADER, count=1, offset=8)["side_rng"][0])


def jumping(seed: int = 7) -> StateObservation:
    """A state in which eight jumpers stand on the ground and one sprite moves at random."""
    state = vgdl.loads(JUMPERS).start(level=GROUND, seed=seed)
    state.rollout([Action.NIL] * 3)
    return state


def test_its_draws_do_not_change_those_of_the_first() -> None:
    """Each tick, the walker at random takes one ``nextInt(4)``, whatever the jumpers do."""
    world, draws = start(JUMPERS, GROUND), JavaRandom()
    for _ in range(20):
        world.wait(1)
        draws.next_int(4)
        assert world.rng == draws.state


def test_the_target_of_several_names_is_drawn_from_it() -> None:
    """Two targets in different directions; the chaser itself draws from the first generator what a single name does."""
    ways = set()
    for seed in range(20):
        world = start(game(HUNTERS.format(other="mouse")), FIELD, seed=seed).wait(1)
        ways.add(world.only("cat").position)
        draws = JavaRandom(seed)
        draws.next_int(4)  # the drunk
        draws.next_int(4)  # two directions toward one target, listed twice
        assert world.rng == draws.state
    assert len(ways) == 4


@pytest.mark.parametrize("other", ["avatar", "avatar,avatar"])
def test_equal_names_are_drawn_from_no_generator(other: str) -> None:
    several = start(game(HUNTERS.format(other=other)), FIELD)
    single = start(game(HUNTERS.replace(",{other}", "")), FIELD)
    before = second(several.state)
    assert course(several.state) == course(single.state)
    assert several.rng == single.rng
    assert second(several.state) == before


@pytest.mark.parametrize(
    ("probability", "draws"), [("0", False), ("1", False), ("1.5", False), ("-1", False), ("0.9", True)]
)
def test_a_certain_jump_is_drawn_from_no_generator(probability: str, draws: bool) -> None:
    world = World(JUMPERS.replace("0.5", probability), GROUND)
    before = second(world.state)
    assert (second(world.wait(6).state) != before) == draws


def test_copies_bytes_and_pickles_continue_with_it() -> None:
    state = jumping()
    other = jumping(seed=1)
    restored = StateObservation.from_bytes(state.tables, state.to_bytes())
    state.copy_into(kept := state.copy(seed=3))
    twins = [state.copy(), restored, pickle.loads(pickle.dumps(state)), kept, jumping()]
    expected = course(state)
    assert [course(twin) for twin in twins] == [expected] * len(twins)
    assert course(other) != expected


def test_seeds_determine_it() -> None:
    """Another seed gives other jumps, and the same seed the same ones; the key of a state does not depend on it."""
    states = [jumping().copy(seed=seed) for seed in range(8)]
    assert len({state.key() for state in states}) == 1
    assert len({b"".join(course(state)) for state in states}) == 8
    first, other = jumping(seed=5), jumping(seed=5)
    first.reseed(3)
    assert second(first) != second(other)
    other.reseed(3)
    assert first == other
