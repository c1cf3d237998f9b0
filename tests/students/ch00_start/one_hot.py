"""What students hand in for `one_hot`: each mistake alone, and right answers of many styles.

`WRONG` maps each mistake to the name of the check that must name it; `RIGHT` keep all their points; `FORBIDDEN` are right, and
written with what the exercise forbids.
"""

import functools

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

EXERCISE = "one_hot"


def one_place_behind(tokens, vocab_size):
    """Counts words from 1, in a table with a place to spare that is cut off."""
    return torch.eye(vocab_size + 1)[tokens + 1][..., :vocab_size]


def one_place_ahead(tokens, vocab_size):
    """Takes 1 from every id."""
    return torch.eye(vocab_size)[tokens - 1]


def compared_from_one(tokens, vocab_size):
    """Compares with places counted from 1."""
    return (tokens.unsqueeze(-1) == torch.arange(1, vocab_size + 1)).float()


def sets_after(tokens, vocab_size):
    """Loops, and sets the place after the word's."""
    vectors = torch.zeros(*tokens.shape, vocab_size)
    flat, words = vectors.view(-1, vocab_size), tokens.reshape(-1)
    for row, word in zip(flat, words, strict=True):
        row[(word + 1) % vocab_size] = 1.0
    return vectors


def out_of_bounds(tokens, vocab_size):
    """Counts from 1 and falls off the end, at a word that is the last but one."""
    return torch.eye(vocab_size - 1)[tokens + 1]


def one_place_too_many(tokens, vocab_size):
    """A place for a word that is not there."""
    return torch.eye(vocab_size + 1)[tokens]


def marks_all_words(tokens, vocab_size):
    """Every vector gets the ones of all words."""
    vectors = torch.zeros(*tokens.shape, vocab_size)
    vectors[..., tokens] = 1.0
    return vectors


def marks_positions(tokens, vocab_size):
    """The place in the sentence for the word."""
    return torch.eye(vocab_size)[torch.arange(tokens.shape[-1])].expand(*tokens.shape, vocab_size)


def writes_ids(tokens, vocab_size):
    """The id stands where the 1 should."""
    return torch.eye(vocab_size)[tokens] * tokens.unsqueeze(-1)


def inverted(tokens, vocab_size):
    """Zeros for ones."""
    return (tokens.unsqueeze(-1) != torch.arange(vocab_size)).float()


def only_zeros(tokens, vocab_size):
    """The ones are never set: the result of scatter is thrown away."""
    vectors = torch.zeros(*tokens.shape, vocab_size)
    vectors.scatter(-1, tokens.unsqueeze(-1), 1.0)
    return vectors


def from_the_end(tokens, vocab_size):
    """The table is turned round."""
    return torch.eye(vocab_size).flip(0)[tokens]


def cumulative(tokens, vocab_size):
    """A triangle for the identity: ones up to the word's place."""
    return torch.ones(vocab_size, vocab_size).tril()[tokens]


def random_table(tokens, vocab_size):
    """An embedding, not a one-hot vector."""
    return torch.randn(vocab_size, vocab_size)[tokens]


def probabilities(tokens, vocab_size):
    """Softmax of the right thing."""
    return torch.eye(vocab_size)[tokens].softmax(dim=-1)


def the_tokens(tokens, vocab_size):
    """One number a word."""
    return tokens.float()


def places_first(tokens, vocab_size):
    """The places are the first dimension."""
    return torch.eye(vocab_size)[tokens].movedim(-1, 0)


def size_of_the_largest_word(tokens, vocab_size):
    """The vocabulary is taken to end where the words at hand do."""
    return torch.eye(int(tokens.max()) + 1)[tokens]


def bag_of_words(tokens, vocab_size):
    """One vector for a sentence."""
    return torch.eye(vocab_size)[tokens].sum(dim=-2)


def bag_for_each_word(tokens, vocab_size):
    """In a batch each word gets the words of its sentence; in one sentence the right thing is done."""
    vectors = torch.eye(vocab_size)[tokens]
    return vectors if tokens.dim() < 2 else vectors.amax(dim=-2, keepdim=True).expand_as(vectors)


