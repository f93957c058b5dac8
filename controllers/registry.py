"""Finding controllers by name: bundled ones, those of installed packages, and classes in a file."""

from __future__ import annotations

from vgdl.controllers.base import Controller
from vgdl.registry import Entry, Registry

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

names = CONTROLLERS.names
find = CONTROLLERS.find
load = CONTROLLERS.load
controllers_in = CONTROLLERS.classes_in
