"""The drawing of a picture as a memory: a grid of vectors that a decoder attends to."""

from base64 import b64encode
from collections.abc import Sequence
from io import BytesIO

import matplotlib.pyplot as plt
from torch import Tensor

from seqlab.drawings.shapes import WIDE, Canvas
from seqlab.picture import Picture


def grid(pixels: Tensor, words: Sequence[str], cells: int = 8) -> Picture:
    """A picture, the grid of vectors that convolutions make of it, and a decoder that attends to them.

    Args:
        pixels: The picture, integers from 0 to 255, shape (3, height, width).
        words: The first words of its caption.
        cells: The number of cells in a row and in a column.
    """
    canvas = Canvas(
        WIDE,
        312,
        "From left to right: a picture with digits, an arrow through convolutions to a grid of eight by eight cells, and from the grid, "
        f"the memory, an arrow through attention to a decoder, which writes {' '.join(words)} from top to bottom.",
        "A grid of vectors takes the place of the source words",
    )
    image = BytesIO()
    plt.imsave(image, pixels.permute(1, 2, 0).cpu().numpy(), format="png")
    size, top, middle = 176, 64, 152
    canvas.image(0, top, size, f"data:image/png;base64,{b64encode(image.getvalue()).decode()}")
    canvas.text(size / 2, 266, "$H$ × $W$ pixels,\n$C$ channels")
    canvas.wire((size + 8, middle), (286, middle), width=2.6)
    canvas.text(size + 55, middle - 34, "convo-\nlutions")
    left, step = 294, size / cells
    for row in range(cells):
        for column in range(cells):
            canvas.cell(
                left + step * column + 1.5, top + step * row + 1.5, step - 3, step - 3, color="blue", opacity=0.55
            )
    canvas.text(left + size / 2, 266, f"{cells} · {cells} vectors $h_i$,\nthe memory")
    canvas.text(518, middle - 20, "attention", color="orange")
    pitch = size / len(words)
    for place, word in enumerate(words):
        y = top + pitch * (place + 0.5)
        canvas.box(586, y, f"$s_{place + 1}$", width=44, height=32, color="green")
        canvas.text(633, y, word, anchor="start")
        canvas.wire((608, y), (628, y))
        if place:
            canvas.wire((586, y - pitch + 16), (586, y - 16), color="green", width=2.2)
    canvas.wire((left + size + 6, middle), (556, middle), color="orange", width=2.6)
    canvas.text(600, 266, "the decoder\nwrites")
    return canvas.draw()
