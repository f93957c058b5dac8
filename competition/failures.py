"""One-line descriptions of failures: the exception, and where in the controller's own code it was raised."""

from __future__ import annotations

import re
from pathlib import PurePath

_FRAME = re.compile(r'\s*File "(?P<file>.+)", line (?P<line>\d+)(?:, in (?P<function>\S+))?')
_WIDTH = 400  # maximum characters of an exception; all of them are in the store
_LIBRARIES = ("site-packages", "/lib/python", "<frozen ")


def in_a_line(details: str) -> str:
    """The last exception of a traceback with its file and line, or the last line of any other text.

    Args:
        details: as sent by the agent's process, so it may be empty or untrue.
    """
    lines = [line for line in details.splitlines() if line.strip()]
    if not lines:
        return ""
    frames = [(number, match) for number, line in enumerate(lines) if (match := _FRAME.fullmatch(line))]
    if not frames:
        return _clipped(lines[-1].strip())
    own = [match for _, match in frames if not any(part in match["file"] for part in _LIBRARIES)]
    at = (own or [frames[-1][1]])[-1]
    raised = next((line for line in lines[frames[-1][0] + 1 :] if not line[0].isspace()), lines[-1].strip())
    function = f", in {at['function']}" if at["function"] else ""
    return f"{_clipped(raised)} ({PurePath(at['file']).name}, line {at['line']}{function})"


def _clipped(text: str) -> str:
    return text if len(text) <= _WIDTH else text[: _WIDTH - 1] + "…"
