"""GAMEBoT: language models play eight games and answer questions on every position."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vgdl.competition.chat.accounts import PlayerLimitReached
from vgdl.competition.chat.model import ChatError, EndpointUnreachable, RequestRefused, TransportError
from vgdl.competition.chat.options import chat_session, check_costs
from vgdl.competition.chat.usage import usage_rows
from vgdl.competition.options import Groups, OptionError, check_files
from vgdl.competition.progress import SHOWN
from vgdl.competition.results import Results as ResultTables
from vgdl.competition.store import Store
from vgdl.competition.track import NO_OPTIONS, OnSite, Place, Played, Result, Setting, Unit, UnitLost, Work
from vgdl.competition.tracks.gamebot import options as gamebot_options
from vgdl.competition.tracks.gamebot import tables, turns
from vgdl.competition.tracks.gamebot.arena import Arena
from vgdl.competition.tracks.gamebot.plan import Fixture, Plan
from vgdl.competition.tracks.gamebot.results import Results
from vgdl.competition.tracks.gamebot.scores import Seat
from vgdl.competition.tracks.gamebot.store import (
    TABLES,
    MatchRow,
    Reason,
    UnplayedRow,
    rows_of,
    seat_of,
    seats,
)  # fmt: skip
from vgdl.competition.tracks.gamebot.tasks import TASKS

if TYPE_CHECKING:
    from vgdl.competition.report.site import PageOptions, Site


class GamebotTrack(Played[Plan]):
    """Every pair plays every game as either player; outcomes (S) and answers to questions (I) are scored."""

    name = "gamebot"
    summary = "GAMEBoT: language models play eight games and answer questions on every position"
    description = gamebot_options.DESCRIPTION
    epilog = gamebot_options.EXAMPLES
    tables = TABLES
    templates = "vgdl.competition.tracks.gamebot.pages"
    noun = "matches"
    on_site = OnSite(play="/tracks/gamebot/play", pages="vgdl.competition.tracks.gamebot.site:routes")

    def add_options(self, groups: Groups) -> None:
        gamebot_options.add(groups)

    def plan(self, options: Mapping[str, Any]) -> Plan:
        return gamebot_options.plan(options)

    def plan_of(self, facts: Mapping[str, Any]) -> Plan:
        return Plan.from_facts(facts)

    def check(self, options: Mapping[str, Any]) -> None:
        turns.check(options["turns"])
        check_files(options["turns"], options["json"], options["csv"], options["store"] or options["resume"])

    def finish(self, store: Store, setting: Setting) -> None:
        if file := setting.options["turns"]:
            turns.write(self.plan_in(store), store, Path(file))

    def work(self, plan: Plan, setting: Setting) -> GamebotWork:
        return GamebotWork(plan, setting)

    def results(self, store: Store, options: Mapping[str, Any] = NO_OPTIONS) -> ResultTables:
        published = bool(options.get("published"))
        return tables.results_of(Results.of(self.plan_in(store), store), store, beside_published=published)

    def pages(self, store: Store, site: Site, options: PageOptions) -> None:
        from vgdl.competition.tracks.gamebot.pages import write_pages

        write_pages(Results.of(self.plan_in(store), store), store, site, options)


class GamebotWork(Work):
    """The matches of a competition."""

    cores = 0

    def __init__(self, plan: Plan, setting: Setting) -> None:
        """Load the games before the first match.

        Raises:
            CompetitionError: one of them needs a package that is missing, or an endpoint cannot be used.
            OptionError: a person is to play several matches at once; or costs are limited, and a price is missing.
        """
        check_costs(setting.options, plan.endpoints())
        for game in plan.games:
            TASKS[game]()
        if plan.has_person and setting.jobs > 1:
            raise OptionError("a person plays one match at a time: omit --jobs")
        self.is_interactive = plan.has_person
        self._plan, self._setting = plan, setting
        self._stack = contextlib.ExitStack()
        self._seats: list[Seat] = []
        self.games = [{"name": game} for game in plan.games]
        self.total = len(plan.fixtures())
        self.circumstances = {"cache": setting.options["cache"]}

    def begin(self, store: Store, session: int) -> int:
        opened = chat_session(self._setting.options, store.path, self._plan.endpoints())
        self._session = self._stack.enter_context(opened)
        self._arena = Arena(self._plan, self._session, self._setting.console)
        self._store, self._number = store, session
        self._seats = seats(store)
        return store.count(MatchRow)

    def units(self, store: Store) -> list[Unit]:
        done = {match.number for match in store.rows(MatchRow)}
        return [Unit(fixture.number, fixture) for fixture in self._plan.fixtures() if fixture.number not in done]

    def play(self, unit: Unit, place: Place) -> Iterator[Result]:
        fixture, began = unit.task, time.monotonic()
        try:
            result = self._arena.play(fixture)
        except (TransportError, EndpointUnreachable, RequestRefused, PlayerLimitReached) as error:
            yield Result((_unplayed(fixture, error),), "", counts=False, replaces=True)
            raise UnitLost(str(error)) from None
        seconds = time.monotonic() - began
        yield Result(rows_of(fixture, result, seconds), f"{fixture.game}, {fixture.first} - {fixture.second}", seconds)

    def saved(self, result: Result) -> None:
        match, *rows = result.rows
        if isinstance(match, MatchRow):
            self._seats += [seat_of(match, row) for row in rows]
        self.ended()

    def ended(self) -> None:
        self._store.put(*usage_rows(self._number, self._session.accounts))

    def line(self) -> str:
        rows = Results.from_seats(self._plan, self._seats).table.scores[:SHOWN]
        texts = [f"{row.model} {tables.number(row.outcome if row.score is None else row.score)}" for row in rows]
        return "  ".join(f"{place}. {text}" for place, text in enumerate(texts, 1))

    def close(self) -> None:
        self._stack.close()


def _unplayed(fixture: Fixture, error: ChatError) -> UnplayedRow:
    """The row of a match that could not be played."""
    reason = Reason.UNREACHABLE
    if isinstance(error, RequestRefused) or isinstance(error.__cause__, RequestRefused):
        reason = Reason.REFUSED
    elif isinstance(error, PlayerLimitReached):
        reason = Reason.LIMIT
    return UnplayedRow(fixture.number, fixture.game, fixture.first, fixture.second, error.player, reason, str(error))
