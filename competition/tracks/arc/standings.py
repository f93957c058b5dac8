"""The standings of an ARC server's store, for ``vgdl-compete standings``: its closed cards, the best first."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table

from vgdl.competition.agents.plain_data import printable
from vgdl.competition.errors import using
from vgdl.competition.tracks.arc.store import ArcStore

COLUMNS = (
    "card_id", "score", "scoring", "baseline", "total_environments", "total_environments_completed", "total_levels",
    "total_levels_completed", "total_actions",
)  # fmt: skip


def show_standings(path: Path, json_file: str | None, csv_file: str | None) -> None:
    """Print the cards of a store, and write the requested machine-readable files.

    Raises:
        StoreError: it cannot be read.
        FileError: a file cannot be written.
    """
    with ArcStore.open(path, read_only=True) as store:
        cards = [row.final for row in store.cards(closed=True) if row.final]
    cards.sort(key=lambda card: (-card["score"], -card["total_levels_completed"], card["total_actions"]))
    console = Console(stderr=json_file == "-")
    table = Table("tags", box=box.SIMPLE_HEAD)
    for heading in ("score", "levels", "actions", "games won"):
        table.add_column(heading, justify="right")
    for heading in ("scoring", "baselines", "card"):
        table.add_column(heading)
    for card in cards:
        levels = f"{card['total_levels_completed']} / {card['total_levels']}"
        won = f"{card['total_environments_completed']} / {card['total_environments']}"
        words = (card["scoring"], card.get("baseline") or "none", card["card_id"])
        tags = printable(", ".join(card["tags"]), 60)
        table.add_row(tags, f"{card['score']:.2f}", levels, str(card["total_actions"]), won, *words)
    console.print(table, markup=False)
    if json_file == "-":
        json.dump(cards, sys.stdout, indent=1)
        print()
    elif json_file:
        with using(json_file):
            Path(json_file).write_text(json.dumps(cards, indent=1) + "\n", encoding="utf-8")
    if csv_file:
        with using(csv_file), Path(csv_file).open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["tags", *COLUMNS])
            writer.writerows([",".join(card["tags"]), *(card.get(name) for name in COLUMNS)] for card in cards)
