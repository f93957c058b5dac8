"""Parsing of Python sources in threads."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from vgdl import python_source


@pytest.fixture
def _collections_let_others_run() -> Iterator[None]:
    """The garbage collector runs often, and lets other threads run."""

    def wait(*_: object) -> None:
        time.sleep(0.0002)

    thresholds = gc.get_threshold()
    gc.set_threshold(300)
    gc.callbacks.append(wait)
    yield
    gc.callbacks.remove(wait)
    gc.set_threshold(*thresholds)


@pytest.mark.usefixtures("_collections_let_others_run")
def test_threads_may_parse_at_once() -> None:
    """With ``ast.parse`` this fails in Python 3.11: AST constructor recursion depth mismatch."""
    source = Path(__file__).read_bytes()
    with ThreadPoolExecutor(4) as threads:
        trees = list(threads.map(python_source.parse, [source] * 40))
    assert {len(tree.body) for tree in trees} == {len(trees[0].body)}
