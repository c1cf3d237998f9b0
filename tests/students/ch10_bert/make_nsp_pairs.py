"""What students hand in for `make_nsp_pairs`: each mistake alone, and right answers of many styles.

`WRONG` maps each mistake to the name of the check that must name it; `RIGHT` keep all their points.
"""

import functools
import itertools
import random

import numpy as np
import torch

EXERCISE = "make_nsp_pairs"


def with_sentences(documents):
    """The documents that can be drawn from."""
    kept = [document for document in documents if document]
    if len(kept) < 2:
        raise ValueError("at least two documents must have sentences")
    return kept


def by_half(generator, documents, number, place):
    """Whether a pair is to be true."""
    return generator.random() < 0.5


def any_other(generator, documents, number, place):
    """A sentence of another document."""
    others = [document for other, document in enumerate(documents) if other != number]
    return generator.choice(generator.choice(others))


def next_one(generator, documents, number, place):
    return documents[number][place + 1]


def made(decide=by_half, second=any_other, following=next_one):
    """An answer of which one part is another than the right one."""

    def make(documents, generator):
        documents, pairs = with_sentences(documents), []
        for number, document in enumerate(documents):
            for place in range(len(document) - 1):
                is_next = decide(generator, documents, number, place)
                choose = following if is_next else second
                pairs.append((document[place], choose(generator, documents, number, place), is_next))
        return pairs

    return make


right = made()


def another(part):
    """The right answer with a part in the place of its own."""

    def named(function):
        make = made(**{part: function})
        make.__name__, make.__doc__ = function.__name__, function.__doc__
        return make

    return named


def from_pairs(change):
    """The right answer, changed at the end."""

    @functools.wraps(change)
    def make(documents, generator):
        return change(right(documents, generator), documents, generator)

    return make


def last_too(documents, generator):
    """The last sentence of a document is followed by the first of the next."""
    flat = [sentence for document in with_sentences(documents) for sentence in document]
    pairs = []
    for first, following in itertools.pairwise(flat):
        is_next = generator.random() < 0.5
        pairs.append((first, following if is_next else generator.choice(flat), is_next))
    return pairs


def last_is_false(documents, generator):
    """The last sentence of a document begins a false pair."""
    pairs = right(documents, generator)
    documents = with_sentences(documents)
    for number, document in enumerate(documents):
        pairs.append((document[-1], any_other(generator, documents, number, 0), False))
    return pairs


def beyond_the_end(documents, generator):
    """The last sentence has no next one."""
    pairs = []
    for number, document in enumerate(with_sentences(documents)):
        for place in range(len(document)):
            is_next = generator.random() < 0.5
            second = document[place + 1] if is_next else any_other(generator, documents, number, place)
            pairs.append((document[place], second, is_next))
    return pairs


def both_kinds(documents, generator):
    """A true pair and a false one of each sentence."""
    documents, pairs = with_sentences(documents), []
    for number, document in enumerate(documents):
        for place in range(len(document) - 1):
            pairs.append((document[place], document[place + 1], True))
            pairs.append((document[place], any_other(generator, documents, number, place), False))
    return pairs


def two_by_two(documents, generator):
    """A sentence is in one pair at most."""
    pairs = []
    documents = with_sentences(documents)
    for number, document in enumerate(documents):
        for place in range(0, len(document) - 1, 2):
            is_next = generator.random() < 0.5
            choose = next_one if is_next else any_other
            pairs.append((document[place], choose(generator, documents, number, place), is_next))
    return pairs


@from_pairs
def skips_the_first_document(pairs, documents, generator):
    """The loop over the documents begins too late."""
    return [pair for pair in pairs if pair[0] not in documents[0]]


@from_pairs
def returns_in_the_loop(pairs, documents, generator):
    """The return is too far to the right."""
    return [pair for pair in pairs if pair[0] in next(document for document in documents if document)]


@from_pairs
def one_pair_of_each(pairs, documents, generator):
    """One pair of each document."""
    return [pair for pair in pairs if any(pair[0] is document[0] for document in documents if document)]


