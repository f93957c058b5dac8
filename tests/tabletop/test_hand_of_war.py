"""Hand of war: the rules and numbers of the specification (code world models, 9.5), and hidden information."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

from vgdl.tabletop import laws, load
from vgdl.tabletop.hand_of_war import CARDS


def dealt(first: str, second: str, *choices: str) -> Any:
    """A game with two decks, top cards first, after some choices."""
    state = load("hand_of_war").new_initial_state()
    for card in first.split() + second.split() + list(choices):
        state.apply_action(state.string_to_action(card))
    return state


ONE, TWO = "AC KC QC JC AD KD QD JD", "AH KH QH JH AS KS QS JS"


def test_the_higher_card_takes_both_and_hands_are_filled_up() -> None:
    state = dealt(ONE, TWO, "AC", "QH")
    assert "hand QC KC JC" not in state.observation_string(0)
    assert "hand JC QC KC; draw piles 4, win piles 2 and 0, at stake 0; revealed AC-QH" in state.observation_string(0)
    assert "hand JH KH AH; draw piles 4, win piles 0 and 2" in state.observation_string(1)


def test_a_tie_burns_a_card_of_each_and_goes_on_with_what_is_left_in_hand() -> None:
    state = dealt(ONE, TWO, "KC", "KH")
    assert "hand QC AC; draw piles 4, win piles 0 and 0, at stake 4" in state.observation_string(0)
    state = dealt(ONE, TWO, "KC", "KH", "AC", "QH")
    assert "draw piles 2, win piles 6 and 0, at stake 0" in state.observation_string(0)


def test_a_showdown_with_an_empty_hand_ends_the_game() -> None:
    state = dealt(ONE, TWO, "AC", "AH", "KC", "KH", "QC", "QH")
    assert state.is_terminal()
    assert state.returns() == [0.0, 0.0]


def test_a_committed_card_is_hidden() -> None:
    one, other = dealt(ONE, TWO, "AC"), dealt(ONE, TWO, "QC")
    assert one.observation_string(1) == other.observation_string(1)
    assert one.information_state_string(1) == other.information_state_string(1)
    assert one.observation_string(0) != other.observation_string(0)


def test_random_play_ends_as_measured() -> None:
    """Within four standard errors of .426, .419 and .155; most games have 10 or 12 plies."""
    game, draws, games = load("hand_of_war"), random.Random(1), 1500
    ends: Counter[float] = Counter()
    lengths: Counter[int] = Counter()
    for _ in range(games):
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(draws.choice(state.legal_actions()))
        ends[state.returns()[0]] += 1
        lengths[state.move_number() - 16] += 1
    for value, wanted in ((1.0, 0.426), (-1.0, 0.419), (0.0, 0.155)):
        assert abs(ends[value] / games - wanted) < 4 * (wanted * (1 - wanted) / games) ** 0.5 + 0.005
    assert {length for length, _ in lengths.most_common(2)} == {10, 12}


def test_the_protocol_is_kept() -> None:
    assert laws.check(load("hand_of_war"), plays=20) > 200


def test_hidden_cards_are_dealt_anew() -> None:
    """Neither the opponent's cards nor the player's own next ones are known."""
    state, draws = dealt(ONE, TWO, "KC", "KH", "AC"), random.Random(2)
    samples = [state.resample_from_infostate(1, draws.random).history() for _ in range(300)]
    assert {CARDS[history[8]] for history in samples} == {"AH"}  # its own first card
    assert len({history[-1] for history in samples}) > 5  # the card committed unseen
    assert len({history[11] for history in samples}) > 5  # its own burned card
    assert all(CARDS.index("KC") in history[:3] for history in samples)
