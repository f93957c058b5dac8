"""Logs of games as text and as JSON: both formats of the paper, and the format of its published code.

(Specification 13.) Text logs contain only moves and results, so a stage is needed to make full records from them; JSON
logs contain every board.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from vgdl.competition.errors import CompetitionError
from vgdl.competition.tracks.othello.board import (
    BLACK,
    COLOURS,
    WHITE,
    Board,
    Cell,
    as_board,
    cell_of,
    notation,
    opponent,
    with_fewer_pieces,
)
from vgdl.competition.tracks.othello.games import TIME_FORFEIT, GameRecord, Move
from vgdl.tabletop.othello import Rules
from vgdl.tabletop.othello_stages import Stage

MAX_ANALYSIS_BYTES = 16 * 1024
"""Maximum bytes of JSON that a system may add to the log of a game."""


class LogError(CompetitionError):
    """A log cannot be read; the message says where."""


@dataclass(frozen=True, slots=True)
class Ply:
    """A move as read from a log; text logs contain no boards."""

    player: int
    cell: Cell
    board_after: Board | None = None


@dataclass(frozen=True, slots=True)
class Transcript:
    """A game as read from a log in any format; facts that a format lacks are None."""

    stage_name: str
    black: str
    white: str
    plies: tuple[Ply, ...]
    initial_board: Board | None = None
    scores: tuple[int, int] | None = None
    winner: int | None = None
    forfeit: int | None = None

    @classmethod
    def of(cls, record: GameRecord) -> Transcript:
        """The transcript of a record."""
        return cls(
            stage_name=record.stage_name,
            black=record.black,
            white=record.white,
            plies=tuple(Ply(move.player, move.cell, move.board_after) for move in record.moves),
            initial_board=record.initial_board,
            scores=(record.black_score, record.white_score),
            winner=record.winner,
            forfeit=record.forfeit,
        )


def to_json(records: Iterable[GameRecord]) -> list[dict[str, Any]]:
    """The JSON log of some games, in the paper's format."""
    return [_game_facts(record) for record in records]


def _game_facts(record: GameRecord) -> dict[str, Any]:
    metadata: dict[str, Any] = {
        "timestamp": record.timestamp,
        "stageId": record.stage_id,
        "stageName": record.stage_name,
        "blackStrategy": record.black,
        "whiteStrategy": record.white,
        "blackScore": record.black_score,
        "whiteScore": record.white_score,
        "winner": record.winner,
        "gameLength": len(record.moves),
    }
    if record.forfeit is not None:
        metadata |= {"forfeit": record.forfeit, "forfeitCause": record.forfeit_cause}
    facts: dict[str, Any] = {
        "metadata": metadata,
        "initialBoard": [list(row) for row in record.initial_board],
        "moves": [_move_facts(move) for move in record.moves],
    }
    if record.analysis:
        facts["analysisData"] = record.analysis
    return facts


def _move_facts(move: Move) -> dict[str, Any]:
    row, column = move.cell
    facts: dict[str, Any] = {
        "player": move.player,
        "position": {"row": row, "col": column},
        "capturedCount": move.captured,
        "timeSpent": round(move.time_ms),
        "boardAfter": [list(row) for row in move.board_after],
    }
    if move.fallback:
        facts["fallback"] = True
    return facts


def record_of(facts: Mapping[str, Any]) -> GameRecord:
    """The record of a game from its entry in a JSON log in the paper's format.

    Raises:
        LogError: something is missing or of the wrong type.
    """
    at = _At(facts, "")
    metadata = at.object("metadata")
    analysis = facts.get("analysisData", {})
    return GameRecord(
        stage_id=metadata.text("stageId"),
        stage_name=metadata.text("stageName"),
        black=metadata.text("blackStrategy"),
        white=metadata.text("whiteStrategy"),
        initial_board=at.board("initialBoard"),
        moves=tuple(_move(move) for move in at.objects("moves")),
        black_score=metadata.number("blackScore"),
        white_score=metadata.number("whiteScore"),
        winner=metadata.number("winner", 0, WHITE),
        forfeit=metadata.number("forfeit", BLACK, WHITE) if "forfeit" in metadata.facts else None,
        forfeit_cause=metadata.text("forfeitCause") if "forfeitCause" in metadata.facts else "",
        timestamp=metadata.text("timestamp"),
        analysis=dict(analysis) if isinstance(analysis, Mapping) else {},
    )


def _move(at: _At) -> Move:
    return Move(
        player=at.number("player", BLACK, WHITE),
        cell=at.cell("position"),
        captured=at.number("capturedCount"),
        board_after=at.board("boardAfter"),
        time_ms=float(at.number("timeSpent")),
        fallback=at.facts.get("fallback") is True,
    )