@from_pairs
def two_lists(pairs, documents, generator):
    """Pairs and labels apart."""
    return [pair[:2] for pair in pairs], [pair[2] for pair in pairs]


@from_pairs
def without_labels(pairs, documents, generator):
    """The label is forgotten."""
    return [pair[:2] for pair in pairs]


@from_pairs
def words_for_labels(pairs, documents, generator):
    """Strings for labels."""
    return [(*pair[:2], "IsNext" if pair[2] else "NotNext") for pair in pairs]


@from_pairs
def places(pairs, documents, generator):
    """The places of the sentences."""
    return [(place, place + 1, pair[2]) for place, pair in enumerate(pairs)]


@from_pairs
def nothing(pairs, documents, generator):
    """The return is missing."""


def yields(documents, generator):
    """A generator function."""
    yield from right(documents, generator)


@another("decide")
def always_next(generator, documents, number, place):
    """No false pairs."""
    return True


@another("decide")
def never_next(generator, documents, number, place):
    """No true pairs."""
    return False


@another("decide")
def one_of_three(generator, documents, number, place):
    """A third is true."""
    return generator.choice([True, False, False])


@another("decide")
def three_of_four(generator, documents, number, place):
    """Three quarters are true."""
    return generator.random() < 0.75


@another("decide")
def rounded(generator, documents, number, place):
    """randint has both ends."""
    return generator.randint(0, 2) == 0


@another("decide")
def in_turn(generator, documents, number, place):
    """Every other pair."""
    return place % 2 == 0


@another("decide")
def by_document(generator, documents, number, place):
    """Every other document."""
    return number % 2 == 0


def drawn_once(documents, generator):
    """One draw for all pairs."""
    is_next = generator.random() < 0.5
    return made(decide=lambda *_: is_next)(documents, generator)


def drawn_for_each_document(documents, generator):
    """One draw for each document."""
    drawn = [generator.random() < 0.5 for _ in documents]
    return made(decide=lambda _, __, number, ___: drawn[number])(documents, generator)


def in_turn_from_anywhere(documents, generator):
    """Every other pair, beginning with either."""
    turn = [generator.random() < 0.5]

    def decide(*_):
        turn[0] = not turn[0]
        return turn[0]

    return made(decide=decide)(documents, generator)


def just_half(documents, generator):
    """As many true pairs as false ones, shuffled."""
    number = sum(max(0, len(document) - 1) for document in documents)
    labels = [place % 2 == 0 for place in range(number)]
    generator.shuffle(labels)
    return made(decide=lambda *_: labels.pop())(documents, generator)


@from_pairs
def inverted(pairs, documents, generator):
    """False for the next one."""
    return [(first, second, not is_next) for first, second, is_next in pairs]


@another("following")
def itself(generator, documents, number, place):
    """The sentence and itself."""
    return documents[number][place]


@another("following")
def the_one_before(generator, documents, number, place):
    """One place back, for the first the last."""
    return documents[number][place - 1]


@another("following")
def two_further(generator, documents, number, place):
    """One place too far, where there is one."""
    return documents[number][min(place + 2, len(documents[number]) - 1)]


@another("following")
def anything_after(generator, documents, number, place):
    """Any sentence that comes later."""
    return generator.choice(documents[number][place + 1 :])


@another("following")
def of_the_next_document(generator, documents, number, place):
    """The same place in the next document, where there is one."""
    document = documents[(number + 1) % len(documents)]
    return document[min(place, len(document) - 1)]


@another("second")
def of_all_sentences(generator, documents, number, place):
    """Any sentence of any document."""
    return generator.choice([sentence for document in documents for sentence in document])


@another("second")
def of_any_document(generator, documents, number, place):
    """Any document, its own too."""
    return generator.choice(generator.choice(documents))


@another("second")
def of_the_same_document(generator, documents, number, place):
    """Another sentence of its own document."""
    document = documents[number]
    return generator.choice(
        [sentence for other, sentence in enumerate(document) if other not in (place, place + 1)] or document
    )


