"""Batches of new text with some old text among it."""

from collections.abc import Iterator

import torch
from torch import Tensor


def replay_batches(
    new: Tensor, old: Tensor, share: float, batch_size: int, generator: torch.Generator
) -> Iterator[Tensor]:
    """Yield batches of new windows of text without end, each with a share of old ones.

    Args:
        new: The windows of the new text, shape (N, T).
        old: The windows of the text that the model has been trained on, shape (M, T).
        share: The share of a batch that is old, from 0 to 1.
        batch_size: Number of windows in a batch, B, which may be larger than N or M.
        generator: The source of randomness for every draw; it continues from its
            current state.

    Yields:
        A new tensor, shape (B, T):
        ``round(share * batch_size)`` windows of `old` and the others of `new`, in any
        order, each drawn at random with replacement.
    """
    # 1. How many windows of a batch are old.
    # 2. In an endless loop: draw the indices of the rows with torch.randint and the
    #    generator, anew for each batch; select the rows, and yield them as one tensor.
    ### BEGIN SOLUTION
    num_old = round(share * batch_size)
    while True:
        from_new = torch.randint(len(new), (batch_size - num_old,), generator=generator)
        from_old = torch.randint(len(old), (num_old,), generator=generator)
        yield torch.cat([new[from_new], old[from_old]])
    ### END SOLUTION
