"""Teacher forcing: in training, the decoder reads the reference translation, shifted by one position."""

import torch
from torch import Tensor


def shift_right(target: Tensor, bos: int) -> Tensor:
    """Turn the decoder's target words y_1 … y_T into its input words y_0 … y_(T-1).

    Each word moves one position to the right, so that the input at each position is the
    word before the target word. The first position gets the start mark, y_0, and the
    last word is dropped, because the decoder writes nothing after it.

    Args:
        target: The ids of the target words, shape (B, T), integers; T is at least 1.
        bos: The id of the start mark.

    Returns:
        A new tensor with the ids of the input words, shape (B, T), with the dtype of
        ``target`` and on its device.
    """
    # 1. A column of start marks: (B, 1).
    # 2. All words but the last of each row: (B, T - 1).
    # 3. Concatenate the two: (B, T).
    ### BEGIN SOLUTION
    first = torch.full_like(target[:, :1], bos)
    return torch.cat([first, target[:, :-1]], dim=1)
    ### END SOLUTION
