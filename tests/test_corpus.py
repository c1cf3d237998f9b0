"""The corpus is the same for the same seed, shares no sentence between its sets, and becomes right tensors."""

import itertools

import pytest
import torch
from seqlab.corpus import BOS, EOS, PAD, UNK, Corpus, Pair, Vocabulary, batches, load_corpus, make_batch


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return load_corpus(seed=3, train=1500, valid=200, test=150, max_words=12)


def test_sizes_and_lengths(corpus: Corpus) -> None:
    assert (len(corpus.train), len(corpus.valid), len(corpus.test)) == (1500, 200, 150)
    assert max(len(pair.source) for pair in corpus.train + corpus.valid + corpus.test) <= 12
    assert all(pair.source[-1] == pair.target[-1] == "." for pair in corpus.train)


@pytest.mark.parametrize("seed", range(4))
def test_no_sentence_is_shared_between_sets(seed: int) -> None:
    corpus = load_corpus(seed=seed, train=1500, valid=200, test=200, max_words=6)
    sets = (corpus.train, corpus.valid, corpus.test)
    for one, other in itertools.combinations(sets, 2):
        assert {pair.source for pair in one}.isdisjoint(pair.source for pair in other), f"seed {seed}"
        assert {pair.target for pair in one}.isdisjoint(pair.target for pair in other), f"seed {seed}"
    assert all(len({pair.source for pair in pairs}) == len(pairs) for pairs in sets), f"seed {seed}"


def test_the_seed_decides() -> None:
    sizes = {"train": 50, "valid": 10, "test": 10}
    one, same, other = load_corpus(seed=1, **sizes), load_corpus(seed=1, **sizes), load_corpus(seed=2, **sizes)
    assert (one.train, one.valid, one.test) == (same.train, same.valid, same.test)
    assert one.source_vocab.words == same.source_vocab.words
    assert one.train != other.train


