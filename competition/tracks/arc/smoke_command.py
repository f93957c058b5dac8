"""The command ``vgdl-compete arc smoke``: a server, a client, a card and its recordings, in under a minute."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from vgdl.cli import program
from vgdl.competition import options
from vgdl.competition.tracks.arc import check_command, play_command
from vgdl.extras import needs

FAILED = 1


def main(arguments: Sequence[str]) -> int:
    """Run the command; returns its exit status: 0, or that of the failed step."""
    parser = options.Parser(
        prog=f"{program('compete')} arc smoke",
        description="Start a server with the bundled games, let an agent play all of them over HTTP, and play its "
        "recordings again. Needs no network.",
    )
    parser.add_argument("--agent", default="random", metavar="NAME", help="who plays (default: random)")
    parser.add_argument("--actions", type=options.positive, default=40, metavar="N", help="per game (default: 40)")
    chosen = parser.parse_args(arguments)
    try:
        from vgdl.competition.tracks.arc.server import ServerSettings, background
    except ImportError as missing:
        parser.error(needs("the server", str(missing.name), "web"))
    from vgdl.competition.tracks.arc.game import bundled

    with tempfile.TemporaryDirectory(prefix="vgdl-arc-") as folder:
        recordings = Path(folder) / "recordings"
        words = ["--agent", chosen.agent, "--actions", str(chosen.actions), "--recordings", str(recordings)]
        with background(bundled(), ServerSettings(store=Path(folder) / "arc.db")) as url:
            status = play_command.main([*words, "--server", url], server_stays=False)
        if status:
            return status
        return check_command.main(sorted(map(str, recordings.iterdir())))
