"""What is minimised after pre-training: the cross-entropy of the answers alone, and the loss of DPO."""

import torch
import torch.nn.functional as F
from torch import Tensor


def answer_only_loss(logits: Tensor, tokens: Tensor, is_answer: Tensor) -> Tensor:
    """Average the cross-entropy over the pieces that the model has to write.

    The logits at a position are those of the *next* piece: position t predicts piece t
    + 1.

    Args:
        logits: The model's output at each position of `tokens`, shape (B, T, V),
            perhaps far apart. Log-probabilities are logits too.
        tokens: The packed sequences, shape (B, T), with padding at their ends.
        is_answer: Boolean, shape (B, T); True on the pieces of the answers and on the
            end marks, at least one of them in the batch, though perhaps none in some
            sequences, and never in column 0.

    Returns:
        The mean over all pieces of the batch that are to be written, in nats, shape ().
    """
    # 1. The logits that predict a piece of the sequence, and the pieces that they
    #    predict: (B, T - 1, V) and (B, T - 1).
    # 2. Of both, those where the predicted piece is to be written: (N, V) and (N,).
    # 3. Their mean cross-entropy.
    ### BEGIN SOLUTION
    predicted, pieces, wanted = logits[:, :-1], tokens[:, 1:], is_answer[:, 1:]
    return F.cross_entropy(predicted[wanted], pieces[wanted])
    ### END SOLUTION


def dpo_loss(
    policy: Tensor, reference: Tensor, mask: Tensor, beta: float = 0.1
) -> Tensor:
    """Compute the loss of direct preference optimisation (Rafailov et al., 2023).

    If log π(y | x) is the sum of the log-probabilities of an answer's pieces, y_w the
    preferred answer and y_l the other one, the loss is the mean of

        -log σ(β [(log π(y_w | x) - log π_ref(y_w | x)) - (log π(y_l | x) - log
        π_ref(y_l | x))]).

    Args:
        policy: The log-probability of each piece under the model that is being trained,
            shape (2, B, T): the preferred answers in row 0, the others in row 1. Each
            is at the position of its piece, so there is nothing left to shift.
        reference: The same under the model that training started from. No gradient
            flows into it.
        mask: Boolean, shape (2, B, T); True on the pieces of the answers and their end
            marks. Elsewhere the two tensors may hold anything, even -inf.
        beta: How strongly the policy is kept near the reference, β.

    Returns:
        The mean over the B pairs, shape ().
    """
    # 1. The log of the ratio π / π_ref of every piece, with no gradient into the
    #    reference, and zero where the mask is False: (2, B, T).
    # 2. Summed over the pieces of each answer: (2, B).
    # 3. The preferred answer's sum minus the other's, times β: (B,). Then -log σ of it,
    #    and the mean. F.logsigmoid does not underflow.
    ### BEGIN SOLUTION
    ratios = torch.where(mask, policy - reference.detach(), 0.0).sum(dim=-1)
    margins = beta * (ratios[0] - ratios[1])
    return -F.logsigmoid(margins).mean()
    ### END SOLUTION
