"""What is right about `make_nsp_pairs`, and what is said when it is not."""

from collections import Counter
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from autograder.checks.ch10_bert.judges.counts import most_unlikely
from autograder.checks.ch10_bert.judges.seeding import badly_seeded
from autograder.checks.ch10_bert.probes import make_nsp_pairs as probes
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_FIRSTS = "each sentence except the last of its document is first in exactly one pair"
_HALF = "each pair is positive with probability 1/2, independently of the others"
_TRUE = "the second sentence of a positive pair follows the first in its document"
_FALSE = "the second sentence of a negative pair comes from another document"
_SEEDED = "every draw is made with the given generator"
_OTHERS = "any sentence of any other document can be the second of a negative pair"

Pairs = list[list[Any]]
Documents = list[list[Any]]


def _name(sentence: Any) -> str:
    """A sentence as something that can be looked up."""
    return str(sentence)


def _firsts(documents: Documents) -> list[str]:
    """The sentences that are to begin a pair."""
    return [_name(sentence) for document in documents for sentence in document[:-1]]


def _follow(documents: Documents) -> set[tuple[str, str]]:
    """Each sentence with each that follows it in its document."""
    return {(_name(one), _name(two)) for of in documents for one, two in pairwise(of)}


def _home(documents: Documents) -> dict[str, int]:
    """The number of the document in which a sentence is."""
    return {_name(sentence): number for number, document in enumerate(documents) for sentence in document}


def _called(sentence: Any, documents: Documents) -> str:
    """Where a sentence stands, in words."""
    number = _home(documents)[_name(sentence)]
    place = [_name(other) for other in documents[number]].index(_name(sentence))
    return f"sentence {place + 1} of document {number + 1}"


def _known(pairs: Pairs, documents: Documents) -> bool:
    """Whether all sentences are those of the documents."""
    home = _home(documents)
    return all(len(pair) == 3 and _name(pair[0]) in home and _name(pair[1]) in home for pair in pairs)


def _wrong_firsts(pairs: Pairs, documents: Documents) -> str:
    """What is wrong about the sentences that begin the pairs; empty if nothing is."""
    if not _known(pairs, documents):
        return "a pair contains a sentence that is in no document"
    found, right = Counter(_name(pair[0]) for pair in pairs), Counter(_firsts(documents))
    if found == right:
        return ""
    shape = ", ".join(str(len(document)) for document in documents)
    told = f"from documents with {shape} sentences, {len(pairs)} pairs were made, expected {right.total()}"
    last = [
        document[-1] for document in documents if document and found[_name(document[-1])] > right[_name(document[-1])]
    ]
    missing = [sentence for of in documents for sentence in of[:-1] if found[_name(sentence)] < right[_name(sentence)]]
    twice = [sentence for of in documents for sentence in of[:-1] if found[_name(sentence)] > right[_name(sentence)]]
    if last:
        return f"{told}; {_called(last[0], documents)} is first in one, although it is the last of its document"
    if len(twice) == right.total():
        return f"{told}: each sentence is first in {found.total() // right.total()}"
    if missing:
        return f"{told}; {_called(missing[0], documents)} is first in none" + ", although it has a next one" * (
            not twice
        )
    return f"{told}; {_called(twice[0], documents)} is first in {found[_name(twice[0])]}"


@judge(
    _FIRSTS,
    probe=probes.pairs,
    points=1,
    any_length=True,
    hint="Use two loops, over the documents and over the positions in each. The last sentence has no next one: "
    "where must the positions end?",
)
def begins_one(got: Any, want: Any) -> Verdict:
    """The first sentences of several calls."""
    wrong = next(filter(None, (_wrong_firsts(pairs, want["documents"]) for pairs in got["pairs"])), "")
    if not wrong and len(got["pairs"]) != len(want["pairs"]):
        wrong = f"{len(got['pairs'])} lists of pairs were returned"
    return failed(wrong) if wrong else passed()


@judge(
    _HALF,
    probe=probes.halves,
    points=2,
    needs=(_FIRSTS,),
    any_length=True,
    hint="Draw a number between 0 and 1 for each pair, inside the inner loop, and compare it with 0.5.",
)
def true_by_half(got: Any, want: Any) -> Verdict:
    """The labels of many calls. Calls that gave the same, which is another check's business, count once."""
    wrong = _wrong_firsts(got["pairs"], want["documents"])
    labels = got["labels"].long().unique(dim=0)
    if wrong or (labels < 0).any() or (labels > 1).any():
        return failed(wrong or "not every pair has a label")
    number, share = labels.numel(), labels.double().mean().item()
    if (labels == labels[0, 0]).all():
        return failed(f"all pairs are {bool(labels[0, 0])}, expected about half of them to be")
    if most_unlikely([("true", int(labels.sum()), number, 0.5)]):
        return failed(f"{share:.0%} of {number} pairs are positive, expected about half of them")
    of_documents = labels.view(len(labels), probes.DOCUMENTS, -1)
    if (of_documents == of_documents[..., :1]).all():
        return failed(
            "in each call all pairs of a document were positive, or all negative: expected a draw for each pair"
        )
    if (labels[:, 1:] != labels[:, :-1]).all():
        return failed("positive and negative pairs alternate: expected a draw for each pair")
    of_calls = labels.sum(dim=1)
    if len(labels) > 1 and (of_calls == of_calls[0]).all():
        return failed(
            f"in each call exactly {int(of_calls[0])} of {labels.shape[1]} pairs were positive: expected a draw "
            "for each pair, so that the number varies"
        )
    firsts = [sentence for document in want["documents"] for sentence in document[:-1]]
    told = most_unlikely(
        [
            (f"the pair of {_called(first, want['documents'])} was positive", int(count), len(labels), 0.5)
            for first, count in zip(firsts, labels.sum(dim=0), strict=True)
        ]
    )
    return failed(told) if told else passed()


