"""Names of earlier versions still work, with a warning that says what to write instead."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import vgdl
from vgdl.controllers import registry
from vgdl.controllers.entries.random_controller import Random
from vgdl.controllers.tabletop import ISMCTS, MCTS
from vgdl.deprecation import warn_deprecated
from vgdl.registry import EntryInvalid, EntryNotFound

PROJECT = Path(__file__).resolve().parents[1]
CALL = re.compile(r"\bwarn_deprecated\(\s*f?\"(.*?)\".*?removal=\"([\d.]+)\"", re.DOTALL)


def warned(call: Callable[[], Any]) -> tuple[Any, str]:
    """The result of a call and its only warning, which is about the line of the call."""
    with pytest.warns(DeprecationWarning, match="is deprecated and will be removed in version") as caught:
        found = call()
    assert [warning.filename for warning in caught] == [__file__]
    return found, str(caught[0].message)


def test_a_warning_says_what_to_write_and_until_when() -> None:
    def old() -> int:
        warn_deprecated("old()", "new()", removal="1.2")
        return 7

    assert warned(lambda: old()) == (7, "old() is deprecated and will be removed in version 1.2: use new()")


@pytest.mark.parametrize("search", [MCTS, ISMCTS], ids=lambda search: search.__name__)
def test_the_weight_of_exploration_by_its_former_name(search: Any) -> None:
    made, said = warned(lambda: search(c=2.0))
    assert made.exploration == 2.0
    assert f"use {search.__name__}(exploration=...)" in said
    assert search(exploration=3.0).exploration == 3.0


def test_entries_of_controllers_load_themselves() -> None:
    found, said = warned(lambda: registry.find("random").load())
    assert found is Random
    assert "use load(name)" in said


def test_exceptions_of_the_registry_by_their_former_names() -> None:
    assert warned(lambda: registry.ControllerNotFound)[0] is EntryNotFound
    assert warned(lambda: registry.ControllerInvalid)[0] is EntryInvalid
    with pytest.raises(AttributeError, match="no attribute 'Controllers'"):
        registry.Controllers  # noqa: B018


def deprecations() -> list[tuple[str, str]]:
    """All deprecated names, with the versions that remove them."""
    files = [
        path
        for folder in ("competition", "controllers", "games", "vgdl")
        for path in sorted((PROJECT / folder).rglob("*.py*"))
        if path.suffix in (".py", ".pyx") and path.name != "deprecation.py"
    ]
    return [found for path in files for found in CALL.findall(path.read_text(encoding="utf-8"))]


def test_none_has_outlived_its_version_and_the_changes_list_all() -> None:
    current = tuple(map(int, re.findall(r"\d+", vgdl.__version__)[:2]))
    found = deprecations()
    assert len(found) >= 4
    assert [name for name, removal in found if tuple(map(int, removal.split("."))) <= current] == []
    listed = "\n".join(
        re.findall(
            r"^### Deprecated\n(.*?)(?=^##)",
            (PROJECT / "CHANGELOG.md").read_text(encoding="utf-8"),
            re.MULTILINE | re.DOTALL,
        )
    )
    assert [name for name, _ in found if name.replace("{__name__}.{name}", "ControllerInvalid") not in listed] == []
