"""Count the instructions of a tick, which other load on the machine does not change.

    python benchmarks/instructions.py [GAME ...] [--games DIR] [--json FILE] [--before FILE]

Plays rollouts of ten random ticks from the start of level 0 and from the middle of five random plays, as ``vgdl-bench``
does, under Callgrind, and divides by the ticks. Copies of states and calls from Python are included. Callgrind counts
every byte that a string instruction moves; here 32 bytes that the C library copies or fills count as one instruction.
Needs valgrind with its headers, and a C compiler named cc.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import math
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from reference import game_files

from vgdl import bench, games, load
from vgdl.core.state import StateObservation

ROUNDS = 12
"""Rollouts from each of the five states."""

BYTES_AT_ONCE = 32
"""Bytes that a processor copies with one instruction."""

SWITCH = """
#include <valgrind/callgrind.h>
void start(void) { CALLGRIND_START_INSTRUMENTATION; CALLGRIND_ZERO_STATS; }
void stop(const char *name) { CALLGRIND_DUMP_STATS_AT(name); CALLGRIND_STOP_INSTRUMENTATION; }
"""


def play(states: Sequence[StateObservation], rounds: int) -> int:
    """Rollouts from each state; how many ticks they had."""
    return sum(
        state.copy(seed=seed, history=False).random_rollout(bench.DEPTH, seed)
        for seed in range(rounds)
        for state in states
    )


def run_counted(library: Path, paths: Sequence[str]) -> None:
    """Play under Callgrind; print the ticks of each measurement as JSON."""
    switch = ctypes.CDLL(str(library))
    ticks = {}
    for path in paths:
        first = load(path).start(level=0, seed=1)
        for kind, states in (("start", [first] * bench.MID_GAMES), ("mid-game", bench.mid_games(first))):
            play(states, 1)  # which allocates memory
            name = f"{Path(path).stem}, {kind}"
            switch.start()
            ticks[name] = play(states, ROUNDS)
            switch.stop(name.encode())
    print(json.dumps(ticks))


def costs(dump: str) -> float:
    """The instructions of a dump; its format is described in Callgrind's manual."""
    names: dict[str, str] = {}
    function, of_call, total, copied = "", False, 0, 0
    for line in dump.splitlines():
        named = re.match(r"(c?fn)=(\(\d+\))(?: (.*))?", line)
        if named:
            kind, number, name = named.groups()
            if name:
                names[number] = name
            if kind == "fn":
                function = names[number]
        elif line.startswith("calls="):
            of_call = True  # the next line has the inclusive costs of the call
        elif re.match(r"[-+*\d]\S* \d+$", line):
            if not of_call:
                total += int(line.split()[1])
                copied += int(line.split()[1]) if re.search("mem(cpy|set|move)", function) else 0
            of_call = False
    return total - copied * (1 - 1 / BYTES_AT_ONCE)


def count(paths: Sequence[str]) -> dict[str, float]:
    """Instructions per tick, by game and kind of state."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        switch = folder / "switch.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-o", switch, "-xc", "-"], input=SWITCH.encode(), check=True)
        callgrind = [
            "valgrind",
            "-q",
            "--tool=callgrind",
            "--instr-atstart=no",
            f"--callgrind-out-file={folder / 'out'}",
        ]
        command = [*callgrind, sys.executable, __file__, "--switch", switch, *paths]
        played = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        ticks = json.loads(played.stdout.splitlines()[-1])
        counted = {}
        for path in folder.glob("out.*"):
            dump = path.read_text(encoding="utf-8", errors="replace")
            trigger = re.search(r"^desc: Trigger: Client Request: (.*)$", dump, re.MULTILINE)
            if trigger:
                counted[trigger[1]] = costs(dump) / max(1, ticks[trigger[1]])
    return counted


def show(counted: dict[str, float], before: dict[str, float]) -> None:
    """Print a table, the most costly ticks first."""
    for name, instructions in sorted(counted.items(), key=lambda item: -item[1]):
        compared = f"{before[name]:10,.0f}{instructions / before[name]:7.2f}" if name in before else ""
        print(f"{name:32}{instructions:10,.0f}{compared}")
    ratios = [math.log(instructions / before[name]) for name, instructions in counted.items() if name in before]
    if ratios:
        print(f"geometric mean of {len(ratios)} ratios: {math.exp(sum(ratios) / len(ratios)):.3f}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", metavar="GAME", help="names or files of games (default: all bundled ones)")
    parser.add_argument("--games", type=Path, metavar="DIR", help="folder with more games, searched recursively")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the counts to a file")
    parser.add_argument("--before", type=Path, metavar="FILE", help="such a file, to compare with")
    parser.add_argument("--switch", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.switch:
        run_counted(options.switch, options.paths)
        return 0
    paths = options.paths or ([] if options.games else games.names())
    counted = count([*paths, *map(str, game_files(options.games).values())])
    show(counted, json.loads(options.before.read_text()) if options.before else {})
    if options.json:
        options.json.write_text(json.dumps(counted, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
