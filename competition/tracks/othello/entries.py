"""Systems by name: those bundled with the arena, and classes in files."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from vgdl.competition.tracks.othello.javascript import FUNCTION, SUFFIX
from vgdl.extras import needs
from vgdl.registry import Entry, EntryInvalid, EntryNotFound, Registry

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


class Systems(Registry[object]):
    """The systems, among them scripts in JavaScript."""

    def find(self, name: str | Entry | type) -> Entry:
        """Find a system as any registry does, or the one in ``path/to/file.js``.

        Raises:
            EntryNotFound: there is none.
            EntryInvalid: it cannot be used; for a script, the extra ``javascript`` is missing.
        """
        if not isinstance(name, str) or not name.endswith(SUFFIX):
            return super().find(name)
        path = Path(name).resolve()
        if not path.is_file():
            raise EntryNotFound(f"there is no file {path} (asked for as {name!r})")
        if importlib.util.find_spec("quickjs") is None:
            raise EntryInvalid(needs("a system in JavaScript", "quickjs-ng", "javascript"))
        return Entry(name, path.stem, str(path), FUNCTION)


SYSTEMS = Systems(
    "system",
    tuple(BUILT_IN.values()),
    base=object,
    methods=("analyze_stage(self, stage, initial_board, valid_moves, api, timer)",),
    group="vgdl.othello_systems",
    example="my_system.py:MySystem",
    needs_base=False,
)
"""All systems: any class with this method is one."""
