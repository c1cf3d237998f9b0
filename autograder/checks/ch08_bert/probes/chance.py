"""What the probes of chapter 8 have to know of chance."""

import random
from typing import Any

import numpy as np
import torch


def shared() -> list[Any]:
    """The state of the random numbers that all of a program shares: torch's, Python's and NumPy's."""
    numpy = np.random.get_state(legacy=False)["state"]
    return [torch.default_generator.get_state().tolist(), random.getstate(), numpy["key"].tolist(), numpy["pos"]]
