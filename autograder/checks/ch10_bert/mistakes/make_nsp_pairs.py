"""Mistakes in `make_nsp_pairs`, and right answers in other styles."""

import functools
import itertools
import random

import numpy as np
import torch

from autograder.checks.ch10_bert.make_nsp_pairs import (
    follows,
    halves,
    in_chapter,
    left,
    of_another_document,
    others,
    pairs,
    repeated,
    seeded,
    short,
)
from autograder.judging.catalogue import mistake, right


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


usual = made()
right(usual)


def another(part):
    """The right answer with a part in the place of its own."""

    def named(function):
        make = made(**{part: function})
        make.__name__ = function.__name__
        return make

    return named


def from_pairs(change):
    """The right answer, changed at the end."""

    @functools.wraps(change)
    def make(documents, generator):
        return change(usual(documents, generator), documents, generator)

    return make


@mistake(pairs, "the last sentence of a document is first in a pair with the next document")
def last_too(documents, generator):
    flat = [sentence for document in with_sentences(documents) for sentence in document]
    pairs = []
    for first, following in itertools.pairwise(flat):
        is_next = generator.random() < 0.5
        pairs.append((first, following if is_next else generator.choice(flat), is_next))
    return pairs


@mistake(pairs, "the last sentence of a document is first in a negative pair, expected in none")
def last_is_false(documents, generator):
    pairs = usual(documents, generator)
    documents = with_sentences(documents)
    for number, document in enumerate(documents):
        pairs.append((document[-1], any_other(generator, documents, number, 0), False))
    return pairs


@mistake(pairs, "the loop reaches the last sentence of a document, which has no next one")
def beyond_the_end(documents, generator):
    pairs = []
    for number, document in enumerate(with_sentences(documents)):
        for place in range(len(document)):
            is_next = generator.random() < 0.5
            second = document[place + 1] if is_next else any_other(generator, documents, number, place)
            pairs.append((document[place], second, is_next))
    return pairs


@mistake(pairs, "each sentence is first in a positive and in a negative pair, expected in one of them")
def both_kinds(documents, generator):
    documents, pairs = with_sentences(documents), []
    for number, document in enumerate(documents):
        for place in range(len(document) - 1):
            pairs.append((document[place], document[place + 1], True))
            pairs.append((document[place], any_other(generator, documents, number, place), False))
    return pairs


@mistake(pairs, "every second sentence is skipped as the first of a pair")
def two_by_two(documents, generator):
    pairs = []
    documents = with_sentences(documents)
    for number, document in enumerate(documents):
        for place in range(0, len(document) - 1, 2):
            is_next = generator.random() < 0.5
            choose = next_one if is_next else any_other
            pairs.append((document[place], choose(generator, documents, number, place), is_next))
    return pairs


@mistake(pairs, "the first document is skipped")
@from_pairs
def skips_the_first_document(pairs, documents, generator):
    return [pair for pair in pairs if pair[0] not in documents[0]]


@mistake(pairs, "return is inside the loop, so that only the first document gives pairs")
@from_pairs
def returns_in_the_loop(pairs, documents, generator):
    return [pair for pair in pairs if pair[0] in next(document for document in documents if document)]


@mistake(pairs, "each document gives only one pair")
@from_pairs
def one_pair_of_each(pairs, documents, generator):
    return [pair for pair in pairs if any(pair[0] is document[0] for document in documents if document)]


@mistake(pairs, "pairs and labels are two lists, expected one list of (first, second, is_next)")
@from_pairs
def two_lists(pairs, documents, generator):
    return [pair[:2] for pair in pairs], [pair[2] for pair in pairs]


@mistake(pairs, "the labels are missing: expected (first, second, is_next)")
@from_pairs
def without_labels(pairs, documents, generator):
    return [pair[:2] for pair in pairs]


mistake(pairs, "the labels are strings, expected True and False").made_in(
    without_labels, words_for_labels={"pair[:2]": '(*pair[:2], "IsNext" if pair[2] else "NotNext")'}
)


@mistake(pairs, "the pairs contain positions, expected the sentences themselves")
@from_pairs
def places(pairs, documents, generator):
    return [(place, place + 1, pair[2]) for place, pair in enumerate(pairs)]


