"""The command ``vgdl-replay``: play replay files again and say whether they still lead to the same result."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import track
from rich.table import Table

from vgdl import VGDLError, VGDLRuntimeError
from vgdl.replay import Replay, Result, Verdict, find_board, read, verify

_DESCRIPTION = """\
Play replay files again, and say whether the result is still the one that was recorded.

A replay file holds the game's name and hash, the seed and all actions; vgdl-compete --replays DIR writes them."""

_EPILOG = (
    "The exit status is 0 if every file leads to its recorded result, 1 if one does not, 2 if one cannot be played."
)


@dataclass(frozen=True, slots=True)
class Checked:
    """A file with what was found: a replay and its verdict, or why there is none."""

    path: str
    replay: Replay | None = None
    verdict: Verdict | None = None
    error: str = ""

    @property
    def finding(self) -> str:
        """In words."""
        if self.verdict is None:
            return self.error
        changed = [
            what
            for what, has_changed in (("game", self.verdict.game_changed), ("level", self.verdict.level_changed))
            if has_changed
        ]
        finding = "same result" if self.verdict.same else "DIFFERENT RESULT"
        if changed:
            finding += f" (the text of the {' and the '.join(changed)} has changed since)"
        return f"{finding}: {self.verdict.error}" if self.verdict.error else finding


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status."""
    options = _parser().parse_args(arguments)
    files = track(options.files, "replaying", console=Console(stderr=True), transient=True)
    checked = [check(path, options.games) for path in files]
    if options.json:
        json.dump([_as_json(row) for row in checked], sys.stdout, indent=1)
        print()
    else:
        Console().print(_table(checked))
    if any(row.verdict is None for row in checked):
        return 2
    return 0 if all(row.verdict and row.verdict.same for row in checked) else 1


def check(path: Path, folders: Sequence[Path] = ()) -> Checked:
    """Read a file and play it again; whatever is wrong with it becomes its ``error``."""
    try:
        replay = read(path)
        return Checked(str(path), replay, verify(replay, find_board(replay, folders)))
    except (ValueError, VGDLError, VGDLRuntimeError) as error:
        return Checked(str(path), error=str(error))


def _table(checked: Sequence[Checked]) -> Table:
    table = Table()
    for column in ("file", "controller", "winner", "score", "ticks", "replayed"):
        table.add_column(column, overflow="fold")
    for row in checked:
        name = Path(row.path).name
        if row.replay is None:
            table.add_row(name, "", "", "", "", row.finding)
        else:
            cells = (" ".join(row.replay.controllers), *_cells(row.replay.result), row.finding)
            table.add_row(name, *cells)
    return table


def _cells(result: Result) -> tuple[str, str, str]:
    return " ".join(map(str, result.winners)), " ".join(f"{score:g}" for score in result.scores), str(result.tick)


def _as_json(row: Checked) -> dict[str, Any]:
    verdict = None if row.verdict is None else {**asdict(row.verdict), "same": row.verdict.same}
    return {"file": row.path, "verdict": verdict, "error": row.error}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="vgdl-replay",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="replay file")
    parser.add_argument(
        "--games", action="append", type=Path, default=[], metavar="DIR",
        help="folder to look for the games in, besides the bundled ones; may be given more than once",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    return parser


if __name__ == "__main__":
    sys.exit(main())
