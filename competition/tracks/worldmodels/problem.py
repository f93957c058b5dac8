"""Problems for authors: prompts, and the evaluation of candidates (7.1).

`Problem` is the interface that the loop of ``synthesis`` uses. `TabletopProblem` implements it for turn-based games as
Python; other kinds of world models have their own problems.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib.resources import files
from random import Random
from string import Template
from typing import Any, Protocol

from vgdl.competition.agents.isolation import Sandbox
from vgdl.competition.chat.model import Message
from vgdl.competition.tracks.worldmodels import answers, lint, unit_tests
from vgdl.competition.tracks.worldmodels.errors import Kind
from vgdl.competition.tracks.worldmodels.program import Interface, IsolatedProgram
from vgdl.competition.tracks.worldmodels.trajectories import Play, closed_view
from vgdl.competition.tracks.worldmodels.unit_tests import CANNOT_LOAD, PASSED, Diversity, UnitTest, Verdict
from vgdl.competition.tracks.worldmodels.worlds import World


@dataclass(frozen=True)
class Evaluation:
    """The results of a candidate's tests."""

    verdicts: tuple[Verdict, ...]
    kinds: tuple[str, ...]  #: kinds of the tests, in the same order
    diversity: Diversity | None = None

    @property
    def heuristic(self) -> float:
        """The heuristic: the pass rate, pooled over all tests."""
        return sum(verdict.passed for verdict in self.verdicts) / max(1, len(self.verdicts))

    @property
    def is_solved(self) -> bool:
        return all(verdict.passed for verdict in self.verdicts)

    @property
    def load_error(self) -> str:
        """Why the candidate cannot be run at all; empty if it can."""
        first = self.verdicts[0] if self.verdicts else PASSED
        cannot_run = first.kind in (Kind.SYNTAX, Kind.MISSING, Kind.IMPORT) or first.text.startswith(CANNOT_LOAD)
        return first.text if cannot_run and all(verdict == first for verdict in self.verdicts) else ""

    @property
    def failures(self) -> list[int]:
        """The numbers of the failed tests."""
        return [number for number, verdict in enumerate(self.verdicts) if not verdict.passed]

    def different_failures(self, kind: str) -> list[int]:
        """The first failed test of a kind for each message: tests with the same one fail for the same reason."""
        first: dict[str, int] = {}
        for number in self.failures:
            if self.kinds[number] == kind:
                first.setdefault(self.verdicts[number].text, number)
        return list(first.values())

    def accuracy(self, kind: str) -> tuple[int, int] | None:
        """The number of passed tests of a kind and the number of all; None if there are none."""
        chosen = [verdict.passed for verdict, of in zip(self.verdicts, self.kinds, strict=True) if of == kind]
        return (sum(chosen), len(chosen)) if chosen else None


class Problem(Protocol):
    """A program or text to be written by an author."""

    @property
    def name(self) -> str:
        """The name of the game."""

    @property
    def version(self) -> str:
        """The version of the prompts, part of the key of cached replies."""

    def first_prompt(self, draws: Random) -> str:
        """The request for a first version."""

    def refine_prompt(self, source: str, evaluation: Evaluation, draws: Random) -> str:
        """The request for a better version."""

    def complaint(self, evaluation: Evaluation | None) -> str:
        """The conversation's message about the last candidate: its first failed test; None stands for no candidate."""

    def candidates(self, text: str) -> list[str]:
        """The candidates of an answer."""

    def evaluate(self, source: str) -> Evaluation:
        """Run all tests on a candidate."""

    def test(self, number: int) -> tuple[str, str]:
        """The name of a test and what it asserts, for reports."""


@dataclass(frozen=True, slots=True)
class PromptOptions:
    """Options of prompts (7.3)."""

    num_targets: int = 1  #: versions asked for in one answer
    num_tests_on_init: int = 5  #: tests of each kind in the first prompt
    num_tests_on_error: int = 1  #: failed tests of each kind when refining
    misleading: bool = False  #: rules in the misleading variant


