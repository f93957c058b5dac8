"""Sine, cosine, arc tangent and remainder from the four basic operations alone; C functions, but for `values`."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

def values(
    function: Literal["sine", "cosine", "arc_tangent", "modulus"],
    first: NDArray[np.float64],
    second: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Values of a function at many numbers, in radians where they are angles.

    Args:
        function: ``arc_tangent`` is of ``first`` (y) and ``second`` (x), ``modulus`` of a dividend and a divisor.
        first, second: arrays of one length; ``second`` for functions of two numbers.

    Raises:
        ValueError: no such function, or arrays of different lengths.
    """
