"""Run by every IPython kernel that the tests start: cells get less data, and loops of their own make fewer steps.

What there is to learn from and to measure with is cut as the steps of training are at the smoke budget: that a cell runs can be seen with little.
"""

import re
from dataclasses import replace
from functools import wraps

from IPython import get_ipython

from seqlab import corpus, instructions, per_character, periods, presidents, scenes, training, wordpieces

LEARNT, HELD_OUT = 500, 200
"""So many pairs of each set are kept."""
OF_SPEECHES, SENTENCES = 20, 100
"""One of so many speeches is kept of those to learn from, and so many sentences of each of the others."""
OF_SCENES = 20
"""One of so many scenes is kept of each set."""
WINDOWS = 64
"""So many windows of a period are measured."""
OF_INSTRUCTIONS = 5
"""One of so many instructions is kept of those to measure with."""

_draw, _load, _paint = corpus.load_corpus, presidents.load_speeches, scenes.load_scenes
_cut, _tell = periods.load_periods, instructions.load_instructions


@wraps(_draw)
def load_corpus(*args, **kwargs):
    """What `seqlab`'s own gives, with fewer pairs; a corpus of one's own is left as it is."""
    whole = _draw(*args, **kwargs)
    if not whole.has_links:
        return whole
    return replace(whole, train=whole.train[:LEARNT], valid=whole.valid[:HELD_OUT], test=whole.test[:HELD_OUT])


@wraps(_load)
def load_speeches(*args, **kwargs):
    """What `seqlab`'s own gives, with the same vocabulary and less text, as counting it takes longest."""
    whole = _load(*args, **kwargs)
    valid, test = (
        tuple(replace(speech, sentences=speech.sentences[:SENTENCES]) for speech in part)
        for part in (whole.valid, whole.test)
    )
    return replace(whole, train=whole.train[::OF_SPEECHES], valid=valid, test=test)


@wraps(_paint)
def load_scenes(*args, **kwargs):
    """What `seqlab`'s own gives, with fewer scenes; pictures of one's own are left as they are."""
    whole = _paint(*args, **kwargs)
    sets = {name: getattr(whole, name)[::OF_SCENES] for name in ("train", "valid", "test", "unseen")}
    return replace(whole, **sets) if whole.has_boxes else whole


@wraps(_cut)
def load_periods(*args, **kwargs):
    """What `seqlab`'s own gives, with fewer windows to measure by."""
    whole = _cut(*args, **kwargs)
    return replace(
        whole, **{name: replace(p, test=p.test[:WINDOWS]) for name, p in (("old", whole.old), ("new", whole.new))}
    )


@wraps(_tell)
def load_instructions(*args, **kwargs):
    """What `seqlab`'s own gives, with fewer to measure with."""
    whole = _tell(*args, **kwargs)
    return replace(whole, test=whole.test[::OF_INSTRUCTIONS])


def fewer_steps(lines):
    """A cell in which a function that trains for hundreds of steps by default makes as many as `seqlab`'s loop does."""
    return [re.sub(r"^(def .*\bsteps=)[2-9]\d\d\b", rf"\g<1>{training.SMOKE_STEPS}", line) for line in lines]


# What `seqlab` makes of the speeches, such as word pieces, the stored models know: its modules have their own by now.
assert all(module.load_speeches is _load for module in (instructions, per_character, periods, wordpieces))
corpus.load_corpus, presidents.load_speeches = load_corpus, load_speeches
scenes.load_scenes, periods.load_periods = load_scenes, load_periods
instructions.load_instructions = load_instructions
if get_ipython():
    get_ipython().input_transformers_cleanup.append(fewer_steps)
