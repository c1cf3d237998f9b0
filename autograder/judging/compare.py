"""Ready-made judges, and the pieces from which longer ones are made.

`got` comes from a student's process and is not to be trusted; `want` is the reference's. Before a judge runs, `same_kind`
has compared their structure, shapes and dtypes, so that a judge may index into `got` as into `want`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from typing import Any

import torch
from torch import Tensor

from autograder.asking.serialization import kind_of
from autograder.judging.pattern import MOST_PLACES, pattern
from autograder.judging.verdict import JudgeFunction, Verdict, failed, passed

_RTOL = {torch.float16: 5e-3, torch.bfloat16: 3e-2, torch.float64: 1e-9}
_USUAL_RTOL = 1e-4
"""That of float32, and of Python's numbers, which may come from there."""

_HALF = 0.05
"""How far apart two right ways to compute something may be in half precision, beside the largest number."""

_MAX_ALPHA = 1e-7
_FEW = 10
_SIGMAS = 8
"""How many standard deviations are not by chance."""
_WIDE, _ROW = 80, 8
"""How many characters of a value, and numbers of a row, are shown."""
_DIGITS, _MOST_DIGITS = 4, 16
_NAN = (
    "0 / 0 gives NaN, as in a mean over nothing, and so do 0 · ∞, as of 0 · log 0, and ∞ - ∞ and ∞ / ∞, for example "
    "after exp of large numbers"
)
_INFINITE = "exp of a large number is infinite, and so is -log of 0"
_SINGLE = 1e-6
"""How far off a single number is at most that went through float32."""


def close(*keys: str, rtol: float | None = None, atol: float | None = None) -> JudgeFunction:
    """A judge that wants the entries named by `keys` (all, without any) to be near the reference's, as `is_close` says it."""

    def compare(got: Any, want: Any) -> Verdict:
        for name in keys or want:
            if not is_close(got[name], want[name], rtol=rtol, atol=atol):
                return failed(f"{name}: {difference(got[name], want[name])}")
        return passed()

    return compare


def up_to_a_factor(near: JudgeFunction | None = None) -> JudgeFunction:
    """A judge that wants each entry, multiplied by some number, to be near the reference's; without `near`, close to it.

    It is for checks that build on one which asks for that number, such as what a sum is divided by. An entry has several numbers, or it is always near.
    """
    is_near = near or close()

    def compare(got: Any, want: Any) -> Verdict:
        verdict = is_near(got, want)
        if verdict.ok:
            return verdict
        scaled = {name: _times(got[name], want[name], _factor(got[name], want[name])) for name in want}
        return passed() if is_near(scaled, want).ok else verdict

    return compare


def _factor(got: Any, want: Any) -> float:
    """By what a tree's numbers have to be multiplied to be nearest to the reference's; 1 where either has none but zeros."""
    both = zip(leaves(got, ""), leaves(want, ""), strict=True)
    pairs = [(mine, right) for (_, mine), (_, right) in both if _is_float(right)]
    mine, right = (
        torch.cat([torch.zeros(0), *(torch.as_tensor(pair[side]).double().flatten() for pair in pairs)])
        for side in (0, 1)
    )
    known = mine.isfinite() & right.isfinite()
    factor = float(mine[known] @ right[known] / (mine[known] @ mine[known]))
    return factor if factor and math.isfinite(factor) else 1.0


def _times(got: Any, want: Any, factor: float) -> Any:
    """The tree with the numbers multiplied that are floating-point numbers of the reference's."""
    if isinstance(want, dict):
        return {name: _times(got[name], want[name], factor) for name in want}
    if isinstance(want, list):
        return [_times(*pair, factor) for pair in zip(got, want, strict=True)]
    return got * factor if _is_float(want) else got


def _is_float(leaf: Any) -> bool:
    return leaf.is_floating_point() if isinstance(leaf, Tensor) else isinstance(leaf, float)


