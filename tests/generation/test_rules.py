"""Generators of rules and games, and the referee of rules."""

from __future__ import annotations

import random

import pytest

import vgdl
from judging.small import OPEN, game
from vgdl.controllers import Timer
from vgdl.generation import GAME_GENERATORS, RULE_GENERATORS
from vgdl.generation.games import draw_game
from vgdl.generation.interface import Rules, RulesRefused, RulesTask
from vgdl.generation.rules import Lines
from vgdl.generation.rules_genetic import GeneticRules, Goals, Individual, is_crowded
from vgdl.generation.ruleset import EFFORT, compose, judge_rules, rules_task
from vgdl.judging.plays import Effort
from vgdl.language import VGDLError

QUICK = Effort(1, 60, 100)


def task(name: str = "zelda") -> RulesTask:
    loaded = vgdl.load(name)
    return rules_task(loaded, loaded.levels[0].read_text(), 1)[0]


def test_names_are_drawn_by_lot_and_say_nothing() -> None:
    loaded = vgdl.load("zelda")
    made, names = rules_task(loaded, loaded.levels[0].read_text(), 1)
    other, _ = rules_task(loaded, loaded.levels[0].read_text(), 2)
    assert "hero" not in made.sprites
    assert "img=" not in made.sprites
    assert made.sprites != other.sprites
    assert set(names.values()) >= {"hero", "key", "gate", "monster"}
    sword = next(new for new, name in names.items() if name == "sword")
    assert f"ShootAvatar stype={sword}" in made.sprites


@pytest.mark.parametrize("name", list(RULE_GENERATORS.names()))
def test_generators_return_rules_that_the_checker_accepts(name: str) -> None:
    own = task("aliens")
    rules = RULE_GENERATORS.load(name)(own, Timer(), seed=1).generate(Timer(budget_calls=3000, meter=own.meter))
    assert own.game(rules).warnings == ()
    assert {"win=True" in line for line in rules.terminations} == {True, False}


@pytest.mark.parametrize(
    ("interactions", "message"),
    [
        (["sprite_99 EOS > killSprite"], "unknown sprite"),
        (["sprite_1 EOS > killSprit"], "killSprit"),
        (["TerminationSet"], "begins a section"),
        (["a\nb"], "printable"),
        ([7], "expected a line of text"),
        ("sprite_1 EOS > killSprite", "a list of lines"),
        (["sprite_1 EOS > killSprite"] * 101, "too many"),
    ],
)
def test_rules_that_cannot_be_read_are_refused_with_a_reason(interactions: list[str], message: str) -> None:
    with pytest.raises(RulesRefused, match=message):
        task().game(Rules(interactions, ["Timeout limit=9 win=True"]))


def test_groups_join_sprites() -> None:
    own = task("sokoban")
    names = [line.split(">")[0].strip() for line in own.sprites.split("\n") if "Immovable" in line or "Passive" in line]
    rules = Rules([f"things {names[0]} > stepBack"], ["Timeout limit=9 win=True"], {"things": names[1:3]})
    assert own.game(rules).warnings == ()
    with pytest.raises(RulesRefused, match="outside of all groups"):
        own.game(Rules([], [], {"things": ["sprite_77"]}))


def test_rules_by_template_make_the_walls_solid() -> None:
    loaded = vgdl.load("zelda")
    own, names = rules_task(loaded, loaded.levels[0].read_text(), 1)
    hero, hedge = (next(new for new, name in names.items() if name == old) for old in ("hero", "hedge"))
    assert f"{hero} {hedge} > stepBack" in Lines(own).by_templates(random.Random(1)).interactions


def test_the_wall_of_a_template_stands_at_the_edge_of_the_level() -> None:
    loaded = vgdl.load("boulderdash")  # has more earth than walls
    own, names = rules_task(loaded, loaded.levels[0].read_text(), 1)
    hero, wall = (next(new for new, name in names.items() if name == old) for old in ("miner", "stone"))
    drawn = [Lines(own).by_templates(random.Random(seed)).interactions for seed in range(20)]
    assert sum(f"{hero} {wall} > stepBack" in lines for lines in drawn) > 10


@pytest.mark.parametrize("name", ["zelda", "aliens", "chase"])
def test_wins_by_surviving_are_within_the_plays_of_the_referee(name: str) -> None:
    lines, generator = Lines(task(name)), random.Random(1)
    drawn = [make(generator).terminations[0] for make in (lines.at_random, lines.by_templates) for _ in range(100)]
    limits = [int(line.split("limit=")[1].split()[0]) for line in drawn if line.startswith("Timeout")]
    assert limits
    assert max(limits) < EFFORT.ticks


