"""Finding controllers by name: bundled ones, those of installed packages, and classes in a file."""

from __future__ import annotations

from vgdl.controllers.base import Controller
from vgdl.deprecation import warn_deprecated
from vgdl.registry import Entry, EntryInvalid, EntryNotFound, Registry

BUNDLED = (
    Entry("random", "Random", "vgdl.controllers.entries.random_controller", "Random"),
    Entry("onesteplookahead", "OneStepLookAhead", "vgdl.controllers.entries.one_step_look_ahead", "OneStepLookAhead"),
    Entry("samplemcts", "SampleMCTS", "vgdl.controllers.entries.sample_mcts", "SampleMCTS"),
    Entry("openloopmcts", "OpenLoopMCTS", "vgdl.controllers.entries.sample_mcts", "OpenLoopMCTS"),
    Entry("olets", "adrienctx", "vgdl.controllers.entries.olets", "OLETS"),
    Entry("normal_mcts", "Normal_MCTS", "vgdl.controllers.entries.normal_mcts", "NormalMCTS"),
    Entry("mn_mcts", "MnMCTS", "vgdl.controllers.entries.mn_mcts", "MnMCTS"),
    Entry("mmbot", "MMbot", "vgdl.controllers.entries.mmbot", "MMbot"),
    Entry("samplega", "SampleGA", "vgdl.controllers.entries.sample_ga", "SampleGA"),
    Entry("testgag", "TESTGAG", "vgdl.controllers.entries.testgag", "TESTGAG"),
    Entry("yraid", "Yraid", "vgdl.controllers.entries.yraid", "Yraid"),
    Entry("jinjerry", "JinJerry", "vgdl.controllers.entries.jinjerry", "JinJerry"),
    Entry("shmokin", "Shmokin", "vgdl.controllers.entries.shmokin", "Shmokin"),
    Entry("culim", "culim", "vgdl.controllers.entries.culim", "Culim"),
    Entry("t2thompson", "T2Thompson", "vgdl.controllers.entries.t2thompson", "T2Thompson"),
    Entry("idealstandard", "IdealStandard", "vgdl.controllers.entries.ideal_standard", "IdealStandard"),
    Entry("levis501", "levis501", "vgdl.controllers.entries.levis501", "Levis501"),
    Entry("lcu_14", "LCU_14", "vgdl.controllers.entries.lcu14", "LCU14"),
    Entry("champion", "Champion", "vgdl.controllers.entries.champion", "Champion"),
    Entry("tichau", "Tichau", "vgdl.controllers.entries.tichau", "Tichau"),
)

CONTROLLERS: Registry[Controller] = Registry(
    "controller",
    BUNDLED,
    base=Controller,
    methods=("act(self, state, timer)",),
    constructor=("state", "timer", "player"),
    group="vgdl.controllers",
    example="my_agent.py:MyController",
)
"""All controllers; a package announces its own in the entry-point group ``vgdl.controllers``."""

find = CONTROLLERS.find
controllers_in = CONTROLLERS.classes_in


def names() -> dict[str, str]:
    """The names that `load` knows, apart from files, with those in rankings; bundled controllers first.

    >>> from vgdl import controllers
    >>> list(controllers.names())[:3]
    ['random', 'onesteplookahead', 'samplemcts']
    """
    return CONTROLLERS.names()


def load(name: str | Entry | type) -> type[Controller]:
    """Find a controller's class and import it.

    >>> from vgdl import controllers
    >>> Random = controllers.load("random")
    >>> state = vgdl.load("sokoban").start(level=0, seed=7)
    >>> Random(state, controllers.Timer(), seed=1).act(state, controllers.Timer())
    <Action.RIGHT: 4>

    Args:
        name: of a bundled controller or an entry point, in any case; or ``FILE.py:CLASS``.

    Raises:
        EntryNotFound: there is no such controller (`vgdl.registry`).
        EntryInvalid: what was found is no controller.
        Exception: any exception of the controller's own module on import.
    """
    return CONTROLLERS.load(name)


_RENAMED = {"ControllerInvalid": EntryInvalid, "ControllerNotFound": EntryNotFound}


def __getattr__(name: str) -> type[Exception]:
    """The names that exceptions had in 0.2."""
    if name in _RENAMED:
        now = _RENAMED[name]
        warn_deprecated(f"{__name__}.{name}", f"{now.__module__}.{now.__name__}", removal="1.2")
        return now
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
