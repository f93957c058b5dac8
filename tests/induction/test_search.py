"""Parts of the search that are exact without a play."""

from __future__ import annotations

from vgdl.induction.search import _first_of_each


def test_words_are_ranked_by_their_best_variant() -> None:
    """A word of which one variant is the best and another one the worst stays in front."""
    ranked = ["Missile speed=0.25", "RandomMissile", "Chaser", "Missile speed=1", "Chaser cooldown=2", "Missile"]
    found = _first_of_each(ranked, key=lambda kind: kind.split()[0])
    assert found == ["Missile speed=0.25", "RandomMissile", "Chaser"]
