"""The command ``vgdl doctor``: what this installation and this machine can do, for bug reports and for organisers."""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import sysconfig
from collections.abc import Sequence
from importlib import metadata
from typing import Any

from vgdl.cli import Parser, program
from vgdl.competition.agents import control_group, cores, cpu_clock
from vgdl.competition.agents.isolation import IsolationError, Level, Restrictions
from vgdl.competition.agents.plain_data import printable
from vgdl.competition.agents.sandboxes import working_sandbox
from vgdl.competition.agents.view import view
from vgdl.competition.machine import machine, versions
from vgdl.competition.tracks.planning.controller_adapter import service
from vgdl.competition.tracks.planning.rules import Rules
from vgdl.controllers.registry import CONTROLLERS
from vgdl.render.ansi import has_display

WORKS = "works"
"""What is shown for a level of isolation that works; for any other, why it does not."""

_REQUIREMENT = re.compile(r"(?P<name>[\w.-]+)[^;]*(?:;.*extra\s*==\s*['\"](?P<extra>[\w-]+)['\"])?")


def main(arguments: Sequence[str]) -> int:
    """Print the report; returns 0, or 1 if something that every command needs is missing."""
    parser = Parser(
        prog=program("doctor"),
        description="Report versions, extras, isolation, clock, cores, display and compiler, for bug reports and "
        "organisers. It changes nothing, and names no user, host or path.",
    )
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    as_json = parser.parse_args(arguments).json
    report = examine()
    print(json.dumps(report, indent=1) if as_json else in_words(report))
    return 1 if report["missing"] else 0


def examine() -> dict[str, Any]:
    """Everything that the report says, as JSON-compatible values."""
    base, extras = _requirements()
    levels = isolation()
    facts = machine()
    del facts["host"]
    return {
        "versions": {**versions(), **{name: _version(name) for name in base if name != "numpy"}},
        "missing": [name for name in base if _version(name) is None],
        "extras": {extra: [name for name in names if _version(name) is None] for extra, names in extras.items()},
        "machine": facts,
        "cores": {"usable": len(cores.available())},
        "isolation": {str(level): reason for level, reason in levels.items()},
        "clock": _clock(),
        "display": has_display(),
        "compiler": _compiler(),
    }


def isolation() -> dict[Level, str]:
    """For each level of isolation, `WORKS` or why it does not work here; each is tested with a real process."""
    entry = CONTROLLERS.find("random")
    found = {}
    for level in Level:
        try:
            working_sandbox([entry], service(Rules()), Restrictions(), view(), level)
        except IsolationError as error:
            found[level] = printable(str(error))
        else:
            found[level] = WORKS
    return found


def in_words(report: dict[str, Any]) -> str:
    """The report as text, a fact per line."""
    ready = [extra for extra, missing in report["extras"].items() if not missing]
    lacking = {extra: missing for extra, missing in report["extras"].items() if missing}
    best = next((level for level, reason in report["isolation"].items() if reason == WORKS), None)
    clock = report["clock"]
    lines = [
        ("versions", ", ".join(f"{name} {version or 'missing'}" for name, version in report["versions"].items())),
        ("system", report["machine"]["system"]),
        ("processor", f"{report['machine']['processor']}, {report['cores']['usable']} cores usable"),
        (
            "compiler",
            report["compiler"]["command"] or f"none found (Python was built by {report['compiler']['python']})",
        ),
        ("display", "yes" if report["display"] else "none: vgdl play runs in the terminal"),
        ("clock", _clock_in_words(clock)),
        ("isolation", f"{best}, the best level that works" if best else "no level works"),
        *((f"  {level}", reason) for level, reason in report["isolation"].items()),
        ("extras", ", ".join(ready) or "none"),
        *((f"  {extra}", f"lacks {', '.join(missing)}") for extra, missing in lacking.items()),
    ]
    if report["missing"]:
        lines.append(("missing", f"{', '.join(report['missing'])}: pip install --force-reinstall vgdl"))
    width = max(len(name) for name, _ in lines)
    return "\n".join(f"{name:{width}}  {fact}" for name, fact in lines)


def _clock() -> dict[str, Any]:
    """Where CPU times come from, and whether control groups limit memory."""
    source = cpu_clock.best_source()
    group = control_group.create()
    limits_memory = bool(group and group.limits_memory)
    if group:
        group.close()
    return {"source": str(source), "exact": source.is_exact, "limits_memory": limits_memory}


def _clock_in_words(clock: dict[str, Any]) -> str:
    if clock["source"] == cpu_clock.Source.NONE:
        return "CPU times cannot be measured: use --clock wall, or a budget like calls:900"
    exact = "exact" if clock["exact"] else "children that end count in steps of 10 ms"
    memory = "" if clock["limits_memory"] else "; control groups do not limit memory"
    return f"CPU times by {clock['source']} ({exact}){memory}"


def _compiler() -> dict[str, str | None]:
    """The C compiler that builds the package, without its folder, and the one that built Python."""
    words = (os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc").split()
    return {"command": words[0].rpartition(os.sep)[2] if shutil.which(words[0]) else None,
            "python": platform.python_compiler()}  # fmt: skip


def _requirements() -> tuple[list[str], dict[str, list[str]]]:
    """Names of the packages that the project needs always, and those of each extra."""
    base: list[str] = []
    extras: dict[str, list[str]] = {extra: [] for extra in metadata.metadata("vgdl").get_all("Provides-Extra") or []}
    for requirement in metadata.requires("vgdl") or []:
        found = _REQUIREMENT.match(requirement)
        if found is None or found["name"] == "vgdl":
            continue
        (extras[found["extra"]] if found["extra"] else base).append(found["name"])
    return base, {extra: sorted(set(names)) for extra, names in extras.items() if names}


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
