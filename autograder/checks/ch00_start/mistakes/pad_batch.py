"""Mistakes in `pad_batch`, and right answers in other styles."""

import functools
import itertools
from typing import NamedTuple

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pad_packed_sequence, pad_sequence

from autograder.checks.ch00_start.pad_batch import (
    alone,
    arguments,
    empty,
    how_long,
    in_chapter,
    order,
    table,
    where_words_are,
)
from autograder.judging.catalogue import forbidden, mistake, right


def lengths_of(sentences):
    return torch.tensor([len(sentence) for sentence in sentences])


def mask_of(lengths):
    return torch.arange(int(lengths.max())) < lengths.unsqueeze(1)


def table_of(sentences, pad):
    longest = max(map(len, sentences))
    return torch.tensor([sentence + [pad] * (longest - len(sentence)) for sentence in sentences], dtype=torch.long)


def parts(sentences, pad):
    """What is right about most of the mistakes."""
    lengths = lengths_of(sentences)
    return table_of(sentences, pad), mask_of(lengths), lengths


@right
def usual(sentences, pad):
    tokens, mask, lengths = parts(sentences, pad)
    return tokens, mask, lengths


@mistake(table, "the padding is before the words, on the left, expected after them")
def pads_left(sentences, pad):
    longest = max(map(len, sentences))
    tokens = torch.tensor([[pad] * (longest - len(s)) + s for s in sentences])
    return tokens, tokens != pad, lengths_of(sentences)


@mistake(table, "the words of a sentence are in reverse order")
def reverses_words(sentences, pad):
    return table_of([sentence[::-1] for sentence in sentences], pad), *parts(sentences, pad)[1:]


mistake(table, "words and padding are both reversed: the padding is on the left and the words run backwards").made_in(
    usual, reverses_rows={"return tokens, mask": "return tokens.flip(1), mask.flip(1)"}
)


@mistake(table, "the positions after a sentence contain 0, expected pad")
def pads_with_zero(sentences, pad):
    return table_of(sentences, 0), *parts(sentences, pad)[1:]


@mistake(table, "the sentences are cut to the length of the shortest, expected padding up to the longest")
def cuts_to_the_shortest(sentences, pad):
    shortest = min(map(len, sentences))
    tokens = torch.tensor([sentence[:shortest] for sentence in sentences])
    return tokens, torch.ones_like(tokens, dtype=torch.bool), lengths_of(sentences)


@mistake(order, "the table is as wide as the first sentence is long, but another one may be longer")
def cuts_to_the_first(sentences, pad):
    longest = len(sentences[0])
    rows = [sentence[:longest] + [pad] * (longest - len(sentence)) for sentence in sentences]
    lengths = lengths_of(sentences)
    return torch.tensor(rows), torch.arange(longest) < lengths.unsqueeze(1), lengths


@mistake(table, "there is padding even after the longest sentence")
def one_place_too_many(sentences, pad):
    lengths = lengths_of(sentences)
    tokens = table_of([*sentences, [pad] * (int(lengths.max()) + 1)], pad)[:-1]
    return tokens, tokens != pad, lengths


@mistake(table, "the padding starts at the last word of a sentence, expected after it")
def eats_the_last_word(sentences, pad):
    tokens, mask, lengths = parts(sentences, pad)
    for row, length in zip(tokens, lengths.tolist(), strict=True):
        row[length - 1 :] = pad if length < len(row) else row[length - 1]
    return tokens, mask, lengths


@mistake(table, "the last word of a sentence is repeated in place of pad")
def repeats_the_last_word(sentences, pad):
    longest = max(map(len, sentences))
    rows = [sentence + sentence[-1:] * (longest - len(sentence)) for sentence in sentences]
    return torch.tensor(rows), *parts(sentences, pad)[1:]


mistake(order, "the tokens are of type float32, as torch.zeros and torch.ones create them; expected int64").made_in(
    usual, in_float={"return tokens": "return tokens.float()"}
)
mistake(table, "each sentence is a column of the table, expected a row").made_in(
    usual, sentences_as_columns={"return tokens, mask": "return tokens.T, mask.T"}
)


@mistake(table, "lists are returned, expected tensors")
def lists(sentences, pad):
    return tuple(result.tolist() for result in parts(sentences, pad))


@mistake(table, "only the tokens are returned, expected tokens, mask and lengths")
def tokens_alone(sentences, pad):
    return table_of(sentences, pad)


@mistake(table, "the lengths are not returned")
def without_lengths(sentences, pad):
    return parts(sentences, pad)[:2]


mistake(order, "the mask is returned before the tokens").made_in(
    usual, mask_first={"return tokens, mask, lengths": "return mask, tokens, lengths"}
)
mistake(order, "the lengths are returned before the mask").made_in(
    usual, lengths_second={"return tokens, mask, lengths": "return tokens, lengths, mask"}
)


