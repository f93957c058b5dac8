"""Generators of levels, rules and games, and archives of generated levels for training.

`LevelGenerator`, `RuleGenerator` and `GameGenerator` are the interface; `LEVEL_GENERATORS`, `RULE_GENERATORS` and
`GAME_GENERATORS` find generators by name. Packages announce their own in the entry-point groups
``vgdl.level_generators``, ``vgdl.rule_generators`` and ``vgdl.game_generators``.

>>> from vgdl.controllers import Timer
>>> from vgdl.generation import GAME_GENERATORS, LEVEL_GENERATORS, RULE_GENERATORS, LevelTask, Size
>>> [list(registry.names())[0] for registry in (LEVEL_GENERATORS, RULE_GENERATORS, GAME_GENERATORS)]
['random', 'rules-random', 'games-search']
>>> generator = LEVEL_GENERATORS.load("random")(LevelTask(vgdl.load("sokoban")), Timer(), seed=1)
>>> print(generator.generate(Size.of(7, 5), Timer()).text, end="")
xxxxxxx
x..o..x
xx....x
xA...$x
xxxxxxx
"""

from vgdl.generation.interface import (
    GameGenerator,
    GameTexts,
    Level,
    LevelGenerator,
    LevelRefused,
    LevelTask,
    RuleGenerator,
    Rules,
    RulesRefused,
    RulesTask,
    Size,
)
from vgdl.generation.ruleset import rules_task
from vgdl.registry import Entry, Registry

_HERE = "vgdl.generation"

LEVEL_GENERATORS: Registry[LevelGenerator] = Registry(
    "level generator",
    (
        Entry("random", "random", f"{_HERE}.drawing", "RandomLevels"),
        Entry("constructive", "constructive", f"{_HERE}.drawing", "ConstructiveLevels"),
        Entry("genetic", "genetic", f"{_HERE}.genetic", "GeneticLevels"),
        Entry("archive", "archive", f"{_HERE}.archive", "ArchiveLevels"),
    ),
    base=LevelGenerator,
    methods=("generate(self, size, timer, *, difficulty=None)",),
    group="vgdl.level_generators",
    example="my_generator.py:MyLevels",
)
"""The generators of levels."""

RULE_GENERATORS: Registry[RuleGenerator] = Registry(
    "rule generator",
    (
        Entry("rules-random", "rules-random", f"{_HERE}.rules", "RandomRules"),
        Entry("rules-constructive", "rules-constructive", f"{_HERE}.rules", "ConstructiveRules"),
        Entry("rules-genetic", "rules-genetic", f"{_HERE}.rules_genetic", "GeneticRules"),
    ),
    base=RuleGenerator,
    methods=("generate(self, timer)",),
    group="vgdl.rule_generators",
    example="my_generator.py:MyRules",
)
"""The generators of rules."""

GAME_GENERATORS: Registry[GameGenerator] = Registry(
    "game generator",
    (Entry("games-search", "games-search", f"{_HERE}.games", "SearchedGames"),),
    base=GameGenerator,
    methods=("generate(self, idea, timer)",),
    group="vgdl.game_generators",
    example="my_generator.py:MyGames",
)
"""The generators of games."""

__all__ = [
    "GAME_GENERATORS",
    "LEVEL_GENERATORS",
    "RULE_GENERATORS",
    "GameGenerator",
    "GameTexts",
    "Level",
    "LevelGenerator",
    "LevelRefused",
    "LevelTask",
    "RuleGenerator",
    "Rules",
    "RulesRefused",
    "RulesTask",
    "Size",
    "rules_task",
]
