"""The recurrence: one step of a recurrent network."""

from torch import Tensor


def rnn_step(
    x: Tensor,
    h: Tensor,
    input_weight: Tensor,
    state_weight: Tensor,
    bias: Tensor,
) -> Tensor:
    """Compute the next hidden state: h_t = tanh(W_x x_t + W_h h_{t-1} + b).

    This is the recurrence of Elman (1990), here with a tanh. `torch.nn.RNNCell`
    computes the same, but splits the bias into two.

    Args:
        x: The input x_t of each sequence, shape (B, D). Its numbers may be so large
            that the tanh is exactly 1 or -1.
        h: The previous hidden state h_{t-1}, shape (B, H).
        input_weight: W_x, shape (H, D): outputs before inputs, as torch's layers store
            it.
        state_weight: W_h, shape (H, H), also with one row for each component of the new
            state.
        bias: b, shape (H,).

    Returns:
        The hidden state h_t, shape (B, H), with the dtype of the arguments.
    """
    # 1. The sum of the contributions of the input and of the previous state, and of the
    #    bias: (B, H).
    # 2. The tanh of this sum: (B, H).
    ### BEGIN SOLUTION
    return (x @ input_weight.T + h @ state_weight.T + bias).tanh()
    ### END SOLUTION
