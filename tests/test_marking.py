"""Marking by hand on a page: what is saved is nbgrader's, nobody else can save, and nothing that a student wrote runs."""

import asyncio
import json
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from http.client import HTTPConnection
from pathlib import Path
from queue import Queue
from threading import Thread
from urllib.parse import urlencode, urlsplit

import pytest
from bs4 import BeautifulSoup, Tag
from click.testing import Result
from nbgrader.api import Gradebook
from rich.console import Console
from selenium.webdriver.common.keys import Keys
from tornado.netutil import bind_sockets
from typer.testing import CliRunner

from autograder import cli
from autograder.building.notebook_files import read
from autograder.building.weave import WRITTEN_POINTS, is_written, rubric_of, split_written, written_id
from autograder.checkout import Course, course_config
from autograder.cli import app
from autograder.declare import load_checks
from autograder.grading.class_record import pseudonyms
from autograder.grading.deadlines import extend, set_due
from autograder.grading.export import Standing, read_lines
from autograder.grading.feedback import write_feedback
from autograder.grading.like_answers import groups_of
from autograder.grading.marking import Marking, StaleError
from autograder.grading.marking_server import HERE, start
from autograder.samples import hostile
from autograder.samples.course import CHAPTER, GOOD_ANSWER, SHORT_ANSWER, Student, quietly, read_by_hand, submit
from tests.browser import Browser
from tests.students import answers_to
from tests.test_pages import unsafe

attend = answers_to("attend")
WRITTEN = written_id(CHAPTER)
ATTEND = next(found.points for found in load_checks(CHAPTER) if found.exercise.name == "attend")
ADA, BERT, CLEO, DORA, EMIL = STUDENTS = ("ada", "bert", "cleo", "dora", "emil")
NAME = "<b onclick=owned()>Ada</b>"


@dataclass(frozen=True)
class Reply:
    """What the server answers."""

    status: int
    headers: dict[str, str]
    text: str

    @property
    def page(self) -> BeautifulSoup:
        return BeautifulSoup(self.text, "html.parser")

    @property
    def words(self) -> str:
        return " ".join(self.page.text.split())

    def one(self, selector: str) -> Tag:
        (found,) = self.page.select(selector)
        return found

    @property
    def form(self) -> dict[str, str]:
        """The fields of the form with the points, as a browser would send them."""
        fields = {
            field["name"]: field.get("value", "") for field in self.page.select("#mark input:not([type=checkbox])")
        }
        return {**fields, "comment": self.one("#comment").text.removeprefix("\n")}


@dataclass(frozen=True)
class Server:
    """A server that runs, as somebody who knows its address sees it."""

    address: str

    def ask(self, path: str = "", fields: dict[str, str] | None = None, **headers: str | None) -> Reply:
        """Ask for a page, or send a form as the page itself does; a header that is None is left out."""
        where = urlsplit(self.address)
        sent: dict[str, str | None] = {}
        if fields is not None:
            sent = {"Origin": f"http://{where.netloc}", "Content-Type": "application/x-www-form-urlencoded"}
        sent |= headers
        target = path if path.startswith("/") else where.path + path
        with closing(HTTPConnection(where.netloc, timeout=120)) as line:
            line.request(
                "GET" if fields is None else "POST",
                target,
                None if fields is None else urlencode(fields),
                {name: value for name, value in sent.items() if value is not None},
            )
            answer = line.getresponse()
            return Reply(answer.status, dict(answer.headers), answer.read().decode())

    def answer(self, student: str, exercise: str = WRITTEN, show: str = "all") -> Reply:
        """The page with one student's answer, as somebody finds it in the list."""
        listed = self.ask(f"list?{urlencode({'exercise': exercise, 'show': show})}")
        (link,) = [a for a in listed.page.select("table a") if re.search(rf"\b{student}\b", a.text)]
        return self.ask(link["href"].removeprefix("."))

    def save(self, shown: Reply, **typed: str) -> Reply:
        return self.ask("save", {**shown.form, **typed})


@contextmanager
def marking(course: Course, **options: bool) -> Iterator[Server]:
    """A server like that of `autograder mark`, in a thread of its own."""
    told: Queue[tuple[str, Callable[[], object]]] = Queue()

    async def serving() -> None:
        stopped, loop = asyncio.Event(), asyncio.get_running_loop()
        (listening,) = bind_sockets(0, HERE)
        server, address = start(Marking(course, CHAPTER, **options), listening)
        told.put((address, lambda: loop.call_soon_threadsafe(stopped.set)))
        await stopped.wait()
        server.stop()
        await server.close_all_connections()

    thread = Thread(target=lambda: asyncio.run(serving()))
    thread.start()
    address, stop = told.get(timeout=120)
    try:
        yield Server(address)
    finally:
        stop()
        thread.join()


def mark(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["mark", CHAPTER, *arguments], env={"COLUMNS": "200"})