@mistake(table, "there is no return")
def nothing_returned(sentences, pad):
    parts(sentences, pad)


@mistake(table, "the sentences are sorted by length, the shortest first; expected the order in which they were given")
def shortest_first(sentences, pad):
    return parts(sorted(sentences, key=len), pad)


@mistake(order, "the sentences are sorted by length, the longest first; expected the order in which they were given")
def longest_first(sentences, pad):
    return parts(sorted(sentences, key=len, reverse=True), pad)


mistake(where_words_are, "the mask is inverted: it is False on words and True on padding").made_in(
    usual, inverted_mask={"return tokens, mask": "return tokens, ~mask"}
)


@mistake(where_words_are, "the mask is True on one position too many in each row")
def one_true_too_many(sentences, pad):
    tokens, _, lengths = parts(sentences, pad)
    return tokens, torch.arange(tokens.shape[1]) <= lengths.unsqueeze(1), lengths


@mistake(where_words_are, "the mask is False on the last word of each sentence")
def one_true_too_few(sentences, pad):
    tokens, _, lengths = parts(sentences, pad)
    return tokens, torch.arange(1, tokens.shape[1] + 1) < lengths.unsqueeze(1), lengths


mistake(
    where_words_are, "the True values are at the right end of each row, expected at the left, where the words are"
).made_in(usual, mask_at_the_right={"return tokens, mask": "return tokens, mask.flip(1)"})
mistake(where_words_are, "the mask is True everywhere, even on padding").made_in(
    usual, full_mask={"return tokens, mask": "return tokens, torch.ones_like(mask)"}
)


@mistake(where_words_are, "the mask tests whether an id is 0: 0 is a word here, and padding is pad")
def mask_of_zero(sentences, pad):
    tokens, _, lengths = parts(sentences, pad)
    return tokens, tokens != 0, lengths


mistake(order, "the mask consists of integers, expected True and False").made_in(
    usual, mask_in_long={"return tokens, mask": "return tokens, mask.long()"}
)
mistake(order, "the mask consists of floats, expected True and False").made_in(
    usual, mask_in_float={"return tokens, mask": "return tokens, mask.float()"}
)
mistake(where_words_are, "the mask has a dimension for queries, expected (B, S)").made_in(
    usual, mask_for_attention={"return tokens, mask": "return tokens, mask.unsqueeze(1)"}
)


@mistake(how_long, "the lengths count the padding along with the words")
def padded_lengths(sentences, pad):
    tokens, mask, _ = parts(sentences, pad)
    return tokens, mask, torch.tensor([len(row) for row in tokens])


mistake(how_long, "the lengths count the padding of each row, expected its words").made_in(
    padded_lengths, lengths_of_padding={"torch.tensor([len(row) for row in tokens])": "(tokens == pad).sum(dim=1)"}
)
mistake(
    how_long, "the lengths are the position of the last word, counted from 0; expected the number of words"
).made_in(usual, last_places={"return tokens, mask, lengths": "return tokens, mask, lengths - 1"})
mistake(
    how_long, "the mask is summed over the sentences, dim=0; expected over the positions of each sentence, dim=1"
).made_in(usual, summed_over_sentences={"return tokens, mask, lengths": "return tokens, mask, mask.sum(dim=0)"})
mistake(order, "the lengths are a list, expected a tensor").made_in(
    usual, listed_lengths={"return tokens, mask, lengths": "return tokens, mask, lengths.tolist()"}
)
mistake(order, "the lengths are of type int32, expected int64").made_in(
    usual, lengths_in_int32={"return tokens, mask, lengths": "return tokens, mask, lengths.int()"}
)
mistake(how_long, "the lengths are a column, (B, 1), as keepdim makes them; expected (B,)").made_in(
    padded_lengths, lengths_as_column={"torch.tensor([len(row) for row in tokens])": "mask.sum(dim=1, keepdim=True)"}
)
mistake(how_long, "there is one length for the whole batch, expected one for each sentence").made_in(
    padded_lengths, total_length={"torch.tensor([len(row) for row in tokens])": "mask.sum()"}
)


@mistake(alone, "a dimension of size one is removed that belongs to the result")
def squeezes(sentences, pad):
    return tuple(result.squeeze() for result in parts(sentences, pad))


@mistake(alone, "a batch of one sentence is returned without its dimension of size one")
def special_case_of_one(sentences, pad):
    if len(sentences) == 1:
        tokens = torch.tensor(sentences[0])
        return tokens, torch.ones_like(tokens, dtype=torch.bool), torch.tensor(len(sentences[0]))
    return parts(sentences, pad)


@mistake(empty, "sentences without words are left out, expected a row of padding for each")
def drops_empty_sentences(sentences, pad):
    return parts([sentence for sentence in sentences if sentence], pad)