def leaves(tree: Any, path: str) -> Iterator[tuple[str, Any]]:
    """The leaves of an answer, each with its path; the order of keys does not matter."""
    if isinstance(tree, dict):
        for name in sorted(tree):
            yield from leaves(tree[name], f"{path}/{name}")
    elif isinstance(tree, list):
        for place, item in enumerate(tree):
            yield from leaves(item, f"{path}/{place}")
    else:
        yield path, tree


def works_in_use(got: Any, want: Any) -> Verdict:
    """A judge of what `autograder.asking.usage` brings back of several calls: every exercise has it."""
    calls, wanted = got["calls"], want["calls"]
    for place, name in enumerate(sorted(wanted)):
        if not is_close(calls[name], wanted[name], atol=_USUAL_RTOL / 10 * largest(wanted[name])):
            told = f"{name}: {difference(_by_place(calls[name]), _by_place(wanted[name]))}."
            kept = " The result depends on an earlier call: without that call, it is different."
            return failed(told + kept * (place > 0 and got["something is kept"]))
    if "new tensors" in want and not all(got["new tensors"]):
        return failed("the result shares memory with an argument or with an earlier result: expected a new tensor")
    return _gradients(got["gradients"], want["gradients"]) if "gradients" in want else passed()


def keeps_elsewhere(got: Any, want: Any) -> Verdict:
    """A judge of what `autograder.asking.usage` brings back of calls in other types and on another device."""
    double, half, device = "in double precision", "in half precision", "on the device"
    if double in want and not is_close(got[double], want[double]):
        return failed(f"{double}: {difference(_by_place(got[double]), _by_place(want[double]))}")
    if half in want and not is_close(got[half], want[half], atol=_HALF * largest(want[half])):
        return failed(f"{half}: {difference(_by_place(got[half]), _by_place(want[half]))}")
    if device not in want:
        return passed()
    if not is_close(got[device], want[device]):
        return failed(f"{device}: {difference(_by_place(got[device]), _by_place(want[device]))}")
    for place, (there, wanted) in enumerate(zip(got["stays there"], want["stays there"], strict=True), start=1):
        if wanted > there:
            return failed(f"the arguments are on a device other than the CPU, but result {place} is on the CPU")
    return passed()


_PLACES = ("first", "second", "third", "fourth", "fifth", "sixth")


def _by_place(result: Any) -> Any:
    """Several results of a function, each by its place in words; all else as it is."""
    several = isinstance(result, list) and 1 < len(result) <= len(_PLACES)
    if not several or not any(isinstance(each, Tensor) for each in result):
        return result
    return {f"the {place} result": each for place, each in zip(_PLACES, result, strict=False)}


def largest(tree: Any) -> float:
    """The largest finite number in a tree's tensors, and at least 1: rounding goes by it where numbers are added up."""
    if isinstance(tree, (dict, list)):
        return max([1.0, *map(largest, tree.values() if isinstance(tree, dict) else tree)])
    if not isinstance(tree, Tensor) or not tree.is_floating_point() or not tree.numel():
        return 1.0
    return max(1.0, float(tree.nan_to_num(nan=0.0, posinf=0.0, neginf=0.0).abs().max()))


def _gradients(got: dict[str, Tensor], want: dict[str, Tensor]) -> Verdict:
    """Whether gradients are near the reference's."""
    for name, gradient in want.items():
        if is_close(got[name], gradient, atol=_USUAL_RTOL * largest(gradient)):
            continue
        if got[name].any():
            return failed(f"{name}: {difference(got[name], gradient)}")
        return failed(f"{name} is 0 everywhere, as if no gradient reached it: is there a detach, or a no_grad?")
    return passed()