def _published(facts: Mapping[str, Any]) -> Transcript:
    """A game in the format of the published code; its boards may or may not include the initial one."""
    at = _At(facts, "")
    metadata = at.object("metadata")
    moves = at.objects("moves")
    boards: list[Board | None] = list(at.boards("boards"))
    initial = boards.pop(0) if len(boards) == len(moves) + 1 else None
    if len(boards) != len(moves):
        raise LogError(f"boards: {len(boards)} of them do not go with {len(moves)} moves")
    black, white = metadata.number("blackScore"), metadata.number("whiteScore")
    return Transcript(
        stage_name=metadata.text("stage"),
        black=metadata.text("blackStrategy"),
        white=metadata.text("whiteStrategy"),
        plies=tuple(
            Ply(move.number("player", BLACK, WHITE), move.cell("position"), board)
            for move, board in zip(moves, boards, strict=True)
        ),
        initial_board=initial,
        scores=(black, white),
    )


@dataclass(frozen=True, slots=True)
class _At:
    """An object in a JSON log, with its location for error messages."""

    facts: Mapping[str, Any]
    place: str

    def _get(self, name: str, kind: type | tuple[type, ...], what: str) -> Any:
        value = self.facts.get(name)
        if not isinstance(value, kind) or isinstance(value, bool):
            raise LogError(f"{self.place}{name}: expected {what}, found {_shown(value, name in self.facts)}")
        return value

    def text(self, name: str) -> str:
        return str(self._get(name, str, "a text"))

    def number(self, name: str, low: int = 0, high: int = 1 << 53) -> int:
        value = self._get(name, (int, float), "a number")
        if not low <= value <= high:
            raise LogError(f"{self.place}{name}: expected {low} ... {high}, found {value}")
        return int(value)

    def object(self, name: str) -> _At:
        return _At(self._get(name, Mapping, "an object"), f"{self.place}{name}.")

    def objects(self, name: str) -> list[_At]:
        values = self._get(name, list, "a list")
        for number, value in enumerate(values):
            if not isinstance(value, Mapping):
                raise LogError(f"{self.place}{name}[{number}]: expected an object, found {_shown(value)}")
        return [_At(value, f"{self.place}{name}[{number}].") for number, value in enumerate(values)]

    def cell(self, name: str) -> Cell:
        at = self.object(name)
        return at.number("row", 0, 11), at.number("col", 0, 11)

    def board(self, name: str) -> Board:
        return _board(self._get(name, list, "a board"), f"{self.place}{name}")

    def boards(self, name: str) -> list[Board]:
        values = self._get(name, list, "a list of boards")
        return [_board(value, f"{self.place}{name}[{number}]") for number, value in enumerate(values)]


def _board(value: object, place: str) -> Board:
    try:
        return as_board(value)
    except ValueError as error:
        raise LogError(f"{place}: {error}") from None


def _shown(value: object, is_present: bool = True) -> str:
    return f"{value!r:.60}" if is_present else "nothing"


_STARTED = re.compile(r"Game started: (?P<black>.*)\(B\) vs (?P<white>.*)\(W\) on Stage: (?P<stage>.*)")
_MOVED = re.compile(r".*\((?P<side>[BW])\): (?P<cell>[a-z][0-9]+)")
_SCORE = re.compile(r"Game over: Final score (?P<black>\d+)-(?P<white>\d+)")
_WON = re.compile(r"(?P<side>Black|White) wins(?: by (?:\w+ )?forfeit)?!")
_FORFEIT = re.compile(r"(?P<side>Black|White) \(.*\) (?:exceeded the time limit of .*!|forfeits: .*)")
_TIE = ("Tie!", "It's a tie!")


def to_text(records: Iterable[GameRecord], stage: Stage, *, game_limit_s: float = 10.0) -> str:
    """The text log of some games on one stage.

    Args:
        records: the games.
        stage: its rules distinguish a pass from an extra turn.
        game_limit_s: the limit that a forfeit by time exceeded.
    """
    lines = []
    for number, record in enumerate(records, start=1):
        lines += [f"=== Game {number} ===", *_text_lines(record, stage, game_limit_s), ""]
    return "\n".join(lines)


def _text_lines(record: GameRecord, stage: Stage, game_limit_s: float) -> Iterator[str]:
    yield f"Game started: {record.black}(B) vs {record.white}(W) on Stage: {record.stage_name}"
    before: Move | None = None
    for move in record.moves:
        if before is not None:
            yield from _turn_lines(record, stage, before, move.player)
        side = "B" if move.player == BLACK else "W"
        yield f"{record.names[move.player]}({side}): {notation(move.cell)}"
        before = move
    if record.forfeit is not None:
        yield from _forfeit_lines(record, game_limit_s)
    yield f"Game over: Final score {record.black_score}-{record.white_score}"
    if record.forfeit is None:
        yield f"{COLOURS[record.winner]} wins!" if record.winner else "Tie!"


