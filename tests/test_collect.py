"""What is handed in is data: whatever lies in `submitted/`, nothing of it is followed, loaded or lost, and nobody is missing."""

import os
import secrets
import shutil
import socket
import time
from datetime import datetime
from pathlib import Path

import nbformat
import pytest
from nbgrader.api import Gradebook
from nbgrader.apps.api import NbGraderAPI
from nbgrader.coursedir import CourseDirectory
from typer.testing import CliRunner

from autograder.checkout import Course, CourseError, course_config
from autograder.cli import app
from autograder.grading import collect as collecting
from autograder.grading.collect import MAX_BYTES, MAX_FILES, Submission, as_id, collect, shown, strays
from autograder.samples.course import CHAPTER, ROOT, Student
from autograder.samples.seeds import drawn

CONFIGURATION = [
    "nbgrader_config.py",
    "nbgrader_config.json",
    "NBGRADER_CONFIG.PY",
    "jupyter_config.py",
    "jupyter_server_config.json",
    "jupyter_notebook_config.py",
    "ipython_config.py",
    "sitecustomize.py",
    "usercustomize.py",
    "conftest.py",
    "evil.pth",
    "pyproject.toml",
    "setup.cfg",
    "random.py",
    "kernel.json",
]
NAMES = {
    "smith [2]": "smith [2]",
    "a*b": "a*b",
    "Zoë Müller": "Zoë Müller",
    "o-o.o_o@x": "o-o.o_o@x",
    "two\nlines": "two~0Alines",
    "<img src=x onerror=alert(1)>": "~3Cimg src=x onerror=alert(1)~3E",
    'say "hi"': "say ~22hi~22",
    "O'Brien": "O~27Brien",
    "50%3C": "50~253C",
    "\x1b[31mred": "~1B[31mred",
    "\u202egnp.exe": "~E2~80~AEgnp.exe",
    "e\u0301": "e~CC~81",
    "é": "é",
    ".hidden": "~2Ehidden",
    "--force": "~2D-force",
    "=1+1": "~3D1+1",
    " space ": "~20space~20",
    "a\u00a0b": "a~C2~A0b",
    "not~3Cmine\n": "not~7E3Cmine~0A",
    "bob~41": "bob~41",
    os.fsdecode(b"latin-\xe9"): "latin-~E9",
}


@pytest.fixture
def course(tmp_path: Path) -> Course:
    """A course in which nothing was released, with a folder `submitted` that is empty."""
    (tmp_path / "submitted").mkdir()
    shutil.copy(ROOT / "nbgrader_config.py", tmp_path)
    return Course(tmp_path)


def hand_in(course: Course, student: str, name: str = f"{CHAPTER}.ipynb", content: str | bytes = "{}") -> Path:
    path = course.root / "submitted" / student / CHAPTER / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def one(course: Course) -> Submission:
    (found,) = collect(course, CHAPTER)
    assert collect(course, CHAPTER) == [found], "a second run finds the same and says it again"
    return found


def files_below(folder: Path) -> set[str]:
    return {str(Path(top, name).relative_to(folder)) for top, _, names in os.walk(folder) for name in names}


def all_notes(submission: Submission) -> str:
    return " / ".join(submission.notes)


