"""What is right about `masked_cross_entropy`, and what is said when it is not."""

from typing import Any

from torch import Tensor
from torch.nn import functional as F

from autograder.checks.ch03_seq2seq.probes import masked_cross_entropy as probes
from autograder.compare import close, difference, explained, is_close, leaves_arguments
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_MEAN = "without padding it is the mean cross-entropy of all words"
_PADDING = "padding does not count"
_DIVISOR = "the sum is divided by the number of real words"


def _of_words(logits: Tensor, target: Tensor) -> Tensor:
    """The cross-entropy of each word, (B, T)."""
    return F.cross_entropy(logits.transpose(1, 2), target, reduction="none")


@judge(
    _MEAN,
    probe=probes.without_padding,
    points=1,
    hint="The loss of one word is minus the log of the probability that the softmax of its logits gives it. The mean over all words is a "
    "single number, a tensor of shape ().",
)
def mean_of_words(got: Any, want: Any) -> Verdict:
    """The cross-entropy itself; the mask is True everywhere."""
    loss, logits, target = got["loss"], want["logits"], want["target"]
    if is_close(loss, want["loss"]):
        return passed()
    if loss.isnan():
        return failed("the loss is NaN, although no position is masked here. Is True in the mask treated as False?")
    of_words = _of_words(logits, target)
    others = {
        "the loss is the sum over all words, expected their mean": of_words.sum(),
        "the loss is the sum over all words divided by the number of sentences": of_words.sum() / len(target),
        "the loss is the sum over all words divided by the number of positions of a sentence": of_words.sum()
        / target.shape[1],
        "the loss has the wrong sign": -of_words.mean(),
        "the loss is a mean of logits: nll_loss expects log-probabilities, from log_softmax; cross_entropy does both": (
            -logits.gather(-1, target.unsqueeze(-1)).mean()
        ),
        "the loss is 0, although no position is masked here. Is True in the mask treated as False?": of_words.sum() * 0,
        "the softmax was applied twice: cross_entropy takes the logits themselves": _of_words(
            logits.softmax(-1), target
        ).mean(),
        "the loss is a mean of probabilities: their log is missing": -(-of_words).exp().mean(),
        "the loss is in bits, expected nats: use the natural logarithm": of_words.mean() / 0.6931471805599453,
        "the loss is the perplexity, the exponential of what is expected": of_words.mean().exp(),
        "the mean was also divided by the size of the vocabulary": of_words.mean() / logits.shape[-1],
    }
    return explained(loss, want["loss"], others, "loss")


@judge(
    _PADDING,
    probe=probes.ratio,
    points=2,
    needs=(_MEAN,),
    hint="The mask is True at the words that count. There are logits and target words at padding too; leave them out before you compute the sum, "
    "whatever they are.",
)
def padding_is_left_out(got: Any, want: Any) -> Verdict:
    """A ratio of two losses with the same mask, which does not depend on what they are divided by."""
    value, mask, target = got["ratio"], want["mask"], want["target"]
    if is_close(value, want["ratio"]):
        return passed()
    losses = [_of_words(want[name], target) for name in ("logits", "others")]
    places = {
        "padding is counted: the loss is that of all positions, whatever the mask says": mask | ~mask,
        "the mask is used the wrong way round: only padding is counted. True means that a word is real": ~mask,
        "the words with the id 0 were left out, expected those where the mask is False: any id may be a real word": target
        != 0,
        "of the real words, those with the id 0 were left out": mask & (target != 0),
    }
    for message, counted in places.items():
        if is_close(value, losses[0][counted].sum() / losses[1][counted].sum()):
            return failed(message)
    changed = {
        "the logits were set to 0 at padding, so each of these words still costs log V: leave these positions out": [
            _of_words(want[name] * mask.unsqueeze(-1), target) for name in ("logits", "others")
        ],
        "the target was set to 0 at padding, but 0 is a word like any other: leave these positions out": [
            _of_words(want[name], target * mask) for name in ("logits", "others")
        ],
    }
    for message, (first, second) in changed.items():
        if is_close(value, first.sum() / second.sum()):
            return failed(message)
    return failed(
        "the loss depends on positions where the mask is False, or it does not weight all positions where it is True equally"
    )


@judge(
    _DIVISOR,
    probe=probes.with_padding,
    points=2,
    needs=(_MEAN, _PADDING),
    hint="The mean is over the words that count. Their number is the number of True values in the mask of the whole batch: a word in a "
    "short sentence has the same weight as a word in a long one.",
)
def mean_over_real(got: Any, want: Any) -> Verdict:
    """The number of real words divides, in the whole batch at once."""
    loss, target, mask = got["loss"], want["target"], want["mask"]
    if is_close(loss, want["loss"]):
        return passed()
    of_words = _of_words(want["logits"], target) * mask
    lengths, sums = mask.sum(dim=1), of_words.sum(dim=1)
    others = {
        f"the sum was divided by B · T, here {mask.numel()}, and not by the {int(mask.sum())} real words: padding makes the loss "
        "smaller": sums.sum() / mask.numel(),
        "the mean was taken over each sentence first, and then over the sentences: a word in a short sentence gets more weight": (
            sums / lengths
        ).mean(),
        "the loss is the sum over the real words, expected their mean": sums.sum(),
        "the sum was divided by the number of sentences, expected the number of real words": sums.sum() / len(mask),
        "the sum was divided by the number of positions of a sentence, expected the number of real words": sums.sum()
        / mask.shape[1],
    }
    for message, value in others.items():
        if is_close(loss, value):
            return failed(message)
    return failed(f"with sentences of {lengths.tolist()} words, loss: {difference(loss, want['loss'])}")


parts_of_larger = judge(
    "logits and target may be parts of larger tensors",
    probe=probes.cut_out,
    points=1,
    hidden=True,
    needs=(_DIVISOR,),
    hint="A slice such as logits[:, :-1] is not contiguous in memory, so view fails on it. reshape and flatten work.",
)(close())

far = judge(
    "very small probabilities are handled correctly",
    probe=probes.certain,
    points=1,
    hidden=True,
    needs=(_DIVISOR,),
    hint="The softmax of logits that are far apart contains zeros, and log(0) is minus infinity. log_softmax and cross_entropy avoid "
    "computing the small probability.",
)(close())

gradient = judge(
    "the gradient of the logits is right, and zero at padding",
    probe=probes.loss_gradient,
    points=1,
    hidden=True,
    needs=(_DIVISOR,),
    hint="Use only torch operations on the tensors themselves: .item(), detach and torch.tensor(...) around a loss cut off the "
    "gradient.",
)(close())


arguments = judge(
    "logits, target and mask are not changed",
    probe=probes.loss_arguments,
    points=1,
    arguments=True,
    needs=(_DIVISOR,),
    hint="Methods that end in an underscore, and assignments such as target[~mask] = ..., change the caller's tensor.",
)(leaves_arguments("loss"))
