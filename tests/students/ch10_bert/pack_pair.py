"""What students hand in for `pack_pair`: each mistake alone, and right answers of many styles.

`WRONG` maps each mistake to the name of the check that must name it; `RIGHT` keep all their points.
"""

import functools
import itertools

import numpy as np
import torch

EXERCISE = "pack_pair"


def joined(first, second, cls_id, sep_id):
    """The right sequence."""
    return [cls_id] + first + [sep_id] + second + [sep_id]


def with_segments(segments):
    """The right sequence with other segments, which are made of the sentences' lengths."""

    @functools.wraps(segments)
    def packed(first, second, cls_id, sep_id):
        return joined(first, second, cls_id, sep_id), segments(len(first), len(second))

    return packed


def parts(first, second):
    """The right segments."""
    return [0] * (first + 2) + [1] * (second + 1)


def no_last_sep(first, second, cls_id, sep_id):
    """The second sentence ends in nothing."""
    return joined(first, second, cls_id, sep_id)[:-1], parts(len(first), len(second))[:-1]


def no_middle_sep(first, second, cls_id, sep_id):
    """Nothing between the sentences."""
    tokens = [cls_id, *first, *second, sep_id]
    return tokens, [0] * (len(first) + 1) + [1] * (len(second) + 1)


def no_cls(first, second, cls_id, sep_id):
    """The beginning is not marked."""
    return joined(first, second, cls_id, sep_id)[1:], parts(len(first), len(second))[1:]


def cls_twice(first, second, cls_id, sep_id):
    """Each sentence has a mark at its beginning."""
    tokens = [cls_id, *first, sep_id, cls_id, *second, sep_id]
    return tokens, [0] * (len(first) + 2) + [1] * (len(second) + 2)


def marks_exchanged(first, second, cls_id, sep_id):
    """[SEP] for [CLS]."""
    return joined(first, second, sep_id, cls_id), parts(len(first), len(second))


def sentences_exchanged(first, second, cls_id, sep_id):
    """The second sentence comes first."""
    return joined(second, first, cls_id, sep_id), parts(len(second), len(first))


def nested(first, second, cls_id, sep_id):
    """append for extend."""
    return [cls_id, first, sep_id, second, sep_id], [0, 0, 0, 1, 1]


def tensors(first, second, cls_id, sep_id):
    """Tensors for lists."""
    return torch.tensor(joined(first, second, cls_id, sep_id)), torch.tensor(parts(len(first), len(second)))


def tokens_alone(first, second, cls_id, sep_id):
    """The segments are forgotten."""
    return joined(first, second, cls_id, sep_id)


def nothing(first, second, cls_id, sep_id):
    """The return is missing."""
    joined(first, second, cls_id, sep_id)


def a_dict(first, second, cls_id, sep_id):
    """Named results."""
    return {"tokens": joined(first, second, cls_id, sep_id), "segments": parts(len(first), len(second))}


def results_exchanged(first, second, cls_id, sep_id):
    """Segments first."""
    return parts(len(first), len(second)), joined(first, second, cls_id, sep_id)


def numbers_of_the_course(first, second, cls_id, sep_id):
    """The ids that the marks have in the course's vocabulary."""
    return joined(first, second, 2, 3), parts(len(first), len(second))


@with_segments
def last_sep_zero(first, second):
    """The second [SEP] is counted to the first sentence."""
    return [0] * (first + 2) + [1] * second + [0]


@with_segments
def first_sep_one(first, second):
    """The first [SEP] is counted to the second sentence."""
    return [0] * (first + 1) + [1] * (second + 2)


@with_segments
def cls_one(first, second):
    """[CLS] is counted to the second sentence."""
    return [1] + [0] * (first + 1) + [1] * (second + 1)


@with_segments
def all_zero(first, second):
    """One segment."""
    return [0] * (first + second + 3)


@with_segments
def one_and_two(first, second):
    """Counted from 1."""
    return [1] * (first + 2) + [2] * (second + 1)


@with_segments
def exchanged(first, second):
    """1 for the first sentence."""
    return [1] * (first + 2) + [0] * (second + 1)


@with_segments
def without_marks(first, second):
    """A segment for the sentences' ids alone."""
    return [0] * first + [1] * second


@with_segments
def one_too_few(first, second):
    """The last [SEP] has none."""
    return [0] * (first + 2) + [1] * second


@with_segments
def one_too_many(first, second):
    """One more."""
    return [0] * (first + 2) + [1] * (second + 2)


@with_segments
def marks_of_their_own(first, second):
    """The marks have a segment for themselves."""
    return [2] + [0] * first + [2] + [1] * second + [2]


@with_segments
def booleans(first, second):
    """True for 1."""
    return [place > first + 1 for place in range(first + second + 3)]


@with_segments
def segments_in_a_tensor(first, second):
    """A tensor for the segments."""
    return torch.tensor(parts(first, second))


