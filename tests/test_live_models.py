"""Models that run on a page: what the browser computes is what PyTorch computes, and a reader can use them with keys alone."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from bs4 import BeautifulSoup
from selenium.webdriver.common.keys import Keys

from autograder.building.live_models import EXAMPLES, as_script, load_translator, make_live, translated, words_of
from seqlab.corpus import Corpus, load_corpus
from seqlab.transformer import RecurrentTranslator
from tests.browser import Browser, served

STATIC = Path(__file__).resolve().parent.parent / "book" / "_static"
SENTENCES = [
    *map(words_of, EXAMPLES),
    words_of("they rest."),
    words_of(
        "because the old wolf is hiding behind the white house, the goats that are drinking some milk cannot sleep."
    ),
]
READ = "network.read(Uint8Array.from(atob(network.files[arguments[0]]), (letter) => letter.charCodeAt(0)))"


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return load_corpus()


@pytest.fixture(scope="module")
def translator(corpus: Corpus) -> RecurrentTranslator:
    return load_translator(corpus)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page with the translator on it and nothing else."""
    folder = tmp_path_factory.mktemp("live")
    for name in ("network.js", "live.js", "live.css"):
        shutil.copy(STATIC / name, folder)
    head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>A model</title>'
    head += '<link rel="stylesheet" href="live.css"><script src="network.js"></script><script src="live.js"></script>'
    body = f'<main class="bd-article"><h1>A model</h1>{make_live("translator", folder)}</main>'
    (folder / "page.html").write_text(f'<!doctype html><html lang="en"><head>{head}</head><body>{body}</body></html>')
    return folder


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    with served(site) as found:
        yield f"{found}/page.html"


@pytest.fixture
def page(browser: Browser, address: str) -> Browser:
    browser.show(1280, "light")
    browser.open(address)
    return browser


def type_in(browser: Browser, sentence: str) -> None:
    """Type a sentence in place of the one that is there, and send it off."""
    browser.one(".live input[type=text]").click()
    browser.press(Keys.END, *[Keys.BACKSPACE] * 120, sentence, Keys.ENTER)


def french(browser: Browser, sentence: str) -> str:
    """The translation on the page of a sentence that is typed."""
    browser.run("document.querySelector('.live-said').textContent = ''")
    type_in(browser, sentence)
    return browser.until(lambda: browser.one(".live-said strong").text, "the translation")


def shown(browser: Browser, selector: str) -> list[str]:
    return [found.text for found in browser.all(selector)]


@pytest.mark.parametrize("words", SENTENCES, ids=" ".join)
def test_the_page_translates_as_pytorch_does(
    page: Browser, corpus: Corpus, translator: RecurrentTranslator, words: list[str]
) -> None:
    page.run("document.querySelector('.live input').focus()")
    page.until(lambda: page.run("return 'translator' in network.files"), "the model")
    steps = page.run(
        f"return [...network.translate({READ}, arguments[1])].map((step) => ({{...step, weights: [...step.weights]}}))",
        "translator",
        words,
    )
    target, probabilities, weights = translated(translator, corpus, words)
    assert [step["word"] for step in steps] == target
    torch.testing.assert_close(torch.tensor([step["probability"] for step in steps]), probabilities, atol=1e-4, rtol=0)
    torch.testing.assert_close(torch.tensor([step["weights"] for step in steps]), weights, atol=1e-4, rtol=0)


def test_numbers_of_half_precision_arrive_as_they_are(page: Browser) -> None:
    """The smallest, the largest, both zeros and those that no weight of the models happens to have."""
    halves = torch.tensor([0, 0x8000, 1, 0x03FF, 0x0400, 0x3C00, 0xBC00, 0x3555, 0x7BFF, 0xFBFF], dtype=torch.int32)
    numbers = halves.to(torch.uint16).view(torch.float16)
    page.run(as_script("few", {"few": numbers.reshape(2, 5)}, {"words": ["é", "”"]}))
    read = page.run(f"const {{few, words}} = {READ}; return [few.shape, [...few.values], words]", "few")
    assert read == [[2, 5], numbers.tolist(), ["é", "”"]]


def test_without_the_script_there_is_a_picture_and_what_it_shows_in_words(site: Path) -> None:
    place = BeautifulSoup((site / "page.html").read_text(encoding="utf-8"), "html.parser").select_one(".live")
    assert place is not None
    assert "noir looks most at black" in place.svg["aria-label"]
    assert {"chat", "noir", "black"} <= {text.text for text in place.svg.select("text")}
    assert "747 English words" in place.select_one("p.live-about").text
    assert (
        json.loads(place.select_one("script").text)["bytes"]
        == (site / "models" / "translator.js").stat().st_size
        < 4_000_000
    )


