"""The command ``vgdl-compete arc``."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Sequence

from vgdl.cli import Parser, program

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
    listed = "\n".join(f"  {name} {word:<10} {about}" for word, (_, about) in COMMANDS.items())
    parser = Parser(
        prog=name,
        usage=f"{name} COMMAND ...",
        description=f"ARC-AGI-3: VGDL games for its agents, and agents for its games.\n\n{listed}",
        epilog="Each has a --help of its own.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.refuse_word(words, COMMANDS)
    parser.parse_args(words)
    parser.print_help()
    return 2
