"""The message for an optional package that is not installed."""

from __future__ import annotations


def needs(feature: str, package: str, extra: str) -> str:
    """Say which package a feature needs, and the command that installs it.

    Args:
        feature: the feature, in the singular: "the site".
        package: as its authors write it: "Starlette".
        extra: of this project, that has the package: "web".
    """
    return f'{feature} needs {package}: pip install "vgdl[{extra}]"'
