"""Run by every IPython kernel that the tests start: a corpus that has been drawn once is not drawn again, and cells get less text.

What is drawn is the same each time, and is tested elsewhere. Held-out sentences and speeches to learn from are cut as the steps of
training are at the smoke budget: that a cell runs can be seen with a few.
"""

import hashlib
import os
import pickle
from dataclasses import replace
from functools import wraps
from pathlib import Path

from filelock import FileLock

from seqlab import corpus, instructions, per_character, periods, pieces, speeches

HELD_OUT = 200
OF_SPEECHES = 4
"""One of so many is kept of those to learn from."""

_draw, _load = corpus.load_corpus, speeches.load_speeches


@wraps(_draw)
def load_corpus(*args, **kwargs):
    """What `seqlab`'s own gives, from a file if it has been drawn before; a corpus of one's own, which may change, is read each time."""
    if os.environ.get("SEQLAB_CORPUS"):
        return _draw(*args, **kwargs)
    asked = repr((args, sorted(kwargs.items())))
    path = Path(os.environ["COURSE_SHARED_CORPORA"], hashlib.sha256(asked.encode()).hexdigest())
    with FileLock(path.with_suffix(".lock")):
        if not path.exists():
            whole = _draw(*args, **kwargs)
            part = path.with_suffix(".part")
            part.write_bytes(pickle.dumps(replace(whole, valid=whole.valid[:HELD_OUT], test=whole.test[:HELD_OUT])))
            part.rename(path)
    return pickle.loads(path.read_bytes())


@wraps(_load)
def load_speeches(*args, **kwargs):
    """What `seqlab`'s own gives, with the same vocabulary and fewer speeches to learn from, as counting them takes longest."""
    whole = _load(*args, **kwargs)
    return replace(whole, train=whole.train[::OF_SPEECHES])


# What `seqlab` makes of the speeches, such as word pieces, the stored models know: its modules have their own by now.
assert all(module.load_speeches is _load for module in (instructions, per_character, periods, pieces))
corpus.load_corpus, speeches.load_speeches = load_corpus, load_speeches
