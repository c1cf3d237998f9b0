"""Mistakes in `pack_pair`, and right answers in other styles."""

import functools
import itertools

import numpy as np
import torch

from autograder.checks.ch10_bert.pack_pair import again, empty, in_chapter, segments, sequence
from autograder.judging.catalogue import mistake, right


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


@mistake(sequence, "there is no [SEP] after the second sentence")
def no_last_sep(first, second, cls_id, sep_id):
    return joined(first, second, cls_id, sep_id)[:-1], parts(len(first), len(second))[:-1]


@mistake(sequence, "there is no [SEP] after the first sentence")
def no_middle_sep(first, second, cls_id, sep_id):
    tokens = [cls_id, *first, *second, sep_id]
    return tokens, [0] * (len(first) + 1) + [1] * (len(second) + 1)


@mistake(sequence, "[CLS] is missing")
def no_cls(first, second, cls_id, sep_id):
    return joined(first, second, cls_id, sep_id)[1:], parts(len(first), len(second))[1:]


@mistake(sequence, "there is a second [CLS] before the second sentence")
def cls_twice(first, second, cls_id, sep_id):
    tokens = [cls_id, *first, sep_id, cls_id, *second, sep_id]
    return tokens, [0] * (len(first) + 2) + [1] * (len(second) + 2)


@mistake(sequence, "[CLS] and [SEP] are swapped")
def marks_exchanged(first, second, cls_id, sep_id):
    return joined(first, second, sep_id, cls_id), parts(len(first), len(second))


@mistake(sequence, "the two sentences are swapped")
def sentences_exchanged(first, second, cls_id, sep_id):
    return joined(second, first, cls_id, sep_id), parts(len(second), len(first))


@mistake(sequence, "the two sentences are put into the sequence as lists, expected their ids")
def nested(first, second, cls_id, sep_id):
    return [cls_id, first, sep_id, second, sep_id], [0, 0, 0, 1, 1]


@mistake(sequence, "the results are tensors, expected lists")
def tensors(first, second, cls_id, sep_id):
    return torch.tensor(joined(first, second, cls_id, sep_id)), torch.tensor(parts(len(first), len(second)))


@mistake(sequence, "only the tokens are returned, expected the segments too")
def tokens_alone(first, second, cls_id, sep_id):
    return joined(first, second, cls_id, sep_id)


@mistake(sequence, "there is no return")
def nothing(first, second, cls_id, sep_id):
    joined(first, second, cls_id, sep_id)


@mistake(sequence, "the result is a dict, expected two lists")
def a_dict(first, second, cls_id, sep_id):
    return {"tokens": joined(first, second, cls_id, sep_id), "segments": parts(len(first), len(second))}


@mistake(sequence, "the segments are returned first, expected the tokens first")
def results_exchanged(first, second, cls_id, sep_id):
    return parts(len(first), len(second)), joined(first, second, cls_id, sep_id)


@mistake(sequence, "[CLS] and [SEP] have fixed ids, expected those that are given")
def numbers_of_the_course(first, second, cls_id, sep_id):
    return joined(first, second, 2, 3), parts(len(first), len(second))


@mistake(segments, "the second [SEP] has segment 0, expected that of the sentence that it ends")
@with_segments
def last_sep_zero(first, second):
    return [0] * (first + 2) + [1] * second + [0]


@mistake(segments, "the first [SEP] has segment 1, expected that of the sentence that it ends")
@with_segments
def first_sep_one(first, second):
    return [0] * (first + 1) + [1] * (second + 2)


mistake(segments, "[CLS] has segment 1, expected 0").made_in(
    first_sep_one, cls_one={"[0] * (first + 1)": "[1] + [0] * (first + 1)", "second + 2": "second + 1"}
)


@mistake(segments, "all segments are 0")
@with_segments
def all_zero(first, second):
    return [0] * (first + second + 3)


@mistake(segments, "the segments are 1 and 2, expected 0 and 1")
@with_segments
def one_and_two(first, second):
    return [1] * (first + 2) + [2] * (second + 1)


mistake(segments, "0 and 1 are swapped").made_in(one_and_two, exchanged={"[2] * (second + 1)": "[0] * (second + 1)"})
mistake(segments, "the special ids have no segments").made_in(
    first_sep_one, without_marks={"(first + 1)": "first", "second + 2": "second"}
)
mistake(segments, "the second [SEP] has no segment").made_in(
    first_sep_one, one_too_few={"(first + 1)": "(first + 2)", "second + 2": "second"}
)
mistake(segments, "there is one segment too many").made_in(first_sep_one, one_too_many={"(first + 1)": "(first + 2)"})
mistake(segments, "the special ids have a segment of their own, expected that of their sentence").made_in(
    all_zero, marks_of_their_own={"[0] * (first + second + 3)": "[2] + [0] * first + [2] + [1] * second + [2]"}
)
mistake(sequence, "the segments are True and False, expected 1 and 0").made_in(
    all_zero, booleans={"[0] * (first + second + 3)": "[place > first + 1 for place in range(first + second + 3)]"}
)
mistake(sequence, "the segments are a tensor, expected a list").made_in(
    all_zero, segments_in_a_tensor={"[0] * (first + second + 3)": "torch.tensor(parts(first, second))"}
)


