"""Types in series: sprites that turn into others of age, and rules by analogy; births that explain deaths."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import vgdl
from tracks.worldmodels.small import frame_of, learnt_and_loss, lives_of, meetings, random_plays
from vgdl.competition.tracks.worldmodels.search.analogy import with_analogies, with_further_ends
from vgdl.competition.tracks.worldmodels.search.author import learn, with_landings
from vgdl.competition.tracks.worldmodels.search.contacts import DEAD, Meeting, Table, meet
from vgdl.competition.tracks.worldmodels.search.ends import guess_ends, with_events
from vgdl.competition.tracks.worldmodels.search.hypothesis import End, Hypothesis, Kind, Rule, name_of, number_of
from vgdl.competition.tracks.worldmodels.search.lives import Lives
from vgdl.competition.tracks.worldmodels.search.records import Frame, Play, record_many
from vgdl.competition.tracks.worldmodels.search.unseen import inherited
from vgdl.competition.tracks.worldmodels.search.verify import Follower
from vgdl.core.data.layout import Winner

pytestmark = pytest.mark.costly


def _plays(folder: Path, rules: str, level: str, ticks: int = 400) -> Follower:
    return Follower(random_plays(folder, rules, level, ticks)[1])


_FUSES = """
BasicGame square_size=20
    SpriteSet
        ground > Immovable hidden=True
        walker > ShootAvatar stype=charge rotateInPlace=False
        charge > Immovable
        lit > Immovable
        short > Immovable
        flash > Flicker limit=2
        smoke > Flicker limit=4
        rock > Immovable
    LevelMapping
        A > ground walker
        . > ground
        w > ground wall
        r > ground rock
    InteractionSet
        walker wall rock > stepBack
        charge wall > killSprite
        short ground > spawn stype=flash
        short ground > spawn stype=smoke
        short ground > killSprite
        lit ground > transformTo stype=short
        charge ground > transformTo stype=lit
        rock flash > killSprite scoreChange=1
    TerminationSet
        Timeout limit=60 win=False
"""


def test_a_fuse_burns_down_wherever_it_is(tmp_path: Path) -> None:
    follower = _plays(tmp_path, _FUSES, "wwwwwwwww\nw.r...r.w\nw...A...w\nw.r...r.w\nwwwwwwwww\n")
    found = learn(follower.plays, seconds=0).hypothesis
    shot = number_of(found.kinds[3].parameters["stype"])
    floor = name_of(found.floor or 0)
    lines = [rule.line() for rule in found.rules if rule.second == found.floor]
    assert lines == [
        f"t6 {floor} > spawn stype=t7",
        f"t6 {floor} > spawn stype=t8",
        f"t6 {floor} > killSprite",
        f"t5 {floor} > transformTo stype=t6",
        f"t{shot} {floor} > transformTo stype=t5",
    ]
    assert f"t{shot} wall > killSprite" in [rule.line() for rule in found.rules]
    others = [rule.line() for rule in found.rules if rule.second != found.floor]
    assert not any("transformTo" in line or "spawn" in line for line in others), others
    assert follower.follow(found).loss <= 2  # a shot at an obstacle that was seldom tried


def test_what_lives_longer_does_not_turn_of_age(tmp_path: Path) -> None:
    level = "wwwwwwwww\nw.r...r.w\nw...A...w\nw.r...r.w\nwwwwwwwww\n"
    rules = _FUSES.replace("lit ground > transformTo stype=short", "lit walker > transformTo stype=short")
    found = learn(_plays(tmp_path, rules, level).plays, seconds=0).hypothesis
    assert not any(rule.first == 5 and rule.second == found.floor for rule in found.rules)


_FLAMES = """
BasicGame square_size=20
    SpriteSet
        lamp > SpawnPoint stype=flame cooldown=8
        flame > OrientedFlicker limit=5 speed=0.5 orientation=RIGHT
        walker > MovingAvatar
    LevelMapping
        A > walker
        l > lamp
    InteractionSet
        walker wall > stepBack
        flame wall > killSprite
        walker flame > killSprite scoreChange=-1
    TerminationSet
        SpriteCounter stype=walker win=False
        Timeout limit=60 win=False