class TestOrdinary:
    def test_notebook_files_beside_and_date(self, course):
        path = hand_in(course, "zoe")
        for name in ("data.csv", "my map.PNG", "notes/read me.md", ".DS_Store"):
            hand_in(course, "zoe", name, "x")
        hand_in(course, "zoe", "timestamp.txt", "2024-05-01 10:00:00.123456 UTC\n")
        hand_in(course, "zoe", f".ipynb_checkpoints/{CHAPTER}-checkpoint.ipynb")
        found = one(course)
        assert (found.student, found.folder, found.notebook, found.notes) == ("zoe", path.parent, path, ())
        beside = {str(file.relative_to(found.folder)) for file in found.beside}
        assert beside == {"data.csv", "my map.PNG", "notes/read me.md", ".DS_Store", "timestamp.txt"}
        assert found.timestamp == datetime(2024, 5, 1, 10, 0, 0, 123456)

    def test_only_who_handed_the_chapter_in(self, course):
        hand_in(course, "zoe")
        (course.root / "submitted/adam/ch01_rnn_lm").mkdir(parents=True)
        (course.root / "submitted/eve").mkdir()
        assert one(course).student == "zoe"

    def test_nothing_handed_in_is_an_error(self, course):
        with pytest.raises(CourseError, match="nothing was handed in"):
            collect(course, CHAPTER)
        (course.root / "submitted").rmdir()
        with pytest.raises(CourseError, match="nothing was handed in"):
            collect(course, CHAPTER)

    def test_submitted_itself_may_be_a_link(self, course, tmp_path_factory):
        elsewhere = tmp_path_factory.mktemp("elsewhere")
        (course.root / "submitted").rmdir()
        (course.root / "submitted").symlink_to(elsewhere)
        hand_in(course, "zoe")
        hand_in(course, "zoe", "nbgrader_config.py")
        assert one(course).notebook.is_file()
        assert files_below(elsewhere) == {f"zoe/{CHAPTER}/{CHAPTER}.ipynb"}

    def test_command_says_who_handed_in_what_and_what_was_put_aside(self, course):
        hand_in(course, "<b>\x1b[31m", "page.html")
        hand_in(course, "zoe")
        (course.root / "submitted/nbgrader_config.py").write_text("")
        result = CliRunner().invoke(
            app, ["collect", CHAPTER, "--course", str(course.root)], env={"COLUMNS": "300"}, catch_exceptions=False
        )
        assert result.exit_code == 0
        assert "\x1b" not in result.output
        assert "<b>" not in result.output
        for words in ("zoe", "~3Cb~3E~1B[31m", "page.html", "no notebook", "nbgrader_config.py", "2 students"):
            assert words in result.output


class TestConfiguration:
    @pytest.mark.parametrize(
        "where", ["", "zoe", f"zoe/{CHAPTER}", f"zoe/{CHAPTER}/sub/.jupyter", "zoe/ch01_rnn_lm", "eve"]
    )
    @pytest.mark.parametrize("name", CONFIGURATION)
    def test_never_stays_in_any_folder(self, course, where, name):
        hand_in(course, "zoe")
        path = course.root / "submitted" / where / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("import os; os.abort()")
        found = one(course)
        if where or name not in ("pyproject.toml", "setup.cfg", "random.py", "kernel.json"):
            assert files_below(course.root / "submitted") == {f"zoe/{CHAPTER}/{CHAPTER}.ipynb"}
            (kept,) = files_below(course.private)
            assert kept.endswith(f"{name}.aside-type"), "and under a name that nothing loads"
        said = strays(course) if not where else found.notes
        assert where in ("eve", "zoe/ch01_rnn_lm") or name in " ".join(said)

    @pytest.mark.parametrize(
        "name", ["page.html", "x.HTM", "a.svg", "a.js", "a.xhtml", "a.xml", "noname", "a.png.html", "a.md "]
    )
    def test_what_a_browser_might_run_is_put_aside_and_named(self, course, name):
        hand_in(course, "zoe")
        hand_in(course, "zoe", name)
        found = one(course)
        assert found.beside == ()
        assert shown(name) in all_notes(found)

    def test_a_folder_of_the_instructors_own_is_left(self, course):
        hand_in(course, "zoe")
        for name in (".git/hooks/pre-commit", "roster.csv", "marks.xlsx", "all.zip", ".gitignore"):
            path = course.root / "submitted" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("")
        assert one(course).student == "zoe"
        assert strays(course) == ["all.zip, marks.xlsx and roster.csv in submitted/ belong to no student"]
        assert (course.root / "submitted/.git/hooks/pre-commit").is_file()

    def test_what_is_handed_in_twice_is_put_aside_twice(self, course):
        for content in ("1", "2"):
            hand_in(course, "zoe", "a.html", content)
            collect(course, CHAPTER)
        folder = course.private / "quarantine" / CHAPTER / "zoe"
        assert {path.read_text() for path in folder.iterdir()} == {"1", "2"}


