"""Run by every IPython kernel that the tests start: cells get less data, and loops of their own make fewer steps.

What there is to learn from and to measure with is cut as the steps of training are at the smoke budget: that a cell runs can be seen with little.
"""

import re
from dataclasses import replace
from functools import wraps

from IPython import get_ipython

from seqlab import corpus, instructions, per_character, periods, presidents, scenes, training, wordpieces


def cut(module, name, shorter):
    """Have a function of `seqlab` give less than it does."""
    load = getattr(module, name)
    setattr(module, name, wraps(load)(lambda *args, **kwargs: shorter(load(*args, **kwargs))))


def fewer_pairs(whole):
    """A corpus of one's own is left as it is."""
    if not whole.has_links:
        return whole
    return replace(whole, train=whole.train[:500], valid=whole.valid[:200], test=whole.test[:200])


def fewer_speeches(whole):
    """With the same vocabulary, and of each held-out speech the beginning: each era has to have three hundred sentences."""
    valid, test = (
        tuple(replace(speech, sentences=speech.sentences[:100]) for speech in part)
        for part in (whole.valid, whole.test)
    )
    return replace(whole, train=whole.train[::20], valid=valid, test=test)


def fewer_scenes(whole):
    """Scenes of one thing, two, three and four follow each other, as many of each; pictures of one's own are left as they are."""
    sets = {name: getattr(whole, name)[:36] for name in ("valid", "test", "unseen")}
    return replace(whole, train=whole.train[:480], **sets) if whole.has_boxes else whole


def fewer_windows(whole):
    return replace(
        whole, **{name: replace(p, test=p.test[:64]) for name, p in (("old", whole.old), ("new", whole.new))}
    )


def fewer_instructions(whole):
    return replace(whole, test=whole.test[::5])


def fewer_steps(lines, replaced=re.sub, steps=training.SMOKE_STEPS):
    """A cell in which a function that trains for hundreds of steps by default makes as many as `seqlab`'s loop does."""
    return [replaced(r"^(def .*\bsteps=)[2-9]\d\d\b", rf"\g<1>{steps}", line) for line in lines]


# What `seqlab` makes of the speeches, such as word pieces, the stored models know: its modules have their own by now.
assert {m.load_speeches for m in (instructions, per_character, periods, wordpieces)} == {presidents.load_speeches}
cut(corpus, "load_corpus", fewer_pairs)
cut(presidents, "load_speeches", fewer_speeches)
cut(scenes, "load_scenes", fewer_scenes)
cut(periods, "load_periods", fewer_windows)
cut(instructions, "load_instructions", fewer_instructions)
if get_ipython():
    get_ipython().input_transformers_cleanup.append(fewer_steps)
