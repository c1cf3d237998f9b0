"""What is right about `causal_mask`, and what is said when it is not."""

from typing import Any

import torch

from autograder.checks.ch05_attention.judges.squares import beside_diagonal
from autograder.checks.ch05_attention.probes import causal_mask as probes
from autograder.compare import difference, is_close
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_OTHERS = "each position may attend to all positions before it and to none after it"
_ITSELF = "each position may attend to itself"
_LENGTHS = "any length works, and each call returns a new mask"


@judge(
    _OTHERS,
    probe=probes.one_length,
    points=1,
    hint="Write down the mask for three positions by hand: a row for each position t that attends, a column for each "
    "position i, and True where t may attend to i. The mask is a bool tensor (T, T), the same for any batch.",
)
def sees_the_past(got: Any, want: Any) -> Verdict:
    """What is beside the diagonal."""
    mask, right = beside_diagonal(got["mask"]), beside_diagonal(want["mask"])
    if not torch.equal(mask, right):
        if torch.equal(mask, right | right.T):
            return failed("the mask hides nothing: every position may also attend to those after it")
        if not mask.any():
            return failed("no position may attend to those before it")
        if torch.equal(mask, right.T):
            return failed(
                "the mask is True where i > t and False where i < t: each position may attend to those after it and to "
                "none before it. Either rows and columns are swapped, or True is used for hidden positions"
            )
        t, i = (mask != right).nonzero()[0].tolist()
        is_after = "comes after" if i > t else "comes before"
        return failed(f"the mask is {bool(mask[t, i])} at t = {t}, i = {i}, where position {i} {is_after} position {t}")
    return passed() if _past_is_close(got, want) else failed(difference(got["scores"], want["scores"]))


def _past_is_close(got: Any, want: Any) -> bool:
    """Whether the mask and what is seen through it are right beside the diagonal."""
    return all(is_close(beside_diagonal(got[name]), beside_diagonal(want[name])) for name in ("mask", "scores"))


@judge(
    _ITSELF,
    probe=probes.itself,
    points=1,
    needs=(_OTHERS,),
    hint="i ≤ t is true where i and t are equal. Look at the diagonal of your mask.",
)
def sees_itself(got: Any, want: Any) -> Verdict:
    """The diagonal."""
    if is_close(got, want):
        return passed()
    diagonal = got["mask"].diagonal()
    if not diagonal.any():
        return failed("the diagonal of the mask is False: no position may attend to itself")
    if not diagonal.all():
        return failed(f"position {(~diagonal).nonzero()[0].item()} may not attend to itself")
    return failed(difference(got, want))


@judge(
    _LENGTHS,
    probe=probes.lengths,
    points=1,
    hidden=True,
    needs=(_OTHERS,),
    hint="Take every size from length. A single position has a mask of shape (1, 1). And make a new mask at each "
    "call: if a caller changes a mask in place, the next call must not return the changed one.",
)
def any_length(got: Any, want: Any) -> Verdict:
    """Masks of several lengths, each made after one of the same length was changed."""
    for length, mine, right in zip(want["lengths"], got["masks"], want["masks"], strict=True):
        if not _past_is_close(mine, right):
            return failed(
                f"the mask of length {length} is wrong after an earlier mask of this length was changed in place"
            )
    return passed()


@judge(
    "the mask is made on the given device",
    probe=probes.device,
    points=1,
    hidden=True,
    needs=(_OTHERS, _LENGTHS),
    hint=(
        "torch's functions that make a tensor take device=...; pass on your argument, because scores on a GPU need "
        "their mask on the GPU."
    ),
)
def on_device(got: Any, want: Any) -> Verdict:
    """That the device is handed on, and that the mask is right."""
    for name, right in want.items():
        if not got[name]["device was named"]:
            return failed(f"the device was given as {name}, but it was not passed on to any torch function")
        if not _past_is_close(got[name], right):
            return failed(difference(got[name], right))
    return passed()
