"""Drawings of BERT: how its weights are used again, how a pair of sentences is packed, and what is added up at each position."""

from collections.abc import Sequence

from seqlab.drawings.shapes import WIDE, Canvas, Shape
from seqlab.picture import Picture

_SEGMENTS = ("green", "orange")
"""The colour of each segment."""


def fine_tuning() -> Picture:
    """One pre-training on the left, and on the right two tasks that begin with its weights."""
    canvas = Canvas(
        WIDE,
        338,
        "On the left, pre-training, done once: plain text without labels goes into an encoder with two heads on top, for hidden words and "
        "for the next sentence. Arrows carry its weights to the encoders of two tasks on the right, each with a small new layer and few "
        "labels.",
        "Fine-tuning starts from the pre-trained weights",
    )
    canvas.text(124, 58, "pre-train once", bold=True)
    canvas.text(507, 58, "fine-tune often", bold=True)
    heads = [(64, "hidden\nwords", "green"), (184, "next\nsentence", "green")]
    encoders = [
        _trained(canvas, 124, 232, "plain text, no labels", heads),
        _trained(canvas, 412, 164, "few labels", [(412, "which era?", "orange")]),
        _trained(canvas, 602, 164, "few labels", [(602, "praise or blame?", "orange")]),
    ]
    (begin, y), (first, _), (second, _) = encoders[0].right, encoders[1].left, encoders[2].left
    for end, shift in ((first, -22), (second, 22)):
        canvas.wire((begin, y + shift), (end, y + shift), color="red", width=3.2)
    canvas.text((begin + first) / 2, y, "weights")
    return canvas.draw()


def _trained(canvas: Canvas, x: float, width: float, data: str, heads: Sequence[tuple[float, str, str]]) -> Shape:
    """An encoder between its data and the layers on top of it, each with its place, name and colour; returns the encoder."""
    given = canvas.box(x, 314, data, width=width)
    encoder = canvas.box(x, 214, "encoder", width=width, height=84, color="blue")
    canvas.wire(given.top, encoder.bottom)
    for place, name, color in heads:
        head = canvas.box(place, 110, name, width=width / len(heads) - 4 * (len(heads) > 1), height=52, color=color)
        canvas.wire((place, encoder.top[1]), head.bottom)
    return encoder


def packed_pair(tokens: Sequence[str], segments: Sequence[int]) -> Picture:
    """The three rows of a packed pair: the tokens, their segments and their positions.

    Args:
        tokens: The packed sequence, as it is written.
        segments: The segment of each token, 0 or 1.

    Raises:
        ValueError: If there is not one segment for each token.
    """
    _check(tokens, segments)
    pitch = min(64, (WIDE - 84) / len(tokens))
    height = 20 + 9 * max(map(len, tokens))
    canvas = Canvas(
        WIDE,
        130 + height,
        f"A column for each of the tokens {' '.join(tokens)}, with its segment below it, {' '.join(map(str, segments))}, and its position, "
        f"from 0 to {len(tokens) - 1}.",
        "The first [SEP] ends segment 0",
    )
    rows = {"token": 42 + height / 2, "segment": 64 + height, "position": 104 + height}
    for name, y in rows.items():
        canvas.text(2, y, name, anchor="start", bold=True)
    for i, (token, segment) in enumerate(zip(tokens, segments, strict=True)):
        x, color = 84 + pitch * (i + 0.5), _SEGMENTS[segment]
        canvas.box(x, rows["token"], width=pitch - 4, height=height, color=color)
        canvas.text(x, rows["token"], token, turned=True)
        canvas.box(x, rows["segment"], str(segment), width=pitch - 4, height=34, color=color)
        canvas.box(x, rows["position"], str(i), width=pitch - 4, height=34, color="grey")
    return canvas.draw()


def input_sum(tokens: Sequence[str], segments: Sequence[int]) -> Picture:
    """The three embeddings of each position, their sum and its norm.

    Args:
        tokens: The packed sequence, as it is written.
        segments: The segment of each token, 0 or 1.

    Raises:
        ValueError: If there is not one segment for each token.
    """
    _check(tokens, segments)
    pitch = max(64, *(16 + 9 * len(token) for token in tokens))
    canvas = Canvas(
        max(WIDE, int(92 + pitch * len(tokens))),
        386,
        f"A column for each of the tokens {' '.join(tokens)}. Three boxes in each, the embeddings of the token, of its position and of its "
        "segment, are added up and normalised, which gives the vector that enters the encoder.",
        "Three embeddings are added at each position",
    )
    rows = {"token": 296, "position": 240, "segment": 184}
    for name, y in rows.items():
        canvas.text(2, y, name, anchor="start", bold=True)
    canvas.text(2, 122, "norm", anchor="start", bold=True)
    for i, (token, segment) in enumerate(zip(tokens, segments, strict=True)):
        x = 92 + pitch * (i + 0.5)
        canvas.text(x, 366, token)
        canvas.wire((x, 352), (x, 318))
        canvas.box(x, rows["token"], f"$E_{{{token}}}$", width=pitch - 8, height=34, color="blue")
        canvas.box(x, rows["position"], f"$P_{i}$", width=pitch - 8, height=34, color="grey")
        canvas.box(x, rows["segment"], f"$G_{segment}$", width=pitch - 8, height=34, color=_SEGMENTS[segment])
        for y in (268, 212):
            canvas.text(x, y, "+")
        normed = canvas.box(x, 122, width=pitch - 8, height=26, color="purple")
        canvas.wire((x, rows["segment"] - 17), normed.bottom)
        canvas.wire(normed.top, (x, 80))
        canvas.text(x, 60, f"$h_{i}^{{(0)}}$")
    return canvas.draw()


def _check(tokens: Sequence[str], segments: Sequence[int]) -> None:
    if len(tokens) != len(segments):
        raise ValueError(f"there are {len(tokens)} tokens and {len(segments)} segments: expected one segment a token")
