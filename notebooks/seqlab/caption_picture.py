"""The picture of a caption that grows: a scene, the words one by one, and where the decoder looked for each of them.

The words are radio buttons, which browsers let a reader move through with the arrow keys, and style sheets show what belongs to a word:
there is no script that could be blocked. What there is to see at each word also stands there in words.
"""

from __future__ import annotations

import hashlib
import io
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from PIL import Image
from torch import Tensor

from seqlab.boxes import Box, share_in_box
from seqlab.plots import INK, PALETTE, PAPER

_SIDE = 288
"""How wide and high the scene is drawn."""
_FAINT = 0.01
"""The least weight that is drawn."""
_STRONGEST = 0.8
"""The opacity of a cell that has all of the weight."""


@dataclass(frozen=True)
class CaptionPicture:
    """A picture that a notebook and the site show; its text stands in where pictures are not shown."""

    html: str
    text: str

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        """What there is to see at each word, in words."""
        return self.text


def caption_picture(
    pixels: Tensor,
    words: Sequence[str],
    weights: Tensor,
    columns: int,
    *,
    title: str,
    boxes: Mapping[int, Box] | None = None,
) -> CaptionPicture:
    """Draw a caption as it grows.

    Args:
        pixels: The scene, whole numbers from 0 to 255, shape (3, H, W), with H = W.
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
    return CaptionPicture(_html(pixels, words, looks, columns, cell, boxes, said, title), "\n".join([title, *said]))


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


def _html(
    pixels: Tensor,
    words: Sequence[str],
    looks: Tensor,
    columns: int,
    cell: float,
    boxes: Mapping[int, Box],
    said: list[str],
    title: str,
) -> str:
    """The whole picture; names in it come from what it says, so that two pictures of a page do not get in each other's way."""
    name = "caption-" + hashlib.sha256("\n".join([title, *said]).encode()).hexdigest()[:8]
    shown = max(boxes, default=len(words) - 1)
    rules = []
    for place in range(len(words)):
        chosen = f"#{name}:has(#{name}-{place}:checked)"
        rules.append(f"{chosen} .said:not(#{name}-said-{place}) {{ visibility: hidden; }}")
        rules.append(f"{chosen} .look:not(.look-{place}) {{ display: none; }}")
    # What is said at one word lies over what is said at another, so that the drawing stays where it is. Browsers that cannot tell which
    # word is chosen show all of it.
    style = f"""
#{name} {{ background: {PAPER}; color: {INK}; color-scheme: light; padding: 0.6rem; border-radius: 6px; font-family: sans-serif; max-width: 46rem; }}
#{name} fieldset {{ border: 0; padding: 0; margin: 0; display: flex; flex-wrap: wrap; gap: 0.2rem 0.7rem; }}
#{name} legend {{ float: left; padding: 0 0.6rem 0 0; margin: 0; font-size: 1em; line-height: 1.6rem; width: auto; color: inherit; }}
#{name} label {{ display: inline-flex; align-items: center; gap: 0.25rem; min-height: 1.6rem; margin: 0; cursor: pointer; color: inherit; }}
#{name} label:has(:checked) {{ font-weight: bold; text-decoration: underline; }}
#{name} input {{ width: 1.1rem; height: 1.1rem; margin: 0; accent-color: {PALETTE["blue"]}; }}
#{name} input:focus-visible {{ outline: 3px solid {PALETTE["red"]}; outline-offset: 2px; }}
#{name} .heading {{ font-weight: bold; margin: 0 0 0.4rem; color: inherit; }}
#{name} .said {{ margin: 0.4rem 0; font-size: 0.9em; line-height: 1.5; color: inherit; }}
#{name} svg {{ display: block; max-width: 100%; height: auto; }}
@supports selector(:has(*)) {{
#{name} .all-said {{ display: grid; }}
#{name} .said {{ grid-area: 1 / 1; }}
{chr(10).join(rules)}
}}
"""
    radios = "".join(
        f'<label><input type="radio" name="{name}" id="{name}-{place}" aria-describedby="{name}-said-{place}"'
        f"{' checked' if place == shown else ''}>{escape(word)}</label>"
        for place, word in enumerate(words)
    )
    panels = "".join(f'<p class="said" id="{name}-said-{place}">{escape(told)}</p>' for place, told in enumerate(said))
    return (
        f'<div id="{name}"><style>{style}</style><p class="heading">{escape(title)}</p>'
        f'<fieldset><legend>Word</legend>{radios}</fieldset><div class="all-said">{panels}</div>'
        f"{_drawing(pixels, looks, columns, cell, boxes, title)}</div>"
    )


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
        groups.append(f'<g class="look look-{place}"><g fill="#FFFFFF">{"".join(parts)}</g>{outline}</g>')
    label = (
        f"{title}: a scene, with the attention at the chosen word as light squares; the text before it says the same"
    )
    return (
        f'<svg role="img" aria-label="{escape(label)}" width="{_SIDE}" height="{_SIDE}" viewBox="0 0 {_SIDE} {_SIDE}">'
        f'<image href="data:image/png;base64,{_png(pixels)}" width="{_SIDE}" height="{_SIDE}" style="image-rendering: pixelated"/>'
        f"{''.join(groups)}</svg>"
    )


def _png(pixels: Tensor) -> str:
    buffer = io.BytesIO()
    Image.fromarray(pixels.permute(1, 2, 0).cpu().numpy()).save(buffer, format="PNG")
    return b64encode(buffer.getvalue()).decode()
