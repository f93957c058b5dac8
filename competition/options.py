"""Options of commands: how values are written, and the groups that tracks share, each defined once."""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from vgdl import VGDLError, VGDLRuntimeError
from vgdl.cli import Parser as Parser
from vgdl.competition import seeds
from vgdl.competition.agents.cores import TooFewCores
from vgdl.competition.agents.isolation import IsolationError, Level, Restrictions
from vgdl.competition.budget import Budget
from vgdl.competition.errors import CompetitionError
from vgdl.competition.files import STANDARD_OUTPUT
from vgdl.language import suggestion
from vgdl.option_types import amount as amount
from vgdl.option_types import count as count
from vgdl.option_types import positive as positive
from vgdl.option_types import whole as whole
from vgdl.registry import EntryInvalid, EntryNotFound


class OptionError(CompetitionError, ValueError):
    """Options cannot be combined, or refer to something that does not exist; the message says which."""


OWN_ERRORS = (
    *(CompetitionError, VGDLError, VGDLRuntimeError, EntryNotFound, EntryInvalid),
    *(IsolationError, TooFewCores),
)
"""Errors that the user can fix, which a command prints; all others are bugs and show a traceback."""

_LEAST_MEMORY_MB = 128  # with less, an agent's process cannot import NumPy
_MOST_MB = 1 << 30  # limits of memory and of files are 64-bit numbers of bytes
_MOST_PROCESSES = 1 << 22  # what Linux allows


class Group:
    """A group of options, as its title shows in the help; `add_argument` is that of ``argparse``."""

    def __init__(self, group: argparse._ArgumentGroup, stored: set[str] | None) -> None:
        self._group = group
        self._stored = stored

    def add_argument(self, *names: str, **settings: Any) -> None:
        """Add an option; one of the plan is recorded as such."""
        action = self._group.add_argument(*names, **settings)
        if self._stored is not None:
            self._stored.add(action.dest)


