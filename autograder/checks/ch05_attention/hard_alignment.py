"""The checks of `hard_alignment`."""

from collections.abc import Callable
from numbers import Integral
from typing import Any

import torch
from torch import Tensor

from autograder.asking.draw import Draw
from autograder.asking.probing import MisuseError, note_slip
from autograder.asking.serialization import kind_of
from autograder.asking.usage import Use, in_use
from autograder.declare import Exercise, check
from autograder.judging.compare import apart

EXERCISE = Exercise("hard_alignment", "links between words, read off the attention weights", minutes=10, difficulty=1)


@in_use(gradients=False, devices=False)
def in_chapter(hard_alignment, draw: Draw) -> Use:
    """Weights of which some are equal, then a row of nearly equal ones."""

    def call(weights: Tensor) -> Tensor:
        return table(hard_alignment(weights), 24)

    weights = (draw.integers(0, 4, 20, 9) / 4.0).softmax(dim=-1)
    near = (2e-4 * draw.normal(24).argsort().float()).softmax(dim=-1)
    return Use(call, (weights,), (near.unsqueeze(0),))


_WORDS, _MANY = 7, 40


_LINK = "a link is a pair (source index, target index)"


def table(links: Any, words: int) -> Tensor:
    """A student's links as a table (words, words).

    Raises:
        MisuseError: They are not a set of pairs of whole numbers, or count further than there are words.
    """
    if isinstance(links, (list, tuple)):
        note_slip(f"the result is {kind_of(links)}, expected a set; {_LINK}")
        links = {tuple(link) if isinstance(link, list) else link for link in links}
    if not isinstance(links, (set, frozenset)):
        raise MisuseError(f"the result is {kind_of(links)}, expected a set; {_LINK}")
    for link in links:
        _look_at_link(link)
    odd = next((index for link in links for index in link if type(index) is not int), None)
    if odd is not None:
        note_slip(
            f"the set contains a link with an index that is {kind_of(odd)}, expected plain integers, as .item() and "
            ".tolist() return them"
        )
    beyond = next((link for link in links if min(link) < 0 or max(link) >= words), None)
    if beyond is not None:
        question = ". Do you count from 1?" if min(map(min, links)) == 1 else ""
        raise MisuseError(
            f"the link ({beyond[0]}, {beyond[1]}) contains the index of a word that does not exist: words are counted "
            f"from 0, here up to {words - 1}{question}"
        )
    rows = [[False] * words for _ in range(words)]
    for source, target in links:
        rows[int(source)][int(target)] = True
    return torch.tensor(rows)


def _look_at_link(link: Any) -> None:
    if not isinstance(link, tuple) or len(link) != 2:
        raise MisuseError(f"the set contains an element that is {kind_of(link)}, expected links; {_LINK}")
    if any(isinstance(index, Tensor) for index in link):
        raise MisuseError(
            "the set contains links of tensors, expected plain integers, as .item() and .tolist() return them: in a "
            "set, two tensors with the same number are different elements"
        )
    odd = next((index for index in link if not isinstance(index, Integral)), None)
    if odd is not None:
        raise MisuseError(
            f"the set contains a link with an index that is {kind_of(odd)}, expected two integers; {_LINK}"
        )


def _tables(hard_alignment: Callable[[Tensor], Any], weights: Tensor) -> Tensor:
    """The tables of N sentences, whose weights are (N, T, S)."""
    return torch.stack([table(hard_alignment(of_one), max(weights.shape[1:])) for of_one in weights])


def _all_different(draw: Draw, *shape: int) -> Tensor:
    """Rows of weights that sum to one, no two of a row equal, also in half precision."""
    ranks = draw.normal(*shape).argsort(dim=-1) + 1.0
    return ranks / ranks.sum(dim=-1, keepdim=True)


def either_way(answer):
    """The links, (…, W, W), without their order, which has a check of its own; weights as they are."""
    return {name: value | value.mT if value.dtype == torch.bool else value for name, value in answer.items()}


@check(
    "each target word is linked to the source word of its largest weight",
    reads=either_way,
    points=1,
    hint="Each row of the weights belongs to a target word, and each column to a source word. Each row has one "
    "largest weight, whose position in the row is the index of the source word. Add the pair to a set, both as plain "
    "integers; set() makes an empty one.",
)
def largest(hard_alignment, draw: Draw):
    """Three sentences of as many source as target words, so that the order of a link can be looked at apart."""
    weights = draw.normal(3, _WORDS, _WORDS, scale=2.0).softmax(dim=-1)
    return {"links": _tables(hard_alignment, weights.clone()), "weights": weights}


