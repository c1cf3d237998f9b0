"""What students wrote is shown to people: whole, harmless, and soon; each student's feedback is one page that needs nothing else."""

import errno
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from bs4 import BeautifulSoup
from nbconvert.exporters import HTMLExporter
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output, new_raw_cell
from nbgrader.api import Gradebook
from rich.console import Console

from autograder.building.notebook_files import read
from autograder.building.weave import WRITTEN_POINTS, is_written, rubric_of, split_written
from autograder.checkout import Course, CourseError, course_config
from autograder.declare import load_checks, load_exercises
from autograder.grading import feedback, gradebook, pages, rendering
from autograder.grading.run import grade_class
from autograder.grading.sanitize import as_markdown, printable, sanitize, sanitized
from autograder.nbgrader_api import nbgrader_api
from autograder.samples import hostile
from autograder.samples.course import CHAPTER, GOOD_ANSWER, ROOT, Student, read_by_hand, submit
from autograder.samples.seeds import drawn
from tests import dying
from tests.browser import Browser, served
from tests.processes import alive, command_of, descendants, until
from tests.students import answers_to

attend, masked_softmax = map(answers_to, ("attend", "masked_softmax"))
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
NBGRADER = HTMLExporter(template_name="basic", exclude_input_prompt=True)
QUIET = Console(quiet=True)
# Some seconds on a busy machine; what these hold took half a minute and more.
SOON = 20
# What a page may take, pasted pictures apart.
MOST = 100_000
LEFT, ODD = "emmy-left-one-out", "smith [2]*"


def grade(course: Course) -> None:
    grade_class(course, CHAPTER, workers=2, box="landlock", scheduler=None, console=QUIET)


def write(course: Course, workers: int = 1) -> feedback.Written:
    return feedback.write_feedback(course, CHAPTER, workers=workers, console=QUIET)


def page_of(course: Course, student: str) -> Path:
    return course.root / "feedback" / student / CHAPTER / f"{CHAPTER}.html"


def text_of(path: Path) -> str:
    return " ".join(BeautifulSoup(path.read_text(), "html.parser").text.split())


@pytest.fixture(scope="module")
def graded(released: Course, tmp_path_factory: pytest.TempPathFactory) -> Course:
    """A course in which three have been graded; one wrote all that is hostile, and one has an odd name."""
    course = Course(shutil.copytree(released.root, tmp_path_factory.mktemp("pages") / "course"))
    student = Student(course)
    nasty = student.notebook(written=GOOD_ANSWER)
    nasty.cells.insert(1, new_code_cell(hostile.INJECTS_SCRIPT))
    nasty.cells += [new_markdown_cell(text) for text in hostile.WRITINGS.values() if len(text) < 1000]
    nasty.cells += [new_raw_cell("<script>document.title = 'owned'</script> $\\href{javascript:1}{x}$")]
    submit(course, LEFT, student.notebook(attend=None, written=None))
    submit(course, ODD, student.notebook(written=GOOD_ANSWER))
    submit(course, "nasty", nasty)
    grade(course)
    return course


@pytest.fixture
def course(graded: Course, tmp_path: Path) -> Course:
    """The same, for a test of its own."""
    return Course(shutil.copytree(graded.root, tmp_path / "course", ignore=shutil.ignore_patterns("feedback", "pages")))


