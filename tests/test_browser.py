"""The site as a reader has it before them: in light and dark, on a desk and on a phone, with keys only, without a network."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from matplotlib import rc_context, rcParams
from selenium.webdriver.common.keys import Keys

from autograder.checkout import Checkout
from seqlab.plots import use_style
from tests.browser import Browser, picture_page, served

CHECKOUT = Checkout(Path(__file__).resolve().parent.parent)
PAGES = [*(path.stem for path in sorted((CHECKOUT.root / "book").glob("*.md"))), "search"]
CHAPTER = next(page for page in PAGES if page.startswith("ch"))
DESK, PHONE = 1280, 390
NARROWEST = 320
"""The width in pixels at which WCAG asks that a page need not be scrolled sideways (criterion 1.4.10)."""


@pytest.fixture(scope="module")
def site(browser: Browser, edition: Callable[[bool], Path]) -> Path:
    """The edition for self-study; without a browser it is not built."""
    return edition(True)


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    with served(site) as found:
        yield found


@dataclass(frozen=True)
class View:
    """A page as one reader sees it."""

    page: str
    width: int
    mode: str

    def __str__(self) -> str:
        return f"{self.page}-{self.width}-{self.mode}"


# Each width and each mode once: a chapter is long, and nothing on it depends on both.
VIEWS = [View(page, width, mode) for page in PAGES for width, mode in ((DESK, "light"), (PHONE, "dark"))]


@pytest.fixture(scope="module", params=VIEWS, ids=str)
def view(request: pytest.FixtureRequest, browser: Browser, address: str) -> View:
    seen: View = request.param
    browser.show(seen.width, seen.mode)
    browser.open(f"{address}/{seen.page}.html")
    # What waits for a guess is looked at, too.
    browser.run("for (const show of document.querySelectorAll('.play-ask button[type=button]')) show.click()")
    return seen


def luminance(browser: Browser, selector: str, colour: str) -> float:
    """How light an element's colour is, from 0 to 1."""
    script = "return getComputedStyle(document.querySelector(arguments[0]))[arguments[1]]"
    red, green, blue = browser.run(script, selector, colour).strip("rgba()").split(",")[:3]
    return (0.2126 * float(red) + 0.7152 * float(green) + 0.0722 * float(blue)) / 255


def test_the_page_follows_the_mode_that_the_reader_prefers(view: View, browser: Browser) -> None:
    ground, ink = luminance(browser, "body", "backgroundColor"), luminance(browser, "h1", "color")
    assert (ground > 0.8 and ink < 0.3) if view.mode == "light" else (ground < 0.2 and ink > 0.7)


def test_nothing_is_cut_off_at_the_edge_of_the_screen(view: View, browser: Browser) -> None:
    """The theme lets the whole article scroll sideways, so that the page's own width says too little."""
    for width in (view.width,) if view.width == DESK else (NARROWEST, view.width):
        browser.show(width, view.mode)
        too_wide = browser.run(
            """
            const article = document.querySelector("article, .bd-search-container");
            const scrolls = (box) =>
                box !== article && (/auto|scroll/.test(getComputedStyle(box).overflowX) || scrolls(box.parentElement));
            return [...article.querySelectorAll("*:not(mjx-assistive-mml, mjx-assistive-mml *)")]
                .filter((box) => box.getBoundingClientRect().right > arguments[0] + 1 && !scrolls(box.parentElement))
                .map((box) => box.outerHTML.slice(0, 120));
            """,
            width,
        )
        assert too_wide == []
        assert browser.run("return document.documentElement.scrollWidth") <= width
    beside = "return [...document.querySelectorAll('.bd-sidebar-secondary')].map((list) => list.scrollWidth - list.clientWidth)"
    assert not any(browser.run(beside))


def test_the_text_face_comes_with_the_book(view: View, browser: Browser) -> None:
    loaded = browser.run(
        "return [...document.fonts].filter((face) => face.status == 'loaded').map((face) => face.family)"
    )
    assert any("Source Sans 3" in family for family in loaded)
    assert "Source Sans 3" in browser.run("return getComputedStyle(document.querySelector('h1')).fontFamily")


def test_every_formula_is_drawn(view: View, browser: Browser) -> None:
    assert len(browser.all(".math mjx-math")) == len(browser.all(".math.notranslate"))
    assert not browser.all("mjx-merror, [data-mjx-error]")


def test_figures_can_be_read_and_those_of_the_usual_size_fit(view: View, browser: Browser) -> None:
    with rc_context():
        use_style()
        usual = 72 * 1.021 * rcParams["figure.figsize"][0]  # in points, with the margin that saving adds
        letters = rcParams["font.size"]
    figures = browser.run(
        """
        return [...document.querySelectorAll(".cell_output svg.figure")].map((figure) =>
            [figure.viewBox.baseVal.width, figure.getBoundingClientRect().width, figure.parentElement.clientWidth]);
        """
    )
    assert figures or not view.page.startswith("ch")
    smallest = 10 if view.width == PHONE else 12
    for drawn, shown, room in figures:
        assert letters * shown / drawn >= smallest
        assert drawn > usual or shown <= room


