"""Effects that the search infers, each on a small game: from its recorded plays, the line that explains them."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

import vgdl
from tracks.worldmodels.small import learnt_and_loss, meetings, random_plays, small_game
from vgdl.competition.tracks.worldmodels.search import effects, gaze
from vgdl.competition.tracks.worldmodels.search.author import learn, with_carriers, with_lasting_harm, with_removals
from vgdl.competition.tracks.worldmodels.search.avatars import avatar_kinds
from vgdl.competition.tracks.worldmodels.search.contacts import CARRY, Meeting, Table
from vgdl.competition.tracks.worldmodels.search.deaths import Found
from vgdl.competition.tracks.worldmodels.search.hypothesis import EDGE, Hypothesis, Kind, Rule
from vgdl.competition.tracks.worldmodels.search.lives import Lives
from vgdl.competition.tracks.worldmodels.search.motion import guess_kinds
from vgdl.competition.tracks.worldmodels.search.records import Play, observe, record_many
from vgdl.competition.tracks.worldmodels.search.rules import hurt
from vgdl.competition.tracks.worldmodels.search.spreading import _Spread
from vgdl.competition.tracks.worldmodels.search.verify import Follower, Report
from vgdl.core.data.layout import Action

pytestmark = pytest.mark.costly

_SWITCHES = """
BasicGame square_size=20
    SpriteSet
        walker > MovingAvatar
        closed > Immovable
        opened > Immovable
        lever > Immovable
    LevelMapping
        A > walker
        c > closed
        l > lever
    InteractionSet
        walker wall closed > stepBack
        walker lever > transformToAll stype=closed stypeTo=opened scoreChange=2
    TerminationSet
        Timeout limit=40 win=False
"""


def test_a_switch_changes_all_sprites_of_a_type(tmp_path: Path) -> None:
    found, loss = learnt_and_loss(tmp_path, _SWITCHES, "wwwwwww\nwAlc cw\nw  l cw\nwwwwwww\n")
    lines = [rule.line() for rule in found.rules if rule.effect == "transformToAll"]
    assert [line.removesuffix(" scoreChange=2") for line in lines] == ["t2 t5 > transformToAll stype=t3 stypeTo=t4"]
    assert not any(rule.effect == "transformTo" for rule in found.rules)
    assert loss <= 0


_KICKS = """
BasicGame square_size=20
    SpriteSet
        walker > OrientedAvatar rotateInPlace=False
        ball > Immovable
        rolling > Missile speed=1
    LevelMapping
        A > walker
        b > ball
    InteractionSet
        walker wall > stepBack
        ball walker > transformTo stype=rolling
        rolling walker > attractGaze
        rolling wall > killSprite
    TerminationSet
        Timeout limit=40 win=False
"""


def test_what_an_avatar_sends_off_flies_the_way_it_faces(tmp_path: Path) -> None:
    level = "wwwwwwwwwww\nwb b b b bw\nw b b b b w\nwb b A b bw\nw b b b b w\nwb b b b bw\nwwwwwwwwwww\n"
    found, loss = learnt_and_loss(tmp_path, _KICKS, level)
    assert Rule(4, 2, "attractGaze") in found.rules
    assert found.kinds[4].word == "Missile"
    assert "orientation" not in found.kinds[4].parameters
    assert loss <= 0


_BELTS = """
BasicGame square_size=20
    SpriteSet
        walker > MovingAvatar
        source > SpawnPoint stype=case cooldown=4 prob=0.7
        up > Immovable orientation=UP
        right > Immovable orientation=RIGHT
        case > Missile orientation=RIGHT is_npc=True
    LevelMapping
        A > walker
        s > source
        u > up
        r > right
    InteractionSet
        walker wall > stepBack
        case up right > attractGaze align=True
        case wall > killSprite
    TerminationSet
        Timeout limit=60 win=False
