"""The import graph has no circles, and imports point downwards; see "Packages" in docs/architecture.md."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = {"vgdl": "vgdl", "controllers": "vgdl.controllers", "games": "vgdl.games", "competition": "vgdl.competition"}
"""Folders of the checkout, by the package that each is installed as."""

LAYERS = (
    ("vgdl.core", "vgdl.language", "vgdl.deprecation", "vgdl.extras", "vgdl.folders", "vgdl.option_types"),
    ("vgdl.ontology", "vgdl.registry"),
    ("vgdl.compiler",),
    ("vgdl.games", "vgdl.game", "vgdl.text"),
    ("vgdl.controllers", "vgdl.tabletop", "vgdl.render", "vgdl.envs"),
    ("vgdl.competition.errors", "vgdl.competition.closing", "vgdl.competition.interrupts", "vgdl.competition.typed"),
    ("vgdl.competition.addresses", "vgdl.competition.listening", "vgdl.competition.progress"),
    ("vgdl.competition.seeds", "vgdl.competition.strengths"),
    ("vgdl.competition.sealing",),
    ("vgdl.competition.agents", "vgdl.competition.machine", "vgdl.competition.files", "vgdl.competition.budget"),
    ("vgdl.competition.table", "vgdl.competition.entrants", "vgdl.competition.notices"),
    ("vgdl.competition.store",),
    ("vgdl.competition.options", "vgdl.competition.results", "vgdl.competition.failures", "vgdl.competition.entering"),
    ("vgdl.competition.track",),
    ("vgdl.competition.running", "vgdl.competition.chat", "vgdl.competition.report"),
    ("vgdl.competition.tracks",),
    (
        "vgdl.competition.submissions",
        "vgdl.competition.web",
        "vgdl.competition.tracks.othello.site",
        "vgdl.competition.tracks.generation.ballots",
        "vgdl.competition.tracks.generation.judgements",
        "vgdl.competition.tracks.generation.judging_site",
        "vgdl.competition.tracks.generation.site",
        "vgdl.competition.tracks.gamebot.site",
    ),
    ("vgdl.competition.commands",),
    ("vgdl.competition.cli", "vgdl.competition.doctor"),
)
"""Packages and modules from the lowest layer to the highest; those of a layer may import lower ones and each other."""


def modules() -> dict[str, Path]:
    """Every module of the package, by its installed name; compiled ones too."""
    found: dict[str, Path] = {}
    for folder, package in FOLDERS.items():
        for path in sorted([*(ROOT / folder).rglob("*.py"), *(ROOT / folder).rglob("*.pyx")]):
            parts = path.relative_to(ROOT / folder).with_suffix("").parts
            found[".".join([package, *(parts[:-1] if parts[-1] == "__init__" else parts)])] = path
    return found


MODULES = modules()


def statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements that run on import: not those of functions, nor those for type checkers."""
    for node in body:
        yield node
        if isinstance(node, ast.If) and "TYPE_CHECKING" not in ast.unparse(node.test):
            yield from statements([*node.body, *node.orelse])
        elif isinstance(node, ast.Try):
            yield from statements([*node.body, *node.orelse, *node.finalbody])
        elif isinstance(node, ast.With):
            yield from statements(node.body)


def source(path: Path) -> str:
    """The source of a module; of a compiled one, its imports, which Cython writes in the same way."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".pyx":
        return text
    lines = re.findall(r"^(?:from [\w.]+ c?import (?:\([^)]*\)|[^\n(]*)|c?import [^\n]*)", text, re.MULTILINE)
    return "\n".join(
        line.replace("cimport", "import") for line in lines if "libc" not in line and "cpython" not in line
    )


def imports(name: str) -> set[str]:
    """The modules of this package that a module imports when it is imported."""
    found = set()
    for node in statements(ast.parse(source(MODULES[name])).body):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            parts = {f"{node.module}.{alias.name}" for alias in node.names}
            inner = {part for part in parts if part in MODULES}
            found |= inner | ({node.module} if len(inner) < len(parts) else set())
    return {each for each in found if each in MODULES} - {name}


GRAPH = {name: imports(name) for name in MODULES}


def circles() -> list[list[str]]:
    """The strongly connected parts of the import graph with more than one module (Tarjan 1972)."""
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(name: str) -> None:
        number[name] = low[name] = len(number)
        stack.append(name)
        for other in sorted(GRAPH[name]):
            if other not in number:
                visit(other)
                low[name] = min(low[name], low[other])
            elif other in stack:
                low[name] = min(low[name], number[other])
        if low[name] == number[name]:
            part = stack[stack.index(name) :]
            del stack[stack.index(name) :]
            if len(part) > 1:
                found.append(sorted(part))

    for name in GRAPH:
        if name not in number:
            visit(name)
    return found


def layer(name: str) -> int | None:
    """The number of the layer of a module: that of the longest entry that it is in."""
    fits = [
        (len(entry), number)
        for number, entries in enumerate(LAYERS)
        for entry in entries
        if f"{name}.".startswith(f"{entry}.")
    ]
    return max(fits)[1] if fits else None


def test_there_are_no_circles() -> None:
    assert circles() == []


def test_every_module_of_competitions_is_in_a_layer() -> None:
    assert [name for name in MODULES if name.startswith("vgdl.competition.") and layer(name) is None] == []


def test_imports_point_downwards() -> None:
    upward = [
        f"{name} imports {other}"
        for name, others in GRAPH.items()
        for other in sorted(others)
        if (own := layer(name)) is not None and (theirs := layer(other)) is not None and theirs > own
    ]
    assert upward == []


@pytest.mark.parametrize("folder", FOLDERS)
def test_private_names_stay_in_their_package(folder: str) -> None:
    taken = []
    for path in sorted((ROOT / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module and not node.level:
                own = ".".join([FOLDERS[folder], *path.relative_to(ROOT / folder).parent.parts])
                private = [alias.name for alias in node.names if alias.name.startswith("_") and alias.name != "_"]
                if private and node.module != own and not node.module.startswith(f"{own}."):
                    taken.append(f"{path.relative_to(ROOT)}: {node.module}: {', '.join(private)}")
    assert taken == []
