"""The plan of a competition: the field, the games, and every match of every pair (GAMEBoT specification, 10)."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from dataclasses import asdict, dataclass, field, replace
from itertools import combinations
from math import comb
from typing import Any, Self

from vgdl.competition.chat.fields import Endpoint
from vgdl.competition.chat.model import Sampling
from vgdl.competition.tracks.gamebot.grammars import Mode
from vgdl.competition.tracks.gamebot.match import MatchOptions
from vgdl.competition.tracks.gamebot.prompts import Variant
from vgdl.competition.tracks.gamebot.scores import Options
from vgdl.competition.tracks.gamebot.scripted import ScriptedModel
from vgdl.competition.tracks.gamebot.tasks import TASKS
from vgdl.competition.tracks.planning.plan import check_number
from vgdl.language import suggestion

BUILT_IN = ("random", "perfect", "mcts", "human")
"""Players that are not language models."""

_NAME = re.compile(r"[\w.:+-]{1,60}")


@dataclass(frozen=True, slots=True)
class Entry(Endpoint):
    """A player of the field; only those of the kind ``endpoint`` are asked as an `Endpoint`."""

    name: str  #: name in tables
    kind: str  #: one of `BUILT_IN`, ``scripted`` (``model`` is its mode) or ``endpoint``

    @classmethod
    def of(cls, text: str, known: Container[str] = ()) -> Self:
        """Parse an entry given as ``random``, ``scripted:correct``, ``[name=]URL#model`` or the name of a known model.

        Args:
            text: the entry.
            known: the names of models that a models file describes.

        Raises:
            ValueError: it is none of these.
        """
        if text in known:
            return cls(text, "endpoint")
        name, given, rest = text.partition("=") if re.match(r"[\w.+-]+=", text) else ("", "", text)
        if given and not _NAME.fullmatch(name):
            raise ValueError(f"{name!r} is not a name for tables: letters, digits, and . : + - are allowed, at most 60")
        if rest in BUILT_IN:
            return cls(name or rest, rest)
        if rest.startswith("scripted:"):
            mode = rest.removeprefix("scripted:")
            ScriptedModel(mode)
            return cls(name or rest, "scripted", model=mode)
        if rest.startswith(("http://", "https://")):
            url, _, model = rest.partition("#")
            if not model:
                raise ValueError(f"{text!r} names no model: write URL#model, for example {url}#my-model")
            return cls(name or model, "endpoint", url=url, model=model)
        hint = suggestion(rest, BUILT_IN)
        raise ValueError(
            f"{rest!r} is not a player{hint}: write {', '.join(BUILT_IN)}, scripted:MODE, "
            "NAME=URL#MODEL for an endpoint, or the name of a model in --models-file"
        )

    def asked_as(self, endpoint: Endpoint) -> Self:
        """This player with another description of its model."""
        return replace(self, **{name: getattr(endpoint, name) for name in Endpoint.__dataclass_fields__})


@dataclass(frozen=True, slots=True)
class Fixture:
    """A match to be played."""

    number: int
    game: str
    first: str  #: the names of the players, by number
    second: str
    deal: int  #: the number of the deal among those of the pair; the same after swapping players

    @property
    def names(self) -> tuple[str, str]:
        return self.first, self.second

    @property
    def pair(self) -> tuple[str, str]:
        """The two players, regardless of their order."""
        low, high = sorted(self.names)
        return low, high


@dataclass(frozen=True, slots=True)
class Plan:
    """The matches of a competition and their options."""

    entries: tuple[Entry, ...]
    games: tuple[str, ...]
    matches: int  #: per pair and game; half of them with players swapped
    secret: int
    variant: Variant = Variant.GUIDED
    reading: Mode = Mode.PAPER
    sampling: Sampling = field(default_factory=Sampling)
    options: MatchOptions = field(default_factory=MatchOptions)
    scoring: Options = field(default_factory=Options)
    simulations: int = 200  #: per move of the players that search

    def __post_init__(self) -> None:
        names = [entry.name for entry in self.entries]
        if sum(entry.kind == "human" for entry in self.entries) > 1:
            raise ValueError("one person can play at the terminal, not two")
        if len(names) < 2:
            raise ValueError("a competition needs two players or more")
        if len(set(names)) < len(names):
            raise ValueError("two players have the same name: write NAME=... before one of them")
        if self.matches < 1:
            raise ValueError("every pair plays at least one match per game")
        for game in self.games:
            if game not in TASKS:
                hint = suggestion(game, tuple(TASKS))
                raise ValueError(f"there is no game {game!r}{hint}: choose from {', '.join(TASKS)}")
        if len(set(self.games)) < len(self.games):
            raise ValueError("a game is named twice")
        check_number(len(self.games) * comb(len(names), 2) * self.matches, "matches")

    def fixtures(self) -> list[Fixture]:
        """All matches, game by game; players are swapped from one match of a pair to the next."""
        found: list[Fixture] = []
        for game in self.games:
            for one, other in combinations([entry.name for entry in self.entries], 2):
                for number in range(self.matches):
                    first, second = (one, other) if number % 2 == 0 else (other, one)
                    found.append(Fixture(len(found), game, first, second, number // 2))
        return found

    @property
    def has_person(self) -> bool:
        """Whether a person plays, in the terminal."""
        return any(entry.kind == "human" for entry in self.entries)

    def entry(self, name: str) -> Entry:
        """The player with a name."""
        return next(entry for entry in self.entries if entry.name == name)

    def endpoints(self) -> dict[str, Endpoint]:
        """The language models of the field, by player."""
        return {entry.name: entry for entry in self.entries if entry.kind == "endpoint"}

    def facts(self) -> dict[str, Any]:
        """The plan as JSON-compatible data. It has the names of the environment variables of API keys, not the keys."""
        return {**asdict(self), "secret": str(self.secret)}

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any]) -> Self:
        """Restore a plan from its `facts`."""
        return cls(
            entries=tuple(map(Entry.from_facts, facts["entries"])),
            games=tuple(facts["games"]),
            matches=facts["matches"],
            secret=int(facts["secret"]),
            variant=Variant(facts["variant"]),
            reading=Mode(facts.get("reading", Mode.STRICT)),  # there was no other
            sampling=Sampling(**facts["sampling"]),
            options=MatchOptions(**facts["options"]),
            scoring=Options(**facts["scoring"]),
            simulations=facts["simulations"],
        )
