"""Result files, which replace older ones only once they are complete."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from vgdl.competition.errors import using

STANDARD_OUTPUT = "-"


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[IO[str]]:
    """Open a text file that replaces an older one once it is complete; devices and pipes are written directly.

    Raises:
        FileError: it cannot be written.
    """
    in_place = path.exists() and not path.is_file()
    part = path if in_place else path.with_name(path.name + ".part")
    with using(path):
        with part.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
            yield file
        if not in_place:
            part.replace(path)


def write_json(file: Path | str, facts: Mapping[str, Any]) -> None:
    """Write facts as JSON to a file, or to standard output if the file is ``-``.

    Raises:
        FileError: it cannot be written.
    """
    text = json.dumps(facts, indent=1) + "\n"
    if file == STANDARD_OUTPUT:
        sys.stdout.write(text)
        return
    with replacing(Path(file)) as opened:
        opened.write(text)
