"""The command ``vgdl-compete site``: organise the competitions of a site."""

from __future__ import annotations

from collections.abc import Sequence

SUMMARY = "organise the competitions of a site"


def main(arguments: Sequence[str]) -> int:
    """Run the command and return its exit status."""
    from vgdl.competition.web.command import main as organise

    return organise(arguments)
