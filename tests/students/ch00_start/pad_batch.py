"""What students hand in for `pad_batch`: each mistake alone, and right answers of many styles.

`WRONG` maps each mistake to the name of the check that must name it; `RIGHT` keep all their points; `FORBIDDEN` are right, and
written with what the exercise forbids.
"""

import functools
import itertools
from typing import NamedTuple

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pad_packed_sequence, pad_sequence

EXERCISE = "pad_batch"


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


def pads_left(sentences, pad):
    """The padding stands before the words, and the mask is right for that."""
    longest = max(map(len, sentences))
    tokens = torch.tensor([[pad] * (longest - len(s)) + s for s in sentences])
    return tokens, tokens != pad, lengths_of(sentences)


def pads_left_with_other_mask(sentences, pad):
    """The padding stands before the words, and the mask is that of the right table."""
    longest = max(map(len, sentences))
    tokens = torch.tensor([[pad] * (longest - len(s)) + s for s in sentences])
    return tokens, mask_of(lengths_of(sentences)), lengths_of(sentences)


def reverses_words(sentences, pad):
    """The words run backwards."""
    return table_of([sentence[::-1] for sentence in sentences], pad), *parts(sentences, pad)[1:]


def reverses_rows(sentences, pad):
    """The whole row runs backwards."""
    tokens, mask, lengths = parts(sentences, pad)
    return tokens.flip(1), mask.flip(1), lengths


def pads_with_zero(sentences, pad):
    """0 for pad."""
    return table_of(sentences, 0), *parts(sentences, pad)[1:]


def cuts_to_the_shortest(sentences, pad):
    """As many words as the shortest sentence has."""
    shortest = min(map(len, sentences))
    tokens = torch.tensor([sentence[:shortest] for sentence in sentences])
    return tokens, torch.ones_like(tokens, dtype=torch.bool), lengths_of(sentences)


def cuts_to_the_first(sentences, pad):
    """As long as the first sentence, which need not be the longest."""
    longest = len(sentences[0])
    rows = [sentence[:longest] + [pad] * (longest - len(sentence)) for sentence in sentences]
    lengths = lengths_of(sentences)
    return torch.tensor(rows), torch.arange(longest) < lengths.unsqueeze(1), lengths


def one_place_too_many(sentences, pad):
    """A padding behind the longest sentence too."""
    lengths = lengths_of(sentences)
    tokens = table_of([*sentences, [pad] * (int(lengths.max()) + 1)], pad)[:-1]
    return tokens, tokens != pad, lengths


def eats_the_last_word(sentences, pad):
    """The padding begins a place too early."""
    tokens, mask, lengths = parts(sentences, pad)
    for row, length in zip(tokens, lengths.tolist(), strict=True):
        row[length - 1 :] = pad if length < len(row) else row[length - 1]
    return tokens, mask, lengths


def repeats_the_last_word(sentences, pad):
    """The last word stands for padding."""
    longest = max(map(len, sentences))
    rows = [sentence + sentence[-1:] * (longest - len(sentence)) for sentence in sentences]
    return torch.tensor(rows), *parts(sentences, pad)[1:]


def in_float(sentences, pad):
    """torch.zeros and its like are of type float32."""
    tokens, mask, lengths = parts(sentences, pad)
    return tokens.float(), mask, lengths


def sentences_as_columns(sentences, pad):
    """Batch second."""
    tokens, mask, lengths = parts(sentences, pad)
    return tokens.T, mask.T, lengths


def lists(sentences, pad):
    """No tensors."""
    return tuple(result.tolist() for result in parts(sentences, pad))


def tokens_alone(sentences, pad):
    """One result."""
    return table_of(sentences, pad)


def without_lengths(sentences, pad):
    """Two results."""
    return parts(sentences, pad)[:2]


def mask_first(sentences, pad):
    """Another order of the results."""
    tokens, mask, lengths = parts(sentences, pad)
    return mask, tokens, lengths


def lengths_second(sentences, pad):
    """Another order of the results."""
    tokens, mask, lengths = parts(sentences, pad)
    return tokens, lengths, mask


