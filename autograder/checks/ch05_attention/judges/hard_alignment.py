"""What is right about `hard_alignment`, and what is said when it is not."""

from typing import Any

import torch
from torch import Tensor

from autograder.checks.ch05_attention.probes import hard_alignment as probes
from autograder.compare import difference, is_close
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_LARGEST = "each target word is linked to the source word of its largest weight"
_ORDER = "a link is (source index, target index)"
_TIES = "if weights are equal, the first one counts"


def _either_way(links: Tensor) -> Tensor:
    """The links of tables (N, W, W) without their order: the order has a check of its own."""
    return links | links.transpose(1, 2)


def _alike(links: Tensor, others: Tensor) -> bool:
    return torch.equal(_either_way(links), _either_way(others))


def _linked_to(sources: Tensor, size: int) -> Tensor:
    """The tables (N, S, T) of a source word for each target word, (N, T)."""
    return torch.nn.functional.one_hot(sources, size).bool().transpose(1, 2)


@judge(
    _LARGEST,
    probe=probes.largest,
    points=1,
    hint="Each row of the weights belongs to a target word, and each column to a source word. Each row has one "
    "largest weight, whose position in the row is the index of the source word. Add the pair to a set, both as plain "
    "integers; set() makes an empty one.",
)
def links_to_largest(got: Any, want: Any) -> Verdict:
    """One link for each target word, whichever way round the links are."""
    links, weights = got["links"], want["weights"]
    size = weights.shape[-1]
    if _alike(links, want["links"]):
        return passed()
    if _alike(links, _linked_to(weights.argmax(dim=1), size).transpose(1, 2)):
        return failed(
            "there is a link for the largest weight in each column, a source word; expected one for each row, a target "
            "word"
        )
    if _alike(links, _linked_to(weights.argmin(dim=2), size)):
        return failed("each target word is linked to the source word of its smallest weight, expected its largest")
    return _one_each(links) or _smaller_weight(links, weights)


def _one_each(links: Tensor) -> Verdict | None:
    """What is wrong with the number of links, if every target word should have one."""
    numbers = links.sum(dim=1)
    wrong = (numbers != 1).nonzero()
    if not len(wrong):
        return None
    sentence, target = wrong[0].tolist()
    number = int(numbers[sentence, target])
    counted = f"{number} links" if number else "no link"
    return failed(
        f"in one sentence target word {target} has {counted}, expected one for each target word, whatever its weights "
        "are"
    )


def _smaller_weight(links: Tensor, weights: Tensor) -> Verdict:
    """The first link, one for each target word, that misses the largest weight."""
    linked = weights.gather(2, links.int().argmax(dim=1).unsqueeze(2)).squeeze(2)
    sentence, target = (linked < weights.amax(dim=2)).nonzero()[0].tolist()
    source = int(links[sentence, :, target].int().argmax())
    return failed(
        f"in one sentence target word {target} is linked to source word {source}, whose weight is "
        f"{linked[sentence, target]:.2f}; the largest weight of its row is {weights[sentence, target].max():.2f}"
    )


@judge(
    _ORDER,
    probe=probes.largest,
    points=1,
    needs=(_LARGEST,),
    hint="The weights are (T, S), with target words first, but a link has the source word first.",
)
def source_first(got: Any, want: Any) -> Verdict:
    """The order of a link."""
    if is_close(got["links"], want["links"]):
        return passed()
    if is_close(got["links"], want["links"].transpose(1, 2)):
        return failed("the links are (target index, source index), expected the source index first")
    return failed(
        "some links have the source index first and some have the target index first, expected the source index first "
        "in all"
    )


@judge(
    _TIES,
    probe=probes.ties,
    points=1,
    needs=(_LARGEST,),
    hint="Several weights of a row can be equally large, and in a row of zeros all are. Which of them do you find if "
    "you read from the left and let a later one win only if it is larger?",
)
def first_of_equals(got: Any, want: Any) -> Verdict:
    """The lowest index on ties."""
    links, weights = got["links"], want["weights"]
    size = weights.shape[-1]
    if _alike(links, want["links"]):
        return passed()
    if _alike(links, _linked_to(size - 1 - weights.flip(-1).argmax(dim=-1), size)):
        return failed("if weights are equal, the last one was used, expected the first")
    largest = weights == weights.amax(dim=-1, keepdim=True)
    if _alike(links, largest.transpose(1, 2)):
        return failed("every source word whose weight equals the largest is linked, expected only the first of them")
    empty = (weights == 0).all(dim=-1)
    if _alike(links, want["links"] & ~empty.unsqueeze(1)):
        return failed(
            "a target word whose weights are all 0 has no link: its weights are equal, so it is linked to the first "
            "source word"
        )
    return _one_each(links) or failed("if weights are equal, one other than the first was used")


def _all_alike(got: Any, want: Any) -> Verdict:
    """Tables of links, whichever way round the links are, and weights as they were."""
    for name, value in want.items():
        is_table = value.dtype == torch.bool
        if not (_alike(got[name], value) if is_table else is_close(got[name], value)):
            return failed(f"{name}: {difference(got[name], value)}")
    return passed()


of_one_word = judge(
    "sentences of one word keep their links",
    probe=probes.one_word,
    points=1,
    hidden=True,
    needs=(_LARGEST,),
    hint=(
        "Weights of shape (1, S) and (T, 1) still have rows and columns: squeeze() removes every dimension of size one."
    ),
)(_all_alike)

of_any_weights = judge(
    "weights of any kind work, and are not changed",
    probe=probes.any_weights,
    points=1,
    arguments=True,
    needs=(_LARGEST,),
    hint=(
        "The weights may be in half precision, be part of a larger tensor, or require a gradient. Do not change them."
    ),
)(_all_alike)
