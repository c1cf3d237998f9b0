"""How well a decoder's logits predict the words of a translation: a loss to train with, and a log-probability."""

from torch import Tensor
from torch.nn import functional as F


def masked_cross_entropy(logits: Tensor, target: Tensor, mask: Tensor) -> Tensor:
    """Average the negative log-probability of the target words over the real ones.

    This is -(Σ log P(y_t)) / N, where the sum runs over the N places of the whole batch whose
    mask is True. What stands at the other places does not matter, be it infinite.

    Args:
        logits: Shape (B, T, V), any floating-point type.
        target: The words, shape (B, T), whole numbers from 0 to V - 1; any word may be a real one,
            and any may stand at padding.
        mask: Boolean, shape (B, T); True at real words, of which there is at least one.

    Returns:
        The loss in nats, shape (), of the type of ``logits``.
    """
    # 1. The logits, (N, V), and the words, (N,), of the N real places alone.
    # 2. Their mean cross-entropy: ().
    ### BEGIN SOLUTION
    return F.cross_entropy(logits[mask], target[mask])
    ### END SOLUTION


def sequence_log_prob(logits: Tensor, target: Tensor, eos: int) -> Tensor:
    """Compute the log-probability of each sentence: log P(y | x) = Σ log P(y_t | y_<t, x).

    The sum goes up to the first mark of the end and counts that mark too: that the sentence
    ends here had to be predicted as well. What stands behind it, whatever it is, does not matter.
    A row without the mark counts whole.

    Args:
        logits: Shape (B, T, V).
        target: The words y_1 … y_T, shape (B, T), whole numbers from 0 to V - 1, without the mark
            of the beginning.
        eos: The number of the mark of the end.

    Returns:
        One log-probability in nats for each sentence, shape (B,).
    """
    # 1. Log-probabilities of all words: (B, T, V).
    # 2. Those of the words that stand in the target: (B, T).
    # 3. True up to and with the first mark of the end of each row: (B, T).
    # 4. The sum over these places: (B,).
    ### BEGIN SOLUTION
    log_probs = logits.log_softmax(dim=-1)
    chosen = log_probs.gather(-1, target.unsqueeze(-1)).squeeze(-1)
    ends = (target == eos).long()
    counts = ends.cumsum(dim=1) - ends == 0
    return chosen.masked_fill(~counts, 0.0).sum(dim=1)
    ### END SOLUTION
