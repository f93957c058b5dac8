"""Pushed sprites that turn, stop or die where they go, what is left behind an avatar, and plays that show such things."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import vgdl
from tracks.worldmodels.small import (
    frame_of,
    guessed_lines,
    learnt_and_loss,
    lives_of,
    meetings,
    random_plays,
    small_game,
)
from vgdl import Action
from vgdl.competition.tracks.worldmodels.search import study as rounds
from vgdl.competition.tracks.worldmodels.search.amend import Amendments, Evidence
from vgdl.competition.tracks.worldmodels.search.author import learn, with_bystanders, with_early_dangers
from vgdl.competition.tracks.worldmodels.search.contacts import Table
from vgdl.competition.tracks.worldmodels.search.deaths import _condition
from vgdl.competition.tracks.worldmodels.search.ends import guess_ends
from vgdl.competition.tracks.worldmodels.search.hypothesis import End, Hypothesis, Kind, Layout, Rule
from vgdl.competition.tracks.worldmodels.search.lives import Lives
from vgdl.competition.tracks.worldmodels.search.motion import guess_kinds
from vgdl.competition.tracks.worldmodels.search.records import Play, observe, record
from vgdl.competition.tracks.worldmodels.search.verify import Follower
from vgdl.core.data.layout import Winner

pytestmark = pytest.mark.costly

_HOLES = """
BasicGame square_size=20
    SpriteSet
        ground > Immovable hidden=True
        hole > Immovable
        pusher > MovingAvatar
        loose > Passive
        fixed > Passive
    LevelMapping
        w > ground wall
        A > ground pusher
        b > ground loose
        . > ground
        o > hole
    InteractionSet
        pusher wall > stepBack
        loose pusher > bounceForward
        fixed pusher > bounceForward
        loose wall loose fixed > undoAll
        fixed wall loose fixed > undoAll
        loose hole > transformTo stype=fixed scoreChange=1
        fixed ground > transformTo stype=loose scoreChange=-1
    TerminationSet
        Timeout limit=1000 win=False
"""


def test_a_box_that_leaves_a_hole_is_loose_again(tmp_path: Path) -> None:
    found, loss = learnt_and_loss(tmp_path, _HOLES, "wwwwwww\nwAbo..w\nwwwwwww\n", 600)
    ground, hole = next(iter(found.grounds.items()))
    assert (found.kinds[ground], hole) == (Kind("Immovable", {"hidden": "True"}), 3)
    assert f"t6 t{ground} > transformTo stype=t5 scoreChange=-1" in [rule.line() for rule in found.rules]
    assert not any(rule.score for rule in found.rules if rule.effect == "bounceForward")
    assert loss == 0


def test_a_ground_is_in_every_cell_without_a_type() -> None:
    hypothesis = Hypothesis({0: Kind("Immovable")}, grounds={7: 3})
    level = hypothesis.level(Layout(2, 2, {(0, 0): (3,), (1, 0): (0, 3), (0, 1): (0,)}))
    assert level.standing == {(0, 0): (3,), (1, 0): (0, 3), (0, 1): (0, 7), (1, 1): (7,)}


_CLUSTERS = """
BasicGame square_size=20
    SpriteSet
        block > Immovable
        box > Passive
        pusher > MovingAvatar
    LevelMapping
        A > pusher
        b > box
        c > block
    InteractionSet
        pusher wall > stepBack
        box pusher > bounceForward
        box block > transformTo stype=block scoreChange=1
        block block > stepBack
        pusher block > stepBack
        box wall box > undoAll
    TerminationSet
        Timeout limit=1000 win=False
"""


def test_what_a_pushed_box_turns_into_is_put_back_with_what_pushed_it(tmp_path: Path) -> None:
    level = "wwwwwwww\nwA...b.w\nw.bcb..w\nw..b..bw\nw.b.cb.w\nw......w\nwwwwwwww\n".replace(".", " ")
    found, loss = learnt_and_loss(tmp_path, _CLUSTERS, level, 800)
    assert "t3 t2 > transformTo stype=t2 scoreChange=1" in [rule.line() for rule in found.rules]
    assert loss <= 2


_CORRIDOR = """
BasicGame square_size=20
    SpriteSet
        hole > Immovable
        box > Passive
        switch > Immovable
        pusher > MovingAvatar
    LevelMapping
        A > pusher
        b > box
        o > hole
        s > switch
    InteractionSet
        pusher wall > stepBack
        box pusher > bounceForward
        box hole > killSprite scoreChange=1
        switch pusher > spawnBehind stype=wall
        switch pusher > killSprite
    TerminationSet
        SpriteCounter stype=box win=True
