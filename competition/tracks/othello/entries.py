"""Systems by name: those bundled with the arena, and classes in files."""

from __future__ import annotations

from vgdl.registry import Entry, Registry

_PLAYERS = "vgdl.competition.tracks.othello.players"

_SIMPLE = (
    ("random", "Random"),
    ("first-legal", "FirstLegal"),
    ("greedy", "Greedy"),
    ("greedy-standard", "GreedyStandard"),
    ("corners", "Corners"),
    ("positional", "Positional"),
)
_TEMPLATES = (("template", "Template"), ("template-fixed", "TemplateFixed"))
_STRONG = (("mobility-ab", "MobilityAB"), ("mcts", "MCTS"), ("adaptive-ab", "AdaptiveAB"))

BUILT_IN = {
    name: Entry(name, name, f"{_PLAYERS}.{module}", class_name)
    for module, rows in (("simple", _SIMPLE), ("template", _TEMPLATES), ("strong", _STRONG))
    for name, class_name in rows
}
"""The bundled systems."""

BASELINE = "first-legal"
"""The system above which strength begins."""

OPPONENTS = frozenset({"random", "greedy", "corners", "positional"})
"""The paper's fixed strategies, for which P is reported separately and with which adaptation speed is measured."""

SYSTEMS: Registry[object] = Registry(
    "system",
    tuple(BUILT_IN.values()),
    base=object,
    methods=("analyze_stage(self, stage, initial_board, valid_moves, api, timer)",),
    group="vgdl.othello_systems",
    example="my_system.py:MySystem",
    needs_base=False,
)
"""All systems: any class with this method is one."""
