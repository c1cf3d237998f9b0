"""The box holds: students' code gains nothing, reaches nothing, is told nothing that is secret, and outlives nobody."""

import base64
import contextlib
import ctypes
import inspect
import json
import os
import pickle
import re
import shutil
import signal
import struct
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path

import pytest
import torch
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell
from safetensors.torch import save

from autograder.asking.probing import FORBIDDEN, Failure, MisuseError, probes_of, run_probe, seeds
from autograder.asking.serialization import Foreign, NotPlainError
from autograder.checkout import Course
from autograder.declare import ELSEWHERE, IN_USE, chapters, key, load_checks, load_exercises, load_probes
from autograder.grading import engine, redaction, scratch, wire
from autograder.grading.judge import Judge
from autograder.grading.plan import Asked, Planner, Step
from autograder.grading.result import Result
from autograder.grading.sandbox import Limits, SandboxError
from autograder.grading.worker import Run, Worker
from autograder.judging.expected_answers import read_answers
from autograder.judging.outcomes import judge_exercise
from autograder.judging.reference import load_reference
from autograder.judging.verdict import Status, failed, passed
from autograder.samples import hostile
from autograder.samples.course import CHAPTER, Student, answer_cell
from autograder.samples.seeds import drawn
from autograder.settings import Settings
from tests.processes import alive, cpu_seconds, descendants, ignores, parent_of, until, waits

QUICK = Limits(cell_seconds=2, probe_seconds=2, total_seconds=40)
FULL_MARKS = sum(exercise.points for exercise in load_checks(CHAPTER))
BOASTS = ("started process", "open <socket", "killed", "wrote", "raised", "a judge!", "BEGIN SOLUTION", "reached")
SPOIL_THEIR_OWN = {"ALWAYS_EQUAL", "FORGES_ANSWERS"}
BOXES = ("landlock", "none")
MANY = 30
NAPS = "import time\nfor _ in range(200): time.sleep(0.01)"

SCRIPTED = """import torch
@torch.jit.script
def looked_up(query, key, value):
    return torch.nn.functional.scaled_dot_product_attention(query, key, value)
def attend(query, key, value, mask, score, masked_softmax):
    return looked_up(query, key, value), masked_softmax(score(query, key), mask)
"""


@pytest.fixture(scope="module")
def course(released: Course, tmp_path_factory) -> Course:
    return Course(shutil.copytree(released.root, tmp_path_factory.mktemp("box") / "course"))


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    """One warm worker for all that is hostile."""
    with Worker(limits=QUICK) as worker:
        yield worker


@pytest.fixture(scope="module")
def unboxed() -> Iterator[Worker]:
    """One without a sandbox, where what is in the scratch folder is counted."""
    with Worker("none", replace(QUICK, cell_seconds=15)) as worker:
        yield worker


@pytest.fixture(scope="module")
def graded(course: Course, worker: Worker) -> Callable[[NotebookNode], Result]:
    """Grades a notebook."""
    planner, judge = (
        Planner(course, Settings(CHAPTER), QUICK, "landlock"),
        Judge(course, CHAPTER, load_checks(CHAPTER)),
    )

    def grade(notebook: NotebookNode) -> Result:
        job = planner.job(notebook)
        return judge.judge(notebook, job, worker.run(CHAPTER, job.steps, job.asked))

    return grade


def points(result: Result) -> int:
    return sum(map(result.earned, result.outcomes))


def unanswered(course: Course) -> NotebookNode:
    return Student(course).notebook(**dict.fromkeys(found.name for found in load_exercises(CHAPTER)))


@pytest.mark.parametrize("name", hostile.EVERYTHING)
def test_hostile_code_gains_nothing_and_stops_nothing(
    course: Course, graded: Callable[[NotebookNode], Result], name: str
) -> None:
    alone = unanswered(course)
    first = alone.cells.index(answer_cell(alone, "masked_softmax"))
    for place in (first, len(alone.cells)):
        alone.cells.insert(place, new_code_cell(hostile.EVERYTHING[name]))
    result = graded(alone)
    assert points(result) == 0
    assert not [boast for boast in BOASTS if boast in json.dumps(result.outputs)]
    assert not result.faulty
    if name in hostile.TOLD_OF:
        assert hostile.TOLD_OF[name] in result.errors[first]
    if name not in SPOIL_THEIR_OWN:
        beside_right_answers = Student(course).notebook()
        beside_right_answers.cells.append(new_code_cell(hostile.EVERYTHING[name]))
        found = graded(beside_right_answers)
        missed = [o for outcomes in found.outcomes.values() for o in outcomes if not o.earned]
        assert points(found) == FULL_MARKS, missed


def test_solutions_would_be_read_without_the_sandbox(unboxed: Worker) -> None:
    """So that what is tried to read them is worth a test."""
    result = unboxed.run(CHAPTER, [Step(0, hostile.READS_SOLUTIONS)], [])
    assert "BEGIN SOLUTION" in json.dumps(result.outputs)
    assert not result.errors


@contextlib.contextmanager
def killing_one_of(worker: Worker, *, zygote: bool = False) -> Iterator[list[int]]:
    """Kill the next child of a worker when it is in a loop of many naps, or the zygote with it. Yields those that were killed."""
    parent, killed = worker._zygote.pid, []

    def kill() -> None:
        if until(lambda: any(waits(child) > MANY for child in descendants(parent))):
            victims = [parent] if zygote else list(descendants(parent))
            for victim in victims:
                os.kill(victim, signal.SIGKILL)
            killed.extend(victims)

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        yield killed
    finally:
        thread.join()