def nothing_returned(sentences, pad):
    """The return is missing."""
    parts(sentences, pad)


def shortest_first(sentences, pad):
    """Sorts in rising order."""
    return parts(sorted(sentences, key=len), pad)


def longest_first(sentences, pad):
    """Sorts in falling order, as some of torch's functions once wanted it."""
    return parts(sorted(sentences, key=len, reverse=True), pad)


def by_argsort(sentences, pad):
    """Sorts the table and what belongs to it."""
    tokens, mask, lengths = parts(sentences, pad)
    order = lengths.argsort(descending=True, stable=True)
    return tokens[order], mask[order], lengths[order]


def inverted_mask(sentences, pad):
    """True on padding, as in torch's key_padding_mask."""
    tokens, mask, lengths = parts(sentences, pad)
    return tokens, ~mask, lengths


def compared_the_wrong_way(sentences, pad):
    """True where there is padding."""
    tokens = table_of(sentences, pad)
    return tokens, tokens == pad, lengths_of(sentences)


def one_true_too_many(sentences, pad):
    """<= for <."""
    tokens, _, lengths = parts(sentences, pad)
    return tokens, torch.arange(tokens.shape[1]) <= lengths.unsqueeze(1), lengths


def one_true_too_few(sentences, pad):
    """Places counted from 1."""
    tokens, _, lengths = parts(sentences, pad)
    return tokens, torch.arange(1, tokens.shape[1] + 1) < lengths.unsqueeze(1), lengths


def mask_at_the_right(sentences, pad):
    """The mask of a table that is padded at the left."""
    tokens, mask, lengths = parts(sentences, pad)
    return tokens, mask.flip(1), lengths


def full_mask(sentences, pad):
    """Nothing is masked."""
    tokens, mask, lengths = parts(sentences, pad)
    return tokens, torch.ones_like(mask), lengths


def mask_of_zero(sentences, pad):
    """The padding is looked for by the wrong number."""
    tokens, _, lengths = parts(sentences, pad)
    return tokens, tokens != 0, lengths


def mask_in_long(sentences, pad):
    """Ones and zeros."""
    tokens, mask, lengths = parts(sentences, pad)
    return tokens, mask.long(), lengths


def mask_in_float(sentences, pad):
    """Ones and zeros with a point."""
    tokens, mask, lengths = parts(sentences, pad)
    return tokens, mask.float(), lengths


def mask_for_attention(sentences, pad):
    """With a dimension for queries."""
    tokens, mask, lengths = parts(sentences, pad)
    return tokens, mask.unsqueeze(1), lengths


def padded_lengths(sentences, pad):
    """The lengths of the rows."""
    tokens, mask, _ = parts(sentences, pad)
    return tokens, mask, torch.tensor([len(row) for row in tokens])


def lengths_of_padding(sentences, pad):
    """How much was added."""
    tokens, mask, _ = parts(sentences, pad)
    return tokens, mask, (tokens == pad).sum(dim=1)


def last_places(sentences, pad):
    """The place of the last word, counted from 0."""
    tokens, mask, lengths = parts(sentences, pad)
    return tokens, mask, lengths - 1


def listed_lengths(sentences, pad):
    """A list of lengths."""
    tokens, mask, lengths = parts(sentences, pad)
    return tokens, mask, lengths.tolist()


def lengths_in_int32(sentences, pad):
    """Another type of whole numbers."""
    tokens, mask, lengths = parts(sentences, pad)
    return tokens, mask, lengths.int()


def lengths_as_column(sentences, pad):
    """keepdim."""
    tokens, mask, _ = parts(sentences, pad)
    return tokens, mask, mask.sum(dim=1, keepdim=True)


def total_length(sentences, pad):
    """The words of the whole batch."""
    tokens, mask, _ = parts(sentences, pad)
    return tokens, mask, mask.sum()


def squeezes(sentences, pad):
    """Dimensions of size one are lost."""
    return tuple(result.squeeze() for result in parts(sentences, pad))


