"""The checks of `make_nsp_pairs`."""

import random
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor

from autograder.asking.draw import Draw
from autograder.asking.probing import MisuseError, in_list, note_slip, numbers_in
from autograder.asking.serialization import kind_of
from autograder.asking.usage import Use, in_use
from autograder.checks.ch10_bert.chance import badly_seeded, by_seed
from autograder.checks.ch10_bert.counts import most_unlikely
from autograder.declare import Exercise, check
from autograder.judging.verdict import Verdict, failed, passed

EXERCISE = Exercise("make_nsp_pairs", "pairs that follow each other, and pairs that do not", minutes=20, difficulty=2)


@in_use(gradients=False, dtypes=False, devices=False)
def in_chapter(make_nsp_pairs, draw: Draw) -> Use:
    """Documents of lists of ids, in which sentences come again; which second sentence comes is chance's. Two documents are equal.

    Beside them one long document of different sentences, and two of one sentence, one of which is empty: both come. And one in which
    each sentence is the same, beside another that has it too: a second sentence that equals the next one is positive or negative. The
    third document is for whoever draws until the sentence is another than the next one.
    """
    generator = random.Random(int(draw.integers(0, 2**62)))
    long = [f"sentence {number}" for number in range(60)]

    def call(documents: list[list[Any]]) -> list[Any]:
        firsts = sorted(first for first, _, _ in pairs_of(make_nsp_pairs, documents, generator))
        pairs = pairs_of(make_nsp_pairs, [["another"], long, [""]], generator)
        alike = pairs_of(make_nsp_pairs, [["one"] * 200, ["two", "one"], ["three"]], generator)
        seconds = {(second, is_next) for first, second, is_next in alike if first == "one"}
        return [firsts, sorted({second for _, second, is_next in pairs if not is_next}), sorted(map(list, seconds))]

    def documents(*lengths: int) -> list[list[Any]]:
        return [draw.integers(0, 3, length, 2).tolist() for length in lengths]

    (one,) = documents(9)
    return Use(call, (documents(5, 0, 1, 8, 5),), ([[], one, list(one)],))


_WANTED = "expected a list of (first, second, is_next)"
Pairs = list[list[Any]]
Documents = list[list[Any]]


def _name(sentence: Any) -> str:
    """A sentence as something that can be looked up."""
    return sentence if type(sentence) is str else str(sentence)


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


def _all_pairs(found: Iterable[Pairs]) -> Pairs:
    return [pair for pairs in found for pair in pairs]


CALLS = 40
"""How often pairs are made of the same documents to see how many of them are true."""
DOCUMENTS, SENTENCES = 4, 7
"""How many documents of how many sentences there are then."""
_LONG, _SHORT = 1200, 3
"""How many sentences or somewhat more one document has, and how many the others, to see which are drawn and how often."""


def documents_of(draw: Draw, *lengths: int) -> Documents:
    """Documents of so many sentences, in an order that is drawn."""
    names = iter((draw.normal(sum(lengths)).argsort() + 100 * draw.integers(1, 90)).tolist())
    order = draw.normal(len(lengths)).argsort().tolist()
    return [[f"s{next(names)}" for _ in range(lengths[place])] for place in order]


def _generator(draw: Draw) -> random.Random:
    return random.Random(int(draw.integers(0, 2**62)))


def copy_of(documents: Documents) -> Documents:
    """The documents in lists of their own."""
    return [list(document) for document in documents]


