"""Clicks by cursor: the special key acts where a cursor is, so the game is one of clicks that take walks.

The cursor is erased from the frames, and an agent for clicks, which sees those, chooses where to press.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

import numpy as np

from vgdl.competition.tracks.arc.agents.base import Act, Task
from vgdl.competition.tracks.arc.agents.bodies import DIRECTIONS
from vgdl.competition.tracks.arc.agents.cursors import CursorFinder, Place, View
from vgdl.competition.tracks.arc.agents.screen import Pixels, last_layer
from vgdl.competition.tracks.arc.frame import CLICK, RESET, SPECIAL, UNDO, Frame

ACTING = 2  #: presses of the special key that changed something else than the cursor, before it is taken for a click
CLEAN = 3  #: presses that changed nothing under the cursor, after which it is not moved away to see
VAIN = 20  #: clicks without effect, at most, that are answered without an action
LONGEST = 40  #: steps of a walk after which its aim is taken to be out of reach
ROUND = 200  #: actions of a level that are chosen as clicks and by the other parts of the agent, in turns


class Clicker(Protocol):
    """An agent for clicks; see `Experimenter`."""

    def see(self, frame: Frame) -> None:
        """Learn from a frame."""

    def choose(self) -> Act:
        """The next action."""

    def took(self, act: Act) -> None:
        """Another one has chosen the action that leads to the next frame."""


class CursorClicks:
    """Plays with a cursor as if with clicks.

    Args:
        task: the game's task.
        make: makes the agent that chooses the clicks.
    """

    def __init__(self, task: Task, make: Callable[[Task], Clicker]) -> None:
        self.finder = CursorFinder()
        actions = (CLICK, *(action for action in task.available_actions if action == UNDO))
        self._make, self._task = make, replace(task, available_actions=actions)
        self._arrows = [key for key in task.keys if key <= len(DIRECTIONS)]
        self._clicker: Clicker | None = None
        self._is_due = False  #: whether the clicker waits for a frame
        self._acting = 0  #: presses that changed more than the cursor
        self._clean = 0  #: presses that changed nothing under it
        self._covers = False  #: whether a press has changed what is under it
        self._left = 0  #: steps that the present walk may still take
        self._won = self._others = 0  #: levels won by clicks, and otherwise
        self._frame: Frame | None = None  #: the latest one

    # ------------------------------------------------------------------------------------------------------ frames

    def start_level(self, frame: Frame) -> None:
        """A level begins, with this frame, which may show the end of the one before as well."""
        is_won = frame.levels_completed > 0 and not frame.full_reset
        if self._is_due:
            self._won += is_won
        else:
            self._others += is_won
            self._inform(Act(RESET))  # no click has ended the level
        self._ends = tuple(frame.layers[:-1][:1])
        self._spent = 0  #: actions of the level since there is a cursor
        self._begin(frame)

    def _begin(self, frame: Frame) -> None:
        """A level begins, or begins anew."""
        self._frame = frame
        self.finder.start_level(last_layer(frame))
        self._canvas: Pixels | None = None  #: the frame without the cursor; None: what is under it is not known
        self._target: Place | None = None  #: where the clicker wants the special key to be pressed
        self._pressed: Place | None = None  #: a place where it was pressed, until it is seen what that did there

    def lost(self, frame: Frame) -> None:
        """The level was lost."""
        if not self._is_due:
            self._inform(Act(RESET))  # no click has lost it
        self._show(frame)

    def observe(self, key: int, frame: Frame, before: View, after: View) -> None:
        """Learn from an action within a level, whoever chose it.

        Args:
            key: the action.
            frame: the frame after it.
            before: what was seen before it.
            after: what was seen after it.
        """
        self._frame = frame
        self._spent += self.is_known
        if key == RESET:
            self._inform(Act(RESET))
            self._begin(frame)
        elif key in self._arrows:
            self._learn_step(key, before, after)
        elif key == SPECIAL:
            self._learn_press(before.pixels, after.pixels)
        else:
            self._inform(Act(key))
            self._canvas = None
            self.finder.find(after.pixels)
        if self._is_due and self._canvas is not None and (self._pressed is None or not self._must_look):
            self._show(self._without_cursor())

    def _inform(self, act: Act) -> None:
        """Tell the clicker what another one has done."""
        if self._clicker is not None and not self._is_due:
            self._clicker.took(act)
            self._is_due = True

    def _show(self, frame: Frame) -> None:
        """Show the clicker a frame."""
        if self._clicker is not None:
            self._clicker.see(frame)
            self._is_due = False

    def _without_cursor(self) -> Frame:
        """The present frame as the clicker sees it."""
        assert self._canvas is not None
        assert self._frame is not None
        ends, self._ends = self._ends, ()
        return replace(self._frame, layers=(*ends, self._canvas))

    def _learn_step(self, key: int, before: View, after: View) -> None:
        finder, pixels, was = self.finder, self._pixels, self.finder.at
        finder.move(key, before, after)
        now, look = finder.at, finder.look
        if now is None or look is None or (was is None and self._canvas is not None):
            self._canvas = self._target = self._pressed = None
        elif was is not None and now != was:
            old, new = look.mask(was), look.mask(now)
            left, entered = old & ~new, new & ~old
            if self._canvas is None:
                self._canvas = np.full_like(
                    pixels, np.bincount(before.pixels[entered]).argmax() if entered.any() else 0
                )
                self._canvas[entered] = before.pixels[entered]
            else:
                self._compare(was, bool((pixels[left] != self._canvas[left]).any()))
            self._erase(pixels)

    @property
    def _pixels(self) -> Pixels:
        assert self._frame is not None
        return last_layer(self._frame)

    def _compare(self, place: Place, is_changed: bool) -> None:
        """Note whether what was under the cursor in a place has changed meanwhile."""
        if self._pressed == place:
            self._covers |= is_changed
            self._acting += is_changed
            self._clean += not is_changed
        elif is_changed:
            self.finder.doubt()
        self._pressed = None

    def _erase(self, pixels: Pixels) -> None:
        """Take a frame for the present one, but for what is under the cursor."""
        assert self._canvas is not None
        assert self.finder.at is not None
        assert self.finder.look is not None
        self._canvas = np.where(self.finder.look.mask(self.finder.at), self._canvas, pixels)

    def _learn_press(self, before: Pixels, after: Pixels) -> None:
        finder, look = self.finder, self.finder.look
        if finder.at is None or look is None:
            self._canvas = None
            return
        self._acting += bool((before != after)[~look.mask(finder.at)].any())
        if self._target == finder.at:
            self._is_due = True
        else:
            (x, y), (width, height) = finder.at, look.size
            self._inform(Act(CLICK, x + width // 2, y + height // 2))
        self._target, self._pressed = None, finder.at
        if not look.is_at(after, finder.at):
            finder.at = self._canvas = None
        elif self._canvas is not None:
            self._erase(self._pixels)

    # ---------------------------------------------------------------------------------------------------- deciding

    @property
    def is_known(self) -> bool:
        """Whether there is a cursor, and the special key acts where it is."""
        return self._acting >= ACTING and self.finder.is_sure

    @property
    def _must_look(self) -> bool:
        """Whether the cursor has to be moved to see what a press has done."""
        return self._covers or self._clean < CLEAN

    @property
    def _is_its_turn(self) -> bool:
        """Whether the next action is to be a click's, which has the more turns the more levels clicks have won.

        Where other parts have won more levels, these come first.
        """
        if self._won < self._others and self._spent < ROUND:
            return False
        share = (self._won + 1) / (self._won + self._others + 2)
        phase = self._spent % ROUND / ROUND
        return phase < share if self._won >= self._others else phase >= 1 - share

    def propose(self) -> int | None:
        """The next key; None if another part of the agent has to choose."""
        here = self.finder.at
        if not self.is_known or here is None:
            return None
        if self._target is None and not self._is_its_turn:
            return None
        if self._canvas is None or (self._is_due and self._clicker is not None):
            return self._step_aside()
        if self._clicker is None:
            self._clicker = self._make(self._task)
            self._show(self._without_cursor())
        for _ in range(VAIN):
            if self._target is None:
                act = self._clicker.choose()
                if act.id != CLICK:
                    self._is_due = True
                    return act.id
                assert act.x is not None
                assert act.y is not None
                self._target = self.finder.place_of(act.x, act.y)
                self._left = LONGEST
            if self._target == here:
                self._is_due = True  # also if it ends the level
                return SPECIAL
            key = self._way_to(self._target) if self._target is not None else None
            if key is not None:
                return key
            self._target = None
            self._clicker.see(self._without_cursor())  # a click there changes nothing
        return None

    def _way_to(self, target: Place) -> int | None:
        """The next key towards a place; None if it cannot be reached."""
        here = self.finder.at
        assert here is not None
        self._left -= 1
        if self._left < 0 or self.finder.is_beyond(target):
            return None
        ahead = target[0] - here[0], target[1] - here[1]
        keys = [key for key in self._arrows if sum(a * b for a, b in zip(ahead, DIRECTIONS[key - 1], strict=True)) > 0]
        return next((key for key in keys if (here, key) not in self.finder.refused), None)

    def _step_aside(self) -> int | None:
        """A key that moves the cursor."""
        here = self.finder.at
        assert here is not None
        return next((key for key in self._arrows if (here, key) not in self.finder.refused), None)
