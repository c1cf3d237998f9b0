"""Drawings of the Transformer: its layer with the norm in either place, and the whole of it."""

from collections.abc import Sequence

from seqlab.drawings.shapes import WIDE, Canvas, Shape
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
    memory = _stack(canvas, 170, "source words", ["self-attention", "feed-forward"], -1)
    end = _stack(
        canvas, 530, "target words written so far", ["masked self-attention", "cross-attention", "feed-forward"], 1
    )
    output = canvas.box(530, end[1] - 46, "output layer", width=184, color="green")
    canvas.wire(end, output.bottom)
    canvas.wire(output.top, (530, 62))
    canvas.text(530, 48, "the next word")
    canvas.wire(memory, (170, memory[1] - 34), (340, memory[1] - 34), (340, 473), (438, 473), color="purple", width=2.8)
    canvas.text(256, memory[1] - 50, "memory")
    return canvas.draw()


def _stack(canvas: Canvas, x: float, words: str, sublayers: Sequence[str], side: int) -> tuple[float, float]:
    """One of the two columns; returns where its last arrow begins."""
    foot, pitch = 836, 164
    canvas.text(x, foot, words)
    ends = canvas.box(x, foot - 60, "embedding\n+ positions", width=184, height=52, color="green")
    canvas.wire((x, foot - 14), ends.bottom)
    last, top = ends.top, foot - 112
    for number, name in enumerate(sublayers):
        y = top - pitch * number
        norm = canvas.box(x, y - 30, "norm", width=184, height=34)
        part = canvas.box(x, y - 87, name, width=184, height=38, color=_COLORS[name])
        plus = canvas.circle(x, y - 139, "+", color="grey")
        canvas.wire(last, norm.bottom)
        canvas.wire(norm.top, part.bottom)
        canvas.wire(part.top, plus.bottom)
        canvas.wire((x, y), (x + 112 * side, y), (x + 112 * side, y - 139), plus.right if side > 0 else plus.left)
        last = plus.top
    height = pitch * len(sublayers)
    canvas.frame(x + 8 * side, top - height / 2 + 5, 252, height - 2)
    canvas.text(x + 146 * side, top - 82, "one of `num_layers`", turned=True)
    norm = canvas.box(x, top - height - 34, "norm", width=184, height=34)
    canvas.wire(last, norm.bottom)
    return norm.top
