"""The recurrence: one step of a recurrent network."""

from torch import Tensor


def rnn_step(
    x: Tensor,
    h: Tensor,
    input_weight: Tensor,
    state_weight: Tensor,
    bias: Tensor,
) -> Tensor:
    """Read one input into the state: h_t = tanh(W_x x_t + W_h h_{t-1} + b).

    It is the recurrence of Elman (1990), here with a tanh, and of `torch.nn.RNNCell` with its two
    biases in one.

    Args:
        x: The input x_t of each sequence, shape (B, D).
        h: The state h_{t-1} before it, shape (B, H).
        input_weight: W_x, shape (H, D): out before in, as torch's layers store it.
        state_weight: W_h, shape (H, H), likewise: a row for each number of the new state.
        bias: b, shape (H,).

    Returns:
        The state h_t, shape (B, H).
    """
    # 1. What the input and what the state before it contribute, and the bias: (B, H).
    # 2. Through the tanh: (B, H).
    ### BEGIN SOLUTION
    return (x @ input_weight.T + h @ state_weight.T + bias).tanh()
    ### END SOLUTION
