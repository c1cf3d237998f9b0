"""What is right about `kneser_ney`, and what is said when it is not."""

from typing import Any

import torch
from torch import Tensor

from autograder.checks.ch01_rnn_lm.probes import kneser_ney as probes
from autograder.compare import close, difference, is_close
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_ALONE = "after a word that nothing followed, only the continuation counts speak"
_DEALT = "what is given back is dealt out by the continuation counts"
_GIVEN = "after a word that others followed, what the discount takes is given back"
_NEW = "a word that followed nothing keeps its part of what is given back"
_TOKENS = "is divided by how often pairs were seen, expected by N1+(· ·), the number of different pairs"
_LOST = "what the discount takes is not given back to"


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
        f"It is made of {_made_of(want, i, k)}"
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
    hint="Nothing is known of v, so v does not matter. P_cont asks how many different words stood before w; how often each of them did "
    "does not matter either. Work one out by hand.",
)
def continuation_alone(got: Any, want: Any) -> Verdict:
    """No pair begins with v."""
    parts = _Parts(want)
    d, kinds, pairs, size = parts.discount, parts.kinds_before, parts.pairs, parts.size
    kept = parts.kept(kinds) / pairs  # (words,)
    given = d * parts.second / pairs / size
    whole = parts.kept(kinds) + d * parts.second / size
    raw = "P_cont is made of how often each word was seen, expected of how many different words stood before it"
    mistakes = {
        raw: (parts.kept(parts.preceded) + d * parts.second / size) / parts.total,
        f"{raw}; and nothing is discounted": parts.preceded / parts.total,
        f"{raw}; only what they are divided by is right": parts.kept(parts.preceded) / pairs + given,
        f"{raw}; only what they are divided by is right, and nothing is discounted": parts.preceded / pairs,
        "P_cont is N1+(· w) / N1+(· ·), as if the discount were not taken, or were divided among the W words from which it was taken: "
        "nothing is left for words that followed nothing": kinds / pairs,
        "in P_cont the discount is given back, but not taken": kinds / pairs + given,
        f"in P_cont, {_LOST} these words: all V words get a part of it, those that were seen too": kept,
        "in P_cont, only what is given back is divided by N1+(· ·)": kept * pairs + given,
        "nothing is divided by N1+(· ·)": whole,
        f"P_cont {_TOKENS}": whole / parts.total,
        f"the discounted part of P_cont {_TOKENS}": kept * pairs / parts.total + given,
        "P_cont is divided by W, expected by N1+(· ·), the number of different pairs": whole / parts.second,
        "P_cont is divided by V, expected by N1+(· ·), the number of different pairs": whole / size,
        "P_cont is divided by the number of words that were followed, expected by that of different pairs": (
            whole / parts.first
        ),
        "N1+(· ·) is taken for the number of pairs that are possible, expected that of pairs that were seen": (
            whole / parts.first / parts.second
        ),
        "P_cont counts the words that followed w, expected those that stood before it": (
            (parts.kept(parts.kinds_after_word) + d * parts.second / size) / pairs
        ),
        "P_cont counts the words that followed w and, for W, the words that were followed; expected it the other way round": (
            (parts.kept(parts.kinds_after_word) + d * parts.first / size) / pairs
        ),
        "all words came out as likely as each other, 1 / V: what is known of w is lost": torch.tensor(1 / size),
        "the probability is 0, expected P_cont(w), which asks nothing of v": torch.tensor(0.0),
        "P_cont is multiplied by D, as if something were taken from words after v: none was seen there": (
            d * parts.continuation
        ),
        "the logarithm of the probability came back": parts.continuation.log(),
    }
    given_back = {
        "D is given back once; it was taken from each of W words": given / parts.second,
        "D / V is given back; only W words gave up D, of N1+(· ·) pairs": given * pairs / parts.second,
        "what is given back is not divided among V words: each gets all of it": given * size,
        "D is given back for each word that was followed; it was taken from each that followed": (
            given / parts.second * parts.first
        ),
        "what is given back is not divided by N1+(· ·)": given * pairs,
        f"what is given back {_TOKENS}": given * pairs / parts.total,
        "what is given back goes by how often words were seen, expected 1 / V for each": (
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
    hint="Each different word that followed v gave up D. Add that up, divide it by c(v ·), and it is the share that P_cont deals out; the "
    "probabilities of all words then sum to one. Write them down for a v with two followers.",
)
def gives_back(got: Any, want: Any) -> Verdict:
    """Pairs begin with v; P_cont is 1 / V for each word, however it is counted."""
    parts = _Parts(want)
    d, counts, total, kinds = parts.discount, parts.counts, parts.followed, parts.kinds_after
    low, kept, freed, seen = parts.continuation, parts.kept(counts) / total, parts.freed, counts > 0
    mistakes = {
        f"{_LOST} other words: after {want['contexts'][0]!r} the probabilities of all words sum to {1 - freed[0, 0]:.2f}, expected 1": kept,
        "nothing is discounted: c(v w) / c(v ·) alone leaves nothing for P_cont": counts / total,
        "what the discount takes is given back, but not taken": counts / total + freed * low,
        "the discount is taken from counts of 0 too, which makes a part of the probability negative": (
            (counts - d) / total + freed * low
        ),
        f"the discount is taken from counts of 0 too, and {_LOST} other words": (counts - d) / total,
        "c(v w) has no part in what came back: `//` makes 0 of a share below 1, and so does D taken from the share and not from the count": (
            freed * low
        ),
        "of a count of 0 the discount makes D: max(c - D, 0) leaves 0 of it, and abs does not": (
            (counts - d).abs() / total + freed * low
        ),
        "P_cont is weighted with what the term of c(v w) lacks of one, another number for each w; expected what the discount took after v": (
            kept + (1 - kept) * low
        ),
        "for a v that follows nothing, such as the start of a sentence, P_cont alone came back: what matters is whether anything follows it": (
            torch.where(parts.kinds_before_context > 0, kept + freed * low, low)
        ),
        "for a w that nothing followed, P_cont alone came back: what matters is whether anything followed v": (
            torch.where(parts.is_followed, kept + freed * low, low)
        ),
        "D is taken from the share c(v w) / c(v ·), expected from the count": (
            (counts / total - d).clamp(min=0) + freed * low
        ),
        "the counts are mixed with weights 1 - D and D; expected a discount of D from each count": (
            (1 - d) * counts / total + d * low
        ),
        "only words that never followed v get their part of what is given back; expected all words": (
            torch.where(seen, kept, freed * low)
        ),
        "a word that never followed v gets P_cont itself, expected its part of what the discount took": (
            torch.where(seen, kept + freed * low, low)
        ),
        "P_cont alone decides for words that never followed v, and has no part in the others": (
            torch.where(seen, kept, low)
        ),
        "P_cont alone came back, though something followed v": low,
        "v and w have changed places in c(v w)": parts.kept(parts.turned) / total + freed * low,
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
        "only what is given back is divided by c(v ·)": kept * total + freed * low,
        "the product of the two terms came back, expected their sum": kept * freed * low,
        "the logarithm of the probability came back": (kept + freed * low).log(),
    }
    given_back = {
        "is not multiplied by P_cont: each word gets all of it": freed,
        "is D once, expected D for each different word that followed v": d / total * low,
        "is D for each time that something followed v; expected D for each different word that did": d * low,
        "counts the different words before v; expected those after it": d * parts.kinds_before_context / total * low,
        "counts the different words before w, expected those after v": d * parts.kinds_before / total * low,
        "counts W, all words that ever followed another; expected those that followed v": d
        * parts.second
        / total
        * low,
        "counts all words that were ever followed; expected those that followed v": d * parts.first / total * low,
        "counts only words that followed v exactly once; N1+ counts those that did once or more": d
        * (counts == 1).sum(1, keepdim=True)
        / total
        * low,
        "counts V words, expected those that followed v": d * parts.size / total * low,
        "counts the words that did not follow v, expected those that did": d * (parts.size - kinds) / total * low,
        "is not divided by c(v ·)": d * kinds * low,
        "is divided by N1+(· ·), expected by c(v ·)": d * kinds / parts.pairs * low,
        "is not multiplied by D": kinds / total * low,
        "is all of P_cont; expected as much of it as the discount took": low,
    }
    mistakes |= {f"what is given back {told}": kept + share for told, share in given_back.items()}
    return _judged(got, want, mistakes)


@judge(
    _DEALT,
    probe=probes.something_followed,
    points=1,
    needs=(_ALONE, _GIVEN),
    hint="What is freed is one number for each v. A word's part of it is P_cont(w), the same that is left where nothing followed v.",
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
        "by the part of P_cont that comes from N1+(· w); the other is missing": parts.kept(kinds) / parts.pairs,
    }
    mistakes = {
        f"what is given back is dealt out {told}; expected by P_cont": kept + freed * p for told, p in lower.items()
    }
    return _judged(got, want, mistakes)


@judge(
    _NEW,
    probe=probes.new_word,
    points=1,
    needs=(_ALONE, _GIVEN, _DEALT),
    hint="It is no key of `predecessors`, so no word stood before it: N1+(· w) is 0, from which nothing can be taken. Its part of what is "
    "given back is the same as for all V words, and no word is impossible.",
)
def is_never_impossible(got: Any, want: Any) -> Verdict:
    """The word has no predecessors."""
    parts = _Parts(want)
    negative = parts.continuation - parts.discount / parts.pairs
    freed = torch.where(parts.followed > 0, parts.freed, 1.0)
    mistakes = {
        "the probability is 0: the word would be impossible": torch.zeros(1),
        "in P_cont the discount is taken from a count of 0 too, which makes it negative": freed * negative,
        "the probability is 1 / V, expected a part of what is given back, as for other words": torch.full(
            (1,), 1 / parts.size
        ),
    }
    return _judged(got, want, mistakes)


san_francisco = judge(
    "a word with one follower leaves something to all others",
    probe=probes.one_follower,
    points=1,
    hidden=True,
    needs=(_ALONE, _GIVEN, _DEALT),
    hint="That only one word was ever seen after v does not make it certain: the formula holds as it stands. And a word that only ever "
    "followed v has one predecessor, however often it was seen.",
)(close())


@judge(
    "the counts are left as they were, and D and V are those that are given",
    probe=probes.untouched,
    points=1,
    arguments=True,
    needs=(_ALONE, _GIVEN, _DEALT, _NEW),
    hint="Look a word up in a dict with .get(word, ()), or ask `word in`: setdefault, and a Counter's +=, add entries. D and V are "
    "arguments: there may be more words than were ever seen.",
)
def leaves_counts(got: Any, want: Any) -> Verdict:
    """The counts after many calls, and the probabilities."""
    for name, told in {"words": "words", "pairs": "pairs", "counts": "the sum of all counts"}.items():
        if got[name] != want[name]:
            return failed(
                f"the calls changed `followers` or `predecessors`: {told}, {want[name]} before, {got[name]} after"
            )
    return close("probabilities")(got, want)
