"""What is asked of `paired_bootstrap`, with a stand-in for the score."""

from typing import Any

import torch
from torch import Tensor

from autograder.checks.ch07_bleu.probes.words import number_of
from autograder.declare import probe
from autograder.draw import Draw
from autograder.plain import kind_of
from autograder.probing import MisuseError, unpack

_NUMBERS = 3


def score(sums: Any) -> Tensor:
    """A score of sums (..., 3): the first divided by what the other two make together, and a little more, so that means give another.

    Raises:
        MisuseError: It was called otherwise than the exercise promises.
    """
    if not isinstance(sums, Tensor) or not sums.dim() or sums.shape[-1] != _NUMBERS:
        raise MisuseError(
            f"score takes sums over the sentences, a tensor of shape (..., K), here K = {_NUMBERS}; the argument that your code passed is {kind_of(sums)}"
        )
    above, one, other = sums.double().unbind(dim=-1)
    return 100 * above / (one + 2 * other + 9).clamp(min=1e-12)


def _counted(draw: Draw, sentences: int) -> Tensor:
    """What is counted in each sentence: whole numbers, as floats; long sentences have more of everything, and score lower."""
    size = draw.integers(1, 20, sentences, 1)
    row = torch.cat([draw.integers(1, 9, sentences, 1) + size // 3, size, draw.integers(1, 6, sentences, 1)], dim=1)
    return row.double()


def _asked(paired_bootstrap, first: Tensor, second: Tensor, indices: Tensor) -> dict[str, Any]:
    """The three results, and what was asked."""
    rounds = len(indices)
    result = paired_bootstrap(first.clone(), second.clone(), indices.clone(), score)
    scores, others, wins = unpack(result, first_scores=(rounds,), second_scores=(rounds,), wins=())
    return {
        "first": scores,
        "second": others,
        "wins": number_of(wins),
        "counted": [first, second],
        "indices": indices,
    }


@probe("paired_bootstrap", draws=2)
def drawn(paired_bootstrap, draw: Draw):
    """Forty new test sets of twelve sentences."""
    return _asked(paired_bootstrap, _counted(draw, 12), _counted(draw, 12), draw.integers(0, 12, 40, 12))


@probe("paired_bootstrap", draws=2)
def unlike(paired_bootstrap, draw: Draw):
    """Two systems of which one is better by a little in each sentence, so that either wins some test sets."""
    first = _counted(draw, 15)
    second = first.clone()
    second[:, 0] += draw.integers(-2, 3, 15)
    return _asked(paired_bootstrap, first, second, draw.integers(0, 15, 61, 15))


@probe("paired_bootstrap", draws=2)
def tied(paired_bootstrap, draw: Draw):
    """Two systems that differ in two sentences of ten, in either direction: many new test sets have neither, and tie."""
    first = _counted(draw, 10)
    second = first.clone()
    second[2, 0] += 3
    second[5, 0] -= 2
    return _asked(paired_bootstrap, first, second, draw.integers(0, 10, 83, 10))


@probe("paired_bootstrap", draws=2)
def shapes(paired_bootstrap, draw: Draw):
    """One new test set; as many as there are sentences; and of one sentence."""
    answers = {}
    for name, (rounds, sentences) in {"one": (1, 9), "square": (7, 7), "one sentence": (6, 1)}.items():
        found = _asked(
            paired_bootstrap,
            _counted(draw, sentences),
            _counted(draw, sentences),
            draw.integers(0, sentences, rounds, sentences),
        )
        answers[name] = {part: found[part] for part in ("first", "second", "wins")}
    return answers


@probe("paired_bootstrap", draws=2)
def arguments(paired_bootstrap, draw: Draw):
    """The arguments as they are after the call."""
    first, second, indices = _counted(draw, 9), _counted(draw, 9), draw.integers(0, 9, 20, 9)
    scores, others, wins = unpack(
        paired_bootstrap(first, second, indices, score), first_scores=(20,), second_scores=(20,), wins=()
    )
    return {"scores": [scores, others], "wins": number_of(wins), "counted": [first, second], "indices": indices}
