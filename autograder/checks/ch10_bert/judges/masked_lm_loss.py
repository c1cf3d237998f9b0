"""What is right about `masked_lm_loss`, and what is said when it is not."""

from typing import Any

from torch import Tensor
from torch.nn import functional as F

from autograder.checks.ch10_bert.probes import masked_lm_loss as probes
from autograder.compare import close, difference, explained, is_close, leaves_arguments
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_MEAN = "where every piece is asked for, it is the mean cross-entropy"
_CHOSEN = "a place with the label -100 does not count"
_DIVISOR = "the sum is divided by the number of chosen places"
_NONE = "where nothing is asked the loss is 0, and so is its gradient"


def _of_places(logits: Tensor, labels: Tensor) -> Tensor:
    """The cross-entropy of each place, (B, S); 0 where the label is -100."""
    return F.cross_entropy(logits.transpose(1, 2), labels, reduction="none")


@judge(
    _MEAN,
    probe=probes.all_chosen,
    points=1,
    hint="The loss of one place is minus the log of the probability that the softmax of its logits gives to the piece in the labels. "
    "F.cross_entropy takes logits (N, V) and labels (N,). The mean of all is one number, a tensor of shape ().",
)
def mean_of_places(got: Any, want: Any) -> Verdict:
    """The cross-entropy itself; no label is -100."""
    loss, logits, labels = got["loss"], want["logits"], want["labels"]
    if is_close(loss, want["loss"]):
        return passed()
    if loss.isnan():
        return failed(
            "the loss is NaN, although every place is chosen here. Is -100 taken for the mark of a chosen one?"
        )
    of_places = _of_places(logits, labels)
    batch, length, vocabulary = logits.shape
    others = {
        "the loss is the sum over all places, expected their mean": of_places.sum(),
        "the loss is the sum over all places divided by the number of sequences": of_places.sum() / batch,
        "the loss is the sum over all places divided by the number of places in a row": of_places.sum() / length,
        "the sum was divided by one more than there are places": of_places.sum() / (batch * length + 1),
        "the loss is that of the piece with the largest logit, expected that of the piece in the labels": (
            -logits.log_softmax(-1).amax(-1).mean()
        ),
        "the loss has the wrong sign": -of_places.mean(),
        "the loss is a mean of logits: nll_loss wants log-probabilities, which log_softmax makes; cross_entropy does both": (
            -logits.gather(-1, labels.unsqueeze(-1)).mean()
        ),
        "the loss is 0, although every place is chosen here. Is -100 taken for the mark of a chosen one?": of_places.sum()
        * 0,
        "the softmax ran twice: cross_entropy takes the logits themselves, not probabilities": _of_places(
            logits.softmax(-1), labels
        ).mean(),
        "the logits of each place were held against the label of the next; here the label stands at the place that it is asked "
        "for": _of_places(logits[:, :-1], labels[:, 1:]).mean(),
        "the logits of each place were held against the label of the one before; here the label stands at the place that it is "
        "asked for": _of_places(logits[:, 1:], labels[:, :-1]).mean(),
        "reshape and view do not swap axes: the V logits of a place are no longer together. transpose(1, 2) puts V second": (
            F.cross_entropy(logits.reshape(batch, vocabulary, length), labels)
        ),
        "the loss is a mean of probabilities: their log is missing": -(-of_places).exp().mean(),
        "the loss is in bits, expected nats: the natural logarithm": of_places.mean() / 0.6931471805599453,
        "the loss is the perplexity, the exponential of what is expected": of_places.mean().exp(),
        "the mean was divided by the size of the vocabulary once more": of_places.mean() / vocabulary,
    }
    return explained(loss, want["loss"], others, "loss")


@judge(
    _CHOSEN,
    probe=probes.ratio,
    points=2,
    needs=(_MEAN,),
    hint="-100 is no piece: it says that nothing is asked at this place. There are logits at that place too; leave them out before you "
    "add up. Every other label counts, whichever piece it is.",
)
def others_are_left_out(got: Any, want: Any) -> Verdict:
    """A ratio of two losses with the same labels, which does not depend on what they are divided by."""
    value, labels = got["ratio"], want["labels"]
    if is_close(value, want["ratio"]):
        return passed()
    chosen, pair = labels != probes.NOTHING, (want["logits"], want["others"])

    def of(asked: Tensor, *, scaled: bool = False) -> Tensor:
        first, second = (
            _of_places(logits * chosen.unsqueeze(-1) if scaled else logits, asked).sum() for logits in pair
        )
        return first / second

    others = {
        f"the label -100 was counted as if the piece {piece} were asked for": of(labels.masked_fill(~chosen, piece))
        for piece in range(probes.VOCABULARY)
    } | {
        "the places that ask for the piece 0 were left out; only those with -100 should be": of(
            labels.masked_fill(labels == 0, probes.NOTHING)
        ),
        "the logits became 0 where nothing is asked, and so these places still cost log V each: leave them out": of(
            labels.clamp(min=0), scaled=True
        ),
        "the logits of each place were held against the label of the next": (
            _of_places(pair[0][:, :-1], labels[:, 1:]).sum() / _of_places(pair[1][:, :-1], labels[:, 1:]).sum()
        ),
    }
    for message, ratio in others.items():
        if is_close(value, ratio):
            return failed(message)
    if value.isnan():
        return failed("the loss is NaN as soon as some labels are -100")
    return failed("the loss depends on places where the label is -100, or not alike on all the others")


