"""The picture of a caption that grows: a scene, the words one by one, and where the decoder looked for each of them."""

from __future__ import annotations

import io
from base64 import b64encode
from collections.abc import Mapping, Sequence
from html import escape

from PIL import Image
from torch import Tensor

from seqlab.boxes import Box, share_in_box
from seqlab.picture import Picture
from seqlab.stepper import stepper

_SIDE = 288
"""How wide and high the scene is drawn."""
_FAINT = 0.01
"""The least weight that is drawn."""
_STRONGEST = 0.8
"""The opacity of a cell that has all of the weight."""


def caption_picture(
    pixels: Tensor,
    words: Sequence[str],
    weights: Tensor,
    columns: int,
    *,
    title: str,
    boxes: Mapping[int, Box] | None = None,
) -> Picture:
    """Draw a caption as it grows.

    Args:
        pixels: The scene, integers from 0 to 255, shape (3, H, W), with H = W.
        words: The caption's words.
        weights: The attention with which each of them was chosen, shape (T, S), the S cells row by row.
        columns: Number of columns of the grid; it has as many rows.
        title: What the picture shows.
        boxes: The gold box of a word by its number in the caption, in pixels, for words that name a thing.

    Raises:
        ValueError: If there is no word, the shapes do not fit, or a box belongs to no word.
    """
    boxes = boxes or {}
    if not words:
        raise ValueError("words is empty: give the words of a caption")
    if weights.shape != (len(words), columns**2):
        raise ValueError(
            f"weights has shape {tuple(weights.shape)}: for {len(words)} words and a grid of {columns} by {columns} cells expected "
            f"({len(words)}, {columns**2})"
        )
    if pixels.dim() != 3 or pixels.shape[1] != pixels.shape[2]:
        raise ValueError(f"pixels has shape {tuple(pixels.shape)}: expected (3, H, H)")
    for place in boxes:
        if not 0 <= place < len(words):
            raise ValueError(f"there is a box for word {place}, and the words are 0 to {len(words) - 1}")
    looks, cell = weights.detach().float().cpu(), pixels.shape[2] / columns
    said = [_said(place, words, looks[place], columns, cell, boxes.get(place)) for place in range(len(words))]
    html = stepper(
        _drawing(pixels, looks, columns, cell, boxes, title),
        said,
        legend="Word",
        buttons=words,
        chosen=max(boxes, default=len(words) - 1) + 1,
        grows=False,
        heading=title,
    )
    return Picture(html, "\n".join([title, *said]))


def _said(place: int, words: Sequence[str], look: Tensor, columns: int, cell: float, box: Box | None) -> str:
    """What there is to see at a word."""
    best = int(look.argmax())
    beginning = " ".join(words[: place + 1])
    told = (
        f"Word {place + 1}: “{beginning}”. The largest weight, {look[best]:.2f}, is in row {best // columns + 1}, "
        f"column {best % columns + 1}."
    )
    if box is not None:
        size = columns * cell
        area = (box[2] - box[0]) * (box[3] - box[1]) / size**2
        told += f" “{words[place]}” has {share_in_box(look, columns, cell, box):.0%} of the weight in its box, which is {area:.0%} of the picture."
    return told


def _drawing(pixels: Tensor, looks: Tensor, columns: int, cell: float, boxes: Mapping[int, Box], title: str) -> str:
    """The scene, and over it each look in a group of its own."""
    scale = _SIDE / pixels.shape[2]
    wide = cell * scale
    groups = []
    for place, look in enumerate(looks.tolist()):
        parts = [
            f'<rect x="{i % columns * wide:.0f}" y="{i // columns * wide:.0f}" width="{wide:.0f}" height="{wide:.0f}" '
            f'fill-opacity="{_STRONGEST * weight:.2f}"/>'
            for i, weight in enumerate(look)
            if weight >= _FAINT
        ]
        outline = ""
        if place in boxes:
            top, left, bottom, right = (scale * edge for edge in boxes[place])
            outline = (
                f'<rect x="{left:.0f}" y="{top:.0f}" width="{right - left:.0f}" height="{bottom - top:.0f}" fill="none" '
                f'stroke="#FFFFFF" stroke-width="2" stroke-dasharray="5 4"/>'
            )
        groups.append(f'<g class="step-{place + 1}"><g fill="#FFFFFF">{"".join(parts)}</g>{outline}</g>')
    label = (
        f"{title}: a scene, with the attention at the chosen word as light squares; the text before it says the same"
    )
    return (
        f'<svg class="drawing" role="img" aria-label="{escape(label)}" width="{_SIDE}" height="{_SIDE}" viewBox="0 0 {_SIDE} {_SIDE}">'
        f'<image href="data:image/png;base64,{_png(pixels)}" width="{_SIDE}" height="{_SIDE}" style="image-rendering: pixelated"/>'
        f"{''.join(groups)}</svg>"
    )


def _png(pixels: Tensor) -> str:
    buffer = io.BytesIO()
    Image.fromarray(pixels.permute(1, 2, 0).cpu().numpy()).save(buffer, format="PNG")
    return b64encode(buffer.getvalue()).decode()
