"""The command ``vgdl-compete arc film``: a recording as an animation or a video."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vgdl.cli import program
from vgdl.competition import options
from vgdl.competition.errors import CompetitionError, using
from vgdl.competition.tracks.arc import recording
from vgdl.competition.tracks.arc.shown import image
from vgdl.render import gif, mp4

SCALE = 6  #: pixels per side of a frame's pixel
MILLISECONDS = 120  #: of a step of an animation


def main(arguments: Sequence[str]) -> int:
    """Run the command; returns its exit status: 0, or 2 if a file cannot be read or written."""
    parser = options.Parser(
        prog=f"{program('compete')} arc film",
        description="Write a recording, from the agents framework, the toolkit or vgdl-compete arc, as an animated GIF "
        "or an MP4 video. The game is not needed.",
    )
    parser.add_argument("file", metavar="FILE", type=Path, help="the recording")
    parser.add_argument("--gif", metavar="FILE", type=Path, help="write an animation")
    parser.add_argument("--mp4", metavar="FILE", type=Path, help="write a video; needs: pip install vgdl[video]")
    parser.add_argument(
        "--scale", type=options.positive, default=SCALE, metavar="N", help=f"size of a pixel (default: {SCALE})"
    )
    parser.add_argument(
        "--milliseconds", type=options.positive, default=MILLISECONDS, metavar="N",
        help=f"duration of a picture, in steps of 10 (default: {MILLISECONDS})",
    )  # fmt: skip
    chosen = parser.parse_args(arguments)
    if chosen.gif is None and chosen.mp4 is None:
        parser.error("give --gif FILE or --mp4 FILE")
    try:
        if chosen.mp4 is not None:
            mp4.check()
        entries = recording.read(chosen.file)
        if chosen.gif is not None:
            with using(chosen.gif):
                gif.write(chosen.gif, _pictures(entries, chosen.file, chosen.scale), max(10, chosen.milliseconds))
        if chosen.mp4 is not None:
            with using(chosen.mp4):
                mp4.write(chosen.mp4, _pictures(entries, chosen.file, chosen.scale), 1000 / chosen.milliseconds)
    except (CompetitionError, mp4.MissingExtra) as error:
        parser.error(str(error))
    return 0


def _pictures(entries: Sequence[recording.Entry], file: Path, scale: int) -> Iterator[NDArray[np.uint8]]:
    """All layers of all answers.

    Raises:
        RecordingError: the recording has no pixels.
    """
    found = False
    for entry in entries:
        for layer in entry.layers or ():
            found = True
            yield image(layer, scale)
    if not found:
        raise recording.RecordingError(f"{file} has no frames: they were not recorded")