@judge(
    _TRUE,
    probe=probes.pairs,
    points=1,
    needs=(_FIRSTS, _HALF),
    any_length=True,
    hint="Print a few pairs next to the documents. The next sentence is one position further on in the same "
    "list, and goes with the label True.",
)
def follows(got: Any, want: Any) -> Verdict:
    """The true pairs."""
    documents, pairs = want["documents"], _all_pairs(got["pairs"])
    follow = _follow(documents)
    if not _known(pairs, documents):
        return failed("a pair contains a sentence that is in no document")
    true = [pair for pair in pairs if pair[2]]
    wrong = [pair for pair in true if (_name(pair[0]), _name(pair[1])) not in follow]
    if true and not wrong:
        return passed()
    if not true:
        return failed("no pair is positive")
    false_follow = sum((_name(one), _name(two)) in follow for one, two, is_next in pairs if not is_next)
    if len(wrong) == len(true) and false_follow == len(pairs) - len(true):
        return failed(
            "the labels are inverted: in each positive pair the sentences do not follow each other, and in each "
            "negative one they do"
        )
    one, two = wrong[0][:2]
    told = (
        f"{len(wrong)} of {len(true)} positive pairs do not follow; one is {_called(one, documents)} and "
        f"{_called(two, documents)}"
    )
    if all(_name(pair[0]) == _name(pair[1]) for pair in wrong):
        told = f"in {len(wrong)} of {len(true)} positive pairs both sentences are the same one"
    elif all((_name(pair[1]), _name(pair[0])) in follow for pair in wrong):
        told = f"in {len(wrong)} of {len(true)} positive pairs the second sentence comes before the first one"
    return failed(told)


def _all_pairs(found: Iterable[Pairs]) -> Pairs:
    return [pair for pairs in found for pair in pairs]


@judge(
    _FALSE,
    probe=probes.pairs,
    points=1,
    needs=(_FIRSTS, _HALF, _TRUE),
    any_length=True,
    hint="Leave out the document of the first sentence before you draw. If you draw from all sentences, the "
    "second may be its neighbour, or even the next one, with the label False.",
)
def of_another_document(got: Any, want: Any) -> Verdict:
    """The false pairs."""
    documents, pairs = want["documents"], _all_pairs(got["pairs"])
    if not _known(pairs, documents):
        return failed("a pair contains a sentence that is in no document")
    home, follow = _home(documents), _follow(documents)
    false = [pair for pair in pairs if not pair[2]]
    wrong = [pair for pair in false if home[_name(pair[0])] == home[_name(pair[1])]]
    if false and not wrong:
        return passed()
    if not false:
        return failed("no pair is negative")
    neighbours = sum((_name(pair[0]), _name(pair[1])) in follow for pair in wrong)
    return failed(
        f"{len(wrong)} of {len(false)} negative pairs have both sentences from one document"
        + f", {neighbours} of them a sentence and the next one" * (neighbours > 0)
    )


@judge(
    _SEEDED,
    probe=probes.seeded,
    points=1,
    needs=(_FIRSTS, _HALF),
    any_length=True,
    hint="generator.random() and generator.choice(...) are methods of the given generator. random.random() and "
    "torch.rand use global random states. Do not create a generator of your own, and do not set any seed.",
)
def draws_with_generator(got: Any, want: Any) -> Verdict:
    """The same seed twice, and another one."""
    told = badly_seeded(got, "pairs") or _wrong_firsts(got["pairs"], want["documents"])
    return failed(told) if told else passed()


