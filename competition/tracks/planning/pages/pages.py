"""The data of each page of a planning competition; templates determine its appearance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from vgdl import games
from vgdl.competition.agents.service import Clock
from vgdl.competition.report.charts import Bar, Sample, Series
from vgdl.competition.report.site import Site
from vgdl.competition.report.text import number as shown
from vgdl.competition.store import Store
from vgdl.competition.tracks.planning.pages.facts import Appearance, Facts
from vgdl.competition.tracks.planning.rating import Rating, RatingUnavailable, rate
from vgdl.competition.tracks.planning.records import used as used_in
from vgdl.competition.tracks.planning.scoring import POINTS, GameStanding
from vgdl.competition.tracks.planning.tables import rules_line

MOST_ERRORS = 100
"""Maximum number of different errors that a page shows in full; results.json has all of them."""

_CLOCKS = {
    Clock.CPU: "CPU time of the controller's process tree, measured from outside",
    Clock.WALL: "wall-clock time, measured from outside",
    Clock.CALLS: "calls of the forward model, counted in the controller's own process",
}


def write(facts: Facts, store: Store, site: Site) -> None:
    """Write all pages."""
    site.page("index.html", "planning/index.html", title=site.title, facts=facts, **_index(facts))
    site.page("protocol.html", "planning/protocol.html", title="Protocol", facts=facts, **_protocol(facts))
    site.page("replay.html", "planning/replay.html", title="Replays", facts=facts)
    for game in facts.games:
        site.page(facts.game_target(game), "planning/game.html", title=game, facts=facts, **_game(facts, game))
    for name in facts.controllers:
        data = _controller(facts, store, name)
        site.page(facts.controller_target(name), "planning/controller.html", title=name, facts=facts, **data)


def _index(facts: Facts) -> dict[str, Any]:
    tiles = [
        ("controllers", len(facts.controllers)),
        ("games", len(facts.games)),
        ("plays", len(facts.plays)),
        ("ticks played", sum(play.ticks for _, play in facts.plays)),
    ]
    return {"tiles": tiles, "points": POINTS, "ratings": _ratings(facts)}


def _ratings(facts: Facts) -> list[Rating] | str | None:
    """Skill ratings if controllers met, or why there are none; None if each played alone."""
    plays = [play for _, play in facts.plays]
    if not any(len(play.players) > 1 for play in plays):
        return None
    try:
        return rate(plays)
    except RatingUnavailable as missing:
        return str(missing)


def _game(facts: Facts, game: str) -> dict[str, Any]:
    standings = facts.standings.games[game]
    names = [row.controller for row in standings]
    is_bundled = game in games.names() and games.path(game) in facts.plan.game_set.paths
    ended = {name: [one for one in facts.appearances(name, game) if not one.disqualified] for name in names}
    return {
        "game": game,
        "rules": games.facts(game).rules if is_bundled else "",
        "levels": facts.levels(game),
        "standings": standings,
        "scores": [_sample(facts, game, name, [one.player.score for one in ended[name]]) for name in names],
        "ticks": [_sample(facts, game, name, [one.play.ticks for one in ended[name]]) for name in names],
    }


def _sample(facts: Facts, game: str, name: str, values: Sequence[float]) -> Sample:
    """Values of a controller's completed plays: values of disqualified plays are meaningless."""
    left_out = len(facts.appearances(name, game)) - len(values)
    return Sample(name, values, facts.controller_target(name), f"+{left_out} disqualified" if left_out else "")


def _controller(facts: Facts, store: Store, name: str) -> dict[str, Any]:
    appearances = facts.appearances(name)
    rows: list[tuple[str, GameStanding]] = [
        (game, row) for game in facts.games if (row := facts.standing(game, name)) is not None
    ]
    failed = [one for one in appearances if one.disqualified]
    alike: dict[tuple[str, str], list[Appearance]] = {}
    for one in failed:
        alike.setdefault((one.player.cause, one.player.details), []).append(one)
    return {
        "standing": next(row for row in facts.standings.ranking if row.controller == name),
        "games": rows,
        "levels": sorted({level for game in facts.games for level in facts.levels(game)}),
        "budgets": _budgets(facts, appearances),
        "usage": _usage(store, appearances),
        "unit": facts.plan.rules.unit,
        "limit": facts.plan.rules.limits.action,
        "causes": [Bar(cause, count) for cause, count in Counter(one.player.cause for one in failed).most_common()],
        "errors": list(alike.values())[:MOST_ERRORS],
        "errors_left_out": max(0, len(alike) - MOST_ERRORS),
    }


