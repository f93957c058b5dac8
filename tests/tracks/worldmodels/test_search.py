"""Learning VGDL games by search: recorded plays, guesses, repair, measures, and playing what was learnt."""

from __future__ import annotations

import functools
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import vgdl
from tracks.worldmodels.small import meetings, random_plays
from vgdl.competition.cli import main as compete
from vgdl.competition.tracks.worldmodels.search import work
from vgdl.competition.tracks.worldmodels.search.author import Learnt, learn, with_falls, with_landings, with_piles
from vgdl.competition.tracks.worldmodels.search.beside import same_rules, same_successors
from vgdl.competition.tracks.worldmodels.search.contacts import Meeting, Table
from vgdl.competition.tracks.worldmodels.search.deaths import Found, agreeing
from vgdl.competition.tracks.worldmodels.search.hypothesis import EDGE, End, Hypothesis, Kind, Rule, name_of
from vgdl.competition.tracks.worldmodels.search.lives import Lives
from vgdl.competition.tracks.worldmodels.search.motion import flicker_limit, likely_probability
from vgdl.competition.tracks.worldmodels.search.play import LearntGame, play
from vgdl.competition.tracks.worldmodels.search.records import Frame, Play, record, record_many
from vgdl.competition.tracks.worldmodels.search.rules import exits, guess_rules, hurt
from vgdl.competition.tracks.worldmodels.search.unseen import (
    alike,
    dared,
    doors_open,
    feared,
    inherited,
    unseen_siblings,
)
from vgdl.competition.tracks.worldmodels.search.verify import Follower, Report, count_fates, misses, place_frame
from vgdl.core.data.layout import Category
from vgdl.core.observation import VISIBLE
from vgdl.induction import Budget
from vgdl.placing import open_board

Row = tuple[int, int, int]  #: id, column, row; the type is the id


def _frame(*rows: Row) -> Frame:
    arrays = np.zeros(len(rows), VISIBLE)
    for k, (number, column, row) in enumerate(rows):
        arrays[k] = (number, number, 6, 10 * column, 10 * row)
    return Frame(arrays, None, 0.0, -1, False, 0, (), 10, (50, 50))


@functools.cache
def _plays(name: str) -> tuple[Play, ...]:
    return record_many(vgdl.load(name), [0, 1], 300, seed=3, players=("random",))


@functools.cache
def _learnt(name: str) -> Learnt:
    return learn(_plays(name), seconds=0)


@pytest.mark.parametrize(
    ("predicted", "f1", "accuracy"),
    [
        ([(1, 0, 0), (3, 2, 1)], 0.5, 2 / 3),
        ([(1, 0, 0), (2, 2, 1), (3, 1, 1)], 0.0, 1 / 3),
        ([(1, 0, 0), (2, 3, 1), (3, 2, 1)], 1.0, 1.0),
    ],
    ids=["a box that vanishes", "nothing changes", "all right"],
)
def test_measures_of_a_pushed_box_are_those_of_the_worked_example(
    predicted: list[Row], f1: float, accuracy: float
) -> None:
    before = _frame((1, 0, 0), (2, 2, 1), (3, 1, 1))
    after = _frame((1, 0, 0), (2, 3, 1), (3, 2, 1))
    report = Report()
    count_fates(report, before, after, misses(before, _frame(*predicted).arrays, after))
    assert report.changed_f1 == pytest.approx(f1)
    assert report.accuracy == pytest.approx(accuracy)


def _true_sokoban() -> Hypothesis:
    """The rules of the bundled game by type number; lines about different pairs are in another order."""
    kinds = {2: Kind("Immovable", {"hidden": "True"}), 3: Kind("Immovable"), 4: Kind("Immovable"), 5: Kind("Passive")}
    rules = (
        Rule(5, 6, "bounceForward"),
        Rule(5, 3, "undoAll"),
        Rule(5, 5, "undoAll"),
        Rule(6, 3, "stepBack"),
        Rule(5, 4, "killSprite", (("scoreChange", 1),)),
    )
    ends = (
        End("Timeout", (("limit", 1000), ("win", "False"))),
        End("SpriteCounter", (("stype", "t5"), ("win", "True"))),
    )
    return Hypothesis({**kinds, 6: Kind("MovingAvatar")}, rules, ends)


