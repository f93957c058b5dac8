"""The installed package: data beside the code, type information, working commands."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from fnmatch import fnmatchcase
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

import pytest

import vgdl
from vgdl import games

PACKAGE = Path(vgdl.__file__).parent
ROOT = Path(__file__).parents[1]
MODULES = sorted(path.name.partition(".")[0] for path in (PACKAGE / "core").rglob("*.pxd"))


def test_the_version_is_the_installed_one() -> None:
    assert vgdl.__version__ == version("vgdl")


def test_every_compiled_module_has_a_stub() -> None:
    compiled = [path for path in PACKAGE.rglob("*") if path.suffix in {".so", ".pyd"}]
    compiled = [path for path in compiled if not path.name.startswith("_cyutility.")]  # what Cython generates for all
    assert compiled
    assert [path.name for path in compiled if not path.with_name(f"{path.name.partition('.')[0]}.pyi").is_file()] == []


@pytest.mark.parametrize(
    "name", ["py.typed", "fingerprint.toml", "language/grammar.lark", "render/sprites/palette.txt", "core/state.pyi"]
)
def test_data_is_installed(name: str) -> None:
    assert (PACKAGE / name).is_file()


@pytest.mark.parametrize(
    ("package", "name"),
    [
        ("vgdl.competition.report", "templates/base.html"),
        ("vgdl.competition.report", "templates/macros/tables.html"),
        ("vgdl.competition.report", "static/style.css"),
        ("vgdl.competition.tracks.planning.pages", "templates/planning/index.html"),
        ("vgdl.competition.tracks.planning.pages", "static/player.js"),
    ],
)
def test_the_pages_of_the_results_site_are_installed(package: str, name: str) -> None:
    assert files(package).joinpath(name).is_file()


def test_there_are_games_with_levels() -> None:
    assert len(games.names()) >= 3
    assert all(games.path(name).is_file() and games.levels(name) for name in games.names())


def test_wheels_are_built_for_every_supported_python_and_system() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    build, skip = (project["tool"]["cibuildwheel"].get(name, "").split() for name in ("build", "skip"))

    def is_built(identifier: str) -> bool:
        return any(fnmatchcase(identifier, pattern) for pattern in build) and not any(
            fnmatchcase(identifier, pattern) for pattern in skip
        )

    platforms = ("manylinux_x86_64", "musllinux_x86_64", "macosx_arm64", "win_amd64")
    pythons = [name for name in (word.rpartition(" ")[2] for word in project["project"]["classifiers"]) if "." in name]
    assert pythons == ["3.11", "3.12", "3.13", "3.14"]
    wanted = [f"cp{name.replace('.', '')}-{platform}" for name in pythons for platform in platforms]
    assert [identifier for identifier in wanted if not is_built(identifier)] == []


def test_version_changes_and_citation_agree() -> None:
    notes = subprocess.run([sys.executable, ROOT / ".ci/release_notes.py"], capture_output=True, text=True)
    assert (notes.returncode, notes.stderr) == (0, "")
    assert "### " in notes.stdout


def test_a_tag_is_refused_while_something_is_missing() -> None:
    notes = subprocess.run([sys.executable, ROOT / ".ci/release_notes.py", "v9.9"], capture_output=True, text=True)
    assert notes.returncode == 1
    assert f"the tag is v9.9, and the version {vgdl.__version__}" in notes.stderr


def test_the_package_is_imported_without_the_libraries_of_windows_and_terminals() -> None:
    code = "import sys, vgdl; print(sorted({'pygame', 'rich', 'gymnasium'} & sys.modules.keys()))"
    shown = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout == "[]\n"


def test_the_core_can_be_used_from_cython() -> None:
    """Other packages find the declarations beside the modules."""
    assert {"layout", "state", "random"} <= set(MODULES)
