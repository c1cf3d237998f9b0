"""The checks of `clip_gradients_`."""

import math
from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, nn

from autograder.asking.draw import Draw
from autograder.asking.probing import numbers_in, plain_number
from autograder.asking.rules import CLIPPING
from autograder.asking.usage import Use, in_use
from autograder.declare import Exercise, check
from autograder.judging.compare import close, is_close
from autograder.judging.verdict import Verdict, passed

EXERCISE = Exercise(
    "clip_gradients_", "a limit on the norm of the gradient", minutes=15, difficulty=2, forbids=(CLIPPING,)
)


@in_use(gradients=False, devices=False)
def in_chapter(clip_gradients_, draw: Draw) -> Use:
    """A norm below 1 that is too long all the same, one above 1 that is a little too long, one that is short enough.

    The gradients stay the same tensors. One of the parameters has no gradient, one is frozen, and two have the same shape, as those of a recurrent network do.
    """

    def call(whole: float, max_norm: float, *grads: Tensor) -> dict[str, Any]:
        parameters: list[Any] = [torch.zeros_like(grad, requires_grad=True) for grad in grads]
        for parameter, grad in zip(parameters, grads, strict=True):
            parameter.grad = grad.clone()
        parameters[-1].requires_grad_(requires_grad=False)
        parameters.insert(2, torch.zeros(4, requires_grad=True))
        held = [(parameter, parameter.grad) for parameter in parameters if parameter.grad is not None]
        norm = clipped(clip_gradients_, iter(parameters), max_norm)
        return {
            "the norm": torch.tensor(norm),
            "each grad is the tensor that it was, changed in place": all(p.grad is grad for p, grad in held),
            f"the gradients, of norm {whole:.4g} where {max_norm:g} is allowed": [
                grad.float()
                for _, grad in held  # Torch's own adds 1e-6 to the norm.
            ],
        }

    def given(whole: float, max_norm: float) -> tuple[Any, ...]:
        return whole, max_norm, *of_norm(draw, whole, (3, 5), (7,), (7,), (2, 2, 2), (5, 3), (7, 3), (1,))

    return Use(call, given(0.6, 0.4), given(23.0, 20.0), last=given(0.03173, 20.0))


def parameter(draw: Draw, grad: Tensor | None) -> nn.Parameter:
    """A parameter with this gradient, or without any."""
    shape = (2,) if grad is None else tuple(grad.shape)
    made = nn.Parameter(draw.normal(*shape, dtype=torch.float32 if grad is None else grad.dtype))
    made.grad = None if grad is None else grad.clone(memory_format=torch.preserve_format)
    return made


def clipped(clip_gradients_, parameters: Iterable[nn.Parameter], max_norm: float) -> Any:
    """The norm that comes back."""
    return plain_number(numbers_in(clip_gradients_(parameters, max_norm), "expected a number, and the norm is"))


def of_norm(draw: Draw, norm: float, *shapes: tuple[int, ...]) -> list[Tensor]:
    """Gradients of these shapes that have this norm, because their squares add up to its square."""
    sizes = [math.prod(shape) for shape in shapes]
    shares = draw.normal(sum(sizes), dtype=torch.float64).softmax(dim=0)
    numbers = (norm * shares.sqrt() * draw.normal(sum(sizes)).sign()).float().split(sizes)
    return [part.reshape(shape) for part, shape in zip(numbers, shapes, strict=True)]


def but_for_length(got: dict[str, Any], want: dict[str, Any]) -> Verdict:
    """Close, where the gradients may all be longer or shorter by one factor, if they are shorter than before: how long is another check's business."""
    mine, right, before = (
        torch.cat([grad.double().flatten() for grad in grads])
        for grads in (got["grads"], want["grads"], want["before"])
    )
    is_shorter = mine.norm() < 0.99 * before.norm()
    is_parallel = is_close(mine / mine.norm(), right / right.norm(), rtol=5e-3, atol=1e-3)
    return passed() if is_shorter and is_parallel else close("grads")(got, want)


def between(draw: Draw, low: float, high: float) -> float:
    """A number that is drawn between the two."""
    return low + (high - low) * float(draw.integers(0, 1000)) / 1000


def far_too_long(draw: Draw, *shapes: tuple[int, ...]) -> tuple[list[Tensor], float]:
    """Gradients of these shapes, and a largest norm that is below any norm of theirs, and above 1."""
    return of_norm(draw, between(draw, 6.0, 9.0), *shapes), between(draw, 1.1, 1.5)


