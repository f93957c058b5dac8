"""The parts of a learner: observations, prior, likelihood, signatures, edits."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import pytest

import lessons
import vgdl
from vgdl import ontology
from vgdl.induction import Budget, Hypothesis, Learner, Observer, parts, prior
from vgdl.induction.amounts import Amounts, amounts_of
from vgdl.induction.analogy import with_analogies
from vgdl.induction.defaults import completed
from vgdl.induction.edits import Proposer, explicable
from vgdl.induction.evidence import Evidence
from vgdl.induction.goal import with_goal, with_loss
from vgdl.induction.hypothesis import CLOCK, End, Kind, Rule
from vgdl.induction.law import Law
from vgdl.induction.likelihood import Conflict, Judge
from vgdl.induction.observations import Frame, Play
from vgdl.induction.races import Races, _varied
from vgdl.induction.scenes import Scene, scenes_of
from vgdl.induction.search import Search, Trial, _examples
from vgdl.induction.signatures import GONE, HEALTH, NEW, categories, effect_signature
from vgdl.induction.spending import Purse

GAME = """BasicGame
    SpriteSet
        wall > Immovable
        coin > Immovable
        you > MovingAvatar
    LevelMapping
        w > wall
        c > coin
        A > you
    InteractionSet
        you wall > stepBack
        coin you > killSprite scoreChange=2
    TerminationSet
        SpriteCounter stype=coin win=True
"""
LEVEL = "wwwwww\nwA c w\nw  c w\nwwwwww\n"


def evidence_of(ticks: int, seed: int = 1, text: str = GAME, level: str = LEVEL) -> tuple[Evidence, dict[str, int]]:
    """Random play of a game, and the learner's numbers of the types by name."""
    return lessons.evidence_of(ticks, seed, text=text, level=level)


def truth(names: dict[str, int]) -> Hypothesis:
    """The rules of the game, in a learner's numbers."""
    kinds = {"wall": Kind("Immovable"), "coin": Kind("Immovable"), "you": Kind("MovingAvatar")}
    wall, coin, you = (names[name] for name in ("wall", "coin", "you"))
    return Hypothesis(
        tuple(kinds[name] for name in sorted(names, key=lambda name: names[name])),
        (Rule("stepBack", (), you, wall), Rule("killSprite", (("scoreChange", 2),), coin, you)),
        (End("SpriteCounter", (("stype", f"t{coin}"), ("win", "True"))),),
    )


def test_observers_permute_the_numbers_of_types() -> None:
    state = vgdl.loads(GAME).start(LEVEL, seed=1)
    seen = [Observer(seed).observe(state) for seed in (1, 1, 2)]
    numbers = [frame.arrays["type"].tolist() for frame in seen]
    assert numbers[0] == numbers[1] != numbers[2]
    assert len(set(numbers[0])) == len(set(state.arrays["type"].tolist()))
    assert seen[0].avatar is not None
    assert seen[0].avatar.type in numbers[0]


def test_the_true_rules_predict_every_tick() -> None:
    evidence, names = evidence_of(150)
    judge = Judge(evidence)
    report = judge.report(judge.world(truth(names)))
    assert (report.ticks, report.exact, report.total) == (150, 150, 0)


def test_a_wrong_score_is_a_conflict_at_the_ticks_that_score() -> None:
    evidence, names = evidence_of(150)
    rules = truth(names)
    wrong = rules.with_rules(rule.but("scoreChange", None) for rule in rules.rules)
    judge = Judge(evidence)
    conflicts = judge.report(judge.world(wrong)).conflicts
    scored = [k for play in evidence.plays for k, before, after in play.steps() if before.score != after.score]
    assert [conflict.index for conflict in conflicts] == scored
    assert {conflict.score for conflict in conflicts} == {2}
    assert not any(conflict.misses for conflict in conflicts)


def test_a_missing_rule_is_proposed_for_the_conflict_that_it_explains() -> None:
    evidence, names = evidence_of(150)
    rules = truth(names)
    missing = rules.rules[1]
    lacking = rules.with_rules(rules.rules[:1])
    judge = Judge(evidence)
    conflict = judge.report(judge.world(lacking)).conflicts[0]
    (scene,) = scenes_of(conflict, evidence)
    assert (names["coin"], GONE) in scene.changes
    proposer = Proposer(evidence, amounts_of(evidence.plays))
    assert missing in set(proposer.fitting_rules(scene))