@largest.explain
def one_each(got, want):
    """Every target word has one link, whatever its weights are."""
    numbers = got["links"].sum(dim=1)[:, : want["weights"].shape[1]]  # Of each target word.
    if (numbers == 1).all():
        return None
    sentence, target = (numbers != 1).nonzero()[0].tolist()
    number = int(numbers[sentence, target])
    counted = f"{number} links" if number else "no link"
    return f"in one sentence target word {target} has {counted}, expected one for each target word, whatever its weights are"


@largest.explain
def smaller_weight(got, want):
    """The first link that misses the largest weight."""
    weights = want["weights"]
    links = got["links"][..., : weights.shape[1]]  # Those of each target word.
    linked = weights.gather(2, links.int().argmax(dim=1).unsqueeze(2)).squeeze(2)
    sentence, target = (linked < weights.amax(dim=2)).nonzero()[0].tolist()
    source = int(links[sentence, :, target].int().argmax())
    smaller, most = apart(linked[sentence, target].item(), weights[sentence, target].max().item())
    return (
        f"in one sentence target word {target} is linked to source word {source}, whose weight is {smaller}; the largest "
        f"weight of its row is {most}"
    )


source_first = check(
    "a link is (source index, target index)",
    points=1,
    needs=largest,
    hint="The weights are (T, S), with target words first, but a link has the source word first.",
)(largest)


@source_first.explain
def mixed(got, want):
    """The right links, some of them the wrong way round."""
    return "some links have the target index first, expected the source index first in all"


@check(
    "if weights are equal, the first one counts",
    reads=either_way,
    points=1,
    needs=largest,
    hint="Several weights of a row can be equally large, and in a row of zeros all are. Which of them do you find if "
    "you read from the left and let a later one win only if it is larger?",
)
def ties(hard_alignment, draw: Draw):
    """The largest weight of each row stands in two places; in one row of each sentence every weight is zero, and in one they nearly tie.

    Rows are long, because torch keeps the order of a few equal ones in any sort.
    """
    values = draw.integers(1, 4, 3, _WORDS, _MANY).float()
    values.scatter_(-1, draw.normal(3, _WORDS, _MANY).argsort(dim=-1)[..., :2], 4.0)
    weights = values / values.sum(dim=-1, keepdim=True)
    of_each, order = torch.arange(3), draw.normal(3, _WORDS).argsort(dim=-1)
    weights[of_each, order[:, 0]] = 0.0
    weights[of_each, order[:, 1]] = 1 / _MANY
    weights[of_each, order[:, 1], draw.integers(1, _MANY, 3)] *= 1 + torch.finfo(weights.dtype).eps
    return {"links": _tables(hard_alignment, weights.clone()), "weights": weights}


@ties.explain
def another_one(got, want):
    """What is linked if several words could be, or nearly could."""
    linked = want["weights"].where(got["links"].mT[:, :_WORDS], 0.0).amax(dim=2)
    if told := one_each(got, want):
        return told
    if (linked < want["weights"].amax(dim=2)).any():
        return f"weights that nearly tie are treated as equal: {smaller_weight(got, want)}"
    return "if weights are equal, one other than the first was used"


@check(
    "sentences of one word keep their links",
    points=1,
    hidden=True,
    needs=largest,
    reads=either_way,
    hint="Weights of shape (1, S) and (T, 1) still have rows and columns: squeeze() removes every dimension of size one.",
)
def one_word(hard_alignment, draw: Draw):
    """Sentences of one target word, of one source word, and of one of each."""
    shapes = {"one target word": (12, 1, _WORDS), "one source word": (2, 5, 1), "one word each": (1, 1, 1)}
    return {name: _tables(hard_alignment, _all_different(draw, *shape)) for name, shape in shapes.items()}


@check(
    "weights of any kind work, and are not changed",
    points=1,
    needs=largest,
    reads=either_way,
    arguments=True,
    hint="The weights may be in half precision, be part of a larger tensor, or require a gradient. Do not change them.",
)
def any_weights(hard_alignment, draw: Draw):
    """Weights in half precision, cut out of a padded batch, and with a graph; and the cut as it is after the call."""
    half = _all_different(draw, 3, 5, _WORDS).half()
    batch = _all_different(draw, 3, 6, _WORDS + 2)
    with_graph = _all_different(draw, 3, 5, _WORDS).requires_grad_() * 1
    cut = batch[:, :5, :_WORDS]
    return {
        "half precision": _tables(hard_alignment, half),
        "cut out of a batch": _tables(hard_alignment, cut),
        "with a graph": _tables(hard_alignment, with_graph),
        "the weights after the call": batch,
    }
