"""The reference's recorded answers to the visible checks, so that `check` needs no reference solution."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

from safetensors.torch import load, save

from autograder import checks
from autograder.declare import load_checks
from autograder.draw import PUBLIC_SEED
from autograder.plain import join, split
from autograder.reference import load_reference, reference_answers

_FILE = "answers.safetensors"


def read_answers(chapter: str) -> dict[str, list[Any]]:
    """The recorded answers of the chapter by probe key."""
    data = (files(checks) / chapter / _FILE).read_bytes()
    header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    answers: dict[str, list[Any]] = join(json.loads(header["__metadata__"]["tree"]), load(data))
    return answers


def answers_bytes(solutions: Path, chapter: str) -> bytes:
    """What the chapter's file of recorded answers should hold."""
    module = load_reference(solutions, chapter)
    tree, tensors = split(reference_answers(module, load_checks(chapter), PUBLIC_SEED, hidden=False))
    return save(tensors, metadata={"tree": json.dumps(tree, sort_keys=True)})


def answers_path(chapter: str) -> Path:
    """Where the chapter's recorded answers are kept."""
    return Path(str(files(checks) / chapter / _FILE))
