"""Build of the Cython core; packages and their data, of which three top-level folders are installed below ``vgdl``."""

import os
import re
import shutil
import sys
import tomllib
from pathlib import Path

import numpy
from Cython.Build import cythonize
from setuptools import Extension, setup

ROOT = Path(__file__).parent
DEBUG = os.environ.get("VGDL_DEBUG") == "1"  # bounds checks and assertions
SANITIZE = os.environ.get("VGDL_SANITIZE")  # the compiler's names of sanitizers: "address,undefined"

# The same numbers everywhere: no fused multiply-add, no relaxed arithmetic; integers wrap as the reference's do.
COMPILE = ["-O3", "-g0", "-ffp-contract=off", "-fno-math-errno", "-fwrapv", "-Wno-unused-function"]
LINK: list[str] = []
if DEBUG or SANITIZE:
    COMPILE = ["-O1", "-g", "-ffp-contract=off", "-fno-math-errno", "-fwrapv", "-UNDEBUG"]
if SANITIZE:
    COMPILE += [f"-fsanitize={SANITIZE}", "-fno-sanitize-recover=undefined", "-fno-omit-frame-pointer"]
    LINK += [f"-fsanitize={SANITIZE}"]
if sys.platform == "win32":
    COMPILE, LINK = ["/O2", "/fp:precise"], []

MACROS = [("NPY_NO_DEPRECATED_API", "NPY_1_7_API_VERSION")] + ([("VGDL_DEBUG", "1")] if DEBUG or SANITIZE else [])


# Lower levels where measurements show no loss: the build on two cores takes 60 s instead of 72.
LEVELS = {
    "vgdl.core.data": "-O1",  # runs once per game
    "vgdl.core._cyutility": "-O1",
    "vgdl.tabletop": "-O2",
    "vgdl.controllers.tabletop": "-O2",
    "vgdl.competition.tracks.othello": "-O2",
}


def optimisation(name: str) -> list[str]:
    """The compiler options of a module that replace ``-O3``."""
    return [level for package, level in LEVELS.items() if f"{name}.".startswith(f"{package}.") and "-O3" in COMPILE]


def extension(name: str, path: Path) -> Extension:
    return Extension(
        name,
        [str(path.relative_to(ROOT))],
        include_dirs=[numpy.get_include()],
        define_macros=MACROS,
        extra_compile_args=COMPILE + optimisation(name),
        extra_link_args=LINK,
    )


def module(path: Path, folder: Path, package: str) -> str:
    """The name that a source file of a package's folder is imported by."""
    return ".".join([package, *path.relative_to(folder).with_suffix("").parts])


def mirrored(packages: dict[str, Path]) -> Path:
    """A folder to look for cimports in: there each package is where it will be installed, not where it is."""
    include = ROOT / "build" / "include"
    for name, folder in packages.items():
        for path in sorted(folder.rglob("*.pxd")):
            target = include.joinpath(*name.split("."), path.relative_to(folder))
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, target)
            for parent in list(target.relative_to(include).parents)[:-1]:
                (include / parent / "__init__.pxd").touch()
    return include


PACKAGES = {
    "vgdl": ROOT / "vgdl",
    "vgdl.controllers": ROOT / "controllers",
    "vgdl.games": ROOT / "games",
    "vgdl.competition": ROOT / "competition",
}
"""Where each top-level folder is installed."""

NOT_DATA = {".py", ".pyx", ".c", ".so", ".pyd", ".pyc"}
"""Suffixes of the files in a package that are not installed as its data."""


def packages() -> dict[str, Path]:
    """Every package and its folder: the top-level ones, and the folders below them with an ``__init__.py``."""
    return {
        ".".join([package, *init.parent.relative_to(folder).parts]): init.parent
        for package, folder in PACKAGES.items()
        for init in sorted(folder.rglob("__init__.py"))
    }


def data_of(folder: Path, others: set[Path]) -> list[str]:
    """The data of a package: all files below its folder but code, and but those of the packages below it."""
    below = [path for path in folder.iterdir() if path not in others and path.name != "__pycache__"]
    files = [path for path in below if path.is_file() and path.suffix not in NOT_DATA]
    names = [path.name for path in files]
    for path in below:
        if path.is_dir():
            names += [f"{path.name}/{name}" for name in data_of(path, others)]
    return sorted(names)


def readme() -> str:
    """The README with absolute links to files of the project, as package indexes need them."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return re.sub(r"\]\((?![a-z]+:|#)", f"]({project['urls']['Source']}/", text)


CORE, CONTROLLERS, COMPETITION = ROOT / "vgdl" / "core", PACKAGES["vgdl.controllers"], PACKAGES["vgdl.competition"]
extensions = [
    extension(module(path, folder, package), path)
    for package, folder in PACKAGES.items()
    for path in sorted(folder.rglob("*.pyx"))
]
extensions += [  # a controllers module with a .pxd beside it is compiled
    extension(module(path, CONTROLLERS, "vgdl.controllers"), path.with_suffix(".py"))
    for path in sorted(CONTROLLERS.rglob("*.pxd"))
    if path.with_suffix(".py").exists()
]
# What Cython generates for every module with memory views is compiled once: the build takes half the time.
SHARED = "vgdl.core._cyutility"
extensions.append(extension(SHARED, CORE / "_cyutility.c"))

FOUND = packages()
setup(
    long_description=readme(),
    long_description_content_type="text/markdown",
    packages=list(FOUND),
    package_dir={package: str(folder.relative_to(ROOT)) for package, folder in PACKAGES.items()},
    package_data={package: data_of(folder, set(FOUND.values())) for package, folder in FOUND.items()},
    ext_modules=cythonize(
        extensions,
        compiler_directives={
            "language_level": 3,
            "boundscheck": DEBUG,
            "wraparound": False,
            "initializedcheck": DEBUG,
            "cdivision": True,
            "embedsignature": True,
            "freethreading_compatible": False,
        },
        include_path=[
            str(mirrored({"vgdl.controllers": CONTROLLERS, "vgdl.competition": COMPETITION})),
            str(ROOT),
        ],
        shared_utility_qualified_name=SHARED,
        build_dir="build/cython",
        nthreads=int(os.environ.get("VGDL_BUILD_JOBS", os.cpu_count() or 1)),
    ),
    options={"build_ext": {"parallel": True}},  # the C compiler on all cores
)