def test_true_rules_of_a_deterministic_game_predict_every_tick() -> None:
    report = Follower(_plays("sokoban")).follow(_true_sokoban())
    assert report.loss == 0
    assert report.identical == 1.0


def test_of_two_hypotheses_the_one_that_predicts_better_is_kept() -> None:
    follower, true = Follower(_plays("sokoban")), _true_sokoban()
    worse = true.with_rules(rule for rule in true.rules if rule.effect != "stepBack")
    same = true.with_rules(true.rules)
    assert follower.better_of(worse, true) is true
    assert follower.better_of(true, worse) is true
    assert follower.better_of(true, same) is true
    assert follower.better_of(true, same, or_equal=True) is same
    assert follower.better_of(worse, same) is same


def test_rules_are_equal_whatever_the_order_of_lines_about_different_pairs() -> None:
    true, game = _true_sokoban(), vgdl.load("sokoban")
    assert same_rules(true, game)
    assert not same_rules(true.with_rules(true.rules[1:]), game)
    assert not same_rules(true.with_kind(5, Kind("RandomNPC")), game)


def test_equal_rules_have_the_same_successors_and_others_do_not() -> None:
    true, game = _true_sokoban(), vgdl.load("sokoban")
    assert same_successors(true, game, _plays("sokoban")) == 1.0
    without_walls = true.with_rules(rule for rule in true.rules if rule.effect != "stepBack")
    assert same_successors(without_walls, game, _plays("sokoban")) < 1.0


@pytest.mark.parametrize(("hits", "chances", "expected"), [(43, 1000, 0.05), (52, 100, 0.5), (2300, 10_000, 0.23)])
def test_probabilities_with_few_digits_are_preferred(hits: int, chances: int, expected: float) -> None:
    assert likely_probability(hits, chances) == expected


def _meetings(table: Table, first: int, second: int, outcomes: str, *, sprites: range) -> None:
    """Meetings of one sprite per tick with a sprite of another type: ``x`` where it dies, ``.`` where nothing happens."""
    for tick, how in zip(sprites, outcomes, strict=True):
        outcome = "dead" if how == "x" else "ok"
        table.pairs[first, second].append(
            Meeting(0, tick, tick, first, second, 100 + tick, outcome, "ok", frozenset({second}), (), False, (0, 0))
        )


def test_partner_that_is_only_met_beside_the_deadly_one_is_not_blamed() -> None:
    table = Table()
    _meetings(table, 3, 4, "xxxxxx", sprites=range(6))
    _meetings(table, 3, 5, "xxx", sprites=range(3))
    lives = Lives(_plays("sokoban"))
    kinds = {number: Kind("Passive") for number in (3, 4, 5)}
    found = [f.rule for f in guess_rules(lives, table, kinds)]
    assert found == [Rule(3, 4, "killSprite")]


def test_types_that_only_the_living_met_shield() -> None:
    table = Table()
    for tick in range(6):
        dies = tick < 3
        met = frozenset({4}) if dies else frozenset({4, 5})
        outcome = "dead" if dies else "ok"
        table.pairs[3, 4].append(Meeting(0, tick, 3, 3, 4, 9, outcome, "ok", met, (), False, (0, 0)))
    kinds = {number: Kind("Passive") for number in (3, 4, 5)}
    found = [f.rule.line() for f in guess_rules(Lives(_plays("sokoban")), table, kinds)]
    assert found == ["t3 t5 > shieldFrom stype=t4 ftype=killSprite", "t3 t4 > killSprite"]


def test_what_falls_on_a_sprite_is_told_from_what_it_walks_into() -> None:
    table = Table()
    for tick in range(8):
        above = tick < 3
        outcome = "dead" if above else "ok"
        table.pairs[3, 4].append(Meeting(0, tick, 3, 3, 4, 9, outcome, "ok", frozenset({4}), (), above, (0, 0)))
    kinds = {number: Kind("Passive") for number in (3, 4)}
    found = [f.rule for f in guess_rules(Lives(_plays("sokoban")), table, kinds)]
    assert found == [Rule(3, 4, "killIfFromAbove")]


