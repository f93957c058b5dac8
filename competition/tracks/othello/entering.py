"""How people enter systems, in Python or JavaScript, into Othello competitions on a site."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from pathlib import Path
from typing import Any

from vgdl.competition.entering import Entering, Programs, Verdict
from vgdl.competition.failures import in_a_line
from vgdl.competition.store import Store
from vgdl.competition.tracks.othello.entries import SYSTEMS
from vgdl.competition.tracks.othello.javascript import FUNCTION, SUFFIX, JavaScriptSystem
from vgdl.competition.tracks.othello.plan import Plan
from vgdl.competition.tracks.othello.results import Results
from vgdl.competition.tracks.othello.store import Analysis, faults

EXAMPLE = """\
class Mine:
    def analyze_stage(self, stage, initial_board, valid_moves, api, timer):
        def strategy(board, player, moves):
            return max(moves, key=lambda move: api.simulate_move(board, player, *move).captured_count)

        return strategy
"""


def systems_in(path: Path) -> list[str]:
    """The systems in a file, which is imported; a script is one system.

    Raises:
        Exception: any that the file raises.
    """
    if path.suffix == SUFFIX:
        JavaScriptSystem(path)
        return [FUNCTION]
    return SYSTEMS.classes_in(path)


_CLASS = "a class with analyze_stage(self, stage, initial_board, valid_moves, api, timer)"
_SCRIPT = f", or a script that ends in {SUFFIX} and defines {FUNCTION}(stage, initialBoard, validMoves, api, timer)"
_RUNS_SCRIPTS = importlib.util.find_spec("quickjs") is not None


class OthelloEntering(Entering):
    """A system is entered; it plays against the bundled ones, then in every round.

    Scripts are taken where the extra ``javascript`` is installed.
    """

    programs = Programs(
        "system",
        (".py", SUFFIX) if _RUNS_SCRIPTS else (".py",),
        f"{__name__}:systems_in",
        _CLASS + _SCRIPT * _RUNS_SCRIPTS,
    )
    registry = SYSTEMS
    option = "systems"
    baselines = ("first-legal", "greedy", "positional", "template-fixed")
    options = ("stages=generated:4", "analysis=5s", "game=2s", "api-host=referee")
    example = EXAMPLE

    def verdict(self, store: Store, name: str) -> Verdict:
        """Games won, and what went wrong first."""
        plan = Plan.from_facts(store.plan)
        results = Results.of(plan, store)
        parts = [part for stage in results.begun for part in results.parts(stage, name)]
        won, drawn = sum(part.result == 1 for part in parts), sum(part.result == 0.5 for part in parts)
        place = next(row.rank for row in results.overall() if row.name == name)
        message = f"won {won} of {len(parts)} games, with {drawn} ties; place {place} of {len(plan.names)}"
        details = "\n".join(
            f"{plan.shown(stage).name}: won {sum(part.result == 1 for part in results.parts(stage, name))} "
            f"of {len(results.parts(stage, name))}, P {results.performance(stage, name):.3f}"
            for stage in results.begun
        )
        if failed := [one for one in results.failures() if one.system == name and one.budget == 0]:
            first = failed[0]
            why = f"{first.cause}: {in_a_line(first.details)}".removesuffix(": ")
            where = f"no strategy on {len(failed)} of {len(plan.stages)} stages, first on"
            message = f"{where} {plan.shown(first.stage).name}: {why}; {message}"
            return Verdict(message, f"{details}\n\n{first.details}".strip(), failed=True)
        forfeits = [
            game for game in results.games if game.forfeit and name == (game.black, game.white)[game.forfeit - 1]
        ]
        if forfeits:
            lost = f"{len(forfeits)} of {len(parts)} games were forfeited, first one on"
            message = f"{lost} {plan.shown(forfeits[0].stage).name}: {forfeits[0].forfeit_cause}; {message}"
        own = [fault for game, fault in faults(results.games) if name == (game.black, game.white)[fault.player - 1]]
        if own:
            message += f"; {len(own)} answers were replaced, the first because of: {own[0].cause}"
        return Verdict(message, details, failed=bool(forfeits))

    def public(self, row: Any) -> Any:
        """Analyses and games without tracebacks."""
        if isinstance(row, Analysis):
            return replace(row, details="")
        return replace(row, faults=tuple(replace(fault, details="") for fault in row.faults))