def distribution(*keys: str, alpha: float = 1e-8, impossible: str = "") -> JudgeFunction:
    """A judge that wants the counts named by `keys` (all, without any) to be drawn with the reference's probabilities.

    An entry says how often each outcome was drawn, (..., outcomes): integers, in rows that are drawn independently of
    each other, as many draws in each row as the reference's.

    Args:
        *keys: The entries.
        alpha: How likely right counts are to fail at one draw of the probe. A check has several draws, and a class is large.
        impossible: The entry that is True where an outcome has probability 0, whichever of the counts is looked at.

    Raises:
        ValueError: Right counts would fail more than once in ten million times.
    """
    if not 0 < alpha <= _MAX_ALPHA:
        raise ValueError(
            f"alpha is {alpha:g}: choose one above 0 and up to {_MAX_ALPHA:g}, or right answers fail in a class"
        )

    def compare(got: Any, want: Any) -> Verdict:
        names = list(keys or want)
        for name in names:
            told = _miscounted(got[name], want[name])
            if told:
                return failed(f"{name}: {told}")
            verdict = never_drawn(got[name], want[impossible]) if impossible else passed()
            if not verdict.ok:
                return verdict
        if chance(*((got[name], want[name]) for name in names)) > alpha:
            return passed()
        least = min(names, key=lambda name: chance((got[name], want[name])))
        return failed(f"{least}: {_largest_share(got[least], want[least])}")

    return compare


def never_drawn(counts: Tensor, impossible: Tensor) -> Verdict:
    """Whether no outcome of probability 0 was drawn: one draw of it is one too many, however few they are.

    Args:
        counts: How often each outcome was drawn, (..., outcomes).
        impossible: True for what cannot be drawn, likewise.
    """
    drawn = (counts > 0) & impossible
    if not drawn.any():
        return passed()
    at = _first(drawn)
    return failed(f"outcome {at} was drawn {int(counts[at])} times, although its probability is 0")


def chance(*samples: tuple[Tensor, Tensor]) -> float:
    """How likely the counts of two samples are to be as far apart as these, or further, if both are drawn with the same probabilities.

    It is the chi-square test of two samples. Outcomes with fewer than ten draws in both together count as one outcome.

    Args:
        *samples: Pairs of counts, (..., outcomes) each, in rows that are drawn apart from each other, each row of the one with as
            many draws as that of the other.
    """
    statistic, freedom = 0.0, 0
    for pair in samples:
        rows = torch.stack(pair).double().reshape(2, -1, pair[0].shape[-1]).transpose(0, 1)
        for row in rows:  # (2, outcomes)
            few = row.sum(dim=0) < _FEW
            row = torch.cat([row[:, ~few], row[:, few].sum(dim=1, keepdim=True)], dim=1)
            row = row[:, row.sum(dim=0) > 0]
            statistic += ((row[0] - row[1]) ** 2 / row.sum(dim=0)).sum().item()
            freedom += row.shape[1] - 1
    return chi_square_tail(statistic, freedom) if freedom else 1.0


_TOGETHER = (
    "the same components are dropped in every sentence",
    "the same components are dropped at every position",
    "whole vectors are dropped, expected single components",
)


def dropped_together(kept: Mapping[str, Tensor], share: float) -> str:
    """Why numbers were not dropped independently of each other; empty where they may have been.

    Args:
        kept: True for each number that was kept, (B, T, d_model), by the name of what found it.
        share: How likely a number is to be dropped.
    """
    expected = share**2 + (1 - share) ** 2

    def are_alike(one: Tensor, other: Tensor) -> bool:
        spread = math.sqrt(expected * (1 - expected) / one.numel())
        return (one == other).double().mean().item() > expected + _SIGMAS * spread

    for name, mask in kept.items():
        for axis, told in enumerate(_TOGETHER):
            if are_alike(mask, mask.roll(1, axis)):
                return f"in the output of {name}, {told}"
        dropped, spread = 1 - mask.double().mean().item(), math.sqrt(share * (1 - share) / mask.numel())
        if abs(dropped - share) > _SIGMAS * spread:
            return f"in the output of {name}, {dropped:.0%} of the components are dropped, expected about {share:.0%}"
    for (name, mask), (other, its) in combinations(kept.items(), 2):
        if are_alike(mask, its):
            return f"the same components are dropped in the output of {name} and of {other}: call dropout separately for each"
    return ""


