"""A picture whose steps a reader chooses: the shell of the growing beam, the growing caption and the drawings built up in steps.

The steps are radio buttons, which browsers let a reader move through with the arrow keys, and style sheets show what belongs to a step:
there is no script that could be blocked. Where style sheets are removed as well, the whole picture is shown, with what
there is to see at each step in words.
"""

import hashlib
from collections.abc import Sequence
from html import escape

from seqlab.plots import PALETTE


def stepper(
    picture: str,
    said: Sequence[str],
    *,
    legend: str,
    buttons: Sequence[str],
    chosen: int,
    grows: bool,
    heading: str = "",
) -> str:
    """The picture with a button and a sentence for each step.

    Args:
        picture: Its markup; what belongs to step k, counted from 1, has the class `step-k`.
        said: What there is to see at each step, in words.
        legend: What the buttons choose.
        buttons: The label of each button.
        chosen: The step that is chosen at first, counted from 1.
        grows: Whether what belongs to earlier steps stays, or each step shows its own alone.
        heading: What the picture shows, if there is a heading above it.
    """
    # Names come from what is said, so that two pictures of a page do not get in each other's way.
    name = "steps-" + hashlib.sha256("\n".join([heading, picture, *said]).encode()).hexdigest()[:8]
    steps = range(1, len(said) + 1)
    rules = []
    for at in steps:
        here = f"#{name}:has(#{name}-{at}:checked)"
        rules.append(f"{here} .said:not(#{name}-said-{at}) {{ visibility: hidden; }}")
        hidden = ", ".join(f".step-{step}" for step in steps if step > at or (not grows and step < at))
        if hidden:
            rules.append(f"{here} :is({hidden}) {{ display: none; }}")
    # What is said at one step lies over what is said at another, so that the picture stays where it is. Browsers that cannot tell which
    # step is chosen show all of it.
    sheet = f"""
#{name} {{ overflow-x: auto; }}
#{name} fieldset {{ border: 0; padding: 0; margin: 0; display: flex; flex-wrap: wrap; gap: 0.2rem 0.7rem; }}
#{name} legend {{ float: left; padding: 0 0.6rem 0 0; margin: 0; font-size: 1em; line-height: 1.6rem; width: auto; color: inherit; }}
#{name} label {{ display: inline-flex; align-items: center; gap: 0.25rem; min-height: 1.6rem; margin: 0; cursor: pointer; color: inherit; }}
#{name} label:has(:checked) {{ font-weight: bold; text-decoration: underline; }}
#{name} input {{ width: 1.1rem; height: 1.1rem; margin: 0; accent-color: {PALETTE["blue"]}; }}
#{name} input:focus-visible {{ outline: 3px solid {PALETTE["red"]}; outline-offset: 2px; }}
#{name} .heading {{ font-weight: bold; margin: 0 0 0.4rem; color: inherit; }}
#{name} .said {{ margin: 0.4rem 0; line-height: 1.5; color: inherit; }}
#{name} svg {{ display: block; max-width: 100%; height: auto; }}
@supports selector(:has(*)) {{
#{name} .all-said {{ display: grid; }}
#{name} .said {{ grid-area: 1 / 1; }}
{chr(10).join(rules)}
}}
"""
    # JupyterLab would take a key that is pressed on a button for one of its own, such as d for "delete the cell".
    radios = "".join(
        f'<label><input type="radio" name="{name}" id="{name}-{at}" aria-describedby="{name}-said-{at}" data-lm-suppress-shortcuts="true"'
        f"{' checked' if at == chosen else ''}>{escape(button)}</label>"
        for at, button in zip(steps, buttons, strict=True)
    )
    panels = "".join(
        f'<p class="said" id="{name}-said-{at}">{escape(told)}</p>' for at, told in zip(steps, said, strict=True)
    )
    return (
        f'<div id="{name}"><style>{sheet}</style>{f"<p class={chr(34)}heading{chr(34)}>{escape(heading)}</p>" if heading else ""}'
        f'<fieldset><legend>{escape(legend)}</legend>{radios}</fieldset><div class="all-said">{panels}</div>{picture}</div>'
    )
