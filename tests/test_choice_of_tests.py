"""Options of the test suite choose the tests that they name."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def collected(*options: str) -> set[str]:
    command = [sys.executable, "-P", "-m", "pytest", "-n", "0", "-q", "--collect-only", "-p", "no:cacheprovider"]
    shown = subprocess.run([*command, *options, "test_replay.py"], cwd=HERE, capture_output=True, text=True, check=True)
    return {line for line in shown.stdout.splitlines() if "::" in line}


def test_every_test_is_in_one_part() -> None:
    every, *parts = collected(), collected("--part", "0/2"), collected("--part", "1/2")
    assert set().union(*parts) == every
    assert sum(map(len, parts)) == len(every)
    assert all(parts)


def test_a_part_that_does_not_exist_is_refused() -> None:
    command = [sys.executable, "-P", "-m", "pytest", "-n", "0", "--part", "3/3", "test_replay.py"]
    shown = subprocess.run(command, cwd=HERE, capture_output=True, text=True, check=False)
    assert shown.returncode == 4
    assert "expected K/N with K less than N, such as 0/4, got '3/3'" in shown.stderr


@pytest.mark.xdist_group("a group")
def test_groups_of_tests_share_a_worker(request: pytest.FixtureRequest) -> None:
    """Pytest-xdist 3.8 with pytest 9.2 ignores groups without a word: hence the limit in pyproject.toml."""
    if not request.config.getoption("loadgroup", default=False):
        pytest.skip("the tests are not distributed by group")
    assert request.node.nodeid.endswith("@a group")
