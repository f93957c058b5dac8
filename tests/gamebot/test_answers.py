"""Reading answers: tolerant of decoration, strict about content, and never an exception."""

from __future__ import annotations

import random
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vgdl.competition.tracks.gamebot.answers import Reading, read
from vgdl.competition.tracks.gamebot.notation import normalised
from vgdl.competition.tracks.gamebot.task import Task
from vgdl.competition.tracks.gamebot.tasks import TASKS
from vgdl.competition.tracks.gamebot.tasks.bargaining import Agreement

pytest.importorskip("pyspiel", reason='needs: pip install "vgdl[tabletop]"')

_TASKS: dict[str, Task] = {}


def task(name: str) -> Task:
    return _TASKS.setdefault(name, TASKS[name]())


def reading(name: str, text: str) -> Reading:
    game = task(name)
    grammars = {each.number: each.grammar for each in game.subproblems}
    return read(text, grammars, game.move_marker, game.move_grammar)


@pytest.mark.parametrize(
    ("text", "results", "move"),
    [
        ("[Intermediate Thinking Results 1: (0,1), (2, 2)] so … **Chosen Move:** (2,2)", {1: {(0, 1), (2, 2)}}, (2, 2)),
        ("**Intermediate Thinking Results 1:** None\nChosen Move: ( 1 , 1 )", {1: set()}, (1, 1)),
        ("[Intermediate Thinking Results 1: maybe (1,1)]\nChosen Move: center", {}, None),
        ("[intermediate thinking result 1 = (0, 0) and (1,1)]\n(2,0)", {1: {(0, 0), (1, 1)}}, (2, 0)),
        (
            "<think>[Intermediate Thinking Results 1: (0,0)]</think>[Intermediate Thinking Results 2: -]",
            {2: set()},
            None,
        ),
        ("Chosen Move: (0,0)</think>Chosen Move: (1,2)", {}, (1, 2)),
        ("$\\boxed{\\text{Chosen Move: (1,2)}}$", {}, (1, 2)),
        ("【Intermediate Thinking Results 1: （0，1）】\nChosen Move：(0,1)", {1: {(0, 1)}}, (0, 1)),
        (
            "[Intermediate Thinking Results 1: [(0,1), (1,1)]]\nChosen Move: (0,1) since it wins",
            {1: {(0, 1), (1, 1)}},
            (0, 1),
        ),
        ("I take (0,1).", {}, None),
        ("First (0,0), no:\n(0,1).", {}, (0, 1)),
        ("", {}, None),
    ],
)
def test_tic_tac_toe(text: str, results: dict[int, Any], move: Any) -> None:
    found = reading("tic_tac_toe", text)
    assert (found.results, found.move) == (results, move)


def test_the_last_of_several_markers_counts() -> None:
    text = "[Intermediate Thinking Results 1: None] on second thought [Intermediate Thinking Results 1: (0,0)]"
    found = reading("tic_tac_toe", text)
    assert (found.results, found.ambiguous) == ({1: {(0, 0)}}, (1,))
    assert reading("tic_tac_toe", text.replace("None", "(0, 0)")).ambiguous == ()


def test_a_move_without_its_marker_is_marked_so() -> None:
    assert reading("tic_tac_toe", "(1,1)").loose_marker
    assert not reading("tic_tac_toe", "Chosen Move: (1,1)").loose_marker


@pytest.mark.parametrize(
    ("name", "text", "results", "move"),
    [
        (
            "checkers",
            "[Intermediate Thinking Results 2: (5,4)→(4,5)]\nChosen Move: (5, 6) -> (4, 5)",
            {2: {(5, 4, 4, 5)}},
            (5, 6, 4, 5),
        ),
        ("checkers", "Chosen Move: (5,6) \\rightarrow (4,5)", {}, (5, 6, 4, 5)),
        (
            "othello",
            "[Intermediate Thinking Results 2: D1, (E,8) and f 1]\nChosen Move: d3",
            {2: {(0, 3), (7, 4), (0, 5)}},
            (2, 3),
        ),
        ("othello", "[Intermediate Thinking Results 1: True]\nChosen Move: (D 1)", {1: True}, (0, 3)),
        ("othello", "[Intermediate Thinking Results 1: perhaps]\n", {}, None),
        (
            "pong",
            "[Intermediate Thinking Results 1: right-up][Intermediate Thinking Results 2: 235/3]\n[Action]\n1 - Move Up",
            {1: "right up", 2: 235 / 3},
            1,
        ),
        ("pong", "The action is clear: down.\n[Action] Stay", {}, 0),
        ("pong", "[Intermediate Thinking Results 2: about 78]\n[Action] 2", {}, 2),
        (
            "surround",
            "[Intermediate Thinking Results 1: Up 1, Down 0, Left -1, Right 4]\nChosen Action: Move Left",
            {1: {(0, 1), (1, 0), (2, -1), (3, 4)}},
            2,
        ),
        ("surround", "[Intermediate Thinking Results 1: Up 1, Down 0, Left 0]\n", {}, None),
        ("surround", "[Intermediate Thinking Results 1: Up 1, Up 0, Left 0, Right 4]\n", {}, None),
        (
            "surround",
            "[Intermediate Thinking Results 3: Move Left Safe, Move Down: Unsafe]\n",
            {3: {(2, True), (1, False)}},
            None,
        ),
        ("holdem", "[Intermediate Thinking Results 1: 35.7%]\nChosen Action: check", {1: 35.7}, 1),
        ("holdem", "[Intermediate Thinking Results 2: 9]\nChosen Action: all-in", {2: 9}, 3),
        ("holdem", "[Intermediate Thinking Results 2: 9.5]\nChosen Action: Raise half pot", {}, 4),
        ("bargaining", "Proposal: [P1: (3,3,2), P2: (2,1,1)]", {}, ((3, 3, 2), (2, 1, 1))),
        ("bargaining", "Proposal: [Agree]", {}, Agreement()),
        ("bargaining", "Proposal: I disagree", {}, None),
        ("bargaining", "Proposal: I do not agree", {}, None),
        ("bargaining", "[Intermediate Thinking Results 1: 9]\nmy proposal stands", {1: 9}, None),
        ("connect_four", "[Intermediate Thinking Results 2: (3, 2)]\nChosen Move: (0, 6)", {2: {(3, 2)}}, (0, 6)),
    ],
)
def test_the_grammars_of_the_games(name: str, text: str, results: dict[int, Any], move: Any) -> None:
    found = reading(name, text)
    assert (found.results, found.move) == (results, move)


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=400))
def test_no_text_causes_an_exception(text: str) -> None:
    for name in TASKS:
        numbers = {each.number for each in task(name).subproblems}
        assert reading(name, text).results.keys() <= numbers
        assert reading(name, f"[Intermediate Thinking Results 1: {text}] {text}").results.keys() <= numbers
        moves = f"Chosen Move: {text}\nProposal: {text}\nChosen Action: {text} [Action] {text}"
        assert reading(name, moves).results.keys() <= numbers


