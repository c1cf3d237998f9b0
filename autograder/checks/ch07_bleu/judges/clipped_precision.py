"""What is right about `clipped_precision`, and what is said when it is not."""

from collections import Counter
from collections.abc import Callable
from typing import Any

from autograder.checks.ch07_bleu.probes import clipped_precision as probes
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_COUNT = "the candidate's n-grams are counted: those in the reference, and all of them"
_CLIPPED = "an n-gram counts no more often than it occurs in the reference"
_SEVERAL = "with several references, an n-gram may count as often as it occurs in any one of them"

Words = list[str]
Mistake = Callable[[Words, list[Words], int], tuple[int, int]]


def _ngrams(words: Words, n: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))


def _in_any(references: list[Words], n: int) -> set[tuple[str, ...]]:
    return {ngram for reference in references for ngram in _ngrams(reference, n)}


def _matches(counts: Counter[tuple[str, ...]], limits: Counter[tuple[str, ...]]) -> int:
    return (counts & limits).total()


def _limits(references: list[Words], n: int) -> Counter[tuple[str, ...]]:
    """The most times that each n-gram stands in any reference."""
    limits: Counter[tuple[str, ...]] = Counter()
    for reference in references:
        limits |= _ngrams(reference, n)
    return limits


def _right(words: Words, references: list[Words], n: int) -> tuple[int, int]:
    counts = _ngrams(words, n)
    return _matches(counts, _limits(references, n)), counts.total()


def _unclipped(words: Words, references: list[Words], n: int) -> tuple[int, int]:
    counts, found = _ngrams(words, n), _in_any(references, n)
    return sum(count for ngram, count in counts.items() if ngram in found), counts.total()


def _different(words: Words, references: list[Words], n: int) -> tuple[int, int]:
    counts = _ngrams(words, n)
    return len(counts.keys() & _in_any(references, n)), len(counts)


def _different_of_all(words: Words, references: list[Words], n: int) -> tuple[int, int]:
    return _different(words, references, n)[0], _ngrams(words, n).total()


def _summed(words: Words, references: list[Words], n: int) -> tuple[int, int]:
    counts = _ngrams(words, n)
    limits = sum((_ngrams(reference, n) for reference in references), Counter())
    return _matches(counts, limits), counts.total()


def _least(words: Words, references: list[Words], n: int) -> tuple[int, int]:
    counts = _ngrams(words, n)
    limits = _ngrams(references[0], n)
    for reference in references[1:]:
        limits &= _ngrams(reference, n)
    return _matches(counts, limits), counts.total()


def _one_after_the_other(words: Words, references: list[Words], n: int) -> tuple[int, int]:
    counts = _ngrams(words, n)
    joined = [word for reference in references for word in reference]
    return _matches(counts, _ngrams(joined, n)), counts.total()


def _of_single(pick: Callable[[list[int]], int]) -> Mistake:
    """A number of matches picked from those with each reference alone."""

    def counted(words: Words, references: list[Words], n: int) -> tuple[int, int]:
        counts = _ngrams(words, n)
        return pick([_matches(counts, _ngrams(reference, n)) for reference in references]), counts.total()

    return counted


def _closest(words: Words, references: list[Words], n: int) -> tuple[int, int]:
    """The matches with the reference whose length is closest alone."""
    reference = min(references, key=lambda other: (abs(len(other) - len(words)), len(other)))
    counts = _ngrams(words, n)
    return _matches(counts, _ngrams(reference, n)), counts.total()


def _judged(got: Any, want: Any, mistakes: dict[str, Mistake]) -> Verdict:
    """The counts against the right ones, and against what each mistake makes of the cases."""
    if got["counts"] == want["counts"]:
        return passed()
    cases = [(words.split(), [other.split() for other in references], n) for words, references, n in want["cases"]]
    for message, counted in mistakes.items():
        if all(mine == list(counted(*case)) for mine, case in zip(got["counts"], cases, strict=True)):
            return failed(message)
    first = next(i for i, (mine, right) in enumerate(zip(got["counts"], want["counts"], strict=True)) if mine != right)
    words, references, n = want["cases"][first]
    told = f"“{words}” against “{'”, “'.join(references)}”, n = {n}"
    return failed(f"{told:.250}: came back {tuple(got['counts'][first])}, expected {tuple(want['counts'][first])}")