def test_the_model_is_not_loaded_before_somebody_uses_it(page: Browser) -> None:
    assert shown(page, ".live-words label")[:4] == ["le", "petit", "chat", "noir"]
    assert not page.run("return 'translator' in network.files")
    page.one(".live input[type=text]").click()
    page.until(lambda: page.run("return 'translator' in network.files"), "the model")


def test_a_page_from_the_disk_translates_too(browser: Browser, site: Path) -> None:
    browser.show(1280, "light")
    browser.open((site / "page.html").as_uri())
    assert french(browser, "the black cat is sleeping.") == "le chat noir dort."


def test_a_reader_needs_only_keys(page: Browser) -> None:
    page.press(Keys.TAB)
    page.press(*[Keys.BACKSPACE] * 60, "the red car is behind the white house", Keys.ENTER)
    assert page.one(".live-said strong").text == "la voiture rouge est derrière la maison blanche."
    while not page.run("return document.activeElement.matches('.live-words input')"):
        page.press(Keys.TAB)
    page.press(Keys.SPACE, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    assert "“rouge” has probability" in page.one(".live-looked").text
    assert "looks at “red” (0." in page.one(".live-looked").text
    assert page.run("return getComputedStyle(document.activeElement.parentElement).outlineStyle") == "solid"
    page.press(Keys.TAB, Keys.ENTER)
    table = page.one(".live-table table")
    assert table.text.split("\n")[0].split() == ["the", "red", "car", "is", "behind", "the", "white", "house", "."]
    assert len(page.all(".live-table tbody tr")) == 9


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("Emma’s cat doesn't sleep", "emma 's cat does not sleep ."),
        ("I'm hungry; they won't come.", "i am hungry ; they will not come ."),
        ('He says: "it\'s cold".', 'he says : " it is cold " .'),
    ],
)
def test_a_sentence_may_be_written_as_people_write(page: Browser, typed: str, read: str) -> None:
    french(page, typed.replace(";", ","))
    assert shown(page, "ul.live-words li") == read.replace(";", ",").split()


def test_an_unknown_word_is_named_and_a_known_one_offered(page: Browser) -> None:
    type_in(page, "the kitten is in the hous")
    told = page.until(lambda: page.one(".live-said").text, "what is unknown")
    page.until(lambda: "does not know" in page.one(".live-said").text, "what is unknown")
    told = page.one(".live-said").text
    assert "“kitten”, “hous”" in told
    offers = {button.get_attribute("aria-label"): button for button in page.all(".live-said button")}
    offers["house for hous"].click()
    page.until(lambda: "hous”" not in page.one(".live-said").text, "the rest")
    page.one(".live-said button").click()
    assert page.one(".live-said strong").text == "la cuisine est dans la maison."


def test_the_words_that_it_knows_can_be_read(page: Browser, corpus: Corpus) -> None:
    page.one(".live-known summary").click()
    listed = page.one(".live-known p").text.split(", ")
    assert set(listed) == {word for word in corpus.source_vocab.words if word.isalpha()}


def test_nothing_typed_is_markup(page: Browser) -> None:
    type_in(page, "<img src=x onerror=alert(1)>")
    page.until(lambda: "“img”" in page.one(".live-said").text, "what is unknown")
    assert not page.all(".live img")


def test_a_sentence_that_is_too_long_is_refused(page: Browser) -> None:
    type_in(page, " ".join(["the cat"] * 21))
    page.until(lambda: "up to 40" in page.one(".live-said").text, "the limit")


def test_a_model_that_does_not_come_is_told_and_can_be_tried_again(
    browser: Browser, site: Path, tmp_path: Path
) -> None:
    folder = shutil.copytree(site, tmp_path / "site")
    (folder / "models" / "translator.js").rename(tmp_path / "translator.js")
    with served(folder) as address:
        browser.show(1280, "light")
        browser.open(f"{address}/page.html")
        type_in(browser, "they rest.")
        browser.until(lambda: "could not be loaded" in browser.one(".live-said").text, "what is missing")
        (tmp_path / "translator.js").rename(folder / "models" / "translator.js")
        assert french(browser, "they rest.") == "ils se reposent."


def test_on_a_phone_the_words_stand_in_two_columns_and_nothing_is_cut_off(page: Browser) -> None:
    page.show(390, "dark")
    page.until(lambda: page.all(".live-beside"), "two columns")
    assert page.run("return document.documentElement.scrollWidth") <= 390
    left, right = (page.one(f"{kind}.live-words").rect for kind in ("ul", "fieldset"))
    assert left["x"] + left["width"] < right["x"]
    assert page.violations() == []


def test_an_unknown_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no model 'poet' .* the models are translator"):
        make_live("poet", tmp_path)
