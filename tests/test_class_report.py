"""The report on a class: planted mistakes, late and missing work and copies are found and named, and anonymous means anonymous.

What the terminal shows after grading is here too.
"""

import ast
import csv
import io
import json
import random
import re
import shutil
import time
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from click.testing import Result
from nbgrader.api import Gradebook
from rich.console import Console
from typer.testing import CliRunner

from autograder.checkout import Course, course_config
from autograder.cli import app
from autograder.declare import load_checks
from autograder.grading.graded import Graded, Row
from autograder.grading.similarity import alike
from autograder.samples.course import CHAPTER, Student, answer_cell, quietly, submit
from tests.browser import Browser
from tests.processes import answer_without
from tests.students import answers_to

attend, masked_softmax = map(answers_to, ("attend", "masked_softmax"))
DUE = datetime(2026, 3, 1)
MEGABYTES = 300
CHECKS = {f"{found.exercise.name}: {check.name}" for found in load_checks(CHAPTER) for check in found.checks}


def report(course: Course, to: Path, *arguments: str) -> Result:
    command = ["report", CHAPTER, "--course", str(course.root), "--to", str(to), *arguments]
    return CliRunner().invoke(app, command, env={"COLUMNS": "200"})


UNLISTED = "def multiplicative_scores(query, key, weight):\n    return {} * query @ weight @ key.transpose(-2, -1)"
SQUEEZED = (
    "def attend(query, key, value, mask, score, masked_softmax):\n"
    "    weights = masked_softmax(score(query, key), mask)\n    return weights @ value, weights.squeeze(0)"
)
"""Mistakes of no list."""


@pytest.fixture(scope="module")
def taught(released: Course, tmp_path_factory: pytest.TempPathFactory) -> Course:
    """A class in which two students made the same mistake, and others were late, absent, curious or damaged their file."""
    course = Course(shutil.copytree(released.root, tmp_path_factory.mktemp("report") / "course"))
    student = Student(course)
    masks_late = {"masked_softmax": masked_softmax.softmax_then_mask}
    made = {
        "albert": student.notebook(**masks_late),
        "berta": student.notebook(**masks_late, attend=None),
        "carl": student.notebook(attend=attend.keys_for_values),
        "dora": student.notebook(),
        "emil": student.notebook(),
        "hugo": student.notebook(multiplicative_scores=UNLISTED.format(3)),
        "ida": student.notebook(multiplicative_scores=UNLISTED.format(5)),
        "jan42": student.notebook(attend=SQUEEZED),
    }
    answer_cell(made["hugo"], "attend").source += f"\nballast = bytearray({MEGABYTES} << 20)\n"
    answer_cell(
        made["jan42"], "attend"
    ).source += "\n# </pre><script>alert(1)</script> by Jan Maier, jan42\nmaier = 1\n"
    answer_cell(made["dora"], "attend").source += "\nimport subprocess\n"
    made["emil"].cells = [cell for cell in made["emil"].cells if cell is not answer_cell(made["emil"], "attend")]
    for name, notebook in made.items():
        submit(course, name, notebook)
    (course.root / "submitted" / "carl" / CHAPTER / "timestamp.txt").write_text(f"{DUE + timedelta(hours=3)} UTC")
    with Gradebook(course.database(course_config(course.root))) as book:
        book.add_student("felix")
        book.update_or_create_student("albert", first_name="Albert", last_name="Ritter")
        book.update_or_create_student("jan42", first_name="Jan", last_name="Maier", email="j.m@uni.example")
        book.update_or_create_assignment(CHAPTER, duedate=DUE)
    assert quietly(course).exit_code == 0
    return course


@pytest.fixture(scope="module")
def page(taught: Course, tmp_path_factory: pytest.TempPathFactory) -> str:
    to = tmp_path_factory.mktemp("reports")
    result = report(taught, to)
    assert result.exit_code == 0, result.output
    return (to / f"{CHAPTER}.html").read_text()


def block(page: str, *words: str) -> str:
    """The part of the page that unfolds under a line with these words."""
    (found,) = [
        part
        for part in re.findall(r"<details>.*?</details>", page, re.DOTALL)
        if all(word in part.split("</summary>")[0] for word in words)
    ]
    return found


