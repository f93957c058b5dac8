"""Pong, played, and compared frame by frame with the tabletop game of the same rules."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import pytest

import vgdl
from plays import levels, place, start
from vgdl import Action, StateObservation, render
from vgdl.tabletop import pong

KEYS = (Action.NIL, Action.UP, Action.DOWN)  #: by the actions of the board game
SERVES = {"a": (1, 2), "b": (1, -2), "c": (-1, 2), "d": (-1, -2)}  #: letters of a level by velocity, upwards
MIDDLE = 16  #: the column from which balls are served
BALLS = {"".join(name) for name in itertools.product("rl", "ud", "12")} | {"rturnu", "rturnd", "lturnu", "lturnd"}
MISSES = {"redmiss", "bluemiss"}


class Sight(NamedTuple):
    """Where things are, in the units of the board game."""

    ball: tuple[int, int]
    lows: tuple[int, int]


def see(state: StateObservation) -> Sight:
    looks = state.game.looks
    at = {looks[kind].name: (x, y) for kind, x, y, *_ in render.sprites(state)}
    (ball,) = (place for name, place in at.items() if name in BALLS | MISSES)
    return Sight((ball[0] + 17, 179 - ball[1]), (164 - at["red"][1], 164 - at["blue"][1]))


def height(row: int) -> int:
    """The height of a ball served from a row of a level."""
    return 179 - 4 * row


def served(row: int, letter: str) -> StateObservation:
    """The state just after a serve, before any paddle moved."""
    rows = [line.replace("o", ".") for line in levels("pong")[0]]
    rows[row] = rows[row][:MIDDLE] + letter + rows[row][MIDDLE + 1 :]
    return go(start("pong", rows), [(pong.STAY, pong.STAY)])


def go(state: StateObservation, moves: Iterable[Sequence[int]]) -> StateObservation:
    for pair in moves:
        state.advance([KEYS[action] for action in pair])
    return state


@pytest.mark.costly
@pytest.mark.sampled(6)
@pytest.mark.parametrize("letter", SERVES)
@pytest.mark.parametrize("reach", [0, 4, 7, 10])
def test_the_vgdl_game_equals_the_tabletop_game(letter: str, reach: int) -> None:
    """Every frame of plays in which paddles follow the ball, more or less well."""
    for seed in range(1 if reach < 7 else 3):
        draw = random.Random(f"{letter} {reach} {seed}")
        row = draw.randrange(5, 37)
        state = served(row, letter)
        frame = pong.Frame(0, 80, height(row), *SERVES[letter], (88, 88))
        outcome = None
        aims = [0, 0]
        while outcome is None:
            assert (see(state), state.is_over) == (Sight((frame.x, frame.y), frame.lows), False)
            if frame.x == 80:
                aims = [draw.randint(-reach, reach) for _ in range(2)]
            moves = [follow(frame, player, aims[player]) for player in range(2)]
            go(state, [moves])
            frame = pong.next_frame(frame, moves)
            outcome = pong._outcome(frame)
        assert (see(state), state.is_over) == (Sight((frame.x, frame.y), frame.lows), True)
        assert state.winners == tuple(int(value > 0) for value in outcome)
        assert state.scores == state.winners


def follow(frame: pong.Frame, player: int, aim: int) -> int:
    """The move towards hitting the ball at that distance above the paddle's centre."""
    distance = frame.y - aim - (frame.lows[player] + pong.LENGTH // 2)
    return pong.UP if distance > 1 else pong.DOWN if distance < -1 else pong.STAY


@pytest.mark.parametrize("row", [5, 14, 25, 36])
@pytest.mark.parametrize("letter", SERVES)
def test_every_serve_matches_the_tabletop_game_to_the_end(row: int, letter: str) -> None:
    state = served(row, letter)
    frame = pong.Frame(0, 80, height(row), *SERVES[letter], (88, 88))
    moves = (pong.UP, pong.DOWN)
    while pong._outcome(frame) is None:
        assert see(state) == Sight((frame.x, frame.y), frame.lows)
        go(state, [moves])
        frame = pong.next_frame(frame, moves)
    assert state.is_over


@pytest.mark.parametrize("number", range(5))
def test_a_level_serves_from_its_place_in_all_four_directions(number: int) -> None:
    found = set()
    _, row = place(levels("pong")[number], "o")
    game = vgdl.load("pong")
    for seed in range(40):
        state = go(game.start(level=number, seed=seed), [(pong.STAY, pong.STAY)])
        first = see(state).ball
        second = see(go(state, [(pong.STAY, pong.STAY)])).ball
        assert first == (80, height(row))
        found.add((second[0] - first[0], second[1] - first[1]))
    assert found == set(SERVES.values())


@pytest.mark.one_case
@pytest.mark.parametrize("key", range(3))
def test_holding_a_key_does_not_beat_a_paddle_that_follows_the_ball(key: int) -> None:
    for number, seed in itertools.product(range(5), range(2)):
        state = go(vgdl.load("pong").start(level=number, seed=seed), [(pong.STAY, pong.STAY)])
        while not state.is_over:
            ball, lows = see(state)
            frame = pong.Frame(0, *ball, 1, 1, lows)
            go(state, [(key, follow(frame, 1, 0))])
        assert state.winners[0] == 0