def shorter(draw: Draw, *shapes: tuple[int, ...]) -> tuple[list[Tensor], float]:
    """Gradients of these shapes, and a largest norm that is a fraction of theirs."""
    norm = between(draw, 6.0, 9.0)
    return of_norm(draw, norm, *shapes), norm * between(draw, 0.2, 0.6)


@check(
    "the result is the norm of the gradient",
    reads=("norm",),
    points=1,
    hint="The norm of a gradient is the root of the sum of the squares of all its components, whatever its shape. Use p.grad, "
    "not p.",
)
def nothing_to_clip(clip_gradients_, draw: Draw):
    """One matrix, far shorter than what is allowed: the norm that comes back, and the gradient afterwards."""
    [grad] = of_norm(draw, between(draw, 2.0, 5.0), (3, 4))
    own = parameter(draw, grad)
    norm = clipped(clip_gradients_, [own], between(draw, 100.0, 120.0))
    return {"norm": norm, "grad": own.grad}


@check(
    "a gradient whose norm is above max_norm is scaled down to max_norm, and keeps its direction",
    reads=("grad",),
    points=2,
    needs=nothing_to_clip,
    hint="By what single number must you multiply all components of a vector of length 5 so that its length is 1? "
    "And so that it is max_norm? Change p.grad itself, in place.",
)
def too_long(clip_gradients_, draw: Draw):
    """One matrix, longer than what is allowed: its gradient afterwards, and the norm that comes back."""
    [grad], largest = shorter(draw, (3, 4))
    own = parameter(draw, grad)
    norm = clipped(clip_gradients_, [own], largest)
    return {"norm": norm, "grad": own.grad, "before": grad}


@too_long.explain
def unchanged(got, want):
    """Nothing has happened to the gradient."""
    if not is_close(got["grad"], want["before"]):
        return None
    return (
        "the gradient has not changed. Was p.grad itself changed, and not p or a copy? Is the comparison with max_norm the right way "
        "round?"
    )


@too_long.explain
def length(got, want):
    """How long it is now."""
    norm, largest = (answer["grad"].norm() for answer in (got, want))
    if is_close(norm, largest):
        return "the gradient has the right norm now, but its direction has changed"
    told = f"the norm of the gradient is {norm:.4g} now, expected {largest:.4g}"
    is_near = 0.98 * largest < norm < largest
    return told + ": is a number added to the norm before the division, or the factor rounded?" * is_near


before_clipping = check(
    "the norm that is returned is the one before clipping",
    reads=("norm",),
    points=1,
    needs=nothing_to_clip,
    hint="During training, it is worth monitoring the norm of the gradient, so keep the one from before clipping.",
)(too_long)


left_alone = check(
    "a gradient whose norm is small enough is left alone",
    reads=("grad",),
    points=1,
    needs=nothing_to_clip,
    hint="Clipping sets an upper limit; it does not scale every gradient to the same norm. Is there anything to do when the "
    "norm is below max_norm?",
)(nothing_to_clip)


@left_alone.explain
def multiple(got, want):
    """It has another length and the same direction."""
    grown = got["grad"].norm() / want["grad"].norm()
    if not is_close(got["grad"], grown * want["grad"]):
        return None
    how = "longer" if grown > 1 else "shorter"
    return f"a gradient that was shorter than max_norm was made {how}: {grown:.3g} times as long as before"


@check(
    "all parameters share one norm and one factor",
    reads=("norm", "grads"),
    points=2,
    needs=(nothing_to_clip, too_long, before_clipping),
    hint="Think of all gradients laid end to end as one long vector. Its norm is the root of the sum of all squares, and one "
    "factor scales the whole vector, so that the step keeps its direction.",
)
def several(clip_gradients_, draw: Draw):
    """Three parameters, each of them shorter than what is allowed, and longer all together."""
    grads = [*of_norm(draw, 1.0, (3, 4)), *of_norm(draw, 1.4, (12,)), *of_norm(draw, 1.1, (2, 2, 3))]
    own, largest = [parameter(draw, grad) for grad in grads], between(draw, 1.45, 1.65)
    norm = clipped(clip_gradients_, own, largest)
    return {"norm": norm, "grads": [p.grad for p in own], "before": grads}


