"""The corpus is the same for the same seed, shares no sentence between its sets, and becomes right tensors."""

import itertools
import random
import re
from pathlib import Path

import pytest
import torch

import seqlab.corpus
from autograder.building.corpora import stale_corpora
from seqlab.corpus import BOS, EOS, PAD, UNK, Corpus, Pair, Vocabulary, batches, load_corpus, make_batch
from seqlab.own_corpus import own_pairs, tokenize
from seqlab.pair_file import read_pairs, write_pairs
from seqlab.sampler import draw_pair as _drawn


@pytest.fixture(autouse=True)
def no_corpus_of_ones_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SEQLAB_CORPUS", raising=False)


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return load_corpus(seed=3, train=1500, valid=200, test=150, max_words=12)


def test_sizes_and_lengths(corpus: Corpus) -> None:
    assert (len(corpus.train), len(corpus.valid), len(corpus.test)) == (1500, 200, 150)
    assert max(len(pair.source) for pair in corpus.train + corpus.valid + corpus.test) <= 12
    assert all(pair.source[-1] == pair.target[-1] for pair in corpus.train)
    assert {pair.source[-1] for pair in corpus.train} == {".", "?"}
    assert corpus.has_links
    assert all(pair.sure for pair in corpus.train)


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


def test_what_is_stored_is_what_the_grammar_draws() -> None:
    assert stale_corpora() == []


def test_a_chapters_corpus_is_read_from_its_file_and_any_other_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = {"train": 10_000, "max_words": 20}
    drawn = []
    monkeypatch.setattr(seqlab.corpus, "draw_pair", lambda *_: drawn.append(1) or _drawn(*_))
    corpus = load_corpus(**asked)
    assert drawn == []
    assert (len(corpus.train), len(corpus.valid), len(corpus.test)) == (10_000, 500, 1_000)
    other = load_corpus(**asked | {"train": 20})
    assert drawn
    assert (other.train, other.valid, other.test) == (corpus.train[:20], corpus.valid, corpus.test)


def test_pairs_come_back_from_a_file_as_they_were(corpus: Corpus, tmp_path: Path) -> None:
    pairs = [*corpus.valid, Pair(("a", "."), (".",), frozenset(), frozenset({(1, 0)}))]
    for name in ("one", "other"):
        write_pairs(pairs, tmp_path / name)
    assert read_pairs(tmp_path / "one") == pairs
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes(), "the same pairs make the same bytes"


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


def test_a_vocabulary_may_leave_out_rare_words_and_keep_the_most_frequent() -> None:
    sentences = [["a", "b", "c"], ["a", "b", "d"], ["a"]]
    assert Vocabulary(sentences, at_least=2).words[4:] == ["a", "b"]
    assert Vocabulary(sentences, at_most=3).words[4:] == ["a", "b", "c"]
    assert Vocabulary(sentences, at_least=2).encode(["b", "c"]) == [5, UNK]


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
    sizes = [len(batch.pairs) for batch in itertools.islice(batches(pairs, corpus, batch_size=4), 6)]
    assert sorted(sizes[:3]) == sorted(sizes[3:]) == [2, 4, 4]


def test_every_pair_occurs_once_a_round_over_several_pools(corpus: Corpus) -> None:
    pairs = corpus.train[:1013]
    stream = batches(pairs, corpus, batch_size=4, seed=2)
    for _ in range(2):
        round_ = [pair for batch in itertools.islice(stream, 254) for pair in batch.pairs]
        assert sorted(round_, key=str) == sorted(pairs, key=str)


def test_batches_hold_little_padding_and_come_in_no_order_of_length(corpus: Corpus) -> None:
    pairs = corpus.train
    drawn = list(itertools.islice(batches(pairs, corpus, batch_size=16, seed=3), 94))
    padding = sum(int((~batch.source_mask).sum()) for batch in drawn)
    plain = [make_batch(pairs[i : i + 16], corpus) for i in range(0, len(pairs), 16)]
    assert padding < 0.2 * sum(int((~batch.source_mask).sum()) for batch in plain)
    widths = [batch.source.shape[1] for batch in drawn]
    assert widths != sorted(widths)
    assert len(set(widths[:10])) > 3


