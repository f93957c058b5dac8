"""Matches of learnt models on the true game, and their opponents (10).

Players are not given the legal actions, except for the random player and the planner on the true game. A missing,
illegal or late action forfeits.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any, Protocol

from vgdl.competition.tracks.worldmodels.errors import WorldModelError
from vgdl.competition.tracks.worldmodels.problem import message, policy_prompt
from vgdl.competition.tracks.worldmodels.program import IsolatedProgram
from vgdl.competition.tracks.worldmodels.searching import Search
from vgdl.competition.tracks.worldmodels.synthesis import Author
from vgdl.competition.tracks.worldmodels.trajectories import Play, closed_view, start_play, take_step
from vgdl.competition.tracks.worldmodels.worlds import World, action_name
from vgdl.controllers.tabletop import ISMCTS, MCTS

History = list[list[Any]]


class Forfeit(Exception):
    """A player gives no legal action; the message says why."""


@dataclass(frozen=True, slots=True)
class Situation:
    """The information of the player to move."""

    player: int
    initial: Any
    observation: Any
    history: History  #: own observations and actions, the present observation with None last
    state: Any  #: the whole state in games of perfect information, otherwise None
    true_state: Any  #: state of the true game, only for the planner on it and the random player


class MatchPlayer(Protocol):
    """A player of a match."""

    def choose(self, situation: Situation) -> tuple[str, dict[str, Any]]:
        """Return an action by name, and details of the decision to be stored.

        Raises:
            Forfeit: there is none.
        """


class ModelPlayer:
    """Plans on a learnt model, inside its isolated process."""

    def __init__(self, program: IsolatedProgram, search: Search, draws: Random) -> None:
        self._program = program
        self._search = search
        self._draws = draws

    def choose(self, situation: Situation) -> tuple[str, dict[str, Any]]:
        known = {
            "initial": situation.initial,
            "state": situation.state,
            "history": situation.history,
            "player": situation.player,
        }
        try:
            found = self._program.plan(known, replace(self._search, seed=self._draws.getrandbits(31)))
        except WorldModelError as error:
            raise Forfeit(error.text()[:1000]) from None
        return found["action"], {name: found.get(name) for name in ("simulations", "dropped", "fallback")}


class AbsentPlayer:
    """Stands in for a synthesis without a program."""

    def choose(self, situation: Situation) -> tuple[str, dict[str, Any]]:
        raise Forfeit("no program was learnt")


class TruePlanner:
    """The same planner on the true game; hidden information is sampled by ``resample_from_infostate`` (8.3)."""

    def __init__(self, world: World, search: Search, draws: Random) -> None:
        settings: dict[str, Any] = {
            "simulations": search.simulations,
            "rollouts": search.rollouts,
            "exploration": search.exploration,
            "max_rollout": search.max_rollout,
            "seed": draws.getrandbits(31),
        }
        self._search: MCTS | ISMCTS = MCTS(**settings, solve=False) if world.is_perfect else ISMCTS(**settings)

    def choose(self, situation: Situation) -> tuple[str, dict[str, Any]]:
        state = situation.true_state
        action = self._search.step(state)
        return action_name(state, action), {}


class AtRandom:
    """Plays uniformly random legal actions."""

    def __init__(self, world: World, draws: Random) -> None:
        self._world = world
        self._draws = draws

    def choose(self, situation: Situation) -> tuple[str, dict[str, Any]]:
        return self._draws.choice(list(self._world.actions(situation.true_state))), {}


class PolicyPlayer:
    """A language model that chooses actions itself, given the rules, recorded plays and its own history."""

    def __init__(
        self, world: World, author: Author, plays: Sequence[Play], *, closed: bool, misleading: bool = False
    ) -> None:
        self._world = world
        self._author = author
        shown = [closed_view(play, number % world.players) for number, play in enumerate(plays)] if closed else plays
        self._plays = "\n".join(json.dumps(_without_seed(play)) for play in shown)
        self._misleading = misleading
        self._calls = 0

    def choose(self, situation: Situation) -> tuple[str, dict[str, Any]]:
        facts = {
            "player": str(situation.player),
            "players": str(self._world.players),
            "plays": self._plays,
            "history": "\n".join(json.dumps(pair) for pair in situation.history[:-1]) or "nothing yet",
            "now": json.dumps(situation.observation),
        }
        prompt = policy_prompt(self._world, facts, misleading=self._misleading)
        reply = self._author.answer([message(prompt)], self._calls)
        self._calls += 1
        found = re.findall(r"^\W*Action\W*?:[ \t]*(.+?)[ \t]*$", reply.answer, re.MULTILINE | re.IGNORECASE)
        if not found:
            raise Forfeit("the answer has no line that begins with Action:")
        return found[-1].strip("`*\"' \t"), {"answer": reply.answer[-2000:]}


def _without_seed(play: Play) -> Play:
    return {name: value for name, value in play.items() if name not in ("seed", "policies")}


@dataclass(frozen=True, slots=True)
class Outcome:
    """A finished match."""

    returns: tuple[float, ...]
    forfeited: int | None  #: the player that forfeited
    reason: str
    play: Play  #: the whole play, open deck
    notes: tuple[dict[str, Any], ...]  #: for each move: player, action and the player's details


def play_match(world: World, players: Sequence[MatchPlayer], draws: Random) -> Outcome:
    """Play a match on the true game, which checks every move."""
    state = world.game.new_initial_state()
    play = start_play(world, state)
    histories: list[History] = [[] for _ in players]
    notes: list[dict[str, Any]] = []
    while not state.is_terminal():
        if state.is_chance_node():
            take_step(world, play, state, draws.random)
            continue
        mover = state.current_player()
        seen = world.view(state, mover)
        known = Situation(
            mover,
            play["initial_state"],
            seen,
            [*histories[mover], [seen, None]],
            world.structure(state) if world.is_perfect else None,
            state.clone(),
        )
        try:
            action, facts = players[mover].choose(known)
            number = world.actions(state).get(action)
            if number is None:
                raise Forfeit(f"{action!r:.100} is not a legal action")
        except Forfeit as forfeit:
            return Outcome(tuple(world.forfeited(mover)), mover, str(forfeit), play, tuple(notes))
        notes.append({"player": mover, "action": action, **facts})
        histories[mover].append([seen, action])
        take_step(world, play, state, draws.random, number)
    take_step(world, play, state, draws.random)
    return Outcome(tuple(map(float, state.returns())), None, "", play, tuple(notes))
