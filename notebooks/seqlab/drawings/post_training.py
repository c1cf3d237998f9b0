"""The drawing of what a language model goes through: pre-training and the three stages after it."""

from itertools import pairwise

from seqlab.drawings.shapes import WIDE, Canvas
from seqlab.picture import Picture

_STAGES = (
    ("pre-training", "old text", "every piece", "grey"),
    ("continued\ntraining", "new text,\nsome old", "every piece", "green"),
    ("instruction\ntuning", "instructions\nwith answers", "the pieces\nof the answer", "blue"),
    ("preferences", "pairs of\nanswers", "which one\nis better", "orange"),
)
"""What each stage is called, what it trains on, what its loss counts, and its color."""


def stages() -> Picture:
    """The four stages from left to right, with the data above and what the loss counts below."""
    canvas = Canvas(
        WIDE,
        236,
        "Four boxes from left to right: pre-training on old text, continued training on new text with some old, instruction tuning on "
        "instructions with answers, and preferences on pairs of answers. Below each box is what its loss counts.",
        "Four stages, one network: only data and loss change",
    )
    for y, name in ((66, "data"), (206, "loss")):
        canvas.text(0, y, name, anchor="start", bold=True)
    boxes = []
    for i, (name, data, loss, color) in enumerate(_STAGES):
        x = 126 + 168 * i
        boxes.append(canvas.box(x, 136, name, width=118, height=52, color=color))
        canvas.text(x, 66, data)
        canvas.text(x, 206, loss)
    for before, after in pairwise(boxes):
        canvas.wire(before.right, after.left)
    return canvas.draw()