def test_a_longer_text_has_more_bits() -> None:
    _, names = evidence_of(5)
    rules = truth(names)
    assert prior.bits(rules.with_rules(rules.rules[:1])) < prior.bits(rules)
    assert prior.bits(rules) < prior.bits(rules.with_rules((*rules.rules, Rule("killAll", (("stype", "t0"),), 0, 1))))


@pytest.mark.parametrize("row", ontology.ALL_EFFECTS, ids=lambda row: row.name)
def test_every_effect_has_a_signature_of_what_it_writes(row: ontology.rows.Effect) -> None:
    changes = {change for _, change in effect_signature(row)}
    assert changes
    assert (NEW in changes) == bool(row.creates)


def test_classes_are_observed_in_the_category_that_players_see() -> None:
    state = vgdl.loads(GAME).start(LEVEL, seed=1)
    wall = state.arrays[state.arrays["type"] == state.game.types.index("wall")]
    assert categories()["Immovable"][wall["category"][0]] == ""
    (npc,) = (category for category, switch in categories()["RandomNPC"].items() if not switch)
    assert npc not in {category for category, switch in categories()["Missile"].items() if not switch}
    assert categories()["Missile"][npc] == "is_npc"


def play(learner: Learner, ticks: int) -> None:
    """Let a learner play the game for some ticks."""
    game, observer = vgdl.loads(GAME), Observer(1)
    while learner.evidence.ticks < ticks:
        state = game.start(LEVEL, seed=learner.evidence.ticks)
        learner.observe(observer.observe(state), starts=True)
        while not state.is_over and learner.evidence.ticks < ticks:
            state.advance(learner.act())
            learner.observe(observer.observe(state))
    learner.learn()


def test_one_seed_leads_to_one_text_and_one_cost() -> None:
    outcomes = []
    for _ in range(2):
        learner = Learner(7, Budget(hypotheses=120, ticks=20_000))
        play(learner, 60)
        judge = learner.search.judge
        outcomes.append((learner.text, judge.judged, judge.simulated, learner.trust))
    assert outcomes[0] == outcomes[1]
    assert outcomes[0][1] <= 120 + 10, "a few that are under way may exceed the budget"


def test_a_type_may_appear_in_the_middle_of_a_play() -> None:
    text = GAME.replace("killSprite scoreChange=2", "transformTo stype=late").replace(
        "        you > Mov", "        late > Passive\n        you > Mov"
    )
    game, observer, learner = vgdl.loads(text), Observer(1), Learner(1, Budget(hypotheses=60, ticks=20_000))
    state = game.start(LEVEL, seed=1)
    learner.observe(observer.observe(state), starts=True)
    learner.learn()
    for action in (vgdl.Action.RIGHT,) * 3:
        learner.act()
        learner.evidence.act(action)
        state.advance(action)
        learner.observe(observer.observe(state))
    assert "late" in {game.types[kind] for _, kind, *_ in state.arrays.tolist()}
    assert vgdl.loads(learner.completed.text).types[-2] == f"t{learner.evidence.types - 1}"


@pytest.mark.costly
def test_a_word_that_is_added_is_learnt_on_that_day(monkeypatch: pytest.MonkeyPatch) -> None:
    """A new row of the ontology, here one in the place of all that kill, needs no change of the learner."""
    old = ontology.effect("killSprite")
    assert old is not None
    new = replace(old, name="vanish")
    rows = tuple(row for row in ontology.ALL_EFFECTS if GONE not in {change for _, change in effect_signature(row)})
    monkeypatch.setattr(ontology, "ALL_EFFECTS", (*rows, new))
    monkeypatch.setitem(ontology._EFFECTS, "vanish", new)
    monkeypatch.setitem(ontology._ROWS, ("Effect", "vanish"), new)
    learner = Learner(3, Budget(hypotheses=2500, ticks=100_000))
    play(learner, 150)
    assert any(rule.word == "vanish" for rule in learner.hypotheses[0].rules)


def test_a_law_explains_what_the_futures_of_other_ticks_show() -> None:
    law = Law()
    for step in (10, 10, 10, -10):
        law.note((2, 50, 50), (2, 50 + step, 50))
    assert law.step_bits((2, 0, 0), (2, -10, 0)) == 2
    assert law.step_bits((2, 0, 0), (2, 0, 10)) == math.inf
    assert law.step_bits((3, 0, 0), (3, 10, 0)) == math.inf, "a type of which no future was seen"