@judge(
    _DIVISOR,
    probe=probes.some_chosen,
    points=1,
    needs=(_MEAN, _CHOSEN),
    hint="The mean is over the places that were chosen, in the whole batch at once: about 15 in 100. A row with one chosen place weighs a "
    "quarter of one with four.",
)
def mean_over_chosen(got: Any, want: Any) -> Verdict:
    """The number of chosen places divides, in the whole batch at once."""
    loss, labels = got["loss"], want["labels"]
    if is_close(loss, want["loss"]):
        return passed()
    chosen = labels != probes.NOTHING
    counts, sums = chosen.sum(dim=1), _of_places(want["logits"], labels).sum(dim=1)
    others = {
        f"the sum was divided by B · S, here {labels.numel()}, and not by the {int(chosen.sum())} chosen places: the others make "
        "the loss smaller": sums.sum() / labels.numel(),
        "the mean was taken of each row first, and then of the rows: a place in a row with few chosen ones weighs more": (
            sums / counts
        ).mean(),
    }
    return explained(loss, want["loss"], others, f"with rows of {counts.tolist()} chosen places, loss")


@judge(
    _NONE,
    probe=probes.none_chosen,
    points=2,
    needs=(_MEAN, _CHOSEN, _DIVISOR),
    hint="It happens with small batches. The mean of no numbers is 0 / 0, which is NaN, and one NaN spoils every weight. A sum over no "
    "places is 0 by itself, with a gradient of zeros: what must not be 0 is the number that it is divided by.",
)
def nothing_is_zero(got: Any, want: Any) -> Verdict:
    """No NaN, and a way back to the logits."""
    loss, beside = got["loss"], "loss of a batch with one such row"
    if loss.isnan():
        return failed("where nothing is asked in the whole batch, the loss is NaN, expected 0")
    if not is_close(loss, want["loss"]):
        return failed(f"where nothing is asked in the whole batch, the loss is {loss.item():.4g}, expected 0")
    if got["gradient"].isnan().any():
        return failed(
            "where nothing is asked the loss is 0, but the gradient that comes back to the logits is NaN, expected zeros"
        )
    if not is_close(got["gradient"], want["gradient"]):
        return failed("where nothing is asked the loss is 0, but the gradient that comes back to the logits is not")
    if not is_close(got[beside], want[beside]):
        return failed(
            f"of a batch in which one row has no chosen place, the loss {difference(got[beside], want[beside])}"
        )
    return passed()


far = judge(
    "pieces of very small probability do no harm",
    probe=probes.certain,
    points=1,
    hidden=True,
    needs=(_DIVISOR,),
    hint="The softmax of logits that are far apart holds zeros, and log(0) is minus infinity. log_softmax and cross_entropy never make "
    "the small number.",
)(close())

precisions = judge(
    "logits of half and of double precision work",
    probe=probes.other_precision,
    points=1,
    hidden=True,
    needs=(_DIVISOR,),
    hint="A product of two tensors wants one dtype. Make a new tensor in the dtype of the logits: dtype=logits.dtype, or .to(logits.dtype).",
)(close(rtol=1e-2))

parts_of_larger = judge(
    "logits and labels may be parts of larger tensors, and are left as they were",
    probe=probes.cut_out,
    points=1,
    arguments=True,
    needs=(_DIVISOR,),
    hint="A slice such as labels[:, 1:] does not lie in one piece, and view fails on it. Methods that end in an underscore, and "
    "assignments such as labels[labels == -100] = ..., change the caller's tensor.",
)(leaves_arguments("loss of two", "loss of one"))

gradient = judge(
    "the gradient that comes back to the logits is right, and zero where nothing is asked",
    probe=probes.loss_gradient,
    points=1,
    hidden=True,
    needs=(_DIVISOR,),
    hint="Stay with torch's operations on the tensors themselves: .item(), detach and torch.tensor(...) around a loss cut the gradient "
    "off.",
)(close())