def likeliest(draws: Tensor, mistakes: Iterable[tuple[str, Tensor]], least: float = 1e-6) -> str:
    """The name of the mistake that is most likely to give such counts; empty if none is likely to.

    Args:
        draws: How often each outcome was drawn, (rows, outcomes).
        mistakes: The name of each mistake, and in which proportions it would draw, (rows, outcomes).
        least: How likely these counts have to be, if they are to come from a mistake.
    """
    times = draws.sum(dim=-1, keepdim=True)
    likely = [(chance((draws, times * shares / shares.sum(dim=-1, keepdim=True))), name) for name, shares in mistakes]
    most, name = max(likely)
    return name if most > least else ""


def chi_square_tail(statistic: float, freedom: int) -> float:
    """How likely a chi-square variable with so many degrees of freedom is to be as large as this, or larger."""
    halves = torch.tensor([freedom / 2, statistic / 2], dtype=torch.float64)
    return torch.special.gammaincc(*halves).item()


def _miscounted(got: Tensor, want: Tensor) -> str:
    """Why these are not counts of as many draws as the reference's; empty when they are."""
    draws = want.sum(dim=-1)
    if (got < 0).any() or (got > draws.unsqueeze(-1)).any() or not torch.equal(got.sum(dim=-1), draws):
        return f"these are not the counts of {int(draws.sum())} draws"
    return ""


def _largest_share(got: Tensor, want: Tensor) -> str:
    """Which outcome was drawn most often too often or too rarely."""
    at = _first((got - want).abs() == (got - want).abs().max())
    draws = int(want[at[:-1]].sum())
    return f"outcome {at} was drawn {int(got[at])} times in {draws} draws, expected about {int(want[at])}"


def is_close(got: Any, want: Any, *, rtol: float | None = None, atol: float | None = None) -> bool:
    """Whether two values of the same kind agree.

    Args:
        got: The student's.
        want: The reference's.
        rtol: The relative tolerance; without it, what the type allows: double precision that went through float32 is not near.
        atol: The absolute one; without it, a tenth of the relative one.
    """
    if isinstance(want, Tensor):
        if not want.is_floating_point():
            return torch.equal(got, want)
        if torch.equal(got, want):  # Most are; to ask is ten times as fast as what follows.
            return True
        rtol, atol = _tolerances(rtol, atol, _RTOL.get(want.dtype, _USUAL_RTOL))
        return torch.allclose(got.double(), want.double(), rtol=rtol, atol=atol, equal_nan=True)
    if isinstance(want, dict):
        return all(is_close(got[name], want[name], rtol=rtol, atol=atol) for name in want)
    if isinstance(want, list):
        same_length = len(got) == len(want)
        return same_length and all(is_close(g, w, rtol=rtol, atol=atol) for g, w in zip(got, want, strict=True))
    if isinstance(want, float):
        rtol, atol = _tolerances(rtol, atol, _USUAL_RTOL)
        return math.isclose(got, want, rel_tol=rtol, abs_tol=atol)
    return bool(got == want)


def _tolerances(rtol: float | None, atol: float | None, usual: float) -> tuple[float, float]:
    """What was given, and no less than half precision allows; what was not is what is usual for the type."""
    least = usual if usual > _USUAL_RTOL else 0.0
    return max(least, usual if rtol is None else rtol), max(least / 10, usual / 10 if atol is None else atol)


def difference(got: Any, want: Any) -> str:
    """What came back and what was expected, side by side, of the part of two values of the same kind that differs most."""
    if isinstance(want, Tensor):
        return _tensors_differ(got, want)
    if isinstance(want, list) and len(got) != len(want):
        lists = repr(got), repr(want)
        shows = _is_plain(got) and _is_plain(want) and max(map(len, lists)) <= _WIDE
        mine, right = lists if shows else (kind_of(got), kind_of(want))
        return f"came back {mine}, expected {right}" if shows else f"is {mine}, expected {right}"
    if isinstance(want, (dict, list)) and not (_is_plain(want) and max(map(len, apart(got, want))) <= _WIDE):
        parts = {f"item {i}": i for i in range(len(want))} if isinstance(want, list) else {name: name for name in want}
        first = next((part for part, at in parts.items() if not is_close(got[at], want[at])), None)
        if first is None:
            return "nothing differs"
        told = difference(got[parts[first]], want[parts[first]])
        if len(want) == 1 and isinstance(want, list):
            return told
        return f"{first}: {told}" if told.startswith(("came back", "is ")) else f"in {first}, {told}"
    if isinstance(want, float) and math.isnan(got) and not math.isnan(want):
        return f"came back NaN, expected {want:.4g}"
    mine, right = apart(got, want)
    told = f"came back {mine:.{_WIDE}}, expected {right:.{_WIDE}}"
    return told + (
        pattern(*(torch.tensor(each, dtype=torch.float64) for each in (got, want))) if _is_real(want) else ""
    )


