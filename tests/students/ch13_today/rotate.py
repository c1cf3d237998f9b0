"""What students hand in for `rotate`: each mistake alone, and right answers of many styles."""

import torch

EXERCISE = "rotate"


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


def halves(vectors, positions, base=10_000.0):
    """Component i is paired with component i + d_k / 2."""
    cos, sin = angles_of(vectors, positions, base)
    first, second = vectors.chunk(2, dim=-1)
    return torch.cat((first * cos - second * sin, first * sin + second * cos), dim=-1)


def halves_at_the_end(vectors, positions, base=10_000.0):
    """Neighbours are rotated, and put back as two halves."""
    cos, sin = angles_of(vectors, positions, base)
    first, second = vectors[..., ::2], vectors[..., 1::2]
    return torch.cat((first * cos - second * sin, first * sin + second * cos), dim=-1)


def off_by_one(vectors, positions, base=10_000.0):
    """Positions are counted from 1."""
    return turned(vectors, *angles_of(vectors, positions + 1, base))


def backwards(vectors, positions, base=10_000.0):
    """Rotated in the opposite direction."""
    cos, sin = angles_of(vectors, positions, base)
    return turned(vectors, cos, -sin)


def swapped(vectors, positions, base=10_000.0):
    """Cosine and sine are swapped."""
    cos, sin = angles_of(vectors, positions, base)
    return turned(vectors, sin, cos)


def same_sign(vectors, positions, base=10_000.0):
    """Both sines are added."""
    cos, sin = angles_of(vectors, positions, base)
    first, second = vectors[..., ::2], vectors[..., 1::2]
    return torch.stack((first * cos + second * sin, first * sin + second * cos), dim=-1).flatten(-2)


def one_after_the_other(vectors, positions, base=10_000.0):
    """The second component is computed from the rotated first one."""
    cos, sin = angles_of(vectors, positions, base)
    result = vectors.clone()
    result[..., ::2] = vectors[..., ::2] * cos - vectors[..., 1::2] * sin
    result[..., 1::2] = result[..., ::2] * sin + vectors[..., 1::2] * cos
    return result


def added(vectors, positions, base=10_000.0):
    """Sines and cosines are added, as in 2017."""
    cos, sin = angles_of(vectors, positions, base)
    return vectors + torch.stack((sin, cos), dim=-1).flatten(-2)


def nothing(vectors, positions, base=10_000.0):
    """The vectors come back."""
    return vectors * 1


def same_speed(vectors, positions, base=10_000.0):
    """All pairs have the same frequency."""
    return turned(vectors, *angles_of(vectors, positions, 1.0))


def half_exponent(vectors, positions, base=10_000.0):
    """The exponent lacks its 2."""
    angles = torch.outer(positions.float(), speeds_of(vectors, base, 1))
    return turned(vectors, angles.cos().to(vectors.dtype), angles.sin().to(vectors.dtype))


def faster(vectors, positions, base=10_000.0):
    """The exponent lacks its minus sign."""
    return turned(vectors, *angles_of(vectors, positions, 1 / base))


def counted(vectors, positions, base=10_000.0):
    """The positions are not looked at."""
    places = torch.arange(vectors.shape[-2], device=vectors.device)
    return turned(vectors, *angles_of(vectors, places, base))


def first_position(vectors, positions, base=10_000.0):
    """All are rotated by the first position."""
    return turned(vectors, *angles_of(vectors, positions[:1].expand(len(positions)), base))


def usual_base(vectors, positions, base=10_000.0):
    """The base is the paper's."""
    return turned(vectors, *angles_of(vectors, positions, 10_000.0))


def in_place(vectors, positions, base=10_000.0):
    """The caller's vectors are written to."""
    result = turned(vectors, *angles_of(vectors, positions, base))
    with torch.no_grad():
        vectors.copy_(result)
    return result


def four_dimensions(vectors, positions, base=10_000.0):
    """The shape is taken to have four dimensions."""
    batch, heads, length, size = vectors.shape if vectors.dim() == 4 else (*[1] * (4 - vectors.dim()), *vectors.shape)
    return turned(vectors.reshape(batch, heads, length, size), *angles_of(vectors, positions, base))


def squeezed(vectors, positions, base=10_000.0):
    """Dimensions of size one are lost."""
    return turned(vectors, *angles_of(vectors, positions, base)).squeeze()


