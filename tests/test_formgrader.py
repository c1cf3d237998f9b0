"""nbgrader's formgrader in a browser, as an instructor uses it: grade by a click, then read a written answer and score it.

And as an attacker would: what a student wrote or is called runs nothing there, and no address loads a folder's configuration.
"""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import nbformat
import pytest
from nbgrader.api import Gradebook
from selenium.webdriver.common.keys import Keys

from autograder.building.notebook_files import read
from autograder.building.weave import WRITTEN_POINTS, is_written, written_id
from autograder.checkout import Course, course_config
from autograder.declare import load_checks
from autograder.grading.formgrader import _Page
from autograder.samples.course import CHAPTER, SHORT_ANSWER, Student, submit
from tests.browser import Browser, jupyterlab, open_browser

STUDENT = "emmy-left-one-out"
LEFT_OUT = "AttentionDecoder"
POINTS = {found.exercise.name: found.points for found in load_checks(CHAPTER)}
CODE_POINTS = sum(POINTS.values()) - POINTS[LEFT_OUT]
TOTAL = sum(POINTS.values()) + WRITTEN_POINTS
GIVEN, COMMENT = 3, "Which map was it?"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with open_browser() as found:
        found.show(1400, "light")
        yield found


@pytest.fixture(scope="module")
def course(browser: Browser, released: Course, tmp_path_factory: pytest.TempPathFactory) -> Course:
    made = Course(shutil.copytree(released.root, tmp_path_factory.mktemp("formgrader") / "course"))
    submit(made, STUDENT, Student(made).notebook(**{LEFT_OUT: None}))
    return made


@pytest.fixture(scope="module")
def formgrader(browser: Browser, course: Course) -> Iterator[str]:
    """The address of the formgrader of a server like that of `make formgrader`, but without a password."""
    with jupyterlab(course.root, browser) as address:
        yield f"{address}/formgrader"


def row_of_student(browser: Browser, formgrader: str) -> str:
    """What the list of submissions says of the student, in one line."""
    browser.open(f"{formgrader}/manage_submissions/{CHAPTER}")
    browser.one("td.autograde a")
    rows = [row.text.replace("\n", " ") for row in browser.all("tbody tr")]
    return next(row for row in rows if STUDENT in row)


@pytest.fixture(scope="module")
def autograded(browser: Browser, formgrader: str) -> None:
    """What a click on Autograde leaves behind."""
    assert "needs autograding" in row_of_student(browser, formgrader)
    browser.one("td.autograde a").click()
    message = browser.until(lambda: told(browser), "what came of it")
    assert "Successfully autograded" in message


def told(browser: Browser) -> str | None:
    """The message that a click on a button ends with, once it is complete."""
    text = browser.one("body").text
    return text if "Successfully autograded" in text or "There was an error" in text else None


@pytest.mark.usefixtures("autograded")
def test_autograde_gives_the_points_of_the_checks_and_asks_for_a_reader(browser: Browser, formgrader: str) -> None:
    row = row_of_student(browser, formgrader)
    assert f"{CODE_POINTS} / {TOTAL}" in row
    assert "needs manual grading" in row


@pytest.mark.usefixtures("autograded")
def test_a_written_answer_is_read_scored_and_commented(browser: Browser, formgrader: str, course: Course) -> None:
    browser.open(f"{formgrader}/gradebook/{CHAPTER}/{CHAPTER}")
    browser.one("tbody td a").click()
    answer = f"#{written_id(CHAPTER)}"
    score = browser.one(f"input.score{answer}")
    assert SHORT_ANSWER in browser.one("body").text
    assert score.get_attribute("value") == ""

    score.send_keys(str(GIVEN), Keys.TAB)
    browser.one(f"textarea{answer}-comment").send_keys(COMMENT, Keys.TAB)

    def saved() -> bool:
        with Gradebook(f"sqlite:///{course.root / 'gradebook.db'}") as book:
            grade = book.find_grade(written_id(CHAPTER), CHAPTER, CHAPTER, STUDENT)
            comment = book.find_comment(written_id(CHAPTER), CHAPTER, CHAPTER, STUDENT)
            return bool(grade.manual_score == GIVEN and not grade.needs_manual_grade and comment.comment == COMMENT)

    browser.until(saved, "the score and the comment in the gradebook")
    row = row_of_student(browser, formgrader)
    assert f"{CODE_POINTS + GIVEN} / {TOTAL}" in row
    assert "needs manual grading" not in row


