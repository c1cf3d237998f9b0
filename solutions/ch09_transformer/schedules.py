"""How large a step may be, at each step of a training."""


def warmup_schedule(step: int, d_model: int, warmup_steps: int = 4000) -> float:
    """Let the learning rate rise in proportion to the step, then fall as its inverse square root.

    It is d_model^-0.5 · min(step^-0.5, step · warmup_steps^-1.5), equation 3 of Vaswani et al.
    (2017). The two are equal at step = warmup_steps, where the rate is largest.

    Args:
        step: The number of the step, counted from 1.
        d_model: Size of the model's vectors.
        warmup_steps: How many steps the rate rises.

    Returns:
        The learning rate of this step, a plain number.

    Raises:
        ValueError: The step is below 1.
    """
    # 1. A step below 1 is refused.
    # 2. The two that the smaller is taken of, and the scale in front.
    ### BEGIN SOLUTION
    if step < 1:
        raise ValueError(f"step is {step}: the first step of a training is 1")
    return float(d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5))
    ### END SOLUTION
