"""The matches of a plan: each player in a process of its own, a game of the run's own process as the referee."""

from __future__ import annotations

import contextlib
import hashlib
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from vgdl.competition.agents.failure import AgentFailed, MachineBusy
from vgdl.competition.agents.isolation import Restrictions
from vgdl.competition.agents.plain_data import Plain
from vgdl.competition.agents.process import AgentProcess
from vgdl.competition.agents.sandboxes import working_sandbox
from vgdl.competition.agents.view import belongings, view
from vgdl.competition.agents.voids import Voids
from vgdl.competition.entrants import files_of, hashes_of
from vgdl.competition.errors import CompetitionError
from vgdl.competition.seeds import derive
from vgdl.competition.store import Store
from vgdl.competition.track import Place, Result, Setting, Unit, UnitLost, Work
from vgdl.competition.tracks.tabletop.players import service
from vgdl.competition.tracks.tabletop.track import MatchRow, Plan
from vgdl.controllers.tabletop.resampling import CannotSearch, Resampler
from vgdl.registry import Entry
from vgdl.tabletop import IllegalAction, TurnBasedGame, apply, loading, sample_chance


class Matches(Work):
    """The matches of a plan: a unit of work each."""

    def __init__(self, plan: Plan, setting: Setting, game: TurnBasedGame) -> None:
        self._plan, self._game = plan, game
        self._matches = plan.matches()
        self._service = service(plan.move_ms)
        self.total = len(self._matches)
        files = files_of(plan.entries)
        self.hashes = hashes_of(plan.entries)
        source = loading.file_of(plan.game)
        self.games = [{"name": plan.game, "sha256": _hash(source) if source else ""}]
        sight = view(files, setting.hidden_files)
        if source:  # every player imports the game
            needed = tuple(map(str, belongings(source, set(files))))
            sight = replace(sight, shared=(*sight.shared, *needed))
        self._sandbox = working_sandbox(
            plan.entries, self._service, Restrictions(), sight, setting.options["isolation"]
        )

    def begin(self, store: Store, session: int) -> int:
        return store.count(MatchRow)

    def units(self, store: Store) -> list[Unit]:
        done = {row.number for row in store.rows(MatchRow)}
        return [Unit(number, number) for number in range(self.total) if number not in done]

    def play(self, unit: Unit, place: Place) -> Iterator[Result]:
        voids = Voids("match")
        try:
            row = voids.repeated(lambda: self._match(unit.task, place, voids), title=f"match {unit.task}")
        except MachineBusy as busy:  # no reason to give up the other matches
            raise UnitLost(str(busy)) from None
        place.check()
        yield Result((row,), " – ".join(row.players))

    def _match(self, number: int, place: Place, voids: Voids) -> MatchRow:
        """Play a match; a player that fails or makes an illegal move loses."""
        round_, lineup = self._matches[number]
        chance = random.Random(derive(self._plan.secret, "chance", round_))
        hidden = random.Random(derive(self._plan.secret, "hidden", number))
        resamplers = [Resampler() for _ in lineup]
        state = self._game.new_initial_state()
        failed, failure = -1, ""
        with contextlib.ExitStack() as stack:
            agents = [stack.enter_context(self._agent(entry, number, seat, place)) for seat, entry in enumerate(lineup)]
            for agent in agents:
                stack.enter_context(place.running(agent))
            mover = 0
            try:
                for mover in range(len(agents)):
                    with voids.judging(mover):
                        agents[mover].prepare()
                while not state.is_terminal():
                    if state.is_chance_node():
                        sample_chance(state, chance.random)
                        continue
                    mover = state.current_player()
                    possible = resamplers[mover](state, mover, hidden.random)  # nothing that the player cannot know
                    with voids.judging(mover):
                        action = agents[mover].call("step", state=possible.serialize()).value
                    apply(state, action)
            except AgentFailed as error:
                failed, failure = mover, f"{error.cause}: {error}"
            except IllegalAction as error:
                failed, failure = mover, str(error)
            except CannotSearch as error:
                raise CompetitionError(f"players would see what is hidden from them: {error}") from None
        returns = [float(value) for value in state.returns()]
        names = tuple(entry.ranking_name for entry in lineup)
        return MatchRow(number, round_, names, tuple(returns), failed, failure, tuple(state.history()))

    def _agent(self, entry: Entry, number: int, seat: int, place: Place) -> AgentProcess:
        seed = derive(self._plan.secret, "player", entry.ranking_name, number) % 2**63
        setup: dict[str, Plain] = {"game": self._plan.game, "simulations": self._plan.simulations, "seed": seed}
        return AgentProcess(entry, self._service, self._sandbox, setup=setup, core=place.cores[seat % len(place.cores)])


def _hash(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()
