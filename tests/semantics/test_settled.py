"""Where few sprites have moved since a tick in which none met, collisions are found without an index; that must change nothing.

Only the state that has just been advanced is known to be such a one, so a copy made before every tick is never.
"""

from __future__ import annotations

import random

import numpy as np
import pytest

import vgdl
from vgdl.core.planes import Planes
from vgdl.core.vector import Vector

QUIET = """
BasicGame square_size=10
    SpriteSet
        floor > Immovable hidden=True
        wall > Immovable
        gem > Immovable
        crate > Passive
        hopper > RandomNPC cooldown=5
        comet > Missile orientation=RIGHT speed=0.5 cooldown=3
        source > SpawnPoint stype=hopper cooldown=11 total=4
        avatar > MovingAvatar
    LevelMapping
        . > floor
        w > wall
        g > gem
        c > crate
        h > hopper
        m > comet
        s > source
        A > avatar
    InteractionSet
        TIME > transformToAll stype=gem stypeTo=crate timer=31 repeating=True
        comet EOS > wrapAround
        avatar wall > stepBack
        hopper wall > stepBack
        crate avatar > bounceForward
        crate wall > undoAll
        gem avatar > killSprite scoreChange=1
        gem hopper > killSprite scoreChange=-1
        crate hopper > transformTo stype=gem
        hopper comet > killSprite
        avatar comet > stepBack scoreChange=-1
    TerminationSet
        Timeout limit=200 win=False
"""
LEVEL = "wwwwwwwww\nw..c..g.w\nwA..g...w\nm.......s\nw.g...h.w\nwwwwwwwww"


def start(name: str, seed: int) -> vgdl.StateObservation:
    return vgdl.loads(QUIET).start(level=LEVEL, seed=seed) if name == "quiet" else vgdl.load(name).start(1, seed=seed)


GAMES = ["quiet", "sokoban", "zelda", "butterflies", "boulderdash", "escape", "lemmings", "plants", "infection"]


@pytest.mark.parametrize("name", GAMES)
def test_a_state_that_goes_on_equals_one_that_is_new_in_every_tick(name: str) -> None:
    for seed in range(3):
        state, choices = start(name, seed), random.Random(seed)
        fresh, played = state.copy(), []
        while not state.is_over and state.tick < 200:  # alone: another state's tick would take its scratch memory
            action = choices.choice([vgdl.Action.NIL, *state.available_actions])
            state.advance(action)
            played.append((action, state.to_bytes()))
        for action, after in played:
            fresh = fresh.copy()
            fresh.advance(action)
            assert fresh.to_bytes() == after, (seed, fresh.tick)


@pytest.mark.parametrize("name", GAMES)
def test_plays_of_a_vector_equal_states_that_are_new_in_every_tick(name: str) -> None:
    n = 4
    board = start(name, 0).board
    assert board is not None
    vector = Vector(Planes(board.tables), n, range(6))
    vector.restart_all(np.arange(n))
    choices = np.random.default_rng(0)
    for _ in range(150):
        before = [vector.state(k) for k in range(n)]
        actions = choices.integers(6, size=n)
        vector.step(actions, np.arange(n))
        for k, state in enumerate(before):
            if not vector.arrays["restarted"][k]:
                state.advance(int(actions[k]))
                assert vector.state(k) == state
