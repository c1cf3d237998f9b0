"""Mistakes in `warmup_schedule`, and right answers in other styles."""

import functools
import math

import torch

from autograder.checks.ch09_transformer.warmup_schedule import falling, refused, rising, scale, usual
from autograder.judging.catalogue import mistake, right


def refuse(step):
    """What a step below 1 gets."""
    if step < 1:
        raise ValueError(f"step is {step}: the first step of a training is 1")


@right
def scheduled(step, d_model, warmup_steps=4000):
    refuse(step)
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)


mistake(rising, "the rate is the larger of the two terms, expected the smaller").made_in(
    scheduled, larger={"min": "max"}
)


@mistake(rising, "the rate is step^-0.5 at every step, expected the smaller of the two terms")
def no_warmup(step, d_model, warmup_steps=4000):
    refuse(step)
    return d_model**-0.5 * step**-0.5


mistake(rising, "warmup_steps has the exponent -0.5, expected -1.5").made_in(
    scheduled, half_exponent={"warmup_steps**-1.5": "warmup_steps**-0.5"}
)
mistake(rising, "warmup_steps has the exponent -1, expected -1.5").made_in(
    scheduled, divided={"step * warmup_steps**-1.5": "step / warmup_steps"}
)
mistake(
    rising, "the steps are counted from 0: the rate is that of the next step; expected the first step to be 1"
).made_in(scheduled, counted_from_zero={"return": "step = step + 1; return"})
mistake(
    rising, "the steps are counted from 0: the rate is that of the previous step; expected the first step to be 1"
).made_in(
    scheduled, one_step_late={"return": "step = step - 1; return", "step**-0.5": "step**-0.5 if step else math.inf"}
)
mistake(falling, "the rate rises for 4000 steps, whatever warmup_steps is").made_in(
    scheduled, always_four_thousand={"warmup_steps**-1.5": "4000**-1.5"}
)


@mistake(rising, "the step is divided with //, so the rate is 0 until the end of the warm-up")
def whole_division(step, d_model, warmup_steps=4000):
    refuse(step)
    return (d_model * warmup_steps) ** -0.5 * min(step // warmup_steps, 1)


@mistake(rising, "the rate is rounded, so small rates are wrong")
def rounded(step, d_model, warmup_steps=4000):
    refuse(step)
    return round(d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5), 6)


mistake(rising, "step 1 is refused too, expected only those below it").made_in(
    scheduled, refuses_the_first={"(step)": "(step - 1)"}
)
mistake(rising, "step and warmup_steps are swapped").made_in(
    no_warmup, arguments_exchanged={"step**-0.5": "min(warmup_steps**-0.5, warmup_steps * step**-1.5)"}
)
mistake(rising, "during the warm-up the rate rises to 1 / √d_model, expected to 1 / √(d_model · warmup_steps)").made_in(
    no_warmup, too_high={"step**-0.5": "(step / warmup_steps if step < warmup_steps else step**-0.5)"}
)


@mistake(rising, "there is no return")
def prints(step, d_model, warmup_steps=4000):
    refuse(step)
    print(d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5))


@mistake(rising, "a tensor is returned, expected a plain number")
def a_tensor(step, d_model, warmup_steps=4000):
    refuse(step)
    return torch.tensor(d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5))


@mistake(falling, "the rate falls as if the steps were counted from the end of the warm-up, expected from step 1")
def counted_from_the_peak(step, d_model, warmup_steps=4000):
    refuse(step)
    return (d_model * warmup_steps) ** -0.5 * min(step / warmup_steps, max(step - warmup_steps + 1, 1) ** -0.5)


@mistake(falling, "after warmup_steps the rate stays constant")
def stays(step, d_model, warmup_steps=4000):
    refuse(step)
    return (d_model * warmup_steps) ** -0.5 * min(1.0, step / warmup_steps)


