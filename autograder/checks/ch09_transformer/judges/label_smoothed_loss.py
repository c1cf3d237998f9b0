"""What is right about `label_smoothed_loss`, and what is said when it is not."""

import math
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from autograder.checks.ch09_transformer.probes import label_smoothed_loss as probes
from autograder.compare import close, explained, leaves_arguments
from autograder.declare import judge
from autograder.verdict import Verdict, failed

_MEAN = "without smoothing it is the mean cross-entropy of all words"
_SMOOTHED = "the target of a position is ε / V for every word, and 1 - ε more for the right one"
_PADDING = "padding does not count"
_DIVISOR = "the sum is divided by the number of real words"
_FAR = "words of very small probability are handled correctly"


def _of_words(logits: Tensor, targets: Tensor, epsilon: float = 0.0) -> Tensor:
    """The smoothed cross-entropy of each word, (B, T)."""
    return F.cross_entropy(logits.transpose(1, 2), targets, reduction="none", label_smoothing=epsilon)


def _picked(values: Tensor, targets: Tensor) -> Tensor:
    """Minus the mean of the right words' values."""
    return -values.gather(-1, targets.unsqueeze(-1)).mean()


@judge(
    _MEAN,
    probe=probes.unsmoothed,
    points=1,
    hint="With ε = 0 the target is the right word only: the loss at a position is minus the log of the "
    "probability that the softmax of its logits gives that word. The result is the mean of them all, a "
    "tensor of shape ().",
)
def mean_of_words(got: Any, want: Any) -> Verdict:
    """The cross-entropy itself; the mask is True everywhere."""
    logits, targets = want["logits"], want["targets"]
    of_words = _of_words(logits, targets)
    if got["loss"].isnan():
        return failed("the loss is NaN, although nothing is masked here: is the mask inverted?")
    mistakes = {
        "the loss is the sum over all words, expected their mean": of_words.sum(),
        "the loss is the sum over all words divided by the number of sentences": of_words.sum() / len(targets),
        "the mean was also divided by the size of the vocabulary": of_words.mean() / logits.shape[-1],
        "the loss has the wrong sign": -of_words.mean(),
        "the loss is a mean of probabilities, expected of their logs": -(-of_words).exp().mean(),
        "the loss is 1 minus a mean of probabilities, expected minus the mean of their logs": 1
        - (-of_words).exp().mean(),
        "the loss is a mean of logits, expected of log-probabilities: apply log_softmax": _picked(logits, targets),
        "the softmax was applied twice: apply it to the logits themselves": _of_words(
            logits.softmax(-1), targets
        ).mean(),
        "the loss is the mean over all words of the vocabulary, although ε is 0: the right word's weight is 1 - ε": (
            -logits.log_softmax(-1).mean()
        ),
        "the softmax is over the positions, expected over the words, the last dimension": _picked(
            logits.log_softmax(1), targets
        ),
        "the softmax is over the sentences, expected over the words, the last dimension": _picked(
            logits.log_softmax(0), targets
        ),
        "the logs have base 2, so the loss is in bits, expected in nats": of_words.mean() / math.log(2),
        "the loss is 0, although nothing is masked here: is the mask inverted?": of_words.sum() * 0,
        "the loss is smoothed with 0.1, although ε is 0: is epsilon used?": _of_words(logits, targets, 0.1).mean(),
    }
    return explained(got["loss"], want["loss"], mistakes, "loss")


@judge(
    _SMOOTHED,
    probe=probes.smoothed,
    points=2,
    needs=(_MEAN,),
    hint="The target sums to one: ε is divided among all V words, including the right one, which also keeps 1 - "
    "ε. So the loss at a position is (1 - ε) times one log-probability plus ε times the mean of all V, with "
    "a minus sign.",
)
def shares_out(got: Any, want: Any) -> Verdict:
    """The smoothed target; the mask is True everywhere."""
    logits, targets, epsilon = want["logits"], want["targets"], want["epsilon"]
    log_probs = logits.log_softmax(-1)
    words = logits.shape[-1]
    right, mean = _of_words(logits, targets).mean(), -log_probs.mean()
    others = (-log_probs.sum(-1).mean() - right) / (words - 1)  # the mean over all words but the right one
    mistakes = {
        "the loss is not smoothed: it is that of the right words only": right,
        "ε is divided among the V - 1 other words, expected ε / V for each of all V, including the right one": (
            1 - epsilon
        )
        * right
        + epsilon * others,
        "each of all V words gets ε / (V - 1), expected ε / V: the target does not sum to one": (1 - epsilon) * right
        + epsilon * mean * words / (words - 1),
        "the other words get ε / V each and the right one only 1 - ε: the target does not sum to one": (1 - epsilon)
        * right
        + epsilon * (words - 1) / words * others,
        "the right word keeps 1, expected 1 - ε plus its share ε / V": right + epsilon * mean,
        "each of the other words gets all of ε, expected ε / V": (1 - epsilon) * right + epsilon * (words - 1) * others,
        "each word gets all of ε, expected ε / V": (1 - epsilon) * right + epsilon * words * mean,
        "ε and 1 - ε are swapped": epsilon * right + (1 - epsilon) * mean,
        "the loss is smoothed with 0.1, whatever ε is": 0.9 * right + 0.1 * mean,
        "the logits were averaged over the vocabulary, expected their log-probabilities": (1 - epsilon) * right
        - epsilon * logits.mean(),
        "the probabilities of the other words were averaged, expected their logs": (1 - epsilon) * right
        - epsilon / words,
        "the smoothing part has the wrong sign": (1 - epsilon) * right - epsilon * mean,
        "the smoothing part is missing": (1 - epsilon) * right,
        "the entropy of the target is subtracted: this is a Kullback-Leibler divergence, expected the cross-entropy": (
            (1 - epsilon) * right + epsilon * mean - _entropy(epsilon, words)
        ),
    }
    return explained(got["loss"], want["loss"], mistakes, "loss")


