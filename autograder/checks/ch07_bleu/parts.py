"""Stand-ins for the parts of BLEU, and sentences of which they count what a check needs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from autograder.asking.draw import Draw
from autograder.asking.probing import MisuseError
from autograder.asking.serialization import kind_of
from autograder.checks.ch07_bleu.words import VOCABULARY

_KNOWN = len(VOCABULARY) // 2
"""How many words stand in the references of a sentence of this module; they are others for each."""
_LONGEST = 5
"""The most words that one of these references has."""

Sentence = tuple[list[str], list[list[str]]]
"""A candidate and its references."""


def _is_sentence(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and all(isinstance(word, str) for word in value)


def _is_list_of_sentences(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and bool(value) and all(_is_sentence(sentence) for sentence in value)


def count(candidate: Any, references: Any, n: Any) -> tuple[int, int]:
    """Stands in for `clipped_precision`: an n-gram matches if its first word is among the first five of any reference, however often.

    Raises:
        MisuseError: It was called otherwise than the exercise promises.
    """
    wanted = "`clipped_precision` takes one candidate (a list of words), its references (a list of sentences) and n"
    if not _is_sentence(candidate):
        raise MisuseError(f"{wanted}; the candidate that your code passed is {_told(candidate)}")
    if not _is_list_of_sentences(references):
        raise MisuseError(f"{wanted}; the references that your code passed are {_told(references)}")
    if isinstance(n, bool) or not isinstance(n, int) or not 1 <= n <= 4:
        raise MisuseError(f"`clipped_precision` was called with n = {n!r:.20}: n goes from 1 to 4")
    known = {word for sentence in references for word in sentence[:_LONGEST]}
    beginnings = candidate[: max(len(candidate) - n + 1, 0)]
    return sum(word in known for word in beginnings), len(beginnings)


@dataclass(frozen=True)
class Penalty:
    """Stands in for `brevity_penalty`: a factor that depends on the words of all candidates, and on those of all references.

    Args:
        strength: How much; with 0 the factor is 1.
    """

    strength: float

    def __call__(self, candidates: Any, references: Any) -> float:
        """The factor.

        Raises:
            MisuseError: It was called otherwise than the exercise promises.
        """
        wanted = "`brevity_penalty` takes a list of candidates, and a list with the references of each candidate"
        if _is_sentence(candidates) and candidates:
            raise MisuseError(f"{wanted}; your code passed a single sentence: put it into a list")
        if not _is_list_of_sentences(candidates):
            raise MisuseError(f"{wanted}; the candidates that your code passed are {_told(candidates)}")
        if not isinstance(references, (list, tuple)) or not all(map(_is_list_of_sentences, references)):
            raise MisuseError(f"{wanted}; the references that your code passed are {_told(references)}")
        if len(candidates) != len(references):
            raise MisuseError(
                f"{wanted}; your code passed {len(candidates)} candidates, but references for {len(references)}"
            )
        c, r = sum(map(len, candidates)), sum(len(sentence) for several in references for sentence in several)
        return 1 / (1 + self.strength * (1 + c) / (1 + r) ** 0.5)


def _told(value: Any) -> str:
    """What a value is, one step into it."""
    if isinstance(value, (list, tuple)) and value and not isinstance(value[0], str):
        return f"{kind_of(value)}, of which the first is {kind_of(value[0])}"
    return kind_of(value)


def sentence(draw: Draw, length: int, *, known: Sequence[int]) -> Sentence:
    """So many words, of which those at these places, and no others, stand in one or the other of two references."""
    words = [VOCABULARY[i] for i in draw.normal(len(VOCABULARY)).argsort().tolist()]
    which, cut = draw.integers(0, _KNOWN, length).tolist(), int(draw.integers(_KNOWN - _LONGEST, _LONGEST + 1))
    candidate = [words[i if place in known else _KNOWN + i] for place, i in enumerate(which)]
    return candidate, [words[:cut], words[cut:_KNOWN]]


def counts(sentences: Sequence[Any], several: Sequence[Any]) -> Tensor:
    """The matches and totals of each n that the stand-in counts in all sentences together, (4, 2)."""
    pairs = list(zip(sentences, several, strict=True))
    return torch.tensor([[count(words, others, n) for n in range(1, 5)] for words, others in pairs]).sum(dim=0)


def stand_ins(penalty: Penalty) -> tuple[Callable[..., tuple[int, int]], Callable[..., float]]:
    """The two stand-ins as plain functions."""

    def clipped_precision(candidate: Any, references: Any, n: Any) -> tuple[int, int]:
        return count(candidate, references, n)

    def brevity_penalty(candidates: Any, references: Any) -> float:
        return penalty(candidates, references)

    return clipped_precision, brevity_penalty
