"""Static checks of a program before it runs: syntax, forbidden imports, missing functions.

They only provide clear messages; protection from harmful programs is the job of the isolated process.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Collection

from vgdl import python_source
from vgdl.competition.tracks.worldmodels.errors import Kind, WorldModelError
from vgdl.language import suggestion

ALLOWED = frozenset(
    {
        *("math", "random", "itertools", "collections", "copy", "functools", "typing", "dataclasses", "enum"),
        *("re", "string", "heapq", "bisect", "json", "numpy", "__future__"),
    }
)
"""Modules that a program may import (code world models, 3.2)."""

MAX_SOURCE = 400_000
"""Longest program, in characters."""


def check(source: str, required: Collection[str] = ()) -> None:
    """Check that a program can be run.

    Args:
        source: the program.
        required: functions that it must define at module level.

    Raises:
        WorldModelError: it cannot; kinds `Kind.SYNTAX`, `Kind.IMPORT` and `Kind.MISSING`.
    """
    if len(source) > MAX_SOURCE:
        raise WorldModelError(Kind.SYNTAX, "", f"the program has {len(source)} characters, {MAX_SOURCE} are allowed")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = python_source.parse(source)
            compile(source, "<world model>", "exec", dont_inherit=True)
    except SyntaxError as error:
        raise WorldModelError(Kind.SYNTAX, "", f"line {error.lineno}: {error.msg}", _pointed(error)) from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise WorldModelError(Kind.SYNTAX, "", f"the program cannot be compiled: {error}") from None
    _check_imports(tree)
    defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    for node in tree.body:  # a function may also be an alias or a lambda
        if isinstance(node, ast.Assign):
            defined |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    for name in required:
        if name not in defined:
            hint = suggestion(name, sorted(defined))
            raise WorldModelError(Kind.MISSING, name, f"the program does not define it at module level{hint}")


def _check_imports(tree: ast.Module) -> None:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = ["." * node.level + (node.module or "")]
        else:
            continue
        for name in names:
            if name.partition(".")[0] not in ALLOWED:
                allowed = ", ".join(sorted(ALLOWED - {"__future__"}))
                message = f"line {node.lineno}: {name} may not be imported; allowed are {allowed}"
                raise WorldModelError(Kind.IMPORT, "", message)


def _pointed(error: SyntaxError) -> str:
    """Return the faulty line with a caret below it."""
    if not error.text:
        return ""
    return f"{error.text.rstrip()}\n{' ' * max(0, (error.offset or 1) - 1)}^"