class TestLinksAndTheLike:
    def secret(self, course: Course) -> Path:
        path = course.private / "secrets" / CHAPTER
        path.parent.mkdir(parents=True)
        path.write_text("the secret")
        return path

    def test_link_beside_is_not_followed(self, course):
        hand_in(course, "zoe").with_name("notes.txt").symlink_to(self.secret(course))
        (course.root / "submitted/zoe" / CHAPTER / "all").symlink_to(course.private)
        (course.root / "submitted/zoe" / CHAPTER / "gone.txt").symlink_to("nowhere")
        found = one(course)
        assert found.beside == ()
        for name in ("notes.txt", "all", "gone.txt", "symbolic links are not followed"):
            assert name in all_notes(found)
        assert secret_is_unharmed(course)

    @pytest.mark.parametrize("level", ["zoe", f"zoe/{CHAPTER}", f"zoe/{CHAPTER}/{CHAPTER}.ipynb"])
    @pytest.mark.parametrize("target", ["work", "nowhere"])
    def test_link_in_place_of_what_is_handed_in(self, course, level, target):
        other = hand_in(course, "adam", content="adam's")
        path = course.root / "submitted" / level
        path.parent.mkdir(parents=True, exist_ok=True)
        depth = len(level.split("/"))
        path.symlink_to({1: other.parent.parent, 2: other.parent, 3: other}[depth] if target == "work" else "/nowhere")
        found = {submission.student: submission for submission in collect(course, CHAPTER)}
        assert found == {submission.student: submission for submission in collect(course, CHAPTER)}
        assert set(found) == {"adam", "zoe"}
        assert not os.path.lexists(found["zoe"].notebook)
        assert found["zoe"].folder.is_dir()
        assert not found["zoe"].folder.is_symlink()
        assert "symbolic link" in all_notes(found["zoe"])
        assert other.read_text() == "adam's"

    def test_hard_link_to_a_secret(self, course):
        os.link(self.secret(course), hand_in(course, "zoe").with_name("notes.txt"))
        found = one(course)
        assert found.beside == ()
        assert "hard link" in all_notes(found)
        assert secret_is_unharmed(course)

    def test_pipes_and_sockets_are_not_opened(self, course, monkeypatch):
        path = hand_in(course, "zoe")
        os.mkfifo(path.with_name("pipe.txt"))
        os.mkfifo(path.with_name("timestamp.txt"))
        monkeypatch.chdir(path.parent)
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind("socket.txt")
        found = one(course)
        assert (found.beside, found.timestamp) == ((), None)
        assert "pipe.txt, socket.txt and timestamp.txt were moved to" in all_notes(found)
        assert "only regular files" in all_notes(found)

    def test_what_cannot_be_put_aside_is_told_and_not_used(self, course, monkeypatch):
        hand_in(course, "zoe")
        hand_in(course, "zoe", "a.html")
        (course.root / "submitted/adam").symlink_to(course.root / "submitted/zoe")

        def refuse(*_: object) -> None:
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(collecting, "_move", refuse)
        adam, zoe = collect(course, CHAPTER)
        assert zoe.beside == ()
        assert "a.html could not be moved (Permission denied): remove it yourself" in zoe.notes
        assert not adam.notebook.is_file()
        assert "could not be moved" in all_notes(adam)

    def test_submitted_on_another_file_system(self, course, monkeypatch):
        if not os.access("/dev/shm", os.W_OK):
            pytest.skip("there is no second file system to write to")
        elsewhere = Path("/dev/shm") / f"submitted-{secrets.token_hex(8)}"
        elsewhere.mkdir()
        try:
            (course.root / "submitted").rmdir()
            (course.root / "submitted").symlink_to(elsewhere)
            path = hand_in(course, "zoe")
            hand_in(course, "zoe", "a.html", "what it says")
            path.with_name("notes.txt").symlink_to(self.secret(course))
            os.mkfifo(path.with_name("pipe.txt"))
            deep = path.parent / "/".join("d" * 12)
            deep.mkdir(parents=True)
            (deep / "x.txt").write_text("deep")
            found = one(course)
            assert found.beside == ()
            assert not list(elsewhere.rglob("*.aside*"))
            where = course.private / "quarantine" / CHAPTER / "zoe"
            assert (where / "a.html.aside-type").read_text() == "what it says"
            assert (where / "notes.txt.aside-link").is_symlink()
            for name in ("a.html", "notes.txt", "pipe.txt", "x.txt"):
                assert name in all_notes(found)
        finally:
            shutil.rmtree(elsewhere)


def secret_is_unharmed(course: Course) -> bool:
    return (course.private / "secrets" / CHAPTER).read_text() == "the secret"