mistake(pairs, "there is no return").made_in(without_labels, nothing={"return [pair[:2] for pair in pairs]": "pass"})


@mistake(pairs, "the pairs are yielded, expected a list")
def yields(documents, generator):
    yield from usual(documents, generator)


@mistake(halves, "all pairs are positive")
@another("decide")
def always_next(generator, documents, number, place):
    return True


@mistake(halves, "all pairs are negative")
@another("decide")
def never_next(generator, documents, number, place):
    return False


@mistake(halves, "a pair is positive with probability 1/3, expected 1/2")
@another("decide")
def one_of_three(generator, documents, number, place):
    return generator.choice([True, False, False])


@mistake(halves, "a pair is positive with probability 3/4, expected 1/2")
@another("decide")
def three_of_four(generator, documents, number, place):
    return generator.random() < 0.75


@mistake(halves, "randint(0, 2) has three outcomes, so that a pair is positive with probability 1/3")
@another("decide")
def rounded(generator, documents, number, place):
    return generator.randint(0, 2) == 0


@mistake(halves, "positive and negative pairs alternate, expected a draw for each")
@another("decide")
def in_turn(generator, documents, number, place):
    return place % 2 == 0


@mistake(halves, "positive and negative documents alternate, expected a draw for each pair")
@another("decide")
def by_document(generator, documents, number, place):
    return number % 2 == 0


@mistake(halves, "one draw decides for all pairs, expected one for each")
def drawn_once(documents, generator):
    is_next = generator.random() < 0.5
    return made(decide=lambda *_: is_next)(documents, generator)


@mistake(halves, "one draw decides for all pairs of a document, expected one for each")
def drawn_for_each_document(documents, generator):
    drawn = [generator.random() < 0.5 for _ in documents]
    return made(decide=lambda _, __, number, ___: drawn[number])(documents, generator)


@mistake(halves, "positive and negative pairs alternate after one draw, expected a draw for each")
def in_turn_from_anywhere(documents, generator):
    turn = [generator.random() < 0.5]

    def decide(*_):
        turn[0] = not turn[0]
        return turn[0]

    return made(decide=decide)(documents, generator)


@mistake(halves, "exactly half of the pairs are positive, expected a draw for each")
def just_half(documents, generator):
    number = sum(max(0, len(document) - 1) for document in documents)
    labels = [place % 2 == 0 for place in range(number)]
    generator.shuffle(labels)
    return made(decide=lambda *_: labels.pop())(documents, generator)


@mistake(follows, "the labels are inverted: True means that the second sentence is the next one")
@from_pairs
def inverted(pairs, documents, generator):
    return [(first, second, not is_next) for first, second, is_next in pairs]


@mistake(follows, "the second sentence of a positive pair is the first one again")
@another("following")
def itself(generator, documents, number, place):
    return documents[number][place]


@mistake(follows, "the second sentence of a positive pair is the one before, expected the one after")
@another("following")
def the_one_before(generator, documents, number, place):
    return documents[number][place - 1]


@mistake(follows, "the second sentence of a positive pair is two further on, expected the next one")
@another("following")
def two_further(generator, documents, number, place):
    return documents[number][min(place + 2, len(documents[number]) - 1)]


@mistake(follows, "the second sentence of a positive pair is any later one, expected the next one")
@another("following")
def anything_after(generator, documents, number, place):
    return generator.choice(documents[number][place + 1 :])


@mistake(
    follows, "the second sentence of a positive pair is from the next document, expected the next sentence of its own"
)
@another("following")
def of_the_next_document(generator, documents, number, place):
    document = documents[(number + 1) % len(documents)]
    return document[min(place, len(document) - 1)]


@mistake(
    of_another_document, "the second sentence of a negative pair is drawn from all sentences, its own document's too"
)
@another("second")
def of_all_sentences(generator, documents, number, place):
    return generator.choice([sentence for document in documents for sentence in document])


@mistake(of_another_document, "the second sentence of a negative pair is drawn from any document, its own too")
@another("second")
def of_any_document(generator, documents, number, place):
    return generator.choice(generator.choice(documents))


