"""Playing the matches of a plan concurrently; each result is yielded as soon as it is available."""

from __future__ import annotations

import contextlib
import queue
import random
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from vgdl.competition.chat.endpoint import OpenAIChat
from vgdl.competition.chat.model import ChatModel, TransportError
from vgdl.competition.chat.session import ChatSession
from vgdl.competition.seeds import derive
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


@dataclass(frozen=True, slots=True)
class MatchDone:
    """A finished match."""

    fixture: Fixture
    result: MatchResult
    seconds: float  #: wall time


@dataclass(frozen=True, slots=True)
class MatchLost:
    """A match aborted because a model could not be reached; it is left for a resumed run."""

    fixture: Fixture
    reason: str


class Arena:
    """Plays matches of a plan."""

    def __init__(self, plan: Plan, session: ChatSession) -> None:
        """Prepare the players.

        Raises:
            ChatError: an endpoint cannot be used, or a package is missing.
        """
        self._plan = plan
        self._session = session
        self._models = {entry.name: model for entry in plan.entries if (model := self._model(entry))}
        self._stopped = threading.Event()

    def play(self, fixtures: Sequence[Fixture], jobs: int) -> Iterator[MatchDone | MatchLost]:
        """Play matches concurrently; yields them as they end.

        Raises:
            ChatError: a limit is reached, or an endpoint refuses requests; matches already yielded are done.
        """
        todo: queue.SimpleQueue[Fixture] = queue.SimpleQueue()
        for fixture in fixtures:
            todo.put(fixture)
        done: queue.SimpleQueue[MatchDone | MatchLost | BaseException | None] = queue.SimpleQueue()
        threads = min(jobs, len(fixtures))
        for _ in range(threads):  # daemons: pending replies are not waited for after Ctrl-C
            threading.Thread(target=self._work, args=(todo, done), daemon=True).start()
        try:
            while threads:
                outcome = done.get()
                if outcome is None:
                    threads -= 1
                elif isinstance(outcome, BaseException):
                    raise outcome
                else:
                    yield outcome
        finally:
            self._stopped.set()

    def _work(
        self,
        todo: queue.SimpleQueue[Fixture],
        done: queue.SimpleQueue[MatchDone | MatchLost | BaseException | None],
    ) -> None:
        """Play matches until none are left."""
        with contextlib.suppress(queue.Empty):
            while not self._stopped.is_set():
                try:
                    done.put(self._match(todo.get_nowait()))
                except queue.Empty:
                    raise
                except BaseException as error:  # re-raised where results are consumed
                    done.put(error)
                    return
        done.put(None)

    def _match(self, fixture: Fixture) -> MatchDone | MatchLost:
        began = time.monotonic()
        task = TASKS[fixture.game]()
        chance = random.Random(derive(self._plan.secret, "deal", fixture.game, *fixture.pair, fixture.deal))
        players = [self._player(fixture, seat, task) for seat in (0, 1)]
        try:
            result = Match(task, players, chance, self._plan.options).play()
        except TransportError as error:
            return MatchLost(fixture, str(error))
        return MatchDone(fixture, result, time.monotonic() - began)

    def _model(self, entry: Entry) -> ChatModel | None:
        if entry.kind == "endpoint":
            return OpenAIChat(entry.url, entry.model, api_key_env=entry.key_env)
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
                sampling=self._plan.sampling,
            )
        seed = derive(self._plan.secret, "player", fixture.game, *fixture.names, fixture.deal, seat)
        if entry.kind == "random":
            return MovePlayer(name, at_random(seed))
        search = self._search(task, seed)
        return PerfectPlayer(name, search) if entry.kind == "perfect" else MovePlayer(name, search)

    def _search(self, task: Task, seed: int) -> Chooser:
        return exhaustive if task.name == "tic_tac_toe" else searching(self._plan.simulations, seed)
