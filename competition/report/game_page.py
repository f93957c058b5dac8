"""The page of a game: who won how often, scores and times, every play."""

from __future__ import annotations

from vgdl import games
from vgdl.competition.report.charts import distributions
from vgdl.competition.report.facts import Facts
from vgdl.competition.report.html import Html, table, tag
from vgdl.competition.report.parts import (
    controller_link,
    controller_target,
    legend,
    page,
    play_links,
    section,
    win_rate,
)


def write(facts: Facts, game: str) -> str:
    """The page."""
    content = [_head(facts, game), _standings(facts, game), _distributions(facts, game), _plays(facts, game)]
    return page(facts, game, content, depth=1)


def _head(facts: Facts, game: str) -> Html:
    picture = (
        [tag("img", src=f"../pictures/{facts.pages[game]}.png", alt=f"the first level of {game}", class_="scene")]
        if game in facts.drawn
        else []
    )
    hashes = facts.hashes[game]
    failure = facts.failures.get(game)
    warning = [tag("p", f"No replays: {failure}.", class_="warning")] if failure else []
    levels = len(hashes["levels"])
    text = f"{levels} level{'s' if levels != 1 else ''} · SHA-256 "
    facts_line = tag("p", text, tag("code", hashes["sha256"][:16]), "…", class_="note")
    words = tag("div", tag("h1", game), *_rules(facts, game), facts_line, *warning)
    return tag("header", words, *picture, class_="game")


def _rules(facts: Facts, game: str) -> list[Html]:
    """The rules in words, which are known of bundled games only."""
    paths = facts.plan.game_set.paths
    is_bundled = game in games.names() and games.path(game) in paths
    return [tag("p", games.facts(game).rules)] if is_bundled else []


def _standings(facts: Facts, game: str) -> Html:
    rows = []
    for row in facts.standings.games[game]:
        words, bar = win_rate(row.victories, row.plays)
        out = sum(seat.disqualified for seat in facts.seats_of(game=game, controller=row.controller))
        rows.append(
            [
                str(row.place),
                controller_link(facts, row.controller, 1),
                words,
                bar,
                f"{row.mean_score:.2f}",
                f"{row.mean_ticks:.1f}",
                str(out),
                tag("strong", str(row.points)),
            ]
        )
    heads = ["place", "controller", "won", "95 % interval", "mean score", "mean ticks", "disqualified", "points"]
    return section("Standings", table(f"Standings in {game}", heads, rows, numbers=(2, 4, 5, 6, 7)))


def _distributions(facts: Facts, game: str) -> Html:
    """Of plays that were played to an end: a disqualification has a score and a time that say nothing."""
    names = [row.controller for row in facts.standings.games[game]]
    links = {name: controller_target(facts, name, 1) for name in names}
    ended = {
        name: [seat for seat in facts.seats_of(game=game, controller=name) if not seat.disqualified] for name in names
    }
    out = {name: sum(seat.disqualified for seat in facts.seats_of(game=game, controller=name)) for name in names}
    scores = {name: [seat.player.score for seat in seats] for name, seats in ended.items()}
    ticks = {name: [float(seat.play.ticks) for seat in seats] for name, seats in ended.items()}
    return section(
        "Distributions",
        distributions("Score of a play", scores, links, out),
        distributions("Time of a play, in ticks", ticks, links, out),
        tag("p", "A dot is a play, the box holds the middle half, the strong line is the median.", class_="note"),
    )


def _plays(facts: Facts, game: str) -> Html:
    levels = facts.levels(game)
    rows = [
        [
            controller_link(facts, row.controller, 1),
            *(
                play_links(
                    facts,
                    [s for s in facts.seats_of(game=game, controller=row.controller) if s.play.level == level],
                )
                for level in levels
            ),
        ]
        for row in facts.standings.games[game]
    ]
    heads = ["controller", *(f"level {level}" for level in levels)]
    return section("Plays", legend(), table(f"Every play of {game}", heads, rows))