@mistake(
    of_another_document, "the second sentence of a negative pair is drawn from the same document, expected another one"
)
@another("second")
def of_the_same_document(generator, documents, number, place):
    document = documents[number]
    return generator.choice(
        [sentence for other, sentence in enumerate(document) if other not in (place, place + 1)] or document
    )


@mistake(
    of_another_document,
    "the second sentence of a negative pair may be any but the next one, expected one of another document",
)
@another("second")
def anything_but_the_next(generator, documents, number, place):
    following = documents[number][place + 1]
    return generator.choice([s for document in documents for s in document if s is not following])


@mistake(seeded, "the draws are made without the given generator")
@another("decide")
def pythons_own(generator, documents, number, place):
    return random.random() < 0.5


@mistake(seeded, "the draws are made without the given generator")
@another("second")
def pythons_choice(generator, documents, number, place):
    return any_other(random, documents, number, place)


@mistake(seeded, "the draws are made without the given generator")
@another("decide")
def torchs_own(generator, documents, number, place):
    return torch.rand(()).item() < 0.5


@mistake(seeded, "the draws are made without the given generator")
@another("decide")
def numpys_own(generator, documents, number, place):
    return bool(np.random.rand() < 0.5)


def of_another_generator(begin):
    """The right answer with another generator."""

    @functools.wraps(begin)
    def make(documents, generator):
        return usual(documents, begin(generator))

    return make


@mistake(seeded, "a new generator with a fixed seed is used, expected the given one")
@of_another_generator
def always_zero(generator):
    return random.Random(0)


mistake(seeded, "a new generator without a seed is used, expected the given one").made_in(
    always_zero, unseeded={"random.Random(0)": "random.Random()"}
)
mistake(seeded, "Python's random module is seeded and used, expected the given generator").made_in(
    always_zero, seeds_python={"return random.Random(0)": "random.seed(generator.random()); return random"}
)


@mistake(others, "the second sentence of a negative pair is always the first of its document, expected any")
@another("second")
def first_of_another(generator, documents, number, place):
    return generator.choice([document for other, document in enumerate(documents) if other != number])[0]


@mistake(others, "the last sentence of a document is never drawn")
@another("second")
def never_the_last(generator, documents, number, place):
    document = generator.choice([document for other, document in enumerate(documents) if other != number])
    return document[generator.randrange(max(1, len(document) - 1))]


@mistake(others, "the second sentence of a negative pair is always from the next document, expected from any other")
@another("second")
def the_next_document(generator, documents, number, place):
    return generator.choice(documents[(number + 1) % len(documents)])


@mistake(others, "the second sentence of a negative pair is from a later document, expected from an earlier one too")
@another("second")
def a_later_document(generator, documents, number, place):
    return generator.choice(generator.choice(documents[number + 1 :] or documents[:1]))


@mistake(
    others, "the second sentence of a negative pair is from the first or the second document, expected from any other"
)
@another("second")
def the_first_or_the_second(generator, documents, number, place):
    return generator.choice(documents[int(number == 0)])


@mistake(others, "the second sentence of a negative pair is always the same, expected a random one")
@another("second")
def always_the_same(generator, documents, number, place):
    return documents[int(number == 0)][0]


@mistake(others, "one second sentence is drawn for all negative pairs of a document, expected one for each")
def one_for_all(documents, generator):
    kept = with_sentences(documents)
    drawn = [any_other(generator, kept, number, 0) for number in range(len(kept))]
    return made(second=lambda _, __, number, ___: drawn[number])(documents, generator)


@mistake(short, "documents of one sentence are never drawn from")
def short_left_out(documents, generator):
    def second(generator, documents, number, place):
        others = [document for other, document in enumerate(documents) if other != number]
        return generator.choice(
            generator.choice([d for d in others if len(d) > 1] or [d for d in others if len(d) > 1])
        )

    return made(second=second)([document for document in documents if len(document) != 1], generator)