def test_axe_finds_nothing_wrong(view: View, browser: Browser) -> None:
    browser.run("for (const toggle of document.querySelectorAll('details')) toggle.open = true")
    assert browser.violations() == []


def test_axe_measures_how_large_a_button_is(browser: Browser, tmp_path: Path) -> None:
    buttons = "".join(f'<button aria-label="{name}" style="width:9px;height:9px;padding:0"></button>' for name in "ab")
    browser.show(DESK, "light")
    browser.open(picture_page(buttons, tmp_path))
    assert [found.split(",")[0] for found in browser.violations()] == ["target-size", "target-size"]


def test_no_page_asks_another_machine_for_anything(view: View, browser: Browser) -> None:
    assert browser.asked_elsewhere() == []


def test_a_solution_is_folded_until_it_is_opened_by_keys(browser: Browser, address: str) -> None:
    browser.show(DESK, "light")
    browser.open(f"{address}/{CHAPTER}.html")
    toggles = browser.all("details.solution")
    assert toggles
    assert not [found for found in browser.all("details.solution .sd-summary-content") if found.is_displayed()]
    for _ in range(200):
        browser.press(Keys.TAB)
        if browser.run("return document.activeElement.closest('details.solution') !== null"):
            break
    assert browser.run("return document.activeElement.parentElement") == toggles[0]
    browser.press(Keys.ENTER)
    code = toggles[0].find_element("css selector", "pre")
    assert code.is_displayed()
    assert any(line.startswith(("def ", "class ")) for line in code.text.splitlines())
    browser.press(Keys.ENTER)
    assert not code.is_displayed()


def test_whatever_has_the_focus_shows_it(browser: Browser, address: str) -> None:
    browser.show(DESK, "light")
    browser.open(f"{address}/intro.html")
    browser.run("document.head.insertAdjacentHTML('beforeend', '<style>* {transition: none !important}</style>')")
    stops = []
    for _ in range(200):
        browser.press(Keys.TAB)
        stop = browser.run(
            """
            const stop = document.activeElement, styles = [getComputedStyle(stop), getComputedStyle(stop, "::after")];
            const shown = styles.some((style) => style.outlineStyle !== "none" || style.boxShadow !== "none");
            return stop === document.body ? null : [stop.outerHTML.slice(0, 120), shown];
            """
        )
        if stop is None or (stops and stop == stops[0]):
            break
        stops.append(stop)
    assert len(stops) > len(PAGES)
    assert [stop for stop, shown in stops if not shown] == []


@pytest.mark.parametrize("from_disk", [False, True], ids=["served", "from disk"])
def test_search_finds_a_word_without_a_network(browser: Browser, address: str, site: Path, from_disk: bool) -> None:
    browser.show(DESK, "light")
    browser.open(f"{site.as_uri() if from_disk else address}/intro.html")
    browser.one("body").send_keys(Keys.CONTROL + "k")
    browser.one("dialog input[type=search]")
    browser.press("softmax", Keys.ENTER)
    found = browser.one("#search-results li a")
    assert "search.html" in browser.driver.current_url
    title, _, section = found.text.partition(" > ")
    assert browser.violations() == []
    found.click()
    assert browser.one("h1").text.rstrip("#") == title
    assert section in browser.one("article").text
    word = browser.one("article .highlighted")
    assert word.text.lower() == "softmax"
    assert browser.until(lambda: 0 < word.rect["y"] - browser.run("return scrollY") < 900, "the word on the screen")
    assert browser.asked_elsewhere() == []


def test_a_search_for_a_name_of_the_field_finds_its_section(browser: Browser, address: str) -> None:
    browser.show(DESK, "light")
    browser.open(f"{address}/search.html?q=exposure+bias")
    found = browser.one("#search-results li a")
    assert found.get_attribute("href").endswith("seq2seq.html#when-the-teacher-is-gone")
    assert "exposure bias" in browser.one("#search-results p.context").text
    found.click()
    assert browser.one("#when-the-teacher-is-gone .highlighted").text == "exposure"


def test_the_front_page_weighs_less_than_two_megabytes(browser: Browser, address: str) -> None:
    browser.show(DESK, "light")
    browser.open(f"{address}/intro.html")
    script = "return performance.getEntries().reduce((sum, each) => sum + (each.decodedBodySize ?? 0), 0)"
    assert 200_000 < browser.run(script) < 2_000_000


def test_each_chapter_offers_the_notebook_that_students_get(site: Path) -> None:
    for chapter in (page for page in PAGES if page.startswith("ch")):
        assert f'<a href="notebooks/{chapter}.ipynb" download>' in (site / f"{chapter}.html").read_text(
            encoding="utf-8"
        )
        assert (site / "notebooks" / f"{chapter}.ipynb").read_bytes() == CHECKOUT.released(chapter).read_bytes()
