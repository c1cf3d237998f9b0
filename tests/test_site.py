"""The built site: complete, without a network, and without a trace of the solutions in the edition for graded classes."""

import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import nbformat
import pytest
import snowballstemmer
from nbformat.v4 import new_code_cell, new_output

from autograder.building.hours import total_minutes
from autograder.building.notebook_files import is_demonstration, recorded_numbers
from autograder.building.site import PICTURE, SHOW_MODEL_ANSWER, SHOW_SOLUTION, SiteError, stage, without_records
from autograder.building.weave import is_written, split_written
from autograder.checkout import Checkout, course_config
from autograder.declare import chapters, load_checks
from autograder.samples.course import all_visible_points
from seqlab.drawings.recurrent import rnn_step

CHECKOUT = Checkout(Path(__file__).resolve().parent.parent)
CHAPTERS = [path.stem for path in sorted((CHECKOUT.root / "book").glob("ch*.md"))]
LOADING = {"script": "src", "img": "src", "iframe": "src", "source": "srcset", "object": "data", "embed": "src"}
REPORT = re.compile(r"\w+: \d+ of \d+ points so far; \d+ more depends? on hidden checks")
REGION = re.compile(r"^.*BEGIN SOLUTION.*\n([\s\S]*?)^.*END SOLUTION.*", re.MULTILINE)
VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}


@dataclass
class Page(HTMLParser):
    """What a page says, shows and loads."""

    path: Path
    headings: int = 0
    alts: list[str] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    ids: set[str] = field(default_factory=set)
    toggles: list[str] = field(default_factory=list)
    questions: int = 0

    def __post_init__(self) -> None:
        super().__init__()
        self.html = self.path.read_text(encoding="utf-8")
        self._open: list[str] = []
        self._texts: list[str] = []
        self._in_solution = False
        self.feed(self.html)
        self.text = words("".join(self._texts))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if "id" in given:
            self.ids.add(given["id"])
        if tag == "h1" and "article" in self._open:
            self.headings += 1
        if tag == "details":
            self._in_solution = "solution" in given.get("class", "").split()
            self.questions += "question" in given.get("class", "").split()
        if tag == "img":
            self.alts.append(given.get("alt", ""))
        if tag == "svg" and given.get("role") == "img":
            self.alts.append(given.get("aria-label", ""))
        if tag == "link" and given.get("rel") not in ("next", "prev", "index", "search", "canonical"):
            self.loaded.append(given["href"])
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if LOADING.get(tag, "") in given:
            self.loaded.append(given[LOADING[tag]])
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        while tag in self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] in ("script", "style"):
            return
        self._texts.append(data)
        if self._in_solution and "summary" in self._open and data.strip():
            self.toggles.append(data.strip())


def words(text: str) -> str:
    return " ".join(text.split())


def stems(text: str) -> frozenset[str]:
    """The words of a text, each as it is and as the search index cuts it."""
    found = {word.lower() for word in re.findall(r"\w{4,}", text)}
    return frozenset(found | set(snowballstemmer.stemmer("porter").stemWords(found)))


@dataclass(frozen=True)
class Secret:
    """What of an exercise or a written question stands only in its solution: whole lines, and words."""

    toggle: str
    lines: tuple[str, ...]
    words: frozenset[str]


@cache
def shown_of(chapter: str) -> str:
    """What a chapter shows of itself without its solutions."""
    found = []
    for cell in nbformat.read(CHECKOUT.solved(chapter), as_version=4).cells:
        found.append(REGION.sub("", cell.source))
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            found += [output.get("text", ""), data.get("text/plain", ""), data.get("text/html", "")]
    return words("\n".join(found))


@cache
def stems_shown() -> frozenset[str]:
    """What may stand anywhere in the book: the words of all chapters without their solutions, of the other pages, of citations."""
    book = CHECKOUT.root / "book"
    pages = [path for path in (*book.glob("*.md"), *book.glob("*.bib")) if path.stem not in CHAPTERS]
    return frozenset().union(
        *(stems(shown_of(chapter)) for chapter in CHAPTERS),
        *(stems(path.read_text(encoding="utf-8")) for path in pages),
    )


