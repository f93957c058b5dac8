"""``python -m vgdl.play``: the same as ``vgdl-play``."""

import sys

from vgdl.play.cli import main

if __name__ == "__main__":
    sys.exit(main())
