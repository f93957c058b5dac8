"""The track: its options and plan, the rows of its store, its plays, its results and its pages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any

from guessing.entrants import GUESSERS, HIGHEST, SERVICE
from vgdl.competition import options, typed
from vgdl.competition.agents.failure import AgentFailed
from vgdl.competition.agents.isolation import Restrictions
from vgdl.competition.agents.process import AgentProcess
from vgdl.competition.agents.sandboxes import working_sandbox
from vgdl.competition.agents.view import view
from vgdl.competition.entrants import files_of, hashes_of
from vgdl.competition.options import Groups
from vgdl.competition.report.site import PageOptions, Site
from vgdl.competition.results import Column, Results, ResultTable, rows_of
from vgdl.competition.seeds import derive
from vgdl.competition.store import Store
from vgdl.competition.table import Packed, Table
from vgdl.competition.track import NO_OPTIONS, Place, Played, Result, Setting, Unit, Work
from vgdl.registry import Entry


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that results depend on."""

    entries: tuple[Entry, ...]
    rounds: int  #: numbers that each guesser has to find
    secret: int

    def facts(self) -> dict[str, Any]:
        return {**asdict(self), "secret": str(self.secret)}  # many JSON readers would not keep 128 bits exact


@dataclass(frozen=True, slots=True)
class RoundRow:
    """A finished round: a row of the store."""

    guesser: str
    round: int
    guesses: int  #: 0 if the number was not found
    failure: str  #: why not
    numbers: Packed[tuple[int, ...]] = ()  #: all guesses, compressed


class GuessingTrack(Played[Plan]):
    """Every guesser finds the same numbers; the fewest guesses win."""

    name = "guessing"
    summary = "programs guess a number"
    description = "Let programs guess numbers from 1 to 1000, and rank them by the number of guesses."
    tables = (Table("guessing_rounds", RoundRow, "guesser", "round"),)
    templates = "guessing"
    noun = "rounds"

    def add_options(self, groups: Groups) -> None:
        what = groups.plan("what is played")
        what.add_argument(
            "--guessers", type=options.name_list, default=list(GUESSERS.names()), metavar="A,B,...",
            help=f"who guesses: {', '.join(GUESSERS.names())}, or FILE.py:CLASS (default: all of the named ones)",
        )  # fmt: skip
        what.add_argument("--rounds", type=options.positive, default=10, metavar="N", help="numbers (default: 10)")
        groups.seed("what is played")
        options.add_isolation_level(groups.session("isolation of guessers"))
        groups.store("guessers in parallel, a core each")
        groups.output("guesser and round")

    def plan(self, chosen: Mapping[str, Any]) -> Plan:
        return Plan(GUESSERS.find_all(chosen["guessers"]), chosen["rounds"], options.secret(chosen))

    def plan_of(self, facts: Mapping[str, Any]) -> Plan:
        entries = typed.read(tuple[Entry, ...], facts["entries"], "entries")
        return Plan(entries, typed.read(int, facts["rounds"], "rounds"), int(facts["secret"]))

    def work(self, plan: Plan, setting: Setting) -> Rounds:
        return Rounds(plan, setting)

    def results(self, store: Store, options: Mapping[str, Any] = NO_OPTIONS) -> Results:
        plan, rows = self.plan_in(store), store.rows(RoundRow)
        ranked = []
        for entry in plan.entries:
            own = [row for row in rows if row.guesser == entry.ranking_name]
            found = [row.guesses for row in own if row.guesses]
            ranked.append((entry.ranking_name, len(found), len(own), fmean(found) if found else None))
        ranked.sort(key=lambda row: (-row[1], row[3] or HIGHEST))
        columns = (Column("guesser"), Column("found"), Column("rounds"), Column("guesses", "mean guesses", ".2f"))
        ranking = ResultTable("ranking", "Guessers", columns, rows_of(columns, ranked))
        fields = tuple(Column(name) for name in ("guesser", "round", "guesses", "failure"))
        rounds = ResultTable(
            "rounds", "Rounds", fields, [{c.name: getattr(row, c.name) for c in fields} for row in rows]
        )
        failures = [f"{row.guesser}, round {row.round}: {row.failure}" for row in rows if row.failure]
        total = len(plan.entries) * plan.rounds
        shown = [ranking, *failures, f"seed {plan.secret}"]
        return Results(
            self.name, len(rows) == total, [ranking, rounds], shown=shown, csv="rounds", done=len(rows), total=total
        )

    def pages(self, store: Store, site: Site, options: PageOptions) -> None:
        site.title = options.title or "Guessing"
        site.navigation = (("index.html", "Ranking"),)
        games = list(store.full_rows(RoundRow))  # with the packed fields
        ranking = self.results(store).table("ranking")
        site.page("index.html", "guessing/index.html", title=site.title, ranking=ranking, games=games)


class Rounds(Work):
    """The rounds of a plan: a unit of work for each guesser."""

    def __init__(self, plan: Plan, setting: Setting) -> None:
        self._plan = plan
        self.total = len(plan.entries) * plan.rounds
        self.hashes = hashes_of(plan.entries)  # a guesser in a file must not change until the end
        sight = view(files_of(plan.entries), setting.hidden_files)  # it sees its own file, and not the store
        self._sandbox = working_sandbox(plan.entries, SERVICE, Restrictions(), sight, setting.options["isolation"])

    def begin(self, store: Store, session: int) -> int:
        return store.count(RoundRow)

    def units(self, store: Store) -> list[Unit]:
        done = {(row.guesser, row.round) for row in store.rows(RoundRow)}
        left = {
            entry: [number for number in range(self._plan.rounds) if (entry.ranking_name, number) not in done]
            for entry in self._plan.entries
        }
        return [Unit(entry.ranking_name, (entry, numbers)) for entry, numbers in left.items() if numbers]

    def play(self, unit: Unit, place: Place) -> Iterator[Result]:
        entry, rounds = unit.task
        for number in rounds:
            row = self._round(entry, number, place)
            yield Result((row,), f"{entry.ranking_name}, round {number}")

    def _round(self, entry: Entry, number: int, place: Place) -> RoundRow:
        target = 1 + derive(self._plan.secret, "target", number) % HIGHEST
        seed = derive(self._plan.secret, "guesser", entry.ranking_name, number)
        low, high, numbers, failure = 1, HIGHEST, [], ""
        agent = AgentProcess(entry, SERVICE, self._sandbox, setup={"seed": seed}, core=place.cores[0])
        with agent, place.running(agent):
            try:
                agent.prepare()
                while target not in numbers and len(numbers) < HIGHEST:
                    numbers.append(agent.call("guess", low=low, high=high).value)
                    low = max(low, numbers[-1] + 1) if numbers[-1] < target else low
                    high = min(high, numbers[-1] - 1) if numbers[-1] > target else high
            except AgentFailed as error:  # a stranger's failure is a result
                failure = str(error.cause)
        place.check()  # an agent that was killed since the run is stopped has no result
        guesses = len(numbers) if target in numbers else 0
        return RoundRow(entry.ranking_name, number, guesses, failure, tuple(numbers))
