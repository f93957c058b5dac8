"""Playing the matches of a plan."""

from __future__ import annotations

import random

from rich.console import Console

from vgdl.competition.chat.endpoint import OpenAIChat
from vgdl.competition.chat.model import ChatModel
from vgdl.competition.chat.session import ChatSession
from vgdl.competition.seeds import derive
from vgdl.competition.tracks.gamebot.human import HumanPlayer
from vgdl.competition.tracks.gamebot.match import Match, MatchResult, Player
from vgdl.competition.tracks.gamebot.plan import Entry, Fixture, Plan
from vgdl.competition.tracks.gamebot.players import (
    ChatPlayer,
    Chooser,
    MovePlayer,
    PerfectPlayer,
    at_random,
    exhaustive,
    searching,
)  # fmt: skip
from vgdl.competition.tracks.gamebot.scripted import ScriptedModel
from vgdl.competition.tracks.gamebot.task import Task
from vgdl.competition.tracks.gamebot.tasks import TASKS


class Arena:
    """Plays matches of a plan."""

    def __init__(self, plan: Plan, session: ChatSession, console: Console | None = None) -> None:
        """Prepare the players.

        Args:
            plan: the plan.
            session: cache, accounts and limits of language models.
            console: where a person is shown the game.

        Raises:
            ChatError: an endpoint cannot be used, or a package is missing.
        """
        self._plan = plan
        self._session = session
        self._console = console or Console()
        self._models = {entry.name: model for entry in plan.entries if (model := self._model(entry))}

    def play(self, fixture: Fixture) -> MatchResult:
        """Play a match; thread-safe.

        Raises:
            TransportError, EndpointUnreachable, RequestRefused, PlayerLimitReached: a model could not be asked, as
                the error's ``player`` says; the match has no outcome.
            ChatError: a limit of the run is reached.
        """
        task = TASKS[fixture.game]()
        chance = random.Random(derive(self._plan.secret, "deal", fixture.game, *fixture.pair, fixture.deal))
        players = [self._player(fixture, seat, task) for seat in (0, 1)]
        return Match(task, players, chance, self._plan.options).play()

    def _model(self, entry: Entry) -> ChatModel | None:
        if entry.kind == "endpoint":
            return OpenAIChat.of(entry)
        if entry.kind == "scripted":
            return ScriptedModel(entry.model, derive(self._plan.secret, "script", entry.name))
        return None

    def _player(self, fixture: Fixture, seat: int, task: Task) -> Player:
        name = fixture.names[seat]
        entry = self._plan.entry(name)
        if name in self._models:
            return ChatPlayer(
                name,
                self._models[name],
                self._session,
                f"{fixture.game} {fixture.first} {fixture.second} {fixture.deal}",
                variant=self._plan.variant,
                reading=self._plan.reading,
                sampling=self._plan.sampling,
            )
        seed = derive(self._plan.secret, "player", fixture.game, *fixture.names, fixture.deal, seat)
        if entry.kind == "human":
            return HumanPlayer(name, self._console, variant=self._plan.variant, reading=self._plan.reading)
        if entry.kind == "random":
            return MovePlayer(name, at_random(seed))
        search = self._search(task, seed)
        return PerfectPlayer(name, search) if entry.kind == "perfect" else MovePlayer(name, search)

    def _search(self, task: Task, seed: int) -> Chooser:
        return exhaustive if task.name == "tic_tac_toe" else searching(self._plan.simulations, seed)