def test_a_right_first_future_costs_the_more_the_rarer_it_is() -> None:
    certain, drawn = Law(), Law()
    for tick in range(4):
        for law, is_right in ((certain, True), (drawn, tick == 0)):
            moved = (2, 50, 50), (2, 60, 50)
            law.note_right({2}, Counter({(2, True): 1, (2, False): 3, (3, True): 1}), [] if is_right else [moved])
            if not is_right:
                law.note_wrong(moved[0], (2, 40, 50))
    assert not certain.certain_bits()
    assert drawn.certain_bits() == {2: 2.0}, "one of four moves is right; that the others rest is certain"


def test_a_class_that_draws_pays_for_what_another_predicts() -> None:
    text = GAME.replace("coin > Immovable", "coin > Missile is_npc=True orientation=DOWN").replace(
        "        you wall", "        coin wall > reverseDirection\n        you wall"
    )
    game, observer, learner = vgdl.loads(text), Observer(1), Learner(1)
    state = game.start("w" * 9 + "\n" + "wA c    w\n" + "w       w\n" * 9 + "w" * 9 + "\n", seed=1)
    learner.evidence.add(learner.numbered(observer.observe(state)), starts=True)
    for _ in range(8):
        learner.evidence.act(vgdl.Action.NIL)
        state.advance(vgdl.Action.NIL)
        learner.evidence.add(learner.numbered(observer.observe(state)), starts=False)
    judge, rules = Judge(learner.evidence), learner.completed
    (coin,) = learner.evidence.changing
    reports = {}
    for word in ("Missile", "RandomNPC"):
        kind = Kind(word, (("is_npc", True), ("orientation", "DOWN")) if word == "Missile" else ())
        reports[word] = judge.report(judge.world(rules.with_kind(coin, kind)))
    assert reports["Missile"].total == 0
    assert reports["RandomNPC"].certain[coin] > 0
    assert reports["RandomNPC"].about({coin}) == reports["RandomNPC"].total > 8


def test_a_birth_costs_the_less_the_more_often_futures_show_one() -> None:
    rare, common = Law(), Law()
    for tick in range(40):
        for law, births in ((rare, tick % 20 == 0), (common, tick % 2 == 0)):
            law.ticks += 1
            if births:
                law.note(None, (5, 0, 0))
    assert common.birth_bits(5, 1) < rare.birth_bits(5, 1) < rare.birth_bits(5, 4)


CLOCKS = """BasicGame
    SpriteSet
        den > SpawnPoint stype=stone cooldown=7
        bud > Flicker limit=9
        stone > Missile orientation=RIGHT cooldown=4
        guard > RandomNPC cons=5 cooldown=3
        you > MovingAvatar
    LevelMapping
        d > den
        b > bud
        s > stone
        g > guard
        A > you
    InteractionSet
        stone EOS > killSprite
    TerminationSet
        Timeout limit=500 win=False
"""


def clocked() -> tuple[Evidence, Hypothesis]:
    """A play of a game with intervals, and its rules in a learner's numbers."""
    game, observer, learner = vgdl.loads(CLOCKS), Observer(1), Learner(1)
    state = game.start("d           \nb           \n  s         \n" + "            \n" * 7 + "A    g      \n", seed=1)
    learner.evidence.add(learner.numbered(observer.observe(state)), starts=True)
    for _ in range(40):
        learner.evidence.act(vgdl.Action.NIL)
        state.advance(vgdl.Action.NIL)
        learner.evidence.add(learner.numbered(observer.observe(state)), starts=False)
    names = {number: name for number, name in enumerate(game.types) if name in CLOCKS}
    own = {names[number]: int(learner.names[observer.number_of(number)][1:]) for number in names if number >= 2}
    kinds = {
        "den": Kind("SpawnPoint", (("cooldown", 7), ("stype", f"t{own['stone']}"))),
        "bud": Kind("Flicker", (("limit", 9),)),
        "stone": Kind("Missile", (("cooldown", 4), ("orientation", "RIGHT"))),
        "guard": Kind("RandomNPC", (("cons", 5), ("cooldown", 3))),
        "you": Kind("MovingAvatar"),
    }
    order = tuple(own[name] for name in ("den", "bud", "stone", "guard", "you"))
    rows = tuple(kinds[name] for name in sorted(own, key=lambda name: own[name]))
    return learner.evidence, Hypothesis(rows, (Rule("killSprite", (), own["stone"], -1),), order=order)


def test_the_true_rules_predict_every_tick_also_from_the_middle_of_a_play() -> None:
    evidence, rules = clocked()
    judge = Judge(evidence)
    assert judge.report(judge.world(rules)).conflicts == []
    single = [(0, k, k + 1) for k in range(40)]
    assert judge.report(judge.world(rules), single, warm=0).conflicts == []


