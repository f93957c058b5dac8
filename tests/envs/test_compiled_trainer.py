"""The C API of vectors works for modules that are compiled against the installed package."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import vgdl
from vgdl.core.planes import Planes
from vgdl.core.vector import Vector

EXAMPLE = Path(__file__).parents[2] / "examples" / "compiled_trainer.pyx"
SETUP = """
from Cython.Build import cythonize
from setuptools import setup
setup(ext_modules=cythonize("compiled_trainer.pyx", language_level=3, include_path=[{packages!r}]))
"""
PACKAGES = str(Path(vgdl.__file__).parents[1])  # of an editable install, too, which Cython does not find


def returns_in_python(game: str, plays: int, steps: int, seed: int) -> tuple[float, int]:
    """What the example computes, written in Python."""
    board = vgdl.load(game).board(0)
    vector = Vector(Planes(board.tables), plays, range(6), same_step=True)
    vector.restart_all(np.arange(plays))
    actions, seeds, returns = np.zeros(plays, np.int64), np.zeros(plays, np.int64), np.zeros(plays)
    total, ended = 0.0, 0
    for _ in range(steps):
        for k in range(plays):
            seed = (seed * 6364136223846793005 + 1442695040888963407) % 2**64
            actions[k], seeds[k] = (seed >> 33) % 6, seed >> 32
        vector.step(actions, seeds)
        returns += vector.arrays["rewards"]
        over = vector.arrays["terminations"]
        total, ended = total + float(returns[over].sum()), ended + int(over.sum())
        returns[over] = 0.0
    return total / max(ended, 1), ended


@pytest.mark.everything
def test_a_module_compiled_against_the_package_plays_as_python_does(tmp_path: Path) -> None:
    pytest.importorskip("Cython")
    pytest.importorskip("setuptools")
    shutil.copy(EXAMPLE, tmp_path)
    (tmp_path / "setup.py").write_text(SETUP.format(packages=PACKAGES))
    subprocess.run([sys.executable, "-P", "setup.py", "-q", "build_ext", "--inplace"], cwd=tmp_path, check=True)
    (built,) = [path for path in tmp_path.glob("compiled_trainer.*") if path.suffix in (".so", ".pyd")]
    spec = importlib.util.spec_from_file_location("compiled_trainer", built)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.random_returns("aliens", plays=8, steps=300) == returns_in_python("aliens", 8, 300, 1)
