"""The tables in the documentation are those of the measured rows."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"


def test_the_tables_are_generated_from_the_measurements() -> None:
    spec = importlib.util.spec_from_file_location("learning_table", BENCHMARKS / "learning_table.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look themselves up
    spec.loader.exec_module(module)
    text = module.PAGE.read_text(encoding="utf-8")
    assert module.page(text) == text, "run python benchmarks/learning_table.py"