def test_a_shared_mistake_is_one_cause_with_both_students_and_the_code_of_one(page: str) -> None:
    found = block(page, "2 students", "masked_softmax", "the mask was applied after the softmax")
    assert "Albert Ritter (albert), berta" in found
    assert "scores.softmax(dim=-1) * mask" in found
    assert "carl" in block(page, "1 student", "the context is the key")
    assert page.index("the mask was applied after the softmax") < page.index("the context is the key")


def test_mistakes_of_which_only_numbers_are_known_are_told_apart_by_them(page: str) -> None:
    told = [
        part
        for part in re.findall(r"<details>.*?</details>", page, re.DOTALL)
        if "multiplicative_scores: scores" in part
    ]
    assert len(told) == 2
    assert {name for part in told for name in ("hugo", "ida") if f"<p>{name}</p>" in part} == {"hugo", "ida"}


def test_what_one_mistake_led_to_is_told_under_it(page: str) -> None:
    found = block(page, "1 student", "attend: weights has shape")
    assert "<p>Jan Maier (jan42)</p>" in found
    assert "They were also told: item 1 of call" in found


def test_code_is_shown_and_does_nothing(page: str) -> None:
    assert "&lt;/pre&gt;&lt;script&gt;alert(1)" in block(page, "1 student", "attend: weights has shape")


def test_time_and_memory_stand_beside_their_limits(taught: Course, page: str) -> None:
    part = page[page.index("<h2>Time and memory</h2>") :]
    assert "The limits are 120 s and 2,048 MB" in part
    (row,) = [row for row in re.findall(r"<tr>.*?</tr>", part) if "<td>hugo</td>" in row]
    assert MEGABYTES <= int(re.findall(r"(\d+) MB", row)[0]) < MEGABYTES + 100


def test_a_result_that_was_stored_without_its_memory_still_counts(taught: Course, tmp_path: Path) -> None:
    course = Course(shutil.copytree(taught.root, tmp_path / "course"))
    for path in (course.private / "results").glob("*.json"):
        tree = json.loads(path.read_text())
        del tree["memory"]
        path.write_text(json.dumps(tree))
    assert report(course, tmp_path).exit_code == 0
    text = (tmp_path / f"{CHAPTER}.html").read_text()
    assert "The memory of 8 students was not measured." in text
    with (tmp_path / f"{CHAPTER}.csv").open() as file:
        assert not any(row["memory_mb"] for row in csv.DictReader(file))


def test_who_needs_attention_is_named(page: str) -> None:
    assert "felix" in block(page, "Nothing handed in: 1 student")
    assert "carl" in block(page, "Handed in late: 1 student")
    assert "emil" in block(page, "Repaired or unreadable")
    curious = block(page, "Code that refers to things that no exercise needs: 1 student")
    assert "dora: other programs" in curious


def test_the_page_needs_nothing_else(page: str) -> None:
    assert "<script" not in page
    assert not re.search(r"(?:src|href)\s*=|url\(|@import", page)
    assert "prefers-color-scheme: dark" in page
    assert "default-src 'none'" in page


def test_the_table_has_each_check_and_adds_up(taught: Course, tmp_path: Path) -> None:
    assert report(taught, tmp_path).exit_code == 0
    with (tmp_path / f"{CHAPTER}.csv").open() as file:
        rows = {row["student"]: row for row in csv.DictReader(file)}
    assert set(rows["albert"]) == CHECKS | {"student", "name", "status", "points_from_checks", "seconds", "memory_mb"}
    for name in ("albert", "berta", "carl", "dora", "emil"):
        assert sum(int(rows[name][check] or 0) for check in CHECKS) == int(rows[name]["points_from_checks"])
    assert rows["albert"]["name"] == "Albert Ritter"
    assert rows["felix"]["status"] == "missing"
    assert not any(rows["felix"][check] for check in CHECKS)
    assert rows["berta"]["attend: works as the chapter uses it"] == ""
    assert rows["carl"]["attend: works as the chapter uses it"] == "0"