@cache
def secrets(chapter: str) -> list[Secret]:
    """A chapter's exercises and its written question, in order."""
    shown, found = "\n".join(shown_of(each) for each in CHAPTERS), []
    for cell in nbformat.read(CHECKOUT.solved(chapter), as_version=4).cells:
        if cell.metadata.get("nbgrader", {}).get("solution"):
            solution = "\n".join(REGION.findall(cell.source))
            lines = phrases(solution) if is_written(cell) else map(words, solution.splitlines())
            toggle = SHOW_MODEL_ANSWER if is_written(cell) else SHOW_SOLUTION
            only_here = stems(solution) - stems_shown()
            found.append(Secret(toggle, tuple(line for line in lines if line and line not in shown), only_here))
    return found


def phrases(markdown: str) -> list[str]:
    """The parts of a text of four words and more that look on a page as they were written."""
    parts = re.split(r"""[^\w\s,.;?!()-]|^- |\n""", markdown, flags=re.MULTILINE)
    return [words(part) for part in parts if len(re.findall(r"\w+", part)) > 3]


def texts(site: Path) -> Iterator[tuple[Path, str]]:
    """Every file of a site, other than its pages, that can be read as text."""
    for path in sorted(site.rglob("*")):
        if path.is_file() and path.suffix != ".html":
            try:
                yield path, words(path.read_text(encoding="utf-8"))
            except UnicodeDecodeError:
                pass


@pytest.fixture(scope="module", params=[True, False], ids=["self-study", "graded"])
def site(request: pytest.FixtureRequest, edition: Callable[[bool], Path]) -> Path:
    return edition(request.param)


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[str, Page]:
    return {path.stem: Page(path) for path in sorted(site.glob("*.html")) if path.stem != "index"}


def test_every_page_of_the_book_is_built(pages: dict[str, Page]) -> None:
    assert {path.stem for path in (CHECKOUT.root / "book").glob("*.md")} <= set(pages)


def test_nothing_is_loaded_from_elsewhere(site: Path, pages: dict[str, Page]) -> None:
    for page in pages.values():
        for address in page.loaded:
            assert not re.match(r"(\w+:)?//", address), f"{page.path.name} loads {address}"
            assert (page.path.parent / address.split("?")[0].split("#")[0]).is_file(), f"{page.path.name}: {address}"
        for script in re.findall(r"<script[^>]*>(.*?)</script>", page.html, re.DOTALL):
            assert "http" not in script, f"{page.path.name} has a script with an address in it"
    for sheet in site.rglob("*.css"):
        assert not re.search(r"(url\(\s*|@import\s+)['\"]?(\w+:)?//", sheet.read_text(encoding="utf-8")), sheet


def test_formulas_are_drawn_by_a_local_mathjax(pages: dict[str, Page]) -> None:
    assert any("mathjax" in address for address in pages["notation"].loaded)


def test_links_within_the_site_lead_somewhere(pages: dict[str, Page]) -> None:
    for page in pages.values():
        for link in page.links:
            name, _, part = link.partition("#")
            if re.match(r"\w+:", link) or name == "index.html":
                continue
            target = pages.get(Path(name).stem) if name else page
            assert target, f"{page.path.name} links to {link}"
            assert not part or part in target.ids, f"{page.path.name} links to {link}"


def test_a_page_has_one_heading_and_its_pictures_have_alt_text(pages: dict[str, Page]) -> None:
    for name, page in pages.items():
        if name != "search":
            assert page.headings == 1, name
        for alt in page.alts:
            assert alt and "_images" not in alt and not alt.endswith(".png"), f"{name} has a picture without alt text"


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_page_asks_which_mistake_gave_a_result(pages: dict[str, Page], chapter: str) -> None:
    _, asked = pages[chapter].html.split('id="which-mistake-was-it"')
    assert 0 < asked.count("Show the answer") <= 3
    for question in asked.split("Show the answer")[:-1]:
        assert all(f"{letter}) " in question for letter in "abcd")
    assert asked.count("would have given") == 3 * asked.count("Show the answer")


