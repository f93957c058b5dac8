"""Hand of war: a battle of hidden cards with sixteen of them (code world models, 9.5).

Each player has eight cards, the top three of which are the hand. In a battle, player 0 commits a card face down, then
player 1 does; the higher card takes all cards at stake. After a tie, each burns the top card of the draw pile, face
down, and both choose again from the rest of the hand. Cards at stake in an unfinished showdown belong to neither
player.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

from vgdl.tabletop.game import ChanceMode, GameType, Information
from vgdl.tabletop.plain import PlainGame, PlainState
from vgdl.tabletop.protocols import CHANCE, TERMINAL, Uniform

RANKS, SUITS = "JQKA", "CDHS"
CARDS = tuple(rank + suit for rank in RANKS for suit in SUITS)  #: by action, the lowest first
EACH = 8  #: cards dealt to a player
HAND = 3


class HandOfWar(PlainGame):
    """Hand of war for two players."""

    type = GameType(
        "hand_of_war",
        "Hand of war",
        chance_mode=ChanceMode.EXPLICIT_STOCHASTIC,
        information=Information.IMPERFECT_INFORMATION,
        provides_observation_tensor=False,
    )

    @classmethod
    def of(cls, parameters: Mapping[str, str]) -> HandOfWar:
        """The game; it has no parameters.

        Raises:
            ValueError: parameters were given.
        """
        if parameters:
            raise ValueError("hand_of_war has no parameters")
        return cls()

    def new_initial_state(self) -> HandOfWarState:
        return HandOfWarState(self)

    def num_distinct_actions(self) -> int:
        return len(CARDS)

    def max_chance_outcomes(self) -> int:
        return len(CARDS)

    def max_game_length(self) -> int:
        return 2 * EACH

    def get_parameters(self) -> dict[str, Any]:
        return {}


class HandOfWarState(PlainState):
    """A position of hand of war.

    The deal is one chance node per card: player 0's cards, top first, then player 1's.
    """

    def __init__(self, game: HandOfWar) -> None:
        super().__init__(game)
        self._decks: tuple[tuple[int, ...], ...] = ((), ())  # as dealt
        self._drawn: tuple[int, ...] = (HAND, HAND)  # cards of each deck that have left it, burned ones included
        self._hands: tuple[tuple[int, ...], ...] = ((), ())
        self._committed: int | None = None  # player 0's card, until player 1 has committed one
        self._stake: tuple[int, ...] = ()  # burned cards and those of ties
        self._won: tuple[int, ...] = (0, 0)  # sizes of the win piles
        self._over = False
        self._log: tuple[str, ...] = ()  # public events
        self._memory: tuple[tuple[str, ...], ...] = ((), ())  # hands and choices of each player

    def current_player(self) -> int:
        if len(self._decks[1]) < EACH:
            return CHANCE
        if self._over:
            return TERMINAL
        return 0 if self._committed is None else 1

    def returns(self) -> list[float]:
        ahead = self._won[0] - self._won[1] if self._over else 0
        sign = float((ahead > 0) - (ahead < 0))
        return [sign, -sign]

    def _moves(self, player: int) -> list[int]:
        return sorted(self._hands[player])

    def _chances(self) -> list[tuple[int, float]]:
        left = [card for card in range(len(CARDS)) if card not in self._decks[0] + self._decks[1]]
        return [(card, 1.0 / len(left)) for card in left]

    def _play(self, actions: Sequence[int]) -> None:
        card = actions[0]
        if len(self._decks[1]) < EACH:
            player = 0 if len(self._decks[0]) < EACH else 1
            self._decks = _with(self._decks, player, (*self._decks[player], card))
            self._hands = tuple(deck[:HAND] for deck in self._decks)
            return
        player = self.current_player()
        choice = f"{_named(self._hands[player])}: {CARDS[card]}"
        self._memory = _with(self._memory, player, (*self._memory[player], choice))
        self._hands = _with(self._hands, player, tuple(held for held in self._hands[player] if held != card))
        if player == 0:
            self._committed = card
        else:
            self._reveal(card)

    def _reveal(self, second: int) -> None:
        """Compare the committed cards, and continue to the next battle or to a showdown."""
        assert self._committed is not None
        first = self._committed
        self._committed = None
        self._log = (*self._log, f"{CARDS[first]}-{CARDS[second]}")
        self._stake = (*self._stake, first, second)
        ranks = first // len(SUITS), second // len(SUITS)
        if ranks[0] == ranks[1]:
            self._burn()
            return
        winner = 0 if ranks[0] > ranks[1] else 1
        self._won = _with(self._won, winner, self._won[winner] + len(self._stake))
        self._stake = ()
        self._draw(winner)

    def _burn(self) -> None:
        """Resolve a tie: a card of each draw pile is put at stake face down; without one, or a hand, the game ends."""
        if max(self._drawn) == EACH or not all(self._hands):
            self._over = True
            return
        self._stake += tuple(deck[at] for deck, at in zip(self._decks, self._drawn, strict=True))
        self._drawn = tuple(at + 1 for at in self._drawn)

    def _draw(self, winner: int) -> None:
        """Refill the hands; a player with all cards has won, and the game ends if a player cannot draw."""
        loser = 1 - winner
        left = EACH - self._drawn[loser] + len(self._hands[loser]) + self._won[loser]
        wanted = [HAND - len(hand) for hand in self._hands]
        if left == 0 or any(at + more > EACH for at, more in zip(self._drawn, wanted, strict=True)):
            self._over = True
            return
        for player in range(2):
            at = self._drawn[player]
            fresh = self._decks[player][at : at + wanted[player]]
            self._hands = _with(self._hands, player, self._hands[player] + fresh)
        self._drawn = tuple(at + more for at, more in zip(self._drawn, wanted, strict=True))

    def _words(self, player: int, action: int) -> str:
        return CARDS[action]

    def __str__(self) -> str:
        seen = [f"player {player}: {self.observation_string(player)}" for player in range(2)]
        decks = [" ".join(CARDS[card] for card in deck) or "empty" for deck in self._decks]
        return "\n".join([*seen, f"decks {decks[0]} | {decks[1]}", f"committed {self._committed}"])

    def to_struct(self) -> dict[str, Any]:
        """The position as JSON values; cards by name, draw piles from the top."""
        drawn = [min(at, len(deck)) for deck, at in zip(self._decks, self._drawn, strict=True)]
        return {
            "hands": [[CARDS[card] for card in sorted(hand)] for hand in self._hands],
            "draw_piles": [[CARDS[card] for card in deck[at:]] for deck, at in zip(self._decks, drawn, strict=True)],
            "committed": None if self._committed is None else CARDS[self._committed],
            "at_stake": sorted(CARDS[card] for card in self._stake),
            "win_piles": list(self._won),
            "revealed": list(self._log),
            "current_player": self.current_player(),
        }

    def to_observation_struct(self, player: int) -> dict[str, Any]:
        """What a player sees, as JSON values."""
        is_dealt = len(self._decks[1]) == EACH
        committed = None
        if self._committed is not None:
            committed = CARDS[self._committed] if player == 0 else "hidden"
        return {
            "hand": [CARDS[card] for card in sorted(self._hands[player])] if is_dealt else [],
            "draw_pile": EACH - self._drawn[player],
            "committed": committed,
            "at_stake": len(self._stake),
            "win_piles": [self._won[player], self._won[1 - player]],
            "revealed": list(self._log),
            "current_player": self.current_player(),
        }

    def observation_string(self, player: int) -> str:
        """The player's hand, the sizes of all piles, the stake, and all cards revealed so far."""
        if len(self._decks[1]) < EACH:
            return "the cards are being dealt"
        committed = "" if self._committed is None else f"; you have committed {CARDS[self._committed]}"
        if self._committed is not None and player == 1:
            committed = "; the other has committed a card"
        own, other = self._won[player], self._won[1 - player]
        piles = f"draw piles {EACH - self._drawn[player]}, win piles {own} and {other}, at stake {len(self._stake)}"
        return f"hand {_named(self._hands[player])}; {piles}{committed}; revealed {' '.join(self._log) or 'nothing'}"

    def information_state_string(self, player: int) -> str:
        """The player's observation, and every hand that it has held with the card chosen."""
        return f"{player}: {self.observation_string(player)}; past {', '.join(self._memory[player])}"

    def _resample(self, player: int, uniform: Uniform) -> Self:
        """Deal the hidden cards again; deals are as likely as if the opponent had chosen its cards at random."""
        if self.is_chance_node() or self.is_terminal():
            return self.clone()
        made: Self = self._game.new_initial_state()
        for deck in self._fitting(player, uniform):
            for card in deck:
                made.apply_action(card)
        played = self._turns[2 * EACH :]
        unseen = len(played) - 1 if player == 1 and self._committed is not None else len(played)
        for number, ((_, action),) in enumerate(played):
            legal = made.legal_actions()
            made.apply_action(action if number < unseen else legal[int(uniform() * len(legal))])
        return made

    def _fitting(self, player: int, uniform: Uniform) -> tuple[tuple[int, ...], ...]:
        """Decks consistent with what a player knows: cards that were in its hand, and cards shown by the other."""
        shown = [CARDS.index(entry.split("-")[1 - player]) for entry in self._log]
        slots: list[list[int | None]] = [[None] * EACH, [None] * EACH]
        held, at = list(range(HAND)), HAND
        known = list(range(HAND))  # places of cards that have been in the hand
        for number, card in enumerate(shown):
            slots[1 - player][held.pop(int(uniform() * len(held)))] = card
            first, second = self._log[number].split("-")
            if first[0] == second[0]:
                at += 1  # a card was burned
            else:
                fresh = range(at, min(at + HAND - len(held), EACH))
                held += fresh
                known += fresh
                at = fresh.stop
        for place in known:
            slots[player][place] = self._decks[player][place]
        unknown = sorted(set(range(len(CARDS))) - {card for deck in slots for card in deck if card is not None})
        for last in range(len(unknown) - 1, 0, -1):
            chosen = int(uniform() * (last + 1))
            unknown[last], unknown[chosen] = unknown[chosen], unknown[last]
        rest = iter(unknown)
        return tuple(tuple(next(rest) if card is None else card for card in deck) for deck in slots)


def _named(cards: Sequence[int]) -> str:
    return " ".join(CARDS[card] for card in sorted(cards)) or "empty"


def _with(pair: tuple[Any, ...], player: int, value: Any) -> tuple[Any, ...]:
    """A pair with one player's entry replaced."""
    return (value, pair[1]) if player == 0 else (pair[0], value)
