"""How well a language model predicts text."""

from torch import Tensor


def perplexity(log_probs: Tensor, mask: Tensor) -> float:
    """Say between how many words the model hesitates, on average: exp(-1/N Σ log p).

    The sum runs over the N real words of all sentences. A model that gives each of V words the
    probability 1/V has the perplexity V.

    Args:
        log_probs: The natural logarithm of the probability that the model gave to each word of
            the text, shape (B, T).
        mask: Boolean, shape (B, T); True on real words. What stands at the padding counts for
            nothing, whatever it is.

    Returns:
        The perplexity, a plain number, at least 1.
    """
    # 1. The log-probabilities of the real words alone: (N,).
    # 2. The mean of their negatives, in nats: ().
    # 3. From nats to a number of words, as a plain float.
    ### BEGIN SOLUTION
    loss = -log_probs[mask].mean()
    return loss.exp().item()
    ### END SOLUTION
