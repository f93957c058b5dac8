"""Code world models: an author writes games as programs, and planners play on them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from vgdl.competition.options import Groups
from vgdl.competition.results import Results
from vgdl.competition.store import Store
from vgdl.competition.track import NO_OPTIONS, Command, Played, Setting, Work
from vgdl.competition.tracks.worldmodels import options as world_model_options
from vgdl.competition.tracks.worldmodels import results as programs
from vgdl.competition.tracks.worldmodels.arena import ProgramsWork
from vgdl.competition.tracks.worldmodels.plan import Plan
from vgdl.competition.tracks.worldmodels.search import work as search
from vgdl.competition.tracks.worldmodels.search.work import SearchPlan, SearchWork
from vgdl.competition.tracks.worldmodels.store import TABLES
from vgdl.competition.tracks.worldmodels.texts import results as texts
from vgdl.competition.tracks.worldmodels.texts.plan import TextPlan
from vgdl.competition.tracks.worldmodels.texts.work import TextWork

if TYPE_CHECKING:
    from vgdl.competition.report.site import PageOptions, Site

AnyPlan = Plan | TextPlan | SearchPlan
"""A plan: of turn-based games as programs, of VGDL games by authors that answer prompts, or by search."""

_TOOLS = "vgdl.competition.tracks.worldmodels.tools"


class WorldModelsTrack(Played[AnyPlan]):
    """An author writes games as programs from their rules and recorded plays; the programs are measured and played."""

    name = "worldmodels"
    title = "World models"
    summary = "code world models: an author writes games as programs"
    description = world_model_options.DESCRIPTION
    epilog = world_model_options.EPILOG
    tables = TABLES
    templates = "vgdl.competition.tracks.worldmodels.pages"
    noun = "results"
    commands: ClassVar[Mapping[str, Command]] = {
        "record": Command(f"{_TOOLS}:record", "GAME --out FILE: recorded plays as JSON lines, open or closed deck"),
        "scan": Command(f"{_TOOLS}:scan", "FILE: look for hidden fields in closed plays"),
        "check": Command(f"{_TOOLS}:check", "PROGRAM.py GAME: run the unit tests on a program of your own"),
        "values": Command(
            "vgdl.competition.tracks.worldmodels.further:values", "STORE: play with and without value functions"
        ),
        "ppo": Command(
            "vgdl.competition.tracks.worldmodels.further:ppo", "STORE: train by PPO on learnt models, and play"
        ),
    }

    def add_options(self, groups: Groups) -> None:
        world_model_options.add(groups)

    def plan(self, options: Mapping[str, Any]) -> AnyPlan:
        return world_model_options.plan(options)

    def plan_of(self, facts: Mapping[str, Any]) -> AnyPlan:
        kind = facts.get("kind") or facts["track"].removeprefix("worldmodels").strip() or "programs"  # as in 0.2
        kinds: dict[str, type[Plan] | type[TextPlan] | type[SearchPlan]]
        kinds = {"programs": Plan, "texts": TextPlan, "search": SearchPlan}
        return kinds[kind].from_facts(facts)

    def work(self, plan: AnyPlan, setting: Setting) -> Work:
        if isinstance(plan, SearchPlan):
            return SearchWork(plan)
        return TextWork(plan, setting) if isinstance(plan, TextPlan) else ProgramsWork(plan, setting)

    def results(self, store: Store, options: Mapping[str, Any] = NO_OPTIONS) -> Results:
        plan = self.plan_in(store)
        if isinstance(plan, SearchPlan):
            return search.results_of(plan, store)
        if isinstance(plan, TextPlan):
            return texts.results_of(plan, store)
        return programs.results_of(plan, store, beside_published=not options.get("no_published"))

    def pages(self, store: Store, site: Site, options: PageOptions) -> None:
        from vgdl.competition.tracks.worldmodels.pages import write_pages
        from vgdl.competition.tracks.worldmodels.pages.texts import write_search, write_texts

        plan = self.plan_in(store)
        if isinstance(plan, SearchPlan):
            write_search(plan, store, site, options)
        elif isinstance(plan, TextPlan):
            write_texts(plan, store, site, options)
        else:
            write_pages(plan, store, site, options)
