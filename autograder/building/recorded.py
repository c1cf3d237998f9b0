"""Chooses the listed mistakes that questions are about, and records what they return for inputs that are small enough to do by hand."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from autograder.asking.draw import Draw
from autograder.declare import ExerciseChecks
from autograder.judging.catalogue import load_catalogue
from autograder.judging.reference import load_reference
from autograder.questions.code import ENDLESS, Code, UnaskableError, read_code
from autograder.questions.given import Given, inputs_of
from autograder.questions.making import is_small
from autograder.questions.recorded import Recorded, input_of
from autograder.questions.values import form_of, is_apart, is_same, text_of

_SOLUTIONS = Path(__file__).parents[2] / "solutions"
_DRAWS, _MOST, _OPTIONS = 12, 4, 4
"""How many inputs are drawn, how many questions there are about an exercise at most, and how many mistakes each names."""


def recorded_of(exercise: ExerciseChecks) -> list[Recorded]:
    """What is recorded of the mistakes of an exercise: each input shows one of them, and those that it is named beside return something else.

    Args:
        exercise: The exercise.
    """
    name = exercise.exercise.name
    inputs = inputs_of(exercise.chapter, name)
    if inputs is None or input_of(inputs, 0).shapes_alone:
        return []
    reference = read_code(getattr(load_reference(_SOLUTIONS, exercise.chapter), name))
    listed = [(sentence, code) for sentence, code in _readable(exercise) if _is_steady(code, inputs)]
    chance, found = random.Random(name), list[Recorded]()
    for number in range(_DRAWS):
        wrong = _wrong(reference, listed, partial(input_of, inputs, number))
        for sentence in chance.sample(sorted(wrong), len(wrong)):
            (result, *more), shown = wrong[sentence], [one.mistakes[0][0] for one in found]
            others = [other for other, results in wrong.items() if all(is_apart(result, each) for each in results)]
            alike = [other for other in others if form_of(wrong[other][0]) == form_of(result)]
            # Without another result of its form, a result such as None would tell the mistake to whoever does not work it out.
            if not more and sentence not in shown and alike and len(others) >= _OPTIONS - 1:
                named = [sentence, *chance.sample(others, _OPTIONS - 1)]
                if not set(named) & set(alike):
                    named[-1] = chance.choice(alike)
                found.append(Recorded(number, tuple((each, text_of(wrong[each][0])) for each in named)))
                break
        if len(found) == _MOST:
            break
    return found


def _readable(exercise: ExerciseChecks) -> Iterator[tuple[str, Code]]:
    """The sentences of the mistakes that are plain functions or classes, with their code."""
    for one in load_catalogue(exercise).mistakes:
        with suppress(UnaskableError):
            yield one.sentence, read_code(one.subject)


def _is_steady(code: Code, inputs: Callable[[Draw], Given]) -> bool:
    """Whether it ends, and returns the same each time, although some mistakes draw at random from what has no seed."""
    runs = [code.run(input_of(inputs, number).call) for number in range(3) for _ in range(4)]
    return all(run.error != ENDLESS and is_same(run.result, runs[at // 4 * 4].result) for at, run in enumerate(runs))


def _wrong(reference: Code, listed: Iterable[tuple[str, Code]], given: Callable[[], Given]) -> Mapping[str, list[Any]]:
    """By sentence, the different results of the mistakes that all return something else than the reference does.

    Each gets an input of its own, since it may change it.
    """
    right = reference.run(given().call).result
    found: dict[str, list[Any]] = {}
    unclear = set()
    for sentence, code in listed:
        run = code.run(given().call)
        if run.error or not is_small(run.result, given()) or not is_apart(run.result, right):
            unclear.add(sentence)
        elif all(is_apart(run.result, other) for other in found.setdefault(sentence, [])):
            found[sentence].append(run.result)
    return {sentence: results for sentence, results in found.items() if sentence not in unclear}


def recorded_bytes(recorded: Mapping[str, Sequence[Recorded]]) -> bytes:
    """What a chapter's file holds.

    Args:
        recorded: By exercise.
    """
    lines = [
        f"{json.dumps(name)}: {json.dumps([[one.draw, one.mistakes] for one in each], ensure_ascii=False)}"
        for name, each in sorted(recorded.items())
    ]
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()
