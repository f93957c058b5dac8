"""`key()`: one number for states with the same future, chance aside."""

from __future__ import annotations

import pytest

import vgdl
from vgdl import Action

GAME = """
BasicGame square_size=10
    SpriteSet
        avatar > MovingAvatar
        box > Passive
    LevelMapping
        b > box
    InteractionSet
        box avatar > bounceForward
        avatar EOS > stepBack
    TerminationSet
        Timeout limit=500
"""
LEVEL = "....\n.A..\n...b\n...."


def after(*actions: Action) -> vgdl.StateObservation:
    state = vgdl.loads(GAME).start(level=LEVEL, seed=5)
    state.rollout(actions)
    return state


def test_two_paths_to_one_place_have_one_key() -> None:
    there = after(Action.RIGHT, Action.DOWN, Action.LEFT, Action.UP, Action.NIL)
    stayed = after(Action.NIL)
    assert there != stayed
    assert there.key() == stayed.key()


def test_seed_tick_and_ids_do_not_matter() -> None:
    state = after(Action.NIL)
    key = state.key()
    assert state.copy(seed=77).key() == key
    state.advance(Action.NIL)
    assert state.key() == key


def test_places_matter() -> None:
    keys = {
        after(*actions).key() for actions in ([Action.NIL], [Action.LEFT], [Action.UP], [Action.DOWN, Action.RIGHT])
    }
    assert len(keys) == 4


def test_bytes_of_another_board_or_damaged_ones_are_refused() -> None:
    state = after(Action.LEFT)
    data = state.to_bytes()
    assert vgdl.StateObservation.from_bytes(state.tables, data) == state
    other = vgdl.loads(GAME).start(level=LEVEL + "\n....", seed=5)
    for tables, broken in [
        (other.tables, data),
        (state.tables, data[:-1]),
        (state.tables, data[:40] + bytes([data[40] ^ 1]) + data[41:]),
        (state.tables, b""),
    ]:
        try:
            vgdl.StateObservation.from_bytes(tables, broken)
        except ValueError as error:
            assert "state" in str(error)
        else:
            raise AssertionError("accepted")


def test_states_of_levels_that_differ_in_a_wall_only_are_different() -> None:
    game = vgdl.load("sokoban")
    one, other = (game.start(level=f"xxxxxxx\nxA$.o{last}\nxxxxxxx", seed=1) for last in (".x", "x."))
    assert one != other
    assert one.key() != other.key()
    with pytest.raises(ValueError, match="not a state of this board"):
        vgdl.StateObservation.from_bytes(other.tables, one.to_bytes())
    assert one == game.start(level="xxxxxxx\nxA$.o.x\nxxxxxxx", seed=1)
