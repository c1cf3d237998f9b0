"""What the site does for a reader beyond the text, and the book on paper: on a small book of one chapter."""

import json
import re
import shutil
from base64 import b64encode
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path

import nbformat
import pytest
from matplotlib.figure import Figure
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from pypdf import PdfReader
from selenium import webdriver
from selenium.webdriver.common.keys import Keys

from autograder.building.pdf import LONG_OUTPUT, article_of, one_page, print_book
from autograder.building.reading import equation_number, names_of, notebook_links, only_icons
from autograder.building.site import SCRIPT, build_site, folded
from autograder.checkout import Checkout
from seqlab.plots import SHADES
from seqlab.svg import as_svg
from tests.browser import Browser, served

ROOT = Path(__file__).resolve().parent.parent
CHAPTER = "ch05_attention"
SECTIONS = 40
PROSE = (
    "The network reads one word after the other and keeps what it needs of them, as far as there is room for it. " * 6
)
GLOSSARY = """# Glossary

attention
: A weighted average of what was read. ({chapter}`attention#section-3`)

key
: What a query is compared with. ({chapter}`attention#section-3`)

query
: What is looked for. ({chapter}`attention#section-3`)

translation
: A sentence in another language. ({chapter}`attention#section-3`)
"""
DRAWING = """scores = probe(3)
figure, axes = plt.subplots()
axes.plot(scores)
axes.set_xlabel("step")
axes.set_ylabel("score")
axes.set_title("It rises")
found = probe(4)
axes.axhline(found)
record(found=probe(5))"""
TOO_WIDE = """
const scrolls = (box) => box.tagName !== "ARTICLE" &&
    (/auto|scroll/.test(getComputedStyle(box).overflowX) || scrolls(box.parentElement));
return [...document.querySelectorAll("article *:not(mjx-assistive-mml, mjx-assistive-mml *)")]
    .filter((box) => box.getBoundingClientRect().right > innerWidth + 1 && !scrolls(box.parentElement))
    .map((box) => box.outerHTML.slice(0, 120));
"""
PRESENT = """
const list = document.querySelector(".bd-sidebar-secondary"), marked = [...list.querySelectorAll("a.active")];
const room = list.getBoundingClientRect(), entry = marked[0]?.getBoundingClientRect();
return [marked.map((link) => link.hash), document.querySelector("a[aria-current=true]")?.hash,
    entry && entry.top >= room.top && entry.bottom <= Math.min(room.bottom, innerHeight)];
"""
LINE_LENGTHS = """
const lengths = [];
for (const text of [...document.querySelectorAll("article section section > p")].map((p) => p.firstChild)) {
    const lines = new Map(), at = document.createRange();
    for (let i = 0; i < text.length; i++) {
        at.setStart(text, i);
        at.setEnd(text, i + 1);
        const { top } = at.getBoundingClientRect();
        lines.set(top, (lines.get(top) ?? 0) + 1);
    }
    lengths.push(...[...lines.values()].slice(0, -1));
}
return lengths.sort((one, other) => one - other);
"""


