"""Registry of agents by name: the bundled ones, those of installed packages, and classes in a file."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from vgdl.competition.chat.fields import Endpoint
from vgdl.competition.tracks.arc.agents.base import FrameAgent, Task
from vgdl.registry import Entry, EntryInvalid, Registry

CHAT = "chat:"
"""What the names of language models begin with."""

_FORM = "chat:URL#MODEL, such as chat:http://127.0.0.1:8000/v1#my-model, or chat:NAME with a name of --models-file"

HERE = "vgdl.competition.tracks.arc.agents"

_BUNDLED = (
    ("random", "uniform over the available actions", f"{HERE}.uniform", "Uniform"),
    ("change-cnn", "predicts with a network which actions change the frame", f"{HERE}.change_cnn", "ChangeCNN"),
    ("change-cnn-lite", "the same for one CPU core", f"{HERE}.change_cnn_lite", "ChangeCNNLite"),
    ("state-graph", "a graph of frames and a value model of finished levels", f"{HERE}.state_graph", "StateGraph"),
    ("explorer", "explores a graph of frames, likely actions first", f"{HERE}.explorer", "Explorer"),
    (
        "experimenter",
        "explores at the level of things, and plans walks and clicks",
        f"{HERE}.experimenter",
        "Experimenter",
    ),
    (
        "chat",
        "a language model behind an endpoint, as chat:URL#MODEL or chat:NAME of --models-file",
        f"{HERE}.chat",
        "Chat",
    ),
    ("object-planner", "plans with learnt rules of things", f"{HERE}.object_planner", "ObjectPlanner"),
)
"""Name, a line about it, module and class of each bundled agent."""

AGENTS: Registry[FrameAgent] = Registry(
    "agent",
    [Entry(name, name, module, class_name) for name, _, module, class_name in _BUNDLED],
    base=FrameAgent,
    methods=("act(self, frame)",),
    group="vgdl.arc_agents",
    example="my_agent.py:MyAgent",
    about={name: about for name, about, _, _ in _BUNDLED},
)
"""All agents; a package announces its own in the entry-point group ``vgdl.arc_agents``."""


def create(name: str, task: Task, seed: int = 0, **options: Any) -> FrameAgent:
    """Make an agent for one play of a game.

    Args:
        name: name of the agent, see ``Registry.find``.
        task: the information about the game.
        seed: seed of all its random decisions.
        options: keyword arguments of the agent's class, such as ``repairs=False``.

    Raises:
        EntryNotFound, EntryInvalid, ImportError: as for `maker`.
    """
    return maker(name, options)(task, seed)


def maker(name: str, options: Mapping[str, Any], endpoint: Endpoint | None = None) -> Callable[[Task, int], FrameAgent]:
    """Load an agent's class once, for any number of plays, and check that it takes these options.

    Args:
        name: name of the agent, see ``Registry.find``, or ``chat:URL#MODEL``.
        options: keyword arguments of the agent's class.
        endpoint: how the model of ``chat:…`` is asked; by default as the name says.

    Returns:
        A function that makes an agent from the information about a game and a seed.

    Raises:
        EntryNotFound: see ``Registry.find``.
        EntryInvalid: the class is not an agent or does not take these options.
        ImportError: it needs an extra that is not installed; the message says which.
    """
    given: dict[str, Any] = {}
    if name.startswith(CHAT):
        if endpoint is None:
            url, model = address(name)
            endpoint = Endpoint(url=url, model=model)
        given["endpoint"] = endpoint
    elif name == CHAT[:-1]:
        raise EntryInvalid(f"{name!r} does not say which model: {_FORM}")
    agent = AGENTS.load(CHAT[:-1] if given else name)
    known = [
        parameter.name
        for parameter in inspect.signature(agent).parameters.values()
        if parameter.kind is parameter.KEYWORD_ONLY and parameter.name not in given
    ]
    for option in options:
        if option not in known:
            there = f"it has {', '.join(known)}" if known else "it has none"
            raise EntryInvalid(f"the agent {name} has no option {option!r}; {there}")
    return functools.partial(agent, **{**given, **options})


def address(name: str, models: Mapping[str, Any] = MappingProxyType({})) -> tuple[str, str]:
    """The URL and the model that ``chat:URL#MODEL``, or ``chat:NAME`` with a name of a models file, stands for.

    Raises:
        EntryInvalid: it stands for none.
    """
    known = name.removeprefix(CHAT)
    if known in models:
        return models[known]["endpoint"], models[known]["model"]
    url, _, model = known.partition("#")
    if not url or not model:
        there = f"; the models file has {', '.join(models)}" if models else ""
        raise EntryInvalid(f"{name!r} is not {_FORM}{there}")
    return url, model