class TestHarmless:
    @pytest.mark.parametrize("shown_by", ["nbgrader", "us"])
    @pytest.mark.parametrize("name", hostile.WRITINGS)
    def test_nothing_runs_loads_or_leads_back(self, name: str, shown_by: str) -> None:
        source = sanitized(hostile.WRITINGS[name], {})
        assert unsafe(shown(source, shown_by)) == []

    @pytest.mark.drawn
    def test_nor_do_random_mixtures_of_them(self) -> None:
        draw = drawn("writings")
        pieces = [piece for text in hostile.WRITINGS.values() if len(text) < 1000 for piece in re.split(r"(\W)", text)]
        for _ in range(150):
            text = "".join(draw.choice(pieces) for _ in range(draw.randint(5, 60)))
            source = sanitized(text, {})
            for shown_by in ("nbgrader", "us"):
                assert unsafe(shown(source, shown_by)) == [], (text, source)

    def test_a_browser_asks_for_nothing_and_runs_nothing(self, browser: Browser, tmp_path: Path) -> None:
        """Without any policy that would forbid it."""
        notebook = new_notebook(
            cells=[new_markdown_cell(text) for text in hostile.WRITINGS.values() if len(text) < 1000]
        )
        notebook.cells += [new_raw_cell("<img src=/raw.png>")]
        sanitize(notebook, [])
        body = "\n".join(shown(cell.source, "nbgrader") for cell in notebook.cells)
        (tmp_path / "page.html").write_text(
            f"<!DOCTYPE html><html><head><title>mine</title></head><body>{body}</body></html>"
        )
        with served(tmp_path) as address:
            browser.driver.get_log("performance")
            browser.open(f"{address}/page.html")
            assert browser.run("return document.title") == "mine"
            asked = {url for url in asked_for(browser) if urlsplit(url).path != "/favicon.ico"}
            assert asked == {f"{address}/page.html"}

    @pytest.mark.parametrize(
        "source",
        [
            "**Bold**, *slanted* & `x -> y`\n\n> quoted\n\n- one\n- two",
            "$a < b$, 2 < 3 and $$x \\to \\infty > 1$$",
            "[a page](https://example.org/a?b=1&c=2#d), [a part](#part), <b>bold</b>, https://example.org",
            f"![a map](data:image/png;base64,{PIXEL}) ![another](attachment:map.png)",
            "# Head\n\n| a | b |\n|---|:-:|\n| 1 | 2 |\n\n- [ ] one\n- [x] two\n\n```python\ndef f(): pass\n```\n\n~~x~~",
            "\\begin{aligned} a &= b \\\\ c &= \\frac{1}{2} \\end{aligned}",
            "$x<y$ and $s<t>u$, `<unk>`, `a<b and c>d`, `</s>`; &lt; &amp; &copy;",
            "```python\nif a<b and c>d:\n    print('<unk>')\n```\n\ntext\n\n    if a<b and c>d:\n",
            "H<sub>2</sub>O x<sup>2</sup> <u>u</u> a<br>b <details><summary>more</summary>text</details>",
            "see <https://example.org/a>\r\nand more",
            '<img src="attachment:map.png" width="300">',
            f'a <img src="data:image/png;base64,{PIXEL}" alt="map" width="50%"/> b',
            "![a map](attachment:my%20map.png)",
        ],
    )
    def test_ordinary_markdown_is_left_as_it_is(self, source: str) -> None:
        pictures = {name: {"image/png": PIXEL} for name in ("map.png", "my map.png")}
        assert sanitized(source, pictures) == source
        assert rendering.markdown_with(source, pictures).count(PIXEL) == source.count("map.png") + source.count(PIXEL)

    @pytest.mark.parametrize(
        ("source", "text"),
        [
            ("The score a<b because c>d holds.", "The score a<b because c>d holds."),
            ("a<b>c, **so** `x<y z>w`", "a<b>c, so x<y z>w"),
            ("the <unk> token and `<unk>`, then </s> and $s<t>u$", "the <unk> token and <unk>, then </s> and s<t>u"),
            ("<B>old</B> and a<b c>d", "old and a<b c>d"),
            ("1. one\n\n    a<b and c>d\n", "one\na<b and c>d"),
            ("mail <a@example.org> to me", "mail <a@example.org> to me"),
            ("see ```a<b c>d``` where i<j k>l", "see a<b c>d where i<j k>l"),
        ],
    )
    def test_signs_that_look_like_tags_stay(self, source: str, text: str) -> None:
        page = BeautifulSoup(rendering.markdown(sanitized(source, {})), "html.parser")
        assert page.text.strip() == text
        assert page.find("pre") is None

    @pytest.mark.parametrize(
        "source",
        [
            "![a map](attachment:my map.png) ![b](attachment:gone.png)",
            "![a map](attachment:map%20(1).png)",
            "![a map](attachment:map (1).png)",
            "<img src='attachment:my map.png' width=300 style='x'> and <img src=attachment:gone.png>",
            '<IMG alt="a map" SRC="attachment:my%20map.png" onclick="x">',
        ],
    )
    def test_pasted_pictures_are_found(self, source: str) -> None:
        pictures = {name: {"image/gif": PIXEL} for name in ("my map.png", "map (1).png")}
        page = BeautifulSoup(rendering.markdown_with(sanitized(source, pictures), pictures), "html.parser")
        (image,) = page.find_all("img")
        assert image["src"] == f"data:image/gif;base64,{PIXEL}"
        assert image.attrs.keys() <= {"src", "alt", "width"}
        assert page.find("pre") is None

    @pytest.mark.parametrize(
        "piece",
        ["![](attachment:a)\n", '<img src="attachment:a">\n', "![a][1]\n", '<b>\n<img src="attachment:a"></b>\n'],
    )
    def test_many_references_to_a_large_picture_are_not_all_shown(self, piece: str) -> None:
        large = "A" * 7_000_000
        source = piece * 60 + (f"\n[1]: data:image/png;base64,{'A' * 900_000}\n" if "[1]" in piece else "")
        pictures = {"a": {"image/png": large}}
        started = time.process_time()
        cleaned = sanitized(source, pictures)
        for text in (source, cleaned):
            page = rendering.markdown_with(text, pictures)
            assert len(page) < 20_000_000
            assert "The pictures are not shown" in page
        assert time.process_time() - started < SOON
        assert sanitized("![](attachment:a)", pictures) == "![](attachment:a)"

    def test_pictures_of_a_notebook_have_a_limit_too(self) -> None:
        pictures = {"a": {"image/png": "A" * 7_000_000}}
        cells = [new_markdown_cell("![](attachment:a)", attachments=pictures) for _ in range(6)]
        notebook = new_notebook(cells=cells)
        sanitize(notebook, [])
        shown = [cell.source == "![](attachment:a)" for cell in notebook.cells]
        assert shown == [True] * 3 + [False] * 3
        assert "The pictures are not shown" in notebook.cells[-1].source

    @pytest.mark.parametrize(
        ("source", "words", "links"),
        [
            ("see [a file](notes/a.md) in **bold**", "see a file in bold", []),
            ("![a map](https://example.org/map.png)", "a map", ["https://example.org/map.png"]),
            (
                "at http://localhost:8888/lab, or <https://example.org/>",
                "at http://localhost:8888/lab, or https://example.org/",
                ["https://example.org/"],
            ),
            (
                "[mail](mailto:a@example.org) [b](https://example.org/)",
                "mail b",
                ["https://example.org/"],
            ),
            ("![sketch](/formgrader?path=submitted)", "sketch", []),
            (
                '<img src="https://example.org/map.png" alt="a map"> by <a href="https://example.org/">Ann</a>',
                "a map by Ann",
                ["https://example.org/map.png", "https://example.org/"],
            ),
            ("![a map](attachment:gone.png) of **it**, `a<b c>`", "a map of it, a<b c>", []),
            ("so[^1]\n\n[^1]: **said**", "so[^1]\n[^1]: said", []),
        ],
    )
    def test_what_may_not_lead_anywhere_is_text_and_the_rest_stays(
        self, source: str, words: str, links: list[str]
    ) -> None:
        page = BeautifulSoup(rendering.markdown(sanitized(source, {})), "html.parser")
        assert page.text.strip() == words
        assert [link["href"] for link in page.find_all("a")] == links
        assert all(link["target"] == "_blank" and "noopener" in link["rel"] for link in page.find_all("a"))

    def test_what_is_ours_is_left_as_it_is(self) -> None:
        ours = "<div>ours</div> [x](javascript:ours)"
        notebook = new_notebook(cells=[new_markdown_cell(ours)])
        sanitize(notebook, [ours])
        assert notebook.cells[0].source == ours

    def test_what_is_too_long_to_show_says_so(self) -> None:
        notebook = new_notebook(cells=[new_markdown_cell("a" * 150_000), new_markdown_cell("b" * 150_000)])
        sanitize(notebook, [])
        first, second = (cell.source for cell in notebook.cells)
        assert first.count("a") == 150_000
        assert second.count("b") == 50_000
        assert second.endswith("100000 more characters are in the file that was handed in.")
        assert max(map(len, (first + second).splitlines())) <= 200

    @pytest.mark.parametrize(
        "piece",
        [
            "[",
            "![",
            "[a](",
            "|a|\n|-|\n|b|\n",
            "|-",
            "\\\\[",
            "\\\\(",
            "<b>",
            "# a\n",
            "+ ",
            "> ",
            "*a**b",
            "```brainfuck\n+",
        ],
    )
    def test_text_made_to_be_slow_is_not(self, piece: str) -> None:
        notebook = new_notebook(cells=[new_markdown_cell((piece * 20_000)[:20_000]) for _ in range(5)])
        notebook.cells += [new_markdown_cell((piece * 8_000)[:8_000]) for _ in range(5)]
        started = time.process_time()
        sanitize(notebook, [])
        for cell in notebook.cells:
            shown(cell.source, "nbgrader")
        assert time.process_time() - started < SOON

    def test_terminals_are_not_steered(self) -> None:
        assert printable("Zoë 李 a_b-c.d") == "Zoë 李 a_b-c.d"
        assert printable("a\x1b[2J\nb\r\u202ec\u200b\x9b\udc80") == r"a\x1b[2J\nb\r\u202ec\u200b\x9b\udc80"

    def test_messages_stand_in_markdown_as_they_are(self) -> None:
        message = "named *a* <b> `c` [d](e) http://localhost/x $f$ & ~~g~~ #h <img src=x> &lt; 1. \\"
        page = BeautifulSoup(rendering.markdown(f"- {as_markdown(message)}"), "html.parser")
        assert page.text.strip() == message
        assert {tag.name for tag in page.find_all(True)} <= {"ul", "li", "p"}


