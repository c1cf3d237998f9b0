"""The homographs' contexts are balanced: nothing but the cue, which comes later, says which French word is meant."""

import os
import subprocess
import sys
from collections import Counter
from itertools import pairwise
from math import log
from pathlib import Path

import pytest

from seqlab import lexicon
from seqlab.homographs import GAPS, HOMOGRAPHS, Example, HomographCorpus, draw_examples, load_homographs

ROOT = Path(__file__).resolve().parent.parent
SMALL = {"train": 3, "valid": 1, "test": 2}


@pytest.fixture(scope="module")
def small() -> HomographCorpus:
    return load_homographs(**SMALL)


def everything(corpus: HomographCorpus) -> tuple[Example, ...]:
    return corpus.train + corpus.valid + corpus.test


def twins(examples: tuple[Example, ...]) -> list[tuple[Example, Example]]:
    return [pair for i, pair in enumerate(pairwise(examples)) if i % 2 == 0]


class TestWords:
    def test_there_are_fifteen_with_two_french_words_each(self):
        assert len(HOMOGRAPHS) == len({homograph.english for homograph in HOMOGRAPHS}) == 15
        french = [sense.noun.french for homograph in HOMOGRAPHS for sense in homograph.senses]
        assert len(set(french)) == 30

    @pytest.mark.parametrize("homograph", HOMOGRAPHS, ids=lambda homograph: homograph.english)
    def test_no_cue_occurs_twice_among_a_homographs_and_none_is_a_homograph(self, homograph):
        cues = [
            cue
            for sense in homograph.senses
            for kind in (sense.adjectives, sense.nouns)
            for group in kind
            for cue in group
        ]
        assert len({cue.english for cue in cues}) == len(cues) == 16
        assert not {cue.english for cue in cues} & {each.english for each in HOMOGRAPHS}

    def test_no_cue_is_translated_by_a_word_that_also_translates_a_homograph(self):
        ours = {sense.noun.french for homograph in HOMOGRAPHS for sense in homograph.senses}
        nouns = {noun.french for h in HOMOGRAPHS for sense in h.senses for group in sense.nouns for noun in group}
        assert not ours & nouns

    def test_what_the_lexicon_has_too_has_the_same_french_there(self):
        known = {noun.english: (noun.french, noun.gender) for noun in lexicon.NOUNS}
        for homograph in HOMOGRAPHS:
            for noun in (noun for sense in homograph.senses for group in sense.nouns for noun in group):
                if noun.english in known and noun.english != "ball":  # there un ballon, here the one for a racket
                    assert (noun.french, noun.gender) == known[noun.english]


class TestBalance:
    def test_each_homograph_sense_gap_and_group_is_as_frequent_as_any_other(self, small):
        for name, size in SMALL.items():
            counts = Counter((e.word, e.sense, e.gap, e.group) for e in getattr(small, name))
            assert len(counts) == 15 * 2 * len(GAPS) * 2
            assert set(counts.values()) == {size}

    def test_twins_are_the_same_but_for_the_cue_and_have_one_sense_each(self, small):
        for first, second in twins(everything(small)):
            assert (first.sense, second.sense) == (0, 1)
            assert (first.word, first.place, first.gap, first.group) == (
                second.word,
                second.place,
                second.gap,
                second.group,
            )
            differ = [
                i
                for i, words in enumerate(zip(first.pair.source, second.pair.source, strict=True))
                if len(set(words)) == 2
            ]
            assert differ == [first.place + first.gap]

    @pytest.mark.parametrize(("read", "share"), [("before the word", 0.5), ("before the cue", 0.5), ("all", 0.99)])
    def test_a_bag_of_words_is_at_chance_until_it_reads_the_cue(self, small, read, share):
        def bag(example: Example) -> tuple[str, ...]:
            end = {"before the word": example.place, "before the cue": example.place + example.gap}.get(read)
            return example.pair.source[:end]

        counts = Counter((e.word, e.sense, word) for e in small.train for word in bag(e))
        points = 0.0
        for example in small.test:  # naive Bayes; a tie is half a point
            scores = [sum(log(counts[example.word, s, word] + 0.1) for word in bag(example)) for s in (0, 1)]
            ahead = scores[example.sense] - scores[1 - example.sense]
            points += 0.5 if abs(ahead) < 1e-9 else ahead > 0
        accuracy = points / len(small.test)
        assert accuracy == share if share == 0.5 else accuracy > share


