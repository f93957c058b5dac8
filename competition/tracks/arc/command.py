"""The command ``vgdl-compete arc``."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence

from vgdl.cli import program
from vgdl.language import nearest

COMMANDS = {
    "serve": ("serve_command", "offer games to any ARC-AGI-3 client, and to people in the browser"),
    "play": ("play_command", "let an agent play games on a server or in this process"),
    "games": ("games_command", "list the games that serve and play offer, with their VGDL names"),
    "baselines": ("baselines_command", "human baselines from a server's store"),
    "check": ("check_command", "play recordings again and compare every frame"),
    "smoke": ("smoke_command", "a server, a client, a card and its recordings, in under a minute"),
}
"""Subcommands by name: modules whose ``main`` takes the remaining arguments, and descriptions."""


def main(arguments: Sequence[str]) -> int:
    """Run the command and return its exit status: 0, 1 if it failed, 2 for wrong arguments, 130 after Ctrl-C."""
    words = list(arguments)
    name = f"{program('compete')} arc"
    if words and words[0] in COMMANDS:
        module = importlib.import_module(f"vgdl.competition.tracks.arc.{COMMANDS[words[0]][0]}")
        status: int = module.main(words[1:])
        return status
    if words and words[0] not in ("-h", "--help"):
        similar = nearest(words[0], COMMANDS)
        suggestion = f"; did you mean {similar!r}?" if similar else f"; there are {', '.join(COMMANDS)}"
        print(f"{name}: there is no command {words[0]!r}{suggestion}", file=sys.stderr)
        return 2
    listed = "\n".join(f"  {name} {word:<10} {about}" for word, (_, about) in COMMANDS.items())
    about = "ARC-AGI-3: VGDL games for its agents, and agents for its games."
    print(f"{about}\n\n{listed}\n\nEach has a --help of its own.")
    return 0 if words else 2