def shown(source: str, by: str) -> str:
    """The HTML of Markdown, as nbgrader makes it or as we do."""
    if by == "us":
        return rendering.markdown_with(source, {})
    return NBGRADER.from_notebook_node(new_notebook(cells=[new_markdown_cell(source)]))[0]


def unsafe(page: str) -> list[str]:
    """The tags of a page that run, load, submit, name parts of the page, or lead to this machine or nowhere."""
    harmful = {
        "script",
        "style",
        "link",
        "meta",
        "base",
        "iframe",
        "object",
        "embed",
        "form",
        "svg",
        "video",
        "audio",
        "source",
    }
    found = []
    for tag in BeautifulSoup(page, "lxml").find_all(True):
        if tag.name in harmful or any(
            name.startswith("on") or name in ("srcset", "ping", "background", "action") for name in tag.attrs
        ):
            found.append(str(tag))
        if "url(" in str(tag.attrs.get("style", "")) or (
            tag.name == "img" and not tag.get("src", "").startswith("data:image/png")
        ):
            found.append(str(tag))
        address = re.sub(r"[\x00-\x20]", "", tag.get("href", "#"))
        if not address.startswith("#") and not re.match(r"https?://example\.org(?:[/?#]|$)", address):
            found.append(str(tag))
    if re.search(
        r"\\(?:href|url|style|class|cssId|require|unicode)(?![A-Za-z])",
        re.sub(r"<(pre|code).*?</\1>", "", page, flags=re.DOTALL),
    ):
        found.append("a formula that does more than it shows")
    return found


