"""What is asked of `brevity_penalty`.

Only lengths matter to it. What they are is sent beside the answer.
"""

from collections.abc import Callable
from typing import Any

from autograder.checks.ch07_bleu.probes.words import as_tuples, copied, number_of, sentence
from autograder.declare import probe
from autograder.draw import Draw

Lengths = list[tuple[int, list[int]]]
"""Of each sentence: the words of the candidate, and of each reference."""


def _written(draw: Draw, lengths: Lengths) -> tuple[list[Any], list[Any]]:
    """Candidates and references of these lengths."""
    candidates = [sentence(draw, length) for length, _ in lengths]
    return candidates, [[sentence(draw, length) for length in several] for _, several in lengths]


def _asked(brevity_penalty: Callable[..., Any], draw: Draw, corpora: list[Lengths]) -> dict[str, Any]:
    """The factor of each corpus, and the lengths in it."""
    factors = [number_of(brevity_penalty(*_written(draw, lengths))) for lengths in corpora]
    return {"factors": factors, "lengths": [[list(pair) for pair in lengths] for lengths in corpora]}


def _whole(draw: Draw, low: int, high: int) -> int:
    return int(draw.integers(low, high + 1))


@probe("brevity_penalty", draws=2)
def too_short(brevity_penalty, draw: Draw):
    """One sentence at a time, shorter than its one reference."""
    corpora: list[Lengths] = []
    for _ in range(5):
        length = _whole(draw, 3, 12)
        corpora.append([(length, [length + _whole(draw, 1, 6)])])
    return _asked(brevity_penalty, draw, corpora)


@probe("brevity_penalty", draws=2)
def long_enough(brevity_penalty, draw: Draw):
    """One sentence at a time: as long as its reference, longer, and shorter."""
    length = _whole(draw, 4, 9)
    lengths = [(length, length), (length + 1, length), (length + _whole(draw, 2, 6), length)]
    lengths += [(length, length + _whole(draw, 1, 9)) for length in draw.integers(4, 30, 3).tolist()]
    return _asked(brevity_penalty, draw, [[(own, [other])] for own, other in lengths])


@probe("brevity_penalty", draws=2)
def closest(brevity_penalty, draw: Draw):
    """One sentence at a time with two or three references at different distances."""
    corpora: list[Lengths] = []
    for _ in range(4):
        length, near = _whole(draw, 6, 12), _whole(draw, 1, 2)
        lengths = [length + near, length + near + _whole(draw, 1, 3), length - near - _whole(draw, 1, 3)]
        order = draw.normal(3).argsort().tolist()
        corpora.append([(length, [lengths[i] for i in order])])
    # The closest one neither first nor last, and neither the longest nor the shortest.
    length = _whole(draw, 6, 12)
    corpora.append([(length, [length + _whole(draw, 4, 6), length + 2, length - _whole(draw, 3, 5)])])
    corpora.append([(length, [length + 3, length - 1])])
    return _asked(brevity_penalty, draw, corpora)


@probe("brevity_penalty", draws=2)
def ties(brevity_penalty, draw: Draw):
    """One sentence at a time, with a longer and a shorter reference that are equally close, and others further off; then with one that is longer."""
    corpora: list[Lengths] = []
    for _ in range(5):
        length, gap = _whole(draw, 6, 12), _whole(draw, 1, 3)
        lengths = [length + gap, length - gap, length + gap + _whole(draw, 1, 3)]
        order = draw.normal(3).argsort().tolist()
        corpora.append([(length, [lengths[i] for i in order])])
    corpora += [[(length, [length + 2, length - 2])], [(length, [length - 2, length + 2])]]
    corpora += [[(length, [length + _whole(draw, 1, 9)])] for length in draw.integers(4, 30, 3).tolist()]
    return _asked(brevity_penalty, draw, corpora)


@probe("brevity_penalty", draws=2)
def together(brevity_penalty, draw: Draw):
    """Four sentences at a time with one reference each: some too short, some too long, and too short in all."""
    corpora: list[Lengths] = []
    for first in range(4):  # The first and the last sentence are each too short, and each too long, in some.
        lengths: Lengths = []
        for gap in (_whole(draw, 5, 8), _whole(draw, 1, 3), -_whole(draw, 1, 2), -_whole(draw, 1, 2)):
            length = _whole(draw, 4, 12)
            lengths.append((length, [length + gap]))
        corpora.append(lengths[first:] + lengths[:first])
    return _asked(brevity_penalty, draw, corpora)


@probe("brevity_penalty", draws=2)
def each_its_closest(brevity_penalty, draw: Draw):
    """Three sentences at a time with two or three references each; another one is the closest each time."""
    corpora: list[Lengths] = []
    for _ in range(4):
        a, b, c = draw.integers(7, 13, 3).tolist()
        i, j, k = draw.integers(1, 4, 3).tolist()
        far = _whole(draw, 4, 6)
        corpora.append([(a, [a + i, a + far]), (b, [b - far, b + j]), (c, [c + far + 1, c - far, c + k])])
    return _asked(brevity_penalty, draw, corpora)


@probe("brevity_penalty", draws=2)
def without_words(brevity_penalty, draw: Draw):
    """Candidates of which one, or each, has no word."""
    a, b, c = draw.integers(7, 31, 3).tolist()
    x, y, z = draw.integers(3, 21, 3).tolist()
    corpora: list[Lengths] = [
        [(0, [a])],
        [(0, [a, b]), (0, [b])],
        [(a, [a]), (0, [x])],
        [(0, [y, b + y]), (b + y, [b + y])],
        [(c + 2, [c]), (0, [z])],
    ]
    return _asked(brevity_penalty, draw, corpora)


@probe("brevity_penalty", draws=2)
def arguments(brevity_penalty, draw: Draw):
    """Everything as tuples and everything as lists, and the lists as they are after the calls."""
    answers: dict[str, Any] = {"tuples": [], "lists": [], "after": []}
    for _ in range(3):
        lengths: Lengths = []
        for _ in range(2):
            length = _whole(draw, 6, 9)
            lengths.append((length, [length + 4, length + 2]))
        candidates, references = _written(draw, lengths)
        answers["tuples"].append(number_of(brevity_penalty(as_tuples(candidates), as_tuples(references))))
        given = copied(candidates), copied(references)
        answers["lists"].append(number_of(brevity_penalty(*given)))
        answers["after"].append(str(given))
    return answers