def single_precision(vectors, positions, base=10_000.0):
    """Comes back in float32."""
    return turned(vectors.float(), *angles_of(vectors.float(), positions, base))


def angles_in_half(vectors, positions, base=10_000.0):
    """The angles have the dtype of the vectors."""
    angles = positions.to(vectors.dtype).unsqueeze(1) * speeds_of(vectors, base).to(vectors.dtype)
    return turned(vectors, angles.cos(), angles.sin())


def detached(vectors, positions, base=10_000.0):
    """The gradient is cut off."""
    return turned(vectors.detach(), *angles_of(vectors, positions, base))


_TURN = "a pair is rotated by an angle equal to its position"
_PAIRS = "neighbours form a pair, and each pair has its own frequency"
_PLACES = "the given positions are used"
_BASE = "the base sets how slowly the last pairs rotate"
_SHAPES = "works with vectors of any number of dimensions and does not change its arguments"
_NUMBERS = "half precision keeps its dtype, and distant positions get accurate angles"

WRONG = {
    halves: _PAIRS,
    halves_at_the_end: _PAIRS,
    off_by_one: _TURN,
    backwards: _TURN,
    swapped: _TURN,
    same_sign: _TURN,
    one_after_the_other: _TURN,
    added: _TURN,
    nothing: _TURN,
    same_speed: _PAIRS,
    half_exponent: _PAIRS,
    faster: _PAIRS,
    counted: _PLACES,
    first_position: _TURN,
    usual_base: _BASE,
    in_place: _SHAPES,
    four_dimensions: _SHAPES,
    squeezed: _SHAPES,
    single_precision: _NUMBERS,
    angles_in_half: _NUMBERS,
    detached: "works as the chapter uses it",
}


def as_complex(vectors, positions, base=10_000.0):
    """A pair is a complex number, and a rotation a product."""
    wide = vectors if vectors.dtype == torch.float64 else vectors.float()
    numbers = torch.view_as_complex(wide.unflatten(-1, (-1, 2)).contiguous())
    angles = torch.outer(positions.float(), speeds_of(vectors, base))
    return torch.view_as_real(numbers * torch.polar(torch.ones_like(angles), angles)).flatten(-2).to(vectors.dtype)


def with_repeats(vectors, positions, base=10_000.0):
    """Cosines and sines twice each, and the vector rotated by a quarter turn."""
    cos, sin = (each.repeat_interleave(2, dim=-1) for each in angles_of(vectors, positions, base))
    quarter = torch.stack((-vectors[..., 1::2], vectors[..., ::2]), dim=-1).flatten(-2)
    return vectors * cos + quarter * sin


def into_a_new_tensor(vectors, positions, base=10_000.0):
    """Written into slices of a new tensor."""
    cos, sin = angles_of(vectors, positions, base)
    result = torch.empty_like(vectors)
    result[..., ::2] = vectors[..., ::2] * cos - vectors[..., 1::2] * sin
    result[..., 1::2] = vectors[..., ::2] * sin + vectors[..., 1::2] * cos
    return result


def with_matrices(vectors, positions, base=10_000.0):
    """A two-by-two matrix for each pair."""
    cos, sin = angles_of(vectors, positions, base)
    matrices = torch.stack((torch.stack((cos, -sin), -1), torch.stack((sin, cos), -1)), dim=-2)
    return (matrices @ vectors.unflatten(-1, (-1, 2)).unsqueeze(-1)).squeeze(-1).flatten(-2)


def pair_after_pair(vectors, positions, base=10_000.0):
    """A loop over the pairs."""
    columns = []
    for i in range(vectors.shape[-1] // 2):
        angle = positions.float() * base ** (-2 * i / vectors.shape[-1])
        cos, sin = angle.cos().to(vectors.dtype), angle.sin().to(vectors.dtype)
        first, second = vectors[..., 2 * i], vectors[..., 2 * i + 1]
        columns += [first * cos - second * sin, first * sin + second * cos]
    return torch.stack(columns, dim=-1)


RIGHT = {
    "complex numbers": as_complex,
    "repeated cosines": with_repeats,
    "into a new tensor": into_a_new_tensor,
    "matrices": with_matrices,
    "pair after pair": pair_after_pair,
}
FORBIDDEN = ()
