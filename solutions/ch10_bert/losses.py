"""The loss of the masked language model: on the chosen pieces only."""

from torch import Tensor
from torch.nn import functional as F


def masked_lm_loss(logits: Tensor, labels: Tensor) -> Tensor:
    """Average the cross-entropy over the positions with a piece to predict.

    A batch with nothing to predict has a loss of 0, and its gradient is 0 too.

    Args:
        logits: Scores before the softmax, shape (B, S, V), perhaps far apart, and
            perhaps a part of a larger tensor.
        labels: The piece to predict, shape (B, S), any id from 0 to V - 1; -100 where
            there is none.

    Returns:
        The loss in nats, shape (). Where the logits are in half precision, it may be in
        single precision.
    """
    # 1. The positions with a piece to predict: (B, S), N of them True.
    # 2. The sum of the cross-entropies there: ().
    # 3. Divide it by N, or by 1 if N is 0.
    ### BEGIN SOLUTION
    chosen = labels != -100
    total = F.cross_entropy(logits[chosen], labels[chosen], reduction="sum")
    return total / chosen.sum().clamp(min=1)
    ### END SOLUTION