def test_npcs_that_no_avatar_met_are_feared_and_exits_are_not() -> None:
    lives = Lives(_plays("boulderdash"))
    kinds = {5: Kind("Door"), 9: Kind("RandomNPC"), 12: Kind("MovingAvatar")}
    assert feared(lives, Table(), [], kinds) == [Rule(12, 9, "killSprite")]
    assert doors_open(Table(), [], kinds) == [Rule(5, 12, "killSprite")]
    appears = Rule(7, 12, "transformTo", (("stype", "t9"),))  # where the avatar is
    assert feared(lives, Table(), [appears], kinds) == []
    assert feared(lives, Table(), [], {**kinds, 5: Kind("Portal", {"stype": "t9"})}) == []  # it comes out there


def test_assumed_dangers_become_rewards_for_plays_that_explore() -> None:
    lives = Lives(_plays("boulderdash"))
    kinds = {
        3: Kind("Immovable"),
        9: Kind("RandomNPC"),
        12: Kind("MovingAvatar"),
        99: Kind("Immovable"),
    }  # 99 is unseen
    assumed, shown = Rule(12, 9, "killSprite"), Rule(12, 3, "killSprite", (("scoreChange", -1),))
    hypothesis = Hypothesis(kinds, rules=(shown, assumed))
    assert dared(lives, Table(), hypothesis).rules == (shown, Rule(9, 12, "killSprite", (("scoreChange", 1),)))
    table = Table()
    table.pairs[12, 9].append(Meeting(0, 5, 12, 1, 9, 2, "dead", "ok", frozenset({9}), (), False, (0, 0)))
    assert dared(lives, table, hypothesis) == hypothesis  # it was seen to kill


def test_siblings_share_rules_that_only_one_of_them_showed() -> None:
    lives = Lives(_plays("boulderdash"))
    kinds = {3: Kind("Immovable"), 9: Kind("RandomNPC"), 10: Kind("RandomNPC"), 12: Kind("MovingAvatar")}
    rules = [Rule(12, 9, "killSprite"), Rule(3, 9, "killSprite")]
    added = inherited(lives, Table(), rules, kinds)
    assert set(added) == {Rule(12, 10, "killSprite"), Rule(3, 10, "killSprite")}


def _met(first: int, second: int, outcome: str, *, index: int, id_: int) -> Meeting:
    return Meeting(0, index, id_, first, second, 100 + id_, outcome, "ok", frozenset({second}), (), False, (0, 0))


def test_portals_lead_to_what_stands_where_sprites_came_out() -> None:
    before = _frame((1, 0, 0), (4, 3, 3), (5, 1, 0), (6, 4, 4), (7, 2, 2))
    after = _frame((1, 3, 3), (4, 3, 3), (5, 1, 0), (6, 4, 4), (7, 2, 2))
    table = Table()
    table.pairs[1, 5] = [_met(1, 5, "jump", index=0, id_=1)]
    kinds = {1: Kind("MovingAvatar"), 4: Kind("Immovable"), 5: Kind("Door"), 6: Kind("Immovable"), 7: Kind("Door")}
    rules = [Rule(1, 5, "teleportToExit"), Rule(1, 7, "teleportToExit")]
    found = exits(Lives([Play(0, "random", (before, after))]), table, rules, kinds)
    assert found == {5: Kind("Portal", {"stype": "t4"}), 7: Kind("Portal", {"stype": "t6"})}


def test_numbers_that_follow_siblings_are_kept_for_another_one() -> None:
    lives = Lives([Play(0, "random", (_frame((7, 0, 0), (8, 1, 0), (10, 2, 0)),))])
    kinds = {7: Kind("RandomNPC"), 8: Kind("RandomNPC", {"cooldown": 2}), 10: Kind("Immovable")}
    assert unseen_siblings(lives, kinds) == {9: 8}
    assert unseen_siblings(lives, {**kinds, 9: Kind("Immovable")}) == {}


