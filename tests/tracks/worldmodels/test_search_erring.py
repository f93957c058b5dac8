"""Chasers that err are told from those that do not by the likelihood of their moves."""

from __future__ import annotations

from pathlib import Path

import pytest

import vgdl
from vgdl.competition.tracks.worldmodels.search.author import learn
from vgdl.competition.tracks.worldmodels.search.erring import log_likelihood, with_errors
from vgdl.competition.tracks.worldmodels.search.hypothesis import Hypothesis, Kind, Rule
from vgdl.competition.tracks.worldmodels.search.lives import Lives
from vgdl.competition.tracks.worldmodels.search.records import record_many
from vgdl.competition.tracks.worldmodels.search.verify import Follower

pytestmark = pytest.mark.costly

_RACE = """
BasicGame square_size=20
    SpriteSet
        flag > Door
        hound > {hound} cooldown=3
        rider > MovingAvatar
    LevelMapping
        F > flag
        h > hound
        A > rider
    InteractionSet
        rider wall > stepBack
        hound wall > stepBack
        hound flag > killSprite
    TerminationSet
        Timeout limit=60 win=False
"""
_WALL = "wwwwwwwwwwwwwwwwwwwwww\n"
_LEVEL = _WALL + "w           h  h     w\n" * 3 + "wF      h    A       w\n" + "w           h  h     w\n" * 3 + _WALL
_EXACT, _ERRING = "Chaser stype=flag", "RandomAltChaser stype1=flag epsilon=0.4"
_CHASER = Kind("Chaser", {"stype": "t2", "cooldown": 3})


def _erring(share: float) -> Kind:
    return Kind("RandomAltChaser", {"stype1": "t2", "epsilon": share, "cooldown": 3})


def _follower(folder: Path, hound: str) -> Follower:
    (folder / "race.txt").write_text(_RACE.format(hound=hound), encoding="utf-8")
    (folder / "race_lvl0.txt").write_text(_LEVEL, encoding="utf-8")
    return Follower(record_many(vgdl.load(str(folder / "race.txt")), [0], 180, seed=3, players=["random"]))


def _rules(hound: Kind) -> Hypothesis:
    kinds = {0: Kind("Immovable"), 2: Kind("Door"), 3: hound, 4: Kind("MovingAvatar")}
    rules = Rule(4, 0, "stepBack"), Rule(3, 0, "stepBack"), Rule(3, 2, "killSprite")
    return Hypothesis(kinds, rules, square_size=20)


@pytest.mark.parametrize(("hound", "erring"), [(_EXACT, False), (_ERRING, True)])
def test_a_chaser_errs_if_its_moves_are_then_more_likely(tmp_path: Path, hound: str, erring: bool) -> None:
    follower = _follower(tmp_path, hound)
    lives = Lives(follower.plays)
    for guess in (_CHASER, _erring(0.1)):
        found = with_errors(lives, follower, _rules(guess)).kinds[3]
        assert (found.word == "RandomAltChaser") == erring
        if erring:
            assert found.parameters["epsilon"] in (0.3, 0.4, 0.5)


def test_repair_does_not_exchange_what_was_chosen_by_likelihood(tmp_path: Path) -> None:
    follower = _follower(tmp_path, _ERRING.replace("0.4", "0.2"))
    chasing, erring = _rules(_CHASER), _rules(_erring(0.2))
    losses = [follower.follow(rules, samples=4).loss for rules in (chasing, erring)]
    assert losses[0] < losses[1]  # counted misses prefer the wrong class
    assert learn(follower.plays, seconds=1.0).hypothesis.kinds[3].word == "RandomAltChaser"


def test_a_fate_that_no_future_has_counts_as_half_of_one(tmp_path: Path) -> None:
    follower = _follower(tmp_path, _EXACT)
    true = log_likelihood(follower, _rules(_CHASER), 3, samples=4)
    still = log_likelihood(follower, _rules(Kind("Immovable")), 3, samples=4)
    assert still < true < 0.0
