"""The tables of the page about learning rules are those of the stored results."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from vgdl.induction import prior

PROJECT = Path(__file__).parents[2]
HEADER = "game,half,without,seed,ticks,hypotheses,simulated,seconds,identical,in_law,explained,bits,rank,won,won_true,plays\n"


def loaded(name: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A module of the benchmarks."""
    spec = importlib.util.spec_from_file_location(f"benchmark_{name}", PROJECT / "benchmarks" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    monkeypatch.syspath_prepend(PROJECT / "benchmarks")
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module of the command."""
    return loaded("induction", monkeypatch)


def test_the_counts_are_those_of_the_development_half_of_the_bundled_games(monkeypatch: pytest.MonkeyPatch) -> None:
    counting = loaded("induction_prior", monkeypatch)
    assert counting.counted(counting.development_half()) == prior.counts()


def test_the_page_shows_the_stored_results(command: ModuleType) -> None:
    shown = command.PAGE.read_text(encoding="utf-8").split(command.BEGIN)[1].split(command.END)[0]
    assert shown == command.tables(command.read(command.RESULTS))


def test_tables_have_a_line_per_game_and_one_per_half(command: ModuleType, tmp_path: Path) -> None:
    file = tmp_path / "results.csv"
    file.write_text(
        HEADER
        + "sokoban,development,,0,300,900,50000,10.0,0.9,0.95,0.9,2.5,0.7,1,2,2\n"
        + "sokoban,development,,1,300,900,50000,20.0,0.7,0.75,0.9,2.5,0.7,1,2,2\n"
        + "zelda,validation,,0,300,900,50000,30.0,0.5,0.5,0.9,2.5,0.7,0,1,2\n"
        + "frogs,development,,0,300,900,50000,10.0,0.5,0.5,0.9,2.5,0.7,0,0,0\n"
        + "sokoban,development,law,0,300,900,50000,10.0,0.8,0.65,0.9,2.5,0.7,0,2,2\n"
        + "sokoban,development,,0,2000,900,50000,40.0,1.0,1.0,0.9,2.5,0.7,2,2,2\n"
    )
    table = command.tables(command.read(file))
    assert "| sokoban | development | 300 | 2 | 0.80 | 0.85 | 0.90 | 2.5 | 0.70 | 2/4 | 4/4 | 15 |" in table
    assert "| frogs | development | 300 | 1 | 0.50 | 0.50 | 0.90 | 2.5 | 0.70 | – | – | 10 |" in table
    assert "| sokoban | development | 2000 | 1 | 1.00 | 1.00 | 0.90 | 2.5 | 0.70 | 2/2 | 2/2 | 40 |" in table
    assert "| development | 300 | 2 | 2 | 50 % (50 to 50) | 1 | 0 | 0 | 13 |" in table
    assert "| development | 2000 | 1 | 1 | 100 % (100 to 100) | 1 | 1 | 1 | 40 |" in table
    assert "| validation | 300 | 1 | 1 | 0 % (0 to 0) | 1 | 0 | 0 | 30 |" in table
    assert "| law | 1 | -0.300 (-0.300 to -0.300) | -0.100 (-0.100 to -0.100) |" in table


def test_rows_that_were_stored_are_kept(command: ModuleType, tmp_path: Path) -> None:
    file = tmp_path / "results.csv"
    row = command.Row("zelda", "validation", "", 0, 300, 900, 50_000, 30.0, 0.5, 0.5, 0.9, 2.5, 0.7, 0, 1, 2)
    command.append(file, row)
    command.append(file, row)
    assert command.read(file) == [row, row]
    assert file.read_text().startswith(HEADER)
