"""Questions about the listed mistakes, which no student's machine has: what some of them return for small inputs, recorded when the book is made."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from autograder.asking.draw import Draw, derive_seed
from autograder.declare import kept_at
from autograder.questions.given import Given, Lucky

_FILE = "by_hand.json"


@dataclass(frozen=True)
class Recorded:
    """What four mistakes return for one input.

    Args:
        draw: The number of the draw of the input.
        mistakes: The sentences of the mistakes, each with what came back, as it is shown; the question is about the first.
    """

    draw: int
    mistakes: tuple[tuple[str, str], ...]


def input_of(inputs: Callable[[Draw], Given], number: int) -> Given:
    """The input of a draw.

    Args:
        inputs: The function that draws the inputs of an exercise, and has its name.
        number: Of the draw.
    """
    return inputs(Lucky(derive_seed("recorded", inputs.__name__, number)))


@cache
def read_recorded(chapter: str) -> dict[str, list[Recorded]]:
    """What is recorded of a chapter's mistakes, by exercise; of a new chapter, nothing."""
    path = recorded_path(chapter)
    found = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return {
        name: [Recorded(draw, tuple((sentence, shown) for sentence, shown in listed)) for draw, listed in each]
        for name, each in found.items()
    }


def recorded_path(chapter: str) -> Path:
    """Where it is kept."""
    return kept_at(chapter, _FILE)