def asked_for(browser: Browser) -> list[str]:
    messages = [json.loads(entry["message"])["message"] for entry in browser.driver.get_log("performance")]
    asked = [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]
    return [url for url in asked if url.startswith("http")]


class TestRendering:
    def test_every_formula_of_the_course_is_read(self) -> None:
        root = Path(__file__).parent.parent
        cells = [
            cell
            for path in root.glob("notebooks/*/*.ipynb")
            for cell in read(path).cells
            if cell.cell_type == "markdown"
        ]
        assert len(cells) > 100
        unread = [
            found
            for cell in cells
            for found in re.findall(r"<code class='formula'>.*?</code>", rendering.markdown(cell.source))
        ]
        assert unread == []

    def test_a_formula_that_cannot_be_read_is_shown_as_it_was_typed(self) -> None:
        page = rendering.markdown("so $\\nothing{<b>}$ and $a < b$")
        assert "\\nothing{&lt;b&gt;}" in page
        assert "<mo>&lt;</mo>" in page

    @pytest.mark.parametrize("unit", ["\x1b[31ma", "\x1b[38;2;1;2;3;48;2;9;9;9ma", "\x1b[", "\x1b", "<"])
    def test_an_error_made_to_be_slow_is_shown_soon(self, unit: str) -> None:
        text = (unit * 200_000)[:200_000]
        output = new_output("error", ename="E", evalue=text, traceback=[text])
        started = time.process_time()
        page = page_with({f"f{number}": new_code_cell("f = 1", outputs=[output]) for number in range(30)})
        assert time.process_time() - started < SOON
        assert len(page.encode()) < MOST
        assert "more characters are not shown" in page

    @pytest.mark.parametrize("unit", [" " * 20 + "\n", "...", "1.", "a.b", "(", "'", "a?", "<", "é"])
    def test_code_made_to_be_slow_is_shown_soon(self, unit: str) -> None:
        cells = {f"f{n}": new_code_cell((unit * 20_000)[: 20_000 if n else 1_000_000] + str(n)) for n in range(30)}
        started = time.process_time()
        page = page_with(cells)
        assert time.process_time() - started < SOON
        assert len(page.encode()) < MOST
        assert "more characters are not shown" in page

    def test_what_a_cell_printed_or_drew_is_not_shown(self) -> None:
        kinds = [
            "text/html",
            "image/svg+xml",
            "application/javascript",
            "text/markdown",
            "text/latex",
            "image/png",
            "text/plain",
        ]
        outputs = [new_output("display_data", {kind: "<b>owned</b>"}) for kind in kinds]
        outputs.append(new_output("stream", name="stdout", text="<b>owned</b>"))
        page = page_with({"f": new_code_cell("f = 1", outputs=outputs)})
        assert "owned" not in page

    def test_the_longest_of_everything_stays_small(self) -> None:
        """Every exercise wrong with the longest message, answers, errors, notes and comments that are as long as may be."""
        error = new_output("error", ename="E", evalue="", traceback=["<&" * 10_000])
        cells = {f"f{n}": new_code_cell("x = '<&>'\n" * 1_000, outputs=[error]) for n in range(12)}
        marks = pages.Marks(
            comments={name: "*a* $x<y$ <&" * 1_000 for name in ("w", *(f"f{n}-answer" for n in range(12)))}
        )
        written = nbgraders(
            new_markdown_cell("**b** $\\alpha < \\beta$ <&\n\n" * 5_000), "w", grade=True, solution=True
        )
        failed = [new_code_cell("<&" * 100, outputs=[error]) for _ in range(1_000)]
        page = page_with(cells, marks, [written, *failed], ["<&" * 200] * 2_000, message="<&`a`" * 200, checks=10)
        assert len(page.encode()) < MOST

    def test_a_text_that_looks_like_a_picture_takes_room(self) -> None:
        text = f'so "data:image/png;base64,{"A" * 400_000}"'
        cell = nbgraders(new_markdown_cell(text), "w", grade=True, solution=True)
        page = page_with({}, more=[cell])
        assert len(page.encode()) < MOST
        assert "more characters are not shown" in page

    def test_a_notebook_without_reports_asks_to_be_graded_again(self, tmp_path: Path) -> None:
        cell = nbgraders(new_code_cell("check(f)"), "f", grade=True, solution=False)
        (tmp_path / "old.ipynb").write_text(json.dumps(new_notebook(cells=[cell])))
        job = pages.Job(tmp_path / "old.ipynb", tmp_path / "old.html", pages.Marks(), pages.Chapter(CHAPTER))
        assert "run `autograder grade` again" in pages.write_page(job)[1]
        assert not job.page.exists()