def test_games_in_which_sprites_multiply_are_crowded() -> None:
    assert not is_crowded(game().board(OPEN))
    multiplying = game().text.replace("coin hero > killSprite", "coin coin > cloneSprite")
    assert is_crowded(game(multiplying.replace("c > floor coin", "c > floor coin coin")).board(OPEN))


@pytest.mark.parametrize(("distance", "is_quiet"), [(3, False), (60, True)])
def test_rules_that_are_survived_only_by_luck_are_not_quiet(distance: int, is_quiet: bool) -> None:
    text = game().text.replace("unused > Immovable color=BLUE", "ghost > RandomNPC color=RED")
    text = text.replace("t > floor thorn", "g > floor ghost").replace(
        "hero thorn >", "ghost wall > stepBack\n        hero ghost >"
    )
    width = distance + 3
    level = f"{'w' * width}\nwA{'.' * (distance - 1)}gw\nwc{'.' * (width - 3)}w\n{'w' * width}\n"
    own, _ = rules_task(game(text), level, 1)
    rules = Rules(["sprite_0 EOS > stepBack"], ["Timeout limit=9 win=True"])
    assert GeneticRules(own, Timer(), seed=1)._is_quiet(Individual(rules, game(text))) is is_quiet


def test_the_share_of_a_goal_that_is_done() -> None:
    text = game().text.replace("c > floor coin", "c > floor coin coin")
    board = game(text).board("wwwwwww\nwAc..cw\nwwwwwww\n")
    goals, state = Goals(board), board.start(1)
    assert goals.nearness(state) == 0.0
    state.advance(vgdl.Action.RIGHT)
    assert goals.nearness(state) == pytest.approx(0.5)
    state.rollout([vgdl.Action.RIGHT] * 3)
    assert goals.nearness(state) == 1.0


@pytest.mark.costly
def test_the_genetic_algorithm_finds_rules_with_skill_depth() -> None:
    made = []
    for _ in range(2):
        own = task("frogs")
        rules = RULE_GENERATORS.load("rules-genetic")(own, Timer(), seed=1).generate(
            Timer(budget_calls=1_500_000, meter=own.meter)
        )
        made.append(rules)
    assert made[0] == made[1]
    assert judge_rules(own.game(rules), own.level, 9, Effort(2, 100, 300)).depth > 0.2


def test_feasible_rules_win_and_lose_and_leave_the_avatar_alive() -> None:
    text = game().text
    assert judge_rules(game(), OPEN, 1, QUICK).feasibility.is_feasible
    one_sided = game(text.replace("win=False", "win=True"))
    assert judge_rules(one_sided, OPEN, 1, QUICK).feasibility.broken == ("endings",)
    deadly = game(text.replace("hero thorn", "hero floor"))
    assert "idle" in judge_rules(deadly, OPEN, 1, QUICK).feasibility.broken


def test_the_share_of_rules_that_fired() -> None:
    judged = judge_rules(game(), OPEN, 1, QUICK)
    assert judged.coverage.share == pytest.approx(2 / 3)  # there are no thorns
    assert judged.pairs == 2


@pytest.mark.parametrize("seed", range(12))
def test_games_from_parts_have_no_warnings(seed: int) -> None:
    made = vgdl.loads(draw_game("", random.Random(seed)))
    assert not made.warnings
    assert not made.lint()


def test_a_sentence_chooses_the_parts() -> None:
    for seed in range(5):
        assert "crate > Passive" in draw_game("push boxes, with ghosts", random.Random(seed))
        assert "ghost > RandomNPC" in draw_game("push boxes, with ghosts", random.Random(seed))


def test_a_game_is_returned_even_without_time() -> None:
    texts = GAME_GENERATORS.load("games-search")(Timer(), seed=1).generate("", Timer(0.0))
    vgdl.loads(texts.game).start(texts.levels[0])


def test_rules_are_composed_with_their_sprites() -> None:
    with pytest.raises(RulesRefused):
        compose("    SpriteSet\n        hero > MovingAvatar\n", Rules(["hero wal > stepBack"], []))
    with pytest.raises(VGDLError):
        vgdl.loads("nothing")
