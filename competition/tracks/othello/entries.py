"""Systems by name: those bundled with the arena, and classes in files."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from pathlib import Path

from vgdl.competition.errors import CompetitionError
from vgdl.controllers.registry import Entry
from vgdl.language import suggestion

_PLAYERS = "vgdl.competition.tracks.othello.players"

_SIMPLE = (
    ("random", "Random"),
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

OPPONENTS = frozenset({"random", "greedy", "corners", "positional"})
"""The paper's fixed strategies, for which P is reported separately and with which adaptation speed is measured."""

METHOD = "analyze_stage"
"""The method that makes a class a system."""


class SystemNotFound(CompetitionError):
    """There is no system of this name; the message lists the known ones."""


def find(name: str) -> Entry:
    """Find a system by name, or by ``path/to/file.py`` with or without ``:Class``, without importing it.

    Raises:
        SystemNotFound: there is no such name, file or class.
    """
    if ".py" in name:
        return _find_in_file(name)
    if name in BUILT_IN:
        return BUILT_IN[name]
    hint = suggestion(name, BUILT_IN)
    raise SystemNotFound(
        f"no system is called {name!r}{hint}. There are {', '.join(BUILT_IN)}; give your own as my_system.py:MySystem"
    )


def find_all(names: Iterable[str]) -> tuple[Entry, ...]:
    """Find systems by name.

    Raises:
        SystemNotFound: one of them is not found.
        CompetitionError: two have the same name, or there are fewer than two.
    """
    found = tuple(map(find, names))
    called = [entry.ranking_name for entry in found]
    for name in called:
        if called.count(name) > 1:
            raise CompetitionError(f"two of the systems are called {name}; the leaderboard could not tell them apart")
    if len(found) < 2:
        raise CompetitionError("a round robin needs at least two systems")
    return found


def _find_in_file(name: str) -> Entry:
    location, _, class_name = name.partition(".py:")
    path = Path(location.removesuffix(".py") + ".py").resolve()
    if not path.is_file():
        raise SystemNotFound(f"there is no file {path} (asked for as {name!r})")
    classes = _systems_in(path)
    if not class_name and len(classes) == 1:
        (class_name,) = classes
    if class_name and class_name in classes:
        return Entry(name, class_name, str(path), class_name)
    there = f"it has {', '.join(classes)}" if classes else f"it has no class with a method {METHOD}"
    if not class_name:
        raise SystemNotFound(f"say which class of {path.name} is meant, as in {path.name}:MySystem; {there}")
    raise SystemNotFound(f"{path.name} has no system {class_name!r}; {there}")


def _systems_in(path: Path) -> list[str]:
    """The classes in a file that may be systems; the file is parsed, not run."""
    try:
        body = ast.parse(path.read_bytes()).body
    except (SyntaxError, ValueError) as error:
        raise SystemNotFound(f"{path} is not Python: {error}") from None
    return [node.name for node in body if isinstance(node, ast.ClassDef) and (node.bases or _has_method(node))]


def _has_method(node: ast.ClassDef) -> bool:
    return any(isinstance(part, ast.FunctionDef) and part.name == METHOD for part in node.body)
