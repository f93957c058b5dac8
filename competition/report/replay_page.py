"""The page with the player; which play it shows is said behind the ``#`` of its address."""

from __future__ import annotations

from vgdl.competition.report.facts import Facts
from vgdl.competition.report.html import Html, tag
from vgdl.competition.report.parts import STATIC, page


def write(facts: Facts) -> str:
    """The page."""
    if not facts.films:
        content = [tag("header", tag("h1", "Replays")), tag("p", "This site was written without replays.")]
        return page(facts, "Replays", content, here="replay.html")
    player = Html((STATIC / "player.html").read_text(encoding="utf-8"))
    scripts = Html('<script src="assets/player.js"></script>\n<script src="assets/plays.js"></script>')
    return page(facts, "Replays", [player], here="replay.html", end=scripts)
