"""What is right about `clipped_precision`, and what is said when it is not."""

from collections import Counter
from collections.abc import Callable
from typing import Any

from autograder.checks.ch07_bleu.probes import clipped_precision as probes
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_COUNT = "n-grams of the candidate that the reference has are counted, and all that it has"
_CLIPPED = "an n-gram counts no more often than the reference has it"
_SEVERAL = "of several references, the one that has an n-gram most often says how often it may count"

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
    hint="A sentence of L words has L - n + 1 n-grams, if it has any: they begin at places 0, 1, …, L - n. Count those of the candidate, "
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
        "n-grams were looked for in the reference's text, letter by letter: “a” is in “la”, but not as a word": in_text,
        "the two numbers stand in the other order: expected the matches first, and then all n-grams": (
            lambda words, references, n: _right(words, references, n)[::-1]
        ),
        "the second number is that of the reference's n-grams, expected the candidate's: that would be a recall": total_of(
            lambda words, reference, n: len(reference) - n + 1
        ),
        "the second number is that of the words, expected that of the n-grams": total_of(
            lambda words, reference, n: len(words)
        ),
        "the last n-gram of a sentence is missing: the last one begins at place L - n": shortened,
        "the second number is one too small": total_of(lambda words, reference, n: len(words) - n),
        "what was counted is single words, whatever n is": lambda words, references, n: _right(words, references, 1),
        "the second number is that of the n-grams that do not match, expected all": (
            lambda words, references, n: (
                _right(words, references, n)[0],
                _right(words, references, n)[1] - _right(words, references, n)[0],
            )
        ),
        "n-grams of every number of words up to n were counted together": lambda words, references, n: (
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
    hint="Say that an n-gram stands c times in the candidate and m times in the reference. How often may it count? Below the line, each of "
    "the c counts.",
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
        "nothing is clipped: an n-gram that the reference has once counts every time that the candidate says it": _unclipped,
        "an n-gram counts once, however often both have it: what was counted is different n-grams": _different_of_all,
        "different n-grams were counted above and below the line, expected every one as often as it stands there": _different,
        "matches are clipped, and the second number counts different n-grams, expected every one as often as it stands there": (
            lambda words, references, n: (_right(words, references, n)[0], len(_ngrams(words, n)))
        ),
        "an n-gram counts as often as the reference has it, even where the candidate has it less often": of_the_reference,
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
    hint="For each n-gram of its own: how often does it stand in each reference? A translator who wrote one of them could have said it that "
    "often, and no more.",
)
def several(got: Any, want: Any) -> Verdict:
    """Three references."""
    mistakes: dict[str, Mistake] = {
        "the counts of the references were added up, expected the largest of them: three references that say “le” once do not allow "
        "it three times": _summed,
        "the references were put one behind the other: their counts add up, and n-grams arise where two of them meet": (
            _one_after_the_other
        ),
        "an n-gram counts only as often as all references have it, expected as often as any of them": _least,
        "only the first reference was used": lambda words, references, n: _right(words, references[:1], n),
        "only the last reference was used": lambda words, references, n: _right(words, references[-1:], n),
        "only the longest reference was used": lambda words, references, n: _right(
            words, [max(references, key=len)], n
        ),
        "only the reference whose length is closest was used": _closest,
        "the best single reference was taken, expected the largest count of each n-gram, whichever reference it is in": (
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
    hint="A candidate of two words has no trigram: nothing matches, of nothing. range() of a negative number is empty, but the formula "
    "L - n + 1 goes on below 0.",
)
def short(got: Any, want: Any) -> Verdict:
    """Candidates and references that are too short."""
    return _judged(got, want, {})


@judge(
    "words are compared whole and as they stand",
    probe=probes.whole_words,
    points=1,
    hidden=True,
    needs=(_COUNT, _CLIPPED),
    hint="“Le” and “le” are two words for BLEU, and so are “a bc” and “ab c”. Keep the words of an n-gram apart, in a tuple, and change "
    "no letter.",
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
        "capital letters were made small: “Le” and “le” are two words": lower,
        "the words of an n-gram were run together: “a bc” and “ab c” became the same": run_together,
    }
    return _judged(got, want, mistakes)


@judge(
    "sentences may be tuples or lists, and are left as they were",
    probe=probes.arguments,
    points=1,
    arguments=True,
    needs=(_COUNT, _CLIPPED, _SEVERAL),
    hint="A corpus may hold its sentences as tuples, and the caller still needs the lists: count, but take no word out. tuple(words[i : "
    "i + n]) is hashable for both.",
)
def leaves_arguments(got: Any, want: Any) -> Verdict:
    """The counts of tuples and of lists, and the lists afterwards."""
    if got["after"] != want["after"]:
        return failed("the call changed a list that it was given")
    for name in ("lists", "tuples"):
        if got[name] != want[name]:
            return failed(f"with {name} for sentences, other counts came back than expected")
    return passed()
