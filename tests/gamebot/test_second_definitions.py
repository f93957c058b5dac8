"""Truths against a second definition, written in another way, on positions of random play: a thousand per game with --everything."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest

from vgdl.competition.tracks.gamebot.tasks import TASKS, checkers, holdem
from vgdl.tabletop import sample_chance

pytest.importorskip("pyspiel", reason='needs: pip install "vgdl[tabletop]"')


def positions(name: str, everything: bool) -> Iterator[tuple[Any, Any, int, Any]]:
    """Task, state, player and a random move of the turns of random plays."""
    task, draws, seen, wanted = TASKS[name](), random.Random(name), 0, 1000 if everything else 60
    while True:
        state = task.start()
        while not state.is_terminal():
            if state.is_chance_node():
                sample_chance(state, draws.random)
                continue
            asked = [player for player in (0, 1) if task.is_asked(state, player)]
            moves = [draws.choice(task.moves(state, player)) for player in asked]
            for player, move in zip(asked, moves, strict=True):
                yield task, state, player, move
                seen += 1
                if seen == wanted:
                    return
            actions = [task.action(state, player, move) for player, move in zip(asked, moves, strict=True)]
            if state.is_simultaneous_node():
                state.apply_actions(actions)
            else:
                state.apply_action(actions[0] if actions else state.legal_actions()[0])


def test_othello(everything: bool) -> None:
    corners = re.compile(r"\([AH],[18]\)")
    for task, state, player, move in positions("othello", everything):
        legal = task.text(state, player).split("Legal moves: ")[1]
        truths = task.truths(state, player, move)
        assert truths[1] == bool(corners.search(legal))
        board = ["".join("_BW"[code] for code in row) for row in state.rows()]
        edges = [
            [(0, k) for k in range(8)],
            [(7, k) for k in range(8)],
            [(k, 0) for k in range(8)],
            [(k, 7) for k in range(8)],
        ]
        other = "WB"[player]
        wedges = {
            edge[found.start() + 1]
            for edge in edges
            for found in re.finditer(f"(?={other}_{other})", "".join(board[row][column] for row, column in edge))
        }
        legal_squares = {(int(row) - 1, ord(column) - 65) for column, row in re.findall(r"\(([A-H]),([1-8])\)", legal)}
        assert truths[2] == wedges & legal_squares


def test_pong(everything: bool) -> None:
    for task, state, player, move in positions("pong", everything):
        truths = task.truths(state, player, move)
        *_, before, now = state.frames(player)
        if now.disturbed:
            assert truths == {}
            continue
        dx, dy = now.x - before.x, now.y - before.y
        assert truths[1] == f"{'Right' if dx > 0 else 'Left'} {'Up' if dy > 0 else 'Down'}"
        assert (2 in truths) == (dx > 0)
        if dx > 0:
            y, slope = Fraction(now.y), Fraction(dy, dx)
            for _ in range(now.x, 140):  # column by column, turning at the walls
                y += slope
                if y > 176:
                    y, slope = 352 - y, -slope
                if y < 16:
                    y, slope = 32 - y, -slope
            assert truths[2] == float(y)


@pytest.mark.costly
def test_surround(everything: bool) -> None:
    for task, state, player, move in positions("surround", everything):
        truths = task.truths(state, player, move)
        grid = state.grid()
        row, column = state.trace(player)[-1]
        around = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
        assert truths[1] == set(enumerate(grid[r][c] for r, c in around))
        assert truths[2] == {direction for direction, (r, c) in enumerate(around) if grid[r][c] == 0}
        names = {(r, c): (r, c) for r in range(20) for c in range(40) if grid[r][c] == 0}

        def find(cell: tuple[int, int], names: dict[Any, Any] = names) -> tuple[int, int]:
            while names[cell] != cell:
                cell = names[cell]
            return cell

        for r, c in names:  # union of neighbours, in place of a search from one cell
            for other in ((r + 1, c), (r, c + 1)):
                if other in names:
                    names[find((r, c))] = find(other)
        sizes: dict[tuple[int, int], int] = {}
        for cell in names:
            sizes[find(cell)] = sizes.get(find(cell), 0) + 1
        assert truths[3] == {(d, sizes[find(around[d])] >= 10) for d in truths[2]}


def test_checkers(everything: bool) -> None:
    """By playing every continuation in OpenSpiel."""
    for task, state, player, move in positions("checkers", everything):
        truths = task.truths(state, player, move)
        plain = state.unwrapped
        actions = {checkers.move_of(plain.action_to_string(player, action)): action for action in plain.legal_actions()}
        last = 7 if player == 0 else 0
        board = checkers.board_of(plain)
        assert truths[1] == {each for each in actions if each[2] == last and board[each[:2]].islower()}
        if state.in_turn:
            assert set(truths) == {1}
            continue
        steps = {each: action for each, action in actions.items() if abs(each[2] - each[0]) == 1}
        dies, pays = set(), set()
        for step, action in steps.items():
            after = plain.child(action)
            replies = list(turns(after, 1 - player))
            if after.is_terminal():
                continue
            for taken, end in replies:
                if step[2:] in taken and not any(taken for taken, _ in turns(end, player)):
                    dies.add(step)
            if replies[0][0] and all(
                any(len(back) >= max(2, len(taken) + 1) for back, _ in turns(end, player)) for taken, end in replies
            ):
                pays.add(step)
        assert truths[2] == dies
        assert truths[3] == pays


def turns(state: Any, player: int, taken: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """What a player takes in each of its turns, and the state after it."""
    if state.is_terminal() or state.current_player() != player:
        yield taken, state
        return
    for action in state.legal_actions():
        row, column, to_row, to_column = checkers.move_of(state.action_to_string(player, action))
        jumped = ((row + to_row) // 2, (column + to_column) // 2)
        if abs(row - to_row) == 2:
            yield from turns(state.child(action), player, (*taken, jumped))
        else:
            yield taken, state.child(action)


@pytest.mark.parametrize(("name", "rows", "columns", "length"), [("tic_tac_toe", 3, 3, 3), ("connect_four", 6, 7, 4)])
def test_lines(name: str, rows: int, columns: int, length: int, everything: bool) -> None:
    lines = [
        [(row + k * down, column + k * right) for k in range(length)]
        for row in range(rows)
        for column in range(columns)
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1))
        if 0 <= row + (length - 1) * down < rows and 0 <= column + (length - 1) * right < columns
    ]
    for task, state, player, move in positions(name, everything):
        board = {(r, c): symbol for r, row in enumerate(task.board(state)) for c, symbol in enumerate(row)}
        for number, symbol in ((1, "XO"[player]), (2, "OX"[player])):
            winning = set()
            for square in task.moves(state, player):
                placed = board | {square: symbol}
                if any(all(placed[cell] == symbol for cell in line) for line in lines):
                    winning.add(square)
            assert task.truths(state, player, move)[number] == winning


def test_holdem(everything: bool) -> None:
    for task, state, player, move in positions("holdem", everything):
        truths = task.truths(state, player, move)
        text = task.text(state, player)
        own = [holdem.card(card) for card in re.search(r"Your cards: (.*)", text)[1].split(", ")]  # type: ignore[index]
        shown = re.search(r"Board: (.*)", text)[1]  # type: ignore[index]
        if shown == "none yet":
            ranks = sorted((card.rank for card in own), reverse=True)
            key = "".join("0023456789TJQKA"[rank] for rank in ranks)
            suited = "s" if own[0].suit == own[1].suit else "o"
            assert truths == {1: holdem.table().get(key + suited, holdem.table().get(key))}
            continue
        cards = own + [holdem.card(card) for card in shown.split(", ")]
        assert truths == {2: min(classified(five) for five in combinations(cards, 5))}


def classified(five: tuple[holdem.Card, ...]) -> int:
    """The rank of exactly five cards."""
    ranks = sorted(card.rank for card in five)
    flush = len({card.suit for card in five}) == 1
    straight = len(set(ranks)) == 5 and (ranks[4] - ranks[0] == 4 or ranks == [2, 3, 4, 5, 14])
    if flush and straight:
        return 1 if ranks == [10, 11, 12, 13, 14] else 2
    pattern = sorted((ranks.count(rank) for rank in set(ranks)), reverse=True)
    kinds = {(4, 1): 3, (3, 2): 4, (3, 1, 1): 7, (2, 2, 1): 8, (2, 1, 1, 1): 9, (1, 1, 1, 1, 1): 10}
    found = kinds[tuple(pattern)]
    return 5 if flush and found > 5 else 6 if straight else found


def test_bargaining(everything: bool) -> None:
    triple = r"\((\d+),(\d+),(\d+)\)"
    for task, state, player, move in positions("bargaining", everything):
        truths = task.truths(state, player, move)
        text = task.text(state, player)
        values = [int(v) for v in re.search(rf"Your values per item: {triple}", text).groups()]  # type: ignore[union-attr]
        offers = re.findall(rf"proposes: P1 {triple}, P2 {triple}", text)
        assert (1 in truths) == bool(offers)
        if offers:
            share = [int(items) for items in offers[-1][3 * player : 3 * player + 3]]
            assert truths[1] == sum(items * value for items, value in zip(share, values, strict=True))
        written = re.fullmatch(rf"\[P1: {triple}, P2: {triple}\]", task.written(move))
        assert (2 in truths) == bool(written)
        if written:
            share = [int(items) for items in written.groups()[3 * player : 3 * player + 3]]
            assert truths[2] == sum(items * value for items, value in zip(share, values, strict=True))
