"""What is minimised when a language model is trained on rewards: the policy gradient, its baselines, clipping, and the KL estimate."""

import torch
from torch import Tensor


def policy_gradient_loss(log_probs: Tensor, mask: Tensor, advantages: Tensor) -> Tensor:
    """Compute a loss with minus the policy gradient (REINFORCE; Williams, 1992).

    With log π(y_n | x_n), the sum of the log-probabilities of the pieces of answer n,
    and its advantage A_n, it is the mean over n of

        -A_n log π(y_n | x_n).

    Args:
        log_probs: The log-probability of each piece under the model that is being
            trained, perhaps far below 0, shape (N, T). Each is at the position of its
            piece, so there is nothing left to shift.
        mask: Boolean, shape (N, T); True on the pieces that the model wrote. Elsewhere,
            on prompts and padding, log_probs may hold anything, even -inf.
        advantages: The reward of each answer, perhaps less a baseline, shape (N,). No
            gradient flows into it.

    Returns:
        The mean over the N answers, shape ().
    """
    # 1. The log-probability of each whole answer: the sum over the pieces that the
    #    model wrote, (N,).
    # 2. Weighted by the advantages, which are constants, with the sign that makes
    #    gradient descent raise the reward; then the mean.
    ### BEGIN SOLUTION
    answers = log_probs.masked_fill(~mask, 0.0).sum(dim=-1)
    return -(advantages.detach() * answers).mean()
    ### END SOLUTION


def group_advantages(rewards: Tensor, scale: bool = False) -> Tensor:
    """Compare each answer with the others to its prompt (GRPO; Shao et al., 2024).

        A_pk = r_pk - mean of r_p,   or that, divided by the standard deviation of r_p.

    Args:
        rewards: The rewards of K answers to each of P prompts, numbers of any size that
            may differ by very little, shape (P, K); K may be 1.
        scale: Whether to divide by the group's standard deviation, the root of the mean
            squared deviation from the mean.

    Returns:
        The advantages, shape (P, K). In a group whose rewards are all equal they are
        exactly 0, with or without scaling.
    """
    # 1. The rewards less the mean of their group: (P, K).
    # 2. If scale is True: the standard deviation of each group, (P, 1), and the
    #    quotient.
    # 3. Exactly 0 in groups whose rewards are all equal, where rounding or 0 / 0 may
    #    have left something else.
    ### BEGIN SOLUTION
    centered = rewards - rewards.mean(dim=-1, keepdim=True)
    if scale:
        centered = centered / centered.square().mean(dim=-1, keepdim=True).sqrt()
    equal = (rewards == rewards[:, :1]).all(dim=-1, keepdim=True)  # (P, 1)
    return centered.masked_fill(equal, 0.0)
    ### END SOLUTION


def clipped_ratio_loss(
    log_probs: Tensor,
    old_log_probs: Tensor,
    mask: Tensor,
    advantages: Tensor,
    epsilon: float = 0.2,
) -> Tensor:
    """Compute PPO's clipped loss (Schulman et al., 2017) on an older model's answers.

    With the ratio ρ_nt = π(y_nt) / π_old(y_nt) of each piece, it is the mean over n of
    the sum over t of

        -min(ρ_nt A_n, clip(ρ_nt, 1 - ε, 1 + ε) A_n).

    Args:
        log_probs: The log-probability of each piece under the model that is being
            trained, perhaps far below 0, shape (N, T).
        old_log_probs: The same under the model that sampled the answers. No gradient
            flows into it.
        mask: Boolean, shape (N, T); True on the pieces that were sampled. Elsewhere the
            two tensors may hold anything, even -inf.
        advantages: The advantage of each answer, shape (N,). No gradient flows into it.
        epsilon: How far from 1 a ratio still counts, ε.

    Returns:
        The mean over the N answers, shape ().
    """
    # 1. The ratio of each piece, with no gradient into the old log-probabilities, and 1
    #    where the mask is False: (N, T).
    # 2. The ratio and the clipped ratio, each times the answer's advantage, which is a
    #    constant: (N, T) both. The smaller of the two.
    # 3. Summed over the pieces where the mask is True; minus the mean over the answers.
    ### BEGIN SOLUTION
    ratios = torch.where(mask, log_probs - old_log_probs.detach(), 0.0).exp()
    weights = advantages.detach().unsqueeze(-1)  # (N, 1)
    gains = torch.minimum(
        ratios * weights, ratios.clamp(1 - epsilon, 1 + epsilon) * weights
    )
    return -(gains * mask).sum(dim=-1).mean()
    ### END SOLUTION


def kl_estimate(log_probs: Tensor, reference_log_probs: Tensor, mask: Tensor) -> Tensor:
    """Estimate the KL divergence from the reference on samples, by Schulman's k3.

    With d_nt = log π_ref(y_nt) - log π(y_nt), it is the mean over n of the sum over t
    of

        exp(d_nt) - 1 - d_nt,   which is never negative.

    Args:
        log_probs: The log-probability of each piece under the model that sampled it,
            which is being trained, shape (N, T).
        reference_log_probs: The same under the model that training started from; the
            two may differ by very little or by much. No gradient flows into it.
        mask: Boolean, shape (N, T); True on the pieces that were sampled. Elsewhere the
            two tensors may hold anything, even -inf.

    Returns:
        The mean over the N answers, shape ().
    """
    # 1. d of each piece, with no gradient into the reference, and 0 where the mask is
    #    False: (N, T).
    # 2. The estimate of each piece. `torch.expm1` computes exp(d) - 1 precisely for a
    #    small d.
    # 3. Summed over the pieces, and averaged over the answers.
    ### BEGIN SOLUTION
    difference = torch.where(mask, reference_log_probs.detach() - log_probs, 0.0)
    return (difference.expm1() - difference).sum(dim=-1).mean()
    ### END SOLUTION
