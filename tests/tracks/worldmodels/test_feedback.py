"""What an author is told about programs that are no good, and when a synthesis gives up."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest

from tracks.worldmodels.common import Answers, plays, sandbox
from vgdl.competition.tracks.worldmodels.answers import candidates
from vgdl.competition.tracks.worldmodels.problem import Evaluation, TabletopProblem
from vgdl.competition.tracks.worldmodels.scripted import PROSE, fenced, prepared
from vgdl.competition.tracks.worldmodels.synthesis import Loop, Settings, Synthesis, Weights
from vgdl.competition.tracks.worldmodels.unit_tests import PASSED, Verdict, failed
from vgdl.competition.tracks.worldmodels.worlds import WORLDS

METHODS = ["tree", "conversation"]


class Outcomes:
    """A problem whose programs say how each test ends: ``.`` passed, another letter a way to fail; ``!`` no start."""

    name = "tic_tac_toe"
    version = "1"

    def first_prompt(self, draws: Random) -> str:
        return "first"

    def refine_prompt(self, source: str, evaluation: Evaluation, draws: Random) -> str:
        return f"refine {source.strip()} {evaluation.load_error}".strip()

    def complaint(self, evaluation: Evaluation | None) -> str:
        return "no program" if evaluation is None else f"fails {evaluation.verdicts[evaluation.failures[0]].text}"

    def candidates(self, text: str) -> list[str]:
        return candidates(text)

    def evaluate(self, source: str) -> Evaluation:
        letters = source.strip()
        if "!" in letters:
            verdicts: list[Verdict] = [Verdict(False, f"cannot start {letters}", "syntax")] * 10
        else:
            verdicts = [PASSED if letter == "." else failed(letter) for letter in letters]
        return Evaluation(tuple(verdicts), ("transition",) * len(verdicts))

    def test(self, number: int) -> tuple[str, str]:
        return f"test {number}", ""


def run(script: Sequence[str], method: str = "tree", **settings: object) -> tuple[Synthesis, list[str]]:
    """The synthesis, and the last message of each call."""
    author = Answers([text if text == PROSE else fenced(text) for text in script])
    found = Loop(Outcomes(), author, Settings(method=method, **settings), 0).run()  # type: ignore[arg-type]
    return found, [str(prompt[-1]["content"]) for prompt in author.prompts]


def test_a_program_that_cannot_be_loaded_gets_its_error() -> None:
    found, prompts = run(["!1", "!2", ".........."])
    assert (found.stopped, len(found.calls)) == ("solved", 3)
    assert prompts == ["first", "refine !1 cannot start !1", "refine !2 cannot start !2"]


def test_a_first_program_that_passes_nothing_gets_its_failures() -> None:
    assert run(["aaaaaaaaaa", ".........."])[1] == ["first", "refine aaaaaaaaaa"]


def test_an_answer_without_a_program_is_told() -> None:
    assert run([PROSE, ".........."])[1] == ["first", "first\n\nno program"]


def test_after_three_repairs_in_vain_a_fresh_version_is_asked_for() -> None:
    _, prompts = run(["!1", "!2", "!3", "!4", "!5"], max_calls=5)
    assert [prompt.split()[0] for prompt in prompts] == ["first", "refine", "refine", "refine", "first"]


def test_a_child_that_cannot_be_loaded_gets_its_error_too() -> None:
    found, prompts = run([".....aaaaa", "!", ".........."])
    assert prompts == ["first", "refine .....aaaaa", "refine ! cannot start !"]
    assert [node.parent for node in found.nodes] == [None, 0]


@pytest.mark.parametrize("method", METHODS)
def test_two_faults_that_hide_each_other_do_not_stall(method: str) -> None:
    """Without the first fault, the same tests fail by the second one."""
    found, _ = run([".....aaaaa", ".....bbbbb", ".........."], method, max_calls=25)
    assert (found.stopped, len(found.calls)) == ("solved", 3)
    if method == "tree":
        assert [(node.parent, node.heuristic) for node in found.nodes] == [(None, 0.5), (0, 0.5), (1, 1.0)]


def test_the_published_search_stalls_there() -> None:
    found, prompts = run([".....aaaaa", ".....bbbbb"], "rex", max_calls=6)
    assert len(found.nodes) == 1
    assert set(prompts[1:]) == {"refine .....aaaaa"}


def test_the_same_failure_again_is_no_node() -> None:
    found, _ = run([".....aaaaa", "aaaaa.....", ".....aaaaa"], max_calls=3)
    assert len(found.nodes) == 1


def test_a_corner_that_stands_alone_weighs_as_much_as_it_tells_apart() -> None:
    """Of 400 tests, two fail, for different reasons; a program without one of the faults is better than by 1 in 400."""
    both, one = "a" + "." * 398 + "b", "." * 399 + "b"
    found, _ = run([both, one], max_calls=2)
    assert [(node.parent, node.heuristic) for node in found.nodes] == [(None, 398 / 400), (0, 399 / 400)]
    assert len(run([both, one], "rex", max_calls=2)[0].nodes) == 1
    weights, problem = Weights(), Outcomes()
    for source in (both, one):
        weights.add(problem.evaluate(source))
    assert weights.share(problem.evaluate(one)) - weights.share(problem.evaluate(both)) > 0.05
    assert weights.share(problem.evaluate("." * 400)) == 1.0


@pytest.mark.parametrize("method", [*METHODS, "rex"])
def test_a_search_that_makes_no_progress_ends(method: str) -> None:
    """One failing corner test does not cost all calls."""
    found, _ = run([".........a"], method)
    assert (found.stopped, len(found.calls)) == ("max_stale_calls", 51)
    assert run([".........a"], method, max_stale_calls=4)[0].stopped == "max_stale_calls"
    assert run([".........a"], method, max_stale_calls=0, max_calls=60)[0].stopped == "max_calls"


def test_progress_starts_the_count_again() -> None:
    found, _ = run(["..aaaaaaaa", "..aaaaaaaa", "....aaaaaa", "....aaaaaa", ".....aaaaa"], max_stale_calls=2)
    assert len(found.calls) == 7


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("```\ndef f():\n    pass\n```", ["def f():\n    pass\n"]),
        ("```\nf(3) == 4\n```", []),
        ("```\ndef f(): 1\n```\n```python\ndef g(): 2\n```", ["def g(): 2\n"]),
        ("```python title=x.py\ndef f(): 1\n```", ["def f(): 1\n"]),
        ("```json\n{\"def \": 1}\n```", []),
        ("~~~\ndef f(): 1\n~~~", ["def f(): 1\n"]),
    ],
)  # fmt: skip
def test_fences_without_a_language_are_accepted(text: str, found: list[str]) -> None:
    assert candidates(text) == found


def test_fences_of_texts_without_a_language_are_accepted() -> None:
    assert candidates("```\nBasicGame\n```", ("vgdl",)) == ["BasicGame\n"]
    assert candidates("```\nsome words\n```", ("vgdl",)) == []


def test_a_program_in_an_unclosed_thought_does_not_count() -> None:
    found, _ = run(["..........", ".........."], max_calls=1)
    assert found.is_solved
    author = Answers(["<think>perhaps\n" + fenced("..........")])
    thought = Loop(Outcomes(), author, Settings(max_calls=1), 0).run()
    assert not thought.nodes


# ------------------------------------------------------------------------------------------------------- real programs


def problem() -> TabletopProblem:
    return TabletopProblem(WORLDS["leduc_poker"], plays("leduc_poker"), sandbox())


def test_a_missing_sampler_only_fails_inference() -> None:
    source = prepared("leduc_poker").replace("def resample_history", "def sample_history")
    evaluation = problem().evaluate(source)
    passed, number = evaluation.accuracy("transition") or (0, 0)
    assert passed == number > 0
    assert (evaluation.accuracy("inference") or (1, 0))[0] == 0
    assert "resample_history: the program does not define it" in evaluation.verdicts[evaluation.failures[0]].text


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("def f(:\n", "line 1: invalid syntax"),
        ("import os\n", "os may not be imported"),
        ("x = 1 / 0\n", "ZeroDivisionError"),
        ("def f():\n    pass\n", "does not define it at module level"),
    ],
)
def test_load_errors_are_in_prompts_and_in_conversations(source: str, message: str) -> None:
    tested = problem()
    if source.startswith("x"):
        source = f"{prepared('leduc_poker')}\n{source}"
    evaluation = tested.evaluate(source)
    for text in (tested.refine_prompt(source, evaluation, Random(0)), tested.complaint(evaluation)):
        assert message in text
        assert "the program cannot be run" in text or "The program cannot be run" in text


def test_a_prompt_shows_different_failures() -> None:
    evaluation = Evaluation((failed("a"), failed("a"), failed("b"), PASSED), ("transition",) * 4)
    assert evaluation.different_failures("transition") == [0, 2]
