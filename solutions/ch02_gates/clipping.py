"""Gradient clipping: one exploding step must not undo what many have learned."""

from collections.abc import Iterable

from torch import nn


def clip_gradients_(parameters: Iterable[nn.Parameter], max_norm: float) -> float:
    """Shorten the gradients of all parameters by one factor, so that their norm is at most `max_norm`.

    The norm is that of one long vector with all the gradients' numbers in it, so the direction
    of the step stays as it was (Pascanu et al., 2013). Shorter gradients are left alone.

    Args:
        parameters: As `module.parameters()` gives them, to be gone through once. Those without
            a gradient are passed over. The gradients of the others are changed in place.
        max_norm: The largest norm that is allowed, above 0 and finite.

    Returns:
        The norm as it was before; 0 where there is no gradient.
    """
    # 1. The gradients that there are.
    # 2. The norm of all their numbers together.
    # 3. Where it is above `max_norm`, the gradients scaled in place by one factor.
    ### BEGIN SOLUTION
    grads = [parameter.grad for parameter in parameters if parameter.grad is not None]
    norm = sum(grad.norm().item() ** 2 for grad in grads) ** 0.5
    if norm > max_norm:
        for grad in grads:
            grad.mul_(max_norm / norm)
    return norm
    ### END SOLUTION