"""


@pytest.mark.parametrize(
    ("level", "word"), [("wl       w", "OrientedFlicker"), ("wl w", "Missile"), ("wl  w", "Missile")]
)
def test_flames_that_vanish_of_age(tmp_path: Path, level: str, word: str) -> None:
    wall = "w" * len(level) + "\n"
    found, loss = learnt_and_loss(tmp_path, _FLAMES, f"{wall}{level}\n{wall}wA{level[2:]}\n{wall}", 400)
    assert found.kinds[3].word == word
    assert found.kinds[3].parameters.get("limit") == (5 if word == "OrientedFlicker" else None)
    assert loss == 0


#: switches 2 to 5 turn avatars into 12 to 15; boxes 7 to 10 are pushed by the avatar of their own colour
_COLOURS = {
    **{n: Kind("Immovable") for n in (2, 3, 4, 5)},
    **{n: Kind("Passive") for n in (7, 8, 9, 10)},
    **{n: Kind("MovingAvatar") for n in (12, 13, 15)},
}
_SEEN = [
    Rule(12, 2, "transformTo", (("stype", "t12"),)),
    Rule(12, 3, "transformTo", (("stype", "t13"),)),
    Rule(7, 12, "bounceForward"),
    Rule(8, 13, "bounceForward"),
]


def _lives() -> Lives:
    follower = Follower(record_many(vgdl.load("sokoban"), [0], 5, seed=1, players=["random"]))
    lives = Lives(follower.plays)
    for number, kind in _COLOURS.items():
        lives.categories[number][{"Immovable": 4, "Passive": 6, "MovingAvatar": 0}[kind.word]] += 1
    return lives


def test_colours_that_were_not_tried_behave_like_the_others() -> None:
    lives, table = _lives(), Table()
    for box, other in ((7, 13), (8, 12)):
        table.pairs[box, other] = [Meeting(0, 0, 1, box, other, 2, "back", "ok", frozenset({other}), (), False, (0, 0))]
    rules, kinds, exclusive = with_analogies(lives, table, _SEEN, _COLOURS, set())
    assert kinds == {14: Kind("MovingAvatar")}
    assert {rule.line() for rule in rules} == {
        "t12 t4 > transformTo stype=t14",
        "t12 t5 > transformTo stype=t15",
        "t9 t14 > bounceForward",
        "t10 t15 > bounceForward",
    }
    heirs = inherited(lives, table, [*_SEEN, *rules], {**_COLOURS, **kinds}, exclusive)
    assert Rule(14, 5, "transformTo", (("stype", "t15"),)) in heirs
    assert not any(rule.effect == "bounceForward" for rule in heirs)
    del table.pairs[8, 12]  # now, too little tells a series from an effect of all avatars on all boxes
    assert with_analogies(lives, table, _SEEN, _COLOURS, set())[2] == set()


def test_what_met_without_an_effect_is_no_further_member_of_a_series() -> None:
    table = Table()
    table.pairs[12, 5] = [Meeting(0, 0, 1, 12, 5, 2, "ok", "ok", frozenset({5}), (), False, (0, 0))]
    rules, _, _ = with_analogies(_lives(), table, _SEEN, _COLOURS, set())
    assert {rule.second for rule in rules if rule.effect == "transformTo"} == {4}


_RACE = {
    **{n: Kind("Missile") for n in (5, 6, 7, 8)},
    **{n: Kind("Immovable") for n in (2, 11, 12)},
    **{n: Kind("MovingAvatar") for n in (20, 21, 22, 23)},
}


def test_runners_that_never_arrived_win_as_the_others_do() -> None:
    def frame(*kinds: int, winner: int = -1) -> Frame:
        return replace(frame_of(2, *kinds, winner=winner), avatar=avatar)

    avatar = record_many(vgdl.load("sokoban"), [0], 1, seed=1, players=["random"])[0].frames[0].avatar
    plays = (((20,), (21,), (11, 21)), ((20,), (22,), (12, 22)), ((20,), (11, 20)), ((20,), (12, 20)))
    winners = Winner.PLAYER_WINS, Winner.PLAYER_WINS, Winner.PLAYER_LOSES, Winner.PLAYER_LOSES
    lives = Lives(
        [
            Play(0, "", (*(frame(*kinds) for kinds in before), frame(*last, winner=winner)))
            for (*before, last), winner in zip(plays, winners, strict=True)
        ]
    )
    for number, kind in _RACE.items():
        lives.categories[number][{"Immovable": 4, "Missile": 6, "MovingAvatar": 0}[kind.word]] += 1
    seen = [Rule(n, 2, "transformTo", (("stype", name_of(n + 5)),)) for n in (6, 7)]
    rules, kinds, _ = with_analogies(lives, Table(), seen, _RACE, set())
    assert kinds == {10: Kind("Immovable"), 13: Kind("Immovable")}
    assert {rule.line() for rule in rules} == {"t5 t2 > transformTo stype=t10", "t8 t2 > transformTo stype=t13"}
    ends, groups, _ = guess_ends(lives, {**_RACE, **kinds}, [*seen, *rules], {})
    pairs = {(10, 20), (11, 21), (12, 22), (13, 23)}
    lines = [end.line() for end in ends]
    assert {f"MultiSpriteCounter stype1=t{a} stype2=t{b} limit=2 win=True" for a, b in pairs} == set(lines[:-1])
    assert lines[-1] == "SpriteCounterMore stype=t9 limit=1 win=False"
    assert groups[9] == (10, 11, 12, 13)


def test_an_avatar_after_a_series_is_only_assumed_if_a_rule_names_it() -> None:
    kinds = {n: Kind("Immovable") for n in (2, 3, 4, 5)} | {n: Kind("MovingAvatar") for n in (12, 13, 14)}
    seen = [Rule(12, n, "transformTo", (("stype", f"t{n + 10}"),)) for n in (2, 3, 4)]
    assert set(with_analogies(_lives(), Table(), seen, kinds, set())[1]) == {15}
    table = Table()
    table.pairs[12, 5] = meetings((12, 5), "ok")  # what would be the next member met without an effect
    assert with_analogies(_lives(), table, seen, kinds, set())[:2] == ([], {})


def test_a_termination_that_held_before_does_not_continue_a_series() -> None:
    ends = [
        End("MultiSpriteCounter", (("stype1", f"t{n}"), ("stype2", f"t{n + 10}"), ("limit", 2), ("win", "True")))
        for n in (11, 12)
    ]
    kinds = _RACE | {10: Kind("Immovable"), 13: Kind("Immovable")}
    found = with_further_ends(lives_of(frame_of(2, 13, 23), frame_of(10, 22)), kinds, ends)
    assert [end.parameters[0][1] for end in found] == ["t11", "t12", "t10"]


@pytest.mark.parametrize(
    "rules",
    [
        pytest.param([*_SEEN[2:], Rule(7, 13, "bounceForward"), Rule(8, 12, "bounceForward")], id="all on all"),
        pytest.param([Rule(7, 7, "stepBack"), Rule(8, 8, "stepBack")], id="each on itself"),
        pytest.param([Rule(7, 12, "bounceForward"), Rule(9, 13, "bounceForward")], id="by different numbers"),
        pytest.param([Rule(5, 12, "killSprite"), Rule(8, 15, "killSprite")], id="of different classes"),
        pytest.param(
            [Rule(12, n, "changeResource", (("resource", f"t{20 + n}"), ("value", 1))) for n in (2, 3)],
            id="of types unseen",
        ),
    ],
)
def test_rules_of_several_types_need_not_be_a_series(rules: list[Rule]) -> None:
    assert with_analogies(_lives(), Table(), rules, _COLOURS, set())[0] == []


def test_an_avatar_that_was_never_seen_counts_as_one() -> None:
    lives = _lives()
    kinds = {**_COLOURS, **with_analogies(lives, Table(), _SEEN, _COLOURS, set())[1]}
    ends, groups, _ = guess_ends(lives, kinds, [Rule(12, 2, "killSprite")], {})
    assert groups == {11: (12, 13, 14, 15)}
    assert ends[0].line() == "SpriteCounter stype=t11 win=False"


_TOWERS = """
BasicGame square_size=20
    SpriteSet
        bomb > Missile speed=0.9
        tower > RandomBomber stype=bomb cooldown=2 prob=0.5 speed=0.1 rotateInPlace=True
        walker > MovingAvatar
    LevelMapping
        A > walker
        t > tower
    InteractionSet
        walker wall > stepBack
        tower wall > stepBack
        bomb wall > killSprite
        walker bomb > killSprite scoreChange=-1
    TerminationSet
        SpriteCounter stype=walker win=False
        Timeout limit=100 win=False
