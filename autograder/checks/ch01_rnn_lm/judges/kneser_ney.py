"""What is right about `kneser_ney`, and what is said when it is not."""

from typing import Any

import torch
from torch import Tensor

from autograder.checks.ch01_rnn_lm.probes import kneser_ney as probes
from autograder.compare import close, difference, is_close
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_ALONE = "after a word that nothing followed, only the continuation counts matter"
_DEALT = "the freed probability is distributed by the continuation counts"
_GIVEN = "after a word that others followed, the freed probability is given back"
_NEW = "a word that never followed another gets its share of the freed probability"
_TOKENS = "is divided by the total count of all bigrams, expected by N1+(· ·), the number of different bigrams"
_LOST = "the freed probability is not given back to"


class _Parts:
    """What the probabilities (contexts, words) of one answer are made of; what is in no pair has counts of 0."""

    def __init__(self, want: Any) -> None:
        table = torch.nn.functional.pad(want["counts"].double(), (0, 1, 0, 1))  # Its last row and column are zeros.
        first, second = want["first"], want["second"]
        rows, columns = _places(want["contexts"], first), _places(want["words"], second)
        self.discount, self.size = float(want["discount"]), int(want["vocab_size"])
        self.counts = table[rows][:, columns]  # c(v w)
        self.followed = table.sum(dim=1)[rows].unsqueeze(1)  # c(v ·)
        self.kinds_after = (table > 0).sum(dim=1)[rows].unsqueeze(1)  # N1+(v ·)
        self.preceded = table.sum(dim=0)[columns]  # c(· w)
        self.kinds_before = (table > 0).double().sum(dim=0)[columns]  # N1+(· w)
        self.pairs, self.total = (table > 0).sum(), table.sum()  # N1+(· ·), c(· ·)
        self.second = int((table > 0).any(dim=0).sum())  # W
        self.first = int((table > 0).any(dim=1).sum())
        self.kinds_before_context = (table > 0).sum(dim=0)[_places(want["contexts"], second)].unsqueeze(1)  # N1+(· v)
        self.kinds_after_word = (table > 0).double().sum(dim=1)[_places(want["words"], first)]  # N1+(w ·)
        self.is_followed = torch.tensor([word in first for word in want["words"]])
        self.turned = table[_places(want["words"], first)][:, _places(want["contexts"], second)].T  # c(w v)

    def kept(self, counts: Tensor) -> Tensor:
        """What is left of counts when each that is above 0 has given up its discount."""
        return (counts - self.discount).clamp(min=0)

    @property
    def continuation(self) -> Tensor:
        """P_cont of each word, the right one, (words,)."""
        return (self.kept(self.kinds_before) + self.discount * self.second / self.size) / self.pairs

    @property
    def freed(self) -> Tensor:
        """What the discount takes from the words after each context, as a share, (contexts, 1)."""
        return self.discount * self.kinds_after / self.followed


def _places(words: list[str], among: list[str]) -> list[int]:
    """Where the words stand; -1 for those that do not."""
    return [among.index(word) if word in among else -1 for word in words]


def _judged(got: Any, want: Any, mistakes: dict[str, Tensor]) -> Verdict:
    """The probabilities against the right ones, and against what each mistake makes of them."""
    mine, right = got["probabilities"], want["probabilities"]
    if is_close(mine, right):
        return passed()
    shape = len(right), len(right[0])
    for message, values in mistakes.items():
        if is_close(mine, values.expand(shape).tolist()):
            return failed(message)
    i, k = next((i, k) for i, row in enumerate(right) for k, p in enumerate(row) if not is_close(mine[i][k], p))
    return failed(
        f"the probability of {want['words'][k]!r} after {want['contexts'][i]!r} {difference(mine[i][k], right[i][k])}. "
        f"It is computed from {_made_of(want, i, k)}"
    )


def _made_of(want: Any, i: int, k: int) -> str:
    """The numbers that go into one probability, for working it out by hand."""
    parts = _Parts(want)
    of_pair = f"c(v w) = {parts.counts[i, k]:.0f}, c(v ·) = {parts.followed[i, 0]:.0f}, N1+(v ·) = {parts.kinds_after[i, 0]:.0f}; "
    return (
        f"{of_pair if parts.followed[i, 0] else ''}N1+(· w) = {parts.kinds_before[k]:.0f}, N1+(· ·) = {parts.pairs:.0f}, "
        f"W = {parts.second:.0f}; D = {parts.discount:.4f}, V = {parts.size}"
    )