@with_segments
def halves(first, second):
    """The middle of the sequence."""
    return [0] * ((first + second + 3) // 2) + [1] * (first + second + 3 - (first + second + 3) // 2)


def inserted(first, second, cls_id, sep_id):
    """The caller's lists are changed."""
    segments = parts(len(first), len(second))
    first.insert(0, cls_id)
    first.append(sep_id)
    return first + second + [sep_id], segments


def added_to_the_second(first, second, cls_id, sep_id):
    """The second sentence is changed."""
    segments = parts(len(first), len(second))
    second += [sep_id]
    return [cls_id] + first + [sep_id] + second, segments


def extended(first, second, cls_id, sep_id):
    """The first sentence becomes the sequence."""
    segments = parts(len(first), len(second))
    tokens = first
    tokens.insert(0, cls_id)
    tokens.append(sep_id)
    tokens.extend(second)
    tokens.append(sep_id)
    return list(tokens), segments


def empty_without_sep(first, second, cls_id, sep_id):
    """A sentence without ids is no sentence."""
    if not second:
        return [cls_id, *first, sep_id], [0] * (len(first) + 2)
    return joined(first, second, cls_id, sep_id), parts(len(first), len(second))


def by_its_words(first, second, cls_id, sep_id):
    """The segment is 1 for every id that also occurs in the second sentence."""
    tokens = joined(first, second, cls_id, sep_id)
    segments = [int(token in second) for token in tokens]
    segments[-1] = 1
    return tokens, segments


def from_the_last_word(first, second, cls_id, sep_id):
    """The second sentence is taken to begin where its first id first occurs."""
    tokens = joined(first, second, cls_id, sep_id)
    start = tokens.index(second[0])
    return tokens, [0] * start + [1] * (len(tokens) - start)


_SEQUENCE = "the sequence is [CLS], the first sentence, [SEP], the second sentence, [SEP]"
_SEGMENTS = "the segment is 0 up to the first [SEP] and 1 after it, up to the second"
_LEFT = "the sentences are not changed"
_EMPTY = "a sentence may be empty, or the same as the other"

WRONG = {
    no_last_sep: _SEQUENCE,
    no_middle_sep: _SEQUENCE,
    no_cls: _SEQUENCE,
    cls_twice: _SEQUENCE,
    marks_exchanged: _SEQUENCE,
    sentences_exchanged: _SEQUENCE,
    nested: _SEQUENCE,
    tensors: _SEQUENCE,
    tokens_alone: _SEQUENCE,
    nothing: _SEQUENCE,
    a_dict: _SEQUENCE,
    results_exchanged: _SEQUENCE,
    numbers_of_the_course: _SEQUENCE,
    last_sep_zero: _SEGMENTS,
    first_sep_one: _SEGMENTS,
    cls_one: _SEGMENTS,
    all_zero: _SEGMENTS,
    one_and_two: _SEGMENTS,
    exchanged: _SEGMENTS,
    without_marks: _SEGMENTS,
    one_too_few: _SEGMENTS,
    one_too_many: _SEGMENTS,
    marks_of_their_own: _SEGMENTS,
    booleans: _SEGMENTS,
    segments_in_a_tensor: _SEGMENTS,
    halves: _SEGMENTS,
    inserted: _LEFT,
    added_to_the_second: _LEFT,
    extended: _LEFT,
    empty_without_sep: _EMPTY,
    by_its_words: _EMPTY,
    from_the_last_word: _EMPTY,
}


def unpacked(first, second, cls_id, sep_id):
    """Stars."""
    tokens = [cls_id, *first, sep_id, *second, sep_id]
    return tokens, [int(place >= len(first) + 2) for place in range(len(tokens))]


def word_by_word(first, second, cls_id, sep_id):
    """A loop with append."""
    tokens, segments = [], []
    for number, sentence in enumerate(([cls_id] + first, second)):
        for token in sentence + [sep_id]:
            tokens.append(token)
            segments.append(number)
    return tokens, segments


def at_the_first_sep(first, second, cls_id, sep_id):
    """Behind the first [SEP], which is in no sentence."""
    tokens = joined(first, second, cls_id, sep_id)
    edge = tokens.index(sep_id) + 1
    return tokens, [0] * edge + [1] * (len(tokens) - edge)


def seps_so_far(first, second, cls_id, sep_id):
    """How many [SEP] stand before each id."""
    tokens = tuple(joined(first, second, cls_id, sep_id))
    return tokens, tuple(tokens[:place].count(sep_id) for place in range(len(tokens)))


def chained(first, second, cls_id, sep_id):
    """itertools."""
    pieces = [(0, [cls_id]), (0, first), (0, [sep_id]), (1, second), (1, [sep_id])]
    tokens = itertools.chain.from_iterable(ids for _, ids in pieces)
    segments = itertools.chain.from_iterable(itertools.repeat(number, len(ids)) for number, ids in pieces)
    return [list(tokens), list(segments)]


def through_numpy(first, second, cls_id, sep_id):
    """NumPy's whole numbers."""
    segments = np.zeros(len(first) + len(second) + 3, dtype=int)
    segments[len(first) + 2 :] = 1
    return joined(first, second, cls_id, sep_id), list(segments)


def through_torch(first, second, cls_id, sep_id):
    """Tensors on the way."""
    tokens = torch.tensor(joined(first, second, cls_id, sep_id))
    segments = (torch.arange(len(tokens)) > len(first) + 1).long()
    return tokens.tolist(), segments.tolist()


RIGHT = {
    "stars": unpacked,
    "word by word": word_by_word,
    "at the first [SEP]": at_the_first_sep,
    "[SEP] so far": seps_so_far,
    "itertools": chained,
    "NumPy": through_numpy,
    "torch on the way": through_torch,
    "a partial": functools.partial(with_segments(parts)),
    "a lambda": lambda a, b, cls_id, sep_id: (joined(a, b, cls_id, sep_id), parts(len(a), len(b))),
}
