"""Cross-entropy with a smoothed target."""

from torch import Tensor


def label_smoothed_loss(
    logits: Tensor, targets: Tensor, mask: Tensor, epsilon: float = 0.1
) -> Tensor:
    """Average the cross-entropy with a smoothed target over the real words.

    The target of a position gives each of the V words ε / V, and the right one 1 - ε in
    addition, so that it sums to one (Szegedy et al., 2016). With ε = 0 this is
    `masked_cross_entropy`.

    Args:
        logits: Shape (B, T, V), any floating-point type; finite numbers, at padding
            too, that may be far apart.
        targets: The right words, shape (B, T), integers from 0 to V - 1. At padding
            there may be any word.
        mask: Boolean, shape (B, T); True on real words. At least one word is real.
        epsilon: The share ε that is spread over all words, from 0 to 1.

    Returns:
        The loss in nats, shape (), in the dtype of ``logits``.
    """
    # 1. Compute the log-probabilities of all words, at the N real positions only:
    #    (N, V).
    # 2. Take minus the log-probability of the right word, (N,), and minus the mean of
    #    all V log-probabilities, (N,).
    # 3. Weight the two by 1 - ε and ε, add them, and average over the positions: ().
    ### BEGIN SOLUTION
    log_probs = logits[mask].log_softmax(dim=-1)
    right = log_probs.gather(-1, targets[mask].unsqueeze(-1)).squeeze(-1)
    smoothed = (1 - epsilon) * right + epsilon * log_probs.mean(dim=-1)
    return -smoothed.mean()
    ### END SOLUTION
