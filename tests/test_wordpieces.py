"""What the chapter on BERT may rely on in the word pieces: the same ones each time, nothing lost, and batches of packed pairs."""

import subprocess
import sys

import pytest
import torch

from seqlab.presidents import NUMBER, load_speeches
from seqlab.wordpieces import (
    CLS,
    MASK,
    NUM_SPECIAL,
    PAD,
    SEP,
    SPECIALS,
    UNK,
    Pieces,
    document_of,
    load_pieces,
    pad_packed,
    pair_batches,
)

SMALL = Pieces([*SPECIALS, "flight", "##less", "bird", "##s", "a"])


@pytest.fixture(scope="module")
def pieces():
    return load_pieces()


def pack(first, second):
    return [CLS, *first, SEP, *second, SEP], [0] * (len(first) + 2) + [1] * (len(second) + 1)


class TestPieces:
    def test_cuts_and_joins(self):
        ids = SMALL.encode(["a", "flightless", "birds"])
        assert SMALL.tokens(ids) == ["a", "flight", "##less", "bird", "##s"]
        assert SMALL.decode(ids) == ["a", "flightless", "birds"]

    def test_an_unknown_word_is_one_piece(self):
        assert SMALL.encode(["flights", "flightful"]) == [5, 8, UNK]

    def test_specials_stand_apart(self):
        ids = torch.tensor([CLS, 5, MASK, 8, SEP, 9, SEP, PAD, PAD])
        assert SMALL.decode(ids) == ["[CLS]", "flight", "[MASK]", "##s", "[SEP]", "a", "[SEP]"]

    @pytest.mark.parametrize("i", [-1, 10])
    def test_refuses_ids_it_does_not_have(self, i):
        with pytest.raises(ValueError, match=f"id {i} is not in the vocabulary"):
            SMALL.tokens([i])

    def test_refuses_specials_elsewhere_and_pieces_twice(self):
        with pytest.raises(ValueError, match="first"):
            Pieces(["a", *SPECIALS])
        with pytest.raises(ValueError, match="1 twice"):
            Pieces([*SPECIALS, "a", "a"])


class TestLoadPieces:
    def test_has_the_specials_first_and_its_size(self, pieces):
        assert len(pieces) == 4_000
        assert pieces.pieces[:NUM_SPECIAL] == SPECIALS
        assert (PAD, UNK, CLS, SEP, MASK) == (0, 1, 2, 3, 4)

    def test_is_the_same_in_another_process(self, pieces):
        code = "from seqlab.wordpieces import load_pieces; print(*load_pieces().pieces)"
        other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert tuple(other.stdout.split()) == pieces.pieces

    def test_a_number_is_one_piece(self, pieces):
        assert pieces.tokens(pieces.encode([NUMBER])) == [NUMBER]

    def test_loses_nothing_of_unseen_speeches(self, pieces):
        for speech in load_speeches().test:
            for sentence in speech.sentences:
                assert pieces.decode(pieces.encode(sentence)) == list(sentence)

    def test_refuses_a_size_without_room_for_letters(self):
        with pytest.raises(ValueError, match="vocab_size is 20"):
            load_pieces(20)


class TestDocumentOf:
    def test_cuts_long_sentences_and_drops_none(self, pieces):
        speech = load_speeches().valid[0]
        document = document_of(speech, pieces, max_pieces=12)
        assert len(document) == len(speech.sentences)
        assert max(map(len, document)) == 12
        assert document[0] == pieces.encode(speech.sentences[0])[:12]

    def test_refuses_empty_sentences(self, pieces):
        with pytest.raises(ValueError, match="max_pieces is 0"):
            document_of(load_speeches().valid[0], pieces, max_pieces=0)


class TestBatches:
    def test_pads_tokens_segments_and_mask(self):
        tokens, segments, mask = pad_packed([pack([7], [8, 9]), pack([5, 6, 7, 8], [9])])
        assert tokens.tolist() == [[2, 7, 3, 8, 9, 3, 0, 0], [2, 5, 6, 7, 8, 3, 9, 3]]
        assert segments.tolist() == [[0, 0, 0, 1, 1, 1, 0, 0], [0, 0, 0, 0, 0, 0, 1, 1]]
        assert mask.sum(dim=1).tolist() == [6, 8] and mask[0, :6].all()

    def test_refuses_nothing_and_uneven_lists(self):
        with pytest.raises(ValueError, match="packed is empty"):
            pad_packed([])
        with pytest.raises(ValueError, match=r"packed\[0\] has 2 tokens and 1 segments"):
            pad_packed([([2, 3], [0])])

    def test_a_round_holds_each_pair_once_and_the_next_is_drawn_anew(self):
        rounds = []

        def draw(generator):
            rounds.append([([10 + i], [20 + generator.randrange(5)], i % 2 == 0) for i in range(10)])
            return rounds[-1]

        stream = pair_batches(draw, pack, batch_size=4)
        for drawn in (0, 1):
            batches = [next(stream) for _ in range(3)]
            found = [
                (row[1], row[3], follows)
                for batch in batches
                for row, follows in zip(batch.tokens.tolist(), batch.is_next.tolist(), strict=True)
            ]
            assert sorted(found) == sorted((a[0], b[0], int(c)) for a, b, c in rounds[drawn])

    def test_the_seed_decides(self):
        def draw(generator):
            return [([generator.randrange(5, 99)], [generator.randrange(5, 99)], True) for _ in range(8)]

        first, again, other = (next(pair_batches(draw, pack, batch_size=8, seed=s)).tokens for s in (0, 0, 1))
        assert torch.equal(first, again) and not torch.equal(first, other)

    def test_refuses_sizes_and_rounds_of_nothing(self):
        with pytest.raises(ValueError, match="batch_size is 0"):
            pair_batches(lambda generator: [], pack, batch_size=0)
        with pytest.raises(ValueError, match="draw_pairs gave no pairs"):
            next(pair_batches(lambda generator: [], pack))
