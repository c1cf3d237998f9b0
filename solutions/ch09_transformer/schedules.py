"""The learning rate at each training step."""


def warmup_schedule(step: int, d_model: int, warmup_steps: int = 4000) -> float:
    """Let the rate rise linearly with the step, then fall as its inverse square root.

    The rate is d_model^-0.5 · min(step^-0.5, step · warmup_steps^-1.5), equation 3 of
    Vaswani et al. (2017). The two terms are equal at step = warmup_steps, where the
    rate is largest.

    Args:
        step: The step's number, counted from 1.
        d_model: Size of the model's vectors.
        warmup_steps: The number of steps during which the rate rises.

    Returns:
        The learning rate at this step, a plain number.

    Raises:
        ValueError: The step is below 1.
    """
    # 1. Raise an error for a step below 1.
    # 2. Multiply the smaller of the two terms by the factor in front.
    ### BEGIN SOLUTION
    if step < 1:
        raise ValueError(f"step is {step}: the first step of a training is 1")
    return float(d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5))
    ### END SOLUTION
