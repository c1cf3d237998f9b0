"""What is asked of `causal_mask`.

A mask of one length is always the same, and a right one could be written down number by number: so each is also looked at
through scores that are drawn, and lengths are drawn where all are asked for.
"""

from copy import deepcopy
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from autograder.declare import probe
from autograder.draw import Draw


def seen(mask: Any, draw: Draw, length: int) -> dict[str, Any]:
    """The mask, and what is seen through it of scores that are drawn; of a mask of another kind, nothing."""
    scores = draw.normal(length, length)
    fits = isinstance(mask, Tensor) and mask.dtype == torch.bool and mask.shape == scores.shape
    return {"mask": mask, "scores": scores * mask if fits else scores}


@probe("causal_mask")
def one_length(causal_mask, draw: Draw):
    """Five positions: each sees what is before it."""
    return seen(causal_mask(5), draw, 5)


@probe("causal_mask")
def itself(causal_mask, draw: Draw):
    """Four positions: each sees itself."""
    return seen(causal_mask(4), draw, 4)


@probe("causal_mask")
def lengths(causal_mask, draw: Draw):
    """One position alone and lengths that are drawn, each asked for again after the first mask was changed in place."""
    drawn, masks = [1, *draw.integers(2, 40, 3).tolist()], []
    for length in drawn:
        first = causal_mask(length)
        _flip(first)
        masks.append(seen(deepcopy(causal_mask(length)), draw, length))
        _flip(first)  # What the student's code remembers is as it was: a slip costs its points once.
    return {"lengths": drawn, "masks": masks}


def _flip(mask: Any) -> None:
    """Change it in place, as the caller may who owns it."""
    if isinstance(mask, Tensor):
        mask.logical_not_()


class Elsewhere(TorchFunctionMode):
    """Has a device that this machine need not have: what is asked for there is made here, and that it was is noted.

    The name is that of torch's own device for shapes without numbers, where some operations import for seconds before they run.
    """

    NAME = "meta"

    def __init__(self) -> None:
        super().__init__()
        self.was_named = False

    def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Call the function with every mention of the device turned into the CPU."""
        here = {name: self._here(value) for name, value in (kwargs or {}).items()}
        return function(*map(self._here, args), **here)

    def _here(self, value: Any) -> Any:
        if not isinstance(value, (str, torch.device)) or str(value) != self.NAME:
            return value
        self.was_named = True
        return torch.device("cpu")


@probe("causal_mask")
def device(causal_mask, draw: Draw):
    """A device that is named, as a string and as torch's object."""
    answers = {}
    for name, named in {"a string": Elsewhere.NAME, "torch.device": torch.device(Elsewhere.NAME)}.items():
        with Elsewhere() as elsewhere:
            mask = causal_mask(4, named)
        answers[name] = {"device was named": elsewhere.was_named, **seen(mask, draw, 4)}
    return answers