def test_anonymous_names_nobody_and_calls_everyone_the_same_in_both_files(taught: Course, tmp_path: Path) -> None:
    assert report(taught, tmp_path, "--anonymous").exit_code == 0
    html, table = (tmp_path / f"{CHAPTER}-anonymous.{suffix}" for suffix in ("html", "csv"))
    text = html.read_text() + table.read_text()
    for name in (
        "albert",
        "berta",
        "carl",
        "dora",
        "emil",
        "felix",
        "hugo",
        "ida<",
        "jan42",
        "Ritter",
        "Maier,",
        "j.m@",
    ):
        assert name not in text
    assert "by …, student " in text
    assert "maier = 1" in text  # A name that a student gave to something stays.
    with table.open() as file:
        rows = list(csv.DictReader(file))
    assert [row["student"] for row in rows] == [f"student {number}" for number in range(1, len(rows) + 1)]
    assert report(taught, tmp_path).exit_code == 0
    with (tmp_path / f"{CHAPTER}.csv").open() as file:
        carl = next(row for row in csv.DictReader(file) if row["student"] == "carl")
    (late,) = (row["student"] for row in rows if all(row[name] == carl[name] for name in row if name != "student"))
    assert late in block(html.read_text(), "Handed in late")


def test_the_anonymous_report_leaves_the_named_one_alone(taught: Course, tmp_path: Path) -> None:
    assert report(taught, tmp_path).exit_code == 0
    named = {path: path.read_bytes() for path in tmp_path.iterdir()}
    assert report(taught, tmp_path, "--anonymous").exit_code == 0
    assert {path: path.read_bytes() for path in named} == named
    assert len(list(tmp_path.iterdir())) == 4


def test_what_to_teach_again_comes_first(page: str) -> None:
    part = page[page.index("Where the class lost the most points") : page.index("<h2>Points</h2>")]
    assert re.findall(r"<li><strong>(\w+)", part) == ["attend", "masked_softmax", "multiplicative_scores"]
    assert "8 of 8 students attempted it, and 6 of them earned all points." in part
    assert "Most frequent cause (2 students): the mask was applied after the softmax" in part
    assert "No two of the others had the same cause." in part


def test_points_are_said_to_be_before_penalties_and_medians_are_rounded(taught: Course, tmp_path: Path) -> None:
    course = Course(shutil.copytree(taught.root, tmp_path / "course"))
    with Gradebook(course.database(course_config(course.root))) as book:
        for student, points in (("dora", 1.23456), ("emil", 2.5)):
            book.find_grade(f"{CHAPTER}-written", CHAPTER, CHAPTER, student).manual_score = points
        book.db.commit()
    assert report(course, tmp_path).exit_code == 0
    text = (tmp_path / f"{CHAPTER}.html").read_text()
    assert "before late penalties" in text
    assert re.search(r"2 of 9 students have a final score so far.*The median of these scores is \d+\.\d of 100\.", text)


def test_late_penalties_that_are_out_of_date_are_told_without_names_in_the_anonymous_report(
    taught: Course, tmp_path: Path
) -> None:
    course = Course(shutil.copytree(taught.root, tmp_path / "course"))
    with Gradebook(course.database(course_config(course.root))) as book:
        book.find_submission_notebook(CHAPTER, CHAPTER, "berta").late_submission_penalty = 1.5
        book.db.commit()
    told = f"in {CHAPTER} are out of date"
    result = report(course, tmp_path)
    assert f"The late penalties of berta {told}" in result.output
    assert f"The late penalties of berta {told}" in (tmp_path / f"{CHAPTER}.html").read_text()
    assert report(course, tmp_path, "--anonymous").exit_code == 0
    assert re.search(rf"The late penalties of student \d {told}", (tmp_path / f"{CHAPTER}-anonymous.html").read_text())


def test_a_chapter_that_was_not_graded_says_what_to_run(fresh: Course, tmp_path: Path) -> None:
    submit(fresh, "albert", Student(fresh).notebook())
    result = report(fresh, tmp_path)
    assert result.exit_code == 1
    assert f"autograder grade {CHAPTER}" in result.output


def test_what_only_reads_a_graded_class_does_not_import_torch(taught: Course, tmp_path: Path) -> None:
    course = Course(shutil.copytree(taught.root, tmp_path / "course"))
    commands = [["report", CHAPTER], ["report", CHAPTER, "--anonymous"], ["feedback", CHAPTER, "--workers", "1"]]
    answer_without([(command, ["torch"]) for command in commands], course.root)
    assert (course.root / "reports" / f"{CHAPTER}.html").is_file()