def _budgets(facts: Facts, appearances: Sequence[Appearance]) -> list[tuple[str, str, str]]:
    """Rows with the budgets that a controller used, and their limits."""
    limits, unit = facts.plan.rules.limits, facts.plan.rules.unit
    asked = [one.player for one in appearances if one.player.action_used_max]
    mean = sum(player.action_used_mean for player in asked) / len(asked) if asked else 0.0
    construction = max((one.player.construction_used for one in appearances), default=0.0)
    action = max((player.action_used_max for player in asked), default=0.0)
    late = sum(one.player.late_answers for one in appearances)
    invalid = sum(one.player.invalid_answers for one in appearances)
    disqualifies = f"{_used(limits.disqualification, unit)} disqualifies"
    return [
        ("construction, maximum", _used(construction, unit), _used(limits.construction, unit)),
        ("action, mean", _used(mean, unit), _used(limits.action, unit)),
        ("action, maximum", _used(action, unit), disqualifies),
        ("late answers, replaced by NIL", str(late), ""),
        ("invalid answers, replaced by NIL", str(invalid), ""),
    ]


def _used(value: float, unit: str) -> str:
    return f"{value:,.0f} {unit}" if unit == "calls" else f"{value:,.2f} {unit}"


def _usage(store: Store, appearances: Sequence[Appearance]) -> list[Series]:
    """Mean and maximum budget used by each answer, over all plays that lasted that long."""
    by_number: list[list[float]] = []
    for one in appearances:
        for number, used in enumerate(used_in(store, one.fixture, one.play.players.index(one.player))):
            if number == len(by_number):
                by_number.append([])
            by_number[number].append(used)
    if not by_number:
        return []
    return [
        Series("maximum", [(number, max(values)) for number, values in enumerate(by_number, start=1)]),
        Series("mean", [(number, sum(values) / len(values)) for number, values in enumerate(by_number, start=1)]),
    ]


def _protocol(facts: Facts) -> dict[str, Any]:
    restrictions = asdict(facts.plan.restrictions)
    return {
        "protocol": rules_line(facts.plan),
        "rules": _rules(facts),
        "weak": any(name.startswith("rlimits") for name in facts.isolation),
        "isolation": [
            *facts.isolation.items(),
            *((name.replace("_mb", " (MiB)"), value) for name, value in restrictions.items()),
        ],
        "hashes": [
            (name, text, digest)
            for name, game in facts.hashes.items()
            for text, digest in [("game", game["sha256"]), *((f"level {k}", d) for k, d in game["levels"].items())]
        ],
        "sessions": [_session(session) for session in facts.sessions],
    }


def _rules(facts: Facts) -> list[tuple[str, str]]:
    protocol = facts.plan.rules
    limits, unit = protocol.limits, protocol.unit
    return [
        ("clock", _CLOCKS[protocol.clock]),
        ("construction", f"{limits.construction:g} {unit}"),
        ("action", f"{limits.action:g} {unit}; a later answer counts as NIL"),
        ("disqualification", f"after more than {limits.disqualification:g} {unit}"),
        ("after the play", f"{limits.result:g} {unit}"),
        ("wall-clock limit per action", f"{protocol.patience_s(limits.action):g} s"),
        ("score of a disqualified controller", shown(protocol.disqualified_score)),
        ("plays per level", str(facts.plan.repeats)),
        ("set of games", facts.plan.game_set.name),
    ]


def _session(session: dict[str, Any]) -> tuple[str, ...]:
    def words(known: dict[str, Any]) -> str:
        return ", ".join(f"{name} {value}" for name, value in known.items())

    return (
        session["began"][:19].replace("T", " "),
        str(session.get("jobs", "")),
        str(session.get("backend", "")),
        words(session.get("isolation", {})),
        words(session["machine"]),
        words(session["versions"]),
    )