MARKUP = "<img src=/api/status onerror=document.title='owned'>"
# A server finds the guard through the course's own configuration, or through what `make formgrader` says.
MAKES = next(
    line.split(":=")[1].split()
    for line in (Path(__file__).parent.parent / "Makefile").read_text().splitlines()
    if line.startswith("GUARD :=")
)


def answer_of(address: str, method: str = "GET", body: bytes | None = None) -> tuple[int, dict[str, str], str]:
    """The status, the headers and the text of what a server answers."""
    request = Request(address, method=method, data=body)
    try:
        with urlopen(request) as answer:
            return answer.status, dict(answer.headers), answer.read().decode(errors="replace")
    except HTTPError as error:
        return error.code, dict(error.headers), error.read().decode(errors="replace")


@pytest.fixture(scope="module")
def attacked(browser: Browser, released: Course, tmp_path_factory: pytest.TempPathFactory) -> Course:
    """A course with a trap in a student's folder, one whose id is markup, and an autograded notebook that was never cleaned."""
    made = Course(shutil.copytree(released.root, tmp_path_factory.mktemp("attacked") / "course"))
    bait = Student(made).notebook(written=MARKUP)
    for student in (STUDENT, MARKUP.replace("/", "")):
        submit(made, student, bait)
        folder = made.root / "autograded" / student / CHAPTER
        folder.mkdir(parents=True)
        answered = read(made.released(CHAPTER))
        for cell in answered.cells:
            if is_written(cell):
                cell.source = f"{MARKUP} <script>document.title = 'owned'</script> [x](javascript:document.title='owned') ![y](/api/status)"
        (folder / f"{CHAPTER}.ipynb").write_text(nbformat.writes(answered))
        (folder / "page.html").write_text("<script>document.title = 'owned'</script>")
        with Gradebook(made.database(course_config(made.root))) as book:
            book.add_student(student, first_name=MARKUP, last_name="x")
            book.add_submission(CHAPTER, student)
    for name, content in {
        "nbgrader_config.py": f"open({str(made.root / 'ran')!r}, 'w').write('x')\n",
        "nbgrader_config.json": "{}",
    }.items():
        (made.root / "submitted" / STUDENT / CHAPTER / name).write_text(content)
    return made


@pytest.fixture(scope="module", params=["its configuration", "make formgrader"])
def guarded(request: pytest.FixtureRequest, browser: Browser, attacked: Course) -> Iterator[str]:
    """The address of a server that found the guard in one of two ways."""
    config = attacked.root / "nbgrader_config.py"
    before = config.read_text()
    if request.param == "make formgrader":
        config.write_text(before.replace("guard()\n", "pass\n"))
    with jupyterlab(attacked.root, browser, *(MAKES if request.param == "make formgrader" else [])) as address:
        yield address
    config.write_text(before)


@pytest.mark.parametrize(
    "query",
    [
        "?path=submitted/{}/{}",
        "/?path=submitted/{}/{}",
        "?path=%73ubmitted%2f{}/./{}",
        "?path=&path=submitted/{}/{}",
        "?path=submitted/{}/{}&path=",
        "?path=.&path=submitted/{}/{}&path=.",
        "?path={root}/submitted/{}/{}",
        "?path=submitted/{}/..",
        "?path=..",
        "?%70ath=submitted/{}/{}",
    ],
)
def test_no_folder_but_the_courses_own_is_loaded(guarded: str, attacked: Course, query: str) -> None:
    status, _, text = answer_of(guarded + "/formgrader" + query.format(STUDENT, CHAPTER, root=attacked.root))
    assert status == 403, text
    assert not (attacked.root / "ran").exists()
    assert CHAPTER in answer_of(f"{guarded}/formgrader/api/assignments")[2]


def test_nor_by_another_method(guarded: str, attacked: Course) -> None:
    path = f"submitted/{STUDENT}/{CHAPTER}"
    for method in ("POST", "HEAD", "PUT", "DELETE", "OPTIONS", "PATCH"):
        answer_of(f"{guarded}/formgrader?path={path}", method, b"path=" + path.encode() if method != "HEAD" else None)
    answer_of(f"{guarded}/formgrader", "GET", b"path=" + path.encode())
    assert not (attacked.root / "ran").exists()


