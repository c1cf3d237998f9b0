"""What is right about `interpolated_trigram`, and what is said when it is not."""

from typing import Any

import torch
from torch import Tensor

from autograder.checks.ch01_rnn_lm.probes import interpolated_trigram as probes
from autograder.compare import close, difference, is_close
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_MIXED = "after a context that was seen, the four terms are mixed with their weights"
_PAIR = "after two words that were never seen together, the weight λ3 goes to the other terms in proportion to their weights"
_BEFORE = "after a word that was never seen, the weights λ2 and λ3 go to the other terms in proportion to their weights"
_NEW = "a word that was never seen still gets the term λ0 / V"
_LEFT_OUT = (
    "a term was left out because u v w was never seen; a term is left out only if its context was never seen. If u v "
    "was seen, but w never came after it, the term is 0"
)


class _Parts:
    """What the probabilities (contexts, words) of one answer are made of."""

    def __init__(self, want: Any) -> None:
        table = want["counts"].double()
        self.counts, self.totals = table[..., :-1], table[..., -1:]
        self.weights = torch.tensor(want["weights"], dtype=torch.float64)
        self.size = len(probes.VOCABULARY)

    def share(self, part: int, total: Tensor | None = None) -> Tensor:
        """How often each word was seen after a part of the context, over how often the part was; NaN where it never was."""
        return self.counts[:, part] / (self.totals[:, part] if total is None else total)

    def terms(self, *orders: Tensor) -> Tensor:
        """The terms of the four orders, without their weights, (4, contexts, words); `orders` for those of one, two, three words."""
        found = orders or (self.share(0), self.share(1), self.share(2))
        return torch.stack([torch.full_like(found[0], 1 / self.size), *found])

    def mixed(self, terms: Tensor, weights: Tensor | None = None) -> Tensor:
        """The sum of the terms with their weights; a weight of 0 silences a term that cannot be computed."""
        weights = (self.weights if weights is None else weights).view(-1, 1, 1)
        return torch.where(weights == 0, 0.0, weights * terms).sum(dim=0)


def _judged(got: Any, want: Any, mistakes: dict[str, Tensor]) -> Verdict:
    """The probabilities against the right ones, and against what each mistake makes of them."""
    mine, right = got["probabilities"], want["probabilities"]
    if is_close(mine, right):
        return passed()
    for message, values in mistakes.items():
        if is_close(mine, values.tolist()):
            return failed(message)
    i, k = next((i, k) for i, row in enumerate(right) for k, p in enumerate(row) if not is_close(mine[i][k], p))
    return failed(
        f"the probability of {want['words'][k]!r} after {want['contexts'][i]!r} {difference(mine[i][k], right[i][k])}. It is "
        f"computed from "
        f"{_made_of(want, i, k)}"
    )


def _made_of(want: Any, i: int, k: int) -> str:
    """The numbers that go into one probability, for working it out by hand."""
    (one, total), (two, of_v), (three, of_pair) = want["counts"][i, :3][:, [k, -1]].tolist()
    weights = ", ".join(f"{weight:.3f}" for weight in want["weights"])
    return (
        f"λ0 … λ3 = {weights}; V = {len(probes.VOCABULARY)}, N = {total}; c(w) = {one}; c(v) = {of_v}, c(v w) = {two}; "
        f"c(u v) = {of_pair}, c(u v w) = {three}"
    )


