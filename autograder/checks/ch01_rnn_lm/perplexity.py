"""The checks of `perplexity`."""

import math
from typing import Any

import torch
from torch import Tensor

from autograder.asking.draw import Draw
from autograder.asking.probing import plain_number
from autograder.asking.usage import Use, in_use
from autograder.declare import Exercise, check
from autograder.judging.compare import difference, is_close

EXERCISE = Exercise("perplexity", "the number of words between which a model hesitates", minutes=10, difficulty=1)


@in_use(gradients=False, devices=False)
def in_chapter(perplexity, draw: Draw) -> Use:
    """A batch with gaps in which some words were certain, then one long sentence, and one word."""

    def call(log_probs: Tensor, mask: Tensor) -> Tensor:
        return torch.tensor(plain_number(perplexity(log_probs, mask)), dtype=log_probs.dtype)

    def given(batch: int, length: int) -> tuple[Tensor, Tensor]:
        log_probs = -draw.normal(batch, length).abs() * 3 * (draw.integers(0, 4, batch, length) > 0)
        mask = draw.mask(batch, length)
        return log_probs.masked_fill(~mask, -math.inf), mask

    return Use(call, given(4, 21), given(1, 40), last=given(1, 1))


def _log_probs(draw: Draw, batch: int, length: int) -> Tensor:
    """Log-probabilities (B, T) between about -6 and 0; those of each sentence lie around a level of its own."""
    level = -0.5 - 1.5 * draw.normal(batch).argsort().float().unsqueeze(1) / batch
    return level * draw.normal(batch, length, scale=0.4).exp()


@check(
    "for one sentence, it is e to the power of the mean of -log p",
    points=1,
    hint="Average first: -1/N times the sum of the log-probabilities is the loss, in nats. Then take the exponential of that "
    "one number. The logarithms are natural, so the base is e. .item() turns a tensor with one number into a plain number.",
)
def one_sentence(perplexity, draw: Draw):
    """One sentence without padding."""
    log_probs = _log_probs(draw, 1, 6) * 2
    mask = torch.ones(1, 6, dtype=torch.bool)
    return {"perplexity": plain_number(perplexity(log_probs, mask))}


@one_sentence.explain
def no_number(got, want):
    """What is infinite or NaN."""
    for name, value in got.items():
        if math.isnan(value):
            return f"{name} is NaN. The mean of an empty tensor, the logarithm of a negative number, and 0 times infinity all give NaN"
        if math.isinf(value):
            return f"{name} is infinite, expected a finite number. Was a probability rounded to 0?"
    return None


_PLAIN = "one sentence without padding"


def _asked(perplexity, draw: Draw, texts: dict[str, tuple[Tensor, Tensor]]) -> dict[str, Any]:
    """The perplexities of texts, and of a sentence without padding."""
    plain = _log_probs(draw, 1, 6), torch.ones(1, 6, dtype=torch.bool)
    return {name: plain_number(perplexity(*text)) for name, text in {_PLAIN: plain, **texts}.items()}


def _exponent(answer: float) -> float:
    if answer == 0:
        return -math.inf
    return math.log(answer) if answer > 0 else math.nan


def exponents(answer):
    """Each exponent as a multiple of that of the sentence without padding: by which base it is raised is the business of `one_sentence`."""
    plain = _exponent(answer[_PLAIN]) or math.nan
    return {name: _exponent(value) / plain for name, value in answer.items() if name != _PLAIN}


def first_apart(got, want):
    """The first perplexity that does not fit that of the sentence without padding."""
    mine, right = exponents(got), exponents(want)
    name = next((name for name in right if not is_close(mine[name], right[name])), None)
    return name and f"{name}: {difference(got[name], want[name])}"


@check(
    "the values at the padding do not count",
    points=2,
    reads=exponents,
    needs=one_sentence,
    hint="The sum runs over the words where the mask is True, and is divided by their number, not by B·T.",
)
def padding(perplexity, draw: Draw):
    """One sentence of five words, and padding that looks like words; several sentences are another check's business."""
    log_probs, mask = _log_probs(draw, 1, 9), torch.arange(9).unsqueeze(0) < 5
    log_probs[:, 5:] *= 2
    return _asked(perplexity, draw, {"a sentence of 5 words and padding": (log_probs, mask)})


