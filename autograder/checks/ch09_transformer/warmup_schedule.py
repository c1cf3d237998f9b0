"""The checks of `warmup_schedule`."""

from functools import partial
from numbers import Real
from typing import Any

from torch import Tensor

from autograder.asking.draw import Draw
from autograder.asking.probing import MisuseError, note_slip
from autograder.asking.serialization import kind_of
from autograder.asking.usage import Use, in_use
from autograder.checks.ch08_self_attention.errors import error_of, not_refused
from autograder.declare import Exercise, check
from autograder.judging.compare import difference, is_close
from autograder.judging.verdict import Verdict, failed, passed

EXERCISE = Exercise("warmup_schedule", "a bonus: small steps first", minutes=10, difficulty=1)


@in_use(gradients=False, dtypes=False, devices=False)
def in_chapter(warmup_schedule, draw: Draw) -> Use:
    """The first steps, some near the top and one far behind it, after a shorter warm-up too; then with the usual one."""

    def call(steps: list[int], *sizes: int) -> list[float]:
        several = (sizes, (sizes[0], 300))
        return [1e3 * plain_number(warmup_schedule(step, *these)) for these in several for step in steps]

    near = draw.integers(300, 500, 4).tolist()
    return Use(call, ([1, 2, *near, 400, 401, 90_000], 96, 400), ([1, *near, 4000, 4001], 512))


def near(got: Any, want: Any) -> Verdict:
    """Compares numbers that may be smaller than what is usually left to rounding."""
    wrong = (name for name, right in want.items() if not is_close(got[name], right, rtol=1e-5, atol=0.0))
    return next((failed(f"{name}: {difference(got[name], want[name])}") for name in wrong), passed())


def plain_number(value: Any) -> float:
    """What a student's function returned, as a float; NumPy's numbers and whole numbers too.

    Raises:
        MisuseError: It is something else.
    """
    if isinstance(value, Tensor) and value.numel() == 1:
        note_slip(f"the rate is {kind_of(value)}, expected a plain number")
        value = value.item()
    if not isinstance(value, Real):
        raise MisuseError(f"the rate is {kind_of(value)}, expected a plain number")
    return float(value)


def _rates(warmup_schedule, steps: list[int], *sizes: int) -> dict[str, float]:
    """The rate at each step, by its name.

    Raises:
        MisuseError: A step is refused.
    """
    rates = {}
    for step in steps:
        try:
            rates[f"the rate at step {step}"] = plain_number(warmup_schedule(step, *sizes))
        except ValueError as error:
            raise MisuseError(f"step {step} raised a ValueError, expected a rate for every step from 1 on") from error
    return rates


def _sizes(draw: Draw) -> tuple[int, int]:
    """d_model and warmup_steps."""
    return int(draw.integers(50, 600)), int(draw.integers(100, 1000))


def _over_peak(warmup_schedule, steps: list[int], d_model: int, *warmup_steps: int) -> dict[str, float]:
    """Rates over the one at warmup_steps, or at step 4000 without it, so that no factor matters."""
    rates = _rates(warmup_schedule, steps, d_model, *warmup_steps)
    peak = plain_number(warmup_schedule(*(warmup_steps or (4000,)), d_model, *warmup_steps))
    if not peak:
        raise MisuseError("at step warmup_steps the rate is 0, expected the largest of all")
    return {f"{name}, divided by that at warmup_steps": rate / peak for name, rate in rates.items()}


@check(
    "up to warmup_steps the rate rises linearly, from step 1",
    points=1,
    compare=near,
    hint="While step is smaller than warmup_steps, step · warmup_steps^-1.5 is the smaller of the two numbers.",
)
def rising(warmup_schedule, draw: Draw):
    """Steps up to warmup_steps, the first among them."""
    d_model, warmup_steps = _sizes(draw)
    steps = [1, 2, int(draw.integers(5, 40)), warmup_steps // 2, warmup_steps - 1]
    return _over_peak(warmup_schedule, steps, d_model, warmup_steps)


@check(
    "after warmup_steps it falls as one over the square root of the step",
    points=1,
    needs=rising,
    compare=near,
    hint="Once step is larger than warmup_steps, step^-0.5 is the smaller of the two numbers.",
)
def falling(warmup_schedule, draw: Draw):
    """Steps behind warmup_steps."""
    d_model, warmup_steps = _sizes(draw)
    steps = [warmup_steps + 1, warmup_steps + int(draw.integers(5, 40)), 2 * warmup_steps, 9 * warmup_steps]
    return _over_peak(warmup_schedule, steps, d_model, warmup_steps)


@check(
    "the rates are right for the size of the model",
    points=1,
    needs=(rising, falling),
    compare=near,
    hint="d_model^-0.5 is a factor before the smaller of the two: the larger the model, the smaller its learning rate.",
)
def scale(warmup_schedule, draw: Draw):
    """The rates themselves."""
    d_model, warmup_steps = _sizes(draw)
    return _rates(warmup_schedule, [warmup_steps // 3, 3 * warmup_steps], d_model, warmup_steps)


@check(
    "without warmup_steps, the rate rises for 4000 steps",
    points=1,
    hidden=True,
    needs=(rising, falling, scale),
    compare=near,
    hint="The signature says warmup_steps: int = 4000. Leave it unchanged, and use the argument in the formula.",
)
def usual(warmup_schedule, draw: Draw):
    """The call without a number of steps, over another such call, so that no factor matters."""
    step, d_model = int(draw.integers(100, 3000)), int(draw.integers(50, 600))
    return _over_peak(warmup_schedule, [step, step + 4000], d_model)


@check(
    "a step below 1 raises an error",
    points=1,
    needs=rising,
    hint="The first step is 1. Raise a ValueError for 0 and below, before anything is computed: a rate that is 0 "
    "or not a number would be noticed only much later.",
)
def refused(warmup_schedule, draw: Draw):
    """The step 0, a step below it, and steps that there are, which raise nothing."""
    d_model, warmup_steps = _sizes(draw)
    refuses, takes = (0, -int(draw.integers(1, 9))), (1, int(draw.integers(2, 2000)))

    def raised(steps: tuple[int, ...]) -> dict[str, str]:
        return {f"step {step}": error_of(partial(warmup_schedule, step, d_model, warmup_steps)) for step in steps}

    return {"refused": raised(refuses), "taken": raised(takes)}


refused.explain(not_refused)