class Groups:
    """The options of a track: those of its plan, which a store keeps, and those of a session."""

    def __init__(self, parser: Parser) -> None:
        self.parser = parser
        self.stored: set[str] = set()  #: options of the plan, which cannot be given again with ``--resume``
        self._titles: dict[str, argparse._ArgumentGroup] = {}

    def plan(self, title: str) -> Group:
        """A group of options that results depend on."""
        return Group(self._titled(title), self.stored)

    def session(self, title: str) -> Group:
        """A group of options that results do not depend on: where and how fast the work is done."""
        return Group(self._titled(title), None)

    def _titled(self, title: str) -> argparse._ArgumentGroup:
        if title not in self._titles:
            self._titles[title] = self.parser.add_argument_group(title)
        return self._titles[title]

    def seed(self, title: str) -> None:
        """Add the seed to a group of the plan."""
        self.plan(title).add_argument(
            "--seed", type=seed, metavar="S",
            help="seed of all random choices (default: a new one, printed at the end)",
        )  # fmt: skip

    def isolation(self, agent: str) -> None:
        """Add the isolation of agents, and the limits of their processes.

        Args:
            agent: what the agents are called in the help.
        """
        title = f"isolation of {agent}s"
        add_isolation_level(self.session(title))
        add_restrictions(self.plan(title), agent)

    def store(self, parallel: str) -> None:
        """Add where results are kept, and the number of parallel jobs.

        Args:
            parallel: what runs in parallel, for the help: "plays in parallel, a core each".
        """
        where = self.session("where it is played and kept")
        where.add_argument("--store", metavar="FILE", help="keep every result in a new store")
        where.add_argument("--resume", metavar="FILE", help="continue the competition in a store")
        where.add_argument("--jobs", type=positive, default=1, metavar="N", help=f"{parallel} (default: 1)")

    def output(self, rows: str) -> None:
        """Add the files and the display.

        Args:
            rows: what a row of the CSV file is: "play and player".
        """
        output = self.session("output")
        add_output(output, rows)
        output.add_argument("--quiet", action="store_true", help="no progress display")

    def defaults(self) -> dict[str, Any]:
        """The values of options that are not given."""
        return vars(self.parser.parse_args([]))

    def from_python(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Options given as Python values; texts are read as on the command line.

        Raises:
            OptionError: there is no such option, or its value cannot be used.
        """
        actions = {action.dest: action for action in self.parser._actions if action.dest != "help"}
        chosen = self.defaults()
        for name, value in values.items():
            if name not in actions:
                raise OptionError(f"there is no option {name!r}{suggestion(name, actions)}")
            chosen[name] = _from_python(actions[name], value)
        return chosen

    def from_settings(self, settings: Sequence[str]) -> dict[str, Any]:
        """Options of the plan as settings ``NAME=VALUE``; an option without a value is given as ``NAME`` alone.

        Returns:
            The values of those that are given, by name.

        Raises:
            OptionError: there is no such option in the plan, or its value cannot be used.
        """
        words = {_word(action): action for action in self.parser._actions if action.dest in self.stored}
        chosen: dict[str, Any] = {}
        for setting in settings:
            word, has_value, text = (part.strip() for part in setting.partition("="))
            if word not in words:
                raise OptionError(
                    f"there is no option {word!r:.60}{suggestion(word, words)}; there are {', '.join(words)}"
                )
            action = words[word]
            if action.nargs == 0 and has_value:
                raise OptionError(f"{word} takes no value: write {word} alone")
            if action.nargs != 0 and not text:
                raise OptionError(f"{word} needs a value: write {word}=VALUE")
            chosen[action.dest] = action.const if action.nargs == 0 else _from_python(action, text)
        return chosen


def _word(action: argparse.Action) -> str:
    """An option as it is written, without hyphens in front."""
    return action.option_strings[-1].lstrip("-")


def _from_python(action: argparse.Action, value: Any) -> Any:
    if isinstance(value, Budget | Path):
        value = str(value)
    if isinstance(value, str) and callable(action.type):
        try:
            value = action.type(value)
        except argparse.ArgumentTypeError as error:
            raise OptionError(f"{action.dest}: {error}") from None
    elif isinstance(value, int | float) and not isinstance(value, bool) and callable(action.type):
        return _from_python(action, str(value))
    if action.choices is not None and value is not None and value not in action.choices:
        raise OptionError(f"{action.dest} must be one of {', '.join(map(str, action.choices))}, not {value!r}")
    return value


def check_resumed(groups: Groups, chosen: Mapping[str, Any]) -> None:
    """Check the options of a competition that is continued: those of its plan are fixed.

    Raises:
        OptionError: one of them is given, or the store.
    """
    if chosen.get("store"):
        raise OptionError("--resume FILE continues that store; omit --store")
    if not Path(chosen["resume"]).exists():
        raise OptionError(f"there is no file {chosen['resume']}")
    for name in sorted(groups.stored):
        if chosen[name] != groups.parser.get_default(name):
            raise OptionError(f"{chosen['resume']} already fixes --{name.replace('_', '-')}; omit it")


def check_store(file: str) -> None:
    """Check that there is a file to be read as a store.

    Raises:
        OptionError: there is none.
    """
    if not Path(file).exists():
        raise OptionError(f"there is no file {file}")
    if Path(file).is_dir():
        raise OptionError(f"{file} is a folder")


def check_files(*files: str | None) -> None:
    """Check the files of several options, none of which may overwrite another.

    Raises:
        OptionError: one of them cannot be created, or two options name the same file.
    """
    seen: set[Path] = set()
    for file in files:
        check_writable(file)
        if file and file != STANDARD_OUTPUT:
            path = Path(file).resolve()
            if path in seen:
                raise OptionError(f"two options name the file {file}; each needs a file of its own")
            seen.add(path)


def check_writable(file: str | None) -> None:
    """Check that the file of an option can be created, before work whose result it is to hold.

    Raises:
        OptionError: its folder does not exist, or it is a folder itself.
    """
    if file and file != STANDARD_OUTPUT and not Path(file).absolute().parent.is_dir():
        raise OptionError(f"there is no folder for {file}")
    if file and Path(file).is_dir():
        raise OptionError(f"{file} is a folder")


def add_output(group: Group | argparse._ActionsContainer, rows: str = "result") -> None:
    """Add the options for machine-readable results."""
    group.add_argument("--json", metavar="FILE", help="write all that is known to a file; - for standard output")
    group.add_argument("--csv", metavar="FILE", help=f"write a row per {rows} to a file")


def add_isolation_level(group: Group | argparse._ActionsContainer) -> None:
    """Add the option for the level of isolation."""
    group.add_argument(
        "--isolation", default="auto", choices=["auto", *map(str, Level)],
        help="isolation of agents from the machine (default: auto, the best that works here)",
    )  # fmt: skip


def add_restrictions(group: Group | argparse._ActionsContainer, agent: str) -> None:
    """Add the limits of the processes of agents."""
    standard = Restrictions()
    for name, kind, value, unit, what in (
        ("--memory", whole(_LEAST_MEMORY_MB, _MOST_MB), standard.memory_mb, "MB", f"memory of a {agent}, in MiB"),
        ("--processes", whole(1, _MOST_PROCESSES), standard.processes, "N", f"concurrent processes of a {agent}"),
        ("--scratch", whole(1, _MOST_MB), standard.scratch_mb, "MB", "scratch folder and any file, in MiB"),
    ):
        group.add_argument(name, type=kind, default=value, metavar=unit, help=f"{what} (default: {value})")


def restrictions(chosen: Mapping[str, Any]) -> Restrictions:
    """The limits of processes that the options set."""
    return Restrictions(chosen["memory"], chosen["processes"], chosen["scratch"])


def secret(chosen: Mapping[str, Any]) -> int:
    """The number from which all seeds derive: that of ``--seed``, or a new one."""
    return seeds.fresh_secret() if chosen["seed"] is None else int(chosen["seed"])


def name_list(text: str) -> list[str]:
    """Parse a comma-separated list of names."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise argparse.ArgumentTypeError("expected at least one name")
    return names


def level_list(text: str) -> list[int]:
    """Parse a comma-separated list of level numbers and ranges."""
    levels: list[int] = []
    for part in text.split(","):
        match = re.fullmatch(r"\s*(\d{1,3})\s*(?:-\s*(\d{1,3})\s*)?", part)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if first > last:
            raise argparse.ArgumentTypeError(f"{text!r:.60} does not name levels; write 0-4, or 0,2")
        levels += [level for level in range(first, last + 1) if level not in levels]
    return levels


def milliseconds(text: str) -> float:
    """Parse a time like ``60s`` or ``500ms``; returns milliseconds."""
    try:
        if time_ms := Budget.parse(text).milliseconds:
            return time_ms
    except CompetitionError:
        pass
    raise argparse.ArgumentTypeError(f"{text!r:.60} is not a time: write 60s or 500ms")


def port(text: str) -> int:
    """Parse the number of a port to listen on; 0 stands for any that is free."""
    return whole(0, 65535)(text)


def seed(text: str) -> int:
    """Parse an integer of at most 128 bits."""
    try:
        return whole(0, (1 << seeds.SECRET_BITS) - 1)(text)
    except argparse.ArgumentTypeError:
        raise argparse.ArgumentTypeError(f"{text!r:.60} is not a number of 0 ... 2**{seeds.SECRET_BITS} - 1") from None