"""


def test_sprites_that_turn_where_others_stand_take_their_direction(tmp_path: Path) -> None:
    found, loss = learnt_and_loss(
        tmp_path, _BELTS, "wwwwwwwww\nw  r    w\nw       w\nws uA   w\nw       w\nwwwwwwwww\n"
    )
    assert {rule.line() for rule in found.rules if rule.effect == "attractGaze"} == {
        "t6 t4 > attractGaze align=True",
        "t6 t5 > attractGaze align=True",
    }
    assert (found.kinds[4].parameters["orientation"], found.kinds[5].parameters["orientation"]) == ("UP", "RIGHT")
    assert found.kinds[6].word == "Missile"
    assert loss <= 0


_LOOP = "wwwwwwwww\nw       w\nw cr  d w\nw     A w\nw  u  l w\nw       w\nwwwwwwwww\n"
_ROUND = """
BasicGame square_size=20
    SpriteSet
        walker > MovingAvatar
        up > Passive orientation=UP
        right > Passive orientation=RIGHT
        down > Passive orientation=DOWN
        left > Passive orientation=LEFT
        case > Missile orientation=RIGHT speed=0.25
    LevelMapping
        A > walker
        u > up
        r > right
        d > down
        l > left
        c > case
    InteractionSet
        walker wall > stepBack
        case up right down left > attractGaze align=True
    TerminationSet
        Timeout limit=100 win=False
"""


def test_what_is_aligned_first_leaves_in_the_direction_of_what_aligns_it(tmp_path: Path) -> None:
    found, loss = learnt_and_loss(tmp_path, _ROUND, _LOOP)
    turned = [
        found.kinds[rule.second].parameters["orientation"] for rule in found.rules if rule.effect == "attractGaze"
    ]
    assert sorted(turned) == ["DOWN", "LEFT", "RIGHT", "UP"]
    assert found.kinds[7].parameters == {"speed": 0.25, "orientation": "RIGHT"}
    assert loss <= 0


@pytest.mark.parametrize(("losses", "kept"), [((5.0, 5.0), True), ((5.0, 10.0), False)])
def test_a_direction_from_others_must_predict_better_twice(
    monkeypatch: pytest.MonkeyPatch, losses: tuple[float, float], kept: bool
) -> None:
    guess = Hypothesis({2: Kind("RandomNPC"), 3: Kind("Immovable")})
    option = {2: Kind("Missile")}, [Rule(2, 3, "attractGaze")]

    class Losses(Follower):
        def follow(self, hypothesis: object, *, draw: int = 0, **options: object) -> Report:
            return Report(loss=10.0 if hypothesis == guess else losses[draw])

    monkeypatch.setattr(gaze, "_sent_by_avatars", lambda lives, hypothesis: [option])
    monkeypatch.setattr(gaze, "_turned_by_others", lambda lives, hypothesis: [])
    assert (gaze.with_gazes(Lives([]), Losses([]), guess) != guess) == kept


_VOLLEYS = """
BasicGame square_size=20
    SpriteSet
        walker > MovingAvatar
        upper > SpawnPoint stype=shot cooldown=3 prob=1 spawnorientation=UP
        lower > SpawnPoint stype=shot cooldown=3 prob=1 spawnorientation=DOWN
        shot > Missile speed=0.5
    LevelMapping
        A > walker
        u > upper
        d > lower
    InteractionSet
        walker wall > stepBack
        shot wall > killSprite
    TerminationSet
        Timeout limit=60 win=False
"""


def test_makers_that_make_in_the_same_tick_give_directions_of_their_own(tmp_path: Path) -> None:
    found, _ = learnt_and_loss(
        tmp_path, _VOLLEYS, "wwwwwwwww\nwA      w\nw       w\nw u  d  w\nw       w\nw       w\nwwwwwwwww\n"
    )
    ways = [found.kinds[number].parameters.get("spawnorientation") for number in (3, 4)]
    assert ways == ["UP", "DOWN"]
    assert found.kinds[5].word == "Missile"


def test_two_hits_in_one_tick_are_no_line_of_their_own() -> None:
    table = Table()
    table.pairs[1, 4] = [
        Meeting(0, tick, 7, 1, 4, 9, "ok", "ok", frozenset({4}), (), False, (0, 0), health=-1 - (tick == 3))
        for tick in range(4)
    ]
    assert [found.rule.line() for found in hurt(table, {1}, {})] == ["avatar t4 > subtractHealthPoints value=1"]


_HATS = """
BasicGame square_size=20
    SpriteSet
        cat > Immovable
        plate > Immovable
            one >
            two >
            three >
            four >
        avatar > MovingAvatar
            red >
            green >
            blue >
            grey >
    LevelMapping
        A > red one
        1 > one
        2 > two
        3 > three
        4 > four
        c > cat
    InteractionSet
        avatar wall > stepBack
        avatar one > transformTo stype=red
        avatar two > transformTo stype=green
        avatar three > transformTo stype=blue
        avatar four > transformTo stype=grey
        avatar cat > killSprite
    TerminationSet
        SpriteCounter stype=avatar win=False
