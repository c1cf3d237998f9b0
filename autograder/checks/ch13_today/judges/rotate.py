"""What is right about `rotate`, and what is said when it is not."""

from typing import Any

import torch
from torch import Tensor

from autograder.checks.ch13_today.probes import rotate as probes
from autograder.compare import close, difference, explained, is_close
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_TURN = "a pair is rotated by an angle equal to its position"
_PAIRS = "neighbours form a pair, and each pair has its own frequency"
_PLACES = "the given positions are used"
_BASE = "the base sets how slowly the last pairs rotate"


def _turned(
    want: Any,
    *,
    positions: Tensor | None = None,
    base: float = 0.0,
    sign: int = 1,
    halves: bool = False,
    power: float = 1.0,
    laid: str = "",
) -> Tensor:
    """The rotated vectors, with one thing done otherwise."""
    vectors = want["vectors"]
    size = vectors.shape[-1]
    places = want["positions"] if positions is None else positions
    speeds = (base or want["base"]) ** (-power * torch.arange(0, size, 2) / size)
    angles = sign * places.unsqueeze(1) * speeds
    cos, sin = angles.cos(), angles.sin()
    first, second = (
        (vectors[..., : size // 2], vectors[..., size // 2 :]) if halves else (vectors[..., 0::2], vectors[..., 1::2])
    )
    both = first * cos - second * sin, first * sin + second * cos
    return torch.cat(both, dim=-1) if halves or laid else torch.stack(both, dim=-1).flatten(-2)


@judge(
    _TURN,
    probe=probes.one_pair,
    points=2,
    hint="With d_k = 2 there is one pair, and base^0 is 1, so the angle is p. The first component becomes x_0 cos φ - x_1 sin φ. At position 0 "
    "nothing changes.",
)
def one_pair(got: Any, want: Any) -> Verdict:
    """Direction and position."""
    vectors, positions = want["vectors"], want["positions"]
    cos, sin = positions.unsqueeze(1).cos(), positions.unsqueeze(1).sin()
    first, second = vectors[..., :1], vectors[..., 1:]
    mistakes = {
        "nothing was rotated, or every vector by position 0": vectors,
        "the pairs were rotated in the opposite direction: the signs of the sines are swapped": _turned(want, sign=-1),
        "position 0 was rotated by 1 already: every position is one too large": _turned(want, positions=positions + 1),
        "both sines are added, so this is not a rotation": torch.cat(
            [first * cos + second * sin, first * sin + second * cos], -1
        ),
        "both sines are subtracted, so this is not a rotation": torch.cat(
            [first * cos - second * sin, second * cos - first * sin], -1
        ),
        "cosine and sine were swapped": torch.cat([first * sin - second * cos, first * cos + second * sin], -1),
        "the second component was computed from the first one after that had been rotated": torch.cat(
            [first * cos - second * sin, (first * cos - second * sin) * sin + second * cos], -1
        ),
        "the vectors were only multiplied by the cosine": vectors * cos,
        "sines and cosines were added to the vectors, as in the positional encoding of 2017; expected a rotation": vectors
        + torch.cat([sin, cos], -1),
    }
    return explained(got["rotated"], want["rotated"], mistakes, "rotated vectors")


@judge(
    _PAIRS,
    probe=probes.pairs,
    points=2,
    needs=(_TURN,),
    hint="Pair i is (x_2i, x_2i+1), and it stays in its two places. Slices with a step of 2 select the first and the second components, and `stack` on a new "
    "last dimension followed by `flatten` puts them back. The exponent of pair i is -2i / d_k.",
)
def neighbours(got: Any, want: Any) -> Verdict:
    """Which components, and at which frequency."""
    mistakes = {
        "component i was paired with component i + d_k / 2, as in some libraries; expected neighbours, 2i with 2i + 1": _turned(
            want, halves=True
        ),
        "the rotated pairs were not put back in their places: all first components come first, then all second ones": _turned(
            want, laid="apart"
        ),
        "all pairs have the same frequency": _turned(want, base=1.0),
        "the exponent is -i / d_k, expected -2i / d_k": _turned(want, power=0.5),
        "the exponent is -4i / d_k, expected -2i / d_k": _turned(want, power=2.0),
        "the later pairs rotate faster: the exponent lacks its minus sign": _turned(want, power=-1.0),
        "the pairs were rotated in the opposite direction": _turned(want, sign=-1),
    }
    return explained(got["rotated"], want["rotated"], mistakes, "rotated vectors")


@judge(
    _PLACES,
    probe=probes.places,
    points=1,
    needs=(_TURN, _PAIRS),
    hint="With a cache, the vectors of a call do not begin at position 0. Use `positions`: the number of vectors does not tell where they are.",
)
def given_places(got: Any, want: Any) -> Verdict:
    """Other positions than 0, 1, 2, …."""
    positions = want["positions"]
    count = torch.arange(len(positions))
    mistakes = {
        "the vectors were numbered from 0; expected the given positions": _turned(want, positions=count),
        "the vectors were numbered consecutively from the first position; expected the given positions": _turned(
            want, positions=positions[0] + count
        ),
        "all vectors were rotated by the first position": _turned(want, positions=positions[:1].expand(len(positions))),
        "every position is one too large": _turned(want, positions=positions + 1),
        "nothing was rotated": _turned(want, positions=count * 0),
    }
    return explained(got["rotated"], want["rotated"], mistakes, "rotated vectors")


@judge(
    _BASE,
    probe=probes.other_base,
    points=1,
    needs=(_TURN, _PAIRS, _PLACES),
    hint="`base` is an argument: SmolLM2 uses a different base from the paper.",
)
def any_base(got: Any, want: Any) -> Verdict:
    """Another base."""
    mistakes = {"the base is always 10,000; expected the given one": _turned(want, base=1e4)}
    return explained(got["rotated"], want["rotated"], mistakes, "rotated vectors")


@judge(
    "works with vectors of any number of dimensions and does not change its arguments",
    probe=probes.shapes,
    points=1,
    arguments=True,
    needs=(_TURN, _PAIRS, _PLACES),
    hint="Count dimensions from the end: the positions are in the second to last. Write into a new tensor, not into slices of the one that you were given.",
)
def any_shape(got: Any, want: Any) -> Verdict:
    """Results and arguments."""
    for name, right in want.items():
        for given in ("vectors", "positions"):
            if not is_close(got[name][given], right[given]):
                return failed(f"the call changed its argument {given}")
        if not is_close(got[name]["rotated"], right["rotated"]):
            return failed(f"{name}: {difference(got[name]['rotated'], right['rotated'])}")
    return passed()


any_precision = judge(
    "half precision keeps its dtype, and distant positions get accurate angles",
    probe=probes.numbers,
    points=1,
    hidden=True,
    needs=(_TURN, _PAIRS, _PLACES, _BASE),
    hint="Compute the angles in single precision, also for vectors in half precision, which cannot represent every integer beyond 2,048. Convert cosine and sine to the dtype of "
    "the vectors afterwards.",
)(close(atol=2e-3))
