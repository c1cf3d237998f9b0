"""What is right about `masked_lm_loss`, and what is said when it is not."""

from typing import Any

from torch import Tensor
from torch.nn import functional as F

from autograder.checks.ch10_bert.probes import masked_lm_loss as probes
from autograder.compare import close, difference, explained, is_close, leaves_arguments
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_MEAN = "if every position is chosen, it is the mean cross-entropy"
_CHOSEN = "a position with the label -100 does not count"
_DIVISOR = "the sum is divided by the number of chosen positions"
_NONE = "if nothing is chosen, the loss is 0, and so is its gradient"


def _of_places(logits: Tensor, labels: Tensor) -> Tensor:
    """The cross-entropy of each place, (B, S); 0 where the label is -100."""
    return F.cross_entropy(logits.transpose(1, 2), labels, reduction="none")


@judge(
    _MEAN,
    probe=probes.all_chosen,
    points=1,
    hint="The loss at one position is minus the log of the probability that the softmax of its logits gives to "
    "the piece in the labels. F.cross_entropy takes logits (N, V) and labels (N,). The result is the mean "
    "of them all, a tensor of shape ().",
)
def mean_of_places(got: Any, want: Any) -> Verdict:
    """The cross-entropy itself; no label is -100."""
    loss, logits, labels = got["loss"], want["logits"], want["labels"]
    if is_close(loss, want["loss"]):
        return passed()
    if loss.isnan():
        return failed(
            "the loss is NaN, although every position is chosen here: are the positions with -100 used, and not "
            "the others?"
        )
    of_places = _of_places(logits, labels)
    batch, length, vocabulary = logits.shape
    others = {
        "the loss is the sum over all positions, expected their mean": of_places.sum(),
        "the loss is the sum over all positions divided by the number of sequences": of_places.sum() / batch,
        "the loss is the sum over all positions divided by the number of positions in a row": of_places.sum() / length,
        "the sum was divided by the number of positions plus one": of_places.sum() / (batch * length + 1),
        "the loss is for the piece with the largest logit, expected the piece in the labels": (
            -logits.log_softmax(-1).amax(-1).mean()
        ),
        "the loss has the wrong sign": -of_places.mean(),
        "the loss is a mean of logits: nll_loss expects log-probabilities, so apply log_softmax first; "
        "cross_entropy does both": (-logits.gather(-1, labels.unsqueeze(-1)).mean()),
        "the loss is 0, although every position is chosen here: are the positions with -100 used, and not the "
        "others?": of_places.sum() * 0,
        "the softmax was applied twice: cross_entropy takes the logits themselves, not probabilities": _of_places(
            logits.softmax(-1), labels
        ).mean(),
        "the logits at each position were compared with the label of the next position, expected its own": _of_places(
            logits[:, :-1], labels[:, 1:]
        ).mean(),
        "the logits at each position were compared with the label of the previous position, expected its own": _of_places(
            logits[:, 1:], labels[:, :-1]
        ).mean(),
        "reshape and view do not swap dimensions, so the V logits of a position are no longer together: "
        "transpose(1, 2) moves V to the second dimension": (
            F.cross_entropy(logits.reshape(batch, vocabulary, length), labels)
        ),
        "the loss is a mean of probabilities, expected of their logs": -(-of_places).exp().mean(),
        "the loss is in bits, expected in nats: use the natural logarithm": of_places.mean() / 0.6931471805599453,
        "the loss is the perplexity, the exponential of the expected loss": of_places.mean().exp(),
        "the mean was also divided by the size of the vocabulary": of_places.mean() / vocabulary,
    }
    return explained(loss, want["loss"], others, "loss")


@judge(
    _CHOSEN,
    probe=probes.ratio,
    points=2,
    needs=(_MEAN,),
    hint="-100 is not a piece: it says that there is nothing to predict at this position. There are logits at "
    "that position too; leave them out before you add up. Every other label counts, whichever piece it is.",
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
        f"the label -100 was counted as if the label were piece {piece}": of(labels.masked_fill(~chosen, piece))
        for piece in range(probes.VOCABULARY)
    } | {
        "the positions with the label 0 were left out, expected only those with -100": of(
            labels.masked_fill(labels == 0, probes.NOTHING)
        ),
        "the logits were set to 0 where nothing is chosen, so these positions still cost log V each: leave them "
        "out": of(labels.clamp(min=0), scaled=True),
        "the logits at each position were compared with the label of the next position": (
            _of_places(pair[0][:, :-1], labels[:, 1:]).sum() / _of_places(pair[1][:, :-1], labels[:, 1:]).sum()
        ),
    }
    for message, ratio in others.items():
        if is_close(value, ratio):
            return failed(message)
    if value.isnan():
        return failed("the loss is NaN as soon as some labels are -100")
    return failed("the loss depends on positions where the label is -100, or does not treat all the others alike")