def pairs_of(make_nsp_pairs: Callable[..., Any], documents: Documents, generator: random.Random) -> list[list[Any]]:
    """The pairs and their labels.

    Raises:
        MisuseError: They are no pairs of sentences with a label.
    """
    known = {_name(sentence) for document in documents for sentence in document}
    result = in_list(make_nsp_pairs(documents, generator), f"{_WANTED}, but what it returned is")
    if not isinstance(result, list):
        raise MisuseError(f"what it returned is {kind_of(result)}, {_WANTED}")
    pairs = []
    for pair in result:
        if not isinstance(pair, (list, tuple)) or len(pair) != 3:
            raise MisuseError(f"one element of the result is {kind_of(pair)}, {_WANTED}")
        if not isinstance(pair, tuple):
            note_slip(f"one element of the result is {kind_of(pair)}, {_WANTED}, each a tuple")
        for name, sentence in zip(("first", "second"), pair, strict=False):
            if type(sentence) not in (str, list) or _name(sentence) not in known:
                raise MisuseError(f"the {name} of a pair is {kind_of(sentence)}, not a sentence, {_WANTED}")
        pairs.append([pair[0], pair[1], _label(pair[2])])
    return pairs


def _label(value: Any) -> bool:
    """A pair's label, which is a slip where it is a number, or in a tensor.

    Raises:
        MisuseError: It is something else.
    """
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    value = numbers_in(value, "expected True or False, but the label of a pair is")
    if not isinstance(value, int) or value not in (0, 1):
        raise MisuseError(f"the label of a pair is {kind_of(value)}, expected True or False")
    note_slip(f"the label of a pair is the number {value}, expected {bool(value)}")
    return bool(value)


def _often(
    make_nsp_pairs: Callable[..., Any], documents: Documents, draw: Draw, calls: int
) -> tuple[list[list[Any]], list[list[Any]]]:
    """The pairs of the first of so many calls, and those that came at any, each once."""
    found = [pairs_of(make_nsp_pairs, copy_of(documents), _generator(draw)) for _ in range(calls)]
    different = {str(pair): pair for of_call in found for pair in of_call}
    return found[0], [different[name] for name in sorted(different)]


def one_for_each_first(got: Any, want: Any) -> Verdict:
    """The first sentences of several calls."""
    wrong = next(filter(None, (_wrong_firsts(pairs, want["documents"]) for pairs in got["pairs"])), "")
    if not wrong and len(got["pairs"]) != len(want["pairs"]):
        wrong = f"{len(got['pairs'])} lists of pairs were returned"
    return failed(wrong) if wrong else passed()


@check(
    "each sentence except the last of its document is first in exactly one pair",
    points=1,
    any_length=True,
    compare=one_for_each_first,
    hint="Use two loops, over the documents and over the positions in each. The last sentence has no next one: "
    "where must the positions end?",
)
def pairs(make_nsp_pairs, draw: Draw):
    """Pairs of three documents, several times."""
    documents = documents_of(draw, 2, 3, 5)
    found = [pairs_of(make_nsp_pairs, copy_of(documents), _generator(draw)) for _ in range(14)]
    return {"pairs": found, "documents": documents}


def half_positive(got: Any, want: Any) -> Verdict:
    """The labels of many calls. Calls that gave the same, which is another check's business, count once.

    Of some 5,000 pairs of long documents, a share of true ones that is off by 0.05 is seen, and so is a share of labels that are like
    the one before.
    """
    wrong = _wrong_firsts(got["pairs"], want["documents"])
    labels = got["labels"].long().unique(dim=0)
    if wrong or (labels < 0).any() or (labels > 1).any():
        return failed(wrong or "not every pair has a label")
    number, share = labels.numel(), labels.double().mean().item()
    if (labels == labels[0, 0]).all():
        return failed(f"all pairs are {bool(labels[0, 0])}, expected about half of them to be")
    if most_unlikely([("true", int(labels.sum()), number, 0.5)]):
        return failed(f"{share:.0%} of {number} pairs are positive, expected about half of them")
    of_documents = labels.view(len(labels), DOCUMENTS, -1)
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
    told = _of_long_documents(got, want)
    if told:
        return failed(told)
    firsts = [sentence for document in want["documents"] for sentence in document[:-1]]
    told = most_unlikely(
        [
            (f"the pair of {_called(first, want['documents'])} was positive", int(count), len(labels), 0.5)
            for first, count in zip(firsts, labels.sum(dim=0), strict=True)
        ]
    )
    return failed(told) if told else passed()


