"""Mistakes in `one_hot`, and right answers in other styles."""

import functools

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from autograder.checks.ch00_start.one_hot import arguments, batch, dimensions, ends, in_chapter, number_type, sentence
from autograder.judging.catalogue import forbidden, mistake, right


@mistake(in_chapter, "the table has 1000 rows, expected vocab_size: a vocabulary may be larger")
def table_of_a_thousand(tokens, vocab_size):
    return torch.eye(1000)[:, :vocab_size][tokens]


@mistake(sentence, "each 1 is one position too far to the right: ids and positions are both counted from 0")
def one_place_behind(tokens, vocab_size):
    return torch.eye(vocab_size + 1)[tokens + 1][..., :vocab_size]


@mistake(sentence, "each 1 is one position too far to the left: ids and positions are both counted from 0")
def one_place_ahead(tokens, vocab_size):
    return torch.eye(vocab_size)[tokens - 1]


@mistake(sentence, "each 1 is one position too far to the left: ids and positions are both counted from 0")
def compared_from_one(tokens, vocab_size):
    return (tokens.unsqueeze(-1) == torch.arange(1, vocab_size + 1)).float()


@mistake(sentence, "1 is added to the ids, although they are counted from 0")
def out_of_bounds(tokens, vocab_size):
    return torch.eye(vocab_size - 1)[tokens + 1]


@mistake(sentence, "the vectors have vocab_size + 1 components, expected vocab_size: ids are counted from 0")
def one_place_too_many(tokens, vocab_size):
    return torch.eye(vocab_size + 1)[tokens]


@mistake(sentence, "every vector has a one for each word of the sentence, expected a one only for its own word")
def marks_all_words(tokens, vocab_size):
    vectors = torch.zeros(*tokens.shape, vocab_size)
    vectors[..., tokens] = 1.0
    return vectors


@mistake(
    sentence, "the vectors mark the position of each word in the sentence, expected its position in the vocabulary"
)
def marks_positions(tokens, vocab_size):
    return torch.eye(vocab_size)[torch.arange(tokens.shape[-1])].expand(*tokens.shape, vocab_size)


@mistake(sentence, "each vector contains the id at the position of its word, expected 1")
def writes_ids(tokens, vocab_size):
    return torch.eye(vocab_size)[tokens] * tokens.unsqueeze(-1)


@mistake(sentence, "ones and zeros are swapped")
def inverted(tokens, vocab_size):
    return (tokens.unsqueeze(-1) != torch.arange(vocab_size)).float()


mistake(
    sentence, "no vector has a one: scatter returns a new tensor, and only scatter_ changes the tensor itself"
).made_in(marks_all_words, only_zeros={"vectors[..., tokens] = 1.0": "vectors.scatter(-1, tokens.unsqueeze(-1), 1.0)"})


@mistake(sentence, "the positions are counted from the end of the vector")
def from_the_end(tokens, vocab_size):
    return torch.eye(vocab_size).flip(0)[tokens]


@mistake(sentence, "each vector has ones up to the position of its word, expected a single one at this position")
def cumulative(tokens, vocab_size):
    return torch.ones(vocab_size, vocab_size).tril()[tokens]


@mistake(sentence, "the vectors are rows of random numbers, expected zeros and a single one")
def random_table(tokens, vocab_size):
    return torch.randn(vocab_size, vocab_size)[tokens]


@mistake(sentence, "a softmax is applied to the vectors, so they contain no zeros and ones")
def probabilities(tokens, vocab_size):
    return torch.eye(vocab_size)[tokens].softmax(dim=-1)


@mistake(sentence, "the ids themselves are returned, expected a vector for each")
def the_tokens(tokens, vocab_size):
    return tokens.float()


@mistake(sentence, "the vectors lie along the first dimension, expected the last")
def places_first(tokens, vocab_size):
    return torch.eye(vocab_size)[tokens].movedim(-1, 0)


@mistake(sentence, "the length of the vectors depends on the largest id in tokens, expected vocab_size")
def size_of_the_largest_word(tokens, vocab_size):
    return torch.eye(int(tokens.max()) + 1)[tokens]


@mistake(sentence, "the vectors of a sentence are added up, expected one for each word")
def bag_of_words(tokens, vocab_size):
    return torch.eye(vocab_size)[tokens].sum(dim=-2)


@mistake(batch, "every vector has a one for each word of the sentence, expected a one only for its own word")
def bag_for_each_word(tokens, vocab_size):
    vectors = torch.eye(vocab_size)[tokens]
    return vectors if tokens.dim() < 2 else vectors.amax(dim=-2, keepdim=True).expand_as(vectors)


@mistake(batch, "the sentences are flattened into one list of words, expected the dimensions of the tokens to be kept")
def flattens(tokens, vocab_size):
    return torch.eye(vocab_size)[tokens.flatten()]


@mistake(batch, "there is one row for each sentence of a batch, expected a vector for each word")
def sentence_only(tokens, vocab_size):
    vectors = torch.zeros(len(tokens), vocab_size)
    for place, word in enumerate(tokens):
        vectors[place, word] = 1.0
    return vectors


@mistake(batch, "there is one row for each sentence of a batch, expected a vector for each word")
def scatters_into_a_matrix(tokens, vocab_size):
    vectors = torch.zeros(tokens.shape[0], vocab_size)
    return vectors.scatter(1, tokens.reshape(tokens.shape[0], -1), 1.0)


@mistake(sentence, "exactly two dimensions, (B, S), are expected of the tokens, which may have any number")
def batches_alone(tokens, vocab_size):
    batch, length = tokens.shape
    return torch.eye(vocab_size)[tokens.reshape(-1)].reshape(batch, length, vocab_size)


