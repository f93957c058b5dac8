"""Plans of runs: games, author, settings of every part, and the matches (10)."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from vgdl.competition import typed
from vgdl.competition.chat.fields import Endpoint
from vgdl.competition.chat.model import Sampling
from vgdl.competition.options import OptionError
from vgdl.competition.seeds import derive
from vgdl.competition.tracks.worldmodels import worlds
from vgdl.competition.tracks.worldmodels.problem import PromptOptions
from vgdl.competition.tracks.worldmodels.scripted import FAULTS, ScriptedAuthor, read_scripts, standard
from vgdl.competition.tracks.worldmodels.synthesis import Settings
from vgdl.competition.tracks.worldmodels.worlds import WORLDS, World

OPPONENTS = ("gt", "random", "policy")
"""Opponents of the learnt models: the same planner on the true game, random play, the author itself as a policy."""
DECKS = ("open", "closed")
MOST = 10_000
"""Largest number of plays, programs or matches of a kind; all are listed before the first."""


def check_most(name: str, value: int) -> None:
    """Check the value of an option against `MOST`.

    Raises:
        OptionError: it is too large.
    """
    if value > MOST:
        raise OptionError(f"--{name.replace('_', '-')} must be at most {MOST:,}, not {value:,}")


@dataclass(frozen=True, slots=True)
class AuthorEntry(Endpoint):
    """The author of a run; only one of the kind ``endpoint`` is asked as an `Endpoint`."""

    name: str  #: in tables
    kind: str  #: ``scripted`` or ``endpoint``
    detail: str = ""  #: path of scripts

    @classmethod
    def of(cls, text: str, known: Container[str] = ()) -> Self:
        """Parse an author given as ``scripted``, ``scripted:PATH``, ``[NAME=]URL#MODEL`` or the name of a known model.

        Args:
            text: the author.
            known: the names of models that a models file describes.

        Raises:
            OptionError: it is none of these.
        """
        if text in known:
            return cls(text, "endpoint")
        if "://" in text:
            before, equals, rest = text.partition("=")
            named = equals and "://" not in before
            url, _, model = (rest if named else text).partition("#")
            if not url.startswith(("http://", "https://")) or not model:
                expected = "a model must have the form [NAME=]URL#MODEL, for example https://host/v1#m"
                raise OptionError(f"{expected}, not {text!r}")
            return cls(before if named else model, "endpoint", url=url, model=model)
        name, _, detail = text.partition(":")
        if name != "scripted":
            raise OptionError(f"{text!r} is not an author; expected scripted, scripted:PATH or [NAME=]URL#MODEL")
        if detail:
            detail = str(Path(detail).resolve())
        return cls("scripted", "scripted", detail)

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any]) -> Self:
        """Restore an author from its facts; those of version 0.2 have the model's name in ``detail``."""
        if facts["kind"] == "endpoint" and facts.get("detail"):
            facts = {**facts, "model": facts["detail"], "detail": ""}
        return typed.read(cls, facts, "author")

    def asked_as(self, endpoints: Mapping[str, Endpoint]) -> Self:
        """This author as an option describes it, if it is a model."""
        if self.name not in endpoints:
            return self
        return replace(self, **{name: getattr(endpoints[self.name], name) for name in Endpoint.__dataclass_fields__})

    def endpoints(self) -> dict[str, Endpoint]:
        """The author if it is a language model, by name."""
        return {self.name: self} if self.kind == "endpoint" else {}

    def scripted(self) -> ScriptedAuthor:
        """Make the scripted author.

        Raises:
            ChatError: the file of its scripts cannot be read.
        """
        return ScriptedAuthor(read_scripts(Path(self.detail)) if self.detail else standard())


@dataclass(frozen=True, slots=True)
class Sizes:
    """Sizes of the parts of a run. The defaults are the paper's; `SMALL` fits into a minute."""

    syntheses: int = 5  #: per game and deck
    learning_plays: int = 5
    test_plays: int = 100
    test_transitions: int = 10_000  #: drawn from the test plays
    test_simulations: int = 100  #: per move of the searching players in test plays
    matches: int = 100  #: per opponent and seat
    simulations: int = 1000  #: per move
    rollouts: int = 10  #: per leaf
    seconds: float = 60.0  #: CPU time per move of a planner
    values: int = 4  #: candidate value functions; 0 for none
    value_games: int = 20  #: per ordered pair
    value_simulations: int = 200
    rejection_games: int = 50  #: per pairing, in games of imperfect information; 0 for no rejection

    def __post_init__(self) -> None:
        for name in ("syntheses", "learning_plays", "test_plays", "matches", "value_games", "rejection_games"):
            check_most(name, getattr(self, name))
        for name in ("syntheses", "learning_plays", "test_plays", "test_transitions", "simulations", "rollouts"):
            if getattr(self, name) < 1:
                raise OptionError(f"--{name.replace('_', '-')} must be at least 1, not {getattr(self, name)}")


