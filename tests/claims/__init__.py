"""The chapters' claims, a module a chapter, held against what their stored notebooks recorded."""

from pathlib import Path

import nbformat

from autograder.house import House
from autograder.weaving.release import recorded_numbers

HOUSE = House(Path(__file__).resolve().parents[2])


def numbers(chapter: str) -> dict[str, float]:
    """What the cells of the chapter's stored notebook recorded."""
    return recorded_numbers(nbformat.read(HOUSE.solved(chapter), as_version=4))