@mistake(short, "a second sentence is drawn from an empty document")
def empty_drawn(documents, generator):
    if sum(bool(document) for document in documents) < 2:
        raise ValueError("too few")
    pairs = []
    for number, document in enumerate(documents):
        for place in range(len(document) - 1):
            is_next = generator.random() < 0.5
            choose = next_one if is_next else any_other
            pairs.append((document[place], choose(generator, documents, number, place), is_next))
    return pairs


@mistake(short, "an empty document counts as another document, expected the ValueError")
def counts_empty_ones(documents, generator):
    if len(documents) < 2:
        raise ValueError("too few")
    kept = [document for document in documents if document]
    return usual(kept, generator) if len(kept) > 1 else []


@mistake(short, "too few documents give an empty list, expected the ValueError")
def nothing_for_too_few(documents, generator):
    try:
        return usual(documents, generator)
    except ValueError:
        return []


@mistake(short, "too few documents fail an assert, expected the ValueError")
def asserts(documents, generator):
    assert sum(bool(document) for document in documents) > 1
    return usual(documents, generator)


@mistake(repeated, "the position of a sentence is looked up with index, which finds the first equal one")
def by_index(documents, generator):
    documents, pairs = with_sentences(documents), []
    for number, document in enumerate(documents):
        for sentence in document[:-1]:
            place = document.index(sentence)
            is_next = generator.random() < 0.5
            choose = next_one if is_next else any_other
            pairs.append((sentence, choose(generator, documents, number, place), is_next))
    return pairs


@mistake(repeated, "sentences are skipped if they equal the last one, expected only the last one itself")
def unlike_the_last(documents, generator):
    documents, pairs = with_sentences(documents), []
    for number, document in enumerate(documents):
        for place, sentence in enumerate(document):
            if sentence == document[-1]:
                continue
            is_next = generator.random() < 0.5
            choose = next_one if is_next else any_other
            pairs.append((sentence, choose(generator, documents, number, place), is_next))
    return pairs


@mistake(
    repeated, "sentences are looked up in a dict or put into a set, which needs hashable sentences that occur once"
)
def in_a_dict(documents, generator):
    documents = with_sentences(documents)
    following = {one: two for document in documents for one, two in itertools.pairwise(document)}
    return made(following=lambda _, d, number, place: following[d[number][place]])(documents, generator)


@mistake(left, "sentences are removed from the documents that were given")
def takes_away(documents, generator):
    pairs = usual(documents, generator)
    for document in documents:
        if document:
            document.pop()
    return pairs


mistake(left, "the documents that were given are shuffled").made_in(
    asserts, shuffles={"assert sum(bool(document) for document in documents) > 1": "generator.shuffle(documents)"}
)
mistake(left, "the documents that were given are reversed").made_in(
    asserts, turns_round={"assert sum(bool(document) for document in documents) > 1": "documents.reverse()"}
)


@mistake(
    in_chapter, "the label says whether the second sentence equals the next one, but a drawn one may be equal to it"
)
def asks_whether_it_is_the_next(documents, generator):
    pairs = usual(documents, generator)
    following = [after for document in documents for after in document[1:]]
    return [(first, second, second == after) for (first, second, _), after in zip(pairs, following, strict=True)]


@mistake(in_chapter, "sentences that equal the next one are never drawn, expected any sentence of another document")
@another("second")
def never_like_the_next(generator, documents, number, place):
    found = [s for other, document in enumerate(documents) if other != number for s in document]
    return generator.choice([s for s in found if s != documents[number][place + 1]] or found)


@mistake(in_chapter, "documents are told apart by their sentences, so that an equal one does not count as another")
@another("second")
def unequal_documents(generator, documents, number, place):
    return generator.choice(generator.choice([document for document in documents if document != documents[number]]))


mistake(pairs, "the labels are the numbers 1 and 0, expected True and False").made_in(
    inverted, numbers_for_labels={"not is_next": "int(is_next)"}
)
mistake(pairs, "each pair with its label is a list, expected a tuple (first, second, is_next)").made_in(
    without_labels, lists_for_tuples={"pair[:2]": "list(pair)"}
)
mistake(pairs, "the pairs are in a tuple, expected a list").made_in(
    without_labels, a_tuple={"[pair[:2] for pair in pairs]": "tuple(pairs)"}
)


