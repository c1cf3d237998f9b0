"""What the probes of several exercises take for a number."""

from typing import Any

import numpy as np


def plain_number(value: Any) -> Any:
    """NumPy's floats as Python's own, since the one does as well as the other; all else as it is."""
    return float(value) if isinstance(value, (float, np.floating)) else value
