"""What counts as evidence for a rule, and what does not: meetings written by hand."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import vgdl
from tracks.worldmodels.small import frame_of, guessed_lines, lives_of, meetings, random_plays
from vgdl.competition.tracks.worldmodels.search.author import learn
from vgdl.competition.tracks.worldmodels.search.contacts import Table, _predicted, _Scene, meet
from vgdl.competition.tracks.worldmodels.search.deaths import Found, agreeing, guess_deaths
from vgdl.competition.tracks.worldmodels.search.ends import guess_ends
from vgdl.competition.tracks.worldmodels.search.hypothesis import Hypothesis, Kind, Rule
from vgdl.competition.tracks.worldmodels.search.lives import Lives
from vgdl.competition.tracks.worldmodels.search.motion import flicker_limit, guess_kinds
from vgdl.competition.tracks.worldmodels.search.play import LearntGame
from vgdl.competition.tracks.worldmodels.search.records import Frame, Play, record_many
from vgdl.competition.tracks.worldmodels.search.repair import Repair
from vgdl.competition.tracks.worldmodels.search.rules import guess_rules
from vgdl.competition.tracks.worldmodels.search.unseen import collected, dared, inherited, struck
from vgdl.competition.tracks.worldmodels.search.verify import Follower
from vgdl.core.data.layout import Category, Winner
from vgdl.core.observation import VISIBLE


def test_predicted_sprites_of_the_level_are_known_by_their_places() -> None:
    scene = _Scene(
        was={90: (7, (200, 60)), 164: (4, (80, 120))},
        now={90: (7, (200, 60))},
        shadow=[(90, 4, 4, 80, 120), (107, 7, 6, 200, 60)],  # the board counts its own sprites otherwise
        resting=np.zeros(0, VISIBLE),
        block=20,
    )
    assert _predicted(scene, {}) == [(164, 4, (80, 120)), (90, 7, (200, 60))]


@pytest.mark.parametrize(("fell", "lines"), [(3, []), (0, ["t7 t12 > stepBack"])])
def test_an_avatar_that_is_put_back_stops_nothing_if_it_stops_nothing_elsewhere(fell: int, lines: list[str]) -> None:
    table = Table()
    table.pairs[7, 12] = meetings((7, 12), *["back/back"] * 5, *["ok/ok"] * fell)
    assert guessed_lines(table, {7: Kind("Missile"), 12: Kind("MovingAvatar")}) == lines


def test_what_is_in_the_same_place_does_not_keep_a_sprite_there() -> None:
    table, kinds = Table(), {7: Kind("Missile"), 11: Kind("OrientedFlicker")}
    table.pairs[7, 11] = [replace(m, together=True) for m in meetings((7, 11), *["back/unmoved"] * 9)]
    assert guessed_lines(table, kinds) == []
    table.pairs[7, 11] += [replace(m, index=20 + m.index) for m in meetings((7, 11), *["back/unmoved"] * 4)]
    assert guessed_lines(table, kinds) == ["t7 t11 > stepBack"]


@pytest.mark.parametrize("known", [True, False])
def test_a_wall_does_not_turn_what_others_turn(known: bool) -> None:
    table = Table()
    table.pairs[8, 2] = meetings((8, 2), *["reverse/unmoved"] * 9, *["into 7/unmoved"] * 4)
    if known:
        table.pairs[8, 5] = [replace(m, index=20 + m.index) for m in meetings((8, 5), *["into 7"] * 9)]
    kinds = {2: Kind("Immovable"), 5: Kind("RandomNPC"), 7: Kind("RandomNPC"), 8: Kind("RandomNPC")}
    assert ("t8 t2 > transformTo stype=t7" in guessed_lines(table, kinds)) != known


def test_one_birth_of_what_others_turn_into_is_no_spawn() -> None:
    table = Table()
    table.pairs[8, 5] = [replace(m, index=20 + m.index) for m in meetings((8, 5), *["into 7"] * 9)]
    table.pairs[5, 12] = [replace(m, born=(7,)) for m in meetings((5, 12), "ok")]
    kinds = {5: Kind("RandomNPC"), 7: Kind("RandomNPC"), 8: Kind("RandomNPC"), 12: Kind("MovingAvatar")}
    assert guessed_lines(table, kinds) == ["t8 t5 > transformTo stype=t7"]


def test_who_dies_gains_nothing_by_it() -> None:
    table = Table()
    table.pairs[4, 12] = [replace(m, gained=((3, 1),)) for m in meetings((4, 12), "dead/dead")]
    kinds = {3: Kind("Resource"), 4: Kind("Missile"), 12: Kind("MovingAvatar")}
    assert guessed_lines(table, kinds) == ["t4 t12 > killSprite"]


def test_who_kills_another_avatar_is_not_supposed_to_be_killed_by_the_second_one() -> None:
    kinds = {5: Kind("Chaser"), 6: Kind("Chaser"), 8: Kind("MovingAvatar"), 9: Kind("MovingAvatar")}
    rules = [Rule(6, 9, "killSprite"), Rule(5, 9, "killSprite"), Rule(8, 5, "killSprite")]
    added = inherited(lives_of(frame_of(5, 6, 8, 9), frame_of(5, 6, 8, 9)), Table(), rules, kinds)
    assert Rule(8, 6, "killSprite") in added
    assert Rule(6, 8, "killSprite") not in added


@pytest.mark.parametrize(("held", "inherits"), [(0, True), (4, True), (5, False)])
def test_a_try_without_what_it_needs_does_not_count_against_a_rule(held: int, inherits: bool) -> None:
    kinds = {5: Kind("Door"), 6: Kind("Resource"), 8: Kind("MovingAvatar"), 9: Kind("MovingAvatar")}
    rule = Rule(5, 8, "killIfOtherHasMore", (("resource", "t6"), ("limit", 5)))
    table = Table()
    table.pairs[5, 9] = [replace(m, held=((6, held),)) for m in meetings((5, 9), "ok", "ok")]
    added = inherited(lives_of(frame_of(5, 6, 8, 9), frame_of(5, 6, 8, 9)), table, [rule], kinds)
    assert (replace(rule, second=9) in added) == inherits


@pytest.mark.parametrize(
    ("left", "line"), [(True, "t5 t8 > killIfOtherHasMore resource=t6 limit=3"), (False, "t5 t8 > killSprite")]
)
def test_an_exit_needs_what_players_leave_once_they_have_enough(left: bool, line: str) -> None:
    frame = frame_of(5, 6, 8) if left else frame_of(5, 8)
    lives = lives_of(frame_of(5, 6, 8), *[frame] * 5)
    lives.categories[5], lives.categories[6] = Counter({Category.PORTAL: 9}), Counter({Category.RESOURCE: 9})
    kinds = {5: Kind("Door"), 6: Kind("Resource"), 8: Kind("MovingAvatar")}
    table = Table()
    table.pairs[5, 8] = [replace(m, index=1 + m.index, held=((6, 3),)) for m in meetings((5, 8), *["dead"] * 4)]
    assert [found.rule.line() for found in guess_rules(lives, table, kinds)] == [line]


@pytest.mark.parametrize(("held", "agrees"), [(7, True), (2, False)])
def test_avatars_that_had_enough_need_what_others_need(held: int, agrees: bool) -> None:
    needed = Rule(5, 8, "killIfOtherHasMore", (("resource", "t6"), ("limit", 3)))
    opened = tuple(replace(m, held=((6, held),)) for m in meetings((5, 9), "dead"))
    plain = Rule(5, 9, "killSprite")
    found = agreeing([Found(needed, ()), Found(plain, opened)], {8, 9})
    assert found[1].rule == (replace(needed, second=9) if agrees else plain)


@pytest.mark.parametrize(("outcome", "added"), [("", True), ("jump", True), ("ok", False)])
def test_weapons_are_assumed_to_kill_what_they_were_not_tried_on(outcome: str, added: bool) -> None:
    kinds = {
        5: Kind("RandomNPC"),
        7: Kind("Immovable"),
        8: Kind("ShootAvatar", {"stype": "t9"}),
        9: Kind("OrientedFlicker"),
    }
    table = Table()
    table.pairs[5, 9] = meetings((5, 9), outcome) if outcome else []
    dangers = [Rule(8, 5, "killSprite"), Rule(8, 7, "killSprite")]
    assert struck(table, dangers, kinds) == ([Rule(5, 9, "killSprite")] if added else [])


def test_a_tool_is_assumed_to_be_no_weapon_but_may_be_tried_as_one() -> None:
    kinds = {
        4: Kind("Immovable"),
        5: Kind("RandomNPC"),
        8: Kind("ShootAvatar", {"stype": "t9"}),
        9: Kind("OrientedFlicker"),
    }
    danger, dig = Rule(8, 5, "killSprite"), Rule(4, 9, "killSprite")
    strike = Rule(5, 9, "killSprite")
    assert struck(Table(), [danger, dig], kinds) == []
    assert struck(Table(), [danger, dig], kinds, tools=True) == [strike]
    table = Table()
    table.pairs[8, 5] = meetings((8, 5), "dead")  # known, so not to be met
    daring = dared(lives_of(frame_of(4, 5, 8, 9)), table, Hypothesis(kinds, rules=(danger, dig)))
    assert daring.rules == (danger, dig, strike.scoring(1))
    table.pairs[5, 9] = meetings((5, 9), "ok")
    assert dared(lives_of(frame_of(4, 5, 8, 9)), table, Hypothesis(kinds, rules=(danger, dig))).rules == (danger, dig)


def test_where_both_may_have_killed_it_was_the_weapon_and_not_who_carries_it() -> None:
    kinds = {5: Kind("RandomNPC"), 9: Kind("OrientedFlicker"), 11: Kind("ShootAvatar", {"stype": "t9"})}
    table = Table()
    table.pairs[5, 9], table.pairs[5, 11] = meetings((5, 9), "dead"), meetings((5, 11), "dead")
    assert guessed_lines(table, kinds) == ["t5 t9 > killSprite"]


def test_a_lock_needs_what_was_held_rather_than_the_way_that_the_avatar_came_from() -> None:
    opened = replace(meetings((5, 8), "dead")[0], held=((6, 10),), above=True)
    shut = [replace(m, index=k + 5, held=((6, 9),)) for k, m in enumerate(meetings((5, 8), "unmoved", "unmoved"))]
    lives = lives_of(frame_of(5, 6, 8))
    lives.categories[5] = Counter([int(Category.PORTAL)])
    found = guess_deaths(lives, (5, 8), 1 / 3, [opened, *shut], [opened], {8})
    assert [f.rule.line() for f in found] == ["t5 t8 > killIfOtherHasMore resource=t6 limit=10"]
    lives.categories[5] = Counter([int(Category.MOVABLE)])
    found = guess_deaths(lives, (5, 8), 1 / 3, [opened, *shut], [opened], {8})
    assert [f.rule.line() for f in found] == ["t5 t8 > killIfFromAbove"]


@pytest.mark.parametrize("tried", [False, True])
def test_a_key_that_was_never_tried_opens_the_door_that_stopped_the_avatar(tried: bool) -> None:
    kinds = {4: Kind("Door"), 5: Kind("Resource"), 8: Kind("MovingAvatar")}
    table = Table()
    table.pairs[8, 5] = meetings((8, 5), "ok") if tried else []
    take, lock = Rule(5, 8, "collectResource"), Rule(4, 8, "killIfOtherHasMore", (("resource", "t5"), ("limit", 1)))
    assert collected(table, [Rule(8, 4, "stepBack")], kinds) == ([] if tried else [take, lock])
    two = {**kinds, 6: Kind("Resource")}
    assert lock not in collected(table, [Rule(8, 4, "stepBack")], two)


@pytest.mark.parametrize(("held", "needed"), [(0, 1), (2, 3)])
def test_a_key_without_a_use_opens_the_door_that_stopped_the_avatar(held: int, needed: int) -> None:
    kinds = {4: Kind("Door"), 5: Kind("Resource"), 8: Kind("MovingAvatar")}
    rules = [Rule(5, 8, "collectResource"), Rule(8, 4, "stepBack")]
    table = Table()
    table.pairs[8, 5] = meetings((8, 5), "ok")
    table.pairs[8, 4] = [replace(m, held=((5, held),)) for m in meetings((8, 4), "back")]
    lock = Rule(4, 8, "killIfOtherHasMore", (("resource", "t5"), ("limit", needed)))
    assert collected(table, rules, kinds) == [lock]
    assert collected(table, [*rules, Rule(8, 6, "killIfHasMore", (("resource", "t5"), ("limit", 2)))], kinds) == []


@pytest.mark.parametrize(("ages", "limit"), [((30,) * 6 + (*range(4, 28), 20, 20), 28), ((30, *range(4, 28)), None)])
def test_few_need_to_reach_the_age_at_which_all_die(ages: tuple[int, ...], limit: int | None) -> None:
    shown = [(frame_of(1), *[frame_of(1, 8)] * age, frame_of(1)) for age in [*ages, *range(1, 20)]]
    assert flicker_limit(Lives([Play(0, "random", frames) for frames in shown]), 8) == limit


@pytest.mark.parametrize(("word", "named"), [("SpawnPoint", "stype1=t10 stype2=t6"), ("Door", "stype1=t7 stype2=t10")])
def test_a_win_without_makers_is_one_without_all_of_them(word: str, named: str) -> None:
    won = Winner.PLAYER_WINS
    lives = lives_of(frame_of(7, 8, 10), frame_of(7), frame_of(8, 10), frame_of(10), frame_of(1, winner=won))
    kinds = {7: Kind("SpawnPoint"), 8: Kind(word), 10: Kind("RandomNPC")}
    ends, groups, _ = guess_ends(lives, kinds, [], {})
    assert [end.line() for end in ends[1:]] == [f"MultiSpriteCounter {named} win=True"]
    assert groups == ({6: (7, 8)} if "t6" in named else {})


def test_enemies_are_as_dangerous_to_the_second_avatar_as_others_that_the_first_one_kills() -> None:
    kinds = {5: Kind("Chaser"), 6: Kind("RandomNPC"), 8: Kind("MovingAvatar"), 9: Kind("MovingAvatar")}
    killed = [Rule(5, 9, "killSprite"), Rule(6, 9, "killSprite")]
    lives = lives_of(frame_of(5, 6, 8, 9), frame_of(5, 6, 8, 9))
    added = inherited(lives, Table(), [*killed, Rule(8, 5, "killSprite")], kinds)
    assert added == [Rule(8, 6, "killSprite")]
    table = Table()
    table.pairs[8, 6] = meetings((8, 6), "ok", "ok")
    assert Rule(8, 6, "killSprite") not in inherited(lives, table, [*killed, Rule(8, 5, "killSprite")], kinds)


@pytest.mark.parametrize(("harmless", "seen", "lines"), [(4, 2, 1), (0, 2, 2), (4, 0, 2)])
def test_a_spawn_point_does_not_kill_what_meets_its_sprites_there(harmless: int, seen: int, lines: int) -> None:
    table = Table()
    table.pairs[9, 7] = meetings((9, 7), *["dead/unmoved"] * 14, *["ok/unmoved"] * harmless)
    table.pairs[9, 10] = [replace(m, index=40 + m.index) for m in meetings((9, 10), *["dead/dead"] * max(1, seen))]
    if not seen:
        table.pairs[9, 10] = [replace(m, partner_outcome="ok") for m in table.pairs[9, 10]]
    kinds = {7: Kind("SpawnPoint", {"stype": "t10"}), 9: Kind("Missile"), 10: Kind("Chaser")}
    guessed = guessed_lines(table, kinds)
    assert ("t9 t7 > killSprite" not in guessed) == (lines == 1)
    assert len(guessed) == lines


@pytest.mark.parametrize(
    ("score", "last", "line"),
    [(-2, 4, "SpriteCounter stype=t4 win=False"), (2, 4, None), (-2, 5, None)],
)
def test_a_game_that_was_never_lost_is_lost_without_what_must_be_protected(
    score: int, last: int, line: str | None
) -> None:
    lives = lives_of(frame_of(4, 5, 6, 8), frame_of(4, 5, 6, 8), frame_of(last, 8))
    kinds = {4: Kind("Immovable"), 5: Kind("Immovable"), 6: Kind("Chaser"), 8: Kind("MovingAvatar")}
    turned = Rule(4, 6, "transformTo", (("stype", "t5"),)).scoring(score)
    ends, _, _ = guess_ends(lives, kinds, [turned], {})
    lost = [end.line() for end in ends if "win=False" in end.line()]
    assert lost == ([line] if line else [])


def test_repair_adds_no_effect_that_a_pair_shows_seldom() -> None:
    plays = record_many(vgdl.load("sokoban"), [0], 20, seed=1, players=["random"])
    repair = Repair(Follower(plays), Hypothesis({4: Kind("Immovable")}), until=0.0)
    table = Table()
    table.pairs[4, 5] = meetings((4, 5), *["dead"] * 2, *["ok"] * 30)
    table.pairs[4, 6] = meetings((4, 6), *["dead"] * 2, *["ok"] * 3)
    assert repair._unused(table) == [Rule(4, 6, "killSprite")]


def test_a_few_misses_at_the_start_do_not_end_trust() -> None:
    learnt = LearntGame(Hypothesis({0: Kind("Immovable")}), vgdl.load("sokoban").start(0, seed=1))
    learnt._recent.extend([(1, 8)])
    assert learnt.trust > 0.8
    learnt._recent.extend([(1, 8)] * 9)
    assert learnt.trust < 0.8


def test_what_only_some_futures_have_counts_once_and_what_none_has_twice() -> None:
    follower = Follower(record_many(vgdl.load("chase"), [0], 60, seed=1, players=["random"]))
    hypothesis = Hypothesis({9: Kind("Immovable")})  # nothing moves, whatever the future
    one, eight = (follower.follow(hypothesis, samples=samples) for samples in (1, 8))
    assert sum(one.by_type.values()) > 0
    assert {kind: 2 * count for kind, count in one.by_type.items()} == eight.by_type
    true = [follower.follow(vgdl.load("chase"), samples=samples) for samples in (1, 8)]
    assert true[0].by_type.total() <= true[1].by_type.total() < 1.5 * true[0].by_type.total()


def test_what_others_catch_does_not_count_against_what_it_turns_into_elsewhere() -> None:
    table = Table()
    fell = meetings((11, 4), *["into 6/unmoved"] * 5)
    caught = [replace(m, index=20 + m.index, others=frozenset({4, 13})) for m in meetings((11, 4), *["dead"] * 14)]
    table.pairs[11, 4] = [*fell, *caught]
    table.pairs[11, 13] = [replace(m, partner=13) for m in caught]
    kinds = {4: Kind("Immovable"), 6: Kind("Immovable"), 11: Kind("Missile"), 13: Kind("MovingAvatar")}
    assert "t11 t4 > transformTo stype=t6" in guessed_lines(table, kinds)


@pytest.mark.parametrize("steady", [True, False])
def test_what_a_resource_falls_by_in_every_tick_is_no_price(steady: bool) -> None:
    table = Table()
    paid = [replace(m, held=((10, 5),), gained=((10, -1),)) for m in meetings((8, 12), *["dead"] * 4)]
    table.pairs[8, 12] = paid
    kinds = {8: Kind("Immovable"), 10: Kind("Resource"), 12: Kind("MovingAvatar")}
    lives = lives_of(frame_of(*kinds), frame_of(*kinds))
    vars(lives)["steady_changes"] = {(12, 10, -1)} if steady else set()
    rule = "t8 t12 > killSprite" if steady else "t8 t12 > killIfOtherHasMore resource=t10 limit=1 subtract=True"
    assert [found.rule.line() for found in guess_rules(lives, table, kinds)] == [rule]


def test_what_stands_together_for_long_does_not_kill() -> None:
    """Cities die of enemies; the table has no quiet ticks, in which they stand on the same floor and live."""
    kinds = {2: Kind("Immovable"), 3: Kind("Immovable"), 8: Kind("Chaser", {"stype": "t3"})}
    apart, together = frame_of(2, 3, 8), frame_of(2, 3, 8)
    together.arrays["x"][1] = together.arrays["x"][0]
    deaths = [replace(m, others=frozenset({2})) for m in meetings((3, 2), "dead", "dead")]
    quiet = [replace(m, others=frozenset({2, 8})) for m in meetings((3, 2), *["ok"] * 20)]
    table = Table({(3, 2): [*deaths, *quiet]})
    for frame, expected in ((apart, True), (together, False)):
        lives = lives_of(*[frame] * 6)
        lines = [found.rule.line() for found in guess_rules(lives, table, kinds)]
        assert any(line.startswith("t3 t2 > killSprite") for line in lines) == expected


def test_a_meeting_in_each_of_the_places_that_a_random_walker_may_have_died_in_is_one_try() -> None:
    table = Table()
    spread = [replace(meetings((9, 5), "dead/dead")[0], place=(10 * k, 0)) for k in range(5)]
    table.pairs[9, 5] = [*spread, *(replace(m, index=7 + k) for k, m in enumerate(meetings((9, 5), "ok", "dead")))]
    assert table.tries(9, 5, "dead") == 3


@pytest.mark.parametrize(("made", "lines"), [("t9", ["t5 t8 > reverseDirection"]), ("t5", [])])
def test_a_spawn_point_does_not_reverse_what_it_makes(made: str, lines: list[str]) -> None:
    kinds = {5: Kind("RandomMissile"), 8: Kind("SpawnPoint", {"stype": made}), 9: Kind("Missile")}
    table = Table()
    table.pairs[5, 8] = meetings((5, 8), *["reverse"] * 3)
    assert guessed_lines(table, kinds) == lines


@pytest.mark.parametrize(("id_", "lines"), [(-1, []), (4, ["t9 t11 > killSprite"])])
def test_who_shoots_does_not_remove_a_shot_before_it_is_seen(id_: int, lines: list[str]) -> None:
    kinds = {9: Kind("Missile"), 11: Kind("ShootAvatar", {"stype": "t9"})}
    table = Table()
    table.pairs[9, 11] = [replace(m, id=id_, index=k) for k, m in enumerate(meetings((9, 11), "dead", "dead"))]
    assert guessed_lines(table, kinds) == lines


_HIDDEN_KEY = """
BasicGame square_size=20
    SpriteSet
        key > Passive
        box > Passive
        pusher > MovingAvatar
        holder > MovingAvatar
    LevelMapping
        A > pusher
        B > key box
    InteractionSet
        pusher wall > stepBack
        holder wall > stepBack
        box pusher > bounceForward
        box holder > bounceForward
        box wall > undoAll
        pusher key > transformTo stype=holder
        key holder > killSprite
    TerminationSet
        Timeout limit=60 win=False
