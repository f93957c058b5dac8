"""The page with the facts that the results depend on."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from vgdl.competition.contest.rules import Clock
from vgdl.competition.report.facts import Facts
from vgdl.competition.report.html import Html, table, tag
from vgdl.competition.report.parts import game_link, page, section
from vgdl.competition.results.tables import protocol_line

_CLOCKS = {
    Clock.CPU: "CPU time of the controller's whole process tree, measured from outside",
    Clock.WALL: "time on the wall, measured from outside",
    Clock.CALLS: "ticks of the forward model, counted in the controller's own process",
}


def write(facts: Facts) -> str:
    """The page."""
    content = [
        tag("header", tag("h1", "Protocol"), tag("p", protocol_line(facts.plan))),
        _rules(facts),
        _isolation(facts),
        _chance(facts),
        _hashes(facts),
        _sessions(facts),
    ]
    return page(facts, "Protocol", content, here="protocol.html")


def _rules(facts: Facts) -> Html:
    plan = facts.plan
    protocol = plan.protocol
    limits, unit = protocol.limits, protocol.unit
    rows = [
        ["clock", _CLOCKS[protocol.clock]],
        ["to construct", f"{limits.construction:g} {unit}"],
        ["to act", f"{limits.action:g} {unit}; a later answer counts as NIL"],
        ["disqualified over", f"{limits.disqualification:g} {unit}"],
        ["after the play", f"{limits.result:g} {unit}"],
        ["waited for on the wall", f"{protocol.patience_s(limits.action):g} s per action"],
        ["score of the disqualified", f"{protocol.disqualified_score:g}"],
        ["plays per level", str(plan.repeats)],
        ["set of games", plan.game_set.name],
    ]
    return section("Rules", table("The rules that were in force", ["rule", "value"], rows))


def _isolation(facts: Facts) -> Html:
    restrictions = asdict(facts.plan.restrictions)
    weak = [name for name in facts.isolation if name.startswith("rlimits")]
    warning = (
        [tag("p", "Weak isolation: controllers could read and write the user's files and use the network.",
             class_="warning")] if weak else []
    )  # fmt: skip
    rows = [[name, str(count)] for name, count in facts.isolation.items()]
    rows += [[name.replace("_mb", " (MiB)"), str(value)] for name, value in restrictions.items()]
    return section(
        "Isolation",
        *warning,
        table("Plays by level of isolation, and limits of a controller", ["fact", "number"], rows, numbers=(1,)),
    )


def _chance(facts: Facts) -> Html:
    told = (
        f"All seeds derive from {facts.plan.secret} by a keyed hash (BLAKE2b)."
        if facts.complete
        else "The seed is told when all plays are done: who knows it knows the future of every play."
    )
    return section("Chance", tag("p", told))


def _hashes(facts: Facts) -> Html:
    rows = [
        [game_link(facts, name) if name in facts.games else name, which, tag("code", digest)]
        for name, game in facts.hashes.items()
        for which, digest in [("game", game["sha256"]), *((f"level {k}", d) for k, d in game["levels"].items())]
    ]
    return section("Games", table("SHA-256 of games and levels", ["game", "text", "hash"], rows))


def _sessions(facts: Facts) -> Html:
    rows = [
        [
            session["began"][:19].replace("T", " "),
            str(session.get("jobs", "")),
            str(session.get("backend", "")),
            _words(session.get("isolation", {})),
            _words(session["machine"]),
            _words(session["versions"]),
        ]
        for session in facts.sessions
    ]
    heads = ["begun (UTC)", "jobs", "backend", "isolation", "machine", "versions"]
    return section("Sessions", table("Who played when, and where", heads, rows))


def _words(facts: dict[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in facts.items())