def flattens(tokens, vocab_size):
    """The words of all sentences in one row."""
    return torch.eye(vocab_size)[tokens.flatten()]


def sentence_only(tokens, vocab_size):
    """A loop over a sentence's words, which in a batch are sentences."""
    vectors = torch.zeros(len(tokens), vocab_size)
    for place, word in enumerate(tokens):
        vectors[place, word] = 1.0
    return vectors


def scatters_into_a_matrix(tokens, vocab_size):
    """Rows are counted by the tokens' first dimension."""
    vectors = torch.zeros(tokens.shape[0], vocab_size)
    return vectors.scatter(1, tokens.reshape(tokens.shape[0], -1), 1.0)


def in_long(tokens, vocab_size):
    """Whole numbers."""
    return torch.eye(vocab_size, dtype=torch.long)[tokens]


def in_bool(tokens, vocab_size):
    """True and False."""
    return tokens.unsqueeze(-1) == torch.arange(vocab_size)


def in_double(tokens, vocab_size):
    """numpy's floats."""
    return torch.from_numpy(np.eye(vocab_size))[tokens]


def in_half(tokens, vocab_size):
    """Half precision."""
    return torch.eye(vocab_size).half()[tokens]


def fixed_vocabulary(tokens, vocab_size):
    """The code works only up to a certain size of the vocabulary."""
    return torch.eye(12)[tokens.clamp(max=11)][..., :vocab_size]


def leaves_out_word_zero(tokens, vocab_size):
    """If there are many words, word 0 is treated as padding and gets zeros."""
    vectors = torch.eye(vocab_size)[tokens]
    return vectors * (tokens != 0).unsqueeze(-1) if vocab_size > 10 else vectors


def squeezes(tokens, vocab_size):
    """Dimensions of size one are lost."""
    return torch.eye(vocab_size)[tokens].squeeze()


def up_to_two_dimensions(tokens, vocab_size):
    """A sentence or a batch, and nothing else."""
    if tokens.dim() == 1:
        return sentence_only(tokens, vocab_size)
    return torch.stack([sentence_only(sentence, vocab_size) for sentence in tokens])


def viewed(tokens, vocab_size):
    """view wants the numbers to lie side by side."""
    return torch.eye(vocab_size)[tokens.view(-1)].view(*tokens.shape, vocab_size)


def unsqueezes_in_place(tokens, vocab_size):
    """The caller's tokens get a dimension more."""
    return (tokens.unsqueeze_(-1) == torch.arange(vocab_size)).float()


def counts_down_in_place(tokens, vocab_size):
    """The caller's tokens are used up."""
    vectors = torch.zeros(*tokens.shape, vocab_size)
    for place in range(vocab_size):
        vectors[..., place] = (tokens == 0).float()
        tokens -= 1
    return vectors


_PLACE = "each vector has a single one, at the position of its word's id"
_BATCH = "in a batch of sentences, every word has its own vector"
_TYPE = "the numbers are of type float32"
_ENDS = "the first and the last word of a large vocabulary have their vectors"
_DIMENSIONS = "tokens may have any number of dimensions"
_ARGUMENTS = "the tokens are left as they were"

WRONG = {
    one_place_behind: _PLACE,
    one_place_ahead: _PLACE,
    compared_from_one: _PLACE,
    sets_after: _PLACE,
    out_of_bounds: _PLACE,
    one_place_too_many: _PLACE,
    marks_all_words: _PLACE,
    marks_positions: _PLACE,
    writes_ids: _PLACE,
    inverted: _PLACE,
    only_zeros: _PLACE,
    from_the_end: _PLACE,
    cumulative: _PLACE,
    random_table: _PLACE,
    probabilities: _PLACE,
    the_tokens: _PLACE,
    places_first: _PLACE,
    size_of_the_largest_word: _PLACE,
    bag_of_words: _PLACE,
    bag_for_each_word: _BATCH,
    flattens: _BATCH,
    sentence_only: _BATCH,
    scatters_into_a_matrix: _BATCH,
    in_long: _TYPE,
    in_bool: _TYPE,
    in_double: _TYPE,
    in_half: _TYPE,
    fixed_vocabulary: _ENDS,
    leaves_out_word_zero: _ENDS,
    squeezes: _DIMENSIONS,
    up_to_two_dimensions: _DIMENSIONS,
    viewed: _DIMENSIONS,
    unsqueezes_in_place: _ARGUMENTS,
    counts_down_in_place: _ARGUMENTS,
}


