"""What the probes of several exercises ask of a shape, so that one slip in it is not a slip in everything."""

from typing import Any

from torch import Size, Tensor


def in_shape(value: Any, *shape: int) -> Any:
    """The tensor in this shape if it has as many numbers: a lost dimension is another check's business."""
    same = isinstance(value, Tensor) and value.numel() == Size(shape).numel()
    return value.reshape(shape) if same else value
