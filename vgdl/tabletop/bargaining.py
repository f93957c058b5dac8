"""Bargaining: two players divide a pool of items that they value differently (GAMEBoT specification, 4.8).

It differs from OpenSpiel's ``bargaining``, and is therefore named ``bargaining_rounds``: pools are larger and worth 30
to each player, proposals are complete divisions, and chance may end the game.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any, Self

from vgdl.tabletop.game import ChanceMode, GameType, Information, Utility
from vgdl.tabletop.plain import PlainGame, PlainState
from vgdl.tabletop.protocols import CHANCE, TERMINAL, Uniform

Triple = tuple[int, int, int]

WORTH = 30  #: of the pool, to each player
SIZES = range(8, 13)  #: items in a pool
MOST = 11  #: maximum number of items of one kind, plus one: the base in which proposals are numbered
SAFE_ROUNDS = 8  #: after these, the game may end before each round
END = Fraction(1, 5)  #: probability of such an end
MAX_ROUNDS = 100  #: the game always ends after these; reached once in 10^9 games of players who never agree
AGREE = 0  #: the action that accepts the last proposal


@cache
def pools() -> tuple[Triple, ...]:
    """All pools: triples of positive numbers of items, by size."""
    return tuple((a, b, size - a - b) for size in SIZES for a in range(1, size - 1) for b in range(1, size - a))


@cache
def valuations(pool: Triple) -> tuple[Triple, ...]:
    """The values of one item of each kind that make a pool worth 30."""
    a, b, c = pool
    return tuple(
        (x, y, (WORTH - a * x - b * y) // c)
        for x in range(WORTH // a + 1)
        for y in range((WORTH - a * x) // b + 1)
        if (WORTH - a * x - b * y) % c == 0
    )


@cache
def partners(pool: Triple, values: Triple) -> tuple[Triple, ...]:
    """The other player's possible values: no kind may be worthless to both."""
    return tuple(other for other in valuations(pool) if all(x or y for x, y in zip(values, other, strict=True)))


@cache
def deals() -> tuple[tuple[Triple, float], ...]:
    """The pools that can be dealt, with their probabilities.

    A size is drawn, a pool of that size, and values for each player; everything is drawn again if some kind is
    worthless to both, or if no values make the pool worth 30.
    """
    weights: dict[Triple, Fraction] = {}
    for size in SIZES:
        sized = [pool for pool in pools() if sum(pool) == size]
        for pool in sized:
            kinds = valuations(pool)
            pairs = sum(len(partners(pool, values)) for values in kinds)
            if pairs:
                weights[pool] = Fraction(pairs, len(sized) * len(kinds) ** 2)
    total = sum(weights.values())
    return tuple((pool, float(weight / total)) for pool, weight in weights.items())


class Bargaining(PlainGame):
    """The negotiation. Returns are the values of the players' shares, 0 to 30; without an agreement both get 0."""

    type = GameType(
        "bargaining_rounds",
        "Bargaining with whole proposals",
        chance_mode=ChanceMode.EXPLICIT_STOCHASTIC,
        information=Information.IMPERFECT_INFORMATION,
        utility=Utility.GENERAL_SUM,
        provides_observation_tensor=False,
    )

    @classmethod
    def of(cls, parameters: Mapping[str, str]) -> Bargaining:
        """The game; it has no parameters.

        Raises:
            ValueError: parameters were given.
        """
        if parameters:
            raise ValueError("bargaining_rounds has no parameters")
        return cls()

    def new_initial_state(self) -> BargainingState:
        return BargainingState(self)

    def num_distinct_actions(self) -> int:
        return 1 + MOST**3

    def max_chance_outcomes(self) -> int:
        return max(len(deals()), *(len(valuations(pool)) for pool in pools()))

    def max_game_length(self) -> int:
        return MAX_ROUNDS

    def min_utility(self) -> float:
        return 0.0

    def max_utility(self) -> float:
        return float(WORTH)

    def utility_sum(self) -> float | None:
        return None

    def get_parameters(self) -> dict[str, Any]:
        return {}


