"""Controllers are found by name, in a file, or by entry point; failures are explained."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from vgdl.controllers import registry
from vgdl.registry import Entry, EntryInvalid, EntryNotFound

AGENT = """
from vgdl import Action
from vgdl.controllers import Controller

class Up(Controller):
    def act(self, state, timer):
        return Action.UP

class Unfinished(Controller):
    pass

class Stranger(dict):
    pass

class Orphan:
    pass

Parent = Unfinished

class Heir(Parent):
    pass
"""


@pytest.fixture
def agent(tmp_path: Path) -> Path:
    path = tmp_path / "my_agent.py"
    path.write_text(AGENT)
    return path


def test_the_bundled_controllers_have_the_names_of_the_paper() -> None:
    names = registry.names()
    bundled = {name: names[name] for name in ("random", "onesteplookahead", "samplemcts")}
    assert bundled == {"random": "Random", "onesteplookahead": "OneStepLookAhead", "samplemcts": "SampleMCTS"}


@pytest.mark.parametrize("entry", registry.BUNDLED, ids=lambda entry: entry.name)
def test_every_bundled_controller_loads(entry: Entry) -> None:
    assert registry.load(entry).__name__ == entry.class_name


def test_names_are_found_in_any_case() -> None:
    assert registry.find("SampleMCTS").name == "samplemcts"


def test_a_misspelt_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(EntryNotFound, match=r"'samplemtcs'.*did you mean 'samplemcts'"):
        registry.find("samplemtcs")


def test_a_class_in_a_file_is_found_and_loaded(agent: Path) -> None:
    entry = registry.find(f"{agent}:Up")
    assert entry.ranking_name == "Up"
    assert registry.load(entry).__name__ == "Up"


def test_finding_a_file_does_not_run_it(tmp_path: Path) -> None:
    path = tmp_path / "hostile.py"
    path.write_text("class Hostile(Controller):\n    def act(self, state, timer): ...\nraise SystemExit('it ran')")
    assert registry.find(f"{path}:Hostile").class_name == "Hostile"


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ("my_agent.py:Upp", "no class 'Upp'.*did you mean 'Up'"),
        ("my_agent.py:Orphan", "Orphan in my_agent.py does not derive from"),
        ("my_agent.py", "it has Up, Stranger, Heir$"),
        ("nothing.py:Up", "no file"),
    ],
)
def test_an_error_in_a_file_is_explained(agent: Path, asked: str, message: str) -> None:
    with pytest.raises(EntryNotFound, match=message):
        registry.find(str(agent.parent / asked))


def test_a_file_that_is_not_python_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "broken.py"
    path.write_text("class :")
    with pytest.raises(EntryNotFound, match=r"is not valid Python: .*broken.py, line 1"):
        registry.find(f"{path}:Broken")


def test_a_class_without_act_is_refused_before_it_is_imported(agent: Path) -> None:
    with pytest.raises(EntryNotFound, match=r"Unfinished in my_agent\.py has no method act"):
        registry.find(f"{agent}:Unfinished")


@pytest.mark.parametrize(("name", "message"), [("Stranger", "is not a .*Controller$"), ("Heir", "no method act")])
def test_a_class_that_cannot_play_is_refused_when_it_is_loaded(agent: Path, name: str, message: str) -> None:
    entry = registry.find(f"{agent}:{name}")
    with pytest.raises(EntryInvalid, match=message):
        registry.load(entry)


def test_installed_packages_announce_controllers_but_cannot_replace_ours(
    agent: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The files that pip installs for a package, with its module beside them."""
    installed = agent.parent / "theirs-1.0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1.0\n")
    points = f"[{registry.CONTROLLERS.group}]\nTheirs = my_agent:Up\nsamplemcts = my_agent:Up\n"
    (installed / "entry_points.txt").write_text(points)
    monkeypatch.syspath_prepend(agent.parent)
    monkeypatch.delitem(sys.modules, "my_agent", raising=False)
    assert registry.load("theirs").__name__ == "Up"
    assert registry.names()["theirs"] == "Up"
    assert registry.find("samplemcts").class_name == "SampleMCTS"
