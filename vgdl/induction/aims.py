"""What own play strives for, as the rules or guesses say: the numbers of sprites with which the game is won.

A step towards such a number is of interest, however many more are needed, and what has to go attracts the avatar if a
meeting with it removes it. Where this takes more of a resource than the avatar holds, what gives it attracts instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from vgdl.core.observation import Avatar
from vgdl.induction.hypothesis import Hypothesis, Rule
from vgdl.induction.observations import Fate
from vgdl.induction.signatures import GONE, RESOURCES, changed_by


class Aims:
    """The numbers of sprites with which a hypothesis says that the game is won, and how the avatar comes near them.

    Args:
        hypothesis: the rules.
        guesses: those of them that nothing has shown yet; what they remove attracts the avatar as well.
        numbers: of types, as they are in frames, by the numbers that the hypothesis gives them.
    """

    def __init__(self, hypothesis: Hypothesis, guesses: Iterable[Rule], numbers: Mapping[int, int]) -> None:
        ends = [end for end in hypothesis.ends if end.get("win") == "True" and end.types]
        self._ends = [({numbers[kind] for kind in end.types}, int(end.get("limit") or 0)) for end in ends]
        wanted = {kind for end in ends for kind in end.types} | {rule.first for rule in guesses}
        self._removals = [(kind, rule) for rule in hypothesis.rules for kind in changed_by(rule, GONE) & wanted]
        self._sources = [rule for rule in hypothesis.rules if changed_by(rule, RESOURCES)]
        self._numbers = numbers

    def left(self, sprites: Sequence[Fate]) -> int:
        """By how many sprites a state differs from one in which the game is won."""
        kinds = [kind for kind, _, _ in sprites]
        return min((abs(sum(kind in types for kind in kinds) - limit) for types, limit in self._ends), default=0)

    def wanted(self, avatar: Avatar, body: int) -> list[int]:
        """The types, as they are in frames, that an avatar of a type should meet next."""
        found: set[int] = set()
        for kind, rule in self._removals:
            if rule.pair == {kind, body}:
                needed, named = int(rule.get("limit") or 0), rule.types - rule.pair
                lacking = {key for key in named if avatar.resources.get(self._numbers[key], 0) < needed}
                giving = (source for source in self._sources if body in source.pair and source.types & lacking)
                others = set().union(*(source.pair for source in giving if source.word != rule.word)) - {body}
                found |= others if lacking else {kind}
        return sorted(self._numbers[kind] for kind in found)
