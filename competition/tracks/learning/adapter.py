"""Learners as agents: the methods that the referee can call, and the adapter that calls them in the worker."""

from __future__ import annotations

import json
import operator
import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from vgdl import Action, Meter, Winner
from vgdl.competition.agents.plain_data import Plain
from vgdl.competition.agents.service import Method, Service, nothing
from vgdl.competition.tracks.learning.learner import Avatar, Learner, Observation
from vgdl.competition.tracks.learning.learners import LEARNERS
from vgdl.competition.tracks.learning.rules import LearningRules
from vgdl.competition.tracks.learning.spaces import SPRITE_COLUMNS, Mode, Spaces
from vgdl.competition.tracks.learning.views import chosen_form
from vgdl.competition.tracks.planning.controller_adapter import as_action
from vgdl.controllers import Timer
from vgdl.registry import Entry

_ADAPTER = "vgdl.competition.tracks.learning.adapter:LearnerAdapter"


def service(rules: LearningRules) -> Service:
    """The methods of a learner, with the limits of the rules as budgets."""
    return Service(
        adapter=_ADAPTER,
        methods={
            "form": Method(rules.construction_ms, chosen_form),
            "construct": Method(rules.construction_ms, nothing, ("actions", "spaces")),
            "init": Method(rules.init_ms, nothing, ("facts", "data", "level", "validation")),
            "act": Method(rules.action_ms, _action_or_none, ("facts", "data")),
            "result": Method(rules.result_ms, _level_or_none, ("facts", "data")),
        },
        clock=rules.clock,
        patience=rules.patience,
        import_s=rules.import_s,
    )


class LearnerAdapter:
    """One learner and its run."""

    def __init__(self, entry: Entry, meter: Meter, *, seed: int) -> None:
        """Import the learner.

        Args:
            entry: locates its class.
            meter: not used: there is no forward model.
            seed: of the learner, and of the global random number generators.

        Raises:
            EntryInvalid: the object found is not a learner.
        """
        random.seed(seed)
        np.random.seed(seed % (1 << 32))
        self._class: type[Learner] = LEARNERS.checked(entry, entry.imported())
        self._seed = seed
        self._learner: Learner | None = None
        self._spaces: Spaces | None = None

    def form(self, *, timer: Timer) -> list[Any]:
        """The form of observations that the learner wants."""
        return [str(self._class.observation), self._class.view]

    def construct(self, *, actions: list[int], spaces: dict[str, Any], timer: Timer) -> None:
        """Construct the learner."""
        tuples = {name: tuple(value) for name, value in spaces.items() if isinstance(value, list)}
        self._spaces = Spaces(**{**spaces, **tuples, "mode": Mode(spaces["mode"])})
        self._learner = self._class([Action(number) for number in actions], self._spaces, timer, seed=self._seed)

    def init(self, *, facts: list[Any], data: bytes, level: int, validation: bool, timer: Timer) -> None:
        """Begin a play."""
        self._constructed().init(self._observation(facts, data), timer, level=level, validation=validation)

    def act(self, *, facts: list[Any], data: bytes, timer: Timer) -> int | None:
        """Ask for an action; returns its number, or None if the learner returns none.

        Raises:
            ValueError: the answer is not an action.
        """
        answer = self._constructed().act(self._observation(facts, data), timer)
        return None if answer is None else int(_action(answer))

    def result(self, *, facts: list[Any], data: bytes, timer: Timer) -> int | None:
        """End a play; returns the number of the level that the learner wants next.

        Raises:
            TypeError: the answer is neither an integer nor None.
        """
        answer = self._constructed().result(self._observation(facts, data), timer)
        return None if answer is None else operator.index(answer)

    def _constructed(self) -> Learner:
        if self._learner is None:
            raise RuntimeError("asked before it was constructed")
        return self._learner

    def _observation(self, facts: Sequence[Any], data: bytes) -> Observation:
        assert self._spaces is not None
        tick, score, health, max_health, resources, actions, is_over, winner, *sprites = facts
        avatar, block_size, world_dimension = sprites or (None, 0, (0, 0))
        return Observation(
            data=decode(self._spaces, data),
            tick=tick,
            score=score,
            health=health,
            max_health=max_health,
            resources=dict(resources),
            actions=tuple(Action(number) for number in actions),
            is_over=is_over,
            winner=Winner(winner),
            avatar=None if avatar is None else _avatar(avatar),
            block_size=block_size,
            world_dimension=tuple(world_dimension),
        )


def decode(spaces: Spaces, data: bytes) -> Any:
    """The data of an observation, in the form that the spaces describe."""
    match spaces.mode:
        case Mode.GRID | Mode.RGB:
            return np.frombuffer(data, np.uint8).reshape(spaces.shape)
        case Mode.SPRITES:
            return np.frombuffer(data, np.int32).reshape(-1, len(SPRITE_COLUMNS))
        case Mode.TEXT:
            return data.decode()
        case Mode.JSON:
            return json.loads(data)


def _avatar(values: Sequence[Any]) -> Avatar:
    kind, number, position, orientation, speed, limit_health, last_action, is_alive = values
    return Avatar(kind, number, tuple(position), tuple(orientation), speed, limit_health, Action(last_action), is_alive)


def _action(answer: object) -> Action:
    """Convert an answer, an action or its number, to an action.

    Raises:
        ValueError: it is neither.
    """
    action = as_action(answer)
    if action is None:
        raise ValueError(f"{answer!r:.200} is not an Action")
    return action


def _action_or_none(value: Plain) -> Action | None:
    return None if value is None else _action(value)


def _level_or_none(value: Plain) -> int | None:
    """The number of a level; which ones there are, the referee knows."""
    if value is None or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    raise ValueError(f"{value!r:.100} is neither the number of a level nor None")