def test_batches_follow_their_seed_and_leave_the_pairs_alone(corpus: Corpus) -> None:
    pairs = list(corpus.train)
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


# A corpus of one's own


def lines(number: int, word: str) -> list[str]:
    """Sentences that differ, of words that come back."""
    return [f"The {word} {word}{i % 7} sees {word}{i}." for i in range(number)]


@pytest.fixture
def two_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    source, target = tmp_path / "train.en", tmp_path / "train.fr"
    source.write_text("\n".join(lines(300, "cat")) + "\n", encoding="utf-8")
    target.write_text("\n".join(lines(300, "chat")) + "\n", encoding="utf-8")
    monkeypatch.setenv("SEQLAB_CORPUS", f"{source},{target}")
    return source, target


def everything(corpus: Corpus) -> list[Pair]:
    return [*corpus.train, *corpus.valid, *corpus.test]


def test_two_aligned_files_become_a_corpus_without_links(two_files: tuple[Path, Path]) -> None:
    corpus = load_corpus()
    assert (len(corpus.train), len(corpus.valid), len(corpus.test)) == (240, 30, 30)
    assert not corpus.has_links
    assert corpus.name == "train.en, train.fr"
    for pair in everything(corpus):
        assert pair.target == tuple(word.replace("cat", "chat") for word in pair.source)
        assert pair.sure == pair.possible == frozenset()
    assert len({pair.source for pair in everything(corpus)}) == 300


def test_sizes_are_upper_limits_and_the_seed_decides(two_files: tuple[Path, Path]) -> None:
    one, same, other = (load_corpus(train=100, valid=20, test=10, seed=seed) for seed in (1, 1, 2))
    assert (len(one.train), len(one.valid), len(one.test)) == (100, 20, 10)
    assert (one.train, one.valid, one.test) == (same.train, same.valid, same.test)
    assert one.train != other.train


