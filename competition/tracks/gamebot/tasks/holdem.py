"""Texas Hold'em, heads-up and no-limit, as GAMEBoT plays it (specification, 4.7)."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from vgdl.competition.tracks.gamebot.grammars import Grammar, MoveGrammar, integer, number, one_of
from vgdl.competition.tracks.gamebot.task import Outcomes, Subproblem, Task
from vgdl.competition.tracks.gamebot.verdicts import Metric

TOLERANCE = 0.05
"""Accepted error of a probability, in percentage points."""

ROUNDS = ("pre-flop", "flop", "turn", "river")
STACK = 100  #: chips of each player
RANKS = "23456789TJQKA"
SUITS = ("Clubs", "Diamonds", "Hearts", "Spades")
ACTIONS = {0: "Fold", 1: "Check and Call", 4: "Raise Half Pot", 2: "Raise Full Pot", 3: "All in"}
"""The words of OpenSpiel's actions, in the order of the prompt."""

_RAISE = r"\b(?:raise|bet)[\s_-]*(?:by\s+)?\(?(?:the\s+)?"
_TOKEN = re.compile(
    r"\b(?P<fold>fold)\b|\b(?P<call>check[\s_-]*(?:and|/|&|or|-)?[\s_-]*call|call[\s_-]*(?:and|/|&)[\s_-]*check|check|call)\b"
    rf"|(?P<half>{_RAISE}half[\s_-]*(?:of\s+)?(?:the\s+)?pot\b|\bhalf[\s-]*pot[\s-]*raise\b)"
    rf"|(?P<full>{_RAISE}(?:full[\s_-]*)?(?:the\s+)?pot\b|\b(?:full[\s-]*)?pot[\s-]*raise\b)"
    r"|\b(?P<all>all[\s_-]?in)\b|\b(?P<chips>raise\s*(?:by\s+|to\s+)?\d+)\b"
)
_NUMBERS = {"fold": 0, "call": 1, "half": 4, "full": 2, "all": 3, "chips": -1}


class Card(NamedTuple):
    """A card: its rank from 2 to 14 (ace) and its suit."""

    rank: int
    suit: str

    def __str__(self) -> str:
        return f"{self.suit} {'10' if self.rank == 10 else RANKS[self.rank - 2]}"


def card(text: str) -> Card:
    """Parse a card written like ``Hearts 10``."""
    suit, _, rank = text.partition(" ")
    return Card(RANKS.index("T" if rank == "10" else rank) + 2, suit)


@cache
def table() -> dict[str, float]:
    """The probabilities of winning with two cards, in percent: ``AA``, ``AKs`` suited, ``AKo`` not, ``AK`` for both."""
    text = files("vgdl.competition.tracks.gamebot").joinpath("preflop.txt").read_text(encoding="utf-8")
    words = text.split()
    return {key: float(value) for key, value in zip(words[::2], words[1::2], strict=True)}


def preflop(cards: Sequence[Card]) -> float:
    """The probability of winning with two cards, in percent, from the table."""
    high, low = sorted(cards, reverse=True)
    key = RANKS[high.rank - 2] + RANKS[low.rank - 2]
    exact = key + ("s" if high.suit == low.suit else "o")
    return table()[exact] if exact in table() else table()[key]


def hand_rank(cards: Sequence[Card]) -> int:
    """The rank of the best five of some cards: 1 for a royal flush to 10 for a high card."""
    by_suit = (sorted({held.rank for held in cards if held.suit == suit}) for suit in SUITS)
    flushes = [ranks for ranks in by_suit if len(ranks) >= 5]
    straight_flush = max((_straight(ranks) for ranks in flushes), default=0)
    counts = sorted(Counter(held.rank for held in cards).values(), reverse=True)
    if straight_flush:
        return 1 if straight_flush == 14 else 2
    if counts[0] == 4:
        return 3
    if counts[0] == 3 and counts[1:2] >= [2]:
        return 4
    if flushes:
        return 5
    if _straight({held.rank for held in cards}):
        return 6
    if counts[0] == 3:
        return 7
    return 10 if counts[0] == 1 else 8 if counts[1:2] == [2] else 9


def _straight(ranks: Sequence[int] | set[int]) -> int:
    """The highest rank of a straight among some ranks, 5 for A-2-3-4-5; 0 if there is none."""
    held = set(ranks) | ({1} if 14 in ranks else set())
    return max((top for top in range(5, 15) if all(top - below in held for below in range(5))), default=0)


class Deal(NamedTuple):
    """The cards of a hand, in the order in which they were dealt."""

    hands: tuple[tuple[Card, ...], tuple[Card, ...]]
    board: tuple[Card, ...]


