"""Learns the bundled games by search and measures the result on held-out levels; goes on where it was cut off.

python benchmarks/world_models_search.py --out learnt.json
python benchmarks/world_models_search.py --out learnt.json --games sokoban,zelda --ticks 2000 --seconds 60
"""

from __future__ import annotations

import argparse
import json
import platform
import time
import traceback
from pathlib import Path
from statistics import mean
from typing import Any

import vgdl
from vgdl import games
from vgdl.competition.tracks.worldmodels.search.measures import SHARES, wins_text
from vgdl.competition.tracks.worldmodels.search.work import learn_game


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="JSON file of the results; finished games are kept")
    parser.add_argument("--games", help="names between commas (default: all bundled games for one player)")
    parser.add_argument("--ticks", type=int, default=2000, help="observed ticks to learn from")
    parser.add_argument("--seconds", type=float, default=100.0, help="CPU time of each of three searches")
    parser.add_argument("--test-ticks", type=int, default=800, help="ticks to measure on")
    parser.add_argument("--samples", type=int, default=32, help="futures that a prediction of chance is made of")
    parser.add_argument("--player", default="champion", help="controller that plays what was learnt")
    parser.add_argument("--calls", type=int, default=1000, help="its forward model calls per tick")
    parser.add_argument("--milliseconds", type=float, help="its CPU time per tick, instead of calls: 40 in contests")
    parser.add_argument("--per-level", type=int, default=2, help="its plays of each held-out level; 0: none")
    parser.add_argument("--most", type=int, default=1000, help="ticks of a play")
    parser.add_argument("--seed", type=int, default=2024)
    chosen = parser.parse_args()
    options = {key: value for key, value in vars(chosen).items() if key not in ("out", "games")}
    facts: dict[str, Any] = {"options": options, "games": {}}
    if chosen.out.exists():
        facts = json.loads(chosen.out.read_text(encoding="utf-8"))
        if facts["options"] != options:
            parser.error(f"{chosen.out} was made with other options: {facts['options']}")
    single = [name for name in games.names() if vgdl.load(name).n_players == 1]
    for name in chosen.games.split(",") if chosen.games else single:
        if name not in facts["games"]:
            facts["games"][name] = _learnt(name, options)
            facts |= {"date": time.strftime("%Y-%m-%d"), "machine": f"{platform.machine()}, {platform.system()}"}
            part = chosen.out.with_suffix(".part")
            part.write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
            part.replace(chosen.out)
    print(markdown(facts["games"]))


def _learnt(name: str, options: dict[str, Any]) -> dict[str, Any]:
    start = time.process_time()
    try:
        found = learn_game(name, **options)
    except Exception as error:
        traceback.print_exc()
        return {"error": f"{type(error).__name__}: {error}"}
    return {**found, "all_seconds": round(time.process_time() - start, 1)}


def markdown(results: dict[str, dict[str, Any]]) -> str:
    """The results as a table, failures included."""
    heads = ["game", "CPU s", *SHARES.values(), "equal", "learnt", "true"]
    lines = ["| " + " | ".join(heads) + " |", "|---|" + "---:|" * (len(heads) - 1)]
    for name, row in results.items():
        if "error" in row:
            lines.append(f"| {name} | failed: {row['error']} |" + " |" * (len(heads) - 2))
            continue
        measures = [f"{row[key]:.3f}" for key in SHARES] + ["yes" if row["same_rules"] else "no"]
        plays = [wins_text(row[key]) for key in ("played_learnt", "played_true")]
        lines.append("| " + " | ".join([name, f"{row['seconds']:.0f}", *measures, *plays]) + " |")
    rows = [row for row in results.values() if "error" not in row]
    if rows:
        means = [f"{mean(row[key] for row in rows):.3f}" for key in SHARES]
        equal = str(sum(row["same_rules"] for row in rows))
        wins = [str(sum(play["won"] for row in rows for play in row[key])) for key in ("played_learnt", "played_true")]
        lines.append("| " + " | ".join([f"{len(rows)} games", "", *means, equal, *wins]) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