class TestLimits:
    def test_too_many_files(self, course):
        for number in range(MAX_FILES + 30):
            hand_in(course, "zoe", f"{number:04}.txt", "x")
        path = hand_in(course, "zoe")
        hand_in(course, "zoe", "timestamp.txt", "2024-05-01 10:00:00 UTC")
        found = one(course)
        assert found.notebook == path
        assert found.timestamp
        assert len(found.beside) == MAX_FILES + 1
        assert "0100.txt, 0101.txt" in all_notes(found)
        assert "20 more were moved to" in all_notes(found)

    def test_too_large_is_left_out_and_not_copied(self, course):
        hand_in(course, "zoe", "a.txt", "x")
        with hand_in(course, "zoe", "b.png").open("r+b") as file:
            file.truncate(MAX_BYTES)
        hand_in(course, "zoe", "c.txt", "x")
        assert [path.name for path in one(course).beside] == ["a.txt", "c.txt"]

    def test_folders_within_folders(self, course):
        """So deep that no path reaches the end of it, and nothing that recurses gets there."""
        path = hand_in(course, "zoe")
        here = os.getcwd()
        try:
            os.chdir(path.parent)
            for _ in range(3_000):
                os.mkdir("deeper")
                os.chdir("deeper")
            Path("nbgrader_config.py").write_text("")
        finally:
            os.chdir(here)
        found = one(course)
        assert found.notebook == path
        assert "nbgrader_config.py" in " ".join(files_below(course.private))
        assert max(len(top) for top, _, _ in os.walk(path.parent)) < 1_000
        assert "deeper" in all_notes(found)

    def test_very_many_files(self, course):
        path = hand_in(course, "zoe")
        for number in range(5_000):
            (path.parent / f"{number}.html").touch()
            (path.parent / f"folder-{number}").mkdir()
        start = time.process_time()
        found = one(course)
        assert time.process_time() - start < 60
        assert found.notebook == path
        assert len(all_notes(found)) < 2_000
        assert len(list(path.parent.iterdir())) <= 101

    def test_many_students_take_no_time(self, course):
        for number in range(300):
            hand_in(course, f"student-{number}")
            hand_in(course, f"student-{number}", "timestamp.txt", "2024-05-01 10:00:00 UTC")
        start = time.process_time()
        assert len(collect(course, CHAPTER)) == 300
        assert time.process_time() - start < 5


class TestNames:
    @pytest.mark.parametrize(("name", "student"), NAMES.items(), ids=map(repr, NAMES))
    def test_is_safe_and_stays_where_it_can(self, course, name, student):
        hand_in(course, name, content=name.encode(errors="surrogateescape"))
        found = one(course)
        assert found.student == student == as_id(student)
        assert found.folder == course.root / "submitted" / student / CHAPTER
        assert os.listdir(course.root / "submitted") == [student]
        assert found.notebook.read_bytes() == os.fsencode(name)
        assert bool(found.notes) == (name != student)

    def test_all_of_them_at_once_and_nobody_is_missing(self, course):
        for name in NAMES:
            hand_in(course, name)
        found = collect(course, CHAPTER)
        assert sorted(submission.student for submission in found) == sorted(NAMES.values())
        assert found == collect(course, CHAPTER)
        with Gradebook(f"sqlite:///{course.root / 'test.db'}") as book:
            for submission in found:
                book.add_student(submission.student)
            assert {student.id for student in book.students} == set(NAMES.values())

    def test_long_ones_are_shortened_and_not_confused(self, course):
        for end in "ab":
            hand_in(course, "x" * 200 + end)
            hand_in(course, "\n" * 200 + end)
        found = collect(course, CHAPTER)
        assert len({submission.student for submission in found}) == 4
        assert max(len(submission.student) for submission in found) <= 100
        assert all("too long" in all_notes(submission) for submission in found)
        assert found == collect(course, CHAPTER)

    @pytest.mark.drawn
    def test_any_name_gives_an_id_that_stays_and_is_its_own(self):
        rng = drawn("names")
        letters = [
            "~",
            "~4",
            "~41",
            "~3C",
            "~x",
            "a",
            "é",
            "e\u0301",
            "\u0301",
            "Å",
            "\u212b",
            " ",
            "<",
            "\n",
            ".",
            "-",
            "漢",
            "1",
        ]
        letters += [os.fsdecode(bytes([number])) for number in range(1, 256) if number != ord("/")]
        names = {"".join(rng.choices(letters, k=rng.choice([1, 2, 5, 30, 60]))) for _ in range(3_000)}
        by_id: dict[str, str] = {}
        for name in sorted(names):
            student = as_id(name)
            assert as_id(student) == student, repr(name)
            assert student.isprintable()
            assert len(os.fsencode(student)) <= 100
            assert not set(student) & set("<>&\"'\\/%#?`")
            assert student == name or by_id.setdefault(student, name) == name

    def test_handed_in_again_under_the_same_unsafe_name(self, course):
        hand_in(course, "O'Brien", content="first")
        collect(course, CHAPTER)
        hand_in(course, "O'Brien", content="second")
        (found,) = collect(course, CHAPTER)
        assert found.student == "O~27Brien"
        assert found.notebook.read_text() == "second"
        assert "handed in again" in all_notes(found)
        aside = [path for path in (course.private / "quarantine").rglob("*.aside-again") if path.is_file()]
        assert [path.read_text() for path in aside] == ["first"]

    def test_unsafe_name_of_a_file_beside_is_shown_safely(self, course):
        hand_in(course, "zoe")
        hand_in(course, "zoe", "\x1b[31m<script>\n.html")
        notes = all_notes(one(course))
        assert notes.isprintable()
        assert "~1B[31m~3Cscript~3E~0A.html" in notes


