"""The reference's recorded answers to the visible checks, and its signatures, so that `check` needs no reference solution."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
from safetensors.torch import load, save
from torch import Tensor

from autograder.asking.draw import PUBLIC_SEED
from autograder.asking.serialization import join, split
from autograder.declare import ExerciseChecks, kept_at, load_checks, load_exercises
from autograder.judging.compare import is_close, largest, same_kind
from autograder.judging.reference import load_reference, reference_answers
from autograder.notebook.subject import Signature, parameters_of

_FILE = "answers.safetensors"
_SIGNATURES = "signatures"  # No probe's key: these have a dot.


def read_answers(chapter: str) -> dict[str, list[Any]]:
    """The recorded answers of the chapter by probe key."""
    return {name: value for name, value in _read(chapter).items() if name != _SIGNATURES}


def read_signatures(chapter: str) -> dict[str, Signature]:
    """The recorded signatures of the chapter's reference solutions by exercise."""
    signatures: dict[str, Signature] = _read(chapter)[_SIGNATURES]
    return signatures


def _read(chapter: str) -> dict[str, Any]:
    data = answers_path(chapter).read_bytes()
    header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    recorded: dict[str, Any] = join(json.loads(header["__metadata__"]["tree"]), load(data))
    return recorded


def answers_bytes(solutions: Path, chapter: str) -> bytes:
    """What the chapter's file of recorded answers should hold."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # Sums are rounded otherwise with every number of threads.
    try:
        module = load_reference(solutions, chapter)
        answers = reference_answers(module, _visible(chapter), PUBLIC_SEED)
        tree, tensors = split({**answers, _SIGNATURES: _signatures(module, chapter)})
    finally:
        torch.set_num_threads(threads)
    return save(tensors, metadata={"tree": json.dumps(tree, sort_keys=True)})


def stale_answers(solutions: Path, chapter: str) -> list[str]:
    """Keys of the probes whose recorded answers are not today's: differences in rounding between processors are tolerated, as in the checks."""
    recorded, module = _read(chapter), load_reference(solutions, chapter)
    today: dict[str, Any] = dict(reference_answers(module, _visible(chapter), PUBLIC_SEED))
    today[_SIGNATURES] = _signatures(module, chapter)
    return [
        name
        for name in sorted(recorded.keys() | today.keys())
        if name not in recorded
        or name not in today
        or same_kind(recorded[name], today[name])
        or not _is_same(recorded[name], today[name])
    ]


def _is_same(recorded: Any, today: Any) -> bool:
    """Whether two answers of the same kind differ by rounding alone, which goes by a tensor's largest number where numbers were added up."""
    if isinstance(recorded, dict):
        return all(_is_same(recorded[name], today[name]) for name in recorded)
    if isinstance(recorded, list):
        return all(_is_same(one, other) for one, other in zip(recorded, today, strict=True))
    is_single = isinstance(recorded, Tensor) and recorded.dtype == torch.float32
    return is_close(recorded, today, atol=1e-5 * largest(recorded) if is_single else None)


def _visible(chapter: str) -> list[ExerciseChecks]:
    return [exercise.visible for exercise in load_checks(chapter)]


def _signatures(module: ModuleType, chapter: str) -> dict[str, Signature]:
    names = [exercise.name for exercise in load_exercises(chapter)]
    return {name: parameters_of(getattr(module, name)) for name in names}


def answers_path(chapter: str) -> Path:
    """Where the chapter's recorded answers are kept."""
    return kept_at(chapter, _FILE)