"""


def test_four_types_of_avatar_count_as_one(tmp_path: Path) -> None:
    level = "wwwwwwww\nw112233w\nw1A2233w\nw443311w\nw4433c1w\nwwwwwwww\n"
    found, _ = learnt_and_loss(tmp_path, _HATS, level, 600)
    avatars = [number for number, kind in found.kinds.items() if kind.word.endswith("Avatar")]
    assert len(avatars) == 4
    assert found.groups[1] == tuple(avatars)
    assert [end.line() for end in found.ends] == ["SpriteCounter stype=avatar win=False"]
    types = vgdl.loads(found.text()).types
    assert [types.index(f"t{number}") for number in avatars] == avatars
    assert not any("cooldown" in found.kinds[number].parameters for number in avatars)


_NOOKS = """
BasicGame square_size=20
    SpriteSet
        nook > Immovable
        lawn > Immovable
        avatar > MovingAvatar {pace}
            resting >
            roaming >
    LevelMapping
        A > roaming lawn
        . > lawn
        n > nook
    InteractionSet
        avatar wall > stepBack
        roaming nook > transformTo stype=resting
        resting lawn > transformTo stype=roaming
    TerminationSet
        Timeout limit=400 win=False
"""


@pytest.mark.parametrize("pace", ["", "cooldown=4"])
def test_walls_around_an_avatar_are_no_cooldown(tmp_path: Path, pace: str) -> None:
    level = "wwwwwww\nw.....w\nw..A..w\nwnwwwnw\nwwwwwww\n"
    _, plays = random_plays(tmp_path, _NOOKS.format(pace=pace), level, 1500)
    found = [kind.parameters.get("cooldown") for n in (4, 5) for kind in avatar_kinds(Lives(plays), n)]
    assert found == ([4, 4] if pace else [None, None])


_FIRES = """
BasicGame square_size=20
    SpriteSet
        walker > MovingAvatar
        hay > Immovable
        fire > Spreader stype=spark limit=4
        spark > Flicker limit=2
        stone > Immovable
    LevelMapping
        A > walker
        h > hay
        s > stone
    InteractionSet
        walker wall stone > stepBack
        hay walker > transformTo stype=fire
        spark wall stone > killSprite
    TerminationSet
        Timeout limit=40 win=False
"""


def test_fires_spread_to_the_cells_around_them_but_not_into_stones(tmp_path: Path) -> None:
    level = "wwwwwwwwwww\nwh    h  sw\nw   h   h w\nwh  sA h  w\nw  h    h w\nwh   h   sw\nwwwwwwwwwww\n"
    found, loss = learnt_and_loss(tmp_path, _FIRES, level)
    assert found.kinds[4].line(4) == "t4 > Spreader stype=t5 limit=4"
    assert found.kinds[5].word == "Flicker"
    assert {Rule(5, 0, "killSprite"), Rule(5, 6, "killSprite")} <= set(found.rules)
    assert loss <= 0


def test_boxes_count_for_the_probability_of_spreading_and_stones_do_not() -> None:
    tries, hits = {None: 23, 2: 18, 3: 24}, {None: 21, 2: 8, 3: 0}
    assert _Spread(child=9, parents=20, hits=Counter(hits), tries=Counter(tries)).probability == 0.7


_SHOTS = """
BasicGame square_size=20
    SpriteSet
        box > Immovable
        crater > Immovable
        shell > Missile singleton=True
        gunner > ShootAvatar stype=shell orientation=RIGHT
    LevelMapping
        A > gunner
        b > box
    InteractionSet
        gunner wall box > stepBack
        box shell > transformTo stype=crater killSecond=True scoreChange=1
        shell wall > killSprite
    TerminationSet
        Timeout limit=60 win=False
