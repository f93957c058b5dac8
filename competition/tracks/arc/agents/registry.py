"""Registry of agents by name: the bundled ones, and classes in a file."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vgdl.competition.tracks.arc.agents.base import FrameAgent, Task
from vgdl.language import suggestion

HERE = "vgdl.competition.tracks.arc.agents"


class AgentNotFound(ValueError):
    """There is no agent of this name; the message lists the known ones."""


class AgentInvalid(TypeError):
    """The object found cannot be used as an agent, or not with these options; the message says why."""


@dataclass(frozen=True, slots=True)
class Entry:
    """The location of an agent's class, which is imported by `load`."""

    name: str
    about: str  #: one line for lists of agents
    module: str  #: module, or path of a file
    class_name: str

    def load(self) -> type[FrameAgent]:
        """Import the agent's class.

        Raises:
            AgentInvalid: there is no such class, or it is not a concrete subclass of ``FrameAgent``.
            ImportError: it needs an extra that is not installed; the message says which.
        """
        is_file = self.module.endswith(".py")
        module = _import_file(Path(self.module)) if is_file else importlib.import_module(self.module)
        found = getattr(module, self.class_name, None)
        if not (isinstance(found, type) and issubclass(found, FrameAgent)):
            raise AgentInvalid(f"{self.class_name!r} in {self.module} is not a FrameAgent")
        if inspect.isabstract(found):
            raise AgentInvalid(f"{self.class_name} in {self.module} has no method act(self, frame)")
        return found


BUNDLED = (
    Entry("random", "uniform over the available actions", f"{HERE}.uniform", "Uniform"),
    Entry("change-cnn", "predicts with a network which actions change the frame", f"{HERE}.change_cnn", "ChangeCNN"),
    Entry("change-cnn-lite", "the same for one CPU core", f"{HERE}.change_cnn_lite", "ChangeCNNLite"),
    Entry("state-graph", "a graph of frames and a value model of finished levels", f"{HERE}.state_graph", "StateGraph"),
    Entry("explorer", "explores a graph of frames, likely actions first", f"{HERE}.explorer", "Explorer"),
    Entry("object-planner", "plans with learnt rules of things", f"{HERE}.object_planner", "ObjectPlanner"),
)


def names() -> tuple[str, ...]:
    """Names of the bundled agents."""
    return tuple(entry.name for entry in BUNDLED)


def describe() -> dict[str, str]:
    """One line about each bundled agent, by name."""
    return {entry.name: entry.about for entry in BUNDLED}


def find(name: str) -> Entry:
    """Find an agent by name (case-insensitive) or by ``path/to/file.py:Class``, without importing it.

    Raises:
        AgentNotFound: there is no such name or file; the message suggests a similar name.
    """
    if ".py:" in name:
        location, _, class_name = name.rpartition(":")
        path = Path(location).resolve()
        if not path.is_file():
            raise AgentNotFound(f"there is no file {path} (asked for as {name!r})")
        return Entry(name, "", str(path), class_name)
    for entry in BUNDLED:
        if entry.name == name.lower():
            return entry
    raise AgentNotFound(
        f"no agent is called {name!r}{suggestion(name.lower(), names())}. There are {', '.join(names())}; "
        "name a class of your own as my_agent.py:MyAgent"
    )


def create(name: str, task: Task, seed: int = 0, **options: Any) -> FrameAgent:
    """Make an agent for one play of a game.

    Args:
        name: name of the agent, see ``find``.
        task: the information about the game.
        seed: seed of all its random decisions.
        options: keyword arguments of the agent's class, such as ``repairs=False``.

    Raises:
        AgentNotFound: see ``find``.
        AgentInvalid: the class is not an agent or does not take these options.
        ImportError: it needs an extra that is not installed; the message says which.
    """
    return checked(name, options)(task, seed, **options)


def checked(name: str, options: Iterable[str]) -> type[FrameAgent]:
    """Load an agent's class, and check that it takes options of these names.

    Raises:
        AgentNotFound, AgentInvalid, ImportError: as for `create`.
    """
    agent = load(find(name))
    known = [
        parameter.name
        for parameter in inspect.signature(agent).parameters.values()
        if parameter.kind is parameter.KEYWORD_ONLY
    ]
    for option in options:
        if option not in known:
            there = f"it has {', '.join(known)}" if known else "it has none"
            raise AgentInvalid(f"the agent {name} has no option {option!r}; {there}")
    return agent


def _import_file(path: Path) -> object:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise AgentNotFound(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module  # dataclasses look their module up by name
    spec.loader.exec_module(module)
    return module
