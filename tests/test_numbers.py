"""The numbers of the chapter on sequence to sequence are spelled right, shared by no two sets, and run through the batches of the translation corpus."""

import itertools

import pytest

from seqlab.corpus import EOS, UNK, Corpus, batches, make_batch
from seqlab.numbers import join_words, load_numbers, number_pair, number_words


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return load_numbers(seed=3, train=1000, valid=100, test=200, max_digits=6)


@pytest.mark.parametrize(
    ("number", "spelled"),
    [
        (0, "zéro"),
        (16, "seize"),
        (21, "vingt et un"),
        (71, "soixante et onze"),
        (80, "quatre-vingts"),
        (81, "quatre-vingt-un"),
        (99, "quatre-vingt-dix-neuf"),
        (200, "deux cents"),
        (201, "deux cent un"),
        (1997, "mille neuf cent quatre-vingt-dix-sept"),
        (80_080, "quatre-vingt mille quatre-vingts"),
        (200_200, "deux cent mille deux cents"),
    ],
)
def test_numbers_are_spelled_as_french_spells_them(number: int, spelled: str) -> None:
    assert join_words(number_words(number)) == spelled


def test_words_are_cut_at_spaces_and_before_hyphens() -> None:
    assert number_words(1997) == ("mille", "neuf", "cent", "quatre", "-vingt", "-dix", "-sept")


def test_a_pair_has_the_digits_one_by_one_and_no_links() -> None:
    pair = number_pair(407)
    assert pair.source == ("4", "0", "7")
    assert pair.target == ("quatre", "cent", "sept")
    assert not pair.sure and not pair.possible


def test_refuses_a_negative_number() -> None:
    with pytest.raises(ValueError, match="number is -1"):
        number_pair(-1)


def test_sizes_and_digits(corpus: Corpus) -> None:
    assert (len(corpus.train), len(corpus.valid), len(corpus.test)) == (1000, 100, 200)
    held_out = corpus.valid + corpus.test
    assert {len(pair.source) for pair in held_out} == {3, 4, 5, 6}
    assert not any(pair.source[0] == "0" for pair in held_out)
    assert not corpus.has_links


@pytest.mark.parametrize("seed", range(3))
def test_no_number_is_shared_between_sets(seed: int) -> None:
    corpus = load_numbers(seed=seed, train=1000, valid=150, test=150)
    for one, other in itertools.combinations((corpus.train, corpus.valid, corpus.test), 2):
        assert {pair.source for pair in one}.isdisjoint(pair.source for pair in other)
        assert {pair.target for pair in one}.isdisjoint(pair.target for pair in other)
    assert len(set(corpus.train)) == len(corpus.train)


def test_every_number_below_a_hundred_is_learnt(corpus: Corpus) -> None:
    assert {str(number) for number in range(100)} <= {"".join(pair.source) for pair in corpus.train}


@pytest.mark.parametrize("seed", range(3))
def test_no_word_of_a_held_out_number_is_unknown(seed: int) -> None:
    corpus = load_numbers(seed=seed)
    for pair in corpus.valid + corpus.test:
        assert UNK not in corpus.source_vocab.encode(pair.source) + corpus.target_vocab.encode(pair.target)
    assert len(corpus.target_vocab) < 50


def test_the_seed_decides() -> None:
    one, same, other = (load_numbers(seed=seed, train=200) for seed in (1, 1, 2))
    assert (one.train, one.valid, one.test) == (same.train, same.valid, same.test)
    assert one.train != other.train


def test_more_numbers_to_learn_from_leave_the_other_sets_alone() -> None:
    small, large = load_numbers(train=200), load_numbers(train=400)
    assert (small.valid, small.test) == (large.valid, large.test)
    assert small.train == large.train[:200]


def test_runs_through_the_batches_of_the_translation_corpus(corpus: Corpus) -> None:
    batch = next(batches(corpus.train, corpus, batch_size=16))
    assert batch.source.shape[0] == batch.target_in.shape[0] == 16
    batch = make_batch([number_pair(1997)], corpus)
    assert corpus.source_vocab.decode(batch.source[0]) == ["1", "9", "9", "7"]
    assert batch.target_out[0, -1] == EOS
    assert join_words(corpus.target_vocab.decode(batch.target_out[0])) == "mille neuf cent quatre-vingt-dix-sept"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"train": 99}, "train is 99: ask for at least 100"),
        ({"valid": -1}, "valid is -1"),
        ({"test": -1}, "test is -1"),
        ({"max_digits": 2}, "max_digits is 2"),
        ({"max_digits": 10}, "max_digits is 10"),
        ({"max_digits": 3, "train": 1000}, "too few numbers of 3 to 3 digits"),
    ],
)
def test_refuses_what_it_cannot_give(arguments: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        load_numbers(**arguments)
