"""Plans of clicks towards what may end the level: equal pictures, or one colour."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Container, Hashable, Sequence
from typing import Any, NamedTuple, Protocol

from vgdl.competition.tracks.arc.agents.frame_search import FrameSearch
from vgdl.competition.tracks.arc.agents.pictures import Pictures
from vgdl.competition.tracks.arc.agents.screen import Pixels
from vgdl.competition.tracks.arc.agents.things import Thing

RESTING = 2  #: actions of exploring per click of a plan and plan with the same aim in this level, before the next one
FAVOUR = 3  #: plans for each picture of a form that has ended levels, before the first one for others
PAUSE = 5  #: actions of exploring after a search that found no plan


class Aim(NamedTuple):
    """Something that plans can be made for."""

    name: Hashable
    progress: Callable[[Pixels], float]  #: how near a frame is to it


class Effects(Protocol):
    """Predicts what clicks do."""

    search: FrameSearch[Any]

    @property
    def can_plan(self) -> bool:
        """Whether predictions are good enough."""

    def plan(
        self,
        pixels: Pixels,
        things: Sequence[Thing],
        is_known: Callable[[bytes], bool],
        progress: Callable[[Pixels], float],
    ) -> list[tuple[Thing, bytes]]:
        """Clicks that lead to the most promising frame that is not known, with the key of the frame after each."""


class ClickPlans:
    """Makes plans and follows them, in turns with exploring.

    Args:
        effects: predicts clicks.
        pictures: the pictures that may have to become equal.
    """

    def __init__(self, effects: Effects, pictures: Pictures) -> None:
        self.effects = effects
        self.pictures = pictures
        self.start_level()

    def start_level(self) -> None:
        """Forget the level before."""
        self.n_plans: Counter[Hashable] = Counter()  #: by aim
        self.aim: Hashable = None  #: of the latest plan
        self.rest = 0  #: actions before the next plan
        self.planned_for = b""  #: the frame in which the plan goes on
        self.clicks: deque[tuple[Thing, bytes]] = deque()  #: the rest of a plan, with the frames expected

    def start_attempt(self) -> None:
        """Drop the present plan."""
        self.clicks.clear()

    def propose(self, here: bytes, pixels: Pixels, things: Sequence[Thing], known: Container[bytes]) -> Thing | None:
        """What to click on next by plan; None if there is none.

        Args:
            here: the key of the present frame.
            pixels: the present frame with counters hidden.
            things: what can be clicked on.
            known: the keys of all frames of the level.
        """
        self.rest -= 1
        if self.clicks and self.planned_for != here:  # the prediction was wrong, and is better now
            self.clicks.clear()
            self.rest = min(self.rest, PAUSE)
        if not self.clicks and self.rest <= 0 and self.effects.can_plan:
            self._plan(pixels, things, known)
        if not self.clicks:
            return None
        thing, self.planned_for = self.clicks.popleft()
        return thing

    def _plan(self, pixels: Pixels, things: Sequence[Thing], known: Container[bytes]) -> None:
        pictures, trust = self.pictures.found(pixels), self.pictures.trust
        if trust and not self.pictures.is_any_changed:
            return  # wait for what shows where pictures are
        aims = [Aim((picture.form, picture.boxes), picture.equal) for picture in pictures]
        favour = {aim.name: FAVOUR for aim, picture in zip(aims, pictures, strict=True) if trust[picture.form]}
        if self.pictures.is_any_changed:
            aims.insert(0, Aim("alike", self.pictures.alike))
        if not aims:
            return
        aim = min(aims, key=lambda aim: self.n_plans[aim.name] - favour.get(aim.name, 0))
        self.n_plans[aim.name] += 1
        self.aim = aim.name
        self.clicks.extend(self.effects.plan(pixels, things, known.__contains__, aim.progress))
        if not self.effects.search.n_predicted:
            self.n_plans[aim.name] -= 1
        n_rests = 1 if aim.name in favour else self.n_plans[aim.name]
        self.rest = len(self.clicks) * n_rests * RESTING or PAUSE
