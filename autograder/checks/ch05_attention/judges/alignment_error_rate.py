"""What is right about `alignment_error_rate`, and what is said when it is not."""

from typing import Any

from torch import Tensor

from autograder.checks.ch05_attention.probes import alignment_error_rate as probes
from autograder.compare import close, difference, is_close
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_SURE = "one sentence whose gold links are all sure"
_POSSIBLE = "a link that is only possible is right if it is predicted, and not missed if it is not predicted"
_POOLED = "for several sentences the numbers of links are summed first"


def _number(links: Tensor) -> Tensor:
    """The number of links in each table."""
    return links.sum(dim=(-2, -1)).double()


def _judged(got: Any, want: Any, mistakes: dict[str, Tensor], numbers: dict[str, Tensor]) -> Verdict:
    """The rates against the right ones, and against what each mistake makes of them.

    Args:
        got: The student's answer.
        want: The reference's.
        mistakes: The rates that come of each mistake, by what is said of it.
        numbers: What the first rate that is wrong is told with, a number for each rate, by its name.
    """
    rates = got["error rate"]
    if is_close(rates, want["error rate"]):
        return passed()
    for message, others in mistakes.items():
        if is_close(rates, others.tolist()):
            return failed(message)
    first = next(
        i for i, (rate, right) in enumerate(zip(rates, want["error rate"], strict=True)) if not is_close(rate, right)
    )
    told = ", ".join(f"{name} = {int(values[first])}" for name, values in numbers.items())
    return failed(f"with {told}: {difference(rates[first], want['error rate'][first])}")


@judge(
    _SURE,
    probe=probes.all_sure,
    points=1,
    hint="The intersection of two sets is a & s, and len() returns its size. The possible links include the sure "
    "ones, so a sure link that is predicted counts in A ∩ S and again in A ∩ P.",
)
def all_sure(got: Any, want: Any) -> Verdict:
    """The formula where P is S."""
    hits, predicted, sure = (
        _number(links) for links in (want["predicted"] & want["sure"], want["predicted"], want["sure"])
    )
    rate = 1 - 2 * hits / (predicted + sure)
    mistakes = {
        "the result is 1 minus the error rate, so it measures what is right; expected the error rate itself": 1 - rate,
        "the result is the precision |A ∩ S| / |A|, expected the error rate": hits / predicted,
        "the result is the recall |A ∩ S| / |S|, expected the error rate": hits / sure,
        "the result is 1 minus the precision |A ∩ S| / |A|, so sure links that were not predicted cost nothing": 1
        - hits / predicted,
        "the result is 1 minus the recall |A ∩ S| / |S|, so predicted links that are wrong cost nothing": 1
        - hits / sure,
        "a sure link that was predicted counts only once in the numerator, expected twice: in A ∩ S and in A ∩ P": 1
        - hits / (predicted + sure),
        "the denominator is the number of links in A ∪ S, expected |A| + |S|": 1 - hits / (predicted + sure - hits),
        "the rate is in percent, expected a number from 0 to 1": 100 * rate,
    }
    return _judged(got, want, mistakes, {"|A|": predicted, "|S| = |P|": sure, "|A ∩ S|": hits})


@judge(
    _POSSIBLE,
    probe=probes.only_possible,
    points=2,
    needs=(_SURE,),
    hint="Predicted links have to be among the possible ones, and sure links must not be missed. Which of these two "
    "sets is counted in the denominator?",
)
def only_possible(got: Any, want: Any) -> Verdict:
    """The formula where P holds more than S."""
    links, gold, loose = want["predicted"], want["sure"], want["possible"]
    predicted, sure, possible = _number(links), _number(gold), _number(loose)
    in_sure, in_possible = _number(links & gold), _number(links & loose)
    precision, recall = in_possible / predicted, in_sure / sure
    mistakes = {
        "the possible links have no effect: the links in A ∩ S were counted twice": 1
        - 2 * in_sure / (predicted + sure),
        "the links in A ∩ P were counted twice, and those in A ∩ S were not counted": 1
        - 2 * in_possible / (predicted + sure),
        "the denominator is |A| + |P|, expected |A| + |S|": 1 - (in_sure + in_possible) / (predicted + possible),
        "the possible links were used as the sure ones": 1 - 2 * in_possible / (predicted + possible),
        "the result is 1 minus the F-measure of |A ∩ P| / |A| and |A ∩ S| / |S|; the error rate is a single "
        "fraction of counts": 1 - 2 * precision * recall / (precision + recall),
    }
    numbers = {"|A|": predicted, "|S|": sure, "|P|": possible, "|A ∩ S|": in_sure, "|A ∩ P|": in_possible}
    return _judged(got, want, mistakes, numbers)


@judge(
    _POOLED,
    probe=probes.several,
    points=1,
    needs=(_SURE,),
    hint="Long sentences have more links than short ones, and each link counts the same. Add up the numerators and "
    "the denominators over the sentences, and divide once at the end.",
)
def pooled(got: Any, want: Any) -> Verdict:
    """Several sentences at once."""
    links, gold = want["predicted"], want["sure"]
    above, below = 2 * _number(links & gold), _number(links) + _number(gold)  # (corpora, sentences)
    rates = 1 - above / below
    all_links, all_gold = links.any(dim=1), gold.any(dim=1)
    mistakes = {
        "the result is the mean of the sentences' rates": rates.mean(dim=1),
        "the result is the sum of the sentences' rates": rates.sum(dim=1),
        "the result is the rate of the first sentence alone": rates[:, 0],
        "the result is the rate of the last sentence alone": rates[:, -1],
        "the links of all sentences were put into one set, where equal links of different sentences become one": 1
        - 2 * _number(all_links & all_gold) / (_number(all_links) + _number(all_gold)),
    }
    numbers = {"Σ|A|": _number(links).sum(dim=1), "Σ|S|": _number(gold).sum(dim=1), "Σ|A ∩ S|": above.sum(dim=1) / 2}
    return _judged(got, want, mistakes, numbers)


without_links = judge(
    "a sentence without predicted links, or without gold links, counts too",
    probe=probes.some_empty,
    points=1,
    hidden=True,
    needs=(_SURE, _POOLED),
    hint="A sentence without predicted links still has gold links that are missed, and a sentence without gold links "
    "still has predicted links that are wrong.",
)(close())

any_sets = judge(
    "sets and frozen sets both work, and are not changed",
    probe=probes.sets,
    points=1,
    arguments=True,
    needs=(_SURE,),
    hint="The caller still needs the links, so do not remove anything from the sets or the lists. Operators such as & "
    "work on set and frozenset alike and make a new set.",
)(close())
