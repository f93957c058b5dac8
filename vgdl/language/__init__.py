"""The VGDL text format: parses texts into descriptions and levels that keep the place of every word.

Names are resolved later, by the compiler.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .errors import (
    Report,
    TruncatedGameWarning,
    VGDLError,
    VGDLRuntimeError,
    VGDLWarning,
    nearest,
    suggestion,
)

if TYPE_CHECKING:
    from .description import (
        Argument,
        Arguments,
        Description,
        Entry,
        GameLine,
        InteractionLine,
        MappingLine,
        Name,
        ParameterLine,
        Place,
        Section,
        SectionKind,
        Source,
        SpriteLine,
        TerminationLine,
    )
    from .level import Level, read_indented_level, read_level, read_level_file
    from .parser import parse, parse_file

__all__ = [
    "Argument",
    "Arguments",
    "Description",
    "Entry",
    "GameLine",
    "InteractionLine",
    "Level",
    "MappingLine",
    "Name",
    "ParameterLine",
    "Place",
    "Report",
    "Section",
    "SectionKind",
    "Source",
    "SpriteLine",
    "TerminationLine",
    "TruncatedGameWarning",
    "VGDLError",
    "VGDLRuntimeError",
    "VGDLWarning",
    "nearest",
    "parse",
    "parse_file",
    "read_indented_level",
    "read_level",
    "read_level_file",
    "suggestion",
]


def __getattr__(name: str) -> Any:
    """Import the module of a name when it is used: what only reports errors needs no parser."""
    if name in __all__:
        for module in ("description", "level", "parser"):
            found = import_module(f"{__name__}.{module}")
            if hasattr(found, name):
                globals()[name] = getattr(found, name)
                return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