class TestWorker:
    def test_goes_on_after_a_step_that_ends_the_process(self, worker: Worker) -> None:
        steps = [Step(0, "x = 1"), Step(1, hostile.LEAVES), Step(2, hostile.DEAF_ENDLESS), Step(3, "print(x + 1)")]
        result = worker.run(CHAPTER, steps, [])
        assert result.outputs[3] == [{"output_type": "stream", "name": "stdout", "text": "2\n"}]
        assert result.errors == {1: "it ended its own process", 2: Status.TIMEOUT}

    def test_probe_that_never_ends_costs_itself(self, worker: Worker) -> None:
        endless = "def masked_softmax(scores, mask):\n    if mask.all():\n        while True: pass\n    return scores"
        asked = [
            Asked("masked_softmax.nothing_masked", "masked_softmax", 1),
            Asked("masked_softmax.padding", "masked_softmax", 2),
        ]
        result = worker.run(CHAPTER, [Step(0, f"import torch\n{endless}"), Step(1, subject="masked_softmax")], asked)
        assert result.answers["masked_softmax.nothing_masked"][0].status is Status.TIMEOUT
        assert set(result.answers["masked_softmax.padding"][0]) >= {"weights"}

    @pytest.mark.parametrize("moment", ["a cell runs", "a probe runs"])
    def test_what_somebody_else_killed_is_run_once_more(self, moment: str) -> None:
        steps = [Step(0, NAPS if moment == "a cell runs" else ""), Step(1, subject="masked_softmax")]
        steps[1:1] = [Step(2, f"def masked_softmax(scores, mask):\n{textwrap.indent(NAPS, '    ')}\n    return scores")]
        asked = [Asked("masked_softmax.padding", "masked_softmax", 1)]
        with Worker(limits=Limits(probe_seconds=10)) as worker:
            assert not worker.run(CHAPTER, [Step(0, "x = 1")], []).errors
            with killing_one_of(worker) as killed:
                result = worker.run(CHAPTER, steps, asked)
        assert killed, "nothing ran for long enough"
        assert not result.errors
        (answer,) = result.answers["masked_softmax.padding"]
        assert set(answer) >= {"weights"}

    def test_what_kills_itself_is_to_blame(self, worker: Worker) -> None:
        steps = [Step(0, "import os\nos.kill(os.getpid(), 9)"), Step(1, "print(2)")]
        result = worker.run(CHAPTER, steps, [])
        assert result.errors == {0: "it ended its own process"}
        assert result.outputs[1][0]["text"] == "2\n"

    def test_worker_that_was_killed_is_no_fault_of_a_submission(self) -> None:
        with Worker(limits=Limits(probe_seconds=10)) as worker:
            assert not worker.run(CHAPTER, [Step(0, "x = 1")], []).errors
            with (
                killing_one_of(worker, zygote=True) as killed,
                pytest.raises(SandboxError, match="worker process ended"),
            ):
                worker.run(CHAPTER, [Step(0, NAPS)], [])
            assert killed

    def test_cell_that_ends_the_process_is_named_in_the_answers_of_its_exercise(
        self, course: Course, graded: Callable[[NotebookNode], Result]
    ) -> None:
        result = graded(Student(course).notebook(attend="import os\nos._exit(0)"))
        assert result.outcomes["attend"][0].message == "its cell failed: it ended its own process"

    def test_no_more_output_is_kept_than_a_page_can_show(self, worker: Worker) -> None:
        noisy = "from IPython.display import display, Image\ndisplay(Image(b'x' * 2_900_000, format='png'))"
        result = worker.run(CHAPTER, [Step(cell, noisy) for cell in range(6)], [])
        assert sum(len(json.dumps(outputs)) for outputs in result.outputs.values()) < 20e6
        assert "may show at most 16 MB" in str(result.outputs[5])

    def test_answers_cannot_fill_the_graders_memory(self, worker: Worker) -> None:
        """Each of them is small enough, all together are not."""
        large = "import torch\ndef masked_softmax(scores, mask):\n    return torch.zeros(1 << 22)"
        asked = [Asked("masked_softmax.padding", "masked_softmax", seed) for seed in range(20)]
        result = worker.run(CHAPTER, [Step(0, large), Step(1, subject="masked_softmax")], asked)
        answers = result.answers["masked_softmax.padding"]
        kept = sum(answer["weights"].nbytes for answer in answers if isinstance(answer, dict))
        assert 0 < kept <= 128 << 20
        assert "more than a submission may send" in answers[-1].message

    def test_total_of_the_sources_is_bounded(self, worker: Worker) -> None:
        steps = [Step(cell, "\x01" * 90_000) for cell in range(8)] + [Step(8, "print('done')")]
        result = worker.run(CHAPTER, steps, [])
        assert "done" in str(result.outputs[8])
        assert [cell for cell, error in result.errors.items() if "400,000 of a notebook" in error] == [4, 5, 6, 7]


@contextlib.contextmanager
def busy(number: int) -> Iterator[None]:
    """Have processes compute on one processor, with this process and those that it starts."""
    mine = os.sched_getaffinity(0)
    one = {min(mine)}
    os.sched_setaffinity(0, one)
    burning = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(number)]
    try:
        yield
    finally:
        for each in burning:
            each.kill()
            each.wait()
        os.sched_setaffinity(0, mine)


COMPUTES = "import time\ndef compute(seconds):\n    end = time.process_time() + seconds\n    while time.process_time() < end: pass\n"
SLOW = f"{COMPUTES}def masked_softmax(scores, mask):\n    compute({{}})\n    return scores"
ONE = [Asked("masked_softmax.padding", "masked_softmax", 1, visible=True)]


