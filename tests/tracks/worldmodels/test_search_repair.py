"""What repair keeps in games of chance, and sprites that die of several hits."""

from __future__ import annotations

from pathlib import Path

import pytest

import vgdl
from tracks.worldmodels.small import meetings, random_plays
from vgdl.competition.tracks.worldmodels.search.author import learn
from vgdl.competition.tracks.worldmodels.search.contacts import Table
from vgdl.competition.tracks.worldmodels.search.hypothesis import Hypothesis, Kind, Rule
from vgdl.competition.tracks.worldmodels.search.repair import Repair
from vgdl.competition.tracks.worldmodels.search.verify import Follower

pytestmark = pytest.mark.costly

_TARGETS = """
BasicGame square_size=20
    SpriteSet
        crab > Missile orientation=LEFT speed=0.1 is_npc=True healthPoints=3
        shell > Missile singleton=True orientation=UP
        gunner > FlakAvatar stype=shell
    LevelMapping
        A > gunner
        c > crab
    InteractionSet
        gunner wall > stepBack
        crab shell > subtractHealthPoints scoreChangeIfKilled=5
        shell crab > killSprite
        crab EOS > killSprite
        crab wall > reverseDirection
        shell wall > killSprite
    TerminationSet
        Timeout limit=150 win=False
"""
_LEVEL = "wwwwwwwwwww\nwccc c ccww\nw c ccc c w\n" + 5 * "w         w\n" + "w    A    w\nwwwwwwwwwww\n"


def _follower(folder: Path, rules: str, level: str, ticks: int) -> Follower:
    return Follower(random_plays(folder, rules, level, ticks)[1])


def test_a_sprite_that_dies_of_the_third_hit_has_health(tmp_path: Path) -> None:
    follower = _follower(tmp_path, _TARGETS, _LEVEL, 1200)
    found = learn(follower.plays, seconds=0).hypothesis
    assert found.kinds[2].parameters["healthPoints"] == 3
    hit = Rule(2, 3, "subtractHealthPoints", (("value", 1), ("scoreChangeIfKilled", 5)))
    assert [rule for rule in found.rules if (rule.first, rule.second) == (2, 3)] == [hit]
    assert Rule(3, 2, "killSprite") in found.rules
    assert follower.follow(found).loss <= 1.05 * follower.follow(vgdl.load(str(tmp_path / "small.txt"))).loss


def test_a_sprite_that_dies_of_the_first_hit_has_none(tmp_path: Path) -> None:
    rules = _TARGETS.replace(" healthPoints=3", "").replace(
        "subtractHealthPoints scoreChangeIfKilled", "killSprite scoreChange"
    )
    found = learn(_follower(tmp_path, rules, _LEVEL, 600).plays, seconds=0).hypothesis
    assert "healthPoints" not in found.kinds[2].parameters
    assert not any(rule.effect == "subtractHealthPoints" for rule in found.rules)


_SPARKS = """
BasicGame square_size=20
    SpriteSet
        spark > RandomMissile speed=0.5
        vent > SpawnPoint stype=spark cooldown=4
        walker > MovingAvatar
    LevelMapping
        A > walker
        v > vent
    InteractionSet
        walker wall vent > stepBack
        spark wall > killSprite
    TerminationSet
        Timeout limit=100 win=False
"""


@pytest.fixture(scope="module")
def sparks(tmp_path_factory: pytest.TempPathFactory) -> tuple[Follower, Hypothesis]:
    """Plays of a game whose sparks fly in random directions, and its true rules as a hypothesis."""
    level = "wwwwwwwwwww\nw   v     w\nwA     v  w\nw  v      w\nwwwwwwwwwww\n"
    follower = _follower(tmp_path_factory.mktemp("sparks"), _SPARKS, level, 200)
    kinds = {
        0: Kind("Immovable"),
        2: Kind("RandomMissile", {"speed": 0.5}),
        3: Kind("SpawnPoint", {"stype": "t2", "cooldown": 4}),
        4: Kind("MovingAvatar"),
    }
    rules = (Rule(4, 0, "stepBack"), Rule(4, 3, "stepBack"), Rule(2, 0, "killSprite"))
    return follower, Hypothesis(kinds, rules, square_size=20)


def test_a_line_that_only_changes_random_directions_is_removed(sparks: tuple[Follower, Hypothesis]) -> None:
    follower, true = sparks
    turning = Rule(2, 3, "reverseDirection")  # newborn sparks turn round: as random as before
    unseen = Rule(4, 9, "killSprite")
    guess = Hypothesis({**true.kinds, 9: Kind("Immovable")}, (*true.rules, turning, unseen), square_size=20)
    repair = Repair(follower, guess, until=float("inf"))
    repair.run(Table())
    assert repair.hypothesis.rules == (*true.rules, unseen)
    assert repair.report == follower.follow(repair.hypothesis, samples=4)


def test_a_rule_that_does_not_score_loses_its_score(sparks: tuple[Follower, Hypothesis]) -> None:
    follower, true = sparks
    stop, *others = true.rules
    wrong = true.with_rules([stop.scoring(1), *others])
    repair = Repair(follower, wrong, until=float("inf"))
    repair.run(Table())
    assert repair.hypothesis.rules == true.rules
    table = Table()
    table.pairs[4, 0] = meetings((4, 0), "back", "back", "back")
    table.scores.update({(0, 0): 1.0, (0, 1): 1.0})
    for found, is_scored in ((table, True), (Table(), False)):
        assert repair._is_scored(found, wrong.rules[0]) == is_scored
    table.scores.update({(0, k): 1.0 for k in range(3, 150)})  # so did the score in other ticks
    assert not repair._is_scored(table, wrong.rules[0])


