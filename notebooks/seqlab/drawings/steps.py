"""A drawing that is built up in steps, chosen with radio buttons and shown by style sheets, without a script."""

import hashlib
from collections.abc import Sequence
from html import escape

from seqlab.drawings.shapes import Drawing
from seqlab.plots import PALETTE


def in_steps(drawing: Drawing, said: Sequence[str]) -> Drawing:
    """The drawing with a button and a sentence for each of its steps; at first all of it is to be seen.

    Args:
        drawing: What has been drawn on a `Canvas` with its `step` set.
        said: What happens at each step, in words.
    """
    last = len(said)
    name = "steps-" + hashlib.sha256("\n".join([drawing.alt, *said]).encode()).hexdigest()[:8]
    chosen = [f"#{name}:has(#{name}-{at}:checked)" for at in range(1, last + 1)]
    rules = [
        f"{chosen[at - 1]} :is({', '.join(f'.step-{step}' for step in range(at + 1, last + 1))}) {{ display: none; }}"
        for at in range(1, last)
    ]
    rules += [f"{at} .said:not(#{name}-said-{step}) {{ visibility: hidden; }}" for step, at in enumerate(chosen, 1)]
    style = f"""
#{name} {{ overflow-x: auto; }}
#{name} fieldset {{ border: 0; padding: 0; margin: 0; display: flex; flex-wrap: wrap; gap: 0.2rem 0.7rem; }}
#{name} legend {{ float: left; padding: 0 0.6rem 0 0; margin: 0; font-size: 1em; line-height: 1.6rem; width: auto; color: inherit; }}
#{name} label {{ display: inline-flex; align-items: center; gap: 0.25rem; min-height: 1.6rem; margin: 0; cursor: pointer; color: inherit; }}
#{name} input {{ width: 1.1rem; height: 1.1rem; margin: 0; accent-color: {PALETTE["blue"]}; }}
#{name} input:focus-visible {{ outline: 3px solid {PALETTE["red"]}; outline-offset: 2px; }}
#{name} .said {{ margin: 0.4rem 0; line-height: 1.5; color: inherit; }}
@supports selector(:has(*)) {{
#{name} .all-said {{ display: grid; }}
#{name} .said {{ grid-area: 1 / 1; }}
{chr(10).join(rules)}
}}
"""
    radios = "".join(
        f'<label><input type="radio" name="{name}" id="{name}-{at}" aria-describedby="{name}-said-{at}"'
        f"{' checked' if at == last else ''}>{at}</label>"
        for at in range(1, last + 1)
    )
    panels = "".join(
        f'<p class="said" id="{name}-said-{at}">{at}. {escape(text)}</p>' for at, text in enumerate(said, 1)
    )
    return Drawing(
        f'<div id="{name}"><style>{style}</style><fieldset><legend>Step</legend>{radios}</fieldset>'
        f'<div class="all-said">{panels}</div>{drawing.svg}</div>',
        "\n".join([drawing.alt, *(f"{at}. {text}" for at, text in enumerate(said, 1))]),
    )
