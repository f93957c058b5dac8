"""The command ``vgdl-compete serve``: the competition site."""

from __future__ import annotations

from collections.abc import Sequence

SUMMARY = "a competition site: enter, watch and play in the browser"


def main(arguments: Sequence[str]) -> int:
    """Run the command and return its exit status."""
    from vgdl.competition.web.serve import main as serve

    return serve(arguments)
