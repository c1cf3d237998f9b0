"""What chapters may rely on in the speeches: how they are cut and split, and what the batches hold."""

import itertools

import pytest
import torch

from seqlab.corpus import BOS, EOS, PAD, UNK, Vocabulary
from seqlab.language_model import LanguageModel, next_word_loss, word_log_probs
from seqlab.presidents import (
    NUMBER,
    cbow_batches,
    load_speeches,
    make_sentence_batch,
    sentence_batches,
    sentences_of,
    skip_gram_batches,
    split_sentences,
)

SENTENCES = [("he", "hit", "me", "with", "a", "pie", "."), ("we", "are"), ("it", "is", "so", ".")]
VOCAB = Vocabulary(SENTENCES)


@pytest.fixture(scope="module")
def speeches():
    return load_speeches()


class TestSplitSentences:
    def test_lowers_words_and_ends_at_marks(self):
        found = split_sentences("We are at war. Are we now? It's so: yes!")
        assert [" ".join(words) for words in found] == ["we are at war .", "are we now ?", "it's so : yes !"]

    def test_no_sentence_ends_at_an_abbreviation(self):
        [found] = split_sentences("Mr. J. Smith of the U.S. Navy saw St. Louis.")
        assert " ".join(found) == "mr. j. smith of the u.s. navy saw st. louis ."

    def test_no_is_also_a_word(self):
        assert len(split_sentences("I say no. You say no. 5 is yes.")) == 2

    @pytest.mark.parametrize("number", ["7", "1,500,000", "4.5", "1834-01-01", "30th"])
    def test_every_number_is_one_word(self, number):
        assert split_sentences(f"In {number} we won.") == [("in", NUMBER, "we", "won", ".")]

    def test_headings_and_remarks_are_left_out(self):
        found = split_sentences(
            "National Defense\nII.\nThe President. We are ready.\n[Laughter] We are [so] strong. [see APP Note]"
        )
        assert [" ".join(words) for words in found] == ["we are ready .", "we are so strong ."]


class TestLoadSpeeches:
    def test_has_every_address(self, speeches):
        every = [*speeches.train, *speeches.valid, *speeches.test]
        assert len(every) == 237
        assert min(speech.year for speech in every) == 1790
        assert all(speech.sentences for speech in every)

    def test_sets_share_no_year(self, speeches):
        sets = [{speech.year for speech in part} for part in (speeches.train, speeches.valid, speeches.test)]
        for one, other in itertools.combinations(sets, 2):
            assert not one & other

    def test_held_out_sets_span_the_centuries(self, speeches):
        for part in (speeches.valid, speeches.test):
            years = [speech.year for speech in part]
            assert years[0] < 1820
            assert years[-1] > 2000
            assert len(part) == 19

    def test_vocabulary_is_that_of_training(self, speeches):
        assert len(speeches.vocab) == 8_004
        train = {word for speech in speeches.train for sentence in speech.sentences for word in sentence}
        assert set(speeches.vocab.words[4:]) <= train

    def test_asks_for_a_word_at_least(self):
        with pytest.raises(ValueError, match="vocab_size is 0"):
            load_speeches(0)


class TestBatches:
    def test_targets_are_the_inputs_one_place_on(self):
        batch = make_sentence_batch(SENTENCES, VOCAB)
        assert batch.inputs.shape == batch.targets.shape == batch.mask.shape == (3, 8)
        assert batch.inputs[:, 0].tolist() == [BOS] * 3
        assert torch.equal(batch.inputs[:, 1:][batch.mask[:, 1:]], batch.targets[:, :-1][batch.mask[:, 1:]])
        assert batch.mask.sum(dim=1).tolist() == [8, 3, 5]
        assert batch.targets[1].tolist()[2:] == [EOS] + [PAD] * 5

    def test_unknown_words_are_marked(self):
        assert make_sentence_batch([("he", "hums")], VOCAB).targets[0, 1] == UNK

    def test_rounds_hold_every_sentence_and_follow_the_seed(self):
        drawn = [sentence_batches(SENTENCES, VOCAB, batch_size=2, seed=seed) for seed in (1, 1)]
        one, same = (list(itertools.islice(each, 4)) for each in drawn)
        assert all(torch.equal(a.inputs, b.inputs) for a, b in zip(one, same, strict=True))
        words = sum(int(batch.mask.sum()) for batch in one[:2])
        assert words == sum(len(sentence) + 1 for sentence in SENTENCES)

    @pytest.mark.parametrize("arguments", [{"sentences": []}, {"batch_size": 0}])
    def test_says_what_is_wrong(self, arguments):
        given = {"sentences": SENTENCES, "vocab": VOCAB} | arguments
        with pytest.raises(ValueError, match="at least"):
            sentence_batches(**given)

    def test_long_sentences_are_left_out(self, speeches):
        assert max(map(len, sentences_of(speeches.valid, max_words=30))) == 30


