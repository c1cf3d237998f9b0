"""What a hidden check asks for stands in the docstring that a student reads, or in what is said of every exercise."""

import inspect
from pathlib import Path

import pytest

from autograder.declare import load_checks
from autograder.judging.reference import load_reference

SOLUTIONS = Path(__file__).parent.parent / "solutions"
EVERY = ""
"""Said once of all exercises: gradients flow back, and the result has the dtype and the device of the arguments."""

PROMISES = {
    "ch10_bert": {
        "no other way to split is tried when the longest pieces lead nowhere": "If no piece fits at some position, the whole word is unknown",
        "a sentence may be empty, or the same as the other": "there may be none",
        "a batch may have one row, one word, or no word that can be chosen": "they are never chosen",
        "a sentence may be any object, and occur more than once": "A sentence may be any object and may come again",
        "the positions are created on the device of the tokens": EVERY,
        "the gradient reaches the three tables and the norm": EVERY,
        "pieces of very small probability are handled correctly": "perhaps far apart",
        "logits in half and in double precision work": "in half precision, it may be in single precision",
        "the gradient for the logits is right, and zero where nothing is chosen": EVERY,
        "a single sequence and a single position keep their dimensions": "B and S may be 1",
        "the gradient of both losses reaches every weight and the encoder": EVERY,
    },
    "ch11_pictures": {
        "stride, padding and kernels of any size work together": "(O, C, K_h, K_w)",
        "the gradient reaches pictures, kernels and biases": EVERY,
        "grids of any size have a row for each cell": "cell (r, c) is number r * width + c",
        "a single picture, and a grid of one cell, keep their dimensions": "B, h and w may be 1",
        "the gradient reaches pictures, positions and every weight": EVERY,
        "cells of any size, boxes between pixels and weights of any precision work": "which need not be whole numbers",
        "a search may repeat, reorder and drop rows": "N may differ from call to call, and may be 1",
    },
    "ch12_post_training": {
        "a batch may be all new, all old, or larger than a text": "which may be larger than N or M",
        "the instruction or the answer may be empty, and any id may be in them": "there may be none, and any id may be among them",
        "a sequence may have no piece that has to be written": "though perhaps none in some sequences",
        "logits may be far apart, and of any precision": "perhaps far apart",
        "the gradient that comes back to the logits is right, and zero at positions that predict no piece of an answer": EVERY,
        "it works for inputs with any number of dimensions, for a layer without bias, and in any precision": "perhaps one without a bias",
        "if no β is given, it is 0.1": "How strongly the policy is kept near the reference",
        "margins may be in the hundreds, and values outside the answers may be -inf": "anything, even -inf",
    },
    "ch14_today": {
        "half and double precision work, and so does a vector of zeros": "a vector may be zero",
        "any position can be given": "integers of any size",
        "it works token by token or in parts, with a single head of keys and values, and with a batch of one": "B, T and num_kv_heads may be 1",
        "large inputs work": "numbers of any size",
        "long words with many merges": "Then this is repeated with the new pieces",
        "it works for any scale and for every byte": "computed and returned in single precision",
    },
    "ch13_rewards": {
        "outside of the answers, log-probabilities may be -inf": "anything, even -inf",
        "a group may have one answer, and a batch one group": "K may be 1",
        "if no ε is given, it is 0.2, and values outside of the answers may be -inf": "anything, even -inf",
        "a policy that has moved very little has an estimate that is small but precise": "may differ by very little",
        "there may be many thousands of samples": "there may be many thousands",
        "answers may be of any hashable type, and there may be only one": "of any hashable type",
    },
}
"""By chapter and hidden check, a phrase of the docstring."""


def told_of(subject: object) -> str:
    """What the docstrings of a function, or of a class and its methods, say."""
    parts = [subject, *(vars(subject).values() if inspect.isclass(subject) else ())]
    return " ".join(" ".join(inspect.getdoc(part) or "" for part in parts if callable(part)).split())


@pytest.mark.parametrize("chapter", PROMISES)
def test_what_a_hidden_check_asks_for_is_promised(chapter):
    reference, asked = load_reference(SOLUTIONS, chapter), {}
    for exercise in load_checks(chapter):
        told = told_of(getattr(reference, exercise.exercise.name))
        asked |= {check.name: told for check in exercise.checks if check.hidden}
    assert asked.keys() == PROMISES[chapter].keys()
    missing = [name for name, phrase in PROMISES[chapter].items() if phrase not in asked[name]]
    assert not missing
