"""What the probes of several exercises take for a number."""

from numbers import Real
from typing import Any

import numpy as np
from torch import Tensor

from autograder.plain import kind_of
from autograder.probing import note_slip


def plain_number(value: Any) -> Any:
    """NumPy's floats as Python's own, since the one does as well as the other; other real numbers too, as a slip; all else as it is."""
    if isinstance(value, (float, np.floating)):
        return float(value)
    if isinstance(value, Real) and not isinstance(value, (int, Tensor)):
        note_slip(f"a number is {kind_of(value)}, expected of type float")
        return float(value)
    return value