@another("second")
def anything_but_the_next(generator, documents, number, place):
    """Any sentence that is not the next."""
    following = documents[number][place + 1]
    return generator.choice([s for document in documents for s in document if s is not following])


@another("decide")
def pythons_own(generator, documents, number, place):
    """random's own numbers for the label."""
    return random.random() < 0.5


@another("second")
def pythons_choice(generator, documents, number, place):
    """random's own numbers for the sentence."""
    return any_other(random, documents, number, place)


@another("decide")
def torchs_own(generator, documents, number, place):
    """torch's own numbers."""
    return torch.rand(()).item() < 0.5


@another("decide")
def numpys_own(generator, documents, number, place):
    """NumPy's own numbers."""
    return bool(np.random.rand() < 0.5)


def of_another_generator(begin):
    """The right answer with another generator."""

    @functools.wraps(begin)
    def make(documents, generator):
        return right(documents, begin(generator))

    return make


@of_another_generator
def always_zero(generator):
    """A generator of its own, always of the same seed."""
    return random.Random(0)


@of_another_generator
def unseeded(generator):
    """A generator of its own, of any seed."""
    return random.Random()


@of_another_generator
def seeds_python(generator):
    """Python's own numbers are given a seed."""
    random.seed(generator.random())
    return random


@another("second")
def first_of_another(generator, documents, number, place):
    """The first sentence of another document."""
    return generator.choice([document for other, document in enumerate(documents) if other != number])[0]


@another("second")
def never_the_last(generator, documents, number, place):
    """The last sentence of a document is never drawn, where there are others."""
    document = generator.choice([document for other, document in enumerate(documents) if other != number])
    return document[generator.randrange(max(1, len(document) - 1))]


@another("second")
def the_next_document(generator, documents, number, place):
    """Always the document that comes next."""
    return generator.choice(documents[(number + 1) % len(documents)])


@another("second")
def a_later_document(generator, documents, number, place):
    """Documents that come later, and the first for the last."""
    return generator.choice(generator.choice(documents[number + 1 :] or documents[:1]))


@another("second")
def the_first_or_the_second(generator, documents, number, place):
    """The first document, and for its own pairs the second."""
    return generator.choice(documents[int(number == 0)])


@another("second")
def always_the_same(generator, documents, number, place):
    """The first sentence of the first document, and of the second for the first."""
    return documents[int(number == 0)][0]


def one_for_all(documents, generator):
    """One sentence for all false pairs of a document."""
    kept = with_sentences(documents)
    drawn = [any_other(generator, kept, number, 0) for number in range(len(kept))]
    return made(second=lambda _, __, number, ___: drawn[number])(documents, generator)


def short_left_out(documents, generator):
    """Documents of one sentence are not drawn from, unless there are no others."""

    def second(generator, documents, number, place):
        others = [document for other, document in enumerate(documents) if other != number]
        return generator.choice(
            generator.choice([d for d in others if len(d) > 1] or [d for d in others if len(d) > 1])
        )

    return made(second=second)([document for document in documents if len(document) != 1], generator)


def empty_drawn(documents, generator):
    """An empty document may be drawn."""
    if sum(bool(document) for document in documents) < 2:
        raise ValueError("too few")
    pairs = []
    for number, document in enumerate(documents):
        for place in range(len(document) - 1):
            is_next = generator.random() < 0.5
            choose = next_one if is_next else any_other
            pairs.append((document[place], choose(generator, documents, number, place), is_next))
    return pairs


def counts_empty_ones(documents, generator):
    """An empty document counts as another one."""
    if len(documents) < 2:
        raise ValueError("too few")
    kept = [document for document in documents if document]
    return right(kept, generator) if len(kept) > 1 else []


def nothing_for_too_few(documents, generator):
    """No pairs for want of documents."""
    try:
        return right(documents, generator)
    except ValueError:
        return []