def test_what_only_stores_numbers_for_the_prose_is_not_shown() -> None:
    code = """total = 0
record(total=total,
       other=1)
for name in names:
    total += 1
    record(**{name: total})
for name in names:
    if name:
        record(**{name: 1})
if total:
    record(total=total)
else:
    print(total)


def keep(value):
    record(value=value)"""
    assert without_records(code).split("\n") == [
        *("total = 0", "", "for name in names:", "    total += 1", ""),
        *("if total:", "    record(total=total)", "else:", "    print(total)", ""),
        *("def keep(value):", "    record(value=value)"),
    ]
    assert without_records("%env A=1\nrecord(a=1)") == "%env A=1\nrecord(a=1)"


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_recorded_numbers_stand_in_the_text(pages: dict[str, Page], chapter: str) -> None:
    numbers = recorded_numbers(nbformat.read(CHECKOUT.solved(chapter), as_version=4))
    text = CHECKOUT.text(chapter).read_text(encoding="utf-8")
    if not pages[chapter].toggles:
        text = REGION.sub("", text)
    quoted = re.findall(r"\{glue:text\}`(\w+):([^`]+)`", text)
    assert quoted
    for name, form in quoted:
        assert format(numbers[name], form) in pages[chapter].text
    assert "glue" not in pages[chapter].text


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_an_exercise_shows_the_stub_that_students_get(pages: dict[str, Page], chapter: str) -> None:
    released = nbformat.read(CHECKOUT.released(chapter), as_version=4)
    marked = [cell for cell in released.cells if cell.metadata.get("nbgrader", {}).get("solution")]
    stubs = [cell.source for cell in marked if not is_written(cell)]
    assert stubs
    for stub in stubs:
        assert words(stub) in pages[chapter].text


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_written_question_is_shown_without_a_place_to_write(pages: dict[str, Page], chapter: str) -> None:
    solved = nbformat.read(CHECKOUT.solved(chapter), as_version=4)
    for cell in filter(is_written, solved.cells):
        question = split_written(cell.source)[0]
        assert phrases(question)
        for phrase in phrases(question):
            assert phrase in pages[chapter].text
    assert course_config(CHECKOUT.root).ClearSolutions.text_stub.strip("*") not in pages[chapter].text


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_question_of_what_the_reader_can_now_is_folded(pages: dict[str, Page], chapter: str) -> None:
    solved = nbformat.read(CHECKOUT.solved(chapter), as_version=4)
    asked = sum(cell.source.count('<details class="question">') for cell in solved.cells)
    assert pages[chapter].questions == asked
    assert "dropdown" not in pages[chapter].text


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_the_reports_shown_are_those_of_right_code(pages: dict[str, Page], chapter: str) -> None:
    # A demonstration may show what is said of a wrong answer: the opening chapter does.
    demonstrations = filter(is_demonstration, nbformat.read(CHECKOUT.solved(chapter), as_version=4).cells)
    shown = [
        output.get("data", {}).get("text/plain", "") for cell in demonstrations for output in cell.get("outputs", [])
    ]
    reports = Counter(REPORT.findall(pages[chapter].text)) - Counter(REPORT.findall("\n".join(shown)))
    assert reports.total() == sum(secret.toggle == SHOW_SOLUTION for secret in secrets(chapter))
    assert reports.keys() <= {all_visible_points(exercise) for exercise in load_checks(chapter)}
    assert pages[chapter].text.count("Hint:") == "\n".join(shown).count("Hint:")


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_self_study_has_each_solution_behind_a_toggle(edition: Callable[[bool], Path], chapter: str) -> None:
    page = Page(edition(True) / f"{chapter}.html")
    solved = nbformat.read(CHECKOUT.solved(chapter), as_version=4)
    found = secrets(chapter)
    assert page.toggles == [secret.toggle for secret in found]
    assert page.toggles.count(SHOW_MODEL_ANSWER) == sum(map(is_written, solved.cells))
    for secret in found:
        assert secret.lines
        assert all(line in page.text for line in secret.lines)
    assert "SOLUTION" not in page.text