class BargainingState(PlainState):
    """A negotiation: the deal, and the proposals so far, each as the share of player 0."""

    def __init__(self, game: Bargaining) -> None:
        super().__init__(game)
        self.pool: Triple | None = None  #: items of each kind
        self.values: tuple[Triple, ...] = ()  #: per player: of one item of each kind
        self.proposals: tuple[Triple, ...] = ()  #: player 0's share in each
        self._agreed = False
        self._ended = False
        self._survived = SAFE_ROUNDS  # the last round that chance has allowed

    @property
    def round(self) -> int:
        """The number of the current round, from 1; a round is a move of one player."""
        return len(self.proposals) + 1

    def current_player(self) -> int:
        if self._agreed or self._ended:
            return TERMINAL
        if len(self.values) < 2 or self.round > self._survived:
            return CHANCE
        return (self.round - 1) % 2

    def share(self, proposal: Triple, player: int) -> Triple:
        """A player's share in a proposal."""
        assert self.pool is not None
        if player == 0:
            return proposal
        a, b, c = (whole - part for whole, part in zip(self.pool, proposal, strict=True))
        return a, b, c

    def worth(self, proposal: Triple, player: int) -> int:
        """The value of a player's share in a proposal to that player."""
        share = self.share(proposal, player)
        return sum(value * items for value, items in zip(self.values[player], share, strict=True))

    def returns(self) -> list[float]:
        if not self._agreed:
            return [0.0, 0.0]
        return [float(self.worth(self.proposals[-1], player)) for player in (0, 1)]

    def _chances(self) -> list[tuple[int, float]]:
        if self.pool is None:
            return [(number, probability) for number, (_, probability) in enumerate(deals())]
        kinds = valuations(self.pool)
        if not self.values:
            weights = [len(partners(self.pool, values)) for values in kinds]
            return [(number, weight / sum(weights)) for number, weight in enumerate(weights) if weight]
        if len(self.values) == 1:
            others = partners(self.pool, self.values[0])
            return [(kinds.index(other), 1.0 / len(others)) for other in others]
        end = 1.0 if self.round > MAX_ROUNDS else float(END)
        return [(0, 1.0 - end), (1, end)] if end < 1.0 else [(1, 1.0)]

    def _moves(self, player: int) -> list[int]:
        assert self.pool is not None
        a, b, c = self.pool
        proposals = [numbered(share) for share in product(range(a + 1), range(b + 1), range(c + 1))]
        return [AGREE, *proposals] if self.proposals else proposals

    def _play(self, actions: Sequence[int]) -> None:
        action = actions[0]
        if self.pool is None:
            self.pool = deals()[action][0]
        elif len(self.values) < 2:
            self.values = (*self.values, valuations(self.pool)[action])
        elif self.is_chance_node():
            self._ended = action == 1
            self._survived = self.round
        elif action == AGREE:
            self._agreed = True
        else:
            self.proposals = (*self.proposals, share_of(action))

    def _words(self, player: int, action: int) -> str:
        if player == CHANCE:
            return self._chance_words(action)
        if action == AGREE:
            return "[Agree]"
        first, second = (self.share(share_of(action), of) for of in (0, 1))
        return f"[P1: ({_joined(first)}), P2: ({_joined(second)})]"

    def _chance_words(self, outcome: int) -> str:
        if self.pool is None:
            return f"pool {_joined(deals()[outcome][0])}"
        if len(self.values) < 2:
            return f"values {_joined(valuations(self.pool)[outcome])}"
        return "no agreement" if outcome else f"round {self.round} begins"

    def observation_string(self, player: int) -> str:
        if self.pool is None or len(self.values) <= player:
            return "nothing dealt yet"
        lines = [f"pool {_joined(self.pool)}", f"values {_joined(self.values[player])}", f"round {self.round}"]
        lines += [f"round {number}: {_joined(share)}" for number, share in enumerate(self.proposals, 1)]
        if self.is_terminal():
            lines.append("agreed" if self._agreed else "no agreement")
        elif self.is_chance_node():
            lines.append("the round has not begun")
        return "\n".join(lines)

    def information_state_string(self, player: int) -> str:
        """The player's observation, which includes all proposals, so nothing is forgotten."""
        return f"{player}\n{self.observation_string(player)}"

    def _resample(self, player: int, uniform: Uniform) -> Self:
        """The same negotiation with other values for the other player, drawn as in the deal."""
        other = self.clone()
        if self.pool is None or not self.values:
            return other
        if len(self.values) == 1:
            if player == 1:  # has no values yet, and does not know the other's
                chances = self._before_values()
                other._deal(0, _drawn(chances, uniform))
            return other
        candidates = partners(self.pool, self.values[player])
        chosen = candidates[int(uniform() * len(candidates))]
        other._deal(1 - player, valuations(self.pool).index(chosen))
        return other

    def _before_values(self) -> list[tuple[int, float]]:
        empty = self.clone()
        empty.values = ()
        return empty._chances()

    def _deal(self, player: int, number: int) -> None:
        assert self.pool is not None
        values = list(self.values)
        values[player] = valuations(self.pool)[number]
        self.values = tuple(values)
        self._turns[1 + player] = ((CHANCE, number),)

    def __str__(self) -> str:
        other = _joined(self.values[1]) if len(self.values) > 1 else "-"
        return f"{self.observation_string(0)}\nvalues of player 1 {other}"


def numbered(share: Triple) -> int:
    """The action that proposes a share of player 0."""
    a, b, c = share
    return 1 + (a * MOST + b) * MOST + c


def share_of(action: int) -> Triple:
    """The share of player 0 that an action proposes."""
    rest, c = divmod(action - 1, MOST)
    a, b = divmod(rest, MOST)
    return a, b, c


def _joined(triple: Triple) -> str:
    return ",".join(map(str, triple))


def _drawn(chances: list[tuple[int, float]], uniform: Uniform) -> int:
    rest = uniform()
    for outcome, probability in chances:
        rest -= probability
        if rest < 0:
            return outcome
    return chances[-1][0]