"""


def test_a_bomb_kills_in_the_tick_in_which_it_is_dropped(tmp_path: Path) -> None:
    """Where a tower drops bombs at random, predictions lack the bomb, and only the tower would explain the death."""
    follower = _plays(tmp_path, _TOWERS, "wwwwwww\nwt t tw\nw tAt w\nwt t tw\nwwwwwww\n", 600)
    found = learn(follower.plays, seconds=0).hypothesis
    assert [rule.line() for rule in found.rules if rule.first == 4 and "kill" in rule.effect] == [
        "t4 t2 > killSprite scoreChange=-1"
    ]
    harmless = found.with_rules(rule for rule in found.rules if rule.first != 4 or rule.second == 0)
    table = meet(follower, harmless)
    deaths = [{(m.play, m.index) for m in table.pairs[4, other] if m.outcome == DEAD} for other in (2, 3)]
    assert len(deaths[1] - deaths[0]) < 0.2 * len(deaths[1])


_SLIDES = """
BasicGame square_size=20
    SpriteSet
        walker > OrientedAvatar rotateInPlace=False
        stone > Passive
        sliding > Missile speed=1
    LevelMapping
        A > walker
        s > stone
    InteractionSet
        stone walker > transformTo stype=sliding
        sliding walker > attractGaze
        walker wall stone > stepBack
        sliding wall > transformTo stype=stone
        stone wall > {stop}
    TerminationSet
        Timeout limit=60 win=False