def test_the_courses_own_folder_and_none_lead_to_its_first_page(guarded: str, attacked: Course) -> None:
    for query in ("", "?path=", "?path=.", f"?path={attacked.root}"):
        status, headers, text = answer_of(f"{guarded}/formgrader{query}")
        assert status == 200
        assert "Manage Assignments" in text
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"


def test_an_address_cannot_write_into_a_script(guarded: str) -> None:
    for page in (
        "manage_submissions/%22;alert(1)//",
        "gradebook/a%5c/;alert(1)//",
        "manage_students/%3Cimg%20src=x%3E",
    ):
        status, headers, text = answer_of(f"{guarded}/formgrader/{page}")
        assert status == 400 or "alert(1)" not in text, text
        assert "'unsafe-inline'" not in headers["Content-Security-Policy"].split("script-src")[1].split(";")[0]


def test_files_beside_a_notebook_are_downloaded(guarded: str, attacked: Course) -> None:
    with Gradebook(attacked.database(course_config(attacked.root))) as book:
        number = book.find_submission_notebook(CHAPTER, CHAPTER, STUDENT).id
    status, headers, _ = answer_of(f"{guarded}/formgrader/submissions/{number}/page.html")
    assert status == 200
    assert headers["Content-Disposition"] == "attachment"
    assert "sandbox" in headers["Content-Security-Policy"]
    assert headers["Content-Type"] == "application/octet-stream"


def test_pages_run_nothing_of_a_student_and_ask_for_nothing_elsewhere(
    browser: Browser, guarded: str, attacked: Course
) -> None:
    """Not even of a notebook that was never cleaned, or of a student whose id is markup; and their own scripts all run."""
    with Gradebook(attacked.database(course_config(attacked.root))) as book:
        numbers = [found.id for found in book.notebook_submissions(CHAPTER, CHAPTER)]
    assert len(numbers) == 2
    browser.asked_elsewhere()
    pages = {f"submissions/{number}/": "formgrader.loaded" for number in numbers}
    lists = ("manage_assignments", f"manage_submissions/{CHAPTER}", f"gradebook/{CHAPTER}/{CHAPTER}", "manage_students")
    for page, loaded in {**dict.fromkeys(lists, "models.loaded"), **pages}.items():
        browser.open(f"{guarded}/formgrader/{page}")
        browser.until(lambda loaded=loaded: browser.run(f"return window.{loaded}"), page)
        assert browser.run("return document.title") != "owned", page
        asked = [json.loads(entry["message"])["message"] for entry in browser.driver.get_log("performance")]
        addresses = [m["params"]["request"]["url"] for m in asked if m["method"] == "Network.requestWillBeSent"]
        sent = {m["params"]["requestId"] for m in asked if m["method"] == "Network.responseReceived"}
        bait = [
            m
            for m in asked
            if m["method"] == "Network.requestWillBeSent" and "/api/status" in m["params"]["request"]["url"]
        ]
        assert not [m for m in bait if m["params"]["requestId"] in sent], page
        assert all(url.startswith((guarded, "data:")) for url in addresses), (page, addresses)
    assert browser.all("math")
    assert f"{browser.run('return location.origin')}" == guarded


def test_a_server_that_has_formgrader_without_the_guard_does_not_start() -> None:
    script = """
from types import SimpleNamespace
from autograder.grading import formgrader
app = SimpleNamespace(web_app=SimpleNamespace(settings={"nbgrader_formgrader": object()}))
formgrader._load_jupyter_server_extension(app)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "loaded without its guard" in done.stderr
    assert "--ServerApp.reraise_server_extension_failures=True" in MAKES


@pytest.mark.parametrize(
    ("headers", "ancestors"),
    [({}, "'self'"), ({"Content-Security-Policy": "frame-ancestors 'none'; report-uri /hub/csp"}, "'none'")],
    ids=["JupyterLab", "JupyterHub"],
)
def test_guard_allows_no_page_around_its_own_where_the_hub_allows_none(headers: dict, ancestors: str) -> None:
    page = _Page()
    page.settings = {"headers": headers}
    assert f"frame-ancestors {ancestors}" in page.content_security_policy
