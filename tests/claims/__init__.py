"""The chapters' claims, a module a chapter, held against what their stored notebooks recorded."""

from functools import cache
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from autograder.building.notebook_files import recorded_numbers
from autograder.checkout import Checkout

CHECKOUT = Checkout(Path(__file__).resolve().parents[2])


@cache
def stored(chapter: str) -> NotebookNode:
    """The chapter's stored notebook."""
    return nbformat.read(CHECKOUT.solved(chapter), as_version=4)


@cache
def numbers(chapter: str) -> dict[str, float]:
    """What the cells of the chapter's stored notebook recorded."""
    return recorded_numbers(stored(chapter))
