"""The reference of the Python interface: public is what ``__all__`` names, and every public name has an example that runs.

The public modules are those that docs/python.md shows with ``automodule``. The examples take ``vgdl`` for imported.
"""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import io
import re
import textwrap
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import vgdl

PROJECT = Path(__file__).resolve().parents[1]
PAGE = (PROJECT / "docs" / "python.md").read_text(encoding="utf-8")
MODULES = re.findall(r"^\.\. automodule:: ([\w.]+)$", PAGE, re.MULTILINE)
NAMES = re.findall(r"^\.\. auto(?:class|data|function):: ([\w.]+)$", PAGE, re.MULTILINE)
PROVISIONAL = re.findall(
    r"`(vgdl[\w.]*)`", "".join(re.findall(r"^\|.*\|$", PAGE.partition("## Provisional")[2], re.MULTILINE))
)

EXTRAS = {
    "vgdl.envs": ("gymnasium", "vgdl[gym]"),
    "vgdl.envs.parallel": ("pettingzoo", "vgdl[pettingzoo]"),
    "vgdl.envs.sb3": ("stable_baselines3", "stable-baselines3"),
    "vgdl.render.mp4": ("imageio_ffmpeg", "vgdl[video]"),
    "vgdl.testing.check_env": ("gymnasium", "vgdl[gym]"),
}
"""What the examples of a module, or of one name, need: a package, and what installs it."""

COSTLY = {"vgdl.competition", "vgdl.competition.run"}
"""Their examples start processes."""

INSIDE = {"architecture.md", "adding-a-word.md"}
"""Pages for people who change this package: they show what is internal."""

SOURCES = [
    PROJECT / "README.md",
    *sorted(page for page in (PROJECT / "docs").glob("*.md") if page.name not in INSIDE),
    *sorted((PROJECT / "examples").rglob("*.py")),
]
_FENCE = re.compile(r"^ *```python[^\n]*\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)


def source_of(module: str) -> Path:
    """The source file of a module, which is not imported."""
    top = ".".join(module.split(".")[:2])
    spec = find_spec(top)
    assert spec is not None
    assert spec.origin is not None
    rest = module.split(".")[2:]
    path = Path(spec.origin).parent.joinpath(*rest)
    return Path(spec.origin) if not rest else path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


@cache
def exported(module: str) -> tuple[str, ...]:
    """The ``__all__`` of a module."""
    for node in ast.parse(source_of(module).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return tuple(ast.literal_eval(node.value))
    raise AssertionError(f"{module} has no __all__")


def examples_of(name: str, text: str | None) -> doctest.DocTest:
    return doctest.DocTestParser().get_doctest(inspect.cleandoc(text or ""), {"vgdl": vgdl}, name, None, 0)


def imported(module: str) -> ModuleType:
    """A public module; skips the test if the extra that it needs is missing."""
    try:
        return importlib.import_module(module)
    except ImportError:
        package, extra = EXTRAS[module]
        pytest.importorskip(package, reason=f"needs {extra}")
        raise


def needs_extra(name: str) -> None:
    """Skip the test if its examples need an extra that is missing."""
    package, extra = EXTRAS.get(name) or EXTRAS.get(name.rpartition(".")[0]) or (None, "")
    if package is not None:
        pytest.importorskip(package, reason=f"needs {extra}")


def marked(names: list[str]) -> list[Any]:
    return [pytest.param(name, marks=[pytest.mark.costly] if name in COSTLY else []) for name in names]


# ------------------------------------------------------------------------------------------------------- what is public


@pytest.mark.parametrize("module", MODULES)
def test_the_reference_has_exactly_the_public_names(module: str) -> None:
    listed = sorted(name.rpartition(".")[2] for name in NAMES if name.rpartition(".")[0] == module)
    assert listed == sorted(name for name in exported(module) if f"{module}.{name}" not in MODULES)


def test_every_name_in_the_reference_is_of_a_public_module() -> None:
    assert [name for name in NAMES if name.rpartition(".")[0] not in MODULES] == []
    assert len(set(NAMES)) == len(NAMES)


@pytest.mark.parametrize("module", MODULES)
def test_public_names_exist(module: str) -> None:
    assert [name for name in exported(module) if not hasattr(imported(module), name)] == []


def imports(text: str) -> Iterator[tuple[str, str]]:
    """The imports of this package in Python code: modules, and names from them; and attributes of ``vgdl``."""
    for node in ast.walk(ast.parse(textwrap.dedent(text))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names if alias.name.split(".")[0] == "vgdl")
        elif isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "vgdl":
            yield from ((node.module, alias.name) for alias in node.names)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "vgdl":
            yield "vgdl", node.attr


def is_offered(module: str, name: str) -> bool:
    """Whether documentation may use a name: a public one, or one of a provisional module."""
    full = f"{module}.{name}".removesuffix(".")
    if any(f"{full}.".startswith(f"{each}.") for each in PROVISIONAL):
        return not name.startswith("_")
    return any(f"{each}.".startswith(f"{full}.") for each in (*MODULES, *PROVISIONAL)) or (
        module in MODULES and name in exported(module)
    )


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(PROJECT).as_posix())
def test_documentation_and_examples_use_public_names(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    blocks = _FENCE.findall(text) if path.suffix == ".md" else [text]
    used = {found for block in blocks for found in imports(block)}
    assert sorted(found for found in used if not is_offered(*found)) == []


def test_internal_names_are_not_offered() -> None:
    assert is_offered("vgdl", "Action")
    assert is_offered("vgdl.competition.track", "Played")
    assert not is_offered("vgdl.core.data", "layout")
    assert not is_offered("vgdl.core.data.layout", "Action")
    assert not is_offered("vgdl.game", "load")


def test_the_public_enumerations_are_not_taken_from_the_memory_layout() -> None:
    """Not even by this package, above what `vgdl` itself imports."""
    taken = re.compile(r"from vgdl\.core\.data\.layout import .*\b(?:Action|Category|Winner)\b")
    folders = ("benchmarks", "competition", "controllers", "vgdl")
    files = {path for folder in folders for path in (PROJECT / folder).rglob("*.py")}
    below = {PROJECT / "vgdl" / "__init__.py", PROJECT / "vgdl" / "text.py"}
    assert below == {path for path in files if taken.search(path.read_text(encoding="utf-8"))}


# --------------------------------------------------------------------------------------------------------------- examples


@pytest.mark.parametrize("name", NAMES)
def test_every_public_name_has_an_example(name: str) -> None:
    """A constant, which has no docstring, has one in that of its module."""
    module, _, attribute = name.rpartition(".")
    found = getattr(imported(module), attribute)
    if callable(found):
        assert examples_of(name, found.__doc__).examples, f"{name} has no >>> example in its docstring"
    else:
        used = "".join(example.source for example in examples_of(module, imported(module).__doc__).examples)
        assert re.search(rf"\b{attribute}\b", used), f"no example in the docstring of {module} uses {attribute}"


@pytest.mark.parametrize("name", marked([*MODULES, *NAMES]))
def test_the_examples_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In an empty folder."""
    needs_extra(name)
    monkeypatch.chdir(tmp_path)
    module, _, attribute = name.rpartition(".")
    found = imported(name) if name in MODULES else getattr(imported(module), attribute)
    if callable(found) or name in MODULES:
        report = io.StringIO()
        doctest.DocTestRunner(verbose=False).run(examples_of(name, found.__doc__), out=report.write)
        assert report.getvalue() == ""
