"""The command ``vgdl-compete submissions``: the queue of a store."""

from __future__ import annotations

from collections.abc import Sequence

SUMMARY = "what became of the submissions of a store"


def main(arguments: Sequence[str]) -> int:
    """Run the command and return its exit status."""
    from vgdl.competition.submissions.commands import show

    return show(arguments)
