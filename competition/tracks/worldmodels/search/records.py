"""The learner's input: recorded plays, tick by tick, with the contents of state observations only (13.1)."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from vgdl import Action, StateObservation
from vgdl.competition.tracks.worldmodels.search.hypothesis import Cellful, Layout
from vgdl.competition.tracks.worldmodels.search.thinking import Staleness, Thinking, make_controller
from vgdl.controllers import Timer
from vgdl.core.observation import Avatar
from vgdl.core.state import Meter
from vgdl.game import Board, Game

#: controllers whose plays are recorded: controllers with the true rules, and random play. `champion` wins most games,
#: and its wins show what scores, opens and ends a play; random play shows what kills and what stops
PLAYERS = ("champion", "random", "yraid", "random", "champion", "random", "olets", "random")
TESTERS = ("random", "champion")  #: controllers of the test plays on held-out levels
#: forward model calls per tick of a recorded controller, which make plays independent of the machine. `champion` gets
#: about as many as in 40 ms: with 400, it wins few puzzles, and a play that is not won does not show how to win
CALLS = {"champion": 16_000}
CALLS_OTHERS = 400
LONGEST = {"random": 100, "yraid": 250, "olets": 250}  #: ticks of a play by player
LONGEST_OTHERS = 610  #: some games end after 600
MOST_SPRITES = 700_000  #: sprites in all states that are learnt from, over which plays are cut


@dataclass(frozen=True)
class Frame:
    """One observed state, and the action taken in it."""

    arrays: NDArray[np.void]  #: visible sprites in order of id: `StateObservation.arrays`
    avatar: Avatar | None
    score: float
    winner: int
    is_over: bool
    tick: int
    actions: tuple[Action, ...]
    block_size: int
    world_dimension: tuple[int, int]
    action: Action = Action.NIL  #: the action taken next; NIL in the last state of a play


@dataclass(frozen=True)
class Play:
    """A recorded play from the start of a level."""

    level: int
    player: str
    frames: tuple[Frame, ...]

    @property
    def ticks(self) -> int:
        return len(self.frames) - 1

    @property
    def layout(self) -> Layout:
        return layout_of(self.frames[0])


class Shown(Protocol):
    """The visible part of a state: a recorded frame, a state of a candidate, or a prediction."""

    @property
    def arrays(self) -> NDArray[np.void]:
        """The visible sprites."""

    @property
    def avatar(self) -> Avatar | None:
        """The avatar."""

    @property
    def score(self) -> float:
        """The score."""

    @property
    def winner(self) -> int:
        """The winner."""

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""


class Rules(Protocol):
    """Learnt rules of a game: a hypothesis of the search, or a text of another author."""

    @property
    def numbers(self) -> Mapping[int, int]:
        """The numbers of types in the rules by those in recorded plays; empty if they are the same."""

    @property
    def has_chance(self) -> bool:
        """Whether the rules draw random numbers."""

    def renumbered(self, frame: Frame) -> Frame:
        """An observed state with the rules' numbers of types."""

    def renumbered_play(self, play: Play) -> Play:
        """A recorded play with the rules' numbers of types."""

    def level(self, shown: Layout) -> Layout:
        """A level with hidden types that the rules assume in some of its cells."""

    def text(self, cells: Iterable[Cellful] = ()) -> str:
        """The game as VGDL, for levels whose cells hold these sets of types."""

    def game(self, cells: Iterable[Cellful] = ()) -> Game:
        """The compiled game."""

    def board(self, level: Layout, cells: Iterable[Cellful] | None = None) -> Board:
        """The game on a level."""


def observe(state: StateObservation, action: Action = Action.NIL) -> Frame:
    """Make a frame of a state; the avatar's events and the names of types are left out."""
    arrays = state.arrays
    return Frame(
        arrays=arrays[np.argsort(arrays["id"], kind="stable")],
        avatar=state.avatar,
        score=state.score,
        winner=int(state.winner),
        is_over=state.is_over,
        tick=state.tick,
        actions=state.available_actions,
        block_size=state.block_size,
        world_dimension=state.world_dimension,
        action=action,
    )


