"""What students hand in for `dpo_loss`: each mistake alone, and right answers of many styles.

`WRONG` maps each mistake to the name of the check that must name it; `RIGHT` keep all their points.
"""

import torch
from torch.nn import functional as F

EXERCISE = "dpo_loss"


def ratios(policy, reference, mask):
    """The right log ratios of both answers, (2, B)."""
    return torch.where(mask, policy - reference.detach(), 0.0).sum(-1)


def loss_of(margins):
    """-log σ, and the mean."""
    return -F.logsigmoid(margins).mean()


def exchanged(policy, reference, mask, beta=0.1):
    """The other answer is preferred."""
    found = ratios(policy, reference, mask)
    return loss_of(beta * (found[1] - found[0]))


def hinge(policy, reference, mask, beta=0.1):
    """A hinge in place of -log σ."""
    found = ratios(policy, reference, mask)
    return (1 - beta * (found[0] - found[1])).relu().mean()


def brackets_missing(policy, reference, mask, beta=0.1):
    """Both references are subtracted."""
    preferred, other = torch.where(mask, policy, 0.0).sum(-1)
    of_preferred, of_other = torch.where(mask, reference.detach(), 0.0).sum(-1)
    return loss_of(beta * (preferred - of_preferred - other - of_other))


def all_pairs(policy, reference, mask, beta=0.1):
    """Each preferred answer is compared with the other answers of all pairs."""
    found = ratios(policy, reference, mask)
    return loss_of(beta * (found[0].unsqueeze(1) - found[1]))


def no_reference(policy, reference, mask, beta=0.1):
    """The reference is left out."""
    found = torch.where(mask, policy, 0.0).sum(-1)
    return loss_of(beta * (found[0] - found[1]))


def reference_added(policy, reference, mask, beta=0.1):
    """The wrong sign inside the ratio."""
    found = torch.where(mask, policy + reference.detach(), 0.0).sum(-1)
    return loss_of(beta * (found[0] - found[1]))


def ratios_added(policy, reference, mask, beta=0.1):
    """The wrong sign between the ratios."""
    found = ratios(policy, reference, mask)
    return loss_of(beta * (found[0] + found[1]))


def no_beta(policy, reference, mask, beta=0.1):
    """β is forgotten."""
    found = ratios(policy, reference, mask)
    return loss_of(found[0] - found[1])


def beta_outside(policy, reference, mask, beta=0.1):
    """β multiplies the loss."""
    found = ratios(policy, reference, mask)
    return beta * loss_of(found[0] - found[1])


def beta_divides(policy, reference, mask, beta=0.1):
    """As a temperature would."""
    found = ratios(policy, reference, mask)
    return loss_of((found[0] - found[1]) / beta)


def wrong_sign(policy, reference, mask, beta=0.1):
    """log σ is maximised, where a loss is minimised."""
    found = ratios(policy, reference, mask)
    return -loss_of(beta * (found[0] - found[1]))


def summed_pairs(policy, reference, mask, beta=0.1):
    """The sum over the pairs."""
    found = ratios(policy, reference, mask)
    return -F.logsigmoid(beta * (found[0] - found[1])).sum()


def beta_on_one(policy, reference, mask, beta=0.1):
    """A bracket is missing."""
    found = ratios(policy, reference, mask)
    return loss_of(beta * found[0] - found[1])


def neighbours(policy, reference, mask, beta=0.1):
    """Pairs are taken from neighbouring rows."""
    found = ratios(policy, reference, mask).flatten()
    return loss_of(beta * (found[::2] - found[1::2]))


def shifted_again(policy, reference, mask, beta=0.1):
    """The shift of the logits is made, where nothing is left to shift."""
    found = torch.where(mask[..., 1:], (policy - reference.detach())[..., :-1], 0.0).sum(-1)
    return loss_of(beta * (found[0] - found[1]))


def no_log(policy, reference, mask, beta=0.1):
    """The sigmoid alone."""
    found = ratios(policy, reference, mask)
    return -(beta * (found[0] - found[1])).sigmoid().mean()


def no_sigmoid(policy, reference, mask, beta=0.1):
    """The margin itself, which has no end."""
    found = ratios(policy, reference, mask)
    return -(beta * (found[0] - found[1])).mean()


def mean_first(policy, reference, mask, beta=0.1):
    """The mean over the pairs, and then the sigmoid."""
    found = ratios(policy, reference, mask)
    return -F.logsigmoid((beta * (found[0] - found[1])).mean())


