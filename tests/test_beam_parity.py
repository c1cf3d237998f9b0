"""The solution's beam search and Hugging Face's `generate`, with one module: the same sentences and log-probabilities.

The two differ in what becomes of a hypothesis that has ended. With us it keeps its place, and the beam narrows. `generate` puts
it on a list of its own, goes on with k others, and on the list a better one may take its place. So they find the same only
where this makes no difference: where nothing ends before the last word, where one place is all there is, and where there is a
place for every sentence.
"""

import math

import pytest
import torch

from seqlab.corpus import BOS, EOS, PAD
from solutions.ch06_decoding import beam_search
from tests.bench.beam import cached_step, ours, sources, theirs, translator

WORDS, LENGTH = 9, 7
SEEDS = range(3)
NEAR = {"abs": 1e-4, "rel": 1e-5}  # transformers adds up in float32

every_width = pytest.mark.parametrize("width", [2, 3, 5, 8])


@pytest.fixture(params=SEEDS)
def seed(request):
    return request.param


def small(seed, end=None, words=WORDS):
    """A small translator, and four sources of different lengths, the same for a seed."""
    shape = {"source_words": WORDS, "target_words": words, "size": 16, "layers": 2, "heads": 2}
    model = translator(**shape, sharpness=2.0, end=end, seed=seed)
    return model, *sources(4, 6, WORDS)


def their_hypotheses(given, width, words, gamma=0.0, **options):
    """What `generate` finds for each source, in its order, with scores: as many as it has, if there are fewer than places."""
    found = theirs(
        *given,
        width,
        words,
        length_penalty=gamma,
        num_return_sequences=width,
        return_dict_in_generate=True,
        output_scores=True,
        **options,
    )
    sentences = [written(sequence, given[0].config.eos_token_id) for sequence in found.sequences.tolist()]
    pairs = list(zip(sentences, found.sequences_scores.tolist(), strict=True))
    of_each = [pairs[start : start + width] for start in range(0, len(pairs), width)]
    return [[(words, score) for words, score in of_one if score > -1e6] for of_one in of_each]


def written(sequence, end):
    """The words of a sequence without its beginning, and without its end and what pads it, if it has one."""
    words = sequence[1:]
    return words[: words.index(end)] if end in words else words


def assert_same(mine, others):
    """The same sentences in the same order, and the same scores."""
    assert [[words for words, _ in of_one] for of_one in mine] == [[words for words, _ in of_one] for of_one in others]
    for of_one, of_other in zip(mine, others, strict=True):
        assert [score for _, score in of_one] == pytest.approx([score for _, score in of_other], **NEAR)


def by_words(hypotheses):
    return [sorted(of_one) for of_one in hypotheses]


class TestNothingEnds:
    @every_width
    @pytest.mark.parametrize("gamma", [0.0, 1.0])
    def test_same_hypotheses_and_scores(self, seed, width, gamma):
        given = small(seed)
        mine = ours(*given, width, LENGTH, gamma=gamma)
        assert {len(words) for of_one in mine for words, _ in of_one} == {LENGTH}
        assert_same(mine, their_hypotheses(given, width, LENGTH, gamma))

    @every_width
    def test_log_probabilities_are_those_of_the_sentences(self, seed, width):
        model, source, mask = small(seed)
        for row, hypotheses in enumerate(ours(model, source, mask, width, LENGTH)):
            read = torch.tensor([[BOS, *words[:-1]] for words, _ in hypotheses])
            of_row = {"input_ids": source[row].expand(width, -1), "attention_mask": mask[row].expand(width, -1)}
            with torch.inference_mode():
                log_probs = model(**of_row, decoder_input_ids=read).logits.log_softmax(dim=-1)  # (k, T, V)
            chosen = log_probs.gather(-1, torch.tensor([words for words, _ in hypotheses]).unsqueeze(-1))
            assert chosen.sum(dim=(1, 2)).tolist() == pytest.approx([score for _, score in hypotheses], **NEAR)

    def test_one_place(self, seed):
        given = small(seed)
        assert [of_one[0][0] for of_one in ours(*given, 1, LENGTH)] == theirs(*given, 1, LENGTH)[:, 1:].tolist()


class TestSomethingEnds:
    @every_width
    def test_ends_at_the_last_word_alone(self, seed, width):
        """Both take the best k of all there are then, and say in another order what has ended and what has not."""
        model, source, mask = given = small(seed, end=EOS)
        model.final_logits_bias[:, EOS] = 6.0
        others = their_hypotheses(given, width, LENGTH, min_new_tokens=LENGTH - 1, renormalize_logits=True)

        def step(word, state):
            logits, state = cached_step(word, state, model)
            if state[1][0].shape[2] < LENGTH:  # So many words were read.
                logits[..., EOS] = -math.inf
            return logits, state

        with torch.inference_mode():
            memory = model.get_encoder()(source, attention_mask=mask).last_hidden_state
            mine = beam_search(step, (mask, memory), BOS, EOS, width, LENGTH, gamma=0.0, batch_dim=0)
        assert any(len(words) < LENGTH for of_one in mine for words, _ in of_one)
        assert_same(by_words(mine), by_words(others))

    def test_one_place(self, seed):
        """What ends a sentence is the last word that was written for the first source when nothing did."""
        end = ours(*small(seed), 1, LENGTH)[0][0][0][-1]
        given = small(seed, end=end)
        mine = [of_one[0][0] for of_one in ours(*given, 1, LENGTH + 3, end=end)]
        assert len(mine[0]) < LENGTH
        assert mine == [written(sequence, end) for sequence in theirs(*given, 1, LENGTH + 3).tolist()]

    @pytest.mark.parametrize("gamma", [0.0, 0.7, 1.0])
    def test_a_place_for_every_sentence(self, seed, gamma):
        """Of four words that go on there are 64 sentences of three words that have not ended, and 21 that have."""
        given = small(seed, end=EOS, words=5)
        mine = ours(*given, 100, 3, end=EOS, gamma=gamma)
        assert [len(of_one) for of_one in mine] == [85] * 4
        assert_same(by_words(mine), by_words(their_hypotheses(given, 100, 3, gamma)))


def test_the_batch_has_sources_of_different_lengths(seed):
    _, source, mask = small(seed)
    assert len(mask.sum(dim=1).unique()) > 1
    assert (source == PAD).eq(mask == 0).all()
