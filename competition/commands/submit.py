"""The command ``vgdl-compete submit``: submit an entry to a site, or to the queue of a store on this machine."""

from __future__ import annotations

from collections.abc import Sequence

SUMMARY = "check a zip with a controller, and queue it, here or on a site"


def main(arguments: Sequence[str]) -> int:
    """Run the command and return its exit status."""
    if any(word.partition("=")[0] == "--site" for word in arguments):
        from vgdl.competition.web.command import submit_to_site

        return submit_to_site(arguments)
    from vgdl.competition.submissions.commands import submit

    return submit(arguments)