def test_words_that_occur_once_are_unknown(two_files: tuple[Path, Path]) -> None:
    corpus = load_corpus()
    assert "sees" in corpus.source_vocab.words
    assert "cat250" not in corpus.source_vocab.words
    batch = next(batches(corpus.train, corpus, batch_size=8))
    assert (batch.source == UNK).any()


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("tail", ["", "\n", "\n\n\n"])
def test_tab_separated_pairs_with_any_line_ends_mark_and_third_column(
    newline: str, tail: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [
        f"{a}\t{b}\tCC-BY 2.0 (France) #{i}"
        for i, (a, b) in enumerate(zip(lines(50, "cat"), lines(50, "chat"), strict=True))
    ]
    path = tmp_path / "fra.txt"
    path.write_bytes(("\ufeff" + "\n".join(rows) + tail).replace("\n", newline).encode())
    monkeypatch.setenv("SEQLAB_CORPUS", str(path))
    corpus = load_corpus()
    assert len(everything(corpus)) == 50
    assert all(pair.source[0] == "the" and pair.target[-1] == "." for pair in everything(corpus))
    assert corpus.name == "fra.txt"


def test_aligned_files_with_windows_line_ends_and_blank_lines(two_files: tuple[Path, Path]) -> None:
    source, target = two_files
    source.write_bytes(b"\xef\xbb\xbfOne.\r\n\r\nTwo.\r\nThree.\r\n\r\n\r\n")
    target.write_bytes(b"Un.\nVide.\n\nTrois.\n")
    pairs = own_pairs(f"{source}, {target}", 40)
    assert [(pair.source, pair.target) for [pair] in pairs] == [
        (("one", "."), ("un", ".")),
        (("three", "."), ("trois", ".")),
    ]


def test_long_pairs_and_repeated_ones_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv"
    path.write_text("A cat.\tUn chat.\na cat .\tun chat .\nA b c d\tx\nx\ta b c d\nA cat.\tLe chat.\n\t\n", "utf-8")
    assert [(len(pair.source), pair.target) for [pair] in own_pairs(str(path), 3)] == [
        (3, ("un", "chat", ".")),
        (3, ("le", "chat", ".")),
    ]


@pytest.mark.parametrize("seed", range(5))
def test_no_sentence_is_shared_between_sets_of_ones_own(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    generator = random.Random(seed)
    rows = [f"s {generator.randrange(60)}\tt {generator.randrange(60)}" for _ in range(150)]
    path = tmp_path / "pairs.tsv"
    path.write_text("\n".join(rows), encoding="utf-8")
    monkeypatch.setenv("SEQLAB_CORPUS", str(path))
    corpus = load_corpus(seed=seed)
    assert corpus.train and corpus.valid and corpus.test, f"seed {seed}"
    for one, other in itertools.combinations((corpus.train, corpus.valid, corpus.test), 2):
        assert {pair.source for pair in one}.isdisjoint(pair.source for pair in other), f"seed {seed}"
        assert {pair.target for pair in one}.isdisjoint(pair.target for pair in other), f"seed {seed}"


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"a": b"one\ntwo\n", "b": b"un\n"}, r"a has 2 lines and .*b 1: aligned files need as many"),
        ({"a": b"one\n"}, r"b cannot be read \(No such file or directory\)"),
        ({"a": b"one\n" * 30, "b": "caf\xe9\n".encode("latin-1") * 30}, r"b is not UTF-8 at byte 3"),
        ({"a": b"one\n" * 30, "b": b"un\n" * 30}, r"has 1 different pairs of at most 40 words: .* at least 20"),
        ({"a": b"one\n" * 30, "b": b"\n".join(b"%d" % i for i in range(30))}, r"repeats so many sentences"),
    ],
)
def test_refuses_files_that_do_not_fit(
    files: dict[str, bytes], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    monkeypatch.setenv("SEQLAB_CORPUS", f"{tmp_path / 'a'},{tmp_path / 'b'}")
    with pytest.raises(ValueError, match=message):
        load_corpus()


def test_refuses_a_line_without_a_tab_and_three_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "pairs.tsv"
    path.write_text("a\tb\n\nno tab here\n", encoding="utf-8")
    monkeypatch.setenv("SEQLAB_CORPUS", str(path))
    with pytest.raises(ValueError, match=r"line 3 of .*pairs.tsv has no tab"):
        load_corpus()
    monkeypatch.setenv("SEQLAB_CORPUS", "a,b,c")
    with pytest.raises(ValueError, match="names 3 files"):
        load_corpus()


@pytest.mark.parametrize(
    ("sentence", "words"),
    [
        ("L’ami d'Anne n'est pas là.", "l' ami d' anne n' est pas là ."),
        ("Aujourd’hui, qu'il vienne !", "aujourd'hui , qu' il vienne !"),
        ("Jusqu'au soir, lorsqu'elle dort", "jusqu' au soir , lorsqu' elle dort"),
        ("Est-ce que ta grand-mère dort ?", "est-ce que ta grand-mère dort ?"),
        ("Marie's cat isn't here; I'm sure.", "marie 's cat isn't here ; i 'm sure ."),
        ("«\u00a0Non\u00a0», dit-il...", "« non » , dit-il ..."),
        ("It costs 3.50 (or 1,000)!", "it costs 3.50 ( or 1,000 ) !"),
        ("cafe\u0301 à 10 h", "café à 10 h"),
        ("Größe: 5 m.", "größe : 5 m ."),
        ("", ""),
    ],
)
def test_tokenize(sentence: str, words: str) -> None:
    assert " ".join(tokenize(sentence)) == words


def test_the_tokens_are_the_grammars(corpus: Corpus) -> None:
    for pair in corpus.train:
        for words in (pair.source, pair.target):
            spaced = " ".join(words)
            written = re.sub(r" ('s|[.,?])", r"\1", re.sub(r"(\w') ", r"\1", spaced)).capitalize()
            assert tokenize(spaced) == words
            assert tokenize(written) == words