def test_the_graded_edition_has_no_trace_of_a_solution(edition: Callable[[bool], Path]) -> None:
    pages = [Page(path) for path in sorted(edition(False).rglob("*.html"))]
    assert not [page.path for page in pages if page.toggles]
    found = [secret for chapter in CHAPTERS for secret in secrets(chapter)]
    secret_words = frozenset().union(*(secret.words for secret in found))
    # They would be found if they were there.
    assert secret_words & stems((edition(True) / "searchindex.js").read_text(encoding="utf-8"))
    for path, text in [*((page.path, page.text) for page in pages), *texts(edition(False))]:
        # What comes with the theme was there before the book: `return norm` says little in it, and single words say nothing.
        theirs = "_static" in path.parts
        assert not [line for secret in found for line in secret.lines if line in text and len(line) > 20 * theirs], path
        assert theirs or not secret_words & stems(text), path


def test_front_page_shows_the_way_through_all_chapters(pages: dict[str, Page]) -> None:
    front = pages["intro"]
    for chapter in CHAPTERS:
        exercises = load_checks(chapter)
        assert f"{chapter}.html" in front.links
        assert any(Path(image).stem == chapter for image in front.loaded)
        assert f"{len(exercises)} exercises, {sum(exercise.points for exercise in exercises)} points" in front.text
    assert f"About {total_minutes(CHECKOUT, tuple(chapters())) / 60:.0f} hours" in front.text
    assert all(front.alts)


@pytest.mark.parametrize("pictures", [0, 2])
def test_a_chapter_without_the_one_picture_for_the_front_page_is_named(pictures: int, tmp_path: Path) -> None:
    chapter = CHAPTERS[0]
    for folder in ("book", f"solutions/{chapter}"):
        shutil.copytree(
            CHECKOUT.root / folder, tmp_path / folder, ignore=shutil.ignore_patterns("ch*.md", "guide_teaching.md")
        )
    shutil.copy(CHECKOUT.text(chapter), tmp_path / "book")
    shutil.copy(CHECKOUT.root / "nbgrader_config.py", tmp_path)
    checkout = Checkout(tmp_path)
    notebook = nbformat.read(checkout.solved(chapter), as_version=4)
    figures = [c for c in notebook.cells if any("image/png" in o.get("data", {}) for o in c.get("outputs", []))]
    for number, cell in enumerate(figures):
        cell.metadata["tags"] = [PICTURE] if number < pictures else []
    nbformat.write(notebook, checkout.solved(chapter))
    with pytest.raises(SiteError, match=rf"{chapter} shows {pictures} figures .* the front page needs exactly one"):
        stage(checkout, tmp_path / "site", solutions=True)


def test_a_drawing_can_stand_for_a_chapter_on_the_front_page(tmp_path: Path) -> None:
    chapter, drawing = CHAPTERS[0], rnn_step()
    for folder in ("book", f"solutions/{chapter}"):
        shutil.copytree(
            CHECKOUT.root / folder, tmp_path / folder, ignore=shutil.ignore_patterns("ch*.md", "guide_teaching.md")
        )
    shutil.copy(CHECKOUT.text(chapter), tmp_path / "book")
    shutil.copy(CHECKOUT.root / "nbgrader_config.py", tmp_path)
    (tmp_path / "book" / "intro.md").write_text(f"# Front\n\n{{{{ picture {chapter} }}}}\n", encoding="utf-8")
    (tmp_path / "book" / "_toc.yml").write_text("format: jb-book\nroot: intro\n", encoding="utf-8")
    checkout = Checkout(tmp_path)
    notebook = nbformat.read(checkout.solved(chapter), as_version=4)
    for cell in notebook.cells:
        cell.metadata["tags"] = [tag for tag in cell.metadata.get("tags", []) if tag != PICTURE]
    shown = new_output("execute_result", {"text/html": drawing.html, "text/plain": repr(drawing)})
    notebook.cells.append(new_code_cell("recurrent.rnn_step()", metadata={"tags": [PICTURE]}, outputs=[shown]))
    nbformat.write(notebook, checkout.solved(chapter))
    site = stage(checkout, tmp_path / "site", solutions=True)
    assert (site / "_static" / "pictures" / f"{chapter}.svg").read_text(encoding="utf-8") == drawing.html
    assert f"pictures/{chapter}.svg\n:alt: {drawing.text}" in (site / "intro.md").read_text(encoding="utf-8")


def test_a_folder_with_something_else_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(SiteError, match="choose another folder"):
        stage(CHECKOUT, tmp_path, solutions=True)
    assert (tmp_path / "thesis.txt").read_text() == "mine"
