"""How well a language model predicts text."""

from torch import Tensor


def perplexity(log_probs: Tensor, mask: Tensor) -> float:
    """Compute exp(-1/N Σ log p): among how many words the model hesitates.

    The sum runs over the N real words of all sentences. A model that gives each of V
    words the probability 1/V has a perplexity of V.

    Args:
        log_probs: The natural logarithm of the probability that the model gave to each
            word of the text, shape (B, T).
        mask: Boolean, shape (B, T); True on real words. The values at the padding do
            not count, whatever they are.

    Returns:
        The perplexity, a plain float, at least 1; infinite if a real word has the
        probability 0, and so the log-probability -inf.
    """
    # 1. The log-probabilities of the real words only: (N,).
    # 2. The mean of their negatives, in nats: ().
    # 3. From nats to a number of words, as a plain float.
    ### BEGIN SOLUTION
    loss = -log_probs[mask].mean()
    return loss.exp().item()
    ### END SOLUTION