def _turn_lines(record: GameRecord, stage: Stage, before: Move, player: int) -> Iterator[str]:
    """Explain why it is ``player``'s turn, if players do not simply alternate."""
    due = opponent(before.player)
    if stage.fewer_pieces_continue:
        due = with_fewer_pieces(before.board_after) or due
    if due != player:
        yield f"{record.names[due]} passes"
    elif player == before.player:
        yield f"{record.names[player]} continues (fewer pieces rule)"


def _forfeit_lines(record: GameRecord, game_limit_s: float) -> Iterator[str]:
    loser = record.forfeit or 0
    name = f"{COLOURS[loser]} ({record.names[loser]})"
    winner = COLOURS[opponent(loser)]
    if record.forfeit_cause == TIME_FORFEIT:
        yield f"{name} exceeded the time limit of {game_limit_s:g}s!"
        yield f"{winner} wins by time forfeit!"
    else:
        yield f"{name} forfeits: {record.forfeit_cause}"
        yield f"{winner} wins by forfeit!"


@dataclass(slots=True)
class _TextGame:
    """A game in a text log, while it is being read."""

    stage: str
    black: str
    white: str
    plies: list[Ply] = field(default_factory=list)
    scores: tuple[int, int] | None = None
    winner: int | None = None
    forfeit: int | None = None

    def take(self, line: str) -> None:
        """Process a line; unknown lines are ignored."""
        if match := _MOVED.fullmatch(line):
            self.plies.append(Ply(_side(match["side"]), cell_of(match["cell"])))
        elif match := _SCORE.fullmatch(line):
            self.scores = int(match["black"]), int(match["white"])
        elif match := _FORFEIT.fullmatch(line):
            self.forfeit = _side(match["side"])
        elif match := _WON.fullmatch(line):
            self.winner = _side(match["side"])
        elif line in _TIE:
            self.winner = 0

    def transcript(self) -> Transcript:
        return Transcript(
            self.stage, self.black, self.white, tuple(self.plies), None, self.scores, self.winner, self.forfeit
        )


def _side(text: str) -> int:
    return BLACK if text[0] == "B" else WHITE


def _read_text(text: str) -> list[Transcript]:
    games: list[_TextGame] = []
    for number, line in enumerate(text.splitlines(), start=1):
        line = line.strip()
        if match := _STARTED.fullmatch(line):
            games.append(_TextGame(match["stage"], match["black"], match["white"]))
        elif games:
            try:
                games[-1].take(line)
            except ValueError as error:
                raise LogError(f"line {number}: {error}\n  {line:.100}") from None
    if not games:
        raise LogError("it has no game: no line 'Game started: A(B) vs B(W) on Stage: NAME', and it is not JSON")
    return [game.transcript() for game in games]


def read(text: str) -> list[Transcript]:
    """Read the games of a log in any of the three formats.

    Raises:
        LogError: it has none of these formats; the message says where.
    """
    if text.lstrip()[:1] not in ("[", "{"):
        return _read_text(text)
    try:
        games = json.loads(text)
    except json.JSONDecodeError as error:
        raise LogError(f"line {error.lineno}, column {error.colno}: {error.msg}") from None
    except (RecursionError, ValueError) as error:  # too deep, or a number with too many digits
        raise LogError(str(error)) from None
    if isinstance(games, dict):  # the published code saves a single game
        games = [games]
    return [_json_game(game, number) for number, game in enumerate(games)]


def _json_game(game: object, number: int) -> Transcript:
    try:
        if not isinstance(game, Mapping):
            raise LogError(f"expected an object, found {_shown(game)}")
        return Transcript.of(record_of(game)) if "initialBoard" in game else _published(game)
    except LogError as error:
        raise LogError(f"game {number + 1}: {error}") from None


def full_record(transcript: Transcript, stage: Stage) -> GameRecord:
    """The full record of a game of which only the moves are known, by replaying it on its stage.

    Raises:
        LogError: a move is illegal there, or the log does not say how the game ended.
    """
    if transcript.scores is None or transcript.winner is None:
        raise LogError("the log does not say how the game ended")
    rules, board = Rules(stage), stage.board()
    moves = []
    for number, ply in enumerate(transcript.plies, start=1):
        played = rules.simulate(board, ply.player, *ply.cell)
        if played.resulting_board is None:
            raise LogError(f"move {number}: {COLOURS[ply.player]} cannot play {notation(ply.cell)}")
        board = played.resulting_board
        moves.append(Move(ply.player, ply.cell, played.captured_count, board))
    black, white = transcript.scores
    return GameRecord(
        stage_id=stage.id,
        stage_name=transcript.stage_name,
        black=transcript.black,
        white=transcript.white,
        initial_board=stage.board(),
        moves=tuple(moves),
        black_score=black,
        white_score=white,
        winner=transcript.winner,
        forfeit=transcript.forfeit,
    )
