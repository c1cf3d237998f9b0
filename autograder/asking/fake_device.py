"""A simulated second device, to see whether a student's code keeps to the device of its arguments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

_NAME = "meta"  # Torch's own device of this name keeps no numbers; it is not used here.
_TAKE_FROM_ANY = (Tensor.to, Tensor.type_as, Tensor.copy_, Tensor.__setitem__)
_LOOK_AT_SHAPES = (Tensor.expand_as, Tensor.view_as, Tensor.reshape_as, torch.broadcast_tensors)
_RETURN_COUNTS = frozenset({"_pack_padded_sequence", "_pad_packed_sequence"})
_TAKE_COUNTS = _RETURN_COUNTS | {"gru", "lstm", "rnn_tanh", "rnn_relu"}
"""The functions of torch whose counts are on the CPU, on whichever device the numbers are."""


class Elsewhere(TorchFunctionMode):
    """Lets CPU tensors pass for tensors on another device: those that are on it carry a mark.

    What is computed from marked tensors is marked, and so is what is made on the device or sent there. Nothing can be
    computed from a marked and an unmarked tensor together, unless one is a single number or an index: these are torch's
    rules for two devices.
    """

    @staticmethod
    def put(tensor: Tensor) -> Tensor:
        """A copy of the tensor on the device."""
        return _mark(tensor.clone())

    @staticmethod
    def move(module: nn.Module) -> None:
        """Put the weights and buffers of a module on the device, as they are."""
        for tensor in (*module.parameters(), *module.buffers()):
            _mark(tensor)

    @staticmethod
    def has(value: Any) -> bool:
        """Whether it is a tensor on the device, or, like what `torch.vmap` gives back, a view of one."""
        if not isinstance(value, Tensor):
            return False
        tensor = _unwrapped(value)
        return hasattr(tensor, "is_elsewhere") or hasattr(tensor._base, "is_elsewhere")

    def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Call the function with every mention of the device turned into the CPU, and mark what is made there."""
        kwargs = kwargs or {}
        if function is torch.device:
            return function(*args, **kwargs)
        leaves = list(_leaves((args, kwargs)))
        tensors = [leaf for leaf in leaves if isinstance(leaf, Tensor)]
        if function == Tensor.device.__get__:
            return torch.device(_NAME) if self.has(tensors[0]) else function(*args)
        self._refuse(function, tensors)
        result = function(*map(_here, args), **{name: _here(value) for name, value in kwargs.items()})
        if function == Tensor.__iter__:
            result = tuple(result)
        is_there = self._is_made_there(function, args, tensors, [leaf for leaf in leaves if _is_device(leaf)])
        is_given = any(result is tensor for tensor in tensors)
        if isinstance(result, Tensor) and self.has(result) != is_there and (is_given or not is_there):
            result = result.clone()
        if is_there:
            for made in _leaves(result[:1] if _name(function) in _RETURN_COUNTS else result):
                if isinstance(made, Tensor):
                    _mark(made)
        return iter(result) if function == Tensor.__iter__ else result

    def _refuse(self, function: Any, tensors: list[Tensor]) -> None:
        """Raise what torch raises where a function gets tensors of two devices that it cannot take together."""
        if function in _TAKE_FROM_ANY or function in _LOOK_AT_SHAPES:
            return
        if _name(function) in _TAKE_COUNTS:
            if _name(function) == "_pack_padded_sequence" and self.has(tensors[1]):
                raise RuntimeError(
                    "'lengths' argument should be a 1D CPU int64 tensor, but got a tensor of another device"
                )
            tensors = [tensor for tensor in tensors if tensor.is_floating_point()]
        if function == Tensor.__getitem__ and self.has(tensors[0]):
            return
        if len({self.has(tensor) for tensor in tensors if tensor.dim()}) == 2:
            raise RuntimeError(f"Expected all tensors to be on the same device, but found two devices, {_NAME} and cpu")

    def _is_made_there(self, function: Any, args: Any, tensors: list[Tensor], named: list[Any]) -> bool:
        """Whether the function's result is on the device, by the device that was named, or else by its tensors."""
        if named or function == Tensor.cpu:
            return _NAME in map(str, named)
        if function in (torch.tensor, torch.as_tensor) and args and isinstance(args[0], (list, tuple)):
            return False
        if function in (*_TAKE_FROM_ANY[2:], *_LOOK_AT_SHAPES, Tensor.__getitem__):
            return any(map(self.has, tensors[:1]))
        return any(map(self.has, tensors[-1:] if function in _TAKE_FROM_ANY else tensors))


def _name(function: Any) -> str:
    return getattr(function, "__name__", "")


def _mark(tensor: Tensor) -> Tensor:
    _unwrapped(tensor).is_elsewhere = True  # type: ignore[attr-defined]
    return tensor


def _unwrapped(tensor: Tensor) -> Tensor:
    """What is inside the wrappers by which `torch.vmap` and `torch.func` know a tensor."""
    while torch._C._functorch.is_functorch_wrapped_tensor(tensor):
        tensor = torch._C._functorch.get_unwrapped(tensor)
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
