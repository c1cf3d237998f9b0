"""Gradient clipping: one step with a huge gradient must not undo what many steps have learned."""

from collections.abc import Iterable

from torch import nn


def clip_gradients_(parameters: Iterable[nn.Parameter], max_norm: float) -> float:
    """Scale all gradients by one factor, so that their joint norm is <= `max_norm`.

    The norm is that of one long vector of all gradients, and one factor scales all of
    it, so the direction of the step stays the same (Pascanu et al., 2013). Shorter
    gradients do not change.

    Args:
        parameters: As `module.parameters()` returns them; you can iterate over them
            only once. Those without a gradient are skipped. The other gradients are
            changed in place; they may be of any floating-point type, such as float16,
            in which the square of 300 is infinite.
        max_norm: The largest norm allowed, above 0 and finite.

    Returns:
        The norm before clipping; 0 if there is no gradient.
    """
    # 1. All gradients that exist.
    # 2. Their joint norm.
    # 3. If it is above `max_norm`, scale the gradients in place by one factor.
    ### BEGIN SOLUTION
    grads = [parameter.grad for parameter in parameters if parameter.grad is not None]
    norm = sum(grad.norm().item() ** 2 for grad in grads) ** 0.5
    if norm > max_norm:
        for grad in grads:
            grad.mul_(max_norm / norm)
    return norm
    ### END SOLUTION
