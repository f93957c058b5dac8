"""What one edit changes together: a rule with its switches, its amounts, and classes that only the rule is about."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np

import vgdl
from lessons import evidence_of
from vgdl import Category, Winner
from vgdl.competition.tracks.worldmodels.search.play import play
from vgdl.competition.tracks.worldmodels.texts.candidate import Candidate
from vgdl.induction import Budget, prior
from vgdl.induction.amounts import Amounts, amounts_of
from vgdl.induction.defaults import completed, with_room
from vgdl.induction.edits import Proposer, explicable
from vgdl.induction.evidence import _VICTORIES, BLOCK
from vgdl.induction.goal import with_goal
from vgdl.induction.hypothesis import End, Hypothesis, Kind, Rule, name_of
from vgdl.induction.likelihood import Conflict, cost
from vgdl.induction.scenes import Scene, merged
from vgdl.induction.search import Search, _mends, _place_of, _spans
from vgdl.induction.signatures import BACK, GONE, HEALTH, MOVED, NEW, RESOURCES

PRIZES = """BasicGame square_size=10
    SpriteSet
        coin > Immovable
        gem > Immovable
        you > MovingAvatar
    LevelMapping
        c > coin
        g > gem
        A > you
    InteractionSet
        coin you > killSprite
        gem you > killSprite
        you EOS > stepBack
    TerminationSet
        SpriteCounter stype=coin win=True
        SpriteCounter stype=gem win=True
        Timeout limit=25 win=False
"""
HALLS = """BasicGame
    SpriteSet
        wall > Immovable
        exit > Immovable
        gate > Portal stype=exit
        den > SpawnPoint stype=bolt cooldown=6 spawnorientation=RIGHT
        bolt > Missile speed=0.5
        you > MovingAvatar
    LevelMapping
        w > wall
        e > exit
        g > gate
        d > den
        A > you
    InteractionSet
        you wall > stepBack
        you den > stepBack
        bolt wall > killSprite
        you gate > teleportToExit
    TerminationSet
        Timeout limit=1000
"""
HALL = "wwwwwwww\nwg A  ew\nw    g w\nwd     w\nwwwwwwww\n"

STREAM = """BasicGame
    SpriteSet
        wall > Immovable
        east > Immovable orientation=RIGHT
        west > Immovable orientation=LEFT
        log > Missile orientation=RIGHT
        you > MovingAvatar
    LevelMapping
        w > wall
        e > east
        l > west log
        r > west
        A > you
    InteractionSet
        you wall > stepBack
        log east west > align
    TerminationSet
        Timeout limit=1000
"""
BROOK = "wwwwwww\nwe   lw\nwe A rw\nwwwwwww\n"

GRATES = """BasicGame
    SpriteSet
        wall > Immovable
        grate > SpawnPoint stype=flame cooldown=9
        flame > Flicker limit=3
        you > MovingAvatar
    LevelMapping
        w > wall
        g > grate
        A > you
    InteractionSet
        you wall > stepBack
        you flame > killSprite
    TerminationSet
        SpriteCounter stype=you win=False
"""
RUIN = "wwwwwww\nw g A w\nwg    w\nwwwwwww\n"

PURSE = """BasicGame
    SpriteSet
        wall > Immovable
        fire > Immovable
        coin > Resource value=5 limit=40
        exit > Immovable
        you > MovingAvatar
    LevelMapping
        w > wall
        f > fire
        c > coin
        x > exit
        A > you
    InteractionSet
        you wall > stepBack
        coin you > collectResource
        you fire > killSprite
        exit you > killSprite
    TerminationSet
        SpriteCounter stype=exit win=True
        SpriteCounter stype=you win=False
