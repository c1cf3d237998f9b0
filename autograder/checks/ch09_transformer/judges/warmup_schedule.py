"""What is right about `warmup_schedule`, and what is said when it is not."""

from collections.abc import Callable
from typing import Any

from autograder.checks.ch09_transformer.probes import warmup_schedule as probes
from autograder.compare import close, difference, is_close
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_RISING = "up to warmup_steps the rate rises linearly, from step 1"
_FALLING = "after warmup_steps it falls as one over the square root of the step"
_SCALE = "the rates are right for the size of the model"

_EXACT = 1e-5


def _named(got: list[float], want: list[float], mistakes: dict[str, list[float]]) -> Verdict:
    """Passed, or failed for the first mistake that gives the same numbers."""
    if is_close(got, want, rtol=_EXACT, atol=0.0):
        return passed()
    for message, values in mistakes.items():
        if is_close(got, values, rtol=_EXACT, atol=0.0):
            return failed(message)
    # Where the numbers are so near that `difference` sees none, how far they are apart matters more than where.
    at = max(range(len(want)), key=lambda here: abs(got[here] / want[here] - 1))
    return failed(f"at number {at}, {difference(got[at], want[at])}")


def _over_peak(rate: Callable[[float, float], float], want: Any) -> list[float]:
    """The ratios that another formula of step and warmup_steps gives."""
    warmup_steps = want["warmup_steps"]
    peak = rate(warmup_steps, warmup_steps)
    return [rate(step, warmup_steps) / peak for step in want["steps"]]


def _of_formulas(want: Any, **more: list[float]) -> dict[str, list[float]]:
    """The ratios of the formulas that may have been written instead, by what is said of them."""

    def paper(step: float, warmup_steps: float) -> float:
        return float(min(step**-0.5, step * warmup_steps**-1.5))

    formulas: dict[str, Callable[[float, float], float]] = {
        "the rate is step^-0.5 at every step: expected the smaller of the two terms, not the larger and not only "
        "this one": lambda step, warmup_steps: float(step**-0.5),
        "the rate is proportional to the step at every step: expected the smaller of the two terms, not the "
        "larger and not only this one": (lambda step, warmup_steps: float(step)),
        "warmup_steps has the exponent -0.5, expected -1.5": lambda step, warmup_steps: float(
            min(step**-0.5, step * warmup_steps**-0.5)
        ),
        "warmup_steps has the exponent -1, expected -1.5": lambda step, warmup_steps: float(
            min(step**-0.5, step / warmup_steps)
        ),
        "warmup_steps has the exponent 1.5, expected -1.5": lambda step, warmup_steps: float(
            min(step**-0.5, step * warmup_steps**1.5)
        ),
        "the step has the exponent 0.5, expected -0.5": lambda step, warmup_steps: float(
            min(step**0.5, step * warmup_steps**-1.5)
        ),
        "the steps are counted from 0: the rate is that of the previous step; expected the first step to be 1": (
            lambda step, warmup_steps: paper(step - 1, warmup_steps) if step > 1 else 0.0
        ),
        "the steps are counted from 0: the rate is that of the next step; expected the first step to be 1": (
            lambda step, warmup_steps: paper(step + 1, warmup_steps)
        ),
        "the rate rises for 4000 steps, whatever warmup_steps is": lambda step, warmup_steps: paper(step, 4000),
        "the rate falls as one over the step, expected one over its square root": lambda step, warmup_steps: float(
            min(1 / step, step * warmup_steps**-2)
        ),
        "after warmup_steps the rate stays constant": lambda step, warmup_steps: min(1.0, step / warmup_steps),
    }
    return {message: _over_peak(formula, want) for message, formula in formulas.items()}


@judge(
    _RISING,
    probe=probes.rising,
    points=1,
    hint="While step is smaller than warmup_steps, step · warmup_steps^-1.5 is the smaller of the two numbers.",
)
def rises(got: Any, want: Any) -> Verdict:
    """Steps up to warmup_steps, over the rate there."""
    return _named(got["ratios"], want["ratios"], _of_formulas(want))


@judge(
    _FALLING,
    probe=probes.falling,
    points=1,
    needs=(_RISING,),
    hint="Once step is larger than warmup_steps, step^-0.5 is the smaller of the two numbers.",
)
def falls(got: Any, want: Any) -> Verdict:
    """Steps behind warmup_steps, over the rate there."""
    return _named(got["ratios"], want["ratios"], _of_formulas(want))


@judge(
    _SCALE,
    probe=probes.scale,
    points=1,
    needs=(_RISING, _FALLING),
    hint="d_model^-0.5 is a factor before the smaller of the two: the larger the model, the smaller its learning rate.",
)
def scaled(got: Any, want: Any) -> Verdict:
    """The factor in front."""
    rates, d_model, warmup_steps = want["rates"], want["d_model"], want["warmup_steps"]
    factors = {
        "d_model^-0.5 is missing": d_model**0.5,
        "d_model has the exponent 0.5, expected -0.5": d_model,
        "d_model has the exponent -1, expected -0.5": d_model**-0.5,
        "the rate was divided by its maximum: at warmup_steps it is 1": (d_model * warmup_steps) ** 0.5,
    }
    return _named(
        got["rates"], rates, {message: [rate * factor for rate in rates] for message, factor in factors.items()}
    )


usual = judge(
    "without warmup_steps, the rate rises for 4000 steps",
    probe=probes.usual,
    points=1,
    hidden=True,
    needs=(_RISING, _FALLING, _SCALE),
    hint="The signature says warmup_steps: int = 4000. Leave it unchanged, and use the argument in the formula.",
)(close(rtol=_EXACT, atol=0.0))


@judge(
    "a step below 1 raises an error",
    probe=probes.refused,
    points=1,
    hidden=True,
    needs=(_RISING, _SCALE),
    hint="The first step is 1. Raise a ValueError for 0 and below, before anything is computed: a rate that is 0 "
    "or not a number would be noticed only much later.",
)
def refuses(got: Any, want: Any) -> Verdict:
    """ValueError for 0 and below, and a rate for 1."""
    for raised in got["raised"]:
        if raised != "ValueError":
            return failed(
                f"a step below 1 raised {raised:.60}, expected ValueError"
                if raised
                else "a step below 1 raised no error, expected ValueError"
            )
    return _named([got["rate"]], [want["rate"]], {})
