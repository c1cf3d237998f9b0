"""What is right about `dpo_loss`, and what is said when it is not."""

from typing import Any

from torch import Tensor
from torch.nn import functional as F

from autograder.checks.ch12_post_training.probes import dpo_loss as probes
from autograder.compare import close, difference, explained, is_close, leaves_arguments
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_FORMULA = "the loss of a pair is -log σ of β times the difference of the two log ratios"
_SUM = "an answer's log-probability is the sum over its pieces"
_MASK = "only the pieces of the answers count"
_REFERENCE = "the gradient flows into the policy, and none into the reference"


def _loss(margins: Tensor) -> Tensor:
    return -F.logsigmoid(margins).mean()


@judge(
    _FORMULA,
    probe=probes.one_piece,
    points=2,
    hint="Take log π - log π_ref of each answer. Subtract the other answer's, row 1, from the preferred answer's, "
    "row 0; multiply by β; and average -log σ of that over the pairs: a tensor of shape ().",
)
def as_in_the_paper(got: Any, want: Any) -> Verdict:
    """Answers of one piece, so that there is nothing to sum."""
    policy, reference, beta = want["policy"][..., 0], want["reference"][..., 0], want["beta"]
    ratios = policy - reference
    margins = ratios[0] - ratios[1]
    mistakes = {
        "the preferred answer is made less likely: the two answers are swapped, or a sign is wrong": _loss(
            -beta * margins
        ),
        "the reference makes no difference: the policy's log-probabilities are compared as they are": _loss(
            beta * (policy[0] - policy[1])
        ),
        "the reference is added, expected subtracted": _loss(
            beta * (policy[0] + reference[0] - policy[1] - reference[1])
        ),
        "the two log ratios are added, expected the difference": _loss(beta * (ratios[0] + ratios[1])),
        "policy and reference are swapped": _loss(-beta * margins),
        "β makes no difference": _loss(margins),
        "β is 0.1, whatever was given": _loss(0.1 * margins),
        "β multiplies the loss, expected the margin in the sigmoid": beta * _loss(margins),
        "the margin is divided by β, expected multiplied by it": _loss(margins / beta),
        "the loss has the wrong sign: it is log σ, expected -log σ": -_loss(beta * margins),
        "the loss is the sum over the pairs, expected their mean": _loss(beta * margins) * margins.numel(),
        "the log is missing: the loss is a mean of -σ": -(beta * margins).sigmoid().mean(),
        "the log is missing: the loss is a mean of 1 - σ": 1 - (beta * margins).sigmoid().mean(),
        "the sigmoid is missing: the loss is minus the mean margin": -(beta * margins).mean(),
        "the mean over the pairs comes before the sigmoid, expected last": _loss(beta * margins.mean()),
        "the loss is a hinge loss, expected -log σ": (1 - beta * margins).relu().mean(),
        "both references are subtracted: brackets are missing around the other answer's log ratio": _loss(
            beta * (ratios[0] - policy[1] - reference[1])
        ),
        "every preferred answer is compared with the other answers of all pairs: shapes (B, 1) and (B,) broadcast to (B, B)": _loss(
            beta * (ratios[0].unsqueeze(1) - ratios[1])
        ),
        "the ratios are not logs: exp was taken": _loss(beta * (ratios[0].exp() - ratios[1].exp())),
        "β multiplies the preferred answer's log ratio alone: a bracket is missing": _loss(
            beta * ratios[0] - ratios[1]
        ),
        "the two answers of a pair are taken from neighbouring rows: expected policy[0] and policy[1]": _loss(
            beta * (ratios.flatten()[::2] - ratios.flatten()[1::2])
        ),
        "the only piece of each answer does not count: policy[..., t] already belongs to the piece that mask[..., t] marks, so there is "
        "nothing to shift, and the last piece of an answer counts": _loss(0 * margins),
    }
    return explained(got["loss"], want["loss"], mistakes, "loss")


@judge(
    _SUM,
    probe=probes.many_pieces,
    points=2,
    needs=(_FORMULA,),
    hint="log π(y | x) of a whole answer is the sum of its pieces' log-probabilities: sum over T, the last "
    "dimension, before the sigmoid. A mean over the pieces is a different loss.",
)
def summed_over_pieces(got: Any, want: Any) -> Verdict:
    """All pieces count."""
    ratios, beta = want["policy"] - want["reference"], want["beta"]
    margins = ratios[0] - ratios[1]
    mistakes = {
        "the pieces of an answer are averaged, expected summed": _loss(beta * margins.mean(dim=-1)),
        "each piece has a loss of its own, expected one loss for each pair: sum over the pieces first": _loss(
            beta * margins
        ),
        "the pieces are summed after the sigmoid, expected before it": -F.logsigmoid(beta * margins).sum(dim=-1).mean(),
        "the sum is over the pairs, expected over the pieces": _loss(beta * margins.sum(dim=0)),
        "all pairs are summed into one": _loss(beta * margins.sum()),
        "only the last piece counts": _loss(beta * margins[:, -1]),
        "only the first piece counts": _loss(beta * margins[:, 0]),
    }
    return explained(got["loss"], want["loss"], mistakes, "loss")


