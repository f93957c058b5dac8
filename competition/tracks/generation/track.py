"""The generation track: who makes the best levels, rules, and games?"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import vgdl
from vgdl.competition import notices
from vgdl.competition.agents.failure import MachineBusy
from vgdl.competition.agents.sandboxes import working_sandbox
from vgdl.competition.agents.service import Clock
from vgdl.competition.agents.view import view
from vgdl.competition.chat.options import chat_session, check_costs
from vgdl.competition.chat.usage import usage_rows
from vgdl.competition.entrants import files_of, hashes_of
from vgdl.competition.errors import using
from vgdl.competition.options import Groups, OptionError
from vgdl.competition.results import Results
from vgdl.competition.running import command
from vgdl.competition.store import Store
from vgdl.competition.track import NO_OPTIONS, Command, OnSite, Place, Played, Result, Setting, Unit, UnitLost, Work
from vgdl.competition.tracks.generation import options as generation_options
from vgdl.competition.tracks.generation import tables
from vgdl.competition.tracks.generation.adapter import JUDGE, generator_service
from vgdl.competition.tracks.generation.contest import Contest
from vgdl.competition.tracks.generation.folders import write_folder
from vgdl.competition.tracks.generation.plan import Kind, Plan, Task
from vgdl.competition.tracks.generation.referee import bundled_levels
from vgdl.competition.tracks.generation.rows import TABLES, Generated

if TYPE_CHECKING:
    from vgdl.competition.report.site import PageOptions, Site


class GenerationTrack(Played[Plan]):
    """Generators make levels, rules or games; a referee checks them, and judges play them."""

    name = "generate"
    title = "Generation"
    summary = "generators of levels, rules and games, judged by bots from doing nothing to the champion"
    description = generation_options.DESCRIPTION
    epilog = generation_options.EXAMPLES
    tables = TABLES
    templates = "vgdl.competition.tracks.generation.pages"
    noun = "results"
    on_site = OnSite(
        vote="/tracks/generate/vote",
        judge="/tracks/generate/judge",
        pages="vgdl.competition.tracks.generation.site:routes",
        work="vgdl.competition.tracks.generation.judgements:work",
    )
    commands: ClassVar[Mapping[str, Command]] = {
        "levels": Command(f"{__name__}:levels", "generate levels for games"),
        "rules": Command(f"{__name__}:rules", "generate rules for the sprites and levels of games"),
        "games": Command(f"{__name__}:whole_games", "generate whole games"),
        "archive": Command(
            "vgdl.generation.archives_command:main", "make an archive of feasible levels of a game, for training"
        ),
        "votes": Command(
            "vgdl.competition.tracks.generation.votes_command:main", "strengths of generators from the votes of people"
        ),
    }

    def add_options(self, groups: Groups) -> None:
        generation_options.add(groups)

    def plan(self, options: Mapping[str, Any]) -> Plan:
        return generation_options.plan(options)

    def plan_of(self, facts: Mapping[str, Any]) -> Plan:
        return Plan.from_facts(facts)

    def work(self, plan: Plan, setting: Setting) -> GenerationWork:
        return GenerationWork(plan, setting)

    def results(self, store: Store, options: Mapping[str, Any] = NO_OPTIONS) -> Results:
        return tables.results_of(self.plan_in(store), store)

    def pages(self, store: Store, site: Site, options: PageOptions) -> None:
        from vgdl.competition.tracks.generation.pages import write_pages

        write_pages(self.plan_in(store), store, self.results(store), site, options)

    def finish(self, store: Store, setting: Setting) -> None:
        if setting.options["folder"]:
            with using(setting.options["folder"]):
                write_folder(Path(setting.options["folder"]), self.plan_in(store), store)


def levels(arguments: Sequence[str]) -> int:
    """Run ``vgdl-compete generate levels``."""
    return _generate(Kind.LEVELS, arguments)


def rules(arguments: Sequence[str]) -> int:
    """Run ``vgdl-compete generate rules``."""
    return _generate(Kind.RULES, arguments)


def whole_games(arguments: Sequence[str]) -> int:
    """Run ``vgdl-compete generate games``."""
    return _generate(Kind.GAMES, arguments)


def _generate(kind: Kind, arguments: Sequence[str]) -> int:
    """Run the track for one kind; a store that is resumed knows its own."""
    named = [] if any(word.startswith("--resume") for word in arguments) else ["--kind", str(kind)]
    return command(GenerationTrack(), [*named, *arguments])


class GenerationWork(Work):
    """The tasks of a plan."""

    def __init__(self, plan: Plan, setting: Setting) -> None:
        """Load the games, and test the sandbox with a real process.

        Raises:
            OptionError: a game cannot be used; or costs are limited, and a price is missing.
            IsolationError: generators cannot be isolated as required.
        """
        check_costs(setting.options, plan.endpoints)
        self._plan = plan
        self.games = [] if plan.kind is Kind.GAMES else [_facts(path, plan.kind) for path in plan.subjects]
        self.hashes = hashes_of(plan.entries)
        clock = Clock.CPU if plan.budget.is_time else Clock.CALLS
        asked = generator_service(clock, plan.construct.amount, plan.budget.amount)
        sight = view(files_of(plan.entries), setting.hidden_files)
        sandbox = working_sandbox(
            plan.programs or (JUDGE,), asked, plan.restrictions, sight, setting.options["isolation"]
        )
        notices.warn_if_weak(clock, sandbox, setting.console)
        self._contest = Contest(plan, sandbox)
        self._setting = setting
        self._stack = contextlib.ExitStack()
        self._done: dict[Task, Generated] = {}
        self._tasks = plan.tasks()
        self.total = len(self._tasks)

    def begin(self, store: Store, session: int) -> int:
        opened = chat_session(self._setting.options, store.path, self._plan.endpoints)
        self._contest.session = self._stack.enter_context(opened)
        self._store, self._number = store, session
        for row in store.rows(Generated):
            self.saved(Result((row,), ""))
        return len(self._done)

    def units(self, store: Store) -> list[Unit]:
        return [Unit(task, task) for task in self._tasks if self._key(task) not in self._done]

    def _key(self, task: Task) -> Task:
        return Task(task.generator, self._plan.title(task.subject), task.number)

    def play(self, unit: Unit, place: Place) -> Iterator[Result]:
        try:
            row = self._contest.do(unit.task, place)
        except MachineBusy as busy:  # no reason to give up the other tasks
            raise UnitLost(str(busy)) from None
        word = "feasible" if row.feasible else row.cause or "not feasible"
        label = f"{row.generator}, {row.subject} {row.number}: {word}"
        yield Result((row,), label, row.seconds, row.waited_ms)

    def saved(self, result: Result) -> None:
        (row,) = result.rows
        self._done[Task(row.generator, row.subject, row.number)] = row

    def ended(self) -> None:
        if self._contest.session is not None:
            self._store.put(*usage_rows(self._number, self._contest.session.accounts))

    def close(self) -> None:
        self._stack.close()

    def line(self) -> str:
        feasible = {
            name: [row.feasible for row in self._done.values() if row.generator == name] for name in self._plan.names
        }
        return "  ".join(f"{name}: {sum(own)} of {len(own)} feasible" for name, own in feasible.items() if own)


def _facts(path: str, kind: Kind) -> dict[str, Any]:
    """Name and hashes of a game.

    Raises:
        OptionError: it is for two players, or has no levels although they are needed.
    """
    game = vgdl.load(path)
    if game.n_players != 1:
        raise OptionError(f"{game.name} is for {game.n_players} players: expected a game for one")
    if kind is Kind.RULES and not bundled_levels(game):
        raise OptionError(f"{game.name} has no levels, which rules are generated for")
    return {"name": game.name, "sha256": game.digest}
