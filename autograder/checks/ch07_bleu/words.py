"""Sentences for the checks of this chapter, and what comes back."""

from numbers import Integral, Real
from typing import Any

from torch import Tensor

from autograder.asking.draw import Draw
from autograder.asking.probing import MisuseError, note_slip
from autograder.asking.serialization import kind_of

VOCABULARY = (
    "le",
    "chat",
    "est",
    "sur",
    "un",
    "tapis",
    "il",
    "a",
    "petit",
    "noir",
    "bien",
    "vu",
    "la",
    "fille",
    "dort",
    ".",
)


def sentence(draw: Draw, length: int, words: int = len(VOCABULARY)) -> list[str]:
    """So many words, each one of the first `words` of the vocabulary."""
    return [VOCABULARY[i] for i in draw.integers(0, words, length).tolist()]


def without_repeats(draw: Draw, length: int) -> list[str]:
    """So many different words of the vocabulary."""
    return [VOCABULARY[i] for i in draw.normal(len(VOCABULARY)).argsort()[:length].tolist()]


def copied(value: Any) -> Any:
    """The lists anew, however deep."""
    return [copied(item) for item in value] if isinstance(value, list) else value


def as_tuples(value: Any) -> Any:
    """The lists as tuples, however deep."""
    return tuple(as_tuples(item) for item in value) if isinstance(value, list) else value


def counts_of(result: Any) -> list[int]:
    """The two whole numbers that a student's function returned.

    Raises:
        MisuseError: It returned something else.
    """
    wanted = "expected two integers: the number of matching n-grams, and the total number of n-grams"
    if isinstance(result, Real) and not isinstance(result, bool):
        raise MisuseError(f"the result is one number, {float(result):.4g}; {wanted}, not their quotient")
    if not isinstance(result, (tuple, list)) or len(result) != 2:
        raise MisuseError(f"the result is {kind_of(result)}; {wanted}")
    if isinstance(result, list):
        note_slip(f"the result is a list; {wanted}, in a tuple")
    if any(isinstance(number, (float, Tensor)) and float(number).is_integer() for number in result):
        note_slip(f"one of the two numbers is not a Python int; {wanted}")
        result = [int(number) for number in result]
    odd = next((number for number in result if not isinstance(number, Integral) or isinstance(number, bool)), None)
    if odd is not None:
        raise MisuseError(f"one of the two results is {kind_of(odd)}; {wanted}")
    return [int(number) for number in result]


def number_of(result: Any) -> Any:
    """The number that a student's function returned, as a plain one where it is another kind of float.

    Anything else is handed on: what is wrong with it is said where it is judged.
    """
    if isinstance(result, Real) and not isinstance(result, (bool, Tensor)):
        return float(result)
    return result


def changed_list(got, want):
    """What the caller's lists say after the call."""
    return "the call changed a list that it was given" if got["after"] != want["after"] else None