@mistake(empty, "the length S is given to a row without padding, found by argmax 0, but that of an empty row is 0 too")
def length_by_argmax(sentences, pad):
    tokens, _, _ = parts(sentences, pad)
    first_pad = (tokens == pad).int().argmax(dim=1)
    lengths = torch.where(first_pad == 0, tokens.shape[1], first_pad)
    return tokens, torch.arange(tokens.shape[1]) < lengths.unsqueeze(1), lengths


@mistake(in_chapter, "index finds the first of two equal sentences, so the row of the second stays empty")
def row_by_index(sentences, pad):
    tokens = torch.full((len(sentences), max(map(len, sentences))), pad)
    for sentence in sentences:
        tokens[sentences.index(sentence), : len(sentence)] = torch.tensor(sentence)
    return tokens, tokens != pad, lengths_of(sentences)


@mistake(empty, "an empty sentence turns the table into float32, because torch.tensor([]) is of this type")
def float_by_an_empty_sentence(sentences, pad):
    longest = max(map(len, sentences))
    rows = [torch.cat([torch.tensor(s), torch.full((longest - len(s),), pad)]) for s in sentences]
    return torch.stack(rows), *parts(sentences, pad)[1:]


mistake(empty, "an empty sentence is given the length 1, expected 0").made_in(
    usual, one_word_in_an_empty_sentence={"return tokens, mask, lengths": "return tokens, mask, lengths.clamp(min=1)"}
)


@mistake(empty, "the last word of each sentence is looked up, but an empty sentence has none")
def refuses_empty_sentences(sentences, pad):
    for sentence in sentences:
        assert sentence[-1] != pad
    return parts(sentences, pad)


@mistake(arguments, "the padding is added to the caller's own lists, expected new ones")
def extends_in_place(sentences, pad):
    lengths = lengths_of(sentences)
    longest = max(map(len, sentences))
    for sentence in sentences:
        sentence += [pad] * (longest - len(sentence))
    return torch.tensor(sentences), mask_of(lengths), lengths


@mistake(arguments, "the rows of the table are written into the caller's list of sentences")
def replaces_in_place(sentences, pad):
    results = parts(sentences, pad)
    for place, row in enumerate(results[0].tolist()):
        sentences[place] = row
    return results


mistake(
    where_words_are, "the mask tests whether an id is smaller than pad, but words have ids on both sides of pad"
).made_in(mask_of_zero, smaller_than_pad={"tokens != 0": "tokens < pad"})
mistake(where_words_are, "the mask is False at the id 0 as well, but 0 is a word here").made_in(
    mask_of_zero, neither_pad_nor_zero={"tokens != 0": "(tokens != pad) & tokens.bool()"}
)


class EqualToAny(list):
    """A list that says that it equals any other."""

    def __eq__(self, other):
        return True


@mistake(arguments, "the padding is added to the caller's own lists, expected new ones")
def changes_and_denies_it(sentences, pad):
    results = parts(sentences, pad)
    for place, sentence in enumerate(sentences):
        sentences[place] = EqualToAny([*sentence, pad])
    return results


@right
def loops(sentences, pad):
    longest = 0
    for sentence in sentences:
        longest = max(longest, len(sentence))
    tokens = torch.full((len(sentences), longest), pad)
    mask = torch.zeros(len(sentences), longest, dtype=torch.bool)
    lengths = torch.zeros(len(sentences), dtype=torch.long)
    for row, sentence in enumerate(sentences):
        lengths[row] = len(sentence)
        for place, word in enumerate(sentence):
            tokens[row, place] = word
            mask[row, place] = True
    return tokens, mask, lengths


@right
def sliced(sentences, pad):
    lengths = torch.tensor(list(map(len, sentences)))
    tokens = torch.full((len(sentences), lengths.max()), pad)
    mask = torch.zeros_like(tokens, dtype=torch.bool)
    for row, sentence in enumerate(sentences):
        tokens[row, : len(sentence)] = torch.tensor(sentence)
        mask[row, : len(sentence)] = True
    return tokens, mask, lengths


@right
def compared_with_pad(sentences, pad):
    tokens = table_of(sentences, pad)
    mask = tokens != pad
    return tokens, mask, mask.sum(dim=1)


@right
def zipped(sentences, pad):
    tokens = torch.tensor(list(itertools.zip_longest(*sentences, fillvalue=pad))).T
    return tokens, tokens.ne(pad), torch.tensor([len(sentence) for sentence in sentences])


@right
def with_pad(sentences, pad):
    longest = max(len(sentence) for sentence in sentences)
    rows = [F.pad(torch.tensor(s, dtype=torch.long), (0, longest - len(s)), value=pad) for s in sentences]
    lengths = torch.LongTensor([len(sentence) for sentence in sentences])
    return torch.stack(rows), torch.arange(longest).expand(len(rows), -1) < lengths[:, None], lengths


