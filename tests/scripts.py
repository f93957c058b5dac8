"""Commands outside the package, such as those in ``benchmarks/``, as modules."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest


def script(file: Path) -> ModuleType:
    """The module of a file, which may import others beside it."""
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where its dataclasses look for it
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(file.parent)
        spec.loader.exec_module(module)
    return module
