"""Repetition in what language models write: texts that loop, and phrases that are said again and again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch
from torch import Tensor

from seqlab.presidents import NUMBER, load_speeches, sentences_of

LAST_YEAR = 1930
"""The models of word pieces have read no later speeches, so the test sentences are no later either."""
_LEAST_SPAN = 3
_LEAST_SENTENCE = 12

Words = Sequence[str]


def loops(words: Sequence[Any], times: int = 2) -> bool:
    """Whether three words or more occur so many times in a row.

    Args:
        words: The words of a text.
        times: How many times they have to occur.
    """
    for span in range(_LEAST_SPAN, len(words) // times + 1):
        run = 0
        for word, later in zip(words, words[span:], strict=False):
            run = run + 1 if word == later else 0
            if run == span * (times - 1):
                return True
    return False


def count_loops(firsts: Sequence[Words], seconds: Sequence[Words]) -> dict[str, Any]:
    """How many texts loop, each of which is given as its two halves.

    Args:
        firsts: The words of the first half of each text.
        seconds: Those of the second half.

    Returns:
        The number of `texts`; the shares that say something `twice` and `thrice` in a row, in percent; how many are `caught`, because their first
        half says something thrice in a row; and the share of these whose second half says something twice in a row `again`.
    """
    whole = [(*first, *second) for first, second in zip(firsts, seconds, strict=True)]
    caught = [second for first, second in zip(firsts, seconds, strict=True) if loops(first, 3)]
    return {
        "texts": len(whole),
        "twice": _share(loops(words, 2) for words in whole),
        "thrice": _share(loops(words, 3) for words in whole),
        "caught": len(caught),
        "again": _share(loops(second, 2) for second in caught),
    }


def beginnings(number: int, words: int) -> list[Words]:
    """The first words of sentences from the test speeches, over which they are spread evenly.

    Args:
        number: How many beginnings.
        words: How many words each has.
    """
    return [sentence[:words] for sentence in _spread(_test_sentences(), number)]


def phrases(number: int, words: int, encode: Callable[[Words], list[int]]) -> Tensor:
    """The tokens of different phrases that begin test sentences, where each word is one token.

    Args:
        number: How many phrases.
        words: How many words each has.
        encode: Turns words into tokens.

    Returns:
        Shape (number, words).
    """
    starts = dict.fromkeys(sentence[:words] for sentence in _test_sentences())
    encoded = (encode(start) for start in starts if all(word.isalpha() for word in start))
    return torch.tensor(_spread([tokens for tokens in encoded if len(tokens) == words], number))


def said_again(
    log_probs_of: Callable[[Tensor], Tensor], phrases: Tensor, joint: Sequence[int], rounds: int
) -> tuple[Tensor, Tensor]:
    """How probable phrases are after they have been said, and after other phrases.

    Args:
        log_probs_of: Takes tokens (N, T), returns the log-probability of each after those before it, (N, T).
        phrases: Their tokens, (N, n).
        joint: The tokens between a phrase and the next.
        rounds: How many phrases follow each other, R.

    Returns:
        The mean log-probability of a phrase's tokens, (N, R) each: after the same phrase 0 to R - 1 times, and in the same place after as
        many others, all of which differ.
    """
    size, shift = phrases.shape[1], len(phrases) // rounds
    between = torch.tensor(joint).expand(len(phrases), rounds, -1)
    same = phrases.unsqueeze(1).expand(-1, rounds, -1)  # (N, R, n)
    others = torch.stack([phrases.roll(-shift * r, 0) for r in range(rounds)], dim=1)
    means = []
    for rows in (same, others):
        tokens = torch.cat([rows, between], dim=2)  # (N, R, n + J)
        means.append(log_probs_of(tokens.flatten(1)).view(tokens.shape)[..., :size].mean(dim=2))
    by_phrase = [means[1][:, r].roll(shift * r, 0) for r in range(rounds)]
    return means[0], torch.stack(by_phrase, dim=1)


def summary(same: Tensor, others: Tensor) -> dict[str, Any]:
    """What the chapter says of `said_again`'s two results: by round, over the phrases.

    Args:
        same: After the same phrase, (N, R).
        others: After others, (N, R).

    Returns:
        The number of `phrases`; by round the means of both, the mean `gain` of the first over the second with its standard error, and the share
        of phrases with a `gain` above zero, in percent; by round but the first, the share of phrases that `rise` over the round before; and
        the share that rises `always`.
    """
    gain, rises = same - others, same.diff(dim=1) > 0
    return {
        "phrases": len(same),
        "same": _rounded(same.mean(dim=0)),
        "others": _rounded(others.mean(dim=0)),
        "gain": _rounded(gain.mean(dim=0)),
        "error": _rounded(gain.std(dim=0) / len(gain) ** 0.5),
        "more": _rounded(100 * (gain > 0).float().mean(dim=0)),
        "rise": _rounded(100 * rises.float().mean(dim=0)),
        "always": round(100 * rises.all(dim=1).float().mean().item(), 2),
    }


def _share(hits: Iterable[bool]) -> float:
    """Of how many, in percent; 0 of none."""
    found = list(hits)
    return round(100 * sum(found) / max(len(found), 1), 2)


def _rounded(values: Tensor) -> list[float]:
    return [round(value, 4) for value in values.tolist()]


def _test_sentences() -> list[Words]:
    """The longer sentences of the test speeches, without those that contain numbers in digits."""
    speeches = [speech for speech in load_speeches().test if speech.year <= LAST_YEAR]
    return [words for words in sentences_of(speeches) if len(words) >= _LEAST_SENTENCE and NUMBER not in words]


def _spread(found: list[Any], number: int) -> list[Any]:
    return [found[i * len(found) // number] for i in range(number)]