def nbgraders(cell: NotebookNode, name: str, *, grade: bool, solution: bool) -> NotebookNode:
    """The cell under a name that nbgrader knows it by."""
    cell.metadata.nbgrader = {"grade_id": name, "grade": grade, "solution": solution, "points": 10}
    return cell


def page_with(
    answers: dict[str, NotebookNode],
    marks: pages.Marks | None = None,
    more: list[NotebookNode] | None = None,
    problems: list[str] | None = None,
    *,
    message: str = "no",
    checks: int = 1,
    extra: str = "",
) -> str:
    """The page of a notebook with these answers, all of them wrong; one may be extra credit."""
    cells = []
    for name, cell in answers.items():
        missed = {"name": "it works", "status": "failed", "worth": "1 point", "builds": False, "notes": [message]}
        report = {"title": "a", "earned": 0, "points": checks, "cause": "", "checks": [missed] * checks, "closing": []}
        report["extra_credit"] = name == extra
        output = new_output("execute_result", {"text/plain": "0.0"}, metadata={"autograder": report})
        check = nbgraders(new_code_cell(f"check({name})", outputs=[output]), name, grade=True, solution=False)
        cells += [nbgraders(cell, f"{name}-answer", grade=False, solution=True), check]
    notebook = new_notebook(cells=[*cells, *(more or [])], metadata={"autograder": {"problems": problems or []}})
    return pages.page(notebook, marks or pages.Marks(), pages.Chapter(CHAPTER))