@mistake(sequence, "the segments are floats, expected integers")
@with_segments
def floats(first, second):
    return [float(segment) for segment in parts(first, second)]


@mistake(sequence, "the results are tuples, expected lists")
def tuples(first, second, cls_id, sep_id):
    return tuple(joined(first, second, cls_id, sep_id)), tuple(parts(len(first), len(second)))


@mistake(segments, "each half of the sequence gets one segment, expected each sentence")
@with_segments
def halves(first, second):
    return [0] * ((first + second + 3) // 2) + [1] * (first + second + 3 - (first + second + 3) // 2)


@mistake(again, "ids are inserted into the lists that were given")
def inserted(first, second, cls_id, sep_id):
    segments = parts(len(first), len(second))
    first.insert(0, cls_id)
    first.append(sep_id)
    return first + second + [sep_id], segments


@mistake(again, "[SEP] is appended to the second sentence in place")
def added_to_the_second(first, second, cls_id, sep_id):
    segments = parts(len(first), len(second))
    second += [sep_id]
    return [cls_id] + first + [sep_id] + second, segments


@mistake(again, "the first sentence is extended in place")
def extended(first, second, cls_id, sep_id):
    segments = parts(len(first), len(second))
    tokens = first
    tokens.insert(0, cls_id)
    tokens.append(sep_id)
    tokens.extend(second)
    tokens.append(sep_id)
    return list(tokens), segments


@mistake(empty, "an empty second sentence gets no [SEP]")
def empty_without_sep(first, second, cls_id, sep_id):
    if not second:
        return [cls_id, *first, sep_id], [0] * (len(first) + 2)
    return joined(first, second, cls_id, sep_id), parts(len(first), len(second))


@mistake(empty, "the segment is 1 for every id that occurs in the second sentence, but the first may contain it too")
def by_its_words(first, second, cls_id, sep_id):
    tokens = joined(first, second, cls_id, sep_id)
    segments = [int(token in second) for token in tokens]
    segments[-1] = 1
    return tokens, segments


@mistake(
    empty, "the second sentence begins where its first id first occurs, but the first sentence may contain that id"
)
def from_the_last_word(first, second, cls_id, sep_id):
    tokens = joined(first, second, cls_id, sep_id)
    start = tokens.index(second[0])
    return tokens, [0] * start + [1] * (len(tokens) - start)


@mistake(in_chapter, "the sequence is truncated to 512 ids, expected the whole of both sentences")
def truncated(first, second, cls_id, sep_id):
    return joined(first, second, cls_id, sep_id)[:512], parts(len(first), len(second))[:512]


@right
def unpacked(first, second, cls_id, sep_id):
    tokens = [cls_id, *first, sep_id, *second, sep_id]
    return tokens, [int(place >= len(first) + 2) for place in range(len(tokens))]


@right
def word_by_word(first, second, cls_id, sep_id):
    tokens, segments = [], []
    for number, sentence in enumerate(([cls_id] + first, second)):
        for token in sentence + [sep_id]:
            tokens.append(token)
            segments.append(number)
    return tokens, segments


@right
def at_the_first_sep(first, second, cls_id, sep_id):
    tokens = joined(first, second, cls_id, sep_id)
    edge = tokens.index(sep_id) + 1
    return tokens, [0] * edge + [1] * (len(tokens) - edge)


@right
def seps_so_far(first, second, cls_id, sep_id):
    tokens = joined(first, second, cls_id, sep_id)
    return tokens, [tokens[:place].count(sep_id) for place in range(len(tokens))]


@right
def chained(first, second, cls_id, sep_id):
    pieces = [(0, [cls_id]), (0, first), (0, [sep_id]), (1, second), (1, [sep_id])]
    tokens = itertools.chain.from_iterable(ids for _, ids in pieces)
    segments = itertools.chain.from_iterable(itertools.repeat(number, len(ids)) for number, ids in pieces)
    return list(tokens), list(segments)


@right
def through_numpy(first, second, cls_id, sep_id):
    segments = np.zeros(len(first) + len(second) + 3, dtype=int)
    segments[len(first) + 2 :] = 1
    return joined(first, second, cls_id, sep_id), list(segments)


@right
def through_torch(first, second, cls_id, sep_id):
    tokens = torch.tensor(joined(first, second, cls_id, sep_id))
    segments = (torch.arange(len(tokens)) > len(first) + 1).long()
    return tokens.tolist(), segments.tolist()


right(functools.partial(with_segments(parts)))


right(lambda a, b, cls_id, sep_id: (joined(a, b, cls_id, sep_id), parts(len(a), len(b))))
