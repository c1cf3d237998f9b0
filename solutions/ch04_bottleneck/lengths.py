"""Quality by the length of the sentence."""

import torch
from torch import Tensor


def accuracy_by_length(correct: Tensor, lengths: Tensor, bins: list[tuple[int, int]]) -> Tensor:
    """Say which share of the sentences is right, apart for short and for long ones.

    Args:
        correct: Boolean, shape (N,); True where a sentence is translated rightly. N may be 0.
        lengths: The number of words of each sentence, shape (N,).
        bins: The shortest and the longest length of each bin, both of them in it. Bins may
            leave lengths out, and may overlap.

    Returns:
        For each bin the share of its sentences that are right, from 0 to 1, shape
        (len(bins),), in single precision; NaN for a bin without a sentence.
    """
    # 1. For each bin: which sentences are in it, (N,).
    # 2. Of these, the share that is right, as one number; a bin without sentences has none.
    # 3. The numbers of all bins in one tensor: (len(bins),).
    ### BEGIN SOLUTION
    shares = []
    for shortest, longest in bins:
        inside = (lengths >= shortest) & (lengths <= longest)
        shares.append(correct[inside].float().mean())  # the mean of nothing is NaN
    return torch.stack(shares)
    ### END SOLUTION
