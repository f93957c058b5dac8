"""The entry point of installed commands: importing the package takes a while, and Ctrl-C ends it without a traceback.

This module lies beside the package because importing anything of the package imports all of its core.
"""

from __future__ import annotations

import os
import signal
import sys
from importlib import import_module
from pathlib import Path
from types import FrameType

INTERRUPTED = 130
"""Exit status after Ctrl-C, as shells have it."""


def main() -> int:
    """Run the command that was asked for by its name, ``vgdl`` or ``vgdl-VERB``; returns its exit status."""
    before = signal.signal(signal.SIGINT, _leave)
    cli = import_module("vgdl.cli")
    verb = Path(sys.argv[0]).stem.partition("-")[2]
    words = [verb, *sys.argv[1:]] if verb else sys.argv[1:]
    if words and words[0] in cli.VERBS:
        import_module(cli.VERBS[words[0]].module)
    signal.signal(signal.SIGINT, before)
    try:
        with cli.writing_output():
            status: int = cli.main(words)
    except KeyboardInterrupt:
        return INTERRUPTED
    return status


def _leave(number: int, frame: FrameType | None) -> None:
    os._exit(INTERRUPTED)
