"""Tables of experiments that take too long for a chapter: run once by `make sweeps`, stored, and plotted from here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

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
