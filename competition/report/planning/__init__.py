"""The pages of a planning competition: controllers play video games, as in 2014."""

from __future__ import annotations

from pathlib import Path

from vgdl.competition.report.planning import pages, replays
from vgdl.competition.report.planning.facts import Facts
from vgdl.competition.report.registry import Options
from vgdl.competition.report.site import Site
from vgdl.competition.results import standings
from vgdl.competition.results.files import write_json
from vgdl.competition.results.store import Store
from vgdl.competition.results.summary import write_csv


def write_pages(path: Path, site: Site, options: Options) -> None:
    """Write the pages of a store, even of a running competition.

    Args:
        path: path of the store.
        site: the site to write to.
        options: title, and number of replays.

    Raises:
        StoreError: the store cannot be read.
        SiteError: a template is wrong.
    """
    with Store.open(path, read_only=True) as store:
        facts = Facts(store)
        site.title = options.title or f"{facts.plan.game_set.name} set".replace("_", " ").capitalize()
        site.navigation = (("index.html", "Ranking"), ("replay.html", "Replays"), ("protocol.html", "Protocol"))
        site.footer = facts.progress
        replays.write(facts, store, site, options)
        pages.write(facts, store, site)
        if facts.complete:  # not before: it contains the secret from which the seeds of plays to come derive
            results = [play for _, play in facts.plays]
            write_json(site.path("results.json"), standings.everything(store, results))
            write_csv(site.path("results.csv"), results)
