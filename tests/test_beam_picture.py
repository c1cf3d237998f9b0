"""The picture of a beam that grows: what it says, what it refuses, and how a reader drives it."""

from html.parser import HTMLParser
from math import log

import pytest
import torch
from selenium.webdriver.common.keys import Keys
from torch import Tensor

from seqlab.beam_picture import beam_picture
from seqlab.corpus import EOS
from seqlab.picture import Picture
from tests.browser import Browser, picture_page, tops_by_choice

LE, UN, CHAT, CHIEN = range(4, 8)
VOCABULARY = ["<pad>", "<bos>", "<eos>", "<unk>", "le", "un", "chat", "chien"]
# The model of the chapter's example by hand: the probability of each word after a beginning; after all others, the end is certain.
AFTER = {
    (): {LE: 0.6, UN: 0.4},
    (LE,): {CHAT: 0.5, CHIEN: 0.45},
    (UN,): {CHAT: 0.9, CHIEN: 0.1},
    (LE, CHAT): {EOS: 0.6, CHIEN: 0.3},
    (UN, CHAT): {EOS: 0.9, CHIEN: 0.1},
}
# What a beam of two holds after one step, two steps and so on.
HELD = [
    {(LE,): 0.6, (UN,): 0.4},
    {(UN, CHAT): 0.36, (LE, CHAT): 0.3},
    {(UN, CHAT): 0.324, (LE, CHAT): 0.18},
]
GROWN = [[(words, log(chance)) for words, chance in held.items()] for held in HELD]


def next_log_probs(words: tuple[int, ...]) -> Tensor:
    chances = torch.zeros(len(VOCABULARY))
    for word, chance in AFTER.get(words, {EOS: 1.0}).items():
        chances[word] = chance
    return chances.log()


def picture(grown: list[list[tuple[tuple[int, ...], float]]] = GROWN, title: str = "A beam") -> Picture:
    return beam_picture(grown, next_log_probs, VOCABULARY, title=title)


class _Read(HTMLParser):
    """What stands in a page, and in which of its parts that belong to a step."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.drawn: dict[str, list[str]] = {}
        self.inside = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "g":
            self.inside = dict(attrs)["class"] or ""
        if tag == "script":
            raise AssertionError("the picture has a script")

    def handle_data(self, data: str) -> None:
        self.drawn.setdefault(self.inside, []).append(data)


def test_it_says_in_words_what_happens_at_each_step() -> None:
    assert repr(picture()).splitlines() == [
        "A beam",
        "Step 1. On the beam: “le” −0.51, “un” −0.92.",
        "Step 2. On the beam: “un chat” −1.02, “le chat” −1.20. Cut off: “le chien” −1.31.",
        "Step 3. Ended: “un chat <eos>” −1.13, “le chat <eos>” −1.71. Cut off: “le chat chien” −2.41."
        + " The most probable in the end: “un chat <eos>” −1.13.",
    ]


def test_what_has_ended_is_drawn_once_and_counted_from_then_on() -> None:
    grown = [*GROWN[:2], [((UN, CHAT), log(0.324)), ((LE, CHAT, CHIEN), log(0.09))]]
    grown.append([((UN, CHAT), log(0.324)), ((LE, CHAT, CHIEN), log(0.09))])
    said = picture(grown).text.splitlines()
    assert said[3].startswith("Step 3. On the beam: “le chat chien” −2.41. Ended: “un chat <eos>” −1.13.")
    assert said[4].startswith("Step 4. Already ended: 1. Ended: “le chat chien <eos>” −2.41.")


def test_all_that_was_on_the_beam_is_drawn_and_said_at_its_step() -> None:
    html = picture().html
    drawn = _Read(html).drawn
    for step, held in enumerate(HELD, 1):
        for words, chance in held.items():
            word = VOCABULARY[(*words, EOS)[step - 1]]
            assert {word, f"{log(chance):.2f}".replace("-", "−")} <= set(drawn[f"step-{step}"])
    for said in picture().text.splitlines()[1:]:
        assert said.replace("<", "&lt;").replace(">", "&gt;") in html


def test_words_and_titles_are_no_markup() -> None:
    html = picture(title="<script>alert(1)</script>").html
    assert "<script>" not in html
    assert "<eos>" not in html


def test_pictures_of_one_page_have_names_of_their_own() -> None:
    one, other = (picture(title=title).html.split('"')[1] for title in ("one", "other"))
    assert one != other


@pytest.mark.parametrize(
    ("grown", "told"),
    [
        ([], "grown is empty"),
        ([GROWN[0], []], "after step 2 there is no hypothesis"),
        ([GROWN[1]], "after step 1 a hypothesis has 2 words: it can have 1 at most"),
        ([GROWN[0], [((CHIEN, CHAT), -1.0)]], "“chien chat”, which goes on from nothing that was on the beam"),
        ([GROWN[0], GROWN[1], [((LE, CHIEN), -1.0)]], "“le chien <eos>”, which goes on from nothing"),
        ([[((LE,), 0.6)]], "“le” has the score 0.60, and its words have the sum −0.51: search with the exponent 0"),
    ],
)
def test_what_no_search_can_have_found_is_refused(grown: list[list[tuple[tuple[int, ...], float]]], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        picture(grown)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    return picture_page(picture().html, tmp_path_factory.mktemp("picture"))


def shown(browser: Browser) -> list[str]:
    """The texts that are shown, and the classes of the parts of the drawing that are."""
    texts = [text.text.split(".")[0] for text in browser.all(".said") if text.is_displayed()]
    return texts + [part.get_attribute("class") for part in browser.all("svg g") if part.is_displayed()]


def test_a_reader_goes_from_step_to_step_by_keys(browser: Browser, address: str) -> None:
    browser.show(1280, "light")
    browser.open(address)
    assert shown(browser) == ["Step 3", "step-1", "step-2", "step-3"]
    browser.press(Keys.TAB)
    assert browser.run("return getComputedStyle(document.activeElement).outlineStyle") == "solid"
    browser.press(Keys.ARROW_RIGHT)
    assert shown(browser) == ["Step 1", "step-1"]
    browser.press(Keys.ARROW_RIGHT)
    assert shown(browser) == ["Step 2", "step-1", "step-2"]
    browser.press(Keys.ARROW_LEFT)
    assert shown(browser) == ["Step 1", "step-1"]


def test_the_drawing_stays_where_it_is(browser: Browser, address: str) -> None:
    browser.show(390, "light")
    browser.open(address)
    assert len(set(tops_by_choice(browser))) == 1


def test_without_style_sheets_all_of_it_is_there(browser: Browser, address: str) -> None:
    browser.open(address)
    browser.run("document.querySelector('style').remove()")
    assert shown(browser) == ["Step 1", "Step 2", "Step 3", "step-1", "step-2", "step-3"]


@pytest.mark.parametrize(("width", "mode"), [(1280, "light"), (390, "dark")])
def test_axe_finds_nothing_wrong_and_it_fits(browser: Browser, address: str, width: int, mode: str) -> None:
    browser.show(width, mode)
    browser.open(address)
    assert browser.violations() == []
    assert browser.run("return document.documentElement.scrollWidth") <= width


def test_it_asks_nobody_for_anything() -> None:
    assert not any(word in picture().html for word in ("http", "url(", "@import", "src="))
