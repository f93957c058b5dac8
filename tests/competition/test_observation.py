"""Observations: the whole state, another future, and rules as numbers only."""

from __future__ import annotations

import pickle
import textwrap
from pathlib import Path

import pytest

import vgdl
from vgdl import Action, StateObservation
from vgdl.competition.tracks.planning import observation
from vgdl.core.observation import record_tuples

TOY = Path(__file__).parent / "toy" / "toy.txt"
WANDERERS = 2


@pytest.fixture
def state() -> StateObservation:
    """A state after some events."""
    state = vgdl.load(TOY).start(level=0, seed=1)
    state.advance(Action.RIGHT)
    return state


def shown(state: StateObservation, seed: int = 5) -> StateObservation:
    board = observation.shown_board(state, seed)
    return observation.decode(
        observation.encode(state, board, seed), observation.decode_board(observation.encode_board(board))
    )


def test_the_whole_state_is_shown_except_its_future(state: StateObservation) -> None:
    copy = shown(state)
    assert copy.generator != state.generator
    assert copy.grid == state.grid
    assert copy.available_actions == state.available_actions
    state.reseed(5)
    for action in (Action.LEFT, Action.UP):
        copy.advance(action)
        state.advance(action)
        assert (copy.grid, copy.scores, copy.generator) == (state.grid, state.scores, state.generator)


def test_the_history_of_events_is_shown(state: StateObservation) -> None:
    assert len(state.events) == 1
    assert shown(state).events == state.events


def test_the_future_shown_does_not_depend_on_the_real_one() -> None:
    game = vgdl.load(TOY)
    futures = []
    for seed in (1, 2):
        copy = shown(game.start(level=WANDERERS, seed=seed))
        copy.rollout([Action.NIL] * 10)
        futures.append(copy.to_bytes())
    assert futures[0] == futures[1]


def test_no_name_or_path_is_shown(state: StateObservation) -> None:
    board = observation.shown_board(state, 5)
    sent = observation.encode_board(board) + observation.encode(state, board, 5)
    for secret in (*state.game.types, "toy", str(TOY.parent), "wanderer"):
        if secret not in ("wall", "avatar"):  # words of VGDL itself
            assert secret.encode() not in sent
    assert shown(state).board is None
    assert shown(state).game is None


def test_a_decoded_state_can_be_searched(state: StateObservation) -> None:
    copy = shown(state)
    copy.copy(seed=3, history=False).random_rollout(10, seed=4)
    copy.advance(Action.LEFT)
    assert copy.tick == state.tick + 1


def test_the_rules_cannot_be_read_from_an_observation(state: StateObservation) -> None:
    """Neither from attributes nor from a pickle; the raw bytes do not identify the game either."""
    copy = shown(state)
    for tables in (copy.tables, copy.tables.rules):
        for name in ("table", "number"):
            with pytest.raises(AttributeError, match="withheld"):
                getattr(tables, name)
    for thing in (copy, copy.tables, copy.tables.rules):
        with pytest.raises(AttributeError, match="withheld"):
            pickle.dumps(thing)
    again = StateObservation.from_bytes(copy.tables, copy.to_bytes())
    assert again == copy


def test_observations_contain_no_line_numbers_or_names_of_rules(state: StateObservation) -> None:
    """Line numbers are absent, and hashes of effect names differ in every play."""
    rows = [observation.shown_board(state, seed).rules.table for seed in (1, 2)]
    effects = [table["effects"] for table in rows]
    assert not any(table[name]["line"].any() for table in rows for name in ("effects", "terminations"))
    assert state.tables.rules.table["effects"]["line"].all()
    hashes = [set(table["hash"].tolist()) for table in (*effects, state.tables.rules.table["effects"])]
    assert len(hashes[0]) == len(hashes[2])
    assert not (hashes[0] & hashes[1]) | (hashes[0] & hashes[2])


def test_digests_do_not_reveal_that_two_plays_are_of_one_game(state: StateObservation) -> None:
    digests = {(copy.tables.digest, copy.tables.rules.digest) for copy in (shown(state, seed=seed) for seed in (1, 2))}
    assert len(digests | {(state.tables.digest, state.tables.rules.digest)}) == 3


def test_hidden_sprites_are_absent_from_observations() -> None:
    text = TOY.read_text().replace("wanderer > RandomNPC", "wanderer > RandomNPC hidden=True")
    state = vgdl.loads(text).start(level=TOY.with_name("toy_lvl2.txt").read_text(), seed=1)
    kind = list(state.game.types).index("wanderer")
    assert kind in {sprite[1] for sprite in record_tuples(state)}
    copy = shown(state)
    for list_ in (copy.npcs, copy.immovables, copy.movables, copy.resources, copy.portals, copy.from_avatar):
        assert kind not in {sprite.type for sprites in list_ for sprite in sprites}
    assert kind not in {sprite.type for column in copy.grid for cell in column for sprite in cell}
    assert kind not in copy.arrays["type"]
    assert kind not in copy.tables.visible_types
    for name in ("_records", "_drawing"):
        with pytest.raises(AttributeError, match="withheld"):
            getattr(copy, name)()


def test_shields_work_in_observations_as_in_the_game() -> None:
    """Shields name effects by their hashes, which are replaced."""
    rules = """
    BasicGame
        SpriteSet
            armour > Immovable
            spike > Immovable
        InteractionSet
            avatar armour > shieldFrom stype=spike ftype=killSprite
            avatar spike > killSprite
        LevelMapping
            a > armour spike
        TerminationSet
            SpriteCounter stype=avatar limit=0 win=False
    """
    state = vgdl.loads(textwrap.dedent(rules)).start(level="A a\n", seed=1)
    copy = shown(state)
    for played in (state, copy):
        played.rollout([Action.RIGHT] * 3)
    assert (copy.is_over, copy.tick) == (state.is_over, state.tick)