def test_a_shot_that_was_never_seen_is_not_shown() -> None:
    lines = Hypothesis({12: Kind("ShootAvatar", {"stype": "t13"})}).text().splitlines()
    assert "        t13 > OrientedFlicker limit=-1 hidden=True" in lines
    assert "        t14 > Immovable" in lines


def test_an_avatar_that_was_put_back_did_not_meet_what_moves() -> None:
    table = Table()
    outcomes = ["dead"] * 3 + ["back"] * 9
    table.pairs[1, 4] = [_met(1, 4, outcome, index=k, id_=k) for k, outcome in enumerate(outcomes)]
    lives = Lives(_plays("sokoban"))
    for word, deadly in (("RandomMissile", True), ("Immovable", False)):
        found = [f.rule for f in guess_rules(lives, table, {1: Kind("MovingAvatar"), 4: Kind(word)})]
        assert (Rule(1, 4, "killSprite") in found) == deadly


def test_what_a_death_takes_from_the_avatar_is_its_price_and_who_cannot_pay_dies() -> None:
    table = Table()
    for k in range(8):
        pays = k < 5
        told = _met(4, 1, "dead" if pays else "ok", index=k, id_=50 + k)
        gained = ((9, -1),) if pays else ()
        table.pairs[4, 1].append(replace(told, held=((9, 2 * pays),), gained=gained))
        own = _met(1, 4, "ok" if pays else "dead", index=k, id_=1)
        table.pairs[1, 4].append(replace(own, held=((9, 2 * pays),), gained=gained))
    kinds = {1: Kind("MovingAvatar"), 4: Kind("Chaser", {"stype": "avatar"}), 9: Kind("Resource")}
    lines = [f.rule.line() for f in guess_rules(Lives(_plays("sokoban")), table, kinds)]
    assert lines == [
        "avatar t4 > killIfHasLess resource=t9 limit=0",
        "t4 avatar > killIfOtherHasMore resource=t9 limit=1 subtract=True",
    ]


@pytest.mark.parametrize(
    ("amounts", "line"),
    [
        ((10, 11, 10), "t4 avatar > killIfOtherHasMore resource=t9 limit=10"),  # who knows the rules needs no more
        ((3, 4, 3), "t4 avatar > killSprite"),  # collected on the way
        ((0, 2, 2), "t4 avatar > killSprite"),
    ],
)
def test_an_exit_that_was_only_used_with_a_certain_amount_needs_it(amounts: tuple[int, ...], line: str) -> None:
    table = Table()
    table.pairs[4, 1] = [
        replace(_met(4, 1, "dead", index=k, id_=4), held=((9, amount),)) for k, amount in enumerate(amounts)
    ]
    lives = Lives([Play(0, "random", (_frame((1, 0, 0), (4, 1, 0)),))])
    lives.categories[4].clear()
    lives.categories[4][Category.PORTAL] += 1
    kinds = {1: Kind("MovingAvatar"), 4: Kind("Door"), 9: Kind("Resource")}
    assert [f.rule.line() for f in guess_rules(lives, table, kinds)] == [line]


@pytest.mark.parametrize(("ages", "limit"), [((5, 5, 5, 2, 1, 3, 2), 3), ((6, 5, 3, 2, 1, 3, 2), None)])
def test_what_may_be_caught_before_lives_at_most_equally_long(ages: tuple[int, ...], limit: int | None) -> None:
    plays = []
    for age in ages:
        shown = [_frame((1, 0, 0)), *[_frame((1, 0, 0), (8, 3, 3))] * age, _frame((1, 0, 0))]
        plays.append(Play(0, "random", tuple(shown)))
    assert flicker_limit(Lives(plays), 8) == limit


