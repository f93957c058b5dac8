"""Players: language models, random moves, the search with true answers, and searches without answers."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

from vgdl.competition.chat.model import ChatModel, Sampling
from vgdl.competition.chat.session import ChatSession
from vgdl.competition.tracks.gamebot.answers import Reading
from vgdl.competition.tracks.gamebot.grammars import Mode
from vgdl.competition.tracks.gamebot.match import Response
from vgdl.competition.tracks.gamebot.prompts import Variant, prompt
from vgdl.competition.tracks.gamebot.task import Task
from vgdl.controllers.tabletop import ISMCTS, MCTS


@runtime_checkable
class SeesPositions(Protocol):
    """A model for tests that gets the position in addition to the prompt."""

    def at(self, task: Task, state: Any, player: int) -> ChatModel:
        """The model that answers in this turn."""


class ChatPlayer:
    """A language model."""

    def __init__(
        self,
        name: str,
        model: ChatModel,
        session: ChatSession,
        match: str,
        *,
        variant: Variant = Variant.GUIDED,
        reading: Mode = Mode.PAPER,
        sampling: Sampling | None = None,
    ) -> None:
        """Make a player for one match.

        Args:
            name: the name in tables.
            model: the model to ask.
            session: cache, accounts and limits.
            match: identifies the match in the run; part of the key under which replies are cached.
            variant: variant of the prompts.
            reading: which forms of answers count.
            sampling: sampling of the replies; by default the provider's settings, at most 4096 tokens.
        """
        self.name = name
        self._model = model
        self._session = session
        self._match = match
        self._variant = variant
        self._reading = reading
        self._sampling = sampling or Sampling()

    def respond(self, task: Task, state: Any, player: int, turn: int, attempt: int, fault: str) -> Response:
        asked = prompt(task, player, self._variant)
        content = asked.with_position(task.text(state, player))
        if fault:
            content = f"{content}\n{fault} Answer again.\n"
        model = self._model.at(task, state, player) if isinstance(self._model, SeesPositions) else self._model
        reply = self._session.ask(
            model,
            [{"role": "user", "content": content}],
            self._sampling,
            version=asked.version,
            key=(self._match, player, turn, attempt),
            label=task.name,
            player=self.name,
        )
        return Response(
            task.read(reply.answer, self._reading),
            reply.text,
            asked.version,
            answers_questions=self._variant is Variant.GUIDED,
            truncated=reply.truncated,
            cached=reply.cached,
            fault=reply.fault,
            prompt_tokens=reply.prompt_tokens,
            completion_tokens=reply.completion_tokens,
        )


Chooser = Callable[[Task, Any, int], Any]
"""Chooses a move from a position."""


class MovePlayer:
    """A player that answers no questions."""

    def __init__(self, name: str, choose: Chooser) -> None:
        self.name = name
        self._choose = choose

    def respond(self, task: Task, state: Any, player: int, turn: int, attempt: int, fault: str) -> Response:
        return Response(Reading(move=self._choose(task, state, player)))


class PerfectPlayer:
    """Answers every question correctly and moves by search."""

    def __init__(self, name: str, choose: Chooser) -> None:
        self.name = name
        self._choose = choose

    def respond(self, task: Task, state: Any, player: int, turn: int, attempt: int, fault: str) -> Response:
        move = self._choose(task, state, player)
        return Response(Reading(task.truths(state, player, move), move=move), answers_questions=True)


def at_random(seed: int) -> Chooser:
    """Uniformly random legal moves."""
    generator = random.Random(seed)
    return lambda task, state, player: generator.choice(task.moves(state, player))


def exhaustive(task: Task, state: Any, player: int) -> Any:
    """The best move in a small game without chance, found by exhaustive search; for Tic-tac-toe."""
    known: dict[str, float] = {}

    def value(position: Any) -> float:
        if position.is_terminal():
            return float(position.returns()[player])
        text = str(position)
        if text not in known:
            best = max if position.current_player() == player else min
            known[text] = best(value(position.child(action)) for action in position.legal_actions())
        return known[text]

    return max(task.moves(state, player), key=lambda move: value(state.child(task.action(state, player, move))))


def searching(simulations: int, seed: int) -> Chooser:
    """Moves by Monte Carlo tree search, over information sets if a game has hidden information.

    If both players move at once, random games after each own move are compared.

    Args:
        simulations: simulations per move.
        seed: seed of the search.
    """
    generator = random.Random(seed)

    def choose(task: Task, state: Any, player: int) -> Any:
        moves = task.moves(state, player)
        if state.is_simultaneous_node():
            each = max(1, simulations // len(moves))
            return max(moves, key=lambda move: _mean_return(state, player, move, each, generator))
        search = _search(state, simulations, generator.getrandbits(63))
        action = search.step(state)
        return next(move for move in moves if task.action(state, player, move) == action)

    return choose


def _search(state: Any, simulations: int, seed: int) -> MCTS | ISMCTS:
    if state.get_game().get_type().information.name == "IMPERFECT_INFORMATION":
        return ISMCTS(simulations=simulations, rollouts=1, seed=seed)
    return MCTS(simulations=simulations, rollouts=1, seed=seed)


def _mean_return(state: Any, player: int, action: int, games: int, generator: random.Random) -> float:
    """The mean return of random games that begin with an action while the other player draws its own."""
    total = 0.0
    for _ in range(games):
        future, actions = state.clone(), [0, 0]
        first = True
        while not future.is_terminal():
            actions = [generator.choice(future.legal_actions(each)) for each in (0, 1)]
            if first:
                actions[player] = action
            first = False
            future.apply_actions(actions)
        total += future.returns()[player]
    return total / games
