"""Inputs small enough to do by hand, for questions about a reader's code."""

from autograder.asking.draw import Draw
from autograder.questions.given import Given


def one_hot(draw: Draw) -> Given:
    """Two or three words of a vocabulary of three or four."""
    words, size = (int(number) for number in draw.integers(2, 4, 2))
    return Given({"tokens": draw.integers(0, size + 1, words), "vocab_size": size + 1})


def pad_batch(draw: Draw) -> Given:
    """Two sentences of up to three words, one longer than the other."""
    lengths = draw.normal(4).argsort().tolist()[:2]
    return Given({"sentences": [draw.integers(1, 9, length).tolist() for length in lengths], "pad": 0})
