"""What the decoder is given to read while it is trained: the reference translation, one word late."""

import torch
from torch import Tensor


def shift_right(target: Tensor, bos: int) -> Tensor:
    """Make the decoder's input words of the words that it has to write: y_0 … y_(T-1) of y_1 … y_T.

    Each word moves one place to the right, so that at place t stands the word before the one
    that is to be written there. The first place gets the mark of the beginning, y_0, and the
    last word falls away: nothing is written after it.

    Args:
        target: The words to write, shape (B, T), whole numbers.
        bos: The number of the mark of the beginning.

    Returns:
        A new tensor of the input words, shape (B, T), of the type of ``target`` and on its device.
    """
    # 1. A column of the mark of the beginning: (B, 1).
    # 2. All words but the last of each row: (B, T - 1).
    # 3. The two side by side: (B, T).
    ### BEGIN SOLUTION
    first = torch.full_like(target[:, :1], bos)
    return torch.cat([first, target[:, :-1]], dim=1)
    ### END SOLUTION
