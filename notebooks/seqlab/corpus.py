"""The translation corpus: English sentences, French ones, and the links between their words.

It is drawn from the grammar, so that nothing is downloaded, the same seed always gives the same sentences, and every
pair comes with its gold alignment. What the chapters ask for was drawn once and is read from a file. The environment variable ``SEQLAB_CORPUS`` names a
corpus of the reader's own to be used instead; its pairs have no links.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from seqlab.grammar import Pair
from seqlab.own_corpus import name_of, own_pairs
from seqlab.pair_file import read_pairs
from seqlab.sampler import draw_pair
from seqlab.stored import FOLDER

__all__ = [
    "BOS",
    "EOS",
    "PAD",
    "UNK",
    "Batch",
    "Corpus",
    "Pair",
    "Vocabulary",
    "batches",
    "load_corpus",
    "make_batch",
    "own_corpus",
]

PAD, BOS, EOS, UNK = 0, 1, 2, 3
SPECIALS = ("<pad>", "<bos>", "<eos>", "<unk>")


class Vocabulary:
    """The words of one language and their ids; the most frequent come first, after the four special ones.

    Attributes:
        words: The words by id.
    """

    def __init__(self, sentences: Iterable[Iterable[str]], *, at_least: int = 1, at_most: int | None = None) -> None:
        """Collects the words of some sentences.

        Args:
            sentences: Sentences as sequences of words.
            at_least: How often a word must occur to be taken.
            at_most: The most words to take, the most frequent ones; all of them if None.
        """
        counts = Counter(word for sentence in sentences for word in sentence)
        words = sorted((w for w in counts if counts[w] >= at_least), key=lambda word: (-counts[word], word))
        self.words = [*SPECIALS, *words[:at_most]]
        self._ids = {word: i for i, word in enumerate(self.words)}

    def __len__(self) -> int:
        """Returns the number of words, the specials among them."""
        return len(self.words)

    def encode(self, words: Iterable[str]) -> list[int]:
        """Turns words into ids.

        Args:
            words: The words of a sentence.

        Returns:
            Their ids, UNK for an unknown word; nothing is added at either end.
        """
        return [self._ids.get(word, UNK) for word in words]

    def decode(self, ids: Iterable[int] | Tensor) -> list[str]:
        """Turns ids into words.

        Args:
            ids: The ids of a sentence.

        Returns:
            Its words up to the first EOS, without PAD and BOS.

        Raises:
            ValueError: If an id is not in the vocabulary.
        """
        words = []
        for i in map(int, ids):
            if i == EOS:
                break
            if not 0 <= i < len(self.words):
                raise ValueError(f"id {i} is not in the vocabulary: ids go from 0 to {len(self.words) - 1}")
            if i not in (PAD, BOS):
                words.append(self.words[i])
        return words


@dataclass(frozen=True, slots=True)
class Corpus:
    """Three sets of pairs that share no sentence, and the vocabularies of the first.

    Attributes:
        train: The pairs to learn from.
        valid: The pairs to choose models by.
        test: The pairs to judge them by.
        source_vocab: The English words (or those of the reader's own source language).
        target_vocab: The French words.
        has_links: Whether the pairs come with gold links.
        name: What to call the corpus in messages and plots.
    """

    train: tuple[Pair, ...]
    valid: tuple[Pair, ...]
    test: tuple[Pair, ...]
    source_vocab: Vocabulary
    target_vocab: Vocabulary
    has_links: bool
    name: str


@dataclass(frozen=True, slots=True)
class Batch:
    """Pairs as padded tensors.

    Attributes:
        source: English word ids `(B, S)`, PAD on the right; no BOS, no EOS.
        source_mask: `(B, S)`, True on words.
        source_lengths: `(B,)`.
        target_in: What the decoder reads, `(B, T)`: BOS and the French words.
        target_out: What it should say, `(B, T)`: the French words and EOS.
        target_mask: `(B, T)`, True where `target_out` is a word or EOS.
        pairs: The pairs themselves.
    """

    source: Tensor
    source_mask: Tensor
    source_lengths: Tensor
    target_in: Tensor
    target_out: Tensor
    target_mask: Tensor
    pairs: tuple[Pair, ...]

    def to(self, device: torch.device | str) -> Batch:
        """Returns the batch with its tensors on a device.

        Args:
            device: Where the tensors go.
        """
        return Batch(
            self.source.to(device),
            self.source_mask.to(device),
            self.source_lengths.to(device),
            self.target_in.to(device),
            self.target_out.to(device),
            self.target_mask.to(device),
            self.pairs,
        )


_OWN_LEAST = 20
"""The fewest pairs of a corpus of the reader's own."""
_OWN_WORDS = {"at_least": 2, "at_most": 10_000}
"""The words of such a corpus that are not UNK."""


def load_corpus(
    *, seed: int = 0, train: int = 20_000, valid: int = 500, test: int = 1_000, max_words: int = 40
) -> Corpus:
    """Draws a corpus from the grammar, or reads the one that ``SEQLAB_CORPUS`` names.

    No English sentence of the grammar occurs twice, and neither the source nor the target sentence of a pair in
    `valid` or `test` occurs in another set.

    ``SEQLAB_CORPUS`` is two aligned plain-text files with a comma between them ("train.en,train.fr"), one
    tab-separated file (source, target, and anything after them), or two languages of `seqlab.verses` ("verses:en-de"). Of such a corpus the sizes are upper limits:
    `valid` and `test` get a tenth of the pairs each at most. Its words are those that occur twice in training.

    Args:
        seed: The seed that determines the corpus.
        train: The number of pairs to learn from.
        valid: The number of pairs to choose models by.
        test: The number of pairs to judge them by.
        max_words: The largest number of words in an English sentence, including the full stop; in the reader's own
            pairs, on both sides.

    Returns:
        The corpus.

    Raises:
        ValueError: If a size is negative, `train` is 0, the grammar has too few sentences of `max_words`, or
            the reader's corpus cannot be read or is too small.
    """
    for name, size, least in (("train", train, 1), ("valid", valid, 0), ("test", test, 0)):
        if size < least:
            raise ValueError(f"{name} is {size}: ask for at least {least}")
    location = os.environ.get("SEQLAB_CORPUS", "").strip()
    if location:
        return own_corpus(location, seed=seed, train=train, valid=valid, test=test, max_words=max_words)
    generator = random.Random(seed)
    file = stored_corpus(seed, train, valid, test, max_words)
    pairs = read_pairs(file) if file.is_file() else draw_pairs(generator, train, valid + test, max_words)
    held_out, learnt = pairs[: valid + test], pairs[valid + test :]
    return Corpus(
        train=tuple(learnt),
        valid=tuple(held_out[:valid]),
        test=tuple(held_out[valid:]),
        source_vocab=Vocabulary(pair.source for pair in learnt),
        target_vocab=Vocabulary(pair.target for pair in learnt),
        has_links=True,
        name="grammar",
    )


def stored_corpus(seed: int, train: int, valid: int, test: int, max_words: int) -> Path:
    """Where a corpus lies that was drawn with these arguments of `load_corpus`, if it is one of the chapters'."""
    return FOLDER / f"corpus-{seed}-{train}-{valid}-{test}-{max_words}.xz"


def draw_pairs(generator: random.Random, train: int, held_out: int, max_words: int) -> list[Pair]:
    """Draws the pairs of a corpus from the grammar.

    Args:
        generator: What they are drawn with.
        train: The number of pairs to learn from.
        held_out: The number of pairs to choose models by and to judge them by.
        max_words: The largest number of words in an English sentence.

    Returns:
        Those that are held out, and after them those to learn from.

    Raises:
        ValueError: If the grammar has too few sentences of `max_words`.
    """
    first = _draw(generator, held_out, max_words, set(), set(), repeat_target=False)
    sources, targets = {pair.source for pair in first}, {pair.target for pair in first}
    return first + _draw(generator, train, max_words, sources, targets, repeat_target=True)


def own_corpus(location: str, *, seed: int, train: int, valid: int, test: int, max_words: int) -> Corpus:
    """Reads a corpus that is not the grammar's.

    Args:
        location: What ``SEQLAB_CORPUS`` may name.
        seed: The seed that decides which pairs are in which set.
        train: The most pairs to learn from.
        valid: The most pairs to choose models by.
        test: The most pairs to judge them by.
        max_words: The most words on either side.

    Returns:
        The corpus.

    Raises:
        ValueError: If it cannot be read, or is too small.
    """
    generator = random.Random(seed)
    groups = own_pairs(location, max_words)
    size = sum(map(len, groups))
    if size < _OWN_LEAST:
        raise ValueError(
            f"SEQLAB_CORPUS ({location}) has {size} different pairs of at most {max_words} words: "
            f"a corpus needs at least {_OWN_LEAST}; add pairs, or ask for more words"
        )
    generator.shuffle(groups)
    valid, test = (min(most, size // 10) for most in (valid, test))
    held_out: list[Pair] = []
    sources: set[tuple[str, ...]] = set()
    targets: set[tuple[str, ...]] = set()
    rest = iter(groups)
    while len(held_out) < valid + test and (group := next(rest, None)):
        for pair in group:
            if pair.source not in sources and pair.target not in targets:
                held_out.append(pair)
                sources.add(pair.source)
                targets.add(pair.target)
    others = [pair for group in rest for pair in group]
    generator.shuffle(others)
    learnt = [pair for pair in others if pair.source not in sources and pair.target not in targets][:train]
    if not learnt or len(held_out) < valid + test:
        raise ValueError(
            f"SEQLAB_CORPUS ({location}) repeats so many sentences that it cannot be split into sets that share "
            "none: add pairs with other sentences"
        )
    return Corpus(
        train=tuple(learnt),
        valid=tuple(held_out[:valid]),
        test=tuple(held_out[valid : valid + test]),
        source_vocab=Vocabulary((pair.source for pair in learnt), **_OWN_WORDS),
        target_vocab=Vocabulary((pair.target for pair in learnt), **_OWN_WORDS),
        has_links=False,
        name=name_of(location),
    )


_MOST_FAILURES = 1_000
"""Draws in a row without a new sentence before the grammar counts as exhausted."""


def _draw(
    generator: random.Random,
    size: int,
    max_words: int,
    sources: set[tuple[str, ...]],
    targets: set[tuple[str, ...]],
    *,
    repeat_target: bool,
) -> list[Pair]:
    """Draws pairs with new English sentences, and none of the French sentences in `targets`."""
    sources, targets = set(sources), set(targets)
    pairs: list[Pair] = []
    failures = 0
    while len(pairs) < size:
        pair = draw_pair(generator, max_words)
        if pair.source in sources or pair.target in targets:
            failures += 1
            if failures == _MOST_FAILURES:
                raise ValueError(
                    f"the grammar has too few sentences of at most {max_words} words: "
                    f"{len(pairs)} of {size} drawn; ask for fewer pairs or more words"
                )
            continue
        failures = 0
        pairs.append(pair)
        sources.add(pair.source)
        if not repeat_target:
            targets.add(pair.target)
    return pairs


def make_batch(pairs: Sequence[Pair], corpus: Corpus, device: torch.device | str = "cpu") -> Batch:
    """Turns pairs into a batch.

    Args:
        pairs: The pairs, at least one.
        corpus: The corpus with the vocabularies.
        device: Where the tensors go.

    Returns:
        The batch, as wide as its longest sentences.

    Raises:
        ValueError: If there are no pairs, or a sentence is empty.
    """
    if not pairs:
        raise ValueError("pairs is empty: a batch needs at least one pair")
    if not all(pair.source and pair.target for pair in pairs):
        raise ValueError("a pair has an empty sentence: every sentence needs at least one word")
    sources = [torch.tensor(corpus.source_vocab.encode(pair.source)) for pair in pairs]
    targets = [corpus.target_vocab.encode(pair.target) for pair in pairs]
    lengths = torch.tensor([len(source) for source in sources])
    target_lengths = torch.tensor([len(target) + 1 for target in targets])
    source = _pad(sources)  # (B, S)
    target_in = _pad([torch.tensor([BOS, *target]) for target in targets])  # (B, T)
    target_out = _pad([torch.tensor([*target, EOS]) for target in targets])  # (B, T)
    return Batch(
        source=source,
        source_mask=torch.arange(source.shape[1]) < lengths.unsqueeze(1),
        source_lengths=lengths,
        target_in=target_in,
        target_out=target_out,
        target_mask=torch.arange(target_out.shape[1]) < target_lengths.unsqueeze(1),
        pairs=tuple(pairs),
    ).to(device)


def _pad(sequences: list[Tensor]) -> Tensor:
    return pad_sequence(sequences, batch_first=True, padding_value=PAD)


def batches(
    pairs: Sequence[Pair],
    corpus: Corpus,
    *,
    batch_size: int = 64,
    seed: int = 0,
    device: torch.device | str = "cpu",
) -> Iterator[Batch]:
    """Goes through pairs for ever, in a new order each time, with pairs of similar length together.

    Padding costs time, so the pairs are shuffled, cut into pools of about 50 batches, and sorted by length within a
    pool; then the batches are shuffled. Each pair occurs once per round.

    Args:
        pairs: The pairs.
        corpus: The corpus with the vocabularies.
        batch_size: The most pairs in a batch; one of each round may have fewer.
        seed: The seed of the order.
        device: Where the tensors go.

    Returns:
        An endless iterator of batches.

    Raises:
        ValueError: If there are no pairs, or `batch_size` is below 1.
    """
    if not pairs:
        raise ValueError("pairs is empty: batches need at least one pair")
    if batch_size < 1:
        raise ValueError(f"batch_size is {batch_size}: ask for at least 1")
    return _rounds(list(pairs), corpus, batch_size, random.Random(seed), device)


_POOL = 50
"""The batches of a pool, within which pairs are sorted by length."""


def _rounds(
    pairs: list[Pair], corpus: Corpus, batch_size: int, generator: random.Random, device: torch.device | str
) -> Iterator[Batch]:
    while True:
        generator.shuffle(pairs)
        drawn: list[list[Pair]] = []
        for start in range(0, len(pairs), _POOL * batch_size):
            pool = pairs[start : start + _POOL * batch_size]
            pool.sort(key=lambda pair: (len(pair.source), len(pair.target)))
            drawn.extend(pool[i : i + batch_size] for i in range(0, len(pool), batch_size))
        generator.shuffle(drawn)
        for batch in drawn:
            yield make_batch(batch, corpus, device)
