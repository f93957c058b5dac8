import numpy as np
from numpy.typing import NDArray

def first_steps(blocked: NDArray[np.uint8], sideways_only: bool) -> NDArray[np.int16]:
    """First base direction (0 up, 1 left, 2 down, 3 right; -1 no path) between any two cells.

    Args:
        blocked: (rows, columns) array, nonzero for obstacles.
        sideways_only: whether steps go left and right only.

    Returns:
        (n, n) array by start and target; cells are numbered row by row.
    """