def test_a_second_type_of_avatar_needs_what_the_first_one_pays() -> None:
    paid = Rule(4, 1, "killIfOtherHasMore", (("resource", "t9"), ("limit", 1), ("subtract", "True")))
    other = replace(paid, second=2, parameters=(("resource", "t8"), ("limit", 1)))
    meetings = tuple(_met(4, 2, "dead", index=k, id_=4) for k in range(3))
    found = agreeing([Found(other, meetings), Found(paid, meetings[:1])], {1, 2})
    assert [f.rule for f in found] == [replace(paid, second=2), paid]
    assert agreeing(found, {2})[0].rule == found[0].rule


def test_what_moves_at_random_hurts_although_most_expected_meetings_do_not_take_place() -> None:
    table = Table()
    for k in range(20):
        health = -1 if k < 4 else 0
        for partner, count in ((4, 15), (3, 20)):
            if k < count:
                table.pairs[1, partner].append(replace(_met(1, partner, "back", index=k, id_=1), health=health))
    assert [f.rule for f in hurt(table, {1}, {})] == [Rule(1, 4, "subtractHealthPoints", (("value", 1),))]
    assert hurt(table, {2}, {}) == []


_PILES = """
BasicGame square_size=20
    SpriteSet
        rock > Missile orientation=DOWN speed=0.5
    LevelMapping
        o > rock
    InteractionSet
        rock wall > stepBack
        rock rock > stepBack repeat=4
        avatar wall rock > stepBack
    TerminationSet
        SpriteCounter stype=avatar win=False
"""


_FALLING: dict[str, str | float] = {"orientation": "DOWN", "speed": 0.5}


def test_sprites_in_a_pile_rest_on_each_other(tmp_path: Path) -> None:
    (tmp_path / "piles.txt").write_text(_PILES, encoding="utf-8")
    (tmp_path / "piles_lvl0.txt").write_text("wwwww\nwo  w\nwo Aw\nwo  w\nwo  w\nwwwww\n", encoding="utf-8")
    plays = record_many(vgdl.load(str(tmp_path / "piles.txt")), [0], 20, seed=1, players=["random"])
    kinds = {0: Kind("Immovable"), 1: Kind("MovingAvatar"), 2: Kind("Missile", {"orientation": "DOWN", "speed": 0.5})}
    pile = Rule(2, 2, "stepBack")
    stops = tuple(Rule(*pair, "stepBack") for pair in ((2, 0), (1, 0), (1, 2)))
    follower, hypothesis = Follower(plays), Hypothesis(kinds, (pile, *stops), square_size=20)
    assert follower.follow(hypothesis).loss > 0
    piled = with_piles(follower, hypothesis)
    assert piled.rules[-1].line() == "t2 t2 > stepBack repeat=4"
    assert follower.follow(piled).loss == 0
    loose = hypothesis.with_rules(stops[:1])
    assert with_piles(follower, loose) == loose


@pytest.mark.parametrize(("way", "line"), [("DOWN", "t2 t2 > stepBack repeat=4"), ("LEFT", "t2 t2 > stepBack")])
def test_piles_that_were_not_seen_are_assumed_to_come_to_rest(tmp_path: Path, way: str, line: str) -> None:
    game = _PILES.replace("DOWN", way).replace(" repeat=4", "")
    _, plays = random_plays(tmp_path, game, "wwwww\nwo  w\nw  Aw\nwo  w\nwwwww\n", 20)
    kinds = {0: Kind("Immovable"), 1: Kind("MovingAvatar"), 2: Kind("Missile", {"orientation": way, "speed": 0.5})}
    stops = tuple(Rule(*pair, "stepBack") for pair in ((2, 0), (2, 2), (1, 0), (1, 2)))
    follower, hypothesis = Follower(plays), Hypothesis(kinds, stops, square_size=20)
    found = with_piles(follower, hypothesis)
    assert next(rule.line() for rule in found.rules if rule.first == rule.second) == line
    assert follower.follow(found).loss == follower.follow(hypothesis).loss == 0


