"""Drawings of the Transformer: its layer with the norm in either place, the whole of it, and a GPT."""

from collections.abc import Mapping, Sequence

from seqlab.drawings.shapes import WIDE, Canvas, Point, Shape
from seqlab.picture import Picture

_COLORS = {
    "self-attention": "blue",
    "masked self-attention": "blue",
    "cross-attention": "purple",
    "feed-forward": "orange",
}


def encoder_layer() -> Picture:
    """An encoder layer in pre-norm and in post-norm form."""
    canvas = Canvas(
        WIDE,
        520,
        "Two columns of boxes, read from the bottom up. In pre-norm, a norm and self-attention stand beside the residual connection, "
        "which leads to a sum, and then a norm and the feed-forward network beside a second one. In post-norm, the same sublayers "
        "stand without a norm in front of them, and a norm follows each sum.",
        "The norm before each sublayer, or after each sum",
    )
    columns: list[tuple[float, str, str]] = [(190, "pre-norm", "before"), (530, "post-norm", "after")]
    for x, name, orders in columns:
        canvas.text(x, 54, name, bold=True)
        canvas.text(x, 502, "$x$")
        last, y = (x, 490.0), 450.0
        for sublayer in ("self-attention", "feed-forward"):
            begins = y + 12
            parts = ["norm", sublayer, "+"] if orders == "before" else [sublayer, "+", "norm"]
            for part in parts:
                if part == "+":
                    y -= 6
                    shape: Shape = canvas.circle(x, y, "+", color="grey")
                    canvas.wire((x, begins), (x - 112, begins), (x - 112, y), shape.left)
                    y -= 8
                else:
                    shape = canvas.box(x, y - 20, part, width=156, color=_COLORS.get(part, "grey"))
                    y -= 14
                canvas.wire(last, shape.bottom)
                last, y = shape.top, y - 48
            y -= 6
        canvas.wire(last, (x, 70))
    return canvas.draw()


def whole() -> Picture:
    """The whole Transformer in pre-norm form: both stacks, their ends and the memory between them."""
    canvas = Canvas(
        WIDE,
        850,
        "Two columns of boxes, read from the bottom up. The encoder on the left has embedding and positions, then layers of "
        "self-attention and feed-forward, then a norm. The decoder on the right has embedding and positions, then layers of masked "
        "self-attention, cross-attention and feed-forward, then a norm and the output layer. An arrow leads from the end of the encoder, "
        "the memory, into cross-attention in each of the decoder's layers.",
        "Two stacks, and one arrow between them",
    )
    encoder = _stack(canvas, (170, 836), "source words", ["self-attention", "feed-forward"], -1)
    decoder = ["masked self-attention", "cross-attention", "feed-forward"]
    ends = _stack(canvas, (530, 836), "target words written so far", decoder, 1)
    _output(canvas, ends[-1][1], "the next word")
    memory = encoder[-1][1].top
    canvas.wire(memory, (170, memory[1] - 34), (340, memory[1] - 34), (340, 473), (438, 473), color="purple", width=2.8)
    canvas.text(256, memory[1] - 50, "memory")
    return canvas.draw()


def gpt(sections: Mapping[str, str]) -> Picture:
    """A GPT in pre-norm form, with the section that builds each part beside it.

    Args:
        sections: What to write beside "embedding", "norm", "self-attention", "+", "feed-forward" or "output layer".

    Raises:
        ValueError: If there is no such part.
    """
    canvas = Canvas(
        WIDE,
        686,
        "The parts of a GPT in a column, read from the bottom up: the words so far, the embedding with the positions, and then a layer "
        "that is repeated: norm, self-attention and the addition of its input, norm, feed-forward and the addition of its input. At the "
        "top are a norm and the output layer. Beside the parts stand the sections that build them.",
        "The parts of a GPT, and where you build them",
    )
    parts = _stack(canvas, (170, 672), "the words so far", ["self-attention", "feed-forward"], -1)
    parts.append(("output layer", _output(canvas, parts[-1][1], "a probability for every next word")))
    places = dict(reversed(parts))
    for name, said in sections.items():
        if name not in places:
            raise ValueError(f"a GPT has no part {name!r}: expected one of {', '.join(map(repr, places))}")
        canvas.text(306, places[name].y, said, anchor="start")
    return canvas.draw()


def _output(canvas: Canvas, norm: Shape, said: str) -> Shape:
    """The output layer above a decoder's last norm, and what comes out of it."""
    x, y = norm.top
    output = canvas.box(x, y - 46, "output layer", width=184, color="green")
    canvas.wire(norm.top, output.bottom)
    canvas.wire(output.top, (x, 62))
    canvas.text(x, 48, said)
    return output


def _stack(canvas: Canvas, at: Point, words: str, sublayers: Sequence[str], side: int) -> list[tuple[str, Shape]]:
    """A column of parts with its foot at a point, and the residual connections on one side; returns the parts from the bottom up."""
    (x, foot), pitch = at, 164
    canvas.text(x, foot, words)
    embedding = canvas.box(x, foot - 60, "embedding\n+ positions", width=184, height=52, color="green")
    canvas.wire((x, foot - 14), embedding.bottom)
    parts, top = [("embedding", embedding)], foot - 112
    for number, name in enumerate(sublayers):
        y = top - pitch * number
        norm = canvas.box(x, y - 30, "norm", width=184, height=34)
        part = canvas.box(x, y - 87, name, width=184, height=38, color=_COLORS[name])
        plus = canvas.circle(x, y - 139, "+", color="grey")
        canvas.wire(parts[-1][1].top, norm.bottom)
        canvas.wire(norm.top, part.bottom)
        canvas.wire(part.top, plus.bottom)
        canvas.wire((x, y), (x + 112 * side, y), (x + 112 * side, y - 139), plus.right if side > 0 else plus.left)
        parts += [("norm", norm), (name, part), ("+", plus)]
    height = pitch * len(sublayers)
    canvas.frame(x + 8 * side, top - height / 2 + 5, 252, height - 2)
    canvas.text(x + 146 * side, top - 82, "one of `num_layers`", turned=True)
    norm = canvas.box(x, top - height - 34, "norm", width=184, height=34)
    canvas.wire(parts[-1][1].top, norm.bottom)
    return [*parts, ("norm", norm)]