def test_more_training_pairs_leave_the_other_sets_alone() -> None:
    small, large = (load_corpus(seed=5, train=size, valid=20, test=20) for size in (30, 60))
    assert (small.valid, small.test) == (large.valid, large.test)
    assert small.train == large.train[:30]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"train": 0}, "train is 0: ask for at least 1"),
        ({"valid": -1}, "valid is -1"),
        ({"test": -5}, "test is -5"),
        ({"max_words": 2}, "max_words is 2: the shortest sentence has 3 words"),
        ({"max_words": 3, "train": 5000}, "too few sentences of at most 3 words"),
    ],
)
def test_refuses_what_it_cannot_give(arguments: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        load_corpus(**arguments)


def test_held_out_sets_may_be_empty() -> None:
    corpus = load_corpus(train=10, valid=0, test=0)
    assert (corpus.valid, corpus.test) == ((), ())


# The vocabulary


def test_vocabulary_round_trip(corpus: Corpus) -> None:
    for pair in corpus.train:
        assert corpus.source_vocab.decode(corpus.source_vocab.encode(pair.source)) == list(pair.source)
        assert corpus.target_vocab.decode(corpus.target_vocab.encode(pair.target)) == list(pair.target)


def test_vocabulary_comes_from_the_training_set_alone(corpus: Corpus) -> None:
    assert set(corpus.source_vocab.words[4:]) == {word for pair in corpus.train for word in pair.source}
    assert set(corpus.target_vocab.words[4:]) == {word for pair in corpus.train for word in pair.target}


def test_vocabulary_orders_words_by_frequency_then_alphabet() -> None:
    vocabulary = Vocabulary([["b", "a", "c"], ["c", "b"], ["c"]])
    assert vocabulary.words[4:] == ["c", "b", "a"]
    assert vocabulary.encode(["a", "b", "zebra"]) == [6, 5, UNK]
    assert len(vocabulary) == 7
    assert Vocabulary([["y", "x"]]).words[4:] == ["x", "y"]


def test_decode_stops_at_eos_and_drops_pad_and_bos() -> None:
    vocabulary = Vocabulary([["a", "b"]])
    assert vocabulary.decode([BOS, 4, PAD, 5, EOS, 4]) == ["a", "b"]
    assert vocabulary.decode(torch.tensor([BOS, 4, UNK, EOS, PAD])) == ["a", "<unk>"]


@pytest.mark.parametrize("wrong", [-1, 6])
def test_decode_refuses_an_unknown_id(wrong: int) -> None:
    with pytest.raises(ValueError, match=f"id {wrong} is not in the vocabulary"):
        Vocabulary([["a", "b"]]).decode([4, wrong])


# Batches


def test_a_batch_holds_its_pairs(corpus: Corpus) -> None:
    pairs = corpus.train[:7]
    batch = make_batch(pairs, corpus)
    longest_source, longest_target = (
        max(len(words) for words in side) for side in zip(*map(sides, pairs), strict=True)
    )
    assert batch.source.shape == batch.source_mask.shape == (7, longest_source)
    assert batch.target_in.shape == batch.target_out.shape == batch.target_mask.shape == (7, longest_target + 1)
    assert batch.source.dtype == batch.target_in.dtype == batch.target_out.dtype == torch.long
    assert batch.source_lengths.dtype == torch.long
    assert batch.source_mask.dtype == batch.target_mask.dtype == torch.bool
    assert batch.pairs == pairs
    for row, pair in enumerate(pairs):
        source, target = corpus.source_vocab.encode(pair.source), corpus.target_vocab.encode(pair.target)
        assert batch.source[row].tolist() == source + [PAD] * (longest_source - len(source))
        assert batch.source_mask[row].tolist() == [True] * len(source) + [False] * (longest_source - len(source))
        assert batch.source_lengths[row] == len(source)
        padding = longest_target - len(target)
        assert batch.target_in[row].tolist() == [BOS, *target] + [PAD] * padding
        assert batch.target_out[row].tolist() == [*target, EOS] + [PAD] * padding
        assert batch.target_mask[row].tolist() == [True] * (len(target) + 1) + [False] * padding


def sides(pair: Pair) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return pair.source, pair.target


def test_a_batch_moves_whole(corpus: Corpus) -> None:
    moved = make_batch(corpus.train[:2], corpus).to("meta")
    names = ("source", "source_mask", "source_lengths", "target_in", "target_out", "target_mask")
    assert all(getattr(moved, name).device.type == "meta" for name in names)
    assert make_batch(corpus.train[:2], corpus, "meta").source.device.type == "meta"


def test_unknown_words_of_other_sets_become_unk() -> None:
    corpus = load_corpus(train=5, valid=50, test=0)
    batch = make_batch(corpus.valid, corpus)
    assert (batch.source == UNK).any()
    assert not (batch.source[~batch.source_mask] != PAD).any()


def test_batches_go_through_every_pair_once_a_round_in_a_new_order(corpus: Corpus) -> None:
    pairs = corpus.train[:10]
    stream = batches(pairs, corpus, batch_size=4, seed=1)
    rounds = [[pair for batch in itertools.islice(stream, 3) for pair in batch.pairs] for _ in range(3)]
    assert all(sorted(r, key=str) == sorted(pairs, key=str) for r in rounds)
    assert rounds[0] != rounds[1] != rounds[2]
    assert [len(batch.pairs) for batch in itertools.islice(batches(pairs, corpus, batch_size=4), 4)] == [4, 4, 2, 4]


def test_batches_follow_their_seed_and_leave_the_pairs_alone(corpus: Corpus) -> None:
    pairs = list(corpus.train[:20])
    before = list(pairs)
    one, same, other = (next(batches(pairs, corpus, batch_size=8, seed=seed)) for seed in (1, 1, 2))
    assert one.pairs == same.pairs != other.pairs
    assert pairs == before


def test_batches_refuse_what_they_cannot_use(corpus: Corpus) -> None:
    with pytest.raises(ValueError, match="pairs is empty"):
        make_batch([], corpus)
    with pytest.raises(ValueError, match="pairs is empty"):
        batches([], corpus)
    with pytest.raises(ValueError, match="batch_size is 0"):
        batches(corpus.train, corpus, batch_size=0)
    with pytest.raises(ValueError, match="empty sentence"):
        make_batch([Pair((), (".",), frozenset(), frozenset())], corpus)