def kept(course: Course, student: str, exercise: str = WRITTEN) -> tuple[float | None, bool, str | None]:
    """What nbgrader has: a person's points, whether a person should look, and a person's comment."""
    commented = exercise if exercise == WRITTEN else f"{exercise}-answer"
    with Gradebook(course.database(course_config(course.root))) as book:
        grade = book.find_grade(exercise, CHAPTER, CHAPTER, student)
        comment = book.find_comment(commented, CHAPTER, CHAPTER, student)
        return grade.manual_score, grade.needs_manual_grade, comment.manual_comment


@pytest.fixture(scope="module")
def graded(released: Course, tmp_path_factory: pytest.TempPathFactory) -> Course:
    """A graded class; one wrote all that is hostile, one left the question, and one who has handed nothing in has an extension."""
    course = Course(shutil.copytree(released.root, tmp_path_factory.mktemp("marking") / "course"))
    student = Student(course)
    nasty = "\n\n".join(text for text in hostile.WRITINGS.values() if len(text) < 200)
    submit(course, ADA, student.notebook(written=GOOD_ANSWER))
    submit(course, BERT, student.notebook(written=nasty[:7000], attend=attend.keys_for_values))
    submit(course, CLEO, student.notebook(written=None, attend=None))
    submit(course, DORA, student.notebook(written=SHORT_ANSWER))
    submit(course, EMIL, student.notebook(written=hostile.MARKUP))
    with Gradebook(course.database(course_config(course.root))) as book:
        book.update_or_create_student(ADA, first_name=NAME, last_name="Lovelace")
        book.add_student("felix")
    set_due(course, CHAPTER, datetime(2030, 1, 1))
    extend(course, CHAPTER, "felix", "3", None)
    assert quietly(course).exit_code == 0
    return course


@pytest.fixture
def course(graded: Course, tmp_path: Path) -> Course:
    """The same class, for a test of its own."""
    return Course(shutil.copytree(graded.root, tmp_path / "course"))


@pytest.fixture(scope="module")
def server(graded: Course) -> Iterator[Server]:
    """A server that nothing is saved with."""
    with marking(graded) as found:
        yield found


class TestWhatIsShown:
    def test_it_begins_with_the_first_unread_answer_and_all_that_is_needed_to_judge_it(self, server: Server) -> None:
        shown = server.ask()
        assert shown.one("#where").text == "1 of 5"
        assert "4 unread" in shown.words
        assert NAME in shown.words
        assert "Which words have no counterpart, on either side?" in shown.words
        assert "the row is pale, its largest weight is about 0.4" in shown.words
        assert shown.one("#answer math")
        assert "Points, 0 to 5" in shown.words
        assert "Nobody has read it yet." in shown.words

    def test_rubric_and_model_answer_are_shown_where_the_course_has_them(self, server: Server, graded: Course) -> None:
        (cell,) = filter(is_written, read(graded.solved(CHAPTER)).cells)
        model = split_written(cell.source)[1]
        shown = server.ask()
        items = [line.removeprefix("- ") for line in rubric_of(model).splitlines() if line.startswith("- ")]
        assert len(shown.page.select(".items label")) == len(items) == WRITTEN_POINTS
        assert " ".join(model.split()[:8]).replace("*", "") in shown.words

    def test_code_comes_with_what_the_checks_found_and_our_own(self, server: Server) -> None:
        shown = server.answer(BERT, "attend")
        assert "Hint:" in shown.one("#answer .told").text
        assert "the context is the key" in shown.words.lower() or "key" in shown.one("#answer .told").text
        assert "def attend(" in shown.one("#answer > .highlight").text
        assert "Reference solution" in shown.words
        assert f"Points, 0 to {ATTEND}" in shown.words
        assert "which counts as long as this field is empty" in shown.words
        untouched = server.answer(CLEO, "attend")
        assert "left the given cell unchanged" in untouched.words
        assert "What the checks found" not in untouched.words

    def test_the_list_names_all_who_handed_in_and_nobody_else(self, server: Server) -> None:
        listed = server.ask("list?show=all")
        rows = {row.select("td")[0].text: row.select("td")[2].text for row in listed.page.select("tbody tr")}
        assert [next(name for name in STUDENTS if name in who) for who in rows] == list(STUDENTS)
        assert list(rows.values()) == ["unread", "unread", "no answer", "unread", "unread"]

    def test_going_through_the_unread_ones_passes_the_rest_over(self, server: Server) -> None:
        for show, following in (("unread", DORA), ("all", CLEO)):
            shown = server.answer(BERT, show=show)
            after = server.ask(shown.one("a[rel=next]")["href"].removeprefix("."))
            assert after.one("#who").text == following
        assert not server.answer(EMIL, show="all").page.select("a[rel=next]")

    def test_each_exercise_is_offered_with_how_many_wait(self, server: Server) -> None:
        options = [option.text for option in server.ask().page.select("select[name=exercise] option")]
        assert len(options) == len(load_checks(CHAPTER)) + 1
        assert options[-1] == "Written answer (4 of 5 unread)"
        assert all("(0 of 5 unread)" in option for option in options[:-1])

    def test_what_is_not_there_is_not_found(self, server: Server) -> None:
        for path in ("?exercise=nothing", "?answer=0123456789abcdef", f"?exercise={WRITTEN}&answer=../../x"):
            assert server.ask(path).status == 404

    def test_a_notebook_that_cannot_be_read_costs_itself_alone(self, course: Course) -> None:
        path = course.root / "autograded" / ADA / CHAPTER / f"{CHAPTER}.ipynb"
        path.chmod(0o644)
        path.write_text('{"cells": [{')
        with marking(course) as server:
            assert "cannot be shown" in server.answer(ADA).one("#answer").text
            assert SHORT_ANSWER.split(".")[0] in server.answer(DORA).words

    def test_a_chapter_that_was_not_graded_says_what_to_run(self, fresh: Course) -> None:
        submit(fresh, ADA, Student(fresh).notebook())
        result = mark("--course", str(fresh.root))
        assert result.exit_code == 1
        assert f"autograder grade {CHAPTER}" in result.output

    def test_a_port_that_is_taken_is_said(self, graded: Course, server: Server) -> None:
        result = mark("--course", str(graded.root), "--port", str(urlsplit(server.address).port))
        assert result.exit_code == 1
        assert "choose another one with --port" in result.output


