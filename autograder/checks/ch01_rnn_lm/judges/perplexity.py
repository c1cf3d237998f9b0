"""What is right about `perplexity`, and what is said when it is not."""

import math
from typing import Any

from torch import Tensor

from autograder.checks.ch01_rnn_lm.probes import perplexity as probes
from autograder.compare import close, difference, is_close, leaves_arguments
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_EXP = "for one sentence, it is e to the power of the mean of -log p"
_PADDING = "the values at the padding do not count"
_POOLED = "every word has the same weight, whichever sentence it is in"


def _judged(got: Any, want: Any, mistakes: dict[str, Tensor]) -> Verdict:
    """The perplexity against the right one, and against what each mistake makes of it."""
    mine, right = got["perplexity"], want["perplexity"]
    if is_close(mine, right):
        return passed()
    for message, value in mistakes.items():
        if is_close(mine, value.item()):
            return failed(message)
    return failed(_told(mine, right))


def _told(mine: float, right: float) -> str:
    """How a wrong number is told."""
    if math.isnan(mine):
        return "the perplexity is NaN. The mean of an empty tensor, the logarithm of a negative number, and 0 times infinity all give NaN"
    if math.isinf(mine):
        return "the perplexity is infinite, expected a finite number. Was a probability rounded to 0?"
    return f"the perplexity {difference(mine, right)}"


@judge(
    _EXP,
    probe=probes.one_sentence,
    points=1,
    hint="Average first: -1/N times the sum of the log-probabilities is the loss, in nats. Then take the exponential of that "
    "one number. The logarithms are natural, so the base is e. .item() turns a tensor with one number into a plain number.",
)
def to_the_mean(got: Any, want: Any) -> Verdict:
    """The formula, where every place is a word."""
    log_probs = want["log_probs"].double()
    loss, total = -log_probs.mean(), -log_probs.sum()
    mistakes = {
        "2 was raised to the power of the loss, as for a loss in bits. These logarithms are natural, so the loss is in nats, "
        "and the base is e": 2**loss,
        "the result is the mean of -log p, the loss itself; expected e to the power of the loss": loss,
        "the result is the sum of -log p, expected e to the power of the mean": total,
        "the minus sign is missing: the result is e to the power of the mean of log p, which is below 1": (-loss).exp(),
        "the result is the mean of log p, without the minus sign and the exponential": -loss,
        "e was raised to the power of the sum of -log p, expected of the mean": total.exp(),
        "10 was raised to the power of the loss, expected e": 10**loss,
        "the loss was converted from nats to bits, and then e was raised to that power: e belongs to nats, 2 to bits": (
            loss / math.log(2)
        ).exp(),
        "the result is the mean of 1/p; take the mean of the logarithms, then the exponential": (-log_probs)
        .exp()
        .mean(),
        "the result is 1 over the mean probability; take the mean of the logarithms, then the exponential": 1
        / log_probs.exp().mean(),
    }
    return _judged(got, want, mistakes)


@judge(
    _PADDING,
    probe=probes.padding,
    points=2,
    needs=(_EXP,),
    hint="The sum runs over the words where the mask is True, and is divided by their number, not by B·T.",
)
def padding_does_not_count(got: Any, want: Any) -> Verdict:
    """The mask, in the sum and in the number of words."""
    losses, mask = -want["log_probs"].double(), want["mask"]
    mistakes = {
        "the padding was counted: this is the perplexity of all positions": losses.mean().exp(),
        "the sum is right, but it was divided by B·T, expected by the number of words": (losses * mask).mean().exp(),
        "the padding is in the sum, which was divided by the number of words": (losses.sum() / mask.sum()).exp(),
    }
    return _judged(got, want, mistakes)


@judge(
    _POOLED,
    probe=probes.lengths,
    points=2,
    needs=(_EXP, _PADDING),
    hint="Is your mean taken over words or over sentences? A sentence of sixteen words has sixteen times the weight of a "
    "sentence of one word. Sum over all sentences, count the words of all sentences, and divide once.",
)
def one_mean_over_words(got: Any, want: Any) -> Verdict:
    """Sentences of several lengths."""
    losses, mask = -want["log_probs"].double(), want["mask"]
    of_sentences = (losses * mask).sum(dim=1) / mask.sum(dim=1)
    first = losses[0][mask[0]].mean()
    mistakes = {
        "the result is e to the power of the mean of the sentences' means, where a sentence of one word counts as much as a "
        "long one": of_sentences.mean().exp(),
        "the result is the mean of the sentences' perplexities, where a sentence of one word counts as much as a long "
        "one": of_sentences.exp().mean(),
        "the result is the mean of the sentences' perplexities, weighted by their lengths; take the mean of the logarithms, "
        "then the exponential once": (of_sentences.exp() * mask.sum(dim=1)).sum() / mask.sum(),
        "the result is the perplexity of the first sentence alone": first.exp(),
        "the result is the perplexity of the last sentence alone": of_sentences[-1].exp(),
    }
    return _judged(got, want, mistakes)


@judge(
    "a probability of zero at the padding, or NaN, changes nothing",
    probe=probes.anything_at_padding,
    points=1,
    hidden=True,
    needs=(_PADDING, _POOLED),
    hint="0 times infinity is NaN, and so is 0 times NaN: select the real words instead of multiplying by the mask.",
)
def anything_may_stand_there(got: Any, want: Any) -> Verdict:
    """What stands at the padding is never looked at."""
    wrong = next((name for name, right in want.items() if not is_close(got[name], right)), None)
    return passed() if wrong is None else failed(f"with {wrong} at the padding {_told(got[wrong], want[wrong])}")


long = judge(
    "a long text has a finite perplexity",
    probe=probes.long_text,
    points=1,
    hidden=True,
    needs=(_PADDING, _POOLED),
    hint="The product of many probabilities is rounded to 0. Keep the logarithms until you have taken the mean.",
)(close())


of_any_kind = judge(
    "log-probabilities of any kind work, and are left as they were",
    probe=probes.arguments,
    points=1,
    arguments=True,
    needs=(_PADDING, _POOLED),
    hint="The log-probabilities may have another dtype, be non-contiguous in memory, or require a gradient; the "
    "batch may have only one sentence. Methods that end in an underscore, and assignments to log_probs[...], "
    "change the caller's tensor.",
)(leaves_arguments("perplexity"))
