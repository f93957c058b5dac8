"""What ``vgdl check my_agent.py:Greedy`` does: the checks of `vgdl.testing.check_controller`, as a command."""

from __future__ import annotations

import contextlib
import json
import re
import sys
from collections.abc import Sequence

from rich.console import Console
from rich.progress import track
from rich.text import Text

from vgdl.cli import counted
from vgdl.testing.controllers import check_controller
from vgdl.testing.problems import CheckFailed

_CONTROLLER = re.compile(r".+\.py:\w*")


def is_controller(name: str) -> bool:
    """Whether an argument of the command names a controller, as ``FILE.py:CLASS``."""
    return _CONTROLLER.fullmatch(name) is not None


def run(names: Sequence[str], *, as_json: bool) -> int:
    """Check controllers and print the problems; what they print themselves goes to standard error.

    Returns:
        The exit status: 0 without problems, 1 with any.
    """
    errors = Console(stderr=True)
    watched = track(names, "checking", console=errors, transient=True, disable=as_json or not errors.is_terminal)
    problems = {name: _problems(name) for name in watched}
    if as_json:
        print(json.dumps([{"controller": name, "problems": list(found)} for name, found in problems.items()], indent=2))
    else:
        _print(problems, Console())
    return 1 if any(problems.values()) else 0


def _problems(name: str) -> tuple[str, ...]:
    try:
        with contextlib.redirect_stdout(sys.stderr):
            check_controller(name)
    except CheckFailed as failed:
        return failed.problems
    return ()


def _print(problems: dict[str, tuple[str, ...]], console: Console) -> None:
    for name, found in problems.items():
        state = Text("not ok", "red") if found else Text("ok", "green")
        console.print(Text.assemble((name, "bold"), ": ", state), soft_wrap=True)
        for problem in found:
            headline, *rest = problem.split("\n")
            console.print(Text.assemble(("problem: ", "bold red"), headline), soft_wrap=True)
            for line in rest:
                console.print(Text(f"  {line}"), soft_wrap=True)
    total = sum(map(len, problems.values()))
    console.print(f"{counted(len(problems), 'controller')}, {counted(total, 'problem')}", highlight=False)