"""


def _proposer(text: str, level: str, ticks: int) -> tuple[Proposer, dict[str, int]]:
    evidence, names = evidence_of(ticks, text=text, level=level, longest=60)
    return Proposer(evidence, amounts_of(evidence.plays)), names


def test_a_switch_is_turned_if_a_rule_shows_more_with_it() -> None:
    proposer, _ = _proposer(HALLS, HALL, 20)
    both = Scene(frozenset({(0, GONE), (1, GONE), (2, NEW)}), {(0, 1): 1.0}, 0, 0)
    lines = {rule.line for rule in proposer.fitting_rules(both)}
    assert "t0 t1 > transformTo killSecond=True stype=t2" in lines
    one = replace(both, changes=frozenset({(0, GONE), (2, NEW)}))
    assert not any("transformTo killSecond" in rule.line for rule in proposer.fitting_rules(one))


def test_a_rule_explains_what_its_switches_allow() -> None:
    scene = Scene(frozenset({(0, GONE), (1, GONE), (2, NEW)}), {(0, 1): 1.0}, 0, 0)
    empty = Hypothesis((Kind("Immovable"),) * 3)
    plain = Rule("transformTo", (("stype", "t2"),), 0, 1)
    assert explicable(empty, empty.with_rules((plain,)), scene, 1) == 2
    assert explicable(empty, empty.with_rules((plain.but("killSecond", True),)), scene, 1) == 3


def test_what_puts_all_sprites_back_explains_nothing_while_others_move() -> None:
    proposer, _ = _proposer(HALLS, HALL, 20)
    scene = Scene(frozenset({(0, BACK)}), {(0, 1): 1.0}, 0, 0)
    assert "t0 t1 > undoAll" in {rule.line for rule in proposer.fitting_rules(scene)}
    words = {rule.word for rule in proposer.fitting_rules(replace(scene, still=False))}
    assert "stepBack" in words
    assert "undoAll" not in words


def test_most_ticks_of_a_group_tell_whether_other_sprites_moved() -> None:
    proposer, _ = _proposer(HALLS, HALL, 20)
    scene = Scene(frozenset({(0, BACK)}), {(0, 1): 1.0}, 0, 0)
    for still in (1, 2):
        scenes = [replace(scene, still=k < still) for k in range(3)]
        assert merged(scenes, 24, proposer.evidence).still == (still == 2)


def test_a_parameter_that_may_be_missing_is_also_left_out() -> None:
    evidence, names = evidence_of(20, text=HALLS, level=HALL, longest=60)
    you = names["you"]
    shown = Amounts(categories=Counter({int(Category.RESOURCE): 9}), near=Counter({you: 9}))
    proposer = Proposer(evidence, {**amounts_of(evidence.plays), names["exit"]: shown})
    kinds = {kind for kind in proposer.fresh_kinds(names["exit"]) if kind.word == "Resource"}
    assert {Kind("Resource"), Kind("Resource", (("resource_name", f"t{you}"),))} <= kinds


def test_conflicts_about_different_amounts_are_different_problems() -> None:
    scenes = [Scene(frozenset({(0, RESOURCES)}), {}, 0, 0, {1: (0, 0, one), 2: (3, 3, other)})
              for one, other in ((1, 0), (2, 0), (0, 1))]  # fmt: skip
    assert scenes[0].key == scenes[1].key
    assert scenes[0].key != scenes[2].key


def test_by_how_much_health_changed_is_proposed() -> None:
    proposer, _ = _proposer(HALLS, HALL, 20)
    scene = Scene(frozenset({(0, HEALTH)}), {(0, 1): 1.0}, 0, 0, health=-3)
    assert "t0 t1 > subtractHealthPoints value=3" in {rule.line for rule in proposer.fitting_rules(scene)}


def test_a_limit_is_sought_among_all_amounts_held_in_a_group() -> None:
    proposer, _ = _proposer(HALLS, HALL, 20)
    proposer.held = [1]
    scenes = [Scene(frozenset({(0, GONE)}), {(0, 1): 1.0}, 0, 0, {1: (k, k, 0)}) for k in (12, 10, 17)]
    group = merged(scenes, 24, proposer.evidence)
    assert group.held == {1: (10, 17, 0)}
    assert group.pairs == {(0, 1): 3.0}
    limits = {rule.get("limit") for rule in proposer.fitting_rules(group) if rule.word == "killIfOtherHasMore"}
    assert {9, 10, 11, 18} <= limits


def test_an_amount_that_was_held_after_these_ticks_only_comes_first() -> None:
    """One more mint than ever before is one too many, whether one, two or three were taken in that tick."""
    proposer, _ = _proposer(HALLS, HALL, 20)
    held = proposer.evidence.held
    held[1] = Counter({9: 40, 10: 30, 11: 3})
    scenes = [Scene(frozenset({(0, GONE)}), {(0, 1): 1.0}, 0, 3, {1: (k, k, 11 - k)}) for k in (10, 9, 8)]
    group = merged(scenes, 24, proposer.evidence)
    assert group.told == {(1, 11)}
    none = Hypothesis((Kind("Resource"),) * 2)
    rules = [Rule("killIfHasMore", (("limit", limit), ("resource", "t1")), 0, 1) for limit in (10, 11)]
    usual, telling = (explicable(none, none.with_rules([rule]), group, 3) for rule in rules)
    assert telling > usual
    held[1][12] += 1
    assert not merged(scenes, 24, proposer.evidence).told, "it was held in another tick as well"


def test_a_second_door_opens_as_the_first_one_with_a_key_of_its_own() -> None:
    """Such a line is proposed as a whole, and costs little more than the types in which it differs."""
    you, red, blue, red_key, blue_key = range(5)
    proposer, _ = _proposer(HALLS, HALL, 20)
    opens = Rule("killIfOtherHasMore", (("limit", 1), ("resource", f"t{blue_key}"), ("subtract", True)), blue, you)
    known = Hypothesis((Kind("MovingAvatar"), *[Kind("Immovable")] * 2, *[Kind("Resource")] * 2), (opens,))
    scene = Scene(frozenset({(red, GONE)}), {(red, you): 1.0}, 0, 0, {red_key: (1, 1, -1), blue_key: (2, 2, 0)})
    wanted = replace(opens.but("resource", f"t{red_key}"), first=red)
    (edit,) = [edit for edit in proposer.rules(known, scene) if wanted in edit.rules and opens in edit.rules][:1]
    alone = prior.bits(known.with_rules([wanted])) - prior.bits(known.with_rules([]))
    assert prior.bits(edit) - prior.bits(known) < alone / 2


def test_a_rule_is_swapped_for_one_that_names_how_much_has_to_be_held() -> None:
    """A door that opened with a key in each of many plays, and not without it in two ticks."""
    you, door, key = range(3)
    proposer, _ = _proposer(HALLS, HALL, 20)
    proposer.held = [key]
    vain = Scene(frozenset({(door, BACK)}), {(door, you): 1.0}, -5, 1)
    always = Rule("killSprite", (("scoreChange", 5),), door, you)
    wanted = Rule("killIfOtherHasMore", (("limit", 1), ("resource", f"t{key}"), ("scoreChange", 5)), door, you)
    assert wanted in proposer.family(always, vain)


def test_a_resource_can_be_held_in_amounts_that_were_seen() -> None:
    proposer, _ = _proposer(HALLS, HALL, 20)
    proposer.evidence.held.update({0: Counter({3: 5, 11: 2}), 1: Counter({4: 1})})
    kinds = with_room(Hypothesis((Kind("Resource"), Kind("Immovable"))), proposer.evidence).kinds
    assert int(kinds[0].get("limit") or 0) >= 11
    assert kinds[1] == Kind("Immovable"), "what is no resource has no limit"


def test_an_entrance_comes_with_its_exit() -> None:
    """Neither the rule nor the class predicts anything right without the other one."""
    evidence, names = evidence_of(300, text=HALLS, level=HALL, longest=60)
    search = Search(evidence, Budget(3_000, 300_000))
    search.improve()
    best = search.beam[0].hypothesis
    assert best.kinds[names["gate"]] == Kind("Portal", (("stype", f"t{names['exit']}"),))
    assert f"t{names['you']} t{names['gate']} > teleportToExit" in {rule.line for rule in best.rules}


def test_a_sign_comes_with_its_direction() -> None:
    proposer, names = _proposer(STREAM, BROOK, 60)
    log, sign = names["log"], names["west"]
    scene = Scene(frozenset({(log, MOVED)}), {(log, sign): 1.0}, 0, 0)
    kinds = [Kind("Immovable")] * len(names)
    kinds[log] = Kind("Missile")
    edits = list(proposer.rules(Hypothesis(tuple(kinds)), scene))
    wanted = (f"t{log} t{sign} > align", Kind("Immovable", (("orientation", "LEFT"),)))
    assert wanted in {(edit.rules[-1].line, edit.kinds[sign]) for edit in edits}


def test_only_what_moved_is_sent_by_a_sign_or_an_entrance() -> None:
    proposer, names = _proposer(HALLS, HALL, 60)
    you, gate = names["you"], names["gate"]
    kinds = (Kind("Immovable"),) * (1 + max(names.values()))
    for change, count in ((GONE, 1), (MOVED, 2)):
        scene = Scene(frozenset({(you, change)}), {(you, gate): 1.0, (gate, names["exit"]): 1.0}, 0, 0)
        classes = {edit.kinds[gate].word for edit in proposer.rules(Hypothesis(kinds), scene)}
        assert len(classes) == count, classes


def test_chance_gives_way_to_a_rule_without_it() -> None:
    """Turns in random directions explain each turn by chance, so no conflict is left that asks for another rule."""
    evidence, names = evidence_of(120, text=STREAM, level=BROOK, longest=60)
    log = names["log"]
    kinds = [Kind("Immovable")] * len(names)
    kinds[log], kinds[names["you"]] = Kind("Missile", (("orientation", "RIGHT"),)), Kind("MovingAvatar")
    chance = [Rule("flipDirection", (), log, names[sign]) for sign in ("east", "west")]
    search = Search(evidence, Budget(2_000, 200_000))
    search._races._chosen = dict.fromkeys(range(len(kinds)), 1_000_000)
    start = search._judged(Hypothesis(tuple(kinds), (*chance, Rule("stepBack", (), names["you"], names["wall"]))), 1e9)
    assert start is not None
    search.beam = [start]
    search.improve()
    assert "flipDirection" not in {rule.word for rule in search.beam[0].hypothesis.rules}


def test_a_new_sprite_on_its_maker_may_have_been_sent_elsewhere() -> None:
    proposer, names = _proposer(HALLS, HALL, 60)
    den, bolt = names["den"], max(names.values()) + 1
    assert set(proposer.amounts[bolt].makers) == {frozenset({den})}  # not the wall beside it
    kinds = [Kind("Immovable")] * (bolt + 1)
    kinds[den] = Kind("SpawnPoint", (("cooldown", 6), ("stype", f"t{bolt}")))
    scene = Scene(frozenset({(bolt, MOVED)}), {(bolt, den): 1.0}, 0, 0)
    ways = {edit.kinds[den].get("spawnorientation") for edit in proposer.kinds(Hypothesis(tuple(kinds)), scene)}
    assert "RIGHT" in ways


def test_a_resource_has_room_for_what_was_held() -> None:
    """No rule that changes amounts does anything above the limit."""
    evidence, names = evidence_of(200, text=PURSE, level="wwwwwwwww\nwc c A cw\nwx c   cw\nwwwwwwwww\n")
    avatars = [frame.avatar for play in evidence.plays for frame in play.frames]
    held = max(avatar.resources.get(names["coin"], 0) for avatar in avatars if avatar)
    assert held > 2
    kind = completed(Hypothesis(()), evidence).kinds[names["coin"]]
    assert int(str(kind.get("limit"))) >= held


def test_what_vanished_in_a_victory_is_the_goal() -> None:
    evidence, names = evidence_of(120, text=PURSE, level="wwwwww\nw Ax w\nwwwwww\n")
    assert any(play.frames[-1].is_over for play in evidence.plays)
    guess = with_goal(completed(Hypothesis(()), evidence), evidence)
    assert f"t{names['exit']} t{names['you']} > killSprite" in {rule.line for rule in guess.rules}
    assert any(end.types == {names["exit"]} and end.get("win") == "True" for end in guess.ends)


def test_an_end_gives_way_to_a_shorter_one_once_its_rule_is_known() -> None:
    """Before it was known that the exit vanishes, exit and avatar together seemed to be too few."""
    evidence, names = evidence_of(120, text=PURSE, level="wwwwww\nw Ax w\nwwwwww\n")
    you, wall, exit_ = names["you"], names["wall"], names["exit"]
    kinds = [Kind("Immovable")] * len(names)
    kinds[you] = Kind("MovingAvatar")
    rules = Rule("stepBack", (), you, wall), Rule("killSprite", (), exit_, you)
    ends = (
        End("MultiSpriteCounter", (("limit", 1), ("stype1", f"t{exit_}"), ("stype2", f"t{you}"), ("win", "True"))),
        End("SpriteCounter", (("stype", f"t{you}"), ("win", "False"))),
    )
    search = Search(evidence, Budget(2_000, 200_000))
    search._races._chosen = dict.fromkeys(range(len(kinds)), 1_000_000)
    start = search._judged(Hypothesis(tuple(kinds), rules, ends), 1e9)
    assert start is not None
    search.beam = [start]
    search.improve()
    won = [end for end in search.beam[0].hypothesis.ends if end.get("win") == "True"]
    assert won == [End("SpriteCounter", (("stype", f"t{exit_}"), ("win", "True")))]


def test_what_is_removed_in_a_victory_comes_with_the_end_of_the_game() -> None:
    """Neither pays without the other after one or two victories."""
    evidence, names = evidence_of(60, text=PURSE, level="wwwwww\nw Ax w\nwwwwww\n")
    you, exit_ = names["you"], names["exit"]
    search = Search(evidence, Budget(2_000, 200_000))
    search._proposer = Proposer(evidence, amounts_of(evidence.plays))
    best = search._judged(completed(Hypothesis(()), evidence), 1e9)
    assert best is not None
    scene = Scene(frozenset({(exit_, GONE)}), {(exit_, you): 1.0}, 0, 4)
    edits = [edit for part in search._edits(best, scene, []) for edit in part]
    end = End("SpriteCounter", (("stype", f"t{exit_}"), ("win", "True")))
    assert best.hypothesis.with_rules((Rule("killSprite", (), exit_, you),)).with_ends((end,)) in edits
    goes_on = [edit for part in search._edits(best, replace(scene, end=0), []) for edit in part]
    assert not any(edit.ends for edit in goes_on)
    knows = replace(best, hypothesis=best.hypothesis.with_ends((end,)))
    again = [edit for part in search._edits(knows, scene, []) for edit in part]
    assert not any(edit.ends.count(end) > 1 for edit in again)


def test_plays_that_were_won_are_judged_in_any_case() -> None:
    evidence, _ = evidence_of(200, text=PURSE, level="wwwwww\nw Ax w\nwwwwww\n")
    won = [number for number, play in enumerate(evidence.plays) if play.frames[-1].winner == Winner.PLAYER_WINS]
    assert len(won) > 1
    spans = evidence.spans(BLOCK * len(won[:_VICTORIES]))
    last = {(number, evidence.plays[number].ticks - 1) for number in won[:_VICTORIES]}
    assert last <= {(number, k) for number, start, stop in spans for k in range(start, stop)}


def test_a_tick_with_many_sprites_costs_more() -> None:
    evidence, _ = evidence_of(1, text=PURSE, level="wwwwww\nw Ax w\nwwwwww\n")
    frame = evidence.plays[0].frames[0]
    assert cost(frame) == 1.0
    assert cost(replace(frame, arrays=np.tile(frame.arrays, 100))) == len(frame.arrays) / 2


def test_a_mend_leaves_the_types_of_a_detour_alone_in_either_order() -> None:
    push = Rule("bounceForward", (), 1, 0)
    former = Hypothesis((Kind("Immovable"),) * 3, (push,))
    assert not _mends(former.with_rules((push, Rule("undoAll", (), 0, 1))), former, {push})
    assert _mends(former.with_rules((push, Rule("undoAll", (), 1, 2))), former, {push})


def test_a_rule_with_a_class_is_tried_where_its_types_meet() -> None:
    empty = Hypothesis((Kind("Immovable"),) * 3)
    edit = empty.with_rules((Rule("teleportToExit", (), 2, 1),)).with_kind(1, Kind("Portal", (("stype", "t0"),)))
    assert _place_of(empty, edit) == (1, 2)
    assert isinstance(_place_of(empty, empty.with_kind(1, Kind("Passive"))), str)


def test_no_action_is_taken_that_loses_by_the_rules(tmp_path: Path) -> None:
    """A controller without a plan would walk into the fire; the rules say what it does."""
    (tmp_path / "purse.txt").write_text(PURSE)
    (tmp_path / "purse_lvl0.txt").write_text("wwwwwwwww\nwwfffffxw\nwwf A fww\nwwfffffww\nwwwwwwwww\n")
    game = vgdl.load(tmp_path / "purse.txt")
    rules = Candidate(PURSE, dict(enumerate(game.types)))
    plays = [[play(game, 0, "random", text, seed=k, calls=20, most=40) for k in range(4)] for text in (None, rules)]
    assert all(outcome.ticks < 40 for outcome in plays[0])
    assert all(outcome.ticks == 40 for outcome in plays[1])


def test_of_two_causes_the_one_comes_first_that_is_seldom_near_without_an_effect() -> None:
    """A flame that kills is on a grate; most of what happens beside the grate is nothing."""
    evidence, names = evidence_of(200, text=GRATES, level=RUIN, longest=60)
    you, grate, flame = names["you"], names["grate"], max(names.values()) + 1
    assert len(evidence.near(you, flame)) < len(evidence.near(you, grate))
    scenes = [Scene(frozenset({(you, GONE)}), {(you, grate): 1.0, (you, flame): 1.0, (you, 0): 0.2}, 0, 3)]
    assert list(merged(scenes, 2, evidence).pairs) == [(you, flame), (you, grate)]


def test_a_sample_of_ticks_has_no_others_between_them() -> None:
    """Each tick of a sample stands for many, and one between them would count for as many."""
    assert list(_spans([(0, 3), (0, 4), (0, 6), (1, 7)])) == [(0, 3, 5), (0, 6, 7), (1, 7, 8)]


def test_each_of_several_ways_to_win_is_proposed_and_may_come_before_what_loses() -> None:
    """Plays are won by the coin or by the gem; a text that calls them lost in that tick has to ask for these first."""
    evidence, names = evidence_of(400, text=PRIZES, level="c.A.g\n")
    won = [n for n, play in enumerate(evidence.plays) if play.frames[-1].winner == Winner.PLAYER_WINS]
    last = [Conflict(n, evidence.plays[n].ticks - 1, (), 0.0, (), True, {}, {}) for n in won]
    counts = [Counter(frame.arrays["type"].tolist()) for frame in (evidence.plays[n].frames[-1] for n in won)]
    assert {names["coin"], names["gem"]} == {kind for found in counts for kind in range(3) if not found[kind]}
    lost = End("SpriteCounter", (("stype", "t0"), ("win", "False")))
    text = Hypothesis((Kind("Immovable"),) * 3, (), (lost,))
    edits = [edit.ends for edit in Proposer(evidence, amounts_of(evidence.plays)).ends(text, last)]
    for kind in ("coin", "gem"):
        wins = End("SpriteCounter", (("stype", name_of(names[kind])), ("win", "True")))
        assert (lost, wins) in edits
        assert (wins, lost) in edits
