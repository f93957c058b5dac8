"""Drawings of positions, as SVG, from the texts that players were shown. A text that is not understood has none."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Sequence

_CELL = re.compile(r"\((\d{1,2}),(\d{1,2})\):(\w)")
_SIDE = 40
"""Units per square of a board."""


def drawing(game: str, position: str) -> str:
    """The drawing of a position; empty if there is none."""
    draw = _DRAWINGS.get(game)
    return draw(position) if draw else ""


def _svg(width: float, height: float, title: str, parts: Iterable[str]) -> str:
    return (
        f'<svg class="board" viewBox="0 0 {width:g} {height:g}" role="img" aria-label="{html.escape(title)}">'
        f"{''.join(parts)}</svg>"
    )


def _cells(position: str) -> dict[tuple[int, int], str]:
    return {(int(row), int(column)): value for row, column, value in _CELL.findall(position)}


def _rect(x: float, y: float, width: float, height: float, kind: str) -> str:
    return f'<rect class="{kind}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}"/>'


def _disc(x: float, y: float, radius: float, kind: str) -> str:
    return f'<circle class="{kind}" cx="{x:g}" cy="{y:g}" r="{radius:g}"/>'


def _text(x: float, y: float, text: str, kind: str = "label") -> str:
    return f'<text class="{kind}" x="{x:g}" y="{y:g}">{html.escape(text)}</text>'


def _squares(
    rows: int, columns: int, kind: Callable[[int, int], str], names: tuple[Sequence[str], Sequence[str]]
) -> list[str]:
    """A board with the names of its rows, top down, and columns, at a distance of one square from the edge."""
    parts = [
        _rect((column + 1) * _SIDE, (row + 1) * _SIDE, _SIDE, _SIDE, kind(row, column))
        for row in range(rows)
        for column in range(columns)
    ]
    parts += [_text((at + 1.5) * _SIDE, 0.65 * _SIDE, name) for at, name in enumerate(names[1])]
    return parts + [_text(0.5 * _SIDE, (at + 1.65) * _SIDE, name) for at, name in enumerate(names[0])]


def _centre(at: int) -> float:
    return (at + 1.5) * _SIDE


def _othello(position: str) -> str:
    rows = [line.split()[1:] for line in position.splitlines() if re.fullmatch(r"[1-8]( +[_BW]){8}", line.strip())]
    if len(rows) != 8:
        return ""
    parts = _squares(8, 8, lambda row, column: "felt", ("12345678", "ABCDEFGH"))
    for row, codes in enumerate(rows):
        for column, code in enumerate(codes):
            if code != "_":
                parts.append(_disc(_centre(column), _centre(row), 16, "black" if code == "B" else "white"))
    legal = re.search(r"Legal moves: (.*)", position)
    for letter, digit in re.findall(r"\(([A-H]),([1-8])\)", legal[1] if legal else ""):
        parts.append(_disc(_centre(ord(letter) - ord("A")), _centre(int(digit) - 1), 5, "hint"))
    return _svg(9.2 * _SIDE, 9.2 * _SIDE, "Othello board", parts)


def _checkers(position: str) -> str:
    board = _cells(position)
    if set(board) != {(row, column) for row in range(8) for column in range(8)}:
        return ""
    names = "01234567"
    parts = _squares(8, 8, lambda row, column: "dark" if (row + column) % 2 else "light", (names, names))
    for (row, column), piece in board.items():
        if piece != "_":
            parts.append(_disc(_centre(column), _centre(row), 15, "white" if piece in "wW" else "black"))
            if piece.isupper():
                kind = "crown on-white" if piece == "W" else "crown on-black"
                parts.append(_text(_centre(column), _centre(row) + 7, "K", kind))
    return _svg(9.2 * _SIDE, 9.2 * _SIDE, "Checkers board", parts)


def _lines(rows: int, columns: int, *, rises: bool) -> Callable[[str], str]:
    """The drawing of a board with X and O; row 0 is at the bottom if rows rise."""

    def draw(position: str) -> str:
        board = _cells(position)
        if set(board) != {(row, column) for row in range(rows) for column in range(columns)}:
            return ""
        order = list(range(rows))[::-1] if rises else list(range(rows))
        names = [str(row) for row in order], [str(column) for column in range(columns)]
        parts = _squares(rows, columns, lambda row, column: "plain", names)
        for (row, column), symbol in board.items():
            x, y = _centre(column), _centre(order.index(row))
            if symbol == "X":
                parts.append(f'<path class="cross" d="M{x - 11:g} {y - 11:g}l22 22m0 -22l-22 22"/>')
            elif symbol == "O":
                parts.append(_disc(x, y, 12, "ring"))
        return _svg((columns + 1.2) * _SIDE, (rows + 1.2) * _SIDE, "Board", parts)

    return draw


def _surround(position: str) -> str:
    board = _cells(position)
    if len(board) != 800:
        return ""
    kinds = {"1": "wall", "2": "second trail", "3": "second", "4": "first trail", "5": "first"}
    parts = [_rect(0, 0, 400, 200, "plain")]
    for value, kind in kinds.items():
        steps = "".join(
            f"M{column * 10} {row * 10}h10v10h-10z" for (row, column), found in board.items() if found == value
        )
        parts += [f'<path class="{kind}" d="{steps}"/>'] if steps else []
    return _svg(400, 200, "Grid of Surround", parts)


_FRAME = re.compile(
    r"ball_x=(\d+), ball_y=(\d+), player_x=(\d+), player_y=\[(\d+), (\d+)\], "
    r"opponent_x=(\d+), opponent_y=\[(\d+), (\d+)\]"
)


def _pong(position: str) -> str:
    frames = [tuple(map(int, found)) for found in _FRAME.findall(position)]
    if not frames:
        return ""
    _, _, x, low, high, other, other_low, other_high = frames[-1]
    parts = [_rect(0, 0, 160, 160, "plain")]
    parts += [
        _rect(x, 176 - high, 4, high - low, "first"),
        _rect(other - 4, 176 - other_high, 4, other_high - other_low, "second"),
    ]
    for number, frame in enumerate(frames):
        parts.append(_disc(frame[0], 176 - frame[1], 3, "ball" if number == len(frames) - 1 else "ball before"))
    return _svg(160, 160, "Field of Pong with the last three places of the ball", parts)


_SUITS = {"Spades": "♠", "Hearts": "♥", "Diamonds": "♦", "Clubs": "♣"}


def _holdem(position: str) -> str:
    parts = []
    for row, (name, title) in enumerate((("Board", "Board"), ("Your cards", "Own cards"))):
        found = re.search(rf"^{name}: (.*)$", position, re.MULTILINE)
        cards = re.findall(r"(Spades|Hearts|Diamonds|Clubs) (10|[2-9JQKA])", found[1]) if found else []
        parts.append(f'<text class="caption" x="5" y="{15 + row * 85}">{title}</text>')
        for place, (suit, rank) in enumerate(cards):
            x, y = 5 + place * 46, 22 + row * 85
            parts.append(f'<rect class="card" x="{x}" y="{y}" width="40" height="56" rx="5"/>')
            colour = "red" if suit in ("Hearts", "Diamonds") else "ink"
            parts += [_text(x + 20, y + 24, rank, colour), _text(x + 20, y + 46, _SUITS[suit], colour)]
    return _svg(240, 170, "Cards", parts) if "Your cards" in position else ""


def _bargaining(position: str) -> str:
    pool = re.search(r"Pool: \((\d{1,2}),(\d{1,2}),(\d{1,2})\)", position)
    values = re.search(r"Your values per item: \((\d{1,2}),(\d{1,2}),(\d{1,2})\)", position)
    if not pool or not values:
        return ""
    offers = re.findall(r"P1 \((\d{1,2}),(\d{1,2}),(\d{1,2})\), P2", position)
    parts = ['<text class="caption" x="5" y="14">items, filled: offered to player 1</text>']
    parts.append('<text class="caption right" x="335" y="14">own value</text>')
    for kind in range(3):
        y = 36 + kind * 30
        first = int(offers[-1][kind]) if offers else 0
        for item in range(int(pool[kind + 1])):
            parts.append(_disc(16 + item * 24, y, 9, "first" if item < first else "ring"))
        parts.append(_text(315, y + 6, values[kind + 1]))
    return _svg(340, 115, "Pool and last proposal", parts)


_DRAWINGS: dict[str, Callable[[str], str]] = {
    "othello": _othello,
    "pong": _pong,
    "surround": _surround,
    "checkers": _checkers,
    "tic_tac_toe": _lines(3, 3, rises=False),
    "connect_four": _lines(6, 7, rises=True),
    "holdem": _holdem,
    "bargaining": _bargaining,
}
