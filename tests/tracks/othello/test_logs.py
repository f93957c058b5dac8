"""Logs, written and read in all forms, and the rules that they obey (specification 13)."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from typing import Any

import pytest

from vgdl.competition.tracks.othello.board import as_board, cell_of, notation
from vgdl.competition.tracks.othello.check import fits
from vgdl.competition.tracks.othello.game import Choice, Game
from vgdl.competition.tracks.othello.games import TIME_FORFEIT, GameRecord, Move
from vgdl.competition.tracks.othello.logs import LogError, Transcript, full_record, read, record_of, to_json, to_text
from vgdl.tabletop.othello import Rules
from vgdl.tabletop.othello_stages import STAGES

PAPER = [
    "d3",
    "c3",
    "b3",
    "b2",
    "b1",
    "e3",
    "f3",
    "a1",
    "c4",
    "g3",
    "h3",
    "e2",
    "d1",
    "a3",
    "a2",
    "b4",
    "a4",
    "a5",
    "b5",
    "c5",
    "a6",
    "c2",
    "c1",
    "e1",
    "f1",
    "d2",
    "e6",
    "e7",
    "f4",
    "g4",
    "g2",
    "g1",
    "h1",
    "f2",
    "e8",
    "f5",
    "g5",
    "h5",
    "c6",
    "h2",
    "h4",
    "b7",
    "a8",
    "d7",
    "h6",
    "h7",
    "h8",
    "g6",
    "c8",
    "f6",
    "d6",
    "d8",
    "f7",
    "f8",
    "g8",
    "g7",
    "c7",
    "b8",
    "b6",
    "a7",
]


def paper_log() -> str:
    lines = ["=== Game 1 ===", "Game started: Corners(B) vs Greedy(W) on Stage: Standard 8x8"]
    for number, move in enumerate(PAPER):
        lines.append(f"{'Corners(B)' if number % 2 == 0 else 'Greedy(W)'}: {move}")
    return "\n".join([*lines, "Game over: Final score 27-37", "White wins!", ""])


class Uniform:
    """A side that moves at random."""

    def __init__(self, name: str, seed: int) -> None:
        self.name = name
        self._random = random.Random(seed)

    def choose(self, board: Any, player: int, moves: list[tuple[int, int]], left_ms: float) -> Choice:
        return Choice(self._random.choice(moves), 1.0)


def random_game(stage: str, seed: int = 0) -> GameRecord:
    game = Game(STAGES[stage], Rules(STAGES[stage]), 1e6, random.Random(seed))
    return game.play(Uniform("one", seed), Uniform("two (B): x", seed + 1))


def bare(record: GameRecord) -> GameRecord:
    """The game as its text form keeps it: without times."""
    moves = tuple(replace(move, time_ms=0.0) for move in record.moves)
    return replace(record, moves=moves, timestamp="", used_ms=(0.0, 0.0))


def test_the_paper_s_sixty_moves_obey_the_standard_rules() -> None:
    (game,) = read(paper_log())
    assert len(game.plies) == 60
    assert game.scores == (27, 37)
    assert game.winner == 2
    good = [fit.rules for fit in fits(game, STAGES["stage-0"]) if fit.problem is None]
    assert good == ["standard", "ignore occlusion"], "which differ on blocked cells only"


def test_a_log_that_obeys_no_rules_is_reported_with_its_first_violation() -> None:
    (game,) = read(paper_log().replace("Corners(B): b3", "Corners(B): h8"))
    problems = [fit.problem for fit in fits(game, STAGES["stage-0"])]
    assert problems[0] == "move 3, Black h8: illegal"
    assert None not in problems


def test_a_wrong_result_a_wrong_turn_and_a_missing_end_are_found() -> None:
    wrong_score = paper_log().replace("27-37", "28-36")
    wrong_winner = paper_log().replace("White wins!", "Black wins!")
    cut = "\n".join(line for line in paper_log().splitlines() if "a7" not in line)
    twice = paper_log().replace("Greedy(W): c3", "Corners(B): c3")
    told = [fits(read(text)[0], STAGES["stage-0"])[0].problem for text in (wrong_score, wrong_winner, cut, twice)]
    assert told == [
        "the final score is 27-37",
        "White wins",
        "after 59 moves it is White's turn, but the log ends",
        "move 2, Black c3: it is White's turn",
    ]


@pytest.mark.parametrize("stage", STAGES)
def test_a_game_obeys_the_rules_it_was_played_by(stage: str) -> None:
    record = random_game(stage)
    shape = STAGES[stage]
    mine = (shape.ignore_occlusion, shape.fewer_pieces_continue, shape.fewest_wins)
    (fit,) = [
        fit
        for fit in fits(Transcript.of(record), shape)
        if (fit.ignore_occlusion, fit.fewer_pieces_continue, fit.fewest_wins) == mine
    ]
    assert fit.problem is None


@pytest.mark.parametrize("stage", STAGES)
def test_text_and_json_of_a_game_convert_into_each_other(stage: str) -> None:
    record = random_game(stage)
    text = to_text([record], STAGES[stage])
    (transcript,) = read(text)
    again = full_record(transcript, STAGES[stage])
    assert bare(again) == bare(record)
    assert to_text([again], STAGES[stage]) == text
    (entry,) = json.loads(json.dumps(to_json([again])))
    assert bare(record_of(entry)) == bare(record)


def test_json_has_the_paper_s_fields() -> None:
    (entry,) = to_json([replace(random_game("stage-1"), analysis={"blackSystem": {"analysisTime": 12}})])
    assert set(entry) == {"metadata", "initialBoard", "moves", "analysisData"}
    assert set(entry["metadata"]) == {
        "timestamp", "stageId", "stageName", "blackStrategy", "whiteStrategy", "blackScore", "whiteScore", "winner",
        "gameLength",
    }  # fmt: skip
    assert set(entry["moves"][0]) == {"player", "position", "capturedCount", "timeSpent", "boardAfter"}
    assert entry["metadata"]["timestamp"].endswith("Z")
    assert entry["metadata"]["gameLength"] == len(entry["moves"])


def test_passes_and_extra_turns_are_written_in_words() -> None:
    texts = {
        stage: [to_text([random_game(stage, seed)], STAGES[stage]) for seed in range(8)]
        for stage in ("stage-0", "fewer-8")
    }
    assert any(" passes\n" in text for text in texts["stage-0"])
    assert not any("continues" in text for text in texts["stage-0"])
    assert any(" continues (fewer pieces rule)\n" in text for text in texts["fewer-8"])


def forfeited(cause: str) -> GameRecord:
    record = random_game("stage-2")
    return replace(
        record, moves=record.moves[:4], forfeit=2, forfeit_cause=cause, winner=1, black_score=60, white_score=0
    )


def test_a_forfeit_is_written_and_read() -> None:
    text = to_text([forfeited(TIME_FORFEIT)], STAGES["stage-2"], game_limit_s=10)
    assert "White (two (B): x) exceeded the time limit of 10s!\nBlack wins by time forfeit!" in text
    (transcript,) = read(text)
    assert (transcript.forfeit, transcript.winner) == (2, 1)
    assert fits(transcript, STAGES["stage-2"])[0].problem is None
    (other,) = read(to_text([forfeited("its process ended")], STAGES["stage-2"]))
    assert (other.forfeit, other.winner) == (2, 1)
    (entry,) = to_json([forfeited(TIME_FORFEIT)])
    assert entry["metadata"]["forfeit"] == 2
    assert Transcript.of(record_of(entry)).forfeit == 2


@pytest.mark.parametrize("tie", ["Tie!", "It's a tie!"])
def test_both_words_for_a_tie_are_read_and_unknown_lines_passed_over(tie: str) -> None:
    text = f"Game started: a(B) vs b(W) on Stage: X\n\nAnalysing...\na(B): d3\nGame over: Final score 5-5\n{tie}\n"
    (game,) = read(text)
    assert (game.winner, len(game.plies)) == (0, 1)


def published(with_start: bool) -> dict[str, Any]:
    record = random_game("stage-1")
    boards = [record.initial_board] * with_start + [move.board_after for move in record.moves]
    return {
        "moves": [
            {"player": move.player, "position": {"row": move.cell[0], "col": move.cell[1]}} for move in record.moves
        ],
        "boards": boards,
        "players": [move.player for move in record.moves],
        "capturedCounts": [move.captured for move in record.moves],
        "logText": "",
        "metadata": {
            "blackStrategy": "a", "whiteStrategy": "b", "stage": "Small Board (6x6)",
            "blackScore": record.black_score, "whiteScore": record.white_score, "date": "2025-05-01",
        },
    }  # fmt: skip


@pytest.mark.parametrize("with_start", [True, False])
def test_the_shape_that_the_published_code_writes_is_read(with_start: bool) -> None:
    (game,) = read(json.dumps(published(with_start)))
    assert game.stage_name == "Small Board (6x6)"
    assert [fit.rules for fit in fits(game, STAGES["stage-1"]) if fit.problem is None] != []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "it has no game"),
        ("[{]", "line 1, column 3"),
        ("[1]", "game 1: expected an object"),
        ('[{"initialBoard": [[0]]}]', "game 1: metadata: expected an object, found nothing"),
        ("Game started: a(B) vs b(W) on Stage: X\na(B): z99", "line 2: 'z99' is not a cell"),
        ('{"moves": [], "boards": [], "metadata": {"stage": 3, "blackScore": 1, "whiteScore": 2}}', "metadata.stage"),
        (
            '{"moves": [], "boards": [], "metadata": {"blackScore": 1e999}}',
            "blackScore: expected 0 ... 9007199254740992",
        ),
        ('{"moves": [], "boards": [], "metadata": {"blackScore": NaN}}', "found nan"),
        pytest.param("[" * 100_000, "recursion", id="deep"),
    ],
)
def test_an_invalid_log_is_refused_with_the_place(text: str, told: str) -> None:
    with pytest.raises(LogError, match=told.replace("[", r"\[")):
        read(text)


def test_a_bad_move_in_json_is_named_by_its_place() -> None:
    (entry,) = to_json([random_game("stage-1")])
    entry["moves"][2]["boardAfter"][0] = [0, 7]
    with pytest.raises(LogError, match=r"game 1: moves\[2\].boardAfter: a board is square"):
        read(json.dumps([entry]))


def test_a_different_board_is_found() -> None:
    record = random_game("stage-0")
    wrong = as_board([[0] * 8] * 8)
    moves = (Move(1, record.moves[0].cell, 1, wrong), *record.moves[1:])
    problem = fits(Transcript.of(replace(record, moves=moves)), STAGES["stage-0"])[0].problem
    assert problem == f"move 1, Black {notation(record.moves[0].cell)}: the board after it is another"


@pytest.mark.parametrize(("cell", "text"), [((2, 3), "d3"), ((0, 0), "a1"), ((9, 9), "j10"), ((11, 11), "l12")])
def test_notation_is_column_letter_and_row_number(cell: tuple[int, int], text: str) -> None:
    assert notation(cell) == text
    assert cell_of(text) == cell


@pytest.mark.parametrize("text", ["", "a0", "m1", "d13", "3d", "dd", "d3 "])
def test_an_invalid_cell_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a cell"):
        cell_of(text)
