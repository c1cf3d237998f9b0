"""Run by every IPython kernel that the tests start: a corpus that has been drawn once is not drawn again, and its held-out sets are short.

What is drawn is the same each time, and is tested elsewhere. The sentences to measure by are cut as the steps of training are at
the smoke budget: that a cell runs can be seen with a few.
"""

import hashlib
import os
import pickle
from dataclasses import replace
from functools import wraps
from pathlib import Path

from filelock import FileLock

from seqlab import corpus

HELD_OUT = 200

_draw = corpus.load_corpus


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


corpus.load_corpus = load_corpus