def _of_long_documents(got: Any, want: Any) -> str:
    """What is wrong about the labels of long documents; empty if nothing is."""
    numbers, positive, alike = (tensor.tolist() for tensor in (want["numbers"], got["positive"], got["alike"]))
    total, pairs = sum(numbers), sum(numbers) - len(numbers)
    if any(not 0 <= count <= number for count, number in zip(positive, numbers, strict=True)):
        return "a document did not give a pair for each sentence but the last"
    if most_unlikely([("true", sum(positive), total, 0.5)]):
        return f"{sum(positive) / total:.1%} of {total} pairs are positive, expected about half of them"
    if most_unlikely([("alike", sum(alike), pairs, 0.5)]):
        return (
            f"{sum(alike) / pairs:.1%} of {pairs} labels are the same as the one before, expected about half of them: the draws are not "
            "independent"
        )
    return ""


@check(
    "each pair is positive with probability 1/2, independently of the others",
    points=2,
    needs=pairs,
    draws=2,
    any_length=True,
    compare=half_positive,
    hint="Draw a number between 0 and 1 for each pair, inside the inner loop, and compare it with 0.5.",
)
def halves(make_nsp_pairs, draw: Draw):
    """The labels of many pairs, 1 for true and -1 for a pair that there is not; and the pairs of the first call.

    Then one long document among three short ones, at each of the four places. In `drawn` is how often the second of a false pair was
    which sentence of the document that comes how far after the long one, (4, 3, 3).
    """
    documents = documents_of(draw, *[SENTENCES] * DOCUMENTS)
    found = [pairs_of(make_nsp_pairs, copy_of(documents), _generator(draw)) for _ in range(CALLS)]
    firsts = [first for document in documents for first in document[:-1]]
    labels = [{first: int(is_next) for first, _, is_next in of_call} for of_call in found]
    table = torch.tensor([[of_call.get(first, -1) for first in firsts] for of_call in labels], dtype=torch.int8)
    return {"labels": table, "pairs": found[0], "documents": documents, **_of_a_long_one(make_nsp_pairs, draw)}


def _of_a_long_one(make_nsp_pairs: Callable[..., Any], draw: Draw) -> dict[str, Tensor]:
    """Counts of the pairs of a long document among short ones."""
    numbers = _LONG + draw.integers(0, 100, DOCUMENTS)
    positive, alike, again = (torch.zeros(DOCUMENTS, dtype=torch.long) for _ in range(3))
    drawn = torch.zeros(DOCUMENTS, (DOCUMENTS - 1) * _SHORT, dtype=torch.long)
    for place, number in enumerate(numbers.tolist()):
        lengths = [number + 1 if other == place else _SHORT for other in range(DOCUMENTS)]
        documents = [[f"{other}: {i}" for i in range(length)] for other, length in enumerate(lengths)]
        after = [documents[(place + steps) % DOCUMENTS] for steps in range(1, DOCUMENTS)]
        index = {sentence: i for i, sentence in enumerate(sentence for document in after for sentence in document)}
        own = set(documents[place])
        pairs = [pair for pair in pairs_of(make_nsp_pairs, documents, _generator(draw)) if pair[0] in own]
        labels = torch.tensor([is_next for _, _, is_next in pairs], dtype=torch.bool)
        seconds = torch.tensor([index[two] for _, two, is_next in pairs if not is_next and two in index]).long()
        positive[place], alike[place] = labels.sum(), (labels[1:] == labels[:-1]).sum()
        again[place] = (seconds[1:] == seconds[:-1]).sum()
        drawn[place] = seconds.bincount(minlength=drawn.shape[1])
    return {"numbers": numbers, "positive": positive, "alike": alike, "drawn": drawn, "again": again}


def next_in_document(got: Any, want: Any) -> Verdict:
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


follows = check(
    "the second sentence of a positive pair follows the first in its document",
    points=1,
    needs=(pairs, halves),
    any_length=True,
    compare=next_in_document,
    hint="Print a few pairs next to the documents. The next sentence is one position further on in the same "
    "list, and goes with the label True.",
)(pairs)


