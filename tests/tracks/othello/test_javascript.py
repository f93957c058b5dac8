"""Systems in JavaScript: names and shapes of the published arena, failures, and whole tournaments."""

from __future__ import annotations

import importlib.util
import random
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("quickjs", reason="needs the extra javascript")

import vgdl.competition
from vgdl.competition.store import Store
from vgdl.competition.tracks.othello.entries import SYSTEMS
from vgdl.competition.tracks.othello.javascript import JavaScriptSystem, ScriptError
from vgdl.competition.tracks.othello.stages import PublicStage, shown
from vgdl.competition.tracks.othello.store import TABLES, GameRow
from vgdl.registry import EntryInvalid, EntryNotFound
from vgdl.tabletop.othello import ObservableApi, PaperApi, Rules
from vgdl.tabletop.othello_stages import STAGES

EXAMPLE = Path(__file__).parents[3] / "examples" / "othello_system.js"
STAGE = STAGES["stage-1"]
RULES = Rules(STAGE)


class Timer:
    """A millisecond less at every look."""

    game_ms = 500.0

    def __init__(self, left: float = 40.0) -> None:
        self.left = left

    @property
    def remaining_ms(self) -> float:
        self.left -= 1
        return self.left

    def clock(self) -> float:
        return 12.5


def script(folder: Path, text: str, name: str = "system.js") -> Path:
    file = folder / name
    file.write_text(text)
    return file


def analysed(file: Path, api: Any = None) -> Any:
    """The strategy of a script."""
    public: PublicStage = shown(STAGE, 0)
    board = STAGE.board()
    return JavaScriptSystem(file).analyze_stage(
        public, board, RULES.legal_moves(board, 1), api or ObservableApi(RULES), Timer()
    )


def answer(folder: Path, expression: str) -> Any:
    """The two numbers that a strategy answers, or nothing."""
    strategy = analysed(
        script(folder, f"function analyzeStage(stage, board, moves, api, timer) {{ return {expression} }}")
    )
    return strategy(STAGE.board(), 1, RULES.legal_moves(STAGE.board(), 1))


def test_the_example_learns_and_plays() -> None:
    random.seed(3)
    strategy = analysed(EXAMPLE)
    moves = RULES.legal_moves(STAGE.board(), 1)
    assert tuple(strategy(STAGE.board(), 1, moves)) in moves


def test_the_same_seed_gives_the_same_moves() -> None:
    board, moves = STAGE.board(), RULES.legal_moves(STAGE.board(), 1)
    answers = []
    for _ in range(2):
        random.seed(8)
        answers.append(analysed(EXAMPLE)(board, 1, moves))
    assert answers[0] == answers[1]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("(board, player, moves) => moves[1]", [2, 1]),
        ("(board, player, moves) => [2, 1]", [2, 1]),
        ("(board, player, moves) => ({r: 2, c: 1})", [2, 1]),
        ("(board, player) => [board[2][2], player]", [2, 1]),
        ("() => [stage.boardSize, stage.initialPlayer1[0].col]", [6, 3]),
        ("() => [api.getValidMoves(board, 1).length, api.evaluateBoard(board, 1).pieceScore]", [4, 0]),
        ("() => [api.simulateMove(board, 1, 1, 2).capturedCount, api.simulateMove(board, 1, 0, 0).valid ? 1 : 0]", [1, 0]),
        ("() => [api.nextPlayer(board, 1), api.winner(board) === null ? 7 : 0]", [2, 7]),
        ("() => [timer.gameMs, performance.now()]", [500, 12500]),
        ("() => [typeof require === 'undefined' ? 1 : 0, typeof fetch === 'undefined' ? 1 : 0]", [1, 1]),
        ("() => null", None),
        ("() => undefined", None),
        ("() => 5", None),
    ],
)  # fmt: skip
def test_names_and_shapes_are_those_of_the_published_arena(tmp_path: Path, expression: str, expected: Any) -> None:
    assert answer(tmp_path, expression) == expected


@pytest.mark.parametrize(
    "text", ["const analyzeStage = () => () => [1, 2]", "module.exports = {analyzeStage: () => () => [1, 2]}"]
)
def test_other_ways_of_naming_the_function(tmp_path: Path, text: str) -> None:
    assert analysed(script(tmp_path, text))(STAGE.board(), 1, []) == [1, 2]


def test_the_paper_s_api_has_its_three_calls(tmp_path: Path) -> None:
    file = script(tmp_path, "var analyzeStage = (s, b, m, api) => () => [Object.keys(api).length, 0]")
    assert analysed(file, PaperApi(RULES))(STAGE.board(), 1, []) == [3, 0]
    assert analysed(file)(STAGE.board(), 1, []) == [5, 0]


def test_what_is_wrong_with_a_script_is_said_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(ScriptError, match=r"SyntaxError(.|\n)*at system\.js:2"):
        JavaScriptSystem(script(tmp_path, "let a = 1;\nlet let"))
    with pytest.raises(EntryInvalid, match=r"system\.js has no function analyzeStage"):
        JavaScriptSystem(script(tmp_path, "let a = 1"))
    with pytest.raises(ScriptError, match=r"Error: no\n.*at analyzeStage \(system\.js:1"):
        analysed(script(tmp_path, "function analyzeStage() { throw new Error('no') }"))
    with pytest.raises(ScriptError, match="RangeError: a board has 4 to 12 rows"):
        answer(tmp_path, "api.getValidMoves([[1, 2], [1]], 1)")
    assert analysed(script(tmp_path, "function analyzeStage() {}")) is None


def test_a_script_that_recurses_without_end_raises(tmp_path: Path) -> None:
    with pytest.raises(ScriptError, match=r"stack|call"):
        analysed(script(tmp_path, "function analyzeStage() { return analyzeStage() }"))


def test_a_missing_file_or_extra_is_an_error_in_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(EntryNotFound, match=r"there is no file .*none\.js"):
        SYSTEMS.find(str(tmp_path / "none.js"))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(EntryInvalid, match=r"vgdl\[javascript\]"):
        SYSTEMS.find(str(EXAMPLE))


@pytest.mark.limits
def test_a_tournament_with_a_script(tmp_path: Path) -> None:
    """Every game starts from the snapshot after the analysis: the script would raise in the second one otherwise."""
    counts = """
        let n = 0
        function analyzeStage() {
            n = 10
            return (board, player, moves) => {
                n++
                if (n > 30) throw new Error("the game before is remembered")
                return moves[0]
            }
        }
    """
    results = vgdl.competition.run(
        "othello", systems=[str(script(tmp_path, counts, "counts.js")), "greedy"], stages=["stage-1"], analysis="1s",
        game="1s", seed=2, quiet=True, store=str(tmp_path / "games.db"),
    )  # fmt: skip
    games = results.table("games").rows
    assert (results.complete, [game["forfeit_cause"] for game in games]) == (True, ["", ""])
    with Store.open(tmp_path / "games.db") as store:
        store.use(TABLES)
        moves = [game.black_moves + game.white_moves for game in store.rows(GameRow)]
        faults = [game.faults for game in store.rows(GameRow)]
    assert (min(moves) > 20, faults) == (True, [(), ()]), "two games have more than 20 moves of the script"