def _tensors_differ(got: Tensor, want: Tensor) -> str:
    """How many values differ, and the row or the value that differs most."""
    if not got.numel():
        return "is empty"
    if got.isnan().any() and not want.isnan().any() and want.numel() > 1:
        nan = got.isnan()
        return f"{int(nan.sum())} of {got.numel()} values are NaN, the first at {_first(nan)}: {_NAN}"
    gap = (got.double() - want.double()).abs().nan_to_num(nan=0.0, posinf=math.inf)
    gap[got.isnan() != want.isnan()] = math.inf
    rtol, atol = _tolerances(None, None, _RTOL.get(want.dtype, _USUAL_RTOL))
    wrong, at = int((gap > atol + rtol * want.double().abs().nan_to_num(posinf=0.0)).sum()), _first(gap == gap.max())
    is_row = want.dim() > 0 and 1 < want.shape[-1] <= _ROW
    mine, right = apart(got[at[:-1]].tolist(), want[at[:-1]].tolist()) if is_row else ("", "")
    if not is_row or len(mine) > _WIDE:
        is_row, (mine, right) = False, apart(got[at].item(), want[at].item())
    told = f"came back {mine}, expected {right}"
    if want.numel() > 1:
        place = f", most in row {list(at[:-1])}" if want.dim() > 1 else ""
        told = f"{wrong} of {gap.numel()} values differ{place if is_row else f', most at {list(at)}'}: {told}"
    if got[at].isnan() and want[at].isfinite():
        told += f": {_NAN}"
    if got[at].isposinf() and want[at].isfinite():
        told += f": {_INFINITE}"
    return told + (pattern(got, want) if want.is_floating_point() else "")


def apart(got: Any, want: Any) -> tuple[str, str]:
    """Two plain values in words, their numbers with as many digits as it takes to see that they differ."""
    for digits in range(_DIGITS, _MOST_DIGITS):
        mine, right = _in_digits(got, digits), _in_digits(want, digits)
        if mine != right:
            break
    return mine, right


def _in_digits(value: Any, digits: int) -> str:
    if isinstance(value, float):
        return f"{value + 0.0:.{digits}g}"
    if isinstance(value, (list, tuple, set, frozenset)):
        before, after = "[]" if isinstance(value, list) else "()" if isinstance(value, tuple) else "{}"
        items = [_in_digits(item, digits) for item in value]
        return f"{before}{', '.join(sorted(items) if before == '{' else items)}{after}"
    return repr(value)


def _is_real(value: Any) -> bool:
    """Whether it is a real number, or a list of them."""
    return isinstance(value, float) or (
        isinstance(value, list) and bool(value) and all(isinstance(each, float) for each in value)
    )


def _is_plain(tree: Any) -> bool:
    """Whether it is a list of numbers and texts, or of such lists."""
    return isinstance(tree, list) and all(
        _is_plain(item) if isinstance(item, list) else isinstance(item, (int, float, str)) for item in tree
    )


