"""Pong, Surround and Bargaining: the rules of GAMEBoT's specification, sections 4.2, 4.3 and 4.8."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest

from vgdl.tabletop import IllegalAction, load, play
from vgdl.tabletop.bargaining import AGREE, SIZES, deals, numbered, partners, pools, share_of, valuations
from vgdl.tabletop.pong import DOWN, STAY, UP, Frame, frames_between, next_frame
from vgdl.tabletop.protocols import CHANCE, SIMULTANEOUS, TERMINAL
from vgdl.tabletop.surround import DIRECTIONS

NAMES = ("pong", "surround", "bargaining_rounds")


def at_random(name: str, seed: int) -> list[Any]:
    """The states of a random play."""
    draws = random.Random(seed)
    states: list[Any] = []

    def player(number: int) -> Any:
        def choose(state: Any) -> int:
            states.append(state)
            return draws.choice(state.legal_actions(number))  # type: ignore[no-any-return]

        return choose

    return [*states, play(load(name), [player(0), player(1)], draws.random)]


@pytest.mark.parametrize("name", NAMES)
def test_random_plays_end_and_can_be_written_and_read(name: str) -> None:
    for seed in range(20):
        state = at_random(name, seed)[-1]
        assert state.is_terminal()
        assert state.legal_actions(0) == state.legal_actions(1) == []
        assert state.rewards() == state.returns()
        again = state.get_game().deserialize_state(state.serialize())
        assert (str(again), again.returns()) == (str(state), state.returns())


@pytest.mark.parametrize("name", NAMES)
def test_a_copy_shares_nothing(name: str) -> None:
    draws, state = random.Random(5), load(name).new_initial_state()
    while not state.is_terminal():
        before, copy = str(state), state.clone()
        if copy.is_simultaneous_node():
            copy.apply_actions([draws.choice(copy.legal_actions(player)) for player in (0, 1)])
        else:
            copy.apply_action(draws.choice(copy.legal_actions()))
        assert str(state) == before
        state = copy


@pytest.mark.parametrize("name", NAMES)
def test_illegal_actions_are_refused(name: str) -> None:
    state = load(name).new_initial_state()
    attempt = (
        (lambda: state.apply_actions([0, 99])) if state.is_simultaneous_node() else lambda: state.apply_action(10_000)
    )
    with pytest.raises(IllegalAction):
        attempt()  # type: ignore[no-untyped-call]
    with pytest.raises(ValueError, match="has no parameters"):
        load(f"{name}(size=3)")


# ------------------------------------------------------------------------------------------------------------- Surround


def steered(*moves: tuple[int, int]) -> Any:
    state: Any = load("surround").new_initial_state()
    for pair in moves:
        state.apply_actions(list(pair))
    return state


U, D, L, R = range(4)


def test_the_start_of_surround() -> None:
    state = steered()
    assert (state.cell(10, 30), state.cell(10, 10)) == (5, 3)
    assert state.cell(0, 0) == state.cell(19, 39) == 1
    assert state.cell(-1, 3) == state.cell(3, 40) == -1
    assert state.current_player() == SIMULTANEOUS
    assert (state.facing(0), state.facing(1)) == (L, R)


def test_a_trace_is_left_behind() -> None:
    state = steered((U, D), (U, D))
    assert [state.cell(row, 30) for row in (10, 9, 8)] == [1, 4, 5]
    assert [state.cell(row, 10) for row in (10, 11, 12)] == [1, 2, 3]
    assert state.trace(0) == ((10, 30), (9, 30), (8, 30))


@pytest.mark.parametrize(
    ("moves", "returns"),
    [
        ([(U, D), (D, D)], [-1, 1]),  # player 0 turns back into its own trace
        ([(U, D), (U, U)], [1, -1]),
        ([(U, D), (D, U)], [0, 0]),  # both crash
        ([(L, R)] * 9 + [(L, R)], [0, 0]),  # both into the cell between them
        ([(L, R)] * 9 + [(U, R), (L, U)], [0, 0]),
        ([(L, R)] * 9 + [(U, R), (L, R)], [1, -1]),
        ([(L, R)] * 9 + [(U, R), (L, D)], None),
        ([(L, L), (L, R)], [1, -1]),
    ],
)
def test_crashes_decide(moves: Sequence[tuple[int, int]], returns: list[float] | None) -> None:
    state = steered(*moves)
    assert state.is_terminal() == (returns is not None)
    assert returns is None or state.returns() == returns


def test_directions_are_those_of_the_grid() -> None:
    assert DIRECTIONS == {U: (-1, 0), D: (1, 0), L: (0, -1), R: (0, 1)}


# ----------------------------------------------------------------------------------------------------------------- Pong


def served(height: int, *, right: bool, up: bool) -> Any:
    state = load("pong").new_initial_state()
    state.apply_action((height - 32) * 4 + 2 * up + right)
    return state


def test_three_frames_are_seen_before_the_first_move() -> None:
    state = served(100, right=True, up=True)
    assert state.current_player() == SIMULTANEOUS
    frames = state.frames(0)
    assert [frame.number for frame in frames] == [0, 12, 24]  # the ball at 80, 92, 104: between 60 and 104
    assert [(frame.x, frame.y) for frame in frames] == [(80, 100), (92, 124), (104, 148)]
    assert {frame.lows for frame in frames} == {(88, 88)}


def test_the_left_player_sees_the_mirror_image() -> None:
    state = served(100, right=False, up=False)
    assert [frame.x for frame in state.frames(0)] == [80, 68, 60 - 4]
    assert [frame.x for frame in state.frames(1)] == [80, 92, 104]
    state.apply_actions([STAY, UP])
    assert state.frames(0)[-1].lows[1] == state.frames(1)[-1].lows[0] > 88


@pytest.mark.parametrize(
    ("x", "frames"), [(60, 8), (61, 12), (104, 12), (105, 8), (40, 4), (41, 8), (124, 8), (125, 4)]
)
def test_decisions_come_more_often_near_the_paddles(x: int, frames: int) -> None:
    assert frames_between(x) == frames


def test_walls_reflect_exactly() -> None:
    frames = served(160, right=True, up=True).frames(0)
    assert [frame.y for frame in frames] == [160, 168, 144]  # 184 is folded to 168
    assert [frame.disturbed for frame in frames] == [False, True, False]


def test_paddles_move_two_a_frame_and_stop_at_the_walls() -> None:
    state = served(100, right=True, up=True)
    before: Frame = state.frames(0)[-1]
    state.apply_actions([UP, DOWN])
    after: Frame = state.frames(0)[-1]
    steps = after.number - before.number
    assert after.lows == (88 + 2 * steps, 88 - 2 * steps)
    for _ in range(40):
        if not state.is_terminal():
            state.apply_actions([UP, DOWN])
    assert state.frames(0)[-1].lows[0] <= 160
    assert state.frames(0)[-1].lows[1] >= 16


@pytest.mark.parametrize(("y", "vy", "returned"), [(101, 1, 2), (91, 1, -2), (100, 2, 1), (92, -2, -1), (96, 2, 1)])
def test_the_point_of_contact_decides_the_return(y: int, vy: int, returned: int) -> None:
    frame = next_frame(Frame(0, 139, y - vy, 1, vy, (88, 88)), (STAY, STAY))
    assert (frame.vx, frame.vy, frame.disturbed) == (-1, returned, True)


def test_missing_the_ball_loses_the_point() -> None:
    state = served(100, right=True, up=True)
    while not state.is_terminal():
        state.apply_actions([DOWN, STAY])
    assert state.returns() == [-1.0, 1.0]


def test_a_thousand_frames_are_a_draw() -> None:
    state = served(100, right=True, up=True)
    while not state.is_terminal():
        ball = state.frames(0)[-1].y
        moves = [UP if ball > low + 8 else DOWN if ball < low + 8 else STAY for low in state.frames(0)[-1].lows]
        state.apply_actions(moves)
    assert state.returns() in ([0.0, 0.0], [1.0, -1.0], [-1.0, 1.0])
    assert state.frames(0)[-1].number <= 1000


# ----------------------------------------------------------------------------------------------------------- Bargaining


def dealt(pool: tuple[int, int, int], first: tuple[int, int, int], second: tuple[int, int, int]) -> Any:
    state = load("bargaining_rounds").new_initial_state()
    state.apply_action([each for each, _ in deals()].index(pool))
    for values in (first, second):
        state.apply_action(valuations(pool).index(values))
    return state


@pytest.mark.parametrize(("pool", "count"), [((4, 3, 3), 21), ((5, 4, 3), 11), ((2, 2, 4), 72), ((1, 1, 6), 96)])
def test_the_number_of_valuations(pool: tuple[int, int, int], count: int) -> None:
    assert len(valuations(pool)) == count
    assert all(sum(n * v for n, v in zip(pool, values, strict=True)) == 30 for values in valuations(pool))


def test_there_are_185_pools_and_one_cannot_be_dealt() -> None:
    assert [sum(sum(pool) == size for pool in pools()) for size in SIZES] == [21, 28, 36, 45, 55]
    assert set(pools()) - {pool for pool, _ in deals()} == {(4, 4, 4)}
    assert sum(probability for _, probability in deals()) == pytest.approx(1)


def test_no_item_is_worthless_to_both() -> None:
    for pool, _ in deals():
        for values in valuations(pool):
            assert all(any(pair) for other in partners(pool, values) for pair in zip(values, other, strict=True))


def test_an_agreement_gives_each_its_share() -> None:
    state = dealt((5, 4, 3), (0, 0, 10), (2, 5, 0))
    assert AGREE not in state.legal_actions()  # nothing to agree to yet
    state.apply_action(numbered((3, 3, 2)))
    assert (state.worth(state.proposals[-1], 1), state.worth(state.proposals[-1], 0)) == (9, 20)  # the paper's example
    assert state.current_player() == 1
    state.apply_action(AGREE)
    assert state.current_player() == TERMINAL
    assert state.returns() == [20.0, 9.0]


def test_after_eight_rounds_the_game_may_end_before_each_further_one() -> None:
    state = dealt((5, 4, 3), (0, 0, 10), (2, 5, 0))
    for _ in range(8):
        assert state.current_player() >= 0
        state.apply_action(numbered((5, 4, 3)))
    assert state.current_player() == CHANCE
    assert state.chance_outcomes() == [(0, pytest.approx(0.8)), (1, pytest.approx(0.2))]
    assert state.child(1).returns() == [0.0, 0.0]
    assert state.child(0).current_player() == 0


def test_actions_number_the_shares() -> None:
    assert all(share_of(numbered((a, b, c))) == (a, b, c) for a in range(11) for b in range(11) for c in range(11))


def test_resampled_states_look_alike_to_the_player() -> None:
    draws, others = random.Random(3), set()
    state = dealt((5, 4, 3), (0, 0, 10), (2, 5, 0))
    state.apply_action(numbered((3, 3, 2)))
    for player in (0, 1):
        for _ in range(30):
            other = state.resample_from_infostate(player, draws.random)
            assert other.information_state_string(player) == state.information_state_string(player)
            assert other.get_game().deserialize_state(other.serialize()).returns() == other.returns()
            others.add(other.values[1 - player])
    assert len(others) > 3