@mistake(falling, "the rate falls as one over the step, expected one over its square root")
def falls_too_fast(step, d_model, warmup_steps=4000):
    refuse(step)
    return d_model**-0.5 * (step * warmup_steps**-1.5 if step <= warmup_steps else warmup_steps**0.5 / step)


mistake(falling, "the rate is proportional to the step at every step, expected the smaller of the two terms").made_in(
    no_warmup, rises_for_ever={"d_model**-0.5 * step**-0.5": "d_model**-0.5 * step * warmup_steps**-1.5"}
)
mistake(scale, "d_model^-0.5 is missing").made_in(scheduled, no_size={"return d_model**-0.5 * min": "return min"})
mistake(scale, "d_model has the exponent 0.5, expected -0.5").made_in(
    scheduled, wrong_sign_of_the_size={"d_model**-0.5": "d_model**0.5"}
)


@mistake(scale, "d_model has the exponent -1, expected -0.5")
def no_root_of_the_size(step, d_model, warmup_steps=4000):
    refuse(step)
    return min(step**-0.5, step * warmup_steps**-1.5) / d_model


mistake(scale, "d_model is a constant of your own, expected the argument").made_in(
    no_warmup, size_inside={"d_model**-0.5 * step**-0.5": "min(step**-0.5, step * warmup_steps**-1.5) * 512**-0.5"}
)
mistake(usual, "the default of warmup_steps is changed, expected 4000").made_in(
    scheduled, other_default={"warmup_steps=4000": "warmup_steps=400"}
)


@mistake(refused, "a step below 1 gives a rate of 0, expected a ValueError")
def not_refused(step, d_model, warmup_steps=4000):
    return d_model**-0.5 * min(max(step, 1) ** -0.5, max(step, 0) * warmup_steps**-1.5)


@mistake(refused, "a step below 1 is not refused: 0 raises Python's own ZeroDivisionError")
def divides_by_zero(step, d_model, warmup_steps=4000):
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)


mistake(refused, "assert raises an AssertionError, expected a ValueError").made_in(
    scheduled, asserts={"refuse(step)": "assert step >= 1"}
)


@mistake(refused, "only the step 0 is refused, expected every step below 1")
def only_zero(step, d_model, warmup_steps=4000):
    if step == 0:
        raise ValueError("step is 0")
    return d_model**-0.5 * min(abs(step) ** -0.5, step * warmup_steps**-1.5)


@mistake(refused, "a step below 1 raises a TypeError, expected a ValueError")
def refuses_one(step, d_model, warmup_steps=4000):
    if step < 1 or isinstance(step, bool):
        raise TypeError("step is below 1")
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)


@mistake(falling, "after warmup_steps, the steps are counted from 1 again")
def steps_counted_anew(step, d_model, warmup_steps=4000):
    if step < 1:
        raise ValueError("steps are counted from 1")
    if step <= warmup_steps:
        return d_model**-0.5 * step * warmup_steps**-1.5
    return d_model**-0.5 * (step - warmup_steps) ** -0.5


@mistake(rising, "d_model^-0.5 is a factor of only one of the two terms, expected of both")
def scale_at_one_alone(step, d_model, warmup_steps=4000):
    if step < 1:
        raise ValueError("steps are counted from 1")
    return min(d_model**-0.5 * step**-0.5, step * warmup_steps**-1.5)


@right
def by_cases(step, d_model, warmup_steps=4000):
    if step <= 0:
        raise ValueError("steps are counted from 1")
    if step < warmup_steps:
        return step / (math.sqrt(d_model) * warmup_steps**1.5)
    return 1 / math.sqrt(d_model * step)


@right
def from_the_peak(step, d_model, warmup_steps=4000):
    refuse(step)
    peak = 1 / math.sqrt(d_model * warmup_steps)
    return peak * min(step / warmup_steps, math.sqrt(warmup_steps / step))


@right
def in_tensors(step, d_model, warmup_steps=4000):
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


right(functools.partial(with_powers, -0.5))


right(a_lambda())
