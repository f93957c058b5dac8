"""Inference of a stage's rules from the answers of the API (specification 15.3)."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from vgdl.competition.tracks.othello.board import (
    BLACK,
    BLOCKED,
    EMPTY,
    WHITE,
    Board,
    opponent,
    with_fewer_pieces,
)
from vgdl.competition.tracks.othello.systems import Api
from vgdl.tabletop.othello import Rules
from vgdl.tabletop.othello_stages import Stage

POSITIONS = 500
"""Number of random positions on which a model is compared with the API."""

_ENOUGH = 20
"""Number of positions that suffice to infer the turn order."""

_LINES = ((WHITE, BLOCKED, BLACK), (BLOCKED, WHITE, BLACK))
"""Contents of the cells next to an empty one for which black only captures by passing over a blocked cell."""


@dataclass(frozen=True, slots=True)
class Inferred:
    """Beliefs about the secret rules."""

    ignore_occlusion: bool
    fewer_continue: bool
    fewest_wins: bool

    def rules(self, board: Board) -> Rules:
        """Make a model of the stage that a board belongs to."""
        believed = Stage(
            id="",
            name="",
            board_size=len(board),
            ignore_occlusion=self.ignore_occlusion,
            fewer_pieces_continue=self.fewer_continue,
            fewest_wins=self.fewest_wins,
        )
        return Rules(believed)


def infer(api: Api, board: Board, seed: int = 0) -> Inferred:
    """Query the capture rule, and turn order and goal if the API provides them; by default the standard ones."""
    games = list(_random_positions(api, board, random.Random(seed), POSITIONS))
    return Inferred(
        ignore_occlusion=any(_captures(api, len(board), line) for line in _LINES),
        fewer_continue=_fewer_continue(api, games),
        fewest_wins=_fewest_wins(api, games),
    )


def agrees(rules: Rules, api: Api, board: Board, seed: int = 1) -> bool:
    """Whether a model and the API agree on random positions of the stage."""
    next_player = getattr(api, "next_player", None)
    for position, mover in _random_positions(api, board, random.Random(seed), POSITIONS):
        for player in (BLACK, WHITE):
            moves = api.get_valid_moves(position, player)
            if rules.legal_moves(position, player) != moves:
                return False
            for row, column in moves:
                if rules.simulate(position, player, row, column) != api.simulate_move(position, player, row, column):
                    return False
        if next_player is not None and rules.next_player(position, mover) != next_player(position, mover):
            return False
    return True


def _captures(api: Api, size: int, line: tuple[int, ...]) -> bool:
    row = (EMPTY, *line) + (EMPTY,) * (size - 1 - len(line))
    board = (row,) + ((EMPTY,) * size,) * (size - 1)
    return api.simulate_move(board, BLACK, 0, 0).valid


def _fewer_continue(api: Api, positions: list[tuple[Board, int]]) -> bool:
    next_player = getattr(api, "next_player", None)
    if next_player is None:
        return False
    telling = (
        (board, fewer)
        for board, _ in positions
        if (fewer := with_fewer_pieces(board))
        and api.get_valid_moves(board, BLACK)
        and api.get_valid_moves(board, WHITE)
    )
    answers = [next_player(board, fewer) == fewer for (board, fewer), _ in zip(telling, range(_ENOUGH), strict=False)]
    return bool(sum(answers) > len(answers) / 2)


def _fewest_wins(api: Api, positions: list[tuple[Board, int]]) -> bool:
    winner = getattr(api, "winner", None)
    if winner is None:
        return False
    for board, _ in positions:
        if (fewer := with_fewer_pieces(board)) and (won := winner(board)):
            return bool(won == fewer)
    return False


def _random_positions(api: Api, start: Board, chance: random.Random, number: int) -> Iterator[tuple[Board, int]]:
    """Positions of random games, including final ones, each with the player whose move led to it; turns alternate."""
    found = 0
    if not (api.get_valid_moves(start, BLACK) or api.get_valid_moves(start, WHITE)):
        return
    while found < number:
        board, player = start, BLACK
        while found < number:
            moves = api.get_valid_moves(board, player)
            if not moves:
                player = opponent(player)
                moves = api.get_valid_moves(board, player)
            if not moves:
                break
            board = api.simulate_move(board, player, *chance.choice(moves)).resulting_board or board
            yield board, player
            found += 1
            player = opponent(player)
