"""What is asked of `warmup_schedule`."""

from numbers import Real
from typing import Any

from torch import Tensor

from autograder.declare import probe
from autograder.draw import Draw
from autograder.plain import kind_of
from autograder.probing import MisuseError, note_slip


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


def _rates(warmup_schedule, steps: list[int], d_model: int, warmup_steps: int) -> list[float]:
    return [plain_number(warmup_schedule(step, d_model, warmup_steps)) for step in steps]


def _sizes(draw: Draw) -> tuple[int, int]:
    """d_model and warmup_steps."""
    return int(draw.integers(50, 600)), int(draw.integers(100, 1000))


def _over_peak(warmup_schedule, steps: list[int], d_model: int, warmup_steps: int) -> list[float]:
    """Rates over the one at warmup_steps, so that no factor matters."""
    *rates, peak = _rates(warmup_schedule, [*steps, warmup_steps], d_model, warmup_steps)
    if not peak:
        raise MisuseError("at step warmup_steps the rate is 0, expected the largest of all")
    return [rate / peak for rate in rates]


@probe("warmup_schedule")
def rising(warmup_schedule, draw: Draw):
    """Steps up to warmup_steps, the first among them."""
    d_model, warmup_steps = _sizes(draw)
    steps = [1, 2, int(draw.integers(5, 40)), warmup_steps // 2, warmup_steps - 1]
    ratios = _over_peak(warmup_schedule, steps, d_model, warmup_steps)
    return {"ratios": ratios, "steps": steps, "warmup_steps": warmup_steps}


@probe("warmup_schedule")
def falling(warmup_schedule, draw: Draw):
    """Steps behind warmup_steps."""
    d_model, warmup_steps = _sizes(draw)
    steps = [warmup_steps + 1, warmup_steps + int(draw.integers(5, 40)), 2 * warmup_steps, 9 * warmup_steps]
    ratios = _over_peak(warmup_schedule, steps, d_model, warmup_steps)
    return {"ratios": ratios, "steps": steps, "warmup_steps": warmup_steps}


@probe("warmup_schedule")
def scale(warmup_schedule, draw: Draw):
    """The rates themselves."""
    d_model, warmup_steps = _sizes(draw)
    steps = [warmup_steps // 3, 3 * warmup_steps]
    rates = _rates(warmup_schedule, steps, d_model, warmup_steps)
    return {"rates": rates, "d_model": d_model, "warmup_steps": warmup_steps}


@probe("warmup_schedule")
def usual(warmup_schedule, draw: Draw):
    """The call without a number of steps."""
    step, d_model = int(draw.integers(100, 3000)), int(draw.integers(50, 600))
    return {"rates": [plain_number(warmup_schedule(at, d_model)) for at in (step, step + 4000)]}


@probe("warmup_schedule")
def refused(warmup_schedule, draw: Draw):
    """The step 0, a step below it, and a step that there is."""
    d_model, warmup_steps = _sizes(draw)
    raised = []
    for step in (0, -int(draw.integers(1, 9))):
        try:
            warmup_schedule(step, d_model, warmup_steps)
            raised.append("")
        except Exception as error:  # noqa: BLE001 - whatever the student's code raises
            raised.append(type(error).__name__)
    return {"raised": raised, "rate": _rates(warmup_schedule, [1], d_model, warmup_steps)[0]}