class TestNobodyElse:
    def test_only_the_whole_address_opens_a_page(self, server: Server) -> None:
        token = urlsplit(server.address).path
        for path in ("/", "/list", "/save", "/x/", f"{token[:-2]}/", f"{token}x", f"/x{token}", "/marking.js", "//"):
            reply = server.ask(path)
            assert reply.status == 403, path
            assert ADA not in reply.text

    def test_nothing_is_saved_without_the_address_the_host_and_the_origin(self, course: Course) -> None:
        with marking(course) as server, marking(course) as other:
            form = {**server.answer(ADA).form, "points": "3"}
            where = urlsplit(server.address).netloc
            stranger = Server(other.address.replace(urlsplit(other.address).netloc, where))
            assert stranger.ask("save", form, Origin=f"http://{where}").status == 403
            for headers in (
                {"Origin": None},
                {"Origin": "null"},
                {"Origin": "http://example.org"},
                {"Origin": f"https://{where}"},
                {"Origin": "http://127.0.0.1"},
                {"Host": "example.org", "Origin": "http://example.org"},
                {"Host": f"rebound.example.org:{urlsplit(server.address).port}"},
            ):
                assert server.ask("save", form, **headers).status == 403, headers
            assert server.ask("save?" + urlencode(form)).status == 405
            assert kept(course, ADA) == (None, True, None)
            assert server.ask("save", form).status == 303
        assert kept(course, ADA) == (3, False, None)

    def test_every_answer_forbids_what_it_does_not_need(self, server: Server) -> None:
        for reply in (
            server.ask(),
            server.ask("list"),
            server.ask("/"),
            server.ask("marking.js"),
            server.ask("?answer=x"),
        ):
            policy = reply.headers["Content-Security-Policy"]
            assert "default-src 'none'" in policy
            assert "script-src 'self';" in policy
            assert "frame-ancestors 'none'" in policy
            assert reply.headers["X-Content-Type-Options"] == "nosniff"
            assert reply.headers["Referrer-Policy"] == "same-origin"
            assert reply.headers["Cache-Control"] == "no-store"
            assert "Server" not in reply.headers

    def test_it_listens_on_this_machine_alone(self, server: Server) -> None:
        port = urlsplit(server.address).port
        listening = [
            line.split()[1] for line in Path("/proc/net/tcp").read_text().splitlines()[1:] if line.split()[3] == "0A"
        ]
        assert [place for place in listening if int(place.split(":")[1], 16) == port] == [f"0100007F:{port:04X}"]

    def test_every_start_has_an_address_of_its_own(self, graded: Course, server: Server) -> None:
        with marking(graded) as other:
            assert urlsplit(other.address).path != urlsplit(server.address).path
            assert len(urlsplit(other.address).path) > 40


