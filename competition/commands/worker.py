"""The command ``vgdl-compete worker``: the queue of a site or of a store is worked through."""

from __future__ import annotations

from collections.abc import Sequence

from vgdl.competition.options import Parser
from vgdl.competition.web.database import is_site

SUMMARY = "evaluate what is in the queue of a store or of a site"


def main(arguments: Sequence[str]) -> int:
    """Run the command and return its exit status."""
    finder = Parser(add_help=False, allow_abbrev=False)
    finder.add_argument("--store", nargs="?", default="")
    store = finder.parse_known_args(arguments)[0].store
    if store and is_site(store):
        from vgdl.competition.web.worker import main as work_for_site

        return work_for_site(arguments)
    from vgdl.competition.submissions.commands import work

    return work(arguments)
