"""Plain data: what probes may return, and how it crosses from a student's process.

A tree of None, booleans, numbers, strings, lists, string-keyed dicts and tensors. On the wire it is JSON with the tensors
beside it in safetensors form, never pickle: whatever arrives is data and runs nothing.
"""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass
from typing import Any

import torch
from safetensors import SafetensorError, TensorSpec, serialize
from safetensors.torch import load
from torch import Tensor

_MARK = "$"
_TENSOR = f"{_MARK}tensor"
_FOREIGN = f"{_MARK}foreign"
_MAX_DEPTH = 20
_MAX_BITS = 64
_MAX_NAME = 80
_DTYPES = frozenset(
    {torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64}
    | {torch.float16, torch.bfloat16, torch.float32, torch.float64}
)


class NotPlainError(ValueError):
    """Data that is not a tree of plain values, or bytes that do not hold one."""


@dataclass(frozen=True)
class Foreign:
    """Replaces a returned value whose type is not plain data."""

    type_name: str


def to_plain(value: Any, depth: int = 0) -> Any:
    """The value as plain data: tensors detached, copied and on the CPU; whatever is not plain as `Foreign`."""
    if value is None or type(value) in (bool, float, str, Foreign):
        return value
    if type(value) is int:
        return value if value.bit_length() < _MAX_BITS else Foreign("int of more than 64 bits")
    if isinstance(value, Tensor):
        if value.layout != torch.strided or value.dtype not in _DTYPES:
            return Foreign(f"{_short(value.dtype)} tensor, {_short(value.layout)}")
        with torch._C.DisableTorchFunction():  # It is faster where calls are watched.
            return Tensor.detach(value).cpu().clone(memory_format=torch.contiguous_format)
    if depth < _MAX_DEPTH:
        if isinstance(value, (list, tuple)):
            return [to_plain(item, depth + 1) for item in value]
        if isinstance(value, dict) and all(type(name) is str for name in value):
            return {name: to_plain(item, depth + 1) for name, item in value.items()}
    return Foreign(type(value).__name__[:_MAX_NAME])


def kind_of(value: Any) -> str:
    """What kind of thing the value is, in words."""
    if isinstance(value, Tensor):
        dtype = _short(value.dtype)
        return f"a{'n' * dtype.startswith('int')} {dtype} tensor of shape {tuple(value.shape)}"
    if isinstance(value, Foreign):
        return f"of type {value.type_name[:_MAX_NAME]}"
    if isinstance(value, (list, tuple, set, frozenset, dict)):
        return f"a {type(value).__name__[:_MAX_NAME]} of {len(value)}"
    return "None" if value is None else f"of type {type(value).__name__[:_MAX_NAME]}"


def _short(name: torch.dtype | torch.layout) -> str:
    return str(name).removeprefix("torch.")


def encode(tree: Any) -> bytes:
    """The plain tree as bytes."""
    text_tree, tensors = split(tree)
    text = json.dumps(text_tree).encode()
    kept = {name: tensor.contiguous() for name, tensor in tensors.items()}  # For as long as their memory is read.
    return (
        struct.pack("<I", len(text)) + text + bytes(serialize({name: _spec(tensor) for name, tensor in kept.items()}))
    )


def _spec(tensor: Tensor) -> TensorSpec:
    """The tensor as safetensors' `serialize` takes it: its own `save` for torch takes ten times as long for a small one."""
    dtype = _short(tensor.dtype)
    return TensorSpec(dtype=dtype, shape=tensor.shape, data_ptr=tensor.data_ptr(), data_len=tensor.nbytes)


def decode(data: bytes) -> Any:
    """The tree that `encode` wrote.

    Raises:
        NotPlainError: The bytes are malformed. They may come from a hostile process.
    """
    try:
        (length,) = struct.unpack_from("<I", data)
        tree = json.loads(data[4 : 4 + length])
        return join(tree, load(data[4 + length :]))
    except (
        struct.error,
        ArithmeticError,
        AssertionError,
        LookupError,
        MemoryError,
        RuntimeError,
        SafetensorError,
        TypeError,
        ValueError,
    ) as error:
        raise NotPlainError(f"malformed data: {type(error).__name__}") from error


def split(tree: Any) -> tuple[Any, dict[str, Tensor]]:
    """The tree with a name in the place of each tensor, fit for JSON, and the tensors by those names."""
    tensors: dict[str, Tensor] = {}
    return _strip(tree, tensors), tensors


def _strip(tree: Any, tensors: dict[str, Tensor]) -> Any:
    if isinstance(tree, Tensor):
        name = str(len(tensors))
        tensors[name] = tree
        return {_TENSOR: name}
    if isinstance(tree, Foreign):
        return {_FOREIGN: tree.type_name}
    if isinstance(tree, list):
        return [_strip(item, tensors) for item in tree]
    if isinstance(tree, dict):
        return {_escape(name): _strip(item, tensors) for name, item in tree.items()}
    return tree


def join(tree: Any, tensors: dict[str, Tensor]) -> Any:
    """The tree that `split` took apart."""
    if isinstance(tree, list):
        return [join(item, tensors) for item in tree]
    if isinstance(tree, dict):
        if _TENSOR in tree:
            return tensors[tree[_TENSOR]]
        if _FOREIGN in tree:
            return Foreign(str(tree[_FOREIGN]))
        return {name.removeprefix(_MARK): join(item, tensors) for name, item in tree.items()}
    return tree


def _escape(name: str) -> str:
    """The key of a dict such that it is not taken for the mark of a tensor."""
    return _MARK + name if name.startswith(_MARK) else name