@judge(
    _COUNT,
    probe=probes.without_repetition,
    points=1,
    hint="A sentence of L words has L - n + 1 n-grams, if it has any: they begin at positions 0, 1, …, L - n. Count those of the candidate, "
    "and look each one up among those of the reference.",
)
def counted(got: Any, want: Any) -> Verdict:
    """No n-gram stands twice, and there is one reference."""

    def total_of(below: Callable[[Words, Words, int], int]) -> Mistake:
        return lambda words, references, n: (_right(words, references, n)[0], below(words, references[0], n))

    def shortened(words: Words, references: list[Words], n: int) -> tuple[int, int]:
        return _right(words[:-1], [reference[:-1] for reference in references], n)

    def in_text(words: Words, references: list[Words], n: int) -> tuple[int, int]:
        text = " ".join(references[0])
        return sum(" ".join(ngram) in text for ngram in _ngrams(words, n)), _ngrams(words, n).total()

    mistakes: dict[str, Mistake] = {
        "n-grams were searched for in the text of the reference, letter by letter: “a” is in “la”, but not as a word": in_text,
        "the two numbers are in the wrong order: expected the matches first, and then all n-grams": (
            lambda words, references, n: _right(words, references, n)[::-1]
        ),
        "the second number counts the n-grams of the reference, which would give a recall; expected those of the candidate": total_of(
            lambda words, reference, n: len(reference) - n + 1
        ),
        "the second number is the number of words, expected the number of n-grams": total_of(
            lambda words, reference, n: len(words)
        ),
        "the last n-gram of a sentence is missing: it begins at position L - n": shortened,
        "the second number is one too small": total_of(lambda words, reference, n: len(words) - n),
        "single words were counted, whatever n is": lambda words, references, n: _right(words, references, 1),
        "the second number counts only the n-grams that do not match, expected all of them": (
            lambda words, references, n: (
                _right(words, references, n)[0],
                _right(words, references, n)[1] - _right(words, references, n)[0],
            )
        ),
        "n-grams of all lengths up to n were counted together, expected only those of n words": lambda words, references, n: (
            sum(_right(words, references, m)[0] for m in range(1, n + 1)),
            sum(_right(words, references, m)[1] for m in range(1, n + 1)),
        ),
    }
    return _judged(got, want, mistakes)


@judge(
    _CLIPPED,
    probe=probes.repeated,
    points=2,
    needs=(_COUNT,),
    hint="Suppose an n-gram occurs c times in the candidate and m times in the reference. How often may it count as a match? In the total, "
    "all c of them count.",
)
def clipped(got: Any, want: Any) -> Verdict:
    """Repeated n-grams, with one reference."""

    def of_the_reference(words: Words, references: list[Words], n: int) -> tuple[int, int]:
        counts, limits = _ngrams(words, n), _limits(references, n)
        return sum(limits[ngram] for ngram in counts), counts.total()

    def reference_of_each(words: Words, references: list[Words], n: int) -> tuple[int, int]:
        counts, limits = _ngrams(words, n), _limits(references, n)
        return sum(limits[ngram] * count for ngram, count in counts.items()), counts.total()

    mistakes: dict[str, Mistake] = {
        "nothing is clipped: an n-gram that occurs once in the reference counts every time that it occurs in the candidate": _unclipped,
        "an n-gram counts once, however often both sentences contain it: only distinct n-grams were counted": _different_of_all,
        "both numbers count distinct n-grams, expected each n-gram as often as it occurs": _different,
        "the second number counts distinct n-grams, expected each n-gram as often as it occurs in the candidate": (
            lambda words, references, n: (_right(words, references, n)[0], len(_ngrams(words, n)))
        ),
        "an n-gram counts as often as it occurs in the reference, even where it occurs less often in the candidate": of_the_reference,
        "the candidate's and the reference's counts of an n-gram were multiplied, expected the smaller of the two": (
            reference_of_each
        ),
    }
    return _judged(got, want, mistakes)


