"""Inputs small enough to do by hand, for questions about a reader's code."""

from collections.abc import Sequence

from torch import Tensor

from autograder.asking.draw import Draw
from autograder.questions.given import Given, Stand, whole


def _words(draw: Draw, length: int) -> list[str]:
    return ["abc"[number] for number in draw.integers(0, 3, length).tolist()]


def clipped_precision(draw: Draw) -> Given:
    """A candidate of four words, and two references."""
    references = [_words(draw, int(length)) for length in draw.integers(2, 6, 2)]
    return Given({"candidate": _words(draw, 5), "references": references, "n": int(draw.integers(1, 3))})


def brevity_penalty(draw: Draw) -> Given:
    """Two candidates, with two references each."""
    lengths = draw.integers(1, 6, 2, 3).tolist()
    candidates, references = [["a"] * row[0] for row in lengths], [[["a"] * n for n in row[1:]] for row in lengths]
    return Given({"candidates": candidates, "references": references})


def _parts(draw: Draw, zero_from: int) -> dict[str, Stand]:
    start = int(draw.integers(5, 8))

    def counts(candidate: Sequence[str], references: Sequence[Sequence[str]], n: int) -> tuple[int, int]:
        return max(zero_from - n, 0), start - n

    told = f"returns ({zero_from} - n, {start} - n), but nothing below 0"
    penalty = int(draw.integers(1, 5)) / 4
    return {
        "clipped_precision": Stand(counts, told),
        "brevity_penalty": Stand(lambda candidates, references: penalty, f"returns {penalty}"),
    }


def corpus_bleu(draw: Draw) -> Given:
    """Counts that depend on n alone."""
    return Given(
        {"candidates": [["a"], ["b"]], "references": [[["a"]], [["b"]]], **_parts(draw, int(draw.integers(4, 6)))}
    )


def sentence_bleu(draw: Draw) -> Given:
    """Counts that depend on n alone, without matches for a large n."""
    return Given({"candidate": ["a", "b"], "references": [["a", "c"]], **_parts(draw, int(draw.integers(2, 5)))})


def paired_bootstrap(draw: Draw) -> Given:
    """Three sentences and a single count of each."""

    def score(sums: Tensor) -> Tensor:
        return 10 * sums[..., 0]

    first, second = whole(draw, 3, 1, low=0, high=5), whole(draw, 3, 1, low=0, high=5)
    told = "returns 10 times the first of the K sums"
    return Given({"first": first, "second": second, "indices": draw.integers(0, 3, 4, 3), "score": Stand(score, told)})