@judge(
    _MIXED,
    probe=probes.all_seen,
    points=2,
    hint="Work out one probability by hand. The term of order three asks what share of the occurrences of u v was followed by "
    "w: counts[(u, v, w)] over counts[(u, v)]. The next terms drop u, and then v as well, and the last term needs no counts "
    "at all.",
)
def mixes_four_terms(got: Any, want: Any) -> Verdict:
    """The formula, where nothing is zero below a line."""
    parts = _Parts(want)
    terms, weights, number = parts.terms(), parts.weights, parts.totals[:, 0]
    one, two, three = terms[1:]
    names = ("λ0 / V", "λ1 c(w) / N", "λ2 c(v w) / c(v)", "λ3 c(u v w) / c(u v)")
    mistakes = {
        "the weights are taken in the wrong order: they are given as (λ0, λ1, λ2, λ3)": parts.mixed(
            terms, weights.flip(0)
        ),
        "the four terms have equal weights, expected (λ0, λ1, λ2, λ3)": terms.mean(dim=0),
        "the terms are summed without their weights": terms.sum(dim=0),
        "the result is only the term of three words, c(u v w) / c(u v)": three,
        "the term of two words is c(u w) / c(u): the word just before w is v, the second of the two": parts.mixed(
            parts.terms(one, parts.share(3), three)
        ),
        "u and v are swapped: `before` is (u, v), and v comes just before w": parts.mixed(
            parts.terms(one, parts.share(3), parts.share(4))
        ),
        "the counts of all terms are divided by N, expected each by the count of its context": parts.mixed(
            parts.terms(one, parts.share(1, number), parts.share(2, number))
        ),
        "the count of the word alone is divided by V, expected by N, which is counts[()]": parts.mixed(
            parts.terms(parts.share(0, torch.tensor(parts.size)), two, three)
        ),
        "N is the sum of all counts, including those of two and three words; expected counts[()]": parts.mixed(
            parts.terms(parts.share(0, torch.tensor(want["counts of all tuples"])), two, three)
        ),
        "N is the sum of the counts of single words, including the starts of sentences; expected counts[()]": parts.mixed(
            parts.terms(parts.share(0, torch.tensor(want["counts of single words"])), two, three)
        ),
        "N is the number of entries in counts, expected counts[()]": parts.mixed(
            parts.terms(parts.share(0, torch.tensor(want["number of entries"])), two, three)
        ),
        "the count of u v w is divided by that of v, expected by that of its whole context, u v": parts.mixed(
            parts.terms(one, two, parts.share(2, parts.totals[:, 1]))
        ),
        "λ0 is not divided by V": parts.mixed(terms) + weights[0] * (1 - 1 / parts.size),
        "the sum is divided by the weights of three terms: λ0 is missing in the denominator": parts.mixed(terms)
        / weights[1:].sum(),
        "the sum is divided by the number of its terms, expected by the sum of their weights": parts.mixed(terms) / 4,
        "the result is the logarithm of the probability": parts.mixed(terms).log(),
        "the result is the product of the terms, each to the power of its weight; expected the weighted sum": (
            weights.view(-1, 1, 1) * terms.log()
        )
        .sum(dim=0)
        .exp(),
    }
    for first in (2, 3):  # The first order of which a term of 0 is left out, with its weight.
        left_out = (terms == 0) & (torch.arange(len(names)) >= first).view(-1, 1, 1)
        kept = weights.view(-1, 1, 1).where(~left_out, 0.0)
        mistakes[_LEFT_OUT if first == 3 else f"{_LEFT_OUT}; the same was done for v w"] = (kept * terms).sum(
            dim=0
        ) / kept.sum(dim=0)
    for order, name in enumerate(names):
        kept = weights.where(torch.arange(len(names)) != order, 0.0)
        mistakes[f"the term {name} is missing"] = parts.mixed(terms, kept)
        mistakes[f"the term {name} is missing, and the sum is divided by the weights of the others"] = (
            parts.mixed(terms, kept) / kept.sum()
        )
    return _judged(got, want, mistakes)