def same_kind(got: Any, want: Any, name: str = "", *, any_length: bool = False) -> str:
    """What makes `got` another kind of thing than `want`: structure, type, shape or dtype. Empty when nothing does.

    Args:
        got: The student's.
        want: The reference's.
        name: What to call it.
        any_length: Whether its lists may have other lengths; each surplus item is compared with the last expected one.
    """
    label = name or "the result"
    if isinstance(want, Tensor):
        if not isinstance(got, Tensor):
            return f"{label} is {kind_of(got)}, expected {kind_of(want)}"
        if got.shape != want.shape:
            return (
                f"{label} has shape {tuple(got.shape)}, expected {tuple(want.shape)}{_of_shapes(got.shape, want.shape)}"
            )
        if got.dtype != want.dtype:
            return f"{label} has dtype {_dtype(got)}, expected {_dtype(want)}"
        return ""
    if isinstance(want, dict):
        if not isinstance(got, dict) or got.keys() != want.keys():
            return f"{label} is {kind_of(got)}, expected {kind_of(want)}"
        return next(filter(None, (same_kind(got[key], want[key], key, any_length=any_length) for key in want)), "")
    if isinstance(want, list):
        if not isinstance(got, list) or (len(got) != len(want) and not any_length):
            shows = isinstance(got, list) and all(isinstance(item, (int, str)) for item in (*got, *want))
            return f"{label} is " + (
                f"{got!r:.70}, expected {want!r:.70}" if shows else f"{kind_of(got)}, expected {kind_of(want)}"
            )
        pairs = enumerate(_pairs(got, want))
        found = (same_kind(g, w, f"item {i} of {label}", any_length=any_length) for i, (g, w) in pairs)
        return next(filter(None, found), "")
    if isinstance(want, float) and type(got) is int and got.bit_length() < 64:
        return ""
    if type(got) is not type(want):
        return f"{label} is {kind_of(got)}, expected {kind_of(want)}"
    return ""


def _of_shapes(got: tuple[int, ...], want: tuple[int, ...]) -> str:
    """What a wrong shape tells of its cause; empty where it tells nothing."""
    longer, shorter = (got, want) if len(got) > len(want) else (want, got)
    if len(longer) > len(shorter) and [size for size in longer if size != 1] == [size for size in shorter if size != 1]:
        lost = "a dimension of size 1 is missing: squeeze() removes all of them, squeeze(dim) only one"
        return f": {lost if longer is want else 'there is one dimension of size 1 too many'}"
    if sorted(got) == sorted(want):
        return ": the dimensions are in a different order"
    if math.prod(got) == math.prod(want):
        return ": the number of values is right, but not the dimensions; reshape can merge or split dimensions"
    if len(got) < len(want):
        return f": {len(want) - len(got)} of the dimensions are missing"
    return ": there are too many dimensions" if len(got) > len(want) else ""


def in_kind_of(got: Any, want: Any, *, any_length: bool = False) -> Any:
    """The student's value in the kind of the reference's, where the two kinds can say the same; otherwise None.

    So float64 may stand for float32, a shape for another but for dimensions of 1, a tensor of one number for the number. Numbers for a
    tensor are no slip of form: no gradient comes back through them.

    Args:
        got: The student's.
        want: The reference's, of another kind.
        any_length: Whether its lists may have other lengths.
    """
    if isinstance(want, Tensor):
        return _as_tensor(got, want)
    if isinstance(want, dict):
        alike = isinstance(got, dict) and got.keys() == want.keys()
        found = {name: in_kind_of(got[name], want[name], any_length=any_length) for name in want} if alike else {}
        return found if alike and all(found[name] is not None or want[name] is None for name in want) else None
    if isinstance(want, list):
        return _as_list(got, want, any_length)
    if isinstance(want, (bool, int, float)):
        return _as_number(got, want)
    return got if type(got) is type(want) else None


def with_all_digits(got: Any, want: Any) -> Any:
    """The student's value with the reference's numbers in the place of its own, where these are the same but for rounding; otherwise None.

    All numbers have to be rounded to the same decimal place, which leaves the largest of them two digits or more. They are floats and tensors
    of shape (); all else stays as it is.

    Args:
        got: The student's.
        want: The reference's, of the same kind.
    """
    pairs = [*_numbers(got, want)]
    largest_wanted = max((abs(right) for _, right in pairs if math.isfinite(right)), default=0.0)
    for decimals in range(MOST_PLACES + 1):
        unit = 10.0**-decimals
        if largest_wanted >= 10 * unit and all(_is_rounded(*pair, unit) for pair in pairs):
            return None if all(_may_be_single(*pair) for pair in pairs) else _in_place_of(got, want)
    return None


