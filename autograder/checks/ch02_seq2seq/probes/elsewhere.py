"""A second device where there is none, to see whether a function makes its new tensors where its arguments are."""

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

_NAME = "meta"  # Torch's own device of this name keeps no numbers; it is not used here.
_TAKE_FROM_ANY = (Tensor.to, Tensor.type_as, Tensor.copy_, Tensor.__setitem__)


class Elsewhere(TorchFunctionMode):
    """Lets tensors of the CPU pass for tensors of another device: those that are there bear a mark.

    What is computed from marked tensors is marked, and so is what is made on the device or sent there. Of a marked and an
    unmarked tensor nothing can be computed, unless one is a single number: as torch has it with two devices.
    """

    @staticmethod
    def put(tensor: Tensor) -> Tensor:
        """A copy of the tensor on the device."""
        return _mark(tensor.clone())

    @staticmethod
    def has(value: Any) -> bool:
        """Whether it is a tensor on the device."""
        return isinstance(value, Tensor) and getattr(value, "is_elsewhere", False)

    def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Call the function with every mention of the device turned into the CPU, and mark what is made there."""
        kwargs = kwargs or {}
        tensors = [leaf for leaf in _leaves((args, kwargs)) if isinstance(leaf, Tensor)]
        if function == Tensor.device.__get__:
            return torch.device(_NAME) if self.has(tensors[0]) else function(*args)
        sides = {self.has(tensor) for tensor in tensors if tensor.dim()}
        if len(sides) == 2 and function not in _TAKE_FROM_ANY:
            raise RuntimeError(f"Expected all tensors to be on the same device, but found two devices, {_NAME} and cpu")
        result = function(*map(_here, args), **{name: _here(value) for name, value in kwargs.items()})
        is_there = self._is_made_there(
            function, tensors, [leaf for leaf in _leaves((args, kwargs)) if _is_device(leaf)]
        )
        if any(result is tensor and self.has(tensor) != is_there for tensor in tensors):
            result = result.clone()
        for made in _leaves(result):
            if is_there and isinstance(made, Tensor):
                _mark(made)
        return result

    def _is_made_there(self, function: Any, tensors: list[Tensor], named: list[Any]) -> bool:
        """Whether the function's result is on the device, by the device that was named, or else by its tensors."""
        if named or function == Tensor.cpu:
            return _NAME in map(str, named)
        return any(map(self.has, tensors[-1:] if function in _TAKE_FROM_ANY[:2] else tensors))


def _mark(tensor: Tensor) -> Tensor:
    tensor.is_elsewhere = True  # type: ignore[attr-defined]
    return tensor


def _is_device(value: Any) -> bool:
    return isinstance(value, (str, torch.device)) and str(value) in (_NAME, "cpu")


def _here(value: Any) -> Any:
    """The CPU in the place of a device."""
    return torch.device("cpu") if _is_device(value) else value


def _leaves(tree: Any) -> Iterator[Any]:
    """What stands in tuples, lists and dicts, however deep."""
    if isinstance(tree, dict):
        tree = tuple(tree.values())
    if isinstance(tree, (tuple, list)):
        for item in tree:
            yield from _leaves(item)
    else:
        yield tree