"""


def test_a_box_that_is_hit_makes_one_crater_and_not_two(tmp_path: Path) -> None:
    level = "wwwwwwwwwww\nwbb bbb bbw\nwb b b b bw\nwb b A  bbw\nwbbb  b bbw\nwbb bb  bbw\nwwwwwwwwwww\n"
    found, loss = learnt_and_loss(tmp_path, _SHOTS, level, 600)
    turns = [rule.line() for rule in found.rules if rule.effect == "transformTo"]
    assert turns == ["t2 t4 > transformTo stype=t3 killSecond=True scoreChange=1"]
    assert loss <= 30


def test_a_lock_that_stops_who_has_no_key_is_tested_before(tmp_path: Path) -> None:
    (tmp_path / "small.txt").write_text(_SWITCHES, encoding="utf-8")
    (tmp_path / "small_lvl0.txt").write_text("wwwww\nwA lw\nwwwww\n", encoding="utf-8")
    plays = record_many(vgdl.load(str(tmp_path / "small.txt")), [0], 20, seed=1, players=["random"])
    stop, wall = Rule(2, 4, "stepBack"), Rule(2, 0, "stepBack")
    lock = Rule(4, 2, "killIfOtherHasMore", (("resource", "t3"), ("limit", 1)))
    kinds = {0: Kind("Immovable"), 2: Kind("MovingAvatar"), 3: Kind("Resource", {"limit": 2}), 4: Kind("Door")}
    hypothesis = Hypothesis(kinds, (wall, stop, lock), square_size=20)
    assert with_removals(Follower(plays), hypothesis).rules == (lock, wall, stop)
    free = hypothesis.with_rules([wall, lock])
    assert with_removals(Follower(plays), free) == free


@pytest.mark.parametrize(("score", "moved"), [(-2, True), (0, False)])
def test_costly_harm_is_not_undone_in_the_same_tick(score: int, moved: bool, tmp_path: Path) -> None:
    (tmp_path / "small.txt").write_text(_SWITCHES, encoding="utf-8")
    (tmp_path / "small_lvl0.txt").write_text("wwwww\nwA lw\nwwwww\n", encoding="utf-8")
    plays = record_many(vgdl.load(str(tmp_path / "small.txt")), [0], 20, seed=1, players=["random"])
    harm = Rule(3, 5, "transformTo", (("stype", "t4"),)).scoring(score)
    help_, wall = Rule(4, 2, "transformTo", (("stype", "t3"),)), Rule(2, 0, "stepBack")
    kinds = {0: Kind("Immovable"), 2: Kind("MovingAvatar"), 3: Kind("Door"), 4: Kind("Door"), 5: Kind("Missile")}
    hypothesis = Hypothesis(kinds, (wall, harm, help_), square_size=20)
    expected = (help_, wall, harm) if moved else hypothesis.rules
    assert with_lasting_harm(Follower(plays), hypothesis).rules == expected


_RAPIDS = """
BasicGame square_size=20
    SpriteSet
        down > Immovable orientation=DOWN
        right > Immovable orientation=RIGHT
        isle > Immovable
        walker > MovingAvatar
        raft > MissileAvatar orientation=LEFT rotateInPlace=False
    LevelMapping
        A > walker
        d > down
        r > right
        i > isle
    InteractionSet
        walker wall > stepBack
        raft wall > stepBack
        walker down right > transformTo stype=raft
        raft isle > transformTo stype=walker
        raft down right > attractGaze
    TerminationSet
        Timeout limit=60 win=False
"""


_MAZE = """
BasicGame square_size=20
    SpriteSet
        fruit > Immovable
        ghost > RandomNPC cooldown=2 cons=3
        walker > MovingAvatar
    LevelMapping
        A > walker
        g > ghost
        f > fruit
    InteractionSet
        walker wall > stepBack
        ghost wall > stepBack
    TerminationSet
        Timeout limit=100 win=False
