"""nbgrader's formgrader in a browser, as an instructor uses it: grade by a click, then read a written answer and score it."""

from collections.abc import Iterator

import pytest
from nbgrader.api import Gradebook
from selenium.webdriver.common.keys import Keys

from autograder.declare import load_checks
from autograder.house import Course
from autograder.weaving.weave import WRITTEN_POINTS, written_id
from tests.browser import Browser, jupyterlab, open_browser
from tests.sample_class import CHAPTER, SHORT_ANSWER, Student, make_course, submit

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
def course(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Course:
    made = make_course(tmp_path_factory.mktemp("formgrader") / "course")
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
    message = browser.until(lambda: told(browser), "what came of it", seconds=120)
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
