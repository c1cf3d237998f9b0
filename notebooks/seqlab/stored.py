"""Experiments that take too long for a chapter, run once by `make sweeps`: their tables, and weights that they trained."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from safetensors.torch import load_file
from torch import Tensor

FOLDER = Path(__file__).parent / "stored"


def load_table(name: str) -> list[dict[str, Any]]:
    """Load the rows of a stored experiment, one for each variant and seed.

    Args:
        name: The experiment, such as "attention".

    Raises:
        ValueError: If there is no table of that name.
    """
    path = FOLDER / f"{name}.json"
    if not path.is_file():
        names = ", ".join(sorted(found.stem for found in FOLDER.glob("*.json")))
        raise ValueError(f"there is no stored table {name!r}: the tables are {names}")
    rows: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["rows"]
    return rows


def load_weights(name: str, variant: str, seed: int) -> dict[str, Tensor]:
    """Load the weights that a stored experiment trained.

    Args:
        name: The experiment, such as "attention".
        variant: One of its variants whose weights were kept.
        seed: One of its seeds.

    Returns:
        A state dict in single precision, on the CPU.

    Raises:
        ValueError: If there are no such weights.
    """
    path = FOLDER / f"{name}-{variant}-{seed}.safetensors"
    if not path.is_file():
        names = ", ".join(sorted(found.stem for found in FOLDER.glob("*.safetensors")))
        raise ValueError(f"there are no stored weights {path.stem!r}: there are {names or 'none'}")
    return {key: tensor.float() for key, tensor in load_file(path).items()}
