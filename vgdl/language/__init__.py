"""The VGDL text format: parses texts into descriptions and levels that keep the place of every word.

Names are resolved later, by the compiler.
"""

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
from .errors import (
    Report,
    TruncatedGameWarning,
    VGDLError,
    VGDLRuntimeError,
    VGDLWarning,
    nearest,
    suggestion,
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