class TestWhatIsNoFolder:
    @pytest.mark.parametrize("level", ["zoe", f"zoe/{CHAPTER}"])
    @pytest.mark.parametrize("kind", ["file", "pipe"])
    def test_stops_nobody_and_is_graded_as_empty(self, course, level, kind):
        hand_in(course, "adam")
        path = course.root / "submitted" / level
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("here") if kind == "file" else os.mkfifo(path)
        found = collect(course, CHAPTER)
        assert [submission.student for submission in found] == ["adam", "zoe"]
        assert "there should be a folder" in all_notes(found[1])
        assert not found[1].notebook.exists()
        assert collect(course, CHAPTER) == found

    def test_empty_folder_is_a_submission(self, course):
        (course.root / "submitted/zoe" / CHAPTER).mkdir(parents=True)
        assert not one(course).notebook.exists()

    def test_folder_that_may_not_be_read_is_opened(self, course):
        path = hand_in(course, "zoe")
        path.chmod(0)
        path.parent.chmod(0)
        path.parent.parent.chmod(0)
        assert one(course).notebook.read_text() == "{}"
        assert path.stat().st_mode & 0o400


class TestWhichNotebook:
    @pytest.mark.parametrize(
        ("names", "chosen"),
        [
            ([f"{CHAPTER}.ipynb", "z.ipynb", f"sub/{CHAPTER}.ipynb"], f"{CHAPTER}.ipynb"),
            (["my homework (1).ipynb"], "my homework (1).ipynb"),
            ([f"{CHAPTER}.IPYNB"], f"{CHAPTER}.IPYNB"),
            (["scratch.ipynb", "Ch05_Attention final.ipynb"], "Ch05_Attention final.ipynb"),
            ([f"{CHAPTER} (1).ipynb", f"{CHAPTER} (2).ipynb"], f"{CHAPTER} (2).ipynb"),
            ([f"sub/{CHAPTER}.ipynb", "top.ipynb"], "top.ipynb"),
            ([f"{CHAPTER}/{CHAPTER}.ipynb"], f"{CHAPTER}/{CHAPTER}.ipynb"),
            ([f"._{CHAPTER}.ipynb", f"__MACOSX/._{CHAPTER}.ipynb", "mine.ipynb"], "mine.ipynb"),
            ([".ipynb_checkpoints/z-checkpoint.ipynb", "mine.ipynb"], "mine.ipynb"),
        ],
    )
    def test_is_graded(self, course, names, chosen):
        for name in names:
            hand_in(course, "zoe", name)
        found = one(course)
        assert str(found.notebook.relative_to(found.folder)) == chosen
        assert (chosen == f"{CHAPTER}.ipynb") == (found.notes == ())
        assert chosen == f"{CHAPTER}.ipynb" or f"the notebook was named {chosen}" in all_notes(found)

    def test_that_lies_one_folder_too_high(self, course):
        path = course.root / "submitted/zoe" / f"{CHAPTER}.ipynb"
        path.parent.mkdir()
        path.write_text("{}")
        found = one(course)
        assert found.notebook == path
        assert f"was in submitted/zoe instead of submitted/zoe/{CHAPTER}" in all_notes(found)