def little_chapter() -> nbformat.NotebookNode:
    """A chapter's solved notebook with something of everything that the site treats in its own way."""
    picture, figure = BytesIO(), Figure(figsize=(5.6, 4))
    figure.subplots().set_title("A steep rise")
    figure.savefig(picture, format="png")
    shown = {"image/png": b64encode(picture.getvalue()).decode(), "image/svg+xml": as_svg(figure, SHADES)}
    drawn = new_output("display_data", {**shown, "text/plain": "figure"})
    alt = {"image": {"alt": "A line that rises."}}
    opening = (
        "# Attention\n\nA decoder pays attention, says {cite:t}`bahdanau2015neural`, and asks a query. Press a key.\n\n"
        "Of the words, **37** % are read, and 5 % are kept; `7 % 2` is 1.\n\n"
        "$$\n\\alpha = b\n$$ (eq-one)\n\nEquation {eq}`eq-one` is short.\n\nHere $\\cancel{c}$ goes."
    )
    sections = [f"## Section {number}\n\n{PROSE}" for number in range(1, SECTIONS + 1)]
    sections[19] = sections[19].replace("The network", "Here, exposure bias is what it learns. The network", 1)
    sections[4] += "A query meets a key here, and a key there."
    wide = f"wide = '{'x' * 300}'"
    long = "\n".join(f"line {number}" for number in range(60))
    closing = "## Read on\n\n```{bibliography}\n:filter: docname in docnames\n```"
    return new_notebook(
        cells=[
            new_markdown_cell(opening),
            new_code_cell("import math\nimport matplotlib.pyplot as plt", metadata={"tags": ["setup"]}),
            new_code_cell("def probe(x):\n    return x", metadata={"tags": ["helper"]}),
            new_code_cell(DRAWING, metadata={"tags": ["demonstration"], "mystnb": alt}, outputs=[drawn]),
            new_code_cell(
                wide, metadata={"tags": ["demonstration"]}, outputs=[new_output("stream", name="stdout", text=long)]
            ),
            *map(new_markdown_cell, sections),
            new_markdown_cell("## Guess\n\nHow many?"),
            new_code_cell("my_guess = 1", metadata={"tags": ["demonstration"]}),
            new_code_cell(
                "print(my_guess, 2)",
                metadata={"tags": ["demonstration"]},
                outputs=[new_output("stream", name="stdout", text="1 2")],
            ),
            new_markdown_cell(closing),
        ],
        metadata={"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}},
    )


@pytest.fixture(scope="module")
def little(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The pages of a small book: without a public address, or with one."""
    made: dict[str, Path] = {}

    def build(public_address: str) -> Path:
        if public_address not in made:
            root = tmp_path_factory.mktemp("little")
            (root / "book").mkdir()
            for name in ("_static", "references.bib", "_config.yml"):
                copy = shutil.copytree if name == "_static" else shutil.copy
                copy(ROOT / "book" / name, root / "book" / name)
            config = root / "book" / "_config.yml"
            asked = config.read_text(encoding="utf-8").replace(
                'public_address: ""', f'public_address: "{public_address}"'
            )
            config.write_text(asked, encoding="utf-8")
            (root / "book" / "_toc.yml").write_text(
                f"format: jb-book\nroot: intro\nchapters:\n  - file: {CHAPTER}\n  - file: glossary\n"
            )
            (root / "book" / "intro.md").write_text("# A small book\n\nIt has one chapter.\n")
            (root / "book" / "glossary.md").write_text(GLOSSARY)
            (root / "book" / f"{CHAPTER}.md").write_text("")
            shutil.copy(ROOT / "nbgrader_config.py", root)
            for folder in ("solutions", "notebooks"):
                (root / folder / CHAPTER).mkdir(parents=True)
                nbformat.write(little_chapter(), root / folder / CHAPTER / f"{CHAPTER}.ipynb")
            (root / "notebooks" / "seqlab").mkdir()
            shutil.copy(ROOT / "notebooks" / "seqlab" / SCRIPT, root / "notebooks" / "seqlab")
            made[public_address] = build_site(Checkout(root), root / "site", solutions=True)
        return made[public_address]

    return build


@pytest.fixture(scope="module")
def address(little: Callable[[str], Path], browser: Browser) -> Iterator[str]:
    with served(little("")) as found:
        browser.show(1280, "light")
        yield found


def scroll_to(browser: Browser, selector: str, block: str = "start") -> None:
    script = "document.querySelector(arguments[0]).scrollIntoView({ block: arguments[1], behavior: 'instant' })"
    browser.run(script, selector, block)


def tip(browser: Browser) -> str:
    """What is shown beside a link; nothing where nothing is."""
    return browser.run("const tip = document.getElementById('book-tip'); return tip.hidden ? '' : tip.textContent")


@pytest.mark.parametrize(
    "places", [[1, 2, 3], [30, 4, 17], [SECTIONS - 4, 1]], ids=["step by step", "jumps", "to the ends"]
)
def test_the_list_of_sections_follows_the_scroll(browser: Browser, address: str, places: list[int]) -> None:
    browser.show(1280, "light")
    browser.open(f"{address}/{CHAPTER}.html")
    assert "On this page" in browser.one(".bd-sidebar-secondary").text
    for place in places:
        scroll_to(browser, f"#section-{place}")
        want = [[f"#section-{place}"], f"#section-{place}", True]
        browser.until(lambda want=want: browser.run(PRESENT) == want, f"the entry of section {place}")
    browser.run("scrollTo({ top: document.documentElement.scrollHeight, behavior: 'instant' })")
    browser.until(lambda: browser.run(PRESENT) == [["#read-on"], "#read-on", True], "the last entry")


def test_most_lines_have_75_to_85_characters(browser: Browser, address: str) -> None:
    browser.show(1280, "light")
    browser.open(f"{address}/{CHAPTER}.html")
    lengths = browser.run(LINE_LENGTHS)
    assert 75 <= lengths[len(lengths) // 2] <= 85
    assert lengths[-1] <= 92


def test_imports_and_drawing_are_folded_and_what_computes_is_shown(browser: Browser, address: str) -> None:
    browser.open(f"{address}/{CHAPTER}.html")
    folds = browser.all("article details.hide")
    said = [fold.find_element("css selector", "summary").text for fold in folds]
    assert said == ["Show the imports", "Show the code that draws this figure"]
    code = [cell.text for cell in browser.all("article .cell_input pre") if cell.is_displayed()]
    assert any("scores = probe(3)" in each for each in code)
    assert any("found = probe(4)" in each for each in code)
    assert not any("set_xlabel" in each or "import math" in each for each in code)
    assert browser.one("article .cell_output svg.figure").get_attribute("aria-label") == "A line that rises."
    folds[1].find_element("css selector", "summary").click()
    assert browser.until(lambda: "set_xlabel" in folds[1].text, "the code that draws")


@pytest.mark.parametrize(("width", "mode"), [(1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")])
def test_wide_code_stays_on_the_page_and_axe_finds_nothing_wrong(
    browser: Browser, address: str, width: int, mode: str
) -> None:
    browser.show(width, mode)
    browser.open(f"{address}/{CHAPTER}.html")
    assert browser.run(TOO_WIDE) == []
    browser.run("document.querySelector('article a.term').focus({ preventScroll: false })")
    assert tip(browser)
    box = browser.run("return document.getElementById('book-tip').getBoundingClientRect().toJSON()")
    assert box["left"] >= 0
    assert box["right"] <= width
    assert browser.violations() == []


def test_what_is_too_wide_fades_out_until_its_end_is_shown(browser: Browser, address: str) -> None:
    browser.show(390, "light")
    browser.open(f"{address}/{CHAPTER}.html")
    wide = "[...document.querySelectorAll('.cell_input pre')].find((code) => code.textContent.startsWith('wide ='))"
    fades = f"const code = {wide}; return code.classList.contains('more-right') && code.tabIndex === 0"
    browser.until(lambda: browser.run(fades), "the code to fade out at the edge")
    browser.run(f"{wide}.scrollLeft = 10_000")
    browser.until(lambda: not browser.run(fades), "all of the code to be shown")
    browser.show(1280, "light")
    short = "return document.querySelector('.cell_output pre').classList.contains('more-right')"
    browser.until(lambda: not browser.run(short), "nothing that fits to fade out")


def test_a_guess_is_kept_on_the_page(browser: Browser, address: str) -> None:
    browser.open(f"{address}/{CHAPTER}.html")
    browser.run("document.querySelector('.play-ask input').focus()")
    browser.press("seven", Keys.ENTER)
    assert browser.one(".play-ask .play-said").text == "Your guess: seven. The result follows."
    browser.open(f"{address}/{CHAPTER}.html")
    browser.until(lambda: browser.one(".play-ask .play-said").text.startswith("Your guess: seven."), "the guess")
    browser.run("localStorage.clear()")


def test_equations_have_the_number_of_their_chapter(browser: Browser, address: str) -> None:
    browser.open(f"{address}/{CHAPTER}.html")
    assert browser.one("article .eqno").text.startswith("(5.1)")
    assert "Equation (5.1) is short." in browser.one("article").text


def test_no_line_begins_with_the_sign_of_a_number(browser: Browser, address: str) -> None:
    browser.open(f"{address}/{CHAPTER}.html")
    prose = browser.one("article").get_attribute("textContent")
    assert "Of the words, 37\N{NO-BREAK SPACE}% are read, and 5\N{NO-BREAK SPACE}% are kept; 7 % 2 is 1." in prose


def test_a_term_says_what_it_means_to_pointer_and_keys(browser: Browser, address: str) -> None:
    browser.show(1280, "light")
    browser.open(f"{address}/{CHAPTER}.html")
    terms = browser.all("article a.term")
    assert [term.text for term in terms] == ["attention", "query", "key"]
    # A key of the keyboard stands before the section that introduces the term; and translation stands in a work's title alone.
    assert terms[2].find_element("xpath", "ancestor::section[1]").get_attribute("id") == "section-5"
    webdriver.ActionChains(browser.driver).move_to_element(terms[0]).perform()
    browser.until(lambda: tip(browser).startswith("A weighted average of what was read."), "the meaning")
    shown = browser.one("#book-tip")
    webdriver.ActionChains(browser.driver).move_to_element(shown).pause(0.4).perform()
    assert tip(browser)
    browser.press(Keys.ESCAPE)
    assert not tip(browser)
    while browser.run("return document.activeElement !== arguments[0]", terms[1]):
        browser.press(Keys.TAB)
    assert tip(browser).startswith("What is looked for.")
    assert terms[1].get_attribute("aria-describedby") == "book-tip"
    browser.press(Keys.ENTER)
    assert browser.one("#term-query").text.startswith("query")
    assert browser.driver.current_url.endswith("glossary.html#term-query")


def test_a_citation_says_what_it_cites(browser: Browser, address: str) -> None:
    browser.show(1280, "light")
    browser.open(f"{address}/{CHAPTER}.html")
    webdriver.ActionChains(browser.driver).move_to_element(browser.one("article p a.reference[href^='#id']")).perform()
    browser.until(lambda: "Neural machine translation" in tip(browser), "the work")


def test_a_search_shows_the_prose_where_the_words_stand(browser: Browser, address: str) -> None:
    browser.show(1280, "light")
    browser.open(f"{address}/search.html?q=exposure+bias")
    said = browser.until(lambda: [each.text for each in browser.all("#search-results p.context")], "an excerpt")
    assert said[0].startswith("Here, exposure bias is what it learns. The network reads")
    assert said[0].endswith(" …")
    browser.open(f"{address}/search.html?q=short")
    said = browser.until(lambda: [each.text for each in browser.all("#search-results p.context")], "an excerpt")
    assert said == ["Equation (5.1) is short."]
    browser.open(f"{address}/search.html?q=query")
    meant = f"query: What is looked for. (chapter {int(CHAPTER[2:4])})"
    browser.until(lambda: meant in [each.text for each in browser.all("#search-results p.context")], "the meaning")
    [section] = [each.text for each in browser.all("#search-results a") if "section-3" in each.get_attribute("href")]
    assert section == "Attention > Section 3"


def test_a_search_looks_through_prose_and_open_code_alone(little: Callable[[str], Path]) -> None:
    index = (little("") / "searchindex.js").read_text(encoding="utf-8")
    terms = json.loads(index.removeprefix("Search.setIndex(").removesuffix(")"))["terms"]
    assert {"equat", "wide", "queri"} <= set(terms)
    # A formula, folded imports, what a cell prints and a label of its figure.
    assert terms.keys().isdisjoint({"alpha", "matplotlib", "59", "steep"})


def test_a_notebook_can_be_downloaded_and_opened_elsewhere_only_where_the_course_is_public(
    little: Callable[[str], Path],
) -> None:
    page = (little("") / f"{CHAPTER}.html").read_text(encoding="utf-8")
    assert re.findall(r'<a href="([^"]+)" download>Download this notebook', page) == [f"notebooks/{CHAPTER}.ipynb"]
    notebook = nbformat.read(little("") / "notebooks" / f"{CHAPTER}.ipynb", as_version=4)
    assert [cell.source for cell in notebook.cells] == [cell.source for cell in little_chapter().cells]
    assert "colab" not in page
    assert "binder" not in page
    public = (little("https://github.com/name/course/tree/main") / f"{CHAPTER}.html").read_text(encoding="utf-8")
    opened = re.findall(r'<a href="(https:[^"]+)">Open in (\w+)<', public)
    assert [service for _, service in opened] == ["Colab", "Binder"]
    assert all("name/course" in link and f"notebooks/{CHAPTER}/{CHAPTER}.ipynb" in link for link, _ in opened)


def test_what_computes_stays_open_between_two_parts_that_draw() -> None:
    drawn = new_output("display_data", {"image/png": ""})
    lines = DRAWING.split("\n")
    source = "\n".join([*lines[:7], *lines[1:6]])
    cell = new_code_cell(source, metadata={"tags": ["demonstration"]}, outputs=[drawn])
    parts = folded(cell, {"probe"})
    assert [part.source.split("\n")[0] for part in parts] == [lines[0], lines[1], lines[6], lines[1]]
    assert ["hide-input" in part.metadata.tags for part in parts] == [False, True, False, True]
    assert [len(part.outputs) for part in parts] == [0, 0, 0, 1]


def test_the_book_on_paper_has_every_figure_whole_and_no_long_print_out(
    little: Callable[[str], Path], browser: Browser
) -> None:
    site = little("")
    page = one_page(site)
    assert f"line {LONG_OUTPUT - 5}\n… ({60 - LONG_OUTPUT + 4} more lines on the site)" in page
    assert "import math" not in page
    assert "notebook-links" not in page
    (site / "whole_book.html").write_text(page, encoding="utf-8")
    try:
        browser.show(700, "light")
        browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
        browser.open((site / "whole_book.html").as_uri())
        figures = browser.run(
            "return [...document.querySelectorAll('.cell_output svg.figure')].map((figure) => {"
            " const { width, height } = figure.getBoundingClientRect();"
            " return [getComputedStyle(figure).breakInside, width, height]; })"
        )
    finally:
        (site / "whole_book.html").unlink()
        browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    assert len(figures) == 1
    for rule, width, height in figures:
        assert rule == "avoid"
        assert 200 < width < 650
        assert height < 900


@pytest.mark.usefixtures("browser")
def test_the_contents_on_paper_say_on_which_page_each_section_begins(
    little: Callable[[str], Path], tmp_path: Path
) -> None:
    pdf = print_book(little(""), tmp_path / "book.pdf")
    assert pdf.read_bytes().startswith(b"%PDF")
    pages = [page.extract_text() for page in PdfReader(pdf).pages]
    # The cover, the front page, the contents, the chapter with its 4,000 words, and the glossary.
    assert 8 <= len(pages) <= 17
    assert pages[0].split("\n") == ["A small book"]
    contents = pages[2]
    for number in range(1, SECTIONS + 1):
        stated = re.search(rf"^Section {number}\s+(\d+)$", contents, re.MULTILINE)
        assert stated, contents
        assert re.search(rf"^Section {number}$", pages[int(stated[1]) - 1], re.MULTILINE), number
        assert pages[int(stated[1]) - 1].startswith("From RNNs to BERT Attention\n"), number


@pytest.mark.parametrize(
    ("term", "names"),
    [
        ("attention", ["attention"]),
        ("alignment error rate (AER)", ["alignment error rate", "AER"]),
        ("clipping (in BLEU)", []),
        ("post-norm, pre-norm", ["post-norm", "pre-norm"]),
    ],
)
def test_a_term_has_the_names_that_the_text_uses(term: str, names: list[str]) -> None:
    assert names_of(term) == names


def test_equations_are_numbered_by_chapter() -> None:
    assert equation_number("ch05_attention", 3) == "5.3"
    assert equation_number("notation", 3) == "3"


def test_the_icons_that_no_page_shows_are_left_out() -> None:
    icon = '[448,512,["navicon"],"f0c9","M0 96"]'
    assert only_icons(f'p={{list:{icon},bars:{icon},"a-b":{icon}}}', {"bars"}) == f"p={{bars:{icon}}}"


def test_of_mathjax_only_what_a_page_loads_is_shipped(
    little: Callable[[str], Path], browser: Browser, address: str
) -> None:
    shipped = {path for path in (little("") / "_static" / "mathjax").rglob("*") if path.is_file()}
    assert sum(path.stat().st_size for path in shipped) < 3_000_000
    # The second formula's macro comes from a file of its own.
    browser.open(f"{address}/{CHAPTER}.html")
    assert len(browser.all("article .math mjx-math")) == 2
    assert not browser.all("mjx-merror, [data-mjx-error]")
    loaded = browser.run("return performance.getEntriesByType('resource').map((each) => new URL(each.name).pathname)")
    names = {path.relative_to(little("")).as_posix() for path in shipped}
    assert {path.lstrip("/") for path in loaded if "mathjax" in path} & names
    assert any("extensions" in path for path in loaded)


def test_services_are_linked_only_where_the_course_is_public() -> None:
    assert "https:" not in notebook_links("ch05_attention", "")
    public = notebook_links("ch05_attention", "https://github.com/name/course/tree/main")
    assert "github/name/course/blob/main/notebooks/ch05_attention/ch05_attention.ipynb" in public
    assert "mybinder.org/v2/gh/name/course/main?" in public
    with pytest.raises(ValueError, match="public_address"):
        notebook_links("ch05_attention", "https://example.org")


def test_binder_installs_the_course_under_a_python_that_it_runs_on() -> None:
    root = Path(__file__).resolve().parent.parent
    wanted = re.findall(r'requires-python = ">=(\d+)\.(\d+)"', (root / "pyproject.toml").read_text())
    assert re.findall(r"python-(\d+)\.(\d+)", (root / ".binder" / "runtime.txt").read_text()) == wanted
    # pip runs in the repository's folder.
    assert "-e ." in (root / ".binder" / "requirements.txt").read_text().splitlines()


def test_a_container_for_development_installs_what_binder_does() -> None:
    root = Path(__file__).resolve().parent.parent
    container = json.loads((root / ".devcontainer" / "devcontainer.json").read_text())
    name = container["postCreateCommand"].removeprefix("pip install --requirement ")
    assert name == ".binder/requirements.txt"
    python = (root / ".binder" / "runtime.txt").read_text().strip().removeprefix("python-")
    assert container["image"].endswith(f":{python}")


def test_on_paper_links_stay_in_the_book_and_solutions_are_left_out(tmp_path: Path) -> None:
    said = (
        '<h1>One</h1><a href="two.html#there">two</a><a href="#here">here</a><details class="solution">x = 1</details>'
        '<div class="cell_output"><svg><defs><path id="dot"/></defs><use href="#dot"/></svg></div><pre><span>a</span>\n\n\n<span>b</span></pre>'
    )
    (tmp_path / "one.html").write_text(f"<html><body><article><p id='here'></p>{said}</article></body></html>")
    article = article_of(tmp_path, "one", ["one", "two"])
    assert article.xpath(".//a/@href") == ["#two--there", "#one--here"]
    assert article.xpath(".//p/@id") == ["one--here"]
    # The markers of a figure are found.
    assert [f"#{name}" for name in article.xpath(".//path/@id")] == article.xpath(".//use/@href")
    # Blank lines are narrow.
    assert [part.get("class") for part in article.xpath(".//pre/span")] == [None, "blank", None]
    assert "x = 1" not in article.text_content()
