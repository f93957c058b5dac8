"""Generate ``layout.pyi`` from ``layout.pxd`` and ``layout.pyx``: ``python .ci/layout_stub.py``.

Public enumerations become subclasses of `enum.IntEnum`; assignments at the top level of the module become constants
with the type of the value that the compiled module has. The script only reads the sources, so it runs before they are
compiled.
"""

from __future__ import annotations

import re
from pathlib import Path

HERE = Path(__file__).resolve().parents[1] / "vgdl" / "core" / "data"
STUB = HERE / "layout.pyi"

_ENUM = re.compile(r"^cpdef enum (\w+):\n((?:(?:    .*)?\n)+)", re.MULTILINE)
_DOCSTRING = re.compile(r'^    """.*?"""\n', re.MULTILINE | re.DOTALL)
_MEMBER = re.compile(r"(\w+)(?:\s*=\s*(-?\w+))?\s*(?:#.*)?")
_CONSTANT = re.compile(r"^([A-Z][A-Z_]*) = (.*)$", re.MULTILINE)

_HEAD = '''\
"""The memory layout as Python sees it: the numbers that the tables hold, and numpy types derived from the C structs."""

# Generated from layout.pxd and layout.pyx by: python .ci/layout_stub.py

from enum import IntEnum
from typing import Any, Final

import numpy as np
'''


def stub(header: str, module: str) -> str:
    """The text of the stub.

    Args:
        header: text of ``layout.pxd``.
        module: text of ``layout.pyx``.

    Raises:
        ValueError: a line of an enumeration, or a constant, is not understood.
    """
    classes = [_class(name, body) for name, body in _ENUM.findall(header)]
    constants = [f"{name}: Final[{_type(name, value)}]\n" for name, value in _CONSTANT.findall(module)]
    return "\n".join([_HEAD, *classes, "".join(constants), "__test__: dict[str, str]\n"])


def _class(name: str, body: str) -> str:
    """A public enumeration as a class."""
    documentation = _DOCSTRING.match(body)
    if documentation is None:
        raise ValueError(f"enum {name} has no docstring")
    members, following = [], 0
    for line in filter(None, map(str.strip, body[documentation.end() :].splitlines())):
        if not line.startswith("#"):
            found = _MEMBER.fullmatch(line)
            if found is None:
                raise ValueError(f"enum {name}: {line!r} is not understood")
            value = int(found[2], 0) if found[2] else following
            members.append(f"    {found[1]} = {value}\n")
            following = value + 1
    return f"class {name}(IntEnum):\n{documentation[0]}\n{''.join(members)}"


def _type(name: str, value: str) -> str:
    """The type of a constant, from the right-hand side of its assignment."""
    if value.endswith(".dtype"):
        return "np.dtype[Any]"
    if value.startswith("{"):
        return "dict[str, int]"
    if value.isidentifier():  # a number of the header
        return "int"
    raise ValueError(f"{name} = {value}: its type is not known")


def generated() -> str:
    """The text of the stub for the sources of this checkout."""
    header, module = ((HERE / f"layout.{end}").read_text(encoding="utf-8") for end in ("pxd", "pyx"))
    return stub(header, module)


if __name__ == "__main__":
    STUB.write_text(generated(), encoding="utf-8")