class TestExamples:
    def test_say_where_the_word_and_its_cue_stand(self, small):
        for example in everything(small):
            source = example.pair.source
            assert source[example.place] == example.word
            assert source[example.place + example.gap] == example.cue
            assert source.count(example.word) == source.count(example.cue) == 1
            assert example.gap in GAPS

    def test_have_one_of_the_two_french_words_linked_to_the_english_one(self, small):
        for example in everything(small):
            assert example.pair.target.count(example.right) == 1
            assert example.wrong not in example.pair.target
            assert (example.place, example.pair.target.index(example.right)) in example.pair.sure

    def test_have_the_cues_of_their_group(self, small):
        found = {(e.word, e.sense, e.group): set() for e in everything(small)}
        for example in everything(small):
            found[example.word, example.sense, example.group].add(example.cue)
        for homograph in HOMOGRAPHS:
            for sense, each in enumerate(homograph.senses):
                for group in (0, 1):
                    cues = {cue.english for kind in (each.adjectives, each.nouns) for cue in kind[group]}
                    assert found[homograph.english, sense, group] <= cues

    @pytest.mark.parametrize(
        ("english", "french"),
        [
            ("was the bank grassy ?", "est-ce que la rive était herbeuse ?"),
            ("was the bank bankrupt ?", "est-ce que la banque était en faillite ?"),
            ("is the trunk that he noticed locked ?", "est-ce que la malle qu' il a remarquée est verrouillée ?"),
            ("the nail would never be rusty .", "le clou ne serait jamais rouillé ."),
            ("this pupil was never polite but he smiled .", "cet élève n' était jamais poli mais il a souri ."),
            (
                "the girl noticed this trunk this morning after imagining this wardrobe .",
                "la fille a remarqué cette malle ce matin après avoir imaginé cette armoire .",
            ),
            (
                "the racket that they noticed is never near this siren .",
                "le vacarme qu' ils ont remarqué n' est jamais près de cette sirène .",
            ),
            (
                "we imagined the bat that paul described but he imagined the owl .",
                "nous avons imaginé la chauve-souris que paul a décrite mais il a imaginé le hibou .",
            ),
        ],
    )
    def test_are_french_as_the_french_speak_it(self, english, french):
        found = {" ".join(example.pair.source): " ".join(example.pair.target) for example in load_homographs().test}
        assert found[english] == french

    def test_cross_rivers_and_streets(self, small):
        starts = {
            example.pair.source[: example.place] for example in everything(small) if "crossing" in example.pair.source
        }
        assert any(start[-3:-1] == ("arrived", "at") for start in starts)


class TestSets:
    def test_share_no_english_sentence_and_repeat_none(self, small):
        sources = [example.pair.source for example in everything(small)]
        assert len(set(sources)) == len(sources)

    def test_are_the_corpus_too_whose_words_are_all_known(self, small):
        assert small.corpus.test == tuple(example.pair for example in small.test)
        whole = load_homographs()
        for example in whole.valid + whole.test:
            assert set(example.pair.source) <= set(whole.corpus.source_vocab.words)
            assert set(example.pair.target) <= set(whole.corpus.target_vocab.words)

    def test_follow_from_the_seed_alone(self, small):
        code = "from seqlab.homographs import draw_examples; print([e.pair.source for e in draw_examples(7, 1)])"
        runs = [
            subprocess.run(
                [sys.executable, "-c", code],
                env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT / "notebooks")},
                capture_output=True,
                text=True,
                check=True,
            ).stdout
            for seed in ("1", "2")
        ]
        assert runs[0] == runs[1]
        assert draw_examples(7, 1) == draw_examples(7, 1)
        assert {e.pair.source for e in draw_examples(7, 1)} != {e.pair.source for e in draw_examples(8, 1)}

    def test_avoid_what_they_are_told_to(self):
        first = draw_examples(1, 1)
        again = draw_examples(1, 1, avoid={example.pair.source for example in first})
        assert not {example.pair.source for example in first} & {example.pair.source for example in again}

    def test_of_impossible_sizes_are_refused(self, monkeypatch):
        with pytest.raises(ValueError, match="ask for at least 1"):
            draw_examples(0, 0)
        monkeypatch.setattr("seqlab.homographs._MOST_FAILURES", 1)
        with pytest.raises(ValueError, match="too few sentences"):
            draw_examples(0, 1)