@mistake(sentence, "scatter_ writes along the first dimension, expected the last, the one of the vocabulary")
def scatters_along_the_first_dimension(tokens, vocab_size):
    return torch.zeros(*tokens.shape, vocab_size).scatter_(0, tokens.unsqueeze(-1), 1.0)


@mistake(number_type, "the vectors are integers of type int64, expected float32")
def in_long(tokens, vocab_size):
    return torch.eye(vocab_size, dtype=torch.long)[tokens]


@mistake(number_type, "the vectors are of type bool, as a comparison returns them; expected float32")
def in_bool(tokens, vocab_size):
    return tokens.unsqueeze(-1) == torch.arange(vocab_size)


@mistake(number_type, "the vectors are of type float64, as NumPy creates them; expected float32")
def in_double(tokens, vocab_size):
    return torch.from_numpy(np.eye(vocab_size))[tokens]


@mistake(number_type, "the vectors are of type float16, expected float32")
def in_half(tokens, vocab_size):
    return torch.eye(vocab_size).half()[tokens]


@mistake(ends, "the vectors have a fixed length, expected vocab_size")
def fixed_vocabulary(tokens, vocab_size):
    return torch.eye(12)[tokens.clamp(max=11)][..., :vocab_size]


@mistake(batch, "word 0 is treated as padding and gets only zeros")
def leaves_out_word_zero(tokens, vocab_size):
    return torch.eye(vocab_size)[tokens] * (tokens != 0).unsqueeze(-1)


@mistake(dimensions, "a dimension of size one is removed that belongs to the result")
def squeezes(tokens, vocab_size):
    return torch.eye(vocab_size)[tokens].squeeze()


@mistake(dimensions, "only sentences and batches are handled, but tokens may have any number of dimensions")
def up_to_two_dimensions(tokens, vocab_size):
    if tokens.dim() == 1:
        return sentence_only(tokens, vocab_size)
    return torch.stack([sentence_only(sentence, vocab_size) for sentence in tokens])


@mistake(dimensions, "view needs a contiguous tensor; reshape works with any")
def viewed(tokens, vocab_size):
    return torch.eye(vocab_size)[tokens.view(-1)].view(*tokens.shape, vocab_size)


@mistake(arguments, "the caller's tokens are changed in place: unsqueeze_ adds a dimension to them")
def unsqueezes_in_place(tokens, vocab_size):
    return (tokens.unsqueeze_(-1) == torch.arange(vocab_size)).float()


@mistake(arguments, "the caller's tokens are changed in place: 1 is subtracted from them again and again")
def counts_down_in_place(tokens, vocab_size):
    vectors = torch.zeros(*tokens.shape, vocab_size)
    for place in range(vocab_size):
        vectors[..., place] = (tokens == 0).float()
        tokens -= 1
    return vectors


@right
def loops(tokens, vocab_size):
    vectors = torch.zeros(tokens.numel(), vocab_size)
    for place, word in enumerate(tokens.flatten().tolist()):
        vectors[place, word] = 1.0
    return vectors.reshape(*tokens.shape, vocab_size)


@right
def rows_of_the_identity(tokens, vocab_size):
    return torch.eye(vocab_size)[tokens]


@right
def compared(tokens, vocab_size):
    return (tokens.unsqueeze(-1) == torch.arange(vocab_size)).float()


@right
def compared_with_none(tokens, vocab_size):
    return torch.where(tokens[..., None] == torch.arange(vocab_size), 1.0, 0.0)


@right
def scattered(tokens, vocab_size):
    one_hot = torch.zeros(*tokens.shape, vocab_size)
    one_hot.scatter_(-1, tokens.unsqueeze(-1), 1.0)
    return one_hot


@right
def place_by_place(tokens, vocab_size):
    return torch.stack([(tokens == place).float() for place in range(vocab_size)], dim=-1)


@right
def selected(tokens, vocab_size):
    rows = torch.eye(vocab_size).index_select(0, tokens.reshape(-1))
    return rows.reshape(tokens.shape + (vocab_size,))


@right
def recursive(tokens, vocab_size):
    if tokens.dim():
        return torch.stack([recursive(part, vocab_size) for part in tokens])
    vector = torch.zeros(vocab_size)
    vector[tokens] = 1
    return vector


@right
def looked_up(tokens, vocab_size):
    return F.embedding(tokens, torch.eye(vocab_size))


@right
def with_numpy(tokens, vocab_size):
    return torch.from_numpy(np.eye(vocab_size, dtype=np.float32)[tokens.numpy()])


@right
def from_lists(tokens, vocab_size):
    def vector(word):
        return [float(place == word) for place in range(vocab_size)]

    def vectors(words):
        return [vectors(word) for word in words] if isinstance(words, list) else vector(words)

    return torch.tensor(vectors(tokens.tolist()))


@right
def by_distance(tokens, vocab_size):
    distance = (tokens.unsqueeze(-1) - torch.arange(vocab_size)).abs()
    return (1 - distance).clamp(min=0).float()


class OneHot(nn.Module):
    """A module in the place of a function."""

    def forward(self, tokens, vocab_size):
        return compared(tokens, vocab_size)


def of_kind(dtype, tokens, vocab_size):
    """For a partial: the type comes first."""
    return torch.eye(vocab_size, dtype=dtype)[tokens]


@forbidden
def torchs_own(tokens, vocab_size):
    return F.one_hot(tokens, vocab_size).float()


right(OneHot())


right(functools.partial(of_kind, torch.float32))


right(lambda tokens, vocab_size: torch.eye(vocab_size)[tokens])
