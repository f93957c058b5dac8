"""Plans of runs on VGDL games: games, author, settings and sizes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Self

from vgdl.competition.chat.model import Sampling
from vgdl.competition.options import OptionError
from vgdl.competition.seeds import derive
from vgdl.competition.tracks.worldmodels.plan import AuthorEntry, Task, check_most
from vgdl.competition.tracks.worldmodels.problem import PromptOptions
from vgdl.competition.tracks.worldmodels.search.measures import TEST_TICKS, TICKS
from vgdl.competition.tracks.worldmodels.synthesis import Settings

MAX_CALLS = 50
"""Default limit of calls per text: in stochastic games even the true text may fail some tests."""
STARTS = ("model", "search")
LANGUAGES = ("vgdl", "python")


@dataclass(frozen=True, slots=True)
class TextPlan:
    """The plan of a run. Results are called texts in either language."""

    games: tuple[str, ...]
    author: AuthorEntry
    secret: int
    syntheses: int = 1  #: texts per game
    ticks: int = TICKS  #: observed ticks to learn from
    test_ticks: int = TEST_TICKS  #: ticks of held-out levels to measure on
    plays: int = 1  #: plays per held-out level with the learnt and with the true rules; 0 for none
    language: str = "vgdl"  #: of the texts
    named: bool = False  #: whether types have their true names
    start: str = "model"  #: author of the first version: the model, or the search
    search_seconds: float = 20.0  #: CPU time of that search
    settings: Settings = field(default_factory=lambda: Settings(max_calls=MAX_CALLS))
    prompts: PromptOptions = field(default_factory=PromptOptions)
    sampling: Sampling = field(default_factory=lambda: Sampling(16_384))
    rules: Mapping[str, str] = field(default_factory=dict)  #: rules in words, by game

    def __post_init__(self) -> None:
        check_most("syntheses", self.syntheses)
        check_most("matches", self.plays)
        for name in ("syntheses", "ticks", "test_ticks"):
            if getattr(self, name) < 1:
                raise OptionError(f"--{name.replace('_', '-')} must be at least 1, not {getattr(self, name)}")
        if self.start not in STARTS:
            raise OptionError(f"--start must be {' or '.join(STARTS)}, not {self.start!r}")
        if self.language not in LANGUAGES:
            raise OptionError(f"--language must be {' or '.join(LANGUAGES)}, not {self.language!r}")
        if self.language == "python" and self.start == "search":
            raise OptionError("--start search does not go with --language python: the search writes VGDL text")
        if self.language == "python" and self.plays:
            raise OptionError("--matches does not go with --language python: learnt programs are measured, not played")
        if len(set(self.games)) < len(self.games):
            raise OptionError("a game is named twice")
        for name in self.rules:
            if name not in self.games:
                raise OptionError(f"there are rules of {name}, which is not learnt")

    @property
    def what(self) -> str:
        """The name of the results, for tables and pages."""
        return "programs" if self.language == "python" else "texts"

    def tasks(self) -> list[Task]:
        """All texts to be written."""
        pairs = [(game, at) for game in self.games for at in range(self.syntheses)]
        return [Task(number, game, "", at) for number, (game, at) in enumerate(pairs)]

    def seed(self, purpose: str, *labels: str | int) -> int:
        """Derive the seed for a purpose."""
        return derive(self.secret, purpose, *labels) % (1 << 31)

    def facts(self) -> dict[str, Any]:
        """The plan as JSON-compatible data. It has the names of the environment variables of API keys, not the keys."""
        return {"kind": "texts", **asdict(self), "secret": str(self.secret), "rules": dict(self.rules)}

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any]) -> Self:
        """Restore a plan from its `facts`."""
        typed = {
            "games": tuple(facts["games"]),
            "author": AuthorEntry.from_facts(facts["author"]),
            "secret": int(facts["secret"]),
            "settings": Settings(**facts["settings"]),
            "prompts": PromptOptions(**facts["prompts"]),
            "sampling": Sampling(**facts["sampling"]),
        }
        known = {name: facts[name] for name in cls.__dataclass_fields__ if name in facts}  # older ones lack `language`
        return cls(**{**known, **typed})