@judge(
    _SEVERAL,
    probe=probes.several,
    points=2,
    needs=(_COUNT, _CLIPPED),
    hint="Take each n-gram separately: how often does it occur in each reference? A translator who wrote one of the "
    "references could have used it at most that often.",
)
def several(got: Any, want: Any) -> Verdict:
    """Three references."""
    mistakes: dict[str, Mistake] = {
        "the counts of the references were added up, expected the largest of them: three references that each have “le” once do not "
        "allow it three times": _summed,
        "the references were joined into one: their counts add up, and new n-grams arise where one ends and the next "
        "begins": (_one_after_the_other),
        "the smallest count over the references was taken, expected the largest": _least,
        "only the first reference was used": lambda words, references, n: _right(words, references[:1], n),
        "only the last reference was used": lambda words, references, n: _right(words, references[-1:], n),
        "only the longest reference was used": lambda words, references, n: _right(
            words, [max(references, key=len)], n
        ),
        "only the reference with the closest length was used": _closest,
        "the best single reference was used for all n-grams, expected the largest count of each n-gram, whichever reference it is in": (
            _of_single(max)
        ),
        "the matches with each reference were added up": _of_single(sum),
        "nothing is clipped once an n-gram is in any reference": _unclipped,
    }
    return _judged(got, want, mistakes)


@judge(
    "a sentence may have fewer than n words, or none",
    probe=probes.short,
    points=1,
    hidden=True,
    needs=(_COUNT, _CLIPPED, _SEVERAL),
    hint="A candidate of two words has no trigram, so both numbers are 0. range() of a negative number is empty, but the formula "
    "L - n + 1 can become negative.",
)
def short(got: Any, want: Any) -> Verdict:
    """Candidates and references that are too short."""
    return _judged(got, want, {})


@judge(
    "words are compared as whole words, exactly as they are",
    probe=probes.whole_words,
    points=1,
    hidden=True,
    needs=(_COUNT, _CLIPPED),
    hint="For BLEU, “Le” and “le” are different words, and “a bc” and “ab c” are different n-grams. Keep the words of an n-gram apart, in a "
    "tuple, and do not change any letter.",
)
def whole_words(got: Any, want: Any) -> Verdict:
    """Words that are alike."""

    def lower(words: Words, references: list[Words], n: int) -> tuple[int, int]:
        return _right([w.lower() for w in words], [[w.lower() for w in other] for other in references], n)

    def run_together(words: Words, references: list[Words], n: int) -> tuple[int, int]:
        counts = Counter(["".join(ngram) for ngram in _ngrams(words, n).elements()])
        limits = Counter(["".join(ngram) for ngram in _ngrams(references[0], n).elements()])
        return (counts & limits).total(), counts.total()

    mistakes: dict[str, Mistake] = {
        "capital letters were changed to lower case: “Le” and “le” are different words": lower,
        "the words of an n-gram were joined without a space: “a bc” and “ab c” became the same": run_together,
    }
    return _judged(got, want, mistakes)


@judge(
    "sentences may be tuples or lists, and are left as they were",
    probe=probes.arguments,
    points=1,
    arguments=True,
    needs=(_COUNT, _CLIPPED, _SEVERAL),
    hint="A corpus may store its sentences as tuples, and the caller still needs the lists: count the words, but do not remove any. "
    "tuple(words[i : i + n]) is hashable for both.",
)
def leaves_arguments(got: Any, want: Any) -> Verdict:
    """The counts of tuples and of lists, and the lists afterwards."""
    if got["after"] != want["after"]:
        return failed("the call changed a list that it was given")
    for name in ("lists", "tuples"):
        if got[name] != want[name]:
            return failed(f"with {name} for sentences, the counts are not the expected ones")
    return passed()
