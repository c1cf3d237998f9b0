"""The drawing of one step of training on rewards that a program checks."""

from itertools import pairwise

from seqlab.drawings.shapes import WIDE, Canvas
from seqlab.picture import Picture

_PARTS = (
    ("prompt", "grey", "use cat in\na sentence"),
    ("policy", "blue", "samples\nK answers"),
    ("verifier", "green", "a reward for\neach: 0 or 1"),
    ("baseline", "orange", "less the\ngroup's mean"),
    ("update", "blue", "better ones\nmore likely"),
)
"""What each part is called, its color, and what it does."""


def loop() -> Picture:
    """The parts of a step from left to right, and the way back from the update to the policy."""
    canvas = Canvas(
        WIDE,
        214,
        "Five boxes from left to right. A prompt goes to the policy, which samples several answers. The verifier gives each a reward of 0 or 1. "
        "The baseline subtracts the group's mean. The update makes the better answers more likely, and an arrow leads back from it to the policy.",
        "One step: sample, check, compare, update",
    )
    boxes = []
    for i, (name, color, does) in enumerate(_PARTS):
        x = 62 + 141 * i
        boxes.append(canvas.box(x, 76, name, width=92, height=44, color=color))
        canvas.text(x, 130, does)
    for before, after in pairwise(boxes):
        canvas.wire(before.right, after.left)
    update, policy = boxes[-1], boxes[1]
    canvas.wire((update.x, 166), (update.x, 190), (policy.x, 190), (policy.x, 166))
    return canvas.draw()