@dataclass
class TabletopProblem:
    """A turn-based game to be written as Python functions, from recorded plays."""

    world: World
    plays: Sequence[Play]  #: open ones
    sandbox: Sandbox
    closed: bool = False
    sampler: str = "history"
    samples: int = 1  #: histories per inference test, all of which have to pass
    options: PromptOptions = field(default_factory=PromptOptions)
    cache: MutableMapping[str, str] | None = None  #: cached evaluations by source and tests

    def __post_init__(self) -> None:
        self.closed = self.closed and not self.world.is_perfect
        self.tests = suite(self.world, self.plays, closed=self.closed, sampler=self.sampler, samples=self.samples)

    @property
    def name(self) -> str:
        return self.world.name

    @property
    def version(self) -> str:
        return prompt_version()

    @property
    def interface(self) -> Interface:
        """The interface that a program has to implement."""
        return self.world.interface(closed=self.closed, sampler=self.sampler)

    @property
    def initial_state(self) -> Any:
        """The initial state as a JSON value."""
        return self.plays[0]["initial_state"]

    def first_prompt(self, draws: Random) -> str:
        chosen = [test for kind in self._kinds() for test in self._drawn(kind, self.options.num_tests_on_init, draws)]
        return self._prompt("first", tests="\n\n".join(f"# {test.name}\n{test.code()}" for test in chosen))

    def refine_prompt(self, source: str, evaluation: Evaluation, draws: Random) -> str:
        shown = []
        if evaluation.load_error:
            shown.append(f"# none of them, because the program cannot be run:\n{commented(evaluation.load_error)}")
        for kind in self._kinds() if not shown else ():
            failed = evaluation.different_failures(kind)
            for number in sorted(draws.sample(failed, min(self.options.num_tests_on_error, len(failed)))):
                shown.append(self._with_failure(number, evaluation.verdicts[number]))
        return self._prompt("refine", program=source.strip(), tests="\n\n".join(shown))

    def complaint(self, evaluation: Evaluation | None) -> str:
        if evaluation is None:
            problem = "There is no program in your answer: it has no block that begins with ```python."
        else:
            number = evaluation.failures[0]
            if evaluation.load_error:
                problem = f"The program cannot be run, so all tests fail:\n\n{commented(evaluation.load_error)}"
                return _template("again").substitute(problem=problem)
            shown = self._with_failure(number, evaluation.verdicts[number])
            problem = f"This unit test fails; a comment above it says how:\n\n{shown}"
        return _template("again").substitute(problem=problem)

    def candidates(self, text: str) -> list[str]:
        return answers.candidates(text)

    def evaluate(self, source: str) -> Evaluation:
        digest = hashlib.blake2b(f"{source}\0{self._tests_key}".encode(), digest_size=16).hexdigest()
        if self.cache is not None and digest in self.cache:
            return evaluation_of(self.cache[digest])
        with IsolatedProgram(source, self.interface, self.sandbox) as program:
            verdicts = unit_tests.run(program, self.tests)
            spread = None
            if self.closed and all(verdict.passed for verdict in verdicts):
                spread = unit_tests.diversity(program, self.tests, self.world.players)
        evaluation = Evaluation(tuple(verdicts), tuple(test.kind for test in self.tests), spread)
        if self.cache is not None:
            self.cache[digest] = evaluation_text(evaluation)
        return evaluation

    def test(self, number: int) -> tuple[str, str]:
        return self.tests[number].name, self.tests[number].code()

    @property
    def _tests_key(self) -> str:
        facts = [(test.name, test.code()) for test in self.tests]
        return hashlib.blake2b(json.dumps([facts, asdict(self.interface)]).encode(), digest_size=16).hexdigest()

    def _kinds(self) -> list[str]:
        return list(dict.fromkeys(test.kind for test in self.tests))

    def _drawn(self, kind: str, count: int, draws: Random) -> list[UnitTest]:
        numbers = [number for number, test in enumerate(self.tests) if test.kind == kind]
        return [self.tests[number] for number in sorted(draws.sample(numbers, min(count, len(numbers))))]

    def _with_failure(self, number: int, verdict: Verdict) -> str:
        return f"# {self.tests[number].name}\n{commented(verdict.text)}\n{self.tests[number].code()}"

    def _prompt(self, name: str, **values: str) -> str:
        several = self.options.num_targets > 1
        return _template(name).substitute(
            title=self.world.title,
            rules=self.world.rules(misleading=self.options.misleading).strip(),
            interface=self._interface_text(),
            initial=json.dumps(self.initial_state),
            deck=self._deck_text(),
            imports=allowed_imports(),
            targets=f"{self.options.num_targets} versions" if several else "one version",
            versions=", which differ in what you are unsure of" if several else "",
            **values,
        )

    def _interface_text(self) -> str:
        text = prompt_file("interface").rstrip()
        if self.world.is_perfect:
            return text
        last = ", last_is_terminal: bool" if self.closed else ""
        ending = ", or if last_is_terminal is true, the game is over" if self.closed else ""
        more = Template(prompt_file(self.sampler)).safe_substitute(last=last, ending=ending)
        return f"{text}\n{more.rstrip()}"

    def _deck_text(self) -> str:
        if self.closed:
            return (
                "Hidden states are not known: only what one player has seen and done was recorded. How states look\n"
                "after the initial one is yours to decide, as long as observations come out right."
            )
        return "States look as in the tests."