@judge(
    _DIVISOR,
    probe=probes.some_chosen,
    points=1,
    needs=(_MEAN, _CHOSEN),
    hint="The mean is over the chosen positions of the whole batch, about 15 in 100. A row with one chosen "
    "position has a quarter of the weight of a row with four.",
)
def mean_over_chosen(got: Any, want: Any) -> Verdict:
    """The number of chosen places divides, in the whole batch at once."""
    loss, labels = got["loss"], want["labels"]
    if is_close(loss, want["loss"]):
        return passed()
    chosen = labels != probes.NOTHING
    counts, sums = chosen.sum(dim=1), _of_places(want["logits"], labels).sum(dim=1)
    others = {
        f"the sum was divided by B · S, here {labels.numel()}, expected by the {int(chosen.sum())} chosen "
        "positions: the others make the loss smaller": sums.sum() / labels.numel(),
        "the mean was taken over each row first, and then over the rows: positions in rows with few chosen ones "
        "get too much weight": (sums / counts).mean(),
    }
    return explained(loss, want["loss"], others, f"with rows of {counts.tolist()} chosen positions, loss")


@judge(
    _NONE,
    probe=probes.none_chosen,
    points=2,
    needs=(_MEAN, _CHOSEN, _DIVISOR),
    hint="This happens with small batches. The mean of no numbers is 0 / 0, which is NaN, and a single NaN ruins "
    "every weight. A sum over no positions is 0 anyway, with a gradient of zeros: only its divisor must not "
    "be 0.",
)
def nothing_is_zero(got: Any, want: Any) -> Verdict:
    """No NaN, and a way back to the logits."""
    loss, beside = got["loss"], "loss of a batch with one such row"
    if loss.isnan():
        return failed("if nothing is chosen in the whole batch, the loss is NaN, expected 0")
    if not is_close(loss, want["loss"]):
        return failed(f"if nothing is chosen in the whole batch, the loss is {loss.item():.4g}, expected 0")
    if got["gradient"].isnan().any():
        return failed("if nothing is chosen, the loss is 0, but the gradient for the logits is NaN, expected zeros")
    if not is_close(got["gradient"], want["gradient"]):
        return failed("if nothing is chosen, the loss is 0, but the gradient for the logits is not")
    if not is_close(got[beside], want[beside]):
        return failed(
            f"in a batch with one row in which no position is chosen, the loss {difference(got[beside], want[beside])}"
        )
    return passed()


far = judge(
    "pieces of very small probability are handled correctly",
    probe=probes.certain,
    points=1,
    hidden=True,
    needs=(_DIVISOR,),
    hint="If logits are far apart, their softmax contains zeros, and log(0) is minus infinity. log_softmax and "
    "cross_entropy never compute the small probability.",
)(close())

precisions = judge(
    "logits in half and in double precision work",
    probe=probes.other_precision,
    points=1,
    hidden=True,
    needs=(_DIVISOR,),
    hint="A product of two tensors needs the same dtype. Create a new tensor in the dtype of the logits: "
    "dtype=logits.dtype, or .to(logits.dtype).",
)(close(rtol=1e-2))

parts_of_larger = judge(
    "logits and labels may be parts of larger tensors, and are not changed",
    probe=probes.cut_out,
    points=1,
    arguments=True,
    needs=(_DIVISOR,),
    hint="A slice such as labels[:, 1:] is not contiguous, so view fails on it. Methods that end in an "
    "underscore, and assignments such as labels[labels == -100] = ..., change the caller's tensor.",
)(leaves_arguments("loss of two", "loss of one"))

gradient = judge(
    "the gradient for the logits is right, and zero where nothing is chosen",
    probe=probes.loss_gradient,
    points=1,
    hidden=True,
    needs=(_DIVISOR,),
    hint="Use torch's operations on the tensors themselves: .item(), detach and torch.tensor(...) around a loss "
    "stop the gradient.",
)(close())