@mistake(halves, "a pair is positive with probability 0.4, expected 1/2")
@another("decide")
def four_of_ten(generator, documents, number, place):
    return generator.random() < 0.4


@mistake(
    halves, "a pair is more often positive after a positive one than after a negative one, expected independent draws"
)
def with_memory(documents, generator):
    last = [generator.random() < 0.5]

    def decide(*_):
        if generator.random() < 0.4:
            last[0] = not last[0]
        return last[0]

    return made(decide=decide)(documents, generator)


@mistake(
    others,
    "the position of the second sentence is a rounded number, so the first and the last sentence come half as often as the others",
)
@another("second")
def rounded_sentence(generator, documents, number, place):
    document = generator.choice([document for other, document in enumerate(documents) if other != number])
    return document[round(generator.random() * (len(document) - 1))]


@mistake(
    others,
    "the number of the second sentence's document is rounded, so the first and the last document come half as often as the others",
)
@another("second")
def rounded_document(generator, documents, number, place):
    others = [document for other, document in enumerate(documents) if other != number]
    return generator.choice(others[round(generator.random() * (len(others) - 1))])


@mistake(
    others,
    "where the draw gives the sentence's own document, the next one is taken, which comes twice as often as others",
)
@another("second")
def the_next_instead(generator, documents, number, place):
    other = generator.randrange(len(documents))
    return generator.choice(documents[(other + (other == number)) % len(documents)])


@mistake(
    others,
    "where the draw gives the sentence's own document, the one before is taken, which comes twice as often as others",
)
@another("second")
def the_one_before_instead(generator, documents, number, place):
    other = generator.randrange(len(documents))
    return generator.choice(documents[other - (other == number)])


@mistake(others, "the second sentences are taken from a shuffled list, so none comes again before all others have come")
def from_a_shuffled_list(documents, generator):
    decks = {}

    def second(generator, documents, number, place):
        if not decks.get(number):
            decks[number] = [s for other, document in enumerate(documents) if other != number for s in document]
            generator.shuffle(decks[number])
        return decks[number].pop()

    return made(second=second)(documents, generator)


@right
def comprehension(documents, generator):
    kept = with_sentences(documents)
    return [
        (first, document[place + 1], True)
        if generator.choice("HT") == "H"
        else (first, any_other(generator, kept, number, place), False)
        for number, document in enumerate(kept)
        for place, first in enumerate(document[:-1])
    ]


@right
def until_it_is_another(documents, generator):
    documents, pairs = with_sentences(documents), []
    for number, document in enumerate(documents):
        for first, following in itertools.pairwise(document):
            other = number
            while other == number:
                other = generator.randrange(len(documents))
            if generator.getrandbits(1):
                pairs.append((first, following, True))
            else:
                pairs.append((first, documents[other][generator.randint(0, len(documents[other]) - 1)], False))
    return pairs


@right
def by_sentences(documents, generator):
    documents, pairs = with_sentences(documents), []
    for number, document in enumerate(documents):
        others = list(itertools.chain(*documents[:number], *documents[number + 1 :]))
        for place in range(1, len(document)):
            is_next = generator.uniform(-1, 1) >= 0
            pairs.append((document[place - 1], document[place] if is_next else generator.choice(others), is_next))
    return pairs


@right
def drawn_beforehand(documents, generator):
    documents = with_sentences(documents)
    places = [(number, place) for number, document in enumerate(documents) for place in range(len(document) - 1)]
    labels = generator.choices([True, False], k=len(places))
    seconds = [any_other(generator, documents, *place) for place in places]
    return [
        (documents[number][place], documents[number][place + 1] if is_next else second, is_next)
        for (number, place), is_next, second in zip(places, labels, seconds, strict=True)
    ]


@right
def in_another_order(documents, generator):
    pairs = usual(documents, generator)
    generator.shuffle(pairs)
    return pairs


@right
def numpy_seeded(documents, generator):
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
        return usual(documents, generator)


right(Pairs())


right(functools.partial(made(decide=lambda generator, *_: generator.random() >= 0.5)))
