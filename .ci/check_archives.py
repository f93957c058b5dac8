"""Check that the wheel and the sdist in a folder hold all that belongs in them, by the files of the checkout.

python check_archives.py CHECKOUT DIST
"""

from __future__ import annotations

import re
import sys
import tarfile
import zipfile
from pathlib import Path

ROOMS = {"vgdl": "vgdl", "controllers": "vgdl/controllers", "games": "vgdl/games", "competition": "vgdl/competition"}
"""Folders of the checkout that are installed, by where they go."""

NOT_INSTALLED = {".pyx", ".c", ".so", ".pyd", ".pyc"}
"""Suffixes of the files below these folders that a wheel does not have; all others it has."""

NOT_SOURCES = {".so", ".pyd", ".pyc"}
PROJECT = ("pyproject.toml", "setup.py", "MANIFEST.in", "LICENSE", "CITATION.cff")
PROJECT += ("README.md", "CHANGELOG.md", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "SECURITY.md", "_vgdl_commands.py")

RELATIVE = re.compile(r"\]\((?![a-z]+:|#)([^)]*)\)")
"""A link that leads nowhere on the page of a package index."""

TOP = {"vgdl", "_vgdl_commands.py"}
"""The entries that a wheel adds to site-packages."""


def files(folder: Path, without: set[str]) -> set[str]:
    """Paths of the files below a folder but those with some suffixes, relative to it."""
    found = (path for path in folder.rglob("*") if path.is_file() and path.suffix not in without)
    return {path.relative_to(folder).as_posix() for path in found if "__pycache__" not in path.parts}


def extension_modules(folder: Path) -> set[str]:
    """Paths of the compiled modules below a folder, without suffixes: Cython, and Python with a .pxd beside it."""
    sources = [*folder.rglob("*.pyx"), *(path for path in folder.rglob("*.pxd") if path.with_suffix(".py").exists())]
    return {without_suffixes(path.relative_to(folder).as_posix()) for path in sources if path.stem != "__init__"}


def without_suffixes(name: str) -> str:
    """A path up to the first full stop in its last part."""
    folder, _, last = name.rpartition("/")
    return f"{folder}/{last.partition('.')[0]}"


def wheel_problems(checkout: Path, wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        pages = [archive.read(name).decode() for name in names if name.endswith(".dist-info/METADATA")]
    wanted = {f"{target}/{name}" for room, target in ROOMS.items() for name in files(checkout / room, NOT_INSTALLED)}
    modules = {f"{target}/{name}" for room, target in ROOMS.items() for name in extension_modules(checkout / room)}
    built = {without_suffixes(name) for name in names if name.endswith((".so", ".pyd"))}
    problems = [f"{wheel.name} lacks {name}" for name in sorted(wanted - names)]
    problems += [f"{wheel.name} lacks the extension module {name}" for name in sorted(modules - built)]
    tops = {name.partition("/")[0] for name in names}
    strays = sorted(name for name in tops if name not in TOP and not name.endswith(".dist-info"))
    problems += [f"{wheel.name} lacks {name}" for name in TOP - tops]
    problems += [
        f"{wheel.name} has a README with the relative link {link}" for page in pages for link in RELATIVE.findall(page)
    ]
    return problems + [f"{wheel.name} would install {name}" for name in strays]


def sdist_problems(checkout: Path, sdist: Path) -> list[str]:
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    folders = (*ROOMS, "tests", "docs", "benchmarks", "examples")
    wanted = {f"{folder}/{name}" for folder in folders for name in files(checkout / folder, NOT_SOURCES)} | set(PROJECT)
    strays = sorted(name for name in names if name.startswith("build/") or name.endswith((".so", ".pyc")))
    return [f"{sdist.name} lacks {name}" for name in sorted(wanted - names)] + [
        f"{sdist.name} has {name}" for name in strays
    ]


def main(checkout: Path, dist: Path) -> int:
    wheels, sdists = sorted(dist.glob("*.whl")), sorted(dist.glob("*.tar.gz"))
    for kind, found in (("wheel", wheels), ("sdist", sdists)):
        if len(found) != 1:
            names = ", ".join(path.name for path in found) or "none"
            print(f"one {kind} is needed in {dist}; there is {names}", file=sys.stderr)
    if not len(wheels) == len(sdists) == 1:
        return 2
    (wheel,), (sdist,) = wheels, sdists
    problems = wheel_problems(checkout, wheel) + sdist_problems(checkout, sdist)
    print("\n".join(problems) or f"{wheel.name} and {sdist.name} are complete")
    return 1 if problems else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        print("usage: check_archives.py CHECKOUT DIST", file=sys.stderr)
        sys.exit(2)
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