def test_what_rests_on_something_does_not_fall_on_those_below(tmp_path: Path) -> None:
    rules = """
BasicGame square_size=20
    SpriteSet
        earth > Immovable
        rock > Missile orientation=DOWN speed=0.5
    LevelMapping
        e > earth
        o > rock
    InteractionSet
        rock wall earth > stepBack
        avatar wall rock > stepBack
        avatar rock > killIfFromAbove
        earth avatar > killSprite
    TerminationSet
        SpriteCounter stype=avatar win=False
"""
    game, plays = random_plays(tmp_path, rules, "wwwwww\nwooo w\nweeeew\nwA   w\nwwwwww\n", 200)
    assert {play.ticks for play in plays} != {200}  # a rock fell on the avatar
    follower = Follower(plays)
    kill, stops = Rule(1, 3, "killSprite"), [Rule(3, 0, "stepBack"), Rule(3, 2, "stepBack"), Rule(1, 0, "stepBack")]
    kinds = {0: Kind("Immovable"), 1: Kind("MovingAvatar"), 2: Kind("Immovable"), 3: Kind("Missile", _FALLING)}
    known = (kill, *stops, Rule(2, 1, "killSprite"), Rule(1, 3, "stepBack"))
    hypothesis = Hypothesis(
        kinds, known, (End("SpriteCounter", (("stype", name_of(1)), ("win", "False"))),), square_size=20
    )
    found = with_falls(follower, hypothesis)
    assert follower.follow(found).loss == follower.follow(game).loss == 0


_FLIGHT = """
BasicGame square_size=20
    SpriteSet
        walker > MovingAvatar
        flyer > MissileAvatar orientation=RIGHT
        pad > Immovable
    LevelMapping
        A > walker
        p > pad
    InteractionSet
        flyer wall > transformTo stype=walker
        walker wall > stepBack
        walker pad > transformTo stype=flyer killSecond=True
    TerminationSet
        SpriteCounter stype=wall win=False
"""


def test_what_lands_at_an_obstacle_is_stopped_in_the_same_tick(tmp_path: Path) -> None:
    (tmp_path / "flight.txt").write_text(_FLIGHT, encoding="utf-8")
    (tmp_path / "flight_lvl0.txt").write_text("wwwwwwwww\nwAppp   w\nwwwwwwwww\n", encoding="utf-8")
    plays = record_many(vgdl.load(str(tmp_path / "flight.txt")), [0], 60, seed=1, players=["random"])
    kinds = {0: Kind("Immovable"), 2: Kind("MovingAvatar"), 3: Kind("MissileAvatar", {"orientation": "RIGHT"})}
    kinds[4] = Kind("Immovable")
    stop, land = Rule(2, 0, "stepBack"), Rule(3, 0, "transformTo", (("stype", "t2"),))
    start = Rule(2, 4, "transformTo", (("stype", "t3"), ("killSecond", "True")))
    follower, hypothesis = Follower(plays), Hypothesis(kinds, (stop, start, land), square_size=20)
    landed = with_landings(follower, hypothesis)
    assert landed.rules == (land, stop, start)
    assert follower.follow(landed).loss < follower.follow(hypothesis).loss
    assert with_landings(follower, hypothesis.with_rules([stop, start])).rules == (stop, start)


def test_an_action_that_changed_nothing_against_the_prediction_is_vain(tmp_path: Path) -> None:
    (tmp_path / "flight.txt").write_text(_FLIGHT, encoding="utf-8")
    (tmp_path / "flight_lvl0.txt").write_text("wwww\nwA w\nwwww\n", encoding="utf-8")
    state = vgdl.load(str(tmp_path / "flight.txt")).start(0, seed=1)
    kinds = {0: Kind("Immovable"), 2: Kind("MovingAvatar")}
    learnt = LearntGame(Hypothesis(kinds, square_size=20), state)  # walls stop nothing
    assert not learnt.is_vain(vgdl.Action.UP)
    state.advance(vgdl.Action.UP)
    learnt.follow(vgdl.Action.UP, state)
    assert learnt.is_vain(vgdl.Action.UP)
    assert not learnt.is_vain(vgdl.Action.RIGHT)
    state.advance(vgdl.Action.RIGHT)
    learnt.follow(vgdl.Action.RIGHT, state)
    assert not learnt.is_vain(vgdl.Action.UP)


