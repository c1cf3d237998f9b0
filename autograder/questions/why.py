"""The open questions, one for each exercise: why the code is as it is. A person reads the answer, by a rubric of three points.

They lie beside each chapter's checks, in `why.toml`. A student's wheel has them without the rubrics.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from autograder.declare import kept_at

FILE = "why.toml"
_RUBRIC = re.compile(r"^rubric = \[\n(?:  .*\n)*\]\n", re.MULTILINE)


@dataclass(frozen=True)
class Why:
    """An open question.

    Args:
        ask: The question.
        rubric: What an answer says, a point each; empty where the installation has no rubrics.
    """

    ask: str
    rubric: tuple[str, ...]


@cache
def read_whys(chapter: str) -> dict[str, Why]:
    """The open questions of a chapter, by exercise; of a new chapter, none."""
    path = why_path(chapter)
    found = tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return {name: Why(one["ask"], tuple(one.get("rubric", ()))) for name, one in found.items()}


def why_path(chapter: str) -> Path:
    """Where they are kept."""
    return kept_at(chapter, FILE)


def without_rubrics(text: str) -> str:
    """A chapter's file as students get it."""
    return _RUBRIC.sub("", text)