SMALL = Sizes(
    syntheses=1,
    test_plays=5,
    test_transitions=200,
    test_simulations=20,
    matches=2,
    simulations=25,
    rollouts=1,
    values=1,
    value_games=1,
    value_simulations=10,
    rejection_games=1,
)
"""Sizes for scripted authors, which only demonstrate and test the loop."""


@dataclass(frozen=True, slots=True)
class Task:
    """A program to be written."""

    number: int
    game: str
    deck: str  #: empty for VGDL games
    index: int  #: among those of its game and deck


@dataclass(frozen=True, slots=True)
class Fixture:
    """A match to be played."""

    number: int
    game: str
    deck: str
    opponent: str
    seat: int  #: seat of the learnt model
    index: int


@dataclass(frozen=True, slots=True)
class Plan:
    """The plan of a run."""

    games: tuple[str, ...]
    author: AuthorEntry
    secret: int
    decks: tuple[str, ...] = ("open",)
    opponents: tuple[str, ...] = OPPONENTS
    sizes: Sizes = field(default_factory=Sizes)
    settings: Settings = field(default_factory=Settings)
    prompts: PromptOptions = field(default_factory=PromptOptions)
    sampling: Sampling = field(default_factory=lambda: Sampling(16_384))
    sampler: str = "history"
    samples: int = 1
    rules: Mapping[str, str] = field(default_factory=dict)  #: by the name of a game, in place of the bundled rules

    def __post_init__(self) -> None:
        for what, chosen, known in (("deck", self.decks, DECKS), ("opponent", self.opponents, OPPONENTS)):
            for name in chosen:
                if name not in known:
                    raise OptionError(f"there is no {what} {name!r}: choose from {', '.join(known)}")
        if self.sampler not in ("history", "state"):
            raise OptionError(f"--sampler must be history or state, not {self.sampler!r}")
        if self.sampler == "state" and "closed" in self.decks:
            raise OptionError("with a closed deck histories are sampled: --sampler state needs --decks open")
        names = [world.name for world in self.worlds()]
        if len(set(names)) < len(names):
            raise OptionError("a game is named twice")

    def worlds(self) -> list[World]:
        """The games.

        Raises:
            UnknownWorld: one of them is unknown.
        """
        return [worlds.find(name, self.rules) for name in self.games]

    def world(self, name: str) -> World:
        """A game by its name."""
        return worlds.find(name, self.rules)

    def tasks(self) -> list[Task]:
        """All programs to be written; games of perfect information have no closed deck."""
        found: list[Task] = []
        for world in self.worlds():
            for deck in self._decks_of(world):
                found += [Task(len(found) + at, world.name, deck, at) for at in range(self.sizes.syntheses)]
        return found

    def fixtures(self) -> list[Fixture]:
        """All matches, game by game."""
        found: list[Fixture] = []
        for world in self.worlds():
            for deck in self._decks_of(world):
                for opponent in self.opponents:
                    if opponent == "policy" and self.author.kind != "endpoint":
                        continue
                    for seat in range(world.players):
                        for at in range(self.sizes.matches):
                            found.append(Fixture(len(found), world.name, deck, opponent, seat, at))
        return found

    def _decks_of(self, world: World) -> list[str]:
        """The decks of a game; games of perfect information only have the open one."""
        if world.is_perfect:
            return ["open"]
        return list(self.decks)

    def seed(self, purpose: str, *labels: str | int) -> int:
        """Derive the seed for a purpose."""
        return derive(self.secret, purpose, *labels)

    def facts(self) -> dict[str, Any]:
        """The plan as JSON-compatible data. It has the names of the environment variables of API keys, not the keys."""
        return {"kind": "programs", **asdict(self), "secret": str(self.secret), "rules": dict(self.rules)}

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any]) -> Self:
        """Restore a plan from its `facts`."""
        return cls(
            games=tuple(facts["games"]),
            author=AuthorEntry.from_facts(facts["author"]),
            secret=int(facts["secret"]),
            decks=tuple(facts["decks"]),
            opponents=tuple(facts["opponents"]),
            sizes=Sizes(**facts["sizes"]),
            settings=Settings(**facts["settings"]),
            prompts=PromptOptions(**facts["prompts"]),
            sampling=Sampling(**facts["sampling"]),
            sampler=facts["sampler"],
            samples=facts["samples"],
            rules=dict(facts["rules"]),
        )


def default_games(author: AuthorEntry) -> tuple[str, ...]:
    """The games that are learnt by default: all ten, or those with scripts for the bundled scripted author."""
    return tuple(FAULTS) if author.kind == "scripted" and not author.detail else tuple(WORLDS)