@pytest.mark.parametrize(("width", "mode"), [(1280, "light"), (390, "dark"), (390, "light")])
def test_axe_finds_nothing_wrong_and_nothing_is_cut_off(
    taught: Course, page: str, tmp_path: Path, browser: Browser, width: int, mode: str
) -> None:
    file = tmp_path / "report.html"
    file.write_text(page)
    browser.show(width, mode)
    browser.open(file.as_uri())
    browser.run("for (const toggle of document.querySelectorAll('details')) toggle.open = true")
    assert browser.run("return document.documentElement.scrollWidth") <= width
    cut_off = """
        return [...document.querySelectorAll("svg text")].filter((text) => {
            const inner = text.getBoundingClientRect(), outer = text.ownerSVGElement.getBoundingClientRect();
            return inner.left < outer.left - 1 || inner.right > outer.right + 1 || inner.top < outer.top - 1 || inner.bottom > outer.bottom + 1;
        }).map((text) => text.textContent);
        """
    assert browser.run(cut_off) == []
    assert browser.violations() == []


def test_grading_writes_the_report_and_says_where(taught: Course) -> None:
    result = CliRunner().invoke(app, ["grade", CHAPTER, "--course", str(taught.root)], env={"COLUMNS": "200"})
    assert result.exit_code == 0, result.output
    file = taught.root / "reports" / f"{CHAPTER}.html"
    assert f"what went wrong, and for whom: {file}" in result.output
    assert "report on the class" in file.read_text()


class TestTerminal:
    """A class of 300, and one of 30."""

    def shown(self, size: int, width: int = 100, score: str = "3/8") -> str:
        rows = [Row(f"student-{number:03}", number % 96) for number in range(size)]
        for row in rows[:21]:
            row.notes = [f"scaled_scores {score}: the scores have a factor of 0.25, expected 1 (and 2 more)"]
        for row in rows[21:28]:
            row.notes = ["attend 0/11: not attempted"]
        rows[3].notes.insert(0, "the file is damaged or cut off")
        rows[4].notes.insert(0, "2 hours late: 1 point taken off")
        rows[4].is_late = True
        rows[5] = Row("student-005", notes=["grader fault: OSError"], written=False)
        found = Graded(CHAPTER, load_checks(CHAPTER), rows, 5, size)
        console = Console(file=io.StringIO(), width=width)
        console.print(found.table(width))
        text = console.file.getvalue()  # type: ignore[attr-defined]
        return str(text)

    @pytest.mark.parametrize("width", [80, 200])
    def test_a_large_class_is_a_distribution_and_who_needs_attention(self, width: int) -> None:
        text = self.shown(300, width)
        assert len(text.splitlines()) <= 30
        assert "300 students" in text
        count = [int(n) for n in re.findall(r"^\s*\d+ to \d+\s+(\d+)", text, re.MULTILINE)]
        assert sum(count) == 300
        assert re.search(r"20\s+scaled_scores: the scores have a factor of …", text)
        assert re.search(r"7\s+attend: not attempted", text)
        assert re.findall(r"student-\d+", text) == ["student-005", "student-003"]
        assert "grader fault" in text
        assert "1 handed in late" in text

    def test_points_may_be_fractions(self) -> None:
        assert self.shown(300, score="4.5/12.5") == self.shown(300)

    def test_the_processor_time_of_a_submission_is_told(self) -> None:
        rows = [Row("ada", 3, seconds=0.5), Row("zoe", 4, seconds=1.5), Row("graded before", 4)]
        console = Console(file=io.StringIO(), width=200)
        console.print(Graded(CHAPTER, load_checks(CHAPTER), rows, 5, 3).table(200))
        assert "computed for 1.0 s on average, and for 1.5 s at most" in console.file.getvalue()  # type: ignore[attr-defined]

    def test_a_small_class_has_a_line_for_each_student(self) -> None:
        assert len(set(re.findall(r"student-\d+", self.shown(30)))) == 30


