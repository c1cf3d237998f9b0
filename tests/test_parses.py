"""Trees of the grammar, written with brackets."""

from itertools import accumulate

from seqlab import lexicon as lex
from seqlab.grammar import Clause, Joined, Tense, VerbPhrase
from seqlab.parses import brackets, load_parses

SAYS = Clause(lex.I, VerbPhrase(lex.SAY, Tense.PRESENT))
KNOWS_ME = Clause(lex.I, VerbPhrase(lex.KNOW, Tense.PRESENT, object=lex.I))


def test_a_phrase_that_contains_no_other_is_its_label_alone():
    assert " ".join(brackets(SAYS)) == "(S NP VP )"
    assert " ".join(brackets(KNOWS_ME)) == "(S NP (VP NP ) )"


def test_clauses_come_in_the_order_of_the_english_words():
    assert " ".join(brackets(Joined(SAYS, lex.BECAUSE, KNOWS_ME))) == "(S (S NP VP ) (S NP (VP NP ) ) )"
    assert " ".join(brackets(Joined(SAYS, lex.BECAUSE, KNOWS_ME, fronted=True))) == "(S (S NP (VP NP ) ) (S NP VP ) )"


def test_loading_gives_distinct_sentences_with_closed_brackets():
    corpus = load_parses(train=200, valid=20, test=30)
    pairs = (*corpus.train, *corpus.valid, *corpus.test)
    assert [len(corpus.train), len(corpus.valid), len(corpus.test)] == [200, 20, 30]
    assert len({pair.source for pair in pairs}) == len(pairs)
    for pair in pairs:
        assert len(pair.source) <= 10
        depths = list(accumulate((token[0] == "(") - (token == ")") for token in pair.target))
        assert depths[-1] == 0
        assert all(depth > 0 for depth in depths[:-1])


def test_the_same_seed_gives_the_same_corpus():
    assert load_parses(train=50, valid=5, test=5).train == load_parses(train=50, valid=5, test=5).train
    assert load_parses(train=50, valid=5, test=5).train != load_parses(seed=1, train=50, valid=5, test=5).train