@judge(
    _ALONE,
    probe=probes.nothing_followed,
    points=2,
    hint="Nothing is known about v, so v does not matter. P_cont depends on how many different words came before w, not on "
    "how often each of them did. Work out one probability by hand.",
)
def continuation_alone(got: Any, want: Any) -> Verdict:
    """No pair begins with v."""
    parts = _Parts(want)
    d, kinds, pairs, size = parts.discount, parts.kinds_before, parts.pairs, parts.size
    kept = parts.kept(kinds) / pairs  # (words,)
    given = d * parts.second / pairs / size
    whole = parts.kept(kinds) + d * parts.second / size
    raw = "P_cont is computed from how often each word was seen, expected from how many different words came before it"
    mistakes = {
        raw: (parts.kept(parts.preceded) + d * parts.second / size) / parts.total,
        f"{raw}; and nothing is discounted": parts.preceded / parts.total,
        f"{raw}; only the denominator is right": parts.kept(parts.preceded) / pairs + given,
        f"{raw}; only the denominator is right, and nothing is discounted": parts.preceded / pairs,
        "P_cont is N1+(· w) / N1+(· ·), as if the discount were not subtracted, or were given back only to the W words from "
        "which it was subtracted: nothing is left for words that never followed another": kinds / pairs,
        "in P_cont, the discount is given back but never subtracted": kinds / pairs + given,
        f"in P_cont, {_LOST} these words: all V words get a share of it, including those that were seen": kept,
        "in P_cont, only the part that is given back is divided by N1+(· ·)": kept * pairs + given,
        "nothing is divided by N1+(· ·)": whole,
        f"P_cont {_TOKENS}": whole / parts.total,
        f"the discounted part of P_cont {_TOKENS}": kept * pairs / parts.total + given,
        "P_cont is divided by W, expected by N1+(· ·), the number of different bigrams": whole / parts.second,
        "P_cont is divided by V, expected by N1+(· ·), the number of different bigrams": whole / size,
        "P_cont is divided by the number of words that were followed by another, expected by the number of different "
        "bigrams": (whole / parts.first),
        "the number of possible bigrams was used as N1+(· ·), expected the number of different bigrams that were seen": (
            whole / parts.first / parts.second
        ),
        "P_cont counts the words that followed w, expected those that came before it": (
            (parts.kept(parts.kinds_after_word) + d * parts.second / size) / pairs
        ),
        "P_cont counts the words that followed w and, for W, the words that were followed by another; expected the "
        "other way round": ((parts.kept(parts.kinds_after_word) + d * parts.first / size) / pairs),
        "all words are equally likely, 1 / V: what is known about w is lost": torch.tensor(1 / size),
        "the probability is 0, expected P_cont(w), which does not depend on v": torch.tensor(0.0),
        "P_cont is multiplied by D, as if something had been subtracted from words after v: none was seen there": (
            d * parts.continuation
        ),
        "the result is the logarithm of the probability": parts.continuation.log(),
    }
    given_back = {
        "D is given back once, but it was subtracted from each of W words": given / parts.second,
        "D / V is given back; D was subtracted from W words, and the sum is divided by N1+(· ·)": given
        * pairs
        / parts.second,
        "the freed probability is not divided among V words: each word gets all of it": given * size,
        "D is given back for each word that was followed by another, but it was subtracted for each word that "
        "followed another": (given / parts.second * parts.first),
        "the part that is given back is not divided by N1+(· ·)": given * pairs,
        f"the part that is given back {_TOKENS}": given * pairs / parts.total,
        "the freed probability is distributed by how often words were seen, expected 1 / V for each": (
            given * size * parts.preceded / parts.total
        ),
    }
    mistakes |= {f"in P_cont, {told}": kept + share for told, share in given_back.items()}
    return _judged(got, want, mistakes)


