"""Every exercise is used as a larger program would use it: what breaks there is seen, and what a real device allows is let pass."""

import re
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from autograder.asking.draw import Draw
from autograder.asking.fake_device import Elsewhere
from autograder.asking.probing import Failure, run_probe
from autograder.asking.usage import Use, in_use, weigh
from autograder.declare import Exercise
from autograder.judging.compare import keeps_elsewhere, same_kind, works_in_use
from autograder.judging.verdict import Verdict

EXERCISE = Exercise("Scale", "a layer to be used", minutes=1, difficulty=1)


class Scale(nn.Module):
    """What the wrong ones below are made from: x W, and zero where there is no mask."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(5, 6))

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        return (x @ self.weight).masked_fill(~mask.unsqueeze(-1), 0.0)


class KeepsAState(Scale):
    seen = 0.0

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        result = super().forward(x, mask) + self.seen
        self.seen = result.mean().item()
        return result


class HasAnotherEvaluation(Scale):
    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        return super().forward(x, mask) * (1.0 if self.training else 0.5)


class WritesIntoTheSameTensor(Scale):
    kept: Tensor | None = None

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        result = super().forward(x, mask)
        if self.kept is None:
            self.kept = result
        else:
            self.kept.data.zero_()
        return result


class KeepsByShape(Scale):
    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[Any, Tensor] = {}

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        return self.kept.setdefault(x.shape, super().forward(x, mask))


class KeepsByObject(Scale):
    def __init__(self) -> None:
        super().__init__()
        self.kept: list[tuple[Tensor, Tensor]] = []

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        for given, result in self.kept:
            if given is x:
                return result
        self.kept.append((x, super().forward(x, mask)))
        return self.kept[-1][1]


class GoesThroughFloat(Scale):
    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        return super().forward(x.float().to(x.dtype), mask)


class CutsTheGradient(Scale):
    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        return super().forward(x.detach(), mask)


class ComesBackToTheCPU(Scale):
    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        return super().forward(x, mask).cpu()


class MakesItsMaskOnTheCPU(Scale):
    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        return super().forward(x, mask & torch.ones(mask.shape, dtype=torch.bool))


class SetsToALargeNumber(Scale):
    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        return super().forward(x.masked_fill(~mask.unsqueeze(-1), -1e9), mask)


class AddsUpInSingle(Scale):
    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        result = super().forward(x, mask)
        return result.float() if x.dtype == torch.float16 else result


@in_use(half=True)
def scale(scale_class, draw: Draw) -> Use:
    def given(batch: int, length: int) -> tuple[Tensor, Tensor]:
        return draw.normal(batch, length, 5), draw.padding_mask(batch, length)

    return Use(weigh(scale_class(), draw), given(3, 4), given(1, 7))


def judged(kind: Any) -> Verdict:
    """What the two checks say, for one draw of many."""
    verdict = Verdict(True)
    for probe, judge in zip(scale.probes, (works_in_use, keeps_elsewhere), strict=True):
        got, want = (run_probe(probe, answer, 7) for answer in (kind, Scale))
        if verdict.ok:
            unlike = got.message if isinstance(got, Failure) else same_kind(got, want)
            verdict = Verdict(False, unlike) if unlike else judge(got, want)
    return verdict


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        (KeepsAState, "call 2, in evaluation: .* The result depends on an earlier call"),
        (HasAnotherEvaluation, "call 2, in evaluation: "),
        (WritesIntoTheSameTensor, "call 1, in training: "),
        (KeepsByShape, "call 2, in evaluation: .* The result depends on an earlier call"),
        (KeepsByObject, "call 4, .* The result depends on an earlier call"),
        (GoesThroughFloat, "in double precision: .* as if float64 values had been converted to float32"),
        (CutsTheGradient, "the gradient of argument 1 is 0 everywhere"),
        (ComesBackToTheCPU, "result 1 is on the CPU"),
        (
            MakesItsMaskOnTheCPU,
            "on the same device.*\n.*on a device other than the CPU, here called meta\nCreate new tensors on the device",
        ),
    ],
)
def test_what_breaks_in_use_is_told(kind: type[Scale], told: str) -> None:
    verdict = judged(kind)
    assert not verdict.ok
    assert re.search(told, verdict.message), verdict.message


def test_a_number_that_half_precision_lacks_is_told() -> None:
    probe = scale.probes[1]
    assert "this call is in half precision" in run_probe(probe, SetsToALargeNumber, 7).message


@pytest.mark.parametrize("kind", [Scale, AddsUpInSingle])
def test_what_works_passes(kind: type[Scale]) -> None:
    assert judged(kind).ok


def on_device_of(x: Tensor, make: Callable[[], Tensor]) -> Tensor:
    with torch.device(x.device):
        return make()


class TestElsewhere:
    """What torch allows and refuses with a real second device, as its documentation has it."""

    @pytest.mark.parametrize(
        "allowed",
        [
            lambda x, cpu: x[torch.tensor([1, 0])],
            lambda x, cpu: x * torch.tensor(2.0),
            lambda x, cpu: x + cpu.to(x.device),
            lambda x, cpu: x + cpu.to(x),
            lambda x, cpu: x + cpu.type_as(x),
            lambda x, cpu: x.new_zeros(3) + x[0],
            lambda x, cpu: torch.zeros(3, device=x.device) + x[0],
            lambda x, cpu: torch.stack([row * 2 for row in x]),
            lambda x, cpu: torch.stack(list(reversed(list(x)))),
            lambda x, cpu: torch.cat([part for _, part in zip(range(2), x, strict=False)]),
            lambda x, cpu: x.max(dim=0).values,
            lambda x, cpu: x.expand_as(cpu),
            lambda x, cpu: torch.tensor(x.tolist(), device=x.device),
            lambda x, cpu: x.clone().copy_(cpu),
            lambda x, cpu: F.linear(x, x.new_ones(2, 3)),
            lambda x, cpu: torch.vmap(lambda row: row.softmax(dim=0) * x[0])(x),
            lambda x, cpu: torch.vmap(torch.vmap(torch.exp))(x),
            lambda x, cpu: torch.vmap(lambda column: column, in_dims=1)(x),
            lambda x, cpu: torch.func.grad(lambda y: y.square().sum())(x),
            lambda x, cpu: x + on_device_of(x, lambda: torch.ones(2, 3) + torch.tensor([1.0, 2.0, 3.0])),
        ],
    )
    def test_allows(self, allowed: Callable[[Tensor, Tensor], Tensor]) -> None:
        x = Elsewhere.put(torch.arange(6.0).reshape(2, 3))
        with Elsewhere():
            result = allowed(x, torch.ones(2, 3))
        assert Elsewhere.has(result)

    @pytest.mark.parametrize(
        "refused",
        [
            lambda x, cpu: x + cpu,
            lambda x, cpu: torch.where(cpu > 0, x, x),
            lambda x, cpu: x.masked_fill(cpu > 0, 0.0),
            lambda x, cpu: cpu[(x[0] > 0).long()],
            lambda x, cpu: torch.cat([x, cpu]),
            lambda x, cpu: F.embedding(torch.tensor([0, 1]), x),
            lambda x, cpu: torch.vmap(torch.add)(x, cpu),
            lambda x, cpu: torch.vmap(lambda row: row + cpu[0])(x),
            lambda x, cpu: on_device_of(cpu, lambda: x + torch.ones(2, 3)),
        ],
    )
    def test_refuses(self, refused: Callable[[Tensor, Tensor], Tensor]) -> None:
        x = Elsewhere.put(torch.arange(6.0).reshape(2, 3))
        with Elsewhere(), pytest.raises(RuntimeError, match="same device"):
            refused(x, torch.ones(2, 3))

    @pytest.mark.parametrize(
        "left",
        [
            lambda x: x.cpu(),
            lambda x: x.to("cpu"),
            lambda x: torch.tensor([row.item() for row in x[0]]),
            lambda x: torch.vmap(torch.exp)(x).cpu(),
            lambda x: torch.vmap(lambda row: torch.arange(3.0))(x),
        ],
    )
    def test_sees_what_leaves(self, left: Callable[[Tensor], Tensor]) -> None:
        x = Elsewhere.put(torch.arange(6.0).reshape(2, 3))
        with Elsewhere():
            assert not Elsewhere.has(left(x))

    def test_packing_wants_its_lengths_on_the_cpu(self) -> None:
        rnn = nn.GRU(3, 4, batch_first=True)
        Elsewhere.move(rnn)
        x, lengths = Elsewhere.put(torch.randn(2, 5, 3)), torch.tensor([5, 2])
        with Elsewhere():
            states, last = rnn(pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False))
            padded, counts = pad_packed_sequence(states, batch_first=True)
            assert Elsewhere.has(padded)
            assert Elsewhere.has(last)
            assert not Elsewhere.has(counts)
            with pytest.raises(RuntimeError, match="same device"):
                rnn(x, torch.zeros(1, 2, 4))
            with pytest.raises(RuntimeError, match="CPU"):
                pack_padded_sequence(x, Elsewhere.put(lengths), batch_first=True, enforce_sorted=False)
