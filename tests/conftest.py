"""Which tests run: a sample of some minutes, with ``--costly`` a larger one, with ``--everything`` all; and fixtures."""

from __future__ import annotations

import argparse
import gc
import os
import signal
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from browser import Browser


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--costly",
        action="store_true",
        help="run the tests marked 'costly' too, and all cases of those marked 'one_case'",
    )
    parser.addoption(
        "--everything",
        action="store_true",
        help="run all tests: besides those of --costly, those marked 'everything', and all cases of those marked "
        "'sampled'; takes hours",
    )
    parser.addoption(
        "--part",
        metavar="K/N",
        type=_part,
        help="of the chosen tests, run those of part K of N, from 0 to N - 1; always the same ones, by their names",
    )


def pytest_xdist_auto_num_workers() -> int:
    """Workers with ``-n auto``: one more than cores, as many tests wait for processes and clocks."""
    return (os.cpu_count() or 1) + 1


def _part(text: str) -> tuple[int, int]:
    number, _, parts = text.partition("/")
    if not (number.isdigit() and parts.isdigit() and int(number) < int(parts)):
        raise argparse.ArgumentTypeError(f"expected K/N with K less than N, such as 0/4, got {text!r}")
    return int(number), int(parts)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect tests that only an option runs, and those of other parts."""
    everything = config.getoption("--everything")
    costly = everything or config.getoption("--costly")
    part, parts = config.getoption("--part") or (0, 1)
    shown = {} if costly else _one_of_each(items)
    chosen: list[pytest.Item] = []
    others: list[pytest.Item] = []
    for item in items:
        runs = everything or (_is_chosen(item) and (costly or not item.get_closest_marker("costly")))
        runs = runs and shown.get(_function(item), item) is item and _number(item) % parts == part
        (chosen if runs else others).append(item)
    config.hook.pytest_deselected(items=others)
    items[:] = chosen


def pytest_collection_finish() -> None:
    """Have no garbage collection look at thousands of collected tests, which live until the end anyway."""
    gc.collect()
    gc.freeze()


def _one_of_each(items: Iterable[pytest.Item]) -> dict[str, pytest.Item]:
    """The case to run of each function marked 'one_case': a fixed one, independent of other tests."""
    found: dict[str, pytest.Item] = {}
    for item in items:
        if item.get_closest_marker("one_case") and _is_chosen(item):
            function = _function(item)
            found[function] = min(found.get(function, item), item, key=_number)
    return found


def _function(item: pytest.Item) -> str:
    return item.nodeid.partition("[")[0]


def _number(item: pytest.Item) -> int:
    return zlib.crc32(item.nodeid.partition("@")[0].encode())  # without the group that pytest-xdist adds


def _is_chosen(item: pytest.Item) -> bool:
    """Select a fixed one in n of a sampled test's cases, independent of other tests."""
    if item.get_closest_marker("everything"):
        return False
    marker = item.get_closest_marker("sampled")
    return marker is None or _number(item) % int(marker.args[0]) == 0


@pytest.fixture(scope="session", autouse=True)
def state_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of states of this run, among them the secrets of competitions that are not over."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("state")
        patch.setenv("XDG_STATE_HOME", str(folder))
        yield folder / "vgdl"


@pytest.fixture
def everything(request: pytest.FixtureRequest) -> bool:
    """Whether all tests run, so that tests with random cases draw many."""
    return bool(request.config.getoption("--everything"))


@pytest.fixture(scope="session")
def running_browser() -> Iterator[Browser]:
    """A browser for all tests; only tests that are skipped without Chromium use it."""
    with Browser() as started:
        yield started


@pytest.fixture
def page(running_browser: Browser) -> Iterator[Browser]:
    """The browser; what it reports as an error fails the test."""
    running_browser.errors.clear()
    running_browser.resize(1200, 900)
    yield running_browser
    assert running_browser.errors == []


@pytest.fixture(scope="session", autouse=True)
def hears_interrupts() -> Iterator[None]:
    """Shells start background jobs with SIGINT ignored; undo that for this process and its children."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