class TestTime:
    """The seconds of a limit are those for which code computes or sleeps, and not those that a busy machine lets it wait."""

    def test_what_waits_for_a_processor_is_not_late(self, course: Course) -> None:
        limits = replace(QUICK, cell_seconds=1, probe_seconds=1)
        steps = [Step(0, f"{COMPUTES}compute(0.5)"), Step(1, SLOW.format(0.5)), Step(2, subject="masked_softmax")]
        with busy(8), Worker(limits=limits) as worker:
            began = time.monotonic()
            run = worker.run(CHAPTER, steps, ONE)
            assert time.monotonic() - began > 3, "the machine was not busy"
        assert not run.late()
        assert 1 <= run.seconds < 3

    @pytest.mark.parametrize("code", ["compute(60)", "time.sleep(60)", "while True: time.sleep(0.001)"])
    def test_what_computes_or_sleeps_is(self, worker: Worker, code: str) -> None:
        slow = f"{COMPUTES}def masked_softmax(scores, mask):\n    {code}\n    return scores"
        steps = [Step(0, f"{COMPUTES}{code}"), Step(1, slow), Step(2, subject="masked_softmax")]
        run = worker.run(CHAPTER, steps, ONE)
        assert run.late() == {0, "masked_softmax.padding"}
        assert run.errors == {0: Status.TIMEOUT}

    def test_all_that_a_submission_sleeps_is_counted_and_ends(self) -> None:
        sleeps = "import time\nfor _ in range(18): time.sleep(0.1)"
        with Worker(limits=replace(QUICK, total_seconds=4)) as worker:
            run = worker.run(CHAPTER, [Step(cell, sleeps) for cell in range(8)], ONE)
        assert ONE[0].key in run.late()

    @pytest.mark.parametrize("where", ["a cell", "an answer", "a hidden answer"])
    def test_what_was_late_runs_once_more_alone_and_is_doubtful_if_it_then_is_not(
        self, course: Course, monkeypatch: pytest.MonkeyPatch, where: str
    ) -> None:
        """As when it computed beside something that took the processor's memory from it."""
        notebook = Student(course).notebook()
        planner = Planner(course, Settings(CHAPTER), QUICK, "landlock")
        judge, job = Judge(course, CHAPTER, load_checks(CHAPTER)), planner.job(notebook)
        hidden = next(ask.key for ask in job.asked if not ask.visible)
        visible = next(ask.key for ask in job.asked if ask.visible)
        at = {"a cell": job.steps[0].cell, "an answer": visible, "a hidden answer": hidden}[where]
        late, ran, run_as_before = Failure(Status.TIMEOUT, "late"), [], Worker.run

        def run(worker: Worker, *what: object, unless: Callable[[Run], bool]) -> Run:
            def stop(found: Run) -> bool:
                ran[-1].append(set(found.answers))
                if len(ran) == 1 and isinstance(at, int):
                    found.errors[at] = Status.TIMEOUT.value
                if len(ran) == 1 and at in found.answers:
                    found.answers[at] = [late] * len(found.answers[at])
                return unless(found)

            ran.append([])
            found = run_as_before(worker, *what, unless=stop)
            stop(found)
            return found

        monkeypatch.setattr(Worker, "run", run)
        try:
            found = engine.run_job(job)
        finally:
            engine.close()
        first, again = ran
        assert (hidden in first[-1]) is (where == "a hidden answer"), "nothing hidden was asked before what is shown"
        assert hidden in again[-1]
        assert found.doubtful == [at]
        result = judge.judge(notebook, job, found)
        assert points(result) == FULL_MARKS
        assert result.doubtful == (f"cell {at + 1}" if isinstance(at, int) else at.split(".")[0],)

    def test_whoever_runs_alone_waits_for_all_and_all_wait_for_them(self) -> None:
        turns, order = engine._Turns(), []

        def alone() -> None:
            with turns.alone():
                order.append("alone")

        def later() -> None:
            with turns.together():
                order.append("later")

        with turns.together():
            threads = [threading.Thread(target=alone), threading.Thread(target=later)]
            threads[0].start()
            assert until(lambda: turns._is_one_alone)
            threads[1].start()
            order.append("first")
        for thread in threads:
            thread.join()
        assert order == ["first", "alone", "later"]


Flat = tuple[bytes, str, tuple[int, ...]]


def flat(tensor):
    return bytes(tensor.detach().reshape(-1).view(torch.uint8).tolist()), str(tensor.dtype), tuple(tensor.shape)


