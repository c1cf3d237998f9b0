"""What is right about `label_smoothed_loss`, and what is said when it is not."""

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from autograder.checks.ch09_transformer.probes import label_smoothed_loss as probes
from autograder.compare import close, explained, leaves_arguments
from autograder.declare import judge
from autograder.verdict import Verdict, failed

_MEAN = "without smoothing it is the mean cross-entropy of all words"
_SMOOTHED = "the target of a place is 1 - ε on the right word, and ε / V more on every word"
_PADDING = "what stands at padding does not count"
_DIVISOR = "the sum is divided by the number of real words"
_FAR = "words of very small probability do no harm"


def _of_words(logits: Tensor, targets: Tensor, epsilon: float = 0.0) -> Tensor:
    """The smoothed cross-entropy of each word, (B, T)."""
    return F.cross_entropy(logits.transpose(1, 2), targets, reduction="none", label_smoothing=epsilon)


@judge(
    _MEAN,
    probe=probes.unsmoothed,
    points=1,
    hint="With ε = 0 the target is the right word alone: the loss of a place is minus the log of the probability that the softmax of its "
    "logits gives that word. The mean of them all is one number, a tensor of shape ().",
)
def mean_of_words(got: Any, want: Any) -> Verdict:
    """The cross-entropy itself; the mask is True everywhere."""
    logits, targets = want["logits"], want["targets"]
    of_words = _of_words(logits, targets)
    if got["loss"].isnan():
        return failed("the loss is NaN, although no place is masked here. Is True in the mask taken for False?")
    mistakes = {
        "the loss is the sum over all words, expected their mean": of_words.sum(),
        "the loss is the sum over all words divided by the number of sentences": of_words.sum() / len(targets),
        "the mean was divided by the size of the vocabulary once more": of_words.mean() / logits.shape[-1],
        "the loss has the wrong sign": -of_words.mean(),
        "the loss is a mean of probabilities: their log is missing": -(-of_words).exp().mean(),
        "the loss is 1 minus a mean of probabilities: it takes their log": 1 - (-of_words).exp().mean(),
        "the loss is a mean of logits: log_softmax makes log-probabilities of them": (
            -logits.gather(-1, targets.unsqueeze(-1)).mean()
        ),
        "the softmax ran twice: it takes the logits themselves": _of_words(logits.softmax(-1), targets).mean(),
        "the loss is the mean over all words of the vocabulary, although ε is 0: the right word's weight is 1 - ε": (
            -logits.log_softmax(-1).mean()
        ),
        "the loss is 0, although no place is masked here. Is True in the mask taken for False?": of_words.sum() * 0,
        "it was smoothed with 0.1, although ε is 0: is epsilon asked?": _of_words(logits, targets, 0.1).mean(),
    }
    return explained(got["loss"], want["loss"], mistakes, "loss")


