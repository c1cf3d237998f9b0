"""A drawing that is built up in steps, chosen with radio buttons and shown by style sheets, without a script."""

from collections.abc import Sequence

from seqlab.picture import Picture
from seqlab.stepper import stepper


def in_steps(drawing: Picture, said: Sequence[str]) -> Picture:
    """The drawing with a button and a sentence for each of its steps; at first all of it is visible.

    Args:
        drawing: What has been drawn on a `Canvas` with its `step` set.
        said: What happens at each step, in words.
    """
    numbered = [f"{at}. {text}" for at, text in enumerate(said, 1)]
    html = stepper(
        drawing.html,
        numbered,
        legend="Step",
        buttons=[str(at) for at in range(1, len(said) + 1)],
        chosen=len(said),
        grows=True,
    )
    return Picture(html, "\n".join([drawing.text, *numbered]))