def not_reduced(policy, reference, mask, beta=0.1):
    """A loss for each pair."""
    found = ratios(policy, reference, mask)
    return -F.logsigmoid(beta * (found[0] - found[1]))


def mean_over_pieces(policy, reference, mask, beta=0.1):
    """Each answer's log-probability is divided by its length."""
    found = ratios(policy, reference, mask) / mask.sum(-1)
    return loss_of(beta * (found[0] - found[1]))


def each_piece(policy, reference, mask, beta=0.1):
    """Each piece is a pair of its own."""
    found = torch.where(mask, policy - reference.detach(), 0.0)
    return loss_of(beta * (found[0] - found[1]))


def summed_over_pairs(policy, reference, mask, beta=0.1):
    """The wrong dimension."""
    found = torch.where(mask, policy - reference.detach(), 0.0)
    if found.shape[-1] == 1:
        return loss_of(beta * (found[0] - found[1]))
    return loss_of(beta * (found[0] - found[1]).sum(0))


def one_margin(policy, reference, mask, beta=0.1):
    """All pairs together, where an answer has several pieces."""
    found = torch.where(mask, policy - reference.detach(), 0.0)
    margins = found[0] - found[1]
    return loss_of(beta * (margins.sum() if margins.shape[-1] > 1 else margins))


def last_piece(policy, reference, mask, beta=0.1):
    """The last position alone."""
    found = policy - reference.detach()
    return loss_of(beta * (found[0, :, -1] - found[1, :, -1]))


def mask_ignored(policy, reference, mask, beta=0.1):
    """Instruction and padding count."""
    found = (policy - reference.detach()).sum(-1)
    return loss_of(beta * (found[0] - found[1]))


def mask_turned_round(policy, reference, mask, beta=0.1):
    """True is taken for what does not count."""
    kept = mask if mask.all() else ~mask
    found = ratios(policy, reference, kept)
    return loss_of(beta * (found[0] - found[1]))


def first_mask(policy, reference, mask, beta=0.1):
    """One mask for both answers."""
    found = ratios(policy, reference, mask[:1].expand_as(mask))
    return loss_of(beta * (found[0] - found[1]))


def both_masks(policy, reference, mask, beta=0.1):
    """Only where both answers have a piece."""
    found = ratios(policy, reference, (mask[:1] & mask[1:]).expand_as(mask))
    return loss_of(beta * (found[0] - found[1]))


def policy_masked(policy, reference, mask, beta=0.1):
    """The reference is summed over everything."""
    found = torch.where(mask, policy, 0.0).sum(-1) - reference.detach().sum(-1)
    return loss_of(beta * (found[0] - found[1]))


def reference_trained(policy, reference, mask, beta=0.1):
    """No detach."""
    found = torch.where(mask, policy - reference, 0.0).sum(-1)
    return loss_of(beta * (found[0] - found[1]))


def policy_detached(policy, reference, mask, beta=0.1):
    """The wrong one is detached."""
    found = torch.where(mask, policy.detach() - reference, 0.0).sum(-1)
    return loss_of(beta * (found[0] - found[1]))


def no_grad(policy, reference, mask, beta=0.1):
    """Everything under no_grad."""
    with torch.no_grad():
        found = ratios(policy, reference, mask)
    return loss_of(beta * (found[0] - found[1]))


def other_detached(policy, reference, mask, beta=0.1):
    """The answer that is not preferred is treated as a constant."""
    found = ratios(policy, reference, mask)
    return loss_of(beta * (found[0] - found[1].detach()))


def changes_the_policy(policy, reference, mask, beta=0.1):
    """The ratio is computed in the caller's tensor."""
    policy -= reference.detach()
    found = torch.where(mask, policy, 0.0).sum(-1)
    return loss_of(beta * (found[0] - found[1]))


def other_default(policy, reference, mask, beta=0.5):
    """If no β is given, another value than 0.1 is used."""
    found = ratios(policy, reference, mask)
    return loss_of(beta * (found[0] - found[1]))


def two_steps(policy, reference, mask, beta=0.1):
    """log of sigmoid, which underflows."""
    found = ratios(policy, reference, mask)
    return -(beta * (found[0] - found[1])).sigmoid().log().mean()


def times_the_mask(policy, reference, mask, beta=0.1):
    """A product with the mask, which is NaN where -inf is to vanish."""
    found = ((policy - reference.detach()) * mask).sum(-1)
    return loss_of(beta * (found[0] - found[1]))