def deal(state: Any) -> Deal:
    """The cards dealt so far: two to the small blind, two to the big blind, then the board."""
    dealt = [step.action for step in state.full_history() if step.player == -1]
    cards = tuple(Card(number // 4 + 2, SUITS[number % 4]) for number in dealt)
    return Deal((cards[:2], cards[2:4]), cards[4:])


class Holdem(Task):
    name = "holdem"
    title = "Texas Hold'em"
    letter = "H"
    game_name = (
        "universal_poker(betting=nolimit,numPlayers=2,numRounds=4,blind=1 2,firstPlayer=1 1 1 1,numSuits=4,"
        "numRanks=13,numHoleCards=2,numBoardCards=0 3 1 1,stack=100 100,bettingAbstraction=fchpa)"
    )
    outcomes = Outcomes.VALUES
    forfeit = (-100.0, 100.0)
    seats = ("small blind", "big blind")
    move_marker = r"chosen[\s_-]+action"
    shown_marker = "Chosen Action: "
    illegal_move = "Raise 7 chips"  # raises are fractions of the pot
    move_grammar = MoveGrammar(_TOKEN, lambda match: _NUMBERS[str(match.lastgroup)])

    def text(self, state: Any, player: int) -> str:
        dealt = deal(state)
        spent = json.loads(state.to_json())["player_contributions"]
        own, other = spent[player], spent[1 - player]
        legal = ", ".join(self.written(move) for move in self.moves(state, player))
        return "\n".join(
            [
                f"Round: {ROUNDS[_round(dealt)]}. You are the {self.seats[player]}.",
                f"Your cards: {', '.join(map(str, dealt.hands[player]))}",
                f"Board: {', '.join(map(str, dealt.board)) or 'none yet'}",
                f"You: {STACK - own} chips left, {own} in the pot",
                f"Opponent: {STACK - other} chips left, {other} in the pot",
                f"Legal actions: {legal}",
            ]
        )

    def prompt_facts(self) -> Mapping[str, str]:
        return {"table": ", ".join(f"{key} {value:g}%" for key, value in table().items())}

    def moves(self, state: Any, player: int) -> list[int]:
        legal = state.legal_actions(player)
        return [action for action in ACTIONS if action in legal]

    def action(self, state: Any, player: int, move: int) -> int | None:
        return move if move in state.legal_actions(player) else None

    def written(self, move: int) -> str:
        return ACTIONS.get(move, self.illegal_move)

    @property
    def subproblems(self) -> tuple[Subproblem, ...]:
        return (
            Subproblem(1, "pre-flop", Metric.ACCURACY, number, _preflop, lambda truth: f"{truth:g}%", _is_near),
            Subproblem(2, "hand rank", Metric.ACCURACY, _rank, _hand_rank, str),
        )


_NAMES = {
    "royal flush": 1, "straight flush": 2, "four of a kind": 3, "quads": 3, "full house": 4, "flush": 5, "straight": 6,
    "three of a kind": 7, "trips": 7, "two pairs": 8, "two pair": 8, "one pair": 9, "a pair": 9, "pair": 9,
    "high card": 10,
}  # fmt: skip
_NAMED = re.compile(rf"\b({one_of(tuple(_NAMES))})\b(?:\s+of\s+(?:\d{{1,2}}|[a-z]+)s\b)?")
_CARDS = re.compile(r"\((?:[a-z]+s?(?: and | high|, )?)+\)")
_AROUND = re.compile(r"(?:\b(?:my|the|hand|rank|ranking|number|category|is|of|no)\b|[\s:=#.,;()-])*")
_ONE_NUMBER = re.compile(r"(?<![\d.])\d{1,2}(?![\d.%]\d|\d)")


def _rank_forms(payload: str) -> Iterator[str]:
    """The number of a rank beside its name, which it must fit, such as ``Rank 9 - One Pair``."""
    names = {_NAMES[re.sub(r"[\s_-]+", " ", name)] for name in _NAMED.findall(payload)}
    rest = _CARDS.sub(" ", _NAMED.sub(" ", payload))
    found = _ONE_NUMBER.findall(rest)
    if len(found) == 1 and names <= {int(found[0])} and not _AROUND.sub("", _ONE_NUMBER.sub(" ", rest)):
        yield found[0]


_rank = Grammar(integer.strict, _rank_forms)


def _round(dealt: Deal) -> int:
    return {0: 0, 3: 1, 4: 2, 5: 3}[len(dealt.board)]


def _preflop(state: Any, player: int, move: Any) -> float | None:
    dealt = deal(state)
    return None if dealt.board else preflop(dealt.hands[player])


def _hand_rank(state: Any, player: int, move: Any) -> int | None:
    dealt = deal(state)
    return hand_rank([*dealt.hands[player], *dealt.board]) if dealt.board else None


def _is_near(truth: float, answer: float) -> bool:
    return abs(truth - answer) <= TOLERANCE + 1e-9
