"""Prompts: as long and concrete as the paper's, in three variants, and every worked example is true.

The examples are parsed from the text that models get; their answers are compared with the truth functions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from vgdl.competition.tracks.gamebot.grammars import Mode
from vgdl.competition.tracks.gamebot.prompts import Variant, prompt
from vgdl.competition.tracks.gamebot.tasks import TASKS, bargaining, checkers, grids, holdem, othello, pong, surround

pytest.importorskip("pyspiel", reason='needs: pip install "vgdl[tabletop]"')
pytest.importorskip("jinja2", reason='needs: pip install "vgdl[llm]"')

EXAMPLE = re.compile(r"^Example \d+\n```\n(?P<position>.*?)\n```\n(?P<answers>.*?)(?=^Example \d+\n|^## )", re.S | re.M)
CELL = re.compile(r"\((\d+),(\d+)\):([\w_])")


def cells(position: str) -> dict[tuple[int, int], str]:
    return {(int(row), int(column)): value for row, column, value in CELL.findall(position)}


def rows(position: str) -> list[str]:
    """The rows of a board, row 0 first."""
    board = cells(position)
    count, width = (max(at[axis] for at in board) + 1 for axis in (0, 1))
    return ["".join(board[row, column] for column in range(width)) for row in range(count)]


def legal(name: str, position: str) -> list[str]:
    [moves] = re.findall("Legal moves: (.*)", position)
    return re.findall(r"\([^)]*\)(?:->\([^)]*\))?", moves)


def othello_truths(position: str, answer: Any) -> dict[int, Any]:
    board = [["_BW".index(code) for code in line.split()[1:]] for line in position.splitlines()[2:10]]
    side = 1 if "You play Black" in position else 2
    moves = {(row, column) for row in range(8) for column in range(8) if turns(board, side, row, column)}
    assert legal("othello", position) == [othello.name(move) for move in sorted(moves)]
    return {1: not othello.CORNERS.isdisjoint(moves), 2: othello.wedges(board, side, moves)}


def turns(board: list[list[int]], side: int, row: int, column: int) -> bool:
    """Whether a move encloses a disc."""
    for down, right in ((a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if a or b):
        line = [
            board[row + k * down][column + k * right]
            for k in range(1, 8)
            if 0 <= row + k * down < 8 and 0 <= column + k * right < 8
        ]
        if re.match(f"{3 - side}+{side}", "".join(map(str, line))):
            return board[row][column] == 0
    return False


def pong_truths(position: str, answer: Any) -> dict[int, Any]:
    frames = [(int(x), int(y)) for x, y in re.findall(r"ball_x=(\d+), ball_y=(\d+)", position)]
    assert len(frames) == 3
    steps = [(x - u, y - v) for (x, y), (u, v) in zip(frames[1:], frames, strict=False)]
    assert steps[0] == steps[1]  # no reflection between them
    way, height = pong.direction(*frames[1:]), pong.arrival(*frames[1:])
    return {1: way and way.lower(), **({} if height is None else {2: height})}


def surround_truths(position: str, answer: Any) -> dict[int, Any]:
    board = {at: int(value) for at, value in cells(position).items()}
    [at] = [at for at, value in board.items() if value in (3, 5)]

    def look(row: int, column: int) -> int:
        return board.get((row, column), 1) if 0 <= row < 20 and 0 <= column < 40 else -1

    near = frozenset(surround.neighbours(look, at).items())
    return {1: near, 2: surround.valid(look, at), 3: surround.safety(look, at)}


def checkers_truths(position: str, answer: Any) -> dict[int, Any]:
    board = {at: piece for at, piece in cells(position).items() if piece != "_"}
    side = "w" if "You play White" in position else "b"
    moves = checkers.legal(board, side)
    assert legal("checkers", position) == [checkers.written(move) for move in sorted(moves)]
    return {
        1: checkers.new_kings(board, moves),
        2: checkers.worthless_dies(board, side),
        3: checkers.two_for_ones(board, side),
    }


def line_truths(name: str, length: int) -> Callable[[str, Any], dict[int, Any]]:
    def truths(position: str, answer: Any) -> dict[int, Any]:
        board, own = rows(position), "X" if "You play X" in position else "O"
        squares = TASKS[name]().squares(board)  # type: ignore[attr-defined]
        assert legal(name, position) == [grids.written(square) for square in squares]
        return {
            number: grids.wins(board, squares, symbol, length)
            for number, symbol in ((1, own), (2, "X" if own == "O" else "O"))
        }

    return truths


def holdem_truths(position: str, answer: Any) -> dict[int, Any]:
    own, board = (
        [] if words == "none yet" else [holdem.card(word) for word in words.split(", ")]
        for words in re.findall(r"(?:Your cards|Board): (.*)", position)
    )
    return {2: holdem.hand_rank([*own, *board])} if board else {1: holdem.preflop(own)}


def bargaining_truths(position: str, answer: Any) -> dict[int, Any]:
    triples = [tuple(map(int, found)) for found in re.findall(r"\((\d+),(\d+),(\d+)\)", position)]
    pool, values, *shares = triples
    player = int("You are Player 2" in position)

    def worth(share: tuple[int, ...]) -> int:
        return sum(items * value for items, value in zip(share, values, strict=True))

    assert worth(pool) == 30
    assert not shares or tuple(a + b for a, b in zip(*shares[-2:], strict=True)) == pool
    assert sum(pool) in range(8, 13)
    found = {1: worth(shares[-2:][player])} if shares else {}
    if answer != bargaining.Agreement():
        assert tuple(a + b for a, b in zip(*answer, strict=True)) == pool
        found[2] = worth(answer[player])
    return found


TRUTHS: dict[str, Callable[[str, Any], dict[int, Any]]] = {
    "othello": othello_truths,
    "pong": pong_truths,
    "surround": surround_truths,
    "checkers": checkers_truths,
    "tic_tac_toe": line_truths("tic_tac_toe", 3),
    "connect_four": line_truths("connect_four", 4),
    "holdem": holdem_truths,
    "bargaining": bargaining_truths,
}


def examples() -> Iterator[Any]:
    for name, game in TASKS.items():
        for player in (0, 1):
            text = prompt(game(), player).text
            for number, found in enumerate(EXAMPLE.finditer(text), 1):
                yield pytest.param(name, found["position"], found["answers"], id=f"{name}-{player}-{number}")


@pytest.mark.parametrize(("name", "position", "answers"), examples())
def test_a_worked_example_is_true(name: str, position: str, answers: str) -> None:
    read = TASKS[name]().read(answers, Mode.STRICT)
    assert read.results == TRUTHS[name](position, read.move)


@pytest.mark.parametrize("name", TASKS)
def test_guided_prompts_are_as_long_as_the_papers_and_have_examples(name: str) -> None:
    for player in (0, 1):
        text = prompt(TASKS[name](), player, Variant.GUIDED).text
        assert 4500 <= len(text) <= 10_000
        assert len(EXAMPLE.findall(text)) >= 3


@pytest.mark.parametrize("name", TASKS)
def test_the_format_of_an_answer_is_one_that_is_read(name: str) -> None:
    """The lines with formats in the questions and the last line are themselves readable."""
    task = TASKS[name]()
    for variant in Variant:
        text = prompt(task, 0, variant).text
        assert task.read(text, Mode.STRICT).move is not None
    questions = prompt(task, 0).text.split("## Questions")[1].split("## Worked examples")[0]
    assert set(task.read(questions, Mode.STRICT).results) == {each.number for each in task.subproblems}


@pytest.mark.parametrize("name", TASKS)
def test_variants_differ_in_strategy_questions_and_the_advice_to_think(name: str) -> None:
    guided, plain, bare = (prompt(TASKS[name](), 0, variant).text for variant in Variant)
    assert "Intermediate Thinking Results" in guided
    assert "Intermediate Thinking Results" not in plain + bare
    assert plain.replace("Think step by step before you decide.\n\n", "") == bare
    assert "\n\n## Your move\n" in guided
    assert "\n\n## Your move\n" in bare
    assert guided.split("## What to consider")[0] == bare.split("## Your move")[0]


def test_the_goal_of_bargaining_is_ones_own_value() -> None:
    text = prompt(TASKS["bargaining"](), 0).text
    assert "Get as many points for your own share as you can." in text
    assert "more points than your opponent" not in text
