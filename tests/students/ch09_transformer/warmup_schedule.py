"""What students hand in for `warmup_schedule`: each mistake alone, and right answers of many styles.

`WRONG` maps each mistake to the name of the check that must name it; `RIGHT` keep all their points.
"""

import functools
import math

import torch

EXERCISE = "warmup_schedule"


def refuse(step):
    """What a step below 1 gets."""
    if step < 1:
        raise ValueError(f"step is {step}: the first step of a training is 1")


def larger(step, d_model, warmup_steps=4000):
    """max for min."""
    refuse(step)
    return d_model**-0.5 * max(step**-0.5, step * warmup_steps**-1.5)


def no_warmup(step, d_model, warmup_steps=4000):
    """Only the inverse root."""
    refuse(step)
    return d_model**-0.5 * step**-0.5


def half_exponent(step, d_model, warmup_steps=4000):
    """warmup_steps has another exponent."""
    refuse(step)
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-0.5)


def divided(step, d_model, warmup_steps=4000):
    """The rise ends at 1."""
    refuse(step)
    return d_model**-0.5 * min(step**-0.5, step / warmup_steps)


def counted_from_zero(step, d_model, warmup_steps=4000):
    """The first step is taken for 0."""
    refuse(step)
    step = step + 1
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)


def one_step_late(step, d_model, warmup_steps=4000):
    """The first step has no rate."""
    refuse(step)
    step = step - 1
    return d_model**-0.5 * min(step**-0.5 if step else math.inf, step * warmup_steps**-1.5)


def always_four_thousand(step, d_model, warmup_steps=4000):
    """The argument is not used."""
    refuse(step)
    return d_model**-0.5 * min(step**-0.5, step * 4000**-1.5)


def whole_division(step, d_model, warmup_steps=4000):
    """The step is divided with //, so the rate is 0 until the end of the warm-up."""
    refuse(step)
    return (d_model * warmup_steps) ** -0.5 * min(step // warmup_steps, 1)


def prints(step, d_model, warmup_steps=4000):
    """Nothing comes back."""
    refuse(step)
    print(d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5))


def a_tensor(step, d_model, warmup_steps=4000):
    """A tensor, where a number was asked for."""
    refuse(step)
    return torch.tensor(d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5))


def stays(step, d_model, warmup_steps=4000):
    """It does not fall."""
    refuse(step)
    return (d_model * warmup_steps) ** -0.5 * min(1.0, step / warmup_steps)


def falls_too_fast(step, d_model, warmup_steps=4000):
    """As 1 / step."""
    refuse(step)
    return d_model**-0.5 * (step * warmup_steps**-1.5 if step <= warmup_steps else warmup_steps**0.5 / step)


def rises_for_ever(step, d_model, warmup_steps=4000):
    """Only the rise."""
    refuse(step)
    return d_model**-0.5 * step * warmup_steps**-1.5


def no_size(step, d_model, warmup_steps=4000):
    """d_model is not used."""
    refuse(step)
    return min(step**-0.5, step * warmup_steps**-1.5)


def wrong_sign_of_the_size(step, d_model, warmup_steps=4000):
    """The root of d_model, upwards."""
    refuse(step)
    return d_model**0.5 * min(step**-0.5, step * warmup_steps**-1.5)


def no_root_of_the_size(step, d_model, warmup_steps=4000):
    """1 / d_model."""
    refuse(step)
    return min(step**-0.5, step * warmup_steps**-1.5) / d_model


def size_inside(step, d_model, warmup_steps=4000):
    """d_model is only in the first of the two terms."""
    refuse(step)
    return min(step**-0.5, step * warmup_steps**-1.5) * 512**-0.5


def other_default(step, d_model, warmup_steps=400):
    """The signature was changed."""
    refuse(step)
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)


def not_refused(step, d_model, warmup_steps=4000):
    """A step below 1 gets 0."""
    return d_model**-0.5 * min(max(step, 1) ** -0.5, max(step, 0) * warmup_steps**-1.5)


def divides_by_zero(step, d_model, warmup_steps=4000):
    """Python refuses the step 0 in its own words."""
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)