def asserts(documents, generator):
    """Another error."""
    assert sum(bool(document) for document in documents) > 1
    return right(documents, generator)


def by_index(documents, generator):
    """The place of a sentence is looked up."""
    documents, pairs = with_sentences(documents), []
    for number, document in enumerate(documents):
        for sentence in document[:-1]:
            place = document.index(sentence)
            is_next = generator.random() < 0.5
            choose = next_one if is_next else any_other
            pairs.append((sentence, choose(generator, documents, number, place), is_next))
    return pairs


def unlike_the_last(documents, generator):
    """Sentences are skipped if they equal the last one, expected only the last one itself."""
    documents, pairs = with_sentences(documents), []
    for number, document in enumerate(documents):
        for place, sentence in enumerate(document):
            if sentence == document[-1]:
                continue
            is_next = generator.random() < 0.5
            choose = next_one if is_next else any_other
            pairs.append((sentence, choose(generator, documents, number, place), is_next))
    return pairs


def in_a_dict(documents, generator):
    """The next one of each sentence, looked up in a dict."""
    documents = with_sentences(documents)
    following = {one: two for document in documents for one, two in itertools.pairwise(document)}
    return made(following=lambda _, d, number, place: following[d[number][place]])(documents, generator)


def takes_away(documents, generator):
    """The sentences are taken away one by one."""
    pairs = right(documents, generator)
    for document in documents:
        if document:
            document.pop()
    return pairs


def shuffles(documents, generator):
    """The caller's documents are shuffled."""
    generator.shuffle(documents)
    return right(documents, generator)


def turns_round(documents, generator):
    """The caller's documents are turned round."""
    documents.reverse()
    return right(documents, generator)


def asks_whether_it_is_the_next(documents, generator):
    """Whether a pair is true is told by the sentences: one that was drawn may be the same as the next one."""
    pairs = right(documents, generator)
    following = [after for document in documents for after in document[1:]]
    return [(first, second, second == after) for (first, second, _), after in zip(pairs, following, strict=True)]


_FIRSTS = "each sentence except the last of its document is first in exactly one pair"
_HALF = "each pair is positive with probability 1/2, independently of the others"
_TRUE = "the second sentence of a positive pair follows the first in its document"
_FALSE = "the second sentence of a negative pair comes from another document"
_SEEDED = "every draw is made with the given generator"
_OTHERS = "any sentence of any other document can be the second of a negative pair"
_SHORT = "documents may have one sentence or none, but at least two must have a sentence"
_REPEATED = "a sentence may be any object, and occur more than once"
_LEFT = "the documents are not changed"

WRONG = {
    asks_whether_it_is_the_next: "works as the chapter uses it",
    last_too: _FIRSTS,
    last_is_false: _FIRSTS,
    beyond_the_end: _FIRSTS,
    both_kinds: _FIRSTS,
    two_by_two: _FIRSTS,
    skips_the_first_document: _FIRSTS,
    returns_in_the_loop: _FIRSTS,
    one_pair_of_each: _FIRSTS,
    two_lists: _FIRSTS,
    without_labels: _FIRSTS,
    words_for_labels: _FIRSTS,
    places: _FIRSTS,
    nothing: _FIRSTS,
    yields: _FIRSTS,
    always_next: _HALF,
    never_next: _HALF,
    one_of_three: _HALF,
    three_of_four: _HALF,
    rounded: _HALF,
    in_turn: _HALF,
    by_document: _HALF,
    drawn_once: _HALF,
    drawn_for_each_document: _HALF,
    in_turn_from_anywhere: _HALF,
    just_half: _HALF,
    inverted: _TRUE,
    itself: _TRUE,
    the_one_before: _TRUE,
    two_further: _TRUE,
    anything_after: _TRUE,
    of_the_next_document: _TRUE,
    of_all_sentences: _FALSE,
    of_any_document: _FALSE,
    of_the_same_document: _FALSE,
    anything_but_the_next: _FALSE,
    pythons_own: _SEEDED,
    pythons_choice: _SEEDED,
    torchs_own: _SEEDED,
    numpys_own: _SEEDED,
    always_zero: _SEEDED,
    unseeded: _SEEDED,
    seeds_python: _SEEDED,
    first_of_another: _OTHERS,
    never_the_last: _OTHERS,
    the_next_document: _OTHERS,
    a_later_document: _OTHERS,
    the_first_or_the_second: _OTHERS,
    always_the_same: _OTHERS,
    one_for_all: _OTHERS,
    short_left_out: _SHORT,
    empty_drawn: _SHORT,
    counts_empty_ones: _SHORT,
    nothing_for_too_few: _SHORT,
    asserts: _SHORT,
    by_index: _REPEATED,
    unlike_the_last: _REPEATED,
    in_a_dict: _REPEATED,
    takes_away: _LEFT,
    shuffles: _LEFT,
    turns_round: _LEFT,
}


