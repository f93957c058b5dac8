"""``python -m vgdl.envs``: list the ids of all environments, and maintain their versions; see `vgdl.envs.versions`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace

from vgdl.cli import writing_output
from vgdl.envs import env_ids, versions


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status."""
    parser = argparse.ArgumentParser(prog="python -m vgdl.envs", description="List the ids of all environments.")
    keeping = parser.add_argument_group("for the project's own checkout").add_mutually_exclusive_group()
    keeping.add_argument("--update", action="store_true", help="note what environments show now")
    keeping.add_argument("--release", metavar="NAME", help="make the ids of now those of a release")
    options = parser.parse_args(arguments)
    if options.release:
        versions.write(versions.release(options.release, versions.digests()))
    elif options.update:
        versions.write(replace(versions.read(), shown=versions.digests()))
    else:
        for env_id, game in env_ids().items():
            print(f"{env_id:<32}{game}")
    return 0


if __name__ == "__main__":
    with writing_output():
        status = main()
    sys.exit(status)
