"""Groups of types: what a text says of several of them at once, by the name of their parent."""

from __future__ import annotations

import numpy as np
import pytest

import vgdl
from lessons import evidence_of
from vgdl import Winner
from vgdl.induction import Budget, prior
from vgdl.induction.amounts import amounts_of
from vgdl.induction.defaults import completed
from vgdl.induction.edits import Proposer
from vgdl.induction.evidence import Evidence, covering
from vgdl.induction.goal import with_goal, with_loss
from vgdl.induction.hypothesis import End, Hypothesis, Kind, Rule, numbers_in
from vgdl.induction.likelihood import Conflict, Judge, World
from vgdl.induction.scenes import Scene, scenes_of
from vgdl.induction.search import Search
from vgdl.induction.signatures import MOVED, NEW
from vgdl.language import VGDLError

NOTHING = Scene(frozenset(), {}, 0, 0)
STILL, WALKER = Kind("Immovable"), Kind("MovingAvatar")

FLIGHTS = """BasicGame
    SpriteSet
        stone > Immovable
        north > Immovable
        south > Immovable
        east > Immovable
        lava > Immovable
        person >
            walker > MovingAvatar
            up > MissileAvatar orientation=UP
            down > MissileAvatar orientation=DOWN
            right > MissileAvatar orientation=RIGHT
    LevelMapping
        x > stone
        n > north
        s > south
        e > east
        v > lava
        A > walker
    InteractionSet
        up stone > transformTo stype=walker
        down stone > transformTo stype=walker
        right stone > transformTo stype=walker
        walker stone > stepBack
        person north > transformTo stype=up killSecond=True
        person south > transformTo stype=down killSecond=True
        person east > transformTo stype=right killSecond=True
        walker lava > killSprite
    TerminationSet
        SpriteCounter stype=person win=False
"""
ISLAND = "xxxxxxxxx\nx.s...s.x\nx..A.e..x\nxv.e..n.x\nx..n....x\nxxxxxxxxx\n"

PRIZES = """BasicGame
    SpriteSet
        prize >
            coin > Immovable
            gem > Immovable
            ring > Immovable
            pearl > Immovable
        you > MovingAvatar
    LevelMapping
        c > coin
        g > gem
        r > ring
        p > pearl
        A > you
    InteractionSet
        prize you > killSprite
        you EOS > stepBack
    TerminationSet
        SpriteCounter stype=prize win=True
        Timeout limit=60 win=False
"""


def counter(name: str, win: bool = False) -> End:
    return End("SpriteCounter", (("stype", name), ("win", str(win))))


@pytest.fixture(scope="module")
def flights() -> tuple[Evidence, dict[str, int]]:
    evidence, names = evidence_of(900, text=FLIGHTS, level=ISLAND, longest=60)
    assert len(evidence.actions) == 4, "all of the avatar's types were seen"
    return evidence, names


def test_types_are_below_the_groups_that_parameters_name() -> None:
    text = Hypothesis((STILL, WALKER, STILL, WALKER), (), (counter("t1_t3"), counter("t0_t1_t3", True)), order=(2,))
    game = vgdl.loads(text.text)
    assert {number: game.types[place] for number, place in text.numbers.items()} == {k: f"t{k}" for k in range(4)}
    assert "    t0_t1_t3 >\n            t0 > Immovable\n            t1_t3 >\n                t1 >" in text.text
    assert text.ends[1].types == {0, 1, 3}
    assert numbers_in("t1_t3,t0") == (1, 3, 0)


def test_a_group_that_shares_some_types_with_another_one_is_no_text() -> None:
    with pytest.raises(VGDLError, match="t1_t2"):
        World(Hypothesis((STILL, WALKER, STILL), (), (counter("t0_t1"), counter("t1_t2"))))


def test_no_end_is_guessed_that_another_group_of_the_text_excludes(flights: tuple[Evidence, dict[str, int]]) -> None:
    """Else no text would be left to begin a search with, once an avatar that is chased has become another one."""
    evidence, names = flights
    whole = completed(Hypothesis(()), evidence)
    chased = "_".join(f"t{number}" for number in sorted((names["walker"], names["stone"])))
    guessed = with_loss(whole.with_kind(names["lava"], Kind("Chaser", (("stype", chased),))), evidence)
    assert World(guessed).game.n_players == 1
    assert not guessed.ends