def test_the_past_of_sprites_is_known_up_to_each_tick() -> None:
    evidence, _ = clocked()
    frames = evidence.plays[0].frames
    for tick in (0, 9, 20, 40):
        past = evidence.past(0, tick)
        assert past.born == {
            number: next(k for k, frame in enumerate(frames) if number in frame.fates)
            for number in frames[tick].fates.keys() | past.born.keys()
            if number not in frames[0].fates
        }
        for number, (at, dx, dy) in past.moved.items():
            was, now = frames[at - 1].fates[number], frames[at].fates[number]
            assert at <= tick
            assert (now[1] - was[1], now[2] - was[2]) == (dx, dy) != (0, 0)


def test_a_type_at_the_front_of_the_text_costs_bits() -> None:
    _, names = evidence_of(5)
    rules = truth(names)
    moved = rules.with_first(2).with_first(1)
    assert moved.order == (1, 2)
    assert moved.with_first(2).order == (2, 1)
    assert [moved.text.index(f" t{number} >") for number in moved.sequence] == sorted(
        moved.text.index(f" t{number} >") for number in range(3)
    )
    assert prior.bits(moved) > prior.bits(rules)


def test_an_edit_that_may_explain_more_facts_comes_first() -> None:
    _, names = evidence_of(5)
    rules, coin, you = truth(names), names["coin"], names["you"]
    scene = Scene(frozenset({(coin, GONE), (you, GONE)}), {(coin, you): 1.0}, score=2, end=False)
    ranks = []
    for rule in (
        Rule("stepBack", (), coin, you),
        Rule("killSprite", (), coin, you),
        Rule("killBoth", (), coin, you),
        Rule("killBoth", (("scoreChange", 2),), coin, you),
    ):
        ranks.append(explicable(rules, rules.with_rules((*rules.rules, rule)), scene, conflicts=1))
    assert ranks == [0, 1, 2, 3]


def test_what_the_avatar_holds_is_no_conflict_in_later_ticks_if_no_word_concerns_it() -> None:
    text = (
        GAME.replace("coin > Immovable", "coin > Resource limit=3")
        .replace("killSprite scoreChange=2", "collectResource")
        .replace("SpriteCounter stype=coin win=True", "Timeout limit=40 win=True")
    )
    game, observer, learner = vgdl.loads(text), Observer(1), Learner(1)
    state = game.start(LEVEL, seed=1)
    learner.evidence.add(learner.numbered(observer.observe(state)), starts=True)
    for action in (*[vgdl.Action.RIGHT] * 4, *[vgdl.Action.DOWN] * 4):
        learner.evidence.act(action)
        state.advance(action)
        learner.evidence.add(learner.numbered(observer.observe(state)), starts=False)
    judge = Judge(learner.evidence)
    report = judge.report(judge.world(learner.completed))
    wrong = [conflict.index for conflict in report.conflicts if "resources" in conflict.avatar]
    assert len(wrong) == 1


@pytest.mark.parametrize("part", parts.NAMES)
def test_a_learner_can_do_without_each_part(part: str) -> None:
    learner = Learner(1, Budget(hypotheses=40, ticks=4000), without={part})
    play(learner, 40)
    assert learner.text


def test_parts_that_do_not_exist_are_named() -> None:
    with pytest.raises(ValueError, match="expected parts out of law, outlook"):
        Learner(1, without={"luck"})


def test_a_loss_of_health_in_every_tick_is_explained_by_a_rule_of_the_clock() -> None:
    text = GAME.replace("you > MovingAvatar", "you > MovingAvatar healthPoints=90 limitHealthPoints=90").replace(
        "        you wall > stepBack",
        "        you wall > stepBack\n        you TIME > subtractHealthPoints timer=1 repeating=True",
    )
    game, observer, learner = vgdl.loads(text), Observer(1), Learner(1)
    state = game.start(LEVEL, seed=1)
    learner.evidence.add(learner.numbered(observer.observe(state)), starts=True)
    for _ in range(12):
        learner.evidence.act(vgdl.Action.NIL)
        state.advance(vgdl.Action.NIL)
        learner.evidence.add(learner.numbered(observer.observe(state)), starts=False)
    judge, lacking = Judge(learner.evidence), learner.completed
    conflicts = judge.report(judge.world(lacking)).conflicts
    assert len(conflicts) == 12
    (you,) = learner.evidence.actions
    (scene,) = scenes_of(conflicts[0], learner.evidence)
    assert (you, HEALTH) in scene.changes
    rule = Rule("subtractHealthPoints", (), you, CLOCK)
    assert rule in set(Proposer(learner.evidence, amounts_of(learner.evidence.plays)).fitting_rules(scene))
    explained = lacking.with_rules([rule])
    assert judge.report(judge.world(explained)).conflicts == []
    assert prior.bits(explained) > prior.bits(lacking)
    assert explained.obstacles == ()


