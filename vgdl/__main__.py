"""``python -m vgdl``: equivalent to the command ``vgdl``."""

import sys

from vgdl.cli import main, writing_output

if __name__ == "__main__":
    with writing_output():
        status = main()
    sys.exit(status)
