"""The commands of ``vgdl-compete`` that work on the stores of all tracks, or on a site.

Each module is a command: it has a line `SUMMARY`, and a function `main` of the remaining arguments.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from pkgutil import iter_modules

from vgdl.competition import options
from vgdl.competition.errors import CompetitionError
from vgdl.competition.interrupts import INTERRUPTED

FAILED = 1
"""Exit status if the command line is right, but the work cannot be done."""


def names() -> list[str]:
    """The names of the commands."""
    return sorted(module.name for module in iter_modules(__path__))


@contextlib.contextmanager
def failing(parser: options.Parser) -> Iterator[None]:
    """Print errors that a user can fix, and exit: with 2 and the usage for a wrong command line, else with 1."""
    try:
        yield
    except options.OptionError as error:
        parser.error(str(error))
    except CompetitionError as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        sys.exit(FAILED)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
