"""The picture of a caption that grows: what it says, what it refuses, and how a reader drives it."""

import pytest
import torch
from selenium.webdriver.common.keys import Keys

from seqlab.boxes import share_in_box
from seqlab.caption_picture import caption_picture
from seqlab.picture import Picture
from seqlab.scenes import load_scenes
from tests.browser import Browser, picture_page, tops_by_choice

WORDS = ["a", "red", "<three>", "."]
WEIGHTS = torch.full((4, 16), 1 / 16)
WEIGHTS[2] = torch.eye(16)[5]
BOXES = {2: (8, 8, 16, 16)}


def picture(title: str = "A caption", **others) -> Picture:
    pixels = torch.zeros(3, 32, 32, dtype=torch.uint8)
    pixels[0, 8:16, 8:16] = 200
    given = {"pixels": pixels, "words": WORDS, "weights": WEIGHTS, "columns": 4, "boxes": BOXES, **others}
    return caption_picture(**given, title=title)


def test_it_says_in_words_where_each_word_looks() -> None:
    assert repr(picture()).splitlines() == [
        "A caption",
        "Word 1: “a”. The largest weight, 0.06, is in row 1, column 1.",
        "Word 2: “a red”. The largest weight, 0.06, is in row 1, column 1.",
        "Word 3: “a red <three>”. The largest weight, 1.00, is in row 2, column 2. "
        + "“<three>” has 100% of the weight in its box, which is 6% of the picture.",
        "Word 4: “a red <three> .”. The largest weight, 0.06, is in row 1, column 1.",
    ]


def test_the_share_in_a_box_is_that_of_even_weights_over_pixels() -> None:
    weights = torch.tensor([0.5, 0.3, 0.1, 0.1])
    assert share_in_box(weights, 2, 4, (0, 0, 8, 8)) == pytest.approx(1)
    assert share_in_box(weights, 2, 4, (0, 2, 4, 6)) == pytest.approx(0.25 + 0.15)
    assert share_in_box(weights, 2, 4, (3, 3, 5, 5)) == pytest.approx(1 / 16)
    even = torch.full((64,), 1 / 64)
    for scene in load_scenes(train=20, valid=1, test=1).train:
        for thing in scene.things:
            top, left, bottom, right = thing.box
            assert share_in_box(even, 8, 4, thing.box) == pytest.approx((bottom - top) * (right - left) / 1024)


def test_words_and_titles_are_no_markup() -> None:
    html = picture(title="<script>alert(1)</script>").html
    assert "<script" not in html
    assert "<three>" not in html


def test_pictures_of_one_page_have_names_of_their_own() -> None:
    one, other = (picture(title=title).html.split('"')[1] for title in ("one", "other"))
    assert one != other


@pytest.mark.parametrize(
    ("others", "told"),
    [
        ({"words": [], "boxes": {}}, "words is empty"),
        ({"columns": 5}, r"weights has shape \(4, 16\): for 4 words and a grid of 5 by 5 cells expected \(4, 25\)"),
        ({"words": WORDS[:3]}, r"for 3 words and a grid of 4 by 4 cells expected \(3, 16\)"),
        ({"pixels": torch.zeros(3, 32, 30)}, r"pixels has shape \(3, 32, 30\)"),
        ({"boxes": {4: (0, 0, 1, 1)}}, "there is a box for word 4, and the words are 0 to 3"),
    ],
)
def test_what_does_not_fit_is_refused(others: dict, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        picture(**others)


def test_it_asks_nobody_for_anything() -> None:
    assert not any(word in picture().html for word in ("http", "url(", "@import", "src="))


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    return picture_page(picture().html, tmp_path_factory.mktemp("picture"))


def shown(browser: Browser) -> list[str]:
    """The texts that are shown, and the classes of the looks that are."""
    texts = [text.text.split(":")[0] for text in browser.all(".said") if text.is_displayed()]
    return texts + [part.get_attribute("class") for part in browser.all("svg [class^='step-']") if part.is_displayed()]


def test_a_reader_goes_from_word_to_word_by_keys(browser: Browser, address: str) -> None:
    browser.show(1280, "light")
    browser.open(address)
    assert shown(browser) == ["Word 3", "step-3"]
    browser.press(Keys.TAB)
    assert browser.run("return getComputedStyle(document.activeElement).outlineStyle") == "solid"
    browser.press(Keys.ARROW_RIGHT)
    assert shown(browser) == ["Word 4", "step-4"]
    browser.press(Keys.ARROW_RIGHT)
    assert shown(browser) == ["Word 1", "step-1"]


def test_the_drawing_stays_where_it_is(browser: Browser, address: str) -> None:
    browser.show(390, "light")
    browser.open(address)
    assert len(set(tops_by_choice(browser))) == 1


@pytest.mark.parametrize(("width", "mode"), [(1280, "light"), (390, "dark")])
def test_axe_finds_nothing_wrong_and_it_fits(browser: Browser, address: str, width: int, mode: str) -> None:
    browser.show(width, mode)
    browser.open(address)
    assert browser.violations() == []
    assert browser.run("return document.documentElement.scrollWidth") <= width