def suite(
    world: World, plays: Sequence[Play], *, closed: bool = False, sampler: str = "history", samples: int = 1
) -> list[UnitTest]:
    """Make the unit tests of open plays; with a closed deck, of one player's view of each, players taking turns."""
    if closed and not world.is_perfect:
        return unit_tests.closed_tests(
            [closed_view(play, number % world.players) for number, play in enumerate(plays)], samples=samples
        )
    tests: list[UnitTest] = list(unit_tests.transition_tests(plays))
    if not world.is_perfect:
        tests += unit_tests.inference_tests(plays, of_state=sampler == "state", samples=samples)
    return tests


def value_prompt(world: World, source: str, *, misleading: bool = False) -> str:
    """The request for a value function of a finished program (7.6)."""
    least, most = world.interface().returns
    return _template("value").substitute(
        title=world.title,
        rules=world.rules(misleading=misleading).strip(),
        program=source.strip(),
        least=f"{least:g}",
        most=f"{most:g}",
        imports=allowed_imports(),
    )


def policy_prompt(world: World, facts: Mapping[str, str], *, misleading: bool = False) -> str:
    """The request for a move of a model that chooses actions directly (10)."""
    return _template("policy").substitute(title=world.title, rules=world.rules(misleading=misleading).strip(), **facts)


def commented(text: str) -> str:
    """A text as a comment of Python."""
    return "\n".join(f"# {line}" for line in text.splitlines())


def message(text: str) -> Message:
    """A message to an author."""
    return {"role": "user", "content": text}


def allowed_imports() -> str:
    """The modules that a program may import, separated by commas."""
    return ", ".join(sorted(lint.ALLOWED - {"__future__"}))


@cache
def prompt_version() -> str:
    """A hash of all prompt texts."""
    folder = files("vgdl.competition.tracks.worldmodels") / "prompts"
    texts = sorted((file.name, file.read_text(encoding="utf-8")) for file in folder.iterdir())
    return hashlib.blake2b(json.dumps(texts).encode(), digest_size=8).hexdigest()


@cache
def prompt_file(name: str) -> str:
    """A prompt's text."""
    return (files("vgdl.competition.tracks.worldmodels") / "prompts" / f"{name}.txt").read_text(encoding="utf-8")


def _template(name: str) -> Template:
    return Template(prompt_file(name))


def evaluation_text(evaluation: Evaluation) -> str:
    """An evaluation as JSON, for the cache."""
    spread = evaluation.diversity
    return json.dumps(
        {
            "verdicts": [[verdict.passed, verdict.text, verdict.kind] for verdict in evaluation.verdicts],
            "kinds": evaluation.kinds,
            "diversity": None if spread is None else asdict(spread),
        }
    )


def evaluation_of(text: str) -> Evaluation:
    """Restore an evaluation from the text of `evaluation_text`."""
    facts = json.loads(text)
    spread = facts["diversity"]
    return Evaluation(
        tuple(Verdict(*verdict) for verdict in facts["verdicts"]),
        tuple(facts["kinds"]),
        None if spread is None else Diversity(**spread),
    )