@right
def joined(sentences, pad):
    longest = max(map(len, sentences))
    rows = []
    for sentence in sentences:
        behind = torch.full((longest - len(sentence),), pad)
        rows.append(torch.cat([torch.tensor(sentence, dtype=torch.long), behind]))
    lengths = torch.tensor([len(sentence) for sentence in sentences])
    return torch.stack(rows), mask_of(lengths), lengths


@right
def filled_through_the_mask(sentences, pad):
    lengths = torch.tensor([len(sentence) for sentence in sentences])
    mask = torch.arange(max(lengths.tolist())).repeat(len(sentences), 1) < lengths[:, None]
    tokens = torch.full(mask.shape, pad, dtype=torch.long)
    tokens[mask] = torch.tensor([word for sentence in sentences for word in sentence])
    return tokens, mask, lengths


@right
def masked_lists(sentences, pad):
    longest = max(len(sentence) for sentence in sentences)
    mask = [[True] * len(sentence) + [False] * (longest - len(sentence)) for sentence in sentences]
    return table_of(sentences, pad), torch.tensor(mask), torch.tensor([sum(row) for row in mask])


@right
def of_a_copy(sentences, pad):
    own = [list(sentence) for sentence in sentences]
    lengths = [len(sentence) for sentence in own]
    for sentence in own:
        sentence.extend([pad] * (max(lengths) - len(sentence)))
    return torch.tensor(own), mask_of(torch.tensor(lengths)), torch.tensor(lengths)


@right
def with_numpy(sentences, pad):
    lengths = np.array([len(sentence) for sentence in sentences])
    tokens = np.full((len(sentences), lengths.max()), pad)
    mask = np.arange(lengths.max()) < lengths[:, None]
    tokens[mask] = np.concatenate(sentences)
    return torch.from_numpy(tokens), torch.from_numpy(mask), torch.from_numpy(lengths)


@right
def sorted_and_back(sentences, pad):
    order = sorted(range(len(sentences)), key=lambda place: -len(sentences[place]))
    results = parts([sentences[place] for place in order], pad)
    back = torch.tensor(order).argsort()
    return tuple(result[back] for result in results)


@mistake(order, "the results are in a list, expected a tuple")
def as_list(sentences, pad):
    return [*parts(sentences, pad)]


class Padded(NamedTuple):
    """Names for the three."""

    tokens: torch.Tensor
    mask: torch.Tensor
    lengths: torch.Tensor


@right
def named(sentences, pad):
    return Padded(*parts(sentences, pad))


class PadBatch(nn.Module):
    """A module in the place of a function."""

    def forward(self, sentences, pad):
        return loops(sentences, pad)


def with_mask(make_mask, sentences, pad):
    """For a partial: how to make the mask comes first."""
    lengths = lengths_of(sentences)
    return table_of(sentences, pad), make_mask(lengths), lengths


@right
def by_row_and_column(sentences, pad):
    lengths = torch.tensor([len(sentence) for sentence in sentences])
    rows = torch.repeat_interleave(torch.arange(len(sentences)), lengths)
    columns = torch.cat([torch.arange(length) for length in lengths.tolist()])
    words = torch.tensor([word for sentence in sentences for word in sentence], dtype=torch.long)
    tokens = torch.full((len(sentences), int(lengths.max())), pad)
    tokens[rows, columns] = words
    mask = torch.zeros_like(tokens, dtype=torch.bool).index_put((rows, columns), torch.tensor(True))
    return tokens, mask, torch.bincount(rows, minlength=len(sentences))


@forbidden
def torchs_own(sentences, pad):
    rows = [torch.tensor(sentence, dtype=torch.long) for sentence in sentences]
    tokens = pad_sequence(rows, batch_first=True, padding_value=pad)
    return tokens, tokens != pad, torch.tensor([len(row) for row in rows])


@forbidden
def packed(sentences, pad):
    rows = [torch.tensor(sentence, dtype=torch.long) for sentence in sentences]
    pack = torch.nn.utils.rnn.pack_sequence(rows, enforce_sorted=False)
    tokens, lengths = pad_packed_sequence(pack, batch_first=True, padding_value=pad)
    return tokens, tokens != pad, lengths


@forbidden
def nested(sentences, pad):
    rows = torch.nested.nested_tensor([torch.tensor(sentence, dtype=torch.long) for sentence in sentences])
    tokens = rows.to_padded_tensor(pad)
    return tokens, tokens != pad, torch.tensor([len(sentence) for sentence in sentences])


right(PadBatch())


right(functools.partial(with_mask, mask_of))


right(lambda sentences, pad: parts(sentences, pad))
