"""Which tests run: a sample that covers every behaviour, or with ``--everything`` all of them."""

from __future__ import annotations

import signal
import zlib
from collections.abc import Iterator

import pytest

from browser import Browser


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--everything",
        action="store_true",
        help="run all tests: those marked 'everything' too, and every case of those marked 'sampled'",
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect tests that only ``--everything`` runs."""
    if config.getoption("--everything"):
        return
    chosen = [item for item in items if _is_chosen(item)]
    config.hook.pytest_deselected(items=[item for item in items if not _is_chosen(item)])
    items[:] = chosen


def _is_chosen(item: pytest.Item) -> bool:
    """Select a fixed one in n of a sampled test's cases, independent of other tests."""
    if item.get_closest_marker("everything"):
        return False
    marker = item.get_closest_marker("sampled")
    name = item.nodeid.partition("@")[0]  # without the group that pytest-xdist adds
    return marker is None or zlib.crc32(name.encode()) % int(marker.args[0]) == 0


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


@pytest.fixture
def hears_interrupts() -> Iterator[None]:
    """Shells start background jobs with SIGINT ignored; undo that for our children."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