def from_another_document(got: Any, want: Any) -> Verdict:
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


of_another_document = check(
    "the second sentence of a negative pair comes from another document",
    points=1,
    needs=(pairs, halves, follows),
    any_length=True,
    compare=from_another_document,
    hint="Leave out the document of the first sentence before you draw. If you draw from all sentences, the "
    "second may be its neighbour, or even the next one, with the label False.",
)(pairs)


def by_the_generator(got: Any, want: Any) -> Verdict:
    """The same seed twice, and another one."""
    told = badly_seeded(got, "pairs") or _wrong_firsts(got["pairs"], want["documents"])
    return failed(told) if told else passed()


@check(
    "every draw is made with the given generator",
    points=1,
    needs=(pairs, halves),
    draws=2,
    any_length=True,
    compare=by_the_generator,
    hint="generator.random() and generator.choice(...) are methods of the given generator. random.random() and "
    "torch.rand use global random states. Do not create a generator of your own, and do not set any seed.",
)
def seeded(make_nsp_pairs, draw: Draw):
    """Pairs, several times with one generator; with another of the same seed; and of another seed."""
    documents = documents_of(draw, 6, 4, 8)

    def calls(seed: int) -> list[Any]:
        generator = random.Random(seed)
        return [pairs_of(make_nsp_pairs, copy_of(documents), generator) for _ in range(3)]

    found, pairs = by_seed(calls, draw)
    return {**found, "pairs": pairs[0], "documents": documents}


def any_other(got: Any, want: Any) -> Verdict:
    """How often each sentence was the second of a false pair.

    Of some 2,500 draws, a share of 1/3 that is off by 0.06 is seen, of those for one place of the long document one that is off by 0.12.
    """
    drawn = got["drawn"].view(DOCUMENTS, DOCUMENTS - 1, _SHORT)
    totals = drawn.sum(dim=(1, 2))
    total = int(totals.sum())
    if (drawn < 0).any() or not torch.equal(totals + got["positive"], want["numbers"]) or not total:
        return failed("a document did not give a pair for each sentence but the last")
    most = drawn.flatten(1).amax(dim=1)
    if torch.equal(most, totals):
        return failed(
            "in each call all negative pairs of a document have the same second sentence: expected a draw for each"
        )
    places = [
        (f"sentence {place + 1} of a document of {_SHORT} was the second", int(count), total, 1 / _SHORT)
        for place, count in enumerate(drawn.sum(dim=(0, 1)))
    ]
    of_documents = drawn.sum(dim=2)
    which = [
        (
            f"for a first sentence of document {one + 1} the second was drawn from document {(one + steps) % DOCUMENTS + 1}",
            int(of_documents[one, steps - 1]),
            int(totals[one]),
            1 / (DOCUMENTS - 1),
        )
        for one in range(DOCUMENTS)
        for steps in range(1, DOCUMENTS)
    ]
    after = [
        (f"the second was drawn from {name}", int(count), total, 1 / (DOCUMENTS - 1))
        for name, count in zip(_AFTER, of_documents.sum(dim=0), strict=True)
    ]
    told = most_unlikely(places) or most_unlikely(which) or most_unlikely(after)
    pairs, again = total - DOCUMENTS, int(got["again"].sum())
    if not told and most_unlikely([("", again, pairs, 1 / drawn[0].numel())]):
        told = (
            f"{again} of {pairs} negative pairs have the same second sentence as the one before, expected about "
            f"{pairs / drawn[0].numel():.0f}: the draws are not independent"
        )
    return failed(told) if told else passed()


_AFTER = ("the next document", "the one after the next", "the one before (the last comes before the first)")


others = check(
    "any sentence of any other document can be the second of a negative pair",
    points=1,
    needs=(pairs, halves, follows, of_another_document, seeded),
    any_length=True,
    compare=any_other,
    hint="Draw anew for each negative pair: one of the other documents, those before and those after, and one of all "
    "its sentences, including the first and the last.",
)(halves)


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