def turning_play(turn: int) -> Play:
    """A sprite that goes to and fro, some ticks in each direction."""
    game = vgdl.loads(GAME)
    state = game.start("A" + " " * 20 + "\nc" + " " * 20 + "\n", seed=1)
    observer, frames = Observer(1), []
    for tick in range(6 * turn):
        frames.append(observer.observe(state))
        state.advance(vgdl.Action.RIGHT if tick // turn % 2 == 0 else vgdl.Action.LEFT)
    return Play(frames)


def test_ticks_between_turns_are_proposed_for_counts_that_make_sprites_go_on() -> None:
    play = turning_play(5)
    assert isinstance(play.frames[0], Frame)
    avatar = play.frames[0].avatar
    assert avatar is not None
    shown = amounts_of([play])[avatar.type]
    row = ontology.sprite_class("RandomNPC")
    assert row is not None
    assert set(shown.runs) == {5}
    assert shown.repeats(ontology.parameters(row)["cons"]) == [4, 5]
    assert shown.repeats(ontology.parameters(row)["speed"]) == []


def test_moves_do_not_show_how_far_a_sprite_sees() -> None:
    play = turning_play(5)
    avatar = play.frames[0].avatar
    assert avatar is not None
    shown = amounts_of([play])[avatar.type]
    row = ontology.sprite_class("Chaser")
    assert row is not None
    assert not shown.values(ontology.parameters(row)["maxDistance"])
    assert not shown.likeliest(ontology.parameters(row)["cooldown"]), "a move in every tick shows no interval"


def test_a_limit_is_proposed_that_exceeds_what_was_held_if_it_costs_no_more_bits() -> None:
    shown = Amounts(held=Counter({1: 9, 2: 8, 3: 7, 4: 6, 5: 5, 6: 4, 7: 1}))
    row = ontology.sprite_class("Resource")
    assert row is not None
    limit = ontology.parameters(row)["limit"]
    assert list(shown.values(limit))[:2] == [14, 7]
    assert {prior.value_bits(limit, value, 3) for value in (7, 9, 14)} == {prior.value_bits(limit, 7, 3)}
    assert prior.value_bits(limit, 15, 3) > prior.value_bits(limit, 14, 3)
    assert Amounts(held=Counter({0: 9})).limits == []


def test_edits_beyond_the_first_ones_are_tried_where_nothing_pays(monkeypatch: pytest.MonkeyPatch) -> None:
    evidence, _ = evidence_of(150)
    found = {}
    for most in (1, 60):
        monkeypatch.setattr("vgdl.induction.search._DEPTHS", (0, 1, most))
        monkeypatch.setattr("vgdl.induction.search._SLICE", 1)
        search = Search(evidence, Budget(hypotheses=1000, ticks=50_000))
        search.improve()
        found[most] = search.beam[0].total
    assert found[60] < found[1]


def test_ticks_that_an_edit_is_to_explain_count_for_its_gain(monkeypatch: pytest.MonkeyPatch) -> None:
    evidence, names = evidence_of(150)
    rules = truth(names)
    search = Search(evidence, Budget(hypotheses=3, ticks=1000))
    search.improve()
    lacking = search._judged(rules.with_rules(rules.rules[:1]), math.inf)
    assert lacking is not None
    conflict = lacking.report.conflicts[0]
    monkeypatch.setattr(search, "_relevant", lambda parent, child, but: [])
    none, one, both = (
        Trial(9.0, 1.0, rules, 1.0, (conflict.spot,) * min(1, weight), weight, "any") for weight in (0, 1, 2)
    )
    gains = [search._gain(lacking, trial) for trial in (none, one, both)]
    assert gains[0] < gains[1]
    assert gains[2] - gains[1] == pytest.approx(gains[1] - gains[0]), "an example counts for all that it stands for"


def test_a_class_of_another_type_is_tried_with_one_parameter_changed() -> None:
    evidence, names = evidence_of(150)
    rules, coin, you = truth(names), names["coin"], names["you"]
    evidence.changing.add(names["wall"])
    proposer = Proposer(evidence, amounts_of(evidence.plays))
    rules = rules.with_kind(names["wall"], Kind("Immovable", (("cooldown", 3), ("speed", 0.5))))
    found = set(proposer.kindred(coin, rules))
    assert Kind("Immovable", (("cooldown", 3), ("speed", 0.5))) in found
    assert Kind("Immovable", (("speed", 0.5),)) in found
    assert not set(proposer.kindred(you, rules)), "the class is not one of avatars"


def test_texts_that_predict_the_same_do_not_displace_others() -> None:
    rules = Hypothesis((Kind("Immovable"),))
    kinds = [Kind("Missile"), Kind("Missile", (("speed", 0.5),)), Kind("Chaser"), Kind("RandomNPC")]
    evidence = (7.0, 7.0, 9.0, 8.0)
    found = [(k, bits, rules.with_kind(0, kind)) for k, (kind, bits) in enumerate(zip(kinds, evidence, strict=True))]
    assert [int(bits) for bits, _ in _varied(found)] == [0, 2, 3, 1]


def test_a_race_that_was_cut_off_is_run_again() -> None:
    evidence, _ = evidence_of(150)
    search = Search(evidence, Budget(hypotheses=3, ticks=1000))
    search.improve()
    assert search.purse.spent
    assert not search._races._chosen


def test_no_search_precedes_the_last_one_at_the_same_tick() -> None:
    learner = Learner(1, Budget(hypotheses=10, ticks=2_000))
    game, observer = vgdl.loads(GAME), Observer(1)
    while learner.evidence.ticks < 100:
        state = game.start(LEVEL, seed=learner.evidence.ticks)
        learner.observe(observer.observe(state), starts=True)
        while not state.is_over and learner.evidence.ticks < 100:
            state.advance(learner.act())
            learner.observe(observer.observe(state))
    assert not learner.hypotheses
    state.advance(learner.act())
    learner.observe(observer.observe(state))
    assert learner.hypotheses


def test_of_the_spans_on_which_classes_race_the_first_ones_are_from_all_parts_of_a_play() -> None:
    evidence, names = evidence_of(150)
    search = Search(evidence, Budget(hypotheses=3, ticks=1000))
    search.improve()
    races = search._races
    spans = races._spots_of(names["you"])
    assert len(spans) == len(set(spans)) > 3
    assert spans[0] == min(spans, key=lambda span: span[1])
    assert max(span[1] for span in spans[:3]) > max(span[1] for span in spans) / 2


HUNT = GAME.replace(
    "        you > MovingAvatar\n",
    "        you > MovingAvatar\n        hound > Chaser stype=coin cooldown=2\n        kite > RandomNPC cons=3 speed=0.5\n",
).replace("        A > you\n", "        A > you\n        h > hound\n        k > kite\n")
MEADOW = (
    "A"
    + " " * 15
    + "\n"
    + "\n".join(" " * 16 if row not in (2, 6) else "h" + " " * 7 + "k" + " " * 6 + "c" for row in range(12))
    + "\n"
)


def _races(evidence: Evidence, budget: Budget) -> Races:
    judge = Judge(evidence)
    races = Races(evidence, judge, Purse(budget, judge, frozenset()))
    races.purse.allot(1.0)
    races.proposer = Proposer(evidence, amounts_of(evidence.plays))
    return races


@pytest.mark.costly
def test_races_find_what_a_type_seeks_and_how_long_it_goes_straight_ahead() -> None:
    evidence, names = evidence_of(40, text=HUNT, level=MEADOW)
    races = _races(evidence, Budget(hypotheses=20_000, ticks=400_000))
    plain = completed(Hypothesis(()), evidence)
    found = {}
    for name in ("hound", "kite"):
        peaks: dict[int, list[Kind]] = {}
        raced = races._with_class(plain, names[name], peaks)
        assert len({kind.word for kind in peaks[names[name]]}) == len(peaks[names[name]]) > 0
        found[name] = races._with_parameters(raced, names[name], peaks).kinds[names[name]]
    assert f"t{names['coin']}" in dict(found["hound"].parameters).values()
    assert found["hound"].get("cooldown") == 2
    assert found["hound"].get("orientation") is None
    assert (found["kite"].word, found["kite"].get("cons"), found["kite"].get("speed")) == ("RandomNPC", 3, 0.5)


SHUTTLE = """BasicGame
    SpriteSet
        wall > Immovable
        shuttle > Missile orientation=LEFT
        you > MovingAvatar
    LevelMapping
        w > wall
        s > shuttle
        A > you
    InteractionSet
        you wall > stepBack
        shuttle wall > reverseDirection
    TerminationSet
        Timeout limit=1000
"""


def test_a_wall_that_turned_a_sprite_in_the_last_tick_excuses_where_it_goes() -> None:
    evidence, names = evidence_of(40, text=SHUTTLE, level="wwwwwwww\nw   s  w\nw A    w\nwwwwwwww\n")
    shuttle = names["shuttle"]
    missile = completed(Hypothesis(()), evidence).with_kind(shuttle, Kind("Missile", (("orientation", "LEFT"),)))
    races = _races(evidence, Budget(hypotheses=10, ticks=1000))
    report = races._report_alone(missile, shuttle, [(0, 0, 30)])
    assert report.soft[shuttle] > 0
    assert not report.hard


def test_only_types_that_rest_have_no_race_where_meetings_may_excuse_what_is_left() -> None:
    evidence, names = evidence_of(150)
    races = _races(evidence, Budget(hypotheses=1, ticks=1))
    plain, coin = completed(Hypothesis(()), evidence), names["coin"]
    for kind, has_race in ((Kind("Immovable"), False), (Kind("Missile", (("speed", 0.0),)), True)):
        peaks: dict[int, list[Kind]] = {}
        races._with_class(plain.with_kind(coin, kind), coin, peaks)
        assert bool(peaks) == has_race


def test_values_that_sprites_show_are_also_left_out_one_by_one() -> None:
    evidence, names = evidence_of(40, text=HUNT, level=MEADOW)
    kinds = list(Proposer(evidence, amounts_of(evidence.plays)).fresh_kinds(names["hound"]))
    seeking = [dict(kind.parameters) for kind in kinds if kind.word == "Chaser" and kind.get("stype")]
    assert {key for given in seeking for key in given} >= {"stype", "cooldown", "orientation"}
    assert {"stype", "cooldown"} in [set(given) for given in seeking]


def test_rare_acts_are_worth_more_than_frequent_ones() -> None:
    amounts = Amounts()
    amounts.acts[False, 1] = [(0, tick) for tick in range(20)]
    amounts.acts[True, 1] = [(0, 13), (1, 4)]
    worth = amounts.worth(10)
    assert worth.most_common(1)[0][0] == (0, 1)
    assert [worth[0, 1], worth[0, 0], worth[1, 0]] == pytest.approx([1.0, 0.5, 0.5])


def test_examples_of_a_conflict_are_simple_ones_from_all_parts_of_plays() -> None:
    def conflict(play: int, index: int, bits: float) -> Conflict:
        return Conflict(play, index, (), 0.0, ("resources",), False, {0: bits}, {})

    simple = [conflict(play, index, 8.0) for play in range(3) for index in range(10)]
    others = [conflict(play, 5, 40.0) for play in range(3, 13)]
    chosen = _examples([*others, *simple])
    assert len(chosen) == 4
    assert all(example.bits == 8.0 for example in chosen)
    assert [(example.play, example.index) for example in chosen] == sorted((e.play, e.index) for e in chosen)
    assert len({example.play for example in chosen}) > 1
    assert _examples(others[:2]) == others[:2]


def test_a_hypothesis_is_compiled_once_as_long_as_it_is_kept() -> None:
    evidence, names = evidence_of(20)
    judge = Judge(evidence)
    world = judge.world(truth(names))
    assert judge.world(truth(names)) is world
    assert judge.judged == 1


def test_a_goal_is_guessed_as_long_as_no_line_wins() -> None:
    evidence, names = evidence_of(5)
    rules = truth(names)
    lacking = rules.with_ends((_fear(names),))
    assert with_goal(lacking, evidence).ends == (_fear(names), *rules.ends)
    fatal = lacking.with_rules(
        rule.but("scoreChange", -2 if rule.first == names["coin"] else None) for rule in rules.rules
    )
    assert with_goal(fatal, evidence) == fatal, "what costs points is no goal"
    won, names = evidence_of(150)
    assert any(play.frames[-1].winner == 1 for play in won.plays)
    assert with_goal(truth(names).with_ends((_fear(names),)), won).ends == (_fear(names), *truth(names).ends)


def test_a_type_without_which_play_went_on_is_no_goal() -> None:
    evidence, names = evidence_of(5)
    lacking = truth(names).with_ends((_fear(names),))
    last = evidence.plays[-1].frames[-1]
    evidence.plays[-1].frames[-1] = replace(last, arrays=last.arrays[last.arrays["type"] != names["coin"]])
    assert with_goal(lacking, evidence) == lacking


def test_a_place_that_no_avatar_has_reached_is_a_goal_before_what_scores() -> None:
    evidence, names = evidence_of(5, text=GAME, level=LEVEL)
    lacking = truth(names).with_ends((_fear(names),))
    far = lacking.with_rules(rule for rule in lacking.rules if names["coin"] not in rule.pair)
    evidence.changing.discard(names["coin"])
    guessed = with_goal(far, evidence)
    assert guessed.ends[-1] == End("SpriteCounter", (("stype", f"t{names['coin']}"), ("win", "True")))
    assert guessed.rules == (*far.rules, Rule("killSprite", (), names["coin"], names["you"]))
    evidence.changing.add(names["coin"])
    assert with_goal(far, evidence) == far, "what has changed was met, or needs no avatar"


def test_a_game_is_lost_without_an_avatar_unless_it_went_on_without_one() -> None:
    evidence, names = evidence_of(5)
    rules = truth(names)
    assert with_loss(rules, evidence).ends == (*rules.ends, _fear(names))
    evidence.actions[names["wall"]] = evidence.actions[names["you"]]
    two = with_loss(with_loss(rules, evidence), evidence)
    assert two.ends[:-1] == rules.ends, "an avatar that was seen since is one of those that may have to go"
    assert two.ends[-1].types == {names["wall"], names["you"]}
    evidence.plays[-1].frames[-1] = replace(evidence.plays[-1].frames[-1], avatar=None)
    assert with_loss(rules, evidence) == rules


def _fear(names: dict[str, int]) -> End:
    return End("SpriteCounter", (("stype", f"t{names['you']}"), ("win", "False")))


def test_meetings_with_the_ground_excuse_nothing() -> None:
    text = GAME.replace(
        "coin > Immovable", "coin > Missile orientation=RIGHT speed=0.5\n        water > Immovable"
    ).replace("c > coin", "c > water coin\n        ~ > water")
    evidence, names = evidence_of(
        60, text=text, level="w" * 44 + "\nwA" + " " * 41 + "w\nc" + "~" * 43 + "\n" + "w" * 44 + "\n"
    )
    coin = names["coin"]
    assert evidence.ground(coin) == {names["water"]}
    assert evidence.ground(names["you"]) == frozenset()
    words = {"wall": "Immovable", "coin": "Passive", "water": "Immovable", "you": "MovingAvatar"}
    kinds = tuple(Kind(words[name]) for name in sorted(names, key=lambda name: names[name]))
    judge = Judge(evidence)
    report = judge.report(judge.world(Hypothesis(kinds)), types={coin}, alone=coin)
    assert report.total > 10 * 30, "a coin that drifts on water is pushed by nothing"


def test_types_that_have_not_met_are_taken_to_be_like_their_relatives() -> None:
    text = GAME.replace(
        "coin > Immovable", "coin > Immovable\n        cat > RandomNPC\n        dog > RandomNPC"
    ).replace("c > coin", "c > coin\n        k > cat\n        d > dog")
    evidence, names = evidence_of(40, text=text, level="wwwwwwwwww\nwAk c w dw\nw   kkw  w\nwwwwwwwwww\n")
    words = {"wall": "Immovable", "coin": "Immovable", "you": "MovingAvatar", "cat": "RandomNPC", "dog": "RandomNPC"}
    kinds = tuple(Kind(words[name]) for name in sorted(names, key=lambda name: names[name]))
    you, cat, dog, wall, coin = (names[name] for name in ("you", "cat", "dog", "wall", "coin"))
    kills = Rule("killSprite", (("scoreChange", -1),), you, cat)
    rules = (kills, Rule("stepBack", (), you, wall), Rule("killSprite", (), coin, you))
    judge = Judge(evidence)
    guessed = with_analogies(Hypothesis(kinds, rules), judge)
    assert guessed.rules == (kills, replace(kills, second=dog), *rules[1:])
    assert with_analogies(guessed, judge) == guessed, "nothing is guessed where rules are known"
    assert not evidence.near(you, dog)
    among = Rule("stepBack", (), cat, cat)
    assert evidence.near(cat, cat)
    assert with_analogies(Hypothesis(kinds, (among,)), judge).rules == (among, replace(among, first=dog, second=dog))
    stops = Rule("stepBack", (), cat, wall)
    assert with_analogies(Hypothesis(kinds, (stops,)), judge).rules == (stops,), "dogs were seen in walls"
