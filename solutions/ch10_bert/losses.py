"""The loss of the masked language model: on the hidden pieces and on no others."""

from torch import Tensor
from torch.nn import functional as F


def masked_lm_loss(logits: Tensor, labels: Tensor) -> Tensor:
    """Average the cross-entropy over the places where a piece is asked for.

    A batch in which nothing is asked has a loss of 0, and its gradient is 0 too.

    Args:
        logits: Scores before the softmax, shape (B, S, V).
        labels: The piece that is asked for, shape (B, S), any id from 0 to V - 1; -100 where none is.

    Returns:
        The loss in nats, shape ().
    """
    # 1. Where a piece is asked for: (B, S), N places.
    # 2. The sum of the cross-entropies there: ().
    # 3. Divided by N; by 1 where N is 0.
    ### BEGIN SOLUTION
    chosen = labels != -100
    total = F.cross_entropy(logits[chosen], labels[chosen], reduction="sum")
    return total / chosen.sum().clamp(min=1)
    ### END SOLUTION
