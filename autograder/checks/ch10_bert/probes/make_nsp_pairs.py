"""What is asked of `make_nsp_pairs`.

Every sentence has a name that no other has, so that what a pair holds tells where it came from.
"""

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from autograder.checks.ch10_bert.probes.chance import by_seed
from autograder.declare import probe
from autograder.draw import Draw
from autograder.plain import kind_of
from autograder.probing import MisuseError

Documents = list[list[Any]]
CALLS = 40
"""How often pairs are made of the same documents to see how many of them are true."""
DOCUMENTS, SENTENCES = 4, 7
"""How many documents of how many sentences there are then."""
_OFTEN = 150
"""How often it is done to see which sentences come as the second of a false pair."""


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
    sentences = [sentence for document in documents for sentence in document]
    result = make_nsp_pairs(documents, generator)
    wanted = "expected a list of (first, second, is_next)"
    if not isinstance(result, (list, tuple)):
        raise MisuseError(f"what it returned is {kind_of(result)}, {wanted}")
    pairs = []
    for pair in result:
        if not isinstance(pair, (list, tuple)) or len(pair) != 3:
            raise MisuseError(f"one element of the result is {kind_of(pair)}, {wanted}")
        for name, sentence in zip(("first", "second"), pair, strict=False):
            if type(sentence) not in (str, list) or sentence not in sentences:
                raise MisuseError(f"the {name} of a pair is {kind_of(sentence)}, not a sentence, {wanted}")
        if not isinstance(pair[2], (bool, int, np.bool_)) or pair[2] not in (0, 1):
            raise MisuseError(f"the label of a pair is {kind_of(pair[2])}, expected True or False")
        pairs.append([pair[0], pair[1], bool(pair[2])])
    return pairs


def _often(
    make_nsp_pairs: Callable[..., Any], documents: Documents, draw: Draw, calls: int
) -> tuple[list[list[Any]], list[list[Any]]]:
    """The pairs of the first of so many calls, and those that came at any, each once."""
    found = [pairs_of(make_nsp_pairs, copy_of(documents), _generator(draw)) for _ in range(calls)]
    different = {str(pair): pair for of_call in found for pair in of_call}
    return found[0], [different[name] for name in sorted(different)]


@probe("make_nsp_pairs")
def pairs(make_nsp_pairs, draw: Draw):
    """Pairs of three documents, several times."""
    documents = documents_of(draw, 2, 3, 5)
    found = [pairs_of(make_nsp_pairs, copy_of(documents), _generator(draw)) for _ in range(14)]
    return {"pairs": found, "documents": documents}


@probe("make_nsp_pairs", draws=2)
def halves(make_nsp_pairs, draw: Draw):
    """The labels of many pairs, 1 for true and -1 for a pair that there is not; and the pairs of the first call."""
    documents = documents_of(draw, *[SENTENCES] * DOCUMENTS)
    found = [pairs_of(make_nsp_pairs, copy_of(documents), _generator(draw)) for _ in range(CALLS)]
    firsts = [first for document in documents for first in document[:-1]]
    labels = [{first: int(is_next) for first, _, is_next in of_call} for of_call in found]
    table = torch.tensor([[of_call.get(first, -1) for first in firsts] for of_call in labels], dtype=torch.int8)
    return {"labels": table, "pairs": found[0], "documents": documents}


@probe("make_nsp_pairs", draws=2)
def others(make_nsp_pairs, draw: Draw):
    """How often each sentence is the second of a false pair whose first is of which document; all documents are as long.

    And in how many calls two false pairs of one document have different second sentences.
    """
    documents = documents_of(draw, 3, 3, 3, 3)
    sentences = [sentence for document in documents for sentence in document]
    table, several = torch.zeros(len(documents), len(sentences), dtype=torch.long), 0
    for _ in range(_OFTEN):
        found = pairs_of(make_nsp_pairs, copy_of(documents), _generator(draw))
        seconds: dict[int, set[int]] = {}
        for first, second, is_next in found:
            if not is_next:
                of, number = sentences.index(first) // 3, sentences.index(second)
                table[of, number] += 1
                seconds.setdefault(of, set()).add(number)
        several += any(len(of_document) > 1 for of_document in seconds.values())
    return {"drawn": table, "several": several, "pairs": found, "documents": documents}


@probe("make_nsp_pairs", draws=2)
def seeded(make_nsp_pairs, draw: Draw):
    """Pairs, several times with one generator; with another of the same seed; and of another seed."""
    documents = documents_of(draw, 6, 4, 8)

    def calls(seed: int) -> list[Any]:
        generator = random.Random(seed)
        return [pairs_of(make_nsp_pairs, copy_of(documents), generator) for _ in range(3)]

    found, pairs = by_seed(calls, draw)
    return {**found, "pairs": pairs[0], "documents": documents}


@probe("make_nsp_pairs")
def short(make_nsp_pairs, draw: Draw):
    """Documents of one sentence and of none, several times; and what becomes of too few documents."""
    documents, two = documents_of(draw, 3, 1, 0, 2, 1), documents_of(draw, 4, 1)
    one = documents_of(draw, 3)
    few = {"no documents": [], "one document": one, "one with sentences, one without": [*one, []], "none": [[], []]}
    answers: dict[str, Any] = {"documents of some": documents, "documents of two": two}
    answers["some, once"], answers["some"] = _often(make_nsp_pairs, documents, draw, 30)
    answers["two, once"], answers["two"] = _often(make_nsp_pairs, two, draw, 30)
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


@probe("make_nsp_pairs")
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


@probe("make_nsp_pairs")
def left(make_nsp_pairs, draw: Draw):
    """The documents after one call and after two, and the pairs of the second."""
    documents = documents_of(draw, 4, 3, 5, 2)
    pairs_of(make_nsp_pairs, documents, _generator(draw))
    once = copy_of(documents)
    return {"pairs": pairs_of(make_nsp_pairs, documents, _generator(draw)), "once": once, "twice": documents}