def test_nothing_is_pushed_into_an_exit_that_was_never_tried() -> None:
    kinds = {3: Kind("Passive"), 4: Kind("Door"), 5: Kind("Resource")}
    pushes = [Rule(3, 1, "bounceForward"), Rule(3, 0, "undoAll")]
    assert Rule(3, 4, "undoAll") in alike(Table(), pushes, kinds)
    assert not any(rule.second == 5 for rule in alike(Table(), pushes, kinds))
    seen = [*pushes, Rule(4, 3, "killSprite")]
    assert not any(rule.second == 4 for rule in alike(Table(), seen, kinds))


@pytest.mark.parametrize("word", ["Immovable", "Door"])
def test_what_kills_avatars_at_rest_is_assumed_to_kill_pushed_sprites(word: str) -> None:
    kinds = {2: Kind(word), 3: Kind("Passive"), 4: Kind("Immovable"), 5: Kind("MovingAvatar")}
    rules = [Rule(3, 5, "bounceForward"), Rule(3, 4, "undoAll"), Rule(5, 4, "stepBack")]
    hole = Rule(5, 2, "killSprite")
    assert Rule(3, 2, "killSprite") in alike(Table(), [*rules, hole], kinds)
    assert Rule(3, 2, "killSprite") not in alike(Table(), [*rules, hole, Rule(3, 2, "undoAll")], kinds)
    assert Rule(3, 2, "killSprite") not in alike(Table(), rules, kinds)
    fallen = Table()
    fallen.pairs[3, 2] = meetings((3, 2), "dead/dead")
    filled = alike(fallen, [*rules, hole, Rule(2, 3, "killBoth")], kinds)  # what boxes fill does not stop them
    assert not any((rule.first, rule.second) == (3, 2) for rule in filled)
    passed = Table()
    passed.entered[3, 2] += 1
    assert Rule(3, 2, "killSprite") not in alike(passed, [*rules, hole], kinds)
    assert all(rule.second != EDGE for rule in alike(Table(), [*rules, Rule(5, EDGE, "killSprite")], kinds))


def test_a_meeting_that_a_third_sprite_prevented_is_none() -> None:
    table = Table()
    kept_away = replace(_met(1, 4, "back", index=0, id_=1), others=frozenset({3, 4}))
    table.pairs[1, 4] = [kept_away]
    assert not table.met(1, 4)
    table.pairs[1, 4] = [replace(kept_away, others=frozenset({4}))]
    assert table.met(1, 4)
    table.pairs[1, 4] = [replace(kept_away, outcome="ok", partner_outcome="back", others=frozenset({4}))]
    assert table.met(1, 4)
    assert not table.met(1, 4, {4})


def test_what_moves_at_random_and_was_killed_may_not_have_met_the_avatar() -> None:
    table = Table()
    table.pairs[1, 4] = meetings((1, 4), "unmoved/dead")
    table.together[2, 3] = 1
    assert table.met(1, 4)
    assert not table.met(1, 4, {4})
    assert table.met_pairs({4}) == {(2, 3)}
    assert table.met_pairs(set()) == {(2, 3), (1, 4)}


def test_the_first_move_of_an_npc_differs_between_neighbouring_seeds() -> None:
    game, frame = vgdl.load("butterflies"), _plays("butterflies")[0].frames[0]
    board = open_board(game, game.levels[0].read_text(encoding="utf-8"))
    first = min(row["id"] for row in frame.arrays if row["type"] in (7, 8))
    places = set()
    for seed in range(16):
        state = place_frame(board, frame, None, seed)
        for _ in range(5):  # the first draws of the generator
            state.advance(vgdl.Action.NIL)
        places |= {(row["x"], row["y"]) for row in state.arrays if row["id"] == first}
    assert len(places) > 2


def test_learnt_text_is_a_game_that_predicts_held_out_play() -> None:
    learnt = _learnt("sokoban")
    assert vgdl.loads(learnt.hypothesis.text()).n_players == 1
    held_out = record(vgdl.load("sokoban"), 3, "random", seed=8, most=150)
    assert Follower([held_out]).follow(learnt.hypothesis, measured=True).changed_f1 >= 0.95