def _numbers(got: Any, want: Any) -> Iterator[tuple[float, float]]:
    """The single floats of two values of the same kind, side by side."""
    if isinstance(want, dict):
        for name in want:
            yield from _numbers(got[name], want[name])
    elif isinstance(want, list):
        for pair in zip(got, want, strict=False):
            yield from _numbers(*pair)
    elif _is_number(want):
        yield float(got), float(want)


def _in_place_of(got: Any, want: Any) -> Any:
    """The student's value with the reference's single floats."""
    if isinstance(want, dict):
        return {name: _in_place_of(got[name], want[name]) for name in want}
    if isinstance(want, list) and len(got) == len(want):
        return [_in_place_of(*pair) for pair in zip(got, want, strict=True)]
    return want if _is_number(want) else got


def _is_number(value: Any) -> bool:
    return isinstance(value, float) or (isinstance(value, Tensor) and value.is_floating_point() and not value.dim())


def _is_rounded(got: float, want: float, unit: float) -> bool:
    """Whether a number is another one, rounded to a multiple of the unit, and not to 0; either may have gone through float32."""
    if not (got and math.isfinite(got) and math.isfinite(want)):
        return got == want
    steps = got / unit
    is_multiple = abs(steps - round(steps)) <= 0.01 + abs(steps) * _SINGLE
    return is_multiple and (abs(got - want) <= 0.501 * unit or _may_be_single(got, want))


def _may_be_single(got: float, want: float) -> bool:
    """Whether a number is as near another one as float32 allows."""
    return math.isclose(got, want, rel_tol=_SINGLE)


def _as_tensor(got: Any, want: Tensor) -> Tensor | None:
    alike = [item for item in got if isinstance(item, Tensor) and item.shape == want.shape] if type(got) is list else []
    if alike and len(alike) in (1, len(got)):  # Such as the state twice, as torch's own recurrent networks have it.
        got = alike[0]
    if not isinstance(got, Tensor):
        return None
    if [size for size in got.shape if size != 1] != [size for size in want.shape if size != 1]:
        return None
    made = got.to(want.dtype).reshape(want.shape)
    if got.dtype is torch.float32 and want.dtype is torch.float64 and is_close(made.float(), want.float()):
        return want
    exact = want.is_floating_point() or torch.equal(made.to(got.dtype).reshape(got.shape), got)
    return made if exact else None


def _as_list(got: Any, want: list[Any], any_length: bool) -> list[Any] | None:
    if isinstance(got, Tensor) and got.dim():
        got = got.tolist()
    if not isinstance(got, list) or (len(got) != len(want) and not any_length):
        return None
    if not want:
        return got
    pairs = _pairs(got, want)
    found = [in_kind_of(g, w, any_length=any_length) for g, w in pairs]
    return found if all(f is not None or w is None for f, (_, w) in zip(found, pairs, strict=True)) else None


def _pairs(got: list[Any], want: list[Any]) -> list[tuple[Any, Any]]:
    """Each item with the reference's; what is surplus with its last."""
    return list(zip(got, [*want, *want[-1:] * (len(got) - len(want))], strict=False))


def _as_number(got: Any, want: bool | float) -> bool | int | float | None:
    while (isinstance(got, list) and len(got) == 1) or (isinstance(got, Tensor) and got.numel() == 1):
        got = got.item() if isinstance(got, Tensor) else got[0]
    if type(got) not in (bool, int, float):
        return None
    if isinstance(want, float):
        return float(got) if not isinstance(got, int) or got.bit_length() < 64 else None
    return type(want)(got) if abs(got) < 2**63 and type(want)(got) == got else None


def _first(where: Tensor) -> tuple[int, ...]:
    return tuple(int(i) for i in where.nonzero()[0])


def _dtype(tensor: Tensor) -> str:
    return str(tensor.dtype).removeprefix("torch.")
