"""What was generated as ordinary folders: games, levels, facts and replays in the layout of ``games/``."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import vgdl
from vgdl import Action, VGDLError, replay
from vgdl.competition.store import Store
from vgdl.competition.tracks.generation.plan import Plan
from vgdl.competition.tracks.generation.rows import Generated


def write_folder(folder: Path, plan: Plan, store: Store) -> list[Path]:
    """Write every level, set of rules and game that was accepted; returns the game files.

    Levels for the same game text of one generator become one game with several levels. All commands take the folder:
    ``vgdl-play``, ``vgdl-check``, ``vgdl-compete --set-dir``.

    Raises:
        StoreError: the store is damaged.
        OSError: the folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "replays").mkdir(exist_ok=True)
    names: dict[tuple[str, str, str], str] = {}
    levels: dict[str, int] = {}
    for row in store.rows(Generated):
        if row.cause:
            continue
        texts = store.one(Generated, generator=row.generator, subject=row.subject, number=row.number).texts
        with store.reading(f"what {row.generator} made"):
            stem = _word(f"{row.subject}_{row.generator}" if plan.kind != "games" else row.generator)
            key = (row.generator, row.subject, texts["game"])
            if key not in names:
                number = sum(name == stem or name.startswith(f"{stem}_") for name in names.values())
                names[key] = f"{stem}_{number}" if number or plan.kind != "levels" else stem
                (folder / f"{names[key]}.txt").write_text(texts["game"], encoding="utf-8")
            name = names[key]
            for level, win in zip(texts["levels"], texts["wins"], strict=True):
                place = levels[name] = levels.get(name, -1) + 1
                path = folder / f"{name}_lvl{place}.txt"
                path.write_text(level, encoding="utf-8")
                facts = _toml(row)
                path.with_suffix(".toml").write_text(facts, encoding="utf-8")
                if win is not None:
                    _write_replay(folder, name, place, win)
    return [folder / f"{name}.txt" for name in names.values()]


def _word(text: str) -> str:
    return re.sub(r"[^\w]+", "_", text).strip("_").lower()[:60] or "game"


def _toml(row: Generated) -> str:
    """The facts about a level."""
    facts: dict[str, Any] = {
        "generator": row.generator, "number": row.number, "feasible": row.feasible, "verdict": row.verdict,
        "verified": row.verified, "depth": round(row.depth, 4), "decisions": round(row.decisions, 4),
        "novelty": round(row.novelty, 4), "olets_wins": round(row.win_rate, 4), "shortest_win": row.win_ticks,
    }  # fmt: skip
    lines = [f"{name} = {json.dumps(value)}" for name, value in facts.items()]  # these values are TOML as well as JSON
    lines += ["", "[constraints]", *(f"{name} = {share}" for name, share in row.constraints.items())]
    return "\n".join([*lines, ""])


def _write_replay(folder: Path, name: str, level: int, win: dict[str, Any]) -> None:
    try:
        board = vgdl.load(folder / f"{name}.txt").board(level)
    except VGDLError:  # it was judged by the same texts, so this does not happen unless the folder is changed
        return
    actions = [[Action(int(action)).name for action in tick] for tick in win["actions"]]
    state = replay.simulate(board, int(win["seed"]), actions)
    found = replay.record(state, int(win["seed"]), actions, controllers=[str(win["judge"])])
    replay.write(found, folder / "replays" / f"{name}_lvl{level}.json")