@judge(
    _OTHERS,
    probe=probes.others,
    points=1,
    needs=(_FIRSTS, _HALF, _TRUE, _FALSE, _SEEDED),
    any_length=True,
    hint="Draw anew for each negative pair: one of the other documents, those before and those after, and one of all "
    "its sentences, including the first and the last.",
)
def any_other(got: Any, want: Any) -> Verdict:
    """How often each sentence was the second of a false pair."""
    documents, drawn = want["documents"], got["drawn"]
    wrong = _wrong_firsts(got["pairs"], documents)
    total = int(drawn.sum()) if (drawn >= 0).all() else 0
    if wrong or not 0 < total <= 10_000:
        return failed(wrong or "no pair is negative")
    most = drawn.sum(dim=0)
    if int(most.max()) > 0.9 * total:
        place = int(most.argmax())
        return failed(f"{int(most.max())} of {total} negative pairs have the same second sentence, {_at(place)}")
    if not got["several"]:
        return failed(
            "in each call all negative pairs of a document have the same second sentence: expected a draw for each"
        )
    of_documents = drawn.view(len(documents), len(documents), -1).sum(dim=2)
    told = most_unlikely(
        [
            (
                f"for a first sentence of document {one + 1} the second was drawn from document {other + 1}",
                int(of_documents[one, other]),
                int(of_documents[one].sum()),
                1 / (len(documents) - 1),
            )
            for one in range(len(documents))
            for other in range(len(documents))
            if one != other
        ]
    )
    own = drawn.view(len(documents), len(documents), -1).diagonal(dim1=0, dim2=1).sum().item()
    each = 1 / (drawn.shape[1] - drawn.shape[1] // len(documents))
    told = told or most_unlikely(
        [
            (f"{_at(place)} was the second", int(most[place]), total - int(drawn[place // 3].sum()) - int(own), each)
            for place in range(drawn.shape[1])
        ]
    )
    return failed(told) if told else passed()


def _at(place: int) -> str:
    return f"sentence {place % 3 + 1} of document {place // 3 + 1}"


@judge(
    "documents may have one sentence or none, but at least two must have a sentence",
    probe=probes.short,
    points=1,
    hidden=True,
    needs=(_FIRSTS, _HALF, _TRUE, _FALSE, _SEEDED, _OTHERS),
    any_length=True,
    hint="A document of one sentence has no first sentence of a pair, but its sentence can be drawn as a second one; "
    "an empty document has neither. If there is no other document to draw from, raise the ValueError of the "
    "docstring.",
)
def of_any_length(got: Any, want: Any) -> Verdict:
    """Short documents, and too few of them."""
    for name in ("some", "two"):
        documents, found = want[f"documents of {name}"], got[name]
        wrong = _wrong_firsts(got[f"{name}, once"], documents)
        if wrong or not _known(found, documents):
            return failed(wrong or "a pair contains a sentence that is in no document")
        home = _home(documents)
        false = [pair for pair in found if not pair[2]]
        if any(home[_name(one)] == home[_name(two)] for one, two, _ in false):
            return failed("a negative pair has both sentences from one document")
        if not {_name(document[0]) for document in documents if len(document) == 1} & {
            _name(two) for _, two, _ in false
        }:
            return failed("no sentence that is alone in its document is the second of a negative pair")
    for name, raised in want["refused"].items():
        if got["refused"][name] != raised:
            came = got["refused"][name] or "nothing"
            return failed(f"for {name}, {came[:80]} was raised, expected ValueError")
    return passed()


@judge(
    "a sentence may be any object, and occur more than once",
    probe=probes.repeated,
    points=1,
    hidden=True,
    needs=(_FIRSTS, _HALF, _TRUE, _FALSE, _SEEDED),
    any_length=True,
    hint="document.index(sentence) finds the first equal sentence, which may not be yours: loop over the "
    "positions, not the sentences. Also, a list of ids cannot be in a set.",
)
def by_its_place(got: Any, want: Any) -> Verdict:
    """Lists of ids for sentences, one of which is repeated."""
    documents, found = want["documents"], got["all pairs"]
    wrong = _wrong_firsts(got["pairs"], documents)
    if wrong or not _known(found, documents):
        return failed(wrong or "a pair contains a sentence that is in no document")
    true = {(_name(one), _name(two)) for one, two, is_next in found if is_next}
    right = _follow(documents)
    if true - right:
        return failed("the second sentence of a positive pair does not follow the first")
    if right - true:
        return failed("where a sentence occurs twice in its document, it is always followed by the same one")
    home = _home(documents)
    if any(not is_next and home[_name(one)] == home[_name(two)] for one, two, is_next in found):
        return failed("a negative pair has both sentences from one document")
    return passed()


@judge(
    "the documents are not changed",
    probe=probes.left,
    points=1,
    arguments=True,
    needs=(_FIRSTS, _SEEDED),
    any_length=True,
    hint="Pairs are drawn anew in each epoch, from the same documents. pop, remove, shuffle, sort and del change "
    "a list in place.",
)
def leaves_documents(got: Any, want: Any) -> Verdict:
    """The documents after two calls, and the pairs of the second."""
    if got["once"] != want["once"] or got["twice"] != want["twice"]:
        return failed("the documents that were given have changed")
    wrong = _wrong_firsts(got["pairs"], want["once"])
    return failed(wrong) if wrong else passed()