class TestSkipGramBatches:
    def test_neighbours_are_of_the_same_sentence_and_near(self):
        draws = skip_gram_batches(SENTENCES, VOCAB, window=2, negatives=3, batch_size=500)
        center, context, negatives = next(draws)
        assert negatives.shape == (500, 3)
        allowed = set()
        for sentence in SENTENCES:
            ids = VOCAB.encode(sentence)
            allowed |= {(a, b) for i, a in enumerate(ids) for j, b in enumerate(ids) if 0 < abs(i - j) <= 2}
        assert set(zip(center.tolist(), context.tolist(), strict=True)) == allowed

    def test_negatives_follow_frequency(self, speeches):
        drawn = next(skip_gram_batches(sentences_of(speeches.valid), speeches.vocab, batch_size=4000))[2]
        the, rare = speeches.vocab.encode(["the", "optimistic"])
        assert (drawn == the).sum() > 100 > (drawn == rare).sum()

    @pytest.mark.parametrize("size", ["window", "negatives", "batch_size"])
    def test_refuses_sizes_below_one(self, size):
        with pytest.raises(ValueError, match=f"{size} is 0"):
            skip_gram_batches(SENTENCES, VOCAB, **{size: 0})

    def test_needs_a_word_with_a_neighbour(self):
        with pytest.raises(ValueError, match="neighbour"):
            skip_gram_batches([("alone",)], VOCAB)


class TestBagsOfWords:
    def test_all_neighbours_of_the_sentence_and_no_other(self):
        center, context, negatives = next(cbow_batches(SENTENCES, VOCAB, window=2, negatives=3, batch_size=500))
        assert negatives.shape == (500, 3)
        allowed = set()
        for sentence in SENTENCES:
            ids = VOCAB.encode(sentence)
            for i, word in enumerate(ids):
                allowed.add((word, tuple(ids[j] if 0 <= j < len(ids) else PAD for j in (i - 2, i - 1, i + 1, i + 2))))
        assert {
            (word, tuple(beside)) for word, beside in zip(center.tolist(), context.tolist(), strict=True)
        } == allowed

    def test_draws_the_negatives_of_the_skip_gram(self, speeches):
        given = sentences_of(speeches.valid), speeches.vocab
        drawn = next(cbow_batches(*given, batch_size=4000))[2]
        the, rare = speeches.vocab.encode(["the", "optimistic"])
        assert (drawn == the).sum() > 100 > (drawn == rare).sum()

    def test_refuses_what_skip_grams_refuse(self):
        with pytest.raises(ValueError, match="window is 0"):
            cbow_batches(SENTENCES, VOCAB, window=0)


class TestLanguageModel:
    @pytest.fixture
    def model(self):
        torch.manual_seed(0)
        return LanguageModel(1_500, 8, 12).eval()

    def test_probabilities_sum_to_one(self, model):
        states, (h, cell) = model(torch.randint(1_500, (2, 5)))
        assert states.shape == (2, 5, 12)
        assert h.shape == cell.shape == (1, 2, 12)
        total = model.output.log_prob(states[0]).exp().sum(dim=-1)
        torch.testing.assert_close(total, torch.ones(5))

    def test_loss_is_the_mean_over_real_words(self, model):
        log_probs, mask = word_log_probs(model, SENTENCES, VOCAB)
        loss = next_word_loss(model, make_sentence_batch(SENTENCES, VOCAB))
        torch.testing.assert_close(-log_probs[mask].mean(), loss)
        assert (log_probs[~mask] == 0).all()

    def test_batches_do_not_change_a_sentence(self, model):
        together, mask = word_log_probs(model, SENTENCES * 50, VOCAB)
        alone, _ = word_log_probs(model, SENTENCES[2:], VOCAB)
        torch.testing.assert_close(together[149][mask[149]], alone[0])