class Honest:
    """Answers to six exercises like nobody else's: every student decides where the lines, the names and the ways part."""

    NAMES = (
        "found",
        "kept",
        "seen",
        "result",
        "words_so_far",
        "gathered",
        "mine",
        "hits",
        "box",
        "rest",
        "left",
        "all_of_them",
    )

    def __init__(self, student: int) -> None:
        self._draw = random.Random(student)

    def answers(self) -> dict[str, str]:
        return {f"task_{number}": self._one(f"task_{number}") for number in range(6)}

    def _one(self, name: str) -> str:
        pick = self._draw.choice
        kept, size, word, place = self._draw.sample(self.NAMES, 4)
        lines = [
            f"def {name}(words):",
            f"    {kept} = {pick(['[]', 'list()', '[*()]'])}",
            f"    {size} = {pick(['0', 'len(words)', 'sum(1 for _ in words)', '1 - 1'])}",
            f"    for {place}, {word} in {pick(['enumerate(words)', 'enumerate(list(words), 1)', 'zip(range(len(words)), words)'])}:",
            f"        if {pick(['{}', 'len({}) > 0', '{} != str()', 'not {} == str()']).format(word)}:",
            f"            {kept}.{pick([f'append({word})', f'extend([{word}])', f'insert(len({kept}), {word})'])}",
            f"            {size} += {pick([f'len({word})', '1', f'{place} % 2', f'{word}.count({word[0]!r})'])}",
            f"    return {kept}, {size}",
        ]
        return "\n".join(lines)


def renames_and_reformats(source: str) -> str:
    """The same with other names for all that is not an argument, on other lines, without comments."""
    tree = ast.parse(source)
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    own = {node.id for node in names if isinstance(node.ctx, ast.Store)}
    called = {name: f"v{number}" for number, name in enumerate(sorted(own))}
    for node in names:
        node.id = called.get(node.id, node.id)
    return ast.unparse(tree).replace("return ", "return (\n        ") + "\n    )"


def reorders_and_comments(source: str) -> str:
    """The same with its first two statements the other way round, and a remark of one's own on each line."""
    head, first, second, *rest = source.splitlines()
    return "\n".join(
        f"{line}  # my own idea, number {number}" for number, line in enumerate([head, second, first, *rest])
    )