class TestSecrets:
    @pytest.mark.parametrize("name", hostile.LEAKS)
    def test_nothing_of_a_probe_is_shown(
        self, course: Course, graded: Callable[[NotebookNode], Result], name: str
    ) -> None:
        notebook = Student(course).notebook(masked_softmax=hostile.LEAKS[name])
        notebook.cells.append(new_code_cell("import os\nif os.path.exists('leak'): print(open('leak').read())"))
        result = graded(notebook)
        assert result.earned("masked_softmax") == 0
        assert "leaked_" not in json.dumps(asdict(result))
        assert not result.faulty

    def test_a_cell_finds_no_seed(self, course: Course, worker: Worker) -> None:
        job = Planner(course, Settings(CHAPTER), QUICK, "landlock").job(Student(course).notebook())
        run = worker.run(CHAPTER, [Step(0, hostile.PEEKS_AT_SEEDS), *job.steps], job.asked)
        shown = json.dumps(run.outputs)
        assert not [ask.seed for ask in job.asked if str(ask.seed) in shown]

    def test_what_one_submission_was_asked_is_worth_nothing_to_another(self, course: Course, worker: Worker) -> None:
        """Given all that the first was asked, with the right answers, as if it had told everything."""
        planner, judge = (
            Planner(course, Settings(CHAPTER), QUICK, "landlock"),
            Judge(course, CHAPTER, load_checks(CHAPTER)),
        )
        first = planner.job(Student(course).notebook())
        right = load_reference(course.solutions, CHAPTER).masked_softmax
        seen: list[tuple[Flat, Flat, Flat]] = []

        def remembered(scores: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
            seen.append((flat(scores), flat(mask), flat(right(scores, mask))))
            return right(scores, mask)

        probes = {name: probe for name, probe in load_probes(CHAPTER).items() if probe.name not in (IN_USE, ELSEWHERE)}
        for ask in first.asked:
            if ask.exercise == "masked_softmax" and ask.key in probes:
                run_probe(probes[ask.key], remembered, ask.seed)
        looks_up = (
            f"import base64, pickle, torch\nSEEN = pickle.loads(base64.b64decode({base64.b64encode(pickle.dumps(seen))!r}))\n"
            f"{inspect.getsource(flat)}"
            "def masked_softmax(scores, mask):\n"
            "    for theirs, their_mask, (data, dtype, shape) in SEEN:\n"
            "        if (theirs, their_mask) == (flat(scores), flat(mask)):\n"
            "            numbers = torch.frombuffer(bytearray(data), dtype=torch.uint8)\n"
            "            return numbers.view(getattr(torch, dtype[6:])).reshape(shape)\n"
            "    return scores"
        )
        assert len(looks_up) < 100_000
        notebook = Student(course).notebook(masked_softmax=looks_up)
        second = planner.job(notebook)
        theirs = replace(second, asked=first.asked, submission=first.submission)
        for job, earns in ((second, False), (theirs, True)):
            result = judge.judge(notebook, job, worker.run(CHAPTER, job.steps, job.asked))
            assert (result.earned("masked_softmax") > 0) is earns, job.submission
        assert planner.job(notebook).asked == second.asked, "a regrade repeats what it was asked"

    def test_each_check_asks_a_submission_something_of_its_own(self) -> None:
        for chapter in chapters():
            for name, probe in load_probes(chapter).items():
                one, other = (seeds(probe, "a class's", student) for student in ("ada", "zoe"))
                assert one[-1] != other[-1], name
                assert one[:-1] == other[:-1], "so that the same mistake gives the same numbers in a class"

    def test_nothing_is_shown_that_ran_after_a_hidden_check_had_asked(self, worker: Worker) -> None:
        """Whoever kills itself then is run once more."""
        cell = (
            "import os, torch\nprint(os.getpid())\ndef masked_softmax(scores, mask):\n"
            "    if mask.all(): os.kill(os.getpid(), 9)\n    return torch.tensor(os.getpid())"
        )
        asked = [
            Asked("masked_softmax.nothing_masked", "masked_softmax", 1),
            Asked("masked_softmax.padding", "masked_softmax", 2, visible=True),
        ]
        run = worker.run(CHAPTER, [Step(0, cell), Step(1, subject="masked_softmax")], asked)
        (answer,) = run.answers["masked_softmax.padding"]
        assert answer["weights"].item() == int(run.outputs[0][0]["text"])
        assert run.answers["masked_softmax.nothing_masked"][0].message == "it ended its own process"

    def test_what_is_hidden_is_asked_when_all_else_is_answered(self, course: Course, worker: Worker) -> None:
        """So that no failure that is shown can tell of it."""
        counts = (
            "asked = []\ndef masked_softmax(scores, mask):\n    asked.append(1)\n    return scores * 0 + len(asked)"
        )
        asked = Planner(course, Settings(CHAPTER), QUICK, "landlock").job(Student(course).notebook()).asked
        asked = [ask for ask in asked if ask.exercise == "masked_softmax"]
        steps = [Step(0, f"import torch\n{counts}"), Step(1, subject="masked_softmax")]
        run = worker.run(CHAPTER, steps, [*asked[::-1]])
        order: dict[bool, list[float]] = {True: [], False: []}
        for ask in asked:
            order[ask.visible] += [a["weights"].max().item() for a in run.answers[ask.key] if "weights" in a]
        assert max(order[True]) < min(order[False])

    def test_a_cells_output_is_that_of_the_first_process(self, worker: Worker) -> None:
        """A later one runs beside what an earlier one was asked."""
        cell = (
            "import os, time\nprint(time.monotonic_ns())\ndef masked_softmax(scores, mask):\n    os._exit(1)\n"
            "start = time.monotonic_ns()"
        )
        asked = [Asked("masked_softmax.padding", "masked_softmax", seed) for seed in range(3)]
        before = time.monotonic_ns()
        run = worker.run(CHAPTER, [Step(0, cell), Step(1, "print(start)"), Step(2, subject="masked_softmax")], asked)
        first, second = (int(run.outputs[index][0]["text"]) for index in (0, 1))
        assert before < first < second < first + 10**9

    def test_secret_inputs_leave_no_trace_on_the_disk(self, worker: Worker) -> None:
        """The time of the last access to a file would be one."""
        file = "import os, uuid\npath = uuid.__file__\n"
        touch = f"{file}os.stat(path).st_atime_ns\nopen(path).read()\nprint(os.stat(path).st_atime_ns)"
        one, other = (worker.run(CHAPTER, [Step(0, touch)], []).outputs[0][-1] for _ in range(2))
        assert one == other
        written = worker.run(CHAPTER, [Step(0, "open('left', 'w').write('x')\nimport os\nprint(os.listdir())")], [])
        assert "left" in str(written.outputs)
        assert "left" not in str(worker.run(CHAPTER, [Step(0, "import os\nprint(os.listdir())")], []).outputs)

    def test_second_run_with_demonstrations_shows_nothing_new(self, course: Course) -> None:
        """It runs beside what the first one was asked. Only where a cell needs a name is nothing asked before."""
        uses = "import torch\ndef masked_softmax(scores, mask):\n    return shown * scores"
        steps = Step(0, "import time\nprint(time.monotonic_ns())"), Step(3, uses), Step(4, subject="masked_softmax")
        again = Step(1, "shown = 1\nprint('shown')")
        asked = (Asked("masked_softmax.padding", "masked_softmax", 1, visible=True),)
        job = replace(
            Planner(course, Settings(CHAPTER), QUICK, "landlock").job(unanswered(course)),
            steps=steps,
            all_steps=(steps[0], again, *steps[1:]),
            demonstrations={1: 0},
            definitions={"shown": frozenset({0})},
            asked=asked,
        )
        try:
            run = engine.run_job(job)
            middle = time.monotonic_ns()
            needs = Step(2, "print(shown)")
            other = engine.run_job(replace(job, steps=(*steps, needs), all_steps=(*job.all_steps, needs)))
        finally:
            engine.close()
        for found in (run, other):
            assert set(found.answers["masked_softmax.padding"][0]) >= {"weights"}
            assert not found.errors
        assert 1 not in run.outputs  # Between two runs the kernel's counters could carry what the probe was asked.
        assert "shown" in str(other.outputs[1])
        assert int(run.outputs[0][0]["text"]) < middle < int(other.outputs[0][0]["text"])
        assert other.outputs[2][0]["text"] == "1\n"

    def test_demonstrations_run_only_where_they_define_what_is_lacking(self, course: Course) -> None:
        """All of them may train for a minute."""
        lacks, costly = Step(3, "print(shown)"), Step(2, "print('costly')\nhidden = 3")
        job = replace(
            Planner(course, Settings(CHAPTER), QUICK, "landlock").job(unanswered(course)),
            steps=(lacks,),
            all_steps=(Step(0, "print('changed')"), Step(1, "shown = 1"), costly, lacks),
            demonstrations={0: None, 1: 0, 2: 1},
            definitions={"shown": frozenset({0}), "hidden": frozenset({1})},
            asked=(),
        )
        later = Step(3, "print(shown)\nprint(hidden)")
        try:
            run = engine.run_job(job)
            more = engine.run_job(replace(job, steps=(later,), all_steps=(*job.all_steps[:3], later)))
        finally:
            engine.close()
        assert run.outputs.keys() == {0, 1, 3}  # A changed one may define anything.
        assert run.outputs[3][0]["text"] == "1\n"
        assert not run.errors
        assert more.outputs.keys() == {0, 1, 2, 3}
        assert not more.errors

    def test_own_words_are_kept(self, course: Course, graded: Callable[[NotebookNode], Result]) -> None:
        """What the course itself says of a mistake, and the line of the submission at which it happened."""
        source = "def masked_softmax(scores, mask):\n    total = scores.sum()\n    return total / undefined_name"
        notebook = Student(course).notebook(
            masked_softmax=source,
            attend="def attend(query, key, value, mask, score):\n    return value.foo",
            additive_scores="def additive_scores(query, key, W_q, W_k, w):\n    return query[0] + key.sum(5)",
        )
        outcomes = graded(notebook).outcomes
        told = {name: next(o.message for o in found if not o.hidden) for name, found in outcomes.items()}
        assert "NameError: name 'undefined_name' is not defined" in told["masked_softmax"]
        assert "(line 3 of its cell: `return total / undefined_name`)" in told["masked_softmax"]
        assert "`check(masked_softmax)` in the notebook shows the whole message" in told["masked_softmax"]
        assert told["additive_scores"].startswith("IndexError (line 2 of its cell: `return query[0] + key.sum(5)`)")

    def test_what_was_compiled_is_watched_too(self, course: Course, graded: Callable[[NotebookNode], Result]) -> None:
        outcomes = graded(Student(course).notebook(attend=SCRIPTED)).outcomes["attend"]
        assert {outcome.message for outcome in outcomes} <= FORBIDDEN

    def test_course_s_own_messages_are_known_again(self) -> None:
        """What probes say of a misuse, with a shape, a number or a type in it; nothing else in its place."""
        tensor = "a float32 tensor of shape (2, 3, 4)"
        for message, known in {
            f"what it returned is {tensor}, expected 2 results: context, weights": True,
            "what it returned is a tuple of 3, expected 2 results: context, weights": True,
            "what it returned is None, expected 2 results: context, weights": True,
            "what it returned is of type ndarray, expected 2 results: context, weights": True,
            "what it returned is of type leaked_7, expected 2 results: context, weights": False,
            "what it returned is a leaked_7 tensor of shape (2,), expected 2 results: context, weights": False,
            f"what it returned is {tensor}, expected 2 results: context, 7893475934857": False,
            f"masked_softmax was given scores of shape (2, 3, 4) and a mask that is {tensor}: pass on the mask as it was given": True,
            "masked_softmax was given scores of shape (2, 3, 4) and a mask that is my mask: pass on the mask as it was given": False,
            "anything at all": False,
            "": False,
        }.items():
            facts = {**redaction.facts_of(MisuseError(message)), "status": "failed"}
            told = redaction.told(facts, CHAPTER, "attend", {}, visible=True, seconds=3)
            assert (told.message == message) is known, message

    @pytest.mark.drawn
    def test_hostile_facts_are_no_fault(self) -> None:
        draw = drawn("facts")
        values = [
            None,
            True,
            7,
            -1,
            10**30,
            0.5,
            "x" * 10_000,
            "passed",
            [],
            ["failed"],
            {"a": 1},
            Foreign("x"),
            torch.ones(2),
        ]
        names = list(redaction.facts_of(ValueError()))
        for _ in range(500):
            facts = {name: draw.choice(values) for name in names if draw.random() < 0.8}
            told = redaction.told(facts, CHAPTER, "attend", {7: "x"}, visible=draw.random() < 0.5, seconds=3)
            assert told.status not in (Status.PASSED, Status.GRADER_FAULT)
            assert len(told.message) < 600
            assert "xxxx" not in told.message

    def test_text_that_came_back_is_not_quoted_unless_the_reference_holds_it(self) -> None:
        base = load_checks(CHAPTER)[0]

        def judge(got, want):
            return passed() if got == want else failed(f"{got['word']!r} came back, expected {want['word']!r}")

        exercise = replace(base, checks=(replace(base.checks[0], judge=judge),))
        name, want = key(base.checks[0].probe), {"word": "chat", "of": "le chat dort"}
        for word, shown in {"dort": "dort", "leaked_7": "…"}.items():
            for graded, expected in ((True, shown), (False, word)):
                (outcome,) = judge_exercise(exercise, {name: [{**want, "word": word}]}, {name: [want]}, graded=graded)
                assert outcome.message == f"{expected!r} came back, expected 'chat'"


class TestResources:
    @pytest.mark.parametrize(
        "name",
        [
            "FILLS_DISK",
            "MAKES_MANY_FILES",
            "HIDES_FILES",
            "HIDES_FILES_IN_MEMORY",
            "LEAVES_FILES_UNFINISHED",
            "NESTS_FOLDERS",
        ],
    )
    def test_files_are_counted_where_no_file_system_bounds_them(self, unboxed: Worker, name: str) -> None:
        result = unboxed.run(CHAPTER, [Step(0, hostile.EVERYTHING[name]), Step(1, "print('after')")], [])
        assert "more space" in result.errors[0]
        assert "after" in str(result.outputs[1])

    def test_nothing_is_left_of_them(self, unboxed: Worker) -> None:
        unboxed.run(CHAPTER, [Step(0, hostile.NESTS_FOLDERS), Step(1, hostile.MAKES_MANY_FILES)], [])
        assert not [*scratch.home().glob("*/submission-*")]

    def test_threads_are_counted(self, unboxed: Worker) -> None:
        result = unboxed.run(CHAPTER, [Step(0, hostile.STARTS_THREADS)], [])
        assert result.errors[0] == "it started more than 64 threads"

    def test_what_a_student_forked_ends_with_it(self, unboxed: Worker) -> None:
        escape = (
            "import os, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        time.sleep(600)\n"
            "    os._exit(0)\nprint(os.getpid())"
        )
        unboxed.run(CHAPTER, [Step(0, "1")], [])
        before = descendants(os.getpid())
        unboxed.run(CHAPTER, [Step(0, escape)], [])
        assert until(lambda: descendants(os.getpid()) <= before)

    @pytest.mark.parametrize("depth", [1, 10_000])
    def test_removing_does_not_recurse_nor_follow(self, tmp_path: Path, depth: int) -> None:
        kept = tmp_path / "kept"
        kept.mkdir()
        (kept / "file").touch()
        code = f"""\
            import os
            for number in range({depth}):
                os.mkdir("d")
                os.symlink({str(kept)!r}, "link")
                os.chmod("d", 0o700)
                open("f", "w").close()
                os.chdir("d")
                os.chmod("..", 0o500) if number % 2 else None
        """
        folder = tmp_path / "folder"
        folder.mkdir()
        subprocess.run([sys.executable, "-c", textwrap.dedent(code)], cwd=folder, check=True)
        scratch.remove(folder)
        assert not folder.exists()
        assert (kept / "file").exists()

    def test_queues_of_the_machine_are_out_of_reach(self, worker: Worker) -> None:
        libc = ctypes.CDLL(None, use_errno=True)
        ids = {"msg": libc.msgget(0, 0o1600), "sem": libc.semget(0, 1, 0o1600), "shm": libc.shmget(0, 4096, 0o1600)}
        assert min(ids.values()) >= 0
        code = (
            "import ctypes\nlibc = ctypes.CDLL(None)\n"
            f"print(libc.msgctl({ids['msg']}, 0, 0), libc.semctl({ids['sem']}, 0, 0), libc.shmctl({ids['shm']}, 0, 0))"
        )
        try:
            run = worker.run(CHAPTER, [Step(0, code)], [])
        finally:
            left = [
                libc.msgctl(ids["msg"], 0, None),
                libc.semctl(ids["sem"], 0, 0),
                libc.shmctl(ids["shm"], 0, None),
            ]
        assert run.outputs[0][0]["text"] == "-1 -1 -1\n"
        assert left == [0, 0, 0]


def frame(text: bytes, payload: bytes) -> bytes:
    return struct.pack("<I", len(text)) + text + payload


class TestWire:
    @pytest.mark.parametrize(
        "made",
        {
            "nothing": lambda: b"",
            "many lists": lambda: frame(b"[" + b"[]," * 4_000_000 + b"[]]", save({})),
            "deep lists": lambda: frame(b"[" * 500_000 + b"]" * 500_000, save({})),
            "a long number": lambda: frame(b"9" * 1_000_000, save({})),
            "long numbers": lambda: frame(b"[" + b",".join([b"9" * 4299] * 1000) + b"]", save({})),
            "no tensor": lambda: frame(b'{"$tensor": "0"}', save({})),
            "a tensor by no name": lambda: frame(b'{"$tensor": []}', save({})),
            "a long header": lambda: frame(b"1", struct.pack("<Q", 40 << 20) + b" " * (40 << 20)),
            "a header beyond": lambda: frame(b"1", struct.pack("<Q", 1 << 60)),
            "many tensors": lambda: frame(b"1", save({str(number): torch.ones(0) for number in range(30_000)})),
            "many dimensions": lambda: frame(
                b'{"$tensor": "0"}', save({"0": torch.ones((1,) * 64)}).replace(b"1,1,1,1", b"1,1,1,1,1,1,1,1")
            ),
            "not UTF-8": lambda: frame(b'"\xff\xfe"', save({})),
        }.items(),
        ids=lambda made: made[0],
    )
    def test_what_is_decoded_takes_no_time_and_is_refused(self, made: tuple[str, Callable[[], bytes]]) -> None:
        data = made[1]()
        ours, theirs = os.pipe()
        writer = threading.Thread(target=lambda: os.write(theirs, struct.pack("<I", len(data)) + data))
        writer.start()
        started = time.process_time()
        with contextlib.suppress(NotPlainError):
            value, _ = wire.receive_answer(ours, time.monotonic() + 60, lambda: None, 64 << 20)
            assert len(str(value)) < 5_000_000
        assert time.process_time() - started < 5
        os.close(ours)
        with contextlib.suppress(BrokenPipeError):
            writer.join()
        os.close(theirs)

    def test_sending_to_one_who_does_not_read_ends(self) -> None:
        ours, theirs = os.pipe()
        os.set_blocking(theirs, False)
        with pytest.raises(wire.WireTimeoutError):
            wire.send(theirs, "x" * 1_000_000, time.monotonic() + 0.2)
        os.close(ours)
        with pytest.raises(wire.WireClosedError):
            wire.send(theirs, "x" * 1_000_000, time.monotonic() + 0.2)
        os.close(theirs)


GRADES = """\
import sys
from autograder.grading.worker import *
worker = Worker(sys.argv[1])
print("started", flush=True)
worker.run("ch05_attention", [Step(0, "1")], [])
print("warm", flush=True)
worker.run("ch05_attention", [Step(0, sys.argv[2])], [])
"""
DEAF = f"""\
import ctypes, os, signal
for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
ctypes.CDLL(None).prctl(1, 0, 0, 0, 0)
try:
    if os.fork() == 0:
        os.setsid()
        os.fork()
except OSError:
    pass
{hostile.DEAF_ENDLESS}"""


def is_deaf(pid: int) -> bool:
    """Whether a process has come to where nothing but SIGKILL ends it."""
    return ignores(pid, signal.SIGTERM)


@contextlib.contextmanager
def a_grader(box: str, moment: str) -> Iterator[tuple[subprocess.Popen, list[int]]]:
    """A process that grades, and what it has started by then."""
    with subprocess.Popen(
        [sys.executable, "-c", GRADES, box, DEAF], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as grader:
        try:
            while grader.stdout.readline().strip() != ("started" if moment == "warming" else "warm"):
                pass
            if moment == "running":
                assert until(lambda: sum(map(is_deaf, descendants(grader.pid))) == (3 if box == "none" else 1))
            else:
                assert until(lambda: bool(descendants(grader.pid)))
            yield grader, descendants(grader.pid)
        finally:
            grader.kill()


class TestEnds:
    @pytest.fixture(autouse=True)
    def no_worker_of_another_test(self) -> Iterator[None]:
        """Workers stay for the next job: what counts processes must find none that were there before."""
        engine.close()
        yield
        engine.close()

    @pytest.mark.parametrize("box", BOXES)
    @pytest.mark.parametrize("moment", ["warming", "idle", "running"])
    def test_nothing_outlives_a_grader_that_is_killed(self, box: str, moment: str) -> None:
        """Nor does an interrupt from the terminal reach what it has started: that goes to the processes of its group."""
        with a_grader(box, moment) as (grader, started):
            assert started
            assert os.getpgid(grader.pid) not in {os.getpgid(process) for process in started}
            (zygote,) = [process for process in started if parent_of(process) == grader.pid]
            environment = Path(f"/proc/{zygote}/environ").read_text()
            folder = Path(re.search(r"HOME=([^\0]+)", environment)[1]).parent
            assert folder.name.startswith("autograder-")
            scratch.sweep()
            assert folder.exists()
            before, taken = cpu_seconds(zygote), 0.0

            def have_ended() -> bool:
                nonlocal taken
                taken = max(taken, cpu_seconds(zygote) - before)
                return not alive(set(started))  # Until then it may hold the lock of its folder.

            grader.kill()
            grader.wait()
            assert until(have_ended)
            assert taken < 0.5, "it does not go on until it is warm"
            scratch.sweep()
            assert not folder.exists()

    def test_folder_is_gone_when_a_grader_ends(self) -> None:
        code = "from autograder.grading import scratch\nprint(scratch.home())"
        folder = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
        assert folder
        assert not Path(folder).exists()

    def test_sweeping_follows_no_link_and_takes_nothing_that_is_not_ours(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
        (tmp_path / "kept").mkdir()
        (tmp_path / "autograder-link").symlink_to(tmp_path / "kept")
        (tmp_path / "autograder-new").mkdir()
        (tmp_path / "autograder-file").touch()
        left = tmp_path / "autograder-left"
        left.mkdir()
        (left / "lock").touch()
        scratch.sweep()
        assert {path.name for path in tmp_path.iterdir()} == {
            "kept",
            "autograder-link",
            "autograder-new",
            "autograder-file",
        }

    def test_closing_ends_a_job_that_runs(self, course: Course) -> None:
        notebook = Student(course).notebook()
        notebook.cells.append(new_code_cell(DEAF))
        job = Planner(course, Settings(CHAPTER), Limits(cell_seconds=100), "landlock").job(notebook)
        raised: list[BaseException] = []

        def run() -> None:
            try:
                engine.run_job(job)
            except SandboxError as error:
                raised.append(error)

        thread = threading.Thread(target=run)
        before = descendants(os.getpid())
        thread.start()

        def is_running() -> bool:
            return any(map(is_deaf, descendants(os.getpid()) - before))

        assert until(lambda: bool(raised) or is_running())
        assert not raised
        engine.close()
        thread.join(120)
        assert not thread.is_alive()
        assert len(raised) == 1
        assert until(lambda: descendants(os.getpid()) <= before)

    def test_worker_whose_zygote_was_killed_is_not_used_again(self, course: Course) -> None:
        job = Planner(course, Settings(CHAPTER), QUICK, "landlock").job(unanswered(course))
        before = descendants(os.getpid())
        engine.run_job(job)
        (zygote,) = descendants(os.getpid()) - before
        os.kill(zygote, signal.SIGKILL)
        assert until(lambda: zygote not in descendants(os.getpid()))
        assert not engine.run_job(job).errors


class TestJudges:
    def test_what_a_judge_makes_nothing_of_is_wrong_and_no_fault_of_the_grader(self) -> None:
        base = load_checks(CHAPTER)[0]
        name, want = key(base.checks[0].probe), {"word": "chat"}

        def judged(judge) -> tuple[Status, str]:
            exercise = replace(base, checks=(replace(base.checks[0], judge=judge),))
            (outcome,) = judge_exercise(exercise, {name: [{"word": "dort"}]}, {name: [want]})
            return outcome.status, outcome.message

        assert judged(lambda got, want: passed() if {"chat": 1}[got["word"]] else failed("")) == (
            Status.FAILED,
            "what came back is not what was expected",
        )
        assert judged(lambda got, want: {}["x"])[0] is Status.GRADER_FAULT

    @pytest.mark.parametrize("chapter", chapters())
    def test_judging_what_is_very_large_takes_no_time(self, chapter: str) -> None:
        """As large as is compared at all, and far larger."""
        want = read_answers(chapter)
        for exercise in load_checks(chapter):
            visible = exercise.visible
            asked = {key(probe): want[key(probe)] for probe in probes_of(visible.checks)}
            for times in (9, 600_000):
                got = {name: [enlarged(answer, times) for answer in answers] for name, answers in asked.items()}
                started = time.process_time()
                outcomes = judge_exercise(visible, got, asked)
                assert time.process_time() - started < 10, (exercise.exercise.name, times)
                assert Status.GRADER_FAULT not in {outcome.status for outcome in outcomes}

    def test_what_is_too_large_says_so(self) -> None:
        base = next(check for check in load_checks("ch06_decoding")[0].checks if True)
        check = replace(base, judge=lambda got, want: passed(), any_length=True)
        exercise = replace(load_checks("ch06_decoding")[0], checks=(check,))
        (outcome,) = judge_exercise(exercise, {key(check.probe): [[1] * 600_000]}, {key(check.probe): [[1, 2]]})
        assert outcome.status is Status.FAILED
        assert "too large to be compared" in outcome.message


def enlarged(tree, times: int):
    """With every list and every text so many times as long, up to a million in all."""
    if isinstance(tree, dict):
        return {name: enlarged(item, times) for name, item in tree.items()}
    if isinstance(tree, list) and tree:
        return (tree * times)[:1_000_000]
    return (tree * times)[:1_000_000] if isinstance(tree, str) else tree


class TestUse:
    """What a submission takes is measured from outside, and starting the worker is no part of it."""

    def taken(self, worker: Worker, *sources: str) -> tuple[float, dict[int, str]]:
        run = worker.run(CHAPTER, [Step(cell, source) for cell, source in enumerate(sources)], [])
        assert run.memory is not None
        return run.memory / (1 << 20), run.errors

    def test_memory_that_was_given_back_counts(self, worker: Worker) -> None:
        megabytes, errors = self.taken(worker, "ballast = bytearray(300 << 20)\ndel ballast", "1")
        assert 300 <= megabytes < 310
        assert not errors

    def test_what_little_takes_is_little(self, worker: Worker) -> None:
        assert self.taken(worker, "x = 1")[0] < 20

    def test_memory_that_was_refused_does_not_count(self, worker: Worker) -> None:
        megabytes, errors = self.taken(worker, "ballast = bytearray(3 << 30)")
        assert megabytes < 20
        assert errors == {0: "MemoryError"}

    def test_a_process_that_ends_itself_is_seen_and_the_next_does_not_hide_it(self, worker: Worker) -> None:
        ends = "import os, time\nballast = bytearray(200 << 20)\ntime.sleep(0.8)\nos._exit(1)"
        megabytes, errors = self.taken(worker, ends, "x = 1")
        assert megabytes >= 200
        assert set(errors) == {0}
