"""Plays of judges: bots from doing nothing to the champion, with budgets in forward model calls, so one seed, one play.

A judge is a bundled controller, `donothing`, or a held key such as ``hold:LEFT``.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from vgdl import Action, Winner, replay
from vgdl.controllers.base import Controller, Timer
from vgdl.controllers.registry import load
from vgdl.core.state import Meter, StateObservation
from vgdl.game import Board

DO_NOTHING = "donothing"
HOLD = "hold:"

JUDGES = (DO_NOTHING, "random", "onesteplookahead", "samplemcts", "olets", "champion")
"""The judges in their known order, the weakest first (generation, 3)."""

STRONGEST = JUDGES[-1]
CONSTRUCTION_TICKS = 25  #: a judge's constructor has the budget of so many ticks, as 1 s is to 40 ms


@dataclass(frozen=True, slots=True)
class Effort:
    """How long and how often judges play.

    >>> from vgdl.judging import Effort
    >>> Effort(plays=1, calls=20)
    Effort(plays=1, calls=20, ticks=1000)
    """

    plays: int = 5  #: by each judge
    calls: int = 1000  #: forward model calls per tick
    ticks: int = 1000  #: after which a play is cut off


@dataclass(frozen=True, slots=True)
class Played:
    """A play of one judge."""

    judge: str
    seed: int
    outcome: str  #: ``won``, ``lost``, ``cut off``, or ``failed`` if the game or the judge stopped with an error
    score: float
    ticks: int
    actions: tuple[tuple[int, ...], ...]  #: per tick, one of each player
    error: str = ""

    @property
    def won(self) -> bool:
        return self.outcome == "won"

    def replayed(self, board: Board) -> replay.Replay:
        """The play as a replay file's content."""
        actions = [[Action(action).name for action in tick] for tick in self.actions]
        state = replay.simulate(board, self.seed, actions)
        return replay.record(state, self.seed, actions, controllers=[self.judge])


def seed_of(*labels: str | int) -> int:
    """A seed of 31 bits that depends on all labels and on nothing else."""
    digest = hashlib.blake2b(json.dumps(labels).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 33


def play(
    board: Board, judge: str, seed: int, effort: Effort, *, partner: str = "random", meter: Meter | None = None
) -> Played:
    """Play a level once.

    >>> from vgdl.judging import Effort, play
    >>> played = play(vgdl.load("sokoban").board(level=0), "random", seed=1, effort=Effort(ticks=20))
    >>> played.outcome, played.ticks, played.score
    ('cut off', 20, 0.0)

    Args:
        board: the level.
        judge: a name of `JUDGES`, another bundled controller, or ``hold:KEY``.
        seed: of the game and of the judge.
        effort: the limits; its number of plays is not used.
        partner: the judge that is the second player in games for two.
        meter: counts the calls of the forward model; by default one of its own.
    """
    state = board.start(seed)
    state.meter = meter or Meter()
    actions: list[tuple[int, ...]] = []
    for name in {judge, partner} if state.n_players > 1 else {judge}:
        if not (name == DO_NOTHING or name.startswith(HOLD)):
            load(name)  # a judge that does not exist is a mistake of the caller, unlike one that fails
    try:
        names = [judge, *[partner] * (state.n_players - 1)]
        players = [_player(name, number, state, seed, effort) for number, name in enumerate(names)]
        while not state.is_over and len(actions) < effort.ticks:
            chosen = tuple(player.answer(state) for player in players)
            state.advance(chosen)
            actions.append(chosen)
    except Exception as error:  # a judge that cannot cope with a strange game is a result
        return _played(judge, seed, state, actions, f"{judge} failed: {error!r:.200}")
    return _played(judge, seed, state, actions)


def _player(name: str, player: int, state: StateObservation, seed: int, effort: Effort) -> _Held | _Judge:
    held = name == DO_NOTHING or name.startswith(HOLD)
    return _Held(name) if held else _Judge(name, player, state, seed, effort)


class _Held:
    """A judge that always presses the same key, or none."""

    def __init__(self, name: str) -> None:
        self._key = int(Action.NIL if name == DO_NOTHING else Action[name.removeprefix(HOLD)])

    def answer(self, state: StateObservation) -> int:
        return self._key


class _Judge:
    """A controller in a play."""

    def __init__(self, name: str, player: int, state: StateObservation, seed: int, effort: Effort) -> None:
        timer = Timer(budget_calls=CONSTRUCTION_TICKS * effort.calls, meter=state.meter)
        found: Any = load(name)  # bundled controllers also take a seed
        first = state.copy(seed=seed_of("first", seed, player))
        self._controller: Controller = found(first, timer, player, seed=seed_of(name, seed, player))
        self._player, self._seed, self._calls = player, seed, effort.calls

    def answer(self, state: StateObservation) -> int:
        """The action of a tick; NIL once the avatar is dead."""
        avatar = state.avatars[self._player]
        if avatar is None or not avatar.is_alive:
            return int(Action.NIL)
        own = state.copy(seed=seed_of("tick", self._seed, state.tick, self._player))
        action = self._controller.act(own, Timer(budget_calls=self._calls, meter=state.meter))
        return int(Action.NIL if action is None else action)


def _played(
    judge: str, seed: int, state: StateObservation, actions: Sequence[tuple[int, ...]], error: str = ""
) -> Played:
    error = error or state.error or ""
    outcome = "failed" if error else outcome_of(state)
    return Played(judge, seed, outcome, float(state.score), len(actions), tuple(actions), error)


def played_plan(board: Board, judge: str, seed: int, plan: Sequence[int]) -> Played:
    """A play of known actions, for example a plan found by a search."""
    state = board.start(seed)
    ticks = state.rollout(plan)
    return _played(judge, seed, state, [(int(action),) for action in plan[:ticks]])


def outcome_of(state: StateObservation) -> str:
    """``won``, ``lost`` or ``cut off``, for player 0."""
    if state.winner == Winner.PLAYER_WINS:
        return "won"
    return "lost" if state.is_over else "cut off"