@judge(
    _GIVEN,
    probe=probes.alike,
    points=2,
    needs=(_ALONE,),
    hint="D is subtracted once for each different word that followed v. Add that up and divide it by c(v ·): this is the "
    "share that P_cont distributes, and the probabilities of all words then sum to one. Write them down for a v with two "
    "followers.",
)
def gives_back(got: Any, want: Any) -> Verdict:
    """Pairs begin with v; P_cont is 1 / V for each word, however it is counted."""
    parts = _Parts(want)
    d, counts, total, kinds = parts.discount, parts.counts, parts.followed, parts.kinds_after
    low, kept, freed, seen = parts.continuation, parts.kept(counts) / total, parts.freed, counts > 0
    mistakes = {
        f"{_LOST} other words: after {want['contexts'][0]!r} the probabilities of all words sum to {1 - freed[0, 0]:.2f}, "
        f"expected 1": kept,
        "nothing is discounted: c(v w) / c(v ·) alone leaves nothing for P_cont": counts / total,
        "the discount is given back but never subtracted": counts / total + freed * low,
        "the discount is also subtracted from counts of 0, which makes a part of the probability negative": (
            (counts - d) / total + freed * low
        ),
        f"the discount is also subtracted from counts of 0, and {_LOST} other words": (counts - d) / total,
        "c(v w) does not affect the result: `//` turns a share below 1 into 0, and so does subtracting D from the share "
        "instead of the count": (freed * low),
        "the discount turns a count of 0 into D: max(c - D, 0) gives 0, but abs does not": (
            (counts - d).abs() / total + freed * low
        ),
        "the weight of P_cont is one minus the term of c(v w), which differs for each w; expected the share that the discount "
        "freed after v": (kept + (1 - kept) * low),
        "for a v that follows nothing, such as the start of a sentence, the result is P_cont alone: what matters is whether "
        "anything follows v": (torch.where(parts.kinds_before_context > 0, kept + freed * low, low)),
        "for a w that nothing followed, the result is P_cont alone: what matters is whether anything followed v": (
            torch.where(parts.is_followed, kept + freed * low, low)
        ),
        "D is subtracted from the share c(v w) / c(v ·), expected from the count": (
            (counts / total - d).clamp(min=0) + freed * low
        ),
        "the counts are mixed with weights 1 - D and D; expected D to be subtracted from each count": (
            (1 - d) * counts / total + d * low
        ),
        "only words that never followed v get a share of the freed probability; expected all words": (
            torch.where(seen, kept, freed * low)
        ),
        "a word that never followed v gets P_cont itself, expected only its share of the freed probability": (
            torch.where(seen, kept + freed * low, low)
        ),
        "words that never followed v get P_cont alone, and P_cont does not contribute to the others": (
            torch.where(seen, kept, low)
        ),
        "the result is P_cont alone, although something followed v": low,
        "v and w are swapped in c(v w)": parts.kept(parts.turned) / total + freed * low,
        "c(v w) is divided by how often w was seen, expected by how often anything followed v": (
            kept * total / parts.preceded + freed * low
        ),
        "c(v w) is divided by how many different words followed v, expected by the sum of their counts": (
            kept * total / kinds + freed * low
        ),
        "both terms are divided by how many different words followed v, expected by the sum of their counts": (
            (kept + freed * low) * total / kinds
        ),
        "c(v w) is divided by the number of all words, expected by how often anything followed v": (
            kept * total / parts.total + freed * low
        ),
        "only the part that is given back is divided by c(v ·)": kept * total + freed * low,
        "the result is the product of the two terms, expected their sum": kept * freed * low,
        "the result is the logarithm of the probability": (kept + freed * low).log(),
    }
    given_back = {
        "is not multiplied by P_cont: each word gets all of it": freed,
        "is D once, expected D for each different word that followed v": d / total * low,
        "is D for each time that something followed v; expected D for each different word that followed v": d * low,
        "counts the different words before v; expected those after it": d * parts.kinds_before_context / total * low,
        "counts the different words before w, expected those after v": d * parts.kinds_before / total * low,
        "counts W, all words that ever followed another; expected those that followed v": d
        * parts.second
        / total
        * low,
        "counts all words that were ever followed by another; expected those that followed v": d
        * parts.first
        / total
        * low,
        "counts only words that followed v exactly once; N1+ counts those that did so at least once": d
        * (counts == 1).sum(1, keepdim=True)
        / total
        * low,
        "counts V words, expected those that followed v": d * parts.size / total * low,
        "counts the words that did not follow v, expected those that did": d * (parts.size - kinds) / total * low,
        "is not divided by c(v ·)": d * kinds * low,
        "is divided by N1+(· ·), expected by c(v ·)": d * kinds / parts.pairs * low,
        "is not multiplied by D": kinds / total * low,
        "is all of P_cont; expected only the share that the discount freed": low,
    }
    mistakes |= {f"the part that is given back {told}": kept + share for told, share in given_back.items()}
    return _judged(got, want, mistakes)