"""


def test_boxes_that_only_died_in_front_of_holes_were_pushed_into_them(tmp_path: Path) -> None:
    found, loss = learnt_and_loss(tmp_path, _CORRIDOR, "wwwwww\nw A  w\nwwbwww\nwwowww\nwwwwww\n", 200)
    assert {rule.line() for rule in found.rules} >= {"t3 t5 > bounceForward", "t3 t2 > killSprite scoreChange=1"}
    assert loss == 0


_CRATES = """
BasicGame square_size=20
    SpriteSet
        crate > Passive
        pusher > MovingAvatar
        wanderer > RandomNPC speed=0.5
    LevelMapping
        A > pusher
        c > crate
        e > wanderer
    InteractionSet
        pusher wall > stepBack
        crate pusher > bounceForward
        crate crate > bounceForward repeat=10
        wanderer wall crate pusher > stepBack
        crate wall wanderer > undoAll notStype=wanderer
    TerminationSet
        Timeout limit=1000 win=False
"""


def test_rows_of_crates_and_wanderers_that_pushes_in_vain_do_not_put_back(tmp_path: Path) -> None:
    level = "wwwwwwwwww\nw   e    w\nw Accc   w\nw        w\nw  e c e w\nwwwwwwwwww\n"
    game, plays = random_plays(tmp_path, _CRATES, level, 1500)
    found, follower = learn(plays, seconds=0).hypothesis, Follower(plays)
    lines = [rule.line() for rule in found.rules]
    assert "t2 t2 > bounceForward repeat=10" in lines
    assert "t2 wall > undoAll notStype=t4" in lines
    assert follower.follow(found, samples=8).loss < 1.2 * follower.follow(game, samples=8).loss

    rules = [replace(rule, parameters=()) if rule.effect == "undoAll" else rule for rule in found.rules]
    early = found.with_rules([Rule(2, 4, "undoAll"), *rules])
    lines = [rule.line() for rule in with_bystanders(follower, early).rules]
    assert lines.index("t4 t2 > stepBack") < lines.index("t2 t4 > undoAll notStype=t4")


_KEYS = """
BasicGame square_size=20
    SpriteSet
        key > Passive
        box > Passive
        hero > MovingAvatar
            poor > MovingAvatar
            rich > MovingAvatar
    LevelMapping
        A > poor
        k > key
        b > box
    InteractionSet
        hero wall > stepBack
        box hero > bounceForward
        box wall box key > undoAll
        {turn}
        key hero > killSprite scoreChange=1
    TerminationSet
        SpriteCounter stype=key win=True
"""


@pytest.mark.parametrize("turn", ["poor key > transformTo stype=rich", ""])
def test_keys_in_front_of_walls_were_not_pushed(tmp_path: Path, turn: str) -> None:
    level = "wwwwwww\nwA b  w\nwwwkwww\nwwwwwww\n"
    found, loss = learnt_and_loss(tmp_path, _KEYS.format(turn=turn), level, 200)
    lines = [rule.line() for rule in found.rules]
    assert not any(line.startswith("t2 ") and "bounceForward" in line for line in lines)
    assert lines.count("t3 t5 > bounceForward") == 1
    assert loss == 0


def test_a_wall_behind_a_switch(tmp_path: Path) -> None:
    level = "wwwwww\nwA s w\nw ss w\nws s w\nwwwwww\n"
    found, loss = learnt_and_loss(tmp_path, _CORRIDOR.replace("stype=box win=True", "stype=switch win=True"), level)
    assert "t4 t5 > spawnBehind stype=wall" in [rule.line() for rule in found.rules]
    assert loss == 0


_SLIDES = """
BasicGame square_size=20
    SpriteSet
        key > Passive
        flying > Missile
        walker > OrientedAvatar
    LevelMapping
        A > walker
        k > key
    InteractionSet
        flying wall > transformTo stype=key
        walker wall > stepBack
        key walker > transformTo stype=flying
        flying walker > attractGaze
        walker key flying > stepBack
    TerminationSet
        Timeout limit=1000 win=False