def _entropy(epsilon: float, words: int) -> Tensor:
    """That of the smoothed target."""
    target = torch.full((words,), epsilon / words, dtype=torch.float64)
    target[0] += 1 - epsilon
    return -(target * target.log()).sum()


@judge(
    _PADDING,
    probe=probes.ratio,
    points=1,
    needs=(_MEAN, _SMOOTHED),
    hint="The mask is True at the words that count. Leave the other positions out of both parts of the loss: "
    "that of the right word, and that of all words.",
)
def padding_is_left_out(got: Any, want: Any) -> Verdict:
    """A ratio of two losses with the same mask, which does not depend on what they are divided by."""
    mask, targets, epsilon = want["mask"], want["targets"], want["epsilon"]
    right = [_of_words(want[name], targets) for name in ("logits", "others")]
    even = [-want[name].log_softmax(-1).mean(-1) for name in ("logits", "others")]

    def ratio(of_right: Tensor, of_even: Tensor) -> Tensor:
        first, second = (
            (1 - epsilon) * r[of_right].sum() + epsilon * e[of_even].sum() for r, e in zip(right, even, strict=True)
        )
        return first / second

    everywhere = mask | ~mask
    mistakes = {
        "padding is counted: the loss is that of all positions, whatever the mask": ratio(everywhere, everywhere),
        "padding is counted in the part for all words": ratio(mask, everywhere),
        "padding is counted in the part for the right word": ratio(everywhere, mask),
        "the mask is inverted: only padding is counted. True means that a word is real": ratio(~mask, ~mask),
        "the words with id 0 were left out, expected those where the mask is False: any id may be a real word": ratio(
            targets != 0, targets != 0
        ),
        "real words with id 0 were left out": ratio(mask & (targets != 0), mask & (targets != 0)),
    }
    verdict = explained(got["ratio"], want["ratio"], mistakes, "loss")
    if not verdict.ok and verdict.message.startswith("loss:"):
        return failed(
            "the loss depends on positions where the mask is False, or does not treat all positions "
            "alike where it is True"
        )
    return verdict


@judge(
    _DIVISOR,
    probe=probes.with_padding,
    points=1,
    needs=(_MEAN, _SMOOTHED, _PADDING),
    hint="The mean is over the words that are counted. The mask gives their number, over the whole batch: a word "
    "of a short sentence has the same weight as a word of a long one.",
)
def mean_over_real(got: Any, want: Any) -> Verdict:
    """The number of real words divides, in the whole batch at once."""
    mask = want["mask"]
    of_words = _of_words(want["logits"], want["targets"], want["epsilon"]) * mask
    lengths, sums = mask.sum(dim=1), of_words.sum(dim=1)
    mistakes = {
        f"the sum was divided by B · T, here {mask.numel()}, expected by the {int(mask.sum())} real words: "
        "padding makes the loss smaller": sums.sum() / mask.numel(),
        "the mean was taken over each sentence first, and then over the sentences: words of short sentences get "
        "too much weight": (sums / lengths).mean(),
        "the loss is the sum over the real words, expected their mean": sums.sum(),
        "the sum was divided by the number of sentences, expected by that of the real words": sums.sum() / len(mask),
    }
    verdict = explained(got["loss"], want["loss"], mistakes, "loss")
    if not verdict.ok and verdict.message.startswith("loss:"):
        return failed(f"with sentences of {lengths.tolist()} words, {verdict.message}")
    return verdict


parts_of_larger = judge(
    "logits and targets may be parts of larger tensors",
    probe=probes.cut_out,
    points=1,
    hidden=True,
    needs=(_DIVISOR,),
    hint="A slice such as logits[:, :-1] is not contiguous, so view fails on it. reshape and flatten work.",
)(close())

far = judge(
    _FAR,
    probe=probes.certain,
    points=1,
    hidden=True,
    needs=(_DIVISOR,),
    hint="If logits are far apart, their softmax contains zeros, and log(0) is minus infinity, or NaN when it is "
    "multiplied by 0. log_softmax never computes the small probability.",
)(close())

other_types = judge(
    "half and double precision are kept",
    probe=probes.other_types,
    points=1,
    hidden=True,
    needs=(_DIVISOR, _FAR),
    hint="A target that you fill yourself is float32, unless you pass dtype=logits.dtype or create it from the "
    "logits, as torch.full_like does.",
)(close())

gradient = judge(
    "the gradient for the logits is right, and zero at padding",
    probe=probes.loss_gradient,
    points=1,
    hidden=True,
    needs=(_DIVISOR,),
    hint="Use torch's operations on the tensors themselves: .item(), detach and torch.tensor(...) around a loss "
    "stop the gradient.",
)(close())


arguments = judge(
    "logits, targets and mask are not changed",
    probe=probes.loss_arguments,
    points=1,
    arguments=True,
    needs=(_DIVISOR,),
    hint="Methods that end in an underscore, and assignments such as targets[~mask] = ..., change the caller's tensor.",
)(leaves_arguments("loss"))