@judge(
    _DEALT,
    probe=probes.something_followed,
    points=1,
    needs=(_ALONE, _GIVEN),
    hint="The freed probability is one number for each v. A word's share of it is P_cont(w), the same P_cont(w) as after a "
    "word that nothing followed.",
)
def dealt_out_by_contexts(got: Any, want: Any) -> Verdict:
    """Pairs begin with v, and P_cont is another for each word."""
    parts = _Parts(want)
    kept, freed, kinds, d = parts.kept(parts.counts) / parts.followed, parts.freed, parts.kinds_before, parts.discount
    lower = {
        "evenly, 1 / V": torch.tensor(1 / parts.size),
        "by how often words were seen": parts.preceded / parts.total,
        "by how often words were seen, discounted": (parts.kept(parts.preceded) + d * parts.second / parts.size)
        / parts.total,
        "by N1+(· w) / N1+(· ·), which is not discounted": kinds / parts.pairs,
        "by the part of P_cont that comes from N1+(· w); the other part is missing": parts.kept(kinds) / parts.pairs,
    }
    mistakes = {
        f"the freed probability is distributed {told}; expected by P_cont": kept + freed * p
        for told, p in lower.items()
    }
    return _judged(got, want, mistakes)


@judge(
    _NEW,
    probe=probes.new_word,
    points=1,
    needs=(_ALONE, _GIVEN, _DEALT),
    hint="Such a word is not a key of `predecessors`, so no word came before it: N1+(· w) is 0, and nothing can be "
    "subtracted from it. Its share of the freed probability is the same as for all V words, and no word is "
    "impossible.",
)
def is_never_impossible(got: Any, want: Any) -> Verdict:
    """The word has no predecessors."""
    parts = _Parts(want)
    negative = parts.continuation - parts.discount / parts.pairs
    freed = torch.where(parts.followed > 0, parts.freed, 1.0)
    mistakes = {
        "the probability is 0: the word would be impossible": torch.zeros(1),
        "in P_cont, the discount is also subtracted from a count of 0, which makes it negative": freed * negative,
        "the probability is 1 / V, expected a share of the freed probability, as for other words": torch.full(
            (1,), 1 / parts.size
        ),
    }
    return _judged(got, want, mistakes)


san_francisco = judge(
    "after a word with one follower, all other words get some probability",
    probe=probes.one_follower,
    points=1,
    hidden=True,
    needs=(_ALONE, _GIVEN, _DEALT),
    hint="Even if only one word was ever seen after v, it is not certain: the formula applies as it is. And a word that only "
    "ever "
    "followed v has one predecessor, however often it was seen.",
)(close())


@judge(
    "the counts are left as they were, and D and V are the given ones",
    probe=probes.untouched,
    points=1,
    arguments=True,
    needs=(_ALONE, _GIVEN, _DEALT, _NEW),
    hint="Look up a word in a dict with .get(word, ()), or test `word in`: setdefault, and += on a Counter, add entries. D "
    "and V are arguments: the vocabulary may contain words that were never seen.",
)
def leaves_counts(got: Any, want: Any) -> Verdict:
    """The counts after many calls, and the probabilities."""
    for name, told in {"words": "words", "pairs": "pairs", "counts": "the sum of all counts"}.items():
        if got[name] != want[name]:
            return failed(
                f"the calls changed `followers` or `predecessors`: {told}, {want[name]} before, {got[name]} after"
            )
    return close("probabilities")(got, want)
