"""Run by every IPython kernel that the tests start: cells get less text.

Held-out sentences and speeches to learn from are cut as the steps of training are at the smoke budget: that a cell runs can be seen with a few.
"""

from dataclasses import replace
from functools import wraps

from seqlab import corpus, instructions, per_character, periods, presidents, wordpieces

HELD_OUT = 200
OF_SPEECHES = 4
"""One of so many is kept of those to learn from."""

_draw, _load = corpus.load_corpus, presidents.load_speeches


@wraps(_draw)
def load_corpus(*args, **kwargs):
    """What `seqlab`'s own gives, with fewer held-out pairs; a corpus of one's own is left as it is."""
    whole = _draw(*args, **kwargs)
    return replace(whole, valid=whole.valid[:HELD_OUT], test=whole.test[:HELD_OUT]) if whole.has_links else whole


@wraps(_load)
def load_speeches(*args, **kwargs):
    """What `seqlab`'s own gives, with the same vocabulary and fewer speeches to learn from, as counting them takes longest."""
    whole = _load(*args, **kwargs)
    return replace(whole, train=whole.train[::OF_SPEECHES])


# What `seqlab` makes of the speeches, such as word pieces, the stored models know: its modules have their own by now.
assert all(module.load_speeches is _load for module in (instructions, per_character, periods, wordpieces))
corpus.load_corpus, presidents.load_speeches = load_corpus, load_speeches
