"""The command ``vgdl-compete arc check``: check that recordings match the games' answers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from vgdl.cli import program
from vgdl.competition import options
from vgdl.competition.errors import CompetitionError
from vgdl.competition.tracks.arc import game_options, recording
from vgdl.competition.tracks.arc.playable import ArcGame

DIFFERENT = 1
"""Exit status if a recording cannot be reproduced."""

SHOWN = 5


def main(arguments: Sequence[str]) -> int:
    """Run the command; returns its exit status: 0, 1 if a recording differs, 2 if a file cannot be read."""
    parser = options.Parser(
        prog=f"{program('compete')} arc check",
        description="Play the actions of recordings again, from the agents framework, the toolkit or vgdl-compete arc, "
        "and compare every frame.",
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="recordings")
    game_options.add_games(parser.add_argument_group("the games, with the options used for the recording"))
    chosen = parser.parse_args(arguments)
    try:
        games = {game.id: game for game in game_options.games_of(chosen)}
        commands = [_check(Path(file), games) for file in chosen.files]
    except CompetitionError as error:
        parser.error(str(error))
    same = [number for number in commands if number is not None]
    print(f"{len(same)} of {len(commands)} recordings show the same frames, in {sum(same)} commands")
    return 0 if len(same) == len(commands) else DIFFERENT


def _check(file: Path, games: dict[str, ArcGame]) -> int | None:
    """Check a recording and print where it differs; returns the number of its commands if it does not differ."""
    entries = recording.read(file)
    game = games.get(entries[0].game_id)
    if game is None:
        raise options.OptionError(f"{file}: the game {entries[0].game_id} is not offered; see --games and --ways")
    found = recording.differences(entries, game)
    if not found:
        return len(entries)
    print(f"{file} differs in {len(found)} of {len(entries)} commands")
    for line in found[:SHOWN]:
        print(f"  {line}")
    return None