class TestDates:
    @pytest.mark.parametrize(
        ("text", "date"),
        [
            ("2015-02-02 15:58:23.948203 UTC", datetime(2015, 2, 2, 15, 58, 23, 948203)),
            ("2015-02-02 15:58:23.948203 America/Los_Angeles", datetime(2015, 2, 2, 23, 58, 23, 948203)),
            ("2015-02-02 15:58:23 +0100", None),
            ("2015-02-02T15:58:23+01:00", datetime(2015, 2, 2, 14, 58, 23)),
            ("2015-02-02", datetime(2015, 2, 2)),
        ],
    )
    def test_are_read_as_nbgrader_reads_them(self, course, text, date):
        hand_in(course, "zoe")
        path = hand_in(course, "zoe", "timestamp.txt", text)
        directory = CourseDirectory(config=course_config(course.root))
        nbgraders = directory.get_existing_timestamp(str(path.parent))
        found = one(course)
        assert found.timestamp == nbgraders
        assert date is None or nbgraders == date

    @pytest.mark.parametrize(
        "content",
        [b"", b"\n", b"soon", b"\xff\xfe\x00", b"1" * 10**6, b"2015-13-45 99:99:99 UTC", b"0001-01-01 00:00:00 +1400"]
        + [b"9999-12-31 23:59:59 -1400", b"2015-02-02 15:58:23 /dev/zero", b"2015 " * 30, b"12", b"\0" * 50],
        ids=lambda content: repr(content[:20]),
    )
    def test_that_are_none_are_put_aside(self, course, content):
        hand_in(course, "zoe")
        path = hand_in(course, "zoe", "timestamp.txt", content)
        found = one(course)
        if found.timestamp is None:
            assert not path.exists()
            assert found.beside == ()
            assert "timestamp.txt was moved to" in all_notes(found)
        else:
            assert found.timestamp == CourseDirectory(config=course_config(course.root)).get_existing_timestamp(
                str(path.parent)
            )


@pytest.fixture(scope="module")
def released(released: Course, tmp_path_factory) -> Course:
    """A course with the chapter released, whose nbgrader calls our hook."""
    course = Course(shutil.copytree(released.root, tmp_path_factory.mktemp("released") / "course"))
    config = course.root / "nbgrader_config.py"
    with config.open("a") as file:
        file.write('c.Autograde.pre_convert_hook = "autograder.grading.collect.before_autograding"\n')
        file.write('c.Autograde.autograde_preprocessors = ["nbgrader.preprocessors.LimitOutput"]\n')
    return course


class TestNbgradersOwnLoop:
    def autograde(self, course: Course, student: str):
        config = course_config(course.root)
        return NbGraderAPI(CourseDirectory(config=config), config=config).autograde(CHAPTER, student)

    def test_copies_nothing_that_was_not_looked_at(self, released):
        hand_in(released, "zoe", "notes.txt", "mine").with_name("secret.txt").symlink_to(released.solved(CHAPTER))
        hand_in(released, "zoe", "nbgrader_config.py", "import os; os.abort()")
        path = hand_in(released, "zoe")
        os.link(released.solved(CHAPTER), path.with_name("link.csv"))
        path.write_text(nbformat.writes(Student(released).notebook()))
        result = self.autograde(released, "zoe")
        assert result["success"], result
        assert files_below(released.root / "autograded" / "zoe" / CHAPTER) == {f"{CHAPTER}.ipynb", "notes.txt"}
        assert "nbgrader_config.py" in all_notes(next(s for s in collect(released, CHAPTER) if s.student == "zoe"))

    @pytest.mark.parametrize("trouble", ["name", "link", "move"])
    def test_grades_nothing_that_it_could_not_make_safe(self, released, trouble, monkeypatch):
        student = {"name": "O'Brien", "link": "adam", "move": "eve"}[trouble]
        hand_in(released, "bob", "notes.txt", "bob's")
        hand_in(released, "bob")
        if trouble == "link":
            (released.root / "submitted/adam").symlink_to(released.root / "submitted/bob")
        else:
            hand_in(released, student)
            hand_in(released, student, "page.html")
        if trouble == "move":
            monkeypatch.setattr(
                collecting, "_move", lambda *_: (_ for _ in ()).throw(OSError(30, "Read-only file system"))
            )
        result = self.autograde(released, student)
        assert not result["success"]
        assert ("autograder collect" if trouble != "move" else "Read-only file system") in result["error"]
        assert not files_below(released.root / "autograded" / student)