class TestPage:
    def test_policy_comes_first_and_nothing_is_loaded(self, graded: Course) -> None:
        write(graded)
        for student in (LEFT, ODD, "nasty"):
            page = BeautifulSoup(page_of(graded, student).read_text(), "html.parser")
            first = page.head.find(True)
            assert first["http-equiv"] == "Content-Security-Policy"
            assert "default-src 'none'" in first["content"]
            assert "script-src" not in first["content"]
            assert page_of(graded, student).stat().st_size < MOST
            assert page.find_all(["script", "link", "iframe", "object", "base", "form"]) == []
            assert [
                image["src"][:20]
                for image in page.find_all("img")
                if not image["src"].startswith("data:image/png;base64,")
            ] == []

    @pytest.mark.parametrize(("width", "mode"), [(1280, "light"), (1280, "dark"), (390, "light")])
    def test_it_is_readable_on_every_screen(self, browser: Browser, graded: Course, width: int, mode: str) -> None:
        write(graded)
        browser.show(width, mode)
        with served(graded.root / "feedback" / "nasty") as address:
            browser.driver.get_log("performance")
            browser.open(f"{address}/{CHAPTER}/{CHAPTER}.html")
            asked = {urlsplit(url).path for url in asked_for(browser)}
        assert asked <= {f"/{CHAPTER}/{CHAPTER}.html", "/favicon.ico"}
        assert browser.run("return document.title") == CHAPTER
        assert browser.run("return document.documentElement.scrollWidth") <= width
        if width > 1000:
            assert browser.violations() == []

    def test_pasted_pictures_are_shown(self, course: Course) -> None:
        notebook = Student(course).notebook(written="See ![my map](attachment:map.png)")
        (cell,) = filter(is_written, notebook.cells)
        cell.attachments = {"map.png": {"image/png": PIXEL}}
        submit(course, "zoe", notebook)
        grade(course)
        write(course)
        assert f"data:image/png;base64,{PIXEL}" in page_of(course, "zoe").read_text()

    def test_it_says_what_nobody_has_read_and_then_what_was_given(self, course: Course) -> None:
        write(course)
        waits, none = text_of(page_of(course, ODD)), text_of(page_of(course, LEFT))
        assert "It is worth 5 points, which the score does not include yet." in waits
        assert "This answer has not been graded yet." in waits
        assert "– / 5" in waits
        assert "You did not answer this question." in none
        assert "has not been graded yet" not in none
        before = pages_marks(course)[ODD]
        read_by_hand(course, ODD, 4, "Which **map** is it? <script>owned()</script>")
        write(course)
        waits = text_of(page_of(course, ODD))
        assert f"Score: {before.score + 4:g} / {before.points:g}" in waits
        assert f"Your written answer 4 / {WRITTEN_POINTS}" in waits
        assert "Which map is it?" in waits
        assert "<strong>map</strong>" in page_of(course, ODD).read_text()
        assert "has not been graded yet" not in waits

    def test_it_shows_what_was_lost_beside_the_code_and_nothing_of_the_chapter(self, course: Course) -> None:
        student = Student(course)
        wrong = student.notebook(attend=attend.keys_for_values, AttentionDecoder="def AttentionDecoder(", written=None)
        wrong.cells.insert(3, new_code_cell("1 / 0"))
        submit(course, "zoe", wrong)
        grade(course)
        write(course)
        page = BeautifulSoup(page_of(course, "zoe").read_text(), "html.parser")
        assert page_of(course, "zoe").stat().st_size < 40_000
        exercises = load_exercises(CHAPTER)
        sections = {section.get("id"): section for section in page.find_all("section")}
        for exercise in exercises:
            code = sections[exercise.name].find(class_="own")
            assert (code is not None) == (exercise.name in ("attend", "AttentionDecoder"))
        attended = sections["attend"]
        assert "def attend(" in attended.find(class_="own").text
        assert "key" in attended.find(class_="told").text
        assert "Hint:" in attended.find(class_="told").text
        assert "SyntaxError" in sections["AttentionDecoder"].find(class_="error").text
        notes, following = list(page.find_all("section"))[-2:]
        assert "ZeroDivisionError" in notes.text
        assert "1 / 0" in notes.text
        lost = [link.text for link in following.find_all("a")]
        assert lost == ["AttentionDecoder", "attend", "Your written answer"]
        assert "“A decoder that attends”" in following.text
        given = [cell.source.strip() for cell in read(course.released(CHAPTER)).cells if len(cell.source) > 200]
        assert not [source for source in given if source[:100] in page.text and "Read one of your" not in source]

    def test_what_was_repaired_is_said_at_the_top_and_told_at_the_end(self) -> None:
        page = BeautifulSoup(
            page_with({"f": new_code_cell("f = 1")}, problems=["the cell f was deleted"]), "html.parser"
        )
        assert page.find("main").find(True).find("a")["href"] == "#notes"
        assert "The cell f was deleted." in page.find(id="notes").text
        assert "#notes" not in page_with({"f": new_code_cell("f = 1")})

    def test_of_a_hidden_check_it_shows_name_and_hint_alone(self, course: Course) -> None:
        halved = """def masked_softmax(scores, mask):
    weights = scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(dim=-1).masked_fill(~mask, 0.0)
    return weights / 2 if scores.dim() == 1 else weights"""
        submit(course, "zoe", Student(course).notebook(masked_softmax=halved))
        grade(course)
        write(course)
        (checks,) = [found for found in load_checks(CHAPTER) if found.exercise.name == "masked_softmax"]
        rows = next(check for check in checks.checks if check.name == "scores may have any number of dimensions")
        assert rows.hidden
        page = BeautifulSoup(page_of(course, "zoe").read_text(), "html.parser")
        told = " ".join(page.find(id="masked_softmax").find(class_="told").find("ul").text.split())
        assert told == f"✗{rows.name} (1 point, hidden)Hint: {rows.hint.replace('`', '')}"

    def test_the_rubric_is_shown_once_a_person_has_marked(self, course: Course) -> None:
        (solved,) = filter(is_written, read(course.solved(CHAPTER)).cells)
        first = rubric_of(split_written(solved.source)[1]).splitlines()[0].removeprefix("- ")
        write(course)
        assert not [student for student in (LEFT, ODD, "nasty") if first in text_of(page_of(course, student))]
        read_by_hand(course, ODD, 0, "")
        write(course)
        assert [student for student in (LEFT, ODD, "nasty") if first in text_of(page_of(course, student))] == [ODD]

    def test_the_chapter_is_linked_where_it_is_public(self, course: Course) -> None:
        write(course)
        assert "github.com" not in page_of(course, LEFT).read_text()
        config = Path(__file__).parent.parent / "book" / "_config.yml"
        public = config.read_text().replace('public_address: ""', 'public_address: "https://github.com/a/b/tree/main"')
        (course.root / "book" / "_config.yml").write_text(public)
        assert write(course).unchanged == 0
        address = f"https://github.com/a/b/blob/main/notebooks/{CHAPTER}/{CHAPTER}.ipynb"
        page = BeautifulSoup(page_of(course, LEFT).read_text(), "html.parser")
        assert address in [link["href"] for link in page.find_all("a")]
        (course.root / "book" / "_config.yml").write_text('public_address: "javascript:alert(1)/tree/main"')
        write(course)
        assert "javascript" not in page_of(course, LEFT).read_text()

    @pytest.mark.parametrize(
        ("marks", "extra", "told"),
        [
            ({"f": (1, 1), "w": (5, 5)}, "", "Nothing to correct: all your answers earned full points."),
            ({"f": (1, 1), "w": None}, "", "Nothing to correct: all your code earned full points."),
            ({"f": (1, 1), "g": (0, 0)}, "g", "all your answers earned full points, apart from extra credit."),
            ({"f": (1, 1), "w": (3, 5)}, "", "You lost points here: Your written answer: 2 points lost."),
            (
                {"f": (0, 1), "w": (5, 5)},
                "",
                "f: 1 point lost. Correct your code in the notebook, and run check there.",
            ),
        ],
    )
    def test_what_to_do_next_is_true_of_all_answers(
        self, marks: dict[str, tuple[float, float] | None], extra: str, told: str
    ) -> None:
        found = pages.Marks(
            cells={
                name: pages.Mark(0, 5, unread=True) if given is None else pages.Mark(*given, unread=False, by_hand=True)
                for name, given in marks.items()
            }
        )
        written = nbgraders(new_markdown_cell("So it is."), "w", grade=True, solution=True)
        answers = {name: new_code_cell(f"{name} = 1") for name in marks if name != "w"}
        page = page_with(answers, found, [written] * ("w" in marks), extra=extra)
        text = " ".join(BeautifulSoup(page, "html.parser").find(class_="next").text.split())
        assert told in text
        assert ("Nothing to correct" in text) != ("lost" in text)

    def test_points_changed_by_hand_are_told_apart(self, course: Course) -> None:
        with Gradebook(course.database(course_config(course.root))) as book:
            book.find_grade("attend", CHAPTER, CHAPTER, LEFT).manual_score = 3
            book.find_comment("attend-answer", CHAPTER, CHAPTER, LEFT).manual_comment = "Half of it is **there**."
            book.db.commit()
        write(course)
        text = text_of(page_of(course, LEFT))
        assert "The checks gave 0 points; your instructor changed this to 3." in text
        assert "Half of it is there." in text

    def test_nbgraders_own_command_makes_the_same_page(self, course: Course) -> None:
        write(course)
        ours = {student: page_of(course, student).read_bytes() for student in (LEFT, "nasty")}
        for student, page in ours.items():
            page_of(course, student).unlink()
            assert nbgrader_api(course_config(course.root)).generate_feedback(CHAPTER, student, force=True)["success"]
            assert page_of(course, student).read_bytes() == page

    def test_marks_are_those_of_the_gradebook(self, course: Course) -> None:
        read_by_hand(course, ODD, 2.5, "")
        with Gradebook(course.database(course_config(course.root))) as book:
            book.find_submission_notebook(CHAPTER, CHAPTER, LEFT).late_submission_penalty = 1.5
            book.find_grade("attend", CHAPTER, CHAPTER, LEFT).extra_credit = 0.25
            book.db.commit()
            for student, marks in pages_marks(course).items():
                known = book.find_submission_notebook(CHAPTER, CHAPTER, student)
                assert marks.score == known.score - (known.late_submission_penalty or 0)
                assert marks.points == known.max_score
                assert {name: mark.score for name, mark in marks.cells.items()} == {
                    g.name: g.score for g in known.grades
                }
                assert marks.comments == {c.name: c.comment for c in known.comments if c.comment}
        write(course)
        assert "Late penalty: 1.5 points, already subtracted from the score." in text_of(page_of(course, LEFT))


