"""Mistakes in `rotate`, and right answers in other styles."""

import torch

from autograder.checks.ch14_today.rotate import far, in_chapter, numbers, one_pair, other_base, pairs, places, shapes
from autograder.judging.catalogue import mistake, right


def speeds_of(vectors, base, power=2):
    """The frequency of each pair."""
    pairs = torch.arange(vectors.shape[-1] // 2, dtype=torch.float32, device=vectors.device)
    return base ** (-power * pairs / vectors.shape[-1])


def angles_of(vectors, positions, base):
    """Cosines and sines in the dtype of the vectors."""
    angles = torch.outer(positions.float(), speeds_of(vectors, base))
    return angles.cos().to(vectors.dtype), angles.sin().to(vectors.dtype)


def turned(vectors, cos, sin):
    """Neighbours rotated."""
    first, second = vectors[..., ::2], vectors[..., 1::2]
    return torch.stack((first * cos - second * sin, first * sin + second * cos), dim=-1).flatten(-2)


@mistake(
    pairs, "component i is paired with component i + d_k / 2, as in some libraries; expected neighbours, 2i with 2i + 1"
)
def halves(vectors, positions, base=10_000.0):
    cos, sin = angles_of(vectors, positions, base)
    first, second = vectors.chunk(2, dim=-1)
    return torch.cat((first * cos - second * sin, first * sin + second * cos), dim=-1)


mistake(
    pairs, "the rotated pairs are not put back in their places: all first components come first, then all second ones"
).made_in(halves, halves_at_the_end={"vectors.chunk(2, dim=-1)": "vectors[..., ::2], vectors[..., 1::2]"})


@mistake(one_pair, "position 0 is rotated by 1 already: every position is one too large")
def off_by_one(vectors, positions, base=10_000.0):
    return turned(vectors, *angles_of(vectors, positions + 1, base))


@mistake(one_pair, "the pairs are rotated in the opposite direction: the signs of the sines are swapped")
def backwards(vectors, positions, base=10_000.0):
    cos, sin = angles_of(vectors, positions, base)
    return turned(vectors, cos, -sin)


@mistake(one_pair, "cosine and sine are swapped")
def swapped(vectors, positions, base=10_000.0):
    cos, sin = angles_of(vectors, positions, base)
    return turned(vectors, sin, cos)


@mistake(one_pair, "both sines are added, so this is not a rotation")
def same_sign(vectors, positions, base=10_000.0):
    cos, sin = angles_of(vectors, positions, base)
    first, second = vectors[..., ::2], vectors[..., 1::2]
    return torch.stack((first * cos + second * sin, first * sin + second * cos), dim=-1).flatten(-2)


@mistake(one_pair, "both sines are subtracted, so this is not a rotation")
def other_same_sign(vectors, positions, base=10_000.0):
    cos, sin = angles_of(vectors, positions, base)
    first, second = vectors[..., ::2], vectors[..., 1::2]
    return torch.stack((first * cos - second * sin, second * cos - first * sin), dim=-1).flatten(-2)


@mistake(one_pair, "the second component is computed from the first one after that has been rotated")
def one_after_the_other(vectors, positions, base=10_000.0):
    cos, sin = angles_of(vectors, positions, base)
    result = vectors.clone()
    result[..., ::2] = vectors[..., ::2] * cos - vectors[..., 1::2] * sin
    result[..., 1::2] = result[..., ::2] * sin + vectors[..., 1::2] * cos
    return result


@mistake(
    one_pair, "sines and cosines are added to the vectors, as in the positional encoding of 2017; expected a rotation"
)
def added(vectors, positions, base=10_000.0):
    cos, sin = angles_of(vectors, positions, base)
    return vectors + torch.stack((sin, cos), dim=-1).flatten(-2)


@mistake(one_pair, "nothing is rotated, or every vector as if it were at position 0")
def nothing(vectors, positions, base=10_000.0):
    return vectors * 1


@mistake(pairs, "all pairs have the same frequency")
def same_speed(vectors, positions, base=10_000.0):
    return turned(vectors, *angles_of(vectors, positions, 1.0))


@mistake(pairs, "the exponent is -i / d_k, expected -2i / d_k")
def half_exponent(vectors, positions, base=10_000.0):
    angles = torch.outer(positions.float(), speeds_of(vectors, base, 1))
    return turned(vectors, angles.cos().to(vectors.dtype), angles.sin().to(vectors.dtype))


@mistake(pairs, "the exponent is -4i / d_k, expected -2i / d_k")
def double_exponent(vectors, positions, base=10_000.0):
    return turned(vectors, *angles_of(vectors, positions, base**2))


@mistake(pairs, "the later pairs rotate faster: the exponent lacks its minus sign")
def faster(vectors, positions, base=10_000.0):
    return turned(vectors, *angles_of(vectors, positions, 1 / base))


@mistake(places, "the vectors are numbered from 0; expected the given positions")
def counted(vectors, positions, base=10_000.0):
    places = torch.arange(vectors.shape[-2], device=vectors.device)
    return turned(vectors, *angles_of(vectors, places, base))


@mistake(places, "the vectors are numbered consecutively from the first position; expected the given positions")
def consecutive(vectors, positions, base=10_000.0):
    places = positions[0] + torch.arange(vectors.shape[-2], device=vectors.device)
    return turned(vectors, *angles_of(vectors, places, base))


@mistake(other_base, "the base is always 10,000; expected the given one")
def usual_base(vectors, positions, base=10_000.0):
    return turned(vectors, *angles_of(vectors, positions, 10_000.0))


@mistake(shapes, "the caller's vectors are changed in place")
def in_place(vectors, positions, base=10_000.0):
    result = turned(vectors, *angles_of(vectors, positions, base))
    with torch.no_grad():
        vectors.copy_(result)
    return result


@mistake(shapes, "the result always has four dimensions, expected those of the vectors")
def four_dimensions(vectors, positions, base=10_000.0):
    batch, heads, length, size = vectors.shape if vectors.dim() == 4 else (*[1] * (4 - vectors.dim()), *vectors.shape)
    return turned(vectors.reshape(batch, heads, length, size), *angles_of(vectors, positions, base))


@mistake(shapes, "a dimension of size one is removed that belongs to the result")
def squeezed(vectors, positions, base=10_000.0):
    return turned(vectors, *angles_of(vectors, positions, base)).squeeze()


@mistake(numbers, "the result is float32, whatever the dtype of the vectors is")
def single_precision(vectors, positions, base=10_000.0):
    return turned(vectors.float(), *angles_of(vectors.float(), positions, base))


@mistake(
    numbers,
    "the angles are computed in the dtype of the vectors, in which large angles are inaccurate; expected float32",
)
def angles_in_half(vectors, positions, base=10_000.0):
    angles = positions.to(vectors.dtype).unsqueeze(1) * speeds_of(vectors, base).to(vectors.dtype)
    return turned(vectors, angles.cos(), angles.sin())


@mistake(in_chapter, "the vectors are detached, so no gradient reaches the queries and keys")
def detached(vectors, positions, base=10_000.0):
    return turned(vectors.detach(), *angles_of(vectors, positions, base))


@mistake(far, "the angles come from a table of 4,096 positions, but there may be more")
def from_a_table(vectors, positions, base=10_000.0):
    cos, sin = angles_of(vectors, torch.arange(4096, device=positions.device), base)
    return turned(vectors, cos[positions], sin[positions])


@right
def as_complex(vectors, positions, base=10_000.0):
    wide = vectors if vectors.dtype == torch.float64 else vectors.float()
    numbers = torch.view_as_complex(wide.unflatten(-1, (-1, 2)).contiguous())
    angles = torch.outer(positions.float(), speeds_of(vectors, base))
    return torch.view_as_real(numbers * torch.polar(torch.ones_like(angles), angles)).flatten(-2).to(vectors.dtype)


@right
def with_repeats(vectors, positions, base=10_000.0):
    cos, sin = (each.repeat_interleave(2, dim=-1) for each in angles_of(vectors, positions, base))
    quarter = torch.stack((-vectors[..., 1::2], vectors[..., ::2]), dim=-1).flatten(-2)
    return vectors * cos + quarter * sin


@right
def into_a_new_tensor(vectors, positions, base=10_000.0):
    cos, sin = angles_of(vectors, positions, base)
    result = torch.empty_like(vectors)
    result[..., ::2] = vectors[..., ::2] * cos - vectors[..., 1::2] * sin
    result[..., 1::2] = vectors[..., ::2] * sin + vectors[..., 1::2] * cos
    return result


@right
def made_on_its_device(vectors, positions, base=10_000.0):
    with torch.device(vectors.device):
        frequencies = base ** (-torch.arange(0, vectors.shape[-1], 2) / vectors.shape[-1])
        angles = positions.unsqueeze(-1) * frequencies
        turned = torch.empty(vectors.shape, dtype=vectors.dtype)
    cos, sin = angles.cos().to(vectors.dtype), angles.sin().to(vectors.dtype)
    turned[..., ::2] = vectors[..., ::2] * cos - vectors[..., 1::2] * sin
    turned[..., 1::2] = vectors[..., ::2] * sin + vectors[..., 1::2] * cos
    return turned


@right
def with_matrices(vectors, positions, base=10_000.0):
    cos, sin = angles_of(vectors, positions, base)
    matrices = torch.stack((torch.stack((cos, -sin), -1), torch.stack((sin, cos), -1)), dim=-2)
    return (matrices @ vectors.unflatten(-1, (-1, 2)).unsqueeze(-1)).squeeze(-1).flatten(-2)


@right
def pair_after_pair(vectors, positions, base=10_000.0):
    columns = []
    for i in range(vectors.shape[-1] // 2):
        angle = positions.float() * base ** (-2 * i / vectors.shape[-1])
        cos, sin = angle.cos().to(vectors.dtype), angle.sin().to(vectors.dtype)
        first, second = vectors[..., 2 * i], vectors[..., 2 * i + 1]
        columns += [first * cos - second * sin, first * sin + second * cos]
    return torch.stack(columns, dim=-1)


@right
def angles_in_double(vectors, positions, base=10_000.0):
    pairs = torch.arange(0, vectors.shape[-1], 2, dtype=torch.float64, device=vectors.device)
    angles = torch.outer(positions.double(), base ** (-pairs / vectors.shape[-1]))
    return turned(vectors, angles.cos().to(vectors.dtype), angles.sin().to(vectors.dtype))
