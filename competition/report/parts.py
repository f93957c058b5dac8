"""What several pages have in common: the frame around them, links to plays, chips for outcomes."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.resources import files
from string import Template

from vgdl.competition.report.charts import number, share_bar
from vgdl.competition.report.facts import Facts, Seat
from vgdl.competition.report.html import Html, join, link, tag
from vgdl.competition.report.statistics import wilson
from vgdl.competition.results.records import Outcome

STATIC = files("vgdl.competition.report") / "static"

_SIGNS = {Outcome.WON: "W", Outcome.LOST: "L", Outcome.NO_WINNER: "–", Outcome.DISQUALIFIED: "D"}
_PAGES = (("index.html", "Ranking"), ("replay.html", "Replays"), ("protocol.html", "Protocol"))


def page(facts: Facts, title: str, content: Iterable[Html], *, depth: int = 0, here: str = "", end: str = "") -> str:
    """A whole page.

    Args:
        facts: of the competition.
        title: of the page.
        content: its parts.
        depth: how many folders below the site's first page it is.
        here: which of the pages in the navigation it is.
        end: markup behind everything else.
    """
    up = "../" * depth
    entries = [
        tag("li", link(up + target, text, aria_current="page" if target == here else None)) for target, text in _PAGES
    ]
    return Template((STATIC / "page.html").read_text(encoding="utf-8")).substitute(
        title=join([title if title == facts.title else f"{title} · {facts.title}"]),
        site=join([facts.title]),
        up=up,
        navigation=join(entries),
        content=join(content, "\n"),
        state=join([state(facts)]),
        end=end,
    )


def state(facts: Facts) -> str:
    """How far the competition is."""
    done = f"{len(facts.plays)} plays" if facts.complete else f"{len(facts.plays)} of {facts.total} plays so far"
    if not facts.sessions:
        return done
    last = facts.sessions[-1]
    return f"{done} · last session begun {last['began'][:16].replace('T', ' ')} UTC · vgdl {last['versions']['vgdl']}"


def section(title: str, *content: str, id_: str | None = None) -> Html:
    """A part of a page under a heading."""
    return tag("section", tag("h2", title), *content, id_=id_)


def game_link(facts: Facts, game: str, depth: int = 0, text: str = "") -> Html:
    """A link to the page of a game."""
    return link(f"{'../' * depth}games/{facts.pages[game]}.html", text or game)


def controller_link(facts: Facts, name: str, depth: int = 0) -> Html:
    """A link to the page of a controller."""
    return link(controller_target(facts, name, depth), name)


def controller_target(facts: Facts, name: str, depth: int = 0) -> str:
    """Where the page of a controller is."""
    return f"{'../' * depth}controllers/{facts.controller_pages[name]}.html"


def chip(outcome: Outcome) -> Html:
    """An outcome in words and colour."""
    return tag("span", str(outcome), class_=f"chip {_class(outcome)}")


def play_links(facts: Facts, seats: Iterable[Seat], depth: int = 1) -> Html:
    """A small square for each play: how it ended, and the way to its replay."""
    return tag("span", *(_play_link(facts, seat, depth) for seat in seats), class_="plays")


def _play_link(facts: Facts, seat: Seat, depth: int) -> Html:
    outcome = seat.player.outcome
    told = f"play {seat.play.repeat}: {outcome}, score {number(seat.player.score)}, {seat.play.ticks} ticks"
    others = [player.controller for player in seat.play.players if player is not seat.player]
    told += f", against {', '.join(others)}" if others else ""
    look = {"class_": f"play {_class(outcome)}", "title": told, "aria_label": told}
    if seat.fixture in facts.films:
        return link(f"{'../' * depth}replay.html#{seat.fixture}", _SIGNS[outcome], **look)
    return tag("span", _SIGNS[outcome], role="img", **look)


def legend() -> Html:
    """What the squares mean."""
    entries = [
        tag("span", tag("span", sign, class_=f"play {_class(outcome)}", aria_hidden="true"), f" {outcome}")
        for outcome, sign in _SIGNS.items()
    ]
    return tag("p", *entries, " Each square is a play and leads to its replay.", class_="legend")


def win_rate(won: int, plays: int) -> tuple[Html, Html]:
    """Two cells: the share of plays that were won with its 95 % interval in words, and as a bar."""
    low, high = wilson(won, plays)
    words = f"{won}/{plays}"
    interval = tag("small", f" {100 * won / plays if plays else 0:.0f} % ({100 * low:.0f}–{100 * high:.0f})")
    return Html(tag("span", words) + interval), share_bar(won / plays if plays else 0, low, high)


def _class(outcome: Outcome) -> str:
    return outcome.replace(" ", "-")
