"""The first page: the ranking in the form of the paper's tables, and the way to everything else."""

from __future__ import annotations

from collections.abc import Callable

from vgdl.competition.report.facts import Facts
from vgdl.competition.report.html import Html, join, link, table, tag
from vgdl.competition.report.parts import controller_link, game_link, page, section, win_rate
from vgdl.competition.results.rating import RatingUnavailable, rate
from vgdl.competition.results.scoring import POINTS, GameStanding


def write(facts: Facts) -> str:
    """The page."""
    content = [_head(facts), _ranking(facts), _victories(facts), *_rating(facts), _games(facts), *_data(facts)]
    return page(facts, facts.title, content, here="index.html")


def _head(facts: Facts) -> Html:
    numbers = (
        ("controllers", len(facts.controllers)),
        ("games", len(facts.games)),
        ("plays", len(facts.plays)),
        ("ticks played", sum(play.ticks for _, play in facts.plays)),
    )
    tiles = [tag("div", tag("dt", name), tag("dd", f"{value:,}")) for name, value in numbers]
    going_on = (
        []
        if facts.complete
        else [tag("p", f"{facts.total} plays are planned; the standings so far.", class_="warning")]
    )
    return tag("header", tag("h1", facts.title), *going_on, tag("dl", *tiles, class_="tiles"), class_="hero")


def _ranking(facts: Facts) -> Html:
    rows = [
        [
            str(standing.place),
            controller_link(facts, standing.controller),
            tag("strong", str(standing.points)),
            *_per_game(facts, standing.controller, lambda row: _heat(row.points, POINTS[0], str(row.points))),
            f"{standing.victories}/{standing.plays}",
        ]
        for standing in facts.standings.ranking
    ]
    heads = ["rank", "controller", "points", *_numbered(facts), "victories"]
    return section(
        "Ranking",
        table("Formula-1 points in each game and in total", heads, rows, numbers=_right(heads), class_="ranking"),
        _key(facts),
        tag(
            "p",
            "Places in a game go by victories, then score, then time in ticks, and earn "
            f"{', '.join(map(str, POINTS))} points; the ranking goes by points, then first places, second places …",
            class_="note",
        ),
    )


def _victories(facts: Facts) -> Html:
    rows = []
    for standing in facts.standings.ranking:
        words, bar = win_rate(standing.victories, standing.plays)
        own = _per_game(facts, standing.controller, lambda row: _heat(row.victories, row.plays, str(row.victories)))
        rows.append([controller_link(facts, standing.controller), *own, words, bar])
    heads = ["controller", *_numbered(facts), "in all", "95 % interval"]
    right = range(1, len(heads) - 1)
    return section(
        "Victories", table("Victories in each game and in total", heads, rows, numbers=right, class_="ranking")
    )


def _rating(facts: Facts) -> list[Html]:
    """Skill ratings, where controllers met."""
    plays = [play for _, play in facts.plays]
    if not any(len(play.players) > 1 for play in plays):
        return []
    try:
        ratings = rate(plays)
    except RatingUnavailable as missing:
        return [section("Skill", tag("p", str(missing), class_="note"))]
    heads = ["controller", "rating", "mean", "deviation", "plays"]
    rows = [
        [
            controller_link(facts, row.controller),
            *(f"{value:.2f}" for value in (row.safe, row.mean, row.deviation)),
            str(row.plays),
        ]
        for row in ratings
    ]
    return [section("Skill", table("Skill rating (openskill, Plackett-Luce)", heads, rows, numbers=range(1, 5)))]


def _games(facts: Facts) -> Html:
    return section("Games", tag("ul", *(_card(facts, game) for game in facts.games), class_="cards"))


def _card(facts: Facts, game: str) -> Html:
    rows = facts.standings.games[game]
    won, plays = sum(row.victories for row in rows), sum(row.plays for row in rows)
    picture = (
        [tag("img", src=f"pictures/{facts.pages[game]}.png", alt="", loading="lazy")] if game in facts.drawn else []
    )
    best = ", ".join(row.controller for row in rows if row.place == 1)
    text = [tag("h3", game_link(facts, game)), tag("p", f"won {won} of {plays} · best: {best}")]
    return tag("li", tag("div", *picture, class_="picture"), *text)


def _data(facts: Facts) -> list[Html]:
    """What programs can read; a competition that goes on keeps it to itself, since seeds are in it."""
    if not facts.complete:
        return []
    entries = [link("results.json", "results.json"), link("results.csv", "results.csv")]
    return [section("Data", tag("p", "For programs: everything that is known, ", join(entries, " and "), "."))]


def _per_game(facts: Facts, controller: str, cell: Callable[[GameStanding], Html]) -> list[Html]:
    rows = [facts.standing(game, controller) for game in facts.games]
    return [cell(row) if row else Html("–") for row in rows]


def _heat(value: float, most: float, text: str) -> Html:
    """A number on a ground that is the stronger the higher it is."""
    return tag("span", text, class_="heat", style=f"--heat:{value / most if most else 0:.2f}")


def _numbered(facts: Facts) -> list[Html]:
    return [
        tag("abbr", game_link(facts, game, text=f"G-{place}"), title=game)
        for place, game in enumerate(facts.games, start=1)
    ]


def _key(facts: Facts) -> Html:
    pairs = [tag("span", f"G-{place} ", game_link(facts, game)) for place, game in enumerate(facts.games, start=1)]
    return tag("p", *pairs, class_="key")


def _right(heads: list[str]) -> list[int]:
    return [column for column, text in enumerate(heads) if text not in ("controller", "rank")]