padding.explain(no_number)
padding.explain(first_apart)


@check(
    "every word has the same weight, whichever sentence it is in",
    points=2,
    reads=exponents,
    needs=(one_sentence, padding),
    hint="Is your mean taken over words or over sentences? A sentence of sixteen words has sixteen times the weight of a "
    "sentence of one word. Sum over all sentences, count the words of all sentences, and divide once.",
)
def lengths(perplexity, draw: Draw):
    """Four sentences of very different lengths."""
    log_probs, mask = _log_probs(draw, 4, 16), torch.arange(16) < torch.tensor([[16], [1], [4], [2]])
    mask = mask[draw.normal(4).argsort()]
    return _asked(perplexity, draw, {"four sentences": (log_probs, mask)})


lengths.explain(no_number)
lengths.explain(first_apart)


@check(
    "improbable words count in full",
    points=1,
    reads=exponents,
    needs=(padding, lengths),
    hint="exp(-150) is rounded to 0 in float32, and so is the product of many probabilities: keep the logarithms until you have "
    "taken the mean. Leave nothing out and limit nothing: one word with probability 0 makes the perplexity infinite.",
)
def improbable(perplexity, draw: Draw):
    """A word that is very improbable, a text of such words, a long text, and a word that is impossible."""
    log_probs, mask = _log_probs(draw, 2, 6), draw.padding_mask(2, 6)
    texts = {}
    for name, log_prob in {"one word of log p = -150": -150.0, "one word of probability 0": -math.inf}.items():
        values = log_probs.clone()
        values[0, 2] = log_prob
        texts[name] = values, mask.clone()
    texts["a text of improbable words"] = log_probs - 20, mask
    texts["a text of 2000 words or so"] = _log_probs(draw, 20, 120) * 3, draw.padding_mask(20, 120)
    return _asked(perplexity, draw, texts)


improbable.explain(first_apart)


@check(
    "a probability of zero at the padding, or NaN, changes nothing",
    points=1,
    reads=exponents,
    hidden=True,
    needs=(padding, lengths),
    hint="0 times infinity is NaN, and so is 0 times NaN: select the real words instead of multiplying by the mask.",
)
def anything_at_padding(perplexity, draw: Draw):
    """A probability of zero at the padding, or no number at all."""
    log_probs, mask = _log_probs(draw, 3, 6), draw.padding_mask(3, 6)
    texts = {
        f"with {name} at the padding": (log_probs.masked_fill(~mask, value), mask.clone())
        for name, value in {"-inf": -math.inf, "NaN": math.nan}.items()
    }
    return _asked(perplexity, draw, texts)


anything_at_padding.explain(no_number)


def of_any_kind(answer):
    """The exponents, and the arguments after the call."""
    return {**answer, "perplexity": exponents(answer["perplexity"])}


@check(
    "log-probabilities of any kind work, and are left as they were",
    points=1,
    reads=of_any_kind,
    needs=(padding, lengths),
    arguments=True,
    hint="The log-probabilities may have another dtype, be non-contiguous in memory, or require a gradient; the "
    "batch may have only one sentence. Methods that end in an underscore, and assignments to log_probs[...], "
    "change the caller's tensor.",
)
def arguments(perplexity, draw: Draw):
    """Double precision, a batch turned out of another layout, with a graph; and the arguments as they are after the call."""
    log_probs, mask = _log_probs(draw, 3, 6), draw.padding_mask(3, 6)
    texts = {
        "double precision": (log_probs.double(), mask.clone()),
        "not contiguous": (log_probs.T.contiguous().T, mask.T.contiguous().T),
        "with a graph": (log_probs.clone().requires_grad_() * 1, mask.clone()),
        "a batch of one": (log_probs[:1].clone(), mask[:1].clone()),
        "as it is": (log_probs, mask),
    }
    return {"perplexity": _asked(perplexity, draw, texts), "log_probs": log_probs, "mask": mask}
