"""The page of a controller: its results per game and level, what it used of its budgets, what went wrong."""

from __future__ import annotations

from collections.abc import Sequence

from vgdl.competition.report.facts import Facts, Seat
from vgdl.competition.report.html import Html, join, link, table, tag
from vgdl.competition.report.parts import chip, game_link, legend, page, play_links, section, win_rate

MOST_ERRORS = 100
"""Different errors that are shown in full; the results for programs have all of them."""


def write(facts: Facts, name: str) -> str:
    """The page."""
    seats = facts.seats_of(controller=name)
    content = [_head(facts, name), _games(facts, name), _budgets(facts, seats), _errors(facts, seats)]
    return page(facts, name, content, depth=1)


def _head(facts: Facts, name: str) -> Html:
    standing = next(row for row in facts.standings.ranking if row.controller == name)
    tiles = (
        ("place", str(standing.place)),
        ("points", str(standing.points)),
        ("first places", str(standing.places[0])),
        ("victories", f"{standing.victories}/{standing.plays}"),
    )
    tiled = tag("dl", *(tag("div", tag("dt", word), tag("dd", value)) for word, value in tiles), class_="tiles")
    return tag("header", tag("h1", name), tiled, class_="hero")


def _games(facts: Facts, name: str) -> Html:
    levels = sorted({level for game in facts.games for level in facts.levels(game)})
    rows = []
    for game in facts.games:
        row = facts.standing(game, name)
        if row is None:
            continue
        seats = facts.seats_of(game=game, controller=name)
        by_level = [play_links(facts, [seat for seat in seats if seat.play.level == level]) for level in levels]
        words, bar = win_rate(row.victories, row.plays)
        rows.append(
            [
                game_link(facts, game, 1),
                str(row.place),
                str(row.points),
                words,
                bar,
                f"{row.mean_score:.2f}",
                f"{row.mean_ticks:.1f}",
                *by_level,
            ]
        )
    heads = ["game", "place", "points", "won", "95 % interval", "mean score", "mean ticks"]
    heads += [f"level {level}" for level in levels]
    return section("Results", legend(), table("Results per game and level", heads, rows, numbers=(1, 2, 3, 5, 6)))


def _budgets(facts: Facts, seats: Sequence[Seat]) -> Html:
    protocol = facts.plan.protocol
    limits, unit = protocol.limits, protocol.unit
    asked = [seat.player for seat in seats if seat.player.action_used_max]
    mean = sum(player.action_used_mean for player in asked) / len(asked) if asked else 0.0
    rows = [
        ["construction, at most", _used(max((s.player.construction_used for s in seats), default=0.0), unit),
         _used(limits.construction, unit)],
        ["action, on average", _used(mean, unit), _used(limits.action, unit)],
        ["action, at most", _used(max((player.action_used_max for player in asked), default=0.0), unit),
         _used(limits.disqualification, unit) + " disqualifies"],
        ["late answers, replaced by NIL", str(sum(seat.player.late_answers for seat in seats)), ""],
    ]  # fmt: skip
    return section("Budgets", table("What it used of its budgets", ["", "used", "limit"], rows, numbers=(1, 2)))


def _errors(facts: Facts, seats: Sequence[Seat]) -> Html:
    failed = [seat for seat in seats if seat.disqualified]
    if not failed:
        return section("Errors", tag("p", "None: it was disqualified from no play."), id_="errors")
    counts: dict[str, int] = {}
    for seat in failed:
        counts[seat.player.cause] = counts.get(seat.player.cause, 0) + 1
    rows = [[cause, str(count)] for cause, count in sorted(counts.items(), key=lambda pair: -pair[1])]
    summary = table("Disqualifications by cause", ["cause", "plays"], rows, numbers=(1,))
    alike: dict[tuple[str, str], list[Seat]] = {}
    for seat in failed:
        alike.setdefault((seat.player.cause, seat.player.details), []).append(seat)
    shown = [_error(facts, seats) for seats in list(alike.values())[:MOST_ERRORS]]
    more = len(alike) - MOST_ERRORS
    rest = [tag("p", f"{more} more are in the results for programs.", class_="note")] if more > 0 else []
    return section("Errors", summary, *shown, *rest, id_="errors")


def _error(facts: Facts, seats: Sequence[Seat]) -> Html:
    """What went wrong in the same way in some plays."""
    player, others = seats[0].player, len(seats) - 1
    also = f" and {others} more play{'s' if others > 1 else ''}" if others else ""
    last = (player.details.strip().splitlines() or [""])[-1]
    return tag(
        "details",
        tag("summary", chip(player.outcome), f" {_where(seats[0])}{also}: {player.cause}", tag("small", last[:200])),
        tag("p", join([_watch(facts, seat) for seat in seats], " · "), class_="note"),
        tag("pre", tag("code", player.details or "nothing more is known"), tabindex="0"),
    )


def _watch(facts: Facts, seat: Seat) -> Html:
    """The place of a play, with the way to its replay if there is one."""
    where = f"{_where(seat)}, tick {seat.play.ticks}"
    return link(f"../replay.html#{seat.fixture}", where) if seat.fixture in facts.films else tag("span", where)


def _where(seat: Seat) -> str:
    return f"{seat.play.game}, level {seat.play.level}, play {seat.play.repeat}"


def _used(value: float, unit: str) -> str:
    return f"{value:,.0f} {unit}" if unit == "calls" else f"{value:,.2f} {unit}"
