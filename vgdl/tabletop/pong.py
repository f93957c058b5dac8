"""Pong with integer coordinates: a ball, two paddles, one point (GAMEBoT specification, 4.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from vgdl.tabletop.game import ChanceMode, Dynamics, GameType
from vgdl.tabletop.plain import PlainGame, PlainState
from vgdl.tabletop.protocols import CHANCE, SIMULTANEOUS, TERMINAL

LOW_WALL, HIGH_WALL = 16, 176
LEFT_X, RIGHT_X = 20, 140  #: x coordinates of the paddles
LENGTH = 16  #: length of a paddle
SPEED = 2  #: speed of a paddle, per frame
MAX_FRAMES = 1000  #: number of frames after which the game is a draw
SERVES = range(32, 161)  #: heights at which the ball may be served
STAY, UP, DOWN = range(3)
NAMES = ("Stay", "Move Up", "Move Down")
OBSERVED = 3  #: number of frames that a player sees; until there are as many, paddles do not move


@dataclass(frozen=True, slots=True)
class Frame:
    """A moment of the game. Player 0 has the right paddle, player 1 the left one; y grows upwards."""

    number: int
    x: int
    y: int
    vx: int
    vy: int
    lows: tuple[int, int]  #: lower ends of the paddles of players 0 and 1
    disturbed: bool = False  #: whether the ball was reflected or hit since the previously observed frame

    def mirrored(self) -> Frame:
        """The frame as shown to player 1: as if it had the right paddle."""
        return replace(self, x=LEFT_X + RIGHT_X - self.x, vx=-self.vx, lows=(self.lows[1], self.lows[0]))


class Pong(PlainGame):
    """One point of Pong. Chance serves; then both players simultaneously choose how to move for some frames."""

    type = GameType(
        "pong",
        "Pong",
        dynamics=Dynamics.SIMULTANEOUS,
        chance_mode=ChanceMode.EXPLICIT_STOCHASTIC,
        provides_observation_tensor=False,
    )

    @classmethod
    def of(cls, parameters: Mapping[str, str]) -> Pong:
        """The game; it has no parameters.

        Raises:
            ValueError: parameters were given.
        """
        if parameters:
            raise ValueError("pong has no parameters")
        return cls()

    def new_initial_state(self) -> PongState:
        return PongState(self)

    def num_distinct_actions(self) -> int:
        return len(NAMES)

    def max_chance_outcomes(self) -> int:
        return 4 * len(SERVES)

    def max_game_length(self) -> int:
        return MAX_FRAMES // 4 + 1

    def get_parameters(self) -> dict[str, Any]:
        return {}


class PongState(PlainState):
    """A position of Pong: the frames observed so far, the last of which is the current one."""

    def __init__(self, game: Pong) -> None:
        super().__init__(game)
        self._frames: tuple[Frame, ...] = ()
        self._returns: tuple[float, float] | None = None

    def current_player(self) -> int:
        if not self._frames:
            return CHANCE
        return SIMULTANEOUS if self._returns is None else TERMINAL

    def returns(self) -> list[float]:
        return list(self._returns or (0.0, 0.0))

    def frames(self, player: int) -> tuple[Frame, ...]:
        """The last three observed frames, as shown to a player."""
        last = self._frames[-OBSERVED:]
        return last if player == 0 else tuple(frame.mirrored() for frame in last)

    def _chances(self) -> list[tuple[int, float]]:
        outcomes = 4 * len(SERVES)
        return [(outcome, 1.0 / outcomes) for outcome in range(outcomes)]

    def _moves(self, player: int) -> list[int]:
        return [STAY, UP, DOWN]

    def _play(self, actions: Sequence[int]) -> None:
        if self._frames:
            self._run(actions)
            return
        height, directions = divmod(actions[0], 4)
        vx, vy = (1 if directions & 1 else -1), (2 if directions & 2 else -2)
        middle = (LOW_WALL + HIGH_WALL - LENGTH) // 2
        self._frames = (Frame(0, (LEFT_X + RIGHT_X) // 2, SERVES[height], vx, vy, (middle, middle)),)
        while self._returns is None and len(self._frames) < OBSERVED:
            self._run((STAY, STAY))

    def _run(self, actions: Sequence[int]) -> None:
        """Play until the next observed frame or the end of the point."""
        frame = replace(self._frames[-1], disturbed=False)
        for _ in range(frames_between(frame.x)):
            frame = next_frame(frame, actions)
            self._returns = _outcome(frame)
            if self._returns is not None:
                break
        self._frames = (*self._frames[-OBSERVED + 1 :], frame)

    def _words(self, player: int, action: int) -> str:
        if player == CHANCE:
            height, directions = divmod(action, 4)
            side, way = ("right" if directions & 1 else "left"), ("up" if directions & 2 else "down")
            return f"serve at {SERVES[height]}, {side} and {way}"
        return NAMES[action]

    def observation_string(self, player: int) -> str:
        return "\n".join(map(repr, self.frames(player)))

    def __str__(self) -> str:
        return self.observation_string(0)


def frames_between(x: int) -> int:
    """Number of frames until the next decision, by the position of the ball."""
    if 60 < x <= 104:
        return 12
    return 8 if 40 < x <= 124 else 4


def next_frame(frame: Frame, actions: Sequence[int]) -> Frame:
    """The next frame: paddles move, then the ball."""
    lows = tuple(_moved(low, action) for low, action in zip(frame.lows, actions, strict=True))
    x, y, vx, vy, disturbed = frame.x + frame.vx, frame.y + frame.vy, frame.vx, frame.vy, frame.disturbed
    if not LOW_WALL <= y <= HIGH_WALL:
        wall = LOW_WALL if y < LOW_WALL else HIGH_WALL
        y, vy, disturbed = 2 * wall - y, -vy, True
    if x in (LEFT_X, RIGHT_X):
        low = lows[0 if x == RIGHT_X else 1]
        if low <= y <= low + LENGTH:
            vx, vy, disturbed = -vx, _returned(y - (low + LENGTH // 2), vy), True
    return Frame(frame.number + 1, x, y, vx, vy, (lows[0], lows[1]), disturbed)


def _moved(low: int, action: int) -> int:
    step = SPEED if action == UP else -SPEED if action == DOWN else 0
    return min(max(low + step, LOW_WALL), HIGH_WALL - LENGTH)


def _returned(distance: int, vy: int) -> int:
    """The ball's vertical speed after being hit at a distance from the paddle's centre."""
    if abs(distance) >= 5:
        return 2 if distance > 0 else -2
    return 1 if vy > 0 else -1


def _outcome(frame: Frame) -> tuple[float, float] | None:
    if frame.x == RIGHT_X and frame.vx > 0:
        return (-1.0, 1.0)
    if frame.x == LEFT_X and frame.vx < 0:
        return (1.0, -1.0)
    return (0.0, 0.0) if frame.number >= MAX_FRAMES else None
