"""The outcomes of a tick by a Python program: computed here, in its isolated process; judged in ``ticks`` (13.2)."""

from __future__ import annotations

import contextlib
import json
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

from vgdl.competition.tracks.worldmodels import json_values
from vgdl.competition.tracks.worldmodels.errors import Kind, WorldModelError
from vgdl.competition.tracks.worldmodels.model import checked_look
from vgdl.competition.tracks.worldmodels.running import LocalProgram
from vgdl.competition.tracks.worldmodels.texts.states import check_keys, shortened
from vgdl.tabletop.protocols import CHANCE

SAMPLES_TIME = 5.0
"""Limit of CPU time of all samples of a tick, or of all its listed successors, as a multiple of that of one call."""


class Futures:
    """Computes the successors of one observed state by a program."""

    def __init__(self, program: LocalProgram, state: Any, action: str, *, seconds: float, seed: int) -> None:
        """Store the arguments.

        Args:
            program: a program with the functions of 13.2.
            state: an observed state, as a dictionary.
            action: the name of an action.
            seconds: limit of CPU time per call.
            seed: seed of the program's random events, and of the choice among too many successors.
        """
        self._program = program
        self._text = json_values.canonical(state)
        self._action = action
        self._seconds = seconds
        self._seed = seed

    def facts(self, samples: int, *, twice: bool = False) -> dict[str, Any]:
        """Compute the facts to be judged.

        Args:
            samples: number of samples of ``sample_next``, or of the listed successors if there are more.
            twice: whether to check that two calls of ``apply_action`` agree.

        Returns:
            ``actions``, the legal ones of the state; ``chance``, whether the program treats the tick as random; and
            ``futures``, the distinct successors, the likeliest first, as [weight in samples, player to move, state].

        Raises:
            WorldModelError: the program failed.
        """
        mover = self._call("get_current_player", self._state())
        if mover != 0 or isinstance(mover, bool):
            message = f"{mover!r:.60} instead of 0 in a state that is not over"
            raise WorldModelError(Kind.CONTRACT, "get_current_player", message)
        legal = self._call("get_legal_actions", self._state())
        if self._program.has("sample_next"):
            function, (chance, found) = "sample_next", (True, self._sampled(samples))
        else:
            function, (chance, found) = "apply_action", self._applied(samples, twice)
        ordered = sorted(found.items(), key=lambda item: -item[1])
        return {"actions": legal, "chance": chance, "futures": [self._future(function, *each) for each in ordered]}

    def _future(self, function: str, text: str, weight: float) -> list[Any]:
        with _blamed(function):
            short = shortened(json.loads(text))
        return [weight, self._call("get_current_player", json.loads(text)), short]

    def _sampled(self, samples: int) -> dict[str, float]:
        found: dict[str, float] = {}
        with self._program.limited(SAMPLES_TIME * self._seconds):
            for number in range(samples):
                seed = self._seed * samples + number
                after = self._call("sample_next", self._state(), self._action, seed=seed, rng=random.Random(seed))
                text = json_values.canonical(after)
                found[text] = found.get(text, 0.0) + 1.0
        return found

    def _applied(self, samples: int, twice: bool) -> tuple[bool, dict[str, float]]:
        after = self._apply(self._text, self._action, 0)
        if twice and after != self._apply(self._text, self._action, 1):
            reason = "two calls with the same arguments have different values"
            raise WorldModelError(Kind.NONDETERMINISTIC, "apply_action", reason)
        if self._call("get_current_player", json.loads(after)) != CHANCE:
            return False, {after: 1.0}
        found: dict[str, float] = {}
        with self._program.limited(SAMPLES_TIME * self._seconds):
            for index, weight in self._drawn(after, samples).items():
                successor = self._apply(after, index, 0)
                found[successor] = found.get(successor, 0.0) + weight
        return True, found

    def _drawn(self, text: str, samples: int) -> dict[int, float]:
        """Weights of a chance node's successors: proportional if there are at most ``samples``, otherwise drawn."""
        listed = self._call("get_legal_actions", json.loads(text))
        if not isinstance(listed, list) or listed != list(range(len(listed))):
            message = f"{listed!r:.60} instead of the indices 0, 1, ... of the successors, in a state of chance"
            raise WorldModelError(Kind.CONTRACT, "get_legal_actions", message)
        chances = None
        if self._program.has("get_chance_probabilities"):
            chances = self._call("get_chance_probabilities", json.loads(text))
        look = checked_look(CHANCE, [0.0], [str(index) for index in listed], chances, 1)
        weights = {int(name): weight for name, weight in zip(look.legal, look.probabilities, strict=True)}
        if len(weights) > samples:
            drawn = random.Random(self._seed).choices([*weights], [*weights.values()], k=samples)
            return {index: float(count) for index, count in Counter(drawn).items()}
        return {index: samples * weight for index, weight in weights.items() if weight > 0.0}

    def _apply(self, state: str, action: str | int, offset: int) -> str:
        after = self._call("apply_action", json.loads(state), action, seed=self._seed + offset)
        with _blamed("apply_action"):
            check_keys(after)
        return json_values.canonical(after)

    def _state(self) -> Any:
        return json.loads(self._text)

    def _call(self, name: str, *arguments: Any, seed: int | None = None, rng: random.Random | None = None) -> Any:
        return self._program.call(name, *arguments, seconds=self._seconds, seed=seed, rng=rng)


@contextlib.contextmanager
def _blamed(function: str) -> Iterator[None]:
    """Attribute errors about a returned value to its function."""
    try:
        yield
    except WorldModelError as error:
        raise WorldModelError(error.kind, function, error.message) from None
