"""The reader's own BLEU and sacreBLEU's, on sentences as awkward as hypothesis can find them."""

from pathlib import Path

import jupytext
import pytest
import sacrebleu
from hypothesis import example, given, settings
from hypothesis import strategies as st

from solutions.ch07_bleu import brevity_penalty, clipped_precision, corpus_bleu, sentence_bleu, smoothed_bleu

PARTS = clipped_precision, brevity_penalty
METHODS = ["none", "floor", "add-k", "exp"]  # as sacreBLEU names them
# Few words, so that n-grams repeat and match; some that a tokeniser would cut, change or merge.
WORDS = ["le", "chat", "le.", "m'", "a", "A", "-", "'", "<unk>", "été"]

sentences = st.one_of(
    st.lists(st.sampled_from(WORDS), min_size=4, max_size=12),
    st.lists(st.sampled_from(WORDS[:2]), min_size=4, max_size=12),  # many repeated n-grams
    st.integers(0, 9).map(lambda length: WORDS[:1] * length),  # nothing but repetition
    st.lists(st.sampled_from(WORDS), max_size=3),  # shorter than n
)


@st.composite
def near_each_other(draw):
    """Words with references that share stretches with them, some as much longer as others are shorter."""
    words = draw(sentences)
    cut = draw(st.integers(0, 3))
    longer, shorter = words + draw(st.lists(st.sampled_from(WORDS), min_size=cut, max_size=cut)), words[cut:]
    return words, draw(st.permutations([longer, shorter, draw(sentences)]))


def corpora(draw, several):
    """Candidates, and as many references for each as for any other, which is what sacreBLEU takes."""
    number = draw(st.integers(1, 3))
    pairs = []
    for _ in range(draw(st.integers(1, several))):
        words, references = draw(near_each_other())
        stammer = words + words[: draw(st.integers(1, 5))]  # It says more often what a reference says once.
        candidate = draw(st.one_of(st.just(words), st.just(stammer), sentences))
        pairs.append((candidate, references[:number]))
    return [candidate for candidate, _ in pairs], [references for _, references in pairs]


corpus = st.composite(lambda draw: corpora(draw, 4))()
sentence = st.composite(lambda draw: corpora(draw, 1))()
thoroughly = settings(max_examples=300, deadline=None, database=None)


def sacre(candidates, references, method, effective):
    """sacreBLEU's score; it wants the first reference of every sentence, then the second of every sentence."""
    streams = [[" ".join(words) for words in of_one] for of_one in zip(*references, strict=True)]
    metric = sacrebleu.BLEU(tokenize="none", smooth_method=method, effective_order=effective, force=True)
    return metric.corpus_score([" ".join(words) for words in candidates], streams)


def ours(candidates, references, method, effective):
    """The general function on counts that the exercises' solutions make."""
    counted = [[clipped_precision(c, r, n) for c, r in zip(candidates, references, strict=True)] for n in range(1, 5)]
    matches, totals = ([sum(pair[part] for pair in of_n) for of_n in counted] for part in (0, 1))
    return smoothed_bleu(matches, totals, brevity_penalty(candidates, references), method, effective)


def near(number):
    return pytest.approx(number, abs=1e-9, rel=0)


class TestCorpus:
    @thoroughly
    @given(corpus)
    @example(([[]], [[[]]]))
    @example(([["a"], []], [[["a"]], [["a", "a"]]]))
    @example(([["a"] * 5], [[["a"] * 7, ["a"] * 3]]))  # a tie in length: 3 counts, so nothing is paid
    def test_score_counts_and_penalty_are_sacrebleus(self, drawn):
        candidates, references = drawn
        want = sacre(candidates, references, "none", False)
        for n in range(1, 5):
            found = [clipped_precision(c, r, n) for c, r in zip(candidates, references, strict=True)]
            assert [sum(part) for part in zip(*found, strict=True)] == [want.counts[n - 1], want.totals[n - 1]]
        if any(candidates):  # Without any words ours is 0, and so is either score.
            assert brevity_penalty(candidates, references) == near(want.bp)
        assert corpus_bleu(candidates, references, *PARTS) == near(want.score)
        tuples = tuple(map(tuple, candidates)), tuple(tuple(map(tuple, several)) for several in references)
        assert corpus_bleu(*tuples, *PARTS) == near(want.score)

    @thoroughly
    @given(corpus)
    def test_every_way_of_smoothing_is_sacrebleus(self, drawn):
        for method in METHODS:
            for effective in (True, False):
                want = sacre(*drawn, method, effective).score
                assert ours(*drawn, method, effective) == near(want), (method, effective)


class TestSentence:
    @thoroughly
    @given(sentence)
    @example(([[]], [[["a"]]]))
    @example(([["a", "a"]], [[["a"]]]))
    def test_score_and_every_way_of_smoothing_are_sacrebleus(self, drawn):
        (candidate,), (references,) = drawn
        written = [" ".join(words) for words in references]
        scores = {}
        for method in METHODS:
            metric = sacrebleu.BLEU(tokenize="none", smooth_method=method, effective_order=True, force=True)
            scores[method] = metric.sentence_score(" ".join(candidate), written).score
            assert ours(*drawn, method, True) == near(scores[method]), method
        assert sentence_bleu(candidate, references, *PARTS) == near(scores["exp"])


def test_the_text_shows_the_general_function_as_it_was_tested():
    checkout = Path(__file__).parent.parent
    cells = jupytext.read(checkout / "book" / "ch07_bleu.md", fmt="md:myst").cells
    shown = (checkout / "solutions" / "ch07_bleu" / "smoothing.py").read_text(encoding="utf-8")
    function = shown[shown.index("def smoothed_bleu") :].strip()
    assert [cell.source for cell in cells if "def smoothed_bleu" in cell.source] == [function]