@judge(
    _SMOOTHED,
    probe=probes.smoothed,
    points=2,
    needs=(_MEAN,),
    hint="The target adds up to one: ε is shared out among all V words, the right one included, which also keeps 1 - ε. So the loss of a "
    "place has (1 - ε) of one log-probability, and ε of the mean of all V.",
)
def shares_out(got: Any, want: Any) -> Verdict:
    """The smoothed target; the mask is True everywhere."""
    logits, targets, epsilon = want["logits"], want["targets"], want["epsilon"]
    log_probs = logits.log_softmax(-1)
    words = logits.shape[-1]
    right, mean = _of_words(logits, targets).mean(), -log_probs.mean()
    others = (-log_probs.sum(-1).mean() - right) / (words - 1)  # the mean over all words but the right one
    mistakes = {
        "nothing was smoothed: the loss is that of the right words alone": right,
        "ε is shared out among the V - 1 other words, expected ε / V on each of all V, the right one included": (
            1 - epsilon
        )
        * right
        + epsilon * others,
        "each of all V words gets ε / (V - 1), expected ε / V: the target does not add up to one": (1 - epsilon) * right
        + epsilon * mean * words / (words - 1),
        "the other words get ε / V each and the right one 1 - ε: the target does not add up to one": (1 - epsilon)
        * right
        + epsilon * (words - 1) / words * others,
        "the right word keeps all of its 1, expected 1 - ε and its share ε / V": right + epsilon * mean,
        "each of the other words gets the whole of ε, expected ε / V": (1 - epsilon) * right
        + epsilon * (words - 1) * others,
        "each word gets the whole of ε, expected ε / V": (1 - epsilon) * right + epsilon * words * mean,
        "ε and 1 - ε are in each other's places": epsilon * right + (1 - epsilon) * mean,
        "what was smoothed with is 0.1, whatever ε is": 0.9 * right + 0.1 * mean,
        "the logits were averaged over the vocabulary, expected their log-probabilities": (1 - epsilon) * right
        - epsilon * logits.mean(),
        "of the other words the probabilities were averaged, expected their logs": (1 - epsilon) * right
        - epsilon / words,
        "the part that is shared out has the wrong sign": (1 - epsilon) * right - epsilon * mean,
        "the part that is shared out is missing": (1 - epsilon) * right,
        "the entropy of the target is taken off: this is a Kullback-Leibler divergence, expected the cross-entropy": (
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
    hint="The mask is True at the words that count. Leave the other places out of both parts of the loss: that of the right word, and that "
    "of all words.",
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
        "padding is counted: the loss is that of all places, whatever the mask says": ratio(everywhere, everywhere),
        "padding is counted in the part that all words share": ratio(mask, everywhere),
        "padding is counted in the part of the right word": ratio(everywhere, mask),
        "the mask is taken the wrong way round: only padding is counted. True means that a word is real": ratio(
            ~mask, ~mask
        ),
        "the words with the number 0 were left out, expected those where the mask is False: any word may be real": ratio(
            targets != 0, targets != 0
        ),
        "of the real words, those with the number 0 were left out": ratio(mask & (targets != 0), mask & (targets != 0)),
    }
    verdict = explained(got["ratio"], want["ratio"], mistakes, "loss")
    if not verdict.ok and verdict.message.startswith("loss:"):
        return failed("the loss depends on places where the mask is False, or not alike on all those where it is True")
    return verdict


@judge(
    _DIVISOR,
    probe=probes.with_padding,
    points=1,
    needs=(_MEAN, _SMOOTHED, _PADDING),
    hint="The mean is over the words that were counted. How many they are says the mask, over the whole batch: a word of a short "
    "sentence weighs as much as one of a long one.",
)
def mean_over_real(got: Any, want: Any) -> Verdict:
    """The number of real words divides, in the whole batch at once."""
    mask = want["mask"]
    of_words = _of_words(want["logits"], want["targets"], want["epsilon"]) * mask
    lengths, sums = mask.sum(dim=1), of_words.sum(dim=1)
    mistakes = {
        f"the sum was divided by B · T, here {mask.numel()}, and not by the {int(mask.sum())} real words: padding makes the loss "
        "smaller": sums.sum() / mask.numel(),
        "the mean was taken of each sentence first, and then of the sentences: a word of a short sentence weighs more": (
            sums / lengths
        ).mean(),
        "the loss is the sum over the real words, expected their mean": sums.sum(),
        "the sum was divided by the number of sentences, expected that of the real words": sums.sum() / len(mask),
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
    hint="A slice such as logits[:, :-1] does not lie in one piece, and view fails on it. reshape and flatten do not mind.",
)(close())

far = judge(
    _FAR,
    probe=probes.certain,
    points=1,
    hidden=True,
    needs=(_DIVISOR,),
    hint="The softmax of logits that are far apart holds zeros, and log(0) is minus infinity, or NaN when it is multiplied with 0. "
    "log_softmax never makes the small number.",
)(close())

other_types = judge(
    "half and double precision come back as they went in",
    probe=probes.other_types,
    points=1,
    hidden=True,
    needs=(_DIVISOR, _FAR),
    hint="A target that you fill yourself is float32 unless you say dtype=logits.dtype, or make it from the logits, as torch.full_like does.",
)(close())

gradient = judge(
    "the gradient that comes back to the logits is right, and zero at padding",
    probe=probes.loss_gradient,
    points=1,
    hidden=True,
    needs=(_DIVISOR,),
    hint="Stay with torch's operations on the tensors themselves: .item(), detach and torch.tensor(...) around a loss cut the gradient "
    "off.",
)(close())


arguments = judge(
    "logits, targets and mask are left as they were",
    probe=probes.loss_arguments,
    points=1,
    arguments=True,
    needs=(_DIVISOR,),
    hint="Methods that end in an underscore, and assignments such as targets[~mask] = ..., change the caller's tensor.",
)(leaves_arguments("loss"))