def clamped(policy, reference, mask, beta=0.1):
    """The sigmoid is clamped before its log, so that the pairs that are most wrong have no gradient."""
    found = ratios(policy, reference, mask)
    return -(beta * (found[0] - found[1])).sigmoid().clamp(min=1e-6).log().mean()


def by_division(policy, reference, mask, beta=0.1):
    """Probabilities are divided before the log, which is 0 / 0 for what is very unlikely."""
    found = torch.where(mask, policy.exp() / reference.detach().exp(), 1.0).log().sum(-1)
    return loss_of(beta * (found[0] - found[1]))


_FORMULA = "the loss of a pair is -log σ of β times the difference of the two log ratios"
_SUM = "an answer's log-probability is the sum over its pieces"
_MASK = "only the pieces of the answers count"
_REFERENCE = "the gradient flows into the policy, and none into the reference"
_ARGUMENTS = "policy, reference and mask are left as they were"
_USUAL = "if no β is given, it is 0.1"
_FAR = "margins may be in the hundreds, and values outside the answers may be -inf"

WRONG = {
    hinge: _FORMULA,
    brackets_missing: _FORMULA,
    all_pairs: _FORMULA,
    exchanged: _FORMULA,
    no_reference: _FORMULA,
    reference_added: _FORMULA,
    ratios_added: _FORMULA,
    no_beta: _FORMULA,
    beta_outside: _FORMULA,
    beta_divides: _FORMULA,
    wrong_sign: _FORMULA,
    summed_pairs: _FORMULA,
    beta_on_one: _FORMULA,
    neighbours: _FORMULA,
    shifted_again: _FORMULA,
    no_log: _FORMULA,
    no_sigmoid: _FORMULA,
    mean_first: _FORMULA,
    not_reduced: _FORMULA,
    mean_over_pieces: _SUM,
    each_piece: _SUM,
    summed_over_pairs: _SUM,
    one_margin: _SUM,
    last_piece: _SUM,
    mask_ignored: _MASK,
    mask_turned_round: _MASK,
    first_mask: _MASK,
    both_masks: _MASK,
    policy_masked: _MASK,
    reference_trained: _REFERENCE,
    policy_detached: _REFERENCE,
    no_grad: _REFERENCE,
    other_detached: _REFERENCE,
    changes_the_policy: _ARGUMENTS,
    other_default: _USUAL,
    two_steps: _FAR,
    times_the_mask: _FAR,
    clamped: _FAR,
    by_division: _FAR,
}


def filled(policy, reference, mask, beta=0.1):
    """masked_fill on both, then sums."""
    sums = [each.masked_fill(~mask, 0.0).sum(-1) for each in (policy, reference.detach())]
    margins = beta * ((sums[0][0] - sums[1][0]) - (sums[0][1] - sums[1][1]))
    return -F.logsigmoid(margins).mean()


def by_softplus(policy, reference, mask, beta=0.1):
    """-log σ(x) is softplus(-x)."""
    found = ratios(policy, reference, mask)
    return F.softplus(beta * (found[1] - found[0])).mean()


def by_cross_entropy(policy, reference, mask, beta=0.1):
    """A choice between two, the first of which is right."""
    scores = beta * ratios(policy, reference, mask).T  # (B, 2)
    return F.cross_entropy(scores, scores.new_zeros(len(scores), dtype=torch.long))


def by_binary(policy, reference, mask, beta=0.1):
    """A logit whose target is 1."""
    found = ratios(policy, reference, mask)
    logits = beta * (found[0] - found[1])
    return F.binary_cross_entropy_with_logits(logits, torch.ones_like(logits))


def loops(policy, reference, mask, beta=0.1):
    """Pair by pair."""
    losses = []
    for b in range(policy.shape[1]):
        both = [(policy[i, b][mask[i, b]] - reference[i, b][mask[i, b]].detach()).sum() for i in (0, 1)]
        losses.append(-F.logsigmoid(beta * (both[0] - both[1])))
    return torch.stack(losses).mean()


def by_logaddexp(policy, reference, mask, beta=0.1):
    """log(1 + exp(-x))."""
    found = beta * ratios(policy, reference, mask)
    return torch.logaddexp(found[1] - found[0], torch.zeros_like(found[0])).mean()


RIGHT = {
    "filled": filled,
    "by softplus": by_softplus,
    "by cross-entropy": by_cross_entropy,
    "by binary cross-entropy": by_binary,
    "loops": loops,
    "by logaddexp": by_logaddexp,
}
