"""Every turn of a competition as data: a row per question, or per turn without one, as JSON lines or Parquet."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from vgdl.competition.errors import using
from vgdl.competition.files import replacing
from vgdl.competition.options import OptionError
from vgdl.competition.store import Reader
from vgdl.competition.tracks.gamebot.plan import Plan
from vgdl.competition.tracks.gamebot.prompts import Prompt, prompt
from vgdl.competition.tracks.gamebot.results import questions
from vgdl.competition.tracks.gamebot.store import MatchRow
from vgdl.competition.tracks.gamebot.tasks import TASKS
from vgdl.extras import needs

FORMS = (".jsonl", ".parquet")

COLUMNS = {
    "match": "int64", "game": "string", "turn": "int64", "seat": "int64", "player": "string", "opponent": "string",
    "prompt": "string", "position": "string", "answer": "string", "truncated": "bool", "question": "string",
    "number": "int64", "reading": "string", "truth": "string", "verdict": "string", "read_as": "string",
    "chosen": "string", "move": "string", "replaced": "string", "prompt_tokens": "int64",
    "completion_tokens": "int64", "cost": "float64",
}  # fmt: skip
"""The columns and their types. Tokens and cost are those of the turn, on its first row only, so that they add up."""


def check(file: str | None) -> None:
    """Check the file that is to hold the turns, before anything is played.

    Raises:
        OptionError: its ending is not that of a known form, or a package for it is missing.
    """
    if not file:
        return
    suffix = Path(file).suffix
    if suffix not in FORMS:
        raise OptionError(f"--turns expects a file that ends with {' or '.join(FORMS)}, not {file}")
    if suffix == ".parquet":
        for module in ("pandas", "pyarrow"):
            try:
                import_module(module)
            except ImportError:
                raise OptionError(needs("a Parquet file of turns", module, "parquet")) from None


def rows(plan: Plan, store: Reader) -> Iterator[dict[str, Any]]:
    """The turns of all matches, a row per question; see `COLUMNS`."""
    for number in sorted(match.number for match in store.rows(MatchRow)):
        match = store.one(MatchRow, number=number)
        with store.reading("the turns of a match"):
            found = list(_of_match(plan, match))
        yield from found


def _of_match(plan: Plan, match: MatchRow) -> Iterator[dict[str, Any]]:
    names = (match.first, match.second)
    titles = {number: title for number, title, _ in questions(match.game)}
    for place, turn in enumerate(match.turns, 1):
        seat = turn["player"]
        asked = prompt_of(plan, match.game, seat, turn["prompt"])
        tokens = turn.get("prompt_tokens", 0), turn.get("completion_tokens", 0)
        facts = {
            "match": match.number,
            "game": match.game,
            "turn": place,
            "seat": seat,
            "player": names[seat],
            "opponent": names[1 - seat],
            "prompt": asked.text if asked else None,
            "position": turn["position"],
            "answer": turn["reply"],
            "truncated": bool(turn["truncated"]),
            "reading": str(plan.reading),
            "chosen": turn.get("chosen") or None,
            "move": turn["move"] or None,
            "replaced": turn["replaced"],
        }
        price = plan.entry(names[seat]).price
        spent: dict[str, float | None] = {
            "prompt_tokens": tokens[0],
            "completion_tokens": tokens[1],
            "cost": price.of(*tokens) if price else None,
        }
        for judged in turn["questions"] or [None]:
            question = {
                "number": judged["number"] if judged else None,
                "question": titles[judged["number"]] if judged else None,
                "truth": judged["truth"] if judged else None,
                "verdict": judged["verdict"] if judged else None,
                "read_as": judged["answer"] if judged and judged["readable"] else None,
            }
            row = {**facts, **question, **spent}
            yield {name: row[name] for name in COLUMNS}
            spent = {name: None if known is None else 0 for name, known in spent.items()}


@cache
def _prompt(game: str, seat: int, variant: Any) -> Prompt:
    return prompt(TASKS[game](), seat, variant)


def prompt_of(plan: Plan, game: str, seat: int, version: str) -> Prompt | None:
    """The prompt of a turn by its stored version; None for a player without one, or if it has changed since."""
    if not version:
        return None
    asked = _prompt(game, seat, plan.variant)
    return asked if asked.version == version else None


def write(plan: Plan, store: Reader, path: Path) -> None:
    """Write the turns of a store to a file, whose ending says in which form.

    Raises:
        FileError: it cannot be written.
        StoreError: the store is damaged.
    """
    if path.suffix == ".jsonl":
        with replacing(path) as file:
            for row in rows(plan, store):
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
        return
    pandas: Any = import_module("pandas")
    kinds = {"int64": "Int64", "bool": "boolean", "float64": "Float64"}  # those that can be missing
    frame = pandas.DataFrame(rows(plan, store), columns=list(COLUMNS))
    with using(path):
        frame.astype({name: kinds.get(kind, kind) for name, kind in COLUMNS.items()}).to_parquet(path, engine="pyarrow")
