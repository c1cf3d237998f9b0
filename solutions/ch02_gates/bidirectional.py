"""Reading a sentence from both ends."""

from collections.abc import Callable

import torch
from torch import Tensor


def run_bidirectional(
    inputs: Tensor,
    lengths: Tensor,
    forward_rnn: Callable[[Tensor], Tensor],
    backward_rnn: Callable[[Tensor], Tensor],
) -> Tensor:
    """Give each word two states: from reading up to it, and from reading back to it.

    h_t = [h_t→ ; h_t←]: the first half is computed from x_1 … x_t, the second from x_n
    … x_t, where n is the length of the sentence without its padding.

    Args:
        inputs: Sentences, padded on the right with finite numbers, shape (B, T, D), of
            any floating-point type. The longest may have fewer than T words.
        lengths: Number of real words in each sentence, from 1 to T, shape (B,).
        forward_rnn: Reads from left to right and starts from a state of zeros: takes
            inputs (B, T, D), returns the states (B, T, H).
        backward_rnn: The same, also from left to right, but with separate weights.

    Returns:
        The states, shape (B, T, 2H), with the dtype of the inputs, and zeros at the
        padding.
    """
    # 1. The position t of each word, and its position n - 1 - t when the sentence is
    #    reversed; positions in the padding do not change: (B, T).
    # 2. The reversed sentences: (B, T, D).
    # 3. The states of both directions side by side, with those of the second put back
    #    into the order of the words: (B, T, 2H).
    # 4. Zeros at the padding: (B, T, 2H).
    ### BEGIN SOLUTION
    places = torch.arange(inputs.shape[1], device=inputs.device)
    from_end = lengths.unsqueeze(1) - 1 - places
    real = from_end >= 0
    turned = torch.where(real, from_end, places)
    rows = torch.arange(len(inputs), device=inputs.device).unsqueeze(1)

    forward = forward_rnn(inputs)
    backward = backward_rnn(inputs[rows, turned])[rows, turned]
    states = torch.cat([forward, backward], dim=-1)
    return states.masked_fill(~real.unsqueeze(-1), 0.0)
    ### END SOLUTION