@several.explain
def factors(got, want):
    """What each gradient was multiplied by."""
    grads, before = got["grads"], want["before"]
    if is_close(grads, before):
        return "nothing was clipped: each gradient alone is shorter than max_norm, but all of them together are longer"
    each = [float((grad / old).mean()) for grad, old in zip(grads, before, strict=True)]
    scaled = [factor * old for factor, old in zip(each, before, strict=True)]
    if max(each) - min(each) < 1e-3 or not is_close(grads, scaled):
        return None
    told = ", ".join(f"{factor:.3f}" for factor in each)
    return f"the gradients of the three parameters were multiplied by {told}; expected one factor for all"


@check(
    "parameters without a gradient are skipped",
    points=1,
    hidden=True,
    needs=(nothing_to_clip, too_long, several),
    compare=but_for_length,
    hint="The gradient of a frozen or unused parameter is None, which has no norm and cannot be scaled.",
)
def without_gradient(clip_gradients_, draw: Draw):
    """Frozen parameters stand among the others, the first among them."""
    grads, largest = far_too_long(draw, (4,), (2, 3))
    own = [parameter(draw, grad) for grad in (None, grads[0], None, grads[1])]
    clipped(clip_gradients_, own, largest)
    return {"grads": [own[1].grad, own[3].grad], "before": grads}


@check(
    "the parameters are iterated over only once",
    points=1,
    hidden=True,
    needs=(nothing_to_clip, too_long, several),
    compare=but_for_length,
    hint="module.parameters() is a generator: after one loop it is empty, and a second loop over it does nothing. "
    "Keep the parameters in a list if you need them again.",
)
def gone_through_once(clip_gradients_, draw: Draw):
    """The parameters come as `module.parameters()` gives them: they can be gone through only once."""
    layer = nn.Linear(4, 3)
    grads, largest = far_too_long(draw, *(own.shape for own in layer.parameters()))
    for own, grad in zip(layer.parameters(), grads, strict=True):
        own.grad = grad.clone()
    clipped(clip_gradients_, layer.parameters(), largest)
    return {"grads": [own.grad for own in layer.parameters()], "before": grads}


def _nothing_and_but_for_length(got: Any, want: Any) -> Verdict:
    """What comes of zeros and of no gradient, and then the direction of others."""
    verdict = close("norm of zeros", "gradient of zeros", "norm of none", "gradient of none")(got, want)
    return but_for_length(got, want) if verdict.ok else verdict


@check(
    "gradients of zeros, and no gradient at all, cause no errors",
    points=1,
    hidden=True,
    needs=(nothing_to_clip, too_long, before_clipping, left_alone),
    compare=_nothing_and_but_for_length,
    hint="If the norm is 0, you divide by 0, and 0 times infinity is NaN. Without any gradient, the norm is 0.",
)
def nothing_at_all(clip_gradients_, draw: Draw):
    """Gradients of zeros, then no gradient, then ones that are too long."""
    found: dict[str, Any] = {}
    for name, grad in {"of zeros": torch.zeros(4), "of none": None}.items():
        own = parameter(draw, grad)
        found[f"norm {name}"] = clipped(clip_gradients_, [own], 0.5)
        found[f"gradient {name}"] = own.grad
    grads, largest = far_too_long(draw, (4,))
    own = parameter(draw, grads[0])
    clipped(clip_gradients_, [own], largest)
    return {**found, "grads": [own.grad], "before": grads}


def _in_each_type(got: Any, want: Any) -> Verdict:
    """The direction of each."""
    verdicts = (but_for_length(got[name], want[name]) for name in want)
    return next((verdict for verdict in verdicts if not verdict.ok), passed())


@check(
    "gradients of another dtype, or not contiguous in memory, are clipped too",
    points=1,
    needs=(nothing_to_clip, too_long, several),
    compare=_in_each_type,
    hint="view needs a tensor that is contiguous in memory; flatten and reshape do not. Parameters may have different dtypes, such "
    "as float32 and float64. And in half precision, the square of a number above 255 is infinite.",
)
def layouts(clip_gradients_, draw: Draw):
    """Double precision, and gradients whose numbers do not lie side by side; then large numbers in half precision."""
    (first, second), largest = far_too_long(draw, (4, 3), (3, 4, 2))
    found = {}
    for name, grads, most in (
        ("some that are not contiguous", [first.double().T, second.transpose(0, 2)], largest),
        ("half", [grad.half() for grad in of_norm(draw, 2000.0, (4, 3), (6,))], between(draw, 300.0, 400.0)),
    ):
        own = [parameter(draw, grad) for grad in grads]
        clipped(clip_gradients_, own, most)
        found[name] = {"grads": [each.grad for each in own], "before": grads}
    return found
