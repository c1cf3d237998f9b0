"""The reference's recorded answers to the visible checks, so that `check` needs no reference solution."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load, save

from autograder import checks
from autograder.compare import is_close, same_kind
from autograder.declare import ExerciseChecks, load_checks
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
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # Sums are rounded otherwise with every number of threads.
    try:
        module = load_reference(solutions, chapter)
        tree, tensors = split(reference_answers(module, _visible(chapter), PUBLIC_SEED))
    finally:
        torch.set_num_threads(threads)
    return save(tensors, metadata={"tree": json.dumps(tree, sort_keys=True)})


def stale_answers(solutions: Path, chapter: str) -> list[str]:
    """Keys of the probes whose recorded answers are not today's, but for what another processor's rounding may change."""
    recorded = read_answers(chapter)
    today = reference_answers(load_reference(solutions, chapter), _visible(chapter), PUBLIC_SEED)
    return [
        name
        for name in sorted(recorded.keys() | today.keys())
        if name not in recorded
        or name not in today
        or same_kind(recorded[name], today[name])
        or not is_close(recorded[name], today[name], rtol=1e-5, atol=1e-6)
    ]


def _visible(chapter: str) -> list[ExerciseChecks]:
    return [exercise.visible for exercise in load_checks(chapter)]


def answers_path(chapter: str) -> Path:
    """Where the chapter's recorded answers are kept."""
    return Path(str(files(checks) / chapter / _FILE))