def test_the_command_says_its_address_and_ends_well_with_ctrl_c(graded: Course) -> None:
    command = [
        sys.executable,
        "-c",
        "from autograder.cli import app; app()",
        "mark",
        "ch05",
        "--course",
        str(graded.root),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as started:
        assert started.stdout is not None
        assert Server(re.search(r"http://\S+", started.stdout.readline())[0]).ask().one("#where").text == "1 of 5"
        started.send_signal(signal.SIGINT)
        assert started.wait(30) == 0
        assert "Ctrl-C" in started.stdout.read()


class TestHarmless:
    @pytest.mark.parametrize("student", [BERT, EMIL])
    def test_nothing_that_a_student_wrote_stays_more_than_text(self, server: Server, student: str) -> None:
        shown = server.answer(student)
        own = shown.one("#answer")
        for ours in own.select("details"):
            ours.decompose()
        assert unsafe(str(own)) == []
        assert [script["src"] for script in shown.page.select("script")] == ["marking.js"]
        assert "owned" in own.text

    def test_nor_does_a_name(self, server: Server) -> None:
        for reply in (server.answer(ADA), server.ask("list")):
            assert NAME in reply.words
            assert not reply.page.select("[onclick]")

    def test_a_browser_runs_nothing_of_it(self, server: Server, browser: Browser) -> None:
        for student in (BERT, EMIL):
            address = urlsplit(server.address)
            link = (
                server.ask("list?show=all")
                .page.find("a", string=student)["href"]
                .removeprefix("list")
                .removeprefix(".")
            )
            browser.open(f"{address.geturl()}{link}")
            assert student in browser.run("return document.title")
            assert browser.asked_elsewhere() == []


class TestSaving:
    def test_what_is_saved_is_what_everything_else_shows(self, course: Course) -> None:
        said = "Which **map** is it?\n\nThere are two."
        with marking(course) as server:
            reply = server.save(server.answer(ADA, show="unread"), points="3.5", comment=said.replace("\n", "\r\n"))
            assert reply.status == 303
            following = server.ask(reply.headers["Location"].removeprefix("."))
            assert following.one("#who").text == BERT
            assert "3.5 of 5 points and a comment" in following.one("[role=status]").text
            assert "3 unread" in following.words
            back = server.ask(following.one("[role=status] a")["href"].removeprefix("."))
            assert (back.form["points"], back.form["comment"]) == ("3.5", said)
        assert kept(course, ADA) == (3.5, False, said)
        (row,) = [row for row in quietly(course).rows if row.student == ADA]
        assert row.by_hand == "3.5 of 5"
        (line,) = [line for line in read_lines(course, CHAPTER) if line.student.id == ADA]
        assert (line.standing, line.parts[WRITTEN]) == (Standing.GRADED, 3.5)
        write_feedback(course, CHAPTER, workers=1, console=Console(quiet=True))
        page = (course.root / "feedback" / ADA / CHAPTER / f"{CHAPTER}.html").read_text()
        assert "3.5 / 5" in page
        assert "<strong>map</strong>" in page

    @pytest.mark.parametrize(
        "typed",
        ["-1", "5.5", "6", "five", "nan", "inf", "1e0", "1.2.3", "\N{ARABIC-INDIC DIGIT THREE}", "0x1", "00000", ""],
    )
    def test_points_that_are_none_are_refused_and_shown_again(self, graded: Course, server: Server, typed: str) -> None:
        reply = server.save(server.answer(ADA), points=typed, comment="" if not typed else "Kept <as typed>.")
        assert reply.status == 400
        assert reply.form["points"] == typed
        assert reply.form["comment"] == ("" if not typed else "Kept <as typed>.")
        assert reply.one("#points")["aria-invalid"] == "true"
        assert ("from 0 to 5" if typed else "Type the points") in reply.one("[role=alert]").text
        assert kept(graded, ADA) == (None, True, None)

    @pytest.mark.parametrize(
        ("typed", "points"), [("0", 0), ("5", 5), ("2.5", 2.5), ("2,5", 2.5), (" 4 ", 4), ("0.25", 0.25)]
    )
    def test_any_points_that_nbgrader_takes_are_taken(self, course: Course, typed: str, points: float) -> None:
        with marking(course) as server:
            assert server.save(server.answer(DORA), points=typed).status == 303
        assert kept(course, DORA) == (points, False, None)

    def test_a_comment_that_is_too_long_is_refused(self, graded: Course, server: Server) -> None:
        reply = server.save(server.answer(ADA), points="3", comment="x" * 10_001)
        assert reply.status == 400
        assert "at most 10,000 characters" in reply.one("[role=alert]").text
        assert kept(graded, ADA) == (None, True, None)

    def test_a_comment_alone_leaves_the_answer_unread(self, course: Course) -> None:
        with marking(course) as server:
            reply = server.save(server.answer(ADA), comment="Come and see me.")
            assert "no points yet" in server.ask(reply.headers["Location"].removeprefix(".")).words
        assert kept(course, ADA) == (None, True, "Come and see me.")

    def test_points_of_the_checks_are_changed_and_given_back(self, course: Course) -> None:
        with marking(course) as server:
            server.save(server.answer(BERT, "attend"), points="7", comment="Half of it.")
            assert kept(course, BERT, "attend") == (7, False, "Half of it.")
            assert kept(course, BERT) == (None, True, None)
            server.save(server.answer(BERT, "attend"), points="", comment="")
        assert kept(course, BERT, "attend") == (None, False, None)

    def test_items_of_the_rubric_count_where_no_points_are_typed(self, course: Course) -> None:
        with marking(course) as server:
            shown = server.answer(ADA)
            assert [box["value"] for box in shown.page.select("[name=item]")] == ["1", "2", "3", "4", "5"]
            assert not server.answer(ADA, "attend").page.select("[name=item]")
            fields = shown.form
            assert server.ask("save", {**fields, "item": "3"}).status == 303
            assert kept(course, ADA) == (1, False, None)
            refused = server.ask("save", {**fields, "item": "3", "points": "9"})
            assert [box["value"] for box in refused.page.select("[name=item][checked]")] == ["3"]

    def test_the_points_stand_above_the_rubric(self, server: Server) -> None:
        page = server.answer(ADA).text
        assert page.index("id='points'") < page.index("name='item'") < page.index("id='comment'")

    def test_what_was_saved_last_is_taken_back(self, course: Course) -> None:
        with marking(course) as server:
            server.save(server.answer(ADA, show="unread"), points="4", comment="Good.")
            reply = server.save(server.answer(ADA), points="1", comment="")
            undo = {"exercise": WRITTEN, "show": "all", "answer": server.answer(ADA).form["answer"]}
            assert server.ask(reply.headers["Location"].removeprefix(".")).one("#undo")
            assert undo["answer"] in server.ask("undo", undo).headers["Location"]
            assert kept(course, ADA) == (4, False, "Good.")
            assert server.ask("undo", undo).status == 404, "there is nothing more to take back"
            server.save(server.answer(ADA), points="2")
            read_by_hand(course, ADA, 5, "From the formgrader.")
            assert server.ask("undo", undo).status == 409
        assert kept(course, ADA) == (5, False, "From the formgrader.")

    def test_comments_used_before_are_offered_the_most_frequent_first(self, course: Course) -> None:
        with marking(course) as server:
            for student, said in ((ADA, "Rare & odd <b>"), (DORA, "Often."), (EMIL, "Often.")):
                server.save(server.answer(student), points="1", comment=said)
            offered = [button.text for button in server.answer(BERT).page.select(".used button")]
            assert offered == ["Often.", "Rare & odd <b>"]
            assert not server.answer(BERT, "attend").page.select(".used button")

    def test_when_all_are_read_it_says_so_and_what_comes_next(self, course: Course) -> None:
        with marking(course) as server:
            for student in (ADA, BERT, DORA, EMIL):
                reply = server.save(server.answer(student, show="unread"), points="2")
            assert reply.headers["Location"].startswith("list")
            done = server.ask(reply.headers["Location"])
            assert "Every answer to Written answer has been read." in done.words
            assert f"autograder feedback {CHAPTER}" in done.words
            assert "2 of 5 points" in done.one("[role=status]").text
            assert server.ask().status == 200


class TestSimilarAnswers:
    def test_they_come_one_after_the_other_and_share_what_they_are_given(self, course: Course) -> None:
        words = "The article has no counterpart, so the model looks at the noun."
        for student, text in ((ADA, words), (DORA, words.upper()), (EMIL, f"{words[:-1]}, I think.")):
            submit(course, student, Student(course).notebook(written=text))
        assert quietly(course).exit_code == 0
        with marking(course) as server:
            listed = server.ask(f"list?{urlencode({'exercise': WRITTEN, 'show': 'all'})}")
            order = [re.findall(r"\w+", row.text)[-1] for row in listed.page.select("tbody td:first-child")]
            assert order == [ADA, DORA, EMIL, BERT, CLEO]
            server.save(server.answer(DORA), points="3", comment="Which <noun>?")
            shown = server.answer(ADA)
            listed = [" ".join(item.text.split()) for item in shown.page.select(".similar li")]
            assert listed == ["dora: 3 Use", "emil: unread"]
            button = shown.one(".same")
            assert (button["data-points"], button["data-comment"]) == ("3", "Which <noun>?")
            assert "Similar answers" not in server.answer(BERT).words

    def test_only_much_the_same_words_are_similar(self) -> None:
        told = {
            "a": "The weight goes to the full stop because a softmax sums to one.",
            "b": "the weight goes to the FULL STOP, because a softmax sums to one",
            "c": "The weight goes to the full stop because each softmax sums to one!",
            "d": "A softmax sums to one, so that weight has to go somewhere.",
            "e": "...",
            "f": "Stop.",
            "g": "stop",
        }
        alike = {"a": ("a", "b", "c"), "b": ("a", "b", "c"), "c": ("a", "b", "c"), "f": ("f", "g"), "g": ("f", "g")}
        assert groups_of(told) == alike


class TestTwoMarkers:
    def test_a_grade_that_has_changed_is_told_and_not_overwritten(self, course: Course) -> None:
        with marking(course) as one, marking(course) as other:
            first, second = one.answer(ADA), other.answer(ADA)
            assert one.save(first, points="4", comment="Good.").status == 303
            refused = other.save(second, points="1", comment="Bad.")
            assert refused.status == 409
            assert "Now there are 4 points and the comment “Good.”" in refused.words
            assert kept(course, ADA) == (4, False, "Good.")
            assert (refused.form["points"], refused.form["comment"]) == ("1", "Bad.")
            assert other.save(second, points="1").status == 409
            assert other.save(refused).status == 303
        assert kept(course, ADA) == (1, False, "Bad.")

    def test_nor_is_what_formgrader_saved(self, course: Course) -> None:
        with marking(course) as server:
            shown = server.answer(ADA)
            read_by_hand(course, ADA, 2, "From the formgrader.")
            assert server.save(shown, points="5").status == 409
        assert kept(course, ADA) == (2, False, "From the formgrader.")

    def test_of_many_at_once_one_is_saved_whole(self, course: Course) -> None:
        found = Marking(course, CHAPTER)
        part = found.part(WRITTEN)
        (answer,) = [one for one in found.standing(part).answers if one.student == ADA]
        version = found.sheet(part, answer).version

        def save(number: int) -> int | None:
            try:
                Marking(course, CHAPTER).save(part, answer, version, number, f"By {number}.")
            except StaleError:
                return None
            return number

        with ThreadPoolExecutor(4) as pool:
            (winner,) = [number for number in pool.map(save, range(4)) if number is not None]
        assert kept(course, ADA) == (winner, False, f"By {winner}.")

    def test_a_locked_gradebook_is_said_and_what_was_typed_can_be_sent_again(
        self, course: Course, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("autograder.grading.marking.PATIENCE", 0.1)
        with marking(course) as server:
            shown = server.answer(ADA)
            with closing(sqlite3.connect(course.root / "gradebook.db")) as book:
                book.execute("BEGIN EXCLUSIVE")
                reply = server.save(shown, points="3", comment="Two\nlines.")
            assert reply.status == 503
            assert "Nothing was saved: the gradebook is locked by another process" in reply.words
            assert kept(course, ADA) == (None, True, None)
            fields = {field["name"]: field["value"] for field in reply.page.select("form input")}
            assert server.ask("save", fields).status == 303
        assert kept(course, ADA) == (3, False, "Two\nlines.")


class TestRegrading:
    def test_points_and_comments_stay_and_what_is_new_is_looked_at_again(self, course: Course) -> None:
        with marking(course) as server:
            server.save(server.answer(ADA), points="4", comment="Good.")
            server.save(server.answer(BERT, "attend"), points="6", comment="Nearly.")
            server.save(server.answer(DORA), points="1")
            submit(course, ADA, Student(course).notebook(written=SHORT_ANSWER))
            submit(course, BERT, Student(course).notebook(written=SHORT_ANSWER))
            open_in_a_browser = server.answer(EMIL)
            assert quietly(course).exit_code == 0
            assert kept(course, ADA) == (4, True, "Good.")
            assert kept(course, BERT, "attend") == (6, True, "Nearly.")
            assert kept(course, DORA) == (1, False, None)
            again = server.answer(ADA, show="unread")
            assert "graded again after these points were given" in again.words
            assert (again.form["points"], again.form["comment"]) == ("4", "Good.")
            assert server.save(again).status == 303
            assert kept(course, ADA) == (4, False, "Good.")
            assert server.save(open_in_a_browser, points="2").status == 303

    def test_an_answer_that_has_changed_since_it_was_shown_is_not_marked(self, course: Course) -> None:
        with marking(course) as server:
            shown = server.answer(ADA)
            submit(course, ADA, Student(course).notebook(written=SHORT_ANSWER))
            assert quietly(course).exit_code == 0
            refused = server.save(shown, points="4")
            assert refused.status == 409
            assert SHORT_ANSWER.split(".")[0] in refused.words
        assert kept(course, ADA) == (None, True, None)


class TestAnonymous:
    def test_nobody_is_named_on_any_page_and_numbers_are_those_of_the_report(self, course: Course) -> None:
        numbers = pseudonyms({*STUDENTS, "felix"}, course.secret(CHAPTER))
        with marking(course, anonymous=True) as server:
            listed = server.ask("list?show=all")
            rows = [row.select_one("a") for row in listed.page.select("tbody tr")]
            assert [row.text for row in rows] == sorted(
                (numbers[student] for student in STUDENTS), key=lambda name: int(name.split()[1])
            )
            shown = [server.ask(row["href"].removeprefix(".")) for row in rows]
            saved = server.save(shown[0], points="1", comment="Anonymous.")
            texts = [listed.text, *(each.text for each in shown), server.ask(saved.headers["Location"]).text]
        for text in texts:
            for name in (*STUDENTS, "Lovelace", str(course.root)):
                assert not re.search(rf"\b{name}\b", text), name
        with Gradebook(course.database(course_config(course.root))) as book:
            comments = {
                student: book.find_comment(WRITTEN, CHAPTER, CHAPTER, student).manual_comment for student in STUDENTS
            }
        (marked,) = [student for student, said in comments.items() if said]
        assert numbers[marked] == rows[0].text


class TestFromAFile:
    """Marks that somebody typed into a spreadsheet."""

    def enter(self, course: Course, text: str, *arguments: str) -> Result:
        file = course.root / "marks.csv"
        file.write_bytes(text.encode())
        return mark("--course", str(course.root), "--from", str(file), *arguments)

    def test_points_and_comments_are_entered_and_an_empty_field_changes_nothing(self, course: Course) -> None:
        text = f"\ufeffStudent;Question;Points;Comment\r\n{ADA};;4;Good.\r\n{BERT};written;2,5;\r\n{DORA};attend;;Nice.\r\n{EMIL};;;\r\n"
        entered = self.enter(course, text)
        assert entered.exit_code == 0, entered.output
        assert "2 answers are newly marked, 0 with other points than before, 2 with a new comment" in entered.output
        assert "1 row is empty and changes nothing" in entered.output
        assert f"2 answers are still unread in {CHAPTER}" in entered.output
        assert [kept(course, student) for student in (ADA, BERT, EMIL)] == [
            (4, False, "Good."),
            (2.5, False, None),
            (None, True, None),
        ]
        assert kept(course, DORA, "attend") == (None, False, "Nice.")
        self.enter(course, f"id,points\n{ADA},3\n")
        assert kept(course, ADA) == (3, False, "Good.")

    def test_a_dry_run_shows_what_would_change_and_changes_nothing(
        self, course: Course, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(cli.console, "width", 200)
        self.enter(course, f"student,points\n{ADA},4\n")
        shown = self.enter(course, f"student,points,comment\n{ADA},3,[b]Why?\n{BERT},1,\n", "--dry-run")
        rows = [" ".join(line.strip("│").split()) for line in shown.output.splitlines() if line.startswith("│")]
        assert rows == [f"{NAME} Lovelace ({ADA}) │ written │ 4 → 3 │ [b]Why? │", f"{BERT} │ written │ – → 1 │ │"]
        assert "Nothing was saved." in shown.output
        assert [kept(course, student) for student in (ADA, BERT)] == [(4, False, None), (None, True, None)]
        assert mark("--dry-run").exit_code == 2

    def test_each_wrong_row_is_named_and_then_nothing_is_entered(self, graded: Course) -> None:
        rows = {
            f"{ADA},3,,": "",
            f"{BERT},6,,": "from 0 to 5, for example 5 or 2.5, not '6'",
            f"{BERT}a,3,,": f"did you mean {BERT}?",
            "felix,3,,": "felix has handed in nothing that was graded",
            f"{DORA},3,atend,": "the questions are masked_softmax, attend,",
            f"{ADA},2,written,": f"{ADA}'s answer to written is also in line 2",
            f"{EMIL},1": "it has 2 fields",
            f"{EMIL},1,,{'x' * 10_001}": "more than 10,000 characters",
            ",1,,": "the student is empty",
        }
        refused = self.enter(graded, "\n".join(["student,points,question,comment", *rows]) + "\n")
        assert refused.exit_code == 1
        told = [line.strip() for line in refused.output.splitlines() if line.startswith("  line")]
        expected = [(line, reason) for line, reason in enumerate(rows.values(), start=2) if reason]
        assert len(told) == len(expected)
        for said, (line, reason) in zip(told, expected, strict=True):
            assert said.startswith(f"line {line}: ")
            assert reason in said
        assert kept(graded, ADA) == (None, True, None)

    @pytest.mark.parametrize(
        ("text", "told"),
        [
            ("name,points\n", "needs the column student and one of points, comment and request"),
            ("student,question\n", "its columns are student, question"),
            ("student,points,points\n", "two columns named points"),
            (f"student,points\n{ADA},\n", "no points, comments or requests"),
            ("", "its columns are none"),
        ],
    )
    def test_a_file_that_is_none_is_told_apart(self, graded: Course, text: str, told: str) -> None:
        refused = self.enter(graded, text)
        assert refused.exit_code == 1
        assert told in refused.output

    def test_numbers_name_students_in_the_anonymous_mode(self, course: Course) -> None:
        number = pseudonyms({*STUDENTS, "felix"}, course.secret(CHAPTER))[BERT]
        assert self.enter(course, f"student,points\n{BERT},2\n", "--anonymous").exit_code == 1
        assert self.enter(course, f"student,points\n{number},2\n", "--anonymous").exit_code == 0
        assert kept(course, BERT) == (2, False, None)


class TestRequests:
    """What students ask about their grades, as a form collects it."""

    ASKED = "Please look at <b>line 3</b>:\n`mask` is inverted on purpose."

    def enter(self, course: Course, *arguments: str) -> Result:
        file = course.root / "requests.csv"
        file.write_text(
            f'Timestamp,Username,Question,Request\n1.12.,{BERT},attend,"{self.ASKED}"\n2.12.,{CLEO},written,Why?\n3.12.,{CLEO},written,And when?\n'
        )
        return mark("--course", str(course.root), "--from", str(file), *arguments)

    def test_a_request_is_put_before_the_marker_until_somebody_has_saved(self, course: Course) -> None:
        assert "3 requests of students are new" in self.enter(course, "--dry-run").output
        with marking(course) as server:
            assert "request" not in server.ask("list?exercise=attend&show=all").words
            assert self.enter(course).exit_code == 0
            assert "request" in server.ask("list?exercise=attend&show=all").words
            shown = server.ask("?exercise=attend&show=unread")
            assert shown.one("#who").text == BERT
            assert shown.one(".asked").text == self.ASKED
            assert "The student asks:" in shown.words
            assert server.save(shown, comment="It is not.").status == 303
            assert "Every answer" in server.ask("?exercise=attend&show=unread").words
            assert "The student asked:" in server.answer(BERT, "attend").words
            # A form that goes on collecting is entered again, with the rows that were there.
            assert "requests" not in self.enter(course).output
            assert "Every answer" in server.ask("?exercise=attend&show=unread").words
            server.ask("undo", {"exercise": "attend", "show": "unread", "answer": shown.form["answer"]})
            assert server.ask("?exercise=attend&show=unread").one(".asked").text == self.ASKED
            assert kept(course, BERT, "attend") == (None, False, None)

    def test_marks_from_a_file_answer_it_and_another_grading_does_not(self, course: Course) -> None:
        self.enter(course)
        assert quietly(course).exit_code == 0
        found = Marking(course, CHAPTER)
        asking = [one.student for one in found.standing(found.part("attend")).answers if one.is_asked_about]
        assert asking == [BERT]
        file = course.root / "marks.csv"
        file.write_text(f"student,question,points\n{BERT},attend,1\n")
        assert mark("--course", str(course.root), "--from", str(file)).exit_code == 0
        assert not any(one.is_asked_about for one in found.standing(found.part("attend")).answers)


class TestInABrowser:
    @pytest.mark.parametrize(("width", "mode"), [(1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")])
    def test_it_is_readable_on_every_screen(self, browser: Browser, server: Server, width: int, mode: str) -> None:
        browser.show(width, mode)
        for path in ("", "?exercise=attend&show=all", "list", "?exercise=nothing"):
            browser.open(f"{server.address}{path}")
            browser.run("for (const one of document.querySelectorAll('details')) one.open = true")
            assert browser.violations() == [], path
            assert browser.run("return document.documentElement.scrollWidth") <= width, path

    def test_a_class_is_marked_without_a_mouse(self, browser: Browser, course: Course) -> None:
        def shows(student: str) -> None:
            browser.until(lambda: browser.run("return document.querySelector('#who')?.textContent") == student, student)

        def focus() -> str:
            return browser.run("return document.activeElement.id")

        def with_alt(key: str) -> None:
            browser.driver.switch_to.active_element.send_keys(Keys.ALT, key)

        browser.show(1280, "light")
        with marking(course) as server:
            browser.open(server.address)
            browser.driver.get_log("performance")
            assert browser.run("return document.activeElement.name") == "item"
            browser.press("1", "2", "2", "0", "1", "3", "4", "5")
            assert browser.run("return document.querySelector('#points').value") == "4"
            with_alt("c")
            browser.press("Which map is it?")
            browser.driver.switch_to.active_element.send_keys(Keys.CONTROL, Keys.ENTER)
            shows(BERT)
            assert kept(course, ADA) == (4, False, "Which map is it?")
            with_alt("a")
            assert focus() == "answer"
            with_alt("n")
            shows(DORA)
            with_alt("p")
            shows(BERT)
            with_alt("g")
            browser.press("9", Keys.ENTER)
            assert "from 0 to 5" in browser.one("[role=alert]").text
            assert focus() == "points"
            browser.press("2")
            with_alt("r")
            browser.press(Keys.ENTER)
            assert focus() == "comment"
            assert browser.violations() == []
            with_alt("g")
            browser.press(Keys.ENTER)
            shows(DORA)
            assert kept(course, BERT) == (2, False, "Which map is it?")
            with_alt("u")
            shows(BERT)
            assert kept(course, BERT) == (None, True, None)
            browser.press("2", "3", Keys.ENTER)
            shows(DORA)
            assert kept(course, BERT) == (2, False, None)
            with_alt("c")
            assert focus() == "comment"
            sent = [json.loads(entry["message"])["message"] for entry in browser.driver.get_log("performance")]
            asked = [m["params"]["request"]["url"] for m in sent if m["method"] == "Network.requestWillBeSent"]
            assert {urlsplit(url).netloc for url in asked} == {urlsplit(server.address).netloc}
            # A browser asks before what is typed is lost, and only then.
            leaving = "const left = new Event('beforeunload', {cancelable: true}); return !window.dispatchEvent(left)"
            assert not browser.run(leaving)
            browser.press("not saved")
            assert browser.run(leaving)
            browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
            try:
                browser.one("#points").send_keys("3", Keys.ENTER)
                browser.until(lambda: kept(course, DORA) == (3, False, "not saved"), "a save without a script")
            finally:
                browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
