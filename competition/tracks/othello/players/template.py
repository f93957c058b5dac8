"""The paper's template system: self-play statistics, a small book, and a search of two plies (specification 10)."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from vgdl.competition.tracks.othello.board import BLACK, EMPTY, WHITE, Board, Cell, count, opponent
from vgdl.competition.tracks.othello.players.simple import cell_values, most_captures
from vgdl.competition.tracks.othello.stages import PublicStage
from vgdl.competition.tracks.othello.systems import Api, Strategy, Timer

MAX_GAMES = 3000
SELF_PLAY_SHARE = 55 / 60
"""Share of the analysis time after which no further game is begun."""
MAX_MOVES = 60
"""Moves after which a game of the published self-play ends, over or not."""
BOOK_MOVES = 6
BOOK_PIECES = 12
"""The book is used while fewer pieces than this are on the board."""

_Player = Callable[[Board, int, list[Cell]], Cell]


@dataclass(frozen=True, slots=True)
class Game:
    """A game of the self-play."""

    moves: tuple[tuple[int, Cell], ...]  #: player and cell
    winner: int
    pieces: dict[int, int]  #: at the end, by player


class Template:
    """The template as published: its last term punishes good worst cases (``reply_weight`` below 0)."""

    reply_weight = -0.5
    heeds_goal = False  #: whether captures and replies are valued by the goal, as cells are

    def __init__(self, seed: int = 0) -> None:
        """Draw all chance from a seed."""
        self._random = random.Random(seed)

    def analyze_stage(
        self, stage: PublicStage, initial_board: Board, valid_moves: list[Cell], api: Api, timer: Timer
    ) -> Strategy:
        """Play against itself, collect statistics, and return the strategy."""
        games = self._self_play(stage, initial_board, self._referee(api), timer)
        is_reversed = any(game.winner and game.pieces[game.winner] < game.pieces[3 - game.winner] for game in games)
        values = learnt_values(cell_values(stage.board_size), games, is_reversed=is_reversed)
        goal = -1 if is_reversed and self.heeds_goal else 1
        return _Play(api, values, book(games), -5 if is_reversed else 10, self.reply_weight, goal)

    def _referee(self, api: Api) -> _Referee:
        """Who moves next in the self-play, and who has won."""
        return _Referee(api)

    def _self_play(self, stage: PublicStage, board: Board, referee: _Referee, timer: Timer) -> list[Game]:
        players = _self_players(stage, referee.api, self._random)
        stop_ms = timer.remaining_ms * (1 - SELF_PLAY_SHARE)
        games: list[Game] = []
        while len(games) < MAX_GAMES and timer.remaining_ms > stop_ms:
            sides = {BLACK: self._random.choice(players), WHITE: self._random.choice(players)}
            games.append(_self_game(board, referee, sides))
        return games


class TemplateFixed(Template):
    """The template without its faults.

    The sign of its last term is corrected. Its self-play asks the API, where that tells, who moves next and who has
    won, and ends with the game; so it finds out whether the fewest pieces win, which the published one cannot. Then
    captures and what replies leave change their signs with the values of cells.
    """

    reply_weight = 0.5
    heeds_goal = True

    def _referee(self, api: Api) -> _Referee:
        return _AskingReferee(api) if hasattr(api, "winner") else _Referee(api)


class _Referee:
    """The rules of the published self-play: sides alternate, and the majority wins."""

    def __init__(self, api: Api) -> None:
        self.api = api

    def ends_after(self, board: Board) -> int:
        """The number of moves after which a game ends in any case."""
        return MAX_MOVES

    def next_player(self, board: Board, mover: int) -> int:
        """The player to move after a move, who may have to pass; 0 if the game is over."""
        return opponent(mover)

    def winner(self, board: Board) -> int:
        """The winner at the end; 0 for a tie."""
        black, white = count(board, BLACK), count(board, WHITE)
        return EMPTY if black == white else BLACK if black > white else WHITE


class _AskingReferee(_Referee):
    """The true rules, as far as the API tells them."""

    def ends_after(self, board: Board) -> int:
        return count(board, EMPTY)

    def next_player(self, board: Board, mover: int) -> int:
        api: Any = self.api
        return int(api.next_player(board, mover))

    def winner(self, board: Board) -> int:
        api: Any = self.api
        return int(api.winner(board) or EMPTY)


def learnt_values(base: Sequence[Sequence[int]], games: Iterable[Game], *, is_reversed: bool) -> list[list[int]]:
    """Values of cells: 70 % of the base value and 30 % of the win rate of the side that played there."""
    plays: Counter[Cell] = Counter()
    wins: Counter[Cell] = Counter()
    for game in games:
        for player, cell in game.moves:
            plays[cell] += 1
            wins[cell] += player == game.winner
    sign = -1 if is_reversed else 1
    return [
        [sign * learnt_value(value, plays[row, column], wins[row, column]) for column, value in enumerate(line)]
        for row, line in enumerate(base)
    ]


def learnt_value(base: int, plays: int, wins: int) -> int:
    """The value of a cell from its base value and its numbers of plays and wins; halves are rounded up."""
    if plays < 3:
        return base
    confidence = min(1.0, plays / 10)
    advantage = (wins / plays - 0.5) * 100 * confidence
    return math.floor(0.7 * base + 0.3 * advantage + 0.5)


def book(games: Iterable[Game]) -> list[tuple[tuple[int, Cell], ...]]:
    """The three openings that black won most often, of those seen twice and won by black more than 60 %."""
    seen: Counter[tuple[tuple[int, Cell], ...]] = Counter()
    won: Counter[tuple[tuple[int, Cell], ...]] = Counter()
    for game in games:
        if len(game.moves) >= 4:
            opening = game.moves[:BOOK_MOVES]
            seen[opening] += 1
            won[opening] += game.winner == BLACK
    good = [opening for opening in seen if seen[opening] >= 2 and won[opening] > 0.6 * seen[opening]]
    return sorted(good, key=lambda opening: -won[opening] / seen[opening])[:3]


@dataclass(slots=True)
class _Play:
    """The strategy that the template returns."""

    api: Api
    values: list[list[int]]
    book: list[tuple[tuple[int, Cell], ...]]
    mobility_weight: int
    reply_weight: float
    goal: int = 1  #: -1 if captures and pieces count against their owner

    def __call__(self, board: Board, player: int, valid_moves: list[Cell]) -> Cell:
        if count(board, BLACK) + count(board, WHITE) < BOOK_PIECES:
            for opening in self.book:
                for mover, cell in opening:
                    if mover == player and cell in valid_moves:
                        return cell
        return max(valid_moves, key=lambda cell: self._value(board, player, cell))

    def _value(self, board: Board, player: int, cell: Cell) -> float:
        after = self.api.simulate_move(board, player, *cell)
        assert after.resulting_board is not None
        mobility = self.api.evaluate_board(after.resulting_board, player).mobility_score
        value = self.values[cell[0]][cell[1]] + self.goal * 5 * after.captured_count
        value += self.mobility_weight * mobility
        other = opponent(player)
        replies = self.api.get_valid_moves(after.resulting_board, other)
        if not replies:
            return value + 100
        worst = min(self._after_reply(after.resulting_board, player, other, reply) for reply in replies)
        return value + self.reply_weight * worst

    def _after_reply(self, board: Board, player: int, other: int, reply: Cell) -> float:
        after = self.api.simulate_move(board, other, *reply).resulting_board
        assert after is not None
        return self.goal * self.api.evaluate_board(after, player).total_score


def _self_players(stage: PublicStage, api: Api, chance: random.Random) -> tuple[_Player, ...]:
    """The three players of the self-play."""
    values = cell_values(stage.board_size)

    def uniform(board: Board, player: int, moves: list[Cell]) -> Cell:
        return chance.choice(moves)

    def greedy(board: Board, player: int, moves: list[Cell]) -> Cell:
        return most_captures(lambda cell: api.simulate_move(board, player, *cell).captured_count, moves)

    def positional(board: Board, player: int, moves: list[Cell]) -> Cell:
        return max(moves, key=lambda cell: values[cell[0]][cell[1]])

    return uniform, greedy, positional


def _self_game(board: Board, referee: _Referee, sides: dict[int, _Player]) -> Game:
    """Play a game of the self-play."""
    api, most = referee.api, referee.ends_after(board)
    player, passes = BLACK, 0
    moves: list[tuple[int, Cell]] = []
    while player and passes < 2 and len(moves) < most:
        legal = api.get_valid_moves(board, player)
        if legal:
            cell = sides[player](board, player, legal)
            board = api.simulate_move(board, player, *cell).resulting_board or board
            moves.append((player, cell))
        passes = 0 if legal else passes + 1
        player = referee.next_player(board, player) if legal else opponent(player)
    pieces = {BLACK: count(board, BLACK), WHITE: count(board, WHITE)}
    return Game(tuple(moves), referee.winner(board), pieces)