"""


def test_a_sprite_that_flies_ahead_of_an_avatar_is_not_pushed(tmp_path: Path) -> None:
    game = small_game(tmp_path, _SLIDES, "wwwwwwwwwwwww\nwAk         w\nwwwwwwwwwwwww\n")
    state = game.start(0, seed=1)
    frames = []
    for action in (Action.RIGHT, *[Action.NIL] * 3, *[Action.RIGHT] * 8):  # the walker follows the key at some distance
        frames.append(observe(state, action))
        state.advance(action)
    lives = Lives([Play(0, "", (*frames, observe(state)))])
    assert sum(1 for track in lives.tracks[3] for _ in track.moves()) > 5
    assert guess_kinds(lives)[3] == Kind("Missile", {"orientation": "RIGHT"})


def test_a_single_case_outweighs_many_harmless_meetings() -> None:
    table = Table()
    pushes = meetings((9, 1), *["ok/ok"] * 20)
    turned = replace(meetings((9, 1), "into 5/back")[0], index=30, id=9)
    table.pairs[9, 1] = [*pushes, replace(turned, born=(5,), partner_id=1)]
    table.pairs[9, 5] = [replace(turned, partner=5, partner_outcome="unmoved", place=(20, 0))]
    kinds = {1: Kind("MovingAvatar"), 5: Kind("Immovable"), 9: Kind("Passive")}
    lines = [line for line in guessed_lines(table, kinds) if "transformTo" in line]
    assert lines == ["t9 t5 > transformTo stype=t5"]


def test_scores_of_many_types_that_two_rules_could_explain() -> None:
    table = Table()
    kinds = {1: Kind("MovingAvatar")}
    for k in range(5):
        box, into = 10 + k, 20 + k
        kinds |= {box: Kind("Passive"), into: Kind("Immovable")}
        turned = [replace(m, index=m.index + 10 * k, born=(into,)) for m in meetings((box, 30), *[f"into {into}"] * 3)]
        table.pairs[box, 30] = turned
        table.pairs[1, box] = [replace(m, type=1, partner=box, outcome="back", id=1) for m in turned]
        table.scores |= {(0, m.index): 1.0 for m in turned}
    kinds[30] = Kind("Immovable")
    lines = [line for line in guessed_lines(table, kinds) if "transformTo" in line]
    assert len(lines) == 5
    assert all(line.endswith("scoreChange=1") for line in lines)


def test_an_exit_that_kills_wins_nothing() -> None:
    kinds = {0: Kind("Immovable"), 1: Kind("MovingAvatar"), 3: Kind("Door"), 5: Kind("Passive")}
    lives = lives_of(*(frame_of(0, 1, 3, 5) for _ in range(3)))
    for kind, category in ((1, 0), (3, 2), (5, 6)):
        lives.categories[kind].clear()
        lives.categories[kind][category] += 1
    scores = Rule(5, 3, "transformTo", (("stype", "t6"), ("scoreChange", 1)))
    deadly = Rule(1, 3, "killSprite")
    won = End("SpriteCounter", (("stype", "t3"), ("win", "True")))
    assert won in guess_ends(lives, kinds, [scores], {})[0]
    ends = guess_ends(lives, kinds, [scores, deadly], {})[0]
    assert won not in ends
    assert End("SpriteCounter", (("stype", "t5"), ("win", "True"))) in ends


@pytest.mark.parametrize(("category", "feared"), [(3, True), (4, False)])
def test_an_npc_that_no_recorded_play_showed_is_feared(category: int, feared: bool) -> None:
    first = frame_of(0, 1, 9)
    first.arrays["category"] = [4, 0, category]
    rules = Hypothesis({0: Kind("Immovable"), 1: Kind("MovingAvatar")})
    found = Amendments(rules, Evidence(frozenset({0, 1}), frozenset()), first).rules
    assert (Rule(1, 9, "killSprite") in found.rules) == (9 in found.kinds) == feared


def test_recorded_champions_plan_as_far_as_in_a_contest() -> None:
    game = vgdl.load("infection")
    assert record(game, 2, "champion", seed=2).frames[-1].winner == Winner.PLAYER_WINS
    assert record(game, 2, "champion", seed=2, calls=400).frames[-1].winner != Winner.PLAYER_WINS


def test_a_level_that_was_won_twice_is_played_at_random(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = small_game(tmp_path, _CORRIDOR, "wwwww\nwAbow\nwwwww\n")
    plays, _ = rounds.study(game, [0], 120, seed=1, seconds=0, rounds=1)
    players = [play.player for play in plays if play.level == 0]
    start = players.index("champion on learnt rules")
    assert players[start:].count("champion on learnt rules") == 2
    assert set(players[start + 2 :]) == {"random"}


def test_what_the_avatar_stands_on_makes_a_mark_in_the_tick_in_which_it_appears() -> None:
    table = Table()
    entered = [replace(m, born=(3, 4)) for m in meetings((5, 2), *["ok/into 3"] * 6)]
    stood = [replace(m, index=m.index + 20, born=(4,)) for m in meetings((5, 3), *["unmoved/unmoved"] * 5)]
    stopped = [replace(m, index=m.index + 40) for m in meetings((5, 3), *["back/unmoved"] * 30)]
    table.pairs[5, 2], table.pairs[5, 3] = entered, [*stood, *stopped]
    table.pairs[2, 5] = [replace(m, born=(3, 4)) for m in meetings((2, 5), *["into 3/ok"] * 6)]
    kinds = {n: Kind("Immovable") for n in (2, 3)} | {4: Kind("Flicker", {"limit": 1}), 5: Kind("MovingAvatar")}
    marks = [line for line in guessed_lines(table, kinds) if "spawn" in line]
    assert marks == ["t3 t5 > spawn stype=t4"]  # of the pair t5 t3, all effects come before the transformation


def test_a_portal_does_not_save_from_what_is_met_in_front_of_it(tmp_path: Path) -> None:
    game = small_game(tmp_path, _CORRIDOR, "wwwww\nwA  w\nwwwww\n")
    plays = Follower([record(game, 0, "random", seed=1, most=20)])
    kinds = {0: Kind("Immovable"), 2: Kind("Portal", {"stype": "t3"}), 3: Kind("Immovable"), 4: Kind("Missile")}
    kinds |= {5: Kind("MovingAvatar")}
    wall, away, dies = Rule(5, 0, "stepBack"), Rule(5, 2, "teleportToExit"), Rule(5, 4, "killSprite")
    hypothesis = Hypothesis(kinds, (wall, away, dies), square_size=20)
    assert with_early_dangers(plays, hypothesis).rules == (wall, dies, away)
    harmless = hypothesis.with_rules([wall, away, Rule(4, 5, "killSprite")])
    assert with_early_dangers(plays, harmless) == harmless


@pytest.mark.parametrize(("held", "limit"), [((0, 8, 10), 9), ((0, 8, 9), 8)])
def test_an_avatar_dies_with_any_amount_that_is_less_than_what_saved_it(held: tuple[int, ...], limit: int) -> None:
    met = [
        replace(m, held=((7, amount),), outcome="ok" if amount == held[-1] else "dead")
        for amount in held
        for m in meetings((1, 4), "dead", "dead")
    ]
    dead = {id(m) for m in met if m.outcome == "dead"}
    found = _condition((1, 4), met, dead, {1}, False)
    assert found is not None
    assert found.line() == f"avatar t4 > killIfHasLess resource=t7 limit={limit}"


def test_a_victory_of_an_avatar_that_dies_comes_before_its_loss() -> None:
    kinds = {0: Kind("Immovable"), 1: Kind("MovingAvatar"), 5: Kind("Chaser")}
    alive = vgdl.load("sokoban").start(0, seed=1).avatar
    before = replace(frame_of(0, 1, 5), avatar=alive)
    for dies in (True, False):
        last = replace(frame_of(0, winner=Winner.PLAYER_WINS), avatar=None if dies else alive)
        ends = guess_ends(lives_of(before, before, last), kinds, [Rule(1, 5, "killSprite")], {})[0]
        assert [dict(end.parameters)["win"] for end in ends] == (["True", "False"] if dies else ["False", "True"])
