"""Runs a probe on a student's object, or on the reference, and brings back plain data or what went wrong."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from autograder.declare import Check, Probe, key
from autograder.draw import PUBLIC_SEED, Draw, derive_seed
from autograder.plain import kind_of, to_plain
from autograder.verdict import Status

_MAX_MESSAGE = 600


@dataclass(frozen=True)
class Failure:
    """Why there is no answer.

    Args:
        status: Error, timeout, out of memory or not attempted.
        message: In the student's words: the exception and where in their code it came from.
    """

    status: Status
    message: str


class MisuseError(ValueError):
    """A student's code broke the promise of its signature; the message is theirs to read as it stands."""


Answer = Any
"""What one draw gave: plain data, or a `Failure`."""


def run_probe(probe: Probe, subject: Any, seed: int) -> Answer:
    """Run one draw of the probe. Whatever the student's code raises comes back as a `Failure`."""
    try:
        with _settings(seed):
            return to_plain(probe.run(subject, Draw(seed)))
    except Exception as error:  # noqa: BLE001 - whatever the student's code raises
        return failure_of(error)


def unpack(result: Any, **shapes: tuple[int, ...]) -> tuple[Any, ...]:
    """The results of a student's function, of which there are several.

    Only their number and order are looked at: a wrong shape is for the judge to name.

    Args:
        result: What it returned.
        shapes: The results by name, in order, with the shape of each.

    Raises:
        MisuseError: There are not as many, or they stand in another order.
    """
    names, expected = list(shapes), list(shapes.values())
    wanted = f"expected {len(names)} results: {', '.join(names)}"
    if not isinstance(result, (tuple, list)) or len(result) != len(names):
        raise MisuseError(f"what it returned is {kind_of(result)}, {wanted}")
    found = [tuple(item.shape) if isinstance(item, Tensor) else () for item in result]
    if found != expected and sorted(found) == sorted(expected):
        order = ", ".join(names[expected.index(shape)] for shape in found)
        raise MisuseError(f"the results came back in the order {order}; {wanted}, in this order")
    return tuple(result)


@contextmanager
def _settings(seed: int) -> Iterator[None]:
    """A fresh process's settings of torch, whatever a notebook has set, and its random state as it was afterwards."""
    dtype = torch.get_default_dtype()
    with torch.random.fork_rng(devices=[]), torch.device("cpu"), torch.enable_grad():
        torch.default_generator.manual_seed(seed % 2**63)
        torch.set_default_dtype(torch.float32)
        try:
            yield
        finally:
            torch.set_default_dtype(dtype)


def answers(probe: Probe, subject: Any, secret: str = PUBLIC_SEED) -> list[Answer]:
    """All draws of the probe under one secret, in this process."""
    return [run_probe(probe, subject, seed) for seed in seeds(probe, secret)]


def seeds(probe: Probe, secret: str = PUBLIC_SEED) -> list[int]:
    """The seed of each draw of the probe."""
    return [derive_seed(secret, key(probe), index) for index in range(probe.draws)]


def probes_of(checks: tuple[Check, ...]) -> list[Probe]:
    """The probes of these checks, each once, in order."""
    return list({key(check.probe): check.probe for check in checks}.values())


def failure_of(error: BaseException) -> Failure:
    """The exception as a student should read it."""
    if isinstance(error, NotImplementedError) and not error.args:  # torch's own has a message
        return Failure(Status.NOT_ATTEMPTED, "the line `raise NotImplementedError` is still there")
    if isinstance(error, MisuseError):
        return Failure(Status.FAILED, str(error)[:_MAX_MESSAGE])
    text = f"{type(error).__name__}: {error}".removesuffix(": ")[:_MAX_MESSAGE]
    if isinstance(error, MemoryError) or "can't allocate memory" in text:
        return Failure(Status.OUT_OF_MEMORY, "it asked for more memory than a submission may use")
    return Failure(Status.ERROR, text + _where(error))


def _where(error: BaseException) -> str:
    """The last line of a notebook cell that the exception passed through."""
    frames = [
        f for f in traceback.extract_tb(error.__traceback__) if "ipykernel" in f.filename or "<ipython" in f.filename
    ]
    if not frames:
        return ""
    return f" (in {frames[-1].name}, line {frames[-1].lineno} of its cell: {frames[-1].line})"