@pytest.mark.parametrize("name", sorted(TASKS))
def test_generated_answers_never_turn_a_wrong_answer_into_a_right_one(name: str, everything: bool) -> None:
    """True answers are decorated and cut, wrong ones decorated: what is read is the truth, a cut form is never more."""
    game, draws = task(name), random.Random(name)
    grammar = {each.number: each for each in game.subproblems}
    checked, wanted = 0, 1250 if everything else 150  # ten thousand in total
    while checked < wanted:
        state = game.start()
        while not state.is_terminal() and checked < wanted:
            if state.is_chance_node():
                outcomes = state.chance_outcomes()
                state.apply_action(draws.choices([a for a, _ in outcomes], [p for _, p in outcomes])[0])
                continue
            players = [player for player in (0, 1) if game.is_asked(state, player)]
            for player in players:
                move = draws.choice(game.moves(state, player))
                for number, truth in game.truths(state, player, move).items():
                    payload = grammar[number].written(truth)
                    text = decorated(number, payload, game, move, draws)
                    found = reading(name, text)
                    assert number in found.results, text
                    assert grammar[number].judge(truth, found.results[number], readable=True) in (
                        "TP",
                        "TN",
                        "correct",
                    ), text
                    assert found.move == move, text
                    reading(name, text[: draws.randrange(len(text))])
                    other = mutated(payload, draws)
                    wrong = reading(name, decorated(number, other, game, move, draws))
                    if number in wrong.results and wrong.results[number] == found.results[number]:
                        assert same_meaning(other, payload), (other, payload)
                    checked += 1
            actions = {
                player: game.action(state, player, draws.choice(game.moves(state, player))) for player in players
            }
            if state.is_simultaneous_node():
                state.apply_actions([actions[0], actions[1]])
            else:
                state.apply_action(actions[players[0]] if players else state.legal_actions()[0])


def decorated(number: int, payload: str, game: Task, move: Any, draws: random.Random) -> str:
    marker = {"bargaining": "Proposal: ", "pong": "[Action]\n"}.get(game.name)
    marker = marker or ("Chosen Action: " if game.name in ("surround", "holdem") else "Chosen Move: ")
    result = f"Intermediate Thinking Results {number}: {payload}"
    result = draws.choice(
        [f"[{result}]", f"**{result}**\n", f"[**{result}**]", f"[{result.upper()}]", f"- `{result}`\n"]
    )
    before = draws.choice(["", "Let me see.\n", "<think>Chosen Move: (0,0)</think>", "# Answer\n\n"])
    bold = draws.choice(["", "**"])
    return f"{before}{result}\nTherefore:\n{bold}{marker}{bold}{game.written(move)}"


def mutated(payload: str, draws: random.Random) -> str:
    """Another payload: a character changed, dropped, doubled."""
    place = draws.randrange(len(payload))
    kinds = [
        payload[:place] + payload[place + 1 :],
        payload[:place] + draws.choice("0123456789abcdef(),->% ") + payload[place + 1 :],
        payload[:place] + payload[place] + payload[place:],
    ]
    return draws.choice(kinds)


def same_meaning(one: str, other: str) -> bool:
    """Whether two payloads differ only in blanks, separators, case, or other meaningless details."""

    def plain(text: str) -> str:
        kept = "".join(c for c in normalised(text).replace("-0", "0") if c.isalnum() or c in "->.")
        return kept.replace("move", "").replace("and", "").strip(".").lstrip("0")

    def numbers(text: str) -> list[float]:
        try:
            return [float(text.strip("% "))]
        except ValueError:
            return []

    words = sorted(set(plain(one))) == sorted(set(plain(other))) and len(plain(one)) >= len(plain(other))
    return plain(one) == plain(other) or (numbers(one) != [] and numbers(one) == numbers(other)) or words


@pytest.mark.xdist_group("clock")
@pytest.mark.parametrize(
    "text", ["<think>", "\n", "[intermediate thinking results 1: ((((", "[a] ", "chosen move: ", "i "]
)
def test_the_time_to_read_an_answer_grows_in_proportion_to_its_length(text: str) -> None:
    def seconds(length: int) -> float:
        answer = "." + text * (length // len(text)) + "."
        times = []
        for _ in range(3):
            began = time.process_time()
            reading("tic_tac_toe", answer)
            times.append(time.process_time() - began)
        return min(times)

    assert seconds(80_000) < 30 * seconds(8_000)  # quadratic time would be a hundred times as much