class TestAlike:
    GIVEN = "def count(words):\n    found = {}\n    for word in words:\n        found[word] = found.get(word, 0) + 1\n    return found\n"

    def own(self, k: int) -> str:
        """An answer like nobody else's."""
        return (
            f"def count(words):\n    table_{k} = dict()\n    for step_{k} in range(len(words) * {k + 2} // {k + 2}):\n"
            f"        if step_{k} % {k + 3} < {k + 3}:\n            table_{k}[words[step_{k}]] = sum([w == words[step_{k}] for w in words[:{k} + step_{k} + 1 - {k}]])\n"
            f"    return {{key: table_{k}[key] for key in sorted(table_{k}, key=lambda q: (q, {k}))}}\n"
        )

    def test_a_copy_of_one_long_answer_is_found_and_right_answers_that_all_write_are_not(self) -> None:
        answers = {f"many {i}": {"count": self.GIVEN.replace("found", "counts")} for i in range(20)}
        answers |= {f"own {k}": {"count": self.own(k)} for k in range(1, 9)}
        answers["copies 2"] = {"count": self.own(2)}
        assert {pair.students for pair in alike(answers, [self.GIVEN])} == {("copies 2", "own 2")}

    @pytest.mark.parametrize("size", [24, 120])
    def test_three_kinds_of_copies_are_found_in_a_class_and_nobody_else_is_accused(self, size: int) -> None:
        answers = {f"honest {number}": Honest(number).answers() for number in range(size)}
        short = {name: f"def {name}(words):\n    return words, len(words)" for name in answers["honest 0"]}
        answers |= {f"short {number}": short for number in range(size // 6)}
        later = {"task_0": Honest(-1).answers()["task_0"]}  # It stands in a later chapter.
        for number in range(3):
            answers[f"honest {number}"] |= later
        for number, copy in ((5, str), (6, renames_and_reformats), (7, reorders_and_comments)):
            answers[f"copy {number}"] = {name: copy(source) for name, source in answers[f"honest {number}"].items()}
        pairs = alike(answers, [self.GIVEN, *later.values()])
        assert {pair.students for pair in pairs} == {(f"copy {number}", f"honest {number}") for number in (5, 6, 7)}
        assert all(len(pair.same) >= 4 for pair in pairs)

    def test_what_the_reference_has_is_no_sign(self) -> None:
        answers = {"one": {"count": self.own(1)}, "two": {"count": self.own(1)}}
        assert alike(answers, [])
        assert not alike(answers, [self.own(1)])

    def test_code_that_cannot_be_read_is_looked_at_as_far_as_it_goes(self) -> None:
        broken = {"one": {"count": "def count(:\n  '''"}, "two": {"count": "\x00("}}
        assert alike(broken, []) == []

    @pytest.mark.parametrize(
        "end",
        {
            "a sum of many terms": "query" + " + query" * 500,
            "many attributes": "query" + ".T" * 900,
            "many branches": "1\n    if query: pass" + "\n    elif key: pass" * 900,
            "a quote that does not end": "'x" + "\\'" * 9_000,
            "a long quote that does not end": "'x" + "\\'" * 400_000,
            "many statements": "1" + "\n    x = query + key" * 40_000,
        }.items(),
        ids=lambda end: end[0],
    )
    def test_what_is_made_to_be_slow_or_deep_is_passed_over(self, end: tuple[str, str]) -> None:
        """And the copies of others are found beside it."""
        nasty = f"def attend(query, key):\n    return {end[1]}"
        answers = {"one": {"attend": nasty}, "two": {"attend": nasty + " "}, "three": {"attend": nasty + "\n# mine"}}
        answers |= {name: {"attend": self.own(2).replace("count", "attend")} for name in ("copy", "original")}
        started = time.process_time()
        pairs = alike(answers, [])
        assert time.process_time() - started < 1
        assert ("copy", "original") in {pair.students for pair in pairs}


def test_an_answer_that_nobody_could_have_written_stops_neither_grades_nor_report(
    fresh: Course, tmp_path: Path
) -> None:
    student = Student(fresh)
    head = "def attend(query, key, value, mask, score, masked_softmax):\n    return "
    made = {
        "deep": student.notebook(attend=head + "query" + " + query" * 3_000),
        "endless": student.notebook(attend=head + "'" + "\\'" * 40_000),
        "long": student.notebook(attend=head + "1" + "\n    x = 1" * 20_000),
        "zoe": student.notebook(),
    }
    for name, notebook in made.items():
        submit(fresh, name, notebook)
    result = CliRunner().invoke(app, ["grade", CHAPTER, "--course", str(fresh.root)], env={"COLUMNS": "400"})
    assert result.exit_code == 0, result.output
    assert "not run: it has" in result.output
    page = (fresh.root / "reports" / f"{CHAPTER}.html").read_text()
    assert len(page) < 200_000
    assert all(f"<td>{name}</td>" in page for name in ("deep", "zoe"))


def test_a_report_that_fails_leaves_the_grades_and_says_so(fresh: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object, **__: object) -> Path:
        raise RecursionError("too deep")

    monkeypatch.setattr("autograder.grading.class_page.write_report", fails)
    submit(fresh, "zoe", Student(fresh).notebook())
    result = CliRunner().invoke(app, ["grade", CHAPTER, "--course", str(fresh.root)], env={"COLUMNS": "400"})
    assert result.exit_code == 0, result.output
    assert "There is no report, because of a fault in it (RecursionError)" in result.output
    assert "too deep" in fresh.log.read_text()


def test_who_has_no_grade_yet_is_named(taught: Course, tmp_path: Path) -> None:
    """As when a worker was killed, or somebody handed in since."""
    course = Course(shutil.copytree(taught.root, tmp_path / "course"))
    submit(course, "nora", Student(course).notebook())
    result = report(course, tmp_path / "out")
    assert result.exit_code == 0, result.output
    assert re.search(
        r"not graded since: 1 student</summary><p>nora", (tmp_path / "out" / f"{CHAPTER}.html").read_text()
    )


def test_a_folder_that_is_not_on_the_roster_is_named_and_counts_for_nothing(taught: Course, tmp_path: Path) -> None:
    course = Course(shutil.copytree(taught.root, tmp_path / "course"))
    course.roster_entered.touch()
    submit(course, "alberd", Student(course).notebook(masked_softmax=masked_softmax.softmax_then_mask))
    assert quietly(course).exit_code == 1
    report(course, tmp_path / "out")
    made = (tmp_path / "out" / f"{CHAPTER}.html").read_text()
    assert re.search(r"Not on the roster, so without a grade: 1 student</summary><p>alberd", made)
    assert made.count("alberd") == 1
