"""What is right about `sequence_log_prob`, and what is said when it is not."""

import math
from typing import Any

from torch import Tensor

from autograder.checks.ch03_seq2seq.probes import sequence_log_prob as probes
from autograder.compare import close, difference, is_close
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_SUM = "the result is the sum of the words' log-probabilities"
_END = "the end mark counts too"
_BEHIND = "nothing after the end mark counts"


def _of_words(want: Any) -> Tensor:
    """The log-probability of each word of the target, (B, T)."""
    log_probs: Tensor = want["logits"].log_softmax(-1)
    return log_probs.gather(-1, want["target"].unsqueeze(-1)).squeeze(-1)


@judge(
    _SUM,
    probe=probes.certain_end,
    points=1,
    hint="The probability of a sentence is the product of its words' probabilities, and the log of a product is a sum of logs. The "
    "log-probabilities of all words come from the logits; pick that of the target word.",
)
def adds_logs(got: Any, want: Any) -> Verdict:
    """Sentences of equal length whose end is certain."""
    value, right = got["log-probability"], want["log-probability"]
    if is_close(value, right):
        return passed()
    of_words = _of_words(want)
    raw = want["logits"].gather(-1, want["target"].unsqueeze(-1)).squeeze(-1)
    twice = _of_words({**want, "logits": want["logits"].softmax(-1)})
    length = of_words.shape[1]
    others = {
        "the probabilities of the words were added, expected their logarithms": (
            of_words.exp().sum(1),
            of_words[:, :-1].exp().sum(1),
            of_words.exp().sum(1).log(),
        ),
        "the result is the probability of the sentence, expected its logarithm": (right.exp(),),
        "the sign is wrong: the logarithm of a probability is negative, or 0": (-right,),
        "the result is a mean over the words, expected their sum": (right / length, right / (length - 1)),
        "the logits themselves were added, without the softmax": (raw.sum(1), raw[:, :-1].sum(1)),
        "the softmax was applied twice: cross_entropy and log_softmax take the logits themselves": (
            twice.sum(1),
            twice[:, :-1].sum(1),
        ),
        "the logarithm has base 2, expected nats: use the natural logarithm": (right / math.log(2),),
        "the softmax was applied over the wrong dimension, expected the vocabulary, the last one": tuple(
            want["logits"].log_softmax(dim).gather(-1, want["target"].unsqueeze(-1)).squeeze(-1).sum(1)
            for dim in (0, 1)
        ),
    }
    for message, values in others.items():
        if any(is_close(value, other) for other in values):
            return failed(message)
    return failed(f"for sentences whose end is certain, log-probability: {difference(value, right)}")


@judge(
    _END,
    probe=probes.end_itself,
    points=1,
    needs=(_SUM,),
    hint="That the sentence ends here and does not continue is a prediction like any other: the end mark is part of the target, and "
    "its log-probability belongs to the sum.",
)
def counts_end(got: Any, want: Any) -> Verdict:
    """The end mark, at the last position."""
    value, right = got["log-probability"], want["log-probability"]
    if is_close(value, right):
        return passed()
    if is_close(value, _of_words(want)[:, :-1].sum(1)):
        return failed("the end mark was left out of the sum: a sentence could then stop anywhere at no cost")
    if is_close(value, _of_words(want)[:, 1:].sum(1)):
        return failed("the first word was left out of the sum: the target does not contain a start mark")
    return failed(f"log-probability: {difference(value, right)}")


@judge(
    _BEHIND,
    probe=probes.behind_the_end,
    points=2,
    needs=(_SUM, _END),
    hint="A position counts if there is no end mark before it in its own row. A cumulative sum along the row, cumsum, counts the end marks.",
)
def stops_at_end(got: Any, want: Any) -> Verdict:
    """Sentences of different lengths."""
    value, right = got["log-probability"], want["log-probability"]
    if is_close(value, right):
        return passed()
    of_words, ends = _of_words(want), want["target"] == want["eos"]
    past = ends.cumsum(1).bool()
    first = int(past.any(0).nonzero()[0])
    others = {
        "the words after the end mark were added too": of_words.sum(1),
        "the sum stops before the end mark, which counts too": (of_words * ~past).sum(1),
        "one word too many was added: the one right after the end mark": (
            of_words * (ends.cumsum(1).cumsum(1) <= 2)
        ).sum(1),
        "only the end mark and the words after it were added, expected the end mark and the words before it": (
            of_words * past
        ).sum(1),
        "all sentences were truncated where the first of them ends; each has its own end": of_words[:, : first + 1].sum(
            1
        ),
    }
    for message, other in others.items():
        if is_close(value, other):
            return failed(message)
    return failed(f"for sentences that end at different positions, log-probability: {difference(value, right)}")


first_of_several = judge(
    "with several end marks in a row, the first is the end",
    probe=probes.second_end,
    points=1,
    hidden=True,
    needs=(_BEHIND,),
    hint="Some batches are padded with the end mark itself. Check how you find the end if a row contains several end marks.",
)(close("log-probability"))

rows_without_end = judge(
    "in a row without an end mark, every word counts",
    probe=probes.without_end,
    points=1,
    hidden=True,
    needs=(_BEHIND,),
    hint="A truncated sentence has no end mark. argmax over a row of False values returns 0, which is not an end.",
)(close("log-probability"))

no_underflow = judge(
    "very small probabilities are handled correctly",
    probe=probes.unlikely,
    points=1,
    hidden=True,
    needs=(_SUM, _END),
    hint="A product of eighty probabilities is too small for float32, and so is a single probability if the logits are far apart. Both "
    "become 0, and log(0) is minus infinity. Add logs, and compute them with log_softmax.",
)(close())

impossible = judge(
    "an impossible word after the end does not matter",
    probe=probes.impossible_behind,
    points=1,
    hidden=True,
    needs=(_BEHIND,),
    hint="The log-probability of an impossible word is minus infinity, and 0 · ∞ is NaN. Do not multiply by the mask: replace "
    "the values that do not count by zeros, with masked_fill or where.",
)(close())

gradient = judge(
    "the gradient of the logits is right, and zero after the end",
    probe=probes.log_prob_gradient,
    points=1,
    hidden=True,
    needs=(_BEHIND,),
    hint="Use only torch operations on the tensors themselves: .item(), detach and torch.tensor(...) around a sum cut off the "
    "gradient.",
)(close())