"""


def test_fruits_in_corners_do_not_guide_what_moves_at_random(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, plays = random_plays(tmp_path, _MAZE, "wwwwwww\nwf    w\nwww w w\nw  g  w\nw  A fw\nwwwwwww\n", 200)
    lives = Lives(plays)
    hypothesis = Hypothesis(guess_kinds(lives), square_size=20)
    assert hypothesis.kinds[3].word == "RandomNPC"
    assert not list(gaze._turned_by_others(lives, hypothesis))
    monkeypatch.setattr(gaze, "_TURNED", 0.0)  # the ghost has turned there, but elsewhere, too
    assert list(gaze._turned_by_others(lives, hypothesis))


def test_second_thoughts_show_the_score_of_several_meetings(monkeypatch: pytest.MonkeyPatch) -> None:
    deadly, once, scored = Rule(4, 2, "killSprite"), Rule(4, 3, "killSprite"), Rule(2, 5, "killSprite").scoring(2)
    found = [
        Found(deadly.scoring(-1), tuple(meetings((4, 2), "dead", "dead"))),
        Found(once.scoring(-1), tuple(meetings((4, 3), "dead"))),
        Found(scored.scoring(1), tuple(meetings((2, 5), "dead", "dead"))),
        Found(Rule(4, 0, "stepBack"), tuple(meetings((4, 0), "back", "back"))),
    ]
    monkeypatch.setattr(effects, "meet", lambda follower, hypothesis: Table())
    monkeypatch.setattr(effects, "guess_rules", lambda lives, table, kinds: found)
    guess = Hypothesis({4: Kind("MovingAvatar")}, (deadly, once, scored), square_size=20)
    rules = effects._second_thoughts(Lives([]), Follower([]), guess)
    assert rules == [deadly.scoring(-1), once, scored, Rule(4, 0, "stepBack")]


def test_avatars_are_turned_by_what_they_stand_on(tmp_path: Path) -> None:
    found, loss = learnt_and_loss(
        tmp_path, _RAPIDS, "wwwwwwww\nw     iw\nwAd    w\nw r   iw\nw d    w\nwirrrriw\nwwwwwwww\n"
    )
    assert {rule.line() for rule in found.rules if rule.effect == "attractGaze"} == {
        "t6 t2 > attractGaze",
        "t6 t3 > attractGaze",
    }
    assert (found.kinds[2].parameters["orientation"], found.kinds[3].parameters["orientation"]) == ("DOWN", "RIGHT")
    assert loss <= 0


_FERRIES = """
BasicGame square_size=20
    SpriteSet
        west > Missile orientation=LEFT speed=0.25
        east > Missile orientation=RIGHT speed=0.25
        walker > MovingAvatar
    LevelMapping
        A > walker
        l > west
        r > east
    InteractionSet
        west EOS > wrapAround
        east EOS > wrapAround
        walker EOS > stepBack
        walker west east > pullWithIt
    TerminationSet
        Timeout limit=60 win=False
"""


_CROSSING = " l l l   \n  r r r  \n  l lA l \n r  r r  \n   l l l \n"


def _idle_plays(folder: Path, rules: str, level: str) -> tuple[vgdl.Game, list[Play]]:
    """A game, and plays of it with random actions, half of which are to stand still."""
    game, draws, plays = small_game(folder, rules, level), random.Random(3), []
    for seed in range(3):
        state, frames = game.start(0, seed=seed), []
        while not state.is_over:
            action = draws.choice([Action.NIL, draws.choice(state.available_actions)])
            frames.append(observe(state, action))
            state.advance(action)
        plays.append(Play(0, "random", (*frames, observe(state))))
    return game, plays


def test_what_moves_by_itself_is_not_carried(tmp_path: Path) -> None:
    game, plays = _idle_plays(tmp_path, _FERRIES, _CROSSING)
    found, follower = learn(plays, seconds=0).hypothesis, Follower(plays)
    assert {rule.line() for rule in found.rules if rule.effect == "pullWithIt"} == {
        "t4 t2 > pullWithIt",
        "t4 t3 > pullWithIt",
    }
    assert follower.follow(found).loss <= follower.follow(game).loss


def test_a_type_may_carry_if_one_of_its_class_does_and_it_was_seen_once(tmp_path: Path) -> None:
    _, plays = _idle_plays(tmp_path, _FERRIES, _CROSSING)
    kinds = {
        2: Kind("Missile", {"orientation": "LEFT", "speed": 0.25}),
        3: Kind("Missile", {"orientation": "RIGHT", "speed": 0.25}),
        4: Kind("MovingAvatar"),
    }
    rules = Rule(2, EDGE, "wrapAround"), Rule(3, EDGE, "wrapAround"), Rule(4, EDGE, "stepBack")
    known, follower = Hypothesis(kinds, (*rules, Rule(4, 2, "pullWithIt")), square_size=20), Follower(plays)
    table = Table()
    assert with_carriers(follower, table, known) == known
    table.pairs[4, 3] = meetings((4, 3), CARRY)
    assert with_carriers(follower, table, known).rules[0] == Rule(4, 3, "pullWithIt")
