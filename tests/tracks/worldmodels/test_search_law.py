"""Rules are compared by how likely they make the next states, however they draw their random numbers."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import vgdl
from vgdl.competition.tracks.worldmodels.search.beside import same_successors
from vgdl.competition.tracks.worldmodels.search.hypothesis import Hypothesis, Kind, Rule
from vgdl.competition.tracks.worldmodels.search.law import _differ, _p_value, same_in_law
from vgdl.competition.tracks.worldmodels.search.records import Play, record_many
from vgdl.game import Game

_MEADOW = """
BasicGame square_size=20
    SpriteSet
        sheep > RandomNPC cooldown=2 cons=1
        never > SpawnPoint stype=sheep prob=0 hidden=True
        walker > MovingAvatar
    LevelMapping
        A > walker
        s > sheep
        n > never
    InteractionSet
        walker wall > stepBack
        sheep wall > stepBack
    TerminationSet
        Timeout limit=60 win=False
"""
_FIELD = "wwwwwwwwwwww\nwA  s   s  w\nw   n    s w\nw s    s   w\nwwwwwwwwwwww\n"


@pytest.fixture(scope="module")
def meadow(tmp_path_factory: pytest.TempPathFactory) -> tuple[Game, tuple[Play, ...]]:
    folder: Path = tmp_path_factory.mktemp("meadow")
    (folder / "meadow.txt").write_text(_MEADOW, encoding="utf-8")
    (folder / "meadow_lvl0.txt").write_text(_FIELD, encoding="utf-8")
    game = vgdl.load(str(folder / "meadow.txt"))
    return game, record_many(game, [0], 60, seed=2, players=["random"])


def _rules(sheep: Kind, *rules: Rule) -> Hypothesis:
    kinds = {0: Kind("Immovable"), 2: sheep, 3: Kind("Immovable"), 4: Kind("MovingAvatar")}
    known = Rule(4, 0, "stepBack"), Rule(2, 0, "stepBack")
    return Hypothesis(kinds, (*rules, *known), square_size=20)


def test_the_order_of_random_numbers_does_not_matter(meadow: tuple[Game, tuple[Play, ...]]) -> None:
    game, plays = meadow
    learnt = _rules(Kind("RandomNPC", {"cooldown": 2}))  # `cons` cannot be observed, nor the hidden spawn point
    assert same_successors(learnt, game, plays) < 0.7
    assert same_in_law(learnt, game, plays) >= 0.97


@pytest.mark.parametrize(
    ("learnt", "most"),
    [
        pytest.param(_rules(Kind("Immovable")), 0.6, id="sheep that rest"),
        pytest.param(_rules(Kind("Chaser", {"stype": "t4", "cooldown": 2})), 0.6, id="sheep that follow"),
        pytest.param(_rules(Kind("RandomNPC")), 0.6, id="sheep without a pause"),
        pytest.param(_rules(Kind("RandomNPC", {"cooldown": 2}), Rule(4, 0, "killSprite")), 0.99, id="deadly walls"),
    ],
)
def test_wrong_rules_are_told_apart(meadow: tuple[Game, tuple[Play, ...]], learnt: Hypothesis, most: float) -> None:
    game, plays = meadow
    assert same_in_law(learnt, game, plays) < most


def test_without_chance_it_is_the_share_of_equal_successors() -> None:
    game = vgdl.load("sokoban")
    plays = record_many(game, [0], 40, seed=1, players=["random"])
    true = Hypothesis({k: Kind("Immovable") for k in range(len(game.types)) if k != 1}, square_size=None)
    assert same_in_law(true, game, plays, samples=8) == same_successors(true, game, plays) < 1.0


def test_the_test_is_fishers() -> None:
    assert _p_value(3, 1, 4) == pytest.approx(0.4857, abs=1e-4)
    assert _p_value(8, 0, 8) == pytest.approx(2 / 12870)
    assert _p_value(5, 5, 32) == pytest.approx(1.0)
    assert _differ(Counter({"here": 32}), Counter({"there": 32}), 32)
    assert not _differ(Counter({"here": 16, "there": 16}), Counter({"here": 12, "there": 20}), 32)