def special_case_of_one(sentences, pad):
    """A batch of one needs no padding, it is thought."""
    if len(sentences) == 1:
        tokens = torch.tensor(sentences[0])
        return tokens, torch.ones_like(tokens, dtype=torch.bool), torch.tensor(len(sentences[0]))
    return parts(sentences, pad)


def drops_empty_sentences(sentences, pad):
    """Sentences without words are left out."""
    return parts([sentence for sentence in sentences if sentence], pad)


def float_by_an_empty_sentence(sentences, pad):
    """torch.tensor([]) is float32, and joined with others makes all of them so."""
    longest = max(map(len, sentences))
    rows = [torch.cat([torch.tensor(s), torch.full((longest - len(s),), pad)]) for s in sentences]
    return torch.stack(rows), *parts(sentences, pad)[1:]


def one_word_in_an_empty_sentence(sentences, pad):
    """Lengths of 0 become 1."""
    tokens, mask, lengths = parts(sentences, pad)
    return tokens, mask, lengths.clamp(min=1)


def refuses_empty_sentences(sentences, pad):
    """The last word of none."""
    for sentence in sentences:
        assert sentence[-1] != pad
    return parts(sentences, pad)


def extends_in_place(sentences, pad):
    """The padding is added to the caller's lists."""
    lengths = lengths_of(sentences)
    longest = max(map(len, sentences))
    for sentence in sentences:
        sentence += [pad] * (longest - len(sentence))
    return torch.tensor(sentences), mask_of(lengths), lengths


def appends_in_place(sentences, pad):
    """append, until all are as long as the longest."""
    lengths = [len(sentence) for sentence in sentences]
    for sentence in sentences:
        while len(sentence) < max(lengths):
            sentence.append(pad)
    return torch.tensor(sentences), mask_of(torch.tensor(lengths)), torch.tensor(lengths)


def replaces_in_place(sentences, pad):
    """The caller's list gets new sentences."""
    results = parts(sentences, pad)
    for place, row in enumerate(results[0].tolist()):
        sentences[place] = row
    return results


def smaller_than_pad(sentences, pad):
    """pad is taken for larger than any word, as it is in this chapter's vocabulary."""
    tokens, _, lengths = parts(sentences, pad)
    return tokens, tokens < pad, lengths


def neither_pad_nor_zero(sentences, pad):
    """Word 0 is taken for padding too."""
    tokens, _, lengths = parts(sentences, pad)
    return tokens, (tokens != pad) & tokens.bool(), lengths


class EqualToAny(list):
    """A list that says that it equals any other."""

    def __eq__(self, other):
        return True


def changes_and_denies_it(sentences, pad):
    """The caller's lists are filled up, and a comparison with what they were does not see it."""
    results = parts(sentences, pad)
    for place, sentence in enumerate(sentences):
        sentences[place] = EqualToAny([*sentence, pad])
    return results


_TABLE = "each row is a sentence that starts at the left, followed by padding"
_ORDER = "the sentences keep their order"
_MASK = "the mask is True on words and False on padding"
_LENGTHS = "the lengths count the words of each sentence"
_ALONE = "a batch of one sentence keeps its dimensions"
_EMPTY = "an empty sentence is a row of padding"
_ARGUMENTS = "the caller's sentences are left as they were"

