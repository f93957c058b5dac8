"""The figures in README and documentation are those of stored runs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_the_figures_are_those_of_the_stored_runs() -> None:
    command = [sys.executable, str(ROOT / "benchmarks" / "report.py"), "--check"]
    shown = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert (shown.returncode, shown.stdout, shown.stderr) == (0, "all figures are as stored\n", "")