@judge(
    _MASK,
    probe=probes.masked,
    points=2,
    needs=(_FORMULA, _SUM),
    hint="The mask has a row for each of the two answers, and they differ. Where it is False, a log ratio of 0 adds nothing.",
)
def only_the_answers(got: Any, want: Any) -> Verdict:
    """Two answers of different lengths in each pair."""
    ratios, mask, beta = want["policy"] - want["reference"], want["mask"], want["beta"]
    kept = ratios * mask
    sums, numbers = kept.sum(dim=-1), mask.sum(dim=-1)
    policy, reference = (want[name].sum(dim=-1) for name in ("policy", "reference"))
    only_policy = (want["policy"] * mask).sum(dim=-1) - reference
    only_reference = policy - (want["reference"] * mask).sum(dim=-1)
    others = (ratios * ~mask).sum(dim=-1)
    means = sums / numbers
    mistakes = {
        "the mask makes no difference": _loss(beta * (ratios[0] - ratios[1]).sum(dim=-1)),
        "the mask is inverted: what is outside the answers counts": _loss(beta * (others[0] - others[1])),
        "each answer is divided by its length, expected the sum over its pieces": _loss(beta * (means[0] - means[1])),
        "the preferred answer's mask is used for both answers": _loss(
            beta * (sums[0] - (ratios[1] * mask[0]).sum(dim=-1))
        ),
        "the other answer's mask is used for both answers": _loss(beta * ((ratios[0] * mask[1]).sum(dim=-1) - sums[1])),
        "the policy is masked and the reference is not": _loss(beta * (only_policy[0] - only_policy[1])),
        "the reference is masked and the policy is not": _loss(beta * (only_reference[0] - only_reference[1])),
        "a piece counts only where both answers have one": _loss(
            beta * ((ratios[0] - ratios[1]) * (mask[0] & mask[1])).sum(dim=-1)
        ),
    }
    return explained(got["loss"], want["loss"], mistakes, "loss")


@judge(
    _REFERENCE,
    probe=probes.gradients,
    points=1,
    needs=(_FORMULA, _SUM, _MASK),
    hint="The reference is the model that training started from, and it does not change: detach() keeps the gradient "
    "out of it. Do not detach the policy.",
)
def held_reference(got: Any, want: Any) -> Verdict:
    """Both gradients."""
    if got["reference"].any() and is_close(got["policy"], want["policy"]):
        return failed("a gradient flows into the reference too, as if it were trained: detach it")
    if not got["policy"].any():
        return failed("no gradient comes back to the policy: is there a detach or a no_grad that should not be there?")
    if not is_close(got["policy"], want["policy"]):
        return failed(f"the policy's gradient: {difference(got['policy'], want['policy'])}")
    return passed()


@judge(
    "policy, reference and mask are left as they were",
    probe=probes.arguments,
    points=1,
    arguments=True,
    needs=(_FORMULA, _SUM, _MASK),
    hint="-=, *= and methods that end in an underscore change the caller's tensor.",
)
def leaves_tensors(got: Any, want: Any) -> Verdict:
    """The arguments after the call."""
    return leaves_arguments("loss")(got, want)


@judge(
    "if no β is given, it is 0.1",
    probe=probes.usual,
    points=1,
    hidden=True,
    needs=(_FORMULA, _SUM, _MASK),
    hint="The signature gives β a default value: do not change it.",
)
def usual_beta(got: Any, want: Any) -> Verdict:
    """The default."""
    return close("loss")(got, want)


@judge(
    "margins may be in the hundreds, and values outside the answers may be -inf",
    probe=probes.extreme,
    points=1,
    hidden=True,
    needs=(_FORMULA, _SUM, _MASK, _REFERENCE),
    hint="The sigmoid of -200 is 0 in single precision, and its log is -inf: F.logsigmoid computes both in one step. -inf times 0 is NaN: "
    "torch.where and masked_fill replace a number instead.",
)
def far_margins(got: Any, want: Any) -> Verdict:
    """Large margins, infinite log-probabilities."""
    return close()(got, want)