"""


@pytest.mark.costly
def test_a_box_that_cannot_be_pushed_stops_who_pushes_it_and_not_the_key_under_it(tmp_path: Path) -> None:
    level = "wwwwwww\nwA    w\nw     w\nw   B w\nwwwwwww\n"
    game, plays = random_plays(tmp_path, _HIDDEN_KEY, level, ticks=900)
    key, box, pusher, holder = map(game.types.index, ("key", "box", "pusher", "holder"))
    follower = Follower(plays)
    pushing = Hypothesis(
        {0: Kind("Immovable"), key: Kind("Passive"), box: Kind("Passive")}
        | dict.fromkeys((pusher, holder), Kind("MovingAvatar")),
        (Rule(box, pusher, "bounceForward"), Rule(box, holder, "bounceForward")),
        square_size=20,
    )
    back = [m for m in meet(follower, pushing).pairs[pusher, key] if m.outcome == "back"]
    assert back
    assert all(box in m.others for m in back)
    rules = learn(plays, seconds=0).hypothesis.rules
    assert [rule.effect for rule in rules if (rule.first, rule.second) == (pusher, key)] == ["transformTo"]
    assert not [rule for rule in rules if (rule.first, rule.second) == (pusher, box)]
    assert {rule.effect for rule in rules if rule.first == box and rule.second in (0, box)} == {"undoAll"}


def test_a_victory_may_need_one_sprite_of_each_of_two_types() -> None:
    alive: Any = SimpleNamespace(is_alive=True, resources={}, type=7)

    def ended(prize: int, avatar: int, winner: int) -> Play:
        frames = frame_of(3, 7), frame_of(3, avatar), frame_of(3, prize, avatar, winner=winner)
        return Play(0, "random", tuple(replace(frame, avatar=alive) for frame in frames))

    won = [ended(prize, avatar, Winner.PLAYER_WINS) for prize, avatar in ((5, 7), (5, 7), (6, 8))]
    lost = [ended(prize, avatar, Winner.PLAYER_LOSES) for prize, avatar in ((5, 8), (6, 7))]
    kinds = {3: Kind("Immovable"), 5: Kind("Immovable"), 6: Kind("Immovable")}
    kinds |= dict.fromkeys((7, 8), Kind("MovingAvatar"))
    ends = [end.line() for end in guess_ends(Lives([*won, *lost]), kinds, [], {})[0] if "win=True" in end.line()]
    assert ends == [
        f"MultiSpriteCounter stype1={a} stype2={b} limit=2 win=True" for a, b in (("t5", "t7"), ("t6", "t8"))
    ]


def test_a_single_death_beside_a_type_that_kills_elsewhere_is_no_evidence_against_a_third_one() -> None:
    table = Table()
    table.pairs[10, 6] = meetings((10, 6), *["dead"] * 3, *["back"] * 9)
    table.pairs[10, 3] = [replace(table.pairs[10, 6][0], partner=3, partner_id=50)]
    kinds = {3: Kind("Immovable"), 6: Kind("Missile"), 10: Kind("Chaser", {"stype": "t6"})}
    assert [line for line in guessed_lines(table, kinds) if "kill" in line and "t3" in line] == []


@pytest.mark.parametrize("alone", [True, False])
def test_what_a_sprite_turned_into_counts_where_no_other_partner_killed_it(alone: bool) -> None:
    table = Table()
    both = frozenset({4, 13})
    eaten = [replace(m, others=both) for m in meetings((11, 4), *["dead/unmoved"] * 5)]
    turned = replace(meetings((11, 4), "into 6/unmoved")[0], index=70, id=70, born=(6,))
    table.pairs[11, 4] = [turned if alone else replace(turned, others=both), *eaten]
    table.pairs[11, 13] = [replace(m, partner=13) for m in eaten] + [
        replace(m, index=90 + m.index, id=90 + m.id) for m in meetings((11, 13), *["dead"] * 9)
    ]
    kinds = {4: Kind("Immovable"), 6: Kind("Immovable"), 11: Kind("Missile"), 13: Kind("FlakAvatar")}
    lines = [line for line in guessed_lines(table, kinds) if line.startswith("t11 t4")]
    assert lines == (["t11 t4 > transformTo stype=t6"] if alone else [])


def test_a_random_partner_that_died_without_its_price_is_no_evidence_against_a_condition() -> None:
    table = Table()
    saved = [replace(m, held=((9, 1),), gained=((9, -1),)) for m in meetings((10, 8), *["ok/dead"] * 9)]
    elsewhere = meetings((10, 8), *["ok/dead"] * 12)[9:]  # the flame went to a rock, with the runner's bucket empty
    burnt = meetings((10, 8), *["dead"] * 14)[12:]
    table.pairs[10, 8] = [*saved, *elsewhere, *burnt]
    kinds = {8: Kind("RandomMissile"), 9: Kind("Resource"), 10: Kind("MovingAvatar")}
    lines = [line for line in guessed_lines(table, kinds) if "kill" in line]
    assert lines == ["t10 t8 > killIfHasLess resource=t9 limit=0"]


@pytest.mark.parametrize(
    ("weapon", "latest", "total", "prob"), [(True, 13, None, 0.5), (False, 10, None, 0.5), (False, 13, 2, 0.3)]
)
def test_spawn_points_that_were_shot_show_no_total(weapon: bool, latest: int, total: int | None, prob: float) -> None:
    lives = Lives([_shot_makers(weapon, latest)] * 2)
    found = guess_kinds(lives)[3].parameters
    assert (found.get("total"), found["prob"]) == (total, prob)


def _shot_makers(weapon: bool, latest: int) -> Play:
    """A spawn point that makes two sprites, and vanishes in frame 13, with or without a shot there.

    It ends when it has made the second one only if that appears in frame 13, too.
    """
    frames = []
    for k in range(15):
        rows = [(3, 3, Category.STATIC, 40, 0)] if k < 13 else []
        rows += [(10, 4, Category.MOVABLE, 40 + 10 * (k - 4), 0)] if k >= 4 else []
        rows += [(11, 4, Category.MOVABLE, 40 + 10 * (k - latest), 0)] if k >= latest else []
        rows += [(20, 8, Category.FROM_AVATAR, 40, 10)] if weapon and k == 12 else []
        frames.append(Frame(np.array(rows, VISIBLE), None, 0.0, -1, False, k, (), 10, (500, 50)))
    return Play(0, "random", tuple(frames))


def test_births_next_to_the_avatar_count_for_the_probability_of_a_spawn_point(tmp_path: Path) -> None:
    text = _GUARD.format(prob=0.5)
    game, plays = random_plays(tmp_path, text, "wwwwwww\nwA wm w\nwwwwwww\n", ticks=600)
    maker = game.types.index("maker")
    kind = guess_kinds(Lives(plays))[maker]
    assert (kind.word, kind.parameters["cooldown"]) == ("SpawnPoint", 4)
    assert 0.4 <= float(kind.parameters["prob"]) <= 0.6


_GUARD = """
BasicGame square_size=20
    SpriteSet
        maker > SpawnPoint stype=stone cooldown=4 prob={prob}
        stone > Missile orientation=RIGHT speed=0.5
        guard > MovingAvatar
    LevelMapping
        A > guard maker
        m > maker
    InteractionSet
        guard wall > stepBack
        stone wall > killSprite
    TerminationSet
        Timeout limit=100 win=False
"""