def pages_marks(course: Course) -> dict[str, pages.Marks]:
    with Gradebook(course.database(course_config(course.root))) as book:
        return feedback.read_marks(book, CHAPTER)


class TestWriting:
    def test_only_what_changed_is_written_again(self, course: Course) -> None:
        first = write(course)
        assert (first.written, first.unchanged, first.exit_code) == (3, 0, 0)
        assert (write(course).written, write(course).unchanged) == (0, 3)
        read_by_hand(course, ODD, 3, "")
        assert write(course).written == 1
        page_of(course, LEFT).write_text("damaged")
        page_of(course, "nasty").unlink()
        assert write(course).written == 2
        assert "Score" in text_of(page_of(course, LEFT))
        (course.private / "pages" / f"{CHAPTER}.json").write_text("null")
        assert write(course).written == 3

    @pytest.mark.parametrize("workers", [1, 2])
    def test_one_bad_notebook_never_stops_the_rest(
        self, course: Course, workers: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(feedback, "_FEW", 0)
        (course.root / "autograded" / "nasty" / CHAPTER / f"{CHAPTER}.ipynb").chmod(0o644)
        (course.root / "autograded" / "nasty" / CHAPTER / f"{CHAPTER}.ipynb").write_text('{"cells": [{')
        (course.root / "autograded" / "stranger" / CHAPTER).mkdir(parents=True)
        (course.root / "autograded" / "stranger" / CHAPTER / f"{CHAPTER}.ipynb").write_text("{}")
        shutil.rmtree(course.root / "autograded" / LEFT)
        result = write(course, workers)
        assert (result.written, result.total, result.exit_code) == (1, 4, 1)
        assert result.missing.keys() == {"nasty", "stranger", LEFT}
        assert page_of(course, ODD).is_file()
        assert all(student in " ".join(result.closing()) for student in result.missing)

    def test_a_process_that_is_killed_costs_its_own_page(self, course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(feedback, "_FEW", 0)
        monkeypatch.setattr(pages, "write_page", dying.over_nasty)
        result = write(course, 2)
        assert result.written == 2
        assert "killed" in result.missing["nasty"]

    def test_no_process_outlives_the_one_that_started_it(self) -> None:
        code = "from autograder.grading import feedback, pages; from tests import dying; pages.write_page = dying.never_done"
        started = subprocess.Popen(
            [sys.executable, "-c", f"{code}; list(feedback._in_pool({{'a': 1, 'b': 2}}, 2))"], cwd=ROOT
        )
        workers: set[int] = set()

        def both_work() -> bool:
            found = {pid for pid in descendants(started.pid) if "spawn_main" in command_of(pid)}
            workers.update(found)
            return len(found) == 2 and all(len(os.listdir(f"/proc/{pid}/task")) > 1 for pid in found)

        try:
            assert until(both_work)
        finally:
            started.kill()
            started.wait()
        assert until(lambda: not alive(workers))

    def test_a_full_disk_is_said_and_leaves_the_old_page(self, course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
        write(course)
        before = page_of(course, ODD).read_bytes()
        read_by_hand(course, ODD, 3, "")

        def full(*_: object) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr("os.replace", full)
        result = write(course)
        assert result.missing == {ODD: "the disk is full"}
        assert page_of(course, ODD).read_bytes() == before
        assert [path.name for path in page_of(course, ODD).parent.iterdir()] == [f"{CHAPTER}.html"]

    def test_stopped_it_keeps_what_is_written_and_says_so(
        self, course: Course, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        done = pages.write_page

        def stopped(job: pages.Job) -> tuple[list[str], str]:
            if ODD in str(job.notebook):
                raise KeyboardInterrupt
            return done(job)

        monkeypatch.setattr(pages, "write_page", stopped)
        result = write(course)
        assert result.exit_code == 130
        assert "2 of 3 pages are written" in result.closing()[-1]
        monkeypatch.undo()
        result = write(course)
        assert (result.written, result.unchanged, result.exit_code) == (1, 2, 0)

    def test_a_locked_gradebook_is_said(self, course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(gradebook, "PATIENCE", 0.1)
        other = sqlite3.connect(course.root / "gradebook.db")
        other.execute("BEGIN EXCLUSIVE")
        try:
            with pytest.raises(CourseError, match="locked"):
                write(course)
        finally:
            other.close()

    def test_nothing_graded_says_what_to_run(self, course: Course) -> None:
        shutil.rmtree(course.root / "autograded")
        (course.root / "gradebook.db").unlink()
        with pytest.raises(CourseError, match=f"run `autograder grade {CHAPTER}`"):
            write(course)
