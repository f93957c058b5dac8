"""Synthesis by tree search and by conversation: what is asked, what becomes a node, when it ends (7.2, 7.3, 12)."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from random import Random

import pytest
from rich.console import Console

from tracks.worldmodels.common import Answers, plays, sandbox
from vgdl.competition.chat.accounts import Price
from vgdl.competition.chat.model import ChatError
from vgdl.competition.progress import Display
from vgdl.competition.tracks.worldmodels.answers import candidates
from vgdl.competition.tracks.worldmodels.plan import Task
from vgdl.competition.tracks.worldmodels.problem import Evaluation, PromptOptions, TabletopProblem
from vgdl.competition.tracks.worldmodels.progress import last_call, named, tree
from vgdl.competition.tracks.worldmodels.scripted import FAULTS, PROSE, fenced, prepared, standard
from vgdl.competition.tracks.worldmodels.synthesis import Loop, Settings, Synthesis, beta_parameters
from vgdl.competition.tracks.worldmodels.unit_tests import PASSED, failed
from vgdl.competition.tracks.worldmodels.worlds import WORLDS


class Percentages:
    """A problem whose programs are numbers: so many of 100 tests pass."""

    name = "tic_tac_toe"
    version = "1"

    def __init__(self) -> None:
        self.evaluated: list[str] = []

    def first_prompt(self, draws: Random) -> str:
        return "first"

    def refine_prompt(self, source: str, evaluation: Evaluation, draws: Random) -> str:
        return f"refine {source.strip()}"

    def complaint(self, evaluation: Evaluation | None) -> str:
        return "no program" if evaluation is None else f"test {evaluation.failures[0]} fails"

    def candidates(self, text: str) -> list[str]:
        return candidates(text)

    def evaluate(self, source: str) -> Evaluation:
        self.evaluated.append(source)
        passed = int(source)
        return Evaluation((PASSED,) * passed + (failed("no"),) * (100 - passed), ("transition",) * 100)

    def test(self, number: int) -> tuple[str, str]:
        return f"test {number}", ""


def answers(*numbers: int | str) -> list[str]:
    return [fenced(str(number)) if isinstance(number, int) else number for number in numbers]


def loop(script: Sequence[str], seed: int = 0, **settings: object) -> tuple[Synthesis, Answers, Percentages]:
    """The published search, unless ``method`` says otherwise."""
    author, problem = Answers(script), Percentages()
    chosen = Settings(**{"method": "rex", **settings})  # type: ignore[arg-type]
    found = Loop(problem, author, chosen, seed).run()
    return found, author, problem


def nodes(found: Synthesis) -> list[tuple[int | None, float, int]]:
    """Parent, h and N of every node."""
    return [(node.parent, node.heuristic, node.refinements) for node in found.nodes]


@pytest.mark.parametrize(
    ("h", "refinements", "expected", "mean"),
    [
        (0.0, 0, (1, 6), 0.1429),
        (0.6, 0, (4, 3), 0.5714),
        (0.6, 2, (4, 5), 0.4444),
        (0.9, 0, (5.5, 1.5), 0.7857),
        (0.9, 5, (5.5, 6.5), 0.4583),
    ],
)
def test_the_distribution_of_a_node_is_that_of_rex(
    h: float, refinements: int, expected: tuple[float, float], mean: float
) -> None:
    alpha, beta = beta_parameters(h, refinements)
    assert (alpha, beta) == pytest.approx(expected)
    assert alpha / (alpha + beta) == pytest.approx(mean, abs=5e-5)


def test_a_search_ends_with_the_right_program_and_has_the_nodes_that_its_answers_make() -> None:
    found, author, _ = loop(answers(PROSE, 0, 40, 40, 100))
    assert (found.stopped, len(found.calls)) == ("solved", 5)
    assert nodes(found) == [(None, 0.4, 2), (0, 1.0, 0)]
    assert [call.refinements for call in found.calls] == [(), (), (0,), (1,), (2, 0)]
    assert [call.refined for call in found.calls] == [None, None, None, 0, 0]
    assert [call.best for call in found.calls] == [0.0, 0.0, 0.4, 0.4, 1.0]
    assert [prompt[-1]["content"] for prompt in author.prompts] == ["first"] * 3 + ["refine 40"] * 2
    assert all(len(prompt) == 1 for prompt in author.prompts)  # each refinement is a fresh prompt


def test_a_child_becomes_a_node_only_if_it_is_better_by_the_gain() -> None:
    found, _, _ = loop(answers(40, 41, 30, 90), max_calls=4, min_heuristic_value_gain=0.05)
    assert [[each.node for each in call.candidates] for call in found.calls] == [[0], [None], [None], [1]]


def test_the_last_hundredth_counts_although_it_is_less_than_the_gain() -> None:
    found, _, _ = loop(answers(99, 100), min_heuristic_value_gain=0.5)
    assert (found.stopped, found.is_solved) == ("solved", True)


def test_a_script_that_never_improves_stops_at_its_calls_and_returns_the_earliest_best() -> None:
    found, _, problem = loop(answers(50, 50, 20), max_calls=7)
    assert (found.stopped, len(found.calls)) == ("max_calls", 7)
    assert found.best is not None
    assert (found.best.number, found.best.heuristic, found.best.refinements) == (0, 0.5, 6)
    assert len(problem.evaluated) == 2  # equal sources are evaluated once


def test_steps_tokens_and_cost_are_limits_too() -> None:
    assert loop(answers(50), num_retries=3)[0].stopped == "num_retries"
    assert loop(answers(50), max_tokens=4100)[0].stopped == "max_tokens"
    problem, author = Percentages(), Answers(answers(50))
    found = Loop(
        problem, author, Settings(max_cost=1.0, max_stale_calls=0), 0, price=Price(0, 200.0), reply_tokens=4096
    ).run()
    assert found.stopped == "max_cost"
    assert found.cost + 200e-6 * 4096 > 1.0 >= found.cost


def test_every_block_of_an_answer_is_a_candidate() -> None:
    text = "first\n```python\n10\n```\nthen\n~~~py\n100\n~~~\n```\n60\n```\nand ```python cut"
    found, _, _ = loop([text])
    assert [each.heuristic for each in found.calls[0].candidates] == [0.1, 1.0]
    assert candidates("```python\n1\n") == ["1\n"]  # a reply that was cut


def test_a_search_is_the_same_each_time() -> None:
    script = answers(10, 20, 15, 35, 30, 55, 50, 70, 65, 80)
    one, other = loop(script, seed=3, max_calls=30)[0], loop(script, seed=3, max_calls=30)[0]
    assert nodes(one) == nodes(other)
    assert [call.refined for call in one.calls] == [call.refined for call in other.calls]
    assert len({call.refined for call in one.calls}) > 2  # it is a tree, not a chain


def test_a_conversation_grows_by_one_failing_test_per_turn() -> None:
    found, author, _ = loop(answers(PROSE, 40, 70, 100), method="conversation")
    assert (found.stopped, len(found.calls)) == ("solved", 4)
    said = [message["content"] for message in author.prompts[-1] if message["role"] == "user"]
    assert said == ["first", "no program", "test 40 fails", "test 70 fails"]
    assert [len(prompt) for prompt in author.prompts] == [1, 3, 5, 7]


def test_a_long_conversation_loses_its_oldest_exchanges_but_not_its_beginning() -> None:
    _, author, _ = loop(answers(*["x" * 400 + str(number) for number in range(6)]), method="conversation",
                        max_calls=6, context_tokens=500)  # fmt: skip
    assert [prompt[0]["content"] for prompt in author.prompts] == ["first"] * 6
    assert max(len(prompt) for prompt in author.prompts) == 5
    assert author.prompts[-1][-2]["content"].endswith("4")


def test_a_script_that_is_at_its_end_raises_if_told_so() -> None:
    with pytest.raises(ChatError, match="has 1 answers"):
        Loop(Percentages(), Answers(answers(50), at_end="raise"), Settings(), 0).run()


def test_the_display_shows_the_tree_of_a_synthesis_and_a_line_per_call_where_there_is_no_terminal() -> None:
    found, _, _ = loop(answers(PROSE, 40, 70, 30, 100))
    screen = Console(file=io.StringIO(), width=80, force_terminal=True, color_system=None)
    screen.print(tree("tic_tac_toe", found))
    shown = screen.file.getvalue()  # type: ignore[attr-defined]
    for part in (
        "5 calls",
        "node 0: h 0.400 (40/100), N ",
        "node 1: h 0.700 (70/100)",
        "h 1.000 (100/100), N 0, call 5",
    ):
        assert part in shown
    assert shown.index("node 0") < shown.index("node 1")
    plain = Console(file=io.StringIO(), width=80)
    with Display(plain, 1, 0, lambda: "") as display:
        display.say(f"{named(Task(0, 'tic_tac_toe', 'open', 0))}: {last_call(found)}")
    told = plain.file.getvalue()  # type: ignore[attr-defined]
    assert "tic_tac_toe, open deck, program 1: call 5" in told
    assert "best 1.000\n" in told


def test_settings_out_of_range_are_refused() -> None:
    for wrong in ({"method": "magic"}, {"max_calls": 0}, {"heuristic_weight": -1.0}):
        with pytest.raises(ValueError, match=r"magic|one call"):
            Settings(**wrong)


# ------------------------------------------------------------------------------------------- prepared programs


PASSED_BY = {  # share of transition and inference tests that prepared programs pass: all, none, or some
    "": ("all", "all"),
    "syntax error": ("none", "none"),
    "missing function": ("none", "none"),
    "endless loop": ("none", "none"),
    "wrong reward sign": ("some", "all"),
    "lines without a diagonal": ("all", None),  # these plays have no such line
    "mutates its state": ("some", None),
    "wrong chance": ("some", None),
    "inference that ignores observations": ("all", "none"),
    "inference that sees the future": ("all", "none"),
}


def problem_of(game: str, *, closed: bool = False, options: PromptOptions | None = None) -> TabletopProblem:
    return TabletopProblem(WORLDS[game], plays(game), sandbox(), closed=closed, options=options or PromptOptions())


def amount(counts: tuple[int, int] | None) -> str:
    if counts is None:
        return "all"
    return "all" if counts[0] == counts[1] else "some" if counts[0] else "none"


@pytest.mark.parametrize(
    ("game", "fault"),
    [
        pytest.param(game, fault, marks=pytest.mark.everything if fault == "endless loop" else pytest.mark.sampled(4))
        for game in FAULTS
        for fault in ("", *FAULTS[game])
    ],
)
def test_a_prepared_program_passes_the_tests_that_its_fault_leaves(game: str, fault: str) -> None:
    evaluation = problem_of(game).evaluate(prepared(game, fault))
    transition, inference = PASSED_BY[fault]
    assert amount(evaluation.accuracy("transition")) == transition
    if inference is not None:
        assert amount(evaluation.accuracy("inference")) == inference


@pytest.mark.costly
def test_the_standard_script_of_leduc_ends_with_the_right_program_in_six_calls() -> None:
    script = standard()["leduc_poker"]
    author = Answers(script, game="leduc_poker")
    found = Loop(problem_of("leduc_poker"), author, Settings(), 0).run()
    assert (found.stopped, len(found.calls)) == ("solved", 6)
    assert [(node.parent, node.refinements, node.call) for node in found.nodes] == [(None, 2, 4), (0, 0, 6)]
    assert found.best is not None
    assert found.best.source == prepared("leduc_poker")


def test_a_refining_prompt_has_the_program_and_one_failed_test_of_each_kind_with_its_error() -> None:
    problem = problem_of("leduc_poker")
    source = prepared("leduc_poker", "wrong reward sign").replace(
        "    own, public = now", "    return []\n    own, public = now"
    )
    prompt = problem.refine_prompt(source, problem.evaluate(source), Random(0))
    assert source.strip() in prompt
    assert len(re.findall(r"^# transition", prompt, re.MULTILINE)) == 1
    assert len(re.findall(r"^# inference", prompt, re.MULTILINE)) == 1
    assert "# AssertionError: get_rewards(state)" in prompt


def test_the_first_prompt_has_rules_functions_and_five_tests_of_each_kind() -> None:
    prompt = problem_of("quadranto", options=PromptOptions(num_targets=3)).first_prompt(Random(0))
    for part in ("Quadranto", "def get_legal_actions", "def resample_history", "3 versions", "numpy"):
        assert part in prompt
    for kind in ("transition", "inference"):
        assert len(re.findall(rf"^# {kind} \d", prompt, re.MULTILINE)) == 5
    assert "$" not in prompt


def test_misleading_rules_are_another_text() -> None:
    told = problem_of("leduc_poker", options=PromptOptions(misleading=True)).first_prompt(Random(0))
    assert "big blind" in told
    assert "big blind" not in problem_of("leduc_poker").first_prompt(Random(0))