def layout_of(frame: Frame) -> Layout:
    """The level as shown by an initial state."""
    block = frame.block_size
    standing: dict[tuple[int, int], list[int]] = {}
    for _, kind, _, x, y in frame.arrays.tolist():
        if x % block == 0 and y % block == 0:
            standing.setdefault((x // block, y // block), []).append(kind)
    width, height = frame.world_dimension
    cells = {cell: tuple(sorted(kinds)) for cell, kinds in standing.items()}
    return Layout(width // block, height // block, cells, block)


def record(
    game: Game,
    level: int,
    player: str,
    *,
    seed: int,
    most: int = LONGEST_OTHERS,
    calls: int | None = None,
    thinking: Thinking | None = None,
) -> Play:
    """Let a bundled controller play the true game, and record the observations.

    Args:
        game: the true game; only the controller uses its rules.
        level: number of the level.
        player: name of a controller.
        seed: seed of the game and the controller.
        most: ticks after which the record ends.
        calls: forward model calls per tick; None: those of `CALLS`.
        thinking: how often the controller may be asked again where it stands still, in a play that ends when it is
            stale; None: never, and the play goes on.
    """
    stale = Staleness() if thinking is not None else None
    thinking = thinking or Thinking(0)
    if calls is None:
        calls = CALLS.get(player, CALLS_OTHERS)
    state = game.start(level, seed=seed)
    meter = Meter()

    def view() -> StateObservation:
        seen = state.copy(seed=draws.getrandbits(32))
        seen.meter = meter
        return seen

    def timer() -> Timer:
        return Timer(budget_calls=calls, meter=meter)

    draws = random.Random(seed)
    controller = make_controller(player, view(), timer(), seed)
    frames: list[Frame] = []
    while not state.is_over and len(frames) < most:
        action = thinking.act(controller, view, timer)
        if action not in state.actions_of(0, nil=True):
            action = Action.NIL
        frames.append(observe(state, action))
        state.advance(action)
        if stale is not None and stale.note(state):
            break
    frames.append(observe(state))
    return Play(level, player, tuple(frames))


def record_many(
    game: Game, levels: Sequence[int], ticks: int, *, seed: int, players: Iterable[str] = PLAYERS, thoughts: int = 0
) -> tuple[Play, ...]:
    """Record plays of several controllers on several levels in turn, until ``ticks`` ticks are observed.

    In all of them together, controllers may think ``thoughts`` times where they stand still (`Thinking`); if they may,
    plays also end when they are stale (`Staleness`).
    """
    thinking = Thinking(thoughts) if thoughts else None
    order = tuple(players)
    plays: list[Play] = []
    left = ticks
    while left > 0:
        k = len(plays)
        player = order[k % len(order)]
        level = levels[(k + k // len(order)) % len(levels)]
        most = min(LONGEST.get(player, LONGEST_OTHERS), left)
        play = record(game, level, player, seed=seed + 7919 * k, most=most, thinking=thinking)
        plays.append(play)
        left -= max(1, play.ticks)
    return tuple(plays)


def lightened(plays: Sequence[Play], most: int = MOST_SPRITES) -> tuple[Play, ...]:
    """Cut plays, so that all states together show at most about ``most`` sprites.

    As few plays as possible are cut, first those that were not over at their end, and of these the longest. Each keeps
    half of an equal share.
    """
    weights = [sum(len(frame.arrays) for frame in play.frames) for play in plays]
    kept = list(plays)
    excess, least = sum(weights) - most, most // max(1, 2 * len(plays))
    for k in sorted(range(len(plays)), key=lambda number: (plays[number].frames[-1].is_over, -weights[number])):
        share = max(least, weights[k] - excess)
        if excess > 0 and share < weights[k]:
            sizes = np.cumsum([len(frame.arrays) for frame in plays[k].frames])
            kept[k] = replace(plays[k], frames=plays[k].frames[: max(2, int(np.searchsorted(sizes, share, "right")))])
            excess -= weights[k] - share
    return tuple(kept)


def is_repeatable(game: Game, plays: Sequence[Play], seed: int) -> bool:
    """Whether the recorded actions lead to the same states with another seed, in every play."""
    for play in plays:
        state = game.start(play.level, seed=seed)
        for frame, after in zip(play.frames, play.frames[1:], strict=False):
            state.advance(frame.action)
            again = observe(state)
            if (again.score, again.winner) != (after.score, after.winner):
                return False
            if not np.array_equal(again.arrays, after.arrays):
                return False
    return True
