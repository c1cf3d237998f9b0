"""The speeches as word pieces, for the chapter on BERT: a vocabulary of pieces, documents of ids, and batches of sentence pairs.

The vocabulary is WordPiece's, trained by the package ``tokenizers`` on the training speeches when it is asked for, so
that none is stored. What the chapter's reader writes (cutting a word, packing a pair, drawing pairs, hiding words) is
not here: the batches take it as arguments.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from seqlab.presidents import NUMBER, Speech, load_speeches

os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")  # read when a tokenizer first runs; or it warns at each fork

from tokenizers import Tokenizer, models, pre_tokenizers, trainers

__all__ = [
    "CLS",
    "MASK",
    "NUM_SPECIAL",
    "PAD",
    "SEP",
    "SPECIALS",
    "UNK",
    "PairBatch",
    "Pieces",
    "document_of",
    "load_pieces",
    "pad_packed",
    "pair_batches",
]

SPECIALS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
PAD, UNK, CLS, SEP, MASK = range(5)
NUM_SPECIAL = len(SPECIALS)
"""The ids below this one are special; from it on they are pieces of words."""

_INSIDE = "##"
_POOL = 50
"""The batches of a pool, within which pairs are sorted by length, so that little is padding."""

Document = list[list[int]]
Pair = tuple[list[int], list[int], bool]


class Pieces:
    """Pieces of words and their ids.

    Attributes:
        pieces: The pieces by id, the five specials first; those that do not begin a word begin with "##".
    """

    def __init__(self, pieces: Iterable[str]) -> None:
        """Takes a vocabulary.

        Args:
            pieces: The pieces by id.

        Raises:
            ValueError: If the first five are not `SPECIALS`, or a piece comes twice.
        """
        self.pieces = tuple(pieces)
        if self.pieces[:NUM_SPECIAL] != SPECIALS:
            raise ValueError(f"pieces begins with {self.pieces[:NUM_SPECIAL]}: put {SPECIALS} first")
        ids = {piece: i for i, piece in enumerate(self.pieces)}
        if len(ids) < len(self.pieces):
            raise ValueError(f"pieces has {len(self.pieces) - len(ids)} twice: each may come once")
        self._model = models.WordPiece(ids, unk_token=SPECIALS[UNK])
        self._of_word: dict[str, list[int]] = {}

    def __len__(self) -> int:
        """Returns the number of pieces, the specials among them."""
        return len(self.pieces)

    def encode(self, words: Iterable[str]) -> list[int]:
        """Turns words into the ids of their pieces, as ``tokenizers`` cuts them.

        Args:
            words: The words of a sentence.

        Returns:
            The ids; nothing is added at either end.
        """
        ids: list[int] = []
        for word in words:
            if word not in self._of_word:
                self._of_word[word] = [token.id for token in self._model.tokenize(word)]
            ids.extend(self._of_word[word])
        return ids

    def tokens(self, ids: Iterable[int] | Tensor) -> list[str]:
        """The pieces that some ids stand for.

        Args:
            ids: The ids.

        Returns:
            One piece for each.

        Raises:
            ValueError: If an id is not in the vocabulary.
        """
        ids = [int(i) for i in ids]
        for i in ids:
            if not 0 <= i < len(self.pieces):
                raise ValueError(f"id {i} is not in the vocabulary: ids go from 0 to {len(self.pieces) - 1}")
        return [self.pieces[i] for i in ids]

    def decode(self, ids: Iterable[int] | Tensor) -> list[str]:
        """Turns ids back into words.

        Args:
            ids: The ids of a sentence or of a packed pair.

        Returns:
            The words, with pieces joined to what comes before them; [PAD] is left out, and the other specials are
            words of their own. A piece after a special keeps its "##".

        Raises:
            ValueError: If an id is not in the vocabulary.
        """
        words: list[str] = []
        for piece in self.tokens(ids):
            if piece == SPECIALS[PAD]:
                continue
            if piece.startswith(_INSIDE) and words and words[-1] not in SPECIALS:
                words[-1] += piece.removeprefix(_INSIDE)
            else:
                words.append(piece)
        return words


@cache
def load_pieces(vocab_size: int = 4_000) -> Pieces:
    """Trains the pieces on the training speeches; a few seconds, once per process.

    The trainer begins with single letters and numbers them in an order that changes from run to run, on which its
    choice between pairs of equal count depends. Letters that it is given have their places, so all of them are given.

    Args:
        vocab_size: How many pieces there are, including the specials.

    Returns:
        The pieces: the specials, the one for numbers, the letters, then the pieces in the order in which they arose.

    Raises:
        ValueError: If `vocab_size` leaves no room for the letters.
    """
    sentences = [sentence for speech in load_speeches().train for sentence in speech.sentences]
    words = {word for sentence in sentences for word in sentence if word != NUMBER}
    first = sorted({word[0] for word in words})
    inside = sorted({_INSIDE + letter for word in words for letter in word[1:]})
    given = [*SPECIALS, NUMBER, *first, *inside]
    if vocab_size < len(given):
        raise ValueError(f"vocab_size is {vocab_size}: the specials and the letters alone are {len(given)}")
    tokenizer = Tokenizer(models.WordPiece(unk_token=SPECIALS[UNK]))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    trainer = trainers.WordPieceTrainer(vocab_size=vocab_size, special_tokens=given, show_progress=False)
    text = (" ".join(word for word in sentence if word != NUMBER) for sentence in sentences)
    tokenizer.train_from_iterator(text, trainer)
    ids = tokenizer.get_vocab()
    return Pieces(sorted(ids, key=ids.__getitem__))


def document_of(speech: Speech, pieces: Pieces, max_pieces: int = 30) -> Document:
    """A speech as ids.

    Args:
        speech: The speech.
        pieces: Turns words into ids.
        max_pieces: The most pieces of a sentence; the rest of the sentence is truncated.

    Returns:
        Its sentences in order, each a list of ids, without specials at their ends.

    Raises:
        ValueError: If `max_pieces` is below 1.
    """
    if max_pieces < 1:
        raise ValueError(f"max_pieces is {max_pieces}: ask for at least 1")
    return [pieces.encode(sentence)[:max_pieces] for sentence in speech.sentences]


def pad_packed(
    packed: Sequence[tuple[Sequence[int], Sequence[int]]], device: torch.device | str = "cpu"
) -> tuple[Tensor, Tensor, Tensor]:
    """Pads packed sequences to one length.

    Args:
        packed: Tokens and segments of each, of one length.
        device: Where the tensors go.

    Returns:
        The tokens, padded with PAD, the segments, padded with 0, and the mask, True on tokens: each `(B, S)`.

    Raises:
        ValueError: If there are none, or one has more tokens than segments or fewer.
    """
    if not packed:
        raise ValueError("packed is empty: a batch needs at least one sequence")
    for i, (ids, parts) in enumerate(packed):
        if len(ids) != len(parts):
            raise ValueError(f"packed[{i}] has {len(ids)} tokens and {len(parts)} segments: each token has one")
    tokens = pad_sequence([torch.tensor(ids) for ids, _ in packed], batch_first=True, padding_value=PAD)
    segments = pad_sequence([torch.tensor(parts) for _, parts in packed], batch_first=True)
    lengths = torch.tensor([len(ids) for ids, _ in packed])
    mask = torch.arange(tokens.shape[1]) < lengths.unsqueeze(1)  # (B, S)
    return tokens.to(device), segments.to(device), mask.to(device)


@dataclass(frozen=True, slots=True)
class PairBatch:
    """Packed pairs of sentences as padded tensors.

    Attributes:
        tokens: `(B, S)`, with nothing hidden yet.
        segments: `(B, S)`, 0 or 1.
        mask: `(B, S)`, True on tokens.
        is_next: `(B,)`, 1 where the second sentence followed the first, else 0.
    """

    tokens: Tensor
    segments: Tensor
    mask: Tensor
    is_next: Tensor


def pair_batches(
    draw_pairs: Callable[[random.Random], Sequence[Pair]],
    pack: Callable[[list[int], list[int]], tuple[list[int], list[int]]],
    *,
    batch_size: int = 32,
    seed: int = 0,
    device: torch.device | str = "cpu",
) -> Iterator[PairBatch]:
    """Goes through pairs of sentences for ever, drawn anew for each round, with pairs of similar length together.

    Args:
        draw_pairs: Draws the pairs of a round: first, second, and whether the second followed.
        pack: Turns two sentences into the tokens and segments of one sequence.
        batch_size: The most pairs in a batch; the last of a round may have fewer.
        seed: The seed of the pairs and of their order.
        device: Where the tensors go.

    Returns:
        An endless iterator of batches.

    Raises:
        ValueError: If `batch_size` is below 1; when the first batch is asked for, if no pairs are drawn.
    """
    if batch_size < 1:
        raise ValueError(f"batch_size is {batch_size}: ask for at least 1")
    return _rounds(draw_pairs, pack, batch_size, random.Random(seed), device)


def _rounds(
    draw_pairs: Callable[[random.Random], Sequence[Pair]],
    pack: Callable[[list[int], list[int]], tuple[list[int], list[int]]],
    batch_size: int,
    generator: random.Random,
    device: torch.device | str,
) -> Iterator[PairBatch]:
    while True:
        pairs = list(draw_pairs(generator))
        if not pairs:
            raise ValueError("draw_pairs gave no pairs: a round needs at least one")
        generator.shuffle(pairs)
        drawn: list[list[Pair]] = []
        for start in range(0, len(pairs), _POOL * batch_size):
            pool = sorted(pairs[start : start + _POOL * batch_size], key=lambda pair: len(pair[0]) + len(pair[1]))
            drawn.extend(pool[i : i + batch_size] for i in range(0, len(pool), batch_size))
        generator.shuffle(drawn)
        for batch in drawn:
            tokens, segments, mask = pad_packed([pack(first, second) for first, second, _ in batch], device)
            is_next = torch.tensor([int(follows) for *_, follows in batch], device=device)
            yield PairBatch(tokens, segments, mask, is_next)