def _given_away(want: Any, lost: int) -> dict[str, Tensor]:
    """What comes of the weights of the last `lost` terms, if it is not what should: by what is said of it."""
    parts = _Parts(want)
    terms, weights = parts.terms(), parts.weights
    kept = weights.clone()
    kept[-lost:] = 0.0
    free = weights[-lost:].sum()
    number = len(weights) - lost
    names = ("λ0 / V", "λ1 c(w) / N", "λ2 c(v w) / c(v)")
    mistakes = {
        f"the weight of the unseen context is lost, and the probabilities of all words sum to {kept.sum():.2f}, expected "
        f"1": parts.mixed(terms, kept)
    }
    for order, name in enumerate(names[:number]):
        all_to_one = kept.clone()
        all_to_one[order] += free
        mistakes[f"the freed weight went only to {name}, expected to all remaining terms, in proportion"] = parts.mixed(
            terms, all_to_one
        )
        mistakes[f"of the remaining terms, only {name} is used, expected all of them"] = terms[order]
    if lost == 1:
        fewer = kept.clone()
        fewer[2] = 0.0
        left_out = f"the term {names[2]} was left out, too, although v was seen: check each context separately"
        mistakes[left_out] = parts.mixed(terms, fewer) / fewer.sum()
        mistakes[f"{left_out}; and the weights of both are lost"] = parts.mixed(terms, fewer)
    evenly = kept.clone()
    evenly[:number] += free / number
    mistakes[
        "the freed weight was divided equally among the remaining terms, expected in proportion to their weights"
    ] = parts.mixed(terms, evenly)
    of_one = kept / (1 - weights[-1])
    mistakes["only the weight λ3 was redistributed: the weight of the other unseen context, λ2, is lost"] = parts.mixed(
        terms, of_one
    )
    return mistakes


@judge(
    _PAIR,
    probe=probes.pair_unseen,
    points=2,
    needs=(_MIXED,),
    hint="Leave out a term if the count of its context is 0, and add up the weights of the terms that you used. If you divide "
    "by that sum, the weights sum to one again.",
)
def shares_out_one(got: Any, want: Any) -> Verdict:
    """c(u v) is zero."""
    return _judged(got, want, _given_away(want, 1))


@judge(
    _BEFORE,
    probe=probes.word_before_unseen,
    points=1,
    needs=(_MIXED, _PAIR),
    hint="If v was never seen, then neither was u v: two terms are left out. Check each context separately.",
)
def shares_out_two(got: Any, want: Any) -> Verdict:
    """c(v) is zero, and so is c(u v)."""
    return _judged(got, want, _given_away(want, 2))


@judge(
    _NEW,
    probe=probes.new_word,
    points=1,
    needs=(_MIXED, _PAIR, _BEFORE),
    hint="All counts of such a word are 0, but each of the V words gets the term λ0 / V. A probability of 0 would "
    "make the perplexity of a text infinite.",
)
def is_never_impossible(got: Any, want: Any) -> Verdict:
    """The word has no counts."""
    for name in want:
        mine, right = got[name]["probabilities"][0][0], want[name]["probabilities"][0][0]
        if not is_close(mine, right):
            told = "is 0: the word would be impossible" if mine == 0 else difference(mine, right)
            return failed(f"{name}, the probability of a word that was never seen {told}")
    return passed()


starts = judge(
    "the first words of a sentence have contexts too",
    probe=probes.first_words,
    points=1,
    hidden=True,
    needs=(_MIXED, _PAIR, _NEW),
    hint="The token before a sentence is counted like a word: use the count of a context as it is given, counts[(v,)].",
)(close())


@judge(
    "the counts are left as they were, and V is the given one",
    probe=probes.untouched,
    points=1,
    arguments=True,
    needs=(_MIXED, _PAIR, _BEFORE, _NEW),
    hint="Reading counts[key] of a Counter adds nothing to it, but counts[key] += 0 and setdefault do. V is an argument: the "
    "vocabulary may contain words that were never seen.",
)
def leaves_counts(got: Any, want: Any) -> Verdict:
    """The counts after many calls, and the probabilities."""
    if got["entries"] != want["entries"]:
        return failed(f"the counts had {want['entries']} entries, but {got['entries']} after some calls")
    if got["sum of counts"] != want["sum of counts"]:
        return failed("the calls changed the counts")
    return close("probabilities")(got, want)
