"""All agents on all bundled ARC games: levels, actions, and RHAE of each version.

    python benchmarks/arc_agents.py --actions 1000 --out arc-agents.jsonl
    python benchmarks/arc_agents.py --actions 5000 --agents explorer,object-planner --out arc-agents.jsonl
    python benchmarks/arc_agents.py --out arc-agents.jsonl --table 1000

Each play is a line of the file as soon as it has ended, so a run that is stopped goes on where it was. A play of 20,000
actions also says what the agent had reached after 1,000. ``--table`` plays nothing and prints Markdown.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy is imported: an agent gets one core

import argparse
import json
import platform
import time
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.progress import track

from vgdl.competition.tracks.arc.agents import AGENTS, Task, create
from vgdl.competition.tracks.arc.agents.playing import play
from vgdl.competition.tracks.arc.baselines import Source, bundled_baselines
from vgdl.competition.tracks.arc.game import VgdlGame, bundled, from_folder
from vgdl.competition.tracks.arc.local import LocalArc
from vgdl.competition.tracks.arc.options import Way
from vgdl.competition.tracks.arc.scoring import Scoring, game_score, total

Line = dict[str, Any]
AGENTS = tuple(name for name in AGENTS.names() if name != "change-cnn")  #: those that a CPU can play at length


def main() -> None:
    options = parsed()
    games = offered(options)
    lines = read(options.out)
    if options.table:
        print("\n".join(table(lines, games, options.table)))
        return
    for agent in options.agents.split(","):
        for game in track(games, description=agent):
            if not known(lines, agent, game, options):
                lines.append(played(agent, game, options.seed, options.actions))
                with options.out.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(lines[-1]) + "\n")


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--agents", default=",".join(AGENTS), help="names, separated by commas")
    parser.add_argument("--games", help="names of games, separated by commas (default: all)")
    parser.add_argument("--folder", type=Path, help="a folder of VGDL games instead of the bundled ones")
    parser.add_argument("--way", default=Way.KEYBOARD, choices=[Way.KEYBOARD, Way.CLICK], type=Way)
    parser.add_argument("--actions", type=int, default=1000, help="per game (default: 1000)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, required=True, help="file of results, one JSON object a line")
    parser.add_argument("--table", type=int, metavar="ACTIONS", help="print the results after so many actions per game")
    return parser.parse_args()


def offered(options: argparse.Namespace) -> list[VgdlGame]:
    """The games asked for, by name."""
    ways = (options.way,)
    games = from_folder(options.folder, ways) if options.folder else bundled(ways)
    wanted = options.games.split(",") if options.games else None
    return sorted((g for g in games if wanted is None or g.game.name in wanted), key=lambda g: g.game.name)


def read(path: Path) -> list[Line]:
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def known(lines: Iterable[Line], agent: str, game: VgdlGame, options: argparse.Namespace) -> bool:
    """Whether there is a play of that length or longer, or one that was won."""
    return any(
        (line["agent"], line["game"], line["seed"]) == (agent, game.id, options.seed)
        and (line["limit"] >= options.actions or line["won"])
        for line in lines
    )


def played(agent: str, game: VgdlGame, seed: int, actions: int) -> Line:
    task = Task(game.id, tuple(game.actions), game.win_levels)
    began = time.process_time()
    result = play(create(agent, task, seed), LocalArc([game]).make(game.id), actions)
    spent = time.process_time() - began
    return {
        "agent": agent,
        "name": game.game.name,
        "game": game.id,
        "seed": seed,
        "limit": actions,
        "level_actions": result.level_actions,
        "actions": result.actions,
        "resets": result.resets,
        "won": result.won,
        "ms_per_action": round(1000 * spent / max(result.actions, 1), 3),
        "date": datetime.now(UTC).date().isoformat(),
        "machine": platform.machine(),
    }


def table(lines: list[Line], games: list[VgdlGame], actions: int) -> list[str]:
    """Markdown: a row per agent over all games, then the levels that each agent finished in each game."""
    plays = latest(lines, actions)
    offered_ids = {game.id for game in games}
    agents = sorted({agent for agent, game in plays if game in offered_ids}, key=AGENTS.names().index)
    if not agents:
        raise SystemExit("the file has no play of these games: name the --way and --folder that they were played with")
    rows = [f"| agent | games | levels | actions | {' | '.join(Scoring)} | CPU ms per action |", "|---|" + "---|" * 7]
    for agent in agents:
        of_agent = [(game, plays[agent, game.id]) for game in games if (agent, game.id) in plays]
        scores = [
            total(score(game, line, actions, scoring) for game, line in of_agent if score_known(game))
            for scoring in Scoring
        ]
        n_levels = sum(len(finished(line, actions)) for _, line in of_agent)
        n_actions = sum(min(line["actions"], actions) for _, line in of_agent)
        speed = sum(line["ms_per_action"] for _, line in of_agent) / len(of_agent)
        shown = " | ".join(f"{100 * found:.2f} %" for found in scores)
        rows.append(f"| {agent} | {len(of_agent)} | {n_levels} | {n_actions:,} | {shown} | {speed:.2f} |")
    rows += ["", f"| game | {' | '.join(agents)} |", "|---|" + "---|" * len(agents)]
    for game in games:
        cells = [cell(game, plays.get((agent, game.id)), actions) for agent in agents]
        rows.append(f"| {game.game.name} | {' | '.join(cells)} |")
    return rows


def latest(lines: Iterable[Line], actions: int) -> Mapping[tuple[str, str], Line]:
    """For each agent and game the longest play that is long enough."""
    found: dict[tuple[str, str], Line] = {}
    for line in sorted(lines, key=lambda line: line["limit"]):
        if line["limit"] >= actions or line["won"]:
            found[line["agent"], line["game"]] = line
    return found


def finished(line: Line, actions: int) -> list[int]:
    """Actions per level of those that were finished within so many actions."""
    kept, spent = [], 0
    for of_level in line["level_actions"]:
        spent += of_level
        if spent > actions:
            break
        kept.append(of_level)
    return kept


def score_known(game: VgdlGame) -> bool:
    return bundled_baselines(Source.PLANNER).of(game) is not None


def score(game: VgdlGame, line: Line, actions: int, scoring: Scoring) -> float:
    baselines = bundled_baselines(Source.PLANNER).of(game)
    return game_score(scoring, baselines, finished(line, actions)).game if baselines else 0.0


def cell(game: VgdlGame, line: Line | None, actions: int) -> str:
    """Levels, and the score in the present version."""
    if line is None:
        return ""
    return f"{len(finished(line, actions))} ({100 * score(game, line, actions, Scoring.APRIL):.1f} %)"


if __name__ == "__main__":
    main()
