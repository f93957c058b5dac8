"""The documentation shows the example as it is, and the example is a generator."""

from __future__ import annotations

from pathlib import Path

import vgdl
from vgdl.controllers import Timer
from vgdl.generation import LEVEL_GENERATORS
from vgdl.generation.interface import LevelTask, Size

ROOT = Path(__file__).parents[3]
EXAMPLE = ROOT / "examples" / "level_generator.py"


def test_the_documentation_shows_the_example_as_it_is() -> None:
    page = (ROOT / "docs" / "generation.md").read_text(encoding="utf-8")
    code = EXAMPLE.read_text(encoding="utf-8").partition('"""\n\n')[2]
    assert f"```python\n{code}```" in page


def test_the_example_generates_levels() -> None:
    task = LevelTask(vgdl.load("zelda"))
    generator = LEVEL_GENERATORS.load(f"{EXAMPLE}:Sparse")(task, Timer(), seed=1)
    level = generator.generate(Size.of(12, 9), Timer(budget_calls=5000, meter=task.meter))
    assert not task.board(level).warnings
