"""The checks of `brevity_penalty`."""

from collections.abc import Callable
from typing import Any

from autograder.asking.draw import Draw
from autograder.asking.rules import SACREBLEU
from autograder.asking.usage import Use, in_use
from autograder.checks.ch07_bleu.words import as_tuples, changed_list, copied, number_of, sentence
from autograder.declare import Exercise, check
from autograder.judging.compare import difference, is_close, up_to_a_factor

EXERCISE = Exercise(
    "brevity_penalty", "the penalty for being too short", minutes=15, difficulty=2, forbids=(SACREBLEU,)
)


@in_use(gradients=False, dtypes=False, devices=False)
def in_chapter(brevity_penalty, draw: Draw) -> Use:
    """A test set whose candidates are short, some of them empty, with references that are equally close; then one sentence. No words."""

    def call(*given: Any) -> list[float]:
        return [number_of(brevity_penalty(*sets)) for sets in (given, ([[]], [[[]]]))]

    lengths = [*draw.integers(1, 9, 30).tolist(), 0, 0]
    candidates = [sentence(draw, length) for length in lengths]
    several = [[sentence(draw, length + more) for more in (9, 2, 2)] for length in lengths]
    equal = [[sentence(draw, 8), sentence(draw, 2)] for _ in range(3)]
    first = [*candidates, *(sentence(draw, 5) for _ in equal)], [*several, *equal]
    return Use(call, first, ([sentence(draw, int(draw.integers(1, 30)))], [[sentence(draw, 31)]]))


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


@check(
    "the factor for a sentence that is too short is exp(1 - r / c)",
    points=1,
    reads=("factors",),
    draws=2,
    hint="c is the candidate's number of words, r the reference's. Where c is half of r, the factor is exp(1 - 2), about 0.37.",
)
def too_short(brevity_penalty, draw: Draw):
    """One sentence at a time, shorter than its one reference, the first of them far shorter."""
    corpora: list[Lengths] = [[(2, [_whole(draw, 13, 15)])]]
    for _ in range(5):
        length = _whole(draw, 3, 12)
        corpora.append([(length, [length + _whole(draw, 1, 6)])])
    return _asked(brevity_penalty, draw, corpora)


@too_short.explain
def first_wrong(got, want):
    """The numbers of words behind the first factor that is wrong."""
    rows = zip(got["factors"], want["factors"], want["lengths"], strict=True)
    mine, right, corpus = next(row for row in rows if not is_close(*row[:2]))
    lengths = ", ".join(f"{length} against {' or '.join(map(str, others))}" for length, others in corpus)
    return f"number of words in a candidate against those in its references, {lengths}: {difference(mine, right)}"


@check(
    "a sentence that is long enough gets no penalty",
    points=1,
    reads=("factors",),
    needs=too_short,
    draws=2,
    hint="The formula gives more than 1 where c > r. The precisions already penalise extra words, so the factor has two cases.",
)
def long_enough(brevity_penalty, draw: Draw):
    """One sentence at a time: as long as its reference, longer, and shorter."""
    length = _whole(draw, 4, 9)
    lengths = [(length, length), (length + 1, length), (length + _whole(draw, 2, 6), length)]
    lengths += [(length, length + _whole(draw, 1, 9)) for length in draw.integers(4, 30, 3).tolist()]
    return _asked(brevity_penalty, draw, [[(own, [other])] for own, other in lengths])


long_enough.explain(first_wrong)


@check(
    "of several references, the one with the closest length counts",
    points=2,
    reads=("factors",),
    compare=up_to_a_factor(),
    needs=(too_short, long_enough),
    draws=2,
    hint="For each reference, how far is its number of words from the candidate's, in either direction? min() takes a key.",
)
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


closest.explain(first_wrong)


@check(
    "the lengths of all sentences are added up first",
    points=2,
    reads=("factors",),
    compare=up_to_a_factor(),
    needs=(too_short, long_enough),
    draws=2,
    hint="A test set gets a single penalty. Add up the candidates' lengths to c and the references' to r over all sentences, and only then "
    "compare.",
)
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


together.explain(first_wrong)


@check(
    "if two references are equally close, the shorter one counts",
    points=1,
    reads=("factors",),
    compare=up_to_a_factor(),
    needs=closest,
    draws=2,
    hint="Among equal keys, min() takes the one that comes first. A key can be a pair, such as a distance and a length: where the first "
    "numbers are equal, the second decides.",
)
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


ties.explain(first_wrong)


@check(
    "the closest reference is chosen for each sentence separately",
    points=1,
    reads=("factors",),
    hidden=True,
    needs=(too_short, closest, together),
    draws=2,
    hint="Choose a reference for each sentence by its own lengths, then add up the chosen lengths. Sentences can have different numbers of "
    "references.",
)
def each_its_closest(brevity_penalty, draw: Draw):
    """Three sentences at a time with two or three references each; another one is the closest each time."""
    corpora: list[Lengths] = []
    for _ in range(4):
        a, b, c = draw.integers(7, 13, 3).tolist()
        i, j, k = draw.integers(1, 4, 3).tolist()
        far = _whole(draw, 4, 6)
        corpora.append([(a, [a + i, a + far]), (b, [b - far, b + j]), (c, [c + far + 1, c - far, c + k])])
    return _asked(brevity_penalty, draw, corpora)


each_its_closest.explain(first_wrong)


@check(
    "a candidate without words counts, and causes no error",
    points=1,
    reads=("factors",),
    hidden=True,
    needs=(too_short, long_enough, closest, together),
    draws=2,
    hint="Without any words, r / c is not defined, and the factor is 0. One empty candidate among others adds nothing to c, but its "
    "reference still adds to r. An empty reference has length 0, and may be the closest.",
)
def without_words(brevity_penalty, draw: Draw):
    """Candidates of which one, or each, has no word, and references without words."""
    a, b, c = draw.integers(7, 31, 3).tolist()
    x, y, z = draw.integers(3, 21, 3).tolist()
    corpora: list[Lengths] = [
        [(0, [a])],
        [(0, [a, b]), (0, [b])],
        [(a, [a]), (0, [x])],
        [(0, [y, b + y]), (b + y, [b + y])],
        [(c + 2, [c]), (0, [z])],
        [(a, [a + x]), (0, [0, y])],
    ]
    return _asked(brevity_penalty, draw, corpora)


without_words.explain(first_wrong)


@check(
    "sentences may be tuples or lists, and are left as they were",
    points=1,
    needs=(too_short, closest, together),
    draws=2,
    arguments=True,
    hint="The caller still needs the lists in their original order: sorted() makes a new list, but sort() changes the list itself. len() "
    "works on tuples too.",
)
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


arguments.explain(changed_list)