"""


@pytest.mark.parametrize("stop", ["stepBack", "undoAll"])
def test_what_turns_back_at_an_obstacle_is_stopped_there(tmp_path: Path, stop: str) -> None:
    level = "wwwwwwwww\nw       w\nw s A s w\nw   s   w\nw       w\nwwwwwwwww\n"
    follower = _plays(tmp_path, _SLIDES.format(stop=stop), level)
    kinds = {0: Kind("Immovable"), 2: Kind("OrientedAvatar", {"rotateInPlace": "False"}), 3: Kind("Passive")}
    rules = (
        Rule(3, 2, "transformTo", (("stype", "t4"),)),
        Rule(4, 2, "attractGaze"),
        Rule(2, 0, "stepBack"),
        Rule(2, 3, "stepBack"),
        Rule(4, 0, "transformTo", (("stype", "t3"),)),
    )
    guess = Hypothesis({**kinds, 4: Kind("Missile")}, rules, square_size=20)
    found = with_landings(follower, guess)
    assert {rule.line() for rule in found.rules} - {rule.line() for rule in rules} == {f"t3 wall > {stop}"}
    assert follower.follow(found).by_type[3] < 0.2 * follower.follow(guess).by_type[3]


_GOAL = """
BasicGame square_size=20
    SpriteSet
        victory > Immovable hidden=True
        flag > Immovable
        walker > MovingAvatar
    LevelMapping
        A > walker
        f > flag
    InteractionSet
        walker wall > stepBack
        flag walker > spawn stype=victory
    TerminationSet
        SpriteCounterMore stype=victory limit=1 win={win}
        Timeout limit=60 win=False
"""


@pytest.mark.parametrize("win", ["True", "False"])
def test_a_meeting_that_always_ended_the_game_ends_it(tmp_path: Path, win: str) -> None:
    follower = _plays(tmp_path, _GOAL.format(win=win), "wwwwwww\nwf    w\nw  A  w\nw    fw\nwwwwwww\n")
    found = learn(follower.plays, seconds=0).hypothesis
    ((marker, rule),) = [(value, rule) for rule in found.rules for key, value in rule.parameters if key == "stype"]
    assert (rule.effect, {rule.first, rule.second}) == ("spawn", {3, 4})
    assert f"SpriteCounterMore stype={marker} limit=1 win={win}" in [end.line() for end in found.ends]
    assert follower.follow(found).end_wrong <= 1  # the time-out of a single play


def test_a_meeting_that_ends_games_may_come_in_the_tick_of_another_end() -> None:
    frames = frame_of(2, 3), frame_of(2, 3)
    lost, won = (replace(frames[1], winner=who, is_over=True) for who in (Winner.PLAYER_LOSES, Winner.PLAYER_WINS))
    plays = [Play(0, "", (frames[0], last)) for last in (lost, lost, won)]
    table = Table()
    table.pairs[2, 3] = [replace(m, play=n, index=0) for n, m in enumerate(meetings((2, 3), *["dead"] * 3))]
    hypothesis = Hypothesis({2: Kind("Passive"), 3: Kind("Passive")})
    found = with_events(Lives(plays), table, hypothesis, {"True": [2], "False": [0, 1]})
    assert [rule.line() for rule in found.rules] == ["t2 t3 > spawn stype=t5"]
    assert [end.line() for end in found.ends] == ["SpriteCounterMore stype=t5 limit=1 win=False"]
    table.pairs[2, 3].append(replace(table.pairs[2, 3][0], play=3))  # in a play that went on
    longer = Lives([*plays, Play(0, "", (*frames, frames[1]))])
    assert with_events(longer, table, hypothesis, {"False": [0, 1]}) is hypothesis
