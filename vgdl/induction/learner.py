"""A learner: observes plays of an unknown game, keeps hypotheses about its rules, and acts to tell them apart."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Set

from vgdl import Action
from vgdl.induction import parts
from vgdl.induction.act import Actor, Meeting
from vgdl.induction.analogy import with_analogies
from vgdl.induction.defaults import completed
from vgdl.induction.evidence import Evidence
from vgdl.induction.goal import with_goal
from vgdl.induction.hypothesis import Hypothesis, name_of
from vgdl.induction.likelihood import World
from vgdl.induction.observations import Frame
from vgdl.induction.search import Search
from vgdl.induction.spending import Budget
from vgdl.language import VGDLError

_FIRST = 100  #: ticks that are observed before the first search
_SHARE, _GROWTH = 0.2, 3.0  #: of the budget that is left, for the next search; the evidence has grown by this factor
_LAST_SHARE = 0.95  #: the same in the end; the rest is for making the text simpler
_BRIEF_SHARE, _BRIEF_GROWTH = 0.05, 1.5  #: the same after a play whose end was not foreseen


class Learner:
    """Learns the rules of one game by playing it.

    The caller plays: it passes each observed state to `observe`, asks `act` for the next action, and starts plays of
    any level. Nothing but the observations is known; types are numbered in the order in which they are first seen.

    Args:
        seed: of all random choices. One seed and the same observations lead to the same outcome on any machine.
        budget: hypotheses and ticks that all searches together may cost.
        without: parts that are left out (`vgdl.induction.parts`).
        planned: ticks that are simulated for a plan.
        is_quick: whether `observe` only notes what it sees; `learn` is called by the caller alone, and no controller
            plays.
    """

    def __init__(
        self,
        seed: int = 0,
        budget: Budget | None = None,
        *,
        without: Set[str] = frozenset(),
        planned: int = 500,
        is_quick: bool = False,
    ) -> None:
        self.evidence = Evidence()
        self.search = Search(self.evidence, budget, without=without)
        self._draws = random.Random(seed)
        self._numbers: dict[int, int] = {}
        self._actor = Actor(self._draws, Counter[Meeting](), planned, strives=not is_quick)
        self._next = _FIRST
        self._learnt = 0  # ticks of the evidence of the last search
        self._frame: Frame | None = None
        self._is_quick = is_quick
        self._analogies: tuple[tuple[Hypothesis, int], Hypothesis] = (Hypothesis(()), -1), Hypothesis(())

    @property
    def hypotheses(self) -> tuple[Hypothesis, ...]:
        """The hypotheses that explain the observations best, best first."""
        return tuple(judged.hypothesis for judged in self.search.beam)

    @property
    def text(self) -> str:
        """The best hypothesis as VGDL, with guesses of what was not seen; empty before the first search."""
        return self._guessed(self.hypotheses[0]).text if self.search.beam else ""

    @property
    def names(self) -> dict[int, str]:
        """The names of types in `text` by their observed numbers."""
        return {seen: name_of(number) for seen, number in self._numbers.items()}

    @property
    def trust(self) -> float:
        """Share of the last ticks in which the best hypothesis predicted the avatar's fate, the score and the end."""
        return self._actor.trust

    def observe(self, frame: Frame, *, starts: bool = False) -> None:
        """Take in the next observed state of a play.

        Args:
            frame: the state, as an `Observer` sees it.
            starts: whether a play begins.
        """
        seen = self.numbered(frame)
        starts = starts or not self.evidence.plays
        if starts and self._worth_learning():
            self.learn()
        elif starts and self._actor.is_surprised and self._worth_learning(_BRIEF_GROWTH / _GROWTH):
            self._improve(_BRIEF_SHARE)  # else it would die in the same way again and again until the next search
        self.evidence.add(seen, starts=starts)
        learns = not starts and self._worth_learning()
        if learns:
            self.learn()
        if starts or learns or self._actor.is_surprised or self._actor.types < self.evidence.types:
            self._actor.start(self.hypotheses, self._world(), goes_on=not starts)
        self._actor.note(seen, self.evidence.steady(seen))
        self._frame = seen

    def numbered(self, frame: Frame) -> Frame:
        """A frame with the learner's numbers of types."""
        for kind in sorted(frame.types):
            self._numbers.setdefault(kind, len(self._numbers))
        return frame.renumbered(self._numbers)

    @property
    def completed(self) -> Hypothesis:
        """The best hypothesis, with a class for every type seen since, also outside of the learner's own plays."""
        best = self.hypotheses[0] if self.search.beam else Hypothesis(())
        return completed(best, self.evidence, len(self._numbers))

    @property
    def aimed(self) -> Hypothesis:
        """What to plan on: ``completed``, with guesses of how the game ends and of rules that were not seen."""
        return self._guessed(self.completed)

    def _guessed(self, hypothesis: Hypothesis) -> Hypothesis:
        aimed = self._with_goal(hypothesis)
        if parts.ANALOGY in self.search.without:
            return aimed
        if self._analogies[0] != (aimed, self.evidence.ticks):
            self._analogies = (aimed, self.evidence.ticks), with_analogies(aimed, self.search.judge)
        return self._analogies[1]

    def _with_goal(self, hypothesis: Hypothesis) -> Hypothesis:
        return hypothesis if parts.GOAL in self.search.without else with_goal(hypothesis, self.evidence)

    def act(self) -> Action:
        """The next action in the state that was observed last; it is taken to be executed."""
        if self._frame is None:
            raise ValueError("nothing was observed yet")
        action = self._actor.act(self._frame)
        self.evidence.act(action)
        return action

    def learn(self, *, is_last: bool = False) -> None:
        """Search for hypotheses that explain all observations so far; the last time, with all that is left to spend."""
        self._improve(_LAST_SHARE if is_last else _SHARE)
        if is_last and self.search.purse.spent:  # else the search has ended with it
            self.search.simplify()
        self._next = max(self._next + 1, int(self.evidence.ticks * _GROWTH))

    def _improve(self, share: float) -> None:
        self.search.improve(share)
        self._learnt = self.evidence.ticks

    def _worth_learning(self, part: float = 1.0) -> bool:
        """Whether the evidence has grown enough, by the usual factor or a part of it, unless the caller decides."""
        enough = self._next if part == 1.0 else max(_FIRST, self._learnt * _GROWTH * part)
        return not self._is_quick and self.evidence.ticks > enough

    def _world(self) -> World | None:
        if not self.search.beam:
            return None
        try:
            return World(self._with_goal(self.completed))  # without analogies, which are there to be tried
        except VGDLError:
            return None
