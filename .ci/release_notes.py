"""Check that version, changes and citation agree, and print the notes of the release.

python release_notes.py [TAG]
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
UNSET = ".example"
"""In addresses of the project that have not been set; the domain is reserved for examples."""


def version() -> str:
    """The version of the package, from its only place."""
    found = re.search(r'^__version__ = "(.+)"$', (ROOT / "vgdl/__init__.py").read_text(encoding="utf-8"), re.M)
    return found[1] if found else ""


def section(heading: str) -> tuple[str, str]:
    """The date and the text of a version's changes; empty if there are none."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    found = re.search(rf"^## \[{re.escape(heading)}\](?: - (\S+))?\n(.*?)(?=^## |^\[|\Z)", text, re.M | re.S)
    return (found[1] or "", found[2].strip()) if found else ("", "")


def citation(field: str) -> str:
    """A field of CITATION.cff."""
    found = re.search(rf'^{field}: "?([^"\n]+)"?$', (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.M)
    return found[1] if found else ""


def problems(tag: str) -> list[str]:
    """What has to be mended before a release; without a tag, only what always has to hold."""
    current = version()
    date, text = section(current)
    found = []
    if not text:
        found.append(f"CHANGELOG.md has no section [{current}]")
    if (citation("version"), citation("date-released")) != (current, date):
        found.append(f"CITATION.cff must have the version {current} and the date {date} of CHANGELOG.md")
    if not tag:
        return found
    if tag != f"v{current}":
        found.append(f"the tag is {tag}, and the version {current}")
    if section("Unreleased")[1]:
        found.append("CHANGELOG.md still has unreleased changes")
    addresses = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"].values()
    if any(UNSET in address for address in addresses):
        found.append(f"[project.urls] of pyproject.toml still has addresses with {UNSET}")
    return found


def main(arguments: list[str]) -> int:
    tag = arguments[0] if arguments else ""
    found = problems(tag)
    for problem in found:
        print(problem, file=sys.stderr)
    unreleased = "" if tag else section("Unreleased")[1]
    print(unreleased or section(version())[1])
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
