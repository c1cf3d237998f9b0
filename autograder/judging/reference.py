"""The reference solutions, loaded from a clone's `solutions/`, for those who may see them: makers and graders.

They are loaded under a name of their own, so that `solutions` need not be importable, and never in a process that runs a
student's code.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

from autograder.asking.probing import Failure, probes_of, run_probe, seeds
from autograder.declare import ExerciseChecks, Probe, key


def load_reference(solutions: Path, chapter: str) -> ModuleType:
    """The chapter's solution package.

    Args:
        solutions: The folder that holds one folder for each chapter.
        chapter: The chapter's name.

    Raises:
        ValueError: There is no such package.
    """
    path = solutions / chapter / "__init__.py"
    if not path.is_file():
        raise ValueError(f"no reference solution for {chapter} in {solutions}: expected the package {path.parent}")
    name = f"_reference_{chapter}"
    spec = importlib.util.spec_from_file_location(name, path, submodule_search_locations=[str(path.parent)])
    if spec is None or spec.loader is None:
        raise ValueError(f"{path} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    for earlier in [found for found in sys.modules if found == name or found.startswith(f"{name}.")]:
        del sys.modules[earlier]  # Another course's, or what this one was before it was changed.
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def reference_answers(module: ModuleType, exercises: Iterable[ExerciseChecks], secret: str) -> dict[str, list[Any]]:
    """The reference's answers by probe key.

    Args:
        module: The chapter's solution package.
        exercises: The exercises that are asked.
        secret: Under which the draws are made.

    Raises:
        ValueError: The reference itself failed.
    """
    probes = (probe for exercise in exercises for probe in probes_of(exercise.checks))
    return {key(probe): [reference_answer(module, probe, seed) for seed in seeds(probe, secret)] for probe in probes}


def reference_answer(module: ModuleType, probe: Probe, seed: int) -> Any:
    """The reference's answer to one draw of a probe.

    Raises:
        ValueError: The reference itself failed.
    """
    answer = run_probe(probe, getattr(module, probe.exercise), seed)
    if not isinstance(answer, Failure):
        return answer
    raise ValueError(f"the reference fails its own probe {key(probe)}: {answer.message}")