def comprehension(documents, generator):
    """Lists of lists, and a coin with two sides."""
    kept = with_sentences(documents)
    return [
        [first, document[place + 1], True]
        if generator.choice("HT") == "H"
        else [first, any_other(generator, kept, number, place), False]
        for number, document in enumerate(kept)
        for place, first in enumerate(document[:-1])
    ]


def until_it_is_another(documents, generator):
    """A document is drawn again as long as it is the same one; 1 and 0 for labels."""
    documents, pairs = with_sentences(documents), []
    for number, document in enumerate(documents):
        for first, following in itertools.pairwise(document):
            other = number
            while other == number:
                other = generator.randrange(len(documents))
            if generator.getrandbits(1):
                pairs.append((first, following, 1))
            else:
                pairs.append((first, documents[other][generator.randint(0, len(documents[other]) - 1)], 0))
    return pairs


def by_sentences(documents, generator):
    """All sentences of the other documents are one list, so that long documents come more often."""
    documents, pairs = with_sentences(documents), []
    for number, document in enumerate(documents):
        others = list(itertools.chain(*documents[:number], *documents[number + 1 :]))
        for place in range(1, len(document)):
            is_next = generator.uniform(-1, 1) >= 0
            pairs.append((document[place - 1], document[place] if is_next else generator.choice(others), is_next))
    return pairs


def drawn_beforehand(documents, generator):
    """All draws come before the pairs."""
    documents = with_sentences(documents)
    places = [(number, place) for number, document in enumerate(documents) for place in range(len(document) - 1)]
    labels = generator.choices([True, False], k=len(places))
    seconds = [any_other(generator, documents, *place) for place in places]
    return tuple(
        (documents[number][place], documents[number][place + 1] if is_next else second, is_next)
        for (number, place), is_next, second in zip(places, labels, seconds, strict=True)
    )


def in_another_order(documents, generator):
    """The pairs are shuffled."""
    pairs = right(documents, generator)
    generator.shuffle(pairs)
    return pairs


def numpy_seeded(documents, generator):
    """NumPy, seeded by Python's generator."""
    source, documents = np.random.default_rng(generator.getrandbits(64)), with_sentences(documents)
    pairs = []
    for number, document in enumerate(documents):
        for place in range(len(document) - 1):
            other = documents[(number + source.integers(1, len(documents))) % len(documents)]
            is_next = source.random() < np.float64(0.5)
            pairs.append(
                (document[place], document[place + 1] if is_next else other[source.integers(len(other))], is_next)
            )
    return pairs


class Pairs:
    """An object that is called."""

    def __call__(self, documents, generator):
        return right(documents, generator)


RIGHT = {
    "parts": right,
    "a comprehension": comprehension,
    "until it is another": until_it_is_another,
    "by sentences": by_sentences,
    "drawn beforehand": drawn_beforehand,
    "in another order": in_another_order,
    "NumPy, seeded by Python": numpy_seeded,
    "an object": Pairs(),
    "a partial": functools.partial(made(decide=lambda generator, *_: generator.random() >= 0.5)),
}
