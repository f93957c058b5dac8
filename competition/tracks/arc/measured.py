"""Measurements of the bundled games, by version: ``baselines.json``, written by `measure`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("baselines.json")


@cache
def entries() -> Mapping[str, Mapping[str, Any]]:
    """Per version: ``game``, ``way``, ``deterministic``, baselines by source, and the ``planners`` behind them."""
    return {entry["version"]: entry for entry in json.loads(FILE.read_text(encoding="utf-8"))["games"]}