@pytest.mark.parametrize(("cooldown", "cons", "tried"), [(3, 2, {3}), (3, 3, {2, 4}), (5, 2, set()), (1, 1, {0, 2})])
def test_what_only_changes_random_numbers_is_not_tried(
    sparks: tuple[Follower, Hypothesis], cooldown: int, cons: int, tried: set[int]
) -> None:
    follower, true = sparks
    walker = Kind("RandomNPC", {"cooldown": cooldown, "cons": cons})
    repair = Repair(follower, true.with_kind(9, walker), until=0.0)
    options = [option.kinds[9].parameters for _, option in repair._kinds(9) if option.kinds[9].word == walker.word]
    changed = [
        kind["cons"] for kind in options if kind.get("cooldown") == cooldown and kind.get("cons") not in (None, cons)
    ]
    assert set(changed) == tried


def test_an_edit_must_help_with_other_random_numbers_too(sparks: tuple[Follower, Hypothesis]) -> None:
    follower, true = sparks
    turned = true.with_rules([*true.rules, Rule(2, 3, "reverseDirection")])
    losses = [[follower.follow(h, samples=4, draw=draw).loss for draw in range(2)] for h in (true, turned)]
    assert losses[0][0] != losses[0][1]  # the draw decides
    without = true.with_rules(true.rules[:2])  # sparks would fly through walls
    repair = Repair(follower, without, until=0.0)
    assert repair._holds_again(true)
    better = min(losses, key=lambda pair: pair[1])
    repair = Repair(follower, true if better is losses[0] else turned, until=0.0)
    assert not repair._holds_again(turned if better is losses[0] else true)


def test_a_danger_to_the_avatar_is_no_line_to_be_removed(sparks: tuple[Follower, Hypothesis]) -> None:
    follower, true = sparks
    feared = true.with_rules([*true.rules, Rule(4, 2, "killSprite"), Rule(2, 3, "reverseDirection")])
    repair = Repair(follower, feared, until=float("inf"))
    repair._simplify(Table())
    assert repair.hypothesis.rules == (*true.rules, Rule(4, 2, "killSprite"))


_BOMBERS = """
BasicGame square_size=20
    SpriteSet
        bomb > Missile speed=0.9
        tower > RandomBomber stype=bomb cooldown=3 prob=0.4 speed=0.1 {turning}
        walker > MovingAvatar
    LevelMapping
        A > walker
        t > tower
    InteractionSet
        walker wall > stepBack
        tower wall > stepBack
        bomb wall > killSprite
    TerminationSet
        Timeout limit=100 win=False
"""
_YARD = "wwwwwwwwwww\nw t       w\nwA     t  w\nw  t      w\nw      t  w\nwwwwwwwwwww\n"


@pytest.mark.parametrize(("turning", "direction"), [("rotateInPlace=True", None), ("", "RIGHT")])
def test_bombs_fly_the_way_that_their_bombers_face(tmp_path: Path, turning: str, direction: str | None) -> None:
    rules = _BOMBERS.format(turning=turning)
    found = learn(_follower(tmp_path, rules, _YARD, 300).plays, seconds=0).hypothesis
    assert [found.kinds[n].word for n in (2, 3)] == ["Missile", "RandomBomber"]
    assert found.kinds[2].parameters.get("orientation") == direction
    assert ("rotateInPlace" in found.kinds[3].parameters) == bool(turning)


@pytest.mark.parametrize(
    ("outcomes", "kept"),
    [
        ((), True),  # nothing is known about it
        (("dead",), True),
        (("ok/jump", "ok/back", "dead"), True),  # the other went elsewhere
        (("ok", "ok", "dead"), False),
    ],
)
def test_repair_removes_no_danger_that_moves_at_random(tmp_path: Path, outcomes: tuple[str, ...], kept: bool) -> None:
    follower = _follower(tmp_path, _TARGETS, _LEVEL, 10)
    danger, table = Rule(4, 5, "killSprite"), Table()
    table.pairs[4, 5] = meetings((4, 5), *outcomes)
    kinds = {4: Kind("MovingAvatar"), 5: Kind("RandomNPC"), 2: Kind("Missile")}
    repair = Repair(follower, Hypothesis(kinds, (danger, Rule(4, 2, "killSprite")), square_size=20), until=0.0)
    tried = {what for what, _ in repair._options(table)}
    assert ("without t4 t5 > killSprite" not in tried) == kept
    assert ("killIfFromAbove for t4 t5 > killSprite" not in tried) == kept
    assert "without t4 t2 > killSprite" in tried  # missiles are where they are predicted


@pytest.mark.parametrize(
    ("outcomes", "made", "kept"),
    [
        (("into 2",) * 4, {"spreadprob": 0.5}, True),
        (("into 2",) * 4, {}, False),
        (("into 2",) * 2, {"prob": 0.5}, False),  # too few
        (("into 2", "ok", "into 2", "into 2", "unmoved"), {"prob": 0.5}, False),
    ],
)
def test_repair_removes_nothing_that_all_meetings_with_sparks_show(
    tmp_path: Path, outcomes: tuple[str, ...], made: dict[str, float], kept: bool
) -> None:
    follower = _follower(tmp_path, _TARGETS, _LEVEL, 10)
    lit, table = Rule(4, 5, "transformTo", (("stype", "t2"),)), Table()
    table.pairs[4, 5] = meetings((4, 5), *outcomes)
    kinds = {2: Kind("Spreader", {"stype": "t5", **made}), 4: Kind("Immovable"), 5: Kind("Flicker", {"limit": 1})}
    repair = Repair(follower, Hypothesis(kinds, (lit,), square_size=20), until=0.0)
    assert (f"without {lit.line()}" not in {what for what, _ in repair._options(table)}) == kept