@check(
    "documents may have one sentence or none, but at least two must have a sentence",
    points=1,
    needs=(pairs, halves, follows, of_another_document, seeded, others),
    any_length=True,
    compare=of_any_length,
    hint="A document of one sentence has no first sentence of a pair, but its sentence can be drawn as a second one; "
    "an empty document has neither. If there is no other document to draw from, raise the ValueError of the "
    "docstring.",
)
def short(make_nsp_pairs, draw: Draw):
    """Documents of one sentence and of none, several times; and what becomes of too few documents."""
    documents, two = documents_of(draw, 3, 1, 0, 2, 1), documents_of(draw, 4, 1)
    one = documents_of(draw, 3)
    few = {"no documents": [], "one document": one, "one document with sentences and one without": [*one, []]}
    few["two documents without sentences"] = [[], []]
    answers: dict[str, Any] = {"documents of some": documents, "documents of two": two}
    answers["some, once"], answers["some"] = _often(make_nsp_pairs, documents, draw, 30)
    try:
        answers["two, once"], answers["two"] = _often(make_nsp_pairs, two, draw, 30)
    except ValueError as error:
        raise MisuseError(
            "for documents of 4 sentences and of 1, ValueError was raised, expected pairs: there is a sentence in another document"
        ) from error
    refused = {name: _refusal(make_nsp_pairs, given, _generator(draw)) for name, given in few.items()}
    return {**answers, "refused": refused}


def _refusal(make_nsp_pairs: Callable[..., Any], documents: Documents, generator: random.Random) -> str:
    """What was raised; empty if nothing was."""
    try:
        make_nsp_pairs(documents, generator)
    except NotImplementedError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever the student's code raises
        return "ValueError" if isinstance(error, ValueError) else type(error).__name__[:80]
    return ""


def _by_place(got: Any, want: Any) -> Verdict:
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


@check(
    "a sentence may be any object, and occur more than once",
    points=1,
    hidden=True,
    needs=(pairs, halves, follows, of_another_document, seeded),
    any_length=True,
    compare=_by_place,
    hint="document.index(sentence) finds the first equal sentence, which may not be yours: loop over the "
    "positions, not the sentences. Also, a list of ids cannot be in a set.",
)
def repeated(make_nsp_pairs, draw: Draw):
    """Sentences that are lists of ids; one of them comes three times in its document."""
    ids = draw.normal(40).argsort().tolist()
    once = [ids[place : place + 2] for place in range(0, 20, 2)]
    again = once[0]
    documents = [once[7:], [again, once[1], again, once[2], again], once[3:7]]
    given = [[list(sentence) for sentence in document] for document in documents]
    same = given[1][0]
    given[1][2] = given[1][4] = same
    first, different = _often(make_nsp_pairs, given, draw, CALLS)
    return {"pairs": first, "all pairs": different, "documents": documents}


def as_before(got: Any, want: Any) -> Verdict:
    """The documents after two calls, and the pairs of the second."""
    if got["once"] != want["once"] or got["twice"] != want["twice"]:
        return failed("the documents that were given have changed")
    wrong = _wrong_firsts(got["pairs"], want["once"])
    return failed(wrong) if wrong else passed()


@check(
    "the documents are not changed",
    points=1,
    needs=(pairs, seeded),
    any_length=True,
    arguments=True,
    compare=as_before,
    hint="Pairs are drawn anew in each epoch, from the same documents. pop, remove, shuffle, sort and del change "
    "a list in place.",
)
def left(make_nsp_pairs, draw: Draw):
    """The documents after one call and after two, and the pairs of the second."""
    documents = documents_of(draw, 4, 3, 5, 2)
    pairs_of(make_nsp_pairs, documents, _generator(draw))
    once = copy_of(documents)
    return {"pairs": pairs_of(make_nsp_pairs, documents, _generator(draw)), "once": once, "twice": documents}