WRONG = {
    pads_left: _TABLE,
    pads_left_with_other_mask: _TABLE,
    reverses_words: _TABLE,
    reverses_rows: _TABLE,
    pads_with_zero: _TABLE,
    cuts_to_the_shortest: _TABLE,
    cuts_to_the_first: _ORDER,
    one_place_too_many: _TABLE,
    eats_the_last_word: _TABLE,
    repeats_the_last_word: _TABLE,
    in_float: _TABLE,
    sentences_as_columns: _TABLE,
    lists: _TABLE,
    tokens_alone: _TABLE,
    without_lengths: _TABLE,
    mask_first: _ORDER,
    lengths_second: _ORDER,
    nothing_returned: _TABLE,
    shortest_first: _TABLE,
    longest_first: _ORDER,
    by_argsort: _ORDER,
    inverted_mask: _MASK,
    compared_the_wrong_way: _MASK,
    one_true_too_many: _MASK,
    one_true_too_few: _MASK,
    mask_at_the_right: _MASK,
    full_mask: _MASK,
    mask_of_zero: _MASK,
    mask_in_long: _MASK,
    mask_in_float: _MASK,
    mask_for_attention: _MASK,
    smaller_than_pad: _MASK,
    neither_pad_nor_zero: _MASK,
    padded_lengths: _LENGTHS,
    lengths_of_padding: _LENGTHS,
    last_places: _LENGTHS,
    listed_lengths: _LENGTHS,
    lengths_in_int32: _LENGTHS,
    lengths_as_column: _LENGTHS,
    total_length: _LENGTHS,
    squeezes: _ALONE,
    special_case_of_one: _ALONE,
    drops_empty_sentences: _EMPTY,
    float_by_an_empty_sentence: _EMPTY,
    one_word_in_an_empty_sentence: _EMPTY,
    refuses_empty_sentences: _EMPTY,
    extends_in_place: _ARGUMENTS,
    appends_in_place: _ARGUMENTS,
    replaces_in_place: _ARGUMENTS,
    changes_and_denies_it: _ARGUMENTS,
}


def loops(sentences, pad):
    """Word by word."""
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


def sliced(sentences, pad):
    """A table of padding that is written over."""
    lengths = torch.tensor(list(map(len, sentences)))
    tokens = torch.full((len(sentences), lengths.max()), pad)
    mask = torch.zeros_like(tokens, dtype=torch.bool)
    for row, sentence in enumerate(sentences):
        tokens[row, : len(sentence)] = torch.tensor(sentence)
        mask[row, : len(sentence)] = True
    return tokens, mask, lengths


def compared_with_pad(sentences, pad):
    """The mask from the table, and the lengths from the mask."""
    tokens = table_of(sentences, pad)
    mask = tokens != pad
    return tokens, mask, mask.sum(dim=1)


def zipped(sentences, pad):
    """zip_longest pads columns."""
    tokens = torch.tensor(list(itertools.zip_longest(*sentences, fillvalue=pad))).T
    return tokens, tokens.ne(pad), torch.tensor([len(sentence) for sentence in sentences])


def with_pad(sentences, pad):
    """torch's F.pad, row by row."""
    longest = max(len(sentence) for sentence in sentences)
    rows = [F.pad(torch.tensor(s, dtype=torch.long), (0, longest - len(s)), value=pad) for s in sentences]
    lengths = torch.LongTensor([len(sentence) for sentence in sentences])
    return torch.stack(rows), torch.arange(longest).expand(len(rows), -1) < lengths[:, None], lengths


def joined(sentences, pad):
    """torch.cat, with the type said."""
    longest = max(map(len, sentences))
    rows = []
    for sentence in sentences:
        behind = torch.full((longest - len(sentence),), pad)
        rows.append(torch.cat([torch.tensor(sentence, dtype=torch.long), behind]))
    lengths = torch.tensor([len(sentence) for sentence in sentences])
    return torch.stack(rows), mask_of(lengths), lengths


def filled_through_the_mask(sentences, pad):
    """All words at once, into the places that the mask names."""
    lengths = torch.tensor([len(sentence) for sentence in sentences])
    mask = torch.arange(max(lengths.tolist())).repeat(len(sentences), 1) < lengths[:, None]
    tokens = torch.full(mask.shape, pad, dtype=torch.long)
    tokens[mask] = torch.tensor([word for sentence in sentences for word in sentence])
    return tokens, mask, lengths


def masked_lists(sentences, pad):
    """Lists of True and False."""
    longest = max(len(sentence) for sentence in sentences)
    mask = [[True] * len(sentence) + [False] * (longest - len(sentence)) for sentence in sentences]
    return table_of(sentences, pad), torch.tensor(mask), torch.tensor([sum(row) for row in mask])


