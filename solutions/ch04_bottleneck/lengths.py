"""Quality by the length of the sentence."""

import torch
from torch import Tensor


def accuracy_by_length(
    correct: Tensor, lengths: Tensor, bins: list[tuple[int, int]]
) -> Tensor:
    """Compute the share of correct sentences in each bin of lengths.

    Args:
        correct: Boolean, shape (N,); True where a sentence is translated correctly. N
            may be 0.
        lengths: The number of words of each sentence, shape (N,).
        bins: The shortest and the longest length of each bin, both inclusive. Bins may
            overlap and do not have to cover all lengths.

    Returns:
        For each bin the share of its sentences that are right, from 0 to 1, shape
        (len(bins),), in single precision; NaN for a bin without a sentence.
    """
    # 1. For each bin: which sentences are in it, (N,).
    # 2. The share of these that are right, one number; a bin without sentences has
    #    none.
    # 3. The shares of all bins in one tensor: (len(bins),).
    ### BEGIN SOLUTION
    shares = []
    for shortest, longest in bins:
        inside = (lengths >= shortest) & (lengths <= longest)
        shares.append(correct[inside].float().mean())  # the mean of nothing is NaN
    return torch.stack(shares)
    ### END SOLUTION
