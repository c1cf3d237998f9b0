"""The questions that a student alone is asked: what does an exercise return for inputs that are drawn from the student's id?

The inputs can be drawn wherever the course is installed, and what is right is known where the reference solution is. A student writes the
numbers down, so there is nothing to guess from, and the code in the notebook has no part in it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from typing import Any

from torch import Tensor

from autograder.asking.draw import Draw, derive_seed
from autograder.questions.given import Given, Lucky
from autograder.questions.traced import NAME

_NEAR = 0.01
"""How far a number may be off, relative to its size or in absolute terms: two decimals are asked for."""
_NAMED = re.compile(r"\b(?:dtype|device|grad_fn|requires_grad)=[^,)\]]*")
"""What Python prints of a tensor besides its numbers, such as its dtype."""
_NUMBER = re.compile(
    r"(?<![\w.])(?:(?P<sign>[-+−]?)(?:(?P<size>\d+\.?\d*(?:e[-+]?\d+)?|\.\d+|inf|nan)(?!\w))|(?P<truth>True|False)\b)"
)


def normal(student: str) -> str:
    """A student's id, such that it is the same however it is typed."""
    return student.strip().casefold()


def given_to(student: str, inputs: Callable[[Draw], Given], number: int) -> Given:
    """The inputs of a question.

    Args:
        student: The student's id.
        inputs: The function that draws the inputs of an exercise, and has its name.
        number: Of the question, from 1.
    """
    return inputs(Lucky(derive_seed(normal(student), f"{NAME}/{inputs.__name__}", number)))


def read_numbers(text: str) -> list[float]:
    """The numbers in an answer, in order; a truth value is 1 or 0."""
    found = []
    for one in _NUMBER.finditer(_NAMED.sub("", text)):
        if one["truth"]:
            found.append(float(one["truth"] == "True"))
        else:
            found.append(float(one["size"]) * (-1 if one["sign"] in ("-", "−") else 1))
    return found


def numbers_of(value: Any) -> list[float]:
    """The numbers in what an exercise returned, in the order in which they are printed."""
    return list(_numbers(value))


def _numbers(value: Any) -> Iterator[float]:
    if isinstance(value, Tensor):
        yield from value.flatten().double().tolist()
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _numbers(item)
    elif isinstance(value, (bool, int, float)):
        yield float(value)
    elif value is not None:
        raise TypeError(f"a {type(value).__name__} is no number")


def is_right(got: list[float], want: list[float]) -> bool:
    """Whether the numbers of an answer are those that were asked for, to two decimals."""
    return len(got) == len(want) and all(
        math.isclose(one, other, rel_tol=_NEAR, abs_tol=_NEAR) or (math.isnan(one) and math.isnan(other))
        for one, other in zip(got, want, strict=True)
    )
