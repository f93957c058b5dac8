"""The pages of a planning competition: controllers play video games, as in 2014."""

from __future__ import annotations

from vgdl.competition.files import write_json
from vgdl.competition.report.site import PageOptions, Site
from vgdl.competition.results import Results
from vgdl.competition.store import Store
from vgdl.competition.tracks.planning.pages import pages, replays
from vgdl.competition.tracks.planning.pages.facts import Facts
from vgdl.competition.tracks.planning.plan import Plan


def write_pages(plan: Plan, store: Store, results: Results, site: Site, options: PageOptions) -> None:
    """Write the pages of a store, even of a running competition.

    Args:
        plan: its plan.
        store: the store.
        results: its results.
        site: the site to write to.
        options: title, and number of replays.

    Raises:
        StoreError: the store cannot be read.
        SiteError: a template is wrong.
    """
    facts = Facts(plan, store)
    site.title = options.title or f"{plan.game_set.name} set".replace("_", " ").capitalize()
    site.navigation = (("index.html", "Ranking"), ("replay.html", "Replays"), ("protocol.html", "Protocol"))
    site.footer = facts.progress
    replays.write(facts, store, site, options)
    pages.write(facts, store, site)
    if results.complete:  # not before: it contains the secret from which the seeds of plays to come derive
        write_json(site.path("results.json"), results.to_dict())
        results.table(results.csv).write_csv(site.path("results.csv"))