def test_records_show_numbers_only() -> None:
    frame = _plays("sokoban")[0].frames[0]
    shown = {name for name in vars(frame) if not name.startswith("_")}
    assert frame.arrays.dtype == VISIBLE
    assert not shown & {"board", "game", "tables", "events"}


def test_same_plays_and_seed_give_the_same_text() -> None:
    again = record_many(vgdl.load("sokoban"), [0, 1], 300, seed=3, players=("random",))
    assert learn(again, seconds=0).hypothesis.text() == _learnt("sokoban").hypothesis.text()


def test_repair_never_makes_the_loss_larger() -> None:
    first, repaired = _learnt("sokoban"), learn(_plays("sokoban"), seconds=3)
    assert repaired.report.loss <= first.report.loss


def test_rules_about_the_edge_are_lines_about_eos() -> None:
    assert Rule(5, EDGE, "killSprite").line() == "t5 EOS > killSprite"


def test_shadows_of_a_deterministic_game_look_as_observed() -> None:
    state = vgdl.load("sokoban").start(3, seed=1)
    learnt = LearntGame(_learnt("sokoban").hypothesis, state)
    for action in (vgdl.Action.LEFT, vgdl.Action.UP, vgdl.Action.RIGHT):
        state.advance(action)
        learnt.follow(action, state)
    seen = learnt.state()
    assert sorted(seen.arrays["x"].tolist()) == sorted(state.arrays["x"].tolist())
    assert seen.tick == state.tick


def test_controller_plays_with_the_learnt_rules() -> None:
    outcome = play(
        vgdl.load("sokoban"), 3, "onesteplookahead", _learnt("sokoban").hypothesis, seed=1, calls=20, most=15
    )
    assert outcome.ticks == 15
    assert outcome.trusted > 0.5


def test_two_player_games_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_:
        compete(["worldmodels", "--games", "tandem", "--author", "search"])
    assert exit_.value.code == 2
    assert "games for one player can be learnt" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["--price", "1/2"], ["--decks", "closed"], ["--named"]])
def test_options_of_other_authors_are_refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        compete(["worldmodels", "--games", "sokoban", "--author", "search", *words])
    assert f"{words[0]} does not go with the author search" in capsys.readouterr().err


def test_the_ticks_to_learn_from_are_kept_in_the_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[dict[str, int]] = []

    def learn_game(name: str, **sizes: int) -> dict[str, object]:
        asked.append(sizes)
        raise KeyboardInterrupt

    monkeypatch.setattr(work, "learn_game", learn_game)
    store = str(tmp_path / "kept.db")
    words = ["--games", "sokoban", "--author", "search", "--ticks", "200", "--test-ticks", "50", "--seed", "7"]
    assert compete(["worldmodels", *words, "--store", store, "--quiet"]) == 130
    assert compete(["worldmodels", "--resume", store, "--quiet"]) == 130
    assert asked == [{"seed": 7, "ticks": 200, "test_ticks": 50}] * 2


def test_the_author_induction_is_kept_in_the_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def induce_game(name: str, **_sizes: int) -> dict[str, object]:
        asked.append(name)
        raise KeyboardInterrupt

    monkeypatch.setattr(work, "induce_game", induce_game)
    store = str(tmp_path / "kept.db")
    words = ["--games", "sokoban", "--author", "induction", "--ticks", "200", "--seed", "7"]
    assert compete(["worldmodels", *words, "--store", store, "--quiet"]) == 130
    assert compete(["worldmodels", "--resume", store, "--quiet"]) == 130
    assert asked == ["sokoban"] * 2


def test_induced_rules_are_measured_like_those_of_the_search() -> None:
    budget = Budget(hypotheses=60, ticks=6_000)
    facts = work.induce_game("sokoban", seed=3, ticks=120, test_ticks=40, budget=budget, per_level=0)
    assert facts["ticks"] == 120
    assert 0 < facts["tried"] <= 100, "a few that are under way may exceed the budget"
    assert "stepBack" in facts["text"]
    assert 0 < facts["same_successors"] <= 1
    assert not facts["same_rules"]
