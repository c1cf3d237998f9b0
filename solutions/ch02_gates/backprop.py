"""Back-propagation through time by hand: one step back through the recurrence, and the loop over all steps."""

from collections.abc import Callable

import torch
from torch import Tensor


def rnn_backward_step(
    x: Tensor,
    h_before: Tensor,
    h: Tensor,
    output_grad: Tensor,
    later_grad: Tensor,
    input_weight: Tensor,
    state_weight: Tensor,
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Go one step back through h_t = tanh(a_t), where a_t = W_x x_t + W_h h_{t-1} + b.

    The state h_t is used twice: by the output at step t, and by step t + 1. It receives
    a gradient of the loss from each.

    Args:
        x: The input x_t of each sequence, shape (B, D).
        h_before: The state h_{t-1}, shape (B, H).
        h: The state h_t that the step computed from them, shape (B, H).
        output_grad: The gradient that comes back to h_t from the output at step t,
            shape (B, H).
        later_grad: The gradient that comes back to h_t from step t + 1, shape (B, H).
        input_weight: W_x, shape (H, D).
        state_weight: W_h, shape (H, H).

    Returns:
        The gradients of x_t, (B, D), of h_{t-1}, (B, H), of W_x, (H, D), of W_h,
        (H, H), and of b, (H,), in this order. The gradients of the weights and of the
        bias are summed over the batch.
    """
    # 1. The total gradient at h_t: (B, H).
    # 2. Back through the tanh, the gradient at a_t: (B, H).
    # 3. From there to x_t, (B, D), and to h_{t-1}, (B, H).
    # 4. And from there to W_x, (H, D), to W_h, (H, H), and to b, (H,).
    ### BEGIN SOLUTION
    h_grad = output_grad + later_grad
    a_grad = h_grad * (1 - h**2)
    return (
        a_grad @ input_weight,
        a_grad @ state_weight,
        a_grad.T @ x,
        a_grad.T @ h_before,
        a_grad.sum(dim=0),
    )
    ### END SOLUTION


def backprop_through_time(
    inputs: Tensor,
    states: Tensor,
    output_grads: Tensor,
    input_weight: Tensor,
    state_weight: Tensor,
    rnn_backward_step: Callable[..., tuple[Tensor, Tensor, Tensor, Tensor, Tensor]],
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Go back through all T steps of the recurrence, from the last to the first.

    The same W_x, W_h and b are used at every step, so their gradients are sums over the
    steps (Werbos, 1990).

    Args:
        inputs: The inputs x_1 … x_T, shape (B, T, D).
        states: The states h_0, h_1 … h_T, shape (B, T + 1, H); h_0 is the state before
            any input.
        output_grads: The gradients that come back to h_1 … h_T from the outputs of
            their own steps, shape (B, T, H).
        input_weight: W_x, shape (H, D).
        state_weight: W_h, shape (H, H).
        rnn_backward_step: Goes one step back. Takes x_t, h_{t-1}, h_t, the two
            gradients that come back to h_t (from its output, and from step t + 1), W_x
            and W_h; returns the gradients of x_t, h_{t-1}, W_x, W_h and b.

    Returns:
        The gradients of the inputs, (B, T, D), of h_0, (B, H), of W_x, (H, D), of W_h,
        (H, H), and of b, (H,), in this order.
    """
    # 1. The gradient that comes back to h_T from later steps, of which there are none:
    #    (B, H).
    # 2. From the last step to the first, with the given function: pass the gradient of
    #    h_{t-1} on to the previous step, keep the gradient of x_t, and add up those of
    #    W_x, W_h and b.
    # 3. The gradients of the inputs, in the order of the inputs: (B, T, D).
    ### BEGIN SOLUTION
    later_grad = torch.zeros_like(states[:, 0])
    input_grads = torch.zeros_like(inputs)
    input_weight_grad = torch.zeros_like(input_weight)
    state_weight_grad = torch.zeros_like(state_weight)
    bias_grad = torch.zeros_like(state_weight[:, 0])
    for t in reversed(range(inputs.shape[1])):
        input_grads[:, t], later_grad, *grads = rnn_backward_step(
            inputs[:, t],
            states[:, t],
            states[:, t + 1],
            output_grads[:, t],
            later_grad,
            input_weight,
            state_weight,
        )
        input_weight_grad += grads[0]
        state_weight_grad += grads[1]
        bias_grad += grads[2]
    return input_grads, later_grad, input_weight_grad, state_weight_grad, bias_grad
    ### END SOLUTION
