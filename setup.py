"""Build of the Cython core, and the three top-level folders that are installed below ``vgdl``."""

import os
import shutil
import sys
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
    COMPILE = ["-O1", "-g", "-ffp-contract=off", "-fwrapv", "-UNDEBUG"]
if SANITIZE:
    COMPILE += [f"-fsanitize={SANITIZE}", "-fno-sanitize-recover=undefined", "-fno-omit-frame-pointer"]
    LINK += [f"-fsanitize={SANITIZE}"]
if sys.platform == "win32":
    COMPILE, LINK = ["/O2", "/fp:precise"], []

MACROS = [("NPY_NO_DEPRECATED_API", "NPY_1_7_API_VERSION")] + ([("VGDL_DEBUG", "1")] if DEBUG or SANITIZE else [])


def extension(name: str, path: Path) -> Extension:
    return Extension(
        name,
        [str(path.relative_to(ROOT))],
        include_dirs=[numpy.get_include()],
        define_macros=MACROS,
        extra_compile_args=COMPILE,
        extra_link_args=LINK,
    )


def module(path: Path, folder: Path, package: str) -> str:
    """The name that a source file of a package's folder is imported by."""
    return ".".join([package, *path.relative_to(folder).with_suffix("").parts])


def mirrored(declarations: list[Path]) -> Path:
    """A folder to look for cimports in: there ``vgdl.controllers`` is where it will be installed, not where it is."""
    folder = ROOT / "build" / "include"
    package = folder / "vgdl" / "controllers"
    for path in declarations:
        target = package / path.relative_to(CONTROLLERS)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, target)
    for init in (folder / "vgdl", package, *(path for path in package.iterdir() if path.is_dir())):
        (init / "__init__.pxd").touch()
    return folder


CORE, TABLETOP, CONTROLLERS = ROOT / "vgdl" / "core", ROOT / "vgdl" / "tabletop", ROOT / "controllers"
declarations = sorted(CONTROLLERS.rglob("*.pxd"))
extensions = [extension(module(path, CORE, "vgdl.core"), path) for path in sorted(CORE.rglob("*.pyx"))]
extensions += [extension(module(path, TABLETOP, "vgdl.tabletop"), path) for path in sorted(TABLETOP.rglob("*.pyx"))]
extensions += [
    extension(module(path, CONTROLLERS, "vgdl.controllers"), path) for path in sorted(CONTROLLERS.rglob("*.pyx"))
]
extensions += [  # a controllers module with a .pxd beside it is compiled
    extension(module(path, CONTROLLERS, "vgdl.controllers"), path.with_suffix(".py"))
    for path in declarations
    if path.with_suffix(".py").exists()
]

setup(
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
        include_path=[str(mirrored(declarations)), str(ROOT)],
        build_dir="build/cython",
        nthreads=int(os.environ.get("VGDL_BUILD_JOBS", os.cpu_count() or 1)),
    ),
    options={"build_ext": {"parallel": True}},  # the C compiler on all cores
)
