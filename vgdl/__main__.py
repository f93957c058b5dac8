"""``python -m vgdl``: the same as the command ``vgdl``."""

import sys

from vgdl.cli import main

if __name__ == "__main__":
    sys.exit(main())
