"""Bits per character: one measure for language models with different vocabularies, on the same held-out sentences.

A model of whole words calls every rare word <unk>, and pays nothing for its letters. So that all models pay for the same
text, an unknown word here also costs what a model of letters, estimated from the rare words of the training speeches, needs to spell it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from math import log

import torch
from torch import Tensor

from seqlab.corpus import UNK
from seqlab.gpt import GPT
from seqlab.kneser_ney import KneserNey
from seqlab.language_model import LanguageModel, word_log_probs
from seqlab.presidents import NUMBER, Speeches, load_speeches, sentences_of

_LETTERS = 4
"""The order of the model of letters."""

Sentence = tuple[str, ...]
Next = Callable[[Tensor], Tensor]
"""Takes tokens (B, T), returns logits (B, T, V)."""


@cache
def all_speeches() -> Speeches:
    """The speeches, read once per process."""
    return load_speeches()


def held_out(number: int) -> list[Sentence]:
    """Sentences of the test speeches, evenly spread over them; none has a number, which our models do not read as digits.

    Args:
        number: How many.
    """
    sentences = [words for words in sentences_of(all_speeches().test) if NUMBER not in words]
    return [sentences[i * len(sentences) // number] for i in range(number)]


def text_of(words: Sentence) -> str:
    """A sentence as the models of this course read it: lower case, with a space before each mark."""
    return " ".join(words)


def as_printed(words: Sentence) -> str:
    """A sentence closer to print: a capital at its beginning, and no space before a mark."""
    text = words[0].capitalize()
    for word in words[1:]:
        text += word if word in ".,;:?!%" else " I" if word == "i" else f" {word}"
    return text


def characters(sentences: Sequence[Sentence]) -> int:
    """The length of the sentences as our models read them, by which the bits of every model are divided."""
    return sum(len(text_of(words)) for words in sentences)


@cache
def _speller() -> KneserNey:
    """A model of the letters of words that the vocabulary does not have."""
    speeches = all_speeches()
    rare = {w for words in sentences_of(speeches.train) for w in words if speeches.vocab.encode([w]) == [UNK]}
    return KneserNey([tuple(word) for word in sorted(rare)], _LETTERS, vocab_size=64)


def spelling_bits(words: Sentence) -> float:
    """What it costs to spell the unknown words of a sentence."""
    vocab = all_speeches().vocab
    unknown = [word for word in words if vocab.encode([word]) == [UNK]]
    return -sum(sum(_speller().log_probs(tuple(word))) for word in unknown) / log(2)


def bits_of_words(model: LanguageModel | GPT, sentences: list[Sentence]) -> list[float]:
    """The bits of each sentence by a model of words; the end of a sentence is not counted.

    Args:
        model: A trained model of this course.
        sentences: What it is measured on.
    """
    log_probs, _ = word_log_probs(model, sentences, all_speeches().vocab)  # type: ignore[arg-type]
    return [
        -row[: len(words)].sum().item() / log(2) + spelling_bits(words)
        for row, words in zip(log_probs, sentences, strict=True)
    ]


def bits_of_counts(model: KneserNey, sentences: list[Sentence]) -> list[float]:
    """The bits of each sentence by an n-gram model of words; the end of a sentence is not counted.

    Args:
        model: Counted on sentences in which rare words are "<unk>".
        sentences: What it is measured on.
    """
    vocab = all_speeches().vocab
    known = [tuple("<unk>" if vocab.encode([word]) == [UNK] else word for word in words) for words in sentences]
    return [
        -sum(model.log_probs(read)[:-1]) / log(2) + spelling_bits(words)
        for read, words in zip(known, sentences, strict=True)
    ]


@torch.no_grad()
def bits_of_tokens(
    model: Next, encode: Callable[[str], list[int]], texts: Sequence[str], first: int, batch: int = 8
) -> list[float]:
    """The bits of each of some texts by a model of tokens, each text on its own.

    Args:
        model: Predicts the next tokens.
        encode: Turns a text into tokens.
        texts: The texts.
        first: The token that comes before each text.
        batch: How many texts are read at once.
    """
    rows = [[first, *encode(text)] for text in texts]
    order = sorted(range(len(rows)), key=lambda i: len(rows[i]))
    bits = [0.0] * len(rows)
    for start in range(0, len(rows), batch):
        places = order[start : start + batch]
        some = [rows[i] for i in places]
        longest = len(some[-1])
        tokens = torch.tensor(
            [row + [first] * (longest - len(row)) for row in some]
        )  # causal: what follows does no harm
        log_probs = model(tokens[:, :-1]).log_softmax(dim=-1).gather(2, tokens[:, 1:, None])[..., 0]
        for i, found, row in zip(places, log_probs, some, strict=True):
            bits[i] = -found[: len(row) - 1].sum().item() / log(2)
    return bits
