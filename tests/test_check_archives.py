"""The check of a release's archives, on archives of a small checkout: what is missing or too much is named."""

from __future__ import annotations

import runpy
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

SCRIPT = Path(__file__).parents[1] / ".ci" / "check_archives.py"

pytestmark = pytest.mark.skipif(not SCRIPT.is_file(), reason="needs a checkout")

FILES = (
    *("vgdl/__init__.py", "vgdl/py.typed", "vgdl/core/state.pyx", "vgdl/core/state.pyi", "vgdl/core/state.pxd"),
    *("controllers/search/trees.py", "controllers/search/trees.pxd", "games/training/zelda.toml"),
    *("competition/report/static/icon.svg", "competition/tracks/gamebot/prompts/base.j2", "tests/test_it.py"),
    *("docs/index.md", "benchmarks/site.py", "examples/play.py"),
)
WHEEL = (
    *("vgdl/__init__.py", "vgdl/py.typed", "vgdl/core/state.pyi", "vgdl/core/state.pxd"),
    *("vgdl/core/state.cpython-311.so", "vgdl/controllers/search/trees.py", "vgdl/controllers/search/trees.pxd"),
    *("vgdl/controllers/search/trees.cpython-311.so", "vgdl/games/training/zelda.toml"),
    *("vgdl/competition/report/static/icon.svg", "vgdl/competition/tracks/gamebot/prompts/base.j2"),
    *("_vgdl_commands.py", "vgdl-1.dist-info/METADATA"),
)

Check = Callable[..., tuple[int, list[str]]]
"""Checks a wheel and an sdist with these files, of which some have a text; returns the exit status and the printed lines."""


@pytest.fixture
def script() -> dict[str, Any]:
    """The script's names."""
    return runpy.run_path(str(SCRIPT))


@pytest.fixture
def sdist(script: dict[str, Any]) -> tuple[str, ...]:
    """The files of a complete sdist."""
    return (*FILES, *script["PROJECT"])


@pytest.fixture
def check(script: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Check:
    """Checks archives of a small checkout."""
    for name in FILES:
        (tmp_path / "checkout" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "checkout" / name).touch()

    def run(
        in_wheel: tuple[str, ...], in_sdist: tuple[str, ...], texts: Mapping[str, str] = MappingProxyType({})
    ) -> tuple[int, list[str]]:
        dist = tmp_path / "dist"
        dist.mkdir()
        with zipfile.ZipFile(dist / "vgdl-1.whl", "w") as wheel:
            for name in in_wheel:
                wheel.writestr(name, texts.get(name, ""))
        with tarfile.open(dist / "vgdl-1.tar.gz", "w:gz") as archive:
            for name in in_sdist:
                archive.addfile(tarfile.TarInfo(f"vgdl-1/{name}"))
        status = script["main"](tmp_path / "checkout", dist)
        return status, capsys.readouterr().out.splitlines()

    return run


def test_complete_archives_pass(check: Check, sdist: tuple[str, ...]) -> None:
    assert check(WHEEL, sdist) == (0, ["vgdl-1.whl and vgdl-1.tar.gz are complete"])


@pytest.mark.parametrize("name", [name for name in WHEEL if not name.endswith((".so", "METADATA"))])
def test_a_file_that_a_wheel_lacks_is_named(check: Check, sdist: tuple[str, ...], name: str) -> None:
    status, printed = check(tuple(one for one in WHEEL if one != name), sdist)
    assert (status, printed) == (1, [f"vgdl-1.whl lacks {name}"])


@pytest.mark.parametrize("name", ["vgdl/core/state", "vgdl/controllers/search/trees"])
def test_an_extension_module_that_was_not_compiled_is_named(check: Check, sdist: tuple[str, ...], name: str) -> None:
    status, printed = check(tuple(one for one in WHEEL if one != f"{name}.cpython-311.so"), sdist)
    assert (status, printed) == (1, [f"vgdl-1.whl lacks the extension module {name}"])


def test_a_relative_link_on_the_page_of_an_index_is_named(check: Check, sdist: tuple[str, ...]) -> None:
    page = "[a](https://vgdl.example/a) [b](#b) [c](docs/c.md)"
    status, printed = check(WHEEL, sdist, {"vgdl-1.dist-info/METADATA": page})
    assert (status, printed) == (1, ["vgdl-1.whl has a README with the relative link docs/c.md"])


@pytest.mark.parametrize("name", ["tests/test_it.py", "tests"])
def test_a_wheel_installs_nothing_beside_the_package(check: Check, sdist: tuple[str, ...], name: str) -> None:
    assert check((*WHEEL, name), sdist) == (1, ["vgdl-1.whl would install tests"])


@pytest.mark.parametrize("name", [*FILES, "LICENSE", "CHANGELOG.md"])
def test_a_file_that_an_sdist_lacks_is_named(check: Check, sdist: tuple[str, ...], name: str) -> None:
    status, printed = check(WHEEL, tuple(one for one in sdist if one != name))
    assert (status, printed) == (1, [f"vgdl-1.tar.gz lacks {name}"])


@pytest.mark.parametrize("name", ["build/lib/vgdl/__init__.py", "vgdl/core/state.so", "vgdl/old.pyc"])
def test_an_sdist_holds_nothing_that_was_built(check: Check, sdist: tuple[str, ...], name: str) -> None:
    assert check(WHEEL, (*sdist, name)) == (1, [f"vgdl-1.tar.gz has {name}"])


@pytest.mark.parametrize(
    ("present", "told"),
    [
        ((), ["one wheel is needed in dist; there is none", "one sdist is needed in dist; there is none"]),
        (("a.whl", "b.whl", "a.tar.gz"), ["one wheel is needed in dist; there is a.whl, b.whl"]),
        (("a.whl", "a.tar.gz", "b.tar.gz"), ["one sdist is needed in dist; there is a.tar.gz, b.tar.gz"]),
    ],
)
def test_a_folder_without_one_archive_of_each_kind_is_refused(
    tmp_path: Path, present: tuple[str, ...], told: list[str]
) -> None:
    (tmp_path / "dist").mkdir()
    for name in present:
        (tmp_path / "dist" / name).touch()
    command = [sys.executable, str(SCRIPT), ".", "dist"]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr.splitlines()) == (2, "", told)
