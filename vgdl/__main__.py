"""``python -m vgdl``: equivalent to the command ``vgdl``."""

import sys

from vgdl.cli import main

if __name__ == "__main__":
    sys.exit(main())