def of_a_copy(sentences, pad):
    """Copies may be changed."""
    own = [list(sentence) for sentence in sentences]
    lengths = [len(sentence) for sentence in own]
    for sentence in own:
        sentence.extend([pad] * (max(lengths) - len(sentence)))
    return torch.tensor(own), mask_of(torch.tensor(lengths)), torch.tensor(lengths)


def with_numpy(sentences, pad):
    """Through numpy and back."""
    lengths = np.array([len(sentence) for sentence in sentences])
    tokens = np.full((len(sentences), lengths.max()), pad)
    mask = np.arange(lengths.max()) < lengths[:, None]
    tokens[mask] = np.concatenate(sentences)
    return torch.from_numpy(tokens), torch.from_numpy(mask), torch.from_numpy(lengths)


def sorted_and_back(sentences, pad):
    """Sorts, and puts everything back."""
    order = sorted(range(len(sentences)), key=lambda place: -len(sentences[place]))
    results = parts([sentences[place] for place in order], pad)
    back = torch.tensor(order).argsort()
    return tuple(result[back] for result in results)


def as_list(sentences, pad):
    """A list of three."""
    return [*parts(sentences, pad)]


class Padded(NamedTuple):
    """Names for the three."""

    tokens: torch.Tensor
    mask: torch.Tensor
    lengths: torch.Tensor


def named(sentences, pad):
    """A tuple with names."""
    return Padded(*parts(sentences, pad))


class PadBatch(nn.Module):
    """A module in the place of a function."""

    def forward(self, sentences, pad):
        return loops(sentences, pad)


def with_mask(make_mask, sentences, pad):
    """For a partial: how to make the mask comes first."""
    lengths = lengths_of(sentences)
    return table_of(sentences, pad), make_mask(lengths), lengths


def by_row_and_column(sentences, pad):
    """Every word with the row and the column of its place."""
    lengths = torch.tensor([len(sentence) for sentence in sentences])
    rows = torch.repeat_interleave(torch.arange(len(sentences)), lengths)
    columns = torch.cat([torch.arange(length) for length in lengths.tolist()])
    words = torch.tensor([word for sentence in sentences for word in sentence], dtype=torch.long)
    tokens = torch.full((len(sentences), int(lengths.max())), pad)
    tokens[rows, columns] = words
    mask = torch.zeros_like(tokens, dtype=torch.bool).index_put((rows, columns), torch.tensor(True))
    return tokens, mask, torch.bincount(rows, minlength=len(sentences))


RIGHT = {
    "loops": loops,
    "sliced": sliced,
    "compared with pad": compared_with_pad,
    "zip_longest": zipped,
    "F.pad": with_pad,
    "joined": joined,
    "filled through the mask": filled_through_the_mask,
    "masked lists": masked_lists,
    "of a copy": of_a_copy,
    "through numpy": with_numpy,
    "sorted and back": sorted_and_back,
    "a list of three": as_list,
    "a tuple with names": named,
    "a module": PadBatch(),
    "a partial": functools.partial(with_mask, mask_of),
    "a lambda": lambda sentences, pad: parts(sentences, pad),
    "by row and column": by_row_and_column,
}


def torchs_own(sentences, pad):
    """torch's own."""
    rows = [torch.tensor(sentence, dtype=torch.long) for sentence in sentences]
    tokens = pad_sequence(rows, batch_first=True, padding_value=pad)
    return tokens, tokens != pad, torch.tensor([len(row) for row in rows])


def packed(sentences, pad):
    """torch's own, by another name."""
    rows = [torch.tensor(sentence, dtype=torch.long) for sentence in sentences]
    pack = torch.nn.utils.rnn.pack_sequence(rows, enforce_sorted=False)
    tokens, lengths = pad_packed_sequence(pack, batch_first=True, padding_value=pad)
    return tokens, tokens != pad, lengths


def nested(sentences, pad):
    """torch's own, by a third name."""
    rows = torch.nested.nested_tensor([torch.tensor(sentence, dtype=torch.long) for sentence in sentences])
    tokens = rows.to_padded_tensor(pad)
    return tokens, tokens != pad, torch.tensor([len(sentence) for sentence in sentences])


FORBIDDEN = [torchs_own, packed, nested]