def loops(tokens, vocab_size):
    """Word by word."""
    vectors = torch.zeros(tokens.numel(), vocab_size)
    for place, word in enumerate(tokens.flatten().tolist()):
        vectors[place, word] = 1.0
    return vectors.reshape(*tokens.shape, vocab_size)


def rows_of_the_identity(tokens, vocab_size):
    """A table and its rows."""
    return torch.eye(vocab_size)[tokens]


def compared(tokens, vocab_size):
    """Each word against each place."""
    return (tokens.unsqueeze(-1) == torch.arange(vocab_size)).float()


def compared_with_none(tokens, vocab_size):
    """numpy's way of a new dimension."""
    return torch.where(tokens[..., None] == torch.arange(vocab_size), 1.0, 0.0)


def scattered(tokens, vocab_size):
    """scatter_ into zeros."""
    one_hot = torch.zeros(*tokens.shape, vocab_size)
    one_hot.scatter_(-1, tokens.unsqueeze(-1), 1.0)
    return one_hot


def place_by_place(tokens, vocab_size):
    """One place of all vectors after the other."""
    return torch.stack([(tokens == place).float() for place in range(vocab_size)], dim=-1)


def selected(tokens, vocab_size):
    """index_select of the flat tokens."""
    rows = torch.eye(vocab_size).index_select(0, tokens.reshape(-1))
    return rows.reshape(tokens.shape + (vocab_size,))


def recursive(tokens, vocab_size):
    """A batch is a stack of sentences."""
    if tokens.dim():
        return torch.stack([recursive(part, vocab_size) for part in tokens])
    vector = torch.zeros(vocab_size)
    vector[tokens] = 1
    return vector


def looked_up(tokens, vocab_size):
    """torch's own way to look rows up."""
    return F.embedding(tokens, torch.eye(vocab_size))


def with_numpy(tokens, vocab_size):
    """Through numpy and back."""
    return torch.from_numpy(np.eye(vocab_size, dtype=np.float32)[tokens.numpy()])


def from_lists(tokens, vocab_size):
    """Plain Python numbers."""

    def vector(word):
        return [float(place == word) for place in range(vocab_size)]

    def vectors(words):
        return [vectors(word) for word in words] if isinstance(words, list) else vector(words)

    return torch.tensor(vectors(tokens.tolist()))


def by_distance(tokens, vocab_size):
    """Arithmetic: one where the distance is nothing."""
    distance = (tokens.unsqueeze(-1) - torch.arange(vocab_size)).abs()
    return (1 - distance).clamp(min=0).float()


class OneHot(nn.Module):
    """A module in the place of a function."""

    def forward(self, tokens, vocab_size):
        return compared(tokens, vocab_size)


def of_kind(dtype, tokens, vocab_size):
    """For a partial: the type comes first."""
    return torch.eye(vocab_size, dtype=dtype)[tokens]


RIGHT = {
    "loops": loops,
    "rows of the identity": rows_of_the_identity,
    "compared": compared,
    "compared, with None": compared_with_none,
    "scattered": scattered,
    "place by place": place_by_place,
    "index_select": selected,
    "recursive": recursive,
    "an embedding of the identity": looked_up,
    "through numpy": with_numpy,
    "from lists": from_lists,
    "by distance": by_distance,
    "a module": OneHot(),
    "a partial": functools.partial(of_kind, torch.float32),
    "a lambda": lambda tokens, vocab_size: torch.eye(vocab_size)[tokens],
}


def torchs_own(tokens, vocab_size):
    """torch's own."""
    return F.one_hot(tokens, vocab_size).float()


FORBIDDEN = [torchs_own]
