"""What results may depend on besides the plan: this machine, and the versions of the software."""

from __future__ import annotations

import os
import platform
import sys
from pathlib import Path
from typing import Any

import numpy as np

import vgdl


def machine() -> dict[str, Any]:
    """Properties of the machine on which results may depend."""
    return {
        "system": platform.platform(),
        "processor": _processor() or platform.machine(),
        "cores": os.cpu_count(),
        "host": platform.node(),
    }


def _processor() -> str:
    """The processor model, if Linux reports it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return ""
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")


def versions() -> dict[str, str]:
    """Versions of the software on which results depend."""
    implementation = sys.implementation.name
    return {
        "vgdl": vgdl.__version__,
        "python": platform.python_version(),
        "implementation": implementation,
        "numpy": np.__version__,
    }
