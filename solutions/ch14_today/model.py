"""The released model on this chapter's parts, for the experiments that are run beforehand."""

from __future__ import annotations

from functools import cache

from seqlab.llama import Llama, Parts, assemble
from seqlab.smollm import HOW_TO_GET, SmolLM, find_smollm

from .attention import GroupedQueryAttention
from .feed_forward import SwiGLU
from .norm import RMSNorm
from .quantization import dequantize_q4_1
from .rotary import rotate

PARTS = Parts(RMSNorm, GroupedQueryAttention, SwiGLU, rotate)


@cache
def smollm() -> SmolLM:
    """The model's file, opened once a process.

    Raises:
        ValueError: It is not installed.
    """
    path = find_smollm()
    if path is None:
        raise ValueError(HOW_TO_GET)
    return SmolLM(path)


@cache
def assembled() -> Llama:
    """The model, put together once a process."""
    return assemble(smollm().shape, PARTS, smollm().weights(dequantize_q4_1))
