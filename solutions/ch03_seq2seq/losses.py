"""How well a decoder's logits predict the words of a translation: a loss to train with, and a log-probability."""

from torch import Tensor
from torch.nn import functional as F


def masked_cross_entropy(logits: Tensor, target: Tensor, mask: Tensor) -> Tensor:
    """Average the negative log-probability of the target words over the real words.

    This is -(Σ log P(y_t)) / N, where the sum runs over the N positions of the whole
    batch where the mask is True. The values at the other positions do not matter, even
    where a logit is -inf.

    Args:
        logits: Shape (B, T, V), any floating-point type; they may be far apart.
        target: The word ids, shape (B, T), from 0 to V - 1. Any id may be a real word,
            and any id may occur at padding.
        mask: Boolean, shape (B, T); True at real words. There is at least one real
            word.

    Returns:
        The loss in nats, shape (), with the dtype of ``logits``.
    """
    # 1. The logits, (N, V), and the target words, (N,), of the N real positions only.
    # 2. Their mean cross-entropy: ().
    ### BEGIN SOLUTION
    return F.cross_entropy(logits[mask], target[mask])
    ### END SOLUTION


def sequence_log_prob(logits: Tensor, target: Tensor, eos: int) -> Tensor:
    """Compute each sentence's log-probability, log P(y | x) = Σ log P(y_t | y_<t, x).

    The sum runs up to the first end mark and includes that mark, because the end of the
    sentence has to be predicted too. Anything after the end mark is ignored. In a row
    without an end mark, every word counts.

    Args:
        logits: Shape (B, T, V), any floating-point type; a logit may be -inf.
        target: The word ids y_1 … y_T, shape (B, T), from 0 to V - 1, without the start
            mark.
        eos: The id of the end mark.

    Returns:
        One log-probability in nats for each sentence, shape (B,): -inf if a word that
        counts is impossible.
    """
    # 1. Log-probabilities of all words: (B, T, V).
    # 2. The log-probabilities of the target words: (B, T).
    # 3. True up to and including the first end mark of each row: (B, T).
    # 4. The sum over these positions: (B,).
    ### BEGIN SOLUTION
    log_probs = logits.log_softmax(dim=-1)
    chosen = log_probs.gather(-1, target.unsqueeze(-1)).squeeze(-1)
    ends = (target == eos).long()
    counts = ends.cumsum(dim=1) - ends == 0
    return chosen.masked_fill(~counts, 0.0).sum(dim=1)
    ### END SOLUTION