def asserts(step, d_model, warmup_steps=4000):
    """Another exception."""
    assert step >= 1
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)


def only_zero(step, d_model, warmup_steps=4000):
    """Steps below 0 are not thought of."""
    if step == 0:
        raise ValueError("step is 0")
    return d_model**-0.5 * min(abs(step) ** -0.5, step * warmup_steps**-1.5)


def refuses_one(step, d_model, warmup_steps=4000):
    """One too many is refused where the step is alone."""
    if step < 1 or isinstance(step, bool):
        raise TypeError("step is below 1")
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)


def steps_counted_anew(step, d_model, warmup_steps=4000):
    """After the warm-up the steps are counted from 1 again."""
    if step < 1:
        raise ValueError("steps are counted from 1")
    if step <= warmup_steps:
        return d_model**-0.5 * step * warmup_steps**-1.5
    return d_model**-0.5 * (step - warmup_steps) ** -0.5


def scale_at_one_alone(step, d_model, warmup_steps=4000):
    """The factor 1 / √d_model is inside the minimum, at one of the two terms."""
    if step < 1:
        raise ValueError("steps are counted from 1")
    return min(d_model**-0.5 * step**-0.5, step * warmup_steps**-1.5)


_RISING = "up to warmup_steps the rate rises linearly, from step 1"
_FALLING = "after warmup_steps it falls as one over the square root of the step"
_SCALE = "the rates are right for the size of the model"
_USUAL = "without warmup_steps, the rate rises for 4000 steps"
_REFUSED = "a step below 1 raises an error"

WRONG = {
    steps_counted_anew: _FALLING,
    scale_at_one_alone: _RISING,
    larger: _RISING,
    no_warmup: _RISING,
    half_exponent: _RISING,
    divided: _RISING,
    counted_from_zero: _RISING,
    one_step_late: _RISING,
    whole_division: _RISING,
    prints: _RISING,
    a_tensor: _RISING,
    always_four_thousand: _FALLING,
    stays: _FALLING,
    falls_too_fast: _FALLING,
    rises_for_ever: _FALLING,
    no_size: _SCALE,
    wrong_sign_of_the_size: _SCALE,
    no_root_of_the_size: _SCALE,
    size_inside: _SCALE,
    other_default: _USUAL,
    not_refused: _REFUSED,
    divides_by_zero: _REFUSED,
    asserts: _REFUSED,
    only_zero: _REFUSED,
    refuses_one: _REFUSED,
}


def by_cases(step, d_model, warmup_steps=4000):
    """Either the rise or the fall."""
    if step <= 0:
        raise ValueError("steps are counted from 1")
    if step < warmup_steps:
        return step / (math.sqrt(d_model) * warmup_steps**1.5)
    return 1 / math.sqrt(d_model * step)


def from_the_peak(step, d_model, warmup_steps=4000):
    """The rate at warmup_steps, times a share of it."""
    refuse(step)
    peak = 1 / math.sqrt(d_model * warmup_steps)
    return peak * min(step / warmup_steps, math.sqrt(warmup_steps / step))


def in_tensors(step, d_model, warmup_steps=4000):
    """torch's double precision, and a number at the end."""
    refuse(step)
    at = torch.tensor(step, dtype=torch.float64)
    return (torch.minimum(at.rsqrt(), at * warmup_steps**-1.5) / d_model**0.5).item()


def with_powers(power, step, d_model, warmup_steps=4000):
    """For a partial: the exponent comes first."""
    refuse(step)
    return pow(d_model, power) * min(pow(step, power), step * pow(warmup_steps, 3 * power))


def a_lambda():
    """A lambda cannot raise; one that calls can."""
    return lambda step, d_model, warmup_steps=4000: (
        refuse(step) or min((d_model * step) ** -0.5, step * d_model**-0.5 * warmup_steps**-1.5)
    )


RIGHT = {
    "by cases": by_cases,
    "from the peak": from_the_peak,
    "in tensors": in_tensors,
    "a partial": functools.partial(with_powers, -0.5),
    "a lambda": a_lambda(),
}