def test_a_group_costs_as_many_bits_as_its_types() -> None:
    one, two, three = (
        prior.bits(Hypothesis((STILL,) * 4, (), (counter(name),))) for name in ("t0", "t0_t1", "t0_t1_t2")
    )
    assert one < two
    assert three - two == pytest.approx(two - one)


def test_what_is_in_every_state_is_found() -> None:
    states = np.array([[1, 0, 1, 0], [0, 1, 1, 0], [0, 1, 0, 0]], bool)
    assert covering(states, [1, 2]) == [1, 2]
    assert covering(states, [0, 1]) == [0, 1]
    assert covering(states, [0, 2, 3]) == []
    assert covering(states[:0], [0]) == []


def test_the_game_is_lost_without_any_of_many_avatars(flights: tuple[Evidence, dict[str, int]]) -> None:
    evidence, _ = flights
    (end,) = with_loss(completed(Hypothesis(()), evidence), evidence).ends
    assert end.types == evidence.actions.keys()
    assert end.get("win") == "False"


def test_an_avatar_that_turns_into_another_one_is_explained(flights: tuple[Evidence, dict[str, int]]) -> None:
    """Where only the avatar's type and direction are wrong, edits are about the type that it has become."""
    evidence, _ = flights
    play, k, was, now = next(
        (number, k, before.avatar.type, after.avatar.type)
        for number, play in enumerate(evidence.plays)
        for k, before, after in play.steps()
        if before.avatar and after.avatar and before.avatar.type != after.avatar.type
    )
    conflict = Conflict(play, k, (), 0.0, ("life", "orientation"), False, {}, {})
    (scene,) = scenes_of(conflict, evidence)
    assert scene.changes == {(now, NEW), (now, MOVED)}
    assert was != now


def test_avatars_with_directions_of_their_own_are_learnt(flights: tuple[Evidence, dict[str, int]]) -> None:
    evidence, _ = flights
    search = Search(evidence, Budget(4_000, 400_000))
    search.improve()
    best = search.beam[0]
    assert best.report.exact == best.report.ticks
    assert all(end.types == evidence.actions.keys() for end in best.hypothesis.ends)


def test_the_roles_of_two_types_can_be_exchanged() -> None:
    rule = Rule("transformTo", (("killSecond", "True"), ("stype", "t2")), 0, 1)
    mirrored = Rule("transformTo", (("killSecond", "True"), ("stype", "t2")), 1, 0)
    proposer = Proposer(Evidence(), {})
    assert mirrored in proposer.family(rule, NOTHING)
    assert all(other.second < 0 for other in proposer.family(Rule("killSprite", (), 0, -1), NOTHING))


def test_a_victory_that_no_line_says_is_explained_by_all_types_that_were_gone() -> None:
    evidence, names = evidence_of(600, text=PRIZES, level="cg.A.rp\n", longest=60)
    assert any(play.frames[-1].winner == Winner.PLAYER_WINS for play in evidence.plays)
    (end,) = with_goal(completed(Hypothesis(()), evidence), evidence).ends
    assert end.get("win") == "True"
    assert end.types <= {names[name] for name in ("coin", "gem", "ring", "pearl")}
    world = World(completed(Hypothesis((), (), (end,)), evidence))
    wrong = [conflict for conflict in Judge(evidence).report(world).conflicts if conflict.end]
    lost = sum(play.frames[-1].is_over for play in evidence.plays)
    assert len(wrong) <= lost


def test_what_chases_one_type_may_chase_a_group() -> None:
    evidence, names = evidence_of(200, text=CHASE, level="c.....\n..A...\n.....p\n", longest=40)
    proposer = Proposer(evidence, amounts_of(evidence.plays))
    cat, you, prey = names["cat"], names["you"], names["prey"]
    group = "_".join(f"t{number}" for number in sorted((you, prey)))
    variants = list(proposer.kind_variants(Kind("Chaser", (("stype", f"t{you}"),)), cat))
    assert Kind("Chaser", (("stype", group),)) in variants
    makers = list(proposer.kind_variants(Kind("SpawnPoint", (("stype", f"t{you}"),)), cat))
    assert not any("_" in str(kind.get("stype")) for kind in makers)


CHASE = """BasicGame
    SpriteSet
        cat > Chaser stype=prey cooldown=2
        prey > RandomNPC
        you > MovingAvatar
    LevelMapping
        c > cat
        p > prey
        A > you
    InteractionSet
        you EOS > stepBack
        prey EOS > stepBack
        cat EOS > stepBack
    TerminationSet
        Timeout limit=100
"""
